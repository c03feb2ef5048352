"""An estimate of the class prior as plain numbers and text, for JSON and for pages."""

from typing import TypedDict

LIMITS = {
    "class_prior": "class_prior_at_most",
    "n_hidden": "n_hidden_at_most",
    "population_prior": "population_prior_at_most",
    "label_frequency": "label_frequency_at_least",
}
"""The name of each number of an estimate where only an upper bound of the share is known."""


_OPEN = 0.005  # half a percent from 0 or from 1 says no more than 0 or 1


def tells_nothing(low: float, high: float) -> bool:
    """Whether a range of shares holds nearly all shares, so that nothing is known.

    Parameters
    ----------
    low, high : limits of the range, in [0, 1]
    """
    return low < _OPEN and high > 1 - _OPEN


class AssumedPrior(TypedDict):
    """The share of positives among the unlabeled rows under one assumption.

    It holds the smallest, the most plausible and the largest share. `plausible` is None if the
    assumption determines only the largest share.

    Examples
    --------
    >>> from onesided.prior import AssumedPrior
    >>> AssumedPrior(assumption="labels are even", low=0.1, plausible=0.2, high=0.3)
    {'assumption': 'labels are even', 'low': 0.1, 'plausible': 0.2, 'high': 0.3}
    """

    assumption: str
    low: float
    plausible: float | None
    high: float


class MethodPrior(TypedDict):
    """The share of positives among the unlabeled rows by one estimator.

    `method` is its name as an argument, and `name` its name in words.
    """

    method: str
    name: str
    class_prior: float


class OddsBound(TypedDict):
    """The upper bound if the odds of being labeled differ by this ratio among the positives."""

    label_odds_ratio: float
    class_prior: float


class PriorFacts(TypedDict):
    """The share of positives among the unlabeled rows, and what follows from it.

    If only an upper limit is known (`only_at_most`), `class_prior`, `n_hidden`, `population_prior`
    and `label_frequency` are None, and `class_prior_at_most`, `n_hidden_at_most`,
    `population_prior_at_most` and `label_frequency_at_least` are known; otherwise these are None.
    `n_hidden` is the number of positives among the unlabeled rows, checked rows included. The
    numbers that depend on the scenario are None if no scenario is known. In case-control data
    `label_frequency` is None too, since it depends on how many positives were collected. If rows
    were screened at random, the scenario is "single-training-set".

    `low` and `high` are the limits of the interval. `upper_bound` is the upper bound for
    `label_odds_ratio`, which was declared, and `upper_bounds` has those for several ratios of the
    odds of being labeled. From `tipping_point` on all unlabeled rows could be positive; None if
    there is no such ratio below 1,000. `by_assumption` has the smallest, the most plausible and the
    largest share under each assumption. `counted` is the number of rows that were screened at
    random and in which the positives were counted, 0 if there are none; with such rows
    `upper_bounds` and `by_assumption` are empty.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from onesided import rank_table
    >>> from onesided.reporting import summarize
    >>> rng, known, no = np.random.default_rng(0), np.arange(60) < 15, np.arange(60) > 44
    >>> table = pd.DataFrame({"size": rng.normal(size=60) + known, "known": known, "no": no})
    >>> asked = {"methods": ["center-of-mass"], "known_negative": "no", "screened_at_random": True}
    >>> prior = summarize(rank_table(table, "known", **asked))["prior"]
    >>> prior["counted"], prior["class_prior"], round(prior["low"], 2), round(prior["high"], 2)
    (30, 0.5, 0.23, 0.77)
    """

    scenario: str | None
    class_prior: float | None
    n_hidden: float | None
    population_prior: float | None
    label_frequency: float | None
    class_prior_at_most: float | None
    n_hidden_at_most: float | None
    population_prior_at_most: float | None
    label_frequency_at_least: float | None
    only_at_most: bool
    low: float
    high: float
    confidence: float
    upper_bound: float
    label_odds_ratio: float
    upper_bounds: list[OddsBound]
    tipping_point: float | None
    n_positive: int
    n_unlabeled: int
    counted: int
    by_assumption: list[AssumedPrior]
    methods: list[MethodPrior]
