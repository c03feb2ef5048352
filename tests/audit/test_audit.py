"""What is true of every audit, step by step; and what an audit refuses."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from onesided.audit import Audit, LabelOddsRatio
from onesided.exceptions import DataError
from oracles import audit as oracle

MODES = ["anytime", "planned"]
WHATS = [("count", None), ("precision", 1), ("precision", 3), ("recall", 2), ("recall", 99)]


def numbers(audit):
    """All numbers that an audit gives."""
    estimates = [
        audit.count(),
        audit.count(np.arange(audit.n_rows) % 2 == 1),
        audit.found(),
        *(audit.precision_at(k) for k in (1, 3, 99)),
        *(audit.recall_at(k) for k in (1, 2, 99)),
    ]
    return [(each.point, *each.interval) for each in estimates]


def assert_sane(audit, order):
    """Intervals are as wide as is certain at most, and include their points."""
    verdicts = dict(zip(audit.checked.tolist(), audit.verdicts, strict=True))
    by_rank = [verdicts.get(row) for row in order]
    for k in (1, 3, 99):
        inside = [rank < k for rank in range(len(order))]
        for estimate, of_positives, unit in [
            (audit.precision_at(k), False, sum(inside)),
            (audit.recall_at(k), True, 1),
        ]:
            (low, high), (least, most) = (
                estimate.interval,
                oracle.certain(by_rank, inside, of_positives=of_positives),
            )
            assert least / unit - 1e-9 <= low <= estimate.point <= high <= most / unit + 1e-9
            assert not estimate.is_count
    low, high = audit.count().interval
    least, most = oracle.certain(by_rank, [True] * len(order))
    assert least <= low <= audit.count().point <= high <= most
    assert audit.count().is_count
    assert audit.found().interval[0] <= audit.found().point <= audit.found().interval[1] == 1


@st.composite
def populations(draw):
    n = draw(st.sampled_from([1, 2, 7, 30]))
    truth = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    scores = draw(st.lists(st.integers(0, 5), min_size=n, max_size=n))
    kind = draw(st.sampled_from(["none", "zeros", "ones", "some"]))
    posterior = {"none": None, "zeros": [0] * n, "ones": [1] * n}.get(kind, [0.3, 1, 0] * n)
    return truth, scores, posterior if posterior is None else posterior[:n]


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["draw", "answer", "some", "tell", "unsure", "correct", "cost"]),
        st.integers(0, 40),
        st.sampled_from(WHATS),
    ),
    max_size=8,
)


@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=25, deadline=None, derandomize=True)
@given(populations(), STEPS)
def test_any_audit(mode, population, steps):
    truth, scores, posterior = population
    truth, n_rows = np.array(truth), len(truth)
    audit = Audit(scores, posterior=posterior, mode=mode, random_state=3)
    order = sorted(range(n_rows), key=lambda row: -scores[row])
    for step, n, (what, k) in steps:
        waiting, checked = audit.waiting, audit.checked
        if step == "draw":
            seen = {*audit.drawn.tolist(), *checked.tolist()}
            rows = audit.draw(n, what=what, k=k).tolist()
            assert len(set(rows)) == len(rows) == min(n, n_rows - len(seen))
            assert not seen.intersection(rows)
        elif step == "answer":
            audit.record(waiting, truth[waiting])
        elif step == "some":
            audit.record(waiting[::-2], truth[waiting[::-2]])
        elif step == "tell":
            rows = np.flatnonzero(truth)[:n]
            audit.record(rows, truth[rows])
        elif step == "unsure":
            audit.record(waiting[:2], [None] * len(waiting[:2]))
        elif step == "correct":
            audit.record(checked[:n], ~truth[checked[:n]])
            audit.record(checked[:n], truth[checked[:n]])
        else:
            assert 0 <= audit.cost(0.2, what, k) <= n_rows
        assert_sane(audit, order)

    saved = json.loads(json.dumps(audit.to_dict()))
    again = Audit.from_dict(saved, scores, posterior=posterior)
    assert again.to_dict() == audit.to_dict()
    assert numbers(again) == numbers(audit)
    assert_array_equal(again.draw(5), audit.draw(5))

    audit.draw(n_rows)
    everything = np.arange(n_rows)
    audit.record(everything, truth)
    first = [sum(truth[order[:k]]) for k in (1, 3, 99)]
    total, shown = sum(truth), [audit.count(), *map(audit.precision_at, (1, 3, 99))]
    exact = [total, *(n / min(k, n_rows) for n, k in zip(first, (1, 3, 99), strict=True))]
    if total:
        shown += map(audit.recall_at, (1, 3, 99))
        exact += [n / total for n in first]
        assert audit.found().point == audit.found().interval[0] == 1
    assert_allclose([each.point for each in shown], exact)
    assert_allclose([each.interval for each in shown], np.transpose([exact, exact]))
    assert {each.half_width for each in shown} == {0}
    assert audit.cost(1e-6) == 0
    assert audit.draw(3).size == 0


def test_a_mask_is_of_truth_values_or_of_1_and_0(rng):
    audit = Audit(rng.normal(size=60), mode="planned")
    rows = audit.draw(20)
    audit.record(rows, rows % 3 == 0)
    inside = np.arange(60) < 30
    found = [audit.count(mask) for mask in (inside, inside.astype(int))]
    assert found[0].point > 0
    assert {(each.point, *each.interval) for each in found} == {
        (found[0].point, *found[0].interval)
    }


@pytest.mark.parametrize("mode", MODES)
def test_weights_share_the_rows_among_the_checked(mode, rng):
    truth = rng.random(200) < 0.3
    audit = Audit(truth + rng.normal(size=200), mode=mode)
    for what, k in [("count", None), ("recall", 40)]:
        rows = audit.draw(60, what=what, k=k)
        audit.record(rows, truth[rows])
    told = np.setdiff1d(np.arange(200), audit.drawn)[:5]
    audit.record(told, truth[told])
    weights = audit.weights()
    assert_allclose(weights.sum(), 200)
    assert_array_equal(weights[np.isin(audit.checked, told)], 1)
    assert (weights >= 1).all()


def known(audit):
    """Numbers of an audit of some hundred rows, with their limits."""
    estimates = [audit.count(), audit.count(np.arange(audit.n_rows) % 3 == 1), audit.found()]
    estimates += [each(k) for k in (40, 60, 200) for each in (audit.precision_at, audit.recall_at)]
    return [(each.point, *each.interval) for each in estimates]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("n_checked", [0, 45])
def test_a_draw_alone_changes_no_number(mode, n_checked, rng):
    """Whatever it is for: only a verdict may change what is known, and then it tells at once."""
    truth = rng.random(400) < np.linspace(0.8, 0, 400)
    audit = Audit(-np.arange(400.0), mode=mode)
    rows = audit.draw(n_checked)
    audit.record(rows, truth[rows])
    for what, k in (("recall", 60), ("precision", 40), ("recall", 200), ("count", None)):
        before = known(audit)
        rows = audit.draw(20, what=what, k=k)
        assert_allclose(known(audit), before, rtol=1e-9)
        again = Audit.from_dict(json.loads(json.dumps(audit.to_dict())), -np.arange(400.0))
        assert_allclose(known(again), before, rtol=1e-9)
        assert_array_equal(again.draw(9), audit.draw(9))  # the draws use the new strata
        rows = audit.waiting
        audit.record(rows[:1], [None])
        assert_allclose([each[0] for each in known(audit)], [each[0] for each in before], rtol=0.2)
        audit.record(rows, truth[rows])
        assert known(audit) != before


@pytest.mark.parametrize("mode", MODES)
def test_rows_of_later_strata_are_evidence_about_these_alone(mode):
    """All rows down to rank 60 are positive and were drawn often; below there are none.

    The guess of a tenth counts for 20 rows below, if none of them is drawn.
    """
    truth = np.arange(400) < 60
    audit = Audit(-np.arange(400.0), posterior=np.full(400, 0.1), mode=mode)
    for what, k in (("count", None), ("precision", 60)):
        rows = audit.draw(50, what=what, k=k)
        audit.record(rows, truth[rows])
    assert 60 <= audit.count().point <= 62


def test_found_reads_from_the_top_and_draws_by_chance(rng):
    truth = rng.random(300) < 0.1
    audit = Audit(3 * truth + rng.normal(size=300))
    for _ in range(3):
        rows = audit.draw(60, what="found", recall=0.8)
        assert len(rows) == 60
        audit.record(rows, truth[rows])
    assert {batch["by"] for batch in audit.to_dict()["batches"]} == {"score", "chance"}
    assert 0.3 < audit.found().interval[0] <= truth[audit.drawn].sum() / truth.sum()


def test_told_rows_say_nothing_of_others(rng):
    """All positives but one are told: as many again are not expected."""
    truth = np.arange(400) % 20 == 0
    for mode in MODES:
        audit = Audit(rng.normal(size=400), mode=mode)
        rows = audit.draw(100)
        audit.record(rows, truth[rows])
        told = np.setdiff1d(np.flatnonzero(truth), rows)
        audit.record(told[1:], truth[told[1:]])
        low, high = audit.count().interval
        assert low <= 20 <= high
        assert audit.count().point < 55  # 72 if told rows were a sample


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("n_told", [0, 1, 30])
def test_without_a_draw_only_what_is_told_is_known(mode, n_told):
    for seed in range(10):
        audit = Audit(range(40), mode=mode, random_state=seed)
        audit.record(range(n_told), [True] * n_told)
        assert audit.count().interval == (n_told, 40)


@pytest.mark.parametrize("mode", MODES)
def test_telling_after_a_draw_adds_only_what_is_certain(mode, rng):
    """Nobody who has seen the verdicts may choose how large the sample is."""
    for seed in range(8):
        truth = rng.random(200) < 0.3
        audit = Audit(truth + rng.normal(size=200), mode=mode, random_state=seed)
        rows = audit.draw(50)
        audit.record(rows, truth[rows])
        low, high = audit.count().interval
        told = rng.permutation(np.setdiff1d(np.arange(200), rows))[:60]
        audit.record(told, truth[told])
        found = sum(audit.verdicts)
        assert audit.count().interval == (max(low, found), min(high, found + 200 - 110))


@pytest.mark.parametrize("mode", MODES)
def test_told_positives_are_not_expected_twice(mode, rng):
    """After some draws all positives are told, so that no more than these can be surely there."""
    for seed in range(8):
        truth = rng.random(100) < 0.6
        audit = Audit(truth + rng.normal(size=100), mode=mode, random_state=seed)
        for rows in (audit.draw(10), np.flatnonzero(truth), audit.draw(3)):
            audit.record(rows, truth[rows])
        assert audit.count().interval[0] == truth.sum()


def test_what_is_certain_overrules_what_was_unlikely():
    """An audit that saw no positive among 60 rows, then is told 100."""
    audit = Audit(np.zeros(200))
    audit.record(audit.draw(60), [False] * 60)
    audit.record(audit.draw(2), [False] * 2)
    rest = np.setdiff1d(np.arange(200), audit.drawn)
    audit.record(rest[:100], [True] * 100)
    for n in (3, 3):
        audit.record(audit.draw(n), [True] * n)
    n_checked = 168
    low, high = audit.count().interval
    assert (low, high) == (106, 106 + 200 - n_checked)


def test_a_planned_draw_goes_on_when_nothing_is_to_be_gained():
    """Rows outside the list tell nothing of its precision; all rows, nothing of a recall of 1."""
    for what, k in [("precision", 5), ("recall", 40)]:
        assert len(Audit(range(40), mode="planned").draw(30, what=what, k=k)) == 30


@pytest.mark.parametrize("mode", MODES)
def test_cost_foresees_what_a_draw_brings(mode, rng):
    truth = rng.random(2000) < 0.2
    audit = Audit(2 * truth + rng.normal(size=2000), mode=mode)
    cost = [audit.cost(width) for width in (0.1, 0.2, 0.4)]
    assert 2000 > cost[0] > cost[1] > cost[2] > 0
    rows = audit.draw(cost[1])
    audit.record(rows, truth[rows])
    assert 0.1 < audit.count().half_width / audit.count().point < 0.3
    assert audit.cost(0.5) == 0


def test_no_positive_found_yet():
    audit = Audit(range(50))
    rows = audit.draw(30)
    audit.record(rows[1:], [False] * 29)  # all wait for the first row
    assert audit.count().n_waiting == 29
    assert audit.cost(0.2) == 20


@pytest.mark.parametrize(
    "given",
    [
        [True, False, None],
        np.array([1, 0, np.nan]),
        pd.Series([True, False, None], dtype="boolean"),
        pd.Series([1, 0, None], dtype="Int8"),
        pl.Series([True, False, None]),
        [np.bool_(True), 0.0, float("nan")],
    ],
)
def test_kinds_of_verdicts(given):
    audit = Audit([3, 2, 1])
    audit.record([2, 0, 1], given)
    assert audit.checked.tolist() == [0, 1, 2]
    assert audit.verdicts == [False, None, True]
    assert audit.count().n_unsure == 1
    assert audit.count().interval == (1, 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"mode": "later"}, "mode='later' is neither"),
        ({"confidence": 1}, "`confidence` 1 is not a number above 0 and below 1"),
        ({"confidence": "high"}, "`confidence` 'high' is not"),
        ({"scores": []}, "scores is empty"),
        ({"scores": [1, np.nan, 2]}, "scores has 1 value that is NaN"),
        ({"scores": [[1], [2]]}, "scores is an array of int64 of shape"),
        ({"scores": ["a", "b"]}, "scores is an array of <U1"),
        ({"posterior": [0.5]}, "There are 3 scores and 1 posteriors"),
        ({"posterior": [0.5, 1.5, -1]}, r"posterior has 2 values outside \[0, 1\], 1.5 for"),
        ({"posterior": [0.5, 0.5, np.nan]}, "posterior has 1 value that is NaN"),
        ({"random_state": -1}, "random_state=-1 is not"),
    ],
)
def test_audits_that_cannot_begin(arguments, message):
    with pytest.raises(DataError, match=message):
        Audit(**{"scores": [3, 2, 1], **arguments})


@pytest.mark.parametrize(
    ("positions", "verdicts", "message"),
    [
        ([0, 3], [True, False], "There is no row 3; there are 3 rows"),
        ([0, -1], [True, False], "There is no row -1"),
        ([0, 0], [True, False], "Row 0 occurs twice"),
        ([0.0, 1.0], [True, False], "positions is an array of float64"),
        ([True, False], [True, False], "positions is an array of bool"),
        ([[0], [1]], [True, False], "positions is an array of int64 of shape"),
        ([0, 1], [True], "There are 2 positions and 1 verdicts"),
        ([0, 1], [True, "yes"], "'yes' is not a verdict"),
        ([0, 1], [True, 2], "2 is not a verdict"),
        ([0, 1], [[True], [False]], "verdicts has the shape"),
    ],
)
def test_bad_verdicts_leave_the_audit_as_it_was(positions, verdicts, message):
    audit = Audit([3, 2, 1])
    audit.record([2], [True])
    before = audit.to_dict()
    with pytest.raises(DataError, match=message):
        audit.record(positions, verdicts)
    assert audit.to_dict() == before


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda audit: audit.draw(-1), "n=-1 is not a whole number"),
        (lambda audit: audit.draw(1, what="f1"), "what='f1' is not a number that an audit finds"),
        (lambda audit: audit.draw(1, what="recall"), "k=None is not"),
        (lambda audit: audit.draw(1, what="precision", k=0), "k=0 is not"),
        (lambda audit: audit.draw(1, what="found", recall=2), "recall=2 is not"),
        (lambda audit: audit.draw(1, what="found", recall=0), "recall=0 is not"),
        (lambda audit: audit.precision_at(1.5), "k=1.5 is not"),
        (lambda audit: audit.cost(0), "half_width=0 is not"),
        (lambda audit: audit.count([1, 0, 2]), "`among` has shape .3,. and type int64"),
        (lambda audit: audit.count([True]), "`among` has shape .1,. and type bool"),
        (lambda audit: audit.label_odds_ratio(2), "groups=2 are groups by score"),
        (lambda audit: audit.label_odds_ratio(1, [1.0]), "groups=1 is not"),
        (lambda audit: audit.label_odds_ratio(2, []), "labeled_scores is empty"),
        (lambda audit: audit.label_odds_ratio(["a", "b"]), "groups has the shape"),
        (lambda audit: audit.label_odds_ratio(["a", "b", "a"]), "known positives have none"),
        (
            lambda audit: audit.label_odds_ratio(["a"] * 3, labeled_groups=["a"]),
            "There are 1 known positives, and 1 groups",
        ),
        (
            lambda audit: audit.label_odds_ratio(["a", "b", "a"], labeled_groups=[]),
            "There are 0 known positives",
        ),
    ],
)
def test_questions_that_have_no_answer(use, message):
    audit = Audit([3, 2, 1])
    before = audit.to_dict()
    with pytest.raises(DataError, match=message):
        use(audit)
    assert audit.to_dict() == before


def test_found_is_no_number_to_plan_for():
    with pytest.raises(DataError, match="a planned audit may not do"):
        Audit([3, 2, 1], mode="planned").draw(1, what="found")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scores": "other"}, "other scores or another posterior"),
        ({"verdicts": None}, "cannot be read"),
        ({"verdicts": [[9, True]]}, "There is no row 9"),
        ({"batches": [{}]}, "cannot be read"),
        ({"told": [[1]]}, "cannot be read"),
        ({"told": [[9, 0]]}, "There is no row 9"),
        ({"cuts": ["first"]}, "cannot be read"),
        ({"mode": "later"}, "mode='later'"),
    ],
)
def test_saved_audits_that_cannot_be_read(change, message):
    saved = Audit([3, 2, 1]).to_dict()
    with pytest.raises(DataError, match=message):
        Audit.from_dict({**saved, **change}, [3, 2, 1])
    with pytest.raises(DataError, match="cannot be read"):
        Audit.from_dict({each: saved[each] for each in saved if each not in change}, [3, 2, 1])


def test_sentences_keep_the_letters_of_a_name_and_count_one_thing():
    found = Audit([3, 2, 1]).count()
    found = replace(found, what="number of positives where Country is USA", n_checked=1)
    assert found.sentence.startswith("Number of positives where Country is USA: ")
    assert "It rests on 1 checked row." in str(found)
    assert "1 more verdict does not count yet" in str(replace(found, n_waiting=1))
    assert "2 more verdicts do not count yet" in str(replace(found, n_waiting=2))
    share = replace(found, is_count=False, interval=(0.5, 1.0))
    assert share.sentence.startswith("Number of positives where Country is USA: ")


def test_a_ratio_without_upper_limit():
    inf = float("inf")
    found = LabelOddsRatio(
        ["a", "b"], [5, 0], [0.5, 0.5], [(0, 1)] * 2, [inf, 0], [(48.9, inf), (0, 0.05)], 0.95
    )
    assert "infinitely many times as high as elsewhere" in str(found)
    assert "(95% confidence interval 48.9 or more)" in str(found)


@pytest.mark.parametrize(
    ("low", "said"),
    [(1.00057, "1.0006"), (1.2, "1.2"), (1 + 1e-9, "1.000000001"), (1.00499, "1.005")],
)
def test_a_ratio_just_above_one_is_not_called_one(low, said):
    found = LabelOddsRatio(["a"], [5], [0.5], [(0.1, 0.9)], [2.0], [(low, 4.0)], 0.95)
    assert f"differ by a factor of at least {said}." in str(found)
    assert f"interval {said} to 4)" in str(found)


@pytest.mark.parametrize("n_checked", [50, 200])
def test_labels_are_neither_even_nor_uneven_if_no_positive_was_found(n_checked):
    audit = Audit(np.arange(200.0), random_state=0)
    rows = audit.draw(n_checked)
    audit.record(rows, np.zeros(len(rows), dtype=bool))
    found = audit.label_odds_ratio(2, labeled_scores=np.arange(150.0, 200))
    assert "not known whether labels are even" in str(found)
    assert found.hidden_intervals == [(0, 1), (0, 1)]
    assert found.is_even


def test_saved_rows_that_are_no_rows():
    audit = Audit([3, 2, 1])
    audit.draw(2)
    for rows, message in [([0, 3], "There is no row 3"), ([1, 1], "Row 1 occurs twice")]:
        saved = audit.to_dict()
        saved["batches"][0]["rows"] = rows
        with pytest.raises(DataError, match=message):
            Audit.from_dict(saved, [3, 2, 1])


def test_scores_that_changed_are_noticed():
    saved = Audit([3, 2, 1], posterior=[0.5, 0.2, 0.1]).to_dict()
    Audit.from_dict(saved, [3, 2, 1], posterior=[0.5, 0.2, 0.1])
    for scores, posterior in [([3, 2, 1], None), ([3, 2, 0], [0.5, 0.2, 0.1])]:
        with pytest.raises(DataError, match="other scores or another posterior"):
            Audit.from_dict(saved, scores, posterior=posterior)


def test_a_group_without_positives_has_the_odds_of_the_others():
    """0 of the known and 0 of the hidden positives: no odds ratio of 0/0, and no claim."""
    groups = np.repeat(["a", "b", "none"], [20, 20, 60])
    audit = Audit(np.arange(100.0), random_state=0)
    audit.record(range(100), groups != "none")
    found = audit.label_odds_ratio(groups, labeled_groups=["a"] * 5 + ["b"] * 5)
    assert found.points == pytest.approx([1, 1, 1])
    assert found.is_even
    assert str(found).endswith("Labels may be even, because this interval includes 1.")


def test_a_number_of_rows_as_a_share():
    audit = Audit(np.arange(50.0), random_state=0)
    audit.record(range(50), np.arange(50) < 10)
    assert audit.count().as_share == (0.2, (0.2, 0.2))


def test_the_share_of_the_hidden_positives_has_the_interval_of_the_recall(rng):
    """The hidden positives in the first rows are the recall of these rows."""
    truth = np.arange(400) < 60
    audit = Audit(-np.arange(400.0), random_state=1)
    first = np.where(np.arange(400) < 40, "first", "others")
    known = np.where(rng.random(30) < 0.5, "first", "others")
    for n, is_whole in ((120, False), (400, True)):
        rows = audit.draw(n)
        audit.record(rows, truth[rows])
        found = audit.label_odds_ratio(first, labeled_groups=known)
        recall = audit.recall_at(40)
        assert_allclose(found.hidden_intervals[0], recall.interval)
        assert_allclose(found.hidden[0], recall.point)
        low, high = found.hidden_intervals[1]
        assert low <= 20 / 60 <= high
        assert (low == high) == is_whole
        frame = found.to_frame("pandas")
        assert_allclose(frame[["hidden_low", "hidden_high"]], found.hidden_intervals)
    assert "(95% confidence interval 66.7% to 66.7%)" in str(found)
