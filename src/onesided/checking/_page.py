"""The page in which somebody checks rows, one file that needs no other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict

from onesided.reporting._page import page_environment


class CheckRow(TypedDict):
    """A row to check.

    Attributes
    ----------
    id, rank, score : of the row in the ranking
    stands_for : unlabeled rows for which its verdict stands
    fields : name and text of each column that is shown
    text : of the row, "" if there is none
    drivers : feature, effect and value of what moves the score most; may be empty
    verdict : that is known already, or ""
    note : on the row, or ""
    """

    id: str
    rank: int
    score: float
    stands_for: float
    fields: Sequence[Sequence[str]]
    text: str
    drivers: Sequence[Sequence[Any]]
    verdict: Literal["yes", "no", "?", ""]
    note: str


class CheckData(TypedDict):
    """What the page shows.

    Attributes
    ----------
    title : name of the ranking
    audit : text that no other batch has; verdicts are kept in the browser under it
    sheet : name of the file in which the page saves verdicts
    id_name : column of the identifiers in the sheet
    n_rows : unlabeled rows in all
    so_far : sentence on what was known when the page was made
    mode : of the audit. The page of a planned one shows no estimate
    unit : of the effects of drivers, or ""
    rows : in the order in which to check them
    steps : `Audit.page_constants` of the rows, from which the page computes the estimate; None if
        it shows none
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
