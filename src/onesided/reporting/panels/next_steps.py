"""What to do next, as commands."""

import shlex
from pathlib import Path
from typing import TypedDict

from onesided._ranked import Ranked
from onesided._text import as_percent, command_without, options_in, options_of
from onesided.promises import positives_needed
from onesided.promises._conformal import held_out_to_reject
from onesided.reporting._panel import Facts, Panel
from onesided.tables import table_name

_RECALLS, _DISCARDED = (0.95, 0.9, 0.8), (0.02, 0.05, 0.1)
_FEWEST_LEARNED = 10  # known positives that are not held out for a promise
_FEWEST_KNOWN = 3  # one is held out, one hidden, and one learned from
_MOST_DRAWN = 100  # rows to check
_PROMISES = {"--recall", "--discard", "--fdr"}
_ON_LABELS = {"--prior-at-least", "--label-odds-ratio", "--irreducible"}  # no two go together


class NextStep(TypedDict):
    """A question that the page leaves open, and the command that answers it."""

    question: str
    command: str


def _facts(ranked: Ranked) -> Facts:
    return {"next_steps": list(_steps(ranked))}


def _steps(ranked: Ranked) -> list[NextStep]:
    """The steps that were not taken yet; none for a data frame, which has no command.

    A promise or an audit is about all rows, so no command asks for a part of the ranking. An audit
    reads a ranking of all rows; if none was written, its command follows one that writes it.
    """
    if not ranked.command.startswith("onesided "):
        return []
    is_part = "--top" in options_of(ranked.command)
    command = command_without(ranked.command, {"--top"}) if is_part else ranked.command
    ranking = "" if is_part else ranked.written
    n_known, n_rows = int(ranked.problem.positive.sum()), len(ranked.candidates.rows)
    asked, ratio, promises = options_of(command), ranked.label_odds_ratio, ranked.promises
    # `--prior-at-least` alone promises nothing: it tests whether labels are even.
    is_promised = promises is not None and (promises.labels_uneven or any(promises.kept.values()))
    can_promise = not (ranked.problem.time or is_promised or asked & _PROMISES)
    more = {
        "How likely is each row to be positive, and what share of all rows is positive?": (
            "--scenario single-training-set",
            "--scenario" not in asked
            and (ranked.prior is not None or bool(ranked.problem.negative.any())),
        ),
        **{
            f"Which list holds {as_percent(share)} of the positives, with a guarantee?": (
                f"--recall {share:g}",
                can_promise,
            )
            for share in _guaranteed(n_known, ranked.confidence, ratio)
        },
        **{
            f"Which rows can be left out if {as_percent(share)} of them may be positive?": (
                f"--discard {share:g}",
                can_promise,
            )
            for share in _discardable(n_known, ratio)
        },
        "Are the known positives like the others, if at least 5 % of the rows are positive?": (
            "--prior-at-least 0.05",
            not asked & {*_ON_LABELS, "--prior-at-most"}
            and not ranked.problem.time
            and n_known >= _FEWEST_KNOWN,
        ),
        "How good is the list if the known positives were easier to find than the others?": (
            "--label-odds-ratio 3",
            not asked & _ON_LABELS,
        ),
    }
    steps = [
        NextStep(question=question, command=f"{command} {option}")
        for question, (option, is_open) in more.items()
        if is_open
    ]
    default = f"{table_name(Path(ranked.problem.name))}-ranking.csv"
    draw = f"--draw {min(_MOST_DRAWN, n_rows)} --sheet check.csv"
    audit = NextStep(
        question="How many rows are positive in truth? Check some rows by hand",
        command=f"{command}\n" * (not ranking)
        + f"onesided audit {shlex.quote(ranking or default)} {draw}",
    )
    places = ranked.problem.places
    others = NextStep(
        question="Are the places like those where people look, rather than like those of the "
        "species? Learn against records of other species by the same people",
        command="onesided rank RECORDS.csv --positive SPECIES=NAME --background others",
    )
    mends = [
        NextStep(question=question, command=f"{command} {option}")
        for note in ranked.notes
        for question, option in options_in(note)
    ]
    return [*mends, *steps, *[others] * (places is not None and places.blocks is not None), audit]


def _guaranteed(n_known: int, confidence: float, label_odds_ratio: float) -> list[float]:
    """The highest recall of a few that half of the known positives can promise; maybe none."""
    asked = {"confidence": confidence, "label_odds_ratio": label_odds_ratio}
    needed = ((share, positives_needed(recall=share, **asked)) for share in _RECALLS)
    return [share for share, n_positive in needed if n_positive + _FEWEST_LEARNED <= n_known][:1]


def _discardable(n_known: int, label_odds_ratio: float) -> list[float]:
    """The smallest share of a few that half of the known positives can promise; maybe none."""
    needed = ((share, held_out_to_reject(share, label_odds_ratio)) for share in _DISCARDED)
    return [share for share, n_positive in needed if n_positive <= n_known // 2][:1]


PANEL = Panel(__file__, _facts, "Next steps")
