"""`onesided fit`, run as a user runs it."""

import json
import zipfile

import numpy as np
import pandas as pd
import pytest
from independence_rule import IndependenceRule
from numpy.testing import assert_allclose, assert_array_equal

from command_line import passed, refused, run
from onesided import WeightedLogisticRegression, tables
from onesided.methods import rankers_for
from onesided.scoring import draw_rows, load_model
from onesided.tables._features import used_columns
from onesided.tables._labels import read_labels

N_ROWS = 3000


@pytest.fixture(scope="module")
def all_customers():
    """Numbers with gaps, categories; a third of the 900 true positives are labeled."""
    rng = np.random.default_rng(20070815)
    truth = rng.random(N_ROWS) < 0.3
    frame = pd.DataFrame(
        {
            "customer": [f"{row:05}" for row in range(N_ROWS)],
            "age": rng.normal(40, 10, N_ROWS).round(1) + 8 * truth,
            "visits": rng.integers(0, 50, N_ROWS) + 5 * truth,
            "region": np.where(rng.random(N_ROWS) < 0.7, np.where(truth, "north", "south"), "west"),
            "branch": rng.choice(["A", "B", "C"], N_ROWS),
            "site": "Bilbao",
        }
    )
    frame.loc[rng.random(N_ROWS) < 0.1, "age"] = np.nan
    frame["buyer"] = np.where(truth & (rng.random(N_ROWS) < 0.3), "x", "")
    return frame


@pytest.fixture(scope="module")
def table(all_customers, tmp_path_factory):
    path = tmp_path_factory.mktemp("table") / "customers.csv"
    all_customers.to_csv(path, index=False)
    return path


ARGUMENTS = ("--positive", "buyer", "--id", "customer", "--group", "branch")


def header_of(path):
    with zipfile.ZipFile(path) as file:
        return json.loads(file.read("onesided.json"))


def in_parts(frame, folder, cuts, ending=".csv"):
    folder.mkdir()
    for number, (start, end) in enumerate(zip([0, *cuts], [*cuts, len(frame)], strict=True)):
        path = folder / f"{number}{ending}"
        part = frame[start:end]
        part.to_csv(path, index=False) if ending == ".csv" else part.to_parquet(path)
    return folder


def test_the_best_is_kept(table, all_customers, tmp_path):
    out = tmp_path / "buyers.onesided"
    methods = ("--method", "logistic", "--method", "naive-bayes")
    done = passed("fit", table, *ARGUMENTS, *methods, "--out", out, cwd=tmp_path)
    assert done.stdout == f"{out}\n"
    (taken,) = (line for line in done.stderr.splitlines() if line.endswith("<- taken"))
    model = load_model(out)
    assert taken.split("  ")[1] == model.method
    assert f"AUC {model.auc:.3f}" in taken
    assert "dropped site: all values are 'Bilbao'" in done.stderr
    n_positive = int((all_customers["buyer"] == "x").sum())
    assert (model.n_positive, model.n_unlabeled) == (n_positive, N_ROWS - n_positive)
    assert model.n_learned == N_ROWS
    roles = {each["name"]: each["role"] for each in header_of(out)["columns"]}
    assert roles == {
        "customer": "identifier",
        "age": "number",
        "visits": "number",
        "region": "category",
        "branch": "group",
        "site": "dropped",
        "buyer": "label",
    }
    assert [path.name for path in tmp_path.iterdir()] == ["buyers.onesided"]


def test_it_is_fitted_on_all_rows(table, tmp_path):
    out = tmp_path / "buyers.onesided"
    passed("fit", table, *ARGUMENTS, "--method", "naive-bayes", "--out", out, cwd=tmp_path)
    data = tables.read_table(table, as_text=["buyer", "customer"])
    label, positive = read_labels(data, "buyer")
    summary = tables.describe(data, without=[label, "customer", "branch"])
    features = used_columns(data, summary)
    (ranker,) = rankers_for(summary, methods=["naive-bayes"]).values()
    expected = ranker.fit(features, positive).decision_function(features)
    model = load_model(out)
    assert_array_equal(model.pipeline.decision_function(features), expected)


def test_it_is_named_after_the_table(table, tmp_path):
    done = passed("fit", table, *ARGUMENTS, "--method", "naive-bayes", cwd=tmp_path)
    assert done.stdout == "customers.onesided\n"
    assert load_model(tmp_path / "customers.onesided").method


def test_one_method_is_not_compared(table, tmp_path):
    out = tmp_path / "buyers.onesided"
    one = ("--method", "naive-bayes")
    done = passed("fit", table, *ARGUMENTS, *one, "--out", out, cwd=tmp_path)
    assert "AUC" not in done.stderr
    assert header_of(out)["auc"] is None
    assert load_model(out).auc is None


def test_same_run_same_bytes(table, tmp_path):
    outs = [tmp_path / name for name in ("one.onesided", "two.onesided")]
    for out in outs:
        passed("fit", table, *ARGUMENTS, "--method", "bagging", "--out", out, cwd=tmp_path)
    assert outs[0].read_bytes() == outs[1].read_bytes()


def test_sample_of_unlabeled(table, all_customers, tmp_path):
    out = tmp_path / "buyers.onesided"
    done = passed(
        *("fit", table, *ARGUMENTS, "--method", "naive-bayes", "--unlabeled", 500, "--out", out),
        cwd=tmp_path,
    )
    n_positive = int((all_customers["buyer"] == "x").sum())
    n_unlabeled = N_ROWS - n_positive
    said = f"{n_positive} positive and {n_unlabeled:,} unlabeled rows; "
    assert f"{said}500 of the unlabeled rows are drawn" in done.stderr
    model = load_model(out)
    assert (model.n_positive, model.n_unlabeled) == (n_positive, n_unlabeled)
    assert model.n_learned == n_positive + 500


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_sample_does_not_depend_on_parts(all_customers, ending, tmp_path):
    whole = in_parts(all_customers, tmp_path / "whole", [], ending)
    cut = in_parts(all_customers, tmp_path / "cut", [7, 1200, 2999], ending)
    for folder in (whole, cut):
        passed(
            *("fit", folder, *ARGUMENTS, "--method", "logistic", "--unlabeled", 400),
            *("--out", f"{folder.name}.onesided"),
            cwd=tmp_path,
        )
    files = [(tmp_path / f"{name}.onesided").read_bytes() for name in ("whole", "cut")]
    assert files[0] == files[1]


def drawn_ids(table, folder, n, seed=0):
    folder.mkdir()
    found = draw_rows(table, "buyer", n, folder, seed=seed)
    data = tables.read_table(found.path, delimiter=found.delimiter, as_text=["customer"])
    return found, data


def test_drawn_rows(table, all_customers, tmp_path):
    """All positives; of the others so many, in their order; with another seed other ones."""
    found, data = drawn_ids(table, tmp_path / "a", 250)
    ids = data["customer"].to_pylist()
    assert ids == sorted(ids)
    known = set(all_customers["customer"][all_customers["buyer"] == "x"])
    assert known < set(ids)
    assert len(ids) - len(known) == 250 == found.n_drawn
    kept = all_customers[all_customers["customer"].isin(ids)]
    assert_allclose(data["age"].to_numpy(), kept["age"])
    assert data["region"].to_pylist() == kept["region"].tolist()
    _, other = drawn_ids(table, tmp_path / "b", 250, seed=1)
    shared = set(ids) & set(other["customer"].to_pylist()) - known
    assert len(shared) < 100  # of 250, 23 by chance
    found, data = drawn_ids(table, tmp_path / "c", 10**6)
    assert data.num_rows == N_ROWS
    assert found.n_drawn == found.n_unlabeled


def test_each_unlabeled_row_has_the_same_chance(table, all_customers, tmp_path):
    """Of 20 draws of a tenth, as many rows of each third of the table: within 4 sd."""
    counts = np.zeros(3)
    unlabeled = all_customers["customer"][all_customers["buyer"] == ""]
    for seed in range(20):
        _, data = drawn_ids(table, tmp_path / str(seed), len(unlabeled) // 10, seed)
        is_drawn = unlabeled.isin(data["customer"].to_pylist()).to_numpy()
        counts += [part.sum() for part in np.array_split(is_drawn, 3)]
    expected = 20 * len(unlabeled) / 30
    assert_allclose(counts, expected, atol=4 * np.sqrt(expected))


def test_sample_needs_no_correction(tmp_path):
    """Both kinds weigh the same: the intercept stays, where plain odds would change by log 10."""
    rng = np.random.default_rng(0)
    n = 40_000
    positive = rng.random(n) < 0.05
    X = rng.normal(size=(n, 2)) + 1.5 * positive[:, None]
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "known": positive.astype(int)})
    path = tmp_path / "points.parquet"
    frame.to_parquet(path)
    folder = tmp_path / "drawn"
    folder.mkdir()
    found = draw_rows(path, "known", 3800, folder, seed=0)
    assert_allclose(found.n_unlabeled / found.n_drawn, 10, rtol=0.01)
    drawn = pd.read_parquet(found.path)
    fits = [
        WeightedLogisticRegression().fit(each[["a", "b"]], each["known"]) for each in (frame, drawn)
    ]
    errors = np.sqrt(1 / 3800 + 1 / 2000) * np.array([3, 3, 3])  # a few standard errors
    coefs = [np.append(fit.coef_[0], fit.intercept_) for fit in fits]
    assert (np.abs(coefs[0] - coefs[1]) < 4 * errors).all(), coefs
    assert 4 * errors.max() < np.log(10) / 5


def test_labels_that_are_none_say_where(all_customers, tmp_path):
    frame = all_customers.copy()
    frame["buyer"] = frame["buyer"].replace({"": "0", "x": "1"})
    frame.loc[2500, "buyer"] = "7"
    folder = in_parts(frame, tmp_path / "cut", [2000])
    done = run(
        *("fit", folder, "--positive", "buyer", "--unlabeled", 100, "--out", "m.onesided"),
        cwd=tmp_path,
    )
    refused(done, "1.csv, rows after 2,000: Column 'buyer' holds '7' in row 501", "buyer=VALUE")


def test_what_cannot_be_written_is_refused_first(table, tmp_path):
    done = run("fit", table, *ARGUMENTS, "--out", "model.pkl", cwd=tmp_path)
    refused(done, "'model.pkl' does not end in .onesided", "Pass a name")


def test_unknown_label_column(table, tmp_path):
    for more in ((), ("--unlabeled", 100)):
        done = run("fit", table, "--positive", "buyr", *more, "--out", "m.onesided", cwd=tmp_path)
        refused(done, "There is no column 'buyr'", "Did you mean 'buyer'?")
    assert not list(tmp_path.iterdir())


def test_a_method_that_no_file_may_hold(table, tmp_path, monkeypatch):
    """It is refused before anything is fitted."""
    for kind in (IndependenceRule, WeightedLogisticRegression):
        monkeypatch.setattr(kind, "fit", lambda *_: pytest.fail("fitted"))
    methods = ("--method", "logistic", "--method", "independence_rule:IndependenceRule")
    done = run("fit", table, *ARGUMENTS, *methods, cwd=tmp_path)
    refused(done, "may not hold 'independence_rule.IndependenceRule'", "Use one of the methods of")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("n_known", [2, 3, 40])
def test_a_model_is_doubted_as_a_ranking_is(tmp_path, n_known):
    """The AUC of few positives may be chance, and then `rank` and `fit` say the same."""
    rng = np.random.default_rng(n_known)
    frame = pd.DataFrame(rng.normal(size=(300, 3)), columns=["a", "b", "c"])
    frame["known"] = np.arange(300) < n_known
    frame.to_csv(tmp_path / "t.csv", index=False)
    ask = ["t.csv", "--positive", "known", "--method", "naive-bayes", "--method", "logistic"]
    ranked, fitted = (passed(verb, *ask, cwd=tmp_path).stderr for verb in ("rank", "fit"))
    doubt = next(line for line in ranked.splitlines() if "The best hidden-positive AUC" in line)
    assert doubt.removesuffix(" Try random labels: --resamples 99.") in fitted.splitlines()
