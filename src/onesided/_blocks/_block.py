"""A run of consecutive rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np
from scipy import sparse

from onesided._files._names import as_floats
from onesided._numerics._stacking import stacked
from onesided._typing import Array, Bools, Floats, Ints, Matrix
from onesided.exceptions import DataError

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Block:
    """Consecutive rows of a source.

    Attributes
    ----------
    X : dense array or CSR matrix of shape (n_rows, n_features), or an Arrow record batch with one
        column for each feature; or a data frame, if the source keeps data frames
    start : global index of the first row
    positive : shape (n_rows,), whether each row is positive; None if only features are read
    weight : shape (n_rows,), weight of each row; None if every row counts once

    Examples
    --------
    >>> import numpy as np
    >>> block = Block(np.array([[1.0, 2.0], [3.0, 4.0]]), positive=np.array([True, False]))
    >>> block.labels() @ block.dense(), block.weights()
    (array([1., 2.]), array([1., 1.]))
    """

    X: Any
    start: int = 0
    positive: Bools | None = None
    weight: Floats | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.X.num_rows if self.is_arrow else self.X.shape[0]

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.X.num_columns if self.is_arrow else self.X.shape[1]

    @property
    def is_arrow(self) -> bool:
        """Whether X is an Arrow record batch."""
        return hasattr(self.X, "num_columns")

    @property
    def is_sparse(self) -> bool:
        """Whether X is a sparse matrix."""
        return sparse.issparse(self.X)

    def labels(self) -> Bools:
        """Mask of the positive rows; shape (n_rows,). The block must have labels."""
        assert self.positive is not None
        return self.positive

    def weights(self) -> Floats:
        """Weight of each row, 1 for each row by default; shape (n_rows,)."""
        return np.ones(self.n_rows) if self.weight is None else self.weight

    def matrix(self) -> Matrix:
        """X as float64 numbers, shape (n_rows, n_features); a CSR matrix if X is one.

        Raises
        ------
        DataError : if a column does not hold numbers
        """
        if self.is_arrow:
            return numbers_of(self.X)
        if self.is_sparse:
            matrix: Matrix = self.X.astype(np.float64, copy=False)
            return matrix
        return np.asarray(self.X, dtype=np.float64)

    def dense(self) -> Floats:
        """X as a dense float64 array of shape (n_rows, n_features), also if X is sparse."""
        X: Any = self.matrix()
        return X.toarray() if self.is_sparse else X

    def column(self, feature: int) -> Array | pa.Array:
        """One feature, shape (n_rows,); not for sparse matrices."""
        return self.X.column(feature) if self.is_arrow else self.X[:, feature]

    @classmethod
    def joined(cls, blocks: Sequence[Block]) -> Block:
        """One block that joins one or more consecutive blocks."""
        first = blocks[0]
        if len(blocks) == 1:
            return first
        parts = [block.X for block in blocks]
        if first.is_arrow:
            import pyarrow as pa  # noqa: PLC0415 - only Arrow data pays for it

            batches = pa.Table.from_batches(parts).combine_chunks().to_batches()
            X = batches[0] if batches else parts[0]
        else:
            X = stacked(parts)
        labels, weights = [b.positive for b in blocks], [b.weight for b in blocks]
        return cls(
            X,
            first.start,
            None if first.positive is None else np.concatenate(labels),  # type: ignore[arg-type]  # all blocks have labels, or none
            None if first.weight is None else np.concatenate(weights),  # type: ignore[arg-type]  # all blocks have weights, or none
        )

    def pieces(self, n_rows: int) -> Iterator[Block]:
        """Blocks of at most `n_rows` consecutive rows; this block itself if it has no more."""
        if self.n_rows <= n_rows:
            yield self
            return
        for start in range(0, self.n_rows, n_rows):
            rows = np.arange(start, min(start + n_rows, self.n_rows))
            yield replace(self.rows(rows), start=self.start + start)

    def rows(self, rows: Ints) -> Block:
        """Block of the rows with these indices within this block, in the order of the indices."""
        if np.array_equal(rows, np.arange(self.n_rows)):
            return self
        kept: Ints | slice = rows
        if len(rows) and (np.diff(rows) == 1).all():  # consecutive rows are not copied
            kept = slice(int(rows[0]), int(rows[-1]) + 1)
        positive = None if self.positive is None else self.positive[kept]
        weight = None if self.weight is None else self.weight[kept]
        if not self.is_arrow:
            is_frame = nw.dependencies.is_into_dataframe(self.X)
            X = nw.from_native(self.X)[kept, :].to_native() if is_frame else self.X[kept]
        elif isinstance(kept, slice):
            X = self.X.slice(kept.start, len(rows))
        else:
            X = self.X.take(kept)
        return Block(X, self.start, positive, weight)


def numbers_of(batch: pa.RecordBatch) -> Floats:
    """Columns of a record batch as float64, missing as NaN; shape (n_rows, n_columns).

    Raises
    ------
    DataError : if a column holds neither numbers nor booleans
    """
    import pyarrow as pa  # noqa: PLC0415 - only Arrow data pays for it

    out = np.empty((batch.num_rows, batch.num_columns))
    for j, (name, column) in enumerate(zip(batch.schema.names, batch.columns, strict=True)):
        kind = column.type
        numeric = (
            pa.types.is_integer(kind)
            or pa.types.is_floating(kind)
            or pa.types.is_boolean(kind)
            or pa.types.is_decimal(kind)
            or pa.types.is_null(kind)
        )
        if not numeric:
            mend = "Encode it first, with OneHotEncoder in a pipeline for example, or drop it."
            if pa.types.is_temporal(kind):
                mend = "Make it a number first, days since a date for example, or drop it."
            raise DataError(
                f"Column {name!r} holds {kind} values; this learner takes numbers.", mend
            )
        out[:, j] = as_floats(column).to_numpy(zero_copy_only=False)
    return out
