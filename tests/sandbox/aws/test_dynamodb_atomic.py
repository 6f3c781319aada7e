"""One lock, fifty who want it: exactly one gets it, every time."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

from .servers import Aws

gap = pytest.mark.gap("patches.dynamodb_atomic")
WRITERS = 50
ROUNDS = 15
SHORT = "attribute_not_exists(cluster_id)"
# Stock moto parses the condition between reading and writing: a long one widens the gap, so that it shows
# in every run and not in one round of fifty.
LONG = " AND ".join([SHORT, *(f"attribute_not_exists(field{n})" for n in range(60))])


def wins(aws: Aws, table: str, key: str, owner: str, condition: str) -> bool:
    try:
        aws.client("dynamodb").put_item(
            TableName=table,
            Item={"cluster_id": {"S": key}, "owner": {"S": owner}},
            ConditionExpression=condition,
        )
    except aws.client("dynamodb").exceptions.ConditionalCheckFailedException:
        return False
    return True


def winners_per_round(aws: Aws, table: str, rounds: int, condition: str) -> list[int]:
    """Stops after the first round that has not exactly one winner: one is proof enough."""
    aws.client("dynamodb")
    counts: list[int] = []
    with ThreadPoolExecutor(WRITERS) as pool:
        for _ in range(rounds):
            key = uuid.uuid4().hex
            won = pool.map(lambda n, key=key: wins(aws, table, key, str(n), condition), range(WRITERS))
            counts.append(sum(won))
            if counts[-1] != 1:
                break
    return counts


@gap
def test_one_winner_in_each_round(aws: Aws, table: str) -> None:
    assert winners_per_round(aws, table, ROUNDS, LONG) == [1] * ROUNDS


@pytest.mark.parametrize("aws", ["ours"], indirect=True)
def test_one_winner_with_a_short_condition(aws: Aws, table: str) -> None:
    assert winners_per_round(aws, table, 2 * ROUNDS, SHORT) == [1] * 2 * ROUNDS


def test_one_winner_of_an_update_race(ours: Aws, name: str) -> None:
    dynamodb = ours.client("dynamodb")
    dynamodb.create_table(
        TableName=name,
        KeySchema=[{"AttributeName": "cluster_id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "cluster_id", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    dynamodb.put_item(TableName=name, Item={"cluster_id": {"S": "fleet"}, "fence": {"N": "0"}})

    def takes(fence: int) -> bool:
        try:
            dynamodb.update_item(
                TableName=name,
                Key={"cluster_id": {"S": "fleet"}},
                UpdateExpression="SET fence = :next",
                ConditionExpression="fence = :seen",
                ExpressionAttributeValues={":seen": {"N": str(fence)}, ":next": {"N": str(fence + 1)}},
            )
        except dynamodb.exceptions.ConditionalCheckFailedException:
            return False
        return True

    with ThreadPoolExecutor(WRITERS) as pool:
        counts = [sum(pool.map(takes, [fence] * WRITERS)) for fence in range(10)]
    assert counts == [1] * 10


@gap
def test_a_table_has_an_id(aws: Aws, table: str) -> None:
    described = aws.client("dynamodb").describe_table(TableName=table)["Table"]
    assert uuid.UUID(described["TableId"])
    assert aws.client("dynamodb").describe_table(TableName=table)["Table"]["TableId"] == described["TableId"]
