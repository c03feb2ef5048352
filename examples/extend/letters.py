"""A panel: how many rows there are by the first letter of their identifiers."""

from collections import Counter
from typing import TypedDict

from onesided.ranking import Ranked
from onesided.reporting import Panel


class Letters(TypedDict):
    """The facts of the panel in the data of the report."""

    counts: list[list[str]]


class Form(TypedDict):
    """The key under which the facts are stored."""

    letters: Letters


def facts(ranked: Ranked) -> Form:
    """Count the first ten letters of the list."""
    names = ranked.listed.column(ranked.problem.identifier or 0).to_pylist()
    counts = Counter(str(name)[:1] for name in names).most_common(10)
    return {"letters": {"counts": [[letter, f"{n:,}"] for letter, n in counts]}}


PANEL = Panel(__file__, facts, link="Letters", form=Form)
