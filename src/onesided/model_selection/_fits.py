"""Fits of several estimators, in which positives are hidden fold by fold.

Bagging needs no folds: out of bag, each row of either kind is scored by models that did not learn
from it. So one fit gives the hidden-positive scores and the out-of-fold scores.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Any
from weakref import WeakSet

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from onesided._files._memory import give_memory_back
from onesided._typing import Floats, Ints, OnProgress
from onesided._validation import take_rows
from onesided.exceptions import naming
from onesided.model_selection._estimators import (
    kind_of,
    last_step,
    scores_of,
    scores_of_learned,
    scores_out_of_bag,
)
from onesided.model_selection._folds import Fold, Folds
from onesided.model_selection._labels import Labels
from onesided.model_selection._parallel import each_in_turn

IGNORE_LABELS: WeakSet[Any] = WeakSet()
"""Transformers that learn nothing from labels; fits that hide different labels share their rows."""


@dataclass(frozen=True)
class HidingFit:
    """One fit, and the scores of all rows by it.

    Attributes
    ----------
    hidden : positive rows that did not count as positive for the models that scored them
    scores : shape (n_rows,)
    seconds : how long it took to fit and score
    among : unlabeled rows that the positives are ranked among; None for all
    model : the fitted model where it learned from all rows, and the scores are out of bag; or None
    """

    hidden: Ints
    scores: Floats
    seconds: float
    among: Ints | None = None
    model: Any = None


def fits_that_hide(
    estimators: Mapping[str, Any],
    X: Any,
    labels: Labels,
    *,
    folds: Folds,
    groups: ArrayLike | None,
    on_progress: OnProgress | None = None,
) -> Iterator[tuple[str, HidingFit]]:
    """Fits of each estimator in which each positive is hidden once.

    Those that score out of bag come last; they are fitted here, where their bags are dealt to
    threads, while fits of the others are dealt to processes.

    Parameters
    ----------
    estimators : copies of them are fitted
    X : n_rows rows
    labels : of the rows
    folds : of the positives
    groups : shape (n_rows,); positives of a group are hidden together, or the time of each row
    on_progress : called after each fit with the name of the estimator, the number of fits done, and
        of all

    Yields
    ------
    the name of an estimator, and a fit of it
    """
    dealt = deal_unlabeled(folds, labels, groups)
    in_bags = groups is None and all(fold.learned is None for fold in dealt)
    at_once = [name for name, each in estimators.items() if in_bags and scores_out_of_bag(each)]
    in_folds = {name: each for name, each in estimators.items() if name not in at_once}
    step = step_counter(on_progress, len(in_folds) * len(dealt) + len(at_once))
    for name, fit in _in_folds(in_folds, X, labels, dealt):
        yield name, fit
        step(name)
    give_memory_back()
    for group in alike({name: estimators[name] for name in at_once}, labels):
        steps, rows, shared = _prepared(group, X)
        for name, estimator in group.items():
            start = time.perf_counter()
            with naming(name):
                model = clone(estimator)
                if steps is None:
                    labels.fit(model, X)
                else:
                    model.steps[:-1] = steps.steps
                    labels.fit(model[-1], rows)
            scores = last_step(model).oob_decision_function_
            if np.isnan(scores).any():  # a row is in every bag, as one of few positives may be
                yield from _in_folds({name: estimator}, X, labels, dealt)
            else:
                seconds = shared + time.perf_counter() - start
                yield name, HidingFit(np.flatnonzero(labels.positive), scores, seconds, model=model)
            step(name)


def step_counter(on_progress: OnProgress | None, total: int) -> Callable[[str], None]:
    """The function to call after each fit with the name of what was fitted.

    Parameters
    ----------
    on_progress : called with the name, the number of fits done, and of all; or None
    total : number of all fits
    """
    done = count(1)

    def step(name: str) -> None:
        if on_progress is not None:
            on_progress(name, next(done), total)

    return step


def deal_unlabeled(folds: Folds, labels: Labels, groups: ArrayLike | None) -> list[Fold]:
    """The folds of the positives, which are ranked among unlabeled rows, not among negatives.

    Parameters
    ----------
    folds : of the positives
    labels : of the rows
    groups : shape (n_rows,), or None
    """
    return [
        fold
        if fold.among is None
        else fold._replace(among=fold.among[labels.unlabeled[fold.among]])
        for fold in folds.deal(labels.positive, groups)
    ]


def _in_folds(
    estimators: Mapping[str, Any], X: Any, labels: Labels, folds: Sequence[Fold]
) -> Iterator[tuple[str, HidingFit]]:
    """A fit of each estimator for each fold, in which the positives of the fold are hidden."""
    shared = {}

    def tasks(group: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
        steps, rows, seconds = None, X, 0.0
        if all(fold.learned is None for fold in folds):
            steps, rows, seconds = _prepared(group, X)
        shared.update(dict.fromkeys(group, seconds / len(folds)))
        models = group if steps is None else {name: each[-1] for name, each in group.items()}
        yield from ((models, rows, labels, fold) for fold in folds)

    groups = alike(estimators, labels)
    fits = each_in_turn(_score_hidden, chain.from_iterable(map(tasks, groups)))
    for fold, found in zip([*folds] * len(groups), fits, strict=True):
        for name, (scores, seconds) in found.items():
            yield name, HidingFit(fold.hidden, scores, shared[name] + seconds, fold.among)


def _prepared(estimators: Mapping[str, Any], X: Any) -> tuple[Pipeline | None, Any, float]:
    """The first steps of a group of `alike`, fitted on all rows; the rows for its models; seconds.

    The same rows then serve each fit, whatever is hidden in it. There are no steps if one of them
    may learn from labels; the rows are then as they were.
    """
    first, start = next(iter(estimators)), time.perf_counter()
    pipeline = estimators[first]
    steps = pipeline.steps[:-1] if isinstance(pipeline, Pipeline) else []
    if not steps or not all(step in IGNORE_LABELS for _, step in steps):
        return None, X, 0.0
    with naming(first):
        fitted = clone(pipeline[:-1])
        rows = fitted.fit_transform(X)
    return fitted, rows, time.perf_counter() - start


def _score_hidden(
    estimators: Mapping[str, Any], X: Any, labels: Labels, fold: Fold
) -> dict[str, tuple[Floats, float]]:
    """`score_by_each`, with the positives of a fold among the unlabeled, or its rows left out."""
    shown = labels.hiding(fold.hidden)
    if fold.learned is None:
        return score_by_each(estimators, X, shown)
    return score_by_each(estimators, take_rows(X, fold.learned), shown.only(fold.learned), X)


def alike(estimators: Mapping[str, Any], labels: Labels) -> list[dict[str, Any]]:
    """The estimators in groups: pipelines that share the objects of their first steps are one.

    Parameters
    ----------
    estimators : by their names
    labels : of the rows; if their `params` are for steps of pipelines, each estimator is alone
    """
    groups: dict[Any, dict[str, Any]] = {}
    of_steps = any("__" in name for name in labels.params)
    for name, each in estimators.items():
        steps = each.steps[:-1] if isinstance(each, Pipeline) and not of_steps else []
        groups.setdefault(tuple(id(step) for _, step in steps) or name, {})[name] = each
    return [*groups.values()]


def score_by_each(
    estimators: Mapping[str, Any], X: Any, labels: Labels, rows: Any = None
) -> dict[str, tuple[Floats, float]]:
    """Scores of some rows by copies of estimators of one group, and the seconds that each took.

    Parameters
    ----------
    estimators : a group of `alike`, whose first steps are fitted once; or models that share rows
    X, labels : what they learn from
    rows : what they score; None is X
    """
    start = time.perf_counter()
    first, *others = estimators
    has_steps = bool(others) and isinstance(estimators[first], Pipeline)
    scores_by = scores_of_learned if rows is None else scores_of
    rows = X if rows is None else rows
    if has_steps:
        with naming(first):
            steps = clone(estimators[first][:-1])
            X = steps.fit_transform(X, labels.given_to(estimators[first]))
    shared, models, seconds, found = time.perf_counter() - start, {}, {}, {}
    for name, estimator in estimators.items():
        start = time.perf_counter()
        with naming(name):
            model = clone(last_step(estimator) if has_steps else estimator)
            models[name] = labels.fit(model, X)
        seconds[name] = time.perf_counter() - start
    if has_steps:
        start = time.perf_counter()
        del X  # before the other copy is there
        with naming(first):
            rows = steps.transform(rows)
        shared += time.perf_counter() - start
    for name, model in models.items():
        start = time.perf_counter()
        with naming(name):
            scores = scores_by(model, rows)
        found[name] = scores, shared + seconds[name] + time.perf_counter() - start
    return found


def hidden_positive_scores_by_fold(
    estimator: Any,
    X: Any,
    labels: Labels,
    folds: Iterable[Ints],
    on_progress: OnProgress | None = None,
) -> Iterator[tuple[Ints, Floats]]:
    """Hidden-positive scores, and those of all other rows, fold by fold.

    Parameters
    ----------
    estimator : copies of it are fitted
    X : n_rows rows
    labels : of the rows
    folds : rows of the positives to hide, in turn
    on_progress : as in `hidden_positive_ranks`

    Yields
    ------
    hidden rows, and scores of shape (n_rows,)
    """
    dealt, name = list(folds), kind_of(estimator)
    step = step_counter(on_progress, len(dealt))
    tasks = ((estimator, X, labels.hiding(hidden)) for hidden in dealt)
    for hidden, scores in zip(dealt, each_in_turn(_fit_and_score, tasks), strict=True):
        yield hidden, scores
        step(name)


def _fit_and_score(estimator: Any, X: Any, labels: Labels) -> Floats:
    return scores_of(labels.fit(clone(estimator), X), X)
