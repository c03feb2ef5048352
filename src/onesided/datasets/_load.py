"""Data sets that come with this package or with scikit-learn, in the form of its loaders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from sklearn import datasets
from sklearn.utils import Bunch
from sklearn.utils._optional_dependencies import check_pandas_support

from onesided._typing import Ints, RandomState
from onesided.datasets._hide import Propensity, hide_labels
from onesided.exceptions import DataError

_POSITIVE: dict[str, Any] = {
    "breast_cancer": "malignant",
    "digits": 8,
    "iris": "virginica",
    "wine": "class_1",
}
"""The sets of scikit-learn that need no network, and the class that is positive by default."""
_HERE = Path(__file__).with_name("yeast")  # in an installed package
_IN_THE_SOURCES = Path(__file__).parents[3] / "examples" / "yeast"
_KINDS = np.array(["unlabeled", "positive"])


def load_yeast(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load expression levels of yeast genes; 29 genes are known targets of the factor SWI4.

    The other genes are unlabeled: some of these genes are targets that nobody has found yet. The
    true class of the unlabeled genes is not known.

    ======================  ==============================
    rows                    6,178 genes
    features                77 levels of expression, log2 ratios, 6% missing (NaN)
    positive                29 known targets of SWI4
    ======================  ==============================

    Parameters
    ----------
    return_X_y : whether to return only ``(data, target)``
    as_frame : whether data and target are pandas objects, with the names of the genes as index

    Returns
    -------
    A `sklearn.utils.Bunch` with ``data`` of shape (6178, 77); ``target`` of shape (6178,), 1 for
    known targets and 0 for unlabeled genes; ``row_names``, the genes; ``feature_names``;
    ``target_names``; ``frame``, both as one frame, or None without `as_frame`; ``filename``, the
    table as a file for `onesided.rank_table` and the command line; and ``DESCR``, where the data
    come from and their licences. With `return_X_y`, the tuple ``(data, target)``.

    Examples
    --------
    >>> from onesided.datasets import load_yeast
    >>> genes = load_yeast()
    >>> genes.data.shape, int(genes.target.sum())
    ((6178, 77), 29)
    >>> genes.row_names[:3].tolist()
    ['YAL001C', 'YAL002W', 'YAL003W']
    """
    import pyarrow.csv  # noqa: PLC0415 - learners do not pay for it

    folder = _HERE if _HERE.is_dir() else _IN_THE_SOURCES
    table = pyarrow.csv.read_csv(folder / "genes.csv.gz")
    target = table["known_target"].to_numpy()
    row_names = np.array(table["gene"].to_pylist())
    table = table.drop_columns(["gene", "known_target"])
    X = np.column_stack([column.to_numpy() for column in table.columns])
    return _as_asked(
        Bunch(
            data=X,
            target=target,
            row_names=row_names,
            feature_names=np.array(table.column_names),
            target_names=_KINDS,
            frame=None,
            filename=str(folder / "genes.csv.gz"),
            DESCR=(folder / "README.md").read_text(encoding="utf-8"),
        ),
        "known_target",
        "load_yeast",
        return_X_y=return_X_y,
        as_frame=as_frame,
    )


def load_partly_labeled(
    name: str,
    *,
    positive: Any = None,
    label_frequency: float = 0.3,
    propensity: Propensity | None = None,
    random_state: RandomState = 0,
    return_X_y: bool = False,
    as_frame: bool = False,
) -> Any:
    """Load a data set of scikit-learn in which only some rows of one class are labeled.

    The rows of the other classes are negative. `hide_labels` hides the labels of the negatives and
    of most positives. The result also has the true class of each row. The data sets come with
    scikit-learn, so no network is needed.

    Parameters
    ----------
    name : "breast_cancer", "digits", "iris" or "wine"
    positive : the class that is positive, by its name or number; by default "malignant", 8,
        "virginica" and "class_1"
    label_frequency : share of the positives that are labeled
    propensity : probability that a positive row is labeled, up to a constant factor, as for
        `hide_labels`; by default the same for all positives (SCAR)
    random_state : seed or generator of the draw
    return_X_y : whether to return only ``(data, target)``
    as_frame : whether data, target and truth are pandas objects

    Returns
    -------
    A `sklearn.utils.Bunch` with ``data``; ``target``, 1 for labeled positives and 0 for unlabeled
    rows; ``truth``, 1 for positive rows and 0 for negative ones; ``class_prior``, the share of
    positives among the unlabeled rows; ``feature_names``; ``target_names``; ``frame``; and
    ``DESCR``. With `return_X_y`, the tuple ``(data, target)``.

    Raises
    ------
    DataError : if there is no data set `name`, or it has no class `positive`

    Examples
    --------
    >>> from onesided.datasets import load_partly_labeled
    >>> digits = load_partly_labeled("digits", positive=3)
    >>> int(digits.target.sum()), int(digits.truth.sum()), round(digits.class_prior, 3)
    (55, 183, 0.073)
    """
    if name not in _POSITIVE:
        raise DataError(
            f"scikit-learn has no data set {name!r} with classes that needs no network.",
            f"Choose one of {', '.join(_POSITIVE)}.",
        )
    found = getattr(datasets, f"load_{name}")()
    is_positive = _rows_of(_POSITIVE[name] if positive is None else positive, found, name)
    hidden = hide_labels(
        found.data,
        is_positive,
        label_frequency=label_frequency,
        propensity=propensity,
        random_state=random_state,
    )
    return _as_asked(
        Bunch(
            data=hidden.X,
            target=hidden.y,
            truth=hidden.y_true,
            class_prior=hidden.class_prior,
            feature_names=np.asarray(found.feature_names),
            target_names=_KINDS,
            frame=None,
            DESCR=found.DESCR,
        ),
        "labeled",
        "load_partly_labeled",
        return_X_y=return_X_y,
        as_frame=as_frame,
    )


def _rows_of(positive: Any, found: Bunch, name: str) -> Ints:
    """Whether each row is of a class, as 0 and 1; shape (n_rows,)."""
    names = list(found.target_names)
    number = names.index(positive) if positive in names else positive
    rows = (found.target == number).astype(np.int64)
    if not rows.any():
        raise DataError(
            f"positive={positive!r} is not a class of {name}.",
            f"Choose one of {', '.join(repr(each) for each in np.asarray(names).tolist())}.",
        )
    return rows


def _as_asked(
    found: Bunch, target: str, loader: str, *, return_X_y: bool, as_frame: bool
) -> Bunch | tuple[Any, Any]:
    """The bunch, or data and target; with arrays, or with frames of pandas."""
    if as_frame:
        pd = check_pandas_support(f"{loader} with as_frame=True")
        index = found.get("row_names")
        found.data = pd.DataFrame(found.data, columns=found.feature_names, index=index)
        found.target = pd.Series(found.target, name=target, index=index)
        found.frame = found.data.assign(**{target: found.target})
        if "truth" in found:
            found.truth = pd.Series(found.truth, name="truth")
    return (found.data, found.target) if return_X_y else found
