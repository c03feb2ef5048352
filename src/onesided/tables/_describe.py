"""Decide whether each column is a number, category, text or sparse features, or is dropped."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from onesided._files._blank import row_numbers
from onesided._files._csv import ROW_NAMES
from onesided._files._dates import MONTH_NAME, YEAR, Order, are_dates, month_names, read_dates
from onesided._files._layout import cells_are_text
from onesided._files._names import not_utf8, texts_of, values_of
from onesided._files._notation import DECIMALS, Notation, misfits, unit_of
from onesided._files._references import BESIDE_TEXT
from onesided._files._svmlight import is_sparse
from onesided._files._wanted import LARGEST_NUMBER
from onesided._text import agreeing, argument, counted
from onesided._typing import Ints
from onesided._words import AS_CHARACTERS, has_runs
from onesided.exceptions import TableError
from onesided.tables._columns import find_column
from onesided.tables._sentences import first_of
from onesided.tables._sparse import SparseFeatures, find_features
from onesided.tables._text import find_vocabulary, word_counts

Role: TypeAlias = Literal["number", "category", "date", "text", "sparse", "dropped"]

_SMALLEST = 1e-100  # a number below which squares are 0
_TEXT_WORDS = 3  # mean number of words in a cell from which a column is text
_ID_SHARE = 0.5  # share of different values above which a column names the rows
_ID_ROWS = 20  # fewest rows for this rule
_NUMBER_SHARE = 0.5  # share of numbers among the cells, from which other cells look like mistakes
_NOTATION_SHARE = 0.95  # the same share for other notations, which codes may look like
_FEW_VALUES = 20  # a column with so few different values may hold categories, most of them numbers
_DATE_SHARE = 0.95  # share of dates among the cells, above which the column holds dates
_NUMBER = "[+\u2212-]?" + r"\d+([.,]\d+)?([eE][+-]?\d+)?"
_ODD_NUMBER = (
    rf"^\s*([<>≤≥~≈=±]+\s*{_NUMBER}\D*|{_NUMBER}\s*[^\d\s.,]\D*|{_NUMBER}\s*[±(]\s*{_NUMBER}\D*)$"
)
_INDEX = re.compile(rf"__index_level_\d+__|{ROW_NAMES}")  # as pandas and R write it
_AN_INDEX = "it is the index of a data frame"
_DAY, _MONTH, _YEAR = r"(0?[1-9]|[12]\d|3[01])", r"(0?[1-9]|1[0-2])", f"({YEAR})"
_NAMED = rf"(?i:{MONTH_NAME})\.?"  # a month
_NTH = rf"{_DAY}(st|nd|rd|th)?"
_WEEKDAY = r"((?i:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,? +)?"
_ZONE = r"( ?(Z|GMT|UTC|[+-]\d{2}:?\d{2})( ?\([A-Z]+\))?)?"
_CLOCK = r"\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?( ?[AaPp]\.?[Mm]\.?)?"
_TIME = rf"\d{{1,2}}[:.]\d{{2}}([:.]\d{{2}}([.,]\d+)?)?( ?[AaPp]\.?[Mm]\.?)?{_ZONE}"
_DATE = (
    rf"^\s*({_CLOCK}|({_YEAR}[-./]{_MONTH}[-./]{_DAY}|{_DAY}[-./]{_MONTH}[-./]{_YEAR}"
    rf"|{_MONTH}[-./]{_DAY}[-./]{_YEAR}|[0-3]\d[./][0-3]\d[./]\d{{2}}"
    rf"|{_WEEKDAY}{_NTH}[- .]+{_NAMED}[- ,]+({_YEAR}|\d{{2}})"
    rf"|{_WEEKDAY}{_NAMED} +{_NTH},? +{_YEAR})([ T,]+{_TIME})?)\s*$"
)
_NO_DATES = (
    "it holds times without a date, which are not used; a column of numbers (hours since an event) "
    "would be used"
)
_DATES = "dates, learned as days since 1970-01-01 and month of the year"

_TITLES = {"title", "article title", "primary title", "titel", "titre", "título"}
_ABSTRACTS = {"abstract", "abstract note", "zusammenfassung", "résumé", "resumen"}
_KEYWORDS = {
    *("keyword", "keywords", "author keywords", "index keywords", "keywords plus"),
    *("mesh", "mesh terms", "manual tags", "automatic tags", "schlagwörter", "mots clés"),
    "palabras clave",
}
"""Names that programs give to the columns of references that describe the subject."""

_MOST_TOLD = 100  # columns for which reasons are given; nobody reads more
_BECAUSE = {
    "number": "its cells are numbers",
    "category": "its cells hold few different values",
    "date": "its cells are dates",
    "text": "its cells hold several words",
}


@dataclass(frozen=True)
class Column:
    """One column that is not a label, identifier or group.

    Attributes
    ----------
    name : name of the column
    role : how learners use the column
    n_missing : number of rows without a value
    n_distinct : number of different values
    reason : why the column is dropped; "" for a column that is used
    written : an example of numbers in an unusual format (1.234,5 kg); "" for plain numbers
    note : a remark for the reader on a column that is used; "" for no remark
    order : for dates, whether 03/04/2024 begins with the "day" or the "month"; "" if not needed

    Examples
    --------
    >>> import pyarrow as pa
    >>> from onesided.tables import describe
    >>> table = pa.table({"size": [1.5, None, 2.5, 1.5], "lab": ["A", "A", "A", "A"]})
    >>> size, lab = describe(table).columns
    >>> size.role, size.n_missing, size.n_distinct
    ('number', 1, 2)
    >>> lab.role, lab.reason
    ('dropped', "all values are 'A'")
    """

    name: str
    role: Role
    n_missing: int
    n_distinct: int
    reason: str = ""
    written: str = ""
    note: str = ""
    order: Order | Literal[""] = ""


@dataclass(frozen=True)
class TableSummary:
    """The roles of the columns of a table.

    Attributes
    ----------
    n_rows : number of rows
    columns : the columns in the order of the table, without label, identifier and group
    vocabularies : for each column of text, the words that occur in at least two rows
    sparse : for each column of numbered features, the features that occur in at least one row
    is_one_text : whether all columns of text count as one text, as in references

    Examples
    --------
    >>> import pyarrow as pa
    >>> from onesided.tables import describe
    >>> table = pa.table({"size": [1.5, None, 2.5, 1.5], "lab": ["A", "A", "A", "A"]})
    >>> summary = describe(table)
    >>> summary.used, summary.names("dropped"), summary.missing_share
    (['size'], ['lab'], 0.25)
    """

    n_rows: int
    columns: list[Column] = field(default_factory=list)
    vocabularies: dict[str, list[str]] = field(default_factory=dict)
    sparse: dict[str, SparseFeatures] = field(default_factory=dict)
    is_one_text: bool = False

    def names(self, role: str) -> list[str]:
        """Names of the columns of a role."""
        return [column.name for column in self.columns if column.role == role]

    @property
    def numbers(self) -> list[str]:
        """Names of the features that are numbers: columns of numbers, days and months of dates."""
        dates = self.names("date")
        months = [part for name in dates for part in month_names(name)]
        return [*self.names("number"), *dates, *months]

    @property
    def used(self) -> list[str]:
        """Names of the columns that are not dropped."""
        return [column.name for column in self.columns if column.role != "dropped"]

    @property
    def dropped(self) -> list[Column]:
        """The columns that are dropped."""
        return [column for column in self.columns if column.role == "dropped"]

    @property
    def n_sparse(self) -> int:
        """Number of numbered features."""
        return sum(len(found.numbers) for found in self.sparse.values())

    @property
    def missing_share(self) -> float:
        """Share of the cells of the used columns that are missing."""
        n_missing = sum(each.n_missing for each in self.columns if each.role != "dropped")
        return n_missing / max(self.n_rows * len(self.used), 1)

    @property
    def sentences(self) -> tuple[str, ...]:
        """How many columns have each role, and which number formats are unusual, in words."""
        kinds = {
            "number": "numbers",
            "category": "categories",
            "date": "dates",
            "text": "text",
            "sparse": counted(self.n_sparse, "numbered feature"),
        }
        counts = [
            f"{len(names):,} of {word}"
            for role, word in kinds.items()
            if (names := self.names(role))
        ]
        missing = f"{100 * self.missing_share:.1f} % of the cells are missing"
        used = [column for column in self.columns if column.role != "dropped"]
        with_runs = [name for name, words in self.vocabularies.items() if any(map(has_runs, words))]
        texts = self.names("text") * self.is_one_text
        written = _by_text((column.written, column.name) for column in used)
        notes = _by_text((column.note, column.name) for column in used)
        return (
            f"  columns: {', '.join(counts)}; {missing}",
            *(f"  {first_of(names)}: numbers written {example}" for example, names in written),
            *(f"  {first_of(names)}: {note}" for note, names in notes),
            *([f"  {first_of(with_runs)}: {AS_CHARACTERS}"] if with_runs else ()),
            *([f"  {' + '.join(texts)}: learned from as one text"] if len(texts) > 1 else ()),
        )

    @property
    def dropped_sentences(self) -> tuple[str, ...]:
        """Which columns are dropped, and why."""
        reasons = _by_text((each.reason, each.name) for each in self.dropped)
        return tuple(f"  dropped {first_of(names)}: {reason}" for reason, names in reasons)

    def reasons(self, asked: Collection[str] = ()) -> Iterator[str]:
        """Yield a sentence for each column: its role, and the reason.

        Parameters
        ----------
        asked : columns whose role the user gave
        """
        for column in self.columns[:_MOST_TOLD]:
            reason = column.reason or _BECAUSE.get(column.role, "the format of the file says so")
            if column.name in asked and column.role != "dropped":
                reason = "as asked"
            yield (
                f"column {column.name}: {column.role} ({reason}); "
                f"{counted(column.n_distinct, 'different value')}, "
                f"{counted(column.n_missing, 'cell')} {agreeing(column.n_missing)} missing"
            )
        if len(self.columns) > _MOST_TOLD:
            yield f"and {counted(len(self.columns) - _MOST_TOLD, 'more column')}"


def _by_text(pairs: Iterable[tuple[str, str]]) -> Iterable[tuple[str, list[str]]]:
    """Return the names of columns by their text; columns with an empty text are left out."""
    found: dict[str, list[str]] = {}
    for text, name in pairs:
        if text:
            found.setdefault(text, []).append(name)
    return found.items()


class NoColumnLeftError(TableError):
    """All columns of a table are dropped."""


def describe(
    table: pa.Table,
    *,
    without: Collection[str] = (),
    drop: Collection[str] = (),
    categorical: Collection[str] = (),
    number: Collection[str] = (),
    text: Collection[str] = (),
    one_text: Collection[str] = (),
    aside: Mapping[str, str] | None = None,
) -> TableSummary:
    """The role of each column of a table, decided by its type and its values.

    Numbers are numbers; booleans and text of few different values are categories; text of
    several words is text; dates are days and months; maps from whole numbers to values are sparse
    features. Columns without information (all values missing or equal) are dropped, and so are
    columns that name the rows (most values different, or row numbers). A table with a title and an
    abstract holds references: only title, abstract and keywords are used, as one text.

    Parameters
    ----------
    table : the whole table
    without : columns that are not features: label, identifier, group
    drop : columns to drop
    categorical, number, text : columns that are categories, numbers or text, whatever their values
        are
    one_text : columns of text that the format of the file treats as one text
    aside : columns to drop unless the user gives their role; values are the reasons

    Raises
    ------
    TableError : if a column cannot have the role that was asked for, or no column is left

    Examples
    --------
    >>> import pyarrow as pa
    >>> from onesided.tables import describe
    >>> table = pa.table({"size": [1.5, 3.0, 2.5, 1.5], "zone": [1, 2, 1, 2]})
    >>> summary = describe(table, categorical=["zone"])
    >>> {column.name: column.role for column in summary.columns}
    {'size': 'number', 'zone': 'category'}
    """
    asked = {"drop": drop, "categorical": categorical, "number": number, "text": text}
    for name in chain.from_iterable(asked.values()):
        find_column(table, name)
    _check_roles(without, asked)
    aside = dict(aside or {})
    if not one_text and (one_text := _text_of_references(table)):
        aside |= {name: BESIDE_TEXT for name in table.column_names if name not in one_text}
    roles: dict[str, Role] = {
        **dict.fromkeys([*one_text, *text], "text"),
        **dict.fromkeys(categorical, "category"),
        **dict.fromkeys(number, "number"),
    }
    strict, numbers = cells_are_text(table.schema), row_numbers(table)
    unused = {name: _AN_INDEX for name in table.column_names if _INDEX.fullmatch(name)}
    unused |= {name: reason for name, reason in aside.items() if name not in roles}
    unused |= dict.fromkeys(drop, "as asked")
    columns = [
        Column(name, "dropped", 0, 0, unused[name])
        if name in unused
        else replace(
            _describe_column(name, table.column(name), roles.get(name), numbers, strict=strict),
            written=_written(table.schema.field(name)),
        )
        for name in table.column_names
        if name not in without
    ]
    words = {c.name: find_vocabulary(table.column(c.name)) for c in columns if c.role == "text"}
    sparse = {c.name: find_features(table.column(c.name)) for c in columns if c.role == "sparse"}
    summary = TableSummary(
        table.num_rows,
        [_with_features(column, words, sparse) for column in columns],
        {name: found for name, found in words.items() if found},
        {name: found for name, found in sparse.items() if len(found.numbers)},
        is_one_text=bool(one_text),
    )
    if not summary.used:
        reasons = "; ".join(f"{column.name!r}: {column.reason}" for column in summary.columns[:5])
        raise NoColumnLeftError(
            f"No column is left to learn from{': ' + reasons if reasons else ''}.",
            "Drop fewer columns." if drop else "Add columns that differ from row to row.",
        )
    return summary


def _written(field: pa.Field) -> str:
    """An example of how the numbers of a column are written; empty for plain numbers."""
    notation = Notation.of(field)
    if notation is None:
        return ""
    return " ".join([str(notation)] * (not notation.is_plain) + ["as text"] * notation.is_text)


def _check_roles(without: Collection[str], given: Mapping[str, Collection[str]]) -> None:
    """Refuse a role for a column that is not a feature, and two roles for one column."""
    found: dict[str, str] = {}
    for asked, name in ((asked, name) for asked, names in given.items() for name in names):
        if name in without:
            raise TableError(
                f"Column {name!r} holds the labels, names or groups of the rows, so it cannot be "
                "used for learning.",
                f"Leave {argument(asked, [name])} out.",
            )
        if found.setdefault(name, asked) != asked:
            raise TableError(
                f"Column {name!r} is given to both {argument(found[name])} and {argument(asked)}.",
                "Pass the column to only one of them.",
            )


def _describe_column(
    name: str, column: pa.ChunkedArray, given: Role | None, numbers: Ints, *, strict: bool
) -> Column:
    """A column with the given role, or with the role that its values suggest.

    `numbers` are the numbers of the rows, for errors. `strict` means that the file stores no types.
    """
    kind = column.type
    n_missing = column.null_count
    if pa.types.is_floating(kind):
        _refuse_infinite(name, column, numbers)
        n_missing += pc.sum(pc.is_nan(column)).as_py() or 0
    if n_missing == len(column):
        return Column(name, "dropped", n_missing, 0, "all values are missing")
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        raise not_utf8(name, column)
    if is_sparse(kind):
        return Column(name, "sparse", n_missing, 0)
    if pa.types.is_nested(kind) or (given and pa.types.is_interval(kind)):
        row = numbers[np.argmax(column.is_valid().to_numpy())]
        raise TableError(
            f"Column {name!r} holds a {kind} in row {row}, not a single value.",
            "Split the column into columns of single values, or drop it: "
            f"{argument('drop', [name])}.",
        )
    present = column.filter(pc.invert(pc.is_nan(column))) if pa.types.is_floating(kind) else column
    n_distinct = pc.count_distinct(present).as_py()
    if n_distinct == 1 and n_missing == 0:
        return Column(name, "dropped", 0, 1, f"all values are {_short(values_of(column[:1])[0])}")
    if given == "number":
        _check_are_numbers(name, column)
    if given:
        return Column(name, given, n_missing, n_distinct)
    dates = _as_dates(name, column, n_missing, n_distinct, numbers)
    found = dates or _with_role(name, column, n_missing, n_distinct)
    is_text = pa.types.is_string(kind) and dates is None and found.role != "text"
    odd = _odd_among_numbers(column) if is_text else None
    if odd is None:
        return found
    return _with_odd(found, values_of(column[odd : odd + 1])[0], numbers[odd], strict=strict)


def _as_dates(
    name: str, column: pa.ChunkedArray, n_missing: int, n_distinct: int, numbers: Ints
) -> Column | None:
    """A column of dates; None if the column does not hold dates.

    If a cell is not a date, the column is dropped, since the cell is likely to be a mistake.
    """
    kind = column.type
    if not are_dates(kind):
        if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
            return None
        looks = pc.match_substring_regex(column.drop_null(), _DATE).cast(pa.int8())
        if pc.mean(looks).as_py() <= _DATE_SHARE:
            return None
    found = read_dates(column)
    if np.isnan(found.days).all():
        return Column(name, "dropped", n_missing, n_distinct, _NO_DATES)
    if found.odd is not None:
        cell = _short(values_of(column[found.odd : found.odd + 1])[0])
        reason = f"most of its cells are dates, but row {numbers[found.odd]} holds {cell}"
        return Column(name, "dropped", n_missing, n_distinct, reason)
    if np.nanmin(found.days) == np.nanmax(found.days) and not n_missing:
        return Column(name, "dropped", 0, n_distinct, "all values are the same date")
    first = {"day": "day/month/year", "month": "month/day/year", None: ""}[found.order]
    how = f"; 03/04/2024 is read as {first}" if first and not found.is_certain else ""
    order: Order | Literal[""] = found.order or ""
    return Column(name, "date", n_missing, n_distinct, note=_DATES + how, order=order)


def _with_odd(found: Column, cell: str, row: int, *, strict: bool) -> Column:
    """A column of numbers in which one row or more hold text; `row` is the first of these rows.

    The column is read as categories. In a file without types (`strict`) this needs few different
    values; otherwise the text is likely to be a mistake, and an error is raised.
    """
    if strict and (found.role == "dropped" or found.n_distinct > _FEW_VALUES):
        raise _mixed(found.name, cell, row)
    why = f"row {row} holds {_short(cell)}, which is not a number"
    if found.role == "dropped":
        return replace(found, reason=f"most of its cells are numbers, but {why}")
    return replace(found, note=f"read as categories, although most cells are numbers: {why}")


def _with_features(
    column: Column, words: Mapping[str, list[str]], sparse: Mapping[str, SparseFeatures]
) -> Column:
    """A column with the number of its features; dropped if it has no word or feature."""
    reason = ""
    if column.role == "text" and not words[column.name]:
        reason = "no word except stop words is in two or more rows"
    if column.role == "sparse":
        column = replace(column, n_distinct=len(sparse[column.name].numbers))
        reason = "" if column.n_distinct else "all of its features are 0"
    return replace(column, role="dropped", reason=reason) if reason else column


def _with_role(name: str, column: pa.ChunkedArray, n_missing: int, n_distinct: int) -> Column:
    """A column that holds no dates, with the role that its values suggest."""
    role, reason = _role_of(name, column, n_distinct)
    return Column(name, role, n_missing, n_distinct, reason)


def _role_of(name: str, column: pa.ChunkedArray, n_distinct: int) -> tuple[Role, str]:
    """The role of a column that varies, and the reason if the role is "dropped"."""
    kind = column.type
    if pa.types.is_boolean(kind):
        return "category", ""
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return _role_of_numbers(name, column, n_distinct)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _role_of_strings(column, n_distinct)
    if pa.types.is_temporal(kind):
        return "dropped", _NO_DATES
    raise TableError(
        f"Column {name!r} holds {kind} values, which are neither numbers nor text.",
        f"Convert it, or drop it: {argument('drop', [name])}.",
    )


def _text_of_references(table: pa.Table) -> list[str]:
    """The columns of title, abstract and keywords; empty if the table holds no references."""
    called = {
        field.name: re.sub(r"[\s_-]+", " ", field.name.strip().lower())
        for field in table.schema
        if pa.types.is_string(field.type)
    }
    found = [name for name, meaning in called.items() if meaning in _ABSTRACTS]
    is_told = any(meaning in _TITLES for meaning in called.values())
    if not is_told or not any(_are_texts(table.column(name)) for name in found):
        return []
    meanings = _TITLES | _ABSTRACTS | _KEYWORDS
    return [name for name, meaning in called.items() if meaning in meanings]


def _are_texts(column: pa.ChunkedArray) -> bool:
    """Whether cells hold several words on average; False if all cells are missing."""
    present = column.drop_null()
    return len(present) > 0 and bool(word_counts(present).mean() >= _TEXT_WORDS)


def _check_are_numbers(name: str, column: pa.ChunkedArray) -> None:
    """Refuse a column that the user wants as numbers, but that holds other values."""
    kind = column.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        raise TableError(
            f"Column {name!r} holds {kind} values, such as "
            f"{_short(texts_of(column.drop_null()[:1])[0])}, not numbers.",
            f"Write numbers in it, or leave {argument('number', [name])} out.",
        )


def _role_of_numbers(name: str, column: pa.ChunkedArray, n_distinct: int) -> tuple[Role, str]:
    """The role of a column of numbers that varies, and the reason if the role is "dropped"."""
    if _is_row_number(column):
        return "dropped", "its values are the row numbers"
    values = column.cast(pa.float64(), safe=False).to_numpy()
    size, deviation = np.nanmax(np.abs(values)), np.nanstd(values)
    if 0 < size < _SMALLEST:
        raise TableError(
            f"The numbers of column {name!r} are at most {size:.3g} in size, so their squares "
            "underflow to 0.",
            f"Multiply them by a power of 10, or drop the column: {argument('drop', [name])}.",
        )
    # Smaller differences can come from rounding a sum; scikit-learn's scaler has the same bound.
    rounding = len(values) * np.finfo(np.float64).eps * abs(np.nanmean(values))
    if n_distinct > 1 and deviation <= rounding:
        return "dropped", f"its values, about {np.nanmean(values):.3g}, are nearly equal"
    return "number", ""


def _role_of_strings(column: pa.ChunkedArray, n_distinct: int) -> tuple[Role, str]:
    """The role of a column of text that varies, and the reason if the role is "dropped"."""
    present = column.drop_null()
    if _are_texts(present):
        return "text", ""
    if len(present) >= _ID_ROWS and n_distinct > _ID_SHARE * len(present):
        first = _short(values_of(present[:1])[0])
        are_odd = pc.mean(pc.match_substring_regex(present, _ODD_NUMBER).cast(pa.int8())).as_py()
        why = (
            f"nearly all differ; if they are numbers, write them alone, and not as {first}"
            if are_odd > _NUMBER_SHARE
            else "they name the rows"
        )
        return "dropped", f"{n_distinct:,} different values in {len(present):,} rows: {why}"
    return "category", ""


def _refuse_infinite(name: str, column: pa.ChunkedArray, numbers: Ints) -> None:
    """Refuse numbers whose squares are infinite."""
    infinite = np.abs(column.cast(pa.float64()).to_numpy()) > LARGEST_NUMBER
    if infinite.any():
        place = int(np.argmax(infinite))
        cell = column[place].as_py()
        raise TableError(
            f"Column {name!r} holds {cell} in row {numbers[place]}.",
            "Replace the value with a finite number below 1e100, or leave the cell empty; if it "
            f"means that the value is missing: {argument('missing', [str(cell)])}.",
        )


def _odd_among_numbers(column: pa.ChunkedArray) -> int | None:
    """The first row that holds text in a column of numbers; None if the column holds no numbers."""
    n_present = len(column) - column.null_count
    ways = [(_NUMBER_SHARE, Notation())]
    ways += [(_NOTATION_SHARE, Notation(mark, unit_of(column))) for mark in DECIMALS]
    for share, notation in ways:
        odd = misfits(column, notation)
        if 0 < odd.sum() <= (1 - share) * n_present:
            return int(np.argmax(odd))
    return None


def _mixed(name: str, cell: str, row: int) -> TableError:
    """The error for a column of numbers in which a row holds text."""
    return TableError(
        f"Column {name!r} holds numbers, but row {row} holds {_short(cell)}.",
        "Correct the cell or leave it empty; if it means that the value is missing: "
        f"{argument('missing', [cell.strip()])}; if the column holds categories: "
        f"{argument('categorical', [name])}.",
    )


def _is_row_number(column: pa.ChunkedArray) -> bool:
    """Whether a column numbers the rows; several rows may have the same number."""
    if not pa.types.is_integer(column.type) or column.null_count or len(column) < _ID_ROWS:
        return False
    numbers = pc.unique(column).to_numpy().astype(np.int64)  # in the order of the rows
    return len(numbers) > _ID_SHARE * len(column) and bool((np.diff(numbers) == 1).all())


def _short(value: Any, most: int = 40) -> str:
    """A value for an error, cut to a number of characters."""
    text = repr(value)
    return text if len(text) <= most else text[: most - 3] + "..."
