"""What `--json` prints, as types: the form of the result of each verb.

`rank` has the `Report` of `onesided.reporting` and `unexpected` its `UnexpectedReport`. Shares are
in [0, 1]; what cannot be told is null.
"""

from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from onesided.ranking import LeftOutValue, RankedValue


class Outcome(TypedDict):
    """What stdout has after a run that ended well.

    `written` has the path of each output by what it is: "ranking", "report", "config" and so on.
    """

    verb: str
    version: str
    command: str
    warnings: list[str]
    result: Any
    written: dict[str, str]


class Problem(TypedDict):
    """The two lines of an error; the second is empty after an interruption."""

    problem: str
    mend: str


class Failure(TypedDict):
    """What stdout has after a run that did not; the exit code says so too."""

    verb: str
    version: str
    error: Problem


class ComparedMethod(TypedDict):
    """A method on one table, as `Comparison.to_frame` tells of it."""

    method: str
    hidden_positive_auc: float
    auc_standard_error: float
    auc_low: float
    auc_high: float
    average_rank: float
    lee_liu: float
    lee_liu_low: float
    lee_liu_high: float
    p_value_against_best: float | None
    n_positive: int
    seconds: float


class Task(TypedDict):
    """One table of `compare`; the methods, the best first."""

    name: str
    n_positive: int
    n_unlabeled: int
    best: str
    methods: list[ComparedMethod]


class MethodOfTasks(TypedDict):
    """A method over all tables, as `TaskComparison.summary` tells of it."""

    method: str
    auc_mean: float
    auc_sd: float
    rank_mean: float
    rank_sd: float
    place_mean: float
    lee_liu_share: float | None
    seconds: float
    n_tasks: int


class CompareResult(TypedDict):
    """Of `onesided compare`; `methods` only of several tables."""

    tasks: list[Task]
    best: str
    methods: list[MethodOfTasks]


class MethodShare(TypedDict):
    """What one method says of the share of positives among the unlabeled."""

    method: str
    class_prior: float


class PriorResult(TypedDict):
    """Of `onesided prior`."""

    scenario: str
    class_prior: float
    low: float
    high: float
    confidence: float
    upper_bound: float
    n_positive: int
    n_unlabeled: int
    n_hidden: float
    population_prior: float
    label_frequency: float
    methods: list[MethodShare]


class EnrichResult(TypedDict):
    """Of `onesided enrich`: rows of the table that is written, and of how many they are."""

    n_features: int
    n_resamples: int
    features: list[dict[str, Any]]


class FitResult(TypedDict):
    """Of `onesided fit`; `auc` is None where there was one method, which is not judged."""

    method: str
    auc: float | None
    methods: list["MethodAuc"]
    n_positive: int
    n_unlabeled: int
    n_learned: int
    columns: list["ColumnOfModel"]


class MethodAuc(TypedDict):
    """A method that was compared."""

    name: str
    auc: float


class ColumnOfModel(TypedDict):
    """A column that a model asks for, or knows."""

    name: str
    role: str


class MovedColumn(TypedDict):
    """How a column, or the score, differs from what was learned from.

    `index` is the population stability index, in nats; `what` are the cells that differ most,
    `share` of the rows scored and `learned_share` of the rows learned from are such.
    """

    name: str
    index: float
    moved: bool
    what: str
    share: float
    learned_share: float


class DriftFacts(TypedDict):
    """A table beside the rows learned from, of which it is compared with `learned`, or all.

    `score` is None where the model does not know what its scores were.
    """

    n_rows: int
    learned: str
    score: MovedColumn | None
    columns: list[MovedColumn]


class PositivesFacts(TypedDict):
    """How well a list did whose positives are known now; `tenths` as a report has them."""

    n_positive: int
    auc: float
    tenths: list[Any]


class ScoreResult(TypedDict):
    """Of `onesided score`; `n_scored` in this run, the others by an earlier one.

    `drift` is None for a model of an older version, `positives` where nobody knows them.
    """

    method: str
    n_rows: int
    n_scored: int
    seconds: float
    drift: DriftFacts | None
    positives: PositivesFacts | None


class ReproduceResult(TypedDict):
    """Of `onesided reproduce`."""

    paper: str
    files: list[str]


class EachResult(TypedDict):
    """Of `onesided rank --positive-each`."""

    form: Literal["each"]
    column: str
    values: "list[RankedValue]"
    left_out: "list[LeftOutValue]"
