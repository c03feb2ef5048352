"""The base class of all learners: it reads X and y, and turns scores into labels."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import narwhals.stable.v2 as nw
import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from onesided._blocks import (
    Block,
    Numeric,
    Source,
    is_dask,
    is_frame,
    labeled_source,
    read_features,
)
from onesided._display import Documented
from onesided._frames import in_memory
from onesided._labels import LabelCoding
from onesided._probabilities import MayLackProbabilities
from onesided._statistics import LabelTotals
from onesided._typing import Floats
from onesided._validation import check_parameters, refuse_masked
from onesided.exceptions import DataError
from onesided.model_selection._score import ScoredWithoutNegatives


class PositiveUnlabeledClassifier(
    MayLackProbabilities, Documented, ScoredWithoutNegatives, BaseEstimator, ABC
):
    """Base class of the learners: a subclass defines how to learn and how to score rows.

    This class reads arrays, sparse matrices, frames, files and Dask collections. It reads labels
    in every coding, and row weights. It checks parameters and column names, and it turns scores
    into labels.

    A subclass has the parameter `positive_label`, and these hooks:

    - `_learn(source, coding)` passes over the rows of a `Source` and sets the attributes of the
      fit. `coding` is a `LabelCoding`.
    - `_score_block(block)` returns the score of each row of a `Block`. Higher is more positive;
      `predict` calls a row positive if its score is above 0.
    - `_takes_numbers` is True if features must be finite numbers, "allow-nan" if numbers may be
      missing, and False if features may have any values.
    - `_parameter_constraints` says what the parameters may be, as in scikit-learn. It is optional.

    Examples
    --------
    >>> import numpy as np
    >>> class HighestFeature(PositiveUnlabeledClassifier):
    ...     _takes_numbers = True
    ...
    ...     def __init__(self, *, positive_label=None):
    ...         self.positive_label = positive_label
    ...
    ...     def _learn(self, source, coding):
    ...         def positives(block):
    ...             return block.weights() * block.labels() @ block.dense()
    ...
    ...         self.feature_ = int(np.argmax(source.total(positives, np.zeros(source.n_features))))
    ...
    ...     def _score_block(self, block):
    ...         return block.dense()[:, self.feature_]
    >>> model = HighestFeature().fit([[0, 3], [1, 4], [5, 1], [2, -1]], [1, 1, 0, 0])
    >>> model.decision_function([[0, 2], [9, -2]]), model.predict([[0, 2], [9, -2]])
    (array([ 2., -2.]), array([1, 0]))
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "positive_label": "no_validation",
        "random_state": ["random_state"],
    }

    _takes_numbers: ClassVar[Numeric]
    """Whether features must be finite numbers, may be missing numbers, or may have any values."""
    _takes_counts: ClassVar[bool] = False
    """Whether features are such as counts of words, which are never negative."""

    positive_label: Any

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from positive and unlabeled rows.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_rows, n_features), data frame, Arrow dataset, Dask
            array or data frame, or the path of a Parquet, CSV or JSON-lines file or of a folder of
            such files; files are read in blocks, once for each pass that the learner makes
        y : shape (n_rows,), or the name of the column of X that holds the labels. If the labels
            are two numbers, the larger number is positive. A missing label means unlabeled.
        sample_weight : shape (n_rows,), or None for equal weights. Weight 2 counts as two copies
            of the row; weight 0 ignores the row.

        Raises
        ------
        LabelError : if y does not have exactly two kinds of rows
        DataError : if X cannot be used
        """
        return self._fit(X, y, sample_weight)

    def _fit(self, X: Any, y: Any, sample_weight: Any = None, **given: Any) -> Self:
        """As `fit`, for a subclass whose `fit` takes more; `given` are arguments of `_learn`."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        self._check_params()
        for learned in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, learned)  # another fit may not set it
        source, coding = self._labeled(in_memory(X), y, sample_weight)
        if source.n_features == 0:
            raise DataError(
                "Found array with 0 feature(s) while a minimum of 1 is required.",
                "Pass columns beside the labels.",
            )
        self._label_column = y if isinstance(y, str) else None
        if not hasattr(self, "n_features_in_"):
            self.n_features_in_ = source.n_features
            if source.feature_names is not None:
                self.feature_names_in_ = np.array(source.feature_names, dtype=object)
        self.classes_ = coding.classes
        self._learn(source, coding, **given)
        return self

    def _labeled(self, X: Any, y: Any, sample_weight: Any) -> tuple[Source, LabelCoding]:
        """The rows with their labels and weights, both kinds of rows with a weight above 0."""
        source, coding = labeled_source(
            self._checked(X, y, reset=True),
            y,
            sample_weight=sample_weight,
            positive_label=self.positive_label,
            numeric=self._takes_numbers,
        )
        if sample_weight is not None:
            totals = source.total(LabelTotals.of, LabelTotals())
            if totals.positive == 0 or totals.unlabeled == 0:
                raise DataError(
                    "After sample_weight only one class of rows is left; the rest has weight zero.",
                    "Give some positive and some unlabeled rows a weight above 0.",
                )
        return source, coding

    def decision_function(self, X: Any) -> Floats:
        """Score of each row, higher is more positive; `predict` cuts it at 0.

        Parameters
        ----------
        X : rows, in any form that `fit` takes. Columns of a frame are matched by name. Columns of
            a file that `fit` did not see are not read.

        Returns
        -------
        shape (n_rows,)
        """
        check_is_fitted(self)
        return self._source_of(X).map(self._score_block)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self._takes_numbers is not True
        tags.input_tags.categorical = not self._takes_numbers
        tags.input_tags.string = not self._takes_numbers
        tags.input_tags.positive_only = self._takes_counts
        tags.classifier_tags.poor_score = self._takes_counts  # on points in space
        return tags

    def _check_params(self) -> None:
        """Raise an error if a parameter cannot be used; a subclass adds checks of combinations."""
        check_parameters(self)

    @abstractmethod
    def _learn(self, source: Source, coding: LabelCoding) -> None:
        """Set the attributes of the fit."""

    @abstractmethod
    def _score_block(self, block: Block) -> Floats:
        """Score of each row of a block, shape (n_rows,)."""

    def _source_of(self, X: Any) -> Source:
        """X as a source of the features of `fit`, in the same order."""
        X = in_memory(X)
        names = getattr(self, "feature_names_in_", None)
        if names is not None and is_frame(X):
            frame = nw.from_native(X, eager_only=True)
            beside = set(frame.columns) - set(names)
            if list(frame.columns) != list(names) and beside <= {self._label_column}:
                X = frame.select([name for name in names if name in frame.columns]).to_native()
        source = read_features(self._checked(X, reset=False), numeric=self._takes_numbers)
        if names is not None and source.feature_names is not None:
            return source.select(list(names))
        if source.n_features != self.n_features_in_:
            raise DataError(
                f"X has {source.n_features} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input.",
                "Pass rows with the features that there were in fit.",
            )
        return source

    def _checked(self, X: Any, y: Any = None, *, reset: bool) -> Any:
        """X after scikit-learn's checks of names and number of features; arrays become sources."""
        if isinstance(X, Source | str | os.PathLike) or is_dask(X):
            return X
        if hasattr(X, "to_batches") and not is_frame(X):
            return X
        if isinstance(y, str):  # a column of X: the others are checked later, without it
            return X
        refuse_masked(X)
        checked = X if is_frame(X) else read_features(X, numeric=self._takes_numbers)
        validate_data(self, X, reset=reset, skip_check_array=True)
        return checked
