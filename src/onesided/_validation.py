"""Checks that scikit-learn does not have, and rows of tables of any kind."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from onesided._typing import Array, Floats, Ints
from onesided.exceptions import DataError


def check_number(
    value: Any,
    name: str,
    mend: str,
    *,
    above: float | None = None,
    at_least: float | None = None,
    below: float | None = None,
    whole: bool = False,
) -> None:
    """Refuse what is not a finite number, or lies below its range.

    Parameters
    ----------
    value : to check
    name : of the parameter
    mend : one sentence on what to pass
    above, at_least : lower end of the range, exclusive or inclusive
    below : upper end, exclusive
    whole : whether only whole numbers will do

    Raises
    ------
    DataError : with the value, the range and the mend
    """
    kinds = int | np.integer if whole else int | float | np.integer | np.floating
    fits = isinstance(value, kinds) and not isinstance(value, bool) and np.isfinite(value)
    if fits and above is not None:
        fits = value > above
    if fits and at_least is not None:
        fits = value >= at_least
    if fits and below is not None and not value < below:
        raise DataError(f"{name}={value!r} is not below {below:g}.", mend)
    if fits:
        return
    kind = "whole number" if whole else "finite number"
    bound = f" above {above:g}" if above is not None else ""
    bound = f" of at least {at_least:g}" if at_least is not None else bound
    raise DataError(f"{name}={value!r} is not a {kind}{bound}.", mend)


def check_scores(scores: ArrayLike, name: str, *, may_be_empty: bool = True) -> Floats:
    """Scores as an array of one number a row, infinite ones too.

    Parameters
    ----------
    scores : shape (n_rows,)
    name : of the parameter
    may_be_empty : whether no rows will do

    Raises
    ------
    DataError : if they are no numbers, or NaN, or too few
    """
    given = np.asarray(scores)
    try:
        found: Floats = given.astype(np.float64) if given.dtype.kind != "c" else np.empty((0, 0))
    except (TypeError, ValueError):
        found = np.empty((0, 0))
    if found.ndim != 1:
        raise DataError(
            f"{name} is an array of {given.dtype} of shape {given.shape}.",
            "Pass one number for each row.",
        )
    if without := int(np.isnan(found).sum()):
        raise DataError(
            f"{name} has {without} values that are NaN.", "Pass one number for each row."
        )
    if not (may_be_empty or len(found)):
        raise DataError(f"{name} is empty.", "Pass the score of one row or more.")
    return found


def check_rows(X: Any, n_rows: int) -> None:
    """Refuse X of another number of rows than y has.

    Raises
    ------
    DataError : with both
    """
    found = _num_samples(X)
    if found != n_rows:
        raise DataError(f"X has {found} rows, y has {n_rows}.", "Pass one label for each row.")


def refuse_masked(X: Any) -> None:
    """Refuse an array with a mask, which scikit-learn's checks would leave out without a word.

    Raises
    ------
    DataError : with the number of masked values
    """
    if n_masked := int(np.ma.getmaskarray(X).sum()) if isinstance(X, np.ma.MaskedArray) else 0:
        raise DataError(
            f"X is a masked array with {n_masked} masked values.",
            "Pass X.filled(numpy.nan), or fill them with a value.",
        )


def take_rows(X: Any, rows: ArrayLike) -> Any:
    """Some rows of a table of any kind; of a sparse one as CSR, since not all kinds have rows."""
    return _safe_indexing(X.tocsr() if sparse.issparse(X) else X, rows)


def missing_rows(values: Array) -> Ints:
    """Rows whose value is None, NaN or pandas.NA; `values` has one a row."""
    if values.dtype.kind not in "Of":
        return np.empty(0, dtype=np.int64)
    return np.flatnonzero([_is_missing(each) for each in values.tolist()])


def _is_missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value)  # noqa: PLR0124 - NaN differs from itself
    except TypeError:  # pandas.NA, which does not say whether it differs
        return True
