"""The record of a ranking: the table, the method, the order of the rows, and the evidence."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

import pyarrow as pa

from onesided._labels import Scenario
from onesided._typing import Bools
from onesided.metrics import ResampledPValue
from onesided.model_selection import Comparison, OutOfFoldScores, PlacedPositives
from onesided.prior import ClassPriorEstimate
from onesided.promises import PosteriorCalibration
from onesided.tables import Problem


@dataclass(frozen=True)
class Doubt:
    """Why a ranking may be of no use.

    Attributes
    ----------
    kind : "chance" if the best AUC may be chance, "leak" if it is as high as that of a column that
        gives the labels away, "" if there is no doubt
    sentence : the doubt in words
    """

    kind: Literal["", "chance", "leak"] = ""
    sentence: str = ""


@dataclass(frozen=True)
class KeptPromise:
    """One promise, and the rows that it is about.

    Attributes
    ----------
    column : name of the column of the ranking that marks the rows
    rows : shape (n_rows,), the marked candidates
    facts : numbers and text, as they stand in the data of a page. The page shows the text
        `sentence`, if the facts have one; it has its own words for the promises of this package
    sentences : the facts in words
    """

    column: str
    rows: Bools
    facts: Mapping[str, Any]
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class KeptPromises:
    """What a list promises, measured on known positives that were held out.

    Attributes
    ----------
    n_held_out, n_rows : number of positives held out, and of candidates
    confidence : of the recall and of the upper bound
    upper_bound : on the share of positives among the candidates, if labels are drawn evenly
    prior_at_least : declared least share of positives, or None
    scar : p-value of even labels, or None without `prior_at_least`
    labels_uneven : whether labels are not drawn evenly, so that no promise holds
    kept : each promise by its name; None for a promise that was not asked for
    preamble : the assumption of all promises, in words
    """

    n_held_out: int
    n_rows: int
    confidence: float
    upper_bound: float
    prior_at_least: float | None
    scar: ResampledPValue | None
    labels_uneven: bool
    kept: Mapping[str, KeptPromise | None]
    preamble: str

    @property
    def sentences(self) -> tuple[str, ...]:
        """The promises in words."""
        if self.labels_uneven:
            return (self.preamble,)
        said = (each.sentences for each in self.kept.values() if each is not None)
        return (self.preamble, *chain.from_iterable(said))

    def facts(self) -> dict[str, Any]:
        """The promises as numbers and text, as they stand in the data of a page."""
        return {
            "n_held_out": self.n_held_out,
            "n_rows": self.n_rows,
            "confidence": self.confidence,
            "upper_bound": self.upper_bound,
            "prior_at_least": self.prior_at_least,
            "scar_p_value": None if self.scar is None else float(self.scar),
            "labels_uneven": self.labels_uneven,
            **{name: each and dict(each.facts) for name, each in self.kept.items()},
        }


@dataclass(frozen=True)
class Ranked:
    """A ranking of unlabeled rows.

    Attributes
    ----------
    problem : the table and the roles of its columns
    comparison : the compared methods; the best method is fitted on all rows
    scored : cross-fitted scores of the candidates by the best method
    placed : known positives among the candidates, by the best method
    table : the ranking, a row for each candidate, the most positive first
    prior : share of positives among the candidates; None if it was not asked for or is not known
    no_prior : why the prior is not known, or ""
    posterior : probability of each candidate to be positive, if the prior is known
    scenario : the sampling story, or None if it is not known
    promises : what the list promises; None if nothing was asked for
    enriched : features that differ between positives and the rest; None if none was tested
    chance : p-values of the best AUC ("auc") and of the significance ranker ("distance")
    doubt : why the ranking may be of no use
    notes : what a reader must know, one or two sentences each
    command : the command that makes the same ranking; for a data frame, the call in Python
    top : number of candidates that are listed; None lists all candidates
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
        """The first `top` rows of the ranking."""
        return self.table if self.top is None else self.table.slice(0, self.top)
