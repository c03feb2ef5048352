"""Estimators of the class prior."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import ClassifierTags, Tags, get_tags
from sklearn.utils._param_validation import HasMethods
from sklearn.utils.validation import validate_data

from onesided._display import Documented
from onesided._frames import in_memory
from onesided._labels import encode_labels
from onesided._typing import Array, Floats, RandomState
from onesided._validation import (
    COUNT,
    FROM_ZERO,
    SHARE,
    TWO_OR_MORE,
    check_parameters,
    check_rows,
)
from onesided.exceptions import LabelError, PriorWarning
from onesided.model_selection import PositiveKFold
from onesided.model_selection._estimators import which_is_positive
from onesided.prior._best_bin import best_bin
from onesided.prior._binormal import binormal_tail
from onesided.prior._density_ratio import density_ratio
from onesided.prior._elkan_noto import elkan_noto
from onesided.prior._scores import out_of_fold_scores
from onesided.prior._subtypes import SubtypeEstimate, subtype_prior
from onesided.prior._tree import tree_induction


class _Prior(Documented, BaseEstimator):
    """Base class of the estimators of the prior: y has two classes, and one number is learned."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "positive_label": "no_validation",
        "random_state": ["random_state"],
    }
    class_prior_: float

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags


class _ScorePrior(_Prior):
    """Base class of the estimators that compute the class prior from out-of-fold scores."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": [HasMethods("fit"), None],
        "cv": [TWO_OR_MORE, PositiveKFold],
    }
    positive_scores_: Floats
    unlabeled_scores_: Floats

    def __init__(
        self,
        estimator: Any = None,
        *,
        cv: int | PositiveKFold = 5,
        positive_label: Any = None,
        random_state: RandomState = 0,
    ) -> None:
        self.estimator = estimator
        self.cv = cv
        self.positive_label = positive_label
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, groups: ArrayLike | None = None) -> Self:
        """Compute out-of-fold scores of the rows, and estimate the prior from these scores.

        Parameters
        ----------
        X : array-like, CSR matrix or data frame with n_rows rows
        y : shape (n_rows,)
        groups : shape (n_rows,); rows of a group are in one fold
        """
        check_parameters(self)
        X = in_memory(X)
        self.positive_scores_, self.unlabeled_scores_ = out_of_fold_scores(
            X,
            y,
            estimator=self.estimator,
            cv=self.cv,
            groups=groups,
            positive_label=self.positive_label,
            random_state=self.random_state,
        )
        self.class_prior_ = at_no_edge(self._of_rows(X, y), type(self).__name__)
        validate_data(self, X, skip_check_array=True)  # the scorer checks the values of X
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        of_scorer = None if self.estimator is None else get_tags(self.estimator).input_tags
        tags.input_tags.sparse = of_scorer is None or of_scorer.sparse
        tags.input_tags.allow_nan = of_scorer is None or of_scorer.allow_nan
        return tags

    def _of_rows(self, X: Any, y: ArrayLike) -> float:
        """Share of positives among the unlabeled, from the rows and their out-of-fold scores."""
        return self._of_scores(self.positive_scores_, self.unlabeled_scores_)

    def _of_scores(self, positive_scores: Floats, unlabeled_scores: Floats) -> float:
        """Share of positives among the unlabeled, from their out-of-fold scores."""
        raise NotImplementedError


class BestBinPrior(_ScorePrior):
    """Share of positives among the unlabeled, by best-bin estimation on out-of-fold scores.

    It assumes that labels are selected completely at random (SCAR). It estimates the largest prior
    that the scores are compatible with. If the classes overlap, this is higher than the true prior.

    Parameters
    ----------
    estimator : scores the rows; by default balanced extra-trees with leaves of five rows, and
        balanced logistic regression where X is sparse
    cv : number of folds, or a `PositiveKFold`
    gamma, delta : constants γ and δ of the confidence term in `best_bin`
    positive_label : the value of y that means positive, for text labels
    random_state : of the folds and of the default estimator

    Attributes
    ----------
    class_prior_ : share of positives among the unlabeled; 0 or 1 causes a warning
    positive_scores_ : shape (n_positive,), out-of-fold scores of the positives
    unlabeled_scores_ : shape (n_unlabeled,), out-of-fold scores of the unlabeled rows
    n_features_in_, feature_names_in_ : number and names of the columns of X, as in scikit-learn

    Notes
    -----
    Garg, Wu, Smola, Balakrishnan, Lipton 2021, algorithm 1; see `best_bin`. On mushroom, spambase,
    page_blocks, letter and twonorm, with 100 to 1,000 positives, the mean error is .02.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 2)) + 4 * (np.arange(600) < 300)[:, None]
    >>> y = (np.arange(600) < 200).astype(int)  # 100 of the 400 unlabeled are positive
    >>> round(BestBinPrior().fit(X, y).class_prior_, 2)
    0.25
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {"gamma": [FROM_ZERO], "delta": [SHARE]}

    def __init__(
        self,
        estimator: Any = None,
        *,
        cv: int | PositiveKFold = 5,
        gamma: float = 0.01,
        delta: float = 0.1,
        positive_label: Any = None,
        random_state: RandomState = 0,
    ) -> None:
        super().__init__(estimator, cv=cv, positive_label=positive_label, random_state=random_state)
        self.gamma = gamma
        self.delta = delta

    def _of_scores(self, positive_scores: Floats, unlabeled_scores: Floats) -> float:
        return best_bin(positive_scores, unlabeled_scores, gamma=self.gamma, delta=self.delta)


class BinormalPrior(_ScorePrior):
    """Share of positives among the unlabeled, by extrapolating a binormal ROC curve.

    Best-bin estimation is too high because its bin contains negatives. This estimator extrapolates
    to the highest scores instead (`binormal_tail`). The interval of `estimate_class_prior` is
    centred on this estimate. It assumes that labels are selected completely at random (SCAR).

    Parameters
    ----------
    estimator, cv, positive_label, random_state : as in `BestBinPrior`

    Attributes
    ----------
    class_prior_, positive_scores_, unlabeled_scores_, n_features_in_, feature_names_in_ : as in
        `BestBinPrior`

    Examples
    --------
    Of the 400 unlabeled rows 100 are positive:

    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 2)) + 4 * (np.arange(600) < 300)[:, None]
    >>> prior = BinormalPrior(LogisticRegression()).fit(X, np.arange(600) < 200)
    >>> round(prior.class_prior_, 2)
    0.27
    """

    def _of_scores(self, positive_scores: Floats, unlabeled_scores: Floats) -> float:
        return binormal_tail(positive_scores, unlabeled_scores)


class ElkanNotoPrior(_ScorePrior):
    """Share of positives among the unlabeled, after Elkan and Noto 2008, only for comparison.

    The estimate is too high if the classes overlap (`elkan_noto`). It assumes that labels are
    selected completely at random (SCAR).

    Parameters
    ----------
    estimator, cv, positive_label, random_state : as in `BestBinPrior`

    Attributes
    ----------
    class_prior_, positive_scores_, unlabeled_scores_, n_features_in_, feature_names_in_ : as in
        `BestBinPrior`

    Examples
    --------
    Of the 400 unlabeled rows 100 are positive:

    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 2)) + 4 * (np.arange(600) < 300)[:, None]
    >>> prior = ElkanNotoPrior(LogisticRegression()).fit(X, np.arange(600) < 200)
    >>> round(prior.class_prior_, 2)
    0.25
    """

    def _of_scores(self, positive_scores: Floats, unlabeled_scores: Floats) -> float:
        return elkan_noto(positive_scores, unlabeled_scores)


class DensityRatioPrior(_ScorePrior):
    """Share of positives among the unlabeled, by the ratio of the densities of the scores.

    The method follows DEDPUL (Ivanov 2020), and is useful as a second opinion (`density_ratio`). It
    assumes that labels are selected completely at random (SCAR).

    Parameters
    ----------
    estimator, cv, positive_label, random_state : as in `BestBinPrior`

    Attributes
    ----------
    class_prior_, positive_scores_, unlabeled_scores_, n_features_in_, feature_names_in_ : as in
        `BestBinPrior`

    Examples
    --------
    Of the 400 unlabeled rows 100 are positive:

    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 2)) + 4 * (np.arange(600) < 300)[:, None]
    >>> prior = DensityRatioPrior(LogisticRegression()).fit(X, np.arange(600) < 200)
    >>> round(prior.class_prior_, 2)
    0.25
    """

    def _of_scores(self, positive_scores: Floats, unlabeled_scores: Floats) -> float:
        return density_ratio(positive_scores, unlabeled_scores)


class SubtypePrior(_ScorePrior):
    """Share of positives among the unlabeled, where labels are even only within a kind.

    It estimates the share of each kind of positives and adds these shares up (`subtype_prior`). The
    data determine the number of kinds. If the data show only one kind, the estimate equals that of
    `BestBinPrior`. X must hold numbers without missing values.

    Parameters
    ----------
    estimator, cv, positive_label, random_state : as in `BestBinPrior`; `random_state` also draws
        the cells of positives

    Attributes
    ----------
    estimate_ : a `SubtypeEstimate`, with the share of each kind and the kind of each row
    class_prior_, positive_scores_, unlabeled_scores_, n_features_in_, feature_names_in_ : as in
        `BestBinPrior`

    Examples
    --------
    Two kinds of positives: 20 of 420 of the first are hidden, and 200 of 300 of the second.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1820, 2))
    >>> X[:420, 0] += 6
    >>> X[420:720, 1] += 6
    >>> y = np.repeat([1, 0, 1, 0], [400, 20, 100, 1300])  # 220 of 1,320 are positive, .17
    >>> found = SubtypePrior().fit(X, y)
    >>> round(found.class_prior_, 2), round(BestBinPrior().fit(X, y).class_prior_, 2)
    (0.16, 0.02)
    >>> int(found.estimate_.n_labeled[0])  # the labels of the first kind
    400
    """

    estimate_: SubtypeEstimate

    def _of_rows(self, X: Any, y: ArrayLike) -> float:
        label = which_is_positive([self.estimator], self.positive_label)
        positive, _ = encode_labels(y, label)
        scores = np.empty(len(positive))
        scores[positive], scores[~positive] = self.positive_scores_, self.unlabeled_scores_
        self.estimate_ = subtype_prior(
            X, y, scores, positive_label=label, random_state=self.random_state
        )
        return float(self.estimate_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = False
        return tags


class TIcEPrior(_Prior):
    """Share of positives among the unlabeled, by a decision tree that finds labeled rows.

    This is TIcE of Bekker, Davis 2018 (`tree_induction`). It needs no scorer, unlike the other
    estimators of the prior. It assumes that labels are selected completely at random (SCAR).

    Parameters
    ----------
    max_splits : largest number of splits of a tree
    cv : number of folds
    positive_label : the value of y that means positive, for text labels
    random_state : of the folds

    Attributes
    ----------
    class_prior_ : share of positives among the unlabeled; 0 or 1 causes a warning
    n_features_in_, feature_names_in_ : number and names of the columns of X, as in scikit-learn

    Examples
    --------
    Of the 2,000 unlabeled rows 500 are positive:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(3000, 2)) + 4 * (np.arange(3000) < 1500)[:, None]
    >>> round(TIcEPrior().fit(X, np.arange(3000) < 1000).class_prior_, 2)
    0.32
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "max_splits": [COUNT],
        "cv": [TWO_OR_MORE],
    }

    def __init__(
        self,
        *,
        max_splits: int = 500,
        cv: int = 5,
        positive_label: Any = None,
        random_state: RandomState = 0,
    ) -> None:
        self.max_splits = max_splits
        self.cv = cv
        self.positive_label = positive_label
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Grow the trees, and estimate the prior from the nodes with the highest labeled share.

        Parameters
        ----------
        X : shape (n_rows, n_features), dense numbers
        y : shape (n_rows,)

        Raises
        ------
        LabelError : if there are fewer than two positives or fewer than two unlabeled rows
        TypeError, ValueError : if X is sparse, is not numeric, or has missing or infinite values
        """
        check_parameters(self)
        X = in_memory(X, dense=True)
        positive, _ = encode_labels(y, self.positive_label)
        numbers = validate_data(self, X, dtype=np.float64)
        check_rows(numbers, len(positive))
        fewest = int(min(positive.sum(), (~positive).sum()))
        if fewest < 2:  # noqa: PLR2004 - one row to grow a tree on, one to evaluate it
            raise LabelError(
                f"y has {fewest} row of one kind, so some folds would have none.",
                "Label more positive rows.",
            )
        prior = tree_induction(
            numbers,
            positive,
            max_splits=self.max_splits,
            cv=self.cv,
            random_state=self.random_state,
        )
        self.class_prior_ = at_no_edge(prior, type(self).__name__)
        return self


def dense_numbers(X: Any) -> Array | None:
    """X as a dense matrix of numbers; None if X is sparse, not numeric or has missing values."""
    if sparse.issparse(X):
        return None
    try:
        numbers = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    return None if numbers.ndim != 2 or np.isnan(numbers).any() else numbers  # noqa: PLR2004 - a matrix


def at_no_edge(prior: float, method: str) -> float:
    """The same prior; the function warns if it is 0 or 1, which no learner can use."""
    if not 0 < prior < 1:
        found = (
            "some positives score above all unlabeled rows, as duplicates or a leak would"
            if prior <= 0
            else "nothing sets the positives apart from the unlabeled"
        )
        warnings.warn(
            f"The class prior is estimated as {prior:g} by {method}: {found}. No learner can use "
            "this value: pass a class prior that is known from another source.",
            PriorWarning,
            stacklevel=3,
        )
    return prior
