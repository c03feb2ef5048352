"""Files of svmlight's format: a label and numbered features on each line."""

import zlib
from pathlib import Path

import numpy as np
import pyarrow as pa
from sklearn.datasets import load_svmlight_file

from onesided._blocks._files import first_line
from onesided.exceptions import TableError

SVMLIGHT_ENDINGS = (".svm", ".svmlight", ".libsvm", ".dat")
LABEL, FEATURES = "label", "features"


def read_svmlight(path: Path) -> pa.Table:
    """Rows of a file of svmlight's format.

    Parameters
    ----------
    path : of the file, also .gz and .bz2

    Returns
    -------
    columns `label`, a number, and `features`, for each row a map from numbers of features, as they
    are in the file, to values

    Raises
    ------
    TableError : if it is no such file
    """
    try:
        # From zero: the numbers are those of the file.
        X, labels = load_svmlight_file(str(path), zero_based=True)
    except (ValueError, OverflowError, OSError, EOFError, zlib.error) as error:
        raise TableError(
            f"{path.name!r} cannot be read as svmlight: {first_line(error)}.",
            "Write a label and then NUMBER:VALUE on each line, the numbers rising.",
        ) from error
    if not X.shape[0]:
        raise TableError(f"{path.name!r} holds no row.", "Write the rows once more.")
    if len(X.indices) and X.indices.max() > np.iinfo(np.int32).max:
        raise TableError(
            f"{path.name!r} has a feature {X.indices.max()}, which is more than 2,147,483,647.",
            "Number the features from 1.",
        )
    if not np.isfinite(X.data).all():
        row = int(np.searchsorted(X.indptr, np.argmin(np.isfinite(X.data)), side="right"))
        raise TableError(
            f"{path.name!r} holds a value that is no finite number, in row {row}.",
            "Leave it out or replace it.",
        )
    features = pa.MapArray.from_arrays(
        pa.array(X.indptr.astype(np.int32)), pa.array(X.indices.astype(np.int32)), pa.array(X.data)
    )
    return pa.table({LABEL: labels, FEATURES: features})
