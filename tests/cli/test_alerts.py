"""A rate of alerts and probabilities, kept in the model file."""

import io
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import brier_score_loss

from command_line import passed, run
from model_files import change_header
from onesided.exceptions import TableError
from onesided.scoring import Stream, fit_table, load_model, score_table


def payments(n_rows, seed):
    """A tenth is fraud, of which half is known; amounts in a few steps, hours in the open."""
    rng = np.random.default_rng(seed)
    fraud = rng.random(n_rows) < 0.1
    return pd.DataFrame(
        {
            "payment": [f"{n:06}" for n in range(n_rows)],
            "amount": (rng.normal(size=n_rows) + 3 * fraud).round(1),
            "hours": rng.exponential(size=n_rows) + 3 * fraud,
            "country": np.where(rng.random(n_rows) < 0.3 + 0.4 * fraud, "A", "B"),
            "fraud": fraud,
            "known": (fraud & (rng.random(n_rows) < 0.5)).astype(int),
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("payments")
    payments(4000, 1).to_csv(folder / "old.csv", index=False)
    payments(20_000, 2).drop(columns=["known"]).to_csv(folder / "new.csv", index=False)
    return folder


ASK = ["fit", "old.csv", "--positive", "known", "--id", "payment", "--drop", "fraud"]
N_UNLABELED = 3810  # of the 4,000 rows
METHODS = ["naive-bayes", "logistic", "bagging", "center-of-mass"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("asked", "share"), [("5%", 0.05), ("400/20000", 0.02)])
def test_the_rate_of_alerts_is_that_of_later_rows(folder, method, asked, share):
    done = passed(*ASK, "--method", method, "--alerts", asked, "--out", "m.onesided", cwd=folder)
    said = done.stderr
    done = passed("score", "m.onesided", "new.csv", "--out", "s.csv", "--json", cwd=folder)
    found = pd.read_csv(folder / "s.csv")
    kept = load_model(folder / "m.onesided").alerts
    assert (found.alert == (found.score >= kept.threshold)).all()
    assert json.loads(done.stdout)["result"]["n_alerts"] == found.alert.sum()
    if "share the highest score" in said:
        assert method == "naive-bayes"
        assert kept.share > share
        share = kept.share  # of the held-out rows; no threshold parts them
    assert f"{100 * share:.3g}% of rows that are like the unlabeled rows" in said
    # New rows hold the known share of fraud too, a twentieth; the unlabeled rows lack these.
    among = found.alert[~payments(20_000, 2).known.astype(bool)]
    n_held_out = N_UNLABELED  # all unlabeled rows set the threshold, each held out once
    error = 3.5 * np.sqrt(share * (1 - share) * (1 / n_held_out + 1 / len(among)))
    assert among.mean() <= share + error
    if method != "naive-bayes":  # ties of the discrete method may lower it further
        assert among.mean() >= share - error


@pytest.mark.parametrize("prior", [[], ["--class-prior", "0.0526"]])
def test_the_posterior_is_a_probability(folder, prior):
    ask = ["--method", "logistic", "--scenario", "single-training-set", *prior]
    passed(*ASK, *ask, "--out", "m.onesided", cwd=folder)
    passed("score", "m.onesided", "new.csv", "--out", "s.csv", cwd=folder)
    found = pd.read_csv(folder / "s.csv")
    rows = payments(20_000, 2)
    unlabeled = ~rows.known.astype(bool)
    kept = load_model(folder / "m.onesided").posterior
    posterior = found[kept.column]
    assert found.columns[-1] == kept.column
    assert kept.column == ("posterior_at_most" if kept.only_at_most else "posterior")
    assert found.sort_values("score")[kept.column].is_monotonic_increasing
    fraud = rows.fraud[unlabeled]
    if prior:
        assert not kept.only_at_most
        n_positive = 0.0526 * N_UNLABELED  # each says while it is held out which rank a score has
        assert posterior[unlabeled].mean() == pytest.approx(fraud.mean(), rel=2 / n_positive**0.5)
    best = brier_score_loss(fraud, np.full(len(fraud), fraud.mean()))
    assert brier_score_loss(fraud, posterior[unlabeled]) < 0.5 * best


@pytest.mark.parametrize("seed", range(3))
def test_alerts_and_shares_come_from_the_same_held_out_rows(seed):
    """Each of 40 columns of chance is learned by heart, so that rows learned from score lower."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.normal(size=(600, 40))).rename(columns="c{}".format)
    table["known"] = np.arange(600) < 60
    ask = {"methods": ["logistic"], "scenario": "single-training-set", "alerts": 0.05}
    model = fit_table(table, "known", **ask)
    later = pd.DataFrame(rng.normal(size=(5000, 40)), columns=table.columns[:-1])
    found = score_table(model, later).to_frame("pandas")
    assert found.share_below[found.alert].min() >= 0.95 - 1 / 540
    assert found.share_below[~found.alert].max() <= 0.95 + 1 / 540
    assert found.share_below.mean() == pytest.approx(0.5, abs=0.06)


@pytest.mark.parametrize("given", [None, 0.6])
def test_no_warning_names_a_class_prior_that_was_not_given(given):
    """The upper bound from half of the positives is higher than the scores of all of them allow."""
    rng, place = np.random.default_rng(1), np.arange(1200)
    kinds = rng.exponential(33, size=(1200, 3)).astype(int)
    table = pd.DataFrame(kinds).rename(columns="kind {}".format).astype("str")
    table["size"] = rng.normal(size=1200) + 2 * (place < 60)
    table["known"] = place < 20
    ask = {"methods": ["logistic"], "scenario": "single-training-set", "class_prior": given}
    model = fit_table(table, "known", **ask)
    assert model.posterior.only_at_most == (given is None)
    assert model.posterior.class_prior > 0.15
    named = [note for note in model.notes if "class_prior" in note]
    assert len(named) == (given is not None), named


def test_a_stream_and_python_say_the_same(folder):
    ask = ["--method", "logistic", "--class-prior", "0.05", "--scenario", "case-control"]
    passed(*ASK, *ask, "--alerts", "0.05", "--out", "m.onesided", cwd=folder)
    made = fit_table(
        folder / "old.csv",
        "known",
        identifier="payment",
        drop=["fraud"],
        methods=["logistic"],
        class_prior=0.05,
        scenario="case-control",
        alerts=0.05,
    )
    kept = load_model(folder / "m.onesided")
    assert (kept.alerts, kept.posterior) == (made.alerts, made.posterior)
    names = ["payment", "score", "share_below", "posterior", "alert"]
    found = score_table(made, folder / "new.csv").to_frame("pandas")
    assert found.columns.tolist() == names
    passed("score", "m.onesided", "new.csv", "--out", "s.csv", cwd=folder)
    written = pd.read_csv(folder / "s.csv")
    pd.testing.assert_series_equal(written.alert, found.alert)
    lines = (folder / "new.csv").read_bytes().splitlines(keepends=True)[:50]
    streamed = [line for some in Stream(kept).score(io.BytesIO(b"".join(lines))) for line in some]
    assert streamed[0] == ",".join(names)
    alerts = [line.rpartition(",")[2] for line in streamed[1:]]
    assert alerts == [str(each).lower() for each in written.alert[:49]]


def test_nothing_is_kept_unless_it_is_asked_for(folder):
    passed(*ASK, "--method", "logistic", "--out", "m.onesided", cwd=folder)
    kept = load_model(folder / "m.onesided")
    assert (kept.alerts, kept.posterior) == (None, None)
    passed("score", "m.onesided", "new.csv", "--out", "s.csv", cwd=folder)
    assert pd.read_csv(folder / "s.csv").columns.tolist() == ["payment", "score", "share_below"]


@pytest.mark.parametrize(
    ("asked", "problem"),
    [("0", "0 is not between"), ("2", "2 is not between"), ("5/0", "is not a number of rows")],
)
def test_what_is_no_rate(folder, asked, problem):
    done = run(*ASK, "--alerts", asked, cwd=folder)
    assert done.returncode == 2
    assert problem.split()[-1] in done.stderr


def test_few_rows_cannot_set_a_small_rate(folder):
    done = passed(*ASK, "--method", "logistic", "--alerts", "1/2000", cwd=folder)
    assert "warning: --alerts 0.05% is 1.9 of the" in done.stderr


GOOD = {"scores": [1, 2], "probabilities": [0, 1], "only_at_most": False, "class_prior": 1}
BAD = {
    "share": ("alerts", {"share": 2, "threshold": 1}),
    "threshold": ("alerts", {"share": 0.1, "threshold": "x"}),
    "no threshold": ("alerts", {"share": 0.1}),
    "probability": ("posterior", GOOD | {"probabilities": [0, 2]}),
    "falling": ("posterior", GOOD | {"probabilities": [1, 0]}),
    "order": ("posterior", GOOD | {"scores": [2, 1]}),
    "empty": ("posterior", GOOD | {"scores": [], "probabilities": []}),
    "flag": ("posterior", GOOD | {"only_at_most": 0}),
    "number": ("posterior", 3),
}


@pytest.mark.parametrize("case", [None, *BAD])
def test_what_no_fit_writes_is_refused(folder, case, tmp_path):
    model = tmp_path / "m.onesided"
    passed(*ASK, "--method", "logistic", "--out", model, cwd=folder)
    name, content = BAD.get(case, ("posterior", GOOD))
    change_header(model, model, lambda header: header.update({name: content}))
    if case is None:
        assert load_model(model).posterior.given(np.array([0, 1.5, 3])).tolist() == [0, 0.5, 1]
    else:
        with pytest.raises(TableError, match="is damaged"):
            load_model(model)
