"""Options that several commands have, and what they say of a table."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from onesided._text import as_percent
from onesided.cli._completion import METHODS, complete_column, complete_method
from onesided.cli._explain import explain_prior, explain_taken
from onesided.cli._talk import explain, say
from onesided.exceptions import DataError, TableError

if TYPE_CHECKING:
    import pyarrow as pa

    from onesided._typing import Bools
    from onesided.model_selection import Comparison
    from onesided.prior import ClassPriorEstimate
    from onesided.reporting import Report, UnexpectedReport
    from onesided.tables import TableSummary

_MOST_NAMED = 20  # columns in a line
READING = "How the table is read"
LEARNING = "How it learns"
RUNNING = "Where it runs"
_LARGEST_SEED = 2**32 - 1  # of numpy


def _check_seed(value: int) -> int:
    """Refuse what no generator takes; a range of the option would widen every line of the help."""
    if not 0 <= value <= _LARGEST_SEED:
        raise typer.BadParameter(f"{value} is not between 0 and {_LARGEST_SEED}.")
    return value


def read_share(value: str | float) -> float:
    """A share as people write it: 0.95, 0,95 or 95%."""
    text = str(value).strip().replace(",", ".")
    try:
        return float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        problem = f"{value!r} is no share. Pass a number between 0 and 1, or percent: 0.95 or 95%."
        raise typer.BadParameter(problem) from None


TablePath: TypeAlias = Annotated[
    Path,
    typer.Argument(
        help="CSV, TSV, Parquet or JSON-lines file, or a folder of such parts of one table; "
        "reference records (.ris, .nbib, .bib); a folder of text files; or svmlight's format "
        "(.svm, .svmlight, .libsvm, .dat).",
        metavar="TABLE",
    ),
]
Positive: TypeAlias = Annotated[
    str,
    typer.Option(
        help="Column of labels: 1, true, yes, x or the only value beside blanks marks a positive "
        "row; 0, false, no or blank one that was never labeled. With =VALUE, rows with that value "
        "are the positive ones.",
        metavar="COLUMN[=VALUE]",
        autocompletion=complete_column,
        show_default=False,
    ),
]
PositiveTable: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        help="Positive rows, in a file beside TABLE of any format, in place of --positive. Rows "
        "that TABLE has too, by --id, as the same reference record or text, count once.",
        metavar="FILE",
    ),
]
Identifier: TypeAlias = Annotated[
    str,
    typer.Option(
        "--id",
        help="Column that names the rows; it is not learned from.",
        metavar="COLUMN",
        autocompletion=complete_column,
    ),
]
Drop: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help="Column not to learn from. Repeatable.",
        metavar="COLUMN",
        autocompletion=complete_column,
        rich_help_panel=READING,
    ),
]
Categorical: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help="Column to read as categories, numeric codes for example. Repeatable.",
        metavar="COLUMN",
        autocompletion=complete_column,
        rich_help_panel=READING,
    ),
]
Text: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help="Column to read as text, by its words. Repeatable. Default: columns whose cells hold "
        "several words.",
        metavar="COLUMN",
        autocompletion=complete_column,
        rich_help_panel=READING,
    ),
]
Group: TypeAlias = Annotated[
    str,
    typer.Option(
        help="Column of what rows have in common, a family or a batch for example; positives of a "
        "group are hidden together.",
        metavar="COLUMN",
        autocompletion=complete_column,
        rich_help_panel=READING,
    ),
]
Methods: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help=f"Method to compare: {', '.join(METHODS[:-1])} or {METHODS[-1]}. Repeatable. "
        "Default: some that suit the table.",
        metavar="METHOD",
        autocompletion=complete_method,
        rich_help_panel=LEARNING,
    ),
]
Prior: TypeAlias = Annotated[
    float | None,
    typer.Option(
        parser=read_share,
        help="Share of positives among the unlabeled, between 0 and 1, for the methods that need "
        "it. Default: estimated.",
        metavar="SHARE",
        rich_help_panel=LEARNING,
    ),
]
Delimiter: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="Character between the cells of a CSV file. Default: found in its first lines.",
        metavar="CHAR",
        rich_help_panel=READING,
    ),
]


def no_more_than_cores(n_workers: int | None) -> int | None:
    """So many processes as there are cores, if more are wanted: they would wait for each other."""
    n_cores = os.cpu_count() or 1
    if n_workers is None or n_workers <= n_cores:
        return n_workers
    say(f"--workers {n_workers:,}: this machine has {n_cores} cores, and so many are started")
    return n_cores


Workers: TypeAlias = Annotated[
    int | None,
    typer.Option(
        callback=no_more_than_cores,
        help="Processes that learn, on this machine. Default: this one.",
        min=1,
        metavar="N",
        show_default=False,
        rich_help_panel=RUNNING,
    ),
]
Cluster: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="Address of a Dask scheduler whose workers learn. Needs onesided[dask].",
        metavar="ADDRESS",
        rich_help_panel=RUNNING,
    ),
]
ForSpreadsheet: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--for-spreadsheet",
        help="Write a .csv or .tsv that a spreadsheet opens safely: as UTF-8 that says so, with an "
        "apostrophe before text that begins with = + - @, a tab or a carriage return, which would "
        "be a formula.",
    ),
]
Seed: TypeAlias = Annotated[
    int,
    typer.Option(
        help="Number that random draws start from; the same number gives the same results.",
        callback=_check_seed,
        metavar="N",
        rich_help_panel=LEARNING,
    ),
]


@dataclass(frozen=True)
class Columns:
    """What the columns of the table are."""

    drop: Drop = None
    categorical: Categorical = None
    text: Text = None

    @property
    def asked(self) -> list[str]:
        """Columns whose role was given."""
        return [*(self.categorical or ()), *(self.text or ())]


@dataclass(frozen=True)
class Reading(Columns):
    """How the table is read."""

    group: Group = ""
    delimiter: Delimiter = None


@dataclass(frozen=True)
class Learning:
    """What is compared, and how it learns."""

    method: Methods = None
    class_prior: Prior = None
    seed: Seed = 0


@dataclass(frozen=True)
class Running:
    """Where it runs."""

    workers: Workers = None
    cluster: Cluster = None


def check_share(option: str, value: float) -> None:
    """Refuse what is not between 0 and 1, before the work.

    Raises
    ------
    DataError : with the option
    """
    if not 0 < value < 1:
        raise DataError(
            f"{option} {value:g} is not between 0 and 1.", "Pass a share, 0.1 for example."
        )


def check_distinct(outputs: Mapping[str, Path | None]) -> None:
    """Refuse two outputs of one name, of which one would be lost.

    Parameters
    ----------
    outputs : paths by option
    """
    named: dict[Path, str] = {}
    for option, path in outputs.items():
        if path is None:
            continue
        other = named.setdefault(path.resolve(), option)
        if other != option:
            raise TableError(
                f"{other} and {option} both name {str(path)!r}.", "Give each a name of its own."
            )


def check_table(out: Path, sources: Iterable[Path | None], *, safe: bool) -> None:
    """Refuse a table that cannot be written, before the work.

    Parameters
    ----------
    out : to be written
    sources : the inputs, None for one that is not given
    safe : whether a spreadsheet is to open it
    """
    from onesided import tables  # noqa: PLC0415 - help does not pay for it

    if safe:
        tables.check_for_spreadsheet(out)
    for source in filter(None, sources):
        tables.check_writable(out, tables.RANKING_ENDINGS, source=source)


def check_report(page: Path, source: Path) -> None:
    """Refuse a report that cannot be written, before the work: its page, and the data beside it.

    Raises
    ------
    TableError : if one of the two cannot be a file, or would replace something else; if there is
        too little address space to draw the pictures
    """
    from onesided import tables  # noqa: PLC0415 - help does not pay for it
    from onesided.reporting import check_drawable, data_path  # noqa: PLC0415

    tables.check_writable(page, tables.REPORT_ENDINGS, source=source)
    tables.check_writable(data_path(page), (".json",), source=source, option="--report")
    check_drawable()


def report_files(
    result: "Report | UnexpectedReport", page: Path | None
) -> dict[Path, Callable[[Path], None]]:
    """For each file of a report what writes it: the page and its data; nothing without a page."""
    if page is None:
        return {}
    from onesided.reporting import report_writers  # noqa: PLC0415 - it loads the charts

    return report_writers(result, page)


def say_size(path: Path, data: "pa.Table", *others: Path | None) -> None:
    """Rows and columns of a table, with those of the other files that are read with it."""
    names = " + ".join(each.resolve().name for each in (path, *others) if each)
    columns = f"{data.num_columns:,} column{'s' * (data.num_columns != 1)}"
    say(f"{names}: {data.num_rows:,} rows, {columns}")


def say_labels(
    label: str, positive: "Bools", *, where: str = "column", notes: Sequence[str] = ()
) -> None:
    """How many rows are positive and unlabeled, and what there is to know of the labels."""
    n_positive = int(positive.sum())
    say(f"  positive   {n_positive:>9,}  ({where} {label})")
    say(f"  unlabeled  {len(positive) - n_positive:>9,}")
    for note in notes:
        say(f"  {note}")


def say_columns(summary: "TableSummary") -> None:
    """What the columns are."""
    kinds = {
        "number": "numbers",
        "category": "categories",
        "text": "text",
        "sparse": f"{summary.n_sparse:,} numbered features",
    }
    counts = [
        f"{len(names):,} of {word}"
        for role, word in kinds.items()
        if (names := summary.names(role))
    ]
    say(f"  columns: {', '.join(counts)}; {100 * summary.missing_share:.1f} % of cells missing")
    _say_written(summary)


def say_dropped(summary: "TableSummary") -> None:
    """Which columns are dropped, and why."""
    by_reason: dict[str, list[str]] = {}
    for column in summary.dropped:
        by_reason.setdefault(column.reason, []).append(column.name)
    for reason, names in by_reason.items():
        say(f"  dropped {_first_of(names)}: {reason}")


def _first_of(names: Sequence[str]) -> str:
    """Some names, and how many more there are."""
    shown = ", ".join(names[:_MOST_NAMED])
    return f"{shown} and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else shown


def _say_written(summary: "TableSummary") -> None:
    """How columns of numbers are written that not any program reads."""
    by_example: dict[str, list[str]] = {}
    for column in summary.columns:
        if column.written and column.role != "dropped":
            by_example.setdefault(column.written, []).append(column.name)
    for example, names in by_example.items():
        say(f"  {_first_of(names)}: numbers written {example}")


def say_aucs(found: "Comparison") -> None:
    """Hidden-positive AUC of each method, and which was taken."""
    for name, hidden in found.hidden.items():
        mark = "  <- taken" if name == found.best_ else ""
        say(f"  {name:<38} hidden-positive AUC {hidden.auc:.3f}{mark}")
    explain_taken(found)


def say_estimate(found: "ClassPriorEstimate") -> None:
    """How many are positive, and how sure that is."""
    from onesided.prior import PRIOR_METHODS  # noqa: PLC0415 - help does not pay for it

    low, high = found.interval
    sure = as_percent(found.confidence)
    among = f"Positive among the {found.n_unlabeled:,} unlabeled:"
    if found.only_at_most:
        n_most = f"{high * found.n_unlabeled:,.0f}"
        say(f"{among} at most {n_most} rows, {as_percent(high)} ({sure} confidence)")
        say(f"  it may be far fewer: {found.why_only_at_most}")
    else:
        say(
            f"{among} about {found.point * found.n_unlabeled:,.0f} rows, {as_percent(found.point)} "
            f"({sure} interval {as_percent(low)} to {as_percent(high)})"
        )
        say("  if some rows can only be positive, else fewer; small shares come out too high")
    if found.upper_bound > high:
        say(f"  whatever the distributions, no more than {as_percent(found.upper_bound)}")
    say(
        "  all of it only if the known positives are like the others: if they were labeled because "
        "they are easy to find, or taken from the top of such a list, more are positive"
    )
    explain_prior(found)
    points = (
        f"{PRIOR_METHODS[name]} {as_percent(point)}" for name, point in found.by_method.items()
    )
    (explain if found.only_at_most else say)(f"  by method: {'; '.join(points)}")
    if found.scenario == "single-training-set":
        at_most, at_least = ("at most ", "at least ") if found.only_at_most else ("", "")
        shown = replace(found, point=found.headline)
        say(f"  positive in all rows: {at_most}{as_percent(shown.population_prior)}")
        say(f"  labeled of the positives: {at_least}{as_percent(shown.label_frequency)}")
