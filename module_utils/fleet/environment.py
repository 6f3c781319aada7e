"""Text of an environment variable to the plain value that a policy field takes. Limits are checked afterwards."""

from __future__ import annotations

import json
from types import NoneType
from typing import Annotated, Any, get_args, get_origin

from .errors import refusal

TRUE_WORDS = frozenset({"true", "yes", "on", "1"})
FALSE_WORDS = frozenset({"false", "no", "off", "0"})
OFF_WORDS = frozenset({"off", "none", "null"})


def read_text(text: str, hint: Any) -> Any:
    """The value that `text` stands for in a field of this type."""
    kind, may_be_off = _plain_kind(hint)
    if may_be_off and text.lower() in OFF_WORDS:
        return None
    if kind is bool:
        return _truth(text)
    if kind in (int, float):
        return _number(text, kind)
    if get_origin(kind) in (dict, tuple):
        return _listing(text, kind)
    return text


def _plain_kind(hint: Any) -> tuple[Any, bool]:
    """The type without its limits, and whether the field may be null."""
    options = get_args(hint) if get_origin(hint) is not Annotated else ()
    may_be_off = NoneType in options and get_origin(hint) not in (dict, tuple)
    if may_be_off:
        hint = next(option for option in options if option is not NoneType)
    return (get_args(hint)[0] if get_origin(hint) is Annotated else hint), may_be_off


def _truth(text: str) -> bool:
    if text.lower() not in TRUE_WORDS | FALSE_WORDS:
        raise refusal(text, "true or false")
    return text.lower() in TRUE_WORDS


def _number(text: str, kind: type) -> int | float:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        if kind is float:
            return float(text)
    except ValueError:
        pass
    raise refusal(text, "a whole number" if kind is int else "a number")


def _listing(text: str, kind: Any) -> Any:
    """JSON where it looks like JSON; else names with commas between them."""
    if text.startswith(("[", "{")):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise refusal(text, "JSON") from None
    if get_origin(kind) is dict:
        raise refusal(text, "a JSON object")
    return [name.strip() for name in text.split(",")]
