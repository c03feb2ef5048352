"""Select features that have information about the class."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.special import entr
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import ClassifierTags, Tags
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from onesided._blocks import naming_columns
from onesided._display import Documented
from onesided._frames import in_memory
from onesided._labels import encode_labels
from onesided._typing import Bools, Floats, Matrix
from onesided._validation import FINITE, FROM_ZERO, check_parameters
from onesided.exceptions import DataError, SeparationWarning


class InformationGainSelector(Documented, SelectorMixin, BaseEstimator):
    """Keep the binary features with the highest information gain about the class.

    With positive and unlabeled rows, the gain is about the label, not the class. Under SCAR (labels
    selected completely at random), a feature without information about the class also has no
    information about the label. The gain about the label is lower than the gain about the class, so
    a threshold that was chosen for known classes is too high.

    Parameters
    ----------
    threshold : lowest gain of a feature that is kept, in bits; if no feature reaches the threshold,
        the feature with the highest gain is kept
    binarize : number above which a value counts as 1; other values count as 0, as in scikit-learn's
        `BernoulliNB`. None means that all values are 0 or 1; other values are refused.
    positive_label : the value of y that means positive, for text labels

    Attributes
    ----------
    information_gain_ : shape (n_features,), bits; from 0 to the entropy of the class
    n_features_in_, feature_names_in_ : as in the learners

    Raises
    ------
    DataError : with `binarize=None`, if a feature is not 0 or 1

    Warns
    -----
    SeparationWarning : if no feature reaches the threshold

    Notes
    -----
    Vomlel 2004, section 5: IG(A) = Σ_a P(A = a) (H(C) − H(C | A = a)), with shares of rows in place
    of probabilities; it is the mutual information of A and C (`mutual_info_classif` gives it in
    nats). `transform` selects columns and leaves their values as they are.

    `fit` makes one product with the data. In addition to X, memory holds two numbers for each row
    and two for each feature; `binarize` adds one number for each stored value of X.

    References
    ----------
    J. Vomlel, Noisy-or classifier, International Journal of Intelligent Systems 21 (2006) 381-398
    (as of 2004).

    Examples
    --------
    The first word is in all positive rows alone, the second in half of each kind:

    >>> X = [[1, 1], [1, 0], [0, 1], [0, 0]]
    >>> selector = InformationGainSelector().fit(X, [1, 1, 0, 0])
    >>> selector.information_gain_
    array([1., 0.])
    >>> selector.get_support()
    array([ True, False])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "threshold": [FROM_ZERO],
        "binarize": [FINITE, None],
        "positive_label": "no_validation",
    }
    _mends: ClassVar[dict[str, str]] = {
        "binarize": "Pass 0 for example, or None for features that are 0 and 1."
    }

    def __init__(
        self, threshold: float = 0.005, *, binarize: float | None = 0.0, positive_label: Any = None
    ) -> None:
        self.threshold = threshold
        self.binarize = binarize
        self.positive_label = positive_label

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the gain of each feature.

        Parameters
        ----------
        X : 0 and 1 of shape (n_rows, n_features), dense or CSR
        y : shape (n_rows,); two values, missing counts as unlabeled
        """
        X = in_memory(X)
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        check_parameters(self)
        with naming_columns(X, numeric=True):
            checked = validate_data(self, X, accept_sparse="csr", ensure_min_samples=2)
            if checked.dtype.kind not in "biuf":  # categories of text, for example
                checked = checked.astype(np.float64)
        positive, _ = encode_labels(y, self.positive_label)
        check_consistent_length(checked, positive)
        self.information_gain_ = gain = information_gain(self._binary(checked), positive)
        best = int(np.argmax(gain))
        if gain[best] < self.threshold:
            warnings.warn(
                f"No feature has an information gain of {self.threshold:g} bits or more. Column "
                f"{self._name(best)} is kept, whose gain of {gain[best]:.3g} bits is the highest. "
                "Pass a lower threshold, or 0 to keep all features.",
                SeparationWarning,
                stacklevel=2,
            )
        return self

    def transform(self, X: Any) -> Any:
        """The columns of X that are kept, with unchanged values.

        Parameters
        ----------
        X : as in `fit`
        """
        return super().transform(in_memory(X))

    def _get_support_mask(self) -> Bools:
        check_is_fitted(self)
        gain = self.information_gain_
        kept: Bools = gain >= self.threshold
        if not kept.any():
            kept[np.argmax(gain)] = True
        return kept

    def _binary(self, X: Any) -> Matrix:
        """X as 0 and 1; dense X is copied only to booleans."""
        if sparse.issparse(X) and not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        if self.binarize is None:
            self._check_binary(X)
            return X
        if sparse.issparse(X) and self.binarize >= 0:
            return sparse.csr_array((self.binarize < X.data, X.indices, X.indptr), shape=X.shape)
        return self.binarize < (X.toarray() if sparse.issparse(X) else X)

    def _check_binary(self, X: Any) -> None:
        values = X.data if sparse.issparse(X) else X
        fits = (values == 0) | (values == 1)
        if fits.all():
            return
        at = np.unravel_index(int(np.argmin(fits)), values.shape)
        column = int(X.indices[at] if sparse.issparse(X) else at[1])
        raise DataError(
            f"Column {self._name(column)} holds {values[at]:g}, which is not 0 or 1.",
            "Pass binarize=0 to count numbers above 0 as 1, or encode the column.",
        )

    def _name(self, column: int) -> str:
        names = getattr(self, "feature_names_in_", None)
        return str(column) if names is None else repr(str(names[column]))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags


def information_gain(X: Matrix, positive: ArrayLike) -> Floats:
    """Gain of each binary feature about the class.

    Vomlel 2004, section 5: IG(A) = Σ_a P(A = a) (H(C) − H(C | A = a)).

    Parameters
    ----------
    X : shape (n_rows, n_features), 0 and 1
    positive : shape (n_rows,), the class

    Returns
    -------
    shape (n_features,), bits
    """
    in_class = np.asarray(positive, dtype=np.float64)
    n, n_positive = len(in_class), in_class.sum()
    ones, positive_ones = (X.T @ np.stack([np.ones(n), in_class], axis=1)).T
    left = sum(
        rows / n * _entropy(in_rows, rows)
        for rows, in_rows in ((ones, positive_ones), (n - ones, n_positive - positive_ones))
    )
    # For a feature without information, rounding can take the difference below zero.
    gain: Floats = np.maximum(_entropy(n_positive, np.array(n)) - left, 0.0)
    return gain


def _entropy(positive: Floats, rows: Floats) -> Floats:
    """Entropy of the class among some rows, in bits; 0 without rows."""
    share = np.divide(positive, rows, out=np.zeros(rows.shape), where=rows > 0)
    bits: Floats = (entr(share) + entr(1 - share)) / np.log(2)
    return bits
