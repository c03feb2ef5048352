"""`onesided compare`: methods side by side, on one table or several."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from onesided.cli._options import (
    Categorical,
    Cluster,
    Delimiter,
    Drop,
    Group,
    Methods,
    Positive,
    Prior,
    Seed,
    Text,
    Workers,
)
from onesided.cli._prepare import prepare
from onesided.cli._talk import gathered_warnings, reports_errors, say
from onesided.exceptions import TableError, naming

if TYPE_CHECKING:
    import pyarrow as pa

    from onesided.model_selection import Comparison, TaskComparison

_PICTURE_ENDINGS = (".svg", ".png")


@reports_errors
def compare(  # noqa: PLR0913 - each is an option
    table: Annotated[
        list[Path],
        typer.Argument(
            help="CSV, TSV, Parquet or JSON-lines files, or folders of such parts of one table.",
            metavar="TABLE",
        ),
    ],
    positive: Positive,
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

    named = _tasks(table)
    alone = len(named) == 1
    out = out or Path(f"{next(iter(named))}-comparison.csv" if alone else "comparison.csv")
    for path in table:
        tables.check_writable(out, tables.RANKING_ENDINGS, source=path)
        if plot:
            tables.check_writable(plot, _PICTURE_ENDINGS, source=path)
    given, rankers = {}, {}
    for task, path in named.items():
        with _speaking_of("" if alone else task):
            given[task] = prepare(
                path,
                positive,
                folds=PositiveKFold(folds, random_state=seed),
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
    results = _results(found)
    writers: dict[Path, Callable[[Path], None]] = {
        out: partial(tables.write_table, results, format_path=out)
    }
    if plot:
        chart = next(iter(found.values())).plot() if alone else together.plot()
        writers[plot] = lambda path: chart.save(str(path), format=plot.suffix[1:].lower())
    tables.write_files(writers)
    if plot:
        say(f"Picture: {plot}")
    say("Results:")
    typer.echo(str(out))


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
        say(f"warning: {start}{note}")


def _results(found: "dict[str, Comparison]") -> "pa.Table":
    """The rows of all tasks below each other, the task in front."""
    import pyarrow as pa  # noqa: PLC0415

    parts = [comparison.to_frame("pyarrow") for comparison in found.values()]
    tasks = [task for task, part in zip(found, parts, strict=True) for _ in range(part.num_rows)]
    return pa.concat_tables(parts).add_column(0, "task", pa.array(tasks))


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
