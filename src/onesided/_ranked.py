"""The record of a ranking: what was ranked, by what, and the evidence for it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import pyarrow as pa

from onesided._labels import Scenario
from onesided._typing import Bools
from onesided.metrics import ResampledPValue
from onesided.model_selection import Comparison, OutOfFoldScores, PlacedPositives
from onesided.prior import ClassPriorEstimate
from onesided.promises import PositiveList, PosteriorCalibration, RecallShortlist
from onesided.tables import Problem


@dataclass(frozen=True)
class KeptPromises:
    """What holds of the list, by known positives that were held out.

    Attributes
    ----------
    n_held_out, n_rows : positives held out, and candidates
    confidence : of the recall and of the bound
    upper_bound : on the share of positives among the candidates, if labels are drawn evenly
    scar : p-value of even labels, where `prior_at_least` was declared
    prior_at_least : share of positives that was declared, or None
    shortlist : the rows that hold the recall asked for, or None
    n_hidden : positives among the candidates, where their number is estimated, or None
    discard, discarded : the share asked for, and the rows, shape (n_rows,), of which at most such a
        share is positive; or None
    listed : the list at the false discovery rate asked for, or None
    """

    n_held_out: int
    n_rows: int
    confidence: float
    upper_bound: float
    scar: ResampledPValue | None
    prior_at_least: float | None
    shortlist: RecallShortlist | None
    n_hidden: int | None
    discard: float | None
    discarded: Bools | None
    listed: PositiveList | None


@dataclass(frozen=True)
class Doubt:
    """Why a ranking may be of no use.

    Attributes
    ----------
    kind : "chance" if the best AUC may be chance, "leak" if a column may give the labels away, else
        empty
    sentence : the same for a reader, one or two sentences; may be empty
    """

    kind: Literal["", "chance", "leak"]
    sentence: str


@dataclass(frozen=True)
class Ranked:
    """A ranking of unlabeled rows.

    Attributes
    ----------
    problem : the table as it was understood
    comparison : the methods; its best one is fitted on all rows
    scored : the candidates, cross-fitted by the method taken
    placed : known positives among the candidates, by the method taken
    table : the ranking, a row for each candidate, most positive first
    prior : how many are positive; None where it was not asked for, or cannot be told
    no_prior : why it cannot be told, empty where it can
    posterior : which are positive, where the prior is known
    scenario : the sampling story, None where it is not known
    promises : what holds of the list; None where nothing was asked for
    enriched : features that set the positives apart; None where they were not tested
    chance : p-values by what they are of, "auc" or "distance"
    doubt : why the ranking may be of no use
    notes : what a reader must know, a sentence or two each
    command : of the command line that makes the same ranking
    top : number of candidates that are listed; None is all of them
    """

    problem: Problem
    comparison: Comparison
    scored: OutOfFoldScores
    placed: PlacedPositives
    table: pa.Table
    prior: ClassPriorEstimate | None
    no_prior: str
    posterior: PosteriorCalibration | None
    scenario: Scenario | None
    promises: KeptPromises | None
    enriched: pa.Table | None
    chance: Mapping[str, ResampledPValue]
    doubt: Doubt
    notes: tuple[str, ...]
    command: str
    top: int | None = None

    @property
    def listed(self) -> pa.Table:
        """The first rows of the ranking, as many as were asked for."""
        return self.table if self.top is None else self.table.slice(0, self.top)
