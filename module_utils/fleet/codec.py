"""JSON objects to frozen dataclasses and back, by their type hints; every refusal names the path.

Limits of a field stand in its hint (`Annotated[float, AtLeast(0)]`), so that the model is the schema.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields
from difflib import get_close_matches
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, NamedTuple, Self, Union, get_args, get_origin, get_type_hints

from .errors import InputError, Problem, refusal, shown

Decoder = Callable[[Any], Any]

# A petabyte in bytes. Nothing in a fleet is larger, and beyond it floats lose digits or overflow.
LARGEST_NUMBER = 1e15
# More names than this do not help a person who looks for one.
FEW_NAMES = 16
# Whoever has more than this to mend begins with these.
ENOUGH_PROBLEMS = 10

_decoders: dict[Any, Decoder] = {}
_encoded_fields: dict[type[Value], tuple[str, ...]] = {}


class AtLeast(NamedTuple):
    """Lower limit of a number, inclusive."""

    low: float


class Between(NamedTuple):
    """Both limits of a number, inclusive."""

    low: float
    high: float


class NonEmpty(NamedTuple):
    """Text with at least one character that is not a space."""


class Value:
    """Base of what crosses a border: `from_dict` checks everything, `to_dict` gives plain JSON types."""

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Any]]

    @classmethod
    def from_dict(cls, given: Any) -> Self:
        value: Self = _object_decoder(cls)(given)
        return value

    def check(self) -> None:
        """Raises InputError where the fields are each right, but not together."""

    def to_dict(self) -> dict[str, Any]:
        return {name: encode(getattr(self, name)) for name in _field_names(type(self))}


def encode(value: Any) -> Any:
    """Plain JSON types of any value of the model."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Value):
        return value.to_dict()
    if isinstance(value, tuple | list):
        return [encode(item) for item in value]
    if isinstance(value, dict):
        return {key: encode(item) for key, item in value.items()}
    return value


def decoder_for(hint: Any) -> Decoder:
    """The function that checks and converts one value of this type; made once for each type."""
    known = _decoders.get(hint)
    if known is None:
        known = _decoders[hint] = _make_decoder(hint)
    return known


def number_within(low: float, high: float, whole: bool = False) -> Decoder:
    """Checks a number against both limits; the limits stand in the refusal."""
    kind = "a whole number" if whole else "a number"
    if low == high:
        allowed = f"{low:g}"
    elif high < LARGEST_NUMBER:
        allowed = f"{kind} from {low:g} to {high:.12g}"
    else:
        allowed = f"{kind}, at least {low:g}" if low > -LARGEST_NUMBER else kind
    too_large = f"{kind}, at most {high:g}"

    def decode(given: Any) -> Any:
        # bool is an int in Python but not a number in JSON; NaN fails the comparison
        if type(given) is not int and (whole or type(given) is not float):
            raise refusal(given, allowed)
        if not low <= given <= high:
            raise refusal(given, too_large if given > high == LARGEST_NUMBER else allowed)
        return given

    return decode


def decode_text(given: Any) -> str:
    if not isinstance(given, str):
        raise refusal(given, "a text")
    return given


def _decode_name(given: Any) -> str:
    if not isinstance(given, str) or not given.strip():
        raise refusal(given, "a text that is not empty")
    return given


def _decode_truth(given: Any) -> bool:
    if not isinstance(given, bool):
        raise refusal(given, "true or false")
    return given


_SIMPLE: dict[Any, Decoder] = {
    str: decode_text,
    bool: _decode_truth,
    int: number_within(-LARGEST_NUMBER, LARGEST_NUMBER, whole=True),
    float: number_within(-LARGEST_NUMBER, LARGEST_NUMBER),
    Any: lambda given: given,
}


def _make_decoder(hint: Any) -> Decoder:
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in _SIMPLE:
        decoder = _SIMPLE[hint]
    elif origin is Annotated:
        decoder = _limited_decoder(arguments[0], arguments[1])
    elif origin in (Union, UnionType):
        decoder = _optional_decoder(next(kind for kind in arguments if kind is not NoneType))
    elif origin is tuple:
        decoder = _list_decoder(arguments[0])
    elif origin is dict:
        decoder = _mapping_decoder(arguments[1])
    elif issubclass(hint, Enum):
        decoder = _choice_decoder(hint)
    else:
        decoder = hint.from_dict if "from_dict" in vars(hint) else _object_decoder(hint)
    return decoder


def _limited_decoder(kind: Any, limit: Any) -> Decoder:
    if isinstance(limit, NonEmpty):
        return _decode_name
    high = limit.high if isinstance(limit, Between) else LARGEST_NUMBER
    return number_within(limit.low, high, whole=kind is int)


def _optional_decoder(kind: Any) -> Decoder:
    decode_given = decoder_for(kind)

    def decode(given: Any) -> Any:
        return None if given is None else decode_given(given)

    return decode


def _choice_decoder(kind: type[Enum]) -> Decoder:
    members = {member.value: member for member in kind}
    allowed = "one of " + ", ".join(members)

    def decode(given: Any) -> Any:
        # our words have underscores; AWS and Kubernetes write the same words with hyphens (on-demand)
        member = members.get(given.replace("-", "_")) if isinstance(given, str) else None
        if member is None:
            raise refusal(given, allowed)
        return member

    return decode


def _list_decoder(kind: Any) -> Decoder:
    decode_item = decoder_for(kind)

    def decode(given: Any) -> Any:
        if not isinstance(given, list | tuple):
            raise refusal(given, "a list")
        decoded: list[Any] = []
        problems: list[Problem] = []
        for index, item in enumerate(given):
            try:
                decoded.append(decode_item(item))
            except InputError as error:
                problems.extend(error.under(f"[{index}]").problems)
                if len(problems) >= ENOUGH_PROBLEMS:
                    break
        if problems:
            raise InputError(*problems[:ENOUGH_PROBLEMS])
        return tuple(decoded)

    return decode


def _mapping_decoder(kind: Any) -> Decoder:
    decode_item = decoder_for(kind)

    def decode(given: Any) -> Any:
        if not isinstance(given, dict):
            raise refusal(given, "an object")
        decoded: dict[str, Any] = {}
        problems: list[Problem] = []
        for key, item in given.items():
            try:
                decoded[_decode_name(key)] = decode_item(item)
            except InputError as error:
                problems.extend(error.under(str(key)).problems)
        if problems:
            raise InputError(*problems[:ENOUGH_PROBLEMS])
        return decoded

    return decode


def _object_decoder(kind: type[Value]) -> Decoder:
    known = _decoders.get((kind, "object"))
    if known is not None:
        return known
    hints = get_type_hints(kind, include_extras=True)
    plan = [
        (
            field.name,
            decoder_for(hints[field.name]),
            field.default is MISSING and field.default_factory is MISSING,
        )
        for field in fields(kind)
    ]
    names = frozenset(name for name, _, _ in plan)
    has_check = kind.check is not Value.check

    def decode(given: Any) -> Any:
        if not isinstance(given, dict):
            raise refusal(given, "an object")
        problems = [] if names.issuperset(given) else unknown_fields(given, names)
        decoded = {}
        for name, decode_field, required in plan:
            if name in given:
                try:
                    decoded[name] = decode_field(given[name])
                except InputError as error:
                    problems.extend(error.under(name).problems)
            elif required:
                problems.append(Problem(name, "missing", "given"))
        if problems:
            raise InputError(*problems)
        value = kind(**decoded)
        if has_check:
            value.check()
        return value

    _decoders[(kind, "object")] = decode
    return decode


def unknown_fields(given: dict[Any, Any], names: frozenset[str]) -> list[Problem]:
    """The fields that nobody knows, each with the nearest field that somebody does."""
    problems = []
    for name in sorted((name for name in given if name not in names), key=str)[:ENOUGH_PROBLEMS]:
        near = get_close_matches(str(name), names, n=1)
        few = f"; known are {', '.join(sorted(names))}" if len(names) <= FEW_NAMES else ""
        hint = f"; did you mean {near[0]}?" if near else few
        problems.append(Problem(str(name), f"{shown(given[name])}, an unknown field", f"left out{hint}"))
    return problems


def _field_names(kind: type[Value]) -> tuple[str, ...]:
    known = _encoded_fields.get(kind)
    if known is None:
        known = _encoded_fields[kind] = tuple(field.name for field in fields(kind))
    return known
