"""`onesided enrich`: features in which the positives differ from random sets of their size."""

import shlex
from collections import Counter
from enum import StrEnum
from functools import partial
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from onesided.cli._completion import complete_column
from onesided.cli._options import (
    Categorical,
    Delimiter,
    Drop,
    ForSpreadsheet,
    Positive,
    Seed,
    TablePath,
    Text,
    check_table,
)
from onesided.cli._run import current_run, verb
from onesided.cli._say import explain_columns, say_columns, say_dropped, say_labels, say_size
from onesided.cli._talk import progress, say

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from onesided._typing import Bools
    from onesided.cli._results import EnrichResult
    from onesided.tables import RowSets, TableSummary

_PANEL = "How features are tested"
_ERROR = 0.05  # family-wise, below which a feature is printed
_FEWEST_POSITIVE = 2
_ENOUGH = 9999  # random sets
_MOST_SHOWN = 10


class Statistic(StrEnum):
    """What is compared with random sets."""

    sum = "sum"
    t = "t"


@verb
def enrich(  # noqa: PLR0913 - each is an option
    table: TablePath,
    positive: Positive = "",
    positive_sets: Annotated[
        Path | None,
        typer.Option(
            help="Gene sets; each in turn is the positive one, in place of --positive.",
            metavar="FILE.gmt",
        ),
    ] = None,
    sets: Annotated[
        Path | None,
        typer.Option(
            help="Gene sets; to be in one is a feature, in place of the columns.",
            metavar="FILE.gmt",
        ),
    ] = None,
    id_column: Annotated[
        str,
        typer.Option(
            "--id",
            help="Column that names the rows; the sets hold its values.",
            metavar="COLUMN",
            autocompletion=complete_column,
        ),
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option(
            help="Table to write, .csv, .tsv or .parquet. Default: TABLE-enrichment.csv, here.",
            metavar="FILE",
        ),
    ] = None,
    *,
    with_columns: Annotated[
        bool,
        typer.Option(
            "--with-columns", help="Test the columns beside the --sets.", rich_help_panel=_PANEL
        ),
    ] = False,
    min_size: Annotated[
        int,
        typer.Option(
            help="Fewest rows of one of the --sets.", min=1, metavar="N", rich_help_panel=_PANEL
        ),
    ] = 3,
    max_size: Annotated[
        int,
        typer.Option(
            help="Most rows of one of the --sets.", min=1, metavar="N", rich_help_panel=_PANEL
        ),
    ] = 2000,
    statistic: Annotated[
        Statistic,
        typer.Option(
            help="Mean of the positives in standard errors; or t, over their own deviation.",
            rich_help_panel=_PANEL,
        ),
    ] = Statistic.sum,
    resamples: Annotated[
        int,
        typer.Option(
            help="Random sets to compare with.", min=1, metavar="N", rich_help_panel=_PANEL
        ),
    ] = _ENOUGH,
    top: Annotated[
        int | None,
        typer.Option(
            help="Write only the first N features, of each positive set.", min=1, metavar="N"
        ),
    ] = None,
    drop: Drop = None,
    categorical: Categorical = None,
    text: Text = None,
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
    from onesided import tables  # noqa: PLC0415 - help does not pay for it

    run = current_run()
    out = out or Path(f"{tables.table_name(table)}-enrichment.csv")
    check_table(out, (table, sets, positive_sets), safe=for_spreadsheet)
    _check_positive(positive, positive_sets)
    _check_sets(sets, positive_sets, id_column, statistic, with_columns=with_columns)
    as_text = [*tables.label_columns(positive), *filter(None, [id_column])]
    rows = tables.read_rows(table, delimiter=delimiter, as_text=as_text)
    data, id_column = rows.data, id_column or rows.identifier
    say_size(table, data)
    aside = [tables.find_key(data, id_column)] if id_column else []
    ids = data.column(id_column) if sets or positive_sets else tables.row_numbers(data)
    if sets or positive_sets:
        _say_odd_ids(ids, id_column)
    if positive_sets:
        found = _match_sets(positive_sets, "positive sets", ids, _FEWEST_POSITIVE)
        chosen = {
            name: found.members[[n]].toarray().ravel() > 0 for n, name in enumerate(found.names)
        }
    else:
        label, is_positive = tables.read_labels(data, positive, lists=rows.lists)
        aside.append(label)
        chosen = {label: is_positive}
        say_labels(label, is_positive, notes=tables.label_notes(data, positive, negatives=True))

    names: list[str] = []
    parts: list[Any] = []
    if sets is None or with_columns:
        summary = tables.describe(
            data,
            without=aside,
            drop=drop or [],
            categorical=categorical or [],
            text=[*(text or []), *rows.text],
            aside=rows.aside,
        )
        say_columns(summary)
        say_dropped(summary)
        explain_columns(summary, [*(categorical or []), *(text or [])])
        _check_statistic(statistic, summary)
        names, columns = tables.feature_matrix(data, summary)
        parts.append(columns)
    if sets:
        found = _match_sets(sets, "sets", ids, min_size, max_size)
        _check_apart(found.names, names)
        names = names + found.names
        parts.append(found.members.T.tocsr())
    X = tables.side_by_side(parts)
    results = _test(X, names, chosen, statistic=statistic, n_resamples=resamples, seed=seed)
    if positive_sets:
        _say_of_sets(results, resamples)
    else:
        _say_found(results[label], resamples)
    kept = {name: found.slice(0, top) if top else found for name, found in results.items()}
    result = (
        tables.of_positive_sets(kept, {name: int(y.sum()) for name, y in chosen.items()})
        if positive_sets
        else kept[label]
    )
    write = partial(tables.write_table, result, format_path=out, for_spreadsheet=for_spreadsheet)
    run.write({out: write})
    told: EnrichResult = {
        "n_features": len(names),
        "n_resamples": resamples,
        "features": result.to_pylist() if run.as_json else [],
    }
    run.end("Enrichment:", str(out), told, {"enrichment": out})


def _check_positive(positive: str, positive_sets: Path | None) -> None:
    from onesided.exceptions import TableError  # noqa: PLC0415

    if positive and positive_sets:
        raise TableError(
            "--positive and --positive-sets both say what is positive.", "Pass one of them."
        )
    if not positive and not positive_sets:
        raise TableError(
            "Neither --positive nor --positive-sets says what is positive.",
            "Name the column of labels: --positive COLUMN.",
        )


def _check_sets(
    sets: Path | None,
    positive_sets: Path | None,
    id_column: str,
    statistic: Statistic,
    *,
    with_columns: bool,
) -> None:
    from onesided.exceptions import TableError  # noqa: PLC0415

    if (sets or positive_sets) and not id_column:
        raise TableError(
            f"{'--sets' if sets else '--positive-sets'} needs to know which rows its members are.",
            "Name the column that holds them: --id COLUMN.",
        )
    if with_columns and not sets:
        raise TableError(
            "--with-columns is for --sets; without them the columns are tested anyway.",
            "Leave it out, or pass --sets FILE.gmt.",
        )
    if sets and statistic is Statistic.t:
        raise TableError("--statistic t is for numbers, not for --sets.", "Leave it at sum.")


def _check_statistic(statistic: Statistic, summary: "TableSummary") -> None:
    """Refuse Student's t for indicators, most of which do not vary within the positives."""
    from onesided.exceptions import TableError  # noqa: PLC0415

    others = [*summary.names("category"), *summary.names("text")]
    if statistic is Statistic.t and others:
        raise TableError(
            f"--statistic t is for numbers, and column {others[0]!r} holds none.",
            f"Leave it at sum, or drop what is no number: --drop {shlex.quote(others[0])}.",
        )


def _check_apart(set_names: list[str], names: list[str]) -> None:
    from onesided.exceptions import TableError  # noqa: PLC0415

    both = sorted({*set_names} & {*names})
    if both:
        raise TableError(
            f"{both[0]!r} is the name of a set and of a column's feature.", "Rename one of them."
        )


def _say_odd_ids(ids: "pa.ChunkedArray", name: str) -> None:
    """Rows without an identifier, and rows that share one."""
    present = [cell for cell in ids.to_pylist() if cell not in (None, "") and cell == cell]  # noqa: PLR0124 - NaN differs from itself
    n_missing = len(ids) - len(present)
    shared = [cell for cell, n in Counter(present).items() if n > 1]
    if n_missing:
        say(f"  rows without {name}, in no set: {n_missing:,}")
    if shared:
        say(f"  values of {name} that several rows share, each row counts: {len(shared):,}")


def _match_sets(
    path: Path, what: str, ids: "pa.ChunkedArray", min_size: int, max_size: int | None = None
) -> "RowSets":
    from onesided.tables import match_sets  # noqa: PLC0415

    found = match_sets(path, ids, min_size=min_size, max_size=max_size)
    left_out = [f"{n:,} {reason}" for reason, n in found.left_out.items()]
    say(
        f"  {path.name}: {len(found.names):,} {what}"
        + (f"; left out {', '.join(left_out)}" if left_out else "")
    )
    return found


def _test(
    X: object,
    names: list[str],
    chosen: "dict[str, Bools]",
    *,
    statistic: Statistic,
    n_resamples: int,
    seed: int,
) -> "dict[str, pa.Table]":
    """Test all features for each set of positives."""
    from onesided.models.significance import enrichment  # noqa: PLC0415
    from onesided.tables import enrichment_table  # noqa: PLC0415

    of = f", for each of {len(chosen):,} sets" if len(chosen) > 1 else ""
    say(f"Testing {_features(len(names))} against up to {n_resamples:,} random sets{of}")
    results = {}
    with progress("testing") as step:
        for n_done, (name, positive) in enumerate(chosen.items()):
            found = enrichment(
                X,
                positive,
                statistic=statistic.value,
                n_resamples=n_resamples,
                random_state=seed,
                on_step=_of_all(step, n_done, len(chosen)),
            )
            results[name] = enrichment_table(found, names)
    return results


def _of_all(
    step: "Callable[[int, int], None]", n_done: int, n_all: int
) -> "Callable[[int, int], None]":
    """Progress within one of equal parts as progress of them all."""
    return lambda done, of: step(n_done * of + done, n_all * of)


def _say_found(found: "pa.Table", n_resamples: int) -> None:
    """The first features, if their adjusted p-values are small."""
    n_found = _n_found(found)
    if not n_found:
        _say_nothing(f": none of {_features(found.num_rows)}", found, n_resamples)
        return
    say(f"Adjusted p < {_ERROR}: {n_found:,} of {_features(found.num_rows)}")
    say("  adjusted p         p  positives  feature")
    for row in found.slice(0, min(n_found, _MOST_SHOWN)).to_pylist():
        p_values = f"{row['adjusted_p_value']:>12.2g}  {row['p_value']:>8.2g}"
        say(f"{p_values}  {row['direction']:<9}  {row['feature']}")
    if n_found > _MOST_SHOWN:
        say(f"  and {n_found - _MOST_SHOWN:,} more in the table")


def _say_of_sets(results: "dict[str, pa.Table]", n_resamples: int) -> None:
    """The first feature of the sets whose adjusted p-values are smallest."""
    firsts = {name: found.slice(0, 1).to_pylist()[0] for name, found in results.items()}
    order = sorted(firsts, key=lambda n: (firsts[n]["adjusted_p_value"], firsts[n]["p_value"]))
    n_found = {name: n for name in order if (n := _n_found(results[name]))}
    if not n_found:
        _say_nothing(
            f" in none of {len(results):,} sets",
            results[order[0]],
            n_resamples,
        )
    else:
        say(f"Adjusted p < {_ERROR} in {len(n_found):,} of {len(results):,} sets")
        say("  adjusted p         p  features  set: the first of them")
        for name, n in list(n_found.items())[:_MOST_SHOWN]:
            first = firsts[name]
            p_values = f"{first['adjusted_p_value']:>12.2g}  {first['p_value']:>8.2g}"
            say(f"{p_values}  {n:>8,}  {name}: {first['feature']}, {first['direction']}")
        if len(n_found) > _MOST_SHOWN:
            say(f"  and {len(n_found) - _MOST_SHOWN:,} more sets in the table")
    if len(results) > 1:
        over_all = _ERROR / len(results)
        reach = "" if n_resamples + 1 > 1 / over_all else f" (--resamples {ceil(1 / over_all)})"
        say(
            "The adjusted p-values of a set hold for its features, not for all sets: by chance "
            f"alone up to {_ERROR:.0%} of the sets have one below {_ERROR}.\n"
            f"For one error over all {len(results):,} sets look for those below "
            f"{over_all:.2g}{reach}."
        )


def _features(number: int) -> str:
    return f"{number:,} feature{'s' * (number != 1)}"


def _n_found(found: "pa.Table") -> int:
    return sum(p < _ERROR for p in found["adjusted_p_value"].to_pylist())


def _say_nothing(text: str, found: "pa.Table", n_resamples: int) -> None:
    """Say that nothing was found, and if so, that so few random sets can find nothing."""
    (least,) = found["adjusted_p_value"].slice(0, 1).to_pylist()
    say(f"Adjusted p < {_ERROR}{text}; the smallest is {least:.2g}")
    if 1 / (1 + n_resamples) >= _ERROR:
        say(f"  by so few random sets none can be: --resamples {_ENOUGH}")
