"""Estimate the negatives as unlabeled minus positives (Calvo, Larrañaga, Lozano 2007).

The functions of the first part work on *cells*: the values of a feature, the pairs of values of
two features, or the values of a feature and its parents. Cell k belongs to segment `segment[k]`:
a feature, or a pair of features. The paper has separate equations for values, pairs and families.
Here they are one equation, in which a segment has r_i, r_i r_k or r_i r_pa cells.

==================  ================  ==========  =================================
the paper           here              shape       unit
==================  ================  ==========  =================================
N_ij,1              positive_counts   (n_cells,)  rows
N_ij,u              unlabeled_counts  (n_cells,)  rows
P(x_ij | 1)         positive_probs    (n_cells,)  sums to 1 over a segment
P(x_ij | 0)         return values     (n_cells,)  sums to 1 over a segment
p                   prior, a float    number      share of positives, of the unlabeled
Beta(α, β)          prior, BetaPrior  number      none
==================  ================  ==========  =================================

N_1 and N_u of a segment count the rows in which all its features are observed: the sums of its
counts.
The functions of the second part make the table of one feature given its parents, of shape
(n_configurations, n_values).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from onesided._numerics._segments import normalize_segments, segment_sizes, segment_sums
from onesided._typing import Floats, Ints
from onesided.models.bayes._beta_prior import BetaPrior, mean_of


@dataclass(frozen=True)
class Segments:
    """The segment of each cell.

    Attributes
    ----------
    of_cell : shape (n_cells,), the segment of each cell
    n_segments : number of segments; one may be without cells
    """

    of_cell: Ints
    n_segments: int

    def sizes(self) -> Ints:
        """Number of cells of each segment, shape (n_segments,)."""
        return segment_sizes(self.of_cell, self.n_segments)

    def sums(self, values: Floats) -> Floats:
        """Sum of each segment, shape (n_segments,)."""
        return segment_sums(values, self.of_cell, self.n_segments)

    def frequencies(self, counts: Floats) -> Floats:
        """Counts over their sum, 0 where a segment was never observed; shape (n_cells,)."""
        total = self.sums(counts)[self.of_cell]
        return np.divide(counts, total, out=np.zeros(len(counts)), where=total > 0)


def smoothed_probs(positive_counts: Floats, segments: Segments, smoothing: float) -> Floats:
    """Cell probabilities among the positives, with Laplace's correction.

    Calvo et al. 2007, section 2: P(x_ij | 1) = (N_ij,1 + s) / (N_1 + s r_i), s = `smoothing`.
    """
    total = segments.sums(positive_counts) + smoothing * segments.sizes()
    return (positive_counts + smoothing) / total[segments.of_cell]


def negative_probs(
    unlabeled_counts: Floats,
    positive_probs: Floats,
    prior: float | BetaPrior,
    segments: Segments,
    smoothing: float,
) -> Floats:
    """Cell probabilities among the negatives: Eq. 3 for a number, Eq. 6 for a `BetaPrior`."""
    if isinstance(prior, BetaPrior):
        return averaged_negative_probs(unlabeled_counts, positive_probs, prior, segments)
    return plain_negative_probs(unlabeled_counts, positive_probs, prior, segments, smoothing)


def plain_negative_probs(
    unlabeled_counts: Floats,
    positive_probs: Floats,
    class_prior: float,
    segments: Segments,
    smoothing: float,
) -> Floats:
    """Cell probabilities among the negatives, p known.

    Calvo et al. 2007, Eq. 3: R(j) = N_ij,u − p N_u P(x_ij | 1), the unlabeled counts minus the
    hidden positives, is clipped at 0, rescaled to sum to (1 − p) N_u, and smoothed:
    (s + R(j)) / (s r_i + (1 − p) N_u).
    """
    total = segments.sums(unlabeled_counts)
    rest = np.maximum(
        0.0, unlabeled_counts - class_prior * total[segments.of_cell] * positive_probs
    )
    wanted = (1.0 - class_prior) * total
    left = segments.sums(rest)
    # The rest sums to at least `wanted`; both are 0 only where no unlabeled row was observed.
    scale = np.divide(wanted, left, out=np.zeros(segments.n_segments), where=left > 0)
    below = smoothing * segments.sizes() + wanted
    return (smoothing + rest * scale[segments.of_cell]) / below[segments.of_cell]


def averaged_negative_probs(
    unlabeled_counts: Floats, positive_probs: Floats, beta_prior: BetaPrior, segments: Segments
) -> Floats:
    """Cell probabilities among the negatives, averaged over p ~ Beta(α, β).

    Calvo et al. 2007, Eq. 6: (α (P(x_ij) − P(x_ij | 1)) + (β − 1) P(x_ij)) / (β − 1), P(x_ij)
    the plain frequency among the unlabeled. Entries at or below 0 become 1/r_i, then each
    segment is normalised.
    """
    average = _average(segments.frequencies(unlabeled_counts), positive_probs, beta_prior)
    usable = np.where(average > 0, average, 1.0 / segments.sizes()[segments.of_cell])
    return normalize_segments(usable, segments.of_cell, segments.n_segments)


def _average(unlabeled_share: Floats, positive_probs: Floats, prior: BetaPrior) -> Floats:
    """Eq. 6 and 7 before entries at or below 0 are replaced."""
    alpha, beta = prior.alpha, prior.beta
    return (alpha * (unlabeled_share - positive_probs) + (beta - 1) * unlabeled_share) / (beta - 1)


@dataclass(frozen=True)
class Marginal:
    """Value probabilities of one feature, each of shape (n_values,).

    Attributes
    ----------
    given_negative, given_positive : P(x | 0) and P(x | 1)
    unlabeled_share : P(x), the plain frequency among the unlabeled
    """

    given_negative: Floats
    given_positive: Floats
    unlabeled_share: Floats


def positive_table(
    counts: Floats, marginal: Marginal, n0: float | None, smoothing: float
) -> Floats:
    """P(x | 1, pa), shape (n_configurations, n_values).

    Each row has Laplace's correction. With `n0`, it has instead the plain frequencies after n0 more
    rows that follow the marginal: (N P + n0 P(x | 1)) / (N + n0).

    Parameters
    ----------
    counts : rows of positives, shape (n_configurations, n_values)
    """
    if n0 is None:
        counts = counts + smoothing
        return counts / counts.sum(axis=1, keepdims=True)
    return _shrunk(counts, marginal.given_positive, n0)


def negative_table(
    unlabeled_counts: Floats,
    positive_counts: Floats,
    given_positive: Floats,
    prior: float | BetaPrior,
    marginal: Marginal,
    n0: float | None,
    smoothing: float,
    *,
    printed: bool,
) -> Floats:
    """P(x | 0, pa), shape (n_configurations, n_values).

    Parameters
    ----------
    unlabeled_counts, positive_counts : rows, shape (n_configurations, n_values)
    given_positive : P(x | 1, pa), from `positive_table`
    prior : p, or its distribution
    marginal : of the feature without its parents
    n0 : number of added rows that follow the marginal; None for Laplace's correction in each row
    smoothing : of Laplace's correction
    printed : whether to compute as printed, by section 3.2 and Eq. 7, or from the joint
        distribution
    """
    if isinstance(prior, BetaPrior):
        if printed:
            table = _averaged_as_printed(given_positive, prior, marginal)
        else:
            table = _averaged_from_joint(unlabeled_counts, positive_counts, prior, smoothing)
        if n0 is None:
            return table
        rows = unlabeled_counts.sum(axis=1, keepdims=True) * (1.0 - prior.mean)
        return _shrunk(rows * table, marginal.given_negative, n0)
    if printed:
        rest = _rest_as_printed(unlabeled_counts, given_positive, prior)
    else:
        if n0 is None:
            joint = _joint(positive_counts, smoothing)
        else:  # P(x | 1, pa) is shrunk, P(pa | 1) has Laplace's correction over configurations
            joint = given_positive * _joint(positive_counts.sum(axis=1, keepdims=True), smoothing)
        rest = np.maximum(0.0, unlabeled_counts - prior * unlabeled_counts.sum() * joint)
    if n0 is None:
        return (smoothing + rest) / (smoothing * rest.shape[1] + rest.sum(axis=1, keepdims=True))
    return _shrunk(rest, marginal.given_negative, n0)


def _joint(positive_counts: Floats, smoothing: float) -> Floats:
    """P(x, pa | 1), with Laplace's correction over all cells."""
    cells = positive_counts + smoothing
    return cells / cells.sum()


def _shrunk(counts: Floats, marginal: Floats, n0: float) -> Floats:
    """Frequencies in each row of a table, after adding n0 rows that follow the marginal."""
    return (counts + n0 * marginal) / (counts.sum(axis=1, keepdims=True) + n0)


def _rest_as_printed(unlabeled_counts: Floats, given_positive: Floats, p: float) -> Floats:
    """Section 3.2: R*(j) = N_ij,pa − p N_pa P(x | 1, pa), clipped, rescaled to (1 − p) N_pa.

    This assumes P(C = 1 | pa) = p for all values of the parents. Even with many rows the table is
    wrong unless the parents are independent of the class.
    """
    total = unlabeled_counts.sum(axis=1, keepdims=True)
    rest = np.maximum(0.0, unlabeled_counts - p * total * given_positive)
    left = rest.sum(axis=1, keepdims=True)
    return rest * np.divide((1 - p) * total, left, out=np.zeros_like(left), where=left > 0)


def _averaged_as_printed(given_positive: Floats, prior: BetaPrior, marginal: Marginal) -> Floats:
    """Eq. 7, with the marginal P(x_ij) inside a table that is conditioned on the parents."""
    average = _average(marginal.unlabeled_share, given_positive, prior)
    usable = np.where(average > 0, average, 1.0 / max(average.shape[1], 1))
    return usable / usable.sum(axis=1, keepdims=True)


def _averaged_from_joint(
    unlabeled_counts: Floats, positive_counts: Floats, prior: BetaPrior, smoothing: float
) -> Floats:
    """Eq. 6 on the joint distribution of feature and parents, then conditioned on the parents."""
    one = Segments(np.zeros(unlabeled_counts.size, dtype=np.int64), 1)
    joint = averaged_negative_probs(
        unlabeled_counts.ravel(), _joint(positive_counts, smoothing).ravel(), prior, one
    ).reshape(unlabeled_counts.shape)
    return joint / joint.sum(axis=1, keepdims=True)


def edge_weights(
    unlabeled: Floats,
    positive: Floats,
    prior: float | BetaPrior,
    features: Segments,
    smoothing: float,
) -> Floats:
    """Conditional mutual information of each pair of features given the class, nats.

    Calvo et al. 2007, Eq. 5: the sum over both features' values of
    p P(jl | 1) ln [P(jl | 1) / P(j | 1) P(l | 1)]
    + (P(jl) − p P(jl | 1)) ln [P(jl | 0) / P(j | 0) P(l | 0)].
    Probabilities of positives are plain frequencies, from which Eq. 3 or 6 gives P(.. | 0). The
    factor P(jl) − p P(jl | 1) may be negative and is kept. For a `BetaPrior`, p is its mean.

    Parameters
    ----------
    unlabeled, positive : rows that have both values, shape (n_entries, n_entries)
    prior : p, or its distribution
    features : the feature of each entry
    smoothing : of Eq. 3

    Returns
    -------
    shape (n_features, n_features), symmetric, 0 on the diagonal
    """
    n_features, p = features.n_segments, mean_of(prior)
    single_positive = features.frequencies(np.diagonal(positive).astype(np.float64))
    single_negative = negative_probs(
        np.diagonal(unlabeled).astype(np.float64), single_positive, prior, features, smoothing
    )
    weights = np.zeros((n_features, n_features))
    starts = np.searchsorted(features.of_cell, np.arange(n_features + 1))
    for i in range(n_features):
        rows, beyond = slice(starts[i], starts[i + 1]), slice(starts[i + 1], None)
        n_own = starts[i + 1] - starts[i]
        # All pairs of feature i with later features at once; a segment is the later feature.
        pairs = Segments(np.tile(features.of_cell[beyond], n_own), n_features)
        found = positive[rows, beyond].astype(np.float64).ravel()
        rest = unlabeled[rows, beyond].astype(np.float64).ravel()
        given_positive, share = pairs.frequencies(found), pairs.frequencies(rest)
        given_negative = negative_probs(rest, given_positive, prior, pairs, smoothing)
        apart_positive = np.outer(single_positive[rows], single_positive[beyond]).ravel()
        apart_negative = np.outer(single_negative[rows], single_negative[beyond]).ravel()
        terms = p * given_positive * _log_ratio(given_positive, apart_positive)
        terms += (share - p * given_positive) * np.log(given_negative / apart_negative)
        weights[i] = pairs.sums(terms)
    return weights + weights.T


def class_information(
    unlabeled: Floats,
    positive: Floats,
    prior: float | BetaPrior,
    features: Segments,
    smoothing: float,
) -> Floats:
    """Mutual information of each feature and the class among the unlabeled, nats.

    p Σ P(j | 1) ln [P(j | 1) / P(j)] + Σ (P(j) − p P(j | 1)) ln [P(j | 0) / P(j)], as in section 4
    of Sahami 1996 with the class hidden; probabilities as in `edge_weights`. Values that no
    unlabeled row has add nothing.

    Parameters
    ----------
    unlabeled, positive : rows, shape (n_entries,)

    Returns
    -------
    shape (n_features,)
    """
    p = mean_of(prior)
    given_positive, share = features.frequencies(positive), features.frequencies(unlabeled)
    given_negative = negative_probs(unlabeled, given_positive, prior, features, smoothing)
    seen = share > 0
    terms = p * given_positive * np.where(seen, _log_ratio(given_positive, share), 0.0)
    terms += (share - p * given_positive) * np.where(seen, _log_ratio(given_negative, share), 0.0)
    return features.sums(terms)


def _log_ratio(above: Floats, below: Floats) -> Floats:
    """log(above / below), 0 where one of them is 0."""
    usable = (above > 0) & (below > 0)
    ratio = np.divide(above, below, out=np.ones(len(above)), where=usable)
    return np.log(ratio)
