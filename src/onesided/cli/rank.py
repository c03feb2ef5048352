"""`onesided rank`: a table to a ranking and a report."""

import shlex
import sys
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from onesided.cli._options import (
    Categorical,
    Delimiter,
    Drop,
    Positive,
    Seed,
    TablePath,
    Text,
    say_columns,
    say_dropped,
    say_labels,
    say_size,
)
from onesided.cli._talk import gathered_warnings, progress, reports_errors, say

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa
    from sklearn.pipeline import Pipeline

    from onesided._typing import Array, Bools
    from onesided.metrics import ResampledPValue
    from onesided.model_selection import Comparison, CrossFitScores, PositiveKFold
    from onesided.tables import TableSummary

_FOLDS = 5
_RANDOM_SETS = 999


@reports_errors
def rank(  # noqa: PLR0913 - each is an option
    table: TablePath,
    positive: Positive,
    id_column: Annotated[
        str, typer.Option("--id", help="Column that names the rows.", metavar="COLUMN")
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option(help="Ranking to write, .csv or .parquet. Default: TABLE-ranking.csv, here."),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Report to write, one self-contained .html page.")
    ] = None,
    top: Annotated[
        int | None, typer.Option(help="Write only the first N candidates.", min=1, metavar="N")
    ] = None,
    group: Annotated[
        str,
        typer.Option(help="Column of groups; positives of a group are hidden together."),
    ] = "",
    drop: Drop = None,
    categorical: Categorical = None,
    text: Text = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            help="Method to compare: naive-bayes, tree, k-dependence, one-dependence, multinomial, "
            "logistic, significance, center-of-mass, correlation, one-class-svm or "
            "cross-fit-svm. Repeatable. Default: those that suit the table.",
        ),
    ] = None,
    class_prior: Annotated[
        float | None,
        typer.Option(
            help="Share of positives among the unlabeled, between 0 and 1. Default: estimated.",
        ),
    ] = None,
    resamples: Annotated[
        int,
        typer.Option(
            help="Random label sets that the comparison is repeated with, for a p-value of the "
            "best AUC. 99 take 99 times as long as the comparison. Default: none.",
            min=0,
            metavar="N",
        ),
    ] = 0,
    delimiter: Delimiter = None,
    seed: Seed = 0,
) -> None:
    """Rank the unlabeled rows of a table by likeness to the positive ones.

    Compares a few methods on the known positives, takes the best, scores each unlabeled row by
    a model in which it did not count as unlabeled, and writes a ranking and a report.

    Example:

    [bold]onesided rank genes.csv --positive known_target --id gene --report report.html[/bold]
    """
    from onesided import tables  # noqa: PLC0415 - help does not pay for it
    from onesided.model_selection import (  # noqa: PLC0415
        PositiveKFold,
        check_exchangeable,
    )

    out = out or Path(f"{tables.table_name(table)}-ranking.csv")
    tables.check_writable(out, tables.RANKING_ENDINGS, source=table)
    if report:
        tables.check_writable(report, tables.REPORT_ENDINGS, source=table)
    with gathered_warnings() as notes:
        as_text = [*tables.label_columns(positive), *filter(None, (id_column, group))]
        data = tables.read_table(table, delimiter=delimiter, as_text=as_text)
        label, is_positive = tables.read_labels(data, positive)
        named = [tables.find_key(data, name) for name in (id_column, group) if name]
        summary = tables.describe(
            data,
            without=[label, *named],
            drop=drop or [],
            categorical=categorical or [],
            text=text or [],
        )
        _say_understood(table, data, label, id_column, is_positive, summary)
        tables.warn_of_leaks(data, is_positive, summary)
        features = data.select(summary.used)
        groups = _as_groups(data.column(group)) if group else None
        folds = PositiveKFold(_FOLDS, random_state=seed)
        hidden = folds.hidden_positives(is_positive, groups)
        rankers = tables.default_rankers(
            summary,
            methods=method or [],
            class_prior="estimate" if class_prior is None else class_prior,
            n_positive=int(is_positive.sum()) - max(map(len, hidden)),
            random_state=seed,
        )
        if resamples and groups is not None:
            check_exchangeable(is_positive, groups)
        found, scored = _learn(rankers, features, is_positive, groups, folds, seed)
        chance = _test_chance(rankers, found, features, is_positive, groups, folds, resamples, seed)
        ids = data.column(id_column) if id_column else tables.row_numbers(data)
        ranking = tables.ranking_table(ids, id_column or "row", scored, found.hidden[found.best_])
    for note in notes:
        say(f"warning: {note}")

    _say_found(found, ranking)
    _say_chance(chance)
    kept = ranking.slice(0, top) if top else ranking
    writers: dict[Path, Callable[[Path], None]] = {
        out: partial(tables.write_table, kept, format_path=out)
    }
    if report:
        from onesided.reporting import render_html, summarize_ranking  # noqa: PLC0415

        page = render_html(
            summarize_ranking(
                name=table.name,
                summary=summary,
                positive=is_positive,
                label=label,
                identifier=ranking.column_names[0],
                group=group,
                comparison=found,
                scored=scored,
                ranking=kept,
                chance=chance,
                warnings=notes,
                command=shlex.join(["onesided", *sys.argv[1:]]),
            )
        )
        writers[report] = partial(_write_text, page)
    tables.write_files(writers)
    if report:
        say(f"Report: {report}")
    say("Ranking:")
    typer.echo(str(out))


def _write_text(text: str, path: Path) -> None:
    path.write_text(text, encoding="utf-8")


def _say_understood(
    path: Path,
    data: "pa.Table",
    label: str,
    id_column: str,
    positive: "Bools",
    summary: "TableSummary",
) -> None:
    say_size(path, data)
    say_labels(label, positive)
    say_columns(summary)
    if id_column:
        say(f"  identifier: {id_column}")
    say_dropped(summary)


def _learn(
    rankers: "dict[str, Pipeline]",
    features: "pa.Table",
    positive: "Bools",
    groups: "Array | None",
    folds: "PositiveKFold",
    seed: int,
) -> "tuple[Comparison, CrossFitScores]":
    """Compare the rankers, take the best, and score the unlabeled with it."""
    from onesided.model_selection import compare, cross_fit_scores  # noqa: PLC0415

    n_fits = folds.get_n_splits(None, positive, groups) * len(rankers)
    say(f"Ranking the known positives, hidden in turn, by {'; '.join(rankers)}")
    with progress("comparing") as step:
        done = count(1)
        found = compare(
            rankers,
            features,
            positive,
            cv=folds,
            groups=groups,
            random_state=seed,
            on_fold=lambda _: step(next(done), n_fits),
        )
    with progress("scoring") as step:
        done = count(1)
        scored = cross_fit_scores(
            rankers[found.best_],
            features,
            positive,
            cv=_FOLDS,
            random_state=seed,
            on_fold=lambda: step(next(done), _FOLDS),
        )
    return found, scored


def _test_chance(
    rankers: "dict[str, Pipeline]",
    compared: "Comparison",
    features: "pa.Table",
    positive: "Bools",
    groups: "Array | None",
    folds: "PositiveKFold",
    resamples: int,
    seed: int,
) -> "dict[str, ResampledPValue]":
    """P-values: of the best AUC if asked for, of the significance ranker if it was compared."""
    from onesided.model_selection import label_resampling_test  # noqa: PLC0415

    found = {}
    if resamples:
        with progress("testing against random labels") as step:
            found["auc"] = label_resampling_test(
                rankers,
                features,
                positive,
                n_resamples=resamples,
                cv=folds,
                groups=groups,
                random_state=seed,
                on_resample=step,
            )
    for name, pipeline in rankers.items():
        if hasattr(pipeline["model"], "adjusted_p_value") and groups is None:
            if name == compared.best_:  # fitted on all rows already
                model = compared.best_estimator_["model"]
            else:
                model = pipeline.fit(features, positive)["model"]
            with progress("testing against random sets") as step:
                found["distance"] = model.adjusted_p_value(
                    _RANDOM_SETS, random_state=seed, on_step=step
                )
    return found


def _say_chance(chance: "dict[str, ResampledPValue]") -> None:
    what = {
        "auc": "p = {:.3g} for the best AUC, against {:,} random label sets",
        "distance": "adjusted p = {:.3g} for the distance of the positives from others, "
        "against {:,} random sets of their size",
    }
    for name, found in chance.items():
        say(f"By chance? {what[name].format(float(found), len(found.null))}")


def _say_found(found: "Comparison", ranking: "pa.Table") -> None:
    for name, hidden in found.hidden.items():
        mark = "  <- taken" if name == found.best_ else ""
        say(f"  {name:<38} hidden-positive AUC {hidden.auc:.3f}{mark}")
    n_unlabeled = ranking.num_rows
    say(f"Scored {n_unlabeled:,} unlabeled rows, each by a model that did not learn from it")
    for n_listed in (10, 100, 1000):
        if n_listed < n_unlabeled:
            share = ranking["share_of_known_positives"][n_listed - 1].as_py()
            say(
                f"  the first {n_listed:>5,} hold {share:6.1%} of the known positives when hidden "
                f"(by chance {n_listed / n_unlabeled:.1%})"
            )


def _as_groups(column: "pa.ChunkedArray") -> "Array":
    """A group for each row; a row without one is a group of its own."""
    import numpy as np  # noqa: PLC0415

    cells = enumerate(column.to_pylist(), start=1)
    alone = "row {} without a group"
    return np.array([str(cell) if cell not in (None, "") else alone.format(n) for n, cell in cells])
