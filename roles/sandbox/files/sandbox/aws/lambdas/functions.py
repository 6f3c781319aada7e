"""Runs functions: environments kept warm, concurrency counted, asynchronous events retried as Lambda does."""

from __future__ import annotations

import threading
import time
import uuid
from typing import Any

from moto.awslambda.models import LambdaFunction

from sandbox.aws.cloud import Cloud
from sandbox.aws.lambdas import package, reports
from sandbox.aws.lambdas.worker import Outcome, Shape, Worker
from sandbox.aws.refusals import Refusal

ACCOUNT_CONCURRENCY = 10  # what a new account has
RETRY_AFTER = (60.0, 120.0)  # cloud seconds before the second and the third try of an asynchronous event
THROTTLED_RETRY = 30.0
EVENT_AGE = 6 * 3600.0
KEPT_WARM = 900.0  # cloud seconds that an idle environment is kept


class Functions:
    def __init__(self, cloud: Cloud) -> None:
        self.cloud = cloud
        self._runtime = package.runtime_path(cloud.directory)
        self._lock = threading.Lock()
        self._idle: dict[str, list[Worker]] = {}
        self._busy: dict[str, list[Worker]] = {}

    def invoke(self, function: LambdaFunction, event: bytes) -> tuple[Outcome, str]:
        """Runs it now and returns what came of it and the tail of its log; raises a Refusal if throttled."""
        skew = self.cloud.faults.first("clock_skew", function=function.function_name)
        shape = _shape(function, float(skew.where["seconds"]) if skew else 0.0)
        request_id = str(uuid.uuid4())
        worker = self._acquire(function, shape)
        began = int(time.time() * 1000)
        kill = self.cloud.faults.first("lambda_kill", function=shape.name)
        if kill:
            self.cloud.faults.use(kill)
        try:
            outcome = worker.run(request_id, event, kill.where.get("after_seconds", 0.0) if kill else None)
        finally:
            self._release(function, worker)
        lines = reports.log_lines(shape, request_id, began, outcome)
        reports.write_log(function.account_id, function.region, shape.name, worker.log_stream, lines)
        reports.count(
            function.account_id,
            function.region,
            shape.name,
            Invocations=1.0,
            Errors=1.0 if outcome.error_type else 0.0,
            Duration=outcome.milliseconds,
        )
        return outcome, "".join(text if text.endswith("\n") else text + "\n" for _, text in lines)

    def send(self, function: LambdaFunction, event: bytes) -> None:
        """Asynchronously: the caller is not told how it went; a failure is tried again, twice by default."""
        self.cloud.agenda.soon(lambda: self._try(function, event, 1, self.cloud.clock.now()))

    def forget(self, arn: str) -> None:
        """The function is deleted: its idle environments go at once, a busy one when it is done."""
        with self._lock:
            idle = self._idle.pop(arn, [])
        for worker in idle:
            worker.stop()

    def stop(self) -> None:
        with self._lock:
            workers = [worker for room in (self._idle, self._busy) for few in room.values() for worker in few]
            self._idle.clear()
            self._busy.clear()
        for worker in workers:
            worker.stop()

    def _try(self, function: LambdaFunction, event: bytes, attempt: int, since: float) -> None:
        def again(seconds: float, next_attempt: int) -> None:
            self.cloud.agenda.after(seconds, lambda: self._try(function, event, next_attempt, since))

        try:
            outcome, _ = self.invoke(function, event)
        except Refusal:
            if self.cloud.clock.now() - since < EVENT_AGE:
                again(THROTTLED_RETRY, attempt)
            return
        if outcome.error_type and attempt <= _retries(function):
            again(RETRY_AFTER[attempt - 1], attempt + 1)

    def _acquire(self, function: LambdaFunction, shape: Shape) -> Worker:
        arn = function.function_arn
        with self._lock:
            busy = self._busy.setdefault(arn, [])
            _refuse_if_throttled(function, len(busy), sum(len(few) for few in self._busy.values()))
            idle = self._idle.setdefault(arn, [])
            outdated = [worker for worker in idle if worker.shape != shape or not worker.is_alive]
            fit = [worker for worker in idle if worker not in outdated]
            worker = fit.pop() if fit else self._new_worker(function, shape)
            self._idle[arn] = fit
            busy.append(worker)
        for old in outdated:
            old.stop()
        return worker

    def _release(self, function: LambdaFunction, worker: Worker) -> None:
        with self._lock:
            busy = self._busy.get(function.function_arn, [])
            if worker in busy:
                busy.remove(worker)
                if worker.is_alive:
                    self._idle.setdefault(function.function_arn, []).append(worker)
                    runs = worker.runs
                    self.cloud.agenda.after(KEPT_WARM, lambda: self._let_cool(worker, runs))

    def _let_cool(self, worker: Worker, runs: int) -> None:
        with self._lock:
            idle = self._idle.get(worker.shape.arn, [])
            if worker not in idle or worker.runs != runs:
                return
            idle.remove(worker)
        worker.stop()

    def _new_worker(self, function: LambdaFunction, shape: Shape) -> Worker:
        task = package.unpacked(function.code_bytes, f"{shape.name}-{shape.digest}", self.cloud.directory)
        key = f"ASIA{uuid.uuid4().hex[:16].upper()}"  # tells the function's own calls from others'
        self.cloud.role_of_key[key] = str(function.role)
        return Worker(shape, task, self._runtime, _environment(function, shape, self.cloud.url, key))


def _refuse_if_throttled(function: LambdaFunction, busy: int, busy_in_account: int) -> None:
    reserved: Any = function.reserved_concurrency
    is_reserved = reserved is not None
    limit, current = (int(reserved), busy) if is_reserved else (ACCOUNT_CONCURRENCY, busy_in_account)
    if current < limit:
        return
    reports.count(function.account_id, function.region, function.function_name, Throttles=1.0)
    reason = "ReservedFunctionConcurrentInvocationLimitExceeded" if is_reserved else "ConcurrentInvocationLimitExceeded"
    raise Refusal("TooManyRequestsException", "Rate Exceeded.", 429, Reason=reason, retryAfterSeconds="1")


def _retries(function: LambdaFunction) -> int:
    for config in function.event_invoke_config:
        if "MaximumRetryAttempts" in config.config:
            return min(int(config.config["MaximumRetryAttempts"]), len(RETRY_AFTER))
    return len(RETRY_AFTER)


def _shape(function: LambdaFunction, clock_skew: float) -> Shape:
    return Shape(
        name=function.function_name,
        version=str(function.version),
        arn=function.function_arn,
        handler=str(function.handler),
        digest=function.code_sha_256,
        memory=int(function.memory_size),
        timeout=int(function.timeout),
        environment=tuple(sorted((function.environment_vars or {}).items())),
        clock_skew=clock_skew,
    )


def _environment(function: LambdaFunction, shape: Shape, url: str, key: str) -> dict[str, str]:
    """Lambda's variables, then the function's own. Nothing of the sandbox's environment leaks in."""
    fixed: dict[str, Any] = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "LANG": "en_US.UTF-8",
        "TZ": ":UTC",
        "PYTHONDONTWRITEBYTECODE": "1",  # /var/task is read-only on AWS: what is not compiled stays so
        "_HANDLER": shape.handler,
        "AWS_EXECUTION_ENV": f"AWS_Lambda_{function.run_time}",
        "AWS_LAMBDA_FUNCTION_NAME": shape.name,
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": shape.memory,
        "AWS_LAMBDA_FUNCTION_VERSION": shape.version,
        "AWS_LAMBDA_LOG_GROUP_NAME": f"/aws/lambda/{shape.name}",
        "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
        "AWS_REGION": function.region,
        "AWS_DEFAULT_REGION": function.region,
        "AWS_ACCESS_KEY_ID": key,
        "AWS_SECRET_ACCESS_KEY": "sandbox",
        "AWS_SESSION_TOKEN": "sandbox",
        "AWS_ENDPOINT_URL": url,
    }
    return {name: str(value) for name, value in {**fixed, **(function.environment_vars or {})}.items()}
