"""`onesided compare`: methods side by side, on one table or several."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from onesided._notes import gathered_warnings
from onesided.cli._options import (
    LEARNING,
    Categorical,
    Cluster,
    Delimiter,
    Drop,
    ForSpreadsheet,
    Group,
    Identifier,
    Methods,
    Positive,
    PositiveTable,
    Prior,
    Seed,
    Text,
    Workers,
    check_table,
)
from onesided.cli._prepare import prepare
from onesided.cli._results import CompareResult
from onesided.cli._run import current_run, verb
from onesided.cli._talk import say, warn
from onesided.exceptions import TableError, naming

if TYPE_CHECKING:
    import pyarrow as pa

    from onesided.model_selection import Comparison, TaskComparison

_PICTURE_ENDINGS = (".svg", ".png")


@verb
def compare(  # noqa: PLR0913 - each is an option
    table: Annotated[
        list[Path],
        typer.Argument(
            help="Files or folders of any format that rank reads.",
            metavar="TABLE",
        ),
    ],
    positive: Positive = "",
    positive_table: PositiveTable = None,
    id_column: Identifier = "",
    method: Methods = None,
    group: Group = "",
    drop: Drop = None,
    categorical: Categorical = None,
    text: Text = None,
    folds: Annotated[
        int,
        typer.Option(
            help="Parts of the positives, each hidden in turn; one fit a part and method.",
            min=2,
            metavar="N",
            rich_help_panel=LEARNING,
        ),
    ] = 5,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Results to write, .csv, .tsv or .parquet. Default: TABLE-comparison.csv, or "
            "comparison.csv of several tables, here.",
            metavar="FILE",
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(help="Picture of the AUCs to write, .svg or .png.", metavar="FILE"),
    ] = None,
    class_prior: Prior = None,
    workers: Workers = None,
    cluster: Cluster = None,
    for_spreadsheet: ForSpreadsheet = False,  # noqa: FBT002 - typer makes it a flag
    delimiter: Delimiter = None,
    seed: Seed = 0,
) -> None:
    """Compare methods on the known positives, hidden in turn among the unlabeled.

    Of each method it says:

    - the hidden-positive AUC, the share of the unlabeled that a hidden positive stands above, on
      average, with its standard error; 0.5 is chance, 1 the best;
    - the criterion of Lee and Liu with its 95 % interval: precision x recall / share of positives,
      all among the unlabeled; to call all rows positive has 1, and higher is better;
    - the p-value of a paired test that its AUC is that of the best;
    - its time.

    Several tables are several tasks; a summary of them follows, and the methods are those that
    suit all of them.

    Example:

    **onesided compare genes.csv --positive known_target --drop gene --plot auc.svg**
    """
    from onesided import tables  # noqa: PLC0415 - help does not pay for it
    from onesided.model_selection import (  # noqa: PLC0415
        PositiveKFold,
        TaskComparison,
        fits_elsewhere,
    )

    run = current_run()
    named = _tasks(table)
    alone = len(named) == 1
    out = out or Path(f"{next(iter(named))}-comparison.csv" if alone else "comparison.csv")
    check_table(out, table, safe=for_spreadsheet)
    if plot:
        _check_picture(plot, table)
    given, rankers = {}, {}
    for task, path in named.items():
        with _speaking_of("" if alone else task):
            given[task] = prepare(
                path,
                positive,
                folds=PositiveKFold(folds, random_state=seed),
                positive_table=positive_table,
                id_column=id_column,
                group=group,
                drop=drop,
                categorical=categorical,
                text=text,
                delimiter=delimiter,
            )
            rankers[task] = given[task].rankers(method or [], class_prior, seed)
    suited = [
        name for name in next(iter(rankers.values())) if all(name in of for of in rankers.values())
    ]
    found: dict[str, Comparison] = {}
    for task in named:
        if not alone:
            say(f"{task}:")
        with _speaking_of("" if alone else task), fits_elsewhere(workers, cluster):
            wanted = {name: rankers[task][name] for name in suited}
            found[task] = given[task].compare(wanted)
        _say_comparison(found[task])
    together = TaskComparison.of(
        {task: each.hidden for task, each in found.items()},
        {task: each.seconds for task, each in found.items()},
    )
    if not alone:
        _say_tasks(together)
    results = _results(found).drop_columns("seconds")  # no two runs take the same
    writers: dict[Path, Callable[[Path], None]] = {
        out: partial(tables.write_table, results, format_path=out, for_spreadsheet=for_spreadsheet)
    }
    written = {"results": out}
    if plot:
        chart = next(iter(found.values())).plot() if alone else together.plot()
        writers[plot] = lambda path: chart.save(str(path), format=plot.suffix[1:].lower())
        written["picture"] = plot
    run.write(writers)
    if plot:
        say(f"Picture: {plot}")
    run.end("Results:", str(out), _result(found, together), written)


def _check_picture(plot: Path, sources: Iterable[Path]) -> None:
    """Refuse before the work a picture that cannot be drawn or written after it."""
    from onesided import tables  # noqa: PLC0415 - help does not pay for it
    from onesided.reporting import check_drawable  # noqa: PLC0415 - only a picture needs Altair

    for path in sources:
        tables.check_writable(plot, _PICTURE_ENDINGS, source=path)
    check_drawable()


def _tasks(paths: Sequence[Path]) -> dict[str, Path]:
    """Names of the tasks: those of the tables, or whole paths where two have one name."""
    from onesided import tables  # noqa: PLC0415

    for name in (tables.table_name, str):
        named = {name(path): path for path in paths}
        if len(named) == len(paths):
            return named
    twice = next(path for path in paths if paths.count(path) > 1)
    raise TableError(f"The table {str(twice)!r} is given twice.", "Name each table once.")


@contextmanager
def _speaking_of(task: str) -> Iterator[None]:
    """Begin what goes wrong, and each warning, with the name of the task if it has one."""
    with naming(task), gathered_warnings() as notes:
        yield
    start = f"{task}: " if task else ""
    for note in notes:
        warn(f"{start}{note}")


def _results(found: "dict[str, Comparison]") -> "pa.Table":
    """The rows of all tasks below each other, the task in front."""
    import pyarrow as pa  # noqa: PLC0415

    parts = [comparison.to_frame("pyarrow") for comparison in found.values()]
    tasks = [task for task, part in zip(found, parts, strict=True) for _ in range(part.num_rows)]
    return pa.concat_tables(parts).add_column(0, "task", pa.array(tasks))


def _result(found: "dict[str, Comparison]", together: "TaskComparison") -> CompareResult:
    """All of it, for --json."""
    return {
        "tasks": [
            {
                "name": task,
                "n_positive": len(comparison.hidden[comparison.best_].ranks),
                "n_unlabeled": comparison.hidden[comparison.best_].n_unlabeled,
                "best": comparison.best_,
                "methods": comparison.to_frame("pyarrow").to_pylist(),
            }
            for task, comparison in found.items()
        ],
        "best": together.best_,
        "methods": together.summary("pyarrow").to_pylist() if len(found) > 1 else [],
    }


def _say_comparison(found: "Comparison") -> None:
    lines = [
        (
            row["method"],
            f"{row['hidden_positive_auc']:.3f} ± {row['auc_standard_error']:.3f}",
            f"{row['lee_liu']:.2f} ({row['lee_liu_low']:.2f} to {row['lee_liu_high']:.2f})",
            _p_value(row["p_value_against_best"], best=row["method"] == found.best_),
            f"{row['seconds']:.1f}",
        )
        for row in found.to_frame("pyarrow").to_pylist()
    ]
    _say_lines(["method", "AUC ± error", "Lee-Liu (95 %)", "p against best", "seconds"], lines)


def _say_tasks(found: "TaskComparison") -> None:
    against = {
        row["method"]: row["wilcoxon_p"]
        for row in found.pairwise("pyarrow").to_pylist()
        if row["other"] == found.best_
    }
    rows = found.summary("pyarrow").to_pylist()
    lines = [
        (
            row["method"],
            f"{row['auc_mean']:.3f} ± {row['auc_sd']:.3f}",
            f"{row['place_mean']:.1f}",
            _figure(row["lee_liu_share"], ".2f"),
            _p_value(against.get(row["method"], float("nan")), best=row["method"] == found.best_),
            f"{row['seconds']:.1f}",
        )
        for row in sorted(rows, key=lambda row: -row["auc_mean"])
    ]
    say(f"All {len(found.tasks)} tables:")
    _say_lines(
        ["method", "AUC ± deviation", "place", "Lee-Liu / best", "p against best", "seconds"], lines
    )


def _p_value(value: float, *, best: bool) -> str:
    if best:
        return "best"
    return _figure(value, ".3g")


def _figure(value: float, form: str) -> str:
    return "-" if isnan(value) else format(value, form)


def _say_lines(head: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    """A table whose first column is text and the others figures."""
    columns = zip(head, *lines, strict=True)
    widths = [max(map(len, column)) for column in columns]
    for first, *others in (head, *lines):
        cells = [f"{cell:>{width}}" for cell, width in zip(others, widths[1:], strict=True)]
        say("  ".join([f"  {first:<{widths[0]}}", *cells]))
