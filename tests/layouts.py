"""The layouts that rows come in, the types of their numbers, and the learners that get them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import dask.array
import dask.dataframe
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
from scipy import sparse
from sklearn.base import BaseEstimator

from checks import configured, public_estimators
from onesided import PUBagging, SignificanceRanker
from onesided.models._base import PositiveUnlabeledClassifier

NULLABLE = {
    "float64": "Float64",
    "float32": "Float32",
    "int64": "Int64",
    "uint8": "UInt8",
    "bool": "boolean",
}
"""Types of numbers, and what pandas calls those with gaps."""
_PARTS = 3  # of a Dask collection


@dataclass(frozen=True)
class Rows:
    """Rows to store.

    Attributes
    ----------
    X : float64, with NaN for gaps
    kind : type of the numbers
    folder : for files
    order : of the columns, where they have names
    """

    X: np.ndarray
    kind: str
    folder: Path
    order: tuple[int, ...] | None = None

    @property
    def array(self) -> np.ndarray:
        """As an array of the type."""
        return self.X.astype(self.kind)

    @property
    def columns(self) -> dict[str, np.ndarray]:
        """Columns of float64 by name."""
        return {f"f{column}": self.X[:, column] for column in self.order or range(self.X.shape[1])}

    @property
    def table(self) -> pa.Table:
        """As an Arrow table."""
        kind = pa.from_numpy_dtype(self.kind)
        columns = {
            name: pa.array(each, from_pandas=True).cast(kind) for name, each in self.columns.items()
        }
        return pa.table(columns)

    @property
    def frame(self) -> pd.DataFrame:
        """As a frame of pandas with the types of numpy."""
        return pd.DataFrame(self.columns).astype(self.kind)

    @property
    def nullable(self) -> pd.DataFrame:
        """As a frame of pandas with types that have gaps."""
        return pd.DataFrame(self.columns).astype(NULLABLE[self.kind])

    @property
    def path(self) -> Path:
        """Of a new file, without its ending."""
        return Path(mkdtemp(dir=self.folder)) / "rows"


def learners() -> dict[str, BaseEstimator]:
    """Each public learner, and those that have other ways of learning from the same rows."""
    found = {
        type(each).__name__: configured(each)
        for each in public_estimators()
        if isinstance(each, PositiveUnlabeledClassifier)
    }
    return found | {
        "PUBagging of defaults": PUBagging(n_estimators=10, random_state=0),
        "SignificanceRanker of rbf": SignificanceRanker("rbf", 100, random_state=0),
        "SignificanceRanker of poly": SignificanceRanker("poly", 100, random_state=0),
    }


def _parquet(rows: Rows) -> Path:
    path = rows.path.with_suffix(".parquet")
    pyarrow.parquet.write_table(rows.table, path, row_group_size=17)
    return path


def _csv(rows: Rows) -> Path:
    path = rows.path.with_suffix(".csv")
    rows.nullable.to_csv(path, index=False)
    return path


def _json(rows: Rows) -> Path:
    path = rows.path.with_suffix(".jsonl")
    pl.from_arrow(rows.table).write_ndjson(path)
    return path


def _disordered(X: np.ndarray) -> Any:
    """A CSR matrix in no order, with zeros, and each value in two parts."""
    width = 2 * X.shape[1]
    parts = np.stack([np.zeros_like(X), X], axis=2).reshape(len(X), width)
    columns = np.broadcast_to(np.repeat(np.arange(X.shape[1]), 2), parts.shape)
    starts = np.arange(len(X) + 1) * width
    return sparse.csr_matrix((parts[:, ::-1].ravel(), columns[:, ::-1].ravel(), starts), X.shape)


def _in_parts(X: np.ndarray, columns: int) -> Any:
    return dask.array.from_array(X, chunks=(max(1, -(-len(X) // _PARTS)), columns))


def _dask_frame(frame: pd.DataFrame) -> Any:
    return dask.dataframe.from_pandas(frame, npartitions=_PARTS)


def _of_array(make: Callable[[np.ndarray], Any]) -> Callable[[Rows], Any]:
    return lambda rows: make(rows.array)


_DENSE: dict[str, Callable[[Rows], Any]] = {
    "array": _of_array(np.asarray),
    "fortran": _of_array(np.asfortranarray),
    "list": _of_array(np.ndarray.tolist),
    "dask array": _of_array(lambda X: _in_parts(X, 3)),
    "pandas": lambda rows: rows.frame,
    "dask frame": lambda rows: _dask_frame(rows.frame),
}
_SPARSE: dict[str, Callable[[Rows], Any]] = {
    **{
        each.__name__: _of_array(each)
        for each in (*sparse.sparray.__subclasses__(), *sparse.spmatrix.__subclasses__())
    },
    "disordered": _of_array(_disordered),
    "dask sparse": _of_array(lambda X: _in_parts(X, -1).map_blocks(sparse.csr_matrix)),
    "pandas sparse": lambda rows: rows.frame.astype(
        pd.SparseDtype(rows.kind, np.dtype(rows.kind).type(0))
    ),
}
_WITH_NULLS: dict[str, Callable[[Rows], Any]] = {
    "pandas nullable": lambda rows: rows.nullable,
    "pandas of arrow": lambda rows: rows.table.to_pandas(types_mapper=pd.ArrowDtype),
    "dask nullable": lambda rows: _dask_frame(rows.nullable),
    "polars": lambda rows: pl.from_arrow(rows.table),
    "arrow": lambda rows: rows.table,
    "dataset": lambda rows: pyarrow.dataset.dataset(rows.table),
    "parquet": _parquet,
    "csv": _csv,
    "json": _json,
}
"""Layouts in which integers may have gaps."""

LAYOUTS = _DENSE | _SPARSE | _WITH_NULLS
NAMED = (*_WITH_NULLS, "pandas", "pandas sparse", "dask frame")
"""Layouts whose columns have names."""


def layouts_of(kind: str, *, gaps: bool) -> list[str]:
    """Names of the layouts that hold numbers of a type, with gaps or without.

    A list holds Python's numbers, which have double precision.
    """
    names = _WITH_NULLS if gaps and not kind.startswith("float") else LAYOUTS
    return [name for name in names if (name, kind) != ("list", "float32")]


def is_sparse(layout: str) -> bool:
    """Whether learners get sparse rows."""
    return layout in _SPARSE
