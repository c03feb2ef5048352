"""Negatives as unlabeled less positives (Calvo, Larrañaga, Lozano 2007).

============  ==================  ================  ==============================
the paper     here                shape             unit
============  ==================  ================  ==============================
N_ij,1        positive_counts     (n_entries,)      rows
N_ij,u        unlabeled_counts    (n_entries,)      rows
P(x_ij | 1)   positive_probs      (n_entries,)      sums to 1 over a feature
P(x_ij | 0)   the return values   (n_entries,)      sums to 1 over a feature
p             class_prior         number in (0, 1)  share of the unlabeled rows
α, β          beta_prior          BetaPrior         none
============  ==================  ================  ==============================

Entry k belongs to feature `feature[k]`, sorted; r_i is the number of entries of feature i.
N_1 and N_u of a feature are the rows in which it is observed: the sums of its counts.
"""

import numpy as np

from onesided._numerics._segments import normalize_segments, segment_sizes, segment_sums
from onesided._typing import Floats, Ints
from onesided.models.bayes._class_prior import BetaPrior


def positive_value_probs(positive_counts: Floats, feature: Ints, smoothing: float) -> Floats:
    """Value probabilities among the positives, with Laplace's correction.

    Calvo et al. 2007, section 2: P(x_ij | 1) = (N_ij,1 + s) / (N_1 + s r_i), s = `smoothing`.
    """
    n_features = _n_features(feature)
    n_values = segment_sizes(feature, n_features)
    total = segment_sums(positive_counts, feature, n_features)
    return (positive_counts + smoothing) / (total + smoothing * n_values)[feature]


def negative_value_probs(
    unlabeled_counts: Floats,
    positive_probs: Floats,
    class_prior: float,
    feature: Ints,
    smoothing: float,
) -> Floats:
    """Value probabilities among the negatives.

    Calvo et al. 2007, Eq. 3: R(j) = N_ij,u − p N_u P(x_ij | 1), what the hidden positives leave
    of the unlabeled counts, is clipped at 0, rescaled to sum to (1 − p) N_u and smoothed:
    (s + R(j)) / (s r_i + (1 − p) N_u).
    """
    n_features = _n_features(feature)
    n_values = segment_sizes(feature, n_features)
    total = segment_sums(unlabeled_counts, feature, n_features)
    rest = np.maximum(0.0, unlabeled_counts - class_prior * total[feature] * positive_probs)
    wanted = (1.0 - class_prior) * total
    left = segment_sums(rest, feature, n_features)
    # The rest sums to at least `wanted`; both are 0 only where no unlabeled row has the feature.
    scale = np.divide(wanted, left, out=np.zeros(n_features), where=left > 0)
    return (smoothing + rest * scale[feature]) / (smoothing * n_values + wanted)[feature]


def averaged_negative_value_probs(
    unlabeled_counts: Floats, positive_probs: Floats, beta_prior: BetaPrior, feature: Ints
) -> Floats:
    """Value probabilities among the negatives, averaged over p ~ Beta(α, β).

    Calvo et al. 2007, Eq. 6: (α (P(x_ij) − P(x_ij | 1)) + (β − 1) P(x_ij)) / (β − 1), P(x_ij)
    the plain frequency among the unlabeled. Entries at or below 0 become 1/r_i, then each
    feature is normalised.
    """
    n_features = _n_features(feature)
    n_values = segment_sizes(feature, n_features)
    total = segment_sums(unlabeled_counts, feature, n_features)[feature]
    share = np.divide(unlabeled_counts, total, out=np.zeros(len(total)), where=total > 0)
    alpha, beta = beta_prior.alpha, beta_prior.beta
    average = (alpha * (share - positive_probs) + (beta - 1) * share) / (beta - 1)
    usable = np.where(average > 0, average, 1.0 / n_values[feature])
    return normalize_segments(usable, feature, n_features)


def _n_features(feature: Ints) -> int:
    return int(feature[-1]) + 1 if len(feature) else 0
