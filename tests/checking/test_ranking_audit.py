"""Audits of rankings in files: sheets, verdicts and the state between."""

import json
import re
import shutil

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from onesided.checking import Goal, audit_ranking
from onesided.checking._ranking_audit import _read_ranking
from onesided.exceptions import TableError
from onesided.ranking import rank_table, read_problem
from onesided.tables import write_table
from onesided.tables._checked_rows import find_checked
from onesided.tables._columns import identifier_column, identifier_names

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
    assert audit.record(sheet)[:3] == (60, 60, 0)
    filled.loc[0, "verdict"] = "no" if truth[filled.gene[0]] else "yes"
    filled.to_csv(sheet, index=False)
    again = audit.record(sheet)
    assert again[:3] == (60, 0, 1)
    assert "1 differs from before" in str(again)


def test_zeros_that_a_spreadsheet_dropped(ranking, tmp_path):
    path, truth, sheet = begin(ranking)
    fill(sheet, truth)
    pd.read_csv(sheet).to_excel(tmp_path / "back.xlsx", index=False)  # identifiers are numbers now
    assert audit_ranking(path).record(tmp_path / "back.xlsx").n_rows == 60


@pytest.mark.parametrize(
    ("word", "column", "problem"),
    [
        (
            "perhaps",
            "verdict",
            "60 cells of 'check.csv' cannot be read .* row 1 \\('perhaps'\\), row 2",
        ),
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
    expected, found = (_read_ranking(each).posterior for each in (even, uneven))
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


def ranked(n_rows=400, n_top=None, **columns):
    """A ranking as `rank` writes it: the mean score is 1/2, and the recall rises to 1."""
    places = np.arange(1, n_rows + 1)
    found = pd.DataFrame({"gene": [f"g{n}" for n in places], "rank": places})
    found["score"] = (1 - (places - 0.5) / n_rows).round(6)
    found["recall"] = np.minimum(places / min(100, n_rows), 1)
    return found.assign(**columns)[:n_top]


def tied(n_rows):
    """Scores of a ranking whose last two thirds are tied."""
    shares = (np.arange(n_rows) + 0.5) / n_rows
    n_first = n_rows // 3
    shares[n_first:] = shares[n_first:].mean()
    return 1 - shares


@pytest.mark.parametrize("scores", [None, tied(400)], ids=["alone", "tied"])
@pytest.mark.parametrize("recall", ["recall", "limits", "1 from rank 100 on"])
@pytest.mark.parametrize("n_top", [20, 99, 150, 395])
def test_the_first_rows_of_a_ranking_are_refused(tmp_path, scores, recall, n_top):
    """By the recall, or where this is 1 already by the scores; the whole ranking is taken."""
    table = ranked(recall=np.linspace(1 / 400, 1, 400))
    if recall == "limits":
        odds = table["recall"] / (1 - table["recall"]).clip(lower=1e-12)
        table = table.drop(columns="recall").assign(
            recall_low=odds / (3 + odds), recall_high=3 * odds / (1 + 3 * odds)
        )
    if recall == "1 from rank 100 on":
        table["recall"] = ranked()["recall"]
    if scores is not None:
        table["score"] = scores
    table.round(6).to_csv(tmp_path / "r.csv", index=False)
    assert len(audit_ranking(tmp_path / "r.csv").ids) == 400
    table.round(6)[:n_top].to_csv(tmp_path / "r.csv", index=False)
    said = f"has only the first {n_top} rows .* an audit needs all ranked rows.*without `top`"
    with pytest.raises(TableError, match=said):
        audit_ranking(tmp_path / "r.csv")


def test_a_list_of_which_nothing_tells_that_it_is_whole_is_named(tmp_path):
    """Scores of any kind, without recall: each share of positives says of which rows."""
    ranked(60, score=np.linspace(9, 3, 60)).drop(columns="recall").to_csv(
        tmp_path / "r.csv", index=False
    )
    audit = audit_ranking(tmp_path / "r.csv")
    audit.audit.record(np.arange(60), np.arange(60) < 30)
    for goal in ("found 0.95", "recall 0.9 of first 20"):
        said = "\n".join(audit.sentences(Goal.parse(goal), [20]))
        assert "found so far, among the 60 rows of this ranking: 100%" in said
        assert "Recall of the first 20 rows, among the 60 rows of this ranking: " in said
        assert "of this ranking" in said.split("Goal")[1]


def note(rank, of):
    said = f"N1  - onesided: rank {rank:,} of {of}, score 0.{99 - rank}"
    return f"TY  - JOUR\nID  - r{rank}\nTI  - Study {rank}\n{said}\nER  - \n"


def test_the_first_reference_records_of_a_ranking_are_refused(tmp_path):
    path = tmp_path / "r.ris"
    for of, may in (("30", True), ("31", False), ("1,030", False)):
        path.write_text("".join(note(rank, of) for rank in range(1, 31)))
        if may:
            assert audit_ranking(path).scores == [(99 - rank) / 100 for rank in range(1, 31)]
        else:
            with pytest.raises(TableError, match=f"first 30 rows .*a note says rank 1 of {of}"):
                audit_ranking(path)


def test_a_ranking_by_each_value_is_no_ranking(tmp_path):
    parts = [ranked(5).assign(color=color, gene=lambda each: each["gene"] + "x") for color in "ab"]
    for n_parts, n_top in ((2, None), (2, 3), (1, None)):
        table = pd.concat([each[:n_top] for each in parts[:n_parts]])
        table = table[["color", "gene", "rank", "score", "recall"]]
        table.to_csv(tmp_path / "each.csv", index=False)
        problem = f"a ranking for each value of 'color' \\({n_parts} value"
        with pytest.raises(TableError, match=problem) as refused:
            audit_ranking(tmp_path / "each.csv")
        assert "`positive='color=a'`" in refused.value.mend


def data_of(page):
    found = re.search(r'id="data">(.*?)</script>', page, flags=re.DOTALL)
    return json.loads(found[1])


def test_the_page_shows_the_score_of_the_ranking(tmp_path):
    score = (np.linspace(0.7, 0.1, 40) ** 2).round(4)
    for table in (ranked(40, score=score).drop(columns="recall"), ranked(40).iloc[:, :2]):
        table.to_csv(tmp_path / "r.csv", index=False)
        audit = audit_ranking(tmp_path / "r.csv", state=tmp_path / f"{len(table.columns)}.json")
        audit.draw(9)
        rows = data_of(audit.page("c.csv"))["rows"]
        shown = [row["score"] for row in rows]
        has_scores = "score" in table
        assert shown == [score[row["rank"] - 1] if has_scores else None for row in rows]


def test_each_audit_has_a_page_of_its_own(ranking, tmp_path):
    """A browser keeps verdicts under this name, and must not show them in another audit."""
    path, _ = ranking
    (tmp_path / "copy").mkdir()
    copy = shutil.copy(path, tmp_path / "copy")
    begun = [
        audit_ranking(path),
        audit_ranking(path, state=tmp_path / "b.json"),
        audit_ranking(path, random_state=1),
        audit_ranking(path, mode="planned"),
        audit_ranking(copy),
    ]
    names = set()
    for audit in begun:
        for _ in range(2):
            audit.draw(3)
            names.add(data_of(audit.page("c.csv"))["audit"])
    assert len(names) == 2 * len(begun)
    begun[0].save()
    again = audit_ranking(path)
    assert data_of(again.page("c.csv"))["audit"] in names


def changed(sheet, row=0, **cells):
    """Type something into a cell of a sheet."""
    table = pd.read_csv(sheet, dtype=str, keep_default_na=False)
    for name, cell in cells.items():
        if name not in table:
            table[name] = ""
        table.loc[row, name] = cell
    table.to_csv(sheet, index=False)


@pytest.mark.parametrize(
    ("column", "cell", "said"),
    [
        ("verdict", "?", "1 verdict that differs from what was read last"),
        ("note", "look again", "1 note that was not read"),
        ("remark", "why?", "holds the column 'remark'"),
        ("decision", "yes", "holds the column 'decision'"),
    ],
)
@pytest.mark.parametrize("row", [0, 59])
def test_nothing_that_was_typed_into_a_sheet_is_replaced(ranking, column, cell, said, row):
    """The last row has no verdict yet."""
    path, truth, sheet = begin(ranking)
    fill(sheet, truth, rows=slice(55))
    audit = audit_ranking(path)
    audit.record(sheet)
    audit.check_sheet(sheet)
    changed(sheet, row, **{column: cell})
    if column == "verdict" and row:
        said = "1 verdict that was not read"
    with pytest.raises(TableError, match=said):
        audit.check_sheet(sheet)
    if column in ("verdict", "note"):
        audit.record(sheet)
        audit.check_sheet(sheet)
        audit.save()
        audit = audit_ranking(path)
        audit.check_sheet(sheet)
        gene = pd.read_csv(sheet, dtype=str).gene[row]
        rows = {
            each["gene"]: each
            for each in [*audit.checked().to_pylist(), *audit.sheet().to_pylist()]
        }
        assert rows[gene][column] == cell


def test_verdicts_in_another_column_are_not_replaced(ranking):
    path, truth, sheet = begin(ranking)
    fill(sheet, truth, words=("include", "exclude"), column="decision", rows=slice(9))
    audit = audit_ranking(path)
    with pytest.raises(TableError, match="holds 9 verdicts that were not read") as refused:
        audit.check_sheet(sheet, column="decision=include")
    assert "`verdict_column='decision=include'`" in refused.value.mend
    audit.record(sheet, "decision=include")
    audit.check_sheet(sheet, column="decision=include")
    changed(sheet, decision="?")
    with pytest.raises(TableError, match="1 verdict that differs"):
        audit.check_sheet(sheet, column="decision=include")
    changed(sheet, 30, verdict="no")
    with pytest.raises(TableError, match="1 verdict that was not read and 1 verdict that differs"):
        audit.check_sheet(sheet, column="decision=include")


def test_a_note_before_which_a_spreadsheet_sheet_has_an_apostrophe(ranking):
    path, truth, sheet = begin(ranking)
    fill(sheet, truth, rows=slice(5))
    changed(sheet, 40, note="=1+1")
    audit = audit_ranking(path)
    audit.record(sheet)
    write_table(audit.sheet(), sheet, for_spreadsheet=True)
    assert "'=1+1" in pd.read_csv(sheet).note.to_numpy()
    audit.check_sheet(sheet)
    audit.record(sheet)
    assert [*audit.notes.values()] == ["=1+1"]


@pytest.mark.parametrize("name", ["rank", "stands_for", "verdict", "note", "score", "gene"])
def test_an_identifier_may_be_called_like_a_column_of_a_sheet(tmp_path, name):
    header = identifier_column(name)
    ranked(40).rename(columns={"gene": header}).to_csv(tmp_path / "r.csv", index=False)
    audit = audit_ranking(tmp_path / "r.csv")
    audit.draw(8)
    sheet = audit.sheet()
    assert len(set(sheet.column_names)) == 5
    write_table(sheet, tmp_path / "c.csv")
    changed(tmp_path / "c.csv", verdict="yes", note="seen")
    assert audit.record(tmp_path / "c.csv")[:3] == (1, 1, 0)
    assert audit.checked().to_pylist()[0]["note"] == "seen"
    audit.check_sheet(tmp_path / "c.csv")
    page = data_of(audit.page("c.csv"))
    assert page["id_name"] == sheet.column_names[0]
    found = find_checked(
        [tmp_path / "c.csv"],
        [f"g{n}" for n in range(1, 41)],
        header,
        *np.zeros((2, 40), dtype=bool),
    )
    assert found.positive.sum() == 1


def test_zeros_that_were_lost_without_ranks(tmp_path):
    """The one identifier with the same digits counts; two such are ambiguous without a rank."""
    ids = ["0224", "0017", "17", "5"]
    pd.DataFrame({"gene": ids, "rank": range(1, 5)}).to_csv(tmp_path / "r.csv", index=False)
    audit = audit_ranking(tmp_path / "r.csv")
    nothing = np.zeros((2, 4), dtype=bool)
    sheet = tmp_path / "c.csv"
    for written, places in (
        ("224", [0]),
        ("17", [2]),
        ("0017", [1]),
        ("00224", None),
        ("05", None),
    ):
        sheet.write_text(f"gene,verdict\n{written},yes\n")
        if places is None:
            with pytest.raises(TableError, match="not in the ranking"):
                audit.record(sheet)
            with pytest.raises(TableError, match="does not have"):
                find_checked([sheet], ids, "gene", *nothing)
        else:
            assert audit.record(sheet).n_rows == 1
            assert np.flatnonzero(find_checked([sheet], ids, "gene", *nothing).positive) == places
    sheet.write_text("gene,rank,verdict\n17,2,no\n")
    assert audit.record(sheet)[:3] == (1, 0, 1)


@pytest.mark.parametrize("name", ["rank", "score", "recall", "posterior", "gene"])
def test_the_table_of_a_ranking_whose_identifier_has_another_name_there(tmp_path, rng, name):
    known = np.arange(80) < 12
    table = pd.DataFrame({name: [f"0{n}" for n in range(80)], "size": rng.normal(size=80).round(2)})
    table["half"] = np.where(np.arange(80) % 2, "odd", "even")
    table.assign(known=known.astype(int)).to_csv(tmp_path / "t.csv", index=False)
    asked = {"identifier": name, "methods": ["naive-bayes"], "drop": ["half"]}
    found = rank_table(tmp_path / "t.csv", "known", **asked)
    header = found.table.column_names[0]
    assert name in identifier_names(header)
    assert (header == name) == (name in ("gene", "posterior"))
    write_table(found.table, tmp_path / "r.csv")
    audit = audit_ranking(tmp_path / "r.csv")
    audit.draw(20)
    cells = table.set_index(name)
    for row in data_of(audit.page("c.csv", table=tmp_path / "t.csv"))["rows"]:
        assert dict(row["fields"])["half"] == cells["half"][row["id"]]
        assert name not in dict(row["fields"])
    audit.group_by("half", tmp_path / "t.csv")
    for half, inside in audit.groups.items():
        assert [cells["half"][each] in half for each in audit.ids] == inside.tolist()
    sheet = audit.sheet().to_pandas().assign(verdict="no")
    sheet.to_csv(tmp_path / "c.csv", index=False)
    problem = read_problem(
        tmp_path / "t.csv", "known", identifier=name, verdicts=tmp_path / "c.csv"
    )
    assert problem.verdicts.negative.sum() == 20


def test_the_report_of_a_longer_ranking_tells_that_rows_are_missing(tmp_path, rng):
    """Also of a list without its columns."""
    known = np.arange(90) < 15
    table = pd.DataFrame(
        {"gene": [f"g{n}" for n in range(90)], "size": rng.normal(size=90) + known}
    )
    table.assign(known=known.astype(int)).to_csv(tmp_path / "t.csv", index=False)
    for top, may in ((None, True), (20, False)):
        asked = {"identifier": "gene", "methods": ["naive-bayes"], "top": top}
        found = rank_table(tmp_path / "t.csv", "known", **asked)
        write_table(found.listed, tmp_path / "r.csv")
        if not may:
            with pytest.raises(TableError, match="has only the first 20 rows"):
                audit_ranking(tmp_path / "r.csv")
        write_table(found.listed.select(["gene", "rank"]), tmp_path / "r.csv")
        report = found.report()
        (tmp_path / "r.json").write_text(json.dumps(report.data))
        audit = audit_ranking(tmp_path / "r.csv")
        audit.draw(3)
        data = tmp_path / "r.json"
        if may:
            audit.compare_labels(data)
            assert audit.page("c.csv", report_data=data)
            lowest = report.data | {"known_above": [75.0] * 15}
            (tmp_path / "low.json").write_text(json.dumps(lowest))
            with pytest.raises(TableError, match="No row of the ranking is below the median"):
                audit.compare_labels(tmp_path / "low.json")
        else:
            said = r"first 20 rows \(the report 'r.json' is of 75 rows\)"
            with pytest.raises(TableError, match=said):
                audit.compare_labels(data)
            with pytest.raises(TableError, match=said):
                audit.page("c.csv", report_data=data)
