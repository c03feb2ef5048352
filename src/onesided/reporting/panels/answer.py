"""The head of the page: how many, which, and how sure."""

from typing import Literal, TypedDict

from onesided._ranked import Ranked
from onesided._text import as_options
from onesided.metrics import ResampledPValue
from onesided.reporting._panel import Panel


class ChanceTest(TypedDict):
    """Whether random sets of as many rows do as well as the known positives.

    `what` is "auc", the best hidden-positive AUC of the methods compared, or "distance", that of
    the positives' mean from those of random sets in the significance ranker.
    """

    what: str
    statistic: float
    n_sets: int
    n_as_high: int
    highest: float
    p_value: float


class AnswerKeys(TypedDict):
    """What the head adds to a report.

    `doubt` says that the best hidden-positive AUC may be chance, or is as high as that of a column
    that gives the label away.
    """

    doubt: Literal["", "chance", "leak"]
    chance: list[ChanceTest]
    warnings: list[str]


def _facts(ranked: Ranked) -> AnswerKeys:
    warnings = [*ranked.notes, *filter(None, [ranked.doubt.sentence])]
    return AnswerKeys(
        doubt=ranked.doubt.kind,
        chance=[_chance_test(what, found) for what, found in ranked.chance.items()],
        warnings=[as_options(each) for each in warnings],
    )


def _chance_test(what: str, found: ResampledPValue) -> ChanceTest:
    return ChanceTest(
        what=what,
        statistic=found.statistic,
        n_sets=len(found.null),
        n_as_high=found.n_as_high,
        highest=float(found.null.max()),
        p_value=float(found),
    )


PANEL = Panel(__file__, AnswerKeys, _facts)
