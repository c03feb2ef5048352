"""What the list promises, by known positives that were held out."""

from typing import TypedDict

from onesided._charts import false_shares
from onesided._ranked import Ranked
from onesided.reporting._charts import styled
from onesided.reporting._panel import Facts, Panel, Pictures


class RecallFacts(TypedDict):
    """The first `n_rows` hold a share `recall` of the positives.

    `n_below` of the held-out positives stand lower. `level` is the share of samples in which it
    holds for all positives that there could be, `level_among` that for `n_hidden` among the
    candidates; None where their number is not known.
    """

    recall: float
    n_rows: int
    n_below: int
    level: float
    n_hidden: int | None
    level_among: float | None


class DiscardFacts(TypedDict):
    """Of the last `n_rows` in expectation a share `share` at most is positive."""

    share: float
    n_rows: int


class FalseSharePoint(TypedDict):
    """What share of a list is negative under a class prior."""

    class_prior: float
    false_share: float


class PositiveListFacts(TypedDict):
    """Of the first `n_rows` a share `fdr` is negative, if what was declared is so."""

    fdr: float
    n_rows: int
    declared: str
    class_prior: float | None
    assumes: str
    minimum_false_share: float
    curve: list[FalseSharePoint]


class PromiseFacts(TypedDict):
    """What holds of the list, by positives that counted as unlabeled.

    `upper_bound` is the most of the unlabeled that can be positive if labels are drawn evenly.
    `scar_p_value` asks whether they are, with a share `prior_at_least` known to be positive; small
    means that they are not, as does `labels_uneven`, at the level .05.
    """

    n_held_out: int
    n_rows: int
    confidence: float
    upper_bound: float
    prior_at_least: float | None
    scar_p_value: float | None
    labels_uneven: bool
    recall: RecallFacts | None
    discard: DiscardFacts | None
    positives: PositiveListFacts | None


def promise_facts(ranked: Ranked) -> PromiseFacts | None:
    """What holds of the list of a ranking."""
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
