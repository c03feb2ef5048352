"""Number of rows by feature, value and label.

All features share one flat table: entry k counts the rows in which feature `feature[k]` has the
value `value[k]`. Entries are sorted by feature, then by value. Missing values are not counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from onesided._blocks import Block
from onesided._text import counted
from onesided._typing import CSR, Array, Bools, Floats, Ints
from onesided.exceptions import DataError

if TYPE_CHECKING:
    import pyarrow as pa

_CLOSE = 256  # integers within this range are counted in a table of all integers between them
MISSING_BYTE = 255  # stands for NaN among bytes
_TALLY_BYTES = 1 << 20  # size of the table positions of a chunk, which fit into a core's cache
_TALLY_COLUMNS = 64  # of whole numbers that are counted together; their counts fit into it too


@dataclass(frozen=True)
class ValueCounts:
    """Number of rows by feature, value and label.

    Attributes
    ----------
    n_features : number of features
    feature : shape (n_entries,), feature of each entry, sorted
    value : shape (n_entries,), value of each entry, sorted within a feature; numbers, or objects
        if a feature holds text
    counts : shape (n_entries, 2), first the unlabeled and then the positive rows. Counts are int64,
        and sums of weights float64. The size depends on the number of distinct values, not on the
        number of rows
    """

    n_features: int
    feature: Ints
    value: Array
    counts: Array

    @classmethod
    def zero(cls, n_features: int) -> Self:
        """The counts of no rows."""
        none = np.empty(0, dtype=np.int64)
        return cls(n_features, none, none, np.empty((0, 2), dtype=np.int64))

    @classmethod
    def of(cls, block: Block) -> Self:
        """Count one block of labeled rows.

        Raises
        ------
        DataError : if the block has another number of features than the blocks before it, or if a
            column holds values that cannot be counted, such as lists
        """
        if block.weight is not None and not block.weight.all():
            block = block.rows(np.flatnonzero(block.weight))
        total = cls.zero(block.n_features)
        if block.n_rows == 0:
            return total
        width = None if block.is_sparse or block.is_arrow else _small_width(block.X)
        if width is None and not block.is_sparse:
            whole = None if block.is_arrow or block.weight is not None else whole_numbers(block.X)
            if whole is None:
                return cls(block.n_features, *_tally_columns(block))
            return cls(block.n_features, *_tally_whole_numbers(whole, block.labels()))
        for label, mask in enumerate((~block.labels(), block.labels())):
            if width is not None:
                feature, value, count = _tally_small_ints(block.X, mask, block.weight, width)
            else:
                kept = block.rows(np.flatnonzero(mask))
                feature, value, count = _tally_sparse(kept.X, kept.weight)
            counts = np.zeros((len(count), 2), dtype=count.dtype)
            counts[:, label] = count
            total = total + cls(block.n_features, feature, value, counts)
        return total

    def __add__(self, other: Self) -> Self:
        if self.n_features != other.n_features:
            raise DataError(
                f"A block has {counted(other.n_features, 'column')}, the blocks before it have "
                f"{self.n_features}.",
                "Build all blocks from one vocabulary.",
            )
        if len(self.feature) == 0:
            return other
        if len(other.feature) == 0:
            return self
        if _same_entries(self, other):
            return type(self)(self.n_features, self.feature, self.value, self.counts + other.counts)
        feature = np.concatenate([self.feature, other.feature])
        value = _concatenate(self.value, other.value)
        counts = np.concatenate([self.counts, other.counts])
        order = _entry_order(feature, value)
        feature, value, counts = feature[order], value[order], counts[order]
        starts = np.flatnonzero(_starts_entry(feature, value))
        return type(self)(
            self.n_features,
            feature[starts],
            value[starts],
            np.add.reduceat(counts, starts, axis=0),
        )


def _same_entries(one: ValueCounts, other: ValueCounts) -> bool:
    return np.array_equal(one.feature, other.feature) and np.array_equal(one.value, other.value)


def _concatenate(one: Array, other: Array) -> Array:
    if object in (one.dtype, other.dtype) and one.dtype != other.dtype:
        one, other = one.astype(object), other.astype(object)
    return np.concatenate([one, other])


def _entry_order(feature: Ints, value: Array) -> Array:
    if value.dtype != object:
        return np.lexsort((value, feature))
    entries = list(zip(feature.tolist(), value.tolist(), strict=True))
    try:
        return np.array(sorted(range(len(entries)), key=entries.__getitem__), dtype=np.int64)
    except TypeError as error:
        raise _not_comparable(error) from error


def _not_comparable(error: TypeError) -> DataError:
    return DataError(
        f"A feature holds values that cannot be compared: {error}.",
        "Keep one type of value in a column.",
    )


def _starts_entry(feature: Ints, value: Array) -> Bools:
    starts = np.ones(len(feature), dtype=bool)
    starts[1:] = (feature[1:] != feature[:-1]) | (value[1:] != value[:-1])
    return starts


def _small_width(X: Array) -> int | None:
    """Number of integers from the least to the greatest value; None if their table is too large.

    It is also None if the values are not integers.
    """
    if X.dtype.kind not in "biu" or X.dtype == np.uint64:
        return None
    width = int(X.max()) - int(X.min()) + 1
    return width if width * X.shape[1] <= max(4 * X.size, 1 << 12) else None


def _tally_small_ints(
    X: Array, mask: Bools, weight: Floats | None, width: int
) -> tuple[Ints, Array, Array]:
    low = int(X.min())
    n_rows, n_features = X.shape
    cell = np.arange(n_features) * width - low
    size = n_features * width
    table = np.zeros(size, dtype=np.int64 if weight is None else np.float64)
    step = max(1, _TALLY_BYTES // (8 * n_features))
    for start in range(0, n_rows, step):
        kept = mask[start : start + step]
        cells = (X[start : start + step][kept] + cell).ravel()
        if weight is None:
            table += np.bincount(cells, minlength=size)
        else:
            each = np.repeat(weight[start : start + step][kept], n_features)
            table += np.bincount(cells, weights=each, minlength=size)
    seen = np.flatnonzero(table)
    return seen // width, seen % width + low, table[seen]


def whole_numbers(X: Array) -> Array | None:
    """A dense matrix of floats as bytes, if it holds only whole numbers from 0 to 254 and NaN.

    Categories that are coded by numbers, such as quantiles, are matrices of this kind. Their values
    can be counted for all columns together.

    Returns
    -------
    shape as X, 255 for NaN; None if another number occurs, or X does not hold floats
    """
    if X.dtype.kind != "f" or X.dtype.itemsize > 8 or X.size == 0:  # noqa: PLR2004 - of a float64
        return None
    for part in (X[:1], X):  # the first row shows at once that most matrices hold other numbers
        numbers = np.where(np.isnan(part), MISSING_BYTE, part)
        if numbers.min() < 0 or numbers.max() > MISSING_BYTE:
            return None
        found = numbers.astype(np.uint8)
        if not (found == numbers).all():
            return None
    n_missing = np.count_nonzero(np.isnan(X))
    return found if np.count_nonzero(found == MISSING_BYTE) == n_missing else None


def _tally_whole_numbers(whole: Array, positive: Bools) -> tuple[Ints, Array, Array]:
    """The result of `_tally_columns` for the bytes of `whole_numbers`."""
    parts = []
    for first in range(0, whole.shape[1], _TALLY_COLUMNS):
        counts = _tally_bytes(whole[:, first : first + _TALLY_COLUMNS], positive)[:, :MISSING_BYTE]
        feature, value = np.nonzero(counts[:, :, 0] + counts[:, :, 1])
        parts.append((feature + first, value.astype(np.float64), counts[feature, value]))
    features, values, tables = zip(*parts, strict=True)
    return np.concatenate(features), np.concatenate(values), np.concatenate(tables)


def _tally_bytes(whole: Array, positive: Bools) -> Array:
    """Number of rows by feature, byte and label; shape (n_features, 256, 2)."""
    n_rows, n_features = whole.shape
    table = np.zeros(n_features << 9, dtype=np.int64)
    step = max(1, _TALLY_BYTES // (8 * n_features))
    for start in range(0, n_rows, step):
        cells = whole[start : start + step].astype(np.intp)
        cells <<= 1
        cells += np.arange(n_features) << 9
        cells += positive[start : start + step, None]
        table += np.bincount(cells.ravel(), minlength=len(table))
    return table.reshape(n_features, MISSING_BYTE + 1, 2)


def _tally_sparse(X: CSR, weight: Floats | None) -> tuple[Ints, Array, Array]:
    n_rows, n_features = X.shape
    row_weight = np.ones(n_rows) if weight is None else weight
    cell_weight = np.repeat(row_weight, np.diff(X.indptr))
    kinds, kind = np.unique(X.data, return_inverse=True)
    cells = X.indices.astype(np.int64) * len(kinds) + kind
    found, entry = np.unique(cells, return_inverse=True)
    stored = np.bincount(entry, weights=cell_weight, minlength=len(found))
    implicit = row_weight.sum() - np.bincount(X.indices, weights=cell_weight, minlength=n_features)
    feature = np.concatenate([found // max(len(kinds), 1), np.arange(n_features)])
    value = np.concatenate([kinds[found % max(len(kinds), 1)], np.zeros(n_features, kinds.dtype)])
    count = np.concatenate([stored, implicit])
    # Rows are counted, not weights: the difference of two sums of weights is rarely exactly 0.
    has_zero = np.bincount(X.indices, minlength=n_features) < n_rows
    kept = np.concatenate([np.ones(len(found), dtype=bool), has_zero])
    kept &= value == value  # noqa: PLR0124 - NaN, the missing value, differs from itself
    feature, value, count = feature[kept], canonical(value[kept]), count[kept]
    order = np.lexsort((value, feature))
    feature, value, count = feature[order], value[order], count[order]
    # Stored zeros and zeros that are not stored become one entry.
    starts = np.flatnonzero(_starts_entry(feature, value))
    count = np.add.reduceat(count, starts) if len(starts) else count
    if weight is None:
        count = np.rint(count).astype(np.int64)
    return feature[starts], value[starts], count


def _tally_columns(block: Block) -> tuple[Ints, Array, Array]:
    """Feature, value and counts of each entry; the counts have the shape (n_entries, 2)."""
    parts = [_tally_column(block, j) for j in range(block.n_features)]
    sizes = [len(values) for values, _ in parts]
    feature = np.repeat(np.arange(len(parts)), sizes)
    kinds = {values.dtype for values, _ in parts}
    if object in kinds and len(kinds) > 1:
        parts = [(values.astype(object), counts) for values, counts in parts]
    value = np.concatenate([values for values, _ in parts])
    return feature, value, np.concatenate([counts for _, counts in parts])


def _tally_column(block: Block, j: int) -> tuple[Array, Array]:
    """Sorted distinct values of one feature, (n_values,), and their counts, (n_values, 2)."""
    values, codes = factorize(block.column(j), _name(block, j))
    cells = np.multiply(codes, 2, dtype=np.intp)
    cells += block.labels()
    cells += 2  # a missing value has the code −1
    table = np.bincount(cells, weights=block.weight, minlength=2 * len(values) + 2)
    counts = table[2:].reshape(-1, 2)
    seen = np.flatnonzero(counts.any(axis=1))  # a dictionary may list values that do not occur
    values, counts = values[seen], counts[seen]
    try:
        order = np.argsort(values, kind="stable")
    except TypeError as error:
        raise _not_comparable(error) from error
    return values[order], counts[order]


def factorize(column: Array | pa.Array, name: object) -> tuple[Array, Array]:
    """Distinct values of a column, and the code of the value in each row.

    Parameters
    ----------
    column : shape (n_rows,)
    name : name of the column in an error

    Returns
    -------
    values : shape (n_values,), int64, float64 or object, in any order; some values may not occur
    codes : shape (n_rows,), place of each row's value in `values`; −1 for a missing value
    """
    import pyarrow as pa  # noqa: PLC0415 - arrays of small integers do not pay for it

    array: Any = column
    is_numpy = isinstance(column, np.ndarray)
    if not is_numpy and pa.types.is_integer(array.type) and array.null_count == 0:
        found = _factorize_close(array.to_numpy())
        if found is not None:
            return found
    try:
        array = pa.array(column, from_pandas=True) if is_numpy else array
        array = _countable(array)
        if pa.types.is_floating(array.type):
            # NaN counts as missing in every source. −0.0 + 0.0 is 0.0, so that there is one zero.
            array = pa.array(array.to_numpy(zero_copy_only=False) + 0.0, from_pandas=True)
        if not pa.types.is_dictionary(array.type):
            array = array.dictionary_encode()
    except (pa.ArrowException, OverflowError) as error:
        kind = getattr(column, "type", None)
        what = f"values of type {kind}" if kind is not None else "values of different types"
        raise DataError(
            f"Column {name!r} holds {what}, which are not categories.",
            "Keep one type of single values in it, or drop it.",
        ) from error
    indices = array.indices
    if indices.null_count:
        indices = indices.cast(pa.int64()).fill_null(-1)  # unsigned integers cannot hold −1
    codes = indices.to_numpy(zero_copy_only=False)
    values = _countable(array.dictionary)  # the values of categories may have any type
    return canonical(values.to_numpy(zero_copy_only=False)), codes


def _countable(array: Any) -> Any:
    """An Arrow array, converted to one common type for each kind of value.

    Arrow can count only some types. With a common type, equal values also compare as equal.
    """
    import pyarrow as pa  # noqa: PLC0415 - arrays of small integers do not pay for it

    kind = array.type
    if pa.types.is_float16(kind):
        return pa.array(canonical(array.to_numpy(zero_copy_only=False)), from_pandas=True)
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return array.cast(pa.timestamp("us"), safe=False)
    if pa.types.is_time(kind):
        return array.cast(pa.time64("us"), safe=False)
    if pa.types.is_duration(kind):
        return array.cast(pa.duration("us"), safe=False)
    if pa.types.is_string_view(kind):
        return array.cast(pa.string())
    return array


def _factorize_close(numbers: Array) -> tuple[Array, Array] | None:
    """The result of `factorize` for integers within a small range, in a fifth of its time.

    It is None if the range is not small.
    """
    if len(numbers) == 0 or numbers.dtype == np.uint64:
        return None
    low, high = int(numbers.min()), int(numbers.max())
    if high - low >= _CLOSE:
        return None
    return np.arange(low, high + 1), np.subtract(numbers, low, dtype=np.int64)


def canonical(values: Array) -> Array:
    """Values as int64, float64 or objects, so that equal values of all sources compare as equal.

    A float32 is converted by its shortest decimal: 0.1 becomes the float64 0.1, not 0.10000000149.

    Parameters
    ----------
    values : shape (n_values,); they should be distinct, because the conversion of decimals is slow
    """
    if values.dtype.kind in "biu" and (values.dtype != np.uint64 or not (values >> 63).any()):
        return values.astype(np.int64)
    if values.dtype.kind == "f":
        exact = values.dtype.itemsize >= np.dtype(np.float64).itemsize
        return (values if exact else values.astype(str)).astype(np.float64)
    return values.astype(object)


def _name(block: Block, j: int) -> Any:
    return block.X.schema.names[j] if block.is_arrow else j
