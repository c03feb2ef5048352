"""Many rankings of one table: each value of a column is positive in turn."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import pyarrow as pa

from onesided._notes import gathered_warnings
from onesided._text import argument
from onesided._typing import OnProgress
from onesided.exceptions import DataError, LabelError, TableError
from onesided.ranking._plan import plan_ranking
from onesided.ranking._progress import step_of
from onesided.ranking._rank import cross_fitted
from onesided.tables import (
    Problem,
    are_marks,
    describe,
    find_key,
    label_columns,
    ranking_table,
    read_labels,
    read_rows,
    warn_of_leaks,
)

_FEWEST = 5  # records of a value that is ranked by; each is then hidden alone


class RankedValue(TypedDict):
    """A value, and how well its records are found when they are hidden."""

    value: str
    n_positive: int
    n_unlabeled: int
    method: str
    auc: float
    auc_low: float
    auc_high: float


class LeftOutValue(TypedDict):
    """A value that is not ranked by, and why."""

    value: str
    n_positive: int
    why: str


@dataclass(frozen=True)
class RankedEach:
    """Rankings of the other rows by each value of a column.

    Attributes
    ----------
    table : all rankings below each other, the value in front
    values : those that are ranked by
    left_out : those that are not
    notes : what a reader must know, a sentence or two each
    """

    table: pa.Table
    values: list[RankedValue]
    left_out: list[LeftOutValue]
    notes: tuple[str, ...]

    @property
    def left_out_by_reason(self) -> dict[str, list[str]]:
        """Names of the values that are not ranked by, those of one reason together."""
        return _by_reason(self.left_out)


@dataclass(frozen=True)
class EachProblem:
    """A table, and of each row the value that it is a record of.

    Attributes
    ----------
    problem : the table, in which no row is positive yet
    values : shape (n_rows,), empty for a row that is a record of none
    """

    problem: Problem
    values: list[str]


def read_each(  # noqa: PLR0913 - each says how one thing is read
    table: str | PathLike[str],
    column: str,
    *,
    positive: str = "",
    identifier: str = "",
    group: str = "",
    drop: Sequence[str] | None = None,
    categorical: Sequence[str] | None = None,
    text: Sequence[str] | None = None,
    delimiter: str | None = None,
) -> EachProblem:
    """Read a table of which each value of a column is to be positive in turn.

    Parameters
    ----------
    table : path of a file of any format that `read_problem` reads
    column : whose values are positive in turn
    positive : column of labels: only rows that are positive there are records of a value
    identifier, group, drop, categorical, text, delimiter : as for `read_problem`

    Raises
    ------
    TableError : if the table cannot be read, or the column names nothing

    Warns
    -----
    LeakWarning : of columns that may give the records away
    """
    path = Path(table)
    marks = label_columns(positive) if positive else []
    as_text = [*marks, *filter(None, (column, identifier, group))]
    rows = read_rows(path, delimiter=delimiter, as_text=as_text)
    data, identifier = rows.data, identifier or rows.identifier
    named = [find_key(data, name) for name in (column, group, identifier) if name]
    cells = data.column(column).to_pylist()
    values = ["" if cell is None else str(cell).strip() for cell in cells]
    if are_marks(values):
        raise TableError(
            f"Column {column!r} only marks rows, with "
            f"{' and '.join(map(repr, sorted({*values} - {''})))}; its values are not names.",
            "Pass a column of names, of species for example; or make one ranking by these "
            f"marks: {argument('positive', column)}.",
        )
    if positive:
        label, is_record = read_labels(data, positive, lists=rows.lists)
        named.append(label)
        values = [value * bool(of) for value, of in zip(values, is_record, strict=True)]
    summary = describe(
        data,
        without=named,
        drop=drop or (),
        categorical=categorical or (),
        text=[*(text or ()), *rows.text],
        aside=rows.aside,
    )
    is_any = np.array([bool(value) for value in values])
    if is_any.any() and not is_any.all():
        warn_of_leaks(data, is_any, summary)
    nobody = np.zeros(len(values), dtype=bool)
    name = path.resolve().name
    problem = Problem(name, data, column, nobody, nobody, summary, group, identifier)
    return EachProblem(problem, values)


def rank_each(
    given: EachProblem,
    *,
    methods: Sequence[str] = (),
    class_prior: float | None = None,
    top: int | None = None,
    random_state: int = 0,
    on_progress: OnProgress | None = None,
    on_value: Callable[[RankedValue], None] | None = None,
) -> RankedEach:
    """Rank the other rows by each value.

    Parameters
    ----------
    given : as `read_each` gives it
    methods, class_prior, random_state : as for `plan_ranking`
    top : number of candidates to list of each value; None is all of them
    on_progress : called with the stage, the number of values done, and of all
    on_value : called with each value that was ranked by

    Raises
    ------
    TableError : if no value has enough records
    """
    deciding = {"methods": methods, "class_prior": class_prior, "random_state": random_state}
    counts = sorted(Counter(value for value in given.values if value).items())
    parts: list[pa.Table] = []
    values: list[RankedValue] = []
    left_out: list[LeftOutValue] = []
    step = step_of(on_progress, "ranking by each value")
    with gathered_warnings() as notes:
        for done, (value, n_positive) in enumerate(counts):
            step(done, len(counts))
            why = f"fewer than {_FEWEST} records"
            try:
                found = _rank_by(value, given, deciding) if n_positive >= _FEWEST else None
            except (DataError, LabelError) as error:  # all of one group, for example
                found, why = None, error.problem
            if found is None:
                left_out.append(LeftOutValue(value=value, n_positive=n_positive, why=why))
                continue
            told, ranking = found
            values.append(told)
            parts.append(ranking.slice(0, top) if top else ranking)
            if on_value is not None:
                on_value(told)
    if not parts:
        raise TableError(
            f"No value of column {given.problem.label!r} has enough records to rank by"
            f"{': ' * bool(left_out)}{'; '.join(_by_reason(left_out))}.",
            f"Pass a column with values that have {_FEWEST} records or more: "
            f"{argument('positive_each')}.",
        )
    return RankedEach(pa.concat_tables(parts), values, left_out, tuple(notes))


def _by_reason(left_out: Sequence[LeftOutValue]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for each in left_out:
        found.setdefault(each["why"].rstrip("."), []).append(each["value"])
    return found


def _rank_by(
    value: str, given: EachProblem, deciding: dict[str, Any]
) -> tuple[RankedValue, pa.Table]:
    positive = np.array([each == value for each in given.values])
    problem = replace(given.problem, positive=positive)
    plan = plan_ranking(problem, **deciding)
    found = plan.compare()
    scored = cross_fitted(plan.rankers[found.best_], problem, plan)
    best = found.to_frame("pyarrow").slice(0, 1).to_pylist()[0]
    ranking = ranking_table(
        problem.ids, problem.identifier or "row", scored, found.hidden[found.best_]
    )
    column = problem.label
    name = f"{column} (positive)" if column in ranking.column_names else column
    of_value = pa.array([value] * ranking.num_rows, pa.string())
    told = RankedValue(
        value=value,
        n_positive=int(positive.sum()),
        n_unlabeled=int((~positive).sum()),
        method=found.best_,
        auc=best["hidden_positive_auc"],
        auc_low=best["auc_low"],
        auc_high=best["auc_high"],
    )
    return told, ranking.add_column(0, name, of_value)
