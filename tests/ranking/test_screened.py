"""Rows that were screened: known negatives teach, and a random sample counts the positives."""

import json

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import hypergeom
from sklearn.metrics import roc_auc_score

from command_line import passed
from onesided.exceptions import DataError, TableError
from onesided.ranking import plan_ranking, rank_problem, rank_table, read_problem
from onesided.ranking._counted import count_class_prior
from onesided.scoring import fit_table, load_model
from oracles import audit as oracle

WITH = "logistic regression, with negatives"
BOTH = {"methods": ["logistic", "known-negatives"]}
MARKS = {"positive": "verdict=yes", "known_negative": "verdict=no"}


@pytest.fixture(scope="module")
def frame():
    """600 rows, of which 240 are positive; 150 of them were screened at random."""
    rng = np.random.default_rng(2)
    truth = np.arange(600) < 240
    found = pd.DataFrame(rng.normal(size=(600, 8)) + 0.6 * truth[:, None], columns=[*"abcdefgh"])
    screened = np.isin(np.arange(600), rng.permutation(600)[:150])
    found["verdict"] = np.where(screened, np.where(truth, "yes", "no"), "")
    found["lab"] = [f"lab {row % 60}" for row in range(600)]
    found.insert(0, "name", [f"n{row:03}" for row in range(600)])
    return found.round(3)


def test_the_method_is_compared_only_where_rows_are_known_to_be_negative(frame, tmp_path):
    known = read_problem(frame, **MARKS, identifier="name")
    assert WITH in plan_ranking(known).rankers
    assert WITH not in plan_ranking(read_problem(frame, "verdict=yes")).rankers
    plan = plan_ranking(known, **BOTH)
    assert_array_equal(plan.labels.negative, frame["verdict"] == "no")
    sheet = frame[frame["verdict"] == "no"][["name", "verdict"]]
    sheet.to_csv(tmp_path / "v.csv", index=False)
    checked = read_problem(frame, "verdict=yes", identifier="name", verdicts=tmp_path / "v.csv")
    assert plan_ranking(checked, **BOTH).labels.negative.sum() == len(sheet)


def test_known_negatives_make_a_better_list(frame):
    truth, aucs = np.arange(600) < 240, []
    for marks in ({"positive": "verdict=yes"}, MARKS):
        plan = plan_ranking(read_problem(frame, **marks), methods=["known-negatives"])
        scored = rank_problem(plan, for_page=False).scored.only((frame["verdict"] == "").to_numpy())
        aucs.append(roc_auc_score(truth[scored.rows], -scored.ranks))
    assert aucs[1] > aucs[0] + 0.01


@pytest.mark.parametrize("group", ["", "lab"])
def test_no_known_negative_is_among_the_rows_of_a_comparison(frame, group):
    plan = plan_ranking(read_problem(frame, **MARKS, group=group), **BOTH)
    found = rank_problem(plan, for_page=False)
    assert {each.n_unlabeled for each in found.comparison.hidden.values()} == {450}
    assert len(found.scored.rows) == 450


def test_a_model_that_learned_from_negatives_comes_back_from_its_file(frame, tmp_path):
    frame[frame["verdict"] == "no"][["name", "verdict"]].to_csv(tmp_path / "v.csv", index=False)
    asked = {"identifier": "name", "drop": ["lab"]}
    features = read_problem(frame, "verdict=yes", **asked).features
    asked["methods"] = ["known-negatives"]
    model = fit_table(frame, "verdict=yes", **asked, verdicts=tmp_path / "v.csv")
    expected = model.pipeline.decision_function(features)
    model.save(tmp_path / "m.onesided")
    again = load_model(tmp_path / "m.onesided").pipeline.decision_function(features)
    assert_allclose(again, expected)
    plain = fit_table(frame, "verdict=yes", **asked).pipeline.decision_function(features)
    assert np.abs(plain - expected).max() > 0.1


def brute_force(n_positive, n_negative, n_unlabeled, error):
    """The least and the greatest number of positives that are not too unlikely."""
    n_screened = n_positive + n_negative
    totals = np.arange(n_positive, n_positive + n_unlabeled + 1)
    law = hypergeom(n_screened + n_unlabeled, totals, n_screened)
    possible = totals[(law.sf(n_positive - 1) > error / 2) & (law.cdf(n_positive) > error / 2)]
    return (possible[0] - n_positive) / n_unlabeled, (possible[-1] - n_positive) / n_unlabeled


@pytest.mark.parametrize("numbers", [(68, 332, 1593), (0, 50, 200), (9, 1, 30), (5, 95, 10)])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_the_count_of_a_random_sample(numbers, confidence):
    found = count_class_prior(*numbers, confidence=confidence)
    assert float(found) == numbers[0] / (numbers[0] + numbers[1])
    assert_allclose(found.interval, brute_force(*numbers, 1 - confidence), atol=1e-12)
    assert not found.only_at_most
    assert found.headline == found.point


def test_no_count_of_no_rows():
    with pytest.raises(DataError, match="No row was screened"):
        count_class_prior(0, 0, 100)


@pytest.mark.parametrize("numbers", [(4, 6, 15), (0, 5, 9), (7, 1, 12)])
def test_the_count_of_each_part_of_a_random_sample(numbers):
    """The positives of a part are counted as all positives are: the other rows have none of it."""
    n_screened, n_unlabeled = numbers[0] + numbers[1], numbers[2]
    parts = np.array([numbers[0], 0, numbers[0] // 2])
    found = count_class_prior(*numbers, confidence=0.9)
    low, high = found.counted_limits(parts)
    expected = [
        np.subtract(oracle.limits(k, n_screened, n_screened + n_unlabeled, 0.1, 1), k)
        for k in parts.tolist()
    ]
    assert_array_equal(np.transpose([low, high]), expected)
    assert_allclose([low[0] / n_unlabeled, high[0] / n_unlabeled], found.interval)


def test_the_interval_of_the_count_holds(rng):
    truth, held = np.arange(300) < 40, []
    for _ in range(500):
        sample, rest = np.split(rng.permutation(truth), [80])
        low, high = count_class_prior(sample.sum(), (~sample).sum(), 220).interval
        held.append(low <= rest.mean() <= high)
    assert np.mean(held) >= 0.95


def test_the_count_is_said_everywhere(frame, tmp_path):
    frame.to_csv(tmp_path / "t.csv", index=False)
    marks = ["--positive", "verdict=yes", "--known-negative", "verdict=no", "--id", "name"]
    ask = ["rank", "t.csv", *marks, "--drop", "lab", "--method", "logistic", "--screened-at-random"]
    done = passed(*ask, "--report", "r.html", cwd=tmp_path)
    n_positive = int((frame["verdict"] == "yes").sum())
    n_hidden = round(450 * n_positive / 150)
    assert f"Positive among the 450 unlabeled: about {n_hidden:,} rows" in done.stderr
    assert f"counted: {n_positive} of the 150 rows that were screened at random" in done.stderr
    assert "not estimated" not in done.stderr
    prior = json.loads((tmp_path / "r.json").read_text("utf-8"))["prior"]
    assert prior["counted"] == 150
    assert_allclose(prior["n_hidden"], 450 * n_positive / 150)
    low, high = brute_force(n_positive, 150 - n_positive, 450, 0.05)
    assert_allclose((prior["low"], prior["high"]), (low, high))
    page = (tmp_path / "r.html").read_text("utf-8")
    assert "counted in rows that were\nscreened at random" in page
    assert "without any assumption" not in page.lower()


def test_the_limits_of_a_list_are_said_alike_by_curve_and_profit(frame):
    """They are wider for their length than those of all rows: the order has an error too."""
    asked = {"methods": ["logistic"], "scenario": "single-training-set", "value": 3, "cost": 1}
    found = rank_table(frame, **MARKS, screened_at_random=True, drop=["lab", "name"], **asked)
    whole = found.candidates.at([450])[0]
    assert_allclose(whole["positives_low"] / 450, found.prior.interval[0])
    assert_allclose(whole["positives_high"] / 450, found.prior.interval[1])
    profit = found.profit
    (listed,) = found.candidates.at([profit["n_best"]])
    for end in ("", "_low", "_high"):
        assert_allclose(profit[f"positives{end}"], listed[f"positives{end}"])
        assert_allclose(
            profit[f"profit{end}"], 3 * listed[f"positives{end}"] - profit["n_best"], atol=1e-9
        )
    (few,) = found.candidates.at([20])
    relative = [(each["positives_high"] - each["positives_low"]) / each["positives"]
                for each in (few, whole)]  # fmt: skip
    assert relative[0] > 1.3 * relative[1]


def test_a_random_sample_needs_its_negatives(frame):
    with pytest.raises(TableError, match="no row is known to be negative"):
        rank_table(frame, "verdict=yes", screened_at_random=True)
