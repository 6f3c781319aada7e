"""What the engine raises. Doors catch `FleetError` once and show its text; nobody sees a traceback for bad input."""

from __future__ import annotations

from typing import Any, NamedTuple

SHOWN_VALUE_LENGTH = 60


class FleetError(Exception):
    """Base of every error whose text is meant for a person."""


class Problem(NamedTuple):
    """One thing that is wrong with an input: where it stands, what stands there, and what may stand there."""

    path: str
    value: str
    allowed: str

    def __str__(self) -> str:
        return f"{self.path or 'input'} is {self.value}: must be {self.allowed}"

    def under(self, parent: str) -> Problem:
        """The same problem, seen from one level further out."""
        if not self.path or self.path.startswith("["):
            return self._replace(path=f"{parent}{self.path}")
        return self._replace(path=f"{parent}.{self.path}")


class InputError(FleetError):
    """An input that cannot be used; lists every problem that was found before it was refused."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__("; ".join(str(problem) for problem in problems))
        self.problems = problems

    def under(self, parent: str) -> InputError:
        return InputError(*(problem.under(parent) for problem in self.problems))


def refusal(value: Any, allowed: str, path: str = "") -> InputError:
    """The error for one refused value, with the value shown short enough for one line."""
    return InputError(Problem(path, shown(value), allowed))


def shown(value: Any) -> str:
    """A value as a person would write it in JSON, cut to one line's length."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, int) and value.bit_length() > SHOWN_VALUE_LENGTH * 3:
        return "a number of absurd length"  # repr() of such a number is slow or refused by Python itself
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    text = repr(value)
    return text if len(text) <= SHOWN_VALUE_LENGTH else text[: SHOWN_VALUE_LENGTH - 1] + "…"
