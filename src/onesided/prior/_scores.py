"""Out-of-fold scores of the positives and of the unlabeled rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression

from onesided._frames import in_memory
from onesided._typing import Bools, Floats, Ints, OnProgress, RandomState
from onesided._validation import check_scores
from onesided.model_selection import PositiveKFold
from onesided.model_selection._estimators import kind_of
from onesided.model_selection._fits import step_counter
from onesided.model_selection._folds import check_groups
from onesided.model_selection._labels import Labels, read_rows
from onesided.model_selection._out_of_fold import score_others
from onesided.model_selection._parallel import each_in_turn

Split: TypeAlias = tuple[Ints, Ints]  # rows to learn from, rows to score


def out_of_fold_scores(  # noqa: PLR0913 - the arguments of all evaluations
    X: Any,
    y: ArrayLike,
    *,
    estimator: Any = None,
    cv: int | PositiveKFold = 5,
    groups: ArrayLike | None = None,
    params: Mapping[str, Any] | None = None,
    positive_label: Any = None,
    random_state: RandomState = 0,
    on_progress: OnProgress | None = None,
) -> tuple[Floats, Floats]:
    """Out-of-fold scores of the positives and of the unlabeled rows.

    Each fold gets its share of the positives and its share of the unlabeled rows.

    Parameters
    ----------
    X : array-like, CSR matrix or data frame with n_rows rows
    y : shape (n_rows,)
    estimator : has `fit(X, y)` and `decision_function` or `predict_proba`; pipelines too. By
        default balanced extra-trees with leaves of five rows, or balanced logistic regression if X
        is sparse
    cv : number of folds, or a `PositiveKFold`
    groups : shape (n_rows,); rows of a group are in one fold
    params : further arguments of `fit`, `sample_weight` for example. If an argument has one value
        per row, each fit gets only the values of its rows. For a pipeline, name an argument of the
        last step, or write ``step__name``
    positive_label : the value of y that means positive, for text labels; by default that of the
        estimator
    random_state : of the folds and of the default estimator
    on_progress : called after each fit with what was fitted, the number of fits done, and of all

    Returns
    -------
    positive_scores : shape (n_positive,), in the order of the rows; higher is more positive
    unlabeled_scores : shape (n_unlabeled,)

    Raises
    ------
    LabelError : if there are fewer than two positives, or too few unlabeled rows for the folds

    Notes
    -----
    Each fold holds both positives and unlabeled rows. In every fold, the share of the unlabeled
    rows above a cut is at least the class prior times the share of the positives above it. This
    holds on any scale of scores. So estimates and bounds of the prior from the pooled scores are
    valid, even if the models of the folds score on different scales.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.repeat([[1.0], [0.0]], [20, 30], axis=0)
    >>> y = np.repeat([1, 0], [15, 35])
    >>> known, rest = out_of_fold_scores(X, y)
    >>> len(known), len(rest), bool(known.min() > np.median(rest))
    (15, 35, True)
    """
    X = in_memory(X)
    scorer = scorer_of(estimator, X, random_state)
    X, labels = read_rows(scorer, X, y, positive_label, params=params)
    splits = split_rows(labels.positive, cv, groups, random_state)
    step = step_counter(on_progress, len(splits))
    scores = np.empty(len(labels.positive))
    for test, found in scores_by_fold(scorer, X, labels, splits):
        scores[test] = found
        step(kind_of(scorer))
    return scores[labels.positive], scores[~labels.positive]


def split_rows(
    positive: Bools,
    cv: int | PositiveKFold,
    groups: ArrayLike | None,
    random_state: RandomState,
    rows: Ints | None = None,
) -> list[Split]:
    """Splits of all rows, or of some: rows that a model learns from, and rows that it scores.

    Parameters
    ----------
    positive : shape (n_rows,)
    cv, groups, random_state : as in `out_of_fold_scores`
    rows : the rows to split; by default all
    """
    check_groups(groups, len(positive))
    rows = np.arange(len(positive)) if rows is None else rows
    of_rows = None if groups is None else np.asarray(groups)[rows]
    folds = cv if isinstance(cv, PositiveKFold) else PositiveKFold(cv, random_state=random_state)
    splits = folds.split(rows, positive[rows], of_rows)
    return [(rows[train], rows[test]) for train, test in splits]


def scores_by_fold(
    scorer: Any, X: Any, labels: Labels, splits: Sequence[Split]
) -> Iterator[tuple[Ints, Floats]]:
    """The rows that each split scores, and their scores, from checked labels.

    Parameters
    ----------
    scorer : the estimator that scores the rows
    X, labels : features and labels of n_rows rows
    splits : of one or of several sets of rows, so that no core waits for the end of one set
    """
    tasks = ((scorer, X, labels, train, test) for train, test in splits)
    for (_, test), found in zip(splits, each_in_turn(score_others, tasks), strict=True):
        yield test, found


def scorer_of(estimator: Any, X: Any, random_state: RandomState) -> Any:
    """The estimator that scores the rows of X; `balanced_classifier` if None was passed."""
    if estimator is not None:
        return estimator
    return balanced_classifier(is_sparse=sparse.issparse(X), random_state=random_state)


def balanced_classifier(*, is_sparse: bool, n_trees: int = 200, random_state: RandomState) -> Any:
    """The default scorer: balanced extra-trees, or balanced logistic regression for sparse rows.

    Examples
    --------
    >>> from onesided.prior import balanced_classifier
    >>> balanced_classifier(is_sparse=True, random_state=0)
    LogisticRegression(class_weight='balanced', max_iter=1000)
    >>> type(balanced_classifier(is_sparse=False, random_state=0)).__name__
    'ExtraTreesClassifier'
    """
    if is_sparse:
        return LogisticRegression(class_weight="balanced", max_iter=1000)
    return ExtraTreesClassifier(
        n_trees,
        min_samples_leaf=5,
        class_weight="balanced",
        n_jobs=1,  # parallel processes run whole fits, not single trees
        random_state=random_state,
    )


def check_both(positive_scores: ArrayLike, unlabeled_scores: ArrayLike) -> tuple[Floats, Floats]:
    """Both score arguments as arrays of one dimension with at least one score.

    Raises
    ------
    DataError : if one of them is empty, or does not hold numbers
    """
    return (
        check_scores(positive_scores, "positive_scores", may_be_empty=False),
        check_scores(unlabeled_scores, "unlabeled_scores", may_be_empty=False),
    )
