"""Conditional writes are atomic, and a table has an id.

Stock moto checks the condition and writes in two steps with nothing in between them locked, so that two
of fifty concurrent writers can win a lock. Ansible's dynamodb_table needs TableId.
"""

from __future__ import annotations

import threading
import uuid
from typing import Any

from moto.dynamodb.models.table import Table
from moto.dynamodb.responses import DynamoHandler

from sandbox.aws.cloud import Cloud


def apply(cloud: Cloud) -> None:
    del cloud
    one_at_a_time = threading.RLock()
    stock_call_action = DynamoHandler.call_action
    stock_describe = Table.describe

    def call_action(self: DynamoHandler) -> Any:
        with one_at_a_time:
            return stock_call_action(self)

    def describe(self: Table, base_key: str = "TableDescription") -> dict[str, Any]:
        description: dict[str, Any] = stock_describe(self, base_key=base_key)
        # Derived from arn and birth: the same for the life of the table, another after it is made anew.
        born = f"{self.table_arn}/{self.created_at.timestamp()}"
        description[base_key]["TableId"] = str(uuid.uuid5(uuid.NAMESPACE_URL, born))
        return description

    DynamoHandler.call_action = call_action
    Table.describe = describe
