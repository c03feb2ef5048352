"""Scores of the unlabeled rows by models in which they did not count as unlabeled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.model_selection import KFold

from onesided._text import argument, counted_of, kind_of_value
from onesided._typing import Bools, Floats, Ints, OnProgress, RandomState
from onesided._validation import (
    check_mask,
    check_number,
    check_object,
    check_random_state,
    take_rows,
)
from onesided.exceptions import DataError, LabelError
from onesided.metrics import rank_counts, rank_shares
from onesided.model_selection._average import RankAverage
from onesided.model_selection._estimators import (
    kind_of,
    last_step,
    scores_of,
    scores_of_rows,
    scores_out_of_bag,
    standardize,
)
from onesided.model_selection._fits import alike, score_by_each, step_counter
from onesided.model_selection._folds import Folds, PositiveKFold, PositiveTimeSplit
from onesided.model_selection._labels import Labels, read_rows
from onesided.model_selection._parallel import each_in_turn
from onesided.model_selection._placements import PlacedPositives


@dataclass(frozen=True)
class OutOfFoldScores:
    """Out-of-fold scores of the unlabeled rows, or out-of-bag scores of one fit.

    Attributes
    ----------
    rows : shape (n_unlabeled,), indices of the unlabeled rows in X; known negatives are included
    ranks : shape (n_unlabeled,), share of the unlabeled rows of the same fold that rank above each
        row. Known negatives are not counted; ties and the row itself count half. So all folds have
        the same scale, which starts at 0.5 / rows of a fold
    scores : shape (n_unlabeled,), score of each row, in robust standard deviations above the median
        row of the fold

    Examples
    --------
    >>> import numpy as np
    >>> from onesided.model_selection import OutOfFoldScores
    >>> found = OutOfFoldScores(np.array([2, 3]), np.array([0.25, 0.75]), np.array([1.0, -1.0]))
    >>> found.only(np.array([False, False, True, False])).ranks.tolist()
    [0.25]
    """

    rows: Ints
    ranks: Floats
    scores: Floats

    def only(self, kept: Bools) -> OutOfFoldScores:
        """The same scores and ranks for a part of the unlabeled rows.

        Parameters
        ----------
        kept : shape (n_rows,), whether to keep each row of X
        """
        chosen = kept[self.rows]
        return OutOfFoldScores(self.rows[chosen], self.ranks[chosen], self.scores[chosen])


def place(
    positives: OutOfFoldScores | PlacedPositives, unlabeled: OutOfFoldScores
) -> PlacedPositives:
    """Positions among the unlabeled rows of positives that were scored as unlabeled rows.

    Parameters
    ----------
    positives : a part of one `OutOfFoldScores`; or hidden positives, with ranks among all unlabeled
        rows
    unlabeled : the other part of the same scores, or scores of some of the unlabeled rows

    Examples
    --------
    >>> import numpy as np
    >>> from onesided.model_selection import OutOfFoldScores, place
    >>> ranks = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
    >>> found = OutOfFoldScores(np.arange(5), ranks, np.array([2.0, 1, 0, -1, -2]))
    >>> is_positive = np.array([True, False, True, False, False])
    >>> place(found.only(is_positive), found.only(~is_positive)).above.tolist()
    [0, 1]
    """
    check_object(
        positives,
        "positives",
        OutOfFoldScores,
        PlacedPositives,
        by="onesided.model_selection.unlabeled_out_of_fold_scores",
    )
    check_object(
        unlabeled,
        "unlabeled",
        OutOfFoldScores,
        by="onesided.model_selection.unlabeled_out_of_fold_scores",
    )
    above, tied = rank_counts(-positives.ranks, -unlabeled.ranks)
    return PlacedPositives(above, tied, positives.scores, len(unlabeled.rows))


def score_others(estimator: Any, X: Any, labels: Labels, train: Ints, test: Ints) -> Floats:
    """Scores of some rows by a copy that is fitted on others; shape (n_test,).

    Parameters
    ----------
    estimator : is not changed
    X, labels : all rows
    train, test : which rows
    """
    model = labels.only(train).fit(clone(estimator), take_rows(X, train))
    return scores_of(model, take_rows(X, test))


def score_others_by_each(
    estimators: Mapping[str, Any], X: Any, labels: Labels, train: Ints, test: Ints
) -> dict[str, Floats]:
    """As `score_others`, by each of a group of estimators whose first steps are the same.

    Parameters
    ----------
    estimators : by their names
    X, labels : all rows
    train, test : which rows
    """
    found = score_by_each(estimators, take_rows(X, train), labels.only(train), take_rows(X, test))
    return {name: scores for name, (scores, _) in found.items()}


def unlabeled_out_of_fold_scores(  # noqa: PLR0913 - each says how one thing is done
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    cv: int = 5,
    groups: ArrayLike | None = None,
    params: Mapping[str, Any] | None = None,
    positive_label: Any = None,
    random_state: RandomState = 0,
    known_negative: ArrayLike | None = None,
    learned: Bools | None = None,
    hide: Folds | None = None,
    fitted: Any = None,
    on_progress: OnProgress | None = None,
) -> OutOfFoldScores:
    """Out-of-fold score of each unlabeled row, by a model that learned from the other folds.

    Parameters
    ----------
    estimator : an estimator or pipeline with `fit(X, y)`, and `decision_function` or
        `predict_proba`
    X : array-like, CSR matrix or data frame with n_rows rows
    y : shape (n_rows,)
    cv : number of folds of the unlabeled rows
    groups : shape (n_rows,), group of each row; positives of a group are left out together. They
        need `hide`: without it no positive is left out
    params, positive_label : as in `hidden_positive_ranks`
    random_state : seed or generator of the folds
    known_negative : shape (n_rows,), whether an unlabeled row is known to be negative. Known
        negatives get scores too, but no row is ranked among known negatives. Estimators that can
        learn from known negatives get them
    learned : shape (n_rows,), whether the models learn from an unlabeled row; by default, they
        learn from all unlabeled rows. All unlabeled rows get scores
    hide : folds of the positives; each fold is left out and scored together with a fold of the
        unlabeled rows. There are then as many folds of unlabeled rows as folds of positives. By
        default, no positive is left out or scored. If the folds hold out rows, the unlabeled rows
        of a fold are scored with its positives
    fitted : the same estimator, already fitted on all rows that the models learn from; by default
        None. If it has out-of-bag scores, it is not fitted again
    on_progress : as in `hidden_positive_ranks`

    Raises
    ------
    LabelError : if there are fewer than two unlabeled rows
    DataError : if a row has no out-of-bag score, or there are groups without `hide`

    Notes
    -----
    Each model learns from all positives and from the unlabeled rows of the other folds. Scores of
    different models have different scales. To compare rows of different folds, use their ranks
    within the fold.

    An estimator whose `scores_out_of_bag` is true (`PUBagging`), or a pipeline that ends with such
    an estimator, is fitted only once, on all rows. The scores are its out-of-bag scores,
    `oob_decision_function_`, and all unlabeled rows are one fold. Rows that the estimator did not
    learn from get their scores from all bags. The other steps of the pipeline have seen every row,
    so a step that learns from y should be inside the bags. In two cases such an estimator is still
    fitted in folds: positives that have groups are to be scored, or one of the positives to be
    scored is in every bag.

    A `RankAverage` combines the out-of-fold ranks of its members. It uses the weights that it has
    on all rows.

    Examples
    --------
    >>> import numpy as np
    >>> from onesided import CenterOfMassRanker
    >>> from onesided.model_selection import unlabeled_out_of_fold_scores
    >>> X = np.array([[5.0], [4], [6], [3], [2], [1], [0]])
    >>> found = unlabeled_out_of_fold_scores(CenterOfMassRanker(), X, [1, 1, 1, 0, 0, 0, 0], cv=2)
    >>> found.rows.tolist(), found.ranks.tolist()
    ([3, 4, 5, 6], [0.25, 0.25, 0.75, 0.75])
    """
    _check_hide(hide, groups)
    X, labels = read_rows(estimator, X, y, positive_label, known_negative, params)
    positive = labels.positive
    if learned is not None:
        learned = check_mask(learned, len(positive), "learned")
    check_number(cv, "cv", "Pass 5 for example.", above=1, whole=True)
    unlabeled = np.flatnonzero(labels.unlabeled)
    if len(unlabeled) < 2:  # noqa: PLR2004 - one to learn from, one to score
        raise LabelError(
            f"There is {len(unlabeled)} unlabeled row; if it were held out to be scored, no "
            "unlabeled row would be left to learn from.",
            "Add rows that have never been labeled.",
        )
    lesson = np.flatnonzero(positive | (~positive if learned is None else learned))
    part = X if learned is None else take_rows(X, lesson)
    members, weights, models = _members_of(estimator, fitted, part, labels.only(lesson))
    hidden = [] if hide is None else hide.deal(positive, groups)
    folds = [fold.among for fold in hidden if fold.among is not None]
    folds = folds or _folds(
        unlabeled, np.flatnonzero(labels.negative), len(hidden) or cv, random_state
    )
    tests = [
        np.sort(np.r_[test, *[f.hidden for f in hidden[n : n + 1]]]) for n, test in enumerate(folds)
    ]
    lessons = [
        np.setdiff1d(lesson, test)
        if n >= len(hidden) or (rows := hidden[n].learned) is None
        else np.intersect1d(lesson, rows)
        for n, test in enumerate(tests)
    ]
    rows = np.sort(np.concatenate(tests))
    at_once: dict[str, Floats] = {}
    if groups is None:
        at_once = _in_bags(members, models, X, part, labels, lesson, are_hidden=bool(hidden))
    in_folds = {name: each for name, each in members.items() if name not in at_once}
    weight_of = dict(zip(members, weights, strict=True))
    step = step_counter(on_progress, len(in_folds) * len(tests) + len(at_once))
    ranks, standard = np.zeros((2, len(positive)))

    def add(name: str, test: Ints, scores: Floats) -> None:
        among = scores[labels.unlabeled[test]]
        ranks[test] += weight_of[name] * rank_shares(scores, among)
        standard[test] += weight_of[name] * standardize(scores, among)
        step(name)

    tasks = [
        (group, X, labels, train, test)
        for group in alike(in_folds, labels)
        for train, test in zip(lessons, tests, strict=True)
    ]
    for (*_, test), scored in zip(tasks, each_in_turn(score_others_by_each, tasks), strict=True):
        for name, scores in scored.items():
            add(name, test, scores)
    for name, scores in at_once.items():
        _check_out_of_bag(scores[rows])
        add(name, rows, scores[rows])
    found = ranks[rows]
    if len(members) > 1:
        among = found[labels.unlabeled[rows]]
        return OutOfFoldScores(rows, rank_shares(-found, -among), standardize(-found, -among))
    return OutOfFoldScores(rows, found, standard[rows])


def _check_hide(hide: Folds | None, groups: ArrayLike | None) -> None:
    """Refuse folds that are not folds of the positives, and groups without folds."""
    folds = f"folds of the positives, {argument('hide', PositiveKFold(5))}"
    if not isinstance(hide, PositiveKFold | PositiveTimeSplit | None):
        raise DataError(f"{argument('hide')} is {kind_of_value(hide)}.", f"Pass {folds}, or None.")
    if groups is not None and hide is None:
        raise DataError(
            f"{argument('groups')} says which positives are left out together, but no positive is "
            "left out.",
            f"Pass {folds}, or no groups.",
        )


def _members_of(
    estimator: Any, fitted: Any, part: Any, labels: Labels
) -> tuple[dict[str, Any], Floats, list[Any]]:
    """The members of an average, their weights, and the fitted members; None is one that is not."""
    if not isinstance(estimator, RankAverage):
        return {kind_of(estimator): estimator}, np.ones(1), [fitted]
    average = labels.fit(clone(estimator), part) if fitted is None else fitted
    return average.members_, average.weights_, average.estimators_


def _in_bags(
    members: Mapping[str, Any],
    models: Sequence[Any],
    X: Any,
    part: Any,
    labels: Labels,
    lesson: Ints,
    *,
    are_hidden: bool,
) -> dict[str, Floats]:
    """Scores of all rows by the members with out-of-bag scores; NaN for a row in every bag.

    Parameters
    ----------
    members : estimators by their names
    models : the same, fitted; None is one that is not
    X, labels : n_rows rows
    part, lesson : the rows to learn from, and their places
    are_hidden : whether positives are scored too; a member with a row in every bag is then left out
    """
    found = {}
    for (name, member), model in zip(members.items(), models, strict=True):
        if not scores_out_of_bag(member):
            continue
        whole = labels.only(lesson).fit(clone(member), part) if model is None else model
        in_every_bag = lesson[np.isnan(last_step(whole).oob_decision_function_)]
        if not (are_hidden and len(in_every_bag)):
            found[name] = scores_of_rows(whole, X, lesson)
            found[name][in_every_bag] = np.nan
    return found


def _check_out_of_bag(scores: Floats) -> None:
    if n_without := int(np.isnan(scores).sum()):
        raise DataError(
            f"{counted_of(n_without, len(scores), 'unlabeled row')} in every bag, which leaves no "
            "bag for an out-of-bag score.",
            "Raise n_estimators.",
        )


def _folds(unlabeled: Ints, negative: Ints, cv: int, random_state: RandomState) -> list[Ints]:
    """Folds of the rows, each with its part of the unlabeled and of the known negatives."""
    rng = check_random_state(random_state)
    folds = KFold(min(cv, len(unlabeled)), shuffle=True, random_state=int(rng.randint(2**31)))
    tests = [unlabeled[test] for _, test in folds.split(unlabeled)]
    others = np.array_split(rng.permutation(negative), len(tests))
    return [np.r_[test, other] for test, other in zip(tests, others, strict=True)]
