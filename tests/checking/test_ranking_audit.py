"""Audits of rankings in files: sheets, verdicts and the state between."""

import json

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from onesided.checking import Goal, audit_ranking
from onesided.checking._ranking_audit import _read_ranking
from onesided.exceptions import TableError
from onesided.tables import write_table

N_ROWS = 400


@pytest.fixture
def ranking(tmp_path, rng):
    """A ranking whose rows are less often positive down the list; and the truth by identifier."""
    ids = [f"00{number}" for number in rng.permutation(N_ROWS)]
    path = tmp_path / "genes-ranking.csv"
    shares = np.minimum(np.arange(1, N_ROWS + 1) / 150, 1)
    pd.DataFrame(
        {
            "gene": ids,
            "rank": range(1, N_ROWS + 1),
            "score": 0.5,
            "recall": shares,
        }
    ).to_csv(path, index=False)
    positive = rng.random(N_ROWS) < np.linspace(0.8, 0, N_ROWS)
    return path, dict(zip(ids, positive.tolist(), strict=True))


def fill(path, truth, *, words=("yes", "no"), rows=slice(None), column="verdict"):
    """Write verdicts into a sheet, as a person would."""
    sheet = pd.read_csv(path, dtype=str, keep_default_na=False)
    found = [words[0] if truth[each] else words[1] for each in sheet["gene"]]
    sheet[column] = ""
    sheet.loc[sheet.index[rows], column] = pd.Series(found)[rows]
    sheet.to_csv(path, index=False)
    return sheet


def begin(ranking, n=60):
    """An audit with a first sheet, both written."""
    path, truth = ranking
    audit = audit_ranking(path)
    audit.draw(n)
    audit.save()
    sheet = path.with_name("check.csv")
    audit.sheet().to_pandas().to_csv(sheet, index=False)
    return path, truth, sheet


def with_batch(kept, **values):
    """The audit of a state with other values in its first batch."""
    first, *others = kept["audit"]["batches"]
    return {**kept["audit"], "batches": [{**first, **values}, *others]}


def test_state_goes_on_where_it_was(ranking):
    path, truth, sheet = begin(ranking)
    fill(sheet, truth)
    one = audit_ranking(path)
    assert not one.is_new
    assert one.record(sheet).n_rows == 60
    one.save()
    again = audit_ranking(path)
    assert again.facts() == one.facts()
    assert again.audit.draw(7).tolist() == one.audit.draw(7).tolist()
    known = again.audit.count()
    assert known.interval[0] <= sum(truth.values()) <= known.interval[1]


def test_changed_verdicts_are_counted(ranking):
    path, truth, sheet = begin(ranking)
    filled = fill(sheet, truth)
    audit = audit_ranking(path)
    assert audit.record(sheet) == (60, 60, 0)
    filled.loc[0, "verdict"] = "no" if truth[filled.gene[0]] else "yes"
    filled.to_csv(sheet, index=False)
    again = audit.record(sheet)
    assert again == (60, 0, 1)
    assert "1 differs from before" in str(again)


def test_zeros_that_a_spreadsheet_dropped(ranking, tmp_path):
    path, truth, sheet = begin(ranking)
    fill(sheet, truth)
    pd.read_csv(sheet).to_excel(tmp_path / "back.xlsx", index=False)  # identifiers are numbers now
    assert audit_ranking(path).record(tmp_path / "back.xlsx").n_rows == 60


@pytest.mark.parametrize(
    ("word", "column", "problem"),
    [
        ("perhaps", "verdict", "row 1 of 'check.csv' is 'perhaps', which is neither yes nor no"),
        ("Fraud", "verdict=fraud", "No cell of column 'verdict' .* is 'fraud'; it holds 'Fraud'"),
    ],
)
def test_words_that_are_no_verdict(ranking, word, column, problem):
    path, truth, sheet = begin(ranking)
    fill(sheet, truth, words=(word, word))
    with pytest.raises(TableError, match=problem):
        audit_ranking(path).record(sheet, column)


def test_a_half_filled_sheet_loses_nothing(ranking):
    path, truth, sheet = begin(ranking)
    fill(sheet, truth, rows=slice(25))
    audit = audit_ranking(path)
    assert audit.record(sheet).n_rows == 25
    assert len(audit.audit.waiting) == 35
    assert [each["gene"] for each in audit.sheet().to_pylist()] == pd.read_csv(
        sheet, dtype=str
    ).gene.tolist()[25:]
    fill(sheet, truth)
    assert audit.record(sheet).n_rows == 60
    assert len(audit.audit.checked) == 60


@pytest.mark.parametrize(
    ("words", "column", "asked"),
    [
        (("yes", "no"), "verdict", "verdict"),
        (("1", "0"), "verdict", "verdict"),
        (("TRUE", "FALSE"), "verdict", "verdict"),
        (("include", "exclude"), "decision", "decision=include"),
    ],
)
def test_words(ranking, words, column, asked):
    path, truth, sheet = begin(ranking)
    filled = fill(sheet, truth, words=words, column=column)
    audit = audit_ranking(path)
    audit.record(sheet, asked)
    positives = sum(truth[each] for each in filled.gene)
    assert audit.audit.verdicts.count(True) == positives


def test_undecided_rows_and_notes_are_kept(ranking):
    path, truth, sheet = begin(ranking)
    filled = fill(sheet, truth)
    filled.loc[:2, "verdict"] = ["?", "unsure", "Cannot tell"]
    filled["note"] = ["=1+1", "two, lines\nhere", *[""] * 58]
    filled.to_csv(sheet, index=False)
    audit = audit_ranking(path)
    audit.record(sheet)
    audit.save()
    audit = audit_ranking(path)
    assert audit.audit.verdicts.count(None) == 3
    checked = {each["gene"]: each for each in audit.checked().to_pylist()}
    assert checked[filled.gene[0]]["note"] == "=1+1"
    assert checked[filled.gene[1]]["note"] == "two, lines\nhere"
    assert checked[filled.gene[0]]["verdict"] == "?"


def test_other_formats_and_columns(ranking, tmp_path):
    """A workbook, without the columns that nobody needs, in another order."""
    path, truth, sheet = begin(ranking)
    filled = fill(sheet, truth)[["verdict", "gene"]].sample(frac=1, random_state=0)
    filled.to_excel(tmp_path / "back.xlsx", index=False)
    audit = audit_ranking(path)
    assert audit.record(tmp_path / "back.xlsx").n_rows == 60


def test_a_sheet_for_spreadsheets_is_read_back(tmp_path):
    ids = ["=1+1", "'quoted", "@x", "-5"]
    pd.DataFrame({"id": ids, "rank": range(1, 5)}).to_csv(tmp_path / "r.csv", index=False)
    audit = audit_ranking(tmp_path / "r.csv")
    audit.draw(4)
    write_table(audit.sheet(), tmp_path / "c.csv", for_spreadsheet=True)
    sheet = pd.read_csv(tmp_path / "c.csv", dtype=str, keep_default_na=False)
    assert "'=1+1" in sheet["id"].to_numpy()
    sheet.assign(verdict="no").to_csv(tmp_path / "c.csv", index=False)
    assert audit.record(tmp_path / "c.csv").n_rows == 4


def test_rows_of_another_ranking_are_named(ranking):
    path, truth, sheet = begin(ranking)
    filled = fill(sheet, truth)
    filled.loc[3, "gene"] = "elsewhere"
    filled.loc[5, "rank"] = "399"
    filled.to_csv(sheet, index=False)
    audit = audit_ranking(path)
    with pytest.raises(
        TableError, match=r"2 rows of 'check\.csv' are not in the ranking .*elsewhere"
    ):
        audit.record(sheet)
    assert len(audit.audit.checked) == 0


def test_two_verdicts_of_a_row_are_refused(ranking):
    path, truth, sheet = begin(ranking)
    filled = fill(sheet, truth)
    twice = pd.concat([filled, filled[:1].assign(verdict="no" if truth[filled.gene[0]] else "yes")])
    twice.to_csv(sheet, index=False)
    with pytest.raises(TableError, match="has another verdict in a row before"):
        audit_ranking(path).record(sheet)


def test_a_changed_ranking_is_noticed(ranking):
    path, *_ = begin(ranking)
    table = pd.read_csv(path, dtype=str)
    table.loc[[0, 1], "gene"] = table.loc[[1, 0], "gene"].to_numpy()
    table.to_csv(path, index=False)
    with pytest.raises(TableError, match="begun with a ranking of other rows"):
        audit_ranking(path)
    table[:300].to_csv(path, index=False)
    with pytest.raises(TableError, match="begun with another ranking"):
        audit_ranking(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda _: {},
        lambda _: [],
        lambda kept: {**kept, "form": "rank"},
        lambda kept: {**kept, "audit": None},
        lambda kept: {**kept, "audit": {**kept["audit"], "batches": [{"rows": ["x"]}]}},
        lambda kept: {**kept, "audit": {**kept["audit"], "verdicts": [[10**9, True]]}},
        lambda kept: {**kept, "audit": {**kept["audit"], "verdicts": [[0, "perhaps"]]}},
        lambda kept: {**kept, "audit": {**kept["audit"], "mode": "sometime"}},
        lambda kept: {**kept, "notes": 3},
        lambda kept: {**kept, "notes": [["x", "y"]]},
        lambda kept: {**kept, "notes": [["x"]]},
        lambda kept: {**kept, "audit": with_batch(kept, chances=[0.0] * 5)},
        lambda kept: {**kept, "audit": with_batch(kept, chances=[1.0])},
        lambda kept: {**kept, "audit": with_batch(kept, edges=[5, 3, 1, 2, 0])},
        lambda kept: {**kept, "audit": with_batch(kept, by="hand")},
    ],
)
def test_a_changed_state_is_refused(ranking, change):
    path, *_ = begin(ranking)
    state = path.with_name("genes-ranking.audit.json")
    state.write_text(json.dumps(change(json.loads(state.read_text()))))
    with pytest.raises(TableError):
        audit_ranking(path)


def test_an_audit_keeps_its_mode(ranking):
    path, *_ = begin(ranking)
    with pytest.raises(TableError, match="keeps what it was begun with"):
        audit_ranking(path, mode="planned")


def test_sheets_with_unread_verdicts_are_not_replaced(ranking):
    path, truth, sheet = begin(ranking)
    audit = audit_ranking(path)
    audit.check_sheet(sheet)
    fill(sheet, truth, rows=slice(5))
    with pytest.raises(TableError, match="holds 5 verdicts that were not read"):
        audit.check_sheet(sheet)
    audit.record(sheet)
    audit.check_sheet(sheet)
    other = path.with_name("other.csv")
    other.write_text("a,b\n")
    with pytest.raises(TableError, match="is not a sheet of this ranking"):
        audit.check_sheet(other)
    other.write_text("")
    audit.check_sheet(other)


def test_limits_of_recall_give_the_recall_between_them(ranking):
    """So an audit of a ranking for uneven labels draws as one of the same ranking for even ones."""
    path, *_ = begin(ranking)
    table = pd.read_csv(path).drop(columns=["posterior"], errors="ignore")
    table["recall"] = (table["rank"] / len(table)) ** 0.35
    even, uneven = path.with_name("even.csv"), path.with_name("uneven.csv")
    table.to_csv(even, index=False)
    odds = table["recall"] / (1 - table["recall"]).clip(lower=1e-12)
    for name, ratio in (("recall_low", 1 / 3), ("recall_high", 3)):
        table[name] = (ratio * odds / (1 + ratio * odds)).round(6)
    table.drop(columns="recall").to_csv(uneven, index=False)
    expected, found = (_read_ranking(each)[-1] for each in (even, uneven))
    assert_allclose(found, expected, atol=0.02)


@pytest.mark.parametrize("table", ["gene,score\na,1\nb,2\n", "rank,score\n1,1\n2,2\n"])
def test_tables_that_are_no_ranking(tmp_path, table):
    (tmp_path / "t.csv").write_text(table)
    with pytest.raises(TableError, match="not a ranking"):
        audit_ranking(tmp_path / "t.csv")
    (tmp_path / "t.csv").write_text("gene,rank\na,2\nb,1\n")
    with pytest.raises(TableError, match="not 1, 2, 3"):
        audit_ranking(tmp_path / "t.csv")


@pytest.mark.parametrize(
    ("text", "what", "share", "k"),
    [
        ("count 20%", "count", 0.2, None),
        ("recall 0.95 of first 2000", "recall", 0.95, 2000),
        ("Precision 80 % of the first 1,000", "precision", 0.8, 1000),
        ("found 0,9", "found", 0.9, None),
        ("recall 95%", "found", 0.95, None),
    ],
)
def test_goals(text, what, share, k):
    assert Goal.parse(text) == Goal(what, share, k)
    assert str(Goal.parse(text))


@pytest.mark.parametrize("text", ["", "count", "count 0", "count 1.5", "recall 1 of first 0", "f1"])
def test_no_goals(text):
    with pytest.raises(TableError):
        Goal.parse(text)


@pytest.mark.parametrize("mode", ["anytime", "planned"])
@pytest.mark.parametrize(
    "text", ["count 20%", "precision 0.5 of first 50", "recall 0.5 of first 90"]
)
def test_goals_end(ranking, mode, text):
    path, truth = ranking
    audit, goal = audit_ranking(path, mode=mode), Goal.parse(text)
    ids = np.array(audit.ids)
    while n := audit.next_batch(goal):
        assert audit.draw(n, goal)
        rows = audit.audit.waiting
        audit.audit.record(rows, [truth[each] for each in ids[rows]])
    assert goal.is_met(audit.audit) is not None
    number = goal.estimate(audit.audit)
    inside = ids[: goal.k or N_ROWS]
    found = sum(truth[each] for each in inside)
    expected = {"count": found, "precision": found / len(inside)}
    expected["recall"] = found / sum(truth.values())
    low, high = number.interval
    assert low - 1e-9 <= expected[goal.what] <= high + 1e-9
    assert f"Goal ({goal})" in audit.sentences(goal)[-1]
