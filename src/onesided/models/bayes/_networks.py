"""Bayesian classifiers in which a feature depends on one other feature, or on k others."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from onesided._blocks import Block, Source
from onesided._statistics import (
    FamilyCounts,
    PairCounts,
    ValueCounts,
    configurations,
)
from onesided._typing import Array, Floats, Ints
from onesided._validation import ABOVE_ZERO
from onesided.exceptions import DataError
from onesided.models.bayes import _equations as equations
from onesided.models.bayes._beta_prior import BetaPrior, PriorSetting
from onesided.models.bayes._equations import Marginal
from onesided.models.bayes._naive_bayes import AdditiveBayesClassifier, BayesClassifier
from onesided.models.bayes._network_chart import chart, edges_of
from onesided.models.bayes._structure import DECIMALS, spanning_tree, strongest_earlier

Conditional: TypeAlias = Literal["joint", "printed"]

MOST_ENTRIES = 8192  # values of all features: the tables of all pairs then take 3 GB
_MOST_CELLS = (
    1 << 26
)  # of the tables of all features and their parents: a GB each for counts and logs
_GATHERED = 1 << 15  # rows of a block, since each block has its own table of all pairs


class PairwiseBayesClassifier(BayesClassifier):
    """A Bayesian classifier that needs the counts of all pairs of values."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "conditional": [StrOptions({"joint", "printed"})],
        "backoff": [ABOVE_ZERO, None],
    }
    _mends: ClassVar[dict[str, str]] = {
        "conditional": 'Pass "joint", or "printed" for the tables as the paper prints them.',
        "backoff": "Pass a number of rows, 2 for example, or None for Laplace's correction.",
    }

    conditional: Conditional
    backoff: float | None

    def _naive_evidence(self, codes: Array) -> Floats:
        """Evidence of rows by the marginal tables, nats; shape (n_rows,)."""
        ratios = self._vocabulary.padded(self._log_ratios())
        total = np.zeros(codes.shape[1])
        for own, ratio in zip(codes, ratios, strict=True):
            total += ratio.take(own)
        return total

    def _count_pairs(self, source: Source) -> PairCounts:
        vocabulary = self._vocabulary
        if vocabulary.n_entries > MOST_ENTRIES:
            largest = int(np.argmax(vocabulary.n_values))
            raise DataError(
                f"The features have {vocabulary.n_entries:,} values together, "
                f"{vocabulary.n_values[largest]:,} of them feature {self._name(largest)!r}; a "
                "table of all pairs of values would be too large.",
                "Drop that feature, bin it, or use PositiveNaiveBayes.",
            )
        return source.total(
            lambda block: PairCounts.of(block, vocabulary),
            PairCounts.zero(vocabulary),
            at_least=_GATHERED,
        )

    def _marginals(self, counts: ValueCounts) -> list[Marginal]:
        share = self._segments.frequencies(counts.counts[:, 0].astype(np.float64))
        negative, positive = np.exp(self._log_probs)
        split = [
            np.split(each, self._vocabulary.starts[1:-1]) for each in (negative, positive, share)
        ]
        return [Marginal(*parts) for parts in zip(*split, strict=True)]

    def _conditional_log_probs(
        self, family: Array, prior: float | BetaPrior, marginal: Marginal
    ) -> Floats:
        """Log P(x | class, pa), nats; shape (2, n_configurations, n_values), negative first.

        Parameters
        ----------
        family : numbers of unlabeled and of positive rows, in the shape of the result
        """
        unlabeled, positive = family.astype(np.float64)
        given_positive = equations.positive_table(positive, marginal, self.backoff, self.smoothing)
        given_negative = equations.negative_table(
            unlabeled,
            positive,
            given_positive,
            prior,
            marginal,
            self.backoff,
            self.smoothing,
            printed=self.conditional == "printed",
        )
        return np.log(np.stack([given_negative, given_positive]))


class NetworkBayesClassifier(PairwiseBayesClassifier, AdditiveBayesClassifier):
    """A Bayesian classifier in which other features may be the parents of a feature."""

    def _learn_structure(
        self, source: Source, counts: ValueCounts, prior: float | BetaPrior
    ) -> None:
        pairs = self._count_pairs(source)
        unlabeled, positive = pairs.counts
        self.edge_weights_ = equations.edge_weights(
            unlabeled, positive, prior, self._segments, self.smoothing
        )
        self._parents = self._choose_parents(counts, prior)
        families = self._count_families(source, pairs)
        self.conditional_log_prob_ = [
            self._conditional_log_probs(family, prior, marginal)
            if (own >= 0).any()
            else marginal_log_probs[:, None, :]
            for family, own, marginal, marginal_log_probs in zip(
                families,
                self._parents,
                self._marginals(counts),
                self.feature_log_prob_,
                strict=True,
            )
        ]
        self._ratios = [
            self._with_fallback(log_probs, marginal[1] - marginal[0])
            for log_probs, marginal in zip(
                self.conditional_log_prob_, self.feature_log_prob_, strict=True
            )
        ]

    @abstractmethod
    def _choose_parents(self, counts: ValueCounts, prior: float | BetaPrior) -> Ints:
        """Parents of each feature, shape (n_features, k); −1 fills the rows with fewer than k.

        It also sets the attribute `parents_` of the classifier, whose shape may differ.
        """

    def _count_families(self, source: Source, pairs: PairCounts) -> list[Array]:
        """Numbers of rows by label, parents and own value; for one parent `pairs` holds them."""
        if self._parents.shape[1] > 1:
            self._refuse_large_families()
            vocabulary, parents = self._vocabulary, self._parents
            zero = FamilyCounts.zero(vocabulary, parents)
            found = source.total(
                lambda block: FamilyCounts.of(block, vocabulary, parents),
                zero,
                at_least=_GATHERED,
            )
            return list(found.tables)
        starts = self._vocabulary.starts
        families = []
        for j, parent in enumerate(self._parents.max(axis=1, initial=-1)):
            own = slice(starts[j], starts[j + 1])
            if parent < 0:
                single = np.diagonal(pairs.counts, axis1=1, axis2=2)[:, own]
                families.append(single[:, None, :])
            else:
                families.append(pairs.counts[:, starts[parent] : starts[parent + 1], own])
        return families

    def _refuse_large_families(self) -> None:
        sizes = self._vocabulary.n_values.astype(float)
        cells = [
            sizes[j] * float(np.prod(sizes[own[own >= 0]])) for j, own in enumerate(self._parents)
        ]
        if sum(cells) > _MOST_CELLS:
            largest = int(np.argmax(cells))
            raise DataError(
                f"The features and their parents have {sum(cells):,.0f} combinations of "
                f"values, {cells[largest]:,.0f} of them feature {self._name(largest)!r}; "
                "tables of this size would be too large.",
                "Lower k, or bin the features of many values.",
            )

    @staticmethod
    def _with_fallback(log_probs: Floats, marginal_ratios: Floats) -> Floats:
        """Log ratios, with a last row for unknown parents and a last column for unknown values."""
        ratios = np.vstack([log_probs[1] - log_probs[0], marginal_ratios])
        return np.column_stack([ratios, np.zeros(len(ratios))])

    def _contribute(self, codes: Array, feature: int) -> Floats:
        own = self._parents[feature]
        configuration, _ = configurations(codes, own[own >= 0], self._vocabulary)
        ratios = self._ratios[feature]
        place = configuration * ratios.shape[1]
        place += codes[feature]
        return ratios.ravel().take(place)

    def plot_structure(self) -> Any:
        """Altair chart of the structure: each feature below its parents, edges drawn by weight.

        The chart leaves out the class, which is a parent of every feature.
        """
        check_is_fitted(self)
        names = [str(self._name(j)) for j in range(self.n_features_in_)]
        return chart(names, edges_of(self._parents, self.edge_weights_))


class PositiveTAN(NetworkBayesClassifier):
    """Tree-augmented naive Bayes for categories, from positive and unlabeled rows.

    Each feature depends on the class and on one other feature. The tree has the highest mutual
    information given the class, which is estimated without negatives. If the prior is a number,
    this is the PTAN of the paper. If the prior is a `BetaPrior`, it is APTAN, the average of PTAN
    over the prior.

    Assumes that labels are selected completely at random (SCAR) among the positives. It fits both
    scenarios: a single training set and case-control.

    Parameters
    ----------
    class_prior : share of positives among the unlabeled, in (0, 1); or a `BetaPrior`; or
        "estimate", the share that out-of-fold scores allow; or "average", the `BetaPrior` whose
        mean is that estimate and whose standard deviation is its error (see `PositiveNaiveBayes`)
    conditional : distribution from which the part of the positives is subtracted. "joint" is the
        joint distribution of a feature and its parent. "printed" is the distribution given the
        parent, as in the paper: it assumes P(positive | parent) = p. If that does not hold, the
        error stays however many rows there are.
    backoff : number of rows, distributed as the marginal, that are added to each row of a table.
        With few positives and many values they keep P(x | positive, parent) from becoming flat
        while P(x | negative, parent) stays sharp. None uses Laplace's correction, as in the paper.
    smoothing : Laplace's correction, above 0
    handle_unknown : "ignore" skips a value that `fit` has not seen, "error" refuses the value
    positive_label : the value of y that means positive, for text labels

    Attributes
    ----------
    parents_ : shape (n_features,), index of the parent of each feature; −1 for the first feature,
        which is the root
    edge_weights_ : shape (n_features, n_features), Eq. 5, nats; may be negative
    conditional_log_prob_ : for each feature log P(value | class, parent), nats, of shape
        (2, n_parent_values, n_values), negative first; the root has n_parent_values = 1
    class_prior_, class_prior_error_, classes_, categories_, feature_log_prob_, n_features_in_,
    feature_names_in_ : as in `PositiveNaiveBayes`

    Raises
    ------
    PriorError : if `class_prior` is not strictly between 0 and 1
    DataError : if a column holds no categories, or the features have so many values that a table
        of all pairs is too large

    Notes
    -----
    Calvo, Larrañaga, Lozano 2007: Eq. 5 for the edges, with plain frequencies for the positives;
    section 3.2 and Eq. 7 for the tables with `conditional="printed", backoff=None`. A missing or
    unseen parent is replaced by the marginal P(x | class), a missing or unseen value is skipped.

    The share is estimated from the out-of-fold scores of the tree or of naive Bayes, whichever
    separates the positives better from the unlabeled rows (AUC). If few positives make the tables
    of the tree noisy, the classes overlap more in its scores, and the share would be too high.

    `fit` makes two passes over the rows, or four if it estimates the prior. It also needs memory
    for six square tables, with one row and one column for each value of each feature.

    References
    ----------
    B. Calvo, P. Larrañaga, J. A. Lozano, Learning Bayesian classifiers from positive and
    unlabeled examples, Pattern Recognition Letters 28 (2007) 2375-2384.

    Examples
    --------
    In the positives the second feature copies the first; in the rest it does not, so neither
    feature tells anything alone:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> first = rng.integers(0, 2, 3000)
    >>> second = np.where(np.arange(3000) < 1000, first, rng.integers(0, 2, 3000))
    >>> X, y = np.column_stack([first, second]), (np.arange(3000) < 500).astype(int)
    >>> tree = PositiveTAN(class_prior=0.2).fit(X, y)
    >>> tree.parents_
    array([-1,  0])
    >>> tree.predict([[0, 0], [0, 1]])
    array([0, 0])
    >>> tree.decision_function([[0, 0], [0, 1]]).round(1)
    array([-0.8, -6.1])
    """

    def __init__(
        self,
        class_prior: PriorSetting = "estimate",
        *,
        conditional: Conditional = "joint",
        backoff: float | None = 2.0,
        smoothing: float = 1.0,
        handle_unknown: str = "ignore",
        positive_label: Any = None,
    ) -> None:
        self.class_prior = class_prior
        self.conditional = conditional
        self.backoff = backoff
        self.smoothing = smoothing
        self.handle_unknown = handle_unknown
        self.positive_label = positive_label

    def _choose_parents(self, counts: ValueCounts, prior: float | BetaPrior) -> Ints:
        self.parents_ = spanning_tree(self.edge_weights_)
        return self.parents_[:, None]

    def _scores_for_prior(self, block: Block) -> Floats:
        """The tree's own scores, and those of its marginal tables alone, which are naive Bayes.

        With few positives the tables of the tree are noisy, and naive Bayes may separate the
        classes better. Measured for the tree alone: averages of trees gain nothing, and with k
        parents the rows are called positive too rarely at the true share.
        """
        return np.column_stack([self._score_block(block), self._sums(self._naive_evidence, block)])


class PositiveKDB(NetworkBayesClassifier):
    """k-dependence Bayes for categories, from positive and unlabeled rows.

    Features are ordered by their information on the class, the most informative first. Each feature
    depends on the class and on k earlier features: those with the highest mutual information with
    it given the class. k = 0 is naive Bayes.

    Assumes that labels are selected completely at random (SCAR) among the positives. It fits both
    scenarios: a single training set and case-control.

    Parameters
    ----------
    k : largest number of parents of a feature, at least 0; a feature with fewer than k earlier
        features has all of these as parents
    class_prior, conditional, backoff, smoothing, handle_unknown, positive_label : as in
        `PositiveTAN`

    Attributes
    ----------
    parents_ : shape (n_features, k), indices of the parents of each feature, ascending; −1 fills
        the row of a feature with fewer than k parents
    class_information_ : shape (n_features,), information of each feature on the class, nats
    edge_weights_, conditional_log_prob_, class_prior_, class_prior_error_, classes_, categories_,
    feature_log_prob_, n_features_in_, feature_names_in_ : as in `PositiveTAN`

    Raises
    ------
    PriorError : if `class_prior` is not strictly between 0 and 1
    DataError : if k is out of its range, or a table would be too large

    Notes
    -----
    Sahami 1996, with the probabilities of sections 2 to 4 of Calvo et al. 2007, who name this
    classifier as the next step. `fit` makes two passes over the rows, or three if k > 1, and two
    more passes if it estimates the prior.

    The share is estimated from the model's own scores. With k = 2, 100 positives and features of 16
    values it came out .2 too high, where that of `PositiveTAN` was .04 off.

    References
    ----------
    M. Sahami, Learning limited dependence Bayesian classifiers, KDD 1996.

    B. Calvo, P. Larrañaga, J. A. Lozano, Learning Bayesian classifiers from positive and
    unlabeled examples, Pattern Recognition Letters 28 (2007) 2375-2384.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).integers(0, 3, (200, 4))
    >>> model = PositiveKDB(k=2, class_prior=0.2).fit(X, X[:, 0] > 1)
    >>> model.parents_.shape
    (4, 2)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "k": [Interval(Integral, 0, None, closed="left")]
    }

    def __init__(
        self,
        k: int = 2,
        class_prior: PriorSetting = "estimate",
        *,
        conditional: Conditional = "joint",
        backoff: float | None = 2.0,
        smoothing: float = 1.0,
        handle_unknown: str = "ignore",
        positive_label: Any = None,
    ) -> None:
        self.k = k
        self.class_prior = class_prior
        self.conditional = conditional
        self.backoff = backoff
        self.smoothing = smoothing
        self.handle_unknown = handle_unknown
        self.positive_label = positive_label

    def _choose_parents(self, counts: ValueCounts, prior: float | BetaPrior) -> Ints:
        unlabeled, positive = counts.counts.T.astype(np.float64)
        self.class_information_ = equations.class_information(
            unlabeled, positive, prior, self._segments, self.smoothing
        )
        order = np.argsort(-np.round(self.class_information_, DECIMALS), kind="stable")
        self.parents_ = strongest_earlier(order, self.edge_weights_, int(self.k))
        return self.parents_
