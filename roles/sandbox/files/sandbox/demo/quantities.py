"""Kubernetes' quantities as numbers: 250m, 1.5, 128Mi, 2G."""

from __future__ import annotations

_SUFFIXES = {
    "m": 1e-3,
    "k": 1e3,
    "M": 1e6,
    "G": 1e9,
    "T": 1e12,
    "Ki": 2.0**10,
    "Mi": 2.0**20,
    "Gi": 2.0**30,
    "Ti": 2.0**40,
}


def quantity(text: str | int | float) -> float:
    """Cores or bytes; ValueError where it is neither a number nor one with a known suffix."""
    if isinstance(text, int | float):
        return float(text)
    digits = text.rstrip("KMGTikm")
    suffix = text[len(digits) :]
    if suffix and suffix not in _SUFFIXES:
        raise ValueError(f"{text!r} is not a quantity")
    return float(digits) * _SUFFIXES.get(suffix, 1.0)
