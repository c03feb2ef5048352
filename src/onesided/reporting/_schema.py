"""The form of a report: numbers and text, no object of the library.

All shares are in [0, 1]. `render_html` shows what is here and computes no number.
"""

from typing import Literal, TypedDict


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
    n_numbered: int
    missing_share: float
    dropped: list[DroppedColumn]


class Method(TypedDict):
    """One method compared."""

    name: str
    auc: float
    standard_error: float
    average_rank: float
    taken: bool


class CutPoint(TypedDict):
    """The first `n_listed` candidates as a list.

    `recall` is the share of the hidden positives that stand among them, `by_chance` that of a list
    of this length in random order, `lift` their ratio. `positives` are expected among them, or the
    most where the prior is `only_at_most`, and `precision` is their share of the list, each also
    with the class prior at the ends of its interval; all six are None where there is no prior.
    """

    n_listed: int
    recall: float
    by_chance: float
    lift: float
    positives: float | None
    positives_low: float | None
    positives_high: float | None
    precision: float | None
    precision_low: float | None
    precision_high: float | None


class SuggestedCut(TypedDict):
    """Where the page cuts the list at first: `place` in the curve, and `why`, in words."""

    place: int
    why: str


class CalibrationBin(TypedDict):
    """The candidates from rank `first` to `last`.

    `posterior` is the mean of theirs; `counted` the share of positives among them by the hidden
    positives that stand there, `counted_low` and `counted_high` one standard error either way.
    """

    first: int
    last: int
    posterior: float
    counted: float
    counted_low: float
    counted_high: float


class HistogramBin(TypedDict):
    """Rows with a score from `low` to `high`, in robust standard deviations."""

    low: float
    high: float
    positive_share: float
    unlabeled_share: float


class Candidates(TypedDict):
    """The first unlabeled rows, a column each, from rank 1.

    `posterior`, the probability that a row is positive, is None without a class prior, `title`
    without a column of titles. The other columns are as in the ranking that is written.
    """

    identifier: list[str]
    title: list[str] | None
    score: list[float]
    share_of_known_positives: list[float]
    posterior: list[float] | None


class Explanations(TypedDict):
    """Why the first candidates stand where they do, an entry each.

    `feature` holds places in `names`, of what moves the score of the row most, strongest first, by
    the model that learned from all rows; `effect` what each adds, in `unit`; `value` what the row
    has there. They are empty for a model that has no such parts. `nearest` holds places in
    `known`, identifiers of known positives, the most like first, `distance` how far they are, in
    `measure`. `context` is a piece of the row's text around the words that count, `text` how it
    begins, both empty without.
    """

    names: list[str]
    unit: str
    feature: list[list[int]]
    effect: list[list[float]]
    value: list[list[str]]
    known: list[str]
    measure: str
    nearest: list[list[int]]
    distance: list[list[float]]
    context: list[str]
    text: list[str]


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


class MethodPrior(TypedDict):
    """What one estimator says of the share of positives among the unlabeled."""

    name: str
    class_prior: float


class PriorFacts(TypedDict):
    """The share of positives among the unlabeled, and what follows.

    `only_at_most` says that nothing but an upper end is known. `n_hidden` are the positives
    among the candidates, by that end then, else by the class prior. `population_prior` and
    `label_frequency` take a scenario, and are None without.
    """

    scenario: str | None
    class_prior: float
    low: float
    high: float
    confidence: float
    upper_bound: float
    only_at_most: bool
    n_hidden: float
    population_prior: float | None
    label_frequency: float | None
    methods: list[MethodPrior]


class RecallFacts(TypedDict):
    """The first `n_rows` hold a share `recall` of the positives.

    `n_below` of the held-out positives stand lower. `level` is the share of samples in which it
    holds for all positives that there could be, `level_among` that for `n_hidden` among the
    candidates; None where their number is not known.
    """

    recall: float
    n_rows: int
    n_below: int
    level: float
    n_hidden: int | None
    level_among: float | None


class DiscardFacts(TypedDict):
    """Of the last `n_rows` in expectation a share `share` at most is positive."""

    share: float
    n_rows: int


class FalseSharePoint(TypedDict):
    """What share of a list is negative under a class prior."""

    class_prior: float
    false_share: float


class PositiveListFacts(TypedDict):
    """Of the first `n_rows` a share `fdr` is negative, if what was declared is so."""

    fdr: float
    n_rows: int
    declared: str
    class_prior: float | None
    assumes: str
    minimum_false_share: float
    curve: list[FalseSharePoint]


class PromiseFacts(TypedDict):
    """What holds of the list, by positives that counted as unlabeled.

    `upper_bound` is the most of the unlabeled that can be positive if labels are drawn evenly.
    `scar_p_value` asks whether they are, with a share `prior_at_least` known to be positive; small
    means that they are not, as does `labels_uneven`, at the level .05.
    """

    n_held_out: int
    n_rows: int
    confidence: float
    upper_bound: float
    prior_at_least: float | None
    scar_p_value: float | None
    labels_uneven: bool
    recall: RecallFacts | None
    discard: DiscardFacts | None
    positives: PositiveListFacts | None


class EnrichedFeature(TypedDict):
    """A feature in which the positives differ from random sets of their size."""

    feature: str
    direction: str
    statistic: float
    p_value: float
    adjusted_p_value: float


class Edge(TypedDict):
    """A feature that depends on another, in a network; `weight` in nats."""

    parent: str
    child: str
    weight: float


class Report(TypedDict):
    """A ranking and the evidence for it.

    `curve` has lists of all lengths, evenly on a logarithmic scale; `top` round lengths, and
    `tenths` each tenth of the candidates. `calibration` is empty without a class prior,
    `structure` where the method taken has no network, `enriched` where it was not tested.
    `no_prior` says why there is no prior, and is empty where there is. `doubt` says that the best
    hidden-positive AUC may be chance, or is as high as that of a column that gives the label away.
    """

    form: Literal["ranking"]
    version: str
    command: str
    table: TableFacts
    prior: PriorFacts | None
    no_prior: str
    promises: PromiseFacts | None
    methods: list[Method]
    doubt: Literal["", "chance", "leak"]
    curve: list[CutPoint]
    top: list[CutPoint]
    tenths: list[CutPoint]
    suggested: SuggestedCut
    histogram: list[HistogramBin]
    calibration: list[CalibrationBin]
    candidates: Candidates
    explanations: Explanations
    drivers: list[Driver]
    structure: list[Edge]
    enriched: list[EnrichedFeature]
    chance: list[ChanceTest]
    warnings: list[str]


class DocumentRow(TypedDict):
    """One new document that stands out; p-values as in the table that is written.

    `text` is how it begins; `nearest_kind` is empty where the known have no kinds.
    """

    rank: int
    identifier: str
    words: str
    text: str
    nearest_known: str
    nearest_kind: str
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
    """New documents that belong to no known kind. The histogram's positives are the known.

    `differs` says that new documents of known kinds are unlike the known ones, and that more of the
    flagged may be of a known kind than the share `fdr`.
    """

    form: Literal["unexpected"]
    version: str
    command: str
    name: str
    n_known: int
    n_kinds: int
    n_new: int
    fdr: float
    differs: bool
    estimated: float
    n_flagged: int
    n_likely: int
    histogram: list[HistogramBin]
    documents: list[DocumentRow]
    groups: list[GroupRow]
    kinds: list[KindRow]
    notes: list[str]
