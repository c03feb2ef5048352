"""The HTML page on which a person checks rows; the page is one file that needs no other files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict

from onesided.reporting._page import page_environment


class CheckRow(TypedDict):
    """A row to check, as the page shows it.

    Attributes
    ----------
    id, rank, score : identifier, rank and score of the row in the ranking; the score is None if the
        ranking has none
    stands_for : number of unlabeled rows for which the verdict of the row stands
    fields : name and text of each column that is shown
    text : text of the row; "" if the row has no text
    drivers : feature, effect and value, for the features that move the score most; may be empty
    verdict : verdict that is known already; "" if none is known
    note : note on the row; "" if the row has no note
    """

    id: str
    rank: int
    score: float | None
    stands_for: float
    fields: Sequence[Sequence[str]]
    text: str
    drivers: Sequence[Sequence[Any]]
    verdict: Literal["yes", "no", "?", ""]
    note: str


class CheckData(TypedDict):
    """The data that the page shows.

    Attributes
    ----------
    title : name of the ranking
    audit : text that no other batch of any audit has; the browser stores the verdicts under it
    sheet : name of the file in which the page saves verdicts
    id_name : name of the identifier column in the sheet
    n_rows : number of all unlabeled rows
    so_far : sentences on what was known when the page was made
    mode : mode of the audit; the page of a planned audit shows no estimate
    unit : unit of the effects in `drivers`, or ""
    rows : the rows, in the order in which to check them
    steps : `Audit.page_constants` of the rows, from which the page computes the estimate; None if
        the page shows no estimate
    """

    title: str
    audit: str
    sheet: str
    id_name: str
    n_rows: int
    so_far: str
    mode: Literal["anytime", "planned"]
    unit: str
    rows: Sequence[CheckRow]
    steps: Mapping[str, Any] | None


def render(data: CheckData) -> str:
    """The page as HTML, with its style and scripts; all text of the data is escaped."""
    templates = page_environment(Path(__file__).parent / "templates")
    return templates.get_template("check.html").render(data=data)
