"""`onesided enrich`: features in which the positives differ from random sets of their size."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from onesided.cli._completion import complete_column
from onesided.cli._options import (
    Columns,
    Delimiter,
    ForSpreadsheet,
    Positive,
    Seed,
    TablePath,
    check_table,
)
from onesided.cli._run import current_run, verb
from onesided.cli._say import explain_columns, say_columns, say_dropped, say_labels, say_size
from onesided.cli._talk import say, stages

if TYPE_CHECKING:
    from onesided.cli._results import EnrichResult
    from onesided.enriched import RowSets, TestedTable

_sets = partial(typer.Option, metavar="FILE.gmt")
_test = partial(typer.Option, rich_help_panel="How features are tested")
_number = partial(_test, min=1, metavar="N")


@verb
def enrich(  # noqa: PLR0913 - each is an option
    table: TablePath,
    positive: Positive = "",
    positive_sets: Annotated[
        Path | None,
        _sets(
            help=(
                "File of gene sets. Each set in turn gives the positive rows, in place of "
                "--positive."
            )
        ),
    ] = None,
    sets: Annotated[
        Path | None,
        _sets(
            help="File of gene sets. Membership in each set is a feature, in place of the columns."
        ),
    ] = None,
    id_column: Annotated[
        str,
        typer.Option(
            "--id",
            help="Column that names the rows. The gene sets list its values.",
            metavar="COLUMN",
            autocompletion=complete_column,
        ),
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option(
            help=(
                "File for the results, .csv, .tsv or .parquet. Default: TABLE-enrichment.csv in "
                "the current folder."
            ),
            metavar="FILE",
        ),
    ] = None,
    *,
    with_columns: Annotated[
        bool, _test("--with-columns", help="Test the columns too, beside the --sets.")
    ] = False,
    min_size: Annotated[int, _number(help="Smallest number of rows that a set may have.")] = 3,
    max_size: Annotated[int, _number(help="Largest number of rows that a set may have.")] = 2000,
    statistic: Annotated[
        Literal["sum", "t"],
        _test(help="sum: the mean of the positives in standard errors. t: Welch's t statistic."),
    ] = "sum",
    resamples: Annotated[int, _number(help="Number of random sets to compare with.")] = 9999,
    top: Annotated[
        int | None,
        typer.Option(
            help="Write only the first N features for each positive set.", min=1, metavar="N"
        ),
    ] = None,
    columns: Columns,
    for_spreadsheet: ForSpreadsheet = False,
    delimiter: Delimiter = None,
    seed: Seed = 0,
) -> None:
    """Find features in which the positives differ from random sets of their size.

    Features are numbers as they are and, as 0 or 1, values of categories, words
    of text and, with --sets, membership in gene sets. A GMT file has a set on
    each line: name, description and members, with tabs between them.

    The adjusted p-value bounds the chance of any false finding among all the
    features (family-wise error), however they depend on each other. With
    --positive-sets it does so for each positive set by itself.

    Example:

    **onesided enrich genes.csv --positive known_target --id gene --sets go.gmt**
    """
    from onesided import enriched, tables  # noqa: PLC0415 - help does not pay for it

    run = current_run()
    out = out or Path(f"{tables.table_name(table)}-enrichment.csv")
    check_table(out, (table, sets, positive_sets), safe=for_spreadsheet)

    def on_read(tested: "TestedTable") -> None:
        say_size(table, tested.data)
        if tested.n_unnamed:
            say(f"  rows without a value of {id_column}, which are in no set: {tested.n_unnamed:,}")
        if n := tested.n_shared:
            say(
                f"  values of {id_column} that several rows share (each of these rows "
                f"counts): {n:,}"
            )
        if tested.positive_sets:
            _say_sets(positive_sets, "positive sets", tested.positive_sets)
        else:
            (is_positive,) = tested.positive.values()
            say_labels(tested.label, is_positive, notes=tested.label_notes)
        if tested.summary:
            say_columns(tested.summary)
            say_dropped(tested.summary)
            explain_columns(tested.summary, columns.asked)
        if tested.sets:
            _say_sets(sets, "sets", tested.sets)
        n_sets, n = len(tested.positive), len(tested.features)
        of = f", for each of {n_sets:,} sets" if n_sets > 1 else ""
        features = f"{n:,} feature{'s' * (n != 1)}"
        say(f"Testing {features} against up to {resamples:,} random sets{of}")

    with stages() as tell:
        found = enriched.enrich_table(
            table,
            positive,
            positive_sets=positive_sets,
            sets=sets,
            identifier=id_column,
            with_columns=with_columns,
            min_size=min_size,
            max_size=max_size,
            statistic=statistic,
            n_resamples=resamples,
            top=top,
            drop=columns.drop or (),
            categorical=columns.categorical or (),
            text=columns.text or (),
            delimiter=delimiter,
            random_state=seed,
            on_read=on_read,
            on_progress=tell,
        )
    say(str(found))
    write = partial(tables.write_table, format_path=out, for_spreadsheet=for_spreadsheet)
    run.write({out: partial(write, found.table)})
    told: EnrichResult = {
        "n_features": len(found.tested.features),
        "n_resamples": resamples,
        "features": found.table.to_pylist() if run.as_json else [],
    }
    run.end("Enrichment:", str(out), told, {"enrichment": out})


def _say_sets(path: Path | None, what: str, found: "RowSets") -> None:
    left_out = [f"{n:,} {reason}" for reason, n in found.left_out.items()]
    but = f"; left out {', '.join(left_out)}" if left_out else ""
    say(f"  {path.name if path else ''}: {len(found.names):,} {what}{but}")
