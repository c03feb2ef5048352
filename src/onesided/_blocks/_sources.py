"""Sources of blocks: arrays, CSR matrices, data frames and files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import narwhals.stable.v2 as nw
import numpy as np
from scipy import sparse

from onesided._blocks._block import Block
from onesided._blocks._checks import (
    Numeric,
    check_finite,
    check_has_rows,
    check_length,
    checked_matrix,
    checked_numbers,
    no_column,
    positions_of,
    without_columns,
)
from onesided._blocks._pass import Source
from onesided._files._marks import plain_cells
from onesided._files._memory import available_memory
from onesided._files._names import plain_batch, spelled, why_no_labels
from onesided._files._passes import FileTable
from onesided._frames import as_table, check_names, column_names, is_sparse_frame, plain_frame
from onesided._labels import LabelCoding, LabelValues, coding_of, encode_labels
from onesided._numerics._stacking import stacked
from onesided._text import first_line
from onesided._typing import CSR, Bools, Floats, Ints, Matrix
from onesided._validation import check_weight
from onesided.exceptions import DataError, LabelError, TableError

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.dataset as pads

BLOCK_ROWS = 16_384
"""Largest number of rows of a block that is cut from an array.

Blocks are so large that a pass takes no longer than one product with all rows, and so small that
temporary arrays of a block stay smaller than the data.
"""


class ArraySource(Source):
    """A dense array or a CSR matrix in memory.

    Parameters
    ----------
    X : shape (n_rows, n_features)
    positive : shape (n_rows,), or None
    weight : shape (n_rows,), or None
    names : name of each feature, or None
    cuts : first row of each block, ascending from 0; by default a block has 16,384 rows. Two equal
        cuts make an empty block.
    """

    def __init__(
        self,
        X: Matrix,
        positive: Bools | None = None,
        weight: Floats | None = None,
        *,
        names: Sequence[str] | None = None,
        cuts: Sequence[int] | None = None,
    ) -> None:
        self._X = X
        self._positive = positive
        self._weight = weight
        self.feature_names = None if names is None else tuple(names)
        n_rows, self.n_features = X.shape
        self._cuts = list(cuts if cuts is not None else range(0, max(n_rows, 1), BLOCK_ROWS))
        self._ends = [*self._cuts[1:], n_rows]

    def blocks(self) -> Iterator[Block]:
        """Views of consecutive rows."""
        for start, end in zip(self._cuts, self._ends, strict=True):
            rows = slice(start, end)
            yield Block(
                _row_slice(self._X, start, end),
                start,
                None if self._positive is None else self._positive[rows],
                None if self._weight is None else self._weight[rows],
            )

    def taken(self, rows: Ints) -> Block:
        """Some rows as one block; a view of the array if these are all rows."""
        return Block(self._X).rows(rows.astype(np.int64))

    def held(self, rows: Ints) -> tuple[Block, Ints]:
        """The whole array, and the places of the rows in it."""
        return Block(self._X), rows.astype(np.int64)

    def checked(self, numeric: Numeric) -> ArraySource:
        """The same source, after the check of its numbers; `numeric` as for `check_finite`."""
        check_finite(self._X, numeric, self.feature_names)
        return self

    def only(self, *, positive: bool) -> ArraySource:
        """A copy of the rows of one label, for learners that pass over these rows many times."""
        assert self._positive is not None
        rows = np.flatnonzero(self._positive == positive)
        weight = None if self._weight is None else self._weight[rows]
        return ArraySource(self._X[rows], self._positive[rows], weight, names=self.feature_names)

    def mapped(self, prepare: Callable[[Block], Block]) -> ArraySource:
        """The same rows, each block prepared once, for learners that pass over them many times."""
        X = stacked([prepare(block).matrix() for block in self.blocks()])
        return ArraySource(
            X, self._positive, self._weight, names=self.feature_names, cuts=self._cuts
        )

    def select(self, names: Sequence[str]) -> ArraySource:
        """The same rows with these features, in this order."""
        order = positions_of(names, self.feature_names)
        if order == list(range(self.n_features)):
            return self
        return ArraySource(
            self._X[:, order], self._positive, self._weight, names=names, cuts=self._cuts
        )

    def labeled(self, positive: Bools, weight: Floats | None) -> ArraySource:
        """The same rows with these labels and weights, both of shape (n_rows,)."""
        check_length(positive, self._X.shape[0])
        return ArraySource(self._X, positive, weight, names=self.feature_names, cuts=self._cuts)


class ArrowSource(Source):
    """An Arrow table or dataset, read batch by batch; files are never held whole.

    Parameters
    ----------
    data : has `schema` and `to_batches(columns=...)`, as `pyarrow.Table` and
        `pyarrow.dataset.Dataset`
    features : columns to learn from, in this order; all by default
    label : the column of labels and the meaning of its values, or None
    positive : shape (n_rows,), labels that are not a column
    weight : shape (n_rows,), or None
    numeric : whether blocks hold checked numbers, as for `read_features`, or record batches
    """

    def __init__(
        self,
        data: pa.Table | pads.Dataset,
        features: Sequence[str] | None = None,
        *,
        numeric: Numeric = False,
        label: tuple[str, LabelCoding] | None = None,
        positive: Bools | None = None,
        weight: Floats | None = None,
    ) -> None:
        self._data = data
        self._numeric = numeric
        self._label = label
        self._positive = positive
        self._weight = weight
        known = data.schema.names
        check_names(known)
        self._columns = list(known if features is None else features)
        self.feature_names, self.n_features = tuple(self._columns), len(self._columns)

    def blocks(self) -> Iterator[Block]:
        """One block for each batch of the data."""
        beside = [] if self._label is None else [self._label[0]]
        start = 0
        batches = _batches(self._data, [*self._columns, *beside])
        for batch in batches:
            end = start + batch.num_rows
            if self._positive is not None and len(self._positive) < end:
                check_length(self._positive, end + sum(rest.num_rows for rest in batches))
            rows = batch.select(self._columns)
            X = checked_numbers(rows, self._numeric) if self._numeric else rows
            weight = None if self._weight is None else self._weight[start:end]
            yield Block(X, start, self._labels(batch, start, end), weight)
            start = end
        if self._positive is not None:
            check_length(self._positive, start)

    def n_rows_outside(self) -> int:
        """Number of rows that are in files; files of text are read to count them."""
        return int(self._data.count_rows()) if hasattr(self._data, "count_rows") else 0

    def select(self, names: Sequence[str]) -> ArrowSource:
        """The same rows with these features, in this order."""
        positions_of(names, self.feature_names)
        return self._like(names, label=self._label, positive=self._positive, weight=self._weight)

    def labeled(self, positive: Bools, weight: Floats | None) -> ArrowSource:
        """The same rows with these labels and weights, both of shape (n_rows,)."""
        return self._like(self._columns, positive=positive, weight=weight)

    def _like(self, features: Sequence[str], **more: Any) -> ArrowSource:
        return ArrowSource(self._data, features, numeric=self._numeric, **more)

    def _labels(self, batch: pa.RecordBatch, start: int, end: int) -> Bools | None:
        if self._label is None:
            return None if self._positive is None else self._positive[start:end]
        name, coding = self._label
        return coding.encode(_labels_of(batch.column(name), name))


class FrameSource(Source):
    """A data frame in memory; its blocks are rows of the frame with their own types.

    It is for a learner that passes rows on to other learners, which may know types that Arrow
    lacks.

    Parameters
    ----------
    frame : of a kind that narwhals knows
    positive : shape (n_rows,), or None
    weight : shape (n_rows,), or None
    """

    def __init__(
        self, frame: Any, positive: Bools | None = None, weight: Floats | None = None
    ) -> None:
        names = [*map(str, column_names(frame))]
        check_names(names)
        self._frame = nw.from_native(frame, eager_only=True)
        check_has_rows(len(self._frame))
        self._positive = positive
        self._weight = weight
        self.feature_names, self.n_features = tuple(names), len(names)

    def blocks(self) -> Iterator[Block]:
        """Consecutive rows."""
        for start in range(0, len(self._frame), BLOCK_ROWS):
            rows = slice(start, start + BLOCK_ROWS)
            positive = None if self._positive is None else self._positive[rows]
            weight = None if self._weight is None else self._weight[rows]
            yield Block(self._frame[rows, :].to_native(), start, positive, weight)

    def taken(self, rows: Ints) -> Block:
        """Some rows as one block."""
        return Block(self._frame.to_native()).rows(rows.astype(np.int64))

    def select(self, names: Sequence[str]) -> FrameSource:
        """The same rows with these features, in this order."""
        order = positions_of(names, self.feature_names)
        return FrameSource(self._frame[:, order].to_native(), self._positive, self._weight)

    def labeled(self, positive: Bools, weight: Floats | None) -> FrameSource:
        """The same rows with these labels and weights, both of shape (n_rows,)."""
        check_length(positive, len(self._frame))
        return FrameSource(self._frame.to_native(), positive, weight)

    def labeled_by(
        self, name: str, sample_weight: Any, positive_label: Any
    ) -> tuple[Source, LabelCoding]:
        """The rows with labels from a column outside the features, and the coding of the labels."""
        rest, y = _without_labels(self._frame.to_native(), name)
        return labeled_source(
            FrameSource(rest),
            y,
            sample_weight=sample_weight,
            positive_label=positive_label,
            numeric=False,
        )


def held_source(block: Block) -> Source:
    """A source that consists of one block."""
    if block.is_arrow:
        import pyarrow as pa  # noqa: PLC0415 - only Arrow data pays for it

        table = pa.Table.from_batches([block.X])
        return ArrowSource(table, positive=block.positive, weight=block.weight)
    return ArraySource(block.X, block.positive, block.weight)


def check_can_hold(source: Source, learner: str, *, all_rows: bool = True) -> None:
    """Refuse a source that a learner cannot hold in memory.

    Parameters
    ----------
    source : that the learner reads
    learner : name of the learner in errors
    all_rows : whether the learner holds all rows as float64, not only the positives

    Raises
    ------
    DataError : if rows are made during reading, or need more memory than is free
    """
    n_rows = source.n_rows_outside()
    n_bytes = 8 * n_rows * source.n_features
    if all_rows and n_bytes > available_memory():
        raise DataError(
            f"{learner} holds all rows in memory, and {n_rows:,} of {source.n_features} features "
            f"take {n_bytes / 1e9:,.0f} GB.",
            "Use a learner that passes over rows, as WeightedLogisticRegression or "
            'SignificanceRanker(kernel="linear"), or a sample of the unlabeled rows.',
        )
    if source.is_made_while_read:
        raise DataError(
            f"{learner} needs all rows in memory, but these documents are read in blocks.",
            "Use WeightedLogisticRegression, NoisyOrClassifier, LGN, PositiveMultinomialNB or "
            "CenterOfMassRanker, or hold the rows as a matrix: HashedText(...).to_csr().",
        )


def is_dask(X: Any) -> bool:
    """Whether X is a Dask collection, an array or a data frame or one of its columns."""
    return hasattr(X, "__dask_graph__") and hasattr(X, "to_delayed")


def is_frame(X: Any) -> bool:
    """Whether X is a data frame that narwhals knows: pandas, polars, Arrow and others."""
    return nw.dependencies.is_into_dataframe(X)


def read_features(X: Any, *, numeric: Numeric) -> Source:
    """X as a source of features.

    Parameters
    ----------
    X : array-like, CSR matrix, data frame, Arrow dataset, path of a file or folder, or source
    numeric : True accepts only finite numbers, "allow-nan" also missing values, False any values
    """
    if isinstance(X, Source):
        return X.checked(numeric) if numeric and isinstance(X, ArraySource) else X
    if is_dask(X):
        from onesided._blocks._dask import DaskSource  # noqa: PLC0415 - an extra

        return DaskSource.of(X, numeric=numeric)
    if isinstance(X, str | os.PathLike):
        X = FileTable(X)
    if is_frame(X):
        return _read_frame(X, numeric=numeric)
    if hasattr(X, "to_batches"):
        return ArrowSource(X, numeric=numeric)
    return _of_matrix(X, numeric=numeric)


@contextmanager
def naming_columns(X: Any, *, numeric: Numeric) -> Iterator[None]:
    """Context in which a failure to read X as numbers is the error that the learners raise.

    Parameters
    ----------
    X : of frames, the column that holds other values is named
    numeric : as for `read_features`
    """
    try:
        yield
    except (TypeError, ValueError):
        if is_frame(X) or getattr(X, "dtype", None) == np.dtype(object):
            for block in read_features(X, numeric=numeric).blocks():
                block.matrix()
        raise


def labeled_source(
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    positive_label: Any = None,
    numeric: Numeric,
) -> tuple[Source, LabelCoding]:
    """X and y as one source of labeled rows, and the coding of the labels.

    Parameters
    ----------
    X : as for `read_features`
    y : shape (n_rows,), or the name of the column of X that holds the labels
    sample_weight : shape (n_rows,), or None
    positive_label : the value of y that means positive
    numeric : as for `read_features`
    """
    if isinstance(y, str):
        if isinstance(X, Source):
            return X.labeled_by(y, sample_weight, positive_label)
        return _split_label(X, y, sample_weight, positive_label, numeric=numeric)
    features = read_features(X, numeric=numeric)
    y, sample_weight = (each.compute() if is_dask(each) else each for each in (y, sample_weight))
    positive, coding = encode_labels(y, positive_label)
    weight = check_weight(sample_weight, len(positive))
    return features.labeled(positive, weight), coding


def _split_label(
    X: Any, name: str, sample_weight: Any, positive_label: Any, *, numeric: Numeric
) -> tuple[Source, LabelCoding]:
    if is_frame(X):
        rest, y = _without_labels(X, name)
        return labeled_source(
            rest,
            y,
            sample_weight=sample_weight,
            positive_label=positive_label,
            numeric=numeric,
        )
    if is_dask(X) and hasattr(X, "columns"):
        name = spelled(name, list(X.columns))
        if name not in X.columns:
            raise no_column(name, list(X.columns))
        return labeled_source(
            X.drop(columns=[name]),
            X[name],
            sample_weight=sample_weight,
            positive_label=positive_label,
            numeric=numeric,
        )
    data = FileTable(X) if isinstance(X, str | os.PathLike) else X
    if not hasattr(data, "to_batches"):
        raise without_columns(X, name)
    name = _label_in(data, name)
    seen = LabelValues()
    for batch in _batches(data, [name]):
        if batch.num_rows:
            seen = seen + LabelValues.of(_labels_of(batch.column(name), name))
    coding = coding_of(seen, positive_label)
    features = [column for column in data.schema.names if column != name]
    weight = check_weight(sample_weight, seen.n_rows)
    label = name, coding
    return ArrowSource(data, features, numeric=numeric, label=label, weight=weight), coding


def _without_labels(X: Any, name: str) -> tuple[Any, Any]:
    """A frame without its column of labels, and this column."""
    check_names([*map(str, column_names(X))])
    frame = nw.from_native(X, eager_only=True)
    name = spelled(name, frame.columns)
    if name not in frame.columns:
        raise no_column(name, frame.columns)
    y = frame.get_column(name).to_native()
    if nw.dependencies.is_pyarrow_chunked_array(y):
        y = _labels_of(plain_cells(name, y, None).combine_chunks(), name)
    return frame.drop(name).to_native(), y


def _label_in(data: Any, name: str) -> str:
    """The name of the column of labels as the data spell it."""
    name = spelled(name, data.schema.names)
    if name not in data.schema.names:
        raise no_column(name, data.schema.names)
    if isinstance(data, FileTable):
        data.check_errors(name)
    return name


def _read_frame(X: Any, *, numeric: Numeric) -> Source:
    check_names([*map(str, column_names(X))])
    X = X if is_sparse_frame(X) else plain_frame(X)
    frame = nw.from_native(X, eager_only=True)
    names = [str(name) for name in frame.columns]
    check_has_rows(len(frame))
    kinds = frame.schema.values()
    are_numbers = all(kind.is_numeric() or kind == nw.Boolean() for kind in kinds)
    # In a float64 matrix, decimals of float32 columns, such as 0.1, would change.
    is_matrix = are_numbers and (bool(numeric) or nw.Float32() not in kinds)
    if is_matrix or is_sparse_frame(X):
        return _of_matrix(X, numeric=numeric, names=names)
    table = as_table(nw.maybe_reset_index(frame), wide_as_text=False)
    return ArrowSource(table.rename_columns(names), numeric=numeric)


def _of_matrix(X: Any, *, numeric: Numeric, names: Sequence[str] | None = None) -> ArraySource:
    found = checked_matrix(X, numeric=numeric, names=names)
    check_has_rows(found.shape[0])
    return ArraySource(found, names=names)


def _batches(data: Any, columns: list[str]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa  # noqa: PLC0415 - only Arrow data pays for it

    try:
        held = data.select(columns) if isinstance(data, pa.Table) else None
        for batch in data.to_batches(columns=columns) if held is None else held.to_batches():
            yield plain_batch(batch)
    except (pa.ArrowInvalid, OSError) as error:
        raise TableError(
            f"The data cannot be read to its end: {first_line(error)}.",
            "Keep one type of value in a column, and check that the files are complete.",
        ) from error


def _labels_of(cells: pa.Array, name: str) -> Any:
    """The values of a column of labels, shape (n_rows,)."""
    if refused := why_no_labels(name, cells.type):
        raise LabelError(*refused)
    return cells.to_numpy(zero_copy_only=False)


def _row_slice(X: Matrix, start: int, end: int) -> Matrix:
    """Rows of X without a copy of their entries."""
    if not sparse.issparse(X):
        return X[start:end]
    matrix = cast("CSR", X)
    if (start, end) == (0, matrix.shape[0]):
        return matrix
    first, last = matrix.indptr[start], matrix.indptr[end]
    part = type(matrix)((end - start, matrix.shape[1]), dtype=matrix.dtype)
    part.data = matrix.data[first:last]
    part.indices = matrix.indices[first:last]
    part.indptr = matrix.indptr[start : end + 1] - first
    return part
