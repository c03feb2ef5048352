"""`onesided rank --positive-each`: each value of a column is positive in turn."""

import shlex
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypedDict

import typer

from onesided._notes import gathered_warnings
from onesided.cli._completion import complete_column
from onesided.cli._options import say_columns, say_dropped, say_size
from onesided.cli._prepare import Prepared, as_groups
from onesided.cli._run import current_run
from onesided.cli._talk import progress, say, warn
from onesided.exceptions import DataError, LabelError, TableError

if TYPE_CHECKING:
    import pyarrow as pa

_FOLDS = 5
_VALUES = {
    "--report": " report.html",
    "--gains": " gains.csv",
    "--recall": " 0.95",
    "--scenario": " case-control",
}
"""What a person may write after an option."""
_FEWEST = 5  # records of a value that is ranked by; each is then hidden alone

PositiveEach: TypeAlias = Annotated[
    str,
    typer.Option(
        help="Take each value of a column in turn for positive, each species for example; the "
        "rows of the others, and blank ones, are unlabeled. With --positive only rows that are "
        "positive there are records of a value.",
        metavar="COLUMN",
        autocompletion=complete_column,
    ),
]


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


class EachResult(TypedDict):
    """Of `onesided rank --positive-each`."""

    form: Literal["each"]
    column: str
    values: list[RankedValue]
    left_out: list[LeftOutValue]


@dataclass(frozen=True)
class Each:
    """What was asked for.

    Attributes
    ----------
    column : whose values are positive in turn
    positive, id_column, group, drop, categorical, text, method, class_prior, top, delimiter, seed,
    for_spreadsheet : as the options say
    """

    column: str
    positive: str
    id_column: str
    group: str
    drop: Collection[str]
    categorical: Collection[str]
    text: Collection[str]
    method: Sequence[str]
    class_prior: float | None
    top: int | None
    delimiter: str | None
    seed: int
    for_spreadsheet: bool

    def rank(
        self,
        table: Path,
        out: Path,
        workers: int | None,
        cluster: str | None,
        *,
        beside: Mapping[str, object],
    ) -> None:
        """Rank the other rows by each value, and write one table.

        Parameters
        ----------
        table, out, workers, cluster : as the options say
        beside : values of options that are about one ranking, by name

        Raises
        ------
        TableError : if one of these is given, or no value has enough records
        """
        import pyarrow as pa  # noqa: PLC0415 - help does not pay for it

        from onesided import tables  # noqa: PLC0415
        from onesided.model_selection import fits_elsewhere  # noqa: PLC0415

        _refuse_beside(beside, self.column)
        rankings: list[pa.Table] = []
        result = EachResult(form="each", column=self.column, values=[], left_out=[])
        with gathered_warnings() as notes, fits_elsewhere(workers, cluster):
            given, values = self._read(table)
            counts = sorted(Counter(value for value in values if value).items())
            with progress("ranking by each value") as step:
                for done, (value, n_positive) in enumerate(counts):
                    step(done, len(counts))
                    left_out = LeftOutValue(
                        value=value, n_positive=n_positive, why=f"fewer than {_FEWEST} records"
                    )
                    try:
                        found = None
                        if n_positive >= _FEWEST:
                            found, ranking = self._rank_by(value, given, values)
                    except (DataError, LabelError) as error:  # all of one group, for example
                        left_out["why"] = error.problem
                    if found is None:
                        result["left_out"].append(left_out)
                    else:
                        result["values"].append(found)
                        rankings.append(ranking)
                        _say_value(found)
        for note in notes:
            warn(note)
        _say_left_out(result["left_out"])
        if not rankings:
            raise TableError(
                f"No value of column {self.column!r} can be ranked by.",
                f"Pass a column with values that have {_FEWEST} records or more: --positive-each.",
            )
        writers: dict[Path, Callable[[Path], None]] = {
            out: partial(
                tables.write_table,
                pa.concat_tables(rankings),
                format_path=out,
                for_spreadsheet=self.for_spreadsheet,
            )
        }
        current_run().write(writers)
        current_run().end("Rankings:", str(out), result, {"ranking": out})

    def _read(self, table: Path) -> tuple[Prepared, list[str]]:
        """The table, and of each row the value that it is a record of, empty for none."""
        import numpy as np  # noqa: PLC0415 - help does not pay for it

        from onesided import tables  # noqa: PLC0415
        from onesided.model_selection import PositiveKFold  # noqa: PLC0415

        marks = tables.label_columns(self.positive) if self.positive else []
        as_text = [*marks, *filter(None, (self.column, self.id_column, self.group))]
        rows = tables.read_rows(table, delimiter=self.delimiter, as_text=as_text)
        identifier = self.id_column or rows.identifier
        named = [tables.find_key(rows.data, name) for name in (self.column, self.group) if name]
        if identifier:
            named.append(tables.find_key(rows.data, identifier))
        values = [
            "" if cell is None else str(cell).strip()
            for cell in rows.data.column(self.column).to_pylist()
        ]
        if tables.are_marks(values):
            raise TableError(
                f"Column {self.column!r} marks rows, with "
                f"{' and '.join(map(repr, sorted({*values} - {''})))}, and names nothing.",
                f"Rank by it alone: --positive {shlex.quote(self.column)}.",
            )
        if self.positive:
            label, is_record = tables.read_labels(rows.data, self.positive, lists=rows.lists)
            named.append(label)
            values = [value * bool(of) for value, of in zip(values, is_record, strict=True)]
        summary = tables.describe(
            rows.data,
            without=named,
            drop=self.drop,
            categorical=self.categorical,
            text=[*self.text, *rows.text],
            aside=rows.aside,
        )
        is_any = np.array([bool(value) for value in values])
        say_size(table, rows.data)
        say(f"  records       {is_any.sum():>9,}  (column {self.column})")
        say(f"  background    {(~is_any).sum():>9,}")
        say_columns(summary)
        say_dropped(summary)
        if is_any.any() and not is_any.all():
            tables.warn_of_leaks(rows.data, is_any, summary)
        folds = PositiveKFold(_FOLDS, random_state=self.seed)
        groups = as_groups(rows.data.column(self.group)) if self.group else None
        nobody = np.zeros(len(values), dtype=bool)
        given = Prepared(rows.data, self.column, nobody, nobody, summary, groups, folds, identifier)
        return given, values

    def _rank_by(
        self, value: str, base: Prepared, values: list[str]
    ) -> "tuple[RankedValue, pa.Table]":
        import numpy as np  # noqa: PLC0415 - help does not pay for it
        import pyarrow as pa  # noqa: PLC0415

        from onesided import tables  # noqa: PLC0415
        from onesided.model_selection import unlabeled_out_of_fold_scores as cross_fit_scores  # noqa: PLC0415

        given = replace(base, positive=np.array([each == value for each in values]))
        rankers = given.rankers(self.method, self.class_prior, self.seed)
        found = given.compare_unseen(rankers)
        scored = cross_fit_scores(
            rankers[found.best_],
            given.features,
            given.positive,
            cv=_FOLDS,
            random_state=self.seed,
        )
        best: dict[str, Any] = found.to_frame("pyarrow").slice(0, 1).to_pylist()[0]
        ranking = tables.ranking_table(
            given.ids, given.identifier or "row", scored, found.hidden[found.best_]
        )
        if self.top:
            ranking = ranking.slice(0, self.top)
        name = f"{self.column} (positive)" if self.column in ranking.column_names else self.column
        of_value = pa.array([value] * ranking.num_rows, pa.string())
        told = RankedValue(
            value=value,
            n_positive=int(given.positive.sum()),
            n_unlabeled=int((~given.positive).sum()),
            method=found.best_,
            auc=best["hidden_positive_auc"],
            auc_low=best["auc_low"],
            auc_high=best["auc_high"],
        )
        return told, ranking.add_column(0, name, of_value)


def _refuse_beside(others: Mapping[str, object], column: str) -> None:
    """Refuse options that are of one ranking.

    Parameters
    ----------
    others : values of the options, by name
    column : whose values are positive in turn

    Raises
    ------
    TableError : with the first that is given
    """
    for name, value in others.items():
        if value:
            raise TableError(
                f"{name} is about one ranking, and --positive-each makes several.",
                f"Leave {name} out, or rank by one value at a time: --positive "
                f"{shlex.quote(column + '=NAME')} {name}{_VALUES.get(name, '')}.",
            )


def _say_value(found: RankedValue) -> None:
    say(
        f"  {found['value']:<24} {found['n_positive']:>6,} records  AUC {found['auc']:.3f} "
        f"({found['auc_low']:.3f} to {found['auc_high']:.3f})  {found['method']}"
    )


def _say_left_out(left_out: list[LeftOutValue]) -> None:
    """Names of the values that are not ranked by, those of one reason together."""
    by_reason: dict[str, list[str]] = {}
    for each in left_out:
        by_reason.setdefault(each["why"].rstrip("."), []).append(each["value"])
    for reason, values in by_reason.items():
        say(f"  left out {', '.join(values)}: {reason}")
