"""The record of a ranking: the table, the method, the order of the rows, and the evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, Literal, TypedDict

import pyarrow as pa

from onesided._candidates import Candidates
from onesided._labels import Scenario
from onesided._text import agreeing, as_times, capitalized, counted
from onesided._typing import Bools
from onesided._worth import ProfitFacts, Worth, profit_facts
from onesided.metrics import ResampledPValue, label_bias_band, label_bias_tipping_point
from onesided.model_selection import Comparison, OutOfFoldScores, PlacedPositives
from onesided.prior import ClassPriorEstimate
from onesided.tables import Problem

_SHOWN_RATIO = 3.0  # of the odds of being labeled, where nothing is declared
_NEVER = 1000.0  # a ratio that is not printed


@dataclass(frozen=True)
class Doubt:
    """Why a ranking may be of no use.

    Attributes
    ----------
    kind : "chance" if chance alone may explain the best AUC; "leak" if the best AUC is so
        high that a column may give the labels away; "" if there is no doubt
    sentence : the doubt in words

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> known = np.arange(300) < 60
    >>> size = (rng.normal(size=300) + 2 * known).round(3)
    >>> table = pd.DataFrame({"size": size, "known": known})
    >>> from onesided import rank_table
    >>> ranking = rank_table(table, "known", methods=["naive-bayes"])
    >>> ranking.doubt.kind  # empty: nothing speaks against the ranking
    ''
    """

    kind: Literal["", "chance", "leak"] = ""
    sentence: str = ""


@dataclass(frozen=True)
class CheckedPositives:
    """What verified positives say of the positives that nobody has found yet.

    Attributes
    ----------
    n_positive : verified positives
    n_sampled : of these, positives that were drawn with a known chance and stand for other rows
    n_needed : number of such positives from which on an AUC is given
    auc : mean share of the candidates that rank below a positive that is still hidden; None if
        `n_sampled` is too small
    interval : 95 percent confidence interval of `auc`
    """

    n_positive: int
    n_sampled: int
    n_needed: int
    auc: float | None = None
    interval: tuple[float, float] | None = None

    @property
    def sentence(self) -> str:
        """What is known, in words."""
        if self.auc is not None and self.interval is not None:
            low, high = self.interval
            return (
                f"AUC of the positives that are still hidden: {self.auc:.3f} (95 % confidence "
                f"interval {low:.3f} to {high:.3f}), from "
                f"{counted(self.n_sampled, 'verified positive')} by "
                "the number of unchecked rows that each stands for. It does not depend on how "
                "labels were given."
            )
        return (
            "Verified positives that stand for unchecked rows (column stands_for): "
            f"{self.n_sampled:,} of {self.n_positive:,}. At least {self.n_needed} are needed to "
            "tell the AUC of the positives that are still hidden."
        )


@dataclass(frozen=True)
class UnevenLabels:
    """What is left of the hidden-positive AUC if labels are uneven among the positives.

    Attributes
    ----------
    label_odds_ratio : Γ, greatest odds of being labeled over the least
    auc_low, auc_high : limits of the AUC of the hidden positives at that ratio; they leave out
        sampling error
    tipping_point : the ratio from which on the list may be no better than chance; it leaves out
        sampling error, and is infinite if no known positive is below chance
    """

    label_odds_ratio: float
    auc_low: float
    auc_high: float
    tipping_point: float

    @classmethod
    def of(cls, placed: PlacedPositives, label_odds_ratio: float) -> UnevenLabels:
        """From the places of known positives; a ratio of 1 is taken as threefold.

        Parameters
        ----------
        placed : known positives among the candidates
        label_odds_ratio : that was declared
        """
        ratio = label_odds_ratio if label_odds_ratio > 1 else _SHOWN_RATIO
        below = 1 - placed.ranks
        low, high = label_bias_band(below, ratio=ratio)
        return cls(ratio, low, high, label_bias_tipping_point(below))

    def in_words(self, which: str = "These figures") -> str:
        """What is left, in words.

        Parameters
        ----------
        which : the figures that assume even labels, in the plural
        """
        said = (
            f"{which} hold if labels are even: each positive was equally likely to be labeled. If "
            f"the odds of being labeled differ up to {as_times(self.label_odds_ratio)} among the "
            "positives, the AUC of the hidden positives is between "
            f"{self.auc_low:.3f} and {self.auc_high:.3f}"
        )
        if 1 < self.tipping_point <= _NEVER:
            return (
                f"{said}. If the odds differ {as_times(self.tipping_point)} or more, the list may "
                "be no better than chance"
            )
        return said

    def facts(self) -> dict[str, Any]:
        """The figures as they stand in the data of a page; None for an infinite tipping point."""
        tipping_point = self.tipping_point if self.tipping_point <= _NEVER else None
        return {**vars(self), "tipping_point": tipping_point}


@dataclass(frozen=True)
class KeptPromise:
    """One promise, and the rows that the promise marks.

    Attributes
    ----------
    column : name of the column of the ranking that marks the rows
    rows : shape (n_rows,), the marked candidates
    facts : the numbers and text of the promise in the data of a page. The page shows the text
        `sentence` if the facts have it; for the promises of this package it has its own words
    sentences : the facts in words

    Examples
    --------
    >>> import numpy as np
    >>> from onesided.ranking import KeptPromise
    >>> marked = np.array([True, True, False])
    >>> said = "2 of 3 unlabeled rows are marked in the column in_shortlist."
    >>> promise = KeptPromise("in_shortlist", marked, {"n_rows": 2}, (said,))
    >>> promise.only(np.array([False, True, True])).sentences[1]
    '  1 marked row was checked already and is not listed'
    """

    column: str
    rows: Bools
    facts: Mapping[str, Any]
    sentences: tuple[str, ...]

    def only(self, listed: Bools) -> KeptPromise:
        """The same promise with only the listed rows marked; it still promises about all rows.

        Parameters
        ----------
        listed : whether each candidate is listed, shape (n_rows,)
        """
        n_left = int((self.rows & ~listed).sum())
        were, are = (agreeing(n_left, verb) for verb in ("were", "are"))
        said = f"  {counted(n_left, 'marked row')} {were} checked already and {are} not listed"
        rest = (said,) * bool(n_left)
        return replace(self, rows=self.rows[listed], sentences=self.sentences + rest)


@dataclass(frozen=True)
class KeptPromises:
    """What a list promises, measured on known positives that were held out.

    Attributes
    ----------
    n_held_out, n_rows : number of held-out positives, and number of candidates
    confidence : confidence level of the recall and of the upper bound
    upper_bound : upper bound on the share of positives among the candidates; it holds if labels are
        even
    prior_at_least : smallest share of positives that the user declares; None without a declaration
    scar : p-value of the null hypothesis that labels are even; None without `prior_at_least`
    labels_uneven : whether labels are not drawn evenly, so that no promise holds
    kept : each promise by its name; None for a promise that was not asked for
    preamble : the assumption that all promises need, and whether labels are even, in words
    label_odds_ratio : greatest odds of being labeled over the least odds, among positives, that the
        promises allow for

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> known = np.arange(300) < 60
    >>> size = (rng.normal(size=300) + 2 * known).round(3)
    >>> table = pd.DataFrame({"size": size, "known": known})
    >>> from onesided import rank_table
    >>> ranking = rank_table(table, "known", methods=["naive-bayes"], recall=0.8, confidence=0.8)
    >>> list(ranking.promises.kept)
    ['recall', 'discard', 'positives']
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
    label_odds_ratio: float = 1.0

    @property
    def sentences(self) -> tuple[str, ...]:
        """The promises in words."""
        preamble = (self.preamble,) * bool(self.preamble)
        if self.labels_uneven:
            return preamble
        said = (each.sentences for each in self.kept.values() if each is not None)
        return (*preamble, *chain.from_iterable(said))

    def facts(self) -> dict[str, Any]:
        """The numbers and text of the promises in the data of a page."""
        return {
            "n_held_out": self.n_held_out,
            "n_rows": self.n_rows,
            "confidence": self.confidence,
            "label_odds_ratio": self.label_odds_ratio,
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
    placed : ranks of the hidden known positives among the candidates, by the best method
    table : the ranking, a row for each candidate, the most positive first
    prior : share of positives among the candidates; None if it is not known
    no_prior : why the prior is not known; "" if it is known or was not asked for
    candidates : the candidates in the order of the list, with the numbers of positives at each rank
    scenario : how the rows were collected; None if it is not known
    promises : the promises of the list; None if no promise was asked for
    enriched : features that differ between positives and the rest; None if no feature was tested
    chance : p-values of the best AUC ("auc") and of the significance ranker ("distance")
    doubt : why the ranking may be of no use
    notes : warnings and remarks for the reader, one or two sentences each
    command : the command that makes the same ranking; for a data frame, the call in Python
    top : number of candidates that are listed; None lists all candidates
    checked : what verdicts say of the positives that are still hidden; None without verdicts
    label_odds_ratio : greatest odds of being labeled over the least odds, among positives, that the
        user declares; 1 means that labels are even
    confidence : confidence level of the promises, and of the interval of the prior
    worth : the costs of the list and the value of its positives; None if they were not given
    written : path of the file that the ranking is written to; "" if it is not written

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from onesided import rank_table
    >>> rng, known = np.random.default_rng(0), np.arange(30) < 10
    >>> table = pd.DataFrame({"size": rng.normal(size=30) + known, "known": known})
    >>> ranking = rank_table(table, "known", methods=["center-of-mass"])
    >>> ranking.comparison.best_, ranking.table.num_rows
    ('center of mass', 20)
    """

    problem: Problem
    comparison: Comparison
    scored: OutOfFoldScores
    placed: PlacedPositives
    table: pa.Table
    prior: ClassPriorEstimate | None
    no_prior: str
    candidates: Candidates
    scenario: Scenario | None
    promises: KeptPromises | None
    enriched: pa.Table | None
    chance: Mapping[str, ResampledPValue]
    doubt: Doubt
    notes: tuple[str, ...]
    command: str
    top: int | None = None
    checked: CheckedPositives | None = None
    label_odds_ratio: float = 1.0
    confidence: float = 0.95
    worth: Worth | None = None
    written: str = ""

    @cached_property
    def profit(self) -> ProfitFacts | None:
        """The expected profit of the list for each length; None without a cost of each row."""
        if self.worth is None:
            return None
        return profit_facts(
            self.worth,
            self.candidates,
            self.prior,
            scenario=self.scenario,
            by_chance=self.doubt.kind == "chance",
        )

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the reader must know before using the ranking: the notes, and the doubt if any."""
        return (*self.notes, *filter(None, [self.doubt.sentence]))

    @property
    def uneven_labels(self) -> UnevenLabels:
        """How low and how high the AUC can be if labels are uneven."""
        return UnevenLabels.of(self.placed, self.label_odds_ratio)

    @property
    def rests_on(self) -> tuple[str, ...]:
        """The positives that the numbers depend on, in words; empty if no row was checked."""
        if self.checked is None:
            return ()
        problem, what = self.problem, ["the number of positives"] * (self.prior is not None)
        what += ["the promises"] * (self.promises is not None)
        rest = (
            "The models learned from the verdicts too. The hidden-positive AUCs and shares rest on "
            f"the {int(problem.positive.sum()):,} known positives, and hold for other positives "
            "only if labels are even."
        )
        if what:
            s = "" if self.promises is not None else "s"
            rest += (
                f" {capitalized(' and '.join(what))} rest{s} on these positives too, and count{s} "
                "the checked rows among the unlabeled rows."
            )
        return rest, self.checked.sentence

    @property
    def listed(self) -> pa.Table:
        """The first `top` rows of the ranking."""
        return self.table if self.top is None else self.table.slice(0, self.top)


class _RankedValue(TypedDict):
    value: str
    n_positive: int
    n_unlabeled: int
    method: str
    auc: float
    auc_low: float
    auc_high: float


class RankedValue(_RankedValue, total=False):
    """A value, and how well the ranking finds its records when they are hidden.

    With the background "others", the records are hidden among its `n_background` rows.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np, pandas as pd
    >>> from onesided.ranking import rank_each, read_each
    >>> kinds = np.repeat(["owl", ""], [6, 24])
    >>> table = pd.DataFrame({"wet": np.random.default_rng(0).normal(size=30), "species": kinds})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table.to_csv(f"{folder}/records.csv", index=False)
    ...     given = read_each(f"{folder}/records.csv", "species")
    >>> found = rank_each(given, methods=["center-of-mass"])
    >>> owl = found.values[0]
    >>> owl["value"], owl["n_positive"], owl["n_unlabeled"], round(owl["auc"], 2)
    ('owl', 6, 24, 0.64)
    """

    n_background: int


class LeftOutValue(TypedDict):
    """A value that has no ranking, and the reason.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np, pandas as pd
    >>> from onesided.ranking import rank_each, read_each
    >>> kinds = np.repeat(["owl", "jay", ""], [6, 3, 21])
    >>> table = pd.DataFrame({"wet": np.random.default_rng(0).normal(size=30), "species": kinds})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table.to_csv(f"{folder}/records.csv", index=False)
    ...     given = read_each(f"{folder}/records.csv", "species")
    >>> found = rank_each(given, methods=["center-of-mass"])
    >>> found.left_out
    [{'value': 'jay', 'n_positive': 3, 'why': 'fewer than 5 records'}]
    """

    value: str
    n_positive: int
    why: str
