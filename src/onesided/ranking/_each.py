"""Many rankings of one table, in which each value of a column is positive in turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from onesided._candidates import Candidates
from onesided._files._names import takes_names, values_of
from onesided._files._rows import read_rows
from onesided._ranked import LeftOutValue, RankedValue
from onesided._text import MISSING_MARKS, argument
from onesided._text import as_text as one_text
from onesided._typing import Ints, OnProgress
from onesided._validation import check_arguments, check_object
from onesided.exceptions import DataError, LabelError, TableError, gathered_warnings
from onesided.model_selection import PlacedPositives, place
from onesided.ranking._plan import plan_ranking
from onesided.ranking._progress import step_of
from onesided.ranking._rank import cross_fitted, hidden_among_all
from onesided.tables import Problem, describe
from onesided.tables._background import Borrowed, borrow
from onesided.tables._codes import warn_of_codes
from onesided.tables._columns import find_key, find_titles, without_cells
from onesided.tables._features import row_kinds
from onesided.tables._labels import are_marks, is_label, label_columns, read_labels
from onesided.tables._leaks import warn_of_leaks
from onesided.tables._places import check_one_split, find_places, judged_by, with_blocks
from onesided.tables._sentences import size_sentence
from onesided.tables._shown import find_shown

if TYPE_CHECKING:
    from onesided.reporting import Page

_BORROWED = (
    "  Each value is learned against the rows that record another value (a borrowed background), "
    "and its AUC is measured among these rows"
)
_FEWEST = 5  # records of a value; with 5 folds each record is then hidden alone


@dataclass(frozen=True)
class RankedEach:
    """One ranking for each value of a column: each time the rows with this value are positive.

    Attributes
    ----------
    table : the rows of all rankings in one table; the first column holds the value
    values : the values that have a ranking
    left_out : the values that have no ranking
    notes : warnings and remarks for the reader, one or two sentences each
    background : as for `rank_table`
    name : name of the table
    column : the column whose values are positive in turn

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
    >>> found.table.column_names
    ['species', 'row', 'rank', 'score', 'recall']
    >>> found.left_out_by_reason
    {'fewer than 5 records': ['jay']}
    """

    table: pa.Table
    values: list[RankedValue]
    left_out: list[LeftOutValue]
    notes: tuple[str, ...]
    background: Borrowed | None = None
    name: str = ""
    column: str = ""

    @property
    def left_out_by_reason(self) -> dict[str, list[str]]:
        """The values that have no ranking, in a list for each reason."""
        found: dict[str, list[str]] = {}
        for each in self.left_out:
            found.setdefault(each["why"].rstrip("."), []).append(each["value"])
        return found

    def report(self, command: str = "") -> Page:
        """The page of all rankings: a table of the values, and the candidates of each value.

        Parameters
        ----------
        command : the command line that makes the same report
        """
        from onesided import reporting  # noqa: PLC0415 - it loads Altair

        return reporting.Page(reporting.summarize_each(self, command))


@dataclass(frozen=True)
class EachProblem:
    """A table, and the species (or other value) that each row records.

    Attributes
    ----------
    problem : the table, in which no row is positive yet
    values : the value that each row records, shape (n_rows,); "" for a row that records no value
    background : as for `rank_table`

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np, pandas as pd
    >>> from onesided.ranking import read_each
    >>> kinds = np.repeat(["owl", "jay", ""], [6, 8, 16])
    >>> table = pd.DataFrame({"wet": np.random.default_rng(0).normal(size=30), "species": kinds})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table.to_csv(f"{folder}/records.csv", index=False)
    ...     given = read_each(f"{folder}/records.csv", "species")
    >>> owls = given.problem_of("owl")  # the records of owls are positive
    >>> int(owls.positive.sum()), owls.summary.used
    (6, ['wet'])
    """

    problem: Problem
    values: list[str]
    background: Borrowed | None = None

    def problem_of(self, value: str) -> Problem:
        """The table with the rows that record one value as positive rows.

        Parameters
        ----------
        value : one of `values`

        Raises
        ------
        DataError : if too few rows record another value for a background
        """
        positive = np.array([each == value for each in self.values])
        background = None
        if self.background is not None:
            others = [() if own else each for own, each in zip(positive, self._labels, strict=True)]
            background = borrow(self.problem.label, value, others, positive, self._kinds)
        places = self.problem.places
        if places is not None and places.blocks is not None:
            places = with_blocks(self.problem.data, places, positive)
        return replace(self.problem, positive=positive, background=background, places=places)

    @cached_property
    def _labels(self) -> list[tuple[str, ...]]:
        """For each row the value that it records, if this is a label."""
        return [(value,) if is_label(value) else () for value in self.values]

    @cached_property
    def _kinds(self) -> Ints | None:
        """A number for each row, the same for rows that are equal in all columns used."""
        return row_kinds(self.problem.data, self.problem.summary)

    @property
    def sentences(self) -> tuple[str, ...]:
        """How many rows and columns were read, and how they are used, in words."""
        problem, n_records = self.problem, sum(map(bool, self.values))
        without = "background" if self.background is None else "no record"
        return (
            size_sentence(problem.name, problem.data),
            f"  records       {n_records:>9,}  (column {problem.label})",
            f"  {without:<13}{len(self.values) - n_records:>10,}",
            *[_BORROWED] * (self.background is not None),
            *problem.summary.sentences,
            *([] if problem.places is None else [problem.places.sentence]),
            *problem.summary.dropped_sentences,
        )


@takes_names
def read_each(  # noqa: PLR0913 - each says how one thing is read
    table: str | PathLike[str],
    column: str,
    *,
    positive: str | None = None,
    identifier: str | None = None,
    group: str | None = None,
    space: str | None = None,
    drop: Sequence[str] | None = None,
    categorical: Sequence[str] | None = None,
    number: Sequence[str] | None = None,
    text: Sequence[str] | None = None,
    missing: Sequence[str] | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
    background: Borrowed | None = None,
    show: Sequence[str] | None = None,
) -> EachProblem:
    """Read a table for `rank_each`: the rows with each value of a column will be positive in turn.

    Parameters
    ----------
    table : path of a file or folder, in any format that onesided reads
    column : the column whose values are positive in turn
    positive : column of labels; only positive rows record a value
    identifier, group, space, drop, categorical, number, text, missing, delimiter, sheet,
        background, show : as for `rank_table`

    Raises
    ------
    TableError : if the table cannot be read, or `column` holds marks (yes and no) in place of names

    Warns
    -----
    LeakWarning : if a column separates the rows that record a value from the other rows

    Examples
    --------
    >>> import numpy as np, pandas as pd, tempfile
    >>> from pathlib import Path
    >>> rng = np.random.default_rng(0)
    >>> kinds = np.repeat(["owl", "jay", ""], [30, 30, 140])
    >>> wet = rng.normal(size=200).round(3) + 2.0 * (kinds == "owl")
    >>> path = Path(tempfile.mkdtemp()) / "records.csv"
    >>> pd.DataFrame({"wet": wet, "species": kinds}).to_csv(path, index=False)
    >>> from onesided.ranking import read_each
    >>> given = read_each(path, "species")
    >>> given.sentences
    ('records.csv: 200 rows, 2 columns', '  records              60  (column species)', '
    background          140', '  columns: 1 of numbers; 0.0 % of the cells are missing')
    """
    check_one_split(time=None, group=group, space=space)
    path = Path(table)
    marks = label_columns(positive) if positive else []
    as_text = [*marks, *filter(None, (column, identifier, group))]
    rows = read_rows(path, delimiter=delimiter, sheet=sheet, as_text=as_text, missing=missing or ())
    identifier = identifier or rows.identifier
    data = without_cells(rows.data, [*marks, *filter(None, (column, group))], missing or ())
    named = [find_key(data, name) for name in (column, group, identifier) if name]
    cells = values_of(data.column(column))
    values = ["" if one_text(cell) in MISSING_MARKS else str(cell).strip() for cell in cells]
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
        number=number or (),
        text=text or (),
        one_text=rows.text,
        aside=rows.aside,
    )
    places, summary = find_places(data, space, summary)
    warn_of_codes(data, summary)
    is_any = np.array([bool(value) for value in values])
    if is_any.any() and not is_any.all():
        warn_of_leaks(data, is_any, summary)
    nobody = np.zeros(len(values), dtype=bool)
    name = path.resolve().name
    places = judged_by(places, data, is_any, by=group, space=space, background=background)
    shown = find_shown(
        data,
        show or (),
        without={*named, find_titles(data, without=named), *(places.names if places else ())},
        references=summary.is_one_text,
    )
    problem = Problem(
        name,
        data,
        column,
        nobody,
        nobody,
        summary,
        group or "",
        identifier,
        places=places,
        show=shown,
    )
    return EachProblem(problem, values, background)


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
    """For each value in turn, rank the rows that do not record this value.

    Parameters
    ----------
    given : the table that `read_each` read
    methods, class_prior, random_state : as for `rank_table`
    top : number of candidates to list for each value; None lists all candidates
    on_progress : called with the stage, the number of finished values, and the number of all values
    on_value : called with each value that has a ranking, when the ranking is finished

    Raises
    ------
    DataError : if an argument is of another type or out of its range
    TableError : if no value has enough records

    Examples
    --------
    >>> import numpy as np, pandas as pd, tempfile
    >>> from pathlib import Path
    >>> rng = np.random.default_rng(0)
    >>> kinds = np.repeat(["owl", "jay", ""], [30, 30, 140])
    >>> wet = rng.normal(size=200).round(3) + 2.0 * (kinds == "owl")
    >>> path = Path(tempfile.mkdtemp()) / "records.csv"
    >>> pd.DataFrame({"wet": wet, "species": kinds}).to_csv(path, index=False)
    >>> from onesided.ranking import rank_each, read_each
    >>> found = rank_each(read_each(path, "species"), methods=["naive-bayes"])
    >>> [each["value"] for each in found.values]
    ['jay', 'owl']
    """
    check_object(given, "given", EachProblem, by="onesided.ranking.read_each")
    deciding = {"methods": methods, "class_prior": class_prior, "random_state": random_state}
    check_arguments({**deciding, "top": top})
    counts = sorted(Counter(filter(None, given.values)).items())
    parts: list[pa.Table] = []
    values: list[RankedValue] = []
    left_out: list[LeftOutValue] = []
    step = step_of(on_progress, "ranking by each value")
    with gathered_warnings() as notes:
        for done, (value, n_positive) in enumerate(counts):
            step(done, len(counts))
            if n_positive < _FEWEST:
                why = f"fewer than {_FEWEST} records"
                left_out.append(LeftOutValue(value=value, n_positive=n_positive, why=why))
                continue
            try:
                told, ranking = _rank_by(value, n_positive, given, deciding)
            except (DataError, LabelError) as error:  # all of one group, for example
                why = error.problem
                left_out.append(LeftOutValue(value=value, n_positive=n_positive, why=why))
                continue
            values.append(told)
            parts.append(ranking.slice(0, top) if top else ranking)
            if on_value is not None:
                on_value(told)
    found = RankedEach(
        pa.concat_tables(parts) if parts else pa.table({}),
        values,
        left_out,
        tuple(notes),
        given.background,
        given.problem.name,
        given.problem.label,
    )
    if not parts:
        raise TableError(
            f"No value of column {given.problem.label!r} has enough records to rank by"
            f"{': ' * bool(left_out)}{'; '.join(found.left_out_by_reason)}.",
            f"Pass a column with values that have {_FEWEST} records or more: "
            f"{argument('positive_each')}.",
        )
    return found


def _rank_by(
    value: str, n_positive: int, given: EachProblem, deciding: dict[str, Any]
) -> tuple[RankedValue, pa.Table]:
    """Rank for one value, which the first column of the ranking repeats."""
    problem = given.problem_of(value)
    plan = plan_ranking(problem, **deciding)
    found = plan.compare()
    scored, best = cross_fitted(plan, found), found.taken
    placed, _ = hidden_among_all(plan, found)
    if not isinstance(placed, PlacedPositives):
        placed = place(placed, scored)
    beside = {name: cells[scored.rows] for name, cells in problem.beside.items()}
    candidates = Candidates.of(scored, placed, scored)
    ranking = candidates.table(problem.ids, problem.identifier, beside)
    name = problem.label
    name = f"{name} (positive)" if name in ranking.column_names else name
    told = RankedValue(
        value=value,
        n_positive=n_positive,
        n_unlabeled=len(given.values) - n_positive,
        method=found.best_,
        auc=best["hidden_positive_auc"],
        auc_low=best["auc_low"],
        auc_high=best["auc_high"],
    )
    if problem.background is not None:
        told["n_background"] = problem.background.n_rows
    return told, ranking.add_column(0, name, pa.array([value] * ranking.num_rows, pa.string()))
