"""Files of svmlight's format: a label and numbered features on each line."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

from onesided._files._arrow import np, pa
from onesided._files._format import Format, Rows
from onesided._files._packed import opened
from onesided._text import first_line
from onesided.exceptions import TableError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

LABEL, FEATURES = "label", "features"
_NUMBER = r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"
_LINE = re.compile(rf"{_NUMBER}(,{_NUMBER})*(\s+qid:\d+)?(\s+\d+:{_NUMBER})+\s*(#.*)?")
_COMPARED_LINES = 20


class Svmlight(Format):
    """Rows with a number `label` and a map `features` from feature numbers to values."""

    name = form = "svmlight"
    title = "svmlight's format"
    endings = (".svm", ".svmlight", ".libsvm", ".dat")
    endings_alone = (".dat",)

    def holds(self, start: bytes, text: str) -> bool:
        """Whether each of the first lines has a label and features."""
        lines = [line for line in text.split("\n") if line.strip() and not line.startswith("#")]
        return bool(lines) and all(map(_LINE.fullmatch, lines[:_COMPARED_LINES]))

    def rows(self, root: Path, members: Sequence[Path]) -> Rows:
        """The rows of all files."""
        return Rows(pa.concat_tables(map(_read_svmlight, members)).combine_chunks(), self.form)


def is_sparse(kind: pa.DataType) -> bool:
    """Whether a column of this type holds maps from numbers of features to values."""
    t = pa.types
    return bool(
        t.is_map(kind)
        and t.is_integer(kind.key_type)
        and (t.is_integer(kind.item_type) or t.is_floating(kind.item_type))
    )


def _read_svmlight(path: Path) -> pa.Table:
    from sklearn.datasets import load_svmlight_file  # noqa: PLC0415 - slow to load

    try:
        # With `zero_based`, features keep the numbers of the file.
        with opened(path) as stream:
            X, labels = load_svmlight_file(io.BufferedReader(stream), zero_based=True)
    except (ValueError, OverflowError, OSError) as error:
        raise TableError(
            f"{path.name!r} cannot be read as svmlight: {first_line(error)}.",
            "Write a label and then NUMBER:VALUE on each line, in ascending order of NUMBER.",
        ) from error
    if not X.shape[0]:
        raise TableError(f"{path.name!r} holds no row.", "Write the file again.")
    if len(X.indices) and X.indices.max() > np.iinfo(np.int32).max:
        raise TableError(
            f"{path.name!r} has a feature {X.indices.max()}, which is more than 2,147,483,647.",
            "Number the features from 1.",
        )
    if not np.isfinite(X.data).all():
        row = int(np.searchsorted(X.indptr, np.argmin(np.isfinite(X.data)), side="right"))
        raise TableError(
            f"{path.name!r} holds a value that is not a finite number in row {row}.",
            "Remove the value or replace it.",
        )
    features = pa.MapArray.from_arrays(
        pa.array(X.indptr.astype(np.int32)), pa.array(X.indices.astype(np.int32)), pa.array(X.data)
    )
    return pa.table({LABEL: labels, FEATURES: features})
