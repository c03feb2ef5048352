"""What `onesided rank` promises of its list, from positives that it did not learn from."""

import math
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from onesided._text import as_percent
from onesided.cli._options import check_share, read_share, say_estimate
from onesided.cli._prepare import Prepared
from onesided.cli._talk import say
from onesided.exceptions import CalibrationWarning, DataError, LabelError, PriorError

if TYPE_CHECKING:
    import pyarrow as pa
    from sklearn.pipeline import Pipeline

    from onesided._ranked import KeptPromises
    from onesided._typing import Array, Bools
    from onesided.model_selection import Comparison, PlacedPositives
    from onesided.model_selection import OutOfFoldScores as CrossFitScores
    from onesided.prior import ClassPriorEstimate
    from onesided.prior import Scenario as Story
    from onesided.promises import PosteriorCalibration
    from onesided.reporting import PromiseFacts

_PANEL = "What the list promises"

Recall: TypeAlias = Annotated[
    float | None,
    typer.Option(
        parser=read_share,
        help="Mark the first rows that hold at least this share of the positives, at the given "
        "confidence. Half of the known positives are held out to tell, more where it takes more.",
        metavar="SHARE",
        rich_help_panel=_PANEL,
    ),
]
Discard: TypeAlias = Annotated[
    float | None,
    typer.Option(
        parser=read_share,
        help="Mark the last rows of which, in expectation, at most this share is positive. Holds "
        "out as --recall does.",
        metavar="SHARE",
        rich_help_panel=_PANEL,
    ),
]
Fdr: TypeAlias = Annotated[
    float | None,
    typer.Option(
        parser=read_share,
        help="Mark the first rows of which at most this share is negative. Takes "
        "--prior-at-least, --irreducible or --known-negative; holds out as --recall does.",
        metavar="SHARE",
        rich_help_panel=_PANEL,
    ),
]
PriorAtLeast: TypeAlias = Annotated[
    float | None,
    typer.Option(
        parser=read_share,
        help="Declares that at least this share of the unlabeled is positive; also tests whether "
        "labels are drawn evenly among the positives.",
        metavar="SHARE",
        rich_help_panel=_PANEL,
    ),
]
Irreducible: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--irreducible",
        help="Declares that the highest rows can only be positive.",
        rich_help_panel=_PANEL,
    ),
]
KnownNegative: TypeAlias = Annotated[
    str,
    typer.Option(
        help="Column that marks rows verified to be negative; they are no candidates.",
        metavar="COLUMN[=VALUE]",
        rich_help_panel=_PANEL,
    ),
]
KnownNegativeTable: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        help="Rows verified to be negative, in a file beside TABLE; as for --positive-table.",
        metavar="FILE",
        rich_help_panel=_PANEL,
    ),
]
Confidence: TypeAlias = Annotated[
    float,
    typer.Option(
        parser=read_share,
        help="Of --recall, and of what is said of the share of positives.",
        metavar="SHARE",
        rich_help_panel=_PANEL,
    ),
]
Scenario: TypeAlias = Annotated[
    Literal["single-training-set", "case-control"] | None,
    typer.Option(
        help="single-training-set or case-control, as for `onesided prior`: estimates how many are "
        "positive, and the probability of each row.",
        metavar="STORY",
        show_default=False,
        rich_help_panel=_PANEL,
    ),
]
_FEWEST = 10  # positives to learn from, where a promise takes more than half of them


@dataclass(frozen=True)
class Promises:
    """What is asked of the list; None and empty where it is not.

    Attributes
    ----------
    recall, discard, fdr, confidence, prior_at_least, irreducible, known_negative : as the options
        say
    """

    recall: float | None
    discard: float | None
    fdr: float | None
    confidence: float
    prior_at_least: float | None
    irreducible: bool
    known_negative: str

    def __bool__(self) -> bool:
        """Whether positives must be held out."""
        asked = (self.recall, self.discard, self.fdr, self.prior_at_least)
        return any(each is not None for each in asked)

    def check(self) -> None:
        """Refuse before the work what cannot be promised.

        Raises
        ------
        DataError, PriorError : in the words of the options
        """
        for option in ("recall", "discard", "fdr", "confidence", "prior_at_least"):
            if getattr(self, option) is not None:
                check_share(f"--{option.replace('_', '-')}", getattr(self, option))
        declared = [
            name
            for name, is_given in (
                ("--prior-at-least", self.prior_at_least is not None),
                ("--irreducible", self.irreducible),
                ("--known-negative", bool(self.known_negative)),
            )
            if is_given
        ]
        if self.fdr is not None and not declared:
            raise PriorError(
                "Positives and unlabeled rows alone allow no --fdr: they would look the same if no "
                "unlabeled row were positive.",
                "Declare --prior-at-least SHARE, the least share of positives among the unlabeled; "
                "or --irreducible, if the highest rows can only be positive; or mark verified "
                "negatives: --known-negative COLUMN.",
            )
        if self.irreducible and len(declared) > 1:
            raise PriorError(f"{' and '.join(declared)} are given.", "Declare one thing.")
        if self.irreducible and self.fdr is None:
            raise PriorError(
                "--irreducible is given without --fdr, which it is for.", "Pass --fdr too."
            )

    def hold_out(self, given: Prepared, seed: int) -> "Bools":
        """Known positives that count as unlabeled from here on; shape (n_rows,).

        Parameters
        ----------
        given : the table
        seed : of the draw

        Raises
        ------
        DataError : if there are too few positives for the recall, with the number that it takes
        """
        import numpy as np  # noqa: PLC0415 - help does not pay for it

        from onesided.promises import hold_out, positives_needed  # noqa: PLC0415

        held_out = np.zeros(len(given.positive), dtype=bool)
        if not self:
            return held_out
        n_positive, needed = int(given.positive.sum()), 1
        if self.recall is not None:
            needed = positives_needed(recall=self.recall, confidence=self.confidence)
        n_held_out = max(n_positive // 2, needed)
        if n_positive - n_held_out < min(_FEWEST, n_positive // 2):
            raise DataError(
                f"{n_positive} known positives cannot promise a recall of {self.recall:g} at "
                f"confidence {self.confidence:g}: it takes {needed} that are held out, and "
                f"{_FEWEST} to learn from.",
                _mend_recall(n_positive - _FEWEST, self.confidence),
            )
        share = n_held_out / n_positive
        held_out[hold_out(given.positive, share, groups=given.groups, random_state=seed)] = True
        if given.groups is not None:
            warnings.warn(
                "Rows of a group are alike, and the promises count each held-out row as one: with "
                "--group they are not proven, and were missed in simulations.",
                CalibrationWarning,
                stacklevel=2,
            )
        if held_out.sum() < needed:
            raise DataError(
                f"The groups leave {held_out.sum()} positives to hold out; a recall of "
                f"{self.recall:g} at confidence {self.confidence:g} takes {needed}.",
                "Ask for a smaller recall, or leave --group out.",
            )
        n_left = n_positive - int(held_out.sum())
        say(
            f"Holding out {held_out.sum():,} of {n_positive:,} known positives to judge the list: "
            f"it is made by the other {n_left:,}, and worse for it than without a promise"
        )
        return held_out

    def keep(
        self,
        known: "CrossFitScores",
        rest: "CrossFitScores",
        negative: "CrossFitScores",
        prior: "ClassPriorEstimate | None",
        seed: int,
    ) -> "tuple[KeptPromises, dict[str, Array]]":
        """What holds, and columns that mark the rows; each of shape (n_unlabeled,).

        Parameters
        ----------
        known : the positives held out
        rest : the candidates
        negative : the known negatives
        prior : an estimate, for the number of positives among the candidates
        seed : of the test of even labels
        """
        from onesided._ranked import KeptPromises  # noqa: PLC0415 - help does not pay for it
        from onesided.prior import prior_upper_bound  # noqa: PLC0415
        from onesided.promises import (  # noqa: PLC0415
            ConformalTest,
            positives_at_fdr,
            recall_shortlist,
            scar_p_value,
        )

        scores, of_known = 1 - rest.ranks, 1 - known.ranks
        columns: dict[str, Array] = {}
        shortlist = listed = None
        if self.recall is not None:
            shortlist = recall_shortlist(
                of_known, scores, recall=self.recall, confidence=self.confidence
            )
            columns["in_shortlist"] = shortlist.selected
        if self.discard is not None:
            columns["discarded"] = ConformalTest.of_scores(of_known, scores).discarded(self.discard)
        if self.fdr is not None:
            listed = positives_at_fdr(
                of_known,
                scores,
                fdr=self.fdr,
                prior_at_least=None if self.known_negative else self.prior_at_least,
                irreducible=self.irreducible,
                known_negative=1 - negative.ranks if self.known_negative else None,
                confidence=self.confidence,
            )
            columns["in_positive_list"] = listed.selected
        kept = KeptPromises(
            n_held_out=len(of_known),
            n_rows=len(scores),
            confidence=self.confidence,
            upper_bound=prior_upper_bound(of_known, scores, self.confidence),
            scar=None
            if self.prior_at_least is None
            else scar_p_value(of_known, scores, class_prior=self.prior_at_least, random_state=seed),
            prior_at_least=self.prior_at_least,
            shortlist=shortlist,
            n_hidden=None if prior is None else round(prior.headline * len(scores)),
            discard=self.discard,
            discarded=columns.get("discarded"),
            listed=listed,
        )
        return kept, columns


def _mend_recall(n_held_out: int, confidence: float) -> str:
    """What could be promised with so many positives."""
    if n_held_out < 1:
        return "Label more rows."
    reachable = math.floor(100 * (1 - confidence) ** (1 / n_held_out)) / 100
    return f"Label more rows, or ask for --recall {reachable:g} or less, which takes a long list."


@dataclass(frozen=True)
class Judged:
    """The candidates, and what is known of them.

    Attributes
    ----------
    scored : the candidates
    placed : positives among them, which count as unlabeled
    columns : further columns of the ranking, each of shape (n_unlabeled,)
    prior, posterior : how many are positive, and which; None where it was not asked for, or cannot
        be told
    no_prior : why it cannot be, where it cannot
    promises : what holds of the list; None where nothing was asked for
    """

    scored: "CrossFitScores"
    placed: "PlacedPositives"
    columns: "dict[str, Array]"
    prior: "ClassPriorEstimate | None"
    posterior: "PosteriorCalibration | None"
    no_prior: str
    promises: "KeptPromises | None"

    def say(self) -> None:
        """All of it."""
        if self.prior is not None:
            say_estimate(self.prior)
        if self.no_prior:
            say(f"How many are positive is not estimated. {self.no_prior}")
        if self.promises is not None:
            from onesided.reporting import summarize_promises  # noqa: PLC0415

            _say_promises(summarize_promises(self.promises))

    def say_left_out(self, ranking: "pa.Table", top: int) -> None:
        """Marked rows beyond the first, which are not written."""
        for name in set(self.columns) - {"posterior"}:
            n_rows = sum(ranking[name].slice(top).to_pylist())
            if n_rows:
                say(f"  --top {top} leaves out {n_rows:,} rows that are marked in {name}")


def judge(
    promises: Promises,
    given: Prepared,
    held_out: "Bools",
    found: "Comparison",
    scored: "CrossFitScores",
    scenario: "Story | None",
    seed: int,
    *,
    sketches: bool,
) -> Judged:
    """Place the positives among the candidates, and see what follows.

    Parameters
    ----------
    promises, scenario, seed : as the options say
    given : the table
    held_out : shape (n_rows,), positives that counted as unlabeled in all fits
    found : the methods, of which the best was taken
    scored : all rows that counted as unlabeled
    sketches : estimate roughly how many are positive even without a scenario
    """
    from onesided.model_selection import place  # noqa: PLC0415 - help does not pay for it
    from onesided.promises import calibrate_posterior  # noqa: PLC0415

    candidates, known = scored.only(~held_out & ~given.negative), scored.only(held_out)
    hidden = found.hidden[found.best_]
    is_apart = bool(promises) or given.negative.any()  # from all unlabeled
    placed = place(known if promises else hidden, candidates) if is_apart else hidden
    columns: dict[str, Array] = {}
    prior, posterior, facts, no_prior = None, None, None, ""
    if scenario is not None:
        prior = given.prior_by(found.best_estimator_, scenario, promises.confidence, seed)
    elif sketches:
        prior, no_prior = _sketched(given, found.best_estimator_, promises.confidence, seed)
    if prior is not None:
        of_positives = known.ranks if promises else hidden.ranks
        posterior = calibrate_posterior(
            -of_positives, -candidates.ranks, class_prior=prior, scenario=prior.scenario
        )
        if scenario is not None:
            shown = replace(posterior, class_prior=prior.headline)
            columns["posterior"] = shown.given_unlabeled(-candidates.ranks).round(6)
    if promises:
        facts, marks = promises.keep(known, candidates, scored.only(given.negative), prior, seed)
        columns |= marks
    return Judged(candidates, placed, columns, prior, posterior, no_prior, facts)


def _sketched(
    given: Prepared, ranker: "Pipeline", confidence: float, seed: int
) -> "tuple[ClassPriorEstimate | None, str]":
    """How many are positive, roughly; or why it cannot be told."""
    if given.negative.any():
        return None, (
            "Rows were looked at and found negative: where the first of a list were, the positives "
            "among them are no even draw, and what is left cannot be told. --scenario estimates it "
            "all the same."
        )
    try:
        found = given.prior_by(ranker, None, confidence, seed)
    except LabelError as error:
        return None, str(error)
    if found.point == 0:
        return None, "The known positives stand above all other rows, as a leak would have it."
    if found.point == 1:
        return None, "Nothing sets the known positives apart from the others."
    return found, ""


def _say_promises(facts: "PromiseFacts") -> None:
    """What holds of the list, and what it rests on."""
    sure = as_percent(facts["confidence"])
    if facts["labels_uneven"]:
        say(
            "No promise holds: labels are not drawn evenly among the positives (p = "
            f"{facts['scar_p_value']:.3g}). The rows are marked all the same"
        )
        return
    say(f"What follows holds if labels are drawn evenly among the positives. {_on_labels(facts)}")
    if kept := facts["recall"]:
        say(
            f"The first {kept['n_rows']:,} of {facts['n_rows']:,} hold at least "
            f"{as_percent(kept['recall'])} of the positives, at {sure} confidence: at most "
            f"{kept['n_below']:,} of {facts['n_held_out']:,} held-out positives stand lower"
        )
        if kept["level_among"] is not None:
            say(
                f"  that is of all positives that there could be; if {kept['n_hidden']:,} of these "
                f"rows are positive, it is so in {as_percent(kept['level_among'])} of samples"
            )
    if discarded := facts["discard"]:
        share = as_percent(discarded["share"])
        say(
            f"The last {discarded['n_rows']:,} can be discarded: in expectation at most {share} of "
            "them are positive"
            if discarded["n_rows"]
            else f"No row can be discarded with at most {share} positive"
        )
    if listed := facts["positives"]:
        share = as_percent(listed["fdr"])
        say(
            f"Of the first {listed['n_rows']:,} at most {share} are negative, in expectation, if "
            f"so: {listed['assumes']}"
            if listed["n_rows"]
            else f"No list has at most {share} negative rows by what was declared"
        )
        if listed["minimum_false_share"] > 0:
            say(
                f"  at least {as_percent(listed['minimum_false_share'])} of them are negative, at "
                f"{sure} confidence and whatever is declared"
            )


def _on_labels(facts: "PromiseFacts") -> str:
    """Whether they are."""
    p_value, prior_at_least = facts["scar_p_value"], facts["prior_at_least"]
    if p_value is None or prior_at_least is None:
        return (
            f"They are not if more than {as_percent(facts['upper_bound'])} of the unlabeled are "
            f"positive ({as_percent(facts['confidence'])} confidence); if you know how many are at "
            "least, --prior-at-least tests it."
        )
    seen = f"With {as_percent(prior_at_least)} of the unlabeled positive or more: p = {p_value:.3g}"
    return f"{seen}: no sign that they are not, which is no proof that they are."
