"""The grid of Calvo et al. 2007: it can be interrupted, and its tables say what the paper says."""

import pyarrow.csv as pacsv
import pytest

from onesided.exceptions import TableError
from onesided.reproduce import calvo2007
from onesided.reproduce._cells import Cell, run_cells


def test_cells_are_run_once(tmp_path):
    runs = []

    def cell(name, *, fails=False):
        def run():
            runs.append(name)
            if fails:
                raise KeyboardInterrupt
            return [{"name": name, "value": len(name)}]

        return Cell(name, run, 1)

    with pytest.raises(KeyboardInterrupt):
        run_cells([cell("one"), cell("two", fails=True), cell("three")], tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["one.csv"]
    table = run_cells([cell("one"), cell("two"), cell("three")], tmp_path)
    assert runs == ["one", "two", "two", "three"]
    (tmp_path / "two.csv").write_text('"name","value"\n')  # cut off
    (tmp_path / "three.csv").write_bytes(b"\xff\x00,")
    run_cells([cell("one"), cell("two"), cell("three")], tmp_path)
    assert runs[4:] == ["two", "three"]
    assert table.to_pydict() == {"name": ["one", "two", "three"], "value": [3, 3, 5]}


def test_missing_data(tmp_path):
    with pytest.raises(TableError, match=r"There is no letter.parquet in the data folder"):
        calvo2007(tmp_path, tmp_path / "out", quick=True, draws=1)
    assert not (tmp_path / "out").exists()


def test_quick_grid(data_dir, tmp_path):
    written = calvo2007(data_dir, tmp_path, quick=True, draws=2)
    assert sorted(path.name for path in written) == [
        "ageing_genes.csv",
        "results.csv",
        "shares.csv",
        "shares.svg",
        "summary.csv",
        "table1.csv",
        "tests.csv",
    ]
    results = pacsv.read_csv(tmp_path / "results.csv").to_pandas()
    assert len(results) == 10 * 3 * 2 * 10  # databases, priors, draws, methods
    assert results["f"].between(0, 100).all()
    table = pacsv.read_csv(tmp_path / "table1.csv").to_pandas().set_index("class_prior")
    ahead = table.groupby(level=0)["APNB"].mean() - table.groupby(level=0)["PNB"].mean()
    assert ahead[0.1] < 0 < ahead[0.5]  # the paper's law
    by_method = results[results["kind"] == "synthetic"].groupby("method")["f"].mean()
    assert by_method["tree, p known"] > by_method["PNB, p known"] + 5
    assert (tmp_path / "shares.svg").read_text().startswith("<svg")
    ranking = pacsv.read_csv(tmp_path / "ageing_genes.csv").to_pandas()
    assert len(ranking) == 876
    assert ranking["share_of_known_positives"].mean() > 0.6
