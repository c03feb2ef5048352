"""First steps: which unlabeled rows are reliably negative."""

from __future__ import annotations

from dataclasses import replace
from inspect import signature
from typing import Any, ClassVar, Protocol

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.preprocessing import normalize

from onesided._blocks import Block, Source
from onesided._blocks._draw import row_uniforms
from onesided._statistics import WordTotals
from onesided._typing import Bools
from onesided._validation import (
    ABOVE_ZERO,
    COUNT,
    FROM_ZERO,
    SHARE_FROM_ZERO,
    check_parameters,
)
from onesided.models.composite._unit_rows import UnitRows
from onesided.models.composite._word_em import EM, EM_CONSTRAINTS, WordModel, vocabulary
from onesided.models.nearest import NearestKnown

_TIE = 1e-9  # smaller differences of scores are rounding, which depends on the blocks


class FirstStep(Protocol):
    """The methods that `TwoStep` needs of a first step, besides those of scikit-learn."""

    def check(self) -> None:
        """Raise an error if a parameter cannot be used."""

    def find(self, source: Source, seed: int) -> Bools:
        """Mask of the unlabeled rows that are reliably negative.

        Parameters
        ----------
        source : labeled rows
        seed : of the random draws

        Returns
        -------
        shape (n_rows,), False for positive rows
        """


class Step:
    """Base class of the steps: parameters as in scikit-learn, and a check of the parameters.

    A step is not an estimator, since it has no `fit`.
    """

    _get_param_names: Any = classmethod(BaseEstimator._get_param_names.__func__)  # noqa: SLF001 - scikit-learn has no public one
    get_params = BaseEstimator.get_params
    set_params = BaseEstimator.set_params

    def __repr__(self) -> str:
        known = signature(type(self)).parameters
        changed = {
            name: value
            for name, value in self.get_params().items()
            if repr(value) != repr(known[name].default)
        }
        given = ", ".join(f"{name}={value!r}" for name, value in changed.items())
        return f"{type(self).__name__}({given})"

    def check(self) -> None:
        """Raise an error if a parameter cannot be used."""
        check_parameters(self)


class SpyStep(Step):
    """Reliable negatives: unlabeled rows that score lower than nearly all spies.

    Spies are known positives that count as unlabeled. They show which scores hidden positives get.
    EM fits naive Bayes to the other positives and to the unlabeled rows with the spies. The
    threshold is the score below which a share `noise_share` of the spies lies. An unlabeled row
    below the threshold is reliably negative.

    Parameters
    ----------
    spy_share : share of the positives that become spies, at least one spy; if there is only one
        positive, it is both a spy and a known positive
    noise_share : share of the spies that may score below the threshold
    smoothing : occurrences added to each word; 1 is Laplace's correction
    tol : EM stops when an iteration gains less than this log-likelihood, nats a row
    max_iter : largest number of iterations of EM

    Notes
    -----
    Liu, Lee, Yu, Li 2002: I-EM, with the posteriors of the positives fixed at 1. The spies are
    drawn by the index of the row, so that they are the same in every kind of data source.

    Examples
    --------
    Of 50 unlabeled rows the first 20 are positive, and should not count as reliable negatives:

    >>> import numpy as np
    >>> from onesided import TwoStep
    >>> from onesided.models.composite import SpyStep
    >>> rng = np.random.default_rng(0)
    >>> about_hens = rng.poisson([3, 3, 1, 0.2, 0.2], (60, 5))
    >>> about_cars = rng.poisson([0.2, 0.2, 1, 3, 3], (30, 5))
    >>> X, y = np.vstack([about_hens, about_cars]), np.repeat([1, 0], [40, 50])
    >>> model = TwoStep(SpyStep(spy_share=0.5), "em", random_state=0).fit(X, y)
    >>> found = model.reliable_negative_
    >>> int(found[60:].sum()), int(found[:60].sum())  # negatives, positives
    (30, 2)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **EM_CONSTRAINTS,
        "spy_share": [SHARE_FROM_ZERO],
        "noise_share": [SHARE_FROM_ZERO],
    }

    def __init__(
        self,
        spy_share: float = 0.15,
        noise_share: float = 0.15,
        *,
        smoothing: float = 1.0,
        tol: float = 1e-5,
        max_iter: int = 500,
    ) -> None:
        self.spy_share = spy_share
        self.noise_share = noise_share
        self.smoothing = smoothing
        self.tol = tol
        self.max_iter = max_iter

    def find(self, source: Source, seed: int) -> Bools:
        """Mask of the reliable negatives, shape (n_rows,)."""
        positive = labels_of(source)
        spies = self._drawn(positive, seed)
        known = positive & ~spies
        mixed = source.labeled(known if known.any() else positive, None)
        totals = mixed.total(WordTotals.of, WordTotals.zero(source.n_features))
        start, seen = WordModel.of_labels(totals, self.smoothing), vocabulary(totals)
        found = self._em.climb(mixed, start, seen, until_error_grows=False)
        scores = source.map(found.model.log_odds)
        below = int(self.noise_share * spies.sum() + _TIE)
        threshold = np.sort(scores[spies])[below]
        return ~positive & (scores < threshold - _TIE)

    def _drawn(self, positive: Bools, seed: int) -> Bools:
        rows = np.flatnonzero(positive)
        n_spies = min(max(round(self.spy_share * len(rows)), 1), max(len(rows) - 1, 1))
        order = np.argsort(row_uniforms(seed, 0, len(positive))[rows], kind="stable")
        spies = np.zeros_like(positive)
        spies[rows[order[:n_spies]]] = True
        return spies

    @property
    def _em(self) -> EM:
        return EM(self.smoothing, self.tol, self.max_iter)


class RocchioStep(Step):
    """Reliable negatives by Rocchio: unlabeled rows nearer to the unlabeled than to the positives.

    Positives and unlabeled rows have one prototype each: `alpha` times the mean of its own rows,
    less `beta` times the mean of the rows of the other kind.

    Parameters
    ----------
    alpha : weight of the mean of a prototype's own rows
    beta : weight of the mean of the rows of the other kind, which is subtracted

    Notes
    -----
    Li, Liu 2003: rows are tf-idf vectors of unit length, and nearness is the cosine. A row that is
    equally near to both prototypes is not a reliable negative.

    Examples
    --------
    Of 50 unlabeled rows the first 20 are positive, and should not count as reliable negatives:

    >>> import numpy as np
    >>> from onesided import TwoStep
    >>> from onesided.models.composite import RocchioStep
    >>> rng = np.random.default_rng(0)
    >>> about_hens = rng.poisson([3, 3, 1, 0.2, 0.2], (60, 5))
    >>> about_cars = rng.poisson([0.2, 0.2, 1, 3, 3], (30, 5))
    >>> X, y = np.vstack([about_hens, about_cars]), np.repeat([1, 0], [40, 50])
    >>> model = TwoStep(RocchioStep(), "em").fit(X, y)
    >>> found = model.reliable_negative_
    >>> int(found[60:].sum()), int(found[:60].sum())  # negatives, positives
    (30, 0)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {"alpha": [ABOVE_ZERO], "beta": [FROM_ZERO]}

    def __init__(self, alpha: float = 16.0, beta: float = 4.0) -> None:
        self.alpha = alpha
        self.beta = beta

    def find(self, source: Source, seed: int) -> Bools:
        """Mask of the reliable negatives, shape (n_rows,)."""
        unit = UnitRows.of(source)

        def of_unit_rows(block: Block) -> WordTotals:
            return WordTotals.of(replace(block, X=unit(block)))

        sums = source.total(of_unit_rows, WordTotals.zero(source.n_features))
        means = sums.occurrences / sums.rows[:, None]
        negative, positive = normalize(self.alpha * means - self.beta * means[::-1])

        def is_negative(block: Block) -> Bools:
            nearer = np.asarray(unit(block) @ (negative - positive))
            return ~block.labels() & (nearer > _TIE)

        return source.map(is_negative)


class OneDNFStep(Step):
    """Reliable negatives by 1-DNF: unlabeled rows without any word typical of the positives.

    A word is typical if a larger share of the positives than of the unlabeled has it.

    Notes
    -----
    Yu, Han, Chang 2002. In text nearly half of the words are typical by chance, and few rows
    contain no typical word.

    Examples
    --------
    Of 50 unlabeled rows the first 20 are positive, and should not count as reliable negatives:

    >>> import numpy as np
    >>> from onesided import TwoStep
    >>> from onesided.models.composite import OneDNFStep
    >>> rng = np.random.default_rng(0)
    >>> about_hens = rng.poisson([3, 3, 1, 0.2, 0.2], (60, 5))
    >>> about_cars = rng.poisson([0.2, 0.2, 1, 3, 3], (30, 5))
    >>> X, y = np.vstack([about_hens, about_cars]), np.repeat([1, 0], [40, 50])
    >>> model = TwoStep(OneDNFStep(), "em").fit(X, y)
    >>> found = model.reliable_negative_
    >>> int(found[60:].sum()), int(found[:60].sum())  # negatives, positives
    (5, 0)
    """

    def find(self, source: Source, seed: int) -> Bools:
        """Mask of the reliable negatives, shape (n_rows,)."""
        totals = source.total(WordTotals.of, WordTotals.zero(source.n_features))
        unlabeled, positive = totals.documents
        # Whole numbers are compared instead of shares, so that equal shares stay equal.
        typical = (positive * totals.rows[0] > unlabeled * totals.rows[1]).astype(np.float64)

        def is_negative(block: Block) -> Bools:
            return ~block.labels() & (np.asarray(block.matrix() @ typical) == 0)

        return source.map(is_negative)


class NaiveBayesStep(Step):
    """Reliable negatives by naive Bayes of positives against unlabeled: rows it calls negative.

    Parameters
    ----------
    smoothing : occurrences added to each word; 1 is Laplace's correction

    Examples
    --------
    Of 50 unlabeled rows the first 20 are positive, and should not count as reliable negatives:

    >>> import numpy as np
    >>> from onesided import TwoStep
    >>> from onesided.models.composite import NaiveBayesStep
    >>> rng = np.random.default_rng(0)
    >>> about_hens = rng.poisson([3, 3, 1, 0.2, 0.2], (60, 5))
    >>> about_cars = rng.poisson([0.2, 0.2, 1, 3, 3], (30, 5))
    >>> X, y = np.vstack([about_hens, about_cars]), np.repeat([1, 0], [40, 50])
    >>> model = TwoStep(NaiveBayesStep(), "em").fit(X, y)
    >>> found = model.reliable_negative_
    >>> int(found[60:].sum()), int(found[:60].sum())  # negatives, positives
    (30, 0)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {"smoothing": [ABOVE_ZERO]}

    def __init__(self, smoothing: float = 1.0) -> None:
        self.smoothing = smoothing

    def find(self, source: Source, seed: int) -> Bools:
        """Mask of the reliable negatives, shape (n_rows,)."""
        totals = source.total(WordTotals.of, WordTotals.zero(source.n_features))
        model = WordModel.of_labels(totals, self.smoothing)

        def is_negative(block: Block) -> Bools:
            return ~block.labels() & (model.log_odds(block) < -_TIE)

        return source.map(is_negative)


class NearestStep(Step):
    """Reliable negatives by similarity: unlabeled rows that `NearestKnown` calls of no known kind.

    Parameters
    ----------
    n_neighbors : number of nearest known rows; the similarity of a row is the mean over them

    Examples
    --------
    Of 50 unlabeled rows the first 20 are positive, and should not count as reliable negatives:

    >>> import numpy as np
    >>> from onesided import TwoStep
    >>> from onesided.models.composite import NearestStep
    >>> rng = np.random.default_rng(0)
    >>> about_hens = rng.poisson([3, 3, 1, 0.2, 0.2], (60, 5))
    >>> about_cars = rng.poisson([0.2, 0.2, 1, 3, 3], (30, 5))
    >>> X, y = np.vstack([about_hens, about_cars]), np.repeat([1, 0], [40, 50])
    >>> model = TwoStep(NearestStep(), "em").fit(X, y)
    >>> found = model.reliable_negative_
    >>> int(found[60:].sum()), int(found[:60].sum())  # negatives, positives
    (30, 0)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {"n_neighbors": [COUNT]}

    def __init__(self, n_neighbors: int = 10) -> None:
        self.n_neighbors = n_neighbors

    def find(self, source: Source, seed: int) -> Bools:
        """Mask of the reliable negatives, shape (n_rows,)."""
        positive = labels_of(source)
        scores = NearestKnown(self.n_neighbors).fit(source, positive).decision_function(source)
        return ~positive & (scores <= 0)


def labels_of(source: Source) -> Bools:
    """Mask of the positive rows, shape (n_rows,)."""
    return source.map(Block.labels)
