"""The panels of each page, in its order."""

from collections.abc import Mapping
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

from onesided._candidates import CutPoint
from onesided._worth import ProfitFacts
from onesided.prior import PriorFacts
from onesided.reporting._charts import HistogramBin
from onesided.reporting._drivers import Driver, Edge
from onesided.reporting._explanations import Explanations
from onesided.reporting._panel import Panel
from onesided.reporting.panels import (
    answer,
    candidates,
    drivers,
    each,
    evidence,
    next_steps,
    prior,
    profit,
    promises,
    table,
    unexpected,
)
from onesided.reporting.panels.each import EachReport
from onesided.reporting.panels.unexpected import UnexpectedReport

PANELS: tuple[Panel, ...] = tuple(
    part.PANEL
    for part in (answer, candidates, prior, profit, promises, evidence, drivers, table, next_steps)
)
"""The page of a ranking."""


class Report(TypedDict):
    """A ranking and the evidence for it; each panel adds some of these keys.

    `curve` has lists of lengths that are even on a logarithmic scale, `top` lists of round lengths,
    and `tenths` the tenths of the candidates. `calibration` is empty without a class prior and with
    verdicts; `verdicts` says on what the numbers rest if there are verdicts. `known_above` is the
    number of candidates that rank above each known positive, when it was hidden, and `to_find` the
    shortest list that holds 95 percent of the positives. `averaged` is empty unless the average of
    methods was taken; `drivers`, `structure` and `explanations` are then of the method with the
    largest weight in it. `structure` is empty if this method has no network, `enriched` if features
    were not tested.
    `no_prior` says why there is no prior. `doubt` says that the best hidden-positive AUC may be
    chance ("chance"), or is as high as that of a column that gives the labels away ("leak").

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> known = np.arange(300) < 60
    >>> size = (rng.normal(size=300) + 2 * known).round(3)
    >>> table = pd.DataFrame({"size": size, "known": known})
    >>> from onesided import rank_table
    >>> ranking = rank_table(table, "known", methods=["naive-bayes"])
    >>> from onesided.reporting import summarize
    >>> report = summarize(ranking)
    >>> [method["name"] for method in report["methods"]]
    ['naive Bayes']
    >>> report["top"][0]["n_listed"]
    10
    """

    form: Literal["ranking"]
    version: str
    command: str
    table: table.TableFacts
    prior: PriorFacts | None
    no_prior: str
    profit: ProfitFacts | None
    profit_sentences: list[str]
    promises: promises.PromiseFacts | None
    methods: list[evidence.Method]
    doubt: Literal["", "chance", "leak"]
    curve: list[CutPoint]
    top: list[CutPoint]
    tenths: list[CutPoint]
    uneven_labels: evidence.UnevenFacts
    known_above: list[float]
    to_find: CutPoint
    suggested: candidates.SuggestedCut
    histogram: list[HistogramBin]
    calibration: list[evidence.CalibrationBin]
    verdicts: NotRequired[list[str]]
    candidates: candidates.CandidateFacts
    explanations: Explanations
    drivers: list[Driver]
    averaged: list[drivers.AveragedMethod]
    structure: list[Edge]
    enriched: list[drivers.EnrichedFeature]
    next_steps: list[next_steps.NextStep]
    chance: list[answer.ChanceTest]
    warnings: list[str]


AnyReport: TypeAlias = Report | UnexpectedReport | EachReport
PAGES: Mapping[str, tuple[Any, tuple[Panel, ...]]] = {
    "ranking": (Report, PANELS),
    "unexpected": (UnexpectedReport, (unexpected.PANEL,)),
    "each": (EachReport, (each.PANEL,)),
}
"""The dictionary and the panels of each form of report."""
