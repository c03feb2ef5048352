"""The panels of each page, in its order."""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, TypedDict

from onesided.reporting._charts import HistogramBin
from onesided.reporting._cuts import CutPoint
from onesided.reporting._drivers import Driver, Edge
from onesided.reporting._explanations import Explanations
from onesided.reporting._panel import Panel
from onesided.reporting.panels import (
    answer,
    candidates,
    drivers,
    evidence,
    prior,
    promises,
    table,
    unexpected,
)
from onesided.reporting.panels.unexpected import UnexpectedReport

PANELS: tuple[Panel, ...] = tuple(
    part.PANEL for part in (answer, candidates, prior, promises, evidence, drivers, table)
)
"""The page of a ranking."""


class Report(TypedDict):
    """A ranking and the evidence for it, in the order of the file; the panels add these keys.

    `curve` has lists of all lengths, evenly on a logarithmic scale; `top` round lengths, and
    `tenths` each tenth of the candidates. `calibration` is empty without a class prior,
    `structure` where the method taken has no network, `enriched` where it was not tested.
    `no_prior` says why there is no prior, and is empty where there is. `doubt` says that the best
    hidden-positive AUC may be chance, or is as high as that of a column that gives the label away.
    """

    form: Literal["ranking"]
    version: str
    command: str
    table: table.TableFacts
    prior: prior.PriorFacts | None
    no_prior: str
    promises: promises.PromiseFacts | None
    methods: list[evidence.Method]
    doubt: Literal["", "chance", "leak"]
    curve: list[CutPoint]
    top: list[CutPoint]
    tenths: list[CutPoint]
    suggested: candidates.SuggestedCut
    histogram: list[HistogramBin]
    calibration: list[evidence.CalibrationBin]
    candidates: candidates.Candidates
    explanations: Explanations
    drivers: list[Driver]
    structure: list[Edge]
    enriched: list[drivers.EnrichedFeature]
    chance: list[answer.ChanceTest]
    warnings: list[str]


AnyReport: TypeAlias = Report | UnexpectedReport
PAGES: Mapping[str, tuple[Any, tuple[Panel, ...]]] = {
    "ranking": (Report, PANELS),
    "unexpected": (UnexpectedReport, (unexpected.PANEL,)),
}
"""The dictionary and the panels of each form of report."""
