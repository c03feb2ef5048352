"""Text that a name or a picture may hold, arguments as options, shares in print, strict JSON."""

from __future__ import annotations

import ast
import json
import math
import re
import shlex
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import Any

MISSING_MARKS = (
    *("", "NA", "N/A", "NaN", "nan", "n/a", "null", "NULL", "None", "?", "#N/A", "-nan"),
    *(".", "<NA>", "#NA"),
)
"""Text cells that mean that a value is missing, in features, labels and groups of every table.

An identifier keeps its letters: NA may be a name.
"""

_MOST_NAMED = 8  # columns in an error
_ROUNDING = 1e-9  # distance from 1 that is only an error of floating-point sums

_WHOLE = re.compile(r"([+-]?\d+)\.0*")
_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_ARGUMENT = re.compile(r"`([a-z_]+)(?:=([^`]*))?`")
_ASIDE = re.compile(r" \([^()]*`[a-z_]+(?:=[^`]*)?`[^()]*\)")
_SENTENCE_END = re.compile(r"(?<=[.?!]) (?=[A-Z])")
_OPTIONS = {
    "identifier": "--id",
    "methods": "--method",
    "n_resamples": "--resamples",
    "n_workers": "--workers",
    "on_bad": "--skip-bad-lines",
    "random_state": "--seed",
}
"""Options whose name is not that of the argument."""

_TIMES = {
    2.0: "two",
    3.0: "three",
    4.0: "four",
    5.0: "five",
    6.0: "six",
    7.0: "seven",
    8.0: "eight",
    9.0: "nine",
    10.0: "ten",
}


def argument(name: str, value: Any = None) -> str:
    """An argument of a function as errors and warnings name it: `drop=['weight']`.

    Parameters
    ----------
    name : of the argument
    value : what to pass; by default the argument is only named: `drop`
    """
    return f"`{name}`" if value is None else f"`{name}={value!r}`"


def as_options(text: str) -> str:
    """Return an error or a warning as the command line says it.

    Each argument of a function becomes an option: `drop=['weight']` becomes --drop weight.

    Parameters
    ----------
    text : of which everything else stays as it is

    Examples
    --------
    >>> from onesided.exceptions import as_options
    >>> as_options("If the column gives the labels away, drop it: `drop=['weight']`.")
    'If the column gives the labels away, drop it: --drop weight.'
    """
    return _ARGUMENT.sub(_as_option, text)


def without_options(text: str) -> str:
    """Return an error or a warning as a page says it: without the parts that name an argument.

    A part in parentheses, a part after a semicolon, or a whole sentence is left out. If nothing
    else is left, the text is as the command line says it.

    Parameters
    ----------
    text : in which arguments are named as `argument` names them
    """
    kept = _ASIDE.sub("", text)
    sentences = (_without_clauses(each) for each in _SENTENCE_END.split(kept))
    return " ".join(filter(None, sentences)) or as_options(text)


def _without_clauses(sentence: str) -> str:
    clauses = sentence.split("; ")
    kept = [each for each in clauses if not _ARGUMENT.search(each)]
    if len(kept) == len(clauses):
        return sentence
    text = "; ".join(kept)
    return text + "." if text and sentence.endswith(".") and not text.endswith(".") else text


def options_in(text: str) -> list[tuple[str, str]]:
    """The options that an error or a warning says to pass, each with the text that leads to it.

    Parameters
    ----------
    text : as for `without_options`; an argument that has no value in it is left out
    """
    found = (each for each in _ARGUMENT.finditer(text) if each[2] is not None)
    return [(as_options(text[: each.start()]).rstrip(" :(,;"), _as_option(each)) for each in found]


def as_option(name: str, value: Any) -> str:
    """An argument as an option of the command line, as a person would type it: --drop weight.

    Parameters
    ----------
    name, value : of the argument; of a list each value has an option of its own

    Examples
    --------
    >>> from onesided.exceptions import as_option
    >>> as_option("random_state", 7), as_option("drop", ["size", "body mass"])
    ('--seed 7', "--drop size --drop 'body mass'")
    """
    option = _OPTIONS.get(name, f"--{name.replace('_', '-')}")
    if value is True:
        return option
    if isinstance(value, dict):
        value = [f"{key}={each}" for key, each in value.items()]
    values = value if isinstance(value, (list, tuple)) else [value]
    plain = (as_text(each) if isinstance(each, float) else str(each) for each in values)
    return " ".join(f"{option} {shlex.quote(each)}" for each in plain)


def _as_option(found: re.Match[str]) -> str:
    name, literal = found.groups()
    if literal is None:
        return as_option(name, value=True)
    try:
        return as_option(name, ast.literal_eval(literal))
    except (ValueError, SyntaxError):  # somebody else's backticks
        return found[0]


def options_of(command: str) -> set[str]:
    """The names of the options in a command line: {"--top", "--id"}."""
    words = (word.partition("=")[0] for word in shlex.split(command))
    return {word for word in words if word.startswith("--")}


def command_without(command: str, options: Collection[str]) -> str:
    """Return a command line without some options and their values, `--top 5` or `--top=5`.

    Parameters
    ----------
    command : a command line
    options : names of options that take a value, with their dashes

    Examples
    --------
    >>> from onesided.exceptions import command_without
    >>> command_without("onesided rank t.csv --top 5 --id 'my name' --seed=3", {"--top", "--seed"})
    "onesided rank t.csv --id 'my name'"
    """
    words = shlex.split(command)
    kept = [
        word
        for before, word in zip(["", *words], words, strict=False)
        if before not in options and word.partition("=")[0] not in options
    ]
    return shlex.join(kept)


def first_line(error: BaseException) -> str:
    """First line of an error's message, without the final stop."""
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0].rstrip(".")


def is_missing(value: object) -> bool:
    """Whether a value is None, NaN, NaT or pandas.NA."""
    try:
        return value is None or bool(value != value)  # noqa: PLR0124 - NaN differs from itself
    except TypeError:  # pandas.NA, which does not say whether it differs
        return True


def as_text(cell: object) -> str:
    """A cell as it is compared: 7, 7.0 and " 7" are "7", True is "true", a missing one is "".

    An accent is a part of its letter, as in names of columns.
    """
    if is_missing(cell):
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    text = str(cell).strip()
    text = text if text.isascii() else unicodedata.normalize("NFC", text)
    whole = _WHOLE.fullmatch(text)
    return whole[1] if whole else text


def printable(text: str) -> str:
    """`text` with a replacement for each character that no XML may hold, control characters."""
    return _NOT_XML.sub("\ufffd", text)


def as_percent(share: float) -> str:
    """A share to three figures, or more near 1: .955 as 95.5%, .0012 as 0.12%, .99996 as 99.996%.

    Unless it is within 1e-14 of 0 or 1, a share is not printed as 0% or 100%. The page has the same
    rule in `candidates.js`.
    """
    figures, left = 3, 1 - share
    if share > 0.99:  # noqa: PLR2004 - where three figures would say 100
        is_close = left > _ROUNDING
        figures = max(4, 2 + math.ceil(-math.log10(100 * left))) if is_close else 4
    rounded = float(f"{100 * share:.{figures}g}")
    return f"{rounded:.12f}".rstrip("0").rstrip(".") + "%"


def first_repeated(names: Iterable[Any]) -> Any:
    """The first name that stands twice; None if no name does."""
    seen: set[Any] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def capitalized(text: str) -> str:
    """The text with a capital first letter; all other letters stay, so that USA stays USA."""
    return text[:1].upper() + text[1:]


def counted(number: float, noun: str) -> str:
    """A number with its noun, which gets an s unless the number is 1: 1 row, 1,200 rows."""
    shown = f"{number:,}" if isinstance(number, Integral) else f"{number:,.10g}"  # sums of weights
    return f"{shown} {noun}{'s' * bool(number != 1)}"


def counted_of(part: int, whole: int, noun: str, verb: str = "are") -> str:
    """A part of a number with its noun and a verb that agrees: 1 of 48 rows is, 0 of 1 row is.

    Parameters
    ----------
    part, whole : numbers, the part of the whole
    noun : in the singular
    verb : as for `agreeing`
    """
    return f"{part:,} of {counted(whole, noun)} {agreeing(1 if whole == 1 else part, verb)}"


def agreeing(number: int, verb: str = "are") -> str:
    """A verb of the third person, in the singular if the number is 1: is, was, has or waits."""
    if number != 1:
        return verb
    return {"are": "is", "were": "was", "have": "has", "do": "does"}.get(verb, f"{verb}s")


def as_times(factor: float) -> str:
    """A factor as people say it: 3 as threefold, 2.43 as 2.4-fold, 321 as 320-fold."""
    rounded = float(f"{factor:.2g}")
    name = _TIMES.get(rounded)
    return f"{name}fold" if name else f"{rounded:,.10g}-fold"


def as_json(value: Mapping[str, Any]) -> str:
    """Write JSON that every reader takes: NaN and infinite numbers become null.

    Parameters
    ----------
    value : of plain values, paths, and arrays and numbers of numpy

    Examples
    --------
    >>> import numpy as np
    >>> from onesided.tables import as_json
    >>> as_json({"auc": np.float64(0.75), "interval": [float("nan"), 1.0]})
    '{"auc": 0.75, "interval": [null, 1.0]}'
    """
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError):  # it holds other values than those of JSON
        return json.dumps(_finite(value), ensure_ascii=False, allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _finite(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Path):
        return str(value)
    if hasattr(value, "tolist"):  # of numpy
        return _finite(value.tolist())
    return value


def no_such_column(name: str, known: Sequence[str], where: str = "") -> tuple[str, str]:
    """The problem and the mend of an error if a table has no column of a name.

    Parameters
    ----------
    name : of the column; the nearest known name may differ in its letters and in their case
    known : names of the columns
    where : names of the files in quotes, if several files are read
    """
    from difflib import get_close_matches  # noqa: PLC0415 - only an error pays for it

    by_case = {other.lower(): other for other in reversed(known)}
    near = get_close_matches(name.lower(), by_case, n=1)
    end = ", ..." if len(known) > _MOST_NAMED else "."
    columns = f"The columns are {', '.join(known[:_MOST_NAMED])}{end}"
    mend = f"Did you mean {by_case[near[0]]!r}?" if near else columns
    return f"There is no column {name!r}{f' in {where}' * bool(where)}.", mend


def kind_of_value(value: Any) -> str:
    """What an error calls a value of the wrong kind: a number or text as it is, or its type."""
    if value is None or isinstance(value, str | Real):
        return f"{value!r:.60}"
    return with_article(type(value).__name__)


def with_article(noun: str) -> str:
    """A noun with "a" or "an" before it."""
    return f"{'an' if noun[0] in 'aeiouAEIOU' else 'a'} {noun}"
