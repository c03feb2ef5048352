"""The head of the page: how many, which, and how sure."""

from typing import TypedDict

from onesided._ranked import Ranked
from onesided._text import without_options
from onesided.reporting._panel import Facts, Panel


class ChanceTest(TypedDict):
    """A test whether random sets of equal size do as well as the known positives.

    `what` names the statistic: "auc" is the best hidden-positive AUC of the methods; "distance" is
    that between the mean of the positives and the means of random sets in the significance ranker.
    `matched_by` names the columns of whose strata the random sets have as many rows each.
    """

    what: str
    statistic: float
    n_sets: int
    n_as_high: int
    highest: float
    p_value: float
    matched_by: list[str]


def _facts(ranked: Ranked) -> Facts:
    return {
        "doubt": ranked.doubt.kind,
        "chance": [
            ChanceTest(
                what=what,
                statistic=found.statistic,
                n_sets=len(found.null),
                n_as_high=found.n_as_high,
                highest=float(found.null.max()),
                p_value=float(found),
                matched_by=list(ranked.problem.match),
            )
            for what, found in ranked.chance.items()
        ],
        "warnings": [without_options(each) for each in ranked.warnings],
    }


PANEL = Panel(__file__, _facts)
