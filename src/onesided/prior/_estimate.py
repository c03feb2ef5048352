"""An estimate of the share of positives among the unlabeled, with its interval and bound."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import t

from onesided._display import Displayed
from onesided._frames import frame_of, in_memory
from onesided._labels import Scenario, check_scenario, label_frequency_of
from onesided._text import as_percent, as_times, counted
from onesided._typing import Array, Bools, Floats, Ints, OnProgress, RandomState
from onesided._validation import check_number, check_random_state
from onesided.exceptions import DataError, LabelError
from onesided.metrics._label_bias import check_label_odds_ratio
from onesided.model_selection._dependent import row_keys, warn_of_duplicates, warn_of_groups
from onesided.model_selection._estimators import kind_of
from onesided.model_selection._fits import step_counter
from onesided.model_selection._folds import check_groups
from onesided.model_selection._labels import read_rows
from onesided.prior._best_bin import best_bin
from onesided.prior._binormal import binormal_tail
from onesided.prior._bound import bound_tipping_point, prior_upper_bound
from onesided.prior._combined import combined
from onesided.prior._density_ratio import density_ratio
from onesided.prior._elkan_noto import elkan_noto
from onesided.prior._estimators import at_no_edge, dense_numbers
from onesided.prior._facts import (
    LIMITS,
    AssumedPrior,
    MethodPrior,
    OddsBound,
    PriorFacts,
    tells_nothing,
)
from onesided.prior._scores import scorer_of, scores_by_fold, split_rows
from onesided.prior._separation import OVERLAP, auc_of_scores, separation
from onesided.prior._tree import tree_induction

PriorMethod: TypeAlias = Literal[
    "combined", "best-bin", "binormal", "density-ratio", "elkan-noto", "tice"
]

PRIOR_METHODS = {
    "combined": "best bin and binormal ROC curve combined",
    "best-bin": "best bin",
    "binormal": "binormal ROC curve",
    "density-ratio": "density ratio",
    "elkan-noto": "Elkan and Noto",
    "tice": "TIcE",
}
"""Names of the methods in printed text."""

_FEWEST = 10  # positives; models must be able to learn from the folds of half the positives
_FEWEST_GROUPS = 4
# Intervals are this many times as wide as computed, because ROC curves are not quite binormal.
# With a factor of 1, intervals at a confidence of .90 covered α* in .82 to .94 of samples.
_WIDER = 1.1
_SUPPOSED, _SUPPOSED_SHARE = 2, 0.5  # number of assumed changes; square of each over the variance
_APART = 0.1  # difference between two methods from which a note is printed
_IF_NORMAL = "scores of positives and negatives are normally distributed"
_SHOWN_RATIOS = (1.0, 3.0)  # label odds ratios that always have a bound, whatever is declared


@dataclass(frozen=True)
class ClassPriorEstimate(Displayed):
    """The estimated share of positives among the unlabeled, with its interval and upper bound.

    Attributes
    ----------
    point : the estimate if labels are even; `float` returns it
    interval : lower and upper limit; covers the largest prior that the data allow in a share
        `confidence` of samples
    confidence : of the interval and of the upper bound, in (0, 1)
    upper_bound : the prior exceeds it in at most a share 1 - `confidence` of samples, for any
        distribution of the scores
    auc : mean over positives of the share of unlabeled rows that score lower, by out-of-fold scores
    method : method that gave the point
    by_method : point of each method, by the name of the method
    scenario : "single-training-set" or "case-control"; None if it is not known
    n_positive, n_unlabeled : number of labeled positives and of unlabeled rows
    n_negative : number of known negatives, which belong to the sample too
    n_duplicates : number of unlabeled rows that are identical to a positive row in all columns
    label_odds_ratio : Γ, the declared upper limit of the ratio between the odds of being labeled of
        any two positives; 1 means that labels are even
    upper_bounds : upper bound for each Γ: 1, 3 and the declared one
    tipping_point : smallest Γ at which all unlabeled rows could be positive; infinite if above
        1,000
    spread : half the length of the interval around an estimate that relies on the distributions

    Examples
    --------
    >>> estimate = ClassPriorEstimate(
    ...     0.3, (0.25, 0.35), 0.9, 0.4, 0.83, "best-bin", {"best-bin": 0.3, "tice": 0.28},
    ...     "single-training-set", 100, 1000, 0)
    >>> float(estimate), estimate.label_frequency, round(estimate.population_prior, 3)
    (0.3, 0.25, 0.364)
    >>> round(estimate.separation, 3), estimate.only_at_most
    (0.971, False)
    >>> print(estimate.sentences[0])
    Positive among the 1,000 unlabeled: about 300 rows, 30% (90% interval 25% to 35%), if labels are
        even (the known positives are like the others)
    """

    point: float
    interval: tuple[float, float]
    confidence: float
    upper_bound: float
    auc: float
    method: str
    by_method: Mapping[str, float]
    scenario: Scenario | None
    n_positive: int
    n_unlabeled: int
    n_duplicates: int
    n_negative: int = 0
    label_odds_ratio: float = 1.0
    upper_bounds: Mapping[float, float] = field(default_factory=dict)
    tipping_point: float = math.inf
    spread: float = 0.0

    def __float__(self) -> float:
        return self.point

    @property
    def label_frequency(self) -> float:
        """Share of the positives that are labeled, among the rows of X.

        In a single training set it is P(labeled | positive). In case-control data it depends on how
        many positives were collected, and does not describe the population.
        """
        return float(label_frequency_of(self.n_positive, self.n_unlabeled, self.point))

    @property
    def population_prior(self) -> float:
        """Share of positives in the population.

        The population is all rows in a single training set, and the unlabeled rows otherwise.
        """
        if self.scenario != "single-training-set":
            return self.point
        n_hidden = self.point * self.n_unlabeled
        n_rows = self.n_positive + self.n_unlabeled + self.n_negative
        return (self.n_positive + n_hidden) / n_rows

    @property
    def separation(self) -> float:
        """AUC of positives over negatives if the prior is the point.

        If the binormal estimate is lower than the point, it is used as the prior. The reason is
        that a prior that is too high makes this AUC too high, and the binormal estimate is too high
        less often. An AUC above 1 means that fewer rows are positive than the prior says.
        """
        return separation(self.auc, min(self.point, self.by_method.get("binormal", self.point)))

    @property
    def n_counted(self) -> int:
        """Number of rows screened at random in which the positives were counted; 0 for none."""
        return 0

    def counted_limits(self, n_positive: Ints) -> tuple[Ints, Ints] | None:
        """Limits of the number of unlabeled positives in some parts of the rows; None if not known.

        Parameters
        ----------
        n_positive : shape (n_parts,), number of positives in each part that were screened at random
        """
        return None

    @property
    def only_at_most(self) -> bool:
        """Whether only an upper limit of the number of positives is known.

        This is so in any of these cases:

        - labels may be uneven (`label_odds_ratio` above 1)
        - the point is 0
        - positives and negatives overlap (`separation` below .95)
        - the interval begins below a quarter of the point
        - the interval begins at the upper bound
        """
        return self.why_only_at_most != ""

    @property
    def why_only_at_most(self) -> str:
        """Why only an upper limit is known, in words that follow a colon; otherwise empty."""
        if self.label_odds_ratio > 1:
            return f"the odds of being labeled may differ {as_times(self.label_odds_ratio)}"
        if self.point <= 0:
            return "some known positives score above all unlabeled rows"
        if self.interval[0] >= self.upper_bound:
            return "the estimates lie above the upper bound"
        if self.separation < OVERLAP:
            return "positives and other rows are too similar to tell"
        if self.interval[0] < self.point / 4:
            return "the estimate varies too much to tell"
        return ""

    @property
    def limits_nothing(self) -> bool:
        """Whether only an upper limit is known, and it allows that all unlabeled rows are positive.

        No number of positives follows from the data in this case.
        """
        return self.only_at_most and tells_nothing(0.0, self.interval[1])

    @property
    def headline(self) -> float:
        """The share to show first: the point, or the interval's end if only that limit is known."""
        return self.interval[1] if self.only_at_most else self.point

    @property
    def by_assumption(self) -> tuple[AssumedPrior, ...]:
        """The share of positives under each assumption, the strongest assumption first.

        If labels are declared to be uneven, estimates that assume even labels are left out.
        """
        estimates = {
            _IF_NORMAL: "binormal",
            "some kinds of rows are always positive": "best-bin",
        }
        most = self.upper_bounds.get(1.0, self.upper_bound)
        found = [
            AssumedPrior(
                assumption=assumption,
                low=max(0.0, point - self.spread),
                plausible=point,
                high=min(most, point + self.spread),
            )
            for assumption, method in estimates.items()
            if self.label_odds_ratio == 1 and method in self.by_method
            for point in [min(most, self.by_method[method])]
        ]
        for ratio, bound in sorted(self.upper_bounds.items()):
            assumption = "labels are even; nothing else is assumed"
            if ratio > 1:
                assumption = f"odds of being labeled differ {as_times(ratio)}"
            found.append(AssumedPrior(assumption=assumption, low=0.0, plausible=None, high=bound))
        return tuple(found)

    @property
    def plausible(self) -> float | None:
        """The most plausible share if scores of positives and of negatives are normal, or None.

        The same data may give other shares under other assumptions: see `by_assumption`.
        """
        first, *_ = (*self.by_assumption, None)
        return None if first is None or not first["plausible"] else first["plausible"]

    @property
    def disagreement(self) -> float:
        """Difference between the highest and the lowest point, without Elkan and Noto's method."""
        points = [point for name, point in self.by_method.items() if name != "elkan-noto"]
        return max(points) - min(points)

    def to_frame(self, backend: str | None = None) -> Any:
        """One row for each method; the method that gave the point comes first.

        Columns: `method`, `class_prior`, `interval_low`, `interval_high` and `upper_bound`. The
        last three are the same in all rows.

        Parameters
        ----------
        backend : "pandas", "polars" or "pyarrow"; by default the first of them that is installed
            (pyarrow always is)
        """
        methods = sorted(self.by_method, key=lambda name: name != self.method)
        low, high = self.interval
        columns: dict[str, list[Any]] = {
            "method": methods,
            "class_prior": [self.by_method[name] for name in methods],
            "interval_low": [low] * len(methods),
            "interval_high": [high] * len(methods),
            "upper_bound": [self.upper_bound] * len(methods),
        }
        return frame_of(columns, backend)

    def plot(self) -> Any:
        """The point of each method as an Altair chart, with the interval and the upper bound."""
        from onesided import _charts  # noqa: PLC0415 - only a picture needs Altair

        rows = self.to_frame("pyarrow").to_pydict()
        return _charts.class_priors(rows, self.interval, self.upper_bound)

    @property
    def sentences(self) -> tuple[str, ...]:
        """How many rows are positive, how certain this is, and what the estimate assumes."""
        low, high = self.interval
        sure = as_percent(self.confidence)

        def counted_rows(share: float) -> str:
            return counted(round(share * self.n_unlabeled), "row")

        among = f"Positive among the {self.n_unlabeled:,} unlabeled:"
        if_so = "labels are even (the known positives are like the others)"
        if self.only_at_most and high < self.upper_bound:
            if_so += ", and the highest scores of positives and negatives are normally distributed"
            if not self.upper_bounds:  # if there are some, the last sentence says this bound
                bound = f"at most {as_percent(self.upper_bound)}"
                if tells_nothing(0.0, self.upper_bound):
                    bound = "the data give no upper bound"
                if_so += f" (otherwise {bound})"
        if self.label_odds_ratio > 1:
            if_so = f"the odds of being labeled differ up to {as_times(self.label_odds_ratio)}"
        if self.only_at_most:
            bound = f"at most {counted_rows(high)}, {as_percent(high)}"
            if self.limits_nothing:
                bound = f"possibly all {self.n_unlabeled:,} rows; the data give no upper bound"
            found = (
                f"{among} {bound} ({sure} confidence), if {if_so}",
                f"  the true number may be far lower: {self.why_only_at_most}",
                *[
                    f"  about {counted_rows(each['plausible'])}, "
                    f"{as_percent(each['plausible'])} ({_limits(each)}), if {each['assumption']}"
                    for each in self.by_assumption
                    if each["plausible"]
                ],
            )
        else:
            found = (
                (
                    f"{among} about {counted_rows(self.point)}, "
                    f"{as_percent(self.point)} ({sure} interval {as_percent(low)} to "
                    f"{as_percent(high)}), if {if_so}"
                ),
                (
                    "  this estimate is exact only if some kinds of rows are always positive; "
                    "otherwise it is too high, most of all when positives are rare"
                ),
            )
        return (
            found
            if self.limits_nothing or not self.upper_bounds
            else (*found, self._without_assumptions)
        )

    @property
    def _without_assumptions(self) -> str:
        """A line on the upper bounds without assumptions on the distributions, for each Γ."""
        even, *uneven = sorted(self.upper_bounds.items())
        if even[1] >= 1:
            return (
                "  without any assumption about the distributions all unlabeled rows could be "
                "positive"
            )
        at_most = [f"at most {as_percent(even[1])} are positive if labels are even"]
        differ = "if the odds of being labeled differ"
        at_most += [
            f"at most {as_percent(bound)} {differ} up to {as_times(ratio)} among the positives"
            for ratio, bound in uneven
            if bound < 1
        ]
        if 1 < self.tipping_point < math.inf:
            at_most.append(f"possibly all {differ} {as_times(self.tipping_point)} or more")
        return (
            "  without any assumption about the distributions, of the unlabeled rows "
            f"{', '.join(at_most)}. If the known positives are easy to find, or come from the top "
            "of a list, labels are not even"
        )

    @property
    def reasons(self) -> tuple[str, ...]:
        """Where the estimate comes from; each method's estimate if only a limit is known."""
        equal = f"  unlabeled rows that are identical to a positive row: {self.n_duplicates:,}"
        return (
            (
                f"share of positives: by {self.method}, from scores of {self.n_positive:,} "
                f"positive and {self.n_unlabeled:,} unlabeled rows by models that did not learn "
                "from them"
            ),
            (
                "  difference between the highest and the lowest estimate of the methods: "
                f"{self.disagreement:.3f}"
            ),
            *[equal] * bool(self.n_duplicates),
            *[self._by_method] * self.only_at_most,
        )

    @property
    def details(self) -> tuple[str, ...]:
        """Each method's estimate unless only a limit is known; what follows for all rows."""
        by_method = [self._by_method] * bool(self.by_method and not self.only_at_most)
        found = self._of_population
        if "label_frequency" not in found or tells_nothing(0.0, self.headline):
            return tuple(by_method)
        at_most, at_least = ("at most ", "at least ") if self.only_at_most else ("", "")
        shares = {name: as_percent(share) for name, share in found.items()}
        return (
            *by_method,
            f"  share of positives among all rows: {at_most}{shares['population_prior']}",
            f"  share of the positives that are labeled: {at_least}{shares['label_frequency']}",
        )

    @property
    def _of_population(self) -> dict[str, float]:
        """What follows for the population, as far as the scenario determines it."""
        shown = replace(self, point=self.headline)
        found = {} if self.scenario is None else {"population_prior": shown.population_prior}
        if self.scenario == "single-training-set":
            found["label_frequency"] = shown.label_frequency
        return found

    @property
    def _by_method(self) -> str:
        points = (f"{PRIOR_METHODS[name]} {as_percent(p)}" for name, p in self.by_method.items())
        return f"  by method: {'; '.join(points)}"

    def facts(self) -> PriorFacts:
        """The estimate and what follows from it as plain numbers and text."""
        low, high = self.interval
        told = {
            **dict.fromkeys(LIMITS),
            "class_prior": self.headline,
            "n_hidden": self.headline * self.n_unlabeled,
            **self._of_population,
        }
        bounds = {LIMITS[name]: value for name, value in told.items()}
        nothing = dict.fromkeys(told if self.only_at_most else bounds)
        found: dict[str, Any] = {
            "scenario": self.scenario,
            **told,
            **bounds,
            **nothing,
            "only_at_most": self.only_at_most,
            "low": low,
            "high": high,
            "confidence": self.confidence,
            "upper_bound": self.upper_bound,
            "label_odds_ratio": self.label_odds_ratio,
            "upper_bounds": [
                OddsBound(label_odds_ratio=ratio, class_prior=bound)
                for ratio, bound in self.upper_bounds.items()
            ],
            "tipping_point": None if math.isinf(self.tipping_point) else self.tipping_point,
            "n_positive": self.n_positive,
            "n_unlabeled": self.n_unlabeled,
            "counted": self.n_counted,
            "by_assumption": list(self.by_assumption),
            "methods": [
                MethodPrior(method=name, name=PRIOR_METHODS[name], class_prior=point)
                for name, point in self.by_method.items()
            ],
        }
        return cast("PriorFacts", found)

    def __str__(self) -> str:
        low, high = self.interval
        notes = {
            "The methods are far apart; another scorer or more positives may bring them "
            "together.": self.disagreement > _APART,
            "The point lies outside the interval, because the interval belongs to another method "
            f"than {self.method}.": not low <= self.point <= high,
            f"The estimate of {self.method} is above the upper bound, so the point is this "
            "bound.": self.by_method[self.method] > self.point,
        }
        said = (*self.sentences, *self.reasons[2:], *self.details)
        return "\n".join((*said, *(note for note, holds in notes.items() if holds)))


def _limits(found: AssumedPrior) -> str:
    """The range of a share under an assumption, in words."""
    if tells_nothing(found["low"], found["high"]):
        return "the data give no limits"
    return f"{as_percent(found['low'])} to {as_percent(found['high'])}"


def estimate_class_prior(  # noqa: PLR0913 - all but three have defaults
    X: Any,
    y: ArrayLike,
    *,
    scenario: Scenario,
    method: PriorMethod = "combined",
    estimator: Any = None,
    cv: int = 5,
    groups: ArrayLike | None = None,
    params: Mapping[str, Any] | None = None,
    positive_label: Any = None,
    random_state: RandomState = 0,
    confidence: float = 0.9,
    n_subsamples: int = 40,
    label_odds_ratio: float = 1.0,
    on_progress: OnProgress | None = None,
) -> ClassPriorEstimate:
    """Estimate the share of positives among the unlabeled, with an interval and an upper bound.

    The estimate assumes that labels are selected completely at random (SCAR). The upper bound also
    holds if labels are uneven by at most `label_odds_ratio`. The data determine only α*, the
    largest prior that they are compatible with. α* equals the prior if some kinds of rows are
    always positive. Without this assumption, no lower bound above 0 exists.

    Parameters
    ----------
    X : array-like, CSR matrix or data frame with n_rows rows
    y : shape (n_rows,)
    scenario : "single-training-set": positives and unlabeled are one sample; "case-control": the
        positives were collected apart. The share among the unlabeled rows is the same in both; the
        share in the population differs.
    method : method of the point: "combined", "best-bin", "binormal", "density-ratio", "elkan-noto"
        or "tice"
    estimator : scores the rows; by default balanced extra-trees with leaves of five rows, or
        balanced logistic regression if X is sparse
    cv : number of folds
    groups : shape (n_rows,); rows of a group are in one fold, and in one half
    params, positive_label : arguments of `fit` and positive value of y, as in `out_of_fold_scores`
    random_state : of the folds, the halves and the default estimator
    confidence : of the interval and of the upper bound, in (0, 1)
    n_subsamples : number of halves of the scores; the interval comes from the variance of their
        estimates
    label_odds_ratio : Γ, at least 1: largest odds of being labeled, e / (1 - e), divided by the
        smallest (in case-control data: largest chance of being collected divided by the smallest).
        If above 1, only the upper bound is known, and the interval ends there
    on_progress : called after scoring all rows, and after scoring both halves, with three values:
        what was fitted, how many steps are done, and how many there are

    Raises
    ------
    LabelError : if there are fewer than ten positives, or four groups of them, or `scenario` is
        unknown
    DataError : if the method is unknown

    Warns
    -----
    DuplicateWarning : if unlabeled rows are identical to a positive row in all columns
    PriorWarning : if the point is 0 or 1
    CalibrationWarning : if there are groups; with 20 groups of five positives each, the bound
        failed in .28 of samples instead of .10

    Notes
    -----
    Scores are out-of-fold scores (`out_of_fold_scores`). TIcE uses the columns of X, or the scores
    if X does not hold dense numbers.

    *Point.* "combined" is b · b + (1 - b) · n, where b is the best-bin estimate and n the binormal
    estimate. A best bin holds some negatives, and few positives if positives are rare. The binormal
    curve is distorted by errors if negatives are rare. So the weight of the best-bin estimate is
    the share of positives that it finds. Over five data sets with priors of .05 to .75, the error
    of "combined" was .021 (best bin .022, binormal .025). At a prior of .05 it was .006 (best bin
    .013, binormal .005). Nine pairs of distributions were tried: normal, logistic, beta, uniform,
    and with a third or half of the positives apart. In seven of the nine, "combined" was best or
    second best (``benchmarks/bench_prior.py``).

    *Bound.* It is the `prior_upper_bound` of one half of the rows, scored by a model that learned
    from the other half. It bounds α* as well as the prior, so the point and the interval cannot
    exceed it.

    *Interval.* It covers α*, for any method of the point. The bootstrap of a minimum is
    inconsistent. So halves of the positives and of the unlabeled rows are drawn without replacement
    from the scores. The estimates of these halves vary as estimates from samples as large as the
    data do. But the models behind these scores were fitted only once. So two halves that share no
    row are also scored by models that learned from that half alone. Each half then has a change in
    its estimate. Two changes are little evidence, so two more changes are assumed, each with a
    square of half the variance (real changes added .2 of the variance with logistic regression, and
    2 times the variance with trees). The mean of the four squares is added to the variance.

    Best-bin estimates are above α* by an amount that hardly depends on the number of rows, so
    subsampling cannot show this bias. The interval is therefore centred on `binormal_tail`. It is
    1.1 times as wide as the variance implies, uses the t distribution, and is extended to the
    best-bin estimate. It begins at 0 if positives and negatives overlap (`separation` below .95),
    since only an upper limit is known in that case. Intervals begin far too low, and may end too
    low, if no negative scores as high as the best positives and the curve then bends sharply (two
    uniform distributions). ``benchmarks/bench_prior.py`` prints how often intervals cover α*.

    *Cost.* The rows are fitted 2 · cv times (two fits of half the rows cost as much as one fit of
    all rows), and half of the rows is fitted once more.

    Examples
    --------
    Of the 700 unlabeled rows 200 are positive, a share of 0.29:

    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(900, 2)) + 2 * (np.arange(900) < 400)[:, None]
    >>> estimate = estimate_class_prior(
    ...     X, np.arange(900) < 200, scenario="case-control", estimator=LogisticRegression())
    >>> low, high = estimate.interval
    >>> [round(float(share), 2) for share in (low, estimate.point, high, estimate.upper_bound)]
    [0.23, 0.31, 0.38, 0.47]
    """
    _check_settings(scenario, method, confidence, n_subsamples, label_odds_ratio)
    X, rng = in_memory(X), check_random_state(random_state)
    scorer = scorer_of(estimator, X, int(rng.randint(2**31)))
    X, labels = read_rows(scorer, X, y, positive_label, params=params)
    positive = labels.positive
    n_positive = int(positive.sum())
    if min(n_positive, len(positive) - n_positive) < _FEWEST:
        raise LabelError(
            f"{n_positive} positive and "
            f"{counted(len(positive) - n_positive, 'unlabeled row')} are too few: an interval "
            f"needs at least {_FEWEST} of each.",
            "Label more positive rows.",
        )
    check_groups(groups, len(positive))
    if groups is not None:
        _check_groups(np.asarray(groups)[positive])
        warn_of_groups(
            "the upper bound on the share of positives counts",
            "the true share exceeds the bound more often than the confidence says",
        )
    n_duplicates = warn_of_duplicates(row_keys(X), positive, groups).unlabeled
    n_rows = len(positive)
    folds_seed, tree_seed = rng.randint(2**31, size=2)
    halves = [halve(positive, groups, rng) for _ in range(n_subsamples)]
    held_out = halves[0]
    half, other = np.flatnonzero(held_out), np.flatnonzero(~held_out)
    seeds, sets = [folds_seed, *rng.randint(2**31, size=2)], [np.arange(n_rows), half, other]
    parts = [
        split_rows(positive, cv, groups, int(seed), rows)
        for seed, rows in zip(seeds, sets, strict=True)
    ]
    parts.append([(other, half)])  # learns from one half, scores the other
    scored = scores_by_fold(scorer, X, labels, list(chain.from_iterable(parts)))
    step = step_counter(on_progress, len(parts))

    def next_scores(n_splits: int) -> Floats:
        scores = np.empty(n_rows)
        for test, found in islice(scored, n_splits):
            scores[test] = found
        step(kind_of(scorer))
        return scores

    def by_kind(scores: Floats, rows: Bools) -> tuple[Floats, Floats]:
        return scores[rows & positive], scores[rows & ~positive]

    pooled, *of_halves, elsewhere = (next_scores(len(splits)) for splits in parts)
    known, rest = pooled[positive], pooled[~positive]
    auc = auc_of_scores(known, rest)
    by_method = _by_scores(known, rest)
    numbers = dense_numbers(X)
    columns = pooled[:, None] if numbers is None else numbers
    by_method["tice"] = tree_induction(columns, positive, random_state=int(tree_seed))
    changes = [
        binormal_tail(*by_kind(scores, rows)) - binormal_tail(*by_kind(pooled, rows))
        for scores, rows in zip(of_halves, (held_out, ~held_out), strict=True)
    ]
    spreads = [binormal_tail(*by_kind(pooled, rows)) for rows in halves]
    spread = _spread(spreads, changes, confidence)
    held = by_kind(elsewhere, held_out)
    bounds = _bounds(held, confidence, label_odds_ratio)
    point = min(bounds[1.0], at_no_edge(by_method[method], PRIOR_METHODS[method]))
    interval = 0.0, bounds[label_odds_ratio]
    if label_odds_ratio == 1:
        low, high = _ends(by_method, spread, bounds[1.0], point)
        overlap = separation(auc, min(point, by_method["binormal"])) < OVERLAP
        interval = 0.0 if overlap else low, high
    return ClassPriorEstimate(
        point,
        interval,
        confidence,
        bounds[label_odds_ratio],
        auc,
        method,
        by_method,
        scenario,
        n_positive,
        len(positive) - n_positive,
        n_duplicates,
        label_odds_ratio=float(label_odds_ratio),
        upper_bounds=bounds,
        tipping_point=bound_tipping_point(*held, confidence),
        spread=spread,
    )


def _check_settings(
    scenario: Scenario,
    method: str,
    confidence: float,
    n_subsamples: int,
    label_odds_ratio: float,
) -> None:
    check_scenario(scenario)
    if not isinstance(method, str) or method not in PRIOR_METHODS:
        raise DataError(
            f"method={method!r} is not an estimator of the class prior.",
            f"Pass one of {', '.join(PRIOR_METHODS)}.",
        )
    check_number(confidence, "confidence", "Pass 0.9 for example.", above=0, below=1)
    check_number(n_subsamples, "n_subsamples", "Pass 20.", at_least=2, whole=True)
    check_label_odds_ratio(label_odds_ratio)


def _check_groups(groups: Array) -> None:
    """Raise an error if there are too few groups of positives.

    Parameters
    ----------
    groups : shape (n_positive,), group of each positive
    """
    n_groups = len(np.unique(groups))
    if n_groups < _FEWEST_GROUPS:
        raise LabelError(
            f"The positives are in {counted(n_groups, 'group')}; an interval needs at least "
            f"{_FEWEST_GROUPS} groups, because half of them are divided into folds.",
            "Pass smaller groups, or none.",
        )


def halve(positive: Bools, groups: ArrayLike | None, rng: Any) -> Bools:
    """A random half of the positives and of the unlabeled rows; rows of a group stay together.

    Parameters
    ----------
    positive : shape (n_rows,)
    groups : shape (n_rows,), or None
    rng : a `numpy.random.RandomState`

    Returns
    -------
    shape (n_rows,), True for rows of the half
    """
    units = (
        np.arange(len(positive)) if groups is None else np.unique(groups, return_inverse=True)[1]
    )
    of_positives = np.unique(units[positive])
    others = np.setdiff1d(units, of_positives)
    chosen = [rng.choice(kind, len(kind) // 2, replace=False) for kind in (of_positives, others)]
    return np.isin(units, np.concatenate(chosen))


def _by_scores(known: Floats, rest: Floats) -> dict[str, float]:
    """The estimates by all methods that need only scores, by name of the method."""
    of_bin, of_curve = best_bin(known, rest), binormal_tail(known, rest)
    return {
        "combined": combined(of_bin, of_curve),
        "best-bin": of_bin,
        "binormal": of_curve,
        "density-ratio": density_ratio(known, rest),
        "elkan-noto": elkan_noto(known, rest),
    }


def _bounds(
    held: tuple[Floats, Floats], confidence: float, label_odds_ratio: float
) -> dict[float, float]:
    """The upper bound for each label odds ratio, in ascending order of the ratio.

    A bound is at least as high as the bound of a smaller ratio. This must be enforced, because the
    bounds of even and of uneven labels use different cuts.
    """
    bounds, least = {}, 0.0
    for ratio in sorted({*_SHOWN_RATIOS, float(label_odds_ratio)}):
        least = max(least, prior_upper_bound(*held, confidence, label_odds_ratio=ratio))
        bounds[ratio] = least
    return bounds


def _ends(
    by_method: Mapping[str, float], spread: float, most: float, point: float
) -> tuple[float, float]:
    """Lower and upper limit of the interval for even labels.

    The interval is centred on the binormal estimate and is extended to the best-bin estimate. If
    the point is 0, it ends at the upper bound `most`.
    """
    middle, of_bin = by_method["binormal"], by_method["best-bin"]
    high = max(middle + spread, of_bin) if point > 0 else most
    return min(most, max(0.0, min(middle - spread, of_bin))), min(most, high)


def _spread(of_halves: list[float], changes: list[float], confidence: float) -> float:
    """Half the length of the interval.

    Estimates from n/2 of n rows, drawn without replacement, vary around the estimate from all n
    rows. They vary as much as estimates from n rows vary around the truth. The variance is a sum of
    two variances, with the degrees of freedom of Welch and Satterthwaite.

    Parameters
    ----------
    of_halves : estimates from random halves of the scores
    changes : changes of the estimates of two halves, if models learn from the half alone
    confidence : of the interval
    """
    of_scores = float(np.var(of_halves, ddof=1))
    n_changes = len(changes) + _SUPPOSED
    squares = np.sum(np.square(changes)) + _SUPPOSED * _SUPPOSED_SHARE * of_scores
    variances = np.array([of_scores, squares / n_changes])
    freedom = np.array([len(of_halves) - 1, n_changes])
    if not (total := float(variances.sum())):
        return 0.0
    quantile = float(t.ppf((1 + confidence) / 2, total**2 / (variances**2 / freedom).sum()))
    return _WIDER * quantile * total**0.5
