"""`onesided prior`, run as a user runs it."""

import re

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.ensemble import ExtraTreesClassifier

from command_line import passed, refused, run, usual_prior
from onesided.methods import table_scorer
from onesided.prior import estimate_class_prior
from onesided.tables import describe, read_table

STORY = ["--scenario", "single-training-set"]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Two numbers and a category; 40 positives are labeled, 60 of 260 others are positive too."""
    rng = np.random.default_rng(0)
    positive = np.arange(300) < 100
    frame = pd.DataFrame(rng.normal(size=(300, 2)) + 4 * positive[:, None], columns=["a", "b"])
    frame["c"] = np.where(rng.random(300) < 0.5, "red", "blue")
    frame["known"] = (np.arange(300) < 40).astype(int)
    path = tmp_path_factory.mktemp("prior") / "t.csv"
    frame.round(3).to_csv(path, index=False)
    return path


@pytest.fixture(autouse=True)
def few_trees(monkeypatch):
    """For speed: all is done again on twenty halves of the rows."""

    def small(*, is_sparse, n_trees, random_state):  # noqa: ARG001 - ten in its place
        assert not is_sparse
        return ExtraTreesClassifier(
            10, min_samples_leaf=5, class_weight="balanced", random_state=random_state
        )

    monkeypatch.setattr("onesided.methods._rankers.balanced_classifier", small)


def test_what_is_said_is_what_is_estimated(table, tmp_path, monkeypatch):
    usual_prior(monkeypatch)
    done = passed("prior", table, "--positive", "known", *STORY, "--out", "p.csv", cwd=tmp_path)
    data = read_table(table)
    summary = describe(data, without=["known"])
    expected = estimate_class_prior(
        data.select(summary.used),
        data["known"].to_numpy(),
        scenario="single-training-set",
        estimator=table_scorer(summary, random_state=0),
        random_state=0,
    )
    assert float(done.stdout) == float(f"{expected.point:.4g}")
    assert abs(expected.point - 60 / 260) < 0.06
    (line,) = (line for line in done.stderr.splitlines() if line.startswith("Positive among"))
    said = [float(each) / 100 for each in re.findall(r"([\d.]+)%", line)]
    assert_allclose(said, [expected.point, 0.9, *expected.interval], atol=6e-4)
    assert f"about {expected.point * expected.n_unlabeled:.0f} rows" in line
    for figure in (expected.upper_bound, expected.population_prior, expected.label_frequency):
        assert f"{figure:.1%}" in done.stderr
    pd.testing.assert_frame_equal(
        pd.read_csv(tmp_path / "p.csv"), expected.to_frame("pandas"), check_exact=False
    )


def test_the_story_has_to_be_told(table, tmp_path):
    done = run("prior", table, "--positive", "known", cwd=tmp_path)
    assert done.returncode == 2
    assert "Missing option '--scenario'" in done.stderr


def test_case_control_says_nothing_of_labels(table, tmp_path):
    story = ["--scenario", "case-control"]
    done = passed("prior", table, "--positive", "known", *story, "--drop", "c", cwd=tmp_path)
    assert "share of the positives that are labeled:" not in done.stderr


@pytest.mark.parametrize(
    ("more", "problem", "mend"),
    [
        (["--confidence", "1.5"], "--confidence 1.5 is not between", "Pass a share"),
        (["--out", "p.xls"], "p.xls", "ending"),
    ],
)
def test_bad_options(table, tmp_path, more, problem, mend):
    done = run("prior", table, "--positive", "known", *STORY, *more, cwd=tmp_path)
    refused(done, problem, mend)
    assert not list(tmp_path.iterdir())
