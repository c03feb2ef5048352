"""The main job as a call: the same as the command, to the byte."""

import json
import re
import shlex
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from command_line import passed, usual_prior
from onesided import ranking
from onesided.cli._options import Promising
from onesided.exceptions import DataError, LeakWarning, PriorError, TableError
from onesided.model_selection import Comparison
from onesided.ranking import PROMISES, Promises, rank_table
from onesided.reporting import render
from onesided.tables import as_json, write_table

FEW = {"methods": ["naive-bayes", "center-of-mass"]}
OPTIONS = ["--method", "naive-bayes", "--method", "center-of-mass"]


@pytest.fixture(scope="module")
def frame():
    """Two numbers and a category; 60 of 100 positives are labeled, of 400 rows."""
    rng = np.random.default_rng(0)
    truth = np.arange(400) < 100
    found = pd.DataFrame(rng.normal(size=(400, 2)) + 2.0 * truth[:, None], columns=["a", "b"])
    found["colour"] = rng.choice(["red", "green", "blue"], 400)
    found["known"] = (truth & (rng.random(400) < 0.6)).astype(int)
    found.insert(0, "name", [f"n{row:03}" for row in range(400)])
    return found.round(3)


@pytest.fixture
def folder(frame, tmp_path):
    frame.to_csv(tmp_path / "t.csv", index=False)
    return tmp_path


ASKED = [
    ({}, []),
    (
        {"recall": 0.5, "discard": 0.1, "fdr": 0.3, "prior_at_least": 0.05, "top": 30},
        ["--recall", 0.5, "--discard", 0.1, "--fdr", 0.3, "--prior-at-least", 0.05, "--top", 30],
    ),
    ({"scenario": "case-control"}, ["--scenario", "case-control"]),
]


@pytest.mark.parametrize(("asked", "options"), ASKED)
def test_the_call_is_the_command(folder, monkeypatch, asked, options):
    """Ranking, gains, page, data of the page and notes."""
    given = ["t.csv", "--positive", "known", "--id", "name", "--drop", "colour", *OPTIONS, *options]
    written = ["--out", "r.csv", "--report", "r.html", "--gains", "g.csv", "--json"]
    done = passed("rank", *given, *written, cwd=folder)
    monkeypatch.chdir(folder)
    found = rank_table("t.csv", "known", identifier="name", drop=["colour"], **FEW, **asked)
    write_table(found.listed, folder / "mine.csv", format_path=folder / "mine.csv")
    write_table(found.gains("pyarrow"), folder / "tenths.csv", format_path=folder / "tenths.csv")
    replace(found, written="r.csv").report().save("mine.html")
    for mine, theirs in (
        ("mine.csv", "r.csv"),
        ("tenths.csv", "g.csv"),
        ("mine.html", "r.html"),
        ("mine.json", "r.json"),
    ):
        assert (folder / mine).read_bytes() == (folder / theirs).read_bytes(), mine
    assert json.loads(done.stdout)["warnings"] == list(found.notes)
    assert sorted(shlex.split(found.command)[2:]) == sorted(map(str, given))
    assert ranking.command_of("./t.csv") == "onesided rank t.csv"


def test_a_declared_ratio_holds_in_table_gains_and_page(frame):
    """No number assumes even labels without a name that says so; the limits agree everywhere."""
    asked = {"identifier": "name", "scenario": "case-control", **FEW}
    found = rank_table(frame, "known", **asked, label_odds_ratio=3)
    table, recall = found.to_frame("pandas"), found.candidates.recall
    columns = ["name", "rank", "score", "recall_low", "recall_high", "posterior_at_most"]
    assert [*table.columns] == columns
    assert_allclose(table["recall_low"], recall / (3 - 2 * recall), atol=2e-6)
    assert_allclose(table["recall_high"], 3 * recall / (1 + 2 * recall), atol=2e-6)
    gains, page = found.gains("pandas"), found.report()
    last = gains["last_rank"] - 1
    for end in ("low", "high"):
        assert_allclose(gains[f"share_so_far_{end}"], table[f"recall_{end}"][last], atol=2e-6)
        told = [point[f"recall_{end}"] for point in page.data["tenths"]]
        assert_allclose(told, gains[f"share_so_far_{end}"], atol=2e-6)
        assert page.data["candidates"][f"recall_{end}"] == table[f"recall_{end}"].tolist()
    assert page.data["candidates"]["recall"] is None
    assert page.data["calibration"] == []
    text = render(page.data)
    assert "Recall, at least" in text
    assert "Times chance" not in text
    even = rank_table(frame, "known", **asked)
    listed = even.report().data["candidates"]
    assert listed["recall"] == even.table["recall"].to_pylist()
    assert "recall_low" not in listed


def test_what_is_not_given_may_be_none_or_empty(frame):
    names = ["positive_table", "identifier", "group", "known_negative", "known_negative_table"]
    as_none, as_empty = (
        rank_table(frame, "known", **FEW, **dict.fromkeys(names, nothing)) for nothing in (None, "")
    )
    assert as_none.table.equals(as_empty.table)
    assert as_none.command == as_empty.command
    assert "None" not in as_none.command


def test_the_command_of_a_ranking_makes_it_again(folder, monkeypatch):
    monkeypatch.chdir(folder)
    found = rank_table("t.csv", "known", identifier="name", discard=0.1, random_state=3, **FEW)
    words = found.command.split()
    passed(*words[1:], "--out", "r.csv", cwd=folder)
    again = pd.read_csv(folder / "r.csv")
    pd.testing.assert_frame_equal(found.to_frame("pandas"), again)


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_a_frame_is_the_file(folder, frame, kind):
    made = {"pandas": pd.DataFrame, "polars": pl.from_pandas, "arrow": pa.Table.from_pandas}
    asked = {"identifier": "name", "recall": 0.5, **FEW}
    of_file = rank_table(folder / "t.csv", "known", **asked)
    of_frame = rank_table(made[kind](frame), "known", **asked)
    assert of_frame.table.equals(of_file.table)
    assert of_frame.prior.point == of_file.prior.point
    assert of_frame.notes == of_file.notes
    data, theirs = of_frame.report().data, of_file.report().data
    assert data["table"]["name"] == "table"
    assert data["command"].startswith("onesided.rank_table(table, positive='known'")
    assert data["next_steps"] == []  # they are commands
    assert {**data, "command": "", "table": {**data["table"], "name": ""}} == {
        **theirs,
        "command": "",
        "next_steps": [],
        "table": {**theirs["table"], "name": ""},
    }


def test_what_is_no_table():
    with pytest.raises(TableError, match="neither a path nor a data frame"):
        rank_table([1, 2], "known")


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frames_of_each_kind(frame, backend):
    found = rank_table(frame, "known", top=7, **FEW)
    rows, tenths = found.to_frame(backend), found.gains(backend)
    assert type(rows).__module__.startswith(backend)
    assert len(rows) == 7
    assert len(tenths) == 10
    assert list(found.to_frame("pandas").columns) == found.table.column_names


def test_new_rows_are_scored_by_the_model(frame):
    found = rank_table(frame, "known", identifier="name", **FEW)
    scores = found.model.decision_function(frame)
    known = frame["known"] == 1
    assert scores[known].mean() > scores[~known].mean()
    assert_allclose(found.model.decision_function(found.problem.features), scores)


def test_a_page_is_written_whole_or_not_at_all(frame, tmp_path, monkeypatch):
    page = rank_table(frame, "known", **FEW).report()
    with pytest.raises(TableError, match="no folder"):
        page.save(tmp_path / "none" / "r.html")
    with pytest.raises(TableError, match=r"does not end in \.html"):
        page.save(tmp_path / "r.txt")
    (tmp_path / "r.json").write_text("mine")
    with pytest.raises(TableError, match=r"would overwrite '.*r\.json', which is not the data of"):
        page.save(tmp_path / "r.html")
    assert [each.name for each in tmp_path.iterdir()] == ["r.json"]
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    page.open()
    (address,) = opened
    assert address.startswith("file:")
    shown = page._repr_html_()
    assert re.match(r'<iframe srcdoc="&lt;!DOCTYPE html&gt;', shown, flags=re.IGNORECASE)
    assert "<script" not in shown


def test_a_ranking_in_words_and_in_a_notebook(frame):
    found = rank_table(frame, "known", identifier="name", **FEW)
    assert "average of methods is taken: AUC 0.9" in str(found)
    first = found.table["name"][0].as_py()
    assert f"<td>{first}</td>" in found._repr_html_()


def test_progress_is_told(frame):
    told = []
    rank_table(frame, "known", on_progress=lambda *step: told.append(step), **FEW)
    stages = list(dict.fromkeys(stage for stage, _, _ in told))
    assert stages[0] == "comparing"
    assert {"scoring", "testing features"} <= {*stages}
    assert ("comparing", 10, 10) in told


def test_slow_methods_count_for_more(frame):
    """The one fit of 30 bags counts as much as three fits of another method, and comes last."""
    told = []
    methods = ["naive-bayes", "bagging", "center-of-mass"]
    problem = ranking.read_problem(frame, "known", identifier="name")
    plan = ranking.plan_ranking(problem, methods=methods)
    plan.compare(lambda _, done, total: told.append((done, total)))
    assert told == [(0, 0), *((done, 13) for done in [*range(1, 11), 13])]


def test_what_is_asked_of_a_list_is_checked_before_it_is_read():
    for asked, error, said in (
        ({"recall": 1.2}, DataError, "`recall` 1.2 is not between"),
        ({"fdr": 0.1}, PriorError, "do not allow `fdr`"),
        ({"irreducible": True}, PriorError, "`irreducible` has no effect without `fdr`"),
        ({"recal": 0.9}, TypeError, "no argument 'recal'"),
    ):
        with pytest.raises(error, match=re.escape(said)):
            rank_table("no such file.csv", "known", **asked)


def test_each_promise_marks_a_column(frame):
    found = rank_table(
        frame, "known", **FEW, recall=0.5, discard=0.2, fdr=0.5, prior_at_least=0.05, top=5
    )
    facts = found.promises.facts()
    assert [each.name for each in PROMISES] == list(facts)[-len(PROMISES) :]
    for kept in found.promises.kept.values():
        assert found.table[kept.column].to_pylist().count(True) == kept.facts["n_rows"]
        assert kept.rows.sum() == kept.facts["n_rows"]
    listed = sum(found.listed["in_shortlist"].to_pylist())
    assert found.n_marked_beyond["in_shortlist"] == facts["recall"]["n_rows"] - listed
    alone = rank_table(frame, "known", **FEW, discard=0.2).promises
    assert alone.facts()["recall"] is None
    assert alone.kept["discard"].facts["share"] == 0.2


@pytest.mark.filterwarnings("ignore:Rows of one group or spatial block are similar")
@pytest.mark.parametrize("group", [None, "batch"])
@pytest.mark.parametrize(
    "asked",
    [
        {"prior_at_least": 0.05},
        {"recall": 0.5},
        {"discard": 0.1, "prior_at_most": 0.3},
        {"fdr": 0.5, "irreducible": True},
    ],
    ids=lambda each: next(iter(each)),
)
def test_a_promise_changes_nothing_but_its_column(frame, asked, group):
    frame = frame.assign(batch=[f"b{row % 50}" for row in range(400)])
    told = {**FEW, "scenario": "case-control", "group": group, "random_state": 3}
    plain, found = (rank_table(frame, "known", **told, **more) for more in ({}, asked))
    added = [name for name in found.table.column_names if name not in plain.table.column_names]
    assert len(added) == len(asked.keys() & {each.argument for each in PROMISES})
    assert found.table.drop_columns(added).equals(plain.table)
    assert found.prior == plain.prior
    assert found.comparison.weights == plain.comparison.weights
    for of_found, of_plain in (
        (found.placed.ranks, plain.placed.ranks),
        (found.scored.ranks, plain.scored.ranks),
        (found.model.decision_function(frame), plain.model.decision_function(frame)),
        (found.candidates.posterior, plain.candidates.posterior),
    ):
        assert_array_equal(of_found, of_plain)
    assert found.gains("pandas").equals(plain.gains("pandas"))


def test_held_out_positives_are_unlabeled_wherever_rows_are_marked(frame):
    """They neither teach nor choose the methods, and the marks are those of that list."""
    problem = ranking.read_problem(frame, "known")
    plan = ranking.plan_ranking(problem, **FEW, promises=Promises.of(recall=0.5))
    assert_array_equal(plan.positive, problem.positive)
    assert_array_equal(plan.for_promises.positive, problem.positive & ~plan.held_out)
    assert plan.held_out.sum() == problem.positive.sum() // 2
    without = frame.assign(known=plan.for_promises.positive.astype(int))
    second = rank_table(without, "known", **FEW).table
    marked = rank_table(frame, "known", **FEW, recall=0.5).table
    rows = {
        row for row, mark in zip(marked["row"], marked["in_shortlist"], strict=True) if mark.as_py()
    }
    order = [row for row in second["row"] if not plan.held_out[int(row.as_py()) - 1]]
    assert {*order[: len(rows)]} == rows


def test_uneven_labels_leave_no_promise(frame):
    """The labeled are the highest of the positives."""
    chosen = frame.assign(known=(frame["a"] > frame["a"].nlargest(60).iloc[-1]).astype(int))
    found = rank_table(chosen, "known", **FEW, recall=0.5, prior_at_least=0.5)
    assert found.promises.labels_uneven
    assert found.promises.sentences == (found.promises.preamble,)
    assert "No promise holds" in found.promises.preamble


def doubt_of(frame, **asked):
    return rank_table(frame, "known", methods=["center-of-mass"], **asked).doubt


def test_chance_is_doubted(frame):
    blind = frame.assign(known=np.tile([1, 0, 0, 0, 0, 0, 0, 0], 50))
    found = doubt_of(blind)
    assert found.kind == "chance"
    assert "0.5" in found.sentence
    assert doubt_of(frame).kind == ""


def test_what_is_too_good_is_doubted(frame, folder):
    leaking = frame.assign(a=frame["known"] * 50.0 + frame["a"])
    found = rank_table(leaking, "known", methods=["center-of-mass"])
    assert found.doubt.kind == "leak"
    assert found.report().data["doubt"] == "leak"
    assert "Column 'a' alone separates positive" in found.notes[0]
    assert "`drop=['a']`" in found.notes[0]
    leaking.to_csv(folder / "leak.csv", index=False)
    of_file = rank_table(folder / "leak.csv", "known", methods=["center-of-mass"]).report().data
    assert any(step["command"].endswith("--drop a") for step in of_file["next_steps"])
    ask = ["--positive", "known", "--method", "center-of-mass"]
    assert found.doubt.sentence in passed("rank", "leak.csv", *ask, cwd=folder).stderr


def test_an_auc_as_high_as_that_of_a_leak_is_doubted(frame):
    """Also where few of the positives stand above all other rows."""
    truth = np.arange(400) < 100
    clear = frame.assign(known=truth.astype(int), a=frame["a"] + 4.0 * truth, b=frame["b"])
    found = rank_table(clear, "known", methods=["center-of-mass"])
    auc = found.comparison.hidden[found.comparison.best_].auc
    assert auc >= 0.99
    assert found.doubt.kind == "leak"


def test_methods_side_by_side(folder, monkeypatch):
    monkeypatch.chdir(folder)
    passed("compare", "t.csv", "--positive", "known", *OPTIONS, "--out", "c.csv", cwd=folder)
    found = ranking.compare_tables(["t.csv"], "known", **FEW)
    write_table(found.table, folder / "m.csv", format_path=folder / "m.csv")
    assert (folder / "m.csv").read_bytes() == (folder / "c.csv").read_bytes()
    problem = ranking.read_problem(folder / "t.csv", "known")
    alone = ranking.plan_ranking(problem, **FEW).compare()
    assert isinstance(alone, Comparison)
    assert alone.hidden[alone.best_].auc == found.comparisons["t"].hidden[alone.best_].auc
    with pytest.raises(TableError, match="given twice"):
        ranking.compare_tables(["t.csv", "t.csv"], "known")


def test_how_many_are_positive(folder):
    story = ["--scenario", "case-control"]
    done = passed("prior", "t.csv", "--positive", "known", *story, cwd=folder)
    problem = ranking.read_problem(folder / "t.csv", "known")
    found = ranking.estimate_prior(problem, "case-control")
    assert float(done.stdout) == pytest.approx(found.headline, rel=1e-3)


def test_each_value_in_turn(frame, folder):
    by_colour = frame.drop(columns="known").assign(kind=np.where(frame["known"] == 1, "owl", ""))
    by_colour.to_csv(folder / "each.csv", index=False)
    ask = ["each.csv", "--positive-each", "kind", *OPTIONS, "--out", "e.csv", "--json"]
    done = passed("rank", *ask, cwd=folder)
    given = ranking.read_each(folder / "each.csv", "kind")
    found = ranking.rank_each(given, **FEW)
    write_table(found.table, folder / "m.csv", format_path=folder / "m.csv")
    assert (folder / "m.csv").read_bytes() == (folder / "e.csv").read_bytes()
    told = json.loads(done.stdout)
    assert told["result"] == json.loads(as_json(found.report(told["command"]).data))


def test_a_length_of_the_list_is_checked_everywhere(frame):
    frame = frame.assign(kind=np.where(frame["known"] == 1, "owl", ""))
    table = {each: frame[each].tolist() for each in ("a", "b", "kind")}
    problem = ranking.read_problem(frame.drop(columns="kind"), "known")
    plan = ranking.plan_ranking(problem, methods=["naive-bayes"])
    with pytest.raises(DataError, match="`top` is -1"):
        ranking.rank_problem(plan, top=-1)
    given = ranking.EachProblem(problem, table["kind"])
    with pytest.raises(DataError, match="`top` is -1"):
        ranking.rank_each(given, top=-1)


def test_warnings_and_calls_name_their_table(frame, tmp_path):
    """A column of the second table gives the labels away."""
    said = []
    frame.drop(columns="name").to_csv(tmp_path / "even.csv", index=False)
    frame.assign(name=frame["known"] * 2).to_csv(tmp_path / "leak.csv", index=False)
    with pytest.warns(LeakWarning, match="^leak: ") as found:
        ranking.compare_tables(
            [tmp_path / "even.csv", tmp_path / "leak.csv"],
            "known",
            methods=["naive-bayes"],
            on_read=lambda problem: said.append(problem.name),
            on_plan=lambda name, plan: said.append((name, *plan.rankers)),
            on_compared=lambda comparison: said.append(comparison.best_),
            on_progress=lambda stage, *_: said.append(stage),
        )
    assert not any(str(each.message).startswith("even: ") for each in found)
    assert list(dict.fromkeys(said)) == [
        "even.csv",
        "leak.csv",
        ("even", "naive Bayes"),
        "comparing on even",
        "naive Bayes",
        ("leak", "naive Bayes"),
        "comparing on leak",
    ]


def test_no_table_is_compared():
    for tables in ([], None):
        with pytest.raises(TableError, match="No table is given"):
            ranking.compare_tables(tables, "known")
    for tables in ("t.csv", [None], [3]):
        with pytest.raises(DataError, match=r"`tables` (is 't\.csv'|holds (None|3), which)"):
            ranking.compare_tables(tables, "known")


def test_promises_are_a_list():
    """Each has a name and an argument of its own, and an option."""
    arguments = [each.argument for each in PROMISES]
    assert len({*arguments}) == len(PROMISES) == len({each.name for each in PROMISES})
    assert {*arguments} <= {*vars(Promising())}
    assert not Promises()


def test_duplicates_are_said_once(frame):
    """The estimate of the prior and the p-value of the distance both rest on them."""
    known = np.flatnonzero(frame["known"])
    rows = np.arange(400)
    rows[known[1:4]] = known[0]  # a copy of one known row in place of three others
    features = frame[["a", "b", "colour"]].iloc[rows].reset_index(drop=True)
    found = rank_table(
        features.assign(known=frame["known"]), "known", methods=["significance"], recall=0.5
    )
    assert found.chance["distance"] is not None
    (note,) = [note for note in found.notes if "in all columns" in note]
    assert note.startswith(f"3 of {len(known)} positive rows equal an earlier positive row")


@pytest.mark.parametrize(("n_rows", "n_known", "n_first"), [(300, 60, 30), (100, 12, 5)])
def test_a_prior_of_0_says_how_many_known_positives_are_first(
    n_rows, n_known, n_first, monkeypatch
):
    """Some are far above all rows, the others among them; of 12 no bound below 1 follows."""
    usual_prior(monkeypatch)
    size = np.random.default_rng(0).normal(size=n_rows) + 9 * (np.arange(n_rows) < n_first)
    table = pd.DataFrame({"size": size.round(3), "known": np.arange(n_rows) < n_known})
    found = rank_table(table, "known", methods=["logistic"])
    said = f"{n_first} of {n_known} known positives rank above "
    assert found.no_prior.startswith(said)
    assert found.placed.n_first == n_first
    assert ("are like the other positives, at most " in found.no_prior) == (n_known == 60)
    assert "100%" not in found.no_prior
