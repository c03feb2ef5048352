"""The numbers of a report, counted again by hand from the ranking and the definitions."""

import json
import math
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose
from sklearn.ensemble import RandomForestClassifier

from command_line import few_draws, passed, refused, run
from onesided import tables
from onesided._candidates import cut_points
from onesided.exceptions import TableError
from onesided.methods import rankers_for
from onesided.models.composite import PUBagging
from onesided.reporting import read_report
from onesided.reporting._explanations import explain
from onesided.reporting.panels.candidates import suggest
from onesided.tables._features import used_columns

TEXT = "the garden fence is old, the garden gate is new and the bench is painted green every year"


@pytest.fixture(scope="module")
def ranking(reported):
    return pd.read_csv(reported / "customers-ranking.csv", dtype={"customer": str})


def test_recall_and_lift_at_each_length(report, ranking):
    n = len(ranking)
    for point in (*report["curve"], *report["top"], *report["tenths"]):
        listed = point["n_listed"]
        recall = ranking["recall"].iloc[listed - 1]
        assert_allclose(point["recall"], recall, atol=1e-6)
        assert_allclose(point["by_chance"], listed / n)
        assert_allclose(point["lift"], point["recall"] / (listed / n))
    assert [point["n_listed"] for point in report["tenths"]] == [n * k // 10 for k in range(1, 11)]
    assert report["curve"][0]["n_listed"] == 1
    assert report["curve"][-1]["n_listed"] == n


def test_positives_are_those_of_all_times_the_recall(report):
    """The whole list holds the number that is told, each list what its recall says."""
    n_hidden = report["prior"]["n_hidden"]
    assert_allclose(report["curve"][-1]["positives"], n_hidden)
    posterior = report["candidates"]["posterior"]
    assert max(posterior) <= 1
    assert posterior == sorted(posterior, reverse=True)
    for point in report["curve"]:
        n = point["n_listed"]
        assert_allclose(point["positives"], n_hidden * point["recall"])
        assert_allclose(point["positives"], math.fsum(posterior[:n]), atol=1e-3)
        assert_allclose(point["precision"], point["positives"] / n)
        assert point["precision_low"] <= point["precision"] <= point["precision_high"]


def test_the_suggested_cut_has_the_highest_criterion(report):
    """Of the lists of ten rows or more."""
    points = report["curve"]
    longer = [point for point in points if point["n_listed"] >= 10]
    criteria = [point["recall"] ** 2 / point["by_chance"] for point in longer]
    assert points[report["suggested"]["place"]] == longer[int(np.argmax(criteria))]


def test_a_list_of_one_row_is_not_suggested():
    """Four of 29 positives stand above all other rows, so that the first row has the highest."""
    above = np.append(np.zeros(4), np.arange(1, 26) * 20).astype(int)
    lengths = (1, 5, 10, 25, 100, 1000)
    recall = np.array([np.mean(above < length) for length in lengths])
    curve = cut_points(lengths, recall, 1000)
    criteria = [point["recall"] * point["lift"] for point in curve]
    assert np.argmax(criteria) == 0
    assert suggest(curve, 0, "", n_hidden=29)["place"] == 3, "that of 25, which holds five of them"
    assert suggest(curve[:2], 0, "", n_hidden=29)["place"] == 0, "there is no longer one"
    assert suggest(curve, 10, "asked", n_hidden=29) == {"place": 2, "why": "asked"}


def test_calibration_counts_the_hidden_positives(report, ranking):
    """Of each bin: positives that stand in it, as a share, times the estimated number of them."""
    bins, above = report["calibration"], np.array(report["known_above"])
    assert [each["first"] for each in bins][1:] == [each["last"] + 1 for each in bins][:-1]
    assert (bins[0]["first"], bins[-1]["last"]) == (1, len(ranking))
    for each in bins:
        n = each["last"] - each["first"] + 1
        inside = np.mean((above + 0.5 > each["first"] - 1) & (above + 0.5 <= each["last"]))
        counted = min(1, inside * report["prior"]["n_hidden"] / n)
        assert_allclose(each["counted"], counted, atol=0.02)
        posteriors = report["candidates"]["posterior"][each["first"] - 1 : each["last"]]
        assert_allclose(each["posterior"], np.mean(posteriors), atol=1e-5)


def test_the_number_of_positives_is_estimated_without_being_asked(report):
    prior, table = report["prior"], report["table"]
    assert prior["scenario"] is None
    assert prior["population_prior"] is None
    shown = prior["high"] if prior["only_at_most"] else prior["class_prior"]
    assert_allclose(prior["n_hidden"], shown * table["n_unlabeled"])
    assert report["no_prior"] == ""
    assert prior["low"] <= prior["class_prior"] <= prior["high"] <= prior["upper_bound"]


def test_nearest_known_by_hand(report, reported):
    """The distance of a buyer's row, which is a unit vector of words, numbers and indicators."""
    explanations, known = report["explanations"], report["explanations"]["known"]
    table = pd.read_csv(reported / "customers.csv")
    assert known == table["customer"][table["buyer"] == "x"].tolist()
    for of_row in explanations["distance"]:
        assert of_row == sorted(of_row)
    assert explanations["measure"] == "cosine"


def numbers_table(rng, n=200):
    spend, visits = rng.normal(100, 20, n), rng.normal(5, 1, n)
    positive = (spend + 15 * visits > 200) & (np.arange(n) % 2 == 0)
    columns = {"spend": spend, "visits": visits, "positive": positive.astype(int)}
    return pa.table(columns), positive


def explained(table, positive, method, most=50):
    summary = tables.describe(table, without=["positive"])
    ((_, pipeline),) = list(rankers_for(summary, methods=[method], class_prior=0.2).items())[:1]
    features = used_columns(table, summary)
    pipeline.fit(features, positive)
    candidates, known = np.flatnonzero(~positive)[:most], np.flatnonzero(positive)
    ids = [f"row {row}" for row in known]
    found = explain(pipeline, features, summary, candidates=candidates, known=known, ids=ids)
    return found, pipeline, features, candidates, known


@pytest.mark.parametrize("method", ["logistic", "naive-bayes", "tree", "bagging", "splines"])
def test_effects_add_up_to_differences_of_scores(rng, method):
    """Of two columns both are named; their sum differs as the score of the model does."""
    table, positive = numbers_table(rng)
    found, pipeline, features, candidates, _ = explained(table, positive, method)
    scores = pipeline.decision_function(features.take(pa.array(candidates)))
    sums = np.array([sum(effects) for effects in found["effect"]])
    assert_allclose(sums - sums[0], scores - scores[0], atol=0.02 * np.ptp(scores))
    assert set(found["names"]) == {"spend", "visits"}
    for row, (of_row, values) in enumerate(zip(found["feature"], found["value"], strict=True)):
        for place, value in zip(of_row, values, strict=True):
            cell = table[found["names"][place]][int(candidates[row])].as_py()
            assert value == f"{cell:.4g}"


def test_nearest_by_loops(rng):
    table, positive = numbers_table(rng)
    found, _, features, candidates, known = explained(table, positive, "logistic")
    frame = features.to_pandas()
    scaled = ((frame - frame.mean()) / frame.std(ddof=0)).to_numpy()
    for row, candidate in enumerate(candidates):
        distances = np.array([math.dist(scaled[candidate], scaled[each]) for each in known])
        nearest = np.argsort(distances)[:3]
        assert found["nearest"][row] == nearest.tolist()
        assert_allclose(found["distance"][row], distances[nearest], atol=1e-4)
    assert found["measure"] == "euclidean"


def test_models_without_parts_have_neighbours_only(rng):
    table, positive = numbers_table(rng)
    found, *_ = explained(table, positive, "correlation")
    assert all(each == [] for each in found["feature"])
    assert all(len(each) == 3 for each in found["nearest"])
    summary = tables.describe(table, without=["positive"])
    (pipeline,) = rankers_for(summary, methods=["bagging"]).values()
    forest = RandomForestClassifier(5, random_state=0)
    pipeline.steps[-1] = ("model", PUBagging(forest, 20, random_state=0))
    features = used_columns(table, summary)
    pipeline.fit(features, positive)
    rows = np.arange(3)
    found = explain(
        pipeline, features, summary, candidates=rows, known=np.flatnonzero(positive), ids=[]
    )
    assert found["effect"] == [[], [], []]


@pytest.mark.parametrize(
    ("before", "about", "other"),
    [(TEXT, "tulips bloom", "snow"), ("这是一段很长的文字。" * 30, "郁金香开花", "下雪")],
)
@pytest.mark.parametrize("method", ["logistic", "text-first"])
def test_words_in_context(before, about, other, method):
    n = 60
    likes = np.arange(n) < 30
    texts = [f"{before} {about if each else other} {i}" for i, each in enumerate(likes)]
    positive = likes & (np.arange(n) % 2 == 0)
    more = [f"seen in week {i % 7} here" for i in range(n)]
    table = pa.table({"note": texts, "more": more, "positive": positive.astype(int)})
    found, *_ = explained(table, positive, method, most=10)
    for words in found["context"]:
        assert about[:2] in words or about[-2:] in words
        assert words.startswith("… ")
        assert len(words) < 200


def test_the_text_of_each_row():
    """All columns of text, cut where all rows would make a large page; empty of an empty row."""
    n = 60
    positive = np.arange(n) % 4 == 0
    notes = [f"{TEXT} tulips {i}\n\n  bloom" if i != 1 else None for i in range(n)]
    more = ["late " * 2000 + "end" if i == 2 else "short words of it" for i in range(n)]
    table = pa.table({"note": notes, "more": more, "positive": positive.astype(int)})
    found, *_, candidates, _ = explained(table, positive, "logistic", most=10)
    texts = dict(zip(candidates, found["text"], strict=True))
    assert texts[3] == f"{TEXT} tulips 3 bloom short words of it"
    assert texts[1] == "short words of it"
    assert texts[2].endswith("late …")
    assert 3900 < len(texts[2]) <= 4002


def test_gaps_are_named_in_plain_words(rng):
    """`X is missing` is said of a row as it is, and a category without a value is empty."""
    n = 200
    positive = np.arange(n) % 3 == 0
    gap = (np.arange(n) % 2 == 0) | positive
    table = pa.table(
        {
            "spend": np.where(gap, np.nan, rng.normal(20_000, 5, n)),
            "note": pa.array(np.where(gap, None, "written"), pa.string()),
            "positive": positive.astype(int),
        }
    )
    found, _, _, candidates, _ = explained(table, positive, "logistic", most=40)
    assert {"spend is missing", "note is empty"} <= set(found["names"])
    told = set()
    for candidate, places, values in zip(candidates, found["feature"], found["value"], strict=True):
        of_row = dict(zip([found["names"][each] for each in places], values, strict=True))
        assert of_row.get("spend", "missing" if gap[candidate] else "20,0").startswith(
            "missing" if gap[candidate] else ("20,0", "19,9")
        )
        if "spend is missing" in of_row:
            told.add(of_row["spend is missing"])
            assert of_row["spend is missing"] == ("yes" if gap[candidate] else "no")
    assert told == {"yes", "no"}


@pytest.mark.parametrize(
    ("shift", "doubt"), [(0.0, "chance"), (1.0, ""), (9.0, "leak")], ids=["none", "some", "all"]
)
def test_what_the_best_auc_may_come_from(rng, tmp_path, shift, doubt):
    n = 600
    positive = np.arange(n) < 100
    x = rng.normal(size=n) + shift * positive
    frame = pd.DataFrame({"x": x, "y": rng.normal(size=n), "known": positive.astype(int)})
    frame.to_csv(tmp_path / "t.csv", index=False)
    ask = ["--positive", "known", "--method", "logistic", "--report", "r.html"]
    with few_draws():
        passed("rank", "t.csv", *ask, cwd=tmp_path)
    assert read_report(tmp_path / "r.json")["doubt"] == doubt


def test_missing_values_and_categories_are_named(rng):
    n = 120
    likes = np.arange(n) < 60
    positive = likes & (np.arange(n) % 3 == 0)
    spend = np.where(np.arange(n) % 7 == 0, np.nan, likes * 50 + rng.normal(0, 5, n))
    table = pa.table(
        {
            "spend": spend,
            "region": np.where(likes, "north", "south"),
            "positive": positive.astype(int),
        }
    )
    found, _, _, candidates, _ = explained(table, positive, "logistic", most=80)
    seen = set()
    for row, candidate in enumerate(candidates):
        told = dict(
            zip(
                [found["names"][each] for each in found["feature"][row]],
                found["value"][row],
                strict=True,
            )
        )
        region = "north" if likes[candidate] else "south"
        assert told[f"region = {region}"] == "yes"
        assert (told["spend"] == "missing") == np.isnan(spend[candidate])
        seen.add((region, told["spend"] == "missing"))
    assert len(seen) == 4


def test_the_data_make_the_same_page_again(reported, tmp_path):
    copied = tmp_path / "copy.json"
    copied.write_bytes((reported / "r.json").read_bytes())
    done = passed("report", copied, cwd=tmp_path)
    assert done.stdout == f"{tmp_path / 'copy.html'}\n"
    assert (tmp_path / "copy.html").read_bytes() == (reported / "r.html").read_bytes()


def test_data_are_strict_json(reported):
    def refuse(constant):
        raise AssertionError(constant)

    json.loads((reported / "r.json").read_text(encoding="utf-8"), parse_constant=refuse)


def changed(report, **values):
    return json.dumps({**report, **values})


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (lambda _: "no json", "is not valid JSON"),
        (lambda _: "[1]", "its form is not known"),
        (lambda _: '{"form": "poem"}', "its form is not known"),
        (lambda report: changed(report, more=1), "report has 'more'"),
        (lambda report: changed(report, methods=3), "report.methods is not a list"),
        (lambda report: changed(report, version=3), "report.version is 3"),
        (lambda report: changed(report, table={}), "report.table lacks 'dropped'"),
        (lambda report: changed(report, prior=4), "report.prior is not an object"),
        (lambda report: changed(report, warnings=[True]), r"report.warnings\[\] is True"),
        (
            lambda report: changed(report, tenths=[report["tenths"][0] | {"positives": None}]),
            r"report.tenths\[\].positives is None",
        ),
        (lambda _: "[" * 100_000, "is not valid JSON"),
    ],
)
def test_what_is_no_report_is_refused(report, tmp_path, text, problem):
    path = tmp_path / "data.json"
    path.write_text(text(report), encoding="utf-8")
    with pytest.raises(TableError, match=problem):
        read_report(path)
    done = run("report", "data.json", cwd=tmp_path)
    refused(done, "data.json", "Pass the .json file that this version of onesided wrote")
    assert not (tmp_path / "data.html").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space by ulimit")
def test_too_little_address_space_is_said_before_the_work(reported, tmp_path):
    """The renderer would end the process, and the ranking be lost."""
    ask = ["rank", str(reported / "customers.csv"), "--positive", "buyer"]
    command = [sys.executable, "-m", "onesided", *ask, "--method", "naive-bayes"]
    limited = ["bash", "-c", 'ulimit -v 8388608; exec "$@"', "limited", *command]
    done = subprocess.run(
        [*limited, "--report", "r.html"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    refused(done, "more address space than the 8,192 MiB", "no picture and no report")
    assert list(tmp_path.iterdir()) == []
    assert subprocess.run(limited, cwd=tmp_path, capture_output=True, check=False).returncode == 0


def test_data_of_something_else_are_not_lost(reported, tmp_path):
    (tmp_path / "t.csv").write_bytes((reported / "customers.csv").read_bytes())
    (tmp_path / "r.json").write_text('{"mine": 1}')
    done = run("rank", "t.csv", "--positive", "buyer", "--report", "r.html", cwd=tmp_path)
    refused(
        done,
        "would overwrite 'r.json', which is not the data of a report",
        "another name for the report",
    )
    assert (tmp_path / "r.json").read_text() == '{"mine": 1}'


def test_missing_data(tmp_path):
    refused(run("report", "none.json", cwd=tmp_path), "cannot be read: No such file", "Pass the")


def test_a_list_that_was_asked_for_is_the_first_cut(reported):
    ask = ["--positive", "buyer", "--id", "customer", "--method", "logistic", "--recall", "0.8"]
    outs = ["--out", "asked.csv", "--report", "asked.html"]
    passed("rank", "customers.csv", *ask, *outs, cwd=reported)
    asked = read_report(reported / "asked.json")
    point = asked["curve"][asked["suggested"]["place"]]
    assert point["n_listed"] == asked["promises"]["recall"]["n_rows"]
    marked = pd.read_csv(reported / "asked.csv")["in_shortlist"]
    assert marked.sum() == point["n_listed"]
    page = (reported / "asked.html").read_text(encoding="utf-8")
    assert "at least 80 % of the positives, at 95 % confidence. The first" in " ".join(page.split())
