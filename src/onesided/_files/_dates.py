"""Dates as days since 1970-01-01, from the types of files and from text in many notations."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from onesided._files._arrow import np, pa
from onesided._files._names import as_strings, plain_column

if TYPE_CHECKING:
    from collections.abc import Iterable

    from onesided._typing import Bools, Floats

Order: TypeAlias = Literal["day", "month"]
"""Which of day and month comes first in 03/04/2024."""

_SECONDS = 86_400.0  # of a day
_BY_UNIT = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}  # units in a second
_LEAP = 61  # seconds, which no minute has; one with a leap second has 60
_LARGEST = 1e8  # days; numpy has dates up to there
_PIVOT = 69  # 69 is 1969 and 68 is 2068, as in POSIX
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
YEAR = r"[12]\d{3}|0001|9999"  # the last two stand for an open or no date
MONTH_NAME = (
    r"jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?"
    r"|oct(ober)?|nov(ember)?|dec(ember)?"
)
_NAME = rf"(?P<name>{MONTH_NAME})\.?"
_YEAR = rf"(?P<year>{YEAR})"
_NTH, _WEEKDAY = r"(?P<day>\d{1,2})(st|nd|rd|th)?", r"((mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,? +)?"
_CLOCK = (
    r"([ t,]+(?P<hour>\d{1,2})[:.](?P<minute>\d{2})([:.](?P<second>\d{2}([.,]\d+)?))?"
    r"( ?(?P<half>[ap])\.?m\.?)?( ?(?P<zone>z|gmt|utc|[+-]\d{2}:?\d{2})( ?\([a-z]+\))?)?)?"
)
_FORMS = tuple(
    re.compile(rf"\s*{form}{_CLOCK}\s*", re.IGNORECASE)
    for form in (
        rf"{_YEAR}[-./](?P<month>\d{{1,2}})[-./](?P<day>\d{{1,2}})",
        rf"(?P<first>\d{{1,2}})[-./](?P<second_of>\d{{1,2}})[-./]{_YEAR}",
        r"(?P<first>\d\d)[./](?P<second_of>\d\d)[./](?P<year>\d{2})",
        rf"{_WEEKDAY}{_NTH}[- .]+{_NAME}[- ,]+(?P<year>{YEAR}|\d{{2}})",
        rf"{_WEEKDAY}{_NAME} +{_NTH},? +{_YEAR}",
    )
)


@dataclass(frozen=True)
class Dates:
    """The dates of a column.

    Attributes
    ----------
    days : shape (n_rows,), days since 1970-01-01 with the time of day as a fraction; in UTC if the
        cell names a time zone; NaN for a cell that is missing or not a date
    order : what comes first in 03/04/2024; None if no cell has this form
    is_certain : whether the user or some cell, such as 25/04/2024, determines the order
    odd : place of the first cell that is neither missing nor a date; None if there is no such cell
    open : place of the first cell such as 03/04/2024 if nothing determines the order; else None
    """

    days: Floats
    order: Order | None = None
    is_certain: bool = True
    odd: int | None = None
    open: int | None = None


def are_dates(kind: pa.DataType) -> bool:
    """Whether a type of Arrow has dates, with or without a time of day."""
    return bool(pa.types.is_date(kind) or pa.types.is_timestamp(kind))


def read_dates(column: Any, order: Order | None = None) -> Dates:
    """Read a column of dates or of text.

    Parameters
    ----------
    column : of Arrow, of dates, timestamps or text
    order : what comes first in 03/04/2024; by default the order that the cells show, or else the
        day
    """
    cells = plain_column(column)
    if are_dates(cells.type):
        is_day = pa.types.is_date32(cells.type)
        counts = cells.cast(pa.int32() if is_day else pa.int64())  # no unit overflows
        numbers = counts.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        unit = "ms" if pa.types.is_date64(cells.type) else getattr(cells.type, "unit", "s")
        return Dates(numbers / (1.0 if is_day else _SECONDS * _BY_UNIT[unit]))
    coded = cells.dictionary_encode()
    coded = coded.combine_chunks() if isinstance(coded, pa.ChunkedArray) else coded
    texts = coded.dictionary.to_pylist()
    found = [_match(text) for text in texts]
    told = _order_of(found)
    days = np.array([_days_of(match, order or told or "day") for match in found], dtype=np.float64)
    places = coded.indices.fill_null(len(texts)).to_numpy(zero_copy_only=False)
    odd = np.append(np.isnan(days), False)[places]
    has_order = np.array([*(m is not None and "first" in m for m in found), False])[places]
    is_certain = told is not None or order is not None
    return Dates(
        np.append(days, np.nan)[places],
        (order or told or "day") if has_order.any() else None,
        is_certain,
        odd=_first(odd),
        open=None if is_certain else _first(has_order),
    )


def _first(which: Bools) -> int | None:
    return int(np.argmax(which)) if which.any() else None


def _match(text: str) -> dict[str, str] | None:
    """The parts of a date; None if the text is not a date."""
    for form in _FORMS:
        if match := form.fullmatch(text):
            return {name: part for name, part in match.groupdict().items() if part}
    return None


def _order_of(found: Iterable[dict[str, str] | None]) -> Order | None:
    """The order of day and month that a number above 12 shows; None if there is none above 12."""
    for each in found:
        if each and "first" in each:
            if int(each["first"]) > 12:  # noqa: PLR2004 - months
                return "day"
            if int(each["second_of"]) > 12:  # noqa: PLR2004 - months
                return "month"
    return None


def _days_of(match: dict[str, str] | None, order: Order) -> float:
    """Days since 1970-01-01; NaN if the parts do not make a date."""
    if match is None:
        return np.nan
    if "first" in match:
        first, second = match["first"], match["second_of"]
        day, month = (first, second) if order == "day" else (second, first)
    else:
        day = match["day"]
        month = match.get("month") or str(1 + _MONTHS.index(match["name"][:3].lower()))
    year = int(match["year"])
    if len(match["year"]) == 2:  # noqa: PLR2004 - digits
        year += 1900 if year >= _PIVOT else 2000
    hour = int(match.get("hour", 0))
    if half := match.get("half", "").lower():
        hour = hour % 12 + 12 * (half == "p")
    seconds = float(match.get("second", "0").replace(",", "."))
    zone = match.get("zone", "").replace(":", "")
    ahead, minutes_ahead = timedelta(), 0
    if zone[:1] in {"+", "-"}:
        minutes_ahead = int(zone[3:5])
        ahead = timedelta(hours=int(zone[1:3]), minutes=minutes_ahead)
    if seconds >= _LEAP or minutes_ahead >= 60:  # noqa: PLR2004 - of an hour
        return np.nan
    try:
        at = datetime(
            year,
            int(month),
            int(day),
            hour,
            int(match.get("minute", 0)),
            tzinfo=timezone(-ahead if zone[:1] == "-" else ahead),
        )
    except ValueError:
        return np.nan
    return (at.timestamp() + seconds) / _SECONDS


def month_names(name: str) -> tuple[str, str]:
    """The names of the two features that hold the month of a column of dates."""
    return f"{name} (sine of month)", f"{name} (cosine of month)"


def with_months(table: pa.Table, names: Iterable[str]) -> pa.Table:
    """A table with two more columns for each column of dates: the month as a place on a circle.

    On the circle, December is as near to January as to November, for linear models and for trees.

    Parameters
    ----------
    table : in which dates are days since 1970-01-01
    names : of the columns of dates
    """
    for name in names:
        days = table.column(name).to_numpy()
        known = np.isfinite(days) & (np.abs(days) < _LARGEST)
        angle = np.full(len(days), np.nan)
        months = np.floor(days[known]).astype("datetime64[D]").astype("datetime64[M]")
        angle[known] = months.astype(np.int64) % 12 * (2 * np.pi / 12)
        for title, part in zip(month_names(name), (np.sin(angle), np.cos(angle)), strict=True):
            table = table.append_column(title, pa.array(part, from_pandas=True))
    return table


def with_words(table: pa.Table, names: Iterable[str]) -> pa.Table:
    """A table in which categories that are dates or times are text, as a model holds them.

    Parameters
    ----------
    table : columns of any types
    names : of the columns of categories
    """
    for name in names:
        cells = table.column(name)
        if pa.types.is_temporal(cells.type):
            place = table.column_names.index(name)
            table = table.set_column(place, name, as_strings(cells))
    return table
