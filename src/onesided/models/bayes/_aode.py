"""Averaged one-dependence estimators."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.special import logsumexp

from onesided._blocks import Source
from onesided._statistics import ValueCounts
from onesided._typing import Array, Floats
from onesided._validation import FROM_ZERO
from onesided.models.bayes._beta_prior import BetaPrior, PriorSetting
from onesided.models.bayes._networks import Conditional, PairwiseBayesClassifier


class PositiveAODE(PairwiseBayesClassifier):
    """Averaged one-dependence Bayes for categories, from positive and unlabeled rows.

    Each feature in turn is the parent of all other features, and the joint probabilities are
    averaged. The method chooses no structure, so it cannot choose a wrong structure.

    Assumes that labels are selected completely at random (SCAR) among the positives. It fits both
    scenarios: a single training set and case-control.

    Parameters
    ----------
    class_prior, conditional, backoff, smoothing, handle_unknown, positive_label : as in
        `PositiveTAN`
    min_parent_rows : smallest number of unlabeled rows that share a row's value of a feature if
        that feature is to be a parent for this row; a row without parents is scored by naive Bayes

    Attributes
    ----------
    class_prior_, class_prior_error_, classes_, categories_, feature_log_prob_, n_features_in_,
    feature_names_in_ : as in `PositiveNaiveBayes`

    Raises
    ------
    PriorError : if `class_prior` is not strictly between 0 and 1
    DataError : if a column holds no categories, or the features have so many values that a table
        of all pairs is too large

    Notes
    -----
    Webb, Boughton, Wang 2005, with the probabilities of Calvo et al. 2007: P(c, x_i) from Eq. 3
    or 6, P(x_j | c, x_i) as in `PositiveTAN`. Missing and unseen values are left out, both as
    parents and as children.

    `fit` makes two passes over the rows, or four if it estimates the prior. Scoring a row takes
    n_features² steps.

    References
    ----------
    G. I. Webb, J. R. Boughton, Z. Wang, Not so naive Bayes: aggregating one-dependence
    estimators, Machine Learning 58 (2005) 5-24.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).integers(0, 3, (300, 4))
    >>> model = PositiveAODE(class_prior=0.2).fit(X, X[:, 0] == 2)
    >>> model.decision_function([[2, 0, 0, 0], [0, 0, 0, 0]]).round(1)
    array([ 8.3, -5.9])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {"min_parent_rows": [FROM_ZERO]}

    def __init__(
        self,
        class_prior: PriorSetting = "estimate",
        *,
        min_parent_rows: int = 30,
        conditional: Conditional = "joint",
        backoff: float | None = 2.0,
        smoothing: float = 1.0,
        handle_unknown: str = "ignore",
        positive_label: Any = None,
    ) -> None:
        self.class_prior = class_prior
        self.min_parent_rows = min_parent_rows
        self.conditional = conditional
        self.backoff = backoff
        self.smoothing = smoothing
        self.handle_unknown = handle_unknown
        self.positive_label = positive_label

    def _learn_structure(
        self, source: Source, counts: ValueCounts, prior: float | BetaPrior
    ) -> None:
        pairs = self._count_pairs(source).counts
        starts, n = self._vocabulary.starts, self._vocabulary.n_features
        # given[c, a, b] = log P(value b | class c, value a of another feature), nats.
        self._given = np.zeros((2, self._vocabulary.n_entries, self._vocabulary.n_entries))
        for j, marginal in enumerate(self._marginals(counts)):
            own = slice(starts[j], starts[j + 1])
            for i in range(n):
                if i != j:
                    parent = slice(starts[i], starts[i + 1])
                    self._given[:, parent, own] = self._conditional_log_probs(
                        pairs[:, parent, own], prior, marginal
                    )
        self._may_be_parent = counts.counts[:, 0] >= self.min_parent_rows * (1 - 1e-9)

    def _score_codes(self, codes: Array) -> Floats:
        vocabulary = self._vocabulary
        n_features, n_rows = codes.shape
        if vocabulary.n_entries == 0:
            return np.zeros(n_rows)
        known = codes < vocabulary.n_values[:, None]
        entries = np.where(known, codes + vocabulary.starts[:-1, None], 0).astype(np.intp)
        joint = np.full((2, n_features, n_rows), -np.inf)
        given = self._given.reshape(2, -1)
        for i in range(n_features):
            rows = np.flatnonzero(known[i] & self._may_be_parent[entries[i]])
            parent, unknown = entries[i, rows], ~known[:, rows]
            places = parent * vocabulary.n_entries + entries[:, rows]
            for c in (0, 1):
                children = given[c].take(places)  # 0 where the child is the parent
                children[unknown] = 0.0
                joint[c, i, rows] = self._log_probs[c, parent] + children.sum(axis=0)
        alone = np.isinf(joint[1]).all(axis=0)  # no value of the row is common enough
        with np.errstate(invalid="ignore"):
            negative, positive = logsumexp(joint, axis=1)
            evidence = positive - negative
        # The caller adds the prior: P(c) is a factor of every term, so the sums can omit it.
        return np.where(alone, self._naive_evidence(codes), evidence)
