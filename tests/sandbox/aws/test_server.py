"""The launcher: on a clock that runs, with hooks, side by side, and gone without a trace."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from . import functions
from .servers import ROOT, Aws, our_server, started, stop

SPEED = 60.0


@pytest.fixture(scope="module")
def fast(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    """A server whose clock runs by itself, sixty times as fast as the wall's."""
    process, aws = our_server(tmp_path_factory.mktemp("fast") / "aws", "--speed", str(SPEED))
    yield aws
    stop(process)


def run(aws: Aws) -> str:
    answer = aws.client("ec2").run_instances(ImageId="ami-12c6146b", InstanceType="t3.small", MinCount=1, MaxCount=1)
    return str(answer["Instances"][0]["InstanceId"])


def state(aws: Aws, instance: str) -> str:
    [reservation] = aws.client("ec2").describe_instances(InstanceIds=[instance])["Reservations"]
    return str(reservation["Instances"][0]["State"]["Name"])


def test_states_change_by_themselves(fast: Aws) -> None:
    instance = run(fast)
    fast.until(lambda: state(fast, instance) == "running")
    fast.client("ec2").terminate_instances(InstanceIds=[instance])
    fast.until(lambda: state(fast, instance) == "terminated")


def test_a_schedule_of_a_minute_fires_every_second(fast: Aws, name: str) -> None:
    fast.client("dynamodb").create_table(
        TableName=name,
        KeySchema=[{"AttributeName": "cluster_id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "cluster_id", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    arn = functions.deploy_recorder(fast, name, name)
    fast.client("events").put_rule(Name=name, ScheduleExpression="rate(1 minute)")
    functions.allow(fast, name, "events.amazonaws.com", functions.rule_arn(name))
    fast.client("events").put_targets(Rule=name, Targets=[{"Id": "1", "Arn": arn}])
    fast.until(lambda: len(functions.recorded(fast, name)) >= 3)
    fast.client("events").disable_rule(Name=name)
    times = [event["time"] for event in functions.recorded(fast, name)]
    assert len(set(times)) >= 2


def test_it_listens_on_the_loopback_address_only(fast: Aws) -> None:
    port = int(fast.url.rsplit(":", 1)[1])
    listening = [
        line.split()[1]
        for table in ("/proc/net/tcp", "/proc/net/tcp6")
        for line in Path(table).read_text().splitlines()[1:]
        if line.split()[3] == "0A" and line.split()[1].endswith(f":{port:04X}")
    ]
    assert listening == [f"0100007F:{port:04X}"]


def test_a_second_server_knows_nothing_of_the_first(fast: Aws, tmp_path: Path) -> None:
    run(fast)
    process, other = our_server(tmp_path / "aws", "--speed", "0")
    try:
        assert other.client("ec2").describe_instances()["Reservations"] == []
        assert json.loads((tmp_path / "aws" / "aws.json").read_text())["url"] == other.url
    finally:
        stop(process)
    assert not (tmp_path / "aws" / "aws.json").exists()


def test_a_hook_in_python_is_called(tmp_path: Path) -> None:
    (tmp_path / "listener.py").write_text(
        "import json\n\ndef note(news):\n    with open(__file__ + '.log', 'a') as log:\n"
        "        log.write(json.dumps(news) + '\\n')\n"
    )
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from sandbox.aws.server import main; main()"
    command = [sys.executable, "-c", code, "--dir", str(tmp_path / "aws"), "--speed", "0"]
    process, line = started([*command, "--hook", "listener:note"], tmp_path / "log")
    try:
        aws = Aws(json.loads(line)["url"])
        instance = run(aws)
        aws.advance(10)
    finally:
        stop(process)
    noted: list[dict[str, Any]] = [json.loads(text) for text in (tmp_path / "listener.py.log").read_text().splitlines()]
    assert [(news["instance_id"], news["event"]) for news in noted] == [
        (instance, "pending"),
        (instance, "running"),
    ]


def test_it_ends_with_its_parent(tmp_path: Path) -> None:
    """The parent is killed, so that it cannot stop the server itself."""
    import_path = f"import sys; sys.path.insert(0, {str(ROOT)!r})"
    start = "from pathlib import Path; from tests.sandbox.aws.servers import our_server"
    code = f"{import_path}; {start}; process, aws = our_server(Path({str(tmp_path / 'aws')!r}))"
    parent, line = started(
        [sys.executable, "-c", f"{code}; print(process.pid, flush=True); process.wait()"], tmp_path / "log"
    )
    parent.kill()
    stop(parent)
    Aws("").until(lambda: not is_running(int(line)))


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_no_worker_outlives_the_server(tmp_path: Path, name: str, how: signal.Signals) -> None:
    process, aws = our_server(tmp_path / "aws", "--speed", "0")
    try:
        functions.deploy(aws, name, "import os\ndef handler(e, c):\n    return os.getpid()\n")
        worker = int(aws.client("lambda").invoke(FunctionName=name)["Payload"].read())
        os.kill(process.pid, how)
        process.wait(timeout=15)
    finally:
        stop(process)
    aws.until(lambda: not is_running(worker))


def is_running(pid: int) -> bool:
    """A process that has ended but is not yet collected (Z) does not count."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
