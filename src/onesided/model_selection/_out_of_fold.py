"""Scores of the unlabeled rows by models in which they did not count as unlabeled."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.model_selection import KFold
from sklearn.utils import check_random_state

from onesided._labels import encode_labels
from onesided._typing import Array, Bools, Floats, Ints, RandomState
from onesided._validation import check_number, take_rows
from onesided.exceptions import DataError, LabelError
from onesided.metrics import rank_counts, rank_shares
from onesided.model_selection._average import RankAverage
from onesided.model_selection._hidden import (
    PlacedPositives,
    alike,
    labels_for,
    last_step,
    positive_label_of,
    score_by_each,
    scores_out_of_bag,
    standardize,
)
from onesided.model_selection._parallel import each_in_turn


@dataclass(frozen=True)
class OutOfFoldScores:
    """Out-of-fold scores of the unlabeled, or out-of-bag scores of one fit.

    Attributes
    ----------
    rows : shape (n_unlabeled,), which rows of X they are
    ranks : shape (n_unlabeled,), share of the unlabeled of the same fold ranked above each,
        ties and the row itself counted half: one scale for all folds, from 0.5 / rows of a fold
    scores : shape (n_unlabeled,), in robust standard deviations above the median row of the
        fold
    """

    rows: Ints
    ranks: Floats
    scores: Floats

    def only(self, kept: Bools) -> "OutOfFoldScores":
        """Some of them, as they were scored among all.

        Parameters
        ----------
        kept : shape (n_rows,), which rows of X
        """
        chosen = kept[self.rows]
        return OutOfFoldScores(self.rows[chosen], self.ranks[chosen], self.scores[chosen])


def place(
    positives: OutOfFoldScores | PlacedPositives, unlabeled: OutOfFoldScores
) -> PlacedPositives:
    """Where positives stand that were scored as unlabeled rows, by their ranks.

    Parameters
    ----------
    positives : a part of one `OutOfFoldScores`; or hidden ones, with ranks among all unlabeled
    unlabeled : the other part, or some of the unlabeled
    """
    above, tied = rank_counts(-positives.ranks, -unlabeled.ranks)
    return PlacedPositives(above, tied, positives.scores, len(unlabeled.rows))


def score_others(estimator: Any, X: Any, y: Array, train: Ints, test: Ints) -> Floats:
    """Scores of some rows by a copy that is fitted on others; shape (n_test,).

    Parameters
    ----------
    estimator : is not changed
    X, y : all rows
    train, test : which rows
    """
    return score_others_by_each({"": estimator}, X, y, train, test)[""]


def score_others_by_each(
    estimators: Mapping[str, Any], X: Any, y: Array, train: Ints, test: Ints
) -> dict[str, Floats]:
    """As `score_others`, by each of a group of estimators whose first steps are the same.

    Parameters
    ----------
    estimators : by their names
    X, y, train, test : as there
    """
    found = score_by_each(estimators, take_rows(X, train), y[train], take_rows(X, test))
    return {name: scores for name, (scores, _) in found.items()}


def unlabeled_out_of_fold_scores(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    cv: int = 5,
    random_state: RandomState = 0,
    fitted: Any = None,
    on_fold: Callable[[], None] | None = None,
) -> OutOfFoldScores:
    """Out-of-fold score of each unlabeled row, by a model that learned from the other folds.

    Parameters
    ----------
    estimator : has `fit(X, y)` and `decision_function` or `predict_proba`; pipelines too
    X : array-like, CSR matrix or data frame with n_rows rows
    y : shape (n_rows,)
    cv : number of folds of the unlabeled
    random_state : of the folds
    fitted : the same estimator, fitted on all rows, where there is one: what has out-of-bag scores
        is then not fitted again
    on_fold : called after each fit

    Raises
    ------
    LabelError : if there are fewer than two unlabeled rows
    DataError : if a row has no out-of-bag score

    Notes
    -----
    Each model learns from all positives and the unlabeled of the other folds. Scores of
    different models are on different scales, so ranks within the fold are what compares.

    An estimator whose `scores_out_of_bag` is true (`PUBagging`), or a pipeline that ends with one,
    is fitted once on all rows: the scores are then its out-of-bag scores, `oob_decision_function_`,
    and all unlabeled rows are one fold. The other steps of the pipeline have then seen every row;
    such as learn from y should stand within the bags.

    A `RankAverage` combines the out-of-fold ranks of its members, by the weights that it has on all
    rows.
    """
    positive, coding = encode_labels(y, positive_label_of(estimator))
    check_number(cv, "cv", "Pass 5 for example.", above=1, whole=True)
    rows = np.flatnonzero(~positive)
    if len(rows) < 2:  # noqa: PLR2004 - one to learn from, one to score
        raise LabelError(
            f"There is {len(rows)} unlabeled row; if it were held out to be scored, no "
            "unlabeled row would be left to learn from.",
            "Add rows that have never been labeled.",
        )
    members, weights, models = {"": estimator}, np.ones(1), [fitted]
    if isinstance(estimator, RankAverage):
        average = clone(estimator).fit(X, y) if fitted is None else fitted
        members, weights, models = average.members_, average.weights_, average.estimators_
    folds = _folds(rows, cv, random_state)
    weight_of = dict(zip(members, weights, strict=True))
    ranks, standard = np.zeros((2, len(positive)))

    def add(name: str, test: Ints, scores: Floats) -> None:
        ranks[test] += weight_of[name] * rank_shares(scores, scores)
        standard[test] += weight_of[name] * standardize(scores, scores)
        if on_fold is not None:
            on_fold()

    in_folds = {name: each for name, each in members.items() if not scores_out_of_bag(each)}
    tasks = [
        (
            group,
            X,
            labels_for(next(iter(group.values())), positive, coding.classes),
            np.setdiff1d(np.arange(len(positive)), test),
            test,
        )
        for group in alike(in_folds)
        for test in folds
    ]
    for (*_, test), scored in zip(tasks, each_in_turn(score_others_by_each, tasks), strict=True):
        for name, scores in scored.items():
            add(name, test, scores)
    for (name, member), model in zip(members.items(), models, strict=True):
        if name not in in_folds:
            own = labels_for(member, positive, coding.classes)
            whole = clone(member).fit(X, own) if model is None else model
            add(name, rows, _out_of_bag(whole, rows))
    found = ranks[rows]
    if len(members) > 1:
        return OutOfFoldScores(rows, rank_shares(-found, -found), standardize(-found, -found))
    return OutOfFoldScores(rows, found, standard[rows])


def _out_of_bag(model: Any, rows: Ints) -> Floats:
    scores: Floats = last_step(model).oob_decision_function_[rows]
    if np.isnan(scores).any():
        raise DataError(
            f"{np.isnan(scores).sum()} of the {len(rows)} unlabeled rows are in every "
            "bag, so they have no out-of-bag score.",
            "Raise n_estimators.",
        )
    return scores


def _folds(rows: Ints, cv: int, random_state: RandomState) -> list[Ints]:
    seed = int(check_random_state(random_state).randint(2**31))
    folds = KFold(min(cv, len(rows)), shuffle=True, random_state=seed)
    return [rows[test] for _, test in folds.split(rows)]
