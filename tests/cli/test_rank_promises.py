"""What `onesided rank` promises of its list, run as a user runs it."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from command_line import passed, refused, replaced, run
from onesided._text import as_percent
from onesided.promises import hold_out, positives_needed
from onesided.ranking._promised import Declared, HeldOut
from onesided.ranking._promised.false_discovery import FalseDiscoveryPromise

BY = ["--method", "logistic", "--id", "row", "--positive", "known", "--out", "o.csv"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A fifth of 1,500 rows is positive, labeled evenly in `even.csv`, the easy in `biased.csv`.

    In `apart.csv` the rows of `even.csv` are further apart, so that their number can be told.
    """
    rng = np.random.default_rng(20080815)
    truth = rng.random(1500) < 0.2
    X = rng.normal(size=(1500, 3)) + truth[:, None] * [2.0, 2.0, 0.0]
    at = tmp_path_factory.mktemp("promises")
    chances = {"even": 0.6, "biased": 1 / (1 + np.exp(-3 * (X[:, 0] - 2)))}
    for name, chance in chances.items():
        frame = pd.DataFrame(X.round(4), columns=["a", "b", "c"])
        frame.insert(0, "row", [f"r{i}" for i in range(1500)])
        frame["known"] = (truth & (rng.random(1500) < chance)).astype(int)
        frame["screened"] = np.where(~truth & (rng.random(1500) < 0.15), "x", "")
        frame.to_csv(at / f"{name}.csv", index=False)
    apart = pd.read_csv(at / "even.csv")
    apart[["a", "b"]] += 0.5 * truth[:, None]
    apart.to_csv(at / "apart.csv", index=False)
    pd.DataFrame({"row": [f"r{i}" for i in range(1500)], "truth": truth}).to_csv(
        at / "truth.csv", index=False
    )
    return at


def ranking_of(folder):
    """The ranking, with what is true of each row."""
    ranking = pd.read_csv(folder / "o.csv")
    return ranking.merge(pd.read_csv(folder / "truth.csv"), on="row", validate="one_to_one")


def said(done, pattern):
    """The numbers in the one line that holds the pattern's words."""
    (found,) = re.findall(pattern, done.stderr)
    return [
        float(each.replace(",", "")) for each in (found if isinstance(found, tuple) else [found])
    ]


@pytest.fixture(scope="module")
def kept(folder):
    """All three promises on labels drawn evenly."""
    asked = ["--recall", 0.9, "--discard", 0.01, "--fdr", 0.25, "--prior-at-least", 0.08]
    done = passed(
        "rank", "even.csv", *BY, "--drop", "screened", *asked, "--report", "r.html", cwd=folder
    )
    (folder / "kept.csv").write_bytes((folder / "o.csv").read_bytes())
    return done, ranking_of(folder), (folder / "r.html").read_text("utf-8")


def test_each_promise_marks_rows_and_holds(kept):
    done, ranking, _ = kept
    n_short, n_rows, as_high, held_out = said(
        done,
        r"([\d,]+) of ([\d,]+) unlabeled rows are marked in the column in_shortlist. They hold at "
        r"least 90% of the positives, at 95% confidence: at least (\d+) of (\d+) held-out",
    )
    assert n_rows == len(ranking)
    assert 0.9 * held_out < as_high <= held_out
    assert ranking["in_shortlist"].sum() == n_short
    assert ranking["in_shortlist"][: int(n_short)].mean() > 0.8, "mostly the first rows"
    assert ranking["truth"][ranking["in_shortlist"]].sum() >= 0.9 * ranking["truth"].sum()
    assert n_short < 0.7 * n_rows
    n_discarded, as_low = said(
        done,
        r"([\d,]+) of [\d,]+ unlabeled rows are marked in the column discarded. They can be "
        r"discarded: in expectation at most 1% of these rows are positive. .* rows: (\d+) of",
    )
    assert ranking["discarded"].sum() == n_discarded
    assert n_discarded > 0.6 * n_rows
    discarded = ranking["truth"][ranking["discarded"]]
    assert discarded.mean() <= 0.015, "0.01 is the mean over samples"
    assert abs(discarded.sum() / ranking["truth"].sum() - as_low / held_out) < 0.1
    (n_listed,) = said(
        done,
        r"([\d,]+) of [\d,]+ unlabeled rows are marked in the column in_positive_list: in "
        "expectation at most 25% of these rows are negative",
    )
    assert ranking["in_positive_list"].sum() == n_listed
    assert not (ranking["in_positive_list"] & ~ranking["in_shortlist"]).any()
    assert (~ranking["truth"][ranking["in_positive_list"]]).mean() <= 0.35
    assert n_listed > 0.4 * ranking["truth"].sum()
    assert "p = " in done.stderr
    assert "no sign of uneven labels, but it does not prove that labels are even." in done.stderr


def test_held_out_positives_are_no_candidates_and_judge_the_promises(kept, folder):
    """The share of known positives at a rank is of all of them, as without promises."""
    done, ranking, _ = kept
    known = pd.read_csv(folder / "even.csv")["known"].to_numpy() == 1
    n_held_out, n_known = said(done, r"Holding out (\d+) of (\d+) known positives")
    assert (n_held_out, n_known) == (known.sum() // 2, known.sum())
    assert len(ranking) == (~known).sum()
    held_out = hold_out(known, n_held_out / n_known, random_state=0)
    assert len(held_out) == n_held_out
    assert known[held_out].all()


def test_the_page_says_the_same(kept):
    done, _, page = kept
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))
    for of_page, of_terminal in (
        (
            r"([\d,]+) of ([\d,]+) unlabeled rows hold at least",
            r"([\d,]+) of ([\d,]+) unlabeled rows are marked in the column in_shortlist",
        ),
        (
            r"([\d,]+) of ([\d,]+) unlabeled rows can be discarded",
            r"([\d,]+) of ([\d,]+) unlabeled rows are marked in the column discarded",
        ),
        (r"([\d,]+) of ([\d,]+) held-out positives score as low",) * 2,
        (r"at least (\d+) of (\d+) held-out positives score as high",) * 2,
    ):
        (found,) = re.findall(of_page, text)
        assert [found] == re.findall(of_terminal, done.stderr)
    assert "Are labels drawn evenly among the positives?" in text
    assert "There is no sign of uneven labels" in text
    assert "negative among the listed" in text  # the axis of the picture
    (n_held_out,) = said(done, r"Holding out (\d+) of")
    assert f"For the promises {n_held_out:.0f} of these positives were held out" in text


def test_biased_labels_raise_the_hand(folder):
    """The recall is broken, and both the warning and the test say so."""
    asked = ["--recall", 0.9, "--prior-at-least", 0.08]
    done = passed(
        "rank", "biased.csv", *BY, "--drop", "screened", *asked, "--report", "b.html", cwd=folder
    )
    ranking = ranking_of(folder)
    assert ranking["truth"][ranking["in_shortlist"]].sum() < 0.8 * ranking["truth"].sum()
    assert "No promise holds: labels are not drawn evenly" in done.stderr
    assert "hold at least" not in done.stderr
    page = (folder / "b.html").read_text("utf-8")
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))
    assert re.search(
        r"No\. If 8 % or more of the unlabeled rows are positive, labels are uneven \(p = ", text
    )
    assert "hold at least" not in re.sub(r"\s+", " ", page)
    assert page.index("No promise holds.") < page.index('id="candidates"')


def test_labels_are_tested_without_a_promise(folder):
    """--prior-at-least alone, and --top says what it leaves out."""
    asked = ["--drop", "screened", "--prior-at-least", 0.08]
    done = passed("rank", "biased.csv", *BY, *asked, cwd=folder)
    uneven = "If 8% or more of the unlabeled rows are positive, labels are not drawn evenly"
    assert uneven in done.stderr
    assert "promise" not in done.stderr
    done = passed("rank", "even.csv", *BY, *asked, "--recall", 0.9, "--top", 10, cwd=folder)
    (n_short,) = said(done, r"([\d,]+) of [\d,]+ unlabeled rows are marked")
    (n_left_out,) = said(
        done, r"--top 10 leaves out ([\d,]+) rows that are marked in the column in_shortlist"
    )
    assert n_left_out == n_short - ranking_of(folder)["in_shortlist"].sum()


def test_a_promise_changes_no_other_column_and_no_other_number(kept, folder):
    """The list, the class prior and what is measured are those of no promise, byte for byte."""
    _, ranking, _ = kept
    passed(
        "rank",
        "even.csv",
        *BY[:-1],
        "p.csv",
        "--drop",
        "screened",
        "--report",
        "p.html",
        cwd=folder,
    )
    plain = (folder / "p.csv").read_text("utf-8").splitlines()
    marked = (folder / "kept.csv").read_text("utf-8").splitlines()
    assert [line.rsplit(",", 3)[0] for line in marked] == plain
    without, with_promises = (
        json.loads((folder / name).read_text("utf-8")) for name in ("p.json", "r.json")
    )
    of_promises = ("command", "promises", "suggested", "next_steps")
    for name in without.keys() - {*of_promises, "candidates", "curve"}:
        assert with_promises[name] == without[name], name
    shown = with_promises["candidates"]
    assert {name: each for name, each in shown.items() if name != "marked"} == without["candidates"]
    assert all(point in with_promises["curve"] for point in without["curve"])
    assert sum("shortlist" in each for each in shown["marked"]) == ranking["in_shortlist"].sum()


def test_a_declared_bound_discards_more(folder):
    """Half as much again as is true; a bound that says nothing discards nothing."""
    n_discarded = []
    prior = pd.read_csv(folder / "truth.csv")["truth"].mean() * 0.4  # of 1,500, six in ten labeled
    for bound in ([], ["--prior-at-most", 1.5 * prior], ["--prior-at-most", 0.999]):
        options = ("--drop", "screened", "--discard", 0.01, *bound)
        done = passed("rank", "even.csv", *BY, *options, cwd=folder)
        n_discarded.append(ranking_of(folder)["discarded"].sum())
        said_so = (
            "it was declared that at most"
            if bound
            else "This is a cautious estimate from the scores, not"
        )
        assert said_so in done.stderr
    estimated, declared, unknown = n_discarded
    assert unknown == 0
    assert min(estimated, declared) > 400


def test_the_share_that_a_discard_allows_for_is_no_statement_about_the_rows(folder):
    """It may be above the bound of the headline: terminal, page and data say why, in one text."""
    options = ("--drop", "screened", "--discard", 0.05, "--label-odds-ratio", 2)
    done = passed("rank", "even.csv", *BY, *options, "--report", "r.html", cwd=folder)
    discard = json.loads((folder / "r.json").read_text())["promises"]["discard"]
    basis = discard["basis"]
    share = as_percent(discard["prior_at_most"])
    assert basis.startswith(f"The promise allows for {share} positives among the unlabeled rows.")
    assert "the odds of being labeled may differ up to twofold" in basis
    assert basis.endswith("this estimate must be high enough on average over all samples")
    page = " ".join((folder / "r.html").read_text(encoding="utf-8").split())
    assert f"{basis}. With a smaller bound" in page
    assert basis[1:] in done.stderr
    assert f"{share} of the unlabeled rows are positive" not in page + done.stderr


def test_without_a_prior_the_page_says_when_labels_are_uneven(folder):
    done = passed("rank", "biased.csv", *BY, "--drop", "screened", "--recall", 0.9, cwd=folder)
    (bound,) = said(
        done, r"If more than ([\d.]+)% of the unlabeled rows are positive, labels are not even"
    )
    ranking = ranking_of(folder)
    assert 100 * ranking["truth"].mean() > bound  # so that who knows the share is warned


def test_known_negatives_give_the_rate_and_are_no_candidates(folder):
    done = passed("rank", "even.csv", *BY, "--fdr", 0.3, "--known-negative", "screened", cwd=folder)
    table, ranking = pd.read_csv(folder / "even.csv"), ranking_of(folder)
    screened = table["row"][table["screened"] == "x"]
    assert len(screened) > 50
    assert not set(screened) & set(ranking["row"])
    assert f"known negative {len(screened):>5}" in done.stderr
    listed = ranking["in_positive_list"]
    assert listed.sum() > 20
    assert (~ranking["truth"][listed]).mean() <= 0.4


def test_known_negatives_and_a_report(folder):
    """The list is of the others; their positives are counted only if one asks, and then of all."""
    known = ["--known-negative", "screened", "--report", "n.html", "--seed", 1]
    done = passed("rank", "even.csv", *BY, *known, cwd=folder)
    table = pd.read_csv(folder / "even.csv").merge(pd.read_csv(folder / "truth.csv"), on="row")
    others = (table["known"] == 0) & (table["screened"] != "x")
    report = json.loads((folder / "n.json").read_text("utf-8"))
    assert report["curve"][-1]["n_listed"] == others.sum() == len(ranking_of(folder))
    assert report["prior"] is None
    assert (
        "Some rows were checked and found negative. If these rows came from" in report["no_prior"]
    )
    assert report["no_prior"] in done.stderr
    story = ["--scenario", "single-training-set"]
    done = passed("rank", "even.csv", *BY, *known, *story, cwd=folder)
    prior = json.loads((folder / "n.json").read_text("utf-8"))["prior"]
    assert abs(prior["n_hidden"] - table["truth"][others].sum()) < 60
    of_all = (prior["n_hidden"] + table["known"].sum()) / len(table)
    assert prior["population_prior"] == pytest.approx(of_all)
    assert f"{100 * of_all:.3g}%" in done.stderr


def test_with_a_scenario_each_row_has_its_probability(folder, monkeypatch):
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - in place of the trees

    monkeypatch.setattr(
        "onesided.methods._rankers.balanced_classifier",
        lambda **_: LogisticRegression(class_weight="balanced"),
    )
    story = ["--scenario", "single-training-set", "--drop", "screened", "--report", "r.html"]
    done = passed("rank", "apart.csv", *BY, *story, cwd=folder)
    ranking = ranking_of(folder)
    point, low, high = said(done, r"rows, ([\d.]+)% \(95% interval ([\d.]+)% to ([\d.]+)%\)")
    assert low <= point <= high
    assert low - 1 <= 100 * ranking["truth"].mean() <= high + 1
    assert ranking["posterior"].is_monotonic_decreasing
    assert_allclose(ranking["posterior"].sum(), point / 100 * len(ranking), rtol=0.15)
    bins = pd.cut(ranking["posterior"], [-1, 0.1, 0.5, 0.9, 1])
    by_bin = ranking.groupby(bins, observed=True)[["posterior", "truth"]].mean()
    assert_allclose(by_bin["posterior"], by_bin["truth"], atol=0.2)
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", (folder / "r.html").read_text("utf-8")))
    assert "How many are positive" in text
    points = json.loads((folder / "r.json").read_text("utf-8"))["top"]
    (expected,) = (point["positives"] for point in points if point["n_listed"] == 100)
    assert abs(expected - ranking["truth"][:100].sum()) < 25
    assert re.search(rf"\b100 \S+ % \S+ % \S+ {expected:.0f} \(\d+ to \d+\)", text)


@pytest.mark.parametrize(
    ("options", "problem", "mend"),
    [
        (["--fdr", 0.2], "do not allow --fdr", "--prior-at-least SHARE"),
        (["--recall", 1.2], "--recall 1.2 is not between 0 and 1", "0.95"),
        (["--discard", 0], "--discard 0 is not between", "share"),
        (["--recall", 0.9, "--confidence", 1], "--confidence 1 is not", "share"),
        (["--fdr", 0.2, "--prior-at-least", -1], "--prior-at-least -1 is not", "share"),
        (
            ["--fdr", 0.2, "--irreducible", "--prior-at-least", 0.1],
            "--prior-at-least and --irreducible are given",
            "Declare only one",
        ),
        (["--irreducible"], "--irreducible has no effect without --fdr", "Pass --fdr"),
        (
            ["--prior-at-least", 0.05, "--label-odds-ratio", 3],
            "--prior-at-least has no effect with --label-odds-ratio 3",
            "Leave one of them out, or pass --fdr too.",
        ),
        (["--prior-at-most", 0.1], "--prior-at-most has no effect without --discard", "Pass"),
        (
            ["--discard", 0.2, "--prior-at-most", 0.1],
            "--prior-at-most 0.1 is not above --discard 0.2",
            "smaller --discard",
        ),
        (["--discard", 0.1, "--prior-at-most", 1.1], "--prior-at-most 1.1 is not between", "share"),
        (
            ["--discard", 0.01, "--prior-at-most", 0.1, "--prior-at-least", 0.2],
            "--prior-at-most 0.1 is below --prior-at-least 0.2",
            "not above the upper bound",
        ),
        (["--known-negative", "missing"], "missing", "screened"),
        (["--known-negative", "screened=z"], "marked as a known negative", "--known-negative"),
        (["--known-negative", "a"], "neither 1/0", "--known-negative"),
        (["--known-negative", "known"], "is marked both as positive and as a known", "two marks."),
    ],
)
def test_bad_input(folder, options, problem, mend):
    refused(run(*replaced(["rank", "even.csv", *BY], options), cwd=folder), problem, mend)


def test_promises_for_uneven_labels_are_smaller(folder):
    """More rows are kept, fewer are discarded, and the terminal and the page say why."""
    options = ("--label-odds-ratio", 2, "--recall", 0.8, "--discard", 0.05, "--confidence", 0.8)
    even = passed(
        *replaced(["rank", "even.csv", *BY], [*options[2:], "--out", "e.csv"]), cwd=folder
    )
    done = passed(
        *replaced(["rank", "even.csv", *BY], [*options, "--out", "u.csv", "--report", "u.html"]),
        cwd=folder,
    )
    assert "if the odds of being labeled differ up to twofold among the positives." in done.stderr
    assert "if labels are drawn evenly" in even.stderr
    page = " ".join((folder / "u.html").read_text(encoding="utf-8").split())
    assert "It was declared that the odds of being labeled differ up to twofold" in page
    of_even, of_uneven = (pd.read_csv(folder / name) for name in ("e.csv", "u.csv"))
    assert of_uneven["in_shortlist"].sum() > of_even["in_shortlist"].sum()
    assert of_uneven["discarded"].sum() < of_even["discarded"].sum()
    report = json.loads((folder / "u.json").read_text(encoding="utf-8"))
    assert report["promises"]["label_odds_ratio"] == report["prior"]["label_odds_ratio"] == 2
    assert report["uneven_labels"]["label_odds_ratio"] == 2
    for point in report["top"]:
        limits = f"{point['recall_low']:.1%} to {point['recall_high']:.1%}"
        assert f"{point['n_listed']:>5,} hold {limits} of the positives (by chance" in done.stderr
        assert point["recall_low"] <= point["recall"] <= point["recall_high"]
    assert report["top"][0]["recall_low"] < report["top"][0]["recall"]
    said = "limits hold if the odds of being labeled differ up to twofold"
    assert said in done.stderr
    assert "The AUCs hold if labels are even" in done.stderr
    assert "These figures hold if labels are even" in even.stderr
    assert "The AUCs on this page hold if labels are even" in page
    assert report["prior"]["class_prior"] is None
    assert report["prior"]["class_prior_at_most"] == report["prior"]["upper_bound"]


def test_a_declared_share_that_the_scores_refute_promises_nothing(folder):
    options = (
        "--fdr",
        0.1,
        "--prior-at-least",
        0.95,
        "--label-odds-ratio",
        1.1,
        "--report",
        "n.html",
    )
    done = passed(*replaced(["rank", "even.csv", *BY], [*options, "--out", "n.csv"]), cwd=folder)
    assert re.search(
        r"No list can promise .* by the scores at least [\d.]+% of the rows", done.stderr
    )
    assert not pd.read_csv(folder / "n.csv")["in_positive_list"].any()
    page = " ".join((folder / "n.html").read_text(encoding="utf-8").split())
    assert "No list can promise that at most 10 % of its rows are negative." in page


def test_a_rate_by_known_negatives_is_not_refuted_by_what_labels_allow():
    """It is proven however labels were given, also where even ones would allow no positives."""
    rng = np.random.default_rng(0)
    candidates = rng.normal(np.repeat([3.0, 0.0], 500), 1)
    known, negative = rng.normal(20, 1, 100), rng.normal(size=200)  # the easiest are labeled
    declared = Declared(known_negative=True)
    seen = HeldOut(known, candidates, negative, 0.95, declared, None)
    kept = FalseDiscoveryPromise(0.3).keep(seen)
    assert kept.facts["minimum_false_share"] > 0.3
    assert kept.rows.sum() > 400
    assert kept.facts["refusal"] == ""


def test_too_few_positives_for_a_recall_say_how_many_it_takes(folder):
    """And which recall would do: 30 labels leave 20 to hold out."""
    table = pd.read_csv(folder / "even.csv").drop(columns="screened")
    known = np.flatnonzero(table["known"])
    table.loc[known[30:], "known"] = 0
    table.to_csv(folder / "few.csv", index=False)
    needed = positives_needed(recall=0.95, confidence=0.95)
    done = run("rank", "few.csv", *BY, "--recall", 0.95, cwd=folder)
    refused(
        done, "30 known positives are too few to promise a recall of 0.95", "--recall 0.86 or less"
    )
    assert f"at least {needed} must be held out" in done.stderr
    passed("rank", "few.csv", *BY, "--recall", 0.86, cwd=folder)
    table.loc[known[2:], "known"] = 0
    table.to_csv(folder / "two.csv", index=False)
    refused(run("rank", "two.csv", *BY, "--recall", 0.5, cwd=folder), "2 known", "Label more")


def test_positives_of_a_group_are_held_out_together(folder):
    table = pd.read_csv(folder / "even.csv").drop(columns="screened")
    table["batch"] = np.arange(len(table)) % 300
    table.to_csv(folder / "grouped.csv", index=False)
    done = passed("rank", "grouped.csv", *BY, "--group", "batch", "--discard", 0.05, cwd=folder)
    assert "Holding out" in done.stderr
    assert "With groups the promises are not proven," in done.stderr
    refused(
        run("rank", "grouped.csv", *BY, "--group", "batch", "--recall", 0.99, cwd=folder),
        "186 known positives are too few to promise a recall of 0.99",
        "ask for --recall 0.98 or less",
    )


def small(folder, n_rows, n_known, shift=0.0):
    known = np.arange(n_rows) < n_known
    size = np.random.default_rng(1).normal(size=n_rows) + shift * known
    table = pd.DataFrame({"size": size.round(3), "known": known.astype(int)})
    table.to_csv(folder / "t.csv", index=False)
    return ["t.csv", "--positive", "known", "--method", "naive-bayes"]


def test_no_promise_is_announced_where_none_was_asked_for(tmp_path):
    """With --prior-at-least alone only the labels are tested."""
    ask = [*small(tmp_path, 60, 20, 1.0), "--prior-at-least", "0.1", "--report", "r.html"]
    done = passed("rank", *ask, cwd=tmp_path)
    assert "The test for uneven labels" in done.stderr
    assert "promise" not in done.stderr
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "What the list promises" not in page
    assert "<h2>Are labels drawn evenly among the positives?</h2>" in page


def test_a_bound_of_all_rows_is_no_sign_of_uneven_labels(tmp_path):
    """No more than all rows can be positive, so that no share tells of uneven labels."""
    ask = [*small(tmp_path, 30, 8), "--discard", "0.02", "--report", "r.html"]
    done = passed("rank", *ask, cwd=tmp_path)
    page = " ".join((tmp_path / "r.html").read_text(encoding="utf-8").split())
    for words in (done.stderr, page):
        assert "If more than" not in words
        assert (
            "the following promises hold if" in words.lower() or "What the list promises" in words
        )
    assert "4 held-out positives cannot show that any row is negative if at most 2%" in done.stderr
    assert "or allow a larger share (--discard)" in done.stderr
    assert "or allow a larger share." in page
    assert "share=" not in done.stderr


@pytest.mark.parametrize("promise", [["--discard", "0.1"], ["--prior-at-least", "0.1"]])
def test_two_known_positives_are_too_few_to_hold_one_out(tmp_path, promise):
    done = run("rank", *small(tmp_path, 10, 2), *promise, cwd=tmp_path)
    refused(done, "2 known positives are too few to hold 1 of them out", "Label more positive rows")
