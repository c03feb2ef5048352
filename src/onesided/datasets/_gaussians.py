"""Rows from two normal distributions whose posterior and largest prior are known."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, ndtr

from onesided._labels import as_share, population_prior
from onesided._text import counted, counted_of
from onesided._typing import Bools, Floats, RandomState
from onesided._validation import check_number, check_random_state
from onesided.datasets._hide import HiddenLabels
from onesided.exceptions import DataError


@dataclass(frozen=True)
class GaussianModel:
    """Two normally distributed classes with unit variances and a chosen distance of the means.

    The means are on the diagonal, at ± `distance` / 2 from the origin. A share `overlap` of the
    negatives has the same distribution as the positives.

    Attributes
    ----------
    distance : d, distance of the two means, in standard deviations
    n_features : n, number of features
    class_prior : share α of positives among the unlabeled
    overlap : share κ of the negatives that have the same distribution as the positives

    Examples
    --------
    >>> from onesided.datasets import GaussianModel
    >>> model = GaussianModel(distance=2.0, n_features=1, class_prior=0.3, overlap=0.0)
    >>> round(model.auc, 3)
    0.921
    >>> model.posterior([[-1.0], [0.0], [1.0]]).round(2)
    array([0.05, 0.3 , 0.76])
    """

    distance: float
    n_features: int
    class_prior: float
    overlap: float

    @property
    def auc(self) -> float:
        """Area under the ROC curve of the best score: κ / 2 + (1 − κ) Φ(d / √2)."""
        apart = float(ndtr(self.distance / math.sqrt(2)))
        return self.overlap / 2 + (1 - self.overlap) * apart

    @property
    def largest_prior(self) -> float:
        """Largest class prior that fits the distributions of both kinds of rows: α + (1 − α) κ.

        The literature calls it α*, the identifiable class prior. It is the minimum of the ratio of
        two densities, that of unlabeled rows divided by that of positives. The ratio approaches
        this minimum at the highest scores.
        """
        return self.class_prior + (1 - self.class_prior) * self.overlap

    def sample(
        self, n_positive: int, n_unlabeled: int, *, random_state: RandomState = None
    ) -> HiddenLabels:
        """Draw positives and, independently, unlabeled rows: case-control data.

        Parameters
        ----------
        n_positive, n_unlabeled : number of rows of each kind
        random_state : seed or generator of the draw

        Notes
        -----
        The number of positives among the unlabeled rows is random, as in a sample. If both numbers
        of rows are given, rows of a single training set have the same distribution.
        """
        for name, number in (("n_positive", n_positive), ("n_unlabeled", n_unlabeled)):
            check_number(number, name, "Pass a number of rows.", above=0, whole=True)
        rng = check_random_state(random_state)
        labeled = rng.permutation(n_positive + n_unlabeled) < n_positive
        truth = labeled | (rng.uniform(size=len(labeled)) < self.class_prior)
        return self._hide(truth, labeled, rng)

    def sample_censored(
        self, n_rows: int, label_frequency: float, *, random_state: RandomState = None
    ) -> HiddenLabels:
        """Draw one sample and label some of its positives: a single training set.

        Parameters
        ----------
        n_rows : number of rows, positive and unlabeled together
        label_frequency : share of the positives that are labeled; among the remaining rows, the
            share of positives is `class_prior`
        random_state : seed or generator of the draw

        Raises
        ------
        DataError : if the draw labels no row, or all rows
        """
        check_number(n_rows, "n_rows", "Pass a number of rows.", above=1, whole=True)
        prior = population_prior(self.class_prior, label_frequency, scenario="single-training-set")
        rng = check_random_state(random_state)
        truth = rng.uniform(size=n_rows) < prior
        labeled = truth & (rng.uniform(size=n_rows) < label_frequency)
        if not 0 < labeled.sum() < n_rows:
            raise DataError(
                f"{counted_of(labeled.sum(), n_rows, 'row', 'were')} drawn as labeled.",
                "Draw more rows, or pass another label_frequency.",
            )
        return self._hide(truth, labeled, rng)

    def posterior(self, X: ArrayLike, prior: float | None = None) -> Floats:
        """P(positive | x), exact; shape (n_rows,).

        Parameters
        ----------
        X : shape (n_rows, n_features)
        prior : share of positives among the rows that X comes from; by default `class_prior`, for
            unlabeled rows. For rows of the whole population, pass the share of positives in the
            population
        """
        prior = self.class_prior if prior is None else as_share(prior, "prior")
        rows = np.asarray(X, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != self.n_features:  # noqa: PLR2004 - rows and columns
            raise DataError(
                f"X has shape {rows.shape}.", f"Pass rows of {counted(self.n_features, 'number')}."
            )
        apart = -self.distance * rows.sum(axis=1) / math.sqrt(self.n_features)
        with np.errstate(divide="ignore"):
            of_overlap, of_rest = np.log([self.overlap, 1 - self.overlap])
        against = np.logaddexp(of_overlap, of_rest + apart)  # log density of negatives / positives
        found: Floats = expit(math.log(prior / (1 - prior)) - against)
        return found

    def _hide(self, truth: Bools, labeled: Bools, rng: Any) -> HiddenLabels:
        high = truth | (rng.uniform(size=len(truth)) < self.overlap)
        X = rng.normal(size=(len(truth), self.n_features))
        X += np.where(high, 0.5, -0.5)[:, None] * self.distance / math.sqrt(self.n_features)
        kinds = (labeled.astype(np.int64), truth.astype(np.int64))
        return HiddenLabels(X, *kinds, np.arange(len(truth)))


def make_gaussians(
    distance: float = 1.5,
    *,
    n_features: int = 2,
    class_prior: float = 0.3,
    overlap: float = 0.0,
) -> GaussianModel:
    """Model of two normal distributions, one of positives and one of negatives.

    Parameters
    ----------
    distance : distance of the two means, in standard deviations; 4 with 20 features gives the data
        set twonorm (Breiman 1996)
    n_features : number of features
    class_prior : share of positives among the unlabeled, in (0, 1)
    overlap : share of the negatives that have the same distribution as the positives, in [0, 1). If
        it is above 0, no score can distinguish the class priors `class_prior` and `largest_prior`

    Raises
    ------
    DataError : if the distance, the number of features or the overlap is out of range
    PriorError : if `class_prior` is not in (0, 1)

    Examples
    --------
    >>> model = make_gaussians(1.5, class_prior=0.3)
    >>> round(model.auc, 5)
    0.85558
    >>> drawn = model.sample(100, 1000, random_state=0)
    >>> drawn.X.shape, int(drawn.y.sum())
    ((1100, 2), 100)
    >>> one = model.sample_censored(1000, label_frequency=0.5, random_state=0)
    >>> round(float(model.posterior(one.X[one.y == 0]).mean()), 1)
    0.3
    >>> make_gaussians(class_prior=0.2, overlap=0.25).largest_prior
    0.4
    """
    check_number(distance, "distance", "Pass 1.5 for example.", above=0)
    check_number(n_features, "n_features", "Pass 2 for example.", above=0, whole=True)
    as_share(class_prior, "class_prior")
    check_number(overlap, "overlap", "Pass 0.25 for example.", at_least=0, below=1)
    return GaussianModel(float(distance), n_features, float(class_prior), float(overlap))
