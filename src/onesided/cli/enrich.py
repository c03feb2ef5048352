"""`onesided enrich`: find features in which positives differ from random sets of their size."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from onesided.cli._options import (
    OUTPUT,
    Cells,
    Columns,
    ForSpreadsheet,
    Positive,
    Seed,
    TablePath,
    changed,
    column_option,
    count_option,
    file_option,
    match_option,
    option,
)
from onesided.cli._outputs import check_outputs, table_file
from onesided.cli._run import current_run, verb
from onesided.cli._talk import explain, say, stages

if TYPE_CHECKING:
    from onesided.enriched import TestedTable

_sets = partial(option, metavar="FILE.gmt")
_TESTS = "How features are tested"
_test, _number = (partial(each, panel=_TESTS) for each in (option, count_option))


@verb
def enrich(  # noqa: PLR0913 - each is an option
    table: TablePath,
    positive: Positive = "",
    positive_table: Annotated[
        list[Path] | None,
        file_option(
            "File of positive rows, or a list of values of --id, one a line, in place of "
            "--positive. Repeatable."
        ),
    ] = None,
    first: Annotated[
        int | None,
        count_option(
            "Only the first N rows of each --positive-table are positive: what has the top of a "
            "ranking in common?"
        ),
    ] = None,
    positive_sets: Annotated[
        list[Path] | None,
        _sets(
            "File of gene sets. Each set in turn gives the positive rows, in place of --positive. "
            "Repeatable."
        ),
    ] = None,
    sets: Annotated[
        list[Path] | None,
        _sets(
            "File of gene sets. Membership in each set is a feature, in place of the columns. "
            "Repeatable."
        ),
    ] = None,
    id_column: Annotated[
        str, column_option("Column that names the rows. The gene sets list its values.", "--id")
    ] = "",
    out: Annotated[
        Path | None,
        file_option(
            "File for the results, .csv, .tsv, .xlsx or .parquet. Default: TABLE-enrichment.csv in "
            "the current folder."
        ),
        OUTPUT,
    ] = None,
    *,
    with_columns: Annotated[
        bool, _test("Test the columns too, beside the --sets.", "--with-columns")
    ] = False,
    min_size: Annotated[int, _number("Smallest number of rows that a set may have.")] = 3,
    max_size: Annotated[int, _number("Largest number of rows that a set may have.")] = 2000,
    statistic: Annotated[
        Literal["sum", "t"],
        _test("sum: the mean of the positives in standard errors. t: Welch's t statistic."),
    ] = "sum",
    match: Annotated[list[str] | None, match_option(panel=_TESTS)] = None,
    resamples: Annotated[int, _number("Number of random sets to compare with.")] = 9999,
    top: Annotated[
        int | None, count_option("Write only the first N features for each positive set.")
    ] = None,
    columns: Columns,
    for_spreadsheet: ForSpreadsheet = False,
    cells: Cells,
    seed: Seed = 0,
) -> None:
    """Find features in which the positives differ from random sets of their size.

    The features are the numbers of the table; the values of categories, the words of text and, with
    --sets, the gene sets count as 0 or 1. A GMT file has one set on each line: name, description
    and members, with tabs between them. For each set the result has the size of the set, its
    overlap with the positives, the ratio of this overlap to the overlap by chance, the members that
    are positive, and the description.

    The adjusted p-value controls the family-wise error: the probability of one false finding or
    more among all features, however the features depend on each other. With --positive-sets it does
    so for each set of positives by itself.

    Example:

    **onesided enrich genes.csv --positive known_target --id gene --sets go.gmt**

    **onesided enrich genes.csv --positive-table genes-ranking.csv --first 100 --id gene --sets
    go.gmt**
    """
    from onesided import enriched, tables  # noqa: PLC0415 - help does not pay for it

    run = current_run()
    out = out or Path(f"{tables.table_name(table)}-enrichment.csv")
    check_outputs(run.inputs, {"--out": out}, safe=for_spreadsheet)

    def on_read(tested: "TestedTable") -> None:
        say(*tested.sentences)
        explain(*tested.reasons)
        say(*tested.test_sentences(resamples))

    with stages() as tell:
        found = enriched.enrich_table(
            table,
            positive,
            positive_table=positive_table,
            first=first,
            positive_sets=positive_sets,
            sets=sets,
            identifier=id_column,
            with_columns=with_columns,
            min_size=min_size,
            max_size=max_size,
            statistic=statistic,
            n_resamples=resamples,
            match=match or (),
            top=top,
            **changed(columns),
            **changed(cells),
            random_state=seed,
            on_read=on_read,
            on_progress=tell,
        )
    say(str(found))
    run.write({"enrichment": table_file(out, found.table, safe=for_spreadsheet)})
    run.end("Enrichment:", found.facts)
