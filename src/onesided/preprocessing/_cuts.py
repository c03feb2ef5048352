"""Cut numbers into categories."""

from __future__ import annotations

import os
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from onesided._blocks import Block, Source, naming_columns, read_features
from onesided._display import Documented
from onesided._frames import in_memory
from onesided._statistics import RowSample
from onesided._typing import Bools, Floats
from onesided._validation import COUNT, TWO_OR_MORE, check_parameters


class QuantileBinner(Documented, OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Cut each number at its quantiles, for learners that take categories.

    Parameters
    ----------
    n_bins : largest number of categories of a feature; equal quantiles become one cut, so a feature
        with fewer distinct values gets fewer categories
    sample_size : number of rows from which quantiles are taken; the rows are drawn by their index
        in all rows, so the cuts do not depend on the block size
    random_state : seed of the draw

    Attributes
    ----------
    cuts_ : for each feature its cuts, ascending; the category of a value x is the number of cuts
        that are x or lower
    n_features_in_, feature_names_in_ : as in the learners

    Examples
    --------
    >>> QuantileBinner(n_bins=2).fit_transform([[1.0], [2.0], [3.0], [float("nan")]]).ravel()
    array([ 0.,  1.,  1., nan])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_bins": [TWO_OR_MORE],
        "sample_size": [COUNT],
        "random_state": ["random_state"],
    }

    def __init__(
        self, n_bins: int = 5, *, sample_size: int = 20_000, random_state: int | None = 0
    ) -> None:
        self.n_bins = n_bins
        self.sample_size = sample_size
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the cuts; one pass.

        Parameters
        ----------
        X : numbers of shape (n_rows, n_features), missing as NaN; arrays, frames, files
        y : not used
        """
        X = in_memory(X, dense=True)
        check_parameters(self)
        self.__dict__.pop("feature_names_in_", None)  # of an earlier fit
        source = self._source(X, reset=True)
        seed = int(check_random_state(self.random_state).randint(2**31))
        zero = RowSample.zero(self.sample_size, source.n_features)
        sample = source.total(partial(RowSample.of, size=self.sample_size, seed=seed), zero)
        shares = np.arange(1, self.n_bins) / self.n_bins
        self.cuts_ = [_cuts(column, shares) for column in sample.rows.T]
        self.n_features_in_ = source.n_features
        if source.feature_names is not None:
            self.feature_names_in_ = np.array(source.feature_names, dtype=object)
        return self

    def transform(self, X: Any) -> Floats:
        """Category of each value, 0, 1, ..., NaN where it is missing; (n_rows, n_features)."""
        X = in_memory(X, dense=True)
        check_is_fitted(self)
        return self._source(X, reset=False).map(self._cut)

    def _cut(self, block: Block) -> Floats:
        values = np.asarray(block.matrix())
        codes = np.empty(values.shape)
        for j, cuts in enumerate(self.cuts_):
            codes[:, j] = np.searchsorted(cuts, values[:, j], side="right")
        codes[np.isnan(values)] = np.nan
        return codes

    def _source(self, X: Any, *, reset: bool) -> Source:
        names = getattr(self, "feature_names_in_", None)
        if isinstance(X, Source | str | os.PathLike):
            source = read_features(X, numeric=False)
            if reset or names is None or source.feature_names is None:
                return source
            return source.select(list(names))
        with naming_columns(X, numeric="allow-nan"):
            checked = validate_data(
                self, X, reset=reset, dtype=np.float64, ensure_all_finite="allow-nan"
            )
        return read_features(checked, numeric=False)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _cuts(column: Floats, shares: Floats) -> Floats:
    """The cuts of a column: of its sorted numbers those at the shares, or the next higher ones.

    This is `np.quantile` with `method="higher"`, which would sort the column once more.
    """
    ordered = np.sort(column[~np.isnan(column)])
    distinct = ordered[_differs(ordered)]
    if len(distinct) <= len(shares) + 1:
        return distinct[1:]
    # A cut at the least value would make an empty category below it.
    cuts = ordered[np.ceil(shares * (len(ordered) - 1)).astype(np.intp)]
    return cuts[_differs(cuts) & (cuts > distinct[0])]


def _differs(ordered: Floats) -> Bools:
    """Whether each number differs from the one before it."""
    return np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]
