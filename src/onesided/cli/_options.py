"""Options that several commands have, and checks of what they name."""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import typer

from onesided.cli._completion import complete_column, complete_method
from onesided.cli._talk import say
from onesided.exceptions import TableError
from onesided.methods import METHODS

READING = "How the table is read"
LEARNING = "How it learns"
RUNNING = "Where it runs"
PROMISING = "What the list promises"
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
        help=f"Method to compare: {', '.join(METHODS[:-1])} or {METHODS[-1]}; or "
        "package.module:Class, a learner of yours. Repeatable. "
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


Recall: TypeAlias = Annotated[
    float | None,
    typer.Option(
        parser=read_share,
        help="Mark the first rows that hold at least this share of the positives, at the given "
        "confidence. Half of the known positives are held out to tell, more where it takes more.",
        metavar="SHARE",
        rich_help_panel=PROMISING,
    ),
]
Discard: TypeAlias = Annotated[
    float | None,
    typer.Option(
        parser=read_share,
        help="Mark the last rows of which, in expectation, at most this share is positive. Holds "
        "out as --recall does.",
        metavar="SHARE",
        rich_help_panel=PROMISING,
    ),
]
Fdr: TypeAlias = Annotated[
    float | None,
    typer.Option(
        parser=read_share,
        help="Mark the first rows of which at most this share is negative. Takes "
        "--prior-at-least, --irreducible or --known-negative; holds out as --recall does.",
        metavar="SHARE",
        rich_help_panel=PROMISING,
    ),
]
PriorAtLeast: TypeAlias = Annotated[
    float | None,
    typer.Option(
        parser=read_share,
        help="Declares that at least this share of the unlabeled is positive; also tests whether "
        "labels are drawn evenly among the positives.",
        metavar="SHARE",
        rich_help_panel=PROMISING,
    ),
]
Irreducible: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--irreducible",
        help="Declares that the highest rows can only be positive.",
        rich_help_panel=PROMISING,
    ),
]
KnownNegative: TypeAlias = Annotated[
    str,
    typer.Option(
        help="Column that marks rows verified to be negative; they are no candidates.",
        metavar="COLUMN[=VALUE]",
        rich_help_panel=PROMISING,
    ),
]
KnownNegativeTable: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        help="Rows verified to be negative, in a file beside TABLE; as for --positive-table.",
        metavar="FILE",
        rich_help_panel=PROMISING,
    ),
]
Confidence: TypeAlias = Annotated[
    float,
    typer.Option(
        parser=read_share,
        help="Of --recall, and of what is said of the share of positives.",
        metavar="SHARE",
        rich_help_panel=PROMISING,
    ),
]
Scenario: TypeAlias = Annotated[
    Literal["single-training-set", "case-control"] | None,
    typer.Option(
        help="single-training-set or case-control, as for `onesided prior`: estimates how many are "
        "positive, and the probability of each row.",
        metavar="STORY",
        show_default=False,
        rich_help_panel=PROMISING,
    ),
]


NamedRows: TypeAlias = Annotated[
    str,
    typer.Option(
        "--id",
        help="Column that names the rows; it is not learned from. Default: row numbers.",
        metavar="COLUMN",
        autocompletion=complete_column,
    ),
]
Resamples: TypeAlias = Annotated[
    int,
    typer.Option(
        help="Random label sets to repeat the comparison with, for a p-value of the best AUC. "
        "99 take 99 times as long as the comparison. Default: none.",
        min=0,
        metavar="N",
        show_default=False,
        rich_help_panel=LEARNING,
    ),
]


@dataclass(frozen=True)
class Outputs:
    """What is written of a ranking."""

    out: Annotated[
        Path | None,
        typer.Option(
            help="Ranking to write, .csv, .tsv or .parquet. Default: TABLE-ranking.csv, here.",
            metavar="FILE",
        ),
    ] = None
    report: Annotated[
        Path | None,
        typer.Option(help="Report to write, one self-contained .html page.", metavar="FILE"),
    ] = None
    gains: Annotated[
        Path | None,
        typer.Option(
            help="Gains table to write, .csv, .tsv or .parquet: a row for each tenth of the list, "
            "with its share of the known positives, and with --scenario how many are expected.",
            metavar="FILE",
        ),
    ] = None
    top: Annotated[
        int | None, typer.Option(help="Write only the first N candidates.", min=1, metavar="N")
    ] = None


@dataclass(frozen=True)
class Labels:
    """Which rows are positive."""

    positive: Positive = ""
    positive_table: PositiveTable = None


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
class Reading:
    """How the table is read."""

    group: Group = ""
    drop: Drop = None
    categorical: Categorical = None
    text: Text = None
    delimiter: Delimiter = None


@dataclass(frozen=True)
class Learning:
    """What is compared, and how it learns."""

    method: Methods = None
    class_prior: Prior = None
    seed: Seed = 0


@dataclass(frozen=True)
class Promising:
    """What the list promises; each is passed on to the library by its name."""

    recall: Recall = None
    fdr: Fdr = None
    discard: Discard = None
    confidence: Confidence = 0.95
    prior_at_least: PriorAtLeast = None
    irreducible: Irreducible = False


@dataclass(frozen=True)
class Negatives:
    """Which rows are verified to be negative."""

    known_negative: KnownNegative = ""
    known_negative_table: KnownNegativeTable = None


@dataclass(frozen=True)
class Running:
    """Where it runs."""

    workers: Workers = None
    cluster: Cluster = None


def changed(group: Any) -> dict[str, Any]:
    """The options of a group that are not at their default, by name."""
    return {
        each.name: value
        for each in fields(group)
        if (value := getattr(group, each.name)) != each.default
    }


def check_outputs(
    out: Path,
    gains: Path | None,
    report: Path | None,
    sources: Iterable[Path | None],
    *,
    safe: bool,
) -> None:
    """Refuse before the work what cannot be written of a ranking after it.

    Parameters
    ----------
    out, gains, report : to be written
    sources : the inputs, None for one that is not given
    safe : whether a spreadsheet is to open the tables
    """
    check_distinct({"--out": out, "--gains": gains})
    given = [source for source in sources if source]
    for path in filter(None, (out, gains)):
        check_table(path, given, safe=safe)
    for source in given:
        if report:
            check_report(report, source)


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


def check_picture(plot: Path, sources: Iterable[Path]) -> None:
    """Refuse a picture that cannot be drawn or written, before the work.

    Parameters
    ----------
    plot : to be written
    sources : the inputs
    """
    from onesided import tables  # noqa: PLC0415 - help does not pay for it
    from onesided.reporting import check_drawable  # noqa: PLC0415 - only a picture needs Altair

    for path in sources:
        tables.check_writable(plot, (".svg", ".png"), source=path)
    check_drawable()


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


def report_files(result: Any, page: Path | None) -> dict[Path, Callable[[Path], None]]:
    """For each file of a report what writes it: the page and its data; nothing without a page."""
    if page is None:
        return {}
    from onesided.reporting import report_writers  # noqa: PLC0415 - it loads the charts

    return report_writers(result, page)
