"""Estimators: what they are, which label they hold to be positive, and how they score rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from textwrap import shorten
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import _num_samples

from onesided._text import counted, first_line
from onesided._typing import Floats, Ints
from onesided._validation import take_rows
from onesided.exceptions import DataError, LabelError


def check_estimator(estimator: Any) -> None:
    """Raise an error if an object has no method to learn, or no method to score rows.

    Raises
    ------
    DataError : if a method is missing; the error names the type of the object

    Examples
    --------
    >>> from onesided import CenterOfMassRanker
    >>> from onesided.exceptions import DataError
    >>> from onesided.model_selection import check_estimator
    >>> try:
    ...     check_estimator(CenterOfMassRanker)
    ... except DataError as error:
    ...     print(error)
    CenterOfMassRanker is a class, not an estimator. Pass CenterOfMassRanker().
    """
    if isinstance(estimator, type):
        raise DataError(
            f"{estimator.__name__} is a class, not an estimator.", f"Pass {estimator.__name__}()."
        )
    scores = ("decision_function", "predict_proba")
    if not hasattr(estimator, "fit") or not any(hasattr(estimator, each) for each in scores):
        raise DataError(
            f"{estimator!r:.60} lacks fit, or has neither {' nor '.join(scores)}.",
            "Pass an estimator that gives scores.",
        )


def last_step(estimator: Any) -> Any:
    """The model of a pipeline; any other estimator as it is."""
    return estimator[-1] if isinstance(estimator, Pipeline) else estimator


def kind_of(estimator: Any) -> str:
    """What progress calls an estimator: the class of its last step."""
    return type(last_step(estimator)).__name__


def named(estimator: Any) -> str:
    """What an error calls it."""
    return shorten(repr(estimator), 60)


def positive_label_of(estimator: Any) -> Any:
    """The `positive_label` that an estimator, or a step of a pipeline, was given; None if none."""
    given = estimator.get_params() if hasattr(estimator, "get_params") else {}
    labels = [value for name, value in given.items() if name.split("__")[-1] == "positive_label"]
    return next((label for label in labels if label is not None), None)


def which_is_positive(estimators: Iterable[Any], positive_label: Any = None) -> Any:
    """The value of y that means positive, as it was passed or as an estimator was told; or None.

    Parameters
    ----------
    estimators : or pipelines
    positive_label : as it was passed

    Raises
    ------
    LabelError : if an estimator was told another value
    """
    for told in map(positive_label_of, estimators):
        if told is not None and positive_label is not None and told != positive_label:
            raise LabelError(
                f"positive_label={positive_label!r} was passed, but an estimator has "
                f"positive_label={told!r}.",
                "Pass the same value to both, or leave one out.",
            )
        positive_label = told if positive_label is None else positive_label
    return positive_label


def scores_out_of_bag(estimator: Any) -> bool:
    """Whether a fit of this estimator gives out-of-bag scores of the rows of the fit.

    Examples
    --------
    >>> from onesided import CenterOfMassRanker, PUBagging
    >>> from onesided.model_selection import scores_out_of_bag
    >>> models = [PUBagging(), CenterOfMassRanker()]
    >>> [type(each).__name__ for each in models if scores_out_of_bag(each)]
    ['PUBagging']
    """
    return bool(getattr(last_step(estimator), "scores_out_of_bag", False))


def cut_of(estimator: Any) -> float:
    """The score above which `scores_of` means positive."""
    return 0.0 if hasattr(estimator, "decision_function") else 0.5


def scores_of(model: Any, X: Any, **params: Any) -> Floats:
    """Score of each row by a fitted model, higher is more positive; shape (n_rows,).

    Parameters
    ----------
    model : has `decision_function` or `predict_proba`; fitted on labels of 0 and 1, whatever the
        order of its ``classes_``, or told which label is positive, which is then its second
    X : rows
    params : given to `predict_proba`

    Raises
    ------
    DataError : if there is not one number a row, one is NaN, or all are infinite
    """
    classes = getattr(model, "classes_", np.arange(2))
    if len(classes) != 2:  # noqa: PLR2004 - positive and unlabeled
        raise DataError(
            f"{named(model)} has the classes {np.asarray(classes).tolist()} after it learned "
            "from positive and unlabeled rows.",
            "Pass a classifier whose classes_ are the values of y.",
        )
    turned = np.array_equal(classes, [1, 0]) and positive_label_of(model) is None
    if hasattr(model, "decision_function"):
        with going_on(model):
            given = model.decision_function(X)
        scores = _as_floats(given, model)
        scores = -scores if turned else scores
    else:
        with going_on(model):
            given = model.predict_proba(X, **params)
        scores = _as_floats(given, model)
        scores = scores[:, int(not turned)] if scores.ndim > 1 else scores
    n_rows = _num_samples(X)
    if scores.shape != (n_rows,):
        raise DataError(
            f"{named(model)} gives scores of shape {scores.shape} for {counted(n_rows, 'row')}.",
            "Pass a classifier that gives one score for each row.",
        )
    if without := np.isnan(scores).sum():
        raise DataError(
            f"{named(model)} returns NaN as the score of {without} of {counted(n_rows, 'row')}.",
            "Pass a classifier whose scores are numbers, or scale the columns before it.",
        )
    if n_rows > 1 and np.isinf(scores).all() and (scores == scores[0]).all():
        raise DataError(
            f"{named(model)} returns {scores[0]} as the score of all {n_rows:,} rows.",
            "Pass a classifier whose scores are finite, or scale the columns before it.",
        )
    return scores


def _as_floats(scores: Any, model: Any) -> Floats:
    """What a model gave as scores, as numbers of any shape."""
    try:
        return np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(
            f"{named(model)} gives scores that are not numbers: {first_line(error)}.",
            "Pass a classifier that gives one number for each row.",
        ) from error


@contextmanager
def going_on(estimator: Any) -> Iterator[None]:
    """Context in which an estimator cannot end the program; a call of `sys.exit` is an error."""
    try:
        yield
    except SystemExit as error:
        code = "" if error.code is None else repr(error.code)
        raise DataError(
            f"{named(estimator)} called sys.exit({code}), which would end the program.",
            "Let the class raise an error in its place.",
        ) from error


def scores_of_learned(model: Any, X: Any) -> Floats:
    """Scores of the rows that a model learned from; out-of-bag scores if the model has them.

    Parameters
    ----------
    model : fitted estimator or pipeline
    X : shape (n_rows, n_features), the rows that the model was fitted on

    Examples
    --------
    >>> from onesided import CenterOfMassRanker
    >>> from onesided.model_selection import scores_of_learned
    >>> X = [[3.0], [2.0], [1.0], [0.0]]
    >>> scores_of_learned(CenterOfMassRanker().fit(X, [1, 1, 0, 0]), X).round(2).tolist()
    [1.0, -1.0, -3.0, -5.0]
    """
    if hasattr(model, "learned_decision_function_"):
        return np.asarray(model.learned_decision_function_)
    apart = getattr(last_step(model), "oob_decision_function_", None)
    if apart is None:
        return scores_of(model, X)
    in_every_bag = np.isnan(apart)
    return np.where(in_every_bag, scores_of(model, X), apart) if in_every_bag.any() else apart


def scores_of_rows(model: Any, X: Any, learned: Ints | None) -> Floats:
    """Scores of all rows; those that a model learned from have out-of-bag scores where it has them.

    Parameters
    ----------
    model : fitted
    X : shape (n_rows, n_features)
    learned : places of the rows of its fit, ascending; None if it learned from all rows
    """
    if learned is None or len(learned) == _num_samples(X):
        return scores_of_learned(model, X)
    found = np.empty(_num_samples(X))
    others = np.setdiff1d(np.arange(len(found)), learned)
    found[learned] = scores_of_learned(model, take_rows(X, learned))
    found[others] = scores_of(model, take_rows(X, others))
    return found


def standardize(scores: Floats, unlabeled: Floats) -> Floats:
    """Robust standard deviations above the median of the unlabeled, shape (n_rows,).

    Infinite ones count as the largest or smallest of the others.
    """
    finite = unlabeled[np.isfinite(unlabeled)]
    ends = (finite.min(), finite.max()) if len(finite) else (0.0, 0.0)
    low, median, high = np.quantile(np.clip(unlabeled, *ends), [0.25, 0.5, 0.75])
    spread = (high - low) / 1.349  # the interquartile range of a normal of deviation 1
    if spread <= 0:
        spread = float(np.std(finite)) if len(finite) else 0.0
    scores = np.where(np.isfinite(scores), scores, np.clip(scores, *ends))
    return (scores - median) / (spread or 1.0)
