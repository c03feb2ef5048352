"""Tables are fitted and scored by calls, to the same bytes as by the command line."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from command_line import passed
from onesided.exceptions import TableError
from onesided.scoring import fit_table, load_model, plan_scoring, score_table

ASK = ("--positive", "buyer", "--id", "customer")
METHODS = ("naive-bayes", "logistic")


@pytest.fixture(scope="module")
def customers():
    rng = np.random.default_rng(20070815)
    truth = rng.random(400) < 0.3
    return pd.DataFrame(
        {
            "customer": [f"{row:05}" for row in range(400)],
            "visits": rng.normal(size=400).round(3) + 2 * truth,
            "region": np.where(rng.random(400) < 0.6, np.where(truth, "north", "south"), "west"),
            "buyer": (truth & (rng.random(400) < 0.5)).astype(int),
        }
    )


@pytest.fixture
def folder(customers, tmp_path):
    customers.to_csv(tmp_path / "customers.csv", index=False)
    new = customers.drop(columns="buyer").assign(visits=customers["visits"] + 3)
    new.to_csv(tmp_path / "new.csv", index=False)
    return tmp_path


@pytest.fixture
def model(folder):
    return fit_table(
        folder / "customers.csv", "buyer", identifier="customer", methods=["naive-bayes"]
    )


@pytest.mark.parametrize("unlabeled", [None, 150])
def test_fitted_to_the_bytes_of_the_command(unlabeled, folder):
    methods = [each for method in METHODS for each in ("--method", method)]
    more = () if unlabeled is None else ("--unlabeled", unlabeled)
    passed(
        *("fit", "customers.csv", *ASK, *methods, *more, "--seed", 3, "--out", "a.onesided"),
        cwd=folder,
    )
    told = []
    model = fit_table(
        str(folder / "customers.csv"),
        "buyer",
        identifier="customer",
        methods=METHODS,
        unlabeled=unlabeled,
        random_state=3,
        on_progress=lambda *step: told.append(step),
    )
    model.save(folder / "b.onesided")
    assert (folder / "a.onesided").read_bytes() == (folder / "b.onesided").read_bytes()
    assert ("comparing", 15, 15) in told
    assert model.comparison.best_ == model.method
    assert model.auc == model.comparison.hidden[model.method].auc


@pytest.mark.parametrize("out", ["s.csv", "s.parquet", "parts"])
def test_scored_to_the_bytes_of_the_command(out, model, folder):
    model.save(folder / "m.onesided")
    (folder / "a").mkdir()
    (folder / "b").mkdir()
    passed("score", "m.onesided", "new.csv", "--out", f"a/{out}", cwd=folder)
    found = score_table(folder / "m.onesided", folder / "new.csv", folder / "b" / out)
    a, b = ([*(folder / each).rglob("*.*")] for each in "ab")
    assert [path.read_bytes() for path in a] == [path.read_bytes() for path in b]
    assert (found.n_rows, found.written) == (400, folder / "b" / out)
    with pytest.raises(TableError, match="were written to"):
        found.to_frame()


def test_a_data_frame_in_memory(model, folder, customers):
    """The same scores as of the file, and nothing is written."""
    before = sorted(folder.rglob("*"))
    score_table(model, folder / "new.csv", folder / "s.csv")
    written = pd.read_csv(folder / "s.csv", dtype={"customer": str})
    (folder / "s.csv").unlink()
    new = customers.drop(columns="buyer").assign(visits=customers["visits"] + 3)
    found = score_table(model, new)
    pd.testing.assert_frame_equal(found.to_frame("pandas"), written, check_dtype=False)
    assert sorted(folder.rglob("*")) == before
    assert found.drift.score.moved
    assert found.positives is None


def test_a_data_frame_is_fitted(customers, model):
    found = fit_table(customers, "buyer", identifier="customer", methods=["naive-bayes"])
    assert found.unlabeled_scores == model.unlabeled_scores


def test_positives_that_are_known_now(model, customers):
    found = score_table(model, customers, positive="buyer", top=7)
    assert found.to_frame("pyarrow")["rank"].to_pylist() == list(range(1, 8))
    assert len(found.positives.scores) == customers["buyer"].sum()
    assert 0.5 < found.positives.auc < 1
    gains = found.positives.gains_table()
    assert gains["last_rank"].to_pylist() == list(range(40, 401, 40))
    none = score_table(model, customers.assign(buyer=0), positive="buyer")
    assert none.positives is None
    assert "does not mark both positive and unlabeled rows" in none.notes[0]


def test_warnings_are_notes(customers):
    """A column that gives the labels away."""
    leaking = customers.assign(sent=customers["buyer"] * 2.5)
    model = fit_table(leaking, "buyer", methods=["naive-bayes"])
    assert any("sent" in note for note in model.notes)


def test_a_plan_says_what_goes_on_where_it_was(model, folder):
    for out, kept in (("s.csv", None), ("parts", folder.resolve() / "parts")):
        with plan_scoring(model, folder / "new.csv", folder / out) as plan:
            assert plan.kept_folder == kept
            assert plan.scoring.identifier == "customer"
    assert not list(folder.glob(".onesided-*"))


def test_arguments_are_named_as_in_python(model, folder):
    table = folder / "new.csv"
    with pytest.raises(TableError, match="`top` writes one list"):
        score_table(model, table, folder / "parts", top=3)
    with pytest.raises(TableError, match="`n_workers` and `cluster` cannot"):
        score_table(model, table, n_workers=2, cluster="tcp://127.0.0.1:1")
    with pytest.raises(TableError, match="but this model is not in a file"):
        score_table(model, table, n_workers=2)
    with pytest.raises(TableError, match="`unlabeled` draws rows of the table"):
        fit_table(folder / "customers.csv", unlabeled=10)
    with pytest.raises(TableError, match="neither a path nor a data frame"):
        score_table(model, 7)


def test_other_processes_read_the_model_from_its_file(model, folder):
    model.save(folder / "m.onesided")
    kept = load_model(folder / "m.onesided")
    found = score_table(kept, folder / "new.csv", n_workers=2).to_frame("pandas")
    here = score_table(model, folder / "new.csv").to_frame("pandas")
    assert_array_equal(found["score"], here["score"])


def test_one_worker_is_this_process(model, folder):
    assert model.path is None, "no other process could read it"
    found = score_table(model, folder / "new.csv", n_workers=1).to_frame("pandas")
    here = score_table(model, folder / "new.csv").to_frame("pandas")
    assert_array_equal(found["score"], here["score"])


def test_a_model_file_that_changes_before_it_is_read_is_found(model, folder):
    """Each process reads the file of the model again."""
    model.save(folder / "m.onesided")
    kept = load_model(folder / "m.onesided")
    fit_table(folder / "customers.csv", "buyer", methods=["logistic"]).save(folder / "m.onesided")
    with pytest.raises(TableError, match="changed while the table was being scored"):
        score_table(kept, folder / "new.csv", n_workers=2)


def test_what_was_scored_in_a_few_lines(model, folder, customers):
    found = score_table(model, folder / "new.csv")
    first, second = repr(found).splitlines()
    assert first == "Scored: 400 rows; to_frame() gives the scores"
    assert second.startswith("  Compared with the rows the model learned from: the scores have")
    found = score_table(model, customers, folder / "s.csv", positive="buyer")
    assert repr(found).splitlines()[0].endswith("s.csv'")
    assert repr(found).splitlines()[2].endswith(f" positives, AUC {found.positives.auc:.3f}")


def test_scores_that_are_not_finite(folder, customers):
    """Numbers far beyond those that the model learned from make them so."""
    model = fit_table(
        folder / "customers.csv", "buyer", methods=["center-of-mass"], drop=["region"]
    )
    model.pipeline["model"].coef_ *= 1e300
    table = customers.assign(visits=customers["visits"].abs() * 1e90)
    with pytest.raises(TableError, match="a score that is not finite"):
        score_table(model, table)
