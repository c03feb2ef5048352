"""The base classes of the Bayesian classifiers, and naive Bayes."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable
from copy import copy
from typing import Any, ClassVar

import numpy as np
from scipy.special import logit
from sklearn.utils import Tags
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from onesided._blocks import Block, Source
from onesided._labels import LabelCoding
from onesided._numerics._logspace import probabilities_of
from onesided._statistics import ValueCounts, Vocabulary, coded_chunks
from onesided._typing import Array, Floats
from onesided._validation import ABOVE_ZERO, SHARE
from onesided.exceptions import DataError, ManyValuesWarning
from onesided.models._base import PositiveUnlabeledClassifier
from onesided.models.bayes import _equations as equations
from onesided.models.bayes._beta_prior import (
    LEARNED,
    PROVISIONAL,
    BetaPrior,
    PriorSetting,
    check_class_prior,
    learned_prior,
    mean_of,
)
from onesided.models.bayes._equations import Segments

_MANY_VALUES, _FEW_ROWS = 1000, 20  # limits of a warning: values of a feature, rows per value


class BayesClassifier(PositiveUnlabeledClassifier):
    """Base class of the classifiers of categories: it learns the prior and the marginal tables.

    A subclass learns its other tables in `_learn_structure` and scores rows in `_score_codes`.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "class_prior": [SHARE, BetaPrior, StrOptions(LEARNED)],
        "smoothing": [ABOVE_ZERO],
        "handle_unknown": [StrOptions({"ignore", "error"})],
    }
    _takes_numbers = False

    class_prior: PriorSetting
    smoothing: float
    handle_unknown: str

    def _learn(self, source: Source, coding: LabelCoding) -> None:
        counts = source.total(ValueCounts.of, ValueCounts.zero(source.n_features))
        self._warn_of_many_values(counts)
        prior = check_class_prior(self.class_prior)
        if isinstance(prior, str):
            found = learned_prior(self._scorer, source, counts)
            self.class_prior_error_ = found.error
            prior = found.point if prior == "estimate" else BetaPrior.from_estimate(*found)
        self._learn_at(source, counts, prior)

    def _scorer(self, source: Source) -> Callable[[Block], Floats]:
        """The scoring function of a model that learns these rows at a provisional prior."""
        model = copy(self)
        model.handle_unknown = "ignore"
        counts = source.total(ValueCounts.of, ValueCounts.zero(source.n_features))
        model._learn_at(source, counts, PROVISIONAL)  # noqa: SLF001 - a copy of this one
        return model._scores_for_prior  # noqa: SLF001 - a copy of this one

    def _scores_for_prior(self, block: Block) -> Floats:
        """Scores from which the prior may be estimated, shape (n_rows,) or (n_rows, n_scores)."""
        return self._score_block(block)

    def _learn_at(self, source: Source, counts: ValueCounts, prior: float | BetaPrior) -> None:
        """Learn everything except the prior."""
        self._vocabulary = Vocabulary.of(counts)
        self._segments = Segments(counts.feature, counts.n_features)
        self.class_prior_ = mean_of(prior)
        unlabeled, positive = counts.counts.T.astype(np.float64)
        given_positive = equations.smoothed_probs(positive, self._segments, self.smoothing)
        given_negative = equations.negative_probs(
            unlabeled, given_positive, prior, self._segments, self.smoothing
        )
        self._log_probs = np.log(np.stack([given_negative, given_positive]))
        self._learn_structure(source, counts, prior)

    def _learn_structure(
        self, source: Source, counts: ValueCounts, prior: float | BetaPrior
    ) -> None:
        """Learn which features depend on each other, if the model has this; may read `source`."""

    @abstractmethod
    def _score_codes(self, codes: Array) -> Floats:
        """Evidence of rows, nats, shape (n_rows,); `codes` has the shape (n_features, n_rows)."""

    @property
    def categories_(self) -> list[Array]:
        """Values of each feature, sorted."""
        return [self._vocabulary.values(j) for j in range(self.n_features_in_)]

    @property
    def feature_log_prob_(self) -> list[Floats]:
        """Log P(value | class), nats: for each feature shape (2, n_values), negative first."""
        return np.split(self._log_probs, self._vocabulary.starts[1:-1], axis=1)

    def decision_function(self, X: Any) -> Floats:
        """Natural-log posterior odds of an unlabeled row, prior included; shape (n_rows,)."""
        return super().decision_function(X)

    def predict_proba(self, X: Any) -> Floats:
        """P(negative | x) and P(positive | x) of an unlabeled row, shape (n_rows, 2)."""
        return probabilities_of(self.decision_function(X))

    def _score_block(self, block: Block) -> Floats:
        self._refuse_unseen(block)
        return self._sums(self._score_codes, block) + float(logit(self.class_prior_))

    def _sums(self, score: Callable[[Array], Floats], block: Block) -> Floats:
        """The score of each row of a block, shape (n_rows,), by a function of codes."""
        parts = [score(codes) for codes, _ in coded_chunks(block, self._vocabulary)]
        return np.concatenate(parts) if parts else np.empty(0)

    def _log_ratios(self) -> Floats:
        """Log P(value | positive) / P(value | negative), shape (n_entries,)."""
        return self._log_probs[1] - self._log_probs[0]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = (
            True  # on points in space, where each number is a category
        )
        return tags

    def _refuse_unseen(self, block: Block) -> None:
        place = self._vocabulary.first_unseen(block) if self.handle_unknown == "error" else None
        if place is not None:
            row, feature = place
            raise DataError(
                f"Row {block.start + row} has a value of feature {self._name(feature)!r} that "
                "fit has not seen.",
                'Pass handle_unknown="ignore" to skip such values.',
            )

    def _warn_of_many_values(self, counts: ValueCounts) -> None:
        segments = Segments(counts.feature, counts.n_features)
        n_rows, sizes = segments.sums(counts.counts.sum(axis=1)), segments.sizes()
        for j in np.flatnonzero(sizes > _MANY_VALUES).tolist():
            n_values = int(sizes[j])
            if n_rows[j] < _FEW_ROWS * n_values:
                warnings.warn(
                    f"Feature {self._name(j)!r} has {n_values:,} values in {n_rows[j]:,.0f} "
                    "rows, too few rows for each value to learn from. Drop the feature, or "
                    "bin it (QuantileBinner does so for numbers).",
                    ManyValuesWarning,
                    stacklevel=2,
                )

    def _name(self, feature: int) -> Any:
        names = getattr(self, "feature_names_in_", None)
        return int(feature) if names is None else names[feature]


class AdditiveBayesClassifier(BayesClassifier):
    """A classifier whose log odds are a sum over features, so that each row can be explained."""

    @abstractmethod
    def _contribute(self, codes: Array, feature: int) -> Floats:
        """Log odds that one feature adds to each row, nats; shape (n_rows,)."""

    def contributions(self, X: Any) -> Floats:
        """What each feature adds to the log odds of each row, nats.

        The sum of these contributions and of log(p / (1 − p)), with p = `class_prior_`, is
        `decision_function`. A feature with
        parents contributes log P(x | 1, parents) / P(x | 0, parents).

        Returns
        -------
        shape (n_rows, n_features)
        """
        check_is_fitted(self)
        return self._source_of(X).map(self._contribute_block)

    def _contribute_block(self, block: Block) -> Floats:
        self._refuse_unseen(block)
        parts = [
            np.stack([self._contribute(codes, j) for j in range(len(codes))], axis=1)
            for codes, _ in coded_chunks(block, self._vocabulary)
        ]
        return np.concatenate(parts) if parts else np.empty((0, self.n_features_in_))

    def _score_codes(self, codes: Array) -> Floats:
        total = np.zeros(codes.shape[1])
        for j in range(len(codes)):
            total += self._contribute(codes, j)
        return total


class PositiveNaiveBayes(AdditiveBayesClassifier):
    """Naive Bayes for categories, learned from positive and unlabeled rows.

    The positives give P(value | positive). A share `class_prior` of the unlabeled rows is positive
    and has these probabilities; the rest of the unlabeled rows gives P(value | negative). If the
    prior is a number, this is the PNB of the paper. If the prior is a `BetaPrior`, it is APNB, the
    average of PNB over the prior.

    Assumes three things:

    - Labels are selected completely at random (SCAR) among the positives.
    - Features are independent given the class.
    - Whether a value is missing does not depend on the class.

    It fits both scenarios, a single training set and case-control, because the model describes the
    unlabeled rows.

    Parameters
    ----------
    class_prior : share of positives among the unlabeled, in (0, 1); or a `BetaPrior`; or
        "estimate", the share that the model's own out-of-fold scores allow; or "average", the
        `BetaPrior` whose mean is that estimate and whose standard deviation is its error
    smoothing : Laplace's correction, above 0; with a `BetaPrior` only the probabilities of the
        positives are smoothed, as printed in the paper
    handle_unknown : "ignore" skips a value that `fit` has not seen, "error" refuses the value;
        missing values are always skipped
    positive_label : the value of y that means positive, for text labels

    Attributes
    ----------
    class_prior_ : the share that was used: as given, estimated, or the mean of a `BetaPrior`
    class_prior_error_ : standard error of the share, if it was estimated
    classes_ : shape (2,), the labels, unlabeled first
    categories_ : the values of each feature, sorted; a list of n_features arrays
    feature_log_prob_ : for each feature log P(value | class), nats, of shape (2, n_values),
        negative first
    n_features_in_ : number of features
    feature_names_in_ : their names, where X had them

    Raises
    ------
    PriorError : if `class_prior` is not strictly between 0 and 1
    DataError : if a column holds no categories, or an unseen value with
        `handle_unknown="error"`

    Warns
    -----
    PriorWarning : if fewer than 10 rows are positive, or unlabeled, and the share is estimated

    Notes
    -----
    Calvo, Larrañaga, Lozano 2007: Eq. 3 for P(value | negative), Eq. 6 for its average. N_1 and
    N_u count only the rows in which the feature is observed; otherwise the probabilities of Eq. 3
    would not add up to 1. Entries of Eq. 6 are replaced if they are 0, not only if they are below
    0.

    *Estimate.* Models that assume a share of .1 are fitted to three quarters of the rows and score
    the other quarter. The best-bin and the binormal ROC estimates of these scores are combined
    into the share (`onesided.prior.estimate_class_prior`). If there are more than 16,384 positive
    or unlabeled rows, 16,384 rows of that kind are drawn. The mean error is .03 over the data sets
    donors, acceptors, letters D and P and nursery, with shares of .1 to .5 and 100 or 300
    positives (.029 on draws 0 to 9, .036 on draws 50 to 59). If fewer than 10 rows are positive, or
    unlabeled, the share is the largest share that the value most typical of positives allows. That
    share is mostly too high.

    `fit` makes one pass over the rows, or three if it estimates the share. Memory grows with the
    number of distinct values and of rows drawn.

    References
    ----------
    B. Calvo, P. Larrañaga, J. A. Lozano, Learning Bayesian classifiers from positive and
    unlabeled examples, Pattern Recognition Letters 28 (2007) 2375-2384.

    Examples
    --------
    Value 1 is four times as common among positives as among negatives (0.8 and 0.2), half of
    the unlabeled are positive, so the log odds of a row with value 1 are about log 4 = 1.39:

    >>> import numpy as np
    >>> X = np.array([[1]] * 800 + [[0]] * 200 + [[1]] * 500 + [[0]] * 500)
    >>> y = np.array([1] * 1000 + [0] * 1000)
    >>> model = PositiveNaiveBayes(class_prior=0.5).fit(X, y)
    >>> model.decision_function([[1]]).round(2)
    array([1.38])
    """

    def __init__(
        self,
        class_prior: PriorSetting = "estimate",
        *,
        smoothing: float = 1.0,
        handle_unknown: str = "ignore",
        positive_label: Any = None,
    ) -> None:
        self.class_prior = class_prior
        self.smoothing = smoothing
        self.handle_unknown = handle_unknown
        self.positive_label = positive_label

    def _learn_structure(
        self, source: Source, counts: ValueCounts, prior: float | BetaPrior
    ) -> None:
        self._padded = self._vocabulary.padded(self._log_ratios())

    def _contribute(self, codes: Array, feature: int) -> Floats:
        return self._padded[feature].take(codes[feature])

    def _score_block(self, block: Block) -> Floats:
        if not block.is_sparse:
            return super()._score_block(block)
        self._refuse_unseen(block)
        evidence = self._vocabulary.sum_sparse(block.X, self._log_ratios())
        return evidence + float(logit(self.class_prior_))
