"""`onesided rank --gains`: what each tenth of the list holds."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from command_line import passed, refused, run


@pytest.fixture
def customers():
    rng = np.random.default_rng(20030821)
    buyer = np.arange(430) < 100
    return pd.DataFrame(
        {
            "visits": rng.normal(size=430) + 2 * buyer,
            "age": rng.normal(size=430),
            "buyer": (buyer & (np.arange(430) < 60)).astype(int),
        }
    )


def rank(folder, *more):
    return passed(
        *("rank", "customers.csv", "--positive", "buyer", "--method", "naive-bayes"),
        *("--out", "ranking.csv", "--gains", "gains.csv", *more),
        cwd=folder,
    )


def test_gains_are_those_of_the_ranking_and_the_report(customers, tmp_path):
    customers.to_csv(tmp_path / "customers.csv", index=False)
    done = rank(tmp_path, "--report", "report.html", "--json")
    gains = pd.read_csv(tmp_path / "gains.csv")
    assert gains["tenth"].tolist() == list(range(1, 11))
    assert gains["n_rows"].tolist() == [37] * 10
    assert gains["first_rank"].tolist() == [1 + 37 * tenth for tenth in range(10)]
    ranking = pd.read_csv(tmp_path / "ranking.csv")
    assert_allclose(
        gains["share_so_far"],
        ranking["recall"][gains["last_rank"] - 1],
        atol=1e-6,
    )
    assert_allclose(gains["share_of_positives"].cumsum(), gains["share_so_far"], atol=1e-5)
    assert_allclose(gains["lift"], gains["share_of_positives"] * 10, atol=1e-3)
    result = json.loads(done.stdout)
    tenths = result["result"]["tenths"]
    assert_allclose(gains["lift_so_far"], [each["lift"] for each in tenths], atol=1e-4)
    assert_allclose(
        gains["positives_at_most_so_far"],
        [each["positives_at_most"] for each in tenths],
        atol=0.01,
    )
    assert result["written"]["gains"] == "gains.csv"


def test_expected_positives_take_a_prior(customers, tmp_path):
    few = (customers["buyer"] == 0) | (customers.index < 5)
    customers[few].to_csv(tmp_path / "customers.csv", index=False)
    done = rank(tmp_path)
    assert "The number of positives is not estimated. 5 positive" in done.stderr
    assert not any("positives_" in name for name in pd.read_csv(tmp_path / "gains.csv"))
    customers.to_csv(tmp_path / "customers.csv", index=False)
    done = rank(tmp_path, "--scenario", "case-control")
    gains = pd.read_csv(tmp_path / "gains.csv")
    ranking = pd.read_csv(tmp_path / "ranking.csv")
    (n_most,) = re.findall(r"at most (\d+) rows", done.stderr)
    assert gains["positives_at_most_so_far"].iloc[-1] == pytest.approx(int(n_most), abs=0.6)
    by_tenth = ranking["posterior_at_most"].to_numpy().reshape(10, 37).sum(axis=1)
    assert_allclose(gains["positives_at_most"], by_tenth, atol=0.006)


def test_gains_that_cannot_be_written(customers, tmp_path):
    customers.to_csv(tmp_path / "customers.csv", index=False)
    start = ("rank", "customers.csv", "--positive", "buyer", "--gains")
    refused(run(*start, "gains.txt", cwd=tmp_path), "'gains.txt' does not end in .csv", "ending")
    refused(run(*start, "customers.csv", cwd=tmp_path), "is the input file", "another name")
    same = run(*start, tmp_path / "r.csv", "--out", "r.csv", cwd=tmp_path)
    refused(same, "--out and --gains both name", "output its own name.")
