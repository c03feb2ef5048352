"""After the work of `onesided rank` nothing fails that need not: the ranking is written."""

import re

import numpy as np
import pandas as pd
import pytest

from command_line import passed, refused, run
from onesided.exceptions import DataError
from onesided.ranking import Promises, Ranking, _rank

N_ROWS, N_POSITIVE = 60, 14
ASK = ("rank", "t.csv", "--positive", "known", "--method", "naive-bayes")


def separated(y, _):
    return {"x": y}


def reversed_order(y, rng):
    return {"x": 1 - y + rng.normal(size=len(y)) / 9}


def tied(y, _):
    return {"x": np.arange(len(y)) % 2}


def noise(y, rng):
    return {"x": rng.normal(size=len(y))}


def as_usual(y, rng):
    return {"x": y + rng.normal(size=len(y)), "c": rng.choice(["a", "b"], len(y))}


TABLES = (separated, reversed_order, tied, noise, as_usual)
OPTIONS = {
    "case-control": ("--scenario", "case-control"),
    "one set": ("--scenario", "single-training-set", "--report", "r.html"),
    "promises": ("--recall", 0.5, "--confidence", 0.6, "--discard", 0.1),
    "declared": ("--prior-at-least", 0.9, "--fdr", 0.3, "--scenario", "case-control"),
    "tested": ("--resamples", 2),
}


def write(of, folder, n_positive=N_POSITIVE):
    y = (np.arange(N_ROWS) < n_positive).astype(int)
    pd.DataFrame({**of(y, np.random.default_rng(0)), "known": y}).to_csv(
        folder / "t.csv", index=False
    )


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("of", TABLES)
def test_tables_of_any_kind_are_ranked(of, options, tmp_path):
    write(of, tmp_path)
    passed(*ASK, *options, "--out", "o.csv", cwd=tmp_path)
    assert len(pd.read_csv(tmp_path / "o.csv")) == N_ROWS - N_POSITIVE


@pytest.mark.parametrize("scenario", ["case-control", "single-training-set"])
def test_a_share_of_0_is_said_as_a_bound(scenario, tmp_path):
    write(separated, tmp_path)
    done = passed(*ASK, "--scenario", scenario, "--out", "o.csv", cwd=tmp_path)
    said = r"positives is not estimated\. (\d+) of \1 known positives rank above all other rows"
    assert re.search(said, done.stderr)
    assert "at most 14.4% of the unlabeled rows are positive (95% confidence)" in done.stderr
    assert not any("posterior" in name for name in pd.read_csv(tmp_path / "o.csv"))


def test_too_few_positives_for_an_estimate(tmp_path):
    write(as_usual, tmp_path, n_positive=6)
    done = passed(*ASK, "--scenario", "case-control", "--out", "o.csv", cwd=tmp_path)
    assert "The number of positives is not estimated. 6 positive and 54" in done.stderr


PARTS = {
    "find_prior": ("--scenario", "case-control"),
    "enrichment": ("--report", "r.html"),
    "label_resampling_test": ("--resamples", 2),
}


FAILURES = {
    "This fails. Mend it.": DataError("This fails.", "Mend it."),
    "This is a defect of onesided: ZeroDivisionError: odd.": ZeroDivisionError("odd"),
    "This machine does not have enough memory.": MemoryError(),
}


@pytest.mark.parametrize("said", FAILURES)
@pytest.mark.parametrize("part", PARTS)
def test_a_part_of_the_evidence_that_fails_is_said(part, said, tmp_path, monkeypatch):
    write(as_usual, tmp_path)
    passed(*ASK, "--out", "expected.csv", cwd=tmp_path)

    def fails(*_, **__):
        raise FAILURES[said]

    monkeypatch.setattr(_rank, part, fails)
    done = passed(*ASK, *PARTS[part], "--out", "o.csv", cwd=tmp_path)
    found, expected = (pd.read_csv(tmp_path / name) for name in ("o.csv", "expected.csv"))
    same = [*expected] if part != "find_prior" else ["row", "rank", "score"]  # recall rests on it
    pd.testing.assert_frame_equal(found[same], expected[same])
    (warning,) = [line for line in done.stderr.splitlines() if said in line]
    assert warning.startswith("warning: The ")
    assert warning.endswith(f". {said}")


def test_promises_that_fail_are_said(tmp_path, monkeypatch):
    write(as_usual, tmp_path)

    def fails(*_, **__):
        raise DataError("This fails.", "Mend it.")

    monkeypatch.setattr(Promises, "keep", fails)
    done = passed(*ASK, "--discard", 0.1, "--out", "o.csv", cwd=tmp_path)
    said = "The promises could not be measured, so no row is marked. This fails. Mend it."
    assert f"warning: {said}" in done.stderr
    assert "discarded" not in pd.read_csv(tmp_path / "o.csv")


@pytest.mark.parametrize("kind", [DataError("This fails.", "Mend it."), ZeroDivisionError("odd")])
def test_a_report_that_fails_does_not_cost_the_ranking(kind, tmp_path, monkeypatch):
    write(as_usual, tmp_path)
    passed(*ASK, "--out", "expected.csv", cwd=tmp_path)

    def fails(*_, **__):
        raise kind

    monkeypatch.setattr(Ranking, "report", fails)
    command = (*ASK, "--out", "o.csv", "--report", "r.html", "--gains", "g.csv")
    if isinstance(kind, DataError):
        done = run(*command, cwd=tmp_path)
        refused(done, "This fails.", "Mend it.")
        assert "warning: o.csv is written, but then an error ended the command." in done.stderr
    else:
        with pytest.raises(ZeroDivisionError):
            run(*command, cwd=tmp_path)
    assert (tmp_path / "o.csv").read_bytes() == (tmp_path / "expected.csv").read_bytes()
    assert not (tmp_path / "r.html").exists()
