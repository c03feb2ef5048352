"""What was understood of the table."""

from typing import NotRequired, TypedDict

from onesided._ranked import Ranked
from onesided._text import without_options
from onesided.reporting._panel import Facts, Panel


class DroppedColumn(TypedDict):
    """A column that no method learned from, and the reason."""

    name: str
    reason: str


class BackgroundFacts(TypedDict):
    """A borrowed background: the unlabeled rows that the methods learn from.

    `n_others` of them carry `n_labels` other labels, and the rest none. `n_same` rows with another
    label are left out, since they equal a known positive. `n_shared` known positives carry another
    label too. `meaning` says what this means for the ranking.
    """

    n_rows: int
    n_others: int
    n_labels: int
    n_same: int
    n_shared: int
    meaning: str


class CoordinateFacts(TypedDict):
    """The columns of coordinates, the number of spatial blocks, and how the methods are judged."""

    columns: list[str]
    n_blocks: int
    meaning: str


class TableFacts(TypedDict):
    """The rows and the roles of the columns of the table.

    `background` is missing if the methods learn from all unlabeled rows, `coordinates` if the
    table has none, and `time` without a column of times. Rows that are known to be negative are not
    unlabeled. `positive_files` are the files that the positives come from, or "", and `shown` the
    columns that are shown with each row.
    """

    name: str
    n_rows: int
    n_positive: int
    n_unlabeled: int
    n_known_negative: int
    positive_files: str
    shown: list[str]
    label: str
    identifier: str
    group: str
    n_numbers: int
    n_categories: int
    n_texts: int
    n_numbered: int
    missing_share: float
    dropped: list[DroppedColumn]
    background: NotRequired[BackgroundFacts]
    coordinates: NotRequired[CoordinateFacts]
    time: NotRequired[str]


def _facts(ranked: Ranked) -> Facts:
    problem, summary = ranked.problem, ranked.problem.summary
    n_rows, n_positive = len(problem.positive), int(problem.positive.sum())
    n_negative = int(problem.negative.sum())
    facts = TableFacts(
        name=problem.name,
        n_rows=n_rows,
        n_positive=n_positive,
        n_unlabeled=n_rows - n_positive - n_negative,
        n_known_negative=n_negative,
        positive_files=problem.files[0],
        shown=list(problem.shown),
        label=problem.label,
        identifier=ranked.table.column_names[0],
        group=problem.group,
        n_numbers=len(summary.names("number")),
        n_categories=len(summary.names("category")),
        n_texts=len(summary.names("text")),
        n_numbered=summary.n_sparse,
        missing_share=summary.missing_share,
        dropped=[
            DroppedColumn(name=each.name, reason=without_options(each.reason))
            for each in summary.dropped
        ],
    )
    if (background := problem.background) is not None:
        facts["background"] = BackgroundFacts(
            n_rows=background.n_rows,
            n_others=background.n_others,
            n_labels=background.n_labels,
            n_same=background.n_same,
            n_shared=background.n_shared,
            meaning=without_options(background.meaning),
        )
    if (places := problem.places) is not None:
        facts["coordinates"] = CoordinateFacts(
            columns=places.names, n_blocks=places.n_blocks, meaning=without_options(places.meaning)
        )
    if problem.time:
        facts["time"] = problem.time
    return {"table": facts}


PANEL = Panel(__file__, _facts, "The table")
