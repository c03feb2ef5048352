"""A later table beside the rows that a model learned from, and how well its list did."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose
from scipy.stats import ks_2samp
from sklearn.metrics import roc_auc_score
from typer.testing import CliRunner

from command_line import passed, refused, run
from model_files import change_header
from onesided._text import counted
from onesided.cli.__main__ import app
from onesided.methods import _table
from onesided.scoring import SeenColumn, _plan, fit_table, load_model, score_table
from onesided.scoring._drift import Counted, Unseen, compare_counts
from onesided.tables._ends import Ends


def customers(n_rows, seed, *, older=0.0, north=0.7, noise=1.0):
    """Buyers visit more often; as many rows of each kind in each table."""
    rng = np.random.default_rng(seed)
    bought = rng.random(n_rows) < 0.3
    return pd.DataFrame(
        {
            "customer": [f"{row:05}" for row in range(n_rows)],
            "age": rng.normal(40 + older, 10, n_rows),
            "visits": rng.normal(size=n_rows) * noise + 2 * bought,
            "children": rng.poisson(0.4, n_rows),
            "region": np.where(rng.random(n_rows) < north, "north", "south"),
            "bought": np.where(bought, "yes", "no"),
            "buyer": (bought & (rng.random(n_rows) < 0.5)).astype(int),
        }
    )


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """By method."""
    folder = tmp_path_factory.mktemp("models")
    customers(2000, 1).to_csv(folder / "old.csv", index=False)
    for method in ("naive-bayes", "bagging", "logistic"):
        passed(
            *("fit", "old.csv", "--positive", "buyer", "--id", "customer", "--drop", "bought"),
            *("--method", method, "--out", f"{method}.onesided"),
            cwd=folder,
        )
    return folder


def score(models, table, folder, *more, method="naive-bayes", out="scores.csv"):
    done = passed(
        *("score", models / f"{method}.onesided", table, "--out", out, "--json", *more), cwd=folder
    )
    return json.loads(done.stdout), done


@pytest.mark.parametrize("method", ["naive-bayes", "bagging", "logistic"])
@pytest.mark.parametrize("n_rows", [100, 20_000])
def test_nothing_has_moved(method, n_rows, models, tmp_path):
    """Neither chance in a small table, nor the size of a large one, nor that it is new."""
    customers(n_rows, 2).to_csv(tmp_path / "new.csv", index=False)
    found, done = score(models, "new.csv", tmp_path, method=method)
    drift = found["result"]["drift"]
    assert not drift["score"]["moved"]
    assert not any(each["moved"] for each in drift["columns"])
    assert found["warnings"] == []
    assert drift["n_rows"] == n_rows
    assert "the scores have not changed" in done.stderr
    assert "no column has changed" in done.stderr


@pytest.mark.parametrize("n_rows", [1, 99])
def test_few_rows_tell_nothing(n_rows, models, tmp_path):
    """Not even where they are quite unlike: no message says so, and no index."""
    new = customers(n_rows, 2, older=30)
    new.to_csv(tmp_path / "new.csv", index=False)
    found, done = score(models, "new.csv", tmp_path)
    assert found["warnings"] == []
    assert not any(each["moved"] for each in found["result"]["drift"]["columns"])
    few = "1 row is" if n_rows == 1 else f"{n_rows} rows are"
    assert f"{few} too few to tell whether new rows differ from the rows the model" in done.stderr
    assert "changed" not in done.stderr
    assert "index" not in done.stderr


@pytest.mark.parametrize("n_rows", [1, 7, 99, 300])
def test_a_column_that_is_missing_now_is_said_for_any_number_of_rows(n_rows, models, tmp_path):
    new = customers(n_rows, 2).assign(children=np.nan)
    new.to_csv(tmp_path / "new.csv", index=False)
    found, _ = score(models, "new.csv", tmp_path)
    where = "the only row" if n_rows == 1 else f"all {n_rows} rows"
    said = f"Column children is missing in {where}, and in 0% of the rows that the model learned "
    assert found["warnings"] == [f"{said}from. It is of no use for these rows. Check it."]
    new.loc[0, "children"] = 1
    new.to_csv(tmp_path / "new.csv", index=False)
    found, _ = score(models, "new.csv", tmp_path)
    assert not any("of no use" in each for each in found["warnings"])


@pytest.mark.parametrize(("n_rows", "is_said"), [(1, False), (9, False), (12, True)])
def test_missing_cells_may_be_chance(n_rows, is_said):
    """Half of the cells are missing in the rows learned from: .5 ** 10 is below .001."""
    cells = pa.chunked_array([[None, 1.0] * 500])
    seen = SeenColumn.of("size", "number", cells, np.arange(1000) < 100)
    counts = Counted((seen.count(pa.nulls(n_rows, pa.float64())),))
    assert bool(compare_counts([seen], counts, 100, 900).useless) == is_said


@pytest.mark.parametrize("n_rows", [1, 2, 7, 99, 300])
@pytest.mark.parametrize("times", [1000, 1 / 1000, -1000])
def test_numbers_in_another_unit_are_said_for_any_number_of_rows(times, n_rows, models, tmp_path):
    new = customers(n_rows, 2)
    ages = new["age"].abs() * times
    new.assign(age=ages).to_csv(tmp_path / "new.csv", index=False)
    found, _ = score(models, "new.csv", tmp_path)
    low, high = (f"{each:,.6g}" for each in (ages.min(), ages.max()))
    now = f"is {low}" if n_rows == 1 else f"lies between {low} and {high}"
    old = pd.read_csv(models / "old.csv")["age"]
    assert found["warnings"][0] == (
        f"Column age {now} in these rows, but between {old.min():,.6g} and {old.max():,.6g} in "
        "the rows that the model learned from. Check its unit."
    )
    assert not any("age has changed" in each for each in found["warnings"])
    new.loc[0, "age"] = 40
    new.to_csv(tmp_path / "new.csv", index=False)
    found, _ = score(models, "new.csv", tmp_path)
    assert found["result"]["drift"]["outside"] == []


@pytest.mark.parametrize(
    ("cells", "is_far"),
    [
        ([21.1], True),  # 1 to 11 was learned from
        ([-9.1, -20], True),
        ([20.9, 22], False),
        ([0.09, 0.05], True),
        ([0.0], False),  # a count may be 0
        ([0.11], False),
        ([99], False),  # said as a code
        ([99, 50], True),
        ([None], False),
    ],
)
def test_how_far_is_far(cells, is_far):
    learned = Ends.of(pa.array([*range(1, 12), 999]))
    assert bool(Ends.of(pa.array(cells, pa.float64())).far_from(learned)) == is_far
    minus = [None if each is None else -each for each in cells]
    learned = Ends.of(pa.array([*range(-11, 0), 999]))
    assert bool(Ends.of(pa.array(minus, pa.float64())).far_from(learned)) == is_far
    few = Ends.of(pa.array([0, 1, 2, 3]))
    assert Ends.of(pa.array(cells, pa.float64())).far_from(few) is None


@pytest.mark.parametrize("n_rows", [1, 40, 200])
@pytest.mark.parametrize("methods", [("naive-bayes",), ("logistic", "naive-bayes")])
def test_text_without_a_known_word_is_said_for_any_number_of_rows(methods, n_rows, tmp_path):
    rng = np.random.default_rng(0)
    words = ["grain", "barley", "harvest", "river", "bridge", "tower", "market"]
    old = customers(300, 1).assign(letter=[" ".join(rng.choice(words, 6)) for _ in range(300)])
    table = old.drop(columns=["bought", "customer"])
    model = fit_table(table, "buyer", methods=methods, text=["letter"])
    new = table[:n_rows].assign(letter="zerno jecmen sklizen reka most vez")
    said = "Column letter holds no word that the model knows, in "
    where = "the only row" if n_rows == 1 else f"all {n_rows} rows"
    scored = score_table(model, new)
    assert scored.drift.warnings[0].startswith(f"{said}{where}. It is of no use for these rows.")
    assert [name for name, _ in scored.drift.useless] == ["letter"]
    new.loc[n_rows - 1, "letter"] = "REKA Bridge"
    assert score_table(model, new).drift.useless == ()
    model.save(tmp_path / "m.onesided")
    new.to_csv(tmp_path / "new.csv", index=False)
    assert score_table(tmp_path / "m.onesided", tmp_path / "new.csv").drift.useless == ()


def test_what_is_said_agrees_with_itself(tmp_path):
    """An index that chance explains is not named beside "not moved"."""
    values = [f"v{row}" for row in range(29)]
    old = customers(60, 1).assign(region=np.resize(values, 60))
    old.to_csv(tmp_path / "old.csv", index=False)
    fit = ["--positive", "buyer", "--id", "customer", "--drop", "bought"]
    passed("fit", "old.csv", *fit, "--out", "naive-bayes.onesided", cwd=tmp_path)
    rng = np.random.default_rng(1)
    new = customers(100, 2).assign(region=rng.choice(values[:15], 100))
    new.to_csv(tmp_path / "new.csv", index=False)
    found, done = score(tmp_path, "new.csv", tmp_path)
    assert max(each["index"] for each in found["result"]["drift"]["columns"]) > 0.25
    assert "no column has changed by more than chance can explain in so few rows" in done.stderr
    assert "highest index" not in done.stderr


def test_columns_that_have_moved(models, tmp_path):
    customers(4000, 3, older=15, north=0.1).to_csv(tmp_path / "new.csv", index=False)
    found, _ = score(models, "new.csv", tmp_path)
    by_name = {each["name"]: each for each in found["result"]["drift"]["columns"]}
    assert {name for name, each in by_name.items() if each["moved"]} == {"age", "region"}
    assert by_name["region"]["what"] in ("'north'", "'south'")
    assert 0.85 < max(by_name["region"]["share"], 1 - by_name["region"]["share"]) < 0.95
    assert any("Column age has changed since the model " in each for each in found["warnings"])
    assert by_name["age"]["share"] - by_name["age"]["learned_share"] > 0.4


@pytest.mark.parametrize("method", ["naive-bayes", "logistic", "bagging"])
def test_scores_that_have_moved(method, models, tmp_path):
    new = customers(4000, 4)
    new.assign(visits=new["visits"] + 2).to_csv(tmp_path / "new.csv", index=False)
    found, _ = score(models, "new.csv", tmp_path, method=method)
    assert found["result"]["drift"]["score"]["moved"]
    assert "The scores have changed since the model learned: " in found["warnings"][0]


def test_cells_that_are_missing_now(models, tmp_path):
    new = customers(3000, 5)
    new.loc[::2, "children"] = np.nan
    new.assign(region="west").to_parquet(tmp_path / "new.parquet", index=False)
    found, _ = score(models, "new.parquet", tmp_path)
    moved = {each["name"]: each for each in found["result"]["drift"]["columns"] if each["moved"]}
    assert {name: each["what"] for name, each in moved.items()} == {
        "children": "missing",
        "region": "other values",
    }
    assert_allclose(moved["children"]["share"], 0.5, atol=1e-3)
    shares = {name: (each["share"], each["learned_share"]) for name, each in moved.items()}
    assert shares == {"children": (0.5, 0), "region": (1, 0)}  # as they are, not smoothed


def test_the_same_note_of_a_run_that_goes_on(models, tmp_path, monkeypatch):
    """Counts lie in the parts: what an earlier run scored is part of the note, nothing is read."""
    monkeypatch.setattr(_plan, "PART_ROWS", 700)
    customers(3000, 6, older=15).to_csv(tmp_path / "new.csv", index=False)
    first, _ = score(models, "new.csv", tmp_path, out="scores")
    parts = sorted((tmp_path / "scores").glob("part-*"))
    assert len(parts) == 5
    parts[2].unlink()
    (tmp_path / "scores" / "manifest.json").unlink()
    again, _ = score(models, "new.csv", tmp_path, out="scores")
    third, _ = score(models, "new.csv", tmp_path, out="scores")
    assert [each["result"]["n_scored"] for each in (first, again, third)] == [3000, 700, 0]
    assert first["result"]["drift"] == again["result"]["drift"] == third["result"]["drift"]


def test_a_model_of_an_older_version_still_scores(models, tmp_path):
    old = tmp_path / "naive-bayes.onesided"

    def older(header):
        assert header.pop("seen")
        assert header.pop("unlabeled_scores")

    change_header(models / "naive-bayes.onesided", old, older)
    customers(100, 7).to_csv(tmp_path / "new.csv", index=False)
    found, done = score(tmp_path, "new.csv", tmp_path)
    assert found["result"]["drift"] is None
    assert "drift cannot be checked" in done.stderr
    before = pd.read_csv(tmp_path / "scores.csv")
    assert list(before) == ["customer", "score"]
    score(models, "new.csv", tmp_path)
    now = pd.read_csv(tmp_path / "scores.csv").drop(columns="share_below")
    pd.testing.assert_frame_equal(now, before)


@pytest.mark.parametrize(
    "change",
    [
        lambda header: header["seen"][0].update(unlabeled=[1, 2]),
        lambda header: header["seen"][0].update(name="shoe size"),
        lambda header: header["seen"][0].update(edges=["low"]),
        lambda header: header["unlabeled_scores"].reverse(),
        lambda header: header.update(unlabeled_scores=["low"]),
        lambda header: header.update(unlabeled_scores=[float("nan")]),
    ],
)
def test_a_summary_that_was_tampered_with(change, models, tmp_path):
    bad = tmp_path / "bad.onesided"
    change_header(models / "naive-bayes.onesided", bad, change)
    customers(10, 7).to_csv(tmp_path / "new.csv", index=False)
    done = run("score", bad, "new.csv", "--out", "o.csv", cwd=tmp_path)
    refused(done, "is damaged", "Learn and save the model again.")


def test_bins_by_hand():
    """Tenths; a value that is several of them, and a missing cell, have bins of their own."""
    cells = pa.chunked_array([[0.0] * 50 + [None] * 10 + [float(n) for n in range(1, 41)]])
    seen = SeenColumn.of("spend", "number", cells, np.zeros(100, dtype=bool))
    assert seen.edges[:2] == (0.0, np.nextafter(0, 1))
    assert seen.unlabeled[[0, 1, -1]].tolist() == [0, 50, 10]
    assert seen.unlabeled.sum() == 100
    found = seen.count(pa.array([-1.0, 0.0, 0.0, 40.0, None, float("nan")]))
    assert found[[0, 1, -2, -1]].tolist() == [1, 2, 1, 2]


def test_index_by_hand():
    """p = 1/4, 3/4 and q = 3/4, 1/4: (1/2) ln 3 + (1/2) ln 3 = ln 3."""
    n = 10**9
    counts = np.array([n, 3 * n, 0, 0])
    empty = np.zeros(4, dtype=np.int64)
    seen = SeenColumn("region", "category", (), ("north", "south"), empty, counts)
    drift = compare_counts([seen], Counted((counts[[1, 0, 2, 3]],)), 1, 4 * n)
    assert_allclose(drift.columns[0].index, np.log(3), rtol=1e-6)
    assert_allclose([drift.columns[0].share, drift.columns[0].learned_share], [0.75, 0.25])


def test_difference_is_that_of_kolmogorov_and_smirnov(models, tmp_path):
    """At the edges that are kept it is never more, and here hardly less."""
    new = customers(5000, 8, older=8)
    new.to_csv(tmp_path / "new.csv", index=False)
    found, _ = score(models, "new.csv", tmp_path)
    (age,) = (each for each in found["result"]["drift"]["columns"] if each["name"] == "age")
    exact = ks_2samp(pd.read_csv(models / "old.csv")["age"], new["age"]).statistic
    assert exact - 0.03 < age["share"] - age["learned_share"] <= exact + 0.01


def test_positives_that_are_known_now(models, tmp_path):
    new = customers(3000, 9).drop(columns="buyer")
    new.to_csv(tmp_path / "new.csv", index=False)
    found, done = score(models, "new.csv", tmp_path, "--positive", "bought=yes", "--gains", "g.csv")
    scores = pd.read_csv(tmp_path / "scores.csv", dtype={"customer": str})
    bought = new["bought"] == "yes"
    assert list(scores) == ["customer", "score", "share_below", "positive"]
    assert (scores["positive"] == bought).all()
    facts = found["result"]["positives"]
    assert facts["n_positive"] == bought.sum()
    assert_allclose(facts["auc"], roc_auc_score(bought, scores["score"]), rtol=1e-12)
    gains = pd.read_csv(tmp_path / "g.csv")
    assert gains["n_rows"].tolist() == [300] * 10
    order = scores.sort_values("score", ascending=False, kind="stable")["positive"].to_numpy()
    by_hand = order.reshape(10, 300).sum(axis=1) / bought.sum()
    n_cut_ties = scores["score"].value_counts().max() / bought.sum()  # they are in any order
    assert_allclose(gains["share_of_positives"], by_hand, atol=n_cut_ties)
    assert_allclose(gains["share_of_positives"].sum(), 1, atol=1e-5)
    assert_allclose(gains["lift"], gains["share_of_positives"] / 0.1, atol=1e-3)
    assert_allclose(gains["lift_so_far"].iloc[-1], 1)
    assert f"Positive by column bought: {bought.sum():,} of 3,000 rows" in done.stderr


def test_gains_with_ties_by_hand(models, tmp_path):
    """Two rows in a tie, one positive: it is in either place with probability 1/2."""
    rows = customers(4, 10).drop(columns="buyer")
    rows[["age", "children", "region"]] = [40, 0, "north"]
    rows["visits"] = [4.0, -1.0, -1.0, -4.0]
    rows["bought"] = ["yes", "yes", "no", "no"]
    rows.to_csv(tmp_path / "new.csv", index=False)
    found, _ = score(
        models, "new.csv", tmp_path, "--positive", "bought", "--gains", "g.csv", method="logistic"
    )
    assert_allclose(found["result"]["positives"]["auc"], (2 + 1.5) / 4)
    gains = pd.read_csv(tmp_path / "g.csv")
    assert gains["last_rank"].tolist() == [1, 2, 3, 4]
    assert_allclose(gains["share_of_positives"], [0.5, 0.25, 0.25, 0])


def test_labels_of_one_kind(models, tmp_path):
    customers(50, 11).assign(bought="no").to_csv(tmp_path / "new.csv", index=False)
    found, _ = score(models, "new.csv", tmp_path, "--positive", "bought", "--gains", "g.csv")
    assert found["result"]["positives"] is None
    assert "does not mark both positive and unlabeled rows," in found["warnings"][-1]
    assert set(found["written"]) == {"scores"}


def test_a_wrong_label_is_named_by_its_row(models, tmp_path, monkeypatch):
    monkeypatch.setattr(_plan, "PART_ROWS", 40)
    rows = customers(100, 12)
    rows.loc[77, "bought"] = "perhaps"
    model = models / "naive-bayes.onesided"
    for name in ("new.csv", "new.parquet"):
        if name.endswith("csv"):
            rows.to_csv(tmp_path / name, index=False)
        else:
            rows.to_parquet(tmp_path / name, index=False, row_group_size=30)
        done = run("score", model, name, "--out", "o.csv", "--positive", "bought", cwd=tmp_path)
        refused(done, "Column 'bought' holds 'perhaps' in row 78", "--positive")


def test_labels_are_part_of_what_is_kept(models, tmp_path):
    customers(60, 13).to_csv(tmp_path / "new.csv", index=False)
    score(models, "new.csv", tmp_path, out="scores")
    model = models / "naive-bayes.onesided"
    arguments = ("score", model, "new.csv", "--out", "scores", "--positive", "bought")
    refused(run(*arguments, cwd=tmp_path), "holds files other than the scores", "--out")


@pytest.mark.parametrize("top", [1, 250, 5000])
def test_highest_rows_of_many_parts(top, models, tmp_path, monkeypatch):
    monkeypatch.setattr(_plan, "PART_ROWS", 400)
    customers(2000, 14).to_csv(tmp_path / "new.csv", index=False)
    score(models, "new.csv", tmp_path, out="all.parquet")
    score(models, "new.csv", tmp_path, "--top", str(top), out="top.csv")
    every = pq.read_table(tmp_path / "all.parquet").to_pandas()
    wanted = every.sort_values("score", ascending=False, kind="stable").head(top)
    found = pd.read_csv(tmp_path / "top.csv", dtype={"customer": str})
    assert list(found) == ["customer", "rank", "score", "share_below"]
    assert found["customer"].tolist() == wanted["customer"].tolist()
    assert found["rank"].tolist() == list(range(1, min(top, 2000) + 1))
    assert_allclose(found["score"], wanted["score"], rtol=1e-12)


def test_what_is_refused(models, tmp_path):
    customers(50, 15).to_csv(tmp_path / "new.csv", index=False)
    start = ("score", models / "naive-bayes.onesided", "new.csv", "--out")
    done = run(*start, "scores", "--top", "3", cwd=tmp_path)
    refused(done, "--top writes one list", ".csv or .tsv")
    done = run(*start, "o.csv", "--gains", "g.csv", cwd=tmp_path)
    refused(done, "--gains counts positives", "--positive COLUMN")
    done = run(*start, "o.csv", "--positive", "visits", cwd=tmp_path)
    refused(done, "The model learned from column 'visits'", "--positive COLUMN")
    done = run(*start, "o.csv", "--positive", "buyr", cwd=tmp_path)
    refused(done, "There is no column 'buyr'", "'buyer'")


def test_a_model_knows_what_it_has_seen(models):
    seen = {each.name or each.role: each for each in load_model(models / "bagging.onesided").seen}
    assert list(seen) == ["age", "visits", "children", "region", "score"]
    assert len(seen["age"].edges) == 9
    assert seen["region"].categories == ("north", "south")
    assert seen["age"].unlabeled.sum() + seen["age"].positive.sum() == 2000
    assert 0 <= seen["score"].unmoved < 0.1
    assert _table.N_BAGS == 30


@pytest.mark.parametrize("n_rows", [1, 60, 400])
@pytest.mark.parametrize("n_categories", [3, 200])
def test_unseen_categories_are_said_for_any_number_of_rows(n_categories, n_rows, tmp_path):
    """Also where not each category learned from has a bin of its own."""
    old = customers(1000, 1).assign(city=[f"c{n % n_categories}" for n in range(1000)])
    old.to_csv(tmp_path / "old.csv", index=False)
    ask = ("--positive", "buyer", "--id", "customer", "--drop", "bought")
    learn = (*ask, "--method", "naive-bayes")
    passed("fit", "old.csv", *learn, "--out", "naive-bayes.onesided", cwd=tmp_path)
    new = old[:n_rows].assign(city=[f"new{n % 9}" if n % 2 else "c1" for n in range(n_rows)])
    new.loc[n_rows - 1, "region"] = "west"
    new.to_csv(tmp_path / "new.csv", index=False)
    found, done = score(tmp_path, "new.csv", tmp_path)
    said = "Column {} holds categories that the model did not learn from, in {} of {}: {}."
    expected = {"region": (1, ["west"])}
    if n_rows > 1:
        expected["city"] = (n_rows // 2, [f"new{n}" for n in (1, 3, 5, 7, 0)])
    unseen = found["result"]["drift"]["unseen"]
    assert {each["name"]: (each["n_rows"], each["values"]) for each in unseen} == expected
    for name, (n_unseen, values) in expected.items():
        shown = ", ".join(map(repr, values))
        assert said.format(name, n_unseen, counted(n_rows, "row"), shown) in done.stderr
    again = passed("score", "naive-bayes.onesided", "old.csv", "--out", "o.csv", cwd=tmp_path)
    assert "did not learn from" not in again.stderr.replace("the model did not learn from them", "")
    lines = (tmp_path / "new.csv").read_bytes()
    ask = ["score", str(tmp_path / "naive-bayes.onesided"), "-", "--out", "-"]
    streamed = CliRunner().invoke(app, ask, input=lines)
    assert said.format("region", 1, counted(n_rows, "row"), "'west'") in streamed.stderr


def test_models_of_an_older_version_do_not_know_all_categories():
    """Nothing is said of a rare category then, since it may have been learned from."""
    counts = np.array([5, 5, 3, 0])
    given = SeenColumn("a", "category", (), ("x", "y"), counts, counts).as_json()
    assert "rest" not in given
    seen = SeenColumn.from_json(given)
    assert seen.unseen(pa.array(["z"])).n_rows == 0
    counts[2] = 0
    seen = SeenColumn("a", "category", (), ("x", "y"), counts, counts)
    assert seen.unseen(pa.array(["z", None, "x"])) == Unseen("a", 1, ("z",))
    assert Counted.from_json([[1, 2]]).bins[0].tolist() == [1, 2]


def test_a_threshold_that_says_nothing_is_not_said():
    """Scores that underflow to 0 in most rows have an edge just above 0."""
    scores = np.concatenate([np.zeros(900), np.geomspace(1e-310, 1e-290, 100)])
    positive = np.arange(1000) >= 950
    for role in ("score", "number"):
        seen = SeenColumn.of("visits", role, pa.array(scores), positive)
        learned, found = seen.count(pa.array(scores)), seen.count(pa.array(scores[900:]))
        what, share, learned_share = seen.differ_most(learned / 1000, found / 100)
        assert (share, learned_share) == (1.0, pytest.approx(0.1))
        said = {"score": "scored as high as the highest 10%", "number": "above 0"}
        assert what == said[role]


def test_how_the_scores_have_moved_is_said_in_shares(models, tmp_path):
    customers(2000, 2, noise=5).to_csv(tmp_path / "new.csv", index=False)
    found, done = score(models, "new.csv", tmp_path)
    moved = found["result"]["drift"]["score"]
    assert moved["moved"]
    share, learned = (f"{100 * moved[each]:.3g}%" for each in ("share", "learned_share"))
    assert (
        f"The scores have changed since the model learned: {share} of these rows are scored as "
        f"high as the highest {learned} of the rows that the model learned from" in done.stderr
    )
