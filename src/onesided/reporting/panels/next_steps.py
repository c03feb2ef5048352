"""What to do next, as commands."""

import shlex
from pathlib import Path
from typing import TypedDict

from onesided._ranked import Ranked
from onesided._text import as_percent, options_in
from onesided.promises import positives_needed
from onesided.reporting._panel import Facts, Panel
from onesided.tables import table_name

_RECALLS = (0.95, 0.9, 0.8)
_FEWEST_LEARNED = 10  # known positives that are not held out for a promise


class NextStep(TypedDict):
    """A question that the page leaves open, and the command that answers it."""

    question: str
    command: str


def _facts(ranked: Ranked) -> Facts:
    return {"next_steps": list(_steps(ranked))}


def _steps(ranked: Ranked) -> list[NextStep]:
    """The steps that were not taken yet; none for a data frame, which has no command.

    A promise or an audit is about all rows, so no command asks for a part of the ranking.
    """
    if not ranked.command.startswith("onesided "):
        return []
    command = _of_all_rows(ranked.command)
    ranking = f"{table_name(Path(ranked.problem.name))}-ranking.csv"
    if command == ranked.command and ranked.written:
        ranking = ranked.written
    n_known = int(ranked.problem.positive.sum())
    asked = {word.split("=")[0] for word in command.split() if word.startswith("--")}
    promised = ranked.promises is not None
    more = {
        "How likely is each row to be positive, and what share of all rows is positive?": (
            "--scenario single-training-set",
            "--scenario" not in asked,
        ),
        **{
            f"Which list holds {as_percent(share)} of the positives, with a guarantee?": (
                f"--recall {share:g}",
                not promised,
            )
            for share in _guaranteed(n_known, ranked.label_odds_ratio)
        },
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
        command=f"{command}\n" * (command != ranked.command)
        + f"onesided audit {shlex.quote(ranking)} --draw 100 --sheet check.csv",
    )
    mends = [
        NextStep(question=question, command=f"{command} {option}")
        for note in ranked.notes
        for question, option in options_in(note)
    ]
    return [*mends, *steps, audit]


def _of_all_rows(command: str) -> str:
    """The command without `--top N`, as it is if it has none."""
    words = shlex.split(command)
    kept = [
        word
        for before, word in zip(["", *words], words, strict=False)
        if "--top" not in (before, word) and not word.startswith("--top=")
    ]
    return command if kept == words else shlex.join(kept)


def _guaranteed(n_known: int, label_odds_ratio: float) -> list[float]:
    """The highest recall of a few that half of the known positives can promise; maybe none."""
    needed = (
        (share, positives_needed(recall=share, label_odds_ratio=label_odds_ratio))
        for share in _RECALLS
    )
    return [share for share, n_positive in needed if n_positive + _FEWEST_LEARNED <= n_known][:1]


PANEL = Panel(__file__, _facts, "Next steps")
