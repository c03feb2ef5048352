"""The length of a list by its budget, or by its expected profit."""

import json

import numpy as np
import pandas as pd
import pytest

from command_line import passed, refused, run
from onesided import rank_table
from onesided._worth import _affordable, profit_sentences
from onesided.exceptions import OnesidedError

ASK = ["t.csv", "--positive", "known", "--id", "code", "--method", "logistic"]
SCENARIO = ["--scenario", "single-training-set"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """1,000 rows; 300 are positive and lie apart, of which 100 are known."""
    folder = tmp_path_factory.mktemp("customers")
    rng = np.random.default_rng(5)
    true, known = np.arange(1000) < 300, np.arange(1000) < 100
    table = pd.DataFrame({"code": [f"{n:05}" for n in range(1000)], "known": known.astype(int)})
    for name in ("size", "age"):
        table[name] = rng.normal(size=1000) + 3 * true
    table.to_csv(folder / "t.csv", index=False)
    return folder


@pytest.fixture(scope="module")
def ranked(folder):
    return {
        value: rank_table(
            folder / "t.csv",
            "known",
            identifier="code",
            methods=["logistic"],
            scenario="single-training-set",
            value=value,
            cost=2.0,
        )
        for value in (1.0, 3.0, 50.0)
    }


@pytest.mark.parametrize("value", [1.0, 3.0, 50.0])
def test_no_length_has_a_greater_expected_profit(ranked, value):
    found = ranked[value]
    every = found.candidates.at(range(1, 901))
    profit = found.profit
    for place, end in (("n_low", "_low"), ("n_best", ""), ("n_high", "_high")):
        profits = [0.0, *(value * each[f"positives{end}"] - 2 * each["n_listed"] for each in every)]
        assert profits[profit[place]] == pytest.approx(max(profits), abs=1e-6)
    assert profit["n_low"] <= profit["n_best"] <= profit["n_high"]
    if profit["n_best"]:
        assert profit["profit_low"] <= profit["profit"] <= profit["profit_high"]
        assert profit["profit"] == pytest.approx(value * profit["positives"] - 2 * profit["n_best"])


def test_the_length_is_near_the_best_that_the_truth_knows(ranked):
    """200 positives are hidden, so at 50 each and 2 a row they and few others are worth it."""
    profit = ranked[50.0].profit
    assert 150 <= profit["n_best"] <= 320
    assert ranked[1.0].profit["n_best"] == 0
    assert "No list is expected to make a profit at 1 for a positive" in str(ranked[1.0])


def test_a_bound_is_no_expected_number(folder):
    """If labels may be uneven, nothing but an upper bound of the number of positives is known."""
    ask = [
        *ASK,
        *SCENARIO,
        "--cost",
        "2",
        "--label-odds-ratio",
        "2",
        "--report",
        "b.html",
        "--json",
    ]
    for more in (["--value", "50"], ["--budget", "100"]):
        done = passed("rank", *ask, *more, cwd=folder)
        found = json.loads(done.stdout)["result"]["profit"]
        assert found["only_at_most"]
        assert found["assumption"] is found["positives"] is found["profit"] is None
        assert {each["profit"] for each in found["curve"]} <= {None}
        assert f"At most {found['positives_high']:,.0f} positives" in done.stderr
        page = " ".join((folder / "b.html").read_text(encoding="utf-8").split())
        assert "expected profit" not in (page + done.stderr).lower()
        if "--value" in more:
            assert found["kind"] == "possible"
            assert "Greatest possible profit, at 50 for a positive" in done.stderr
            assert "the length with the greatest possible profit" in page
            assert "The list ends where the possible profit is greatest" in page
            assert 'aria-label="Possible profit of the list against its length' in page
        assert ("Greatest possible profit, at " in page) == ("--value" in more)


def test_terminal_json_and_page_say_the_same(folder, ranked):
    ask = [*ASK, *SCENARIO, "--value", "50", "--cost", "2", "--report", "r.html", "--json"]
    done = passed("rank", *ask, "--save-config", "run.json", cwd=folder)
    outcome = json.loads(done.stdout)
    found = outcome["result"]["profit"]
    assert found == json.loads((folder / "r.json").read_text())["profit"]
    assert {key: found[key] for key in ("n_best", "profit")} == {
        key: ranked[50.0].profit[key] for key in ("n_best", "profit")
    }
    said = f"{found['profit']:,.0f} from the first {found['n_best']:,} rows"
    page = " ".join((folder / "r.html").read_text(encoding="utf-8").split())
    assert said in done.stderr
    assert said in page
    assert 'aria-label="Expected profit of the list against its length' in page
    assert "--value 50" in outcome["command"]
    assert "--cost 2" in outcome["command"]
    again = passed("rank", "--config", "run.json", cwd=folder)
    assert said in again.stderr


@pytest.mark.parametrize("cost", [0.07, 0.1, 0.29, 0.55, 1.1, 2.3])
def test_an_exact_budget_pays_for_its_last_row(cost):
    """Also where the quotient of the two floats is a little below the number of rows."""
    paid = [_affordable(float(f"{n * cost:.2f}"), cost) for n in range(1, 900)]
    assert paid == [*range(1, 900)]
    assert _affordable(9.99, 1.0) == 9


def test_a_budget_needs_no_class_prior(folder):
    done = passed("rank", *ASK, "--budget", "1001", "--cost", "2", cwd=folder)
    assert "The budget of 1,001 pays for the first 500 rows of 900, at 2 for each" in done.stderr
    assert "profit" not in done.stderr
    ask = ["--budget", "100", "--cost", "2", *SCENARIO]
    done = passed("rank", *ASK, *ask, "--value", "50", cwd=folder)
    assert "from the first 50 rows" in done.stderr  # fewer than without a budget
    done = passed("rank", *ASK, *ask, cwd=folder)
    assert "positives are expected in this list" in done.stderr


@pytest.mark.parametrize(
    ("options", "problem", "mend"),
    [
        (["--value", "5"], "--value alone does not give the length", "--cost 2"),
        (["--budget", "5"], "--budget alone does not give the length", "--cost 2"),
        (
            ["--cost", "5"],
            "--cost alone does not give the length",
            "--value 50, or a budget",
        ),
        (["--cost", "0", "--budget", "5"], "--cost is 0", "--cost 2.5"),
        (["--cost", "2", "--value", "nan"], "--value is nan", "--value 2.5"),
        (["--cost", "2", "--value", "9"], "--value needs the number of positives", "--scenario"),
    ],
)
def test_what_says_nothing_is_refused_before_the_work(folder, options, problem, mend):
    done = run("rank", *ASK, *options, cwd=folder)
    refused(done, problem, mend)
    assert "rows" not in done.stderr.splitlines()[0].partition(":")[0]
    with pytest.raises(OnesidedError):
        rank_table(
            folder / "t.csv", "known", **dict(zip(("cost", "value"), (-1.0, 2.0), strict=True))
        )


def weak(n_rows, n_known, shift, seed=3):
    """Rows in which known positives are higher by `shift` standard deviations."""
    rng = np.random.default_rng(seed)
    known = np.arange(n_rows) < n_known
    size = rng.normal(size=n_rows) + shift * known
    return pd.DataFrame({"size": size.round(3), "known": known.astype(int)})


UNKNOWN = {
    "the number of positives is not estimated": (30, 8, 3.0),
    "the order of the rows may be chance": (200, 20, 0.0),
    "the data give no upper bound of the number of positives": (200, 20, 0.8, 4),
}


@pytest.mark.parametrize("because", UNKNOWN)
def test_no_profit_is_given_where_the_head_knows_no_number(because, tmp_path):
    weak(*UNKNOWN[because]).to_csv(tmp_path / "t.csv", index=False)
    ask = ["t.csv", "--positive", "known", "--method", "logistic", *SCENARIO]
    more = ["--value", "50", "--cost", "2", "--report", "r.html", "--json", "--gains", "gains.csv"]
    done = passed("rank", *ask, *more, cwd=tmp_path)
    sentence = f"The profit is not known, because {because}"
    assert sentence in done.stderr
    assert "expected profit" not in done.stderr
    found = json.loads(done.stdout)["result"]
    assert found["profit"]["why_unknown"] == because
    numbers = {name: of for name, of in found["profit"].items() if name not in ("value", "cost")}
    assert {each for each in numbers.values() if isinstance(each, int | float)} <= {True, False}
    assert found["profit"]["curve"] == []
    assert "profit" not in found["suggested"]["why"]
    page = " ".join((tmp_path / "r.html").read_text(encoding="utf-8").split())
    assert sentence in page
    assert "expected profit" not in page
    assert "expected_positives" not in (tmp_path / "gains.csv").read_text()
    done = passed("rank", *ask, "--budget", "20", "--cost", "2", cwd=tmp_path)
    assert "The budget of 20 pays for the first 10 rows" in done.stderr
    assert "in this list" not in done.stderr


def test_a_profit_with_an_upper_bound_says_its_assumption_and_range():
    """The head gives an upper bound, and the numbers of the profit lie within it."""
    asked = {"scenario": "single-training-set", "value": 5000.0, "cost": 200.0}
    found = rank_table(weak(400, 60, 1.5), "known", methods=["logistic"], **asked)
    profit, prior = found.profit, found.prior
    assert prior.only_at_most
    low, _, high = (prior.by_assumption[0][end] for end in ("low", "plausible", "high"))
    said = " ".join(found.profit_sentences)
    assert f"from the first {profit['n_best']:,} rows, if {profit['assumption']}" in said
    assert f"between {profit['profit_low']:,.0f} at the smallest" in said
    assert f"{profit['profit_high']:,.0f} at the largest number of positives" in said
    n_rows = len(found.table)
    assert low * n_rows - 1 <= profit["positives_low"] <= profit["positives"]
    assert profit["positives"] <= profit["positives_high"] <= high * n_rows + 1
    assert high <= prior.interval[1] + 1e-9


def test_a_budget_below_the_cost_of_a_row_pays_for_none():
    asked = {"scenario": "single-training-set", "value": 50.0, "cost": 2.0, "budget": 1.0}
    found = rank_table(weak(400, 60, 1.5), "known", methods=["logistic"], **asked)
    assert found.profit_sentences == ("The budget of 1 pays for no row, at 2 for each",)


@pytest.mark.parametrize(
    ("lengths", "said"),
    [
        ((1, 1, 1), "the best length is the same at both"),
        ((3, 1, 3), "the best length is between 1 and 3 rows"),
        ((0, 1, 0), "the best length is between 0 and 1 rows"),
    ],
)
def test_the_range_of_the_best_length_holds_it(ranked, lengths, said):
    low, best, high = lengths
    facts = ranked[50.0].profit | {"n_low": low, "n_best": best, "n_high": high, "positives": 1.2}
    told = profit_sentences(facts, 900)
    assert said in told[1]
    assert "from the first row" in told[0]
    assert "About 1 positive is expected in this list" in told[2]
