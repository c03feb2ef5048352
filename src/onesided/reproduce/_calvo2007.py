"""Calvo, Larrañaga, Lozano 2007: four Bayesian classifiers on synthetic and real problems.

What is drawn: N_1 labeled positives, N_u unlabeled rows with a share p of positives, without their
labels; the classifiers are told p = 0.25, or Beta(4.4, 13.17), whatever p is. Beside the paper's
four stand our tree (joint tables, backoff), and naive Bayes and tree with p known, estimated, and
averaged over a belief around the estimate.

Departures: ACCDON was not to be had, HS3D donors and NN269 acceptors stand in for it, so its
three kinds of negatives are one; the topologies of the synthetic models are ours, Figure 3 being
lost. Where a database has fewer rows than a problem asks for, rows are drawn again.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import pyarrow as pa
from scipy.stats import wilcoxon
from sklearn.metrics import accuracy_score, f1_score

from onesided._candidates import Candidates
from onesided._charts import POSITIVE, UNLABELED
from onesided._text import argument
from onesided._typing import Ints
from onesided.datasets import HiddenLabels, hide_labels, make_tan
from onesided.exceptions import TableError
from onesided.model_selection import hide_and_rank, unlabeled_out_of_fold_scores
from onesided.models.bayes import BetaPrior, PositiveNaiveBayes, PositiveTAN
from onesided.models.bayes._naive_bayes import BayesClassifier
from onesided.reproduce._cells import Cell, Origin, Row, read_data, run_cells, write_results

TOLD, BELIEF = 0.25, BetaPrior(4.4, 13.17)
PRIORS = (0.01, 0.1, 0.2, 0.3, 0.4, 0.5)
TOPOLOGIES = ("chain", "star", "balanced", "random")
LEVEL = 0.01  # of the Wilcoxon tests
PAIRS = (
    ("APNB", "PNB"),
    ("PTAN", "PNB"),
    ("APTAN", "APNB"),
    ("APTAN", "PTAN"),
    ("tree", "PTAN"),
    ("tree, p known", "PNB, p known"),
    ("PNB, p estimated", "PNB, p known"),
    ("tree, p estimated", "tree, p known"),
    ("APNB, p estimated", "PNB, p estimated"),
    ("averaged tree, p estimated", "tree, p estimated"),
)
_ESTIMATED, _KNOWN = ", p estimated", ", p known"
_WITH_A_NUMBER = {"APNB": "PNB", "averaged tree": "tree"}  # what each is where p is a number
_PRINTED = {
    "donor": (
        *((10.17, 8.86), (65.79, 63.94), (82.61, 82.42)),
        *((84.41, 84.93), (79.91, 80.76), (70.65, 71.88)),
        *((10.19, 8.86), (66.39, 64.45), (83.80, 83.62)),
        *((85.55, 86.07), (81.77, 82.59), (73.13, 74.38)),
        *((10.17, 8.84), (66.69, 64.64), (84.09, 83.89)),
        *((85.63, 86.22), (81.88, 82.64), (73.90, 75.09)),
    ),
    "acceptor": (
        *((11.57, 10.99), (62.70, 61.71), (79.05, 78.83)),
        *((82.83, 83.08), (80.86, 81.45), (74.93, 75.80)),
        *((11.70, 11.12), (63.69, 62.66), (80.65, 80.38)),
        *((85.41, 85.58), (84.47, 84.97), (79.66, 80.42)),
        *((11.78, 11.19), (63.73, 62.68), (80.85, 80.54)),
        *((85.63, 85.81), (85.08, 85.55), (80.53, 81.26)),
    ),
}
"""F of PNB and APNB in Table 1, DonMix and AccMix: by size, then by prior. The table calls the
sizes 100, 200 and 300, the text 100, 500 and 1,000; ours stand beside them in their order."""
_DRAWS, _QUICK_DRAWS = 100, 10
_WRONG_TABLE = (
    f"Pass the folder with the tables that the documentation names: {argument('data', 'FOLDER')}."
)
_LETTER, _NURSERY = "letter.parquet", "nursery.parquet"
_DONOR, _ACCEPTOR = "hs3d_donor.parquet", "nn269_acceptor.parquet"
_AGEING = "dr_ageing_genes.parquet"
DATA = (_LETTER, _NURSERY, _DONOR, _ACCEPTOR, _AGEING)


def methods(class_prior: float) -> dict[str, BayesClassifier]:
    """The paper's four, and ours; `class_prior` is for those that are told the truth."""
    return {
        "PNB": PositiveNaiveBayes(TOLD),
        "APNB": PositiveNaiveBayes(BELIEF),
        "PTAN": PositiveTAN(TOLD, conditional="printed", backoff=None),
        "APTAN": PositiveTAN(BELIEF, conditional="printed", backoff=None),
        "tree": PositiveTAN(TOLD),
        "averaged tree": PositiveTAN(BELIEF),
        "PNB, p known": PositiveNaiveBayes(class_prior),
        "tree, p known": PositiveTAN(class_prior),
        "PNB, p estimated": PositiveNaiveBayes(),
        "tree, p estimated": PositiveTAN(),
        "APNB, p estimated": PositiveNaiveBayes("average"),
        "averaged tree, p estimated": PositiveTAN("average"),
    }


@dataclass(frozen=True)
class Database:
    """Where problems are drawn from.

    Attributes
    ----------
    name : of the database
    kind : synthetic, letter, nursery or splice: what Figure 5 groups by
    draw : number of the draw, n_positive, n_unlabeled, class_prior to a problem
    n_positive, n_unlabeled : sizes of its problems
    """

    name: str
    kind: str
    draw: Callable[[int, int, int, float], HiddenLabels]
    n_positive: tuple[int, ...]
    n_unlabeled: tuple[int, ...]


def calvo2007(
    data: Path,
    out: Path,
    *,
    quick: bool = False,
    draws: int | None = None,
    on_progress: Callable[[str, int, int], None] | None = None,
) -> list[Path]:
    """Run the grid of experiments of Calvo et al. 2007, and write its tables and its figure.

    Parameters
    ----------
    data : folder with `letter`, `nursery`, `hs3d_donor`, `nn269_acceptor` and `dr_ageing_genes`,
        each as a .parquet file, in the folder or below it
    out : folder for the results; finished cells of the grid in this folder are not run again
    quick : three priors, the smallest sizes and ten draws, in place of the whole grid
    draws : number of draws of each problem; 100 by default, as in the paper. Ten draws are enough
        for a test at 1%
    on_progress : called with the name of the paper, the number of finished cells, and the number of
        all cells

    Returns
    -------
    the files written; `onesided.reproduce.MEANINGS` says what the tables hold

    Raises
    ------
    TableError : if a file is missing

    Examples
    --------
    >>> from pathlib import Path
    >>> from onesided.reproduce import calvo2007
    >>> calvo2007(Path("data"), Path("results"), quick=True)  # doctest: +SKIP

    The data sets must be there:

    >>> calvo2007(Path("no-such-folder"), Path("results"))
    Traceback (most recent call last):
        ...
    onesided.exceptions.TableError: There is no folder 'no-such-folder'. Pass the folder that
        holds the data: `data='FOLDER'`.
    """
    databases, ageing = list(_databases(data)), read_data(data, _AGEING)
    priors = PRIORS[1::2] if quick else PRIORS
    draws = draws or (_QUICK_DRAWS if quick else _DRAWS)
    cells = [
        _cell(database, n_positive, n_unlabeled, prior, draws)
        for database in databases
        for n_positive in database.n_positive[: 1 if quick else None]
        for n_unlabeled in database.n_unlabeled[: 1 if quick else None]
        for prior in priors
    ]
    results = run_cells(cells, out, Origin.of("calvo2007", data, DATA), on_progress)
    tests = _tests(results)
    shares = _shares(tests)
    tables = {
        "results.csv": results,
        "summary.csv": _summary(results),
        "tests.csv": tests,
        "shares.csv": shares,
        "table1.csv": _table1(results, tests),
        "splice_sites.csv": _beside_table1(results, {each.name: each for each in databases}),
        "class_priors.csv": _class_priors(results),
        "ageing_genes.csv": _rank_ageing_genes(ageing),
    }
    return write_results(out, tables, {"shares.svg": partial(_draw_shares, shares)})


def _databases(data: Path) -> Iterator[Database]:
    draw: Callable[[int, int, int, float], HiddenLabels]
    for topology in TOPOLOGIES:
        draw = partial(_draw_synthetic, topology)
        yield Database(
            f"synthetic {topology}", "synthetic", draw, (100, 1000, 10_000), (1000, 10_000, 100_000)
        )
    letter = read_data(data, _LETTER)
    for positive in "DPU":
        draw = _drawer(_codes(letter, letter.column_names[:-1]), _is(letter, positive))
        yield Database(f"letter {positive}", "letter", draw, (100, 200, 300), (5000,))
    nursery = read_data(data, _NURSERY)
    draw = _drawer(_codes(nursery, nursery.column_names[:-1]), _is(nursery, "spec_prior"))
    yield Database("nursery", "nursery", draw, (100, 200, 300), (5000,))
    donor = read_data(data, _DONOR)
    window = [f"m{i}" for i in range(9, 0, -1)] + [f"p{i}" for i in range(3, 10)]
    draw = _drawer(_codes(donor, window), _is(donor, "true"))
    yield Database("donor", "splice", draw, (100, 500, 1000), (10_000,))
    acceptor = read_data(data, _ACCEPTOR)
    window = [f"m{i}" for i in range(20, 0, -1)] + [f"p{i}" for i in range(3, 7)]
    draw = _drawer(_codes(acceptor, window), _is(acceptor, "true"))
    yield Database("acceptor", "splice", draw, (100, 300, 500), (4000,))


def _codes(table: pa.Table, columns: list[str]) -> np.ndarray[Any, Any]:
    """Columns as categories numbered in the order of their values, gaps as NaN."""
    codes = []
    for name in columns:
        if name not in table.column_names:
            raise TableError(f"A table of the data has no column {name!r}.", _WRONG_TABLE)
        column = table[name].combine_chunks()
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        values = column.unique().drop_null().to_pylist()
        place = {value: float(code) for code, value in enumerate(sorted(values))}
        codes.append([place.get(value, np.nan) for value in column.to_pylist()])
    return np.array(codes).T


def _is(table: pa.Table, positive: str) -> Ints:
    """1 where the last column has the value, 0 elsewhere."""
    return np.array(
        [str(value) == positive for value in table.columns[-1].to_pylist()], dtype=np.int64
    )


def _drawer(X: np.ndarray[Any, Any], y: Ints) -> Callable[[int, int, int, float], HiddenLabels]:
    def draw(number: int, n_positive: int, n_unlabeled: int, prior: float) -> HiddenLabels:
        return hide_labels(
            X,
            y,
            n_positive=n_positive,
            n_unlabeled=n_unlabeled,
            class_prior=prior,
            replace=True,
            random_state=number,
        )

    return draw


def _draw_synthetic(
    topology: Any, number: int, n_positive: int, n_unlabeled: int, prior: float
) -> HiddenLabels:
    """Five models a topology, in turn."""
    model = make_tan(topology, random_state=number % 5)
    return model.sample(n_positive, n_unlabeled, prior, random_state=number)


def _cell(database: Database, n_positive: int, n_unlabeled: int, prior: float, draws: int) -> Cell:
    def run() -> list[Row]:
        return [
            row
            for number in range(draws)
            for row in _results(database, n_positive, n_unlabeled, prior, number)
        ]

    name = f"{database.name.replace(' ', '-')}_{n_positive}_{n_unlabeled}_{prior}_{draws}"
    return Cell(name, run, draws * len(methods(prior)))


def _results(
    database: Database, n_positive: int, n_unlabeled: int, prior: float, number: int
) -> Iterator[Row]:
    drawn = database.draw(number, n_positive, n_unlabeled, prior)
    unlabeled = drawn.y == 0
    rows, truth = drawn.X[unlabeled], drawn.y_true[unlabeled]
    for name, model in methods(prior).items():
        predicted = model.fit(drawn.X, drawn.y).predict(rows)
        yield {
            "database": database.name,
            "kind": database.kind,
            "n_positive": n_positive,
            "n_unlabeled": n_unlabeled,
            "class_prior": prior,
            "draw": number,
            "method": name,
            "f": 100 * f1_score(truth, predicted, zero_division=0.0),
            "accuracy": 100 * accuracy_score(truth, predicted),
            "used_prior": model.class_prior_,
        }


_PROBLEM = ["kind", "database", "n_positive", "n_unlabeled", "class_prior"]


def _summary(results: pa.Table) -> pa.Table:
    """Mean and standard deviation over draws."""
    spread = [(measure, kind) for measure in ("f", "accuracy") for kind in ("mean", "stddev")]
    return results.group_by([*_PROBLEM, "method"], use_threads=False).aggregate(spread)


def _problems(results: pa.Table) -> Iterator[tuple[Row, dict[str, dict[str, list[float]]]]]:
    """Each problem, and for each method its measures in the order of the draws."""
    found: dict[tuple[Any, ...], dict[str, dict[str, list[float]]]] = {}
    for row in results.to_pylist():
        key = tuple(row[name] for name in _PROBLEM)
        empty: dict[str, list[float]] = {"f": [], "accuracy": [], "used_prior": []}
        of_method = found.setdefault(key, {}).setdefault(row["method"], empty)
        for measure, values in of_method.items():
            values.append(row[measure])
    for key, by_method in found.items():
        yield dict(zip(_PROBLEM, key, strict=True)), by_method


def _tests(results: pa.Table) -> pa.Table:
    """Wilcoxon's signed-rank test of each pair of methods on each problem."""
    rows = []
    for problem, by_method in _problems(results):
        for (one, other), measure in itertools.product(PAIRS, ("f", "accuracy")):
            first, second = (np.array(by_method[name][measure]) for name in (one, other))
            p_value = float(wilcoxon(first, second).pvalue) if (first != second).any() else 1.0
            difference = float((first - second).mean())
            better = "tie" if p_value > LEVEL else one if difference > 0 else other
            rows.append(
                {
                    **problem,
                    "measure": measure,
                    "first": one,
                    "second": other,
                    "mean_difference": difference,
                    "p_value": p_value,
                    "better": better,
                }
            )
    return pa.Table.from_pylist(rows)


def _shares(tests: pa.Table) -> pa.Table:
    """For each pair and kind of database the share of problems won, tied and lost: Figure 5."""
    counts: dict[tuple[str, ...], dict[str, int]] = {}
    for row in tests.to_pylist():
        key = (row["kind"], row["measure"], row["first"], row["second"])
        outcome = {row["first"]: "won", row["second"]: "lost"}.get(row["better"], "tied")
        of_key = counts.setdefault(key, {"won": 0, "tied": 0, "lost": 0})
        of_key[outcome] += 1
    return pa.Table.from_pylist(
        [
            {
                "kind": kind,
                "measure": measure,
                "first": first,
                "second": second,
                "problems": sum(of_key.values()),
                **{outcome: number / sum(of_key.values()) for outcome, number in of_key.items()},
            }
            for (kind, measure, first, second), of_key in counts.items()
        ]
    )


def _table1(results: pa.Table, tests: pa.Table) -> pa.Table:
    """Mean F of PNB and APNB on each real problem, and the better one at 1%."""
    better = {
        tuple(row[name] for name in _PROBLEM): row["better"]
        for row in tests.to_pylist()
        if (row["measure"], row["first"], row["second"]) == ("f", "APNB", "PNB")
    }
    return pa.Table.from_pylist(
        [
            {
                "database": problem["database"],
                "n_positive": problem["n_positive"],
                "class_prior": problem["class_prior"],
                "PNB": round(float(np.mean(by_method["PNB"]["f"])), 2),
                "APNB": round(float(np.mean(by_method["APNB"]["f"])), 2),
                "better": better[tuple(problem.values())],
            }
            for problem, by_method in _problems(results)
            if problem["kind"] != "synthetic"
        ]
    )


def _beside_table1(results: pa.Table, databases: Mapping[str, Database]) -> pa.Table:
    """Mean F of PNB and APNB on splice sites, and what Table 1 has for those of the paper."""
    rows = []
    for problem, by_method in _problems(results):
        printed = _PRINTED.get(problem["database"])
        if printed is None:
            continue
        size = databases[problem["database"]].n_positive.index(problem["n_positive"])
        of_paper = printed[size * len(PRIORS) + PRIORS.index(problem["class_prior"])]
        row = {name: problem[name] for name in ("database", "n_positive", "class_prior")}
        for name, of_table in zip(("PNB", "APNB"), of_paper, strict=True):
            row[name], row[f"{name}_paper"] = float(np.mean(by_method[name]["f"])), of_table
        rows.append(row)
    return pa.Table.from_pylist(rows)


def _class_priors(results: pa.Table) -> pa.Table:
    """How far the estimates of p are off, and what that costs."""
    rows = []
    for problem, by_method in _problems(results):
        for method in by_method:
            if not method.endswith(_ESTIMATED):
                continue
            name = method.removesuffix(_ESTIMATED)
            known = by_method[_WITH_A_NUMBER.get(name, name) + _KNOWN]["f"]
            used, f = (np.array(by_method[method][each]) for each in ("used_prior", "f"))
            rows.append(
                {
                    **problem,
                    "method": method,
                    "mean_estimate": float(used.mean()),
                    "mean_absolute_error": float(np.abs(used - problem["class_prior"]).mean()),
                    "f": float(f.mean()),
                    "f_at_known_prior": float(np.mean(known)),
                }
            )
    return pa.Table.from_pylist(rows)


def _draw_shares(shares: pa.Table, path: Path) -> None:
    """Figure 5: a bar a pair and kind of database, won, tied, lost."""
    rows = [
        {
            "pair": f"{row['first']} against {row['second']}",
            "kind": row["kind"],
            "outcome": outcome,
            "share": row[outcome],
            "order": place,
        }
        for row in shares.to_pylist()
        if row["measure"] == "f"
        for place, outcome in enumerate(("won", "tied", "lost"))
    ]
    colors = alt.Scale(domain=["won", "tied", "lost"], range=[POSITIVE, "#d9d6cf", UNLABELED])
    chart = (
        alt.Chart(pa.Table.from_pylist(rows))
        .mark_bar()
        .encode(
            x=alt.X("share:Q", title="share of problems, by F", axis=alt.Axis(format="%")),
            y=alt.Y("kind:N", title=None),
            color=alt.Color("outcome:N", scale=colors, title=None),
            order="order:Q",
            row=alt.Row(
                "pair:N", title=None, sort=None, header=alt.Header(labelAngle=0, labelAlign="left")
            ),
        )
        .properties(width=360)
    )
    chart.save(str(path), format="svg")


def _rank_ageing_genes(table: pa.Table) -> pa.Table:
    """Genes by similarity to those that diet restriction acts through, from their pathways."""
    X = np.array([table[name].to_numpy() for name in table.column_names[1:-1]]).T.astype(np.int8)
    y = _is(table, "CR")
    model = PositiveNaiveBayes()
    scored, hidden = unlabeled_out_of_fold_scores(model, X, y), hide_and_rank(model, X, y)
    return Candidates.of(scored, hidden, scored).table(table["gene"], "gene")
