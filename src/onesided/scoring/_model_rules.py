"""Rules for the fields of a part of a model: which type, shape and range a value may have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

Sizes: TypeAlias = dict[str, int]
"""Sizes by the letters that rules use for them; the first field with a letter sets its size."""
Rule: TypeAlias = Callable[[Any, Sizes], bool]
"""Whether a value is allowed; fields are checked in the order of their rules."""


def derived(_: Any, __: Sizes) -> bool:
    """Allow any value: the field is computed from other fields, and is neither written nor read."""
    return True


def one_of(*values: Any) -> Rule:
    """Allow one of these values, of the same type."""
    return lambda value, _: any(_is_same(value, each) for each in values)


def optional(rule: Rule) -> Rule:
    """Allow None, and what a rule allows."""
    return either(one_of(None), rule)


def either(*rules: Rule) -> Rule:
    """Allow what at least one of the rules allows."""
    return lambda value, sizes: any(rule(value, sizes) for rule in rules)


def flag(value: Any, _: Sizes) -> bool:
    """Allow True or False."""
    return isinstance(value, bool | np.bool)


def text(value: Any, _: Sizes) -> bool:
    """Allow any text; nothing interprets the text."""
    return type(value) is str


def plain(value: Any, _: Sizes) -> bool:
    """Allow a number, text, True, False or None; a learner checks its parameters itself."""
    return value is None or isinstance(value, str | int | float)


def whole(low: int = 0, below: int | str = 1 << 53) -> Rule:
    """Allow whole numbers from `low` on that are below a number or a size."""

    def holds(value: Any, sizes: Sizes) -> bool:
        is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        return is_whole and low <= value < _size(below, sizes)

    return holds


def real(low: float = -np.inf, high: float = np.inf) -> Rule:
    """Allow finite numbers in a closed range."""

    def holds(value: Any, _: Sizes) -> bool:
        is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        return is_number and bool(np.isfinite(value)) and low <= value <= high

    return holds


def array(
    *shape: int | str | None,
    of: str = "f",
    low: float = -np.inf,
    below: float | str = np.inf,
    gaps: bool = False,
    rising: bool = False,
) -> Rule:
    """Allow numpy arrays of a shape, a type and a range.

    Parameters
    ----------
    shape : size of each axis: a number; a letter, if other fields have the same size; or None for
        any size
    of : allowed kinds of type, as in numpy's `dtype.kind`: "f" is float64, and "O" may hold only
        plain values
    low, below : all numbers must be finite, at least `low`, and below a number or a size
    gaps : whether NaN is allowed
    rising : whether each number must exceed the number before it
    """

    def holds(value: Any, sizes: Sizes) -> bool:
        if not (isinstance(value, np.ndarray) and value.dtype.kind in of and value.dtype.isnative):
            return False
        if value.dtype.kind == "f" and value.dtype != np.float64:
            return False
        if value.ndim != len(shape) or not all(
            sizes.setdefault(size, found) == found
            if isinstance(size, str)
            else size in (None, found)
            for size, found in zip(shape, value.shape, strict=True)
        ):
            return False
        if value.dtype.kind in "UO":
            return all(plain(each, sizes) for each in value.ravel().tolist())
        known = value[~np.isnan(value)] if gaps else value
        return bool(
            np.isfinite(known).all()
            and (known >= low).all()
            and (known < _size(below, sizes)).all()
            and (not rising or (value[1:] > value[:-1]).all())
        )

    return holds


def each(rule: Rule, size: str | None = None) -> Rule:
    """Allow lists of values that a rule allows; a letter `size` is the length of the list."""

    def holds(value: Any, sizes: Sizes) -> bool:
        if not isinstance(value, list):
            return False
        if size is not None and sizes.setdefault(size, len(value)) != len(value):
            return False
        return all(rule(each, sizes) for each in value)

    return holds


def row(*rules: Rule) -> Rule:
    """Allow tuples, with a rule for each place."""
    return lambda value, sizes: (
        isinstance(value, tuple)
        and len(value) == len(rules)
        and all(rule(each, sizes) for rule, each in zip(rules, value, strict=True))
    )


def by_key(key: Rule, rule: Rule) -> Rule:
    """Allow dictionaries, with a rule for the keys and a rule for the values."""
    return lambda value, sizes: (
        isinstance(value, dict)
        and all(key(name, sizes) and rule(each, sizes) for name, each in value.items())
    )


def span(value: Any, _: Sizes) -> bool:
    """Allow slices without a step that do not end before they start."""
    return (
        isinstance(value, slice)
        and value.step is None
        and all(type(end) is int for end in (value.start, value.stop))
        and 0 <= value.start <= value.stop
    )


def follows(rules: Mapping[str, Rule], fields: Mapping[str, Any], sizes: Sizes) -> str:
    """Name of the first field that has no rule or breaks its rule; empty if all are allowed."""
    if unknown := next((name for name in fields if name not in rules), ""):
        return unknown
    return next(
        (name for name, rule in rules.items() if name in fields and not rule(fields[name], sizes)),
        "",
    )


def _size(given: float | str, sizes: Sizes) -> float:
    return sizes.get(given, -1) if isinstance(given, str) else given


def _is_same(value: Any, other: Any) -> bool:
    """Whether two values have the same type and are equal; NaN equals NaN."""
    if type(value) is not type(other):
        return False
    if isinstance(value, tuple):
        return len(value) == len(other) and all(map(_is_same, value, other))
    return bool(value == other or (value != value and other != other))  # noqa: PLR0124 - NaN
