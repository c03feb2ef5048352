"""Whether chance alone would do as well."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from onesided._labels import encode_labels
from onesided._strata import match_strata
from onesided._text import argument
from onesided._typing import Bools, Ints, OnProgress, RandomState
from onesided._validation import check_number, fixed_seed
from onesided.exceptions import DataError
from onesided.metrics import ResampledPValue
from onesided.model_selection._compare import compare
from onesided.model_selection._estimators import check_estimator, which_is_positive
from onesided.model_selection._folds import PositiveKFold, check_groups

_FEWEST_WAYS = 20  # in which labels change places


def label_resampling_test(  # noqa: PLR0913 - each says how one thing is decided
    estimators: Any,
    X: Any,
    y: ArrayLike,
    *,
    n_resamples: int = 99,
    match: Any = None,
    cv: int | PositiveKFold = 5,
    groups: ArrayLike | None = None,
    params: Mapping[str, Any] | None = None,
    positive_label: Any = None,
    random_state: RandomState = 0,
    average: bool | Mapping[str, float] = False,
    on_progress: OnProgress | None = None,
) -> ResampledPValue:
    """p-value of the hidden-positive AUC: share of random label sets whose AUC is at least as high.

    Under the null hypothesis, the positives are a random set of rows. Such a set has as many rows
    as the positives, and with `match` as many rows in each stratum. Each random set goes through
    the same procedure as the labels. With several estimators, the best AUC of each set counts, so
    the p-value accounts for the choice of the best estimator.

    Parameters
    ----------
    estimators : an estimator or pipeline; or a dictionary of names and estimators, as in `compare`
    X : array-like, CSR matrix or data frame with n_rows rows
    y : shape (n_rows,)
    n_resamples : number of random label sets; each set needs one fit for each fold and estimator
    match : shape (n_rows,) or (n_rows, n_columns), or a data frame; labels are exchanged only
        within strata of these columns, as in `SignificanceRanker`. An AUC that comes from these
        columns alone then counts as chance. Groups are exchanged only if their rows are in the same
        strata
    cv : number of folds of the positives, or a `PositiveKFold`
    groups : shape (n_rows,), group of each row; positives of a group are hidden together, and
        random sets exchange the labels of whole groups of the same size
    params, positive_label : as in `compare`; the values of params are not exchanged between rows
    random_state : seed or generator of the folds and of the random sets
    average : whether to include the average of the estimators, as in `compare`
    on_progress : function that is called after each random set with "random labels", the number of
        finished sets and the number of all sets

    Returns
    -------
    the p-value, a float with `statistic`, `null` and `plot()`; at least 1 / (1 + n_resamples)

    Raises
    ------
    DataError : if `n_resamples` is not a whole number above 0, or if labels can be exchanged in
        fewer than 20 ways, because there are too few groups of the same size or too few rows in the
        strata
    LabelError : if there are fewer than two positives

    Notes
    -----
    This is the adjusted p-value of Geurts 2011, section 2.2, extended to all rankers. The statistic
    is the hidden-positive AUC instead of the margin.

    Examples
    --------
    >>> import numpy as np
    >>> from onesided import CenterOfMassRanker
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(60, 4)), np.arange(60) < 10
    >>> float(label_resampling_test(CenterOfMassRanker(), X, y, n_resamples=19, cv=2))
    0.65
    >>> X[:10, 0] += 3
    >>> float(label_resampling_test(CenterOfMassRanker(), X, y, n_resamples=19, cv=2))
    0.05
    """
    check_number(n_resamples, "n_resamples", "Pass 99 for example.", above=0, whole=True)
    methods = estimators if isinstance(estimators, Mapping) else {"": estimators}
    if not methods:
        raise DataError("estimators is empty.", 'Pass {"bayes": ...} for example.')
    for estimator in methods.values():
        check_estimator(estimator)
    label = which_is_positive(methods.values(), positive_label)
    positive, coding = encode_labels(y, label)
    names = np.arange(2) if label is None else coding.classes
    check_groups(groups, len(positive))
    seed = fixed_seed(random_state)
    strata = None if match is None else match_strata(match, len(positive))
    if groups is not None or strata is not None:
        _check_exchangeable(positive, groups, strata)

    def best_auc(labels: Bools) -> float:
        found = compare(
            methods,
            X,
            names[labels.astype(int)],
            cv=cv,
            groups=groups,
            params=params,
            positive_label=label,
            random_state=seed,
            average=average,
            refit=False,
        )
        return max(each.auc for each in found.hidden.values())

    rng = np.random.default_rng(seed)
    observed = best_auc(positive)
    null = np.empty(n_resamples)
    for done in range(n_resamples):
        null[done] = best_auc(_exchanged(positive, groups, rng, strata))
        if on_progress is not None:
            on_progress("random labels", done + 1, n_resamples)
    return ResampledPValue.of(observed, null, slack=1e-12)


def check_exchangeable(positive: Bools, groups: ArrayLike | None, match: Any = None) -> None:
    """Raise an error if labels can be exchanged in too few ways for a p-value below 0.05.

    Parameters
    ----------
    positive : shape (n_rows,)
    groups, match : as in `label_resampling_test`

    Raises
    ------
    DataError : if the p-value cannot be below 0.05

    Examples
    --------
    >>> import numpy as np
    >>> from onesided.exceptions import DataError
    >>> from onesided.model_selection import check_exchangeable
    >>> try:
    ...     check_exchangeable(np.array([True, False, False]), groups=None)
    ... except DataError as error:
    ...     print(error)
    The test exchanges the labels of rows. The number of possible exchanges is only 3, so the
    p-value cannot be below 0.33. Pass groups of similar sizes, or leave the test out.
    """
    _check_exchangeable(
        positive, groups, None if match is None else match_strata(match, len(positive))
    )


def _check_exchangeable(positive: Bools, groups: ArrayLike | None, strata: Ints | None) -> None:
    n_ways = 1
    for rows in _alike(len(positive), groups, strata):
        _, counts = np.unique(positive[rows], axis=0, return_counts=True)
        placed = 0
        for count in counts.tolist():
            placed += count
            n_ways *= math.comb(placed, count)
            if n_ways >= _FEWEST_WAYS:
                return
    of = "rows" if groups is None else "groups of equal size"
    within = " that are in the same strata" if strata is not None else ""
    mend = f"Pass fewer columns as {argument('match')}, or leave the test out."
    if strata is None:
        mend = "Pass groups of similar sizes, or leave the test out."
    raise DataError(
        f"The test exchanges the labels of {of}{within}. The number of possible "
        f"exchanges is only {n_ways}, so the p-value cannot be below {1 / n_ways:.2g}.",
        mend,
    )


def _exchanged(
    positive: Bools, groups: ArrayLike | None, rng: np.random.Generator, strata: Ints | None = None
) -> Bools:
    """Labels in random places; those of whole groups, and within strata, if there are such."""
    if groups is None and strata is None:
        return rng.permutation(positive)
    drawn = np.empty_like(positive)
    for rows in _alike(len(positive), groups, strata):
        drawn[rows] = positive[rows[rng.permutation(len(rows))]]
    return drawn


def _alike(n_rows: int, groups: ArrayLike | None, strata: Ints | None) -> Iterator[Ints]:
    """The rows of groups that can change places, as many groups as there are; (n_groups, size).

    These groups have one size and as many rows of each stratum, whose order is the same in each. A
    row without a group is a group by itself.
    """
    given = np.arange(n_rows) if groups is None else np.asarray(groups)
    of_row = np.zeros(n_rows, dtype=np.int64) if strata is None else strata
    _, group = np.unique(given, return_inverse=True)
    sizes = np.bincount(group)
    by_size = np.lexsort((of_row, group, sizes[group]))
    start = 0
    for size, n_groups in zip(*np.unique(sizes, return_counts=True), strict=True):
        rows = by_size[start : start + size * n_groups].reshape(n_groups, size)
        start += size * n_groups
        _, kind = np.unique(of_row[rows], axis=0, return_inverse=True)
        for each in range(kind.max() + 1):
            yield rows[kind.ravel() == each]
