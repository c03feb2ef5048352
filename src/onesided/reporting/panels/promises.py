"""The promises of the list, from known positives that were held out."""

from typing import TypedDict

from onesided._charts import false_shares
from onesided._ranked import Ranked
from onesided.reporting._charts import styled
from onesided.reporting._panel import Facts, Panel, Pictures


class RecallFacts(TypedDict):
    """The `n_rows` marked rows hold a share `recall` of the positives.

    `n_below` of the held-out positives score lower. `level` is the share of samples in which the
    promise holds for the whole population of positives, `level_among` that for `n_hidden` positives
    among the candidates. `level_among` and `n_hidden` are None if this number is not known.
    """

    recall: float
    n_rows: int
    n_below: int
    level: float
    n_hidden: int | None
    level_among: float | None


class DiscardFacts(TypedDict):
    """In expectation at most a share `share` of the `n_rows` marked rows is positive.

    `n_as_low` of the held-out positives score as low as these rows. `prior_at_most` is the share of
    positives among the unlabeled rows that the promise allows for: the greatest that was
    `declared`, or a cautious estimate, which `basis` explains in words.
    """

    share: float
    n_rows: int
    n_as_low: int
    prior_at_most: float
    declared: bool
    basis: str


class FalseSharePoint(TypedDict):
    """The negative share of a list under a class prior."""

    class_prior: float
    false_share: float


class PositiveListFacts(TypedDict):
    """A share `fdr` of the `n_rows` marked rows is negative, if the declared assumption holds.

    `refusal` says why no list is promised where the scores contradict what was declared; "" if they
    do not.
    """

    fdr: float
    n_rows: int
    declared: str
    class_prior: float | None
    assumes: str
    refusal: str
    minimum_false_share: float
    curve: list[FalseSharePoint]


class PromiseFacts(TypedDict):
    """The promises of the list, from known positives that counted as unlabeled.

    `upper_bound` limits the share of positives among the unlabeled rows if labels are drawn evenly,
    or, with a `label_odds_ratio` above 1, if the odds of being labeled differ no more than this.
    `scar_p_value` tests this, given that at least a share `prior_at_least` is positive.
    `labels_uneven` says that the test rejects even labels at the level 0.05.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from onesided import rank_table
    >>> from onesided.reporting import summarize
    >>> rng, known = np.random.default_rng(0), np.arange(40) < 20
    >>> table = pd.DataFrame({"size": rng.normal(size=40) + 2 * known, "known": known})
    >>> asked = {"methods": ["center-of-mass"], "recall": 0.8, "confidence": 0.8}
    >>> facts = summarize(rank_table(table, "known", **asked))["promises"]
    >>> facts["n_held_out"], facts["recall"]["n_rows"]
    (10, 5)
    """

    n_held_out: int
    n_rows: int
    confidence: float
    label_odds_ratio: float
    upper_bound: float
    prior_at_least: float | None
    scar_p_value: float | None
    labels_uneven: bool
    recall: RecallFacts | None
    discard: DiscardFacts | None
    positives: PositiveListFacts | None


def promise_facts(ranked: Ranked) -> PromiseFacts | None:
    """The promises of a ranking."""
    return None if ranked.promises is None else PromiseFacts(**ranked.promises.facts())  # type: ignore[typeddict-item]  # it has this form


def _facts(ranked: Ranked) -> Facts:
    return {"promises": promise_facts(ranked)}


def _charts(report: Facts) -> Pictures:
    listed = report["promises"] and report["promises"]["positives"]
    if not listed or not listed["curve"]:
        return {}
    columns = {
        name: [point[name] for point in listed["curve"]] for name in ("class_prior", "false_share")
    }
    chart = false_shares(columns, class_prior=listed["class_prior"], fdr=listed["fdr"])
    what = (
        "Share of the listed rows that are negative, for each share of positives among the "
        "unlabeled rows."
    )
    return {"false_share": (styled(chart, height=200), what)}


PANEL = Panel(__file__, _facts, "Promises", _charts)
