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
        problem = (
            f"{value!r} is not a share. Pass a number between 0 and 1, or a percentage: 0.95 or "
            "95%."
        )
        raise typer.BadParameter(problem) from None


TablePath: TypeAlias = Annotated[
    Path,
    typer.Argument(
        help=(
            "A CSV, TSV, Parquet or JSON-lines file, or a folder of such files that are parts of "
            "one table; reference records (.ris, .nbib, .bib); a folder of text files; or "
            "svmlight's format (.svm, .svmlight, .libsvm, .dat)."
        ),
        metavar="TABLE",
    ),
]
Positive: TypeAlias = Annotated[
    str,
    typer.Option(
        help=(
            "Column of labels. The values 1, true, yes and x mark positive rows; 0, false, no "
            "and blank cells mark unlabeled rows. If a column holds only one value and blank "
            "cells, that value marks the positive rows. With =VALUE, the rows with that value "
            "are positive."
        ),
        metavar="COLUMN[=VALUE]",
        autocompletion=complete_column,
        show_default=False,
    ),
]
PositiveTable: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        help=(
            "File of positive rows, in any format that TABLE may have; use it in place of "
            "--positive. A row that is in both files (the same --id, reference record or text) "
            "counts once."
        ),
        metavar="FILE",
    ),
]
Identifier: TypeAlias = Annotated[
    str,
    typer.Option(
        "--id",
        help="Column that names the rows. It is not used for learning.",
        metavar="COLUMN",
        autocompletion=complete_column,
    ),
]
Drop: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help="Column to leave out of the learning. Repeatable.",
        metavar="COLUMN",
        autocompletion=complete_column,
        rich_help_panel=READING,
    ),
]
Categorical: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help="Column to read as categories, for example numeric codes. Repeatable.",
        metavar="COLUMN",
        autocompletion=complete_column,
        rich_help_panel=READING,
    ),
]
Text: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help=(
            "Column to read as text: its words become features. Repeatable. Default: columns "
            "whose cells hold several words."
        ),
        metavar="COLUMN",
        autocompletion=complete_column,
        rich_help_panel=READING,
    ),
]
Group: TypeAlias = Annotated[
    str,
    typer.Option(
        help=(
            "Column that groups the rows, for example by family or batch. Positives of one group "
            "are hidden together."
        ),
        metavar="COLUMN",
        autocompletion=complete_column,
        rich_help_panel=READING,
    ),
]
Methods: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help=(
            f"Method to compare: {', '.join(METHODS[:-1])} or {METHODS[-1]}; or "
            "package.module:Class, your own estimator. Repeatable. Default: several methods "
            "that suit the table."
        ),
        metavar="METHOD",
        autocompletion=complete_method,
        rich_help_panel=LEARNING,
    ),
]
Prior: TypeAlias = Annotated[
    float | None,
    typer.Option(
        parser=read_share,
        help=(
            "Share of positives among the unlabeled rows, between 0 and 1, for the methods "
            "that need this share. Default: it is estimated."
        ),
        metavar="SHARE",
        rich_help_panel=LEARNING,
    ),
]
Delimiter: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help=(
            "Character that separates the cells of a CSV file. Default: it is found in the first "
            "lines of the file."
        ),
        metavar="CHAR",
        rich_help_panel=READING,
    ),
]


def no_more_than_cores(n_workers: int | None) -> int | None:
    """So many processes as there are cores, if more are wanted: they would wait for each other."""
    n_cores = os.cpu_count() or 1
    if n_workers is None or n_workers <= n_cores:
        return n_workers
    say(
        f"--workers {n_workers:,}: this machine has {n_cores} cores, so {n_cores} processes are "
        "started"
    )
    return n_cores


Workers: TypeAlias = Annotated[
    int | None,
    typer.Option(
        callback=no_more_than_cores,
        help="Number of processes that learn, on this machine. Default: only this process.",
        min=1,
        metavar="N",
        show_default=False,
        rich_help_panel=RUNNING,
    ),
]
Cluster: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="Address of a Dask scheduler, whose workers do the learning. Needs onesided[dask].",
        metavar="ADDRESS",
        rich_help_panel=RUNNING,
    ),
]
ForSpreadsheet: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--for-spreadsheet",
        help=(
            "Write .csv and .tsv files that a spreadsheet opens safely: with a UTF-8 mark, and "
            "with an apostrophe before text that begins with = + - @, a tab or a carriage return "
            "and would be read as a formula."
        ),
    ),
]
Seed: TypeAlias = Annotated[
    int,
    typer.Option(
        help="Seed of the random draws. The same seed gives the same results.",
        callback=_check_seed,
        metavar="N",
        rich_help_panel=LEARNING,
    ),
]


Recall: TypeAlias = Annotated[
    float | None,
    typer.Option(
        parser=read_share,
        help=(
            "Mark the first rows that contain at least this share of the positives, at the "
            "confidence of --confidence. At least half of the known positives are held out to "
            "prove it."
        ),
        metavar="SHARE",
        rich_help_panel=PROMISING,
    ),
]
Discard: TypeAlias = Annotated[
    float | None,
    typer.Option(
        parser=read_share,
        help=(
            "Mark the last rows, which can be discarded: in expectation at most this share of "
            "these rows is positive. Known positives are held out as with --recall."
        ),
        metavar="SHARE",
        rich_help_panel=PROMISING,
    ),
]
Fdr: TypeAlias = Annotated[
    float | None,
    typer.Option(
        parser=read_share,
        help=(
            "Mark the first rows: in expectation at most this share of these rows is "
            "negative. Needs --prior-at-least, --irreducible or --known-negative. Known "
            "positives are held out as with --recall."
        ),
        metavar="SHARE",
        rich_help_panel=PROMISING,
    ),
]
PriorAtLeast: TypeAlias = Annotated[
    float | None,
    typer.Option(
        parser=read_share,
        help=(
            "Declare that at least this share of the unlabeled rows is positive. With this "
            "share onesided also tests whether labels are drawn evenly among the positives."
        ),
        metavar="SHARE",
        rich_help_panel=PROMISING,
    ),
]
Irreducible: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--irreducible",
        help="Declare that the rows with the highest scores are certainly positive.",
        rich_help_panel=PROMISING,
    ),
]
KnownNegative: TypeAlias = Annotated[
    str,
    typer.Option(
        help=(
            "Column that marks rows that were checked and are negative. These rows are not ranked."
        ),
        metavar="COLUMN[=VALUE]",
        rich_help_panel=PROMISING,
    ),
]
KnownNegativeTable: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        help="File of rows that were checked and are negative, in any format that TABLE may have.",
        metavar="FILE",
        rich_help_panel=PROMISING,
    ),
]
Confidence: TypeAlias = Annotated[
    float,
    typer.Option(
        parser=read_share,
        help="Confidence of --recall and of the confidence interval for the share of positives.",
        metavar="SHARE",
        rich_help_panel=PROMISING,
    ),
]
Scenario: TypeAlias = Annotated[
    Literal["single-training-set", "case-control"] | None,
    typer.Option(
        help=(
            "How the rows were collected. single-training-set: the table is one sample, and "
            "some of its positives are labeled. case-control: the positives were collected "
            "separately from the unlabeled rows. With it the number of positives is "
            "estimated, and the probability of each row to be positive."
        ),
        metavar="STORY",
        show_default=False,
        rich_help_panel=PROMISING,
    ),
]


NamedRows: TypeAlias = Annotated[
    str,
    typer.Option(
        "--id",
        help="Column that names the rows. It is not used for learning. Default: row numbers.",
        metavar="COLUMN",
        autocompletion=complete_column,
    ),
]
Resamples: TypeAlias = Annotated[
    int,
    typer.Option(
        help=(
            "Number of random label sets. The comparison of the methods is repeated with each "
            "set, to compute a p-value for the best AUC. N sets take about N times as long. "
            "Default: none."
        ),
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
            help=(
                "File for the ranking, .csv, .tsv or .parquet. Default: TABLE-ranking.csv in the "
                "current folder."
            ),
            metavar="FILE",
        ),
    ] = None
    report: Annotated[
        Path | None,
        typer.Option(help="File for the report, one self-contained .html page.", metavar="FILE"),
    ] = None
    gains: Annotated[
        Path | None,
        typer.Option(
            help=(
                "File for the gains table, .csv, .tsv or .parquet. It has a row for each tenth of "
                "the list, with its share of the known positives and, with --scenario, the "
                "expected number of positives."
            ),
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
                f"{other} and {option} both name {str(path)!r}.", "Give each output its own name."
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
