"""What each column of a table is."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from onesided._files._names import not_utf8
from onesided._files._notation import DECIMALS, Notation, misfits, unit_of
from onesided._files._svmlight import is_sparse
from onesided._text import argument
from onesided._typing import Bools
from onesided.exceptions import TableError
from onesided.tables._columns import find_column
from onesided.tables._sparse import SparseFeatures, find_features
from onesided.tables._text import find_vocabulary

Role: TypeAlias = Literal["number", "category", "text", "sparse", "dropped"]

_LARGEST = 1e100  # a number beyond which squares are infinite
_SMALLEST = 1e-100  # a number below which squares are 0
_TEXT_WORDS = 3  # mean words of a cell from which a column is text
_ID_SHARE = 0.5  # of different values among the rows from which categories say nothing
_ID_ROWS = 20  # rows from which that is judged
_NUMBER_SHARE = 0.5  # of cells that are numbers from which the others look like mistakes
_NOTATION_SHARE = 0.95  # the same of numbers in one notation, which codes may look like
_DATE_SHARE = 0.95  # of cells that are dates from which the column is one of dates
_INDEX = re.compile(r"__index_level_\d+__")  # how pandas writes one to Parquet
_AN_INDEX = "it is the index of a data frame"
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_DAY, _MONTH, _YEAR = r"(0?[1-9]|[12]\d|3[01])", r"(0?[1-9]|1[0-2])", r"[12]\d{3}"
_TIME = r"\d{1,2}[:.]\d{2}([:.]\d{2}([.,]\d+)?)?( ?[AaPp]\.?[Mm]\.?)?( ?(Z|[+-]\d{2}:?\d{2}))?"
_DATE = (
    rf"^\s*({_YEAR}[-./]{_MONTH}[-./]{_DAY}|{_DAY}[-./]{_MONTH}[-./]{_YEAR}"
    rf"|{_MONTH}[-./]{_DAY}[-./]{_YEAR}|[0-3]\d[./][0-3]\d[./]\d{{2}})([ T,]+{_TIME})?\s*$"
)
_NO_DATES = (
    "it holds dates, which are not used; a column of numbers (days since an event) would be used"
)


@dataclass(frozen=True)
class Column:
    """One column that is not a label, identifier or group.

    Attributes
    ----------
    name : of the column
    role : what learners see in it
    n_missing : rows without a value
    n_distinct : different values
    reason : why it is dropped, empty otherwise
    written : an example of its numbers, where they were written as people do
    """

    name: str
    role: Role
    n_missing: int
    n_distinct: int
    reason: str = ""
    written: str = ""


@dataclass(frozen=True)
class TableSummary:
    """What was understood of a table.

    Attributes
    ----------
    n_rows : number of rows
    columns : in the order of the table, without label, identifier and group
    vocabularies : for each column of text the words that are in two rows or more
    sparse : for each column of numbered features those that are in it
    """

    n_rows: int
    columns: list[Column] = field(default_factory=list)
    vocabularies: dict[str, list[str]] = field(default_factory=dict)
    sparse: dict[str, SparseFeatures] = field(default_factory=dict)

    def names(self, role: str) -> list[str]:
        """Names of the columns of a role."""
        return [column.name for column in self.columns if column.role == role]

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
        """Number of the features that columns of them hold."""
        return sum(len(found.numbers) for found in self.sparse.values())

    @property
    def missing_share(self) -> float:
        """Share of the cells of the used columns that are missing."""
        used = [column for column in self.columns if column.role != "dropped"]
        return sum(column.n_missing for column in used) / max(self.n_rows * len(used), 1)


def describe(
    table: pa.Table,
    *,
    without: Collection[str] = (),
    drop: Collection[str] = (),
    categorical: Collection[str] = (),
    text: Collection[str] = (),
    aside: Mapping[str, str] | None = None,
) -> TableSummary:
    """Decide what each column is.

    Numbers are numbers; booleans and text of few different values are categories; text of
    several words is text; maps from whole numbers to values are sparse features. Dropped are
    columns without information (all missing, one value) and such that name the rows (all values
    different, or a row number).

    Parameters
    ----------
    table : the whole table
    without : columns that are no features: label, identifier, group
    drop : columns to drop
    categorical, text : columns whose role is given
    aside : columns that are dropped unless their role is given, and why

    Raises
    ------
    TableError : if a column cannot be used as it is, or none is left
    """
    for name in (*drop, *categorical, *text):
        find_column(table, name)
    _check_roles(without, {"drop": drop, "categorical": categorical, "text": text})
    roles: dict[str, Role] = {
        **dict.fromkeys(text, "text"),
        **dict.fromkeys(categorical, "category"),
    }
    unused = {name: _AN_INDEX for name in table.column_names if _INDEX.fullmatch(name)}
    unused |= {name: reason for name, reason in (aside or {}).items() if name not in roles}
    unused |= dict.fromkeys(drop, "as asked")
    columns = [
        Column(name, "dropped", 0, 0, unused[name])
        if name in unused
        else replace(
            _describe_column(name, table.column(name), roles.get(name)),
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
    )
    if not summary.used:
        reasons = "; ".join(f"{column.name!r}: {column.reason}" for column in summary.columns[:5])
        raise TableError(
            f"No column is left to learn from{': ' + reasons if reasons else ''}.",
            "Drop fewer columns." if drop else "Add columns that differ from row to row.",
        )
    return summary


def _written(field: pa.Field) -> str:
    """An example of the numbers of a column; empty where any program reads them."""
    notation = Notation.of(field)
    return "" if notation is None or notation.is_plain else str(notation)


def _check_roles(without: Collection[str], given: Mapping[str, Collection[str]]) -> None:
    """Refuse a role for what is no feature, and two roles of one column.

    Parameters
    ----------
    without : columns that are no features
    given : columns by the argument that gives them a role
    """
    found: dict[str, str] = {}
    for asked, names in given.items():
        for name in names:
            if name in without:
                raise TableError(
                    f"Column {name!r} holds the labels, names or groups of the rows, so it "
                    "cannot be used for learning.",
                    f"Leave {argument(asked, [name])} out.",
                )
            if found.setdefault(name, asked) != asked:
                both = f"{argument(found[name])} and {argument(asked)}"
                raise TableError(
                    f"Column {name!r} is given to both {both}.",
                    "Pass the column to only one of them.",
                )


def _describe_column(name: str, column: pa.ChunkedArray, given: Role | None) -> Column:
    kind = column.type
    n_missing = column.null_count
    if pa.types.is_floating(kind):
        _refuse_infinite(name, column)
        n_missing += pc.sum(pc.is_nan(column)).as_py() or 0
    if n_missing == len(column):
        return Column(name, "dropped", n_missing, 0, "all values are missing")
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        raise not_utf8(name, column)
    if is_sparse(kind):
        return Column(name, "sparse", n_missing, 0)
    if pa.types.is_nested(kind):
        raise TableError(
            f"Column {name!r} holds a {kind} in row {_first_present(column)}, not a single value.",
            "Split the column into columns of single values, or drop it: "
            f"{argument('drop', [name])}.",
        )
    n_distinct = _count_distinct(column)
    if n_distinct == 1 and n_missing == 0:
        return Column(name, "dropped", 0, 1, f"all values are {_short(column[0].as_py())}")
    role, reason = (given, "") if given else _role_of(name, column, n_distinct)
    return Column(name, role, n_missing, n_distinct, reason)


def _with_features(
    column: Column, words: Mapping[str, list[str]], sparse: Mapping[str, SparseFeatures]
) -> Column:
    """A column as it is once the words and features in it are known."""
    if column.role == "text" and not words[column.name]:
        return replace(
            column, role="dropped", reason="no word except stop words is in two or more rows"
        )
    if column.role == "sparse":
        n_features = len(sparse[column.name].numbers)
        if not n_features:
            return replace(column, role="dropped", reason="all of its features are 0")
        return replace(column, n_distinct=n_features)
    return column


def _role_of(name: str, column: pa.ChunkedArray, n_distinct: int) -> tuple[Role, str]:
    """Role of a column that varies, and why it is dropped if it is."""
    kind = column.type
    if pa.types.is_boolean(kind):
        return "category", ""
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return _role_of_numbers(name, column, n_distinct)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _role_of_strings(name, column, n_distinct)
    if pa.types.is_temporal(kind):
        return "dropped", _NO_DATES
    raise TableError(
        f"Column {name!r} holds {kind} values, which are neither numbers nor text.",
        f"Convert it, or drop it: {argument('drop', [name])}.",
    )


def _role_of_numbers(name: str, column: pa.ChunkedArray, n_distinct: int) -> tuple[Role, str]:
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
    # Smaller differences can be the rounding of a sum; scikit-learn's scaler has this bound too.
    rounding = len(values) * np.finfo(np.float64).eps * abs(np.nanmean(values))
    if n_distinct > 1 and deviation <= rounding:
        return "dropped", f"its values, about {np.nanmean(values):.3g}, are nearly equal"
    return "number", ""


def _role_of_strings(name: str, column: pa.ChunkedArray, n_distinct: int) -> tuple[Role, str]:
    present = column.drop_null()
    if pc.mean(pc.match_substring_regex(present, _DATE).cast(pa.int8())).as_py() > _DATE_SHARE:
        return "dropped", _NO_DATES
    _refuse_mixed(name, column)
    words = pc.mean(pc.list_value_length(pc.utf8_split_whitespace(present))).as_py()
    if words >= _TEXT_WORDS:
        return "text", ""
    if len(present) >= _ID_ROWS and n_distinct > _ID_SHARE * len(present):
        return (
            "dropped",
            f"{n_distinct:,} different values in {len(present):,} rows: they name the rows",
        )
    return "category", ""


def _refuse_infinite(name: str, column: pa.ChunkedArray) -> None:
    infinite = np.abs(column.cast(pa.float64()).to_numpy()) > _LARGEST
    if infinite.any():
        row = int(np.argmax(infinite))
        raise TableError(
            f"Column {name!r} holds {column[row].as_py()} in row {row + 1}.",
            "Replace the value with a finite number below 1e100, or leave the cell empty.",
        )


def _refuse_mixed(name: str, column: pa.ChunkedArray) -> None:
    """Refuse a column of numbers in which some cells are text."""
    odd = _odd_cells(column)
    if odd is None:
        return
    row = int(np.argmax(odd))
    raise TableError(
        f"Column {name!r} holds numbers, but row {row + 1} holds {_short(column[row].as_py())}.",
        "Correct the cell or leave it empty; if the column holds categories: "
        f"{argument('categorical', [name])}.",
    )


def _odd_cells(column: pa.ChunkedArray) -> Bools | None:
    """Cells that are text where the others are numbers; None where the column is no such."""
    n_present = len(column) - column.null_count
    ways = [(_NUMBER_SHARE, Notation())]
    ways += [(_NOTATION_SHARE, Notation(mark, unit_of(column))) for mark in DECIMALS]
    for share, notation in ways:
        odd = misfits(column, notation)
        if 0 < odd.sum() <= (1 - share) * n_present:
            return odd
    return None


def _count_distinct(column: pa.ChunkedArray) -> int:
    if pa.types.is_floating(column.type):  # a NaN is no value
        column = column.filter(pc.invert(pc.is_nan(column)))
    return int(pc.count_distinct(column).as_py())


def _is_row_number(column: pa.ChunkedArray) -> bool:
    """Whether it counts the rows, some of which may stand there more than once."""
    if not pa.types.is_integer(column.type) or column.null_count or len(column) < _ID_ROWS:
        return False
    numbers = pc.unique(column).to_numpy().astype(np.int64)  # in the order of the rows
    return len(numbers) > _ID_SHARE * len(column) and bool((np.diff(numbers) == 1).all())


def _first_present(column: pa.ChunkedArray) -> int:
    return int(np.argmax(column.is_valid().to_numpy())) + 1


def _short(value: Any, most: int = 40) -> str:
    text = repr(value)
    return text if len(text) <= most else text[: most - 3] + "..."
