"""`onesided compare`, run as a user runs it."""

import re

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose

from command_line import passed, refused, run
from onesided import CenterOfMassRanker, PositiveKFold, compare
from onesided.exceptions import DataError
from onesided.methods import rankers_for
from onesided.tables import describe, read_table

FEW = ["--positive", "known", "--method", "naive-bayes", "--method", "center-of-mass"]
NAMES = {"naive Bayes", "center of mass"}


def draw(rng, path, shift=1.0, n_rows=80):
    """Numbers, of which the first is higher for the 20 positives."""
    known = np.arange(n_rows) < 20
    frame = pd.DataFrame(rng.normal(size=(n_rows, 3)), columns=["a", "b", "c"]).round(3)
    frame["a"] = (frame["a"] + shift * known).round(3)
    frame["known"] = known.astype(int)
    frame.to_csv(path, index=False)
    return frame


def test_one_table(rng, tmp_path):
    draw(rng, tmp_path / "t.csv")
    done = passed("compare", "t.csv", *FEW, "--seed", 3, cwd=tmp_path)
    assert done.stdout == "t-comparison.csv\n"
    found = pd.read_csv(tmp_path / "t-comparison.csv")
    assert (found.task == "t").all()
    data = read_table(tmp_path / "t.csv")
    summary = describe(data, without=["known"])
    expected = compare(
        rankers_for(summary, methods=["naive-bayes", "center-of-mass"], random_state=3),
        data.select(summary.used),
        data["known"].to_numpy(),
        cv=PositiveKFold(5, random_state=3),
        average=True,
    ).to_frame("pandas")
    columns = [name for name in expected.columns if name != "seconds"]
    pd.testing.assert_frame_equal(found[columns], expected[columns])
    for row in expected.itertuples():  # and what is said is what is written
        (line,) = (each for each in done.stderr.splitlines() if each.startswith(f"  {row.method}"))
        figures = [float(each) for each in re.findall(r"\d+\.\d+", line)]
        assert_allclose(
            figures[:5],
            [
                row.hidden_positive_auc,
                row.auc_standard_error,
                row.lee_liu,
                row.lee_liu_low,
                row.lee_liu_high,
            ],
            atol=6e-3,
        )


def test_no_method_is_fitted_on_all_rows(rng, tmp_path, monkeypatch):
    shown = []
    fit = CenterOfMassRanker.fit

    def recorded(self, X, y):
        shown.append(int(np.sum(y)))
        return fit(self, X, y)

    monkeypatch.setattr(CenterOfMassRanker, "fit", recorded)
    draw(rng, tmp_path / "t.csv")
    ask = ["--positive", "known", "--method", "center-of-mass"]
    passed("compare", "t.csv", *ask, cwd=tmp_path)
    assert shown == [16] * 5


def test_a_method_that_fails_is_named(rng, tmp_path, monkeypatch):
    def fail(*_):
        raise DataError("No row will do.", "Pass others.")

    monkeypatch.setattr(CenterOfMassRanker, "fit", fail)
    for name in ("t.csv", "u.csv"):
        draw(rng, tmp_path / name)
    refused(run("rank", "t.csv", *FEW, cwd=tmp_path), "center of mass: No row will do.", "Pass")
    done = run("compare", "t.csv", "u.csv", *FEW, cwd=tmp_path)
    refused(done, "t: center of mass: No row will do.", "Pass others.")


def test_several_tables(rng, tmp_path):
    for number in range(3):
        draw(rng, tmp_path / f"t{number}.csv", shift=number)
    tables = [f"t{number}.csv" for number in range(3)]
    done = passed("compare", *tables, *FEW, "--plot", "p.svg", "--out", "r.parquet", cwd=tmp_path)
    assert done.stdout == "r.parquet\n"
    found = pq.read_table(tmp_path / "r.parquet").to_pandas()
    assert found.task.tolist() == ["t0"] * 3 + ["t1"] * 3 + ["t2"] * 3
    assert set(found.method) == NAMES | {"average of methods"}
    assert "All 3 tables:" in done.stderr
    assert "<svg" in (tmp_path / "p.svg").read_text(encoding="utf-8")
    last = done.stderr.split("All 3 tables:")[1]
    for name, of_method in found.groupby("method"):
        mean, deviation, place, share = map(
            float, re.search(rf"{name} +([\d.]+) ± ([\d.]+) +([\d.]+) +([\d.]+)", last).groups()
        )
        auc = of_method.hidden_positive_auc
        assert_allclose([mean, deviation], [auc.mean(), auc.std()], atol=6e-4)
        best = found.groupby("task").lee_liu.max()
        assert_allclose(share, (of_method.set_index("task").lee_liu / best).mean(), atol=6e-3)
        places = found.groupby("task").hidden_positive_auc.rank(ascending=False)
        assert_allclose(place, places[of_method.index].mean(), atol=0.06)


def test_each_table_as_alone(rng, tmp_path):
    for number in range(2):
        draw(rng, tmp_path / f"t{number}.csv")
        passed("compare", f"t{number}.csv", *FEW, cwd=tmp_path)
    passed("compare", "t0.csv", "t1.csv", *FEW, cwd=tmp_path)
    alone = pd.concat(pd.read_csv(tmp_path / f"t{number}-comparison.csv") for number in range(2))
    together = pd.read_csv(tmp_path / "comparison.csv")
    assert "seconds" not in together.columns  # which no two runs share
    pd.testing.assert_frame_equal(together, alone.reset_index(drop=True))


def test_methods_by_default_suit_all_tables(rng, tmp_path):
    draw(rng, tmp_path / "numbers.csv")
    mixed = draw(rng, tmp_path / "mixed.csv").assign(kind=["x", "y", "z", "z"] * 20)
    mixed.to_csv(tmp_path / "mixed.csv", index=False)
    passed("compare", "numbers.csv", "mixed.csv", "--positive", "known", cwd=tmp_path)
    found = pd.read_csv(tmp_path / "comparison.csv")
    of_task = {task: set(part.method) for task, part in found.groupby("task")}
    assert of_task["numbers"] == of_task["mixed"]
    assert "naive Bayes" in of_task["mixed"]
    assert "significance ranker" not in of_task["numbers"]  # which takes no categories


def test_folds_groups_and_picture_of_one(rng, tmp_path):
    frame = draw(rng, tmp_path / "t.csv").assign(home=np.arange(80) // 2)
    frame.to_csv(tmp_path / "t.csv", index=False)
    ask = ["compare", "t.csv", *FEW, "--group", "home", "--folds", "3", "--plot", "p.png"]
    passed(*ask, cwd=tmp_path)
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")
    grouped = pd.read_csv(tmp_path / "t-comparison.csv")
    passed("compare", "t.csv", *FEW, "--drop", "home", "--folds", "3", cwd=tmp_path)
    assert not grouped.equals(pd.read_csv(tmp_path / "t-comparison.csv"))


def test_tables_of_one_name_are_told_apart_by_their_paths(rng, tmp_path):
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir()
        draw(rng, tmp_path / folder / "t.csv")
    passed("compare", "old/t.csv", "new/t.csv", *FEW, cwd=tmp_path)
    found = pd.read_csv(tmp_path / "comparison.csv")
    assert set(found.task) == {"old/t.csv", "new/t.csv"}


def test_a_leak_is_named_with_its_table(rng, tmp_path):
    draw(rng, tmp_path / "good.csv")
    draw(rng, tmp_path / "leaky.csv", shift=100.0)
    done = passed("compare", "good.csv", "leaky.csv", *FEW, cwd=tmp_path)
    assert "warning: leaky: Column 'a' alone separates positive from unlabeled" in done.stderr


BAD = {
    "no positives": (["empty.csv"], "empty: No row of column 'known'", "Name one of its values"),
    "unsuited method": (
        ["--method", "multinomial"],
        "t: The method multinomial works only for words, but",
        "use the method naive-bayes.",
    ),
    "unknown method": (["--method", "magic"], "There is no method 'magic'", "The methods are"),
    "given twice": (["t.csv"], "'t.csv' is given twice", "once"),
    "out is a table": (["--out", "other.csv"], "'other.csv' is the input file", "another name"),
    "picture is a text": (["--plot", "p.txt"], "does not end in .svg or .png", "ending"),
    "no such table": (["none.csv"], "none.csv", ""),
    "no such group": (["--group", "home"], "no column 'home'", "The columns are"),
    "prior": (["--class-prior", "2"], "--class-prior 2 is not between 0 and 1", "share"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(rng, tmp_path, case):
    for name in ("t.csv", "other.csv"):
        draw(rng, tmp_path / name)
    draw(rng, tmp_path / "empty.csv").assign(known=0).to_csv(tmp_path / "empty.csv", index=False)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    options, problem, mend = BAD[case]
    done = run("compare", "t.csv", "other.csv", *FEW, *options, cwd=tmp_path)
    refused(done, problem, mend)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
