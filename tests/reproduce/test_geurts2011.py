"""Geurts 2011 on a part of the genes: its tables add up, its figure is the figure."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from onesided.exceptions import TableError
from onesided.reproduce import _geurts2011 as paper
from oracles import geurts2011 as oracle

FACTORS = {
    "tchourine2018": ["YER111C", "YDL056W"],  # SWI4 and MBP1
    "dream5_net4": ["YER111C", "YDL056W"],
    "dream5_net3": ["arcA", "fnr"],
}


@pytest.fixture(scope="module")
def part(data_dir, tmp_path_factory):
    """Two factors of each network, their targets and 150 other genes, 20 features."""
    folder = tmp_path_factory.mktemp("part")
    rng = np.random.default_rng(0)
    tables = {
        path.stem: pd.read_parquet(path)
        for kind in ("yeast", "ecoli")
        for path in (data_dir / "tabular").glob(f"{kind}_*.parquet")
    }
    for kind in ("yeast", "ecoli"):
        links = tables[f"{kind}_tf_targets"]
        kept = [
            (links.source == source) & links.tf.isin(factors) for source, factors in FACTORS.items()
        ]
        links = links[np.any(kept, axis=0)]
        rows = tables[f"{kind}_expression"]
        chosen = rows.gene.isin(links.gene) | (rows.index.isin(rng.choice(len(rows), 150)))
        columns = rows.columns[[0, *sorted(rng.choice(np.arange(1, 150), 20, replace=False))]]
        rows.loc[chosen, columns].to_parquet(folder / f"{kind}_expression.parquet", index=False)
        links.to_parquet(folder / f"{kind}_tf_targets.parquet", index=False)
    tables["ecoli_operons"].to_parquet(folder / "ecoli_operons.parquet")
    return folder


@pytest.fixture(scope="module")
def written(part, tmp_path_factory):
    out = tmp_path_factory.mktemp("out")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paper, "NUS", (0.001, 0.01, 0.1, 0.25))  # every other one where it is quick
        patch.setattr(paper, "CS", (0.0001, 0.001, 0.01))  # the last
        patch.setattr(paper, "_QUICK_RESAMPLES", 49)
        patch.setattr(paper, "_QUICK_OTHERS", 1000)  # all, so that the signal is that of the part
        paper.geurts2011(part, out, quick=True)
    return {
        path.name: pd.read_csv(path, keep_default_na=True) if path.suffix == ".csv" else path
        for path in out.iterdir()
        if path.is_file()
    }


def test_all_is_written(written):
    assert sorted(written) == [
        "auc.svg",
        "figure1.csv",
        "figure1.svg",
        "made-from.json",
        "matched.csv",
        "p_values.csv",
        "results.csv",
        "sources.csv",
        "table1.csv",
        "table2.csv",
    ]
    for name in ("auc.svg", "figure1.svg"):
        assert written[name].read_text().startswith("<svg")
    assert len(written["results.csv"]) == 4 * 2 * 6  # networks, factors, methods


def test_tables_follow_from_the_results(written):
    results = written["results.csv"]
    auc = results.pivot_table(
        index=["network", "task"], columns="method", values="hidden_positive_auc"
    )
    for row in written["table1.csv"].itertuples():
        of_network = auc.loc[row.network][row.method]
        assert_allclose([row.auc_mean, row.auc_sd], [of_network.mean(), of_network.std()])
        assert_allclose(row.auc_mean + row.rank_mean, 1.0)
    for row in written["table2.csv"].itertuples():
        of_network = auc.loc[row.network]
        n_better, gain = oracle.table2_cell(of_network[row.method], of_network[row.other])
        assert row.n_better == n_better
        assert_allclose(100 * row.mean_gain, np.nan if gain is None else gain)


def test_the_cell_cycle_is_found(written):
    """SWI4 and MBP1 regulate through the cell cycle, which the arrays follow."""
    table = written["table1.csv"].set_index(["network", "method"])
    assert (table.loc["yeast tchourine2018"].auc_mean > 0.6).all()
    found = written["p_values.csv"].set_index("network")
    assert (found.loc["yeast tchourine2018"].adjusted_p_value <= 0.02).all()
    assert (found.apparent_p_value < 0.01).all()  # for every factor: it says nothing


def test_figure_1(written):
    """Up to the margin of the positives p falls, then nothing is given and both are 1."""
    figure = written["figure1.csv"]
    given = figure[figure.apparent_p_value < 1]
    assert_allclose(given.apparent_p_value, 1 / 201)
    assert_allclose(given.adjusted_p_value.iloc[0], 1.0)
    assert (np.diff(given.adjusted_p_value) <= 0).all()
    assert (figure.adjusted_p_value[len(given) :] == 1).all()
    assert figure.adjusted_p_value.idxmin() <= len(given) - 1
    assert given.adjusted_p_value.iloc[5] > 0.9  # all random sets separate at a small margin
    assert 0.75 < len(given) / len(figure) < 0.85  # thresholds go a quarter beyond


def test_sets_biased_by_expression(written):
    """All cuts are tested on the same sets; the numbers are for the full run to show."""
    found = written["matched.csv"].set_index("strata")
    assert list(found.index) == ["none", "3", "5", "10", "as by match"]
    assert (found.n_sets == 5).all()
    assert found.rejected_share["none"] >= found.rejected_share["as by match"]


def test_sources(written):
    """Only SWI4 has ten targets here. Together the sources rank about as well as the best alone."""
    found = written["sources.csv"].set_index("ranker")
    halves, noise = found.loc[["first half", "second half"]], found.loc["noise"]
    assert (found.n_factors == 1).all()
    assert found.auc_mean["all sources"] > halves.auc_mean.max() - 0.02
    assert halves.auc_mean.min() > noise.auc_mean + 0.1
    assert noise.weight_mean < 0.1 < halves.weight_mean.min()
    assert (halves.rejected_share == 1).all()
    assert noise.rejected_share == 0


def test_operons(part):
    networks = {network.name.split(", ")[-1]: network for network in paper._networks(part)}
    alone, together = networks["a gene an operon"], networks["operons together"]
    operon = dict(zip(together.genes, together.operon, strict=True))
    kept = [operon[gene] for gene in alone.genes]
    assert len(set(kept)) == len(kept)
    assert set(kept) == set(operon.values())
    assert len(together.genes) > len(alone.genes)
    for targets in together.targets.values():
        assert len(set(together.operon[targets])) >= 4


def test_hidden_with_their_operon(part, monkeypatch):
    """Outside and inside the choice of parameters no operon is both shown and hidden."""
    *_, together = paper._networks(part)
    seen = []
    fit = paper.CenteredOneClassSVM.fit

    def recorded(self, X, y):
        seen.append(np.asarray(y).copy())
        return fit(self, X, y)

    monkeypatch.setattr(paper.CenteredOneClassSVM, "fit", recorded)
    factor, targets = next(iter(together.targets.items()))
    paper._results(together, factor, 0, quick=True)
    whole = set()
    for y in seen:
        shown, hidden = targets & (y == 1), targets & (y == 0)
        assert not set(together.operon[shown]) & set(together.operon[hidden])
        whole.add(int(shown.sum()))
    assert len(seen) == 5 * 3 * (1 + 3) + 5  # outer folds, ν, inner folds and the choice, refits
    assert max(whole) < targets.sum()


def test_wrong_data(part, tmp_path):
    for path in part.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    pd.DataFrame({"a": [1]}).to_parquet(tmp_path / "yeast_tf_targets.parquet")
    with pytest.raises(TableError, match=r"has no column 'tf'"):
        paper.geurts2011(tmp_path, tmp_path / "out", quick=True)
    (tmp_path / "yeast_tf_targets.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(TableError, match=r"cannot be read: .*[^.]\. Put the complete file"):
        paper.geurts2011(tmp_path, tmp_path / "out", quick=True)


def test_missing_data(tmp_path):
    with pytest.raises(TableError, match=r"no yeast_expression.parquet"):
        paper.geurts2011(tmp_path, tmp_path / "out", quick=True)
    assert not (tmp_path / "out").exists()


def test_a_quick_run_names_the_genes_that_are_left():
    """All targets of the two median factors are kept, with the same expression."""
    rng = np.random.default_rng(0)
    targets = {f"f{n}": (np.arange(3000) + 9 * n) % 3000 < 5 * n for n in range(1, 8)}
    whole = paper.Network("yeast", np.arange(3000), rng.normal(size=(3000, 3)), targets)
    part = paper._part(whole)
    assert [*part.targets] == ["f3", "f4"]
    n_targets = (targets["f3"] | targets["f4"]).sum()
    assert len(part.genes) == n_targets + 400
    assert part.name == f"yeast, {n_targets + 400} of 3,000 genes"
    for factor, of_factor in part.targets.items():
        assert {*part.genes[of_factor]} == {*np.flatnonzero(targets[factor])}
    assert_allclose(part.X, whole.X[part.genes])


def test_each_column_has_a_meaning(written, explained):
    explained("geurts2011", written, ())
