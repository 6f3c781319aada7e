"""`python -m fleet.decide`: one observation a line in, one decision a line out, each written at once.

A line that cannot be used is answered by one error line in its place; the exit code is then 2.
"""

from __future__ import annotations

import json
import sys
from typing import Any, BinaryIO, TextIO

from ..errors import InputError, Problem
from ..observation import Observation
from .engine import decide

BAD_INPUT = 2


def main(lines: BinaryIO, out: TextIO) -> int:
    """Answers every line that is not empty; returns the exit code."""
    code = 0
    for line in lines:
        if line.strip():
            answer, is_error = _answer(line)
            code = BAD_INPUT if is_error else code
            out.write(json.dumps(answer, allow_nan=False) + "\n")
            out.flush()
    return code


def _answer(line: bytes) -> tuple[dict[str, Any], bool]:
    try:
        return decide(Observation.from_dict(_parsed(line))).to_dict(), False
    except InputError as error:
        problems = [{"path": each.path, "value": each.value, "allowed": each.allowed} for each in error.problems]
        return {"schema": 1, "error": str(error), "problems": problems}, True


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line.decode(), object_pairs_hook=_unambiguous)
    except UnicodeDecodeError:
        raise _not_json("not UTF-8") from None
    except RecursionError:
        raise _not_json("nested too deeply") from None
    except json.JSONDecodeError as error:
        raise _not_json(f"{error.msg} at character {error.pos + 1}") from None
    except ValueError:
        raise _not_json("a number is too long") from None


def _unambiguous(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """JSON allows a name to stand twice and lets the last one win; here that could hide an open operation."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for place, (name, _) in enumerate(pairs) if name in dict(pairs[:place]))
        raise InputError(Problem(twice, "given twice in one object", "given once"))
    return found


def _not_json(why: str) -> InputError:
    return InputError(Problem("", f"not JSON ({why})", "one JSON object on one line"))


if __name__ == "__main__":
    try:
        sys.exit(main(sys.stdin.buffer, sys.stdout))
    except (BrokenPipeError, KeyboardInterrupt):
        sys.stderr.close()  # whoever read us is gone, or wants us gone: nothing is left to say
        sys.exit(1)
