"""The numbers of a ranking agree, wherever they stand: terminal, files, page.

`ONESIDED_EXAMPLES=300 pytest tests/cli/test_identities.py` tries as many problems of all kinds.
"""

import json
import os
import re

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from command_line import passed
from onesided.prior._facts import tells_nothing

RECALLS = ("recall", "recall_low", "recall_high")
N_PROBLEMS = int(os.environ.get("ONESIDED_EXAMPLES", "10"))


def problem(seed):
    """A table of random size and difficulty, and random options of `rank`."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(60, 500))
    positive = rng.random(n) < rng.uniform(0.08, 0.5)
    apart = rng.uniform(0, 4)
    frame = pd.DataFrame(
        {f"x{j}": rng.normal(size=n) + apart * positive * (j < 2) for j in range(3)}
    )
    if rng.random() < 0.5:
        told = rng.integers(4, size=n) + 2 * positive
        frame["kind"] = [f"kind {each}" for each in told]
    if rng.random() < 0.3:
        frame["x0"] = frame["x0"].round()  # ties
    labeled = np.zeros(n, dtype=bool)
    known = np.flatnonzero(positive)
    labeled[rng.permutation(known)[: max(12, int(rng.uniform(0.2, 0.8) * len(known)))]] = True
    frame["id"] = [f"r{i}" for i in range(n)]
    frame["known"] = labeled.astype(int)
    options = ["--positive", "known", "--id", "id", "--method", "naive-bayes"]
    if rng.random() < 0.5:
        options += ["--method", "logistic"]
    if rng.random() < 0.7:
        options += ["--scenario", str(rng.choice(["single-training-set", "case-control"]))]
    if rng.random() < 0.3:
        frame["excluded"] = (~positive & (rng.random(n) < 0.3)).astype(int)
        options += ["--known-negative", "excluded"]
    if rng.random() < 0.3:
        options += ["--discard", "0.1"]
    if seed % 5 == 4:
        options += ["--label-odds-ratio", "2"]
    if rng.random() < 0.3:
        options += ["--confidence", "0.8"]
    if rng.random() < 0.3:
        options += ["--top", str(int(rng.integers(1, n)))]
    return frame, options


def numbers(text):
    """All numbers of a text, without the commas in them."""
    return [float(each) for each in re.findall(r"\d+(?:\.\d+)?", text.replace(",", ""))]


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_numbers_agree(seed, tmp_path):
    frame, options = problem(seed)
    frame.to_csv(tmp_path / "t.csv", index=False)
    written = ("--out", "r.csv", "--gains", "g.csv", "--report", "p.html", "--json")
    done = passed("rank", "t.csv", *options, *written, cwd=tmp_path)
    report = json.loads((tmp_path / "p.json").read_text(encoding="utf-8"))
    assert report == json.loads(done.stdout)["result"]
    ranking, gains = pd.read_csv(tmp_path / "r.csv"), pd.read_csv(tmp_path / "g.csv")
    page = re.sub(r"\s+", " ", (tmp_path / "p.html").read_text(encoding="utf-8"))
    prior, table, listed = report["prior"], report["table"], report["candidates"]
    cuts = [*report["curve"], *report["top"], *report["tenths"]]
    n = report["curve"][-1]["n_listed"]

    assert table["n_positive"] + table["n_unlabeled"] + table["n_known_negative"] == len(frame)
    assert table["n_unlabeled"] == n
    uneven = "--label-odds-ratio" in options
    sides = ("_low", "_high") if uneven else ("",)
    assert {f"recall{side}" for side in sides} == {*ranking.columns} & {*RECALLS}
    assert {f"recall{side}" for side in sides} == {e for e in RECALLS if listed.get(e) is not None}
    for recall in (f"recall{side}" for side in sides):
        assert_allclose(ranking[recall], listed[recall])
        assert listed[recall] == sorted(listed[recall])
        assert report["curve"][-1][recall] == pytest.approx(1)
    for each in cuts:
        k = each["n_listed"]
        assert_allclose(each["by_chance"], k / n)
        assert_allclose(each["lift"] * each["by_chance"], each["recall"])
        assert (each["recall_low"] is not None) == uneven
        for recall in (f"recall{side}" for side in sides):
            if k <= len(ranking):
                assert_allclose(ranking[recall][k - 1], each[recall], atol=2e-6)
    said = re.findall(r"the first +([\d,]+) hold (?:about)? *([\d.% to]+) of the pos", done.stderr)
    assert said
    by_length = {each["n_listed"]: each for each in [*report["top"], report["to_find"]]}
    for k, shares in said:
        each = by_length[int(k.replace(",", ""))]
        recall = [each[f"recall{side}"] for side in sides]
        assert_allclose(np.divide(numbers(shares), 100), recall, atol=6e-4)

    assert gains["n_rows"].sum() == n
    for side in sides:
        recall = [each[f"recall{side}"] for each in report["tenths"]]
        assert_allclose(gains[f"share_so_far{side}"], recall, atol=1e-6)
    if not uneven:
        assert_allclose(gains["share_of_positives"].sum(), 1, atol=1e-5)
    if prior is None:
        assert {"posterior", "posterior_at_most"}.isdisjoint(ranking.columns)
        assert {each["positives"] for each in cuts} == {None}
        return

    end = "_at_most" if prior["only_at_most"] else ""
    count = prior[f"n_hidden{end}"]
    assert prior["confidence"] == (0.8 if "--confidence" in options else 0.95)
    assert prior["label_odds_ratio"] == (2 if "--label-odds-ratio" in options else 1)
    assert f"({100 * prior['confidence']:.0f}% " in done.stderr
    assert_allclose(count, prior[f"class_prior{end}"] * table["n_unlabeled"])
    asked = "--scenario" in options
    assert (f"posterior{end}" in ranking.columns) == asked
    assert ("posterior" if end else "posterior_at_most") not in ranking.columns
    for each in cuts:
        k, inside = each["n_listed"], each[f"positives{end}"]
        assert inside <= k + 1e-9
        assert_allclose(each[f"precision{end}"], inside / k)
        if k <= len(ranking):
            of_rows = sum(listed[f"posterior{end}"][:k])
            assert inside <= of_rows + 1e-6 * k + 1e-9
            if not uneven:  # a list may then have a lower bound than its rows together
                assert_allclose(of_rows, inside, atol=1e-6 * k + 1e-9)
        if not end:
            assert_allclose(each["recall"] * count, inside, atol=1e-9 * n)
            assert each["positives_low"] <= inside + 1e-9
            assert inside <= each["positives_high"] + 1e-9 <= k + 2e-9
            assert each["positives_at_most"] is None
        else:
            assert each["positives"] is None
            if each["positives_plausible"] is not None:
                plausible = prior["by_assumption"][0]["plausible"] * n
                assert_allclose(each["positives_plausible"], each["recall"] * plausible)
                assert each["positives_plausible"] <= inside + 1e-9
    assert_allclose(report["curve"][-1][f"positives{end}"], count)
    if asked:
        assert_allclose(ranking[f"posterior{end}"], listed[f"posterior{end}"])
        name = "positives_at_most" if end else "expected_positives"
        if uneven:  # each tenth may hold its bound, but not all of them
            assert gains[name].sum() >= count - 0.06
        else:
            assert_allclose(gains[name].sum(), count, atol=0.06)
        assert_allclose(gains[f"{name}_so_far"].iloc[-1], count, atol=0.006)
        for tenth in gains.itertuples():
            if tenth.last_rank <= len(ranking) and not uneven:
                inside = ranking[f"posterior{end}"][tenth.first_rank - 1 : tenth.last_rank].sum()
                assert_allclose(getattr(tenth, name), inside, atol=0.01)

    (line,) = (each for each in done.stderr.splitlines() if each.startswith("Positive among"))
    of, told, percent = numbers(line)[:3]
    assert of == n
    is_open = tells_nothing(0.0, prior["high"])
    assert (" at most " in line) == (bool(end) and not is_open)
    assert ("possibly all" in line) == is_open
    assert_allclose(told, count, atol=0.006 * n if is_open else 0.5)
    if not is_open:
        assert_allclose(percent / 100, prior[f"class_prior{end}"], atol=6e-4)
    lead = re.search(
        r'<p class="lead">(At most|About) <strong>([\d,]+)</strong> of the ([\d,]+)', page
    )
    assert (lead is None) == is_open
    if lead is not None:
        assert (lead[1] == "At most") == bool(end)
        shown = float(lead[2].replace(",", ""))
        assert_allclose(shown, count, atol=0.5, rtol=0.05)
        assert lead[3] == f"{n:,}"
    assert ("The data give no upper bound: possibly all" in page) == is_open
