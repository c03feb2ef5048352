"""Verdicts of checked rows: they teach, leave the list, and are judged apart from labels."""

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from onesided import PositiveNaiveBayes
from onesided.audit import Audit
from onesided.exceptions import DataError, TableError
from onesided.model_selection import PlacedPositives, compare, weighted_auc
from onesided.ranking import plan_ranking, rank_problem, rank_table, read_problem
from onesided.ranking._checked import before_checks
from onesided.ranking._promises import Promises
from onesided.ranking._rank import cross_fitted, scored_for_promises
from onesided.tables import write_table
from onesided.tables._verdicts import read_verdicts
from oracles import feedback

FEW = {"methods": ["naive-bayes", "logistic"]}


@pytest.fixture(scope="module")
def frame():
    """60 of 160 positives are labeled, of 500 rows; `row` tells the truth."""
    rng = np.random.default_rng(1)
    truth = np.arange(500) < 160
    found = pd.DataFrame(rng.normal(size=(500, 3)) + truth[:, None], columns=["a", "b", "c"])
    found["known"] = (np.arange(500) < 60).astype(int)
    found.insert(0, "name", [f"n{row:03}" for row in range(500)])
    return found.round(3)


@pytest.fixture(autouse=True)
def _folder(frame, tmp_path, monkeypatch):
    frame.to_csv(tmp_path / "t.csv", index=False)
    monkeypatch.chdir(tmp_path)


def sheet_of(rows, stands_for=None):
    """A sheet with the true verdicts."""
    rows = np.asarray(rows)
    found = pd.DataFrame({"name": [f"n{row:03}" for row in rows], "rank": np.arange(len(rows)) + 1})
    found["stands_for"] = 1.0 if stands_for is None else stands_for
    found["verdict"] = np.where(rows < 160, "yes", "no")
    return found


DRAWN = np.r_[60:85, 200:240]
WEIGHTS = np.r_[np.linspace(1.5, 6, 25), np.full(40, 3.0)]


def ranked(sheet, table="t.csv", **asked):
    sheet.to_csv("check.csv", index=False)
    return rank_table(table, "known", identifier="name", verdicts="check.csv", **FEW, **asked)


def test_the_area_pair_by_pair(rng):
    unchecked = rng.integers(0, 9, 40) / 4
    scores, stands_for = rng.integers(0, 12, 15) / 4, 1 + rng.random(15) * 9
    above = [(unchecked > score).sum() for score in scores]
    tied = [(unchecked == score).sum() for score in scores]
    placed = PlacedPositives(np.array(above), np.array(tied), scores, 40)
    auc, (low, high) = weighted_auc(placed, stands_for - 1)
    assert_allclose(auc, feedback.weighted_area(scores, stands_for, unchecked), rtol=1e-12)
    assert low < auc < high
    assert_allclose(weighted_auc(placed, np.ones(15))[0], placed.auc, rtol=1e-12)
    assert_allclose(weighted_auc(placed, 7 * (stands_for - 1))[1], (low, high), rtol=1e-9)


def test_positives_that_are_worth_less_have_wider_intervals():
    placed = PlacedPositives(np.arange(20), np.zeros(20, dtype=int), np.zeros(20), 60)
    even, uneven = (weighted_auc(placed, each)[1] for each in (np.ones(20), np.arange(20.0) ** 4))
    assert uneven[1] - uneven[0] > even[1] - even[0]


def test_drawn_rows_stand_for_the_unchecked_rows_of_their_stratum(rng):
    """In the mean over all samples, for any sum over rows."""
    strata, sizes = [[0, 3, 4], [1, 2, 5, 6]], [1, 3]
    values = rng.random(7).tolist()
    of_drawn = feedback.of_drawn(values, strata, sizes)
    assert_allclose(of_drawn, feedback.of_unchecked(values, strata, sizes), rtol=1e-12)


def test_an_audit_gives_these_weights(rng):
    """All rows of a stratum that have no verdict are shared out among those that were drawn."""
    audit = Audit(rng.normal(size=90))
    audit.draw(30)
    audit.record(audit.drawn, np.zeros(30, dtype=bool))
    weights = audit.weights()
    assert weights.min() >= 1
    assert (weights - 1).sum() <= 60 + 1e-9


@pytest.fixture
def rounds():
    """Sheets of two rounds of an audit of the 440 unlabeled rows, and the file of all verdicts."""
    audit, sheets = Audit(-np.arange(440.0), random_state=3), []
    for n_drawn in (50, 30):
        rows = audit.draw(n_drawn)
        sheets.append(sheet_of(60 + rows, audit.weights(rows).round(2)))
        audit.record(rows, rows < 100)
    return *sheets, sheet_of(60 + audit.checked, audit.weights().round(2))


def read(*sheets):
    """The verdicts of sheets, each in a file of its own."""
    paths = [f"s{at}.csv" for at in range(len(sheets))]
    for path, sheet in zip(paths, sheets, strict=True):
        sheet.to_csv(path, index=False)
    return read_problem("t.csv", "known", identifier="name", verdicts=paths).verdicts


def test_numbers_of_rows_of_several_rounds_do_not_hold_together(rounds):
    """Each round shares out the unchecked rows among the rows drawn so far."""
    first, second, checked = rounds
    assert first["stands_for"].sum() + second["stands_for"].sum() > 500
    mend = "the one file of all verdicts that onesided audit writes, `checked='FILE'`"
    half, part = first[:20], second[:10]
    for sheets in (
        (first, second),
        (half, part),
        (second, half),
        (checked, first),
        (first, checked),
    ):
        with pytest.raises(TableError, match="stands_for") as refused:
            read(*sheets)
        assert mend in refused.value.mend
    for sheets in ((half, part), (first, second)):
        with pytest.raises(TableError, match=r"'s0\.csv' and 's1\.csv' shares out the same"):
            read(*sheets)
    with pytest.raises(TableError, match=r"80 checked rows stand for \d+ rows.* 440 unlabeled"):
        read(pd.concat([first, second]))


def test_numbers_of_rows_that_hold_together(rounds):
    """Of all rounds, of one round, of a part of it; and beside rows that stand for themselves."""
    first, second, checked = rounds
    alone = sheet_of(np.setdiff1d(np.arange(60, 80), checked["name"].str[1:].astype(int)))
    blank = second.assign(stands_for="")
    for sheets in ((checked,), (first,), (first[:20],), (first, first[:9]), (first, alone)):
        assert_allclose(read(*sheets).stands_for.max(), sheets[0]["stands_for"].max())
    assert read(first, blank).decided.sum() == 80
    n_rows = read(checked, alone).stands_for[read(checked, alone).decided].sum()
    assert_allclose(n_rows, 440 + len(alone), atol=0.4)


def test_rows_that_stand_for_a_part_of_the_rows_say_so(rounds):
    """The sheet of the second round alone would be taken for an audit of all rows."""
    first, second, checked = rounds
    alone = second.assign(stands_for=1)
    for sheet, may in ((first, True), (checked, True), (second, False), (first[:20], False)):
        total = sheet["stands_for"].sum()
        said = f"the checked rows stand for {total:,.0f} of 440 unlabeled rows. If rows of other"
        sentences = "\n".join(read(sheet).sentences)
        assert (said in sentences) != may
    assert "stand for" not in "\n".join(read(alone).sentences)


def test_a_few_rows_may_have_been_labeled_since(rounds, frame):
    *_, checked = rounds
    others = np.setdiff1d(np.arange(60, 500), checked["name"].str[1:].astype(int))
    for n_more, may in ((3, True), (40, False)):
        known = np.isin(np.arange(500), [*range(60), *others[:n_more]])
        frame.assign(known=known.astype(int)).to_csv("t.csv", index=False)
        if may:
            assert read(checked).decided.sum() == 80
        else:
            with pytest.raises(TableError, match="stand for 440 rows, but the table has 400"):
                read(checked)


def test_checked_rows_teach_and_leave_the_list():
    before = rank_table("t.csv", "known", identifier="name", **FEW)
    found = ranked(sheet_of(DRAWN, WEIGHTS))
    checked = {f"n{row:03}" for row in DRAWN}
    assert {*before.table["name"].to_pylist()} - {*found.table["name"].to_pylist()} == checked
    plan = plan_ranking(found.problem, **FEW)
    assert_array_equal(np.flatnonzero(plan.positive), np.r_[0:60, 60:85])
    assert_array_equal(np.flatnonzero(found.problem.positive), np.r_[0:60])
    for name, each in found.comparison.hidden.items():
        assert len(each.ranks) == 60, name
        assert len(found.comparison.apart[name].ranks) == 25, name
    assert found.prior.n_unlabeled == before.prior.n_unlabeled == 440
    assert str(found).count("rest on the 60 known positives") == 1
    assert f"{found.checked.auc:.3f}" in str(found)
    assert found.report().data["verdicts"] == list(found.rests_on)
    assert "verdicts" not in before.report().data


def test_the_area_of_a_ranking_by_the_weights():
    """The verified positives, when they are hidden, against the candidates."""
    found = ranked(sheet_of(DRAWN, WEIGHTS))
    hidden = found.comparison.apart[found.comparison.best_]
    area = feedback.weighted_area(-hidden.ranks, WEIGHTS[:25], -found.scored.ranks)
    assert_allclose(found.checked.auc, area, rtol=1e-12)


def test_evaluation_leaves_out_what_is_apart(rng):
    """The fits are the same; what is apart is hidden too, and counted by itself."""
    y = rng.permutation(np.repeat([1, 0], [20, 60]))
    X = rng.integers(0, 3, (80, 4)) + y[:, None]
    apart = np.zeros(80, dtype=bool)
    apart[np.flatnonzero(y)[:8]] = True
    methods = {"bayes": PositiveNaiveBayes(0.2), "more": PositiveNaiveBayes(0.4)}
    whole, part = (
        compare(methods, X, y, average=True, apart=each, refit=False) for each in (None, apart)
    )
    assert not whole.apart
    for name, each in whole.hidden.items():
        is_apart = apart[np.flatnonzero(y)]
        assert_array_equal(part.hidden[name].above, each.above[~is_apart])
        assert_array_equal(part.apart[name].above, each.above[is_apart])
        assert_allclose(part.hidden[name].unlabeled_placements.mean(), part.hidden[name].auc)
    by_numbers = compare(methods, X, y, average=True, apart=apart.astype(int), refit=False)
    for name, each in part.apart.items():
        assert_array_equal(by_numbers.apart[name].above, each.above)
    problem = r"`apart` has shape .*, but a mask of 80 rows has shape \(80,\) and type bool\."
    for odd in (apart * 2, apart * 1.0, apart[:8]):
        with pytest.raises(DataError, match=problem):
            compare(methods, X, y, apart=odd)


def test_too_few_that_stand_for_others():
    """Rows that were read from the top stand for themselves."""
    found = ranked(sheet_of(DRAWN))
    assert found.checked.auc is None
    assert "0 of 25. At least 10 are needed" in str(found)
    assert "column stands_for" in str(found)


def test_no_verified_positive():
    found = ranked(sheet_of(np.arange(200, 240), 3.0), scenario="case-control", recall=0.5)
    assert found.checked.n_positive == 0
    assert found.table.num_rows == 400


def test_promises_and_posteriors_are_of_all_unlabeled_rows():
    """Known positives are like those among all unlabeled rows, not like those that are left."""
    sheet_of(DRAWN, WEIGHTS).to_csv("check.csv", index=False)
    problem = read_problem("t.csv", "known", identifier="name", verdicts="check.csv")
    plan = plan_ranking(problem, **FEW)
    comparison = plan.compare()
    scored = cross_fitted(plan, comparison)
    unlabeled = before_checks(
        scored.only(problem.listed), scored, problem, comparison.apart[comparison.best_]
    )
    assert_array_equal(np.sort(unlabeled.rows), np.arange(60, 500))
    found = rank_problem(plan, scenario="case-control")
    assert found.prior.n_unlabeled == 440
    assert found.prior.n_positive == 60
    kept = ranked(sheet_of(DRAWN, WEIGHTS), recall=0.5, discard=0.2)
    assert kept.promises.n_rows == 440
    assert len(kept.table["in_shortlist"]) == 375
    assert "the promises rest on these positives too" in str(kept)
    n_rows = kept.promises.kept["recall"].facts["n_rows"]
    n_left = n_rows - sum(kept.table["in_shortlist"].to_pylist())
    assert n_left > 0
    assert f"{n_left} marked rows were checked already and are not listed" in str(kept)
    page = kept.report().data
    assert page["curve"][page["suggested"]["place"]]["n_listed"] == n_rows - n_left


def test_verified_positives_are_unlabeled_rows_for_the_promises():
    """As they were before the checks, so that they are like the held-out positives."""
    sheet_of(DRAWN, WEIGHTS).to_csv("check.csv", index=False)
    problem = read_problem("t.csv", "known", identifier="name", verdicts="check.csv")
    plan = plan_ranking(problem, **FEW, promises=Promises.of(recall=0.5))
    assert_array_equal(plan.for_promises.positive, problem.positive & ~plan.held_out)
    assert_array_equal(plan.for_promises.problem.verdicts.negative, problem.verdicts.negative)
    scored = scored_for_promises(plan.for_promises)
    assert_array_equal(scored.rows, np.flatnonzero(~problem.positive | plan.held_out))


def test_a_label_of_a_checked_row_is_a_verdict(frame):
    """A row that was labeled after the check is no known positive, which labels found."""
    frame.assign(known=(np.arange(500) < 70).astype(int)).to_csv("t.csv", index=False)
    found = ranked(sheet_of(DRAWN, WEIGHTS))
    assert found.problem.positive.sum() == 60
    assert found.checked.n_positive == 25


LAYOUTS = {
    "words": lambda sheet: sheet.replace({"yes": "TRUE", "no": "False"}),
    "numbers": lambda sheet: sheet.replace({"yes": 1, "no": 0}),
    "booleans": lambda sheet: sheet.assign(verdict=sheet["verdict"] == "yes"),
    "another order": lambda sheet: sheet.iloc[::-1, ::-1],
    "blank weights": lambda sheet: sheet.assign(
        stands_for=sheet["stands_for"].where(sheet["verdict"] == "yes")
    ),
    "more rows and columns": lambda sheet: pd.concat(
        [sheet, sheet_of([300, 301, 90]).assign(verdict=["", None, "?"], note="later")]
    ),
    "the same row twice": lambda sheet: pd.concat([sheet, sheet.iloc[:1]]),
}


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_layouts_of_a_sheet(layout, ending):
    sheet_of(DRAWN, WEIGHTS).to_csv("plain.csv", index=False)
    path = Path(f"check.{ending}")
    sheet = pa.Table.from_pandas(layout(sheet_of(DRAWN, WEIGHTS)), preserve_index=False)
    write_table(sheet, path, format_path=path)
    plain, found = (
        read_problem("t.csv", "known", identifier="name", verdicts=each).verdicts
        for each in ("plain.csv", path)
    )
    assert_array_equal(found.positive, plain.positive)
    assert_array_equal(found.negative, plain.negative)
    positive = plain.positive
    assert_array_equal(found.stands_for[positive], plain.stands_for[positive])


def test_rows_by_their_numbers(frame):
    """Of a ranking without identifiers; a blank row counts, as it does in a ranking."""
    lines = frame.drop(columns="name").to_csv(index=False).splitlines()
    lines.insert(11, ",,,")
    Path("n.csv").write_text("\n".join(lines))
    pd.DataFrame({"row": [62, 302], "verdict": ["yes", "no"]}).to_csv("check.csv", index=False)
    found = read_problem("n.csv", "known", verdicts="check.csv")
    assert_array_equal(np.flatnonzero(found.verdicts.positive), [60])
    assert_array_equal(np.flatnonzero(found.verdicts.negative), [300])
    ranking = rank_table("n.csv", "known", **FEW)
    assert ranking.table.column_names[0] == "row"


def changed(**cells):
    """A sheet in which the second row has other cells."""
    found = sheet_of(DRAWN, WEIGHTS).astype(object)
    for name, cell in cells.items():
        found.loc[1, name] = cell
    return found


REFUSED = {
    "a row that is not there": (changed(name="x9"), ["1 row ('x9')", "does not have"]),
    "many rows that are not there": (
        sheet_of(DRAWN).assign(name=[f"x{row}" for row in DRAWN]),
        ["65 rows ('x60', 'x61', 'x62', 'x63', 'x64' and 60 more)"],
    ),
    "a known positive": (changed(name="n007", verdict="no"), ["says negative", "'n007'"]),
    "two verdicts": (
        pd.concat([sheet_of(DRAWN), changed(verdict="no").iloc[1:2]]),
        ["Row 66", "'n061'", "verdict"],
    ),
    "two weights": (
        pd.concat([sheet_of(DRAWN, WEIGHTS), changed(stands_for=99).iloc[1:2]]),
        ["Row 66", "'n061'", "stands_for"],
    ),
    "a word": (changed(verdict="perhaps not"), ["'perhaps not'", "row 2"]),
    "a weight below 1": (changed(stands_for=0.5), ["stands_for is 0.5 in row 2"]),
    "no verdicts": (sheet_of(DRAWN).drop(columns="verdict"), ["no column 'verdict'"]),
    "no names": (sheet_of(DRAWN).drop(columns="name"), ["no column 'name'"]),
    "all known positives": (sheet_of(np.arange(60)), ["leaves 0"]),
    "all other rows": (sheet_of(np.arange(60, 499)), ["Fewer than 2 unlabeled rows"]),
}


@pytest.mark.parametrize(("sheet", "said"), REFUSED.values(), ids=REFUSED)
def test_refused(sheet, said):
    with pytest.raises(TableError) as refused:
        ranked(sheet)
    for each in said:
        assert each in str(refused.value)


@pytest.mark.parametrize("column", ["rank", "stands_for"])
@pytest.mark.parametrize(
    "cells",
    [
        pd.to_datetime(["2026-01-01", "2026-01-02"]),
        pd.to_timedelta([1, 2], unit="D"),
        [[1], [2]],
        ["first", "second"],
        [np.inf, 1.0],
    ],
    ids=["times", "durations", "lists", "words", "infinite"],
)
def test_numbers_of_a_sheet_that_are_not(column, cells, tmp_path):
    sheet = sheet_of([60, 61]).assign(**{column: cells})
    sheet.to_parquet(tmp_path / "check.parquet")
    with pytest.raises(TableError, match=f"Column '{column}' .* holds cells that are not numbers"):
        read_verdicts(tmp_path / "check.parquet", "name")


def test_missing_numbers_of_a_sheet_are_blank(tmp_path):
    sheet = sheet_of([60, 61]).drop(columns=["rank", "stands_for"])
    table = pa.Table.from_pandas(sheet)
    for missing in (None, np.nan):
        numbers = pa.array([missing, 2.0], pa.float64(), from_pandas=False)
        whole = table.append_column("rank", numbers).append_column("stands_for", numbers)
        pq.write_table(whole, tmp_path / "check.parquet")
        found = read_verdicts(tmp_path / "check.parquet", "name")
        assert_array_equal(found.ranks, [0, 2])
        assert_array_equal(found.stands_for, [1, 2])


def test_a_name_of_several_rows(frame):
    frame.replace({"name": {"n061": "n062"}}).to_csv("t.csv", index=False)
    with pytest.raises(TableError, match=r"'n062'.*several rows"):
        ranked(sheet_of([62]))


def test_a_known_negative_that_is_positive(frame):
    frame.assign(bad=(np.arange(500) == 61).astype(int)).to_csv("t.csv", index=False)
    with pytest.raises(TableError, match=r"says positive, but the table says negative.*'n061'"):
        ranked(sheet_of(DRAWN), known_negative="bad")
