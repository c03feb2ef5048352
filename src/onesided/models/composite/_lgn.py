"""LGN: naive Bayes against one artificial document for all documents of no known kind."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy.special import entr
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions

from onesided._blocks import Block, Source
from onesided._labels import LabelCoding
from onesided._statistics import WordTotals, check_counts
from onesided._typing import Floats, RandomState
from onesided._validation import ABOVE_ZERO
from onesided.exceptions import DataError, SeparationWarning
from onesided.models._base import PositiveUnlabeledClassifier

_IN_ENTROPY = 1.0  # Laplace's correction of the probabilities within the entropy


@dataclass(frozen=True)
class _Squares:
    """Sum of the squared counts of each word in unlabeled documents; shape (n_words,)."""

    unlabeled: Floats

    @classmethod
    def of(cls, block: Block) -> Self:
        X: Any = block.matrix()
        squared = X.multiply(X) if block.is_sparse else X * X
        return cls(np.asarray(squared.T @ (block.weights() * ~block.labels())))

    def __add__(self, other: Self) -> Self:
        return type(self)(self.unlabeled + other.unlabeled)


class LGN(PositiveUnlabeledClassifier):
    """Multinomial naive Bayes of known documents against one artificial negative document.

    The positives are documents of all known kinds. A few of the unlabeled documents belong to no
    known kind, and `predict` gives these the unlabeled label. The artificial document holds words
    of the unlabeled. The more a word is found only among the unlabeled, the larger the share of its
    occurrences that the artificial document holds.

    Assumes that unlabeled documents of the known kinds are like the positives (SCAR).

    Parameters
    ----------
    entropy : "class", the entropy of the label given the word, with equal priors; or "printed",
        Eq. 4 exactly as printed, which counts nearly all words of the unlabeled in full
    smoothing : occurrences added to each word in the final model, above 0
    sampling : "expected" adds each word q(w) times as often as it occurs among the unlabeled;
        "gaussian" draws the number of occurrences, as in the paper
    random_state : seed of the draws
    positive_label : the value of y that means positive, for text labels

    Attributes
    ----------
    artificial_counts_ : shape (n_features,), occurrences of each word in the artificial document
    weight_ : shape (n_features,), q(w) in [0, 1]; high if a word is found only among the unlabeled
    feature_log_prob_ : log P(word | class), nats, shape (2, n_features), artificial first
    classes_, n_features_in_, feature_names_in_ : as in the other learners

    Raises
    ------
    DataError : if a count is negative, or a parameter cannot be used

    Warns
    -----
    SeparationWarning : if no word is left for the artificial document; all words of the unlabeled
        are then used

    Notes
    -----
    Li, Liu, Ng 2007, section 3.2, with equal priors of both classes. Eq. 4 sums
    -Pr(w|c) log Pr(w|c) over c, although Pr(w|c) does not sum to 1 over c. The text of the paper
    asks for the distribution of the classes given the word, which is the default here. "gaussian"
    makes floor(n_w q(w)) draws from N(μ_w, σ²_w) and sets negative draws to 0. Here μ_w and σ²_w
    are the mean and variance of the frequency of w in the n_w documents that contain w.

    A document without any known word scores 0: there is no evidence for either label. `predict`
    gives it the unlabeled label.

    `fit` makes one pass over the rows, or two with "gaussian".

    References
    ----------
    X. Li, B. Liu, S.-K. Ng, Learning to identify unexpected instances in the test set, IJCAI 2007,
    2802-2807.

    Examples
    --------
    >>> import numpy as np
    >>> known = np.array([[3, 1, 0], [2, 2, 0], [3, 2, 0]])
    >>> new = np.array([[3, 1, 0], [0, 1, 4], [2, 2, 0]])  # the second is of no known kind
    >>> model = LGN().fit(np.vstack([known, new]), [1, 1, 1, 0, 0, 0])
    >>> model.predict(new)
    array([1, 0, 1])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "entropy": [StrOptions({"class", "printed"})],
        "smoothing": [ABOVE_ZERO],
        "sampling": [StrOptions({"expected", "gaussian"})],
    }
    _takes_numbers = True
    _takes_counts = True

    def __init__(
        self,
        entropy: Literal["class", "printed"] = "class",
        *,
        smoothing: float = 0.01,
        sampling: Literal["expected", "gaussian"] = "expected",
        random_state: RandomState = None,
        positive_label: Any = None,
    ) -> None:
        self.entropy = entropy
        self.smoothing = smoothing
        self.sampling = sampling
        self.random_state = random_state
        self.positive_label = positive_label

    def _learn(self, source: Source, coding: LabelCoding) -> None:
        totals = source.total(WordTotals.of, WordTotals.zero(source.n_features))
        unlabeled, positive = totals.occurrences
        seen = unlabeled + positive > 0
        if not seen.any():
            raise DataError(
                "No document contains a word: all features are 0.",
                "Pass features that count the words of these documents.",
            )
        of_unlabeled, of_known = (
            _smoothed(each, seen, _IN_ENTROPY) for each in (unlabeled, positive)
        )
        self.weight_ = _weights(of_unlabeled, of_known, seen, self.entropy)
        self.artificial_counts_ = self.weight_ * unlabeled
        if self.sampling == "gaussian":
            squares = source.total(_Squares.of, _Squares(np.zeros(source.n_features)))
            self.artificial_counts_ = self._drawn(totals, squares.unlabeled)
        if not self.artificial_counts_.any():
            warnings.warn(
                "No word distinguishes the unlabeled documents from the known ones, so the "
                "artificial document consists of all unlabeled documents. Pass other words, "
                "or sampling='expected'.",
                SeparationWarning,
                stacklevel=2,
            )
            self.artificial_counts_ = unlabeled
        final = partial(_smoothed, seen=seen, smoothing=self.smoothing)
        both = np.stack([final(self.artificial_counts_), final(positive)])
        self.feature_log_prob_ = np.log(np.where(seen, both, 1.0))  # an unseen word says nothing

    def _drawn(self, totals: WordTotals, squares: Floats) -> Floats:
        """Sum of floor(|D_w| q(w)) draws of each word's frequency; shape (n_words,)."""
        rng = check_random_state(self.random_state)
        n_documents, occurrences = totals.documents[0], totals.occurrences[0]
        mean = occurrences / np.maximum(n_documents, 1)
        spread = squares - n_documents * mean**2
        deviation = np.sqrt(np.maximum(spread, 0.0) / np.maximum(n_documents - 1, 1))
        found = np.zeros(len(mean))
        n_draws = np.floor(n_documents * self.weight_ + 1e-9).astype(np.int64)  # rounding
        for word in np.flatnonzero(n_draws):
            drawn = rng.normal(mean[word], deviation[word], n_draws[word])
            found[word] = np.maximum(drawn, 0.0).sum()
        return found

    def _score_block(self, block: Block) -> Floats:
        X = block.matrix()
        check_counts(block)
        return np.asarray(X @ (self.feature_log_prob_[1] - self.feature_log_prob_[0]))


def _smoothed(counts: Floats, seen: Any, smoothing: float) -> Floats:
    """P(word) among the words that occur, 0 for other words; shape (n_words,)."""
    raised = np.where(seen, counts + smoothing, 0.0)
    total: Floats = raised / raised.sum()
    return total


def _weights(unlabeled: Floats, positive: Floats, seen: Any, entropy: str) -> Floats:
    """q(w) = 1 − H(w) / max H, 0 for a word that does not occur; shape (n_words,)."""
    if entropy == "printed":
        H = entr(unlabeled) + entr(positive)
    else:
        share = np.divide(
            positive, positive + unlabeled, out=np.full_like(positive, 0.5), where=seen
        )
        H = entr(share) + entr(1 - share)
    return np.where(seen, 1 - H / H[seen].max(initial=1e-300), 0.0)
