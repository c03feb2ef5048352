"""Hidden-positive ranks: positives in turn count as unlabeled, and are ranked among the unlabeled.

The positives are dealt into folds. Each fold in turn counts as unlabeled, and the model ranks it
among the unlabeled (Geurts 2011, section 3).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import ArrayLike

from onesided._typing import Floats, OnProgress, RandomState
from onesided.model_selection._estimators import (
    cut_of,
    kind_of,
)
from onesided.model_selection._fits import fits_that_hide
from onesided.model_selection._folds import Folds, PositiveKFold, PositiveTimeSplit
from onesided.model_selection._labels import read_rows
from onesided.model_selection._placements import HiddenPositives, Placements


def hidden_positive_ranks(  # noqa: PLR0913 - the arguments of all evaluations
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    cv: int | Folds = 5,
    groups: ArrayLike | None = None,
    params: Mapping[str, Any] | None = None,
    positive_label: Any = None,
    random_state: RandomState = 0,
    on_progress: OnProgress | None = None,
) -> Floats:
    """For each hidden positive, the share of the unlabeled rows that rank above it.

    Assumes that labels are selected completely at random (SCAR). A hidden positive is then like a
    positive that was never labeled.

    Parameters
    ----------
    estimator : an estimator or pipeline with `fit(X, y)`, and `decision_function` or
        `predict_proba`
    X : array-like, CSR matrix or data frame with n_rows rows
    y : shape (n_rows,)
    cv : number of folds of the positives, or a `PositiveKFold`. If there are fewer positives than
        folds, each positive is hidden alone. With a `PositiveTimeSplit`, later positives are ranked
        among the unlabeled rows of the same time, by models that learned from earlier rows
    groups : shape (n_rows,), group of each row; positives of a group are hidden together. With a
        `PositiveTimeSplit`, the time of each row
    params : further arguments of `fit`, `sample_weight` for example. If an argument has one value
        for each row, each fit gets the values of its rows. For a pipeline, a name is an argument of
        the last step, or ``step__name``
    positive_label : the value of y that means positive, for text labels; by default the
        `positive_label` of the estimator
    random_state : seed or generator of the folds
    on_progress : function that is called after each fit with the name of what was fitted, the
        number of finished fits and the number of all fits

    Returns
    -------
    shape (n_positive,), in the order of the positives that are hidden; 0 is best, 0.5 is chance

    Raises
    ------
    LabelError : if there are fewer than two positives

    Notes
    -----
    The method is from Geurts 2011, section 3. A positive is ranked among unlabeled rows only, not
    among other positives; a tie counts half. 1 minus the mean share is the area under the ROC
    curve, averaged over the folds. Each fold needs one fit.

    An estimator whose `scores_out_of_bag` is true (`PUBagging`), or a pipeline that ends with such
    an estimator, is fitted only once, on all rows, unless there are groups. Each row is then ranked
    by its out-of-bag score, which comes from models that did not learn from the row.

    Examples
    --------
    >>> import numpy as np
    >>> from onesided import PositiveNaiveBayes
    >>> X = np.array([[1], [1], [1], [0], [0], [0], [1], [0]])
    >>> y = np.array([1, 1, 1, 0, 0, 0, 0, 0])
    >>> hidden_positive_ranks(PositiveNaiveBayes(0.2), X, y)
    array([0.1, 0.1, 0.1])
    """
    return hide_and_rank(
        estimator,
        X,
        y,
        cv=cv,
        groups=groups,
        params=params,
        positive_label=positive_label,
        random_state=random_state,
        on_progress=on_progress,
    ).ranks


def hide_and_rank(  # noqa: PLR0913 - the arguments of all evaluations
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    cv: int | Folds = 5,
    groups: ArrayLike | None = None,
    params: Mapping[str, Any] | None = None,
    positive_label: Any = None,
    random_state: RandomState = 0,
    on_progress: OnProgress | None = None,
) -> HiddenPositives:
    """Ranks and scores of hidden positives; `hidden_positive_ranks` gives the ranks only.

    Parameters
    ----------
    estimator, X, y, cv, groups, params, positive_label, random_state, on_progress : as in
        `hidden_positive_ranks`

    Examples
    --------
    >>> import numpy as np
    >>> from onesided import CenterOfMassRanker
    >>> from onesided.model_selection import hide_and_rank
    >>> X = np.array([[5.0], [4], [1], [3], [2], [1], [0], [1]])
    >>> hidden = hide_and_rank(CenterOfMassRanker(), X, [1, 1, 1, 0, 0, 0, 0, 0], cv=3)
    >>> hidden.above.tolist(), hidden.tied.tolist(), hidden.n_unlabeled
    ([0, 0, 2], [0, 0, 2], 5)
    """
    X, labels = read_rows(estimator, X, y, positive_label, params=params)
    if not isinstance(cv, PositiveKFold | PositiveTimeSplit):
        cv = PositiveKFold(cv, random_state=random_state)
    placed, name = Placements(labels, cut_of(estimator)), kind_of(estimator)
    for _, fit in fits_that_hide(
        {name: estimator}, X, labels, folds=cv, groups=groups, on_progress=on_progress
    ):
        placed.add(fit.hidden, fit.scores, fit.among)
    return placed.found()
