"""The grid of Calvo et al. 2007: it can be interrupted, and its tables say what the paper says."""

import pyarrow.csv as pacsv
import pytest

from onesided.exceptions import TableError
from onesided.reproduce import calvo2007


def test_missing_data(tmp_path):
    with pytest.raises(TableError, match=r"There is no letter.parquet in the data folder"):
        calvo2007(tmp_path, tmp_path / "out", quick=True, draws=1)
    assert not (tmp_path / "out").exists()


def test_quick_grid(data_dir, tmp_path, explained):
    written = calvo2007(data_dir, tmp_path, quick=True, draws=1)
    assert sorted(path.name for path in written) == [
        "ageing_genes.csv",
        "class_priors.csv",
        "results.csv",
        "shares.csv",
        "shares.svg",
        "splice_sites.csv",
        "summary.csv",
        "table1.csv",
        "tests.csv",
    ]
    tables = {path.name: pacsv.read_csv(path).to_pandas() for path in tmp_path.glob("*.csv")}
    explained("calvo2007", tables, ["PNB", "APNB"])
    results = tables["results.csv"]
    assert len(results) == 10 * 3 * 1 * 12  # databases, priors, draws, methods
    assert results["f"].between(0, 100).all()
    table = pacsv.read_csv(tmp_path / "table1.csv").to_pandas().set_index("class_prior")
    ahead = table.groupby(level=0)["APNB"].mean() - table.groupby(level=0)["PNB"].mean()
    assert ahead[0.1] < 0 < ahead[0.5]  # the paper's law
    by_method = results[results["kind"] == "synthetic"].groupby("method")["f"].mean()
    assert by_method["tree, p known"] > by_method["PNB, p known"] + 5
    sites = pacsv.read_csv(tmp_path / "splice_sites.csv").to_pandas()
    assert sites["PNB_paper"].tolist() == [65.79, 84.41, 70.65, 62.70, 82.83, 74.93]
    priors = pacsv.read_csv(tmp_path / "class_priors.csv").to_pandas()
    assert len(priors) == 10 * 3 * 4
    real = priors[priors["database"].isin(["letter D", "letter P", "nursery", "donor", "acceptor"])]
    assert real["mean_absolute_error"].mean() < 0.05
    assert (tmp_path / "shares.svg").read_text().startswith("<svg")
    ranking = pacsv.read_csv(tmp_path / "ageing_genes.csv").to_pandas()
    assert len(ranking) == 876
    assert ranking["recall"].mean() > 0.6
