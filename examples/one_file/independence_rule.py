r"""The independence rule from positive and unlabeled rows: a method in one file.

Bickel, Levina, Some theory for Fisher's linear discriminant function, "naive Bayes", and some
alternatives when there are many more variables than observations, Bernoulli 10 (2004) 989-1010:
Fisher's discriminant with a diagonal covariance, w_j = (m_j(1) - m_j(0)) / s_j^2. Negatives are not
there, and need not be: the mean of the unlabeled is m(u) = p m(1) + (1 - p) m(0), so that

    m(1) - m(u) = (1 - p) (m(1) - m(0)),

the same direction. With the variances of all rows for s^2 the score of a row is w . (x - c), c half
way between m(1) and m(u).
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from onesided.base import Block, LabelCoding, PositiveUnlabeledClassifier, Source

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LabelSums:
    """Sums over the rows of each kind, unlabeled first.

    Attributes
    ----------
    weight : shape (2, 1), of the rows
    total : shape (2, n_features), of the features
    """

    weight: Floats
    total: Floats

    @classmethod
    def zero(cls, n_features: int) -> Self:
        """Of no rows."""
        return cls(np.zeros((2, 1)), np.zeros((2, n_features)))

    @classmethod
    def of(cls, block: Block, center: Floats | None = None) -> Self:
        """Of one block; with a center, of the squared distances from it."""
        X = block.dense()
        if center is not None:
            X = np.square(X - center)
        weights = np.stack([block.weights() * ~block.labels(), block.weights() * block.labels()])
        return cls(weights.sum(axis=1, keepdims=True), weights @ X)

    def __add__(self, other: Self) -> Self:
        return type(self)(self.weight + other.weight, self.total + other.total)


class IndependenceRule(PositiveUnlabeledClassifier):
    """Fisher's discriminant with a diagonal covariance.

    Assumes that labels are selected completely at random (SCAR); either scenario will do.

    Parameters
    ----------
    positive_label : the value of y that means positive, for text labels

    Attributes
    ----------
    coef_ : shape (n_features,), 0 for a feature that does not vary
    offset_ : half way between the scores of the two means, where `predict` cuts
    classes_, n_features_in_, feature_names_in_ : as in the other learners

    Notes
    -----
    Two passes over the rows.

    Examples
    --------
    >>> model = IndependenceRule().fit([[3.0], [5.0], [1.0], [3.0]], [1, 1, 0, 0])
    >>> model.coef_, model.offset_
    (array([1.]), 3.0)
    """

    _takes_numbers = True

    def __init__(self, *, positive_label: Any = None) -> None:
        self.positive_label = positive_label

    def _learn(self, source: Source, coding: LabelCoding) -> None:
        zero = LabelSums.zero(source.n_features)
        sums = source.total(LabelSums.of, zero)
        unlabeled, positive = sums.total / sums.weight
        center = sums.total.sum(axis=0) / sums.weight.sum()
        apart = source.total(lambda block: LabelSums.of(block, center), zero)
        variance = apart.total.sum(axis=0) / apart.weight.sum()
        gap = positive - unlabeled
        self.coef_ = np.divide(gap, variance, out=np.zeros_like(gap), where=variance > 0)
        self.offset_ = float(self.coef_ @ (positive + unlabeled) / 2)

    def _score_block(self, block: Block) -> Floats:
        X: Any = block.matrix()
        return np.asarray(X @ self.coef_) - self.offset_
