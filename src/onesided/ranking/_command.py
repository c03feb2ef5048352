"""The command line that makes a ranking, or the call in Python where a data frame was ranked."""

import shlex
from os import PathLike
from typing import Any

from onesided._text import as_option

_CONFIDENCE = 0.95
_ORDER = (
    "positive",
    "positive_table",
    "identifier",
    "top",
    "group",
    "drop",
    "categorical",
    "text",
    "methods",
    "class_prior",
    "resamples",
    "confidence",
    "prior_at_least",
    "irreducible",
    "known_negative",
    "known_negative_table",
    "scenario",
    "delimiter",
    "random_state",
)
"""Of the arguments; the shares that are promised stand before their confidence."""


def command_of(table: Any, **arguments: Any) -> str:
    """The command that makes the same ranking.

    Parameters
    ----------
    table : path, as it was given, or a data frame
    arguments : of `rank_table`; those that say nothing else than the default are left out
    """
    given = {
        name: _plain(arguments[name])
        for name in sorted(arguments, key=_place)
        if arguments[name] and not (name == "confidence" and arguments[name] == _CONFIDENCE)
    }
    if not isinstance(table, str | PathLike):
        passed = ["table", *(f"{name}={value!r}" for name, value in given.items())]
        return f"onesided.rank_table({', '.join(passed)})"
    options = (as_option(name, value) for name, value in given.items())
    return " ".join(["onesided rank", shlex.quote(str(table)), *options])


def _place(name: str) -> int:
    return _ORDER.index(name if name in _ORDER else "confidence")


def _plain(value: Any) -> Any:
    """A value as a person would write it."""
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return str(value) if isinstance(value, PathLike) else value
