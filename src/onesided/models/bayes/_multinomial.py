"""Naive Bayes for words."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from scipy.special import logit
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from onesided._blocks import Block, Source, check_has_rows
from onesided._labels import LabelCoding
from onesided._numerics._logspace import probabilities_of
from onesided._numerics._stacking import stacked
from onesided._statistics import ValueCounts, WordTotals
from onesided._typing import Floats
from onesided._validation import ABOVE_ZERO, SHARE
from onesided.exceptions import PriorError
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


def _is_fitted(model: PositiveMultinomialNB) -> bool:
    return hasattr(model, "feature_log_prob_")


class PositiveMultinomialNB(PositiveUnlabeledClassifier):
    """Multinomial naive Bayes for counts of words, from positive and unlabeled documents.

    Assumes that labels are selected completely at random (SCAR) among the positives. It fits both
    scenarios: a single training set and case-control. Counts may be any features that are not
    negative.

    Parameters
    ----------
    class_prior : share of positive documents among the unlabeled, in (0, 1); or a `BetaPrior`; or
        "estimate", the share learned from the model's own out-of-fold scores; or "average", a
        `BetaPrior` around that estimate (see `PositiveNaiveBayes`)
    smoothing : occurrences added to each word, above 0; 1 is Laplace's correction
    positive_label : the value of y that means positive, for text labels

    Attributes
    ----------
    class_prior_ : the share that was used: as given, estimated, or the mean of a `BetaPrior`
    class_prior_error_ : standard error of the share, if it was estimated
    word_share_ : share of the words of the unlabeled that stand in positive documents
    feature_log_prob_ : log P(word | class), nats, shape (2, n_features), negative first
    classes_ : shape (2,), the labels, unlabeled first
    n_features_in_ : number of words
    feature_names_in_ : the words, where X had them

    Raises
    ------
    PriorError : if `class_prior` is not in (0, 1), or leaves no words for the negatives
    DataError : if a count is negative

    Notes
    -----
    Denis, Gilleron, Tommasi 2002: P(w | 0) ∝ s + max(0, N_w,u − p' P(w | 1) N_u), rescaled to
    (1 − p') of the words of the unlabeled. Here p' = p L_1 / L_u is the share of words, where L is
    the mean length of documents. This is Eq. 3 of Calvo et al. 2007, with words in place of rows
    and p' in place of p. With a `BetaPrior` it is their Eq. 6, where p' has a Beta distribution
    whose mean and standard deviation are L_1 / L_u times those of p. If this would give β below 2
    and below that of p, the standard deviation is smaller.

    `fit` makes one pass over the rows, with two sparse products, or three passes if it estimates
    the share.

    References
    ----------
    F. Denis, R. Gilleron, M. Tommasi, Text classification from positive and unlabeled examples,
    IPMU 2002, 1927-1934.

    Examples
    --------
    >>> import numpy as np
    >>> counts = np.array([[4, 0], [3, 1], [4, 0], [0, 4], [1, 3], [0, 4]])
    >>> model = PositiveMultinomialNB(class_prior=0.3).fit(counts, [1, 1, 0, 0, 0, 0])
    >>> model.predict([[5, 0], [0, 5]])
    array([1, 0])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "class_prior": [SHARE, BetaPrior, StrOptions(LEARNED)],
        "smoothing": [ABOVE_ZERO],
    }
    _takes_numbers = True
    _takes_counts = True

    def __init__(
        self,
        class_prior: PriorSetting = "estimate",
        *,
        smoothing: float = 1.0,
        positive_label: Any = None,
    ) -> None:
        self.class_prior = class_prior
        self.smoothing = smoothing
        self.positive_label = positive_label

    def _learn(self, source: Source, coding: LabelCoding) -> None:
        totals = source.total(WordTotals.of, WordTotals.zero(source.n_features))
        ratio = _ratio_of_lengths(totals)
        prior = check_class_prior(self.class_prior)
        if isinstance(prior, str):
            found = learned_prior(self._scorer, source, _presence(totals), _most(ratio))
            self.class_prior_error_ = found.error
            prior = found.point if prior == "estimate" else BetaPrior.from_estimate(*found)
        self.class_prior_ = mean_of(prior)
        self._learn_at(totals, _of_words(prior, ratio))

    def _scorer(self, source: Source) -> Callable[[Block], Floats]:
        """The scoring function of a model that learns these documents at a provisional prior."""
        model, totals = copy(self), source.total(WordTotals.of, WordTotals.zero(source.n_features))
        ratio = _ratio_of_lengths(totals)
        model.class_prior_ = min(PROVISIONAL, _most(ratio))
        model._learn_at(totals, model.class_prior_ * ratio)  # noqa: SLF001 - a copy of this one
        return model._score_block  # noqa: SLF001 - a copy of this one

    def _learn_at(self, totals: WordTotals, words: float | BetaPrior) -> None:
        """Learn the tables, once the share of words in positive documents is known."""
        self.word_share_ = mean_of(words)
        together = Segments(np.zeros(totals.occurrences.shape[1], dtype=np.int64), 1)
        unlabeled, positive = totals.occurrences
        given_positive = equations.smoothed_probs(positive, together, self.smoothing)
        given_negative = equations.negative_probs(
            unlabeled, given_positive, words, together, self.smoothing
        )
        self.feature_log_prob_ = np.log(np.stack([given_negative, given_positive]))

    def decision_function(self, X: Any) -> Floats:
        """Natural-log posterior odds of an unlabeled document, prior included; shape (n_rows,)."""
        return super().decision_function(X)

    # Probabilities exist only after `fit`: scikit-learn checks estimators that have both scores and
    # probabilities with negative numbers, in spite of the tag `positive_only`.
    @available_if(_is_fitted)
    def predict_proba(self, X: Any) -> Floats:
        """P(negative | x) and P(positive | x) of an unlabeled document, shape (n_rows, 2)."""
        return probabilities_of(self.decision_function(X))

    def _without_probabilities(self) -> AttributeError:
        return NotFittedError(f"This {type(self).__name__} is not fitted yet. Call fit first.")

    def contributions(self, X: Any) -> Any:
        """What each word adds to the log odds of each document, nats.

        The sum of these contributions and of log(p / (1 − p)), with p = `class_prior_`, is
        `decision_function`.

        Returns
        -------
        shape (n_rows, n_features); sparse where X is
        """
        check_is_fitted(self)
        ratios = self.feature_log_prob_[1] - self.feature_log_prob_[0]
        blocks: list[Any] = [block.matrix() for block in self._source_of(X).blocks()]
        check_has_rows(sum(block.shape[0] for block in blocks))
        return stacked(
            [
                counts.multiply(ratios) if sparse.issparse(counts) else counts * ratios
                for counts in blocks
            ]
        )

    def _score_block(self, block: Block) -> Floats:
        X = block.matrix()
        ratios = self.feature_log_prob_[1] - self.feature_log_prob_[0]
        return np.asarray(X @ ratios) + float(logit(self.class_prior_))


def _ratio_of_lengths(totals: WordTotals) -> float:
    """Mean number of words of positive documents, divided by that of unlabeled documents."""
    length_unlabeled, length_positive = totals.occurrences.sum(axis=1) / totals.rows
    # Positive documents without words count as a millionth of the length of unlabeled ones.
    return max(length_positive / length_unlabeled, 1e-6) if length_unlabeled > 0 else 1.0


def _most(ratio: float) -> float:
    """The largest prior to learn: it leaves a tenth of the words to the negatives."""
    return 0.9 / max(ratio, 1.0)


def _presence(totals: WordTotals) -> ValueCounts:
    """Numbers of documents without and with each word, as counts of a feature of two values."""
    n_words = totals.documents.shape[1]
    absent = totals.rows[:, None] - totals.documents
    counts = np.stack([absent, totals.documents], axis=2).reshape(2, 2 * n_words).T
    feature = np.repeat(np.arange(n_words), 2)
    return ValueCounts(n_words, feature, np.tile([0, 1], n_words), counts)


def _of_words(prior: float | BetaPrior, ratio: float) -> float | BetaPrior:
    """The prior probability that a word of the unlabeled documents is in a positive document.

    It is `ratio` times the prior of a document, so its standard deviation is `ratio` times as
    large. As in `BetaPrior.from_estimate`, β of at least 2 keeps it from being too wide; a smaller
    β of the prior stays possible.
    """
    share = mean_of(prior) * ratio
    if share >= 1:
        raise PriorError(
            f"At class_prior={mean_of(prior):g} positive documents, {ratio:.2f} times as long as "
            f"the unlabeled ones, would hold {share:.0%} of the unlabeled words.",
            f"Pass a BetaPrior of mean below {1 / ratio:.2g}."
            if isinstance(prior, BetaPrior)
            else f"Pass a class_prior below {1 / ratio:.2g}.",
        )
    if not isinstance(prior, BetaPrior):
        return share
    total = share * (1 - share) / (ratio * prior.standard_deviation) ** 2 - 1
    total = max(total, min(prior.beta, 2.0) / (1 - share))
    return BetaPrior(share * total, (1 - share) * total)
