"""The record of a ranking: what was ranked, by what, and the evidence for it."""

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
        gives the labels away; empty where there is no doubt
    sentence : the same in words
    """

    kind: Literal["", "chance", "leak"] = ""
    sentence: str = ""


@dataclass(frozen=True)
class KeptPromise:
    """One promise, and the rows that it is about.

    Attributes
    ----------
    column : of the ranking, which marks the rows
    rows : shape (n_rows,), the marked candidates
    facts : numbers and text, as the data of a page have them. The page shows the text `sentence`,
        if the facts have one; it has its own words for the promises of this package
    sentences : the same for people
    """

    column: str
    rows: Bools
    facts: Mapping[str, Any]
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class KeptPromises:
    """What holds of the list, by known positives that were held out.

    Attributes
    ----------
    n_held_out, n_rows : positives held out, and candidates
    confidence : of the recall and of the bound
    upper_bound : on the share of positives among the candidates, if labels are drawn evenly
    prior_at_least : share of positives that was declared, or None
    scar : p-value of even labels, where `prior_at_least` was declared
    labels_uneven : whether labels are not drawn evenly, so that no promise holds
    kept : each promise by its name; None for one that was not asked for
    preamble : what all of it rests on, in words
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
        """All of it for people."""
        if self.labels_uneven:
            return (self.preamble,)
        said = (each.sentences for each in self.kept.values() if each is not None)
        return (self.preamble, *chain.from_iterable(said))

    def facts(self) -> dict[str, Any]:
        """All of it as numbers and text, as the data of a page have it."""
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
    command : of the command line that makes the same ranking; of a data frame, the call in Python
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
