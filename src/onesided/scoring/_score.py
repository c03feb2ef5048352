"""Score a table of any size by a model."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import pyarrow as pa

from onesided._files._find import as_path, find_files
from onesided._files._formats import own_folder
from onesided._files._names import takes_names
from onesided._files._rows import as_table
from onesided._text import argument, counted
from onesided._typing import OnProgress
from onesided._validation import check_arguments, check_object
from onesided.exceptions import TableError, gathered_warnings
from onesided.scoring._model_file import Model, load_model
from onesided.scoring._outcome import (
    Scored,
    count_alerts,
    find_drift,
    place_positives,
    put_together,
)
from onesided.scoring._parts import n_rows_read
from onesided.scoring._plan import Scoring, check_parts_folder, is_one_file, scoring_of
from onesided.scoring._run import score_parts
from onesided.tables import RANKING_ENDINGS, check_for_spreadsheet, check_writable, write_files
from onesided.tables._table_file import table_file
from onesided.tables._write import write_parts

_MOST_NAMED = 5  # number of unused columns that are named

_SMALL = 100_000  # bytes; a size below is shown in kB


@dataclass(frozen=True)
class ScoringPlan:
    """A table, a model, and the settings of a run that scores the table.

    Attributes
    ----------
    model : the model that scores
    scoring : the files of the table, and the folder of the parts
    out : file or folder for the scores; None keeps the scores in memory
    n_merged : number of duplicate records that were left out
    top, for_spreadsheet, n_workers, cluster : as for `score_table`

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np, pandas as pd
    >>> from onesided.scoring import fit_table, plan_scoring
    >>> rng, known = np.random.default_rng(0), np.arange(60) < 15
    >>> table = pd.DataFrame({"size": rng.normal(size=60) + known, "known": known})
    >>> model = fit_table(table, "known", methods=["naive-bayes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table.to_csv(f"{folder}/sizes.csv", index=False)
    ...     with plan_scoring(model, f"{folder}/sizes.csv", f"{folder}/scores.csv") as plan:
    ...         print(plan.sentences[0])
    Model: naive Bayes, learned from 60 rows
    """

    model: Model
    scoring: Scoring
    out: Path | None
    n_merged: int
    top: int | None
    for_spreadsheet: bool
    n_workers: int | None
    cluster: str | None

    @property
    def sentences(self) -> tuple[str, ...]:
        """Which table is scored by which model, in words."""
        model, scoring = self.model, self.scoring
        merged = f"  duplicate records left out: {self.n_merged:,}"
        n_files = len(scoring.inputs)
        size = sum(each.size for each in scoring.inputs)
        unused = scoring.unused
        more = f" and {len(unused) - _MOST_NAMED} more" if len(unused) > _MOST_NAMED else ""
        not_used = (
            f"  columns not used: {', '.join(unused[:_MOST_NAMED])}{more}; the model did not "
            "learn from them"
        )
        return (
            *[merged] * bool(self.n_merged),
            f"Model: {model}",
            f"Table: {counted(n_files, 'file')}, {_in_bytes(size)}",
            f"  identifier: {scoring.identifier or 'row numbers'}",
            *[not_used] * bool(unused),
        )

    @property
    def kept_folder(self) -> Path | None:
        """Folder of the parts, which the same call finishes after an interruption.

        None if the run keeps no such folder.
        """
        folder = self.scoring.folder
        return folder if self.out is not None and folder == self.out.resolve() else None

    def run(self, on_progress: OnProgress | None = None) -> Scored:
        """Score the table.

        Parameters
        ----------
        on_progress : called with the stage, the number of bytes that are scored, and the number of
            all bytes

        Raises
        ------
        TableError : if the folder holds other scores, or a file cannot be read or written
        """
        began = time.monotonic()
        parts, n_scored = score_parts(
            self.scoring,
            self.model,
            on_progress or (lambda *_: None),
            n_workers=self.n_workers,
            cluster=self.cluster,
        )
        seconds = time.monotonic() - began
        n_rows = sum(part.rows for part in parts)
        paths = [self.scoring.folder / part.name for part in parts]
        drift = find_drift(self.model, paths)
        placed = place_positives(paths, n_rows) if self.scoring.positive else None
        table = None if self.kept_folder else self._put_together(paths)
        n_blank = n_rows_read(paths) - n_rows
        notes = [f"Rows without any cell, left out: {n_blank:,}."] * (n_blank > 0)
        if self.scoring.positive and placed is None:
            notes.append(
                f"Column {self.scoring.label!r} does not mark both positive and unlabeled "
                "rows, so the scores cannot be judged and no gains table is written."
            )
        alerts = self.model.alerts
        return Scored(
            n_rows,
            n_scored,
            seconds,
            drift,
            placed,
            tuple(notes),
            self.out,
            table,
            n_alerts=None if alerts is None else count_alerts(paths),
            alert_share=None if alerts is None else alerts.share,
        )

    def _put_together(self, parts: list[Path]) -> pa.Table | None:
        """Write all parts into one file; without a file, return them as one table."""
        schema, tables = put_together(parts, self.top)
        if self.out is None:
            return pa.concat_tables([schema.empty_table(), *tables])
        writer: Callable[[Path], None] = partial(
            write_parts,
            tables,
            schema,
            format_path=self.out,
            for_spreadsheet=self.for_spreadsheet,
        )
        write_files({self.out: writer})
        return None


@takes_names
@contextmanager
def plan_scoring(  # noqa: PLR0913 - each says how one thing is done
    model: Model,
    table: str | PathLike[str] | Any,
    out: str | PathLike[str] | None = None,
    *,
    identifier: str = "",
    positive: str = "",
    top: int | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
    n_workers: int | None = None,
    cluster: str | None = None,
    for_spreadsheet: bool = False,
) -> Iterator[ScoringPlan]:
    """Plan the scoring of a table; an impossible request raises an error before the work begins.

    Parameters
    ----------
    model, table, out, identifier, positive, top, delimiter, sheet, n_workers, cluster,
    for_spreadsheet : as for `score_table`

    Yields
    ------
    the plan; call `ScoringPlan.run` inside the ``with`` block

    Raises
    ------
    TableError : if there is nothing to read, or the scores cannot be written

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> known = np.arange(300) < 60
    >>> size = (rng.normal(size=300) + 2 * known).round(3)
    >>> table = pd.DataFrame({"size": size, "known": known})
    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = Path(tempfile.mkdtemp())
    >>> table.to_csv(folder / "sizes.csv", index=False)
    >>> from onesided.scoring import fit_table, plan_scoring
    >>> model = fit_table(table, "known", methods=["naive-bayes"])
    >>> with plan_scoring(model, folder / "sizes.csv", folder / "scores.csv") as plan:
    ...     scored = plan.run()
    >>> scored.n_rows
    300
    """
    check_object(model, "model", Model, by="onesided.scoring.fit_table")
    target = None if out is None else as_path(out, "out")
    in_one = target is None or is_one_file(target)
    if n_workers and cluster:
        either, other = argument("n_workers"), argument("cluster")
        raise TableError(f"{either} and {other} cannot be used together.", "Pass one of them.")
    n_workers = None if n_workers == 1 else n_workers  # this process
    if (n_workers or cluster) and model.path is None:
        raise TableError(
            "Other processes read the model from a file, but this model is not in a file.",
            "Save the model, then load it: load_model(PATH).",
        )
    if top and not in_one:
        raise TableError(
            f"{argument('top')} writes one list, but {str(out)!r} is not the name of a file.",
            f"Pass a name that ends in {' or '.join(RANKING_ENDINGS)}: {argument('out')}.",
        )
    if for_spreadsheet and target is not None:
        check_for_spreadsheet(target)
    with ExitStack() as stack:
        given = stack.enter_context(table_file(table))
        made = stack.enter_context(own_folder())
        path, n_merged = as_table(given, made)
        if cluster and (path != given or not isinstance(table, str | PathLike)):
            raise TableError(
                f"The workers of {cluster} cannot read {given.name!r}, because this "
                "file must first be converted on this machine.",
                f"Score it on this machine, without {argument('cluster')}.",
            )
        files = find_files(path, delimiter, sheet, model.missing)
        scoring = scoring_of(model, path, files, made, identifier=identifier, positive=positive)
        if target is None or in_one:
            if target is not None:
                for source in (given, path):
                    check_writable(target, RANKING_ENDINGS, source=source)
            beside = tempfile.TemporaryDirectory(
                prefix=".onesided-", suffix=".parts", dir=target and target.resolve().parent
            )
            folder = Path(stack.enter_context(beside))
        else:
            check_parts_folder(target, path)
            folder = target.resolve()
        yield ScoringPlan(
            model,
            replace(scoring, folder=folder),
            target,
            n_merged,
            top,
            for_spreadsheet,
            n_workers,
            cluster,
        )


def score_table(  # noqa: PLR0913 - each says how one thing is done
    model: Model | str | PathLike[str],
    table: str | PathLike[str] | Any,
    out: str | PathLike[str] | None = None,
    *,
    identifier: str = "",
    positive: str = "",
    top: int | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
    n_workers: int | None = None,
    cluster: str | None = None,
    for_spreadsheet: bool = False,
    on_progress: OnProgress | None = None,
) -> Scored:
    """Score the rows of a table of any size by a model.

    If the scores are written, memory does not depend on the number of rows. If `out` is a folder,
    the same call continues after an interruption and finishes the folder.

    Parameters
    ----------
    model : the model, or the path of its file
    table : path of a file or folder in any known format, or a data frame (pandas, polars or
        pyarrow)
    out : a .csv, .tsv, .xlsx or .parquet file; or a folder, which gets a Parquet file for each
        part of the table; None keeps the scores in memory for `Scored.to_frame`
    identifier : column that names the rows; by default the identifier of the model if the table has
        it, and otherwise rows are numbered from 1
    positive : column of labels that are known by now, as for `read_problem`. The labels judge the
        scores and are written beside the scores
    top : number of rows with the highest scores to keep, in descending order and with their ranks
    delimiter : character between the cells of a CSV file; by default found in its first lines
    sheet : name of a sheet of a workbook; by default the first
    n_workers : number of processes that score on this machine; more than one needs onesided[dask].
        By default, and with 1, the current process scores
    cluster : address of a Dask scheduler whose workers see the files by the same paths
    for_spreadsheet : whether a spreadsheet must be able to open a .csv or .tsv file safely
    on_progress : called with the stage, the number of bytes of the table that are scored, and the
        number of all bytes

    Raises
    ------
    TableError : if the table or the model cannot be read, a column is missing or of another type,
        or the scores cannot be written
    DataError : if Dask is not installed, or there is no scheduler at the address

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from onesided.scoring import fit_table, score_table
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame({"size": rng.normal(size=60), "known": np.arange(60) < 20})
    >>> table["size"] += 2 * table["known"]
    >>> model = fit_table(table, "known", methods=["naive-bayes"])
    >>> score_table(model, table, top=3).to_frame().columns.tolist()
    ['row', 'rank', 'score', 'share_below']
    """
    check_arguments(locals())
    with gathered_warnings() as notes:
        if not isinstance(model, Model):
            model = load_model(as_path(model, "model"))
        with plan_scoring(
            model,
            table,
            out,
            identifier=identifier,
            positive=positive,
            top=top,
            delimiter=delimiter,
            sheet=sheet,
            n_workers=n_workers,
            cluster=cluster,
            for_spreadsheet=for_spreadsheet,
        ) as plan:
            scored = plan.run(on_progress)
    return replace(scored, notes=(*notes, *scored.notes))


def _in_bytes(size: int) -> str:
    """A size in the unit that people would choose: 12.3 kB, 1.2 MB."""
    return f"{size / 1e3:,.1f} kB" if size < _SMALL else f"{size / 1e6:,.1f} MB"
