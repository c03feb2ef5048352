"""The form of a report: numbers and text, no object of the library.

All shares are in [0, 1]. `render_html` shows what is here and computes no number.
"""

from typing import TypedDict


class DroppedColumn(TypedDict):
    """A column that no learner saw."""

    name: str
    reason: str


class TableFacts(TypedDict):
    """What was understood of the table."""

    name: str
    n_rows: int
    n_positive: int
    n_unlabeled: int
    label: str
    identifier: str
    group: str
    n_numbers: int
    n_categories: int
    n_texts: int
    missing_share: float
    dropped: list[DroppedColumn]


class Method(TypedDict):
    """One method compared."""

    name: str
    auc: float
    standard_error: float
    average_rank: float
    taken: bool


class CurvePoint(TypedDict):
    """So many candidates listed, so many of the hidden positives among them."""

    n_listed: int
    found: float
    by_chance: float


class HistogramBin(TypedDict):
    """Rows with a score from `low` to `high`, in robust standard deviations."""

    low: float
    high: float
    positive_share: float
    unlabeled_share: float


class Candidate(TypedDict):
    """One unlabeled row."""

    identifier: str
    rank: int
    score: float
    share_of_known_positives: float


class Driver(TypedDict):
    """What one feature does to the score.

    `effect` is, for a model of tables, how many times as common the value is among the positives
    as among the unlabeled; for a linear model, the weight of one standard deviation, or of one
    occurrence of a word; for bags of trees, the share of what they gain by splits on the feature,
    below 0 where higher values have fewer positives. `unit` says which. The shares are of rows
    with the value, None but for a model of tables.
    """

    feature: str
    value: str
    effect: float
    unit: str
    positive_share: float | None
    unlabeled_share: float | None


class ChanceTest(TypedDict):
    """Whether random sets of as many rows do as well as the known positives.

    `what` is "auc", the best hidden-positive AUC of the methods compared, or "distance", that of
    the positives' mean from those of random sets in the significance ranker.
    """

    what: str
    statistic: float
    n_sets: int
    n_as_high: int
    highest: float
    p_value: float


class Report(TypedDict):
    """A ranking and the evidence for it."""

    version: str
    command: str
    table: TableFacts
    methods: list[Method]
    curve: list[CurvePoint]
    top: list[CurvePoint]
    histogram: list[HistogramBin]
    candidates: list[Candidate]
    drivers: list[Driver]
    chance: list[ChanceTest]
    warnings: list[str]


class DocumentRow(TypedDict):
    """One new document that stands out; p-values as in the table that is written."""

    rank: int
    identifier: str
    words: str
    nearest_known: str
    cosine: float
    adjusted_p_value: float
    flagged: bool
    group: int | None


class GroupRow(TypedDict):
    """Documents that are like each other."""

    number: int
    n_documents: int
    words: str
    first: list[str]


class KindRow(TypedDict):
    """How many of the other documents are most like a known kind."""

    kind: str
    n_documents: int


class UnexpectedReport(TypedDict):
    """New documents that belong to no known kind. The histogram's positives are the known."""

    version: str
    command: str
    name: str
    n_known: int
    n_kinds: int
    n_new: int
    fdr: float
    estimated: float
    n_flagged: int
    n_likely: int
    histogram: list[HistogramBin]
    documents: list[DocumentRow]
    groups: list[GroupRow]
    kinds: list[KindRow]
    notes: list[str]
