"""`onesided rank`: a table to a ranking and a report."""

from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from onesided._notes import gathered_warnings
from onesided.cli._completion import complete_column
from onesided.cli._each import Each, PositiveEach
from onesided.cli._options import (
    LEARNING,
    Categorical,
    Cluster,
    Delimiter,
    Drop,
    ForSpreadsheet,
    Group,
    Methods,
    Positive,
    PositiveTable,
    Prior,
    Seed,
    TablePath,
    Text,
    Workers,
    check_distinct,
    check_report,
    check_table,
    say_aucs,
)
from onesided.cli._prepare import Prepared, prepare
from onesided.cli._promises import (
    Confidence,
    Discard,
    Fdr,
    Irreducible,
    KnownNegative,
    KnownNegativeTable,
    PriorAtLeast,
    Promises,
    Recall,
    Scenario,
    judge,
)
from onesided.cli._run import current_run, verb
from onesided.cli._talk import progress, say, warn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pyarrow as pa
    from sklearn.pipeline import Pipeline

    from onesided._ranked import Doubt
    from onesided.cli._promises import Judged
    from onesided.metrics import ResampledPValue
    from onesided.model_selection import Comparison, OutOfFoldScores
    from onesided.reporting import Report

_FOLDS = 5
_RANDOM_SETS = 999
_MOST_TESTED, _MOST_CELLS = 2000, 20_000_000  # features, and cells, that are tested for enrichment
_BY_CHANCE = 0.5  # AUC of an order that knows nothing
_AS_A_LEAK = 0.99  # AUC; the strongest single column seen that was no leak had 0.95


@verb
def rank(  # noqa: PLR0913 - each is an option
    table: TablePath,
    positive: Positive = "",
    positive_table: PositiveTable = None,
    positive_each: PositiveEach = "",
    id_column: Annotated[
        str,
        typer.Option(
            "--id",
            help="Column that names the rows; it is not learned from. Default: row numbers.",
            metavar="COLUMN",
            autocompletion=complete_column,
        ),
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option(
            help="Ranking to write, .csv, .tsv or .parquet. Default: TABLE-ranking.csv, here.",
            metavar="FILE",
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(help="Report to write, one self-contained .html page.", metavar="FILE"),
    ] = None,
    gains: Annotated[
        Path | None,
        typer.Option(
            help="Gains table to write, .csv, .tsv or .parquet: a row for each tenth of the list, "
            "with its share of the known positives, and with --scenario how many are expected.",
            metavar="FILE",
        ),
    ] = None,
    top: Annotated[
        int | None, typer.Option(help="Write only the first N candidates.", min=1, metavar="N")
    ] = None,
    group: Group = "",
    drop: Drop = None,
    categorical: Categorical = None,
    text: Text = None,
    method: Methods = None,
    class_prior: Prior = None,
    resamples: Annotated[
        int,
        typer.Option(
            help="Random label sets to repeat the comparison with, for a p-value of the best AUC. "
            "99 take 99 times as long as the comparison. Default: none.",
            min=0,
            metavar="N",
            show_default=False,
            rich_help_panel=LEARNING,
        ),
    ] = 0,
    recall: Recall = None,
    fdr: Fdr = None,
    discard: Discard = None,
    confidence: Confidence = 0.95,
    prior_at_least: PriorAtLeast = None,
    irreducible: Irreducible = False,  # noqa: FBT002 - typer makes it a flag
    known_negative: KnownNegative = "",
    known_negative_table: KnownNegativeTable = None,
    scenario: Scenario = None,
    workers: Workers = None,
    cluster: Cluster = None,
    for_spreadsheet: ForSpreadsheet = False,  # noqa: FBT002 - typer makes it a flag
    delimiter: Delimiter = None,
    seed: Seed = 0,
) -> None:
    """Rank the unlabeled rows of a table by likeness to the positive ones.

    Some rows are known to be positive; the others are unlabeled, positive or not. A few methods
    are compared: each ranks the known positives, hidden in turn among the unlabeled. Its
    hidden-positive AUC is the share of the unlabeled that a hidden positive stands above, on
    average; 0.5 is chance, 1 the best. The method with the highest is taken, and each unlabeled
    row is scored by a model in which it did not count as unlabeled.

    A ranking is written and, with --report, a page with the evidence for it.

    The list can keep a promise: --recall, --discard and --fdr mark the rows that they are about,
    and --scenario adds how many are positive. They rest on labels that are drawn evenly among the
    positives, which --prior-at-least tests.

    Example:

    **onesided rank genes.csv --positive known_target --id gene --report report.html**

    **onesided rank papers.csv --positive included --recall 0.95 --prior-at-least 0.02**

    **onesided rank search.ris --positive-table included.ris --known-negative-table excluded.ris**

    **onesided rank records.csv --positive-each species --group block**
    """
    from onesided import tables  # noqa: PLC0415 - help does not pay for it
    from onesided.model_selection import (  # noqa: PLC0415
        PositiveKFold,
        check_exchangeable,
        fits_elsewhere,
    )

    run = current_run()
    wants_report = report is not None or run.as_json
    promises = Promises(
        recall,
        discard,
        fdr,
        confidence,
        prior_at_least,
        irreducible,
        known_negative or str(known_negative_table or ""),
    )
    promises.check()
    out = out or Path(f"{tables.table_name(table)}-ranking.csv")
    _check_outputs(
        out, gains, report, (table, positive_table, known_negative_table), safe=for_spreadsheet
    )
    if positive_each:
        each = Each(
            positive_each,
            positive,
            id_column,
            group,
            drop or [],
            categorical or [],
            text or [],
            method or [],
            class_prior,
            top,
            delimiter,
            seed,
            for_spreadsheet,
        )
        one_ranking = {
            "--positive-table": positive_table,
            "--report": report,
            "--gains": gains,
            "--resamples": resamples,
            "--recall": recall,
            "--fdr": fdr,
            "--discard": discard,
            "--prior-at-least": prior_at_least,
            "--known-negative": known_negative,
            "--known-negative-table": known_negative_table,
            "--scenario": scenario,
        }
        each.rank(table, out, workers, cluster, beside=one_ranking)
        return
    with gathered_warnings() as notes, fits_elsewhere(workers, cluster):
        given = prepare(
            table,
            positive,
            folds=PositiveKFold(_FOLDS, random_state=seed),
            positive_table=positive_table,
            id_column=id_column,
            group=group,
            drop=drop,
            categorical=categorical,
            text=text,
            known_negative=known_negative,
            known_negative_table=known_negative_table,
            delimiter=delimiter,
        )
        held_out = promises.hold_out(given, seed)
        shown = replace(given, positive=given.positive & ~held_out)
        rankers = shown.rankers(method or [], class_prior, seed)
        if resamples and given.groups is not None:
            check_exchangeable(shown.positive, given.groups)
        found, all_scored = _learn(rankers, shown, seed)
        chance = _test_chance(rankers, found, shown, resamples, seed)
        judged = judge(
            promises, given, held_out, found, all_scored, scenario, seed, sketches=wants_report
        )
        enriched = _test_features(given, seed) if wants_report else None
        ids, titles = given.ids, given.titles
        beside = {} if titles is None else {"title": titles[judged.scored.rows]}
        ranking = tables.ranking_table(
            ids, given.identifier or "row", judged.scored, judged.placed, beside | judged.columns
        )
    for note in notes:
        warn(note)

    doubt = _doubt(found, tested="auc" in chance)
    _say_found(found, ranking, doubt.sentence)
    _say_chance(chance)
    judged.say()
    if top:
        judged.say_left_out(ranking, top)
    kept = ranking.slice(0, top) if top else ranking
    writers: dict[Path, Callable[[Path], None]] = {
        out: partial(tables.write_table, kept, format_path=out, for_spreadsheet=for_spreadsheet),
        **_gains_writer(judged, gains, safe=for_spreadsheet),
    }
    result: Report | None = None
    written = {"ranking": out, **({"gains": gains} if gains else {})}
    if wants_report:
        from onesided._ranked import Ranked  # noqa: PLC0415
        from onesided.reporting import report_writers, summarize  # noqa: PLC0415

        result = summarize(
            Ranked(
                problem=tables.Problem(
                    name=table.name,
                    data=given.data,
                    label=given.label,
                    positive=given.positive,
                    negative=given.negative,
                    summary=given.summary,
                    group=group,
                    identifier=given.identifier,
                ),
                comparison=found,
                scored=judged.scored,
                placed=judged.placed,
                table=ranking,
                prior=judged.prior,
                no_prior=judged.no_prior,
                posterior=judged.posterior,
                scenario=scenario,
                promises=judged.promises,
                enriched=enriched,
                chance=chance,
                doubt=doubt,
                notes=tuple(notes),
                command=run.command,
                top=top,
            )
        )
        if report:
            of_report = report_writers(result, report)
            writers |= of_report
            written |= dict(zip(("report", "report_data"), of_report, strict=True))
    run.write(writers)
    if report:
        say(f"Report: {report}; its numbers: {written['report_data']}")
    run.end("Ranking:", str(out), result, written)


def _check_outputs(
    out: Path,
    gains: Path | None,
    report: Path | None,
    sources: "Sequence[Path | None]",
    *,
    safe: bool,
) -> None:
    """Refuse before the work what cannot be written after it."""
    check_distinct({"--out": out, "--gains": gains})
    for path in filter(None, (out, gains)):
        check_table(path, sources, safe=safe)
    for source in filter(None, sources):
        if report:
            check_report(report, source)


def _gains_writer(
    judged: "Judged", path: Path | None, *, safe: bool
) -> "dict[Path, Callable[[Path], None]]":
    """What writes the gains table, if it is asked for."""
    if path is None:
        return {}
    from onesided import tables  # noqa: PLC0415 - help does not pay for it
    from onesided.reporting import gains_table, summarize_tenths  # noqa: PLC0415

    table = gains_table(summarize_tenths(judged.placed, judged.scored, judged.posterior))
    return {path: partial(tables.write_table, table, format_path=path, for_spreadsheet=safe)}


def _learn(
    rankers: "dict[str, Pipeline]", given: Prepared, seed: int
) -> "tuple[Comparison, OutOfFoldScores]":
    """Compare the rankers, take the best, fit it on all rows, and score the unlabeled with it."""
    from sklearn.base import clone  # noqa: PLC0415

    from onesided.model_selection import unlabeled_out_of_fold_scores as cross_fit_scores  # noqa: PLC0415

    found = given.compare(rankers)
    features, ranker = given.features, rankers[found.best_]
    with progress(f"learning from all rows: {found.best_}"):
        fitted = clone(ranker).fit(features, given.positive)
    if getattr(fitted["model"], "scores_out_of_bag", False):
        ranker = _frozen(fitted)  # that fit has the scores
    with progress("scoring") as step:
        done = count(1)
        scored = cross_fit_scores(
            ranker,
            features,
            given.positive,
            cv=_FOLDS,
            random_state=seed,
            on_fold=lambda: step(next(done), _FOLDS),
        )
    return replace(found, best_estimator_=fitted), scored


def _frozen(fitted: "Pipeline") -> "Pipeline":
    """The same steps, which are neither copied nor fitted again."""
    from sklearn.frozen import FrozenEstimator  # noqa: PLC0415
    from sklearn.pipeline import Pipeline  # noqa: PLC0415

    return Pipeline([(name, FrozenEstimator(step)) for name, step in fitted.steps])


def _test_chance(
    rankers: "dict[str, Pipeline]",
    compared: "Comparison",
    given: Prepared,
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
                given.features,
                given.positive,
                n_resamples=resamples,
                cv=given.folds,
                groups=given.groups,
                random_state=seed,
                on_resample=step,
            )
    for name, pipeline in rankers.items():
        if hasattr(pipeline["model"], "adjusted_p_value") and given.groups is None:
            if name == compared.best_:  # fitted on all rows already
                model = compared.best_estimator_["model"]
            else:
                model = pipeline.fit(given.features, given.positive)["model"]
            with progress("testing against random sets") as step:
                found["distance"] = model.adjusted_p_value(
                    _RANDOM_SETS, random_state=seed, on_step=step
                )
    return found


def _test_features(given: Prepared, seed: int) -> "pa.Table | None":
    """Which features set the positives apart; None where there are too many to test beside."""
    from onesided import tables  # noqa: PLC0415 - help does not pay for it
    from onesided.models.significance import enrichment  # noqa: PLC0415

    names, X = tables.feature_matrix(given.features, given.summary)
    if len(names) > _MOST_TESTED or X.shape[0] * len(names) > _MOST_CELLS:
        return None
    with progress("testing features") as step:
        found = enrichment(
            X, given.positive, n_resamples=_RANDOM_SETS, random_state=seed, on_step=step
        )
    return tables.enrichment_table(found, names)


def _say_chance(chance: "dict[str, ResampledPValue]") -> None:
    what = {
        "auc": "p = {:.3g} for the best AUC, against {:,} random label sets",
        "distance": "adjusted p = {:.3g} for the distance of the positives from others, "
        "against {:,} random sets of their size",
    }
    for name, found in chance.items():
        lowest = ", the lowest that so many can give" if found.n_as_high == 0 else ""
        say(f"By chance? {what[name].format(float(found), len(found.null))}{lowest}")


def _doubt(found: "Comparison", *, tested: bool) -> "Doubt":
    """What to say where the best method may rank by chance, or too well."""
    from onesided._ranked import Doubt  # noqa: PLC0415 - help does not pay for it

    best = found.to_frame("pyarrow").slice(0, 1).to_pylist()[0]
    auc, low, high = best["hidden_positive_auc"], best["auc_low"], best["auc_high"]
    if auc <= _BY_CHANCE:
        return Doubt(
            "chance",
            f"The best hidden-positive AUC, {auc:.3f}, is no better than chance, which has 0.5: "
            "do not rely on the ranking.",
        )
    if low <= _BY_CHANCE:
        sentence = (
            f"The best hidden-positive AUC, {auc:.3f}, may be chance: its 95 % interval, {low:.3f} "
            f"to {high:.3f}, holds 0.5."
        )
        return Doubt("chance", sentence + " --resamples 99 tests it." * (not tested))
    hidden = found.hidden[found.best_]
    if hidden.is_too_good:
        return Doubt(
            "leak",
            f"{hidden.n_first:,} of the {len(hidden.above):,} known positives, hidden in turn, "
            "stand above every other row: a column may give them away, or they come from the top "
            "of such a list, or hardly any are left. The shares and numbers said here are then of "
            "no others.",
        )
    return Doubt("leak" if auc >= _AS_A_LEAK else "", "")


def _say_found(found: "Comparison", ranking: "pa.Table", doubt: str) -> None:
    say_aucs(found)
    n_unlabeled, hidden = ranking.num_rows, found.hidden[found.best_]
    say(f"Scored {n_unlabeled:,} unlabeled rows, each by a model that did not learn from it")
    for n_listed in (10, 100, 1000):
        if hidden.tells_of(n_listed) and n_listed < n_unlabeled:
            share = ranking["share_of_known_positives"][n_listed - 1].as_py()
            say(
                f"  the first {n_listed:>5,} hold {share:6.1%} of the known positives when hidden "
                f"(by chance {n_listed / n_unlabeled:.1%})"
            )
    if doubt:
        say(doubt)
