"""The class prior, estimated for each kind of positives, if labels are even only within kinds."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.special import logsumexp, ndtr, ndtri
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import pairwise_distances_argmin
from sklearn.preprocessing import StandardScaler

from onesided._blocks._checks import checked_matrix
from onesided._display import Displayed
from onesided._frames import frame_of, in_memory
from onesided._labels import encode_labels, label_frequency_of
from onesided._text import as_percent, counted
from onesided._typing import Array, Bools, Floats, Ints, RandomState
from onesided._validation import check_number, check_random_state, check_rows, check_scores
from onesided.exceptions import DataError
from onesided.prior._best_bin import best_bin

# Ratios that are tried: share of a kind among the unlabeled over its share of the labeled positives
_RATIOS = np.geomspace(1e-3, 30, 64)
_MOST_CELLS, _MOST_KINDS = 200, 6
_CUTS = 5  # divisions into cells from different starts; odd, so that one estimate is the median
_BINS, _DRAWS = 4, 30  # bins of a cell; draws of the unknown shares of positives in the bins
_GAPS, _DEVIATIONS = (-0.5, 0.0, 0.5, 1.0, 2.0, 4.0), (1.0, 0.5, 0.25)
# BIC requires a gain of log n for a ratio and its share of the cells. Overlap that differs between
# cells also raises the likelihood, and raises it more if there are more cells. So the price is
# higher. With even labels (44 draws from 11 tables), the error was .003 above that of best bins at
# a price of 3 log n, and the same as theirs at 5 log n.
_CELLS_A_PRICE, _MOST_PRICES = 8, 5
_TINY = 1e-9


@dataclass(frozen=True)
class SubtypeEstimate(Displayed):
    """The share of positives among the unlabeled, for each kind of positives.

    Attributes
    ----------
    point : sum of `class_priors`; `float` returns it
    class_priors : shape (n_kinds,), share of the unlabeled rows that are positives of each kind;
        the kind with the most labels comes first
    n_labeled : shape (n_kinds,), number of labeled positives of each kind
    kinds : shape (n_rows,), number of the kind that each row is nearest to
    n_unlabeled : number of unlabeled rows
    gains : increase of the log-likelihood by each kind after the first; the last kind was rejected,
        unless no more kinds were tried
    price : smallest gain at which a kind is accepted

    Examples
    --------
    >>> estimate = SubtypeEstimate(
    ...     np.array([0.02, 0.28]), np.array([900, 100]), np.array([0, 1]), 1000, (85.0, 3.0), 30.4)
    >>> round(float(estimate), 2), estimate.label_frequencies.round(2).tolist()
    (0.3, [0.98, 0.26])
    >>> print(estimate.sentences[0])
    Positive among the 1,000 unlabeled: about 300 rows, 30%, in 2 kinds
    """

    class_priors: Floats
    n_labeled: Ints
    kinds: Ints
    n_unlabeled: int
    gains: tuple[float, ...]
    price: float

    @property
    def point(self) -> float:
        """Share of positives of all kinds among the unlabeled."""
        return min(float(self.class_priors.sum()), 1.0)

    def __float__(self) -> float:
        return self.point

    @property
    def label_frequencies(self) -> Floats:
        """Shape (n_kinds,), share of the positives of each kind that are labeled."""
        found: Floats = label_frequency_of(self.n_labeled, self.n_unlabeled, self.class_priors)
        return found

    def to_frame(self, backend: str | None = None) -> Any:
        """One row for each kind of positives.

        Columns: `kind`, `n_labeled`, `class_prior`, `n_hidden`, `label_frequency`.

        Parameters
        ----------
        backend : "pandas", "polars" or "pyarrow"; by default the first of them that is installed
            (pyarrow always is)
        """
        columns: dict[str, list[Any]] = {
            "kind": list(range(len(self.n_labeled))),
            "n_labeled": self.n_labeled.tolist(),
            "class_prior": self.class_priors.tolist(),
            "n_hidden": (self.class_priors * self.n_unlabeled).tolist(),
            "label_frequency": self.label_frequencies.tolist(),
        }
        return frame_of(columns, backend)

    @property
    def sentences(self) -> tuple[str, ...]:
        """How many rows are positive, how many kinds there are and why, and the assumptions."""
        n_kinds = len(self.n_labeled)
        shown = zip(
            self.n_labeled,
            self.class_priors * self.n_unlabeled,
            self.label_frequencies,
            strict=True,
        )
        refused = [gain for gain in self.gains if gain < self.price]
        return (
            (
                f"Positive among the {self.n_unlabeled:,} unlabeled: about "
                f"{counted(round(self.point * self.n_unlabeled), 'row')}, "
                f"{as_percent(self.point)}, in "
                f"{counted(n_kinds, 'kind')}"
            ),
            *(
                (
                    f"  kind {number}: {counted(labeled, 'labeled row')} and about "
                    f"{hidden:,.0f} hidden "
                    f"ones, so {as_percent(frequency)} of the positives of this kind are labeled"
                )
                for number, (labeled, hidden, frequency) in enumerate(shown)
            ),
            *(
                (
                    "  number of kinds: one more kind raises the log-likelihood by "
                    f"{gain:.1f}, and {self.price:.1f} is needed"
                )
                for gain in refused
            ),
            (
                "  this estimate holds only if the labels are drawn evenly within each kind, and "
                "if some rows of each kind can only be positive; where the positives of a kind "
                "and the negatives overlap everywhere, it is too high"
            ),
            (
                "  the upper bound of estimate_class_prior does not hold here, because it assumes "
                "that labels are drawn evenly among all positives"
            ),
        )

    def facts(self) -> dict[str, Any]:
        """The estimate as plain numbers."""
        return {
            "class_prior": self.point,
            "n_unlabeled": self.n_unlabeled,
            "kinds": self.to_frame("pyarrow").to_pylist(),
            "gains": list(self.gains),
            "price": self.price,
        }

    def __str__(self) -> str:
        return "\n".join(self.sentences)


def subtype_prior(
    X: Any,
    y: ArrayLike,
    scores: ArrayLike,
    *,
    cell_size: int = 30,
    positive_label: Any = None,
    random_state: RandomState = 0,
) -> SubtypeEstimate:
    """Share of positives among the unlabeled, where labels are even only within a kind.

    Use it if some kinds of positives are labeled more often than others, but within each kind
    labels are selected completely at random (the sub-types of SNAR, selected not at random). An
    estimate for all positives at once is then too low. This function estimates the share of each
    kind and adds the shares up.

    Parameters
    ----------
    X : shape (n_rows, n_features), numbers, dense or CSR
    y : shape (n_rows,)
    scores : shape (n_rows,), out-of-fold score of each row; higher is more positive
    cell_size : approximate number of labeled positives in a cell
    positive_label : the value of y that means positive, for text labels
    random_state : of the cells

    Returns
    -------
    `SubtypeEstimate`, with the share of each kind

    Raises
    ------
    DataError : if there are no labeled positives or no unlabeled rows
    TypeError, ValueError : if X is not numeric, or has missing or infinite values

    Notes
    -----
    The mixture is P_U = Σ_k a_k f_k + (1 - Σ_k a_k) f_0, where f_k is the law of the positives of
    kind k. About the law f_0 of the negatives only f_0 ≥ 0 is known, so a_k ≤ inf f_U / f_k. As in
    `best_bin`, the estimate of a_k is this infimum over the best scores of the kind. It is the true
    share if some rows can only be positives of kind k. Otherwise it is too high.

    *Cells.* Columns are standardised over the positives. K-means divides the positives into cells
    of about `cell_size`. Each unlabeled row belongs to its nearest cell, so that kinds do not
    overlap. This is done from five random starts, and the median of the five estimates is returned.

    *Kinds.* A kind is a set of cells that have the same ratio r = a_k / w_k, where w_k is the
    kind's share of the labeled positives. Under even labels all cells have one ratio. In a cell,
    let n_b unlabeled rows score in bin b; four bins hold a quarter of its positives each, and one
    is below all. With n = Σ n_b, μ = r w n_U and ν = max(n - μ, 0), the log-likelihood is
    Σ_b n_b log(μ d_b + ν e_b) - μ - ν. Here d_b is the share of the positives in bin b, and e_b is
    the share of the negatives in bin b. The positives are normal (0, 1) on the scale of the ranks
    of d. The negatives are normal with a lower mean and a deviation of at most 1. The likelihood is
    averaged over d (Dirichlet, as the bins are cut by positives), means and deviations.

    Ratios are added one by one, and each cell takes the ratio with its highest likelihood. A ratio
    is added while the log-likelihood increases by at least the price. The price is log(n_rows), as
    in BIC, times an eighth of the number of cells (at least 1 and at most 5). It is higher than in
    BIC because overlap that differs between cells also increases the log-likelihood.

    The method is related to PULSNAR (Kumar, Lambert 2024), which estimates each cluster against all
    unlabeled rows. There are two differences: one out-of-fold score serves all kinds, and clusters
    with the same ratio are joined. With a single kind the result equals that of `best_bin`.

    ``benchmarks/bench_subtypes.py`` prints the error on tables whose kinds are known.

    References
    ----------
    Kumar, Lambert: PULSNAR: class proportion estimation without the selected completely at random
    assumption. PeerJ Computer Science 10 (2024) e2451.

    Examples
    --------
    Two kinds far apart: 10 of 410 positives of the first are hidden, and 200 of 300 of the second.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1710, 2))
    >>> X[:410, 0] += 8
    >>> X[410:710, 1] += 8
    >>> y = np.repeat([1, 0, 1, 0], [400, 10, 100, 1200])  # 210 of 1,210 are positive, .17
    >>> estimate = subtype_prior(X, y, X.max(axis=1))
    >>> round(float(estimate), 2), estimate.n_labeled.tolist()
    (0.17, [400, 100])
    """
    X = in_memory(X)
    check_number(cell_size, "cell_size", "Pass 30 for example.", at_least=_BINS, whole=True)
    labeled, _ = encode_labels(y, positive_label)
    check_rows(X, len(labeled))
    ranked = check_scores(scores, "scores", may_be_empty=False)
    if len(ranked) != len(labeled):
        raise DataError(
            f"scores has {counted(len(ranked), 'value')}, y has {len(labeled)}.",
            "Pass one score a row.",
        )
    rng = check_random_state(random_state)
    rows = _standardised(X, labeled)
    n_cells = int(np.clip(labeled.sum() // cell_size, 1, _MOST_CELLS))
    cuts = [_cells(rows, labeled, n_cells, rng) for _ in range(_CUTS)]
    return sorted((_of_cells(cells, labeled, ranked, rng) for cells in cuts), key=float)[_CUTS // 2]


def _of_cells(cells: Ints, labeled: Bools, scores: Floats, rng: Any) -> SubtypeEstimate:
    """The estimate for one division of the rows into cells.

    Parameters
    ----------
    cells : shape (n_rows,), number of the cell of each row
    labeled : shape (n_rows,), True for labeled positives
    scores : shape (n_rows,), out-of-fold scores
    rng : a `numpy.random.RandomState`
    """
    n_unlabeled = int((~labeled).sum())
    likelihoods = []
    for cell in range(cells.max() + 1):
        known, rest = (scores[kind & (cells == cell)] for kind in (labeled, ~labeled))
        even = len(known) / labeled.sum() * n_unlabeled
        likelihoods.append(cell_log_likelihood(known, rest, n_hidden=_RATIOS * even, rng=rng))
    n_prices = np.clip(len(likelihoods) / _CELLS_A_PRICE, 1, _MOST_PRICES)
    price = float(n_prices) * math.log(len(labeled))
    level_of_cell, gains = join_cells(np.array(likelihoods), price)
    _, level = np.unique(level_of_cell[cells], return_inverse=True)
    order = np.argsort(-np.bincount(level[labeled]), kind="stable")
    kinds = np.argsort(order)[level]  # the kind with the most labels is number 0
    shares = []
    for number in range(len(order)):
        known, rest = (scores[kind & (kinds == number)] for kind in (labeled, ~labeled))
        shares.append(best_bin(known, rest) * len(rest) / n_unlabeled if len(rest) else 0.0)
    return SubtypeEstimate(
        np.array(shares), np.bincount(kinds[labeled]), kinds, n_unlabeled, tuple(gains), price
    )


def cell_log_likelihood(known: Floats, rest: Floats, n_hidden: Floats, rng: Any) -> Floats:
    """Log-likelihood of the unlabeled scores of a cell, up to a constant.

    Parameters
    ----------
    known : shape (n_positive,), scores of the labeled positives of the cell, one or more
    rest : shape (n_unlabeled,), scores of the unlabeled rows of the cell
    n_hidden : shape (n_levels,), expected number of hidden positives in the cell at each level
    rng : a `numpy.random.RandomState`, for the shares of positives in the bins

    Returns
    -------
    shape (n_levels,), in nats
    """
    n_known, counts = bin_counts(known, rest)
    # The last share is that of the bin below all labeled positives.
    shares = rng.dirichlet(np.append(n_known, 1.0), size=_DRAWS)
    cuts = -ndtri(np.clip(np.cumsum(shares, axis=1)[:, :-1], _TINY, 1 - _TINY))
    laws = []
    for gap in _GAPS:
        for deviation in _DEVIATIONS:
            above = ndtr((cuts[:, -1:] - gap - cuts) / deviation)
            laws.append(np.diff(above, axis=1, prepend=0.0, append=1.0))
    positives, negatives = np.tile(shares, (len(laws), 1)), np.concatenate(laws)
    n_positive = n_hidden[:, None, None]
    n_negative = np.maximum(len(rest) - n_positive, 0.0)
    expected = n_positive * positives + n_negative * negatives + _TINY
    each = np.log(expected) @ counts - (n_positive + n_negative)[:, :, 0]
    return np.asarray(logsumexp(each, axis=1) - math.log(len(positives)))


def bin_counts(known: Floats, rest: Floats) -> tuple[Ints, Ints]:
    """Numbers of labeled positives and of unlabeled rows in each bin, the highest scores first.

    Bins end at a quarter, a half, three quarters and all of the positives. Rows that tie with the
    end of a bin are in the bin. For unlabeled rows, one more bin is below all positives.
    """
    ordered = np.sort(known)
    ends = np.ceil(np.arange(1, _BINS + 1) * len(ordered) / _BINS).astype(int)
    cuts = np.unique(ordered[len(ordered) - ends])[::-1]
    n_known = len(known) - np.searchsorted(ordered, cuts)
    n_rest = len(rest) - np.searchsorted(np.sort(rest), cuts)
    return np.diff(n_known, prepend=0), np.diff(n_rest, prepend=0, append=len(rest))


def join_cells(likelihoods: Floats, price: float) -> tuple[Ints, list[float]]:
    """The level of each cell, and the gain of the log-likelihood by each level after the first.

    A level is one of the ratios that are tried. Each cell takes the level with its highest
    likelihood among the accepted levels. Levels are added one by one, each with the highest gain.
    After each addition, one level after the other is replaced by the level that gains most beside
    the others, until no replacement gains anything.

    Parameters
    ----------
    likelihoods : shape (n_cells, n_levels), log-likelihoods
    price : smallest gain at which a level is accepted

    Returns
    -------
    level_of_cell : shape (n_cells,), numbers from 0
    gains : in nats; the last gain may be below `price`, and its level is then left out
    """
    best, gains = [int(likelihoods.sum(axis=0).argmax())], []
    while len(best) < min(_MOST_KINDS, len(likelihoods)):
        reached = float(likelihoods[:, best].max(axis=1).sum())
        levels, total = [*best, -1], reached  # the last one is placed first
        while True:
            before = total
            for place in reversed(range(len(levels))):
                others = np.delete(levels, place)
                of_others = likelihoods[:, others].max(axis=1, keepdims=True)
                totals = np.maximum(likelihoods, of_others).sum(axis=0)
                levels[place], total = int(totals.argmax()), float(totals.max())
            if total <= before:
                break
        gains.append(total - reached)
        if gains[-1] < price:
            break
        best = levels
    return likelihoods[:, best].argmax(axis=1), gains


def _standardised(X: Any, labeled: Bools) -> Array:
    """The columns, scaled to mean 0 and variance 1 over the labeled positives.

    Sparse columns are scaled but not centred, so that zeros stay zeros.
    """
    rows: Array = checked_matrix(X, numeric=True).astype(np.float64, copy=False)
    scaler = StandardScaler(with_mean=not sparse.issparse(rows)).fit(rows[labeled])
    return scaler.transform(rows)


def _cells(rows: Array, labeled: Bools, n_cells: int, rng: Any) -> Ints:
    """Number of the cell of each row; shape (n_rows,).

    A cell consists of the rows that are nearest to one mean of k-means, which is fitted to the
    labeled positives. Each cell holds at least one labeled positive.
    """
    seed = int(rng.randint(2**31))
    with warnings.catch_warnings():
        # K-means warns if duplicates leave fewer clusters, which does not matter here.
        warnings.simplefilter("ignore", ConvergenceWarning)
        means = KMeans(n_cells, n_init=1, random_state=seed).fit(rows[labeled]).cluster_centers_
    filled = np.unique(pairwise_distances_argmin(rows[labeled], means))
    return np.asarray(pairwise_distances_argmin(rows, means[filled]))
