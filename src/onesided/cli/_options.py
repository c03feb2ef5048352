"""Options that several commands have, alone or in groups, and functions that declare an option."""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import typer

from onesided.cli._completion import complete_column, complete_method
from onesided.cli._talk import say
from onesided.formats import formats_in_words, verdict_words
from onesided.methods import METHODS

READING = "How the table is read"
LEARNING = "How it learns"
RUNNING = "Where it runs"
PROMISING = "What the list promises"
OUTPUT = "output"
"""Mark in the annotation of an option that names an output; paths without it are inputs."""
_LARGEST_SEED = 2**32 - 1  # largest seed of numpy


def option(told: str, *names: str, panel: str | None = None, **more: Any) -> Any:
    """Declare an option with the help `told`; typer gets the arguments `more`."""
    return typer.Option(*names, help=told, rich_help_panel=panel, **more)


def read_share(value: str | float) -> float:
    """Return the share that a person wrote, as 0.95, 0,95 or 95%."""
    text = str(value).strip().replace(",", ".")
    try:
        return float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        problem = (
            f"{value!r} is not a share. Pass a number between 0 and 1, or a percentage: 0.95 or "
            "95%."
        )
        raise typer.BadParameter(problem) from None


def read_rate(value: str | float) -> float:
    """Return the share that a person wrote, also as a fraction such as 50/20000."""
    count, slash, total = str(value).partition("/")
    if not slash:
        return read_share(value)
    try:
        return float(count) / float(total)
    except (ValueError, ZeroDivisionError):
        problem = f"{value!r} is not a number of rows out of others. Write 50/20000, for example."
        raise typer.BadParameter(problem) from None


def read_number(value: str | float) -> float:
    """Return the number that a person wrote, as 2.5 or 2,5.

    A comma before three digits may be a decimal comma or stand for thousands, so it is refused.
    """
    text = str(value).strip()
    if re.fullmatch(r"[+-]?\d+,\d{3}", text):
        thousands, decimal = text.replace(",", ""), text.replace(",", ".")
        raise typer.BadParameter(
            f"{text!r} can be read in two ways. Write {thousands} or {decimal}."
        )
    try:
        return float(text.replace(",", "."))
    except ValueError:
        raise typer.BadParameter(f"{value!r} is not a number. Pass 2.5, for example.") from None


def whole_number(least: int, most: int | None = None) -> Callable[[str | int], int]:
    """Return a function that reads a whole number in this range, or refuses it in our words.

    A range of typer would refuse it in the words of a parser.
    """

    def read(value: str | int) -> int:
        text = str(value).strip()
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least or (most is not None and number > most):
            end = f"of at least {least}" if most is None else f"from {least} to {most}"
            problem = f"{text!r} is not a whole number {end}. Pass {max(least, 5)}, for example."
            raise typer.BadParameter(problem)
        return number

    read.__name__ = "N"  # help names the kind of the value by it
    return read


column_option = partial(option, metavar="COLUMN", autocompletion=complete_column)
file_option = partial(option, metavar="FILE")
count_option = partial(option, metavar="N", parser=whole_number(1))
share_option = partial(option, metavar="SHARE", parser=read_share)
label_odds_option = partial(
    option,
    "How uneven labels may be: the odds of being labeled differ among the positives by this factor "
    "at most. 1 means that labels are even. Numbers and promises then hold for the worst case.",
    metavar="FACTOR",
    parser=read_number,
)
_promise, _promised_share = (partial(each, panel=PROMISING) for each in (option, share_option))
_amount = partial(option, metavar="AMOUNT", panel="What the list is worth", parser=read_number)
_column_read = partial(column_option, panel=READING)


def _no_more_than_cores(n_workers: int | None) -> int | None:
    """Return the number of workers, but at most the number of cores of this machine.

    If there were more workers than cores, workers would wait for each other.
    """
    n_cores = os.cpu_count() or 1
    if n_workers is None or n_workers <= n_cores:
        return n_workers
    say(f"--workers {n_workers:,} is more than the cores of this machine; workers used: {n_cores}")
    return n_cores


workers_option = partial(count_option, panel=RUNNING, callback=_no_more_than_cores)
cluster_option = partial(option, metavar="ADDRESS", panel=RUNNING)

TablePath: TypeAlias = Annotated[
    Path,
    typer.Argument(help=formats_in_words(), metavar="TABLE"),
]
Positive: TypeAlias = Annotated[
    str,
    column_option(
        "Column of labels. The values 1, true, yes and x mark positive rows; 0, false, no and "
        "blank cells mark unlabeled rows. If a column holds only one value and blank cells, "
        "that value marks the positive rows. With =VALUE, the rows with that value are "
        "positive.",
        metavar="COLUMN[=VALUE]",
        show_default=False,
    ),
]
Identifier: TypeAlias = Annotated[
    str, column_option("Column that names the rows. It is not used for learning.", "--id")
]
ForSpreadsheet: TypeAlias = Annotated[
    bool,
    option(
        "Write .csv and .tsv files that a spreadsheet opens safely: with a UTF-8 mark, and "
        "with an apostrophe before text that would be read as a formula: it begins with = + - @, "
        "also after blanks, with the same signs in full width, or with a tab or line break.",
        "--for-spreadsheet",
    ),
]
Seed: TypeAlias = Annotated[
    int,
    option(
        "Seed of the random draws. The same seed gives the same results.",
        parser=whole_number(0, _LARGEST_SEED),
        metavar="N",
        panel=LEARNING,
    ),
]
ReportPage: TypeAlias = Annotated[
    Path | None, file_option("File for the report, one self-contained .html page."), OUTPUT
]


@dataclass(frozen=True)
class Outputs:
    """Options that say what is written about a ranking."""

    out: Annotated[
        Path | None,
        file_option(
            "File for the ranking, .csv, .tsv, .xlsx or .parquet; or .ris, reference records in "
            "the order of the ranking. Default: TABLE-ranking.csv in the current folder."
        ),
        OUTPUT,
    ] = None
    report: ReportPage = None
    gains: Annotated[
        Path | None,
        file_option(
            "File for the gains table, .csv, .tsv, .xlsx or .parquet. It has a row for each tenth "
            "of the list, with its share of the positives and, if that can be estimated, the "
            "number of positives or an upper bound of it."
        ),
        OUTPUT,
    ] = None
    top: Annotated[int | None, count_option("Write only the first N candidates.")] = None
    show: Annotated[
        list[str] | None,
        column_option(
            "Column to show beside each row, in the ranking and in the report. Repeatable. "
            "Default: titles, names, and authors and year of references."
        ),
    ] = None


@dataclass(frozen=True)
class Labels:
    """Options that say which rows are positive."""

    positive: Positive = ""
    positive_table: Annotated[
        list[Path] | None,
        file_option(
            "File of positive rows, in any format that TABLE may have, or a list of values of "
            "--id, one a line; use it in place of --positive. Repeatable. A row that is in several "
            "files (the same --id, reference record or text) counts once. Reference records are "
            "the same if they share the DOI, the PubMed identifier, or the title and year. If one "
            "file lacks the year, the authors, the abstract or a long title must agree."
        ),
    ] = None


@dataclass(frozen=True)
class _Groups:
    """Options that say which rows belong together."""

    group: Annotated[
        str,
        _column_read(
            "Column that groups the rows, for example by family or batch. Positives of one group "
            "are hidden together."
        ),
    ] = ""
    space: Annotated[
        str | None,
        option(
            "Two columns of coordinates, with a comma between them. No method learns from them. "
            "They are written beside the ranking. Methods are judged in spatial blocks: known "
            "positives of a block are ranked among its unlabeled rows, by models that learned from "
            "no row of the block. none: coordinates are numbers, without blocks. Default: columns "
            "with the names and values of coordinates, unless --group or --background is given.",
            metavar="X,Y",
            show_default=False,
            panel=READING,
        ),
    ] = None


@dataclass(frozen=True)
class Columns:
    """Options that say what the columns of the table are."""

    drop: Annotated[
        list[str] | None, _column_read("Column to leave out of the learning. Repeatable.")
    ] = None
    categorical: Annotated[
        list[str] | None,
        _column_read("Column to read as categories, for example numeric codes. Repeatable."),
    ] = None
    number: Annotated[
        list[str] | None,
        _column_read(
            "Column to use as numbers, for example the year of references, which are learned from "
            "by title, abstract and keywords alone. Repeatable."
        ),
    ] = None
    text: Annotated[
        list[str] | None,
        _column_read(
            "Column to read as text: its words become features. Repeatable. Default: columns "
            "whose cells hold several words."
        ),
    ] = None
    missing: Annotated[
        list[str] | None,
        option(
            "Cell that means that a value is missing, for example -9999. Repeatable. Blank cells, "
            "NA, NaN, null, None, ? and . always mean it.",
            metavar="CELL",
            panel=READING,
        ),
    ] = None


@dataclass(frozen=True)
class Cells:
    """Options that say where the cells of a file are."""

    delimiter: Annotated[
        str | None,
        option(
            "Character that separates the cells of a CSV file. Default: it is found in the first "
            "lines of the file.",
            metavar="CHAR",
            panel=READING,
        ),
    ] = None
    sheet: Annotated[
        str | None,
        option(
            "Sheet of the workbooks that are read. Default: the first sheet.",
            metavar="NAME",
            panel=READING,
        ),
    ] = None


@dataclass(frozen=True)
class Reading(Cells, Columns, _Groups):
    """Options that say how the table is read; the help lists those of the last base first."""


@dataclass(frozen=True)
class Learning:
    """Options that say which methods are compared, and how they learn."""

    method: Annotated[
        list[str] | None,
        option(
            f"Method to compare: {', '.join(METHODS[:-1])} or {METHODS[-1]}; or "
            "module:Class, an estimator of your own, in a file of this folder or in an installed "
            "package. logistic stands for two methods, with C=1 and with C=0.01. Several methods "
            "are also compared with their average. Repeatable. Default: several methods that suit "
            "the table.",
            metavar="METHOD",
            autocompletion=complete_method,
            panel=LEARNING,
        ),
    ] = None
    class_prior: Annotated[
        float | None,
        share_option(
            "Share of positives among the unlabeled rows, between 0 and 1, for the methods "
            "that need this share. Default: 0.1, which orders rows well whatever the share is.",
            panel=LEARNING,
        ),
    ] = None
    seed: Seed = 0

    @property
    def arguments(self) -> dict[str, Any]:
        """The options, by the names of the library's arguments."""
        return {
            "methods": self.method or (),
            "class_prior": self.class_prior,
            "random_state": self.seed,
        }


@dataclass(frozen=True)
class Promising:
    """Options on what the list promises; each has the name of the library's argument."""

    recall: Annotated[
        float | None,
        _promised_share(
            "Mark rows with high scores that contain at least this share of the positives, at the "
            "confidence of --confidence. To mark the rows, the methods are compared and fitted "
            "again without at least half of the known positives, which are held out to prove it. "
            "The ranking does not change."
        ),
    ] = None
    fdr: Annotated[
        float | None,
        _promised_share(
            "Mark rows with high scores: in expectation at most this share of these rows is "
            "negative. Needs --prior-at-least, --irreducible or --known-negative. Known "
            "positives are held out as with --recall."
        ),
    ] = None
    discard: Annotated[
        float | None,
        _promised_share(
            "Mark rows with low scores, which can be discarded: in expectation at most this share "
            "of these rows is positive. Known positives are held out as with --recall."
        ),
    ] = None
    confidence: Annotated[
        float,
        _promised_share(
            "Confidence of --recall and of the confidence interval for the share of positives."
        ),
    ] = 0.95
    prior_at_least: Annotated[
        float | None,
        _promised_share(
            "Declare that at least this share of the unlabeled rows is positive. With this "
            "share onesided also tests whether labels are drawn evenly among the positives."
        ),
    ] = None
    prior_at_most: Annotated[
        float | None,
        _promised_share(
            "Declare that at most this share of the unlabeled rows is positive. More rows can then "
            "be discarded. Needs --discard. Default: the share is estimated."
        ),
    ] = None
    irreducible: Annotated[
        bool,
        _promise(
            "Declare that the rows with the highest scores are certainly positive.", "--irreducible"
        ),
    ] = False
    label_odds_ratio: Annotated[float, label_odds_option(panel=PROMISING)] = 1.0


@dataclass(frozen=True)
class Profit:
    """Options that say what the list costs and what it brings."""

    value: Annotated[
        float | None,
        _amount(
            "What each positive in the list brings, in any currency. With --cost and --scenario: "
            "the length of the list with the greatest expected profit."
        ),
    ] = None
    cost: Annotated[float | None, _amount("What each row of the list costs.")] = None
    budget: Annotated[
        float | None,
        _amount("What all rows of the list may cost. With --cost: the length that this pays for."),
    ] = None


@dataclass(frozen=True)
class Negatives:
    """Options that say which rows were checked and are negative; true if one of them is given."""

    known_negative: Annotated[
        str,
        _promise(
            "Column that marks rows that were checked and are negative. These rows are not ranked.",
            metavar="COLUMN[=VALUE]",
        ),
    ] = ""
    known_negative_table: Annotated[
        list[Path] | None,
        _promise(
            "File of rows that were checked and are negative, in any format that TABLE may have, "
            "or a list of values of --id. Repeatable.",
            metavar="FILE",
        ),
    ] = None
    screened_at_random: Annotated[
        bool,
        _promise(
            "Say that the rows that were checked, positive and negative, were picked at random. "
            "Then the positives among them are counted to tell how many the other rows hold, with "
            "an exact interval. Leave it out if the rows were the top of a list or chosen by hand. "
            "Needs known negatives.",
            "--screened-at-random",
        ),
    ] = False

    def __bool__(self) -> bool:
        return bool(self.known_negative or self.known_negative_table)


Verdicts: TypeAlias = Annotated[
    list[Path] | None,
    file_option(
        f"Sheet of checked rows of an earlier ranking. Its column verdict holds {verdict_words()}, "
        "or nothing where nobody looked; its column stands_for, if there is one, holds the "
        "number of unlabeled rows that a checked row stands for. The models learn from the "
        "verdicts. Repeatable.",
        panel=LEARNING,
    ),
]
match_option = partial(
    column_option,
    "Column that random sets are matched by, for example length or expression level. The random "
    "sets have as many rows of each stratum of the column as the positives, so what the column "
    "alone explains counts as chance. Numbers are cut into narrow strata. Repeatable.",
)
Time: TypeAlias = Annotated[
    str,
    column_option(
        "Column of dates or numbers, by which methods are judged on later rows: they learn from "
        "earlier rows, and rank later known positives among the unlabeled rows of their time. No "
        "method learns from the column, and the list itself is learned from all rows.",
        panel=LEARNING,
    ),
]
Background: TypeAlias = Annotated[
    Literal["others"] | None,
    option(
        "Which unlabeled rows the methods learn from. others: rows with another label in the same "
        "column, and a few rows without a label. Rows with other labels were found by the same "
        "people in the same places, so what makes all labels more likely there cancels. All "
        "unlabeled rows are still ranked. Default: all unlabeled rows.",
        metavar="others",
        show_default=False,
        panel=LEARNING,
    ),
]
Scenario: TypeAlias = Annotated[
    Literal["single-training-set", "case-control"] | None,
    _promise(
        "How the rows were collected. single-training-set: the table is one sample, and some "
        "of its positives are labeled. case-control: the positives were collected separately "
        "from the unlabeled rows. With it the number of positives is estimated, and the "
        "probability of each row to be positive.",
        metavar="SCENARIO",
        show_default=False,
    ),
]


@dataclass(frozen=True)
class Running:
    """Options that say where methods learn."""

    workers: Annotated[
        int | None,
        workers_option(
            "Number of workers that learn side by side on this machine: processes, or threads for "
            "large tables of numbers. Default: as many as it has cores, if the work is long.",
            show_default=False,
        ),
    ] = None
    cluster: Annotated[
        str | None,
        cluster_option(
            "Address of a Dask scheduler, whose workers do the learning. Needs onesided[dask]."
        ),
    ] = None

    @property
    def where(self) -> dict[str, Any]:
        """Arguments of `fits_elsewhere`; by default, long work uses all cores."""
        is_told = bool(self.workers or self.cluster)
        return {"n_workers": self.workers, "cluster": self.cluster, "only_if_slow": not is_told}


def changed(group: Any) -> dict[str, Any]:
    """Return the options of a group that differ from their defaults, by name."""
    return {
        each.name: value
        for each in fields(group)
        if (value := getattr(group, each.name)) != each.default
    }
