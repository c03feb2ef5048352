"""What to do next, as commands."""

from pathlib import Path
from typing import TypedDict

from onesided._ranked import Ranked
from onesided.reporting._panel import Facts, Panel


class NextStep(TypedDict):
    """A question that the page leaves open, and the command that answers it."""

    question: str
    command: str


def _facts(ranked: Ranked) -> Facts:
    return {"next_steps": list(_steps(ranked))}


def _steps(ranked: Ranked) -> list[NextStep]:
    """The steps that were not taken yet; none for a data frame, which has no command."""
    command = ranked.command
    if not command.startswith("onesided "):
        return []
    name = Path(ranked.problem.name).stem
    asked = {word.split("=")[0] for word in command.split() if word.startswith("--")}
    promised = ranked.promises is not None
    more = {
        "How likely is each row to be positive, and what share of all rows is positive?": (
            "--scenario single-training-set",
            "--scenario" not in asked,
        ),
        "Which list holds 95 % of the positives, with a guarantee?": (
            "--recall 0.95",
            not promised,
        ),
        "Which rows can be left out, with a guarantee?": ("--discard 0.02", not promised),
        "Are the known positives like the others, if at least 5 % of the rows are positive?": (
            "--prior-at-least 0.05",
            "--prior-at-least" not in asked,
        ),
        "What is left if the known positives were easy to find?": (
            "--label-odds-ratio 3",
            "--label-odds-ratio" not in asked,
        ),
    }
    steps = [
        NextStep(question=question, command=f"{command} {option}")
        for question, (option, is_open) in more.items()
        if is_open
    ]
    audit = NextStep(
        question="How many rows are positive in truth? Check some rows by hand",
        command=f"onesided audit {name}-ranking.csv --draw 100 --sheet check.csv",
    )
    return [*steps, audit]


PANEL = Panel(__file__, _facts, "Next steps")
