"""What y says of each row, and how estimators are given it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import _check_method_params, check_is_fitted

from onesided._frames import in_memory
from onesided._labels import encode_labels
from onesided._text import argument, kind_of_value
from onesided._typing import Array, Bools, Ints
from onesided._validation import check_mask, check_rows
from onesided.exceptions import DataError, LabelError
from onesided.model_selection._estimators import (
    check_estimator,
    going_on,
    last_step,
    named,
    positive_label_of,
    which_is_positive,
)


@dataclass(frozen=True)
class Labels:
    """What y says of each row.

    Attributes
    ----------
    positive, negative : shape (n_rows,), rows that are known to be so; the others are unlabeled
    classes : shape (2,), what y calls unlabeled and positive rows
    params : what fits are given beside X and y
    """

    positive: Bools
    negative: Bools
    classes: Array
    params: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        y: ArrayLike,
        positive_label: Any = None,
        known_negative: ArrayLike | None = None,
        params: Mapping[str, Any] | None = None,
    ) -> Labels:
        """Read y.

        Parameters
        ----------
        y : shape (n_rows,)
        positive_label : the value of y that means positive; by default y says it
        known_negative : shape (n_rows,), unlabeled rows that are known to be negative, or None
        params : given to `fit` beside X and y

        Raises
        ------
        LabelError : if y does not hold positive and unlabeled rows, or a positive row is said to be
            negative
        DataError : if `params` is not a dictionary
        """
        positive, coding = encode_labels(y, positive_label)
        if not isinstance(params, Mapping | None):
            raise DataError(
                f"params is {kind_of_value(params)}.",
                "Pass a dictionary of arguments of fit, {'sample_weight': weight} for example.",
            )
        negative = np.zeros_like(positive)
        if known_negative is not None:
            negative = check_known_negative(known_negative, positive)
        return cls(positive, negative, coding.classes, dict(params or {}))

    @property
    def unlabeled(self) -> Bools:
        """Rows of which nothing is known, shape (n_rows,): positives are ranked among these."""
        return ~self.positive & ~self.negative

    def hiding(self, rows: Ints) -> Labels:
        """The same, with some positives among the unlabeled."""
        shown = self.positive.copy()
        shown[rows] = False
        return replace(self, positive=shown)

    def only(self, rows: Ints) -> Labels:
        """The same of some rows."""
        return replace(
            self,
            positive=self.positive[rows],
            negative=self.negative[rows],
            params=_check_method_params(self.positive, self.params, rows),
        )

    def given_to(self, estimator: Any, *, by_name: bool = False) -> Array:
        """Labels as an estimator takes them, shape (n_rows,).

        Parameters
        ----------
        estimator : or a pipeline
        by_name : whether to call the kinds as y does, also if the estimator was not told which is
            positive
        """
        told = by_name or positive_label_of(estimator) is not None
        return (self.classes if told else np.arange(2))[self.positive.astype(int)]

    def fit(self, estimator: Any, X: Any, *, by_name: bool = False) -> Any:
        """Fit an estimator with `params`, and return it; some learn from the known negatives too.

        Parameters
        ----------
        estimator : or a pipeline; it is fitted itself
        X : n_rows rows
        by_name : as for `given_to`
        """
        given = dict(self.params)
        if self.negative.any() and getattr(last_step(estimator), "learns_from_negatives", False):
            given["known_negative"] = self.negative
        if isinstance(estimator, Pipeline) and not get_config()["enable_metadata_routing"]:
            last = f"{estimator.steps[-1][0]}__"
            given = {name if "__" in name else last + name: each for name, each in given.items()}
        with going_on(estimator):
            estimator.fit(X, self.given_to(estimator, by_name=by_name), **given)
        if isinstance(estimator, Pipeline):
            _check_is_fitted(estimator)
        return estimator


def _check_is_fitted(pipeline: Pipeline) -> None:
    """Refuse a model whose fit sets nothing by which scikit-learn knows that it is fitted."""
    try:
        check_is_fitted(pipeline)
    except NotFittedError as error:
        raise DataError(
            f"The fit of {named(last_step(pipeline))} sets no attribute whose name ends in _, so "
            "its pipeline counts as not fitted.",
            "Let fit set such an attribute, classes_ for example.",
        ) from error


def read_rows(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    positive_label: Any = None,
    known_negative: ArrayLike | None = None,
    params: Mapping[str, Any] | None = None,
) -> tuple[Any, Labels]:
    """Features and labels on which an estimator can be evaluated, in memory.

    Parameters
    ----------
    estimator : to evaluate; it may have been told which value of y is positive
    X : n_rows rows
    y, positive_label, known_negative, params : as for `Labels.of`

    Raises
    ------
    DataError : if the object is not an estimator, or X has another number of rows than y
    LabelError : as for `Labels.of`, or if the estimator was told another positive value
    """
    check_estimator(estimator)
    X = in_memory(X)
    label = which_is_positive([estimator], positive_label)
    labels = Labels.of(y, label, known_negative, params)
    check_rows(X, len(labels.positive))
    return X, labels


def check_known_negative(known_negative: ArrayLike, positive: Bools) -> Bools:
    """A mask of known negatives, shape (n_rows,).

    Parameters
    ----------
    known_negative : True or False, or 1 or 0, for each row
    positive : shape (n_rows,)

    Raises
    ------
    LabelError : if it is not a mask of rows that are not positive
    """
    found = check_mask(known_negative, len(positive), "known_negative", LabelError)
    if (both := np.flatnonzero(found & positive)).size:
        raise LabelError(
            f"Row {both[0]} is positive in y, but {argument('known_negative')} says that it is "
            "negative.",
            "Pass False there, or another label.",
        )
    return found
