"""A borrowed background: what makes all labels uneven cancels; all unlabeled rows are ranked."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import spearmanr
from sklearn.base import BaseEstimator
from sklearn.metrics import roc_auc_score

from onesided import PUBagging
from onesided._files._references import ITEM_MARK
from onesided.exceptions import DataError, OnesidedWarning, TableError
from onesided.model_selection import PositiveKFold, unlabeled_out_of_fold_scores
from onesided.ranking import Promises, plan_ranking, rank_problem, rank_table, read_problem
from onesided.scoring import fit_table, load_model
from onesided.tables._features import row_kinds
from onesided.tables._labels import read_other_labels

KINDS = [f"s{number}" for number in range(6)]
FAST = {"methods": ["logistic"]}


def survey(seed, n_rows=3000):
    """Sites near roads are searched most; each record is of a species, by suitability alone."""
    rng = np.random.default_rng(seed)
    road, north, height = rng.normal(size=(3, n_rows))
    angles = 2 * np.pi * np.arange(len(KINDS)) / len(KINDS)
    fits = 1 / (
        1 + np.exp(-3 * (np.outer(north, np.cos(angles)) + np.outer(height, np.sin(angles))))
    )
    searched = rng.random(n_rows) < 0.6 / (1 + np.exp(-3 * road))
    shares = (fits**2).cumsum(axis=1) / (fits**2).sum(axis=1, keepdims=True)
    species = (rng.random(n_rows)[:, None] > shares).sum(axis=1)
    found = pd.DataFrame({"road": road, "north": north, "height": height})
    found.insert(0, "site", [f"S{row:04}" for row in range(n_rows)])
    found["species"] = np.where(searched, np.array(KINDS, dtype=object)[species], None)
    return found, fits[:, 0]


@pytest.fixture(scope="module")
def sites():
    return survey(0)


@pytest.fixture(scope="module")
def both(sites):
    """The ranking with all unlabeled rows as background, and with the borrowed one."""
    return [
        rank_table(sites[0], "species=s0", identifier="site", background=background, **FAST)
        for background in (None, "others")
    ]


def rows_of(ranking):
    return [int(site[1:]) for site in ranking.to_frame("pandas")["site"]]


def test_uneven_effort_cancels(sites, both):
    frame, suitability = sites
    agreement, roads = [], []
    for ranking in both:
        rows = rows_of(ranking)
        agreement.append(spearmanr(-np.arange(len(rows)), suitability[rows]).statistic)
        roads.append(abs(spearmanr(-np.arange(len(rows)), frame["road"][rows]).statistic))
    assert agreement[0] < 0.8
    assert agreement[1] > 0.9
    assert roads[0] > 0.4
    assert roads[1] < 0.2


def test_the_models_see_the_background_alone_and_all_unlabeled_rows_are_ranked(sites, both):
    frame, _ = sites
    _, ranking = both
    background, known = ranking.problem.background, (frame["species"] == "s0").to_numpy()
    others = frame["species"].notna().to_numpy() & ~known
    assert background.rows[others].all()
    assert background.n_others == others.sum()
    assert (background.rows & ~others).sum() == round(others.sum() / 9)  # a tenth of all
    seen = frame[background.rows | known].reset_index(drop=True)
    alone = rank_table(seen, "species=s0", identifier="site", **FAST)
    assert_allclose(
        ranking.model.decision_function(pa.Table.from_pandas(frame)),
        alone.model.decision_function(pa.Table.from_pandas(frame)),
    )
    assert ranking.comparison.taken["hidden_positive_auc"] == pytest.approx(
        alone.comparison.taken["hidden_positive_auc"]
    )
    unlabeled = np.flatnonzero(~known)
    assert sorted(rows_of(ranking)) == unlabeled.tolist()
    assert ranking.placed.n_unlabeled == len(unlabeled)
    shares = ranking.to_frame("pandas")["recall"]
    assert shares.mean() == pytest.approx(ranking.placed.auc, abs=0.01)


class OneColumn(BaseEstimator):
    """The first column is the score, whatever is learned; what was learned from is noted."""

    learned_from: list = []  # noqa: RUF012 - of all copies

    def fit(self, X, y):
        self.learned_from.append((X[:, 1].astype(int), np.asarray(y)))
        return self

    def decision_function(self, X):
        return X[:, 0]


@pytest.mark.parametrize("hide", [None, PositiveKFold(4, random_state=0)])
def test_who_is_learned_from_and_who_is_scored(hide, rng):
    """With a score that nothing changes, positives stand among all unlabeled rows as they do."""
    y, learned = np.arange(900) < 80, np.arange(900) % 3 == 0
    X = np.column_stack([rng.normal(size=900) + y - learned, np.arange(900)])
    OneColumn.learned_from.clear()
    found = unlabeled_out_of_fold_scores(OneColumn(), X, y, learned=learned, hide=hide)
    assert_array_equal(found.rows, np.arange(900) if hide else np.flatnonzero(~y))
    assert len(OneColumn.learned_from) == (4 if hide else 5)
    for rows, labels in OneColumn.learned_from:
        assert_array_equal(labels, y[rows])
        assert (y | learned)[rows].all()
        assert y[rows].sum() == (60 if hide else 80)
        assert 160 < (~y)[rows].sum() < 240  # of 273 rows that may be learned from
    if hide:
        auc = 1 - found.only(y).ranks.mean()
        assert auc == pytest.approx(roc_auc_score(y, X[:, 0]), abs=0.02)


def test_positives_of_a_group_are_left_out_together(rng):
    """Bags are then drawn anew in each fold; without groups one model scores all rows."""
    y, groups = np.arange(300) < 40, np.arange(300) % 10
    X, learned = rng.normal(size=(300, 2)) + y[:, None], np.arange(300) % 2 == 0
    fits = []
    for given in (None, groups):
        done = []
        found = unlabeled_out_of_fold_scores(
            PUBagging(n_estimators=40, random_state=0),
            X,
            y,
            learned=learned,
            hide=PositiveKFold(5, random_state=0),
            groups=given,
            random_state=0,
            on_progress=lambda *_, done=done: done.append(1),
        )
        assert 1 - found.only(y).ranks.mean() > 0.7
        fits.append(len(done))
    assert fits == [1, 5]


def test_bags_score_rows_that_they_did_not_learn_from(sites):
    """Out of bag for the rows learned from, by all bags for the others, for both kinds of calls."""
    problem = read_problem(sites[0], "species=s0", identifier="site", background="others")
    plan = plan_ranking(problem, methods=["bagging"])
    found = rank_problem(plan, for_page=False)
    model = found.model["model"]
    inner = np.flatnonzero(problem.background.rows)
    places = np.searchsorted(plan.rows, inner)
    outer = np.flatnonzero(problem.listed & ~problem.background.rows)
    scores = np.full(len(problem.positive), np.nan)
    scores[inner] = model.oob_decision_function_[places]
    scores[outer] = found.model.decision_function(problem.features.take(outer))
    kept = found.scored.rows
    assert_array_equal(
        np.argsort(np.argsort(-scores[kept])), np.argsort(np.argsort(found.scored.ranks))
    )
    known = model.oob_decision_function_[
        np.searchsorted(plan.rows, np.flatnonzero(problem.positive))
    ]
    above = [(scores[kept] > score).sum() for score in known]
    assert_array_equal(found.placed.above, above)


def test_number_and_promises_are_about_all_unlabeled_rows(sites):
    frame, _ = sites
    asked = {"scenario": "case-control", "recall": 0.8, "identifier": "site"}
    asked["methods"] = ["naive-bayes"]
    plain, borrowed = (
        rank_table(frame, "species=s0", background=background, **asked)
        for background in (None, "others")
    )
    assert borrowed.prior.point == plain.prior.point
    assert (
        borrowed.prior.n_unlabeled == borrowed.promises.n_rows == (frame["species"] != "s0").sum()
    )
    assert borrowed.promises.n_held_out == plain.promises.n_held_out
    n_known = (frame["species"] == "s0").sum()
    assert borrowed.promises.n_held_out == n_known // 2
    assert len(borrowed.comparison.hidden[borrowed.comparison.best_].ranks) == n_known


def test_the_promised_recall_is_kept_if_labels_are_even():
    """Half of the suitable rows are labeled by chance; other labels fall on any row."""
    kept = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        truth = np.arange(1500) < 300
        frame = pd.DataFrame(rng.normal(size=(1500, 2)) + truth[:, None], columns=["a", "b"])
        kind = rng.choice([None, "u", "v"], 1500, p=[0.7, 0.15, 0.15])
        frame["kind"] = np.where(np.arange(1500) % 2 * truth == 1, "mine", kind)
        problem = read_problem(frame, "kind=mine", background="others")
        plan = plan_ranking(problem, promises=Promises.of(recall=0.8), **FAST)
        found = rank_problem(plan, for_page=False)
        table = found.to_frame("pandas")
        of_hidden = truth[table["row"].astype(int) - 1]
        marked = table[found.promises.kept["recall"].column].to_numpy()
        kept.append(marked[of_hidden].mean() >= 0.8)
    assert np.mean(kept) >= 0.95 - 2 * np.sqrt(0.95 * 0.05 / 10)


def test_verified_and_known_negatives_are_learned_from(sites, tmp_path):
    frame, _ = sites
    blank = frame.index[frame["species"].isna()]
    frame = frame.assign(checked=np.where(frame.index.isin(blank[:30]), "no", None))
    sheet = pd.DataFrame({"site": frame["site"][blank[30:60]], "verdict": ["yes", "no"] * 15})
    sheet.to_csv(tmp_path / "check.csv", index=False)
    problem = read_problem(
        frame,
        "species=s0",
        identifier="site",
        known_negative="checked=no",
        verdicts=tmp_path / "check.csv",
        background="others",
    )
    plan = plan_ranking(problem, **FAST)
    assert np.isin(blank[:60], plan.rows).all()
    drawn = np.flatnonzero(problem.background.rows)
    assert_array_equal(np.intersect1d(blank[60:], plan.rows), np.intersect1d(blank[60:], drawn))
    assert not np.isin(blank[30:60:2], drawn).any()  # a verified positive is no background
    assert_array_equal(plan.lesson.positive, plan.positive[plan.rows])
    assert plan.lesson.problem.verified.sum() == 15
    found = rank_problem(plan, for_page=False)
    assert not np.isin(blank[:60], rows_of(found)).any()
    assert found.checked.n_positive == 15


def test_the_model_that_is_kept(sites, both, tmp_path):
    frame, _ = sites
    model = fit_table(frame, "species=s0", identifier="site", background="others", **FAST)
    assert model.n_learned == both[1].problem.background.n_rows + (frame["species"] == "s0").sum()
    assert model.n_unlabeled == (frame["species"] != "s0").sum()
    table = pa.Table.from_pandas(frame)
    scores = model.pipeline.decision_function(table)
    assert_allclose(scores, both[1].model.decision_function(table))
    shares = model.shares_below(scores[(frame["species"] != "s0").to_numpy()])
    assert shares.mean() == pytest.approx(0.5, abs=0.01)  # a share of all unlabeled rows
    model.save(tmp_path / "m.onesided")
    kept = load_model(tmp_path / "m.onesided").pipeline
    assert_array_equal(kept.decision_function(table), scores)


def small(n_mine=30, **labels):
    """Rows of numbers, some with the label "mine" and some with each other label."""
    names = [name for name, n_rows in {"mine": n_mine, **labels}.items() for _ in range(n_rows)]
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(len(names) + 100, 2)).round(4), columns=["a", "b"])
    return frame.assign(kind=[*names, *[None] * 100])


def read(frame, **more):
    return read_problem(frame, "kind=mine", background="others", **more)


def test_a_label_that_goes_together_with_the_others():
    """Against rows like its own the label is chance, and the doubt says why this may be so."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(600, 2)), columns=["a", "b"])
    frame["kind"] = np.where(np.arange(600) < 200, np.resize(["mine", "u", "v", "w"], 600), None)
    frame.loc[:199, "a"] += 3
    plain, borrowed = (
        rank_table(frame, "kind=mine", background=background, methods=["naive-bayes"])
        for background in (None, "others")
    )
    assert plain.doubt.kind == ""
    assert borrowed.doubt.kind == "chance"
    assert "goes together with the other labels, so rank without" in borrowed.doubt.sentence


def test_too_few_rows_with_other_labels():
    with pytest.raises(DataError, match=r"^19 unlabeled rows have another label than 'mine' in"):
        read(small(u=10, v=9))
    with pytest.warns(OnesidedWarning, match="Only 99 unlabeled rows have another label"):
        read(small(u=49, v=50 - 20, w=20))
    assert read(small(u=40, v=40, w=20)).background.n_others == 100


def test_one_label_is_most_of_the_background():
    frame = small(u=30, v=30, pseudo=100)
    with pytest.warns(
        OnesidedWarning, match=r"100 of the 160 rows with other labels .*missing=\['pseudo'\]"
    ):
        assert read(frame).background.n_labels == 3
    with pytest.warns(OnesidedWarning, match="Only 60 "):  # the mend makes blanks of them
        assert read(frame, missing=["pseudo"]).background.n_labels == 2


def test_words_that_mean_no_label_and_known_negatives_are_no_other_labels():
    frame = small(u=60, v=60, none=0, no=50, unknown=50, legit=50)
    background = read(frame, known_negative="kind=legit").background
    assert (background.n_others, background.n_labels) == (120, 2)
    without = background.rows & ~frame["kind"].isin(["u", "v"]).to_numpy()
    assert without.sum() == 13  # a tenth of all, of any rows that carry no other label
    assert not background.rows[:30].any()


def test_rows_equal_to_a_known_positive_are_not_in_the_background():
    frame = small(u=60, v=60)
    frame.loc[30:34, ["a", "b"]] = frame.loc[0:4, ["a", "b"]].to_numpy()
    frame.loc[100, "a"] = frame.loc[0, "a"]  # in one column only
    background = read(frame).background
    assert (background.n_others, background.n_same) == (115, 5)
    assert not background.rows[30:35].any()
    assert background.rows[100]
    assert "equal a known positive in all columns used: 5" in background.sentences[1]
    assert background.n_shared == 5
    assert "have another label too" not in background.meaning
    frame.loc[30:46, ["a", "b"]] = frame.loc[0:16, ["a", "b"]].to_numpy()
    assert "17 of 30 known positives have another label too" in read(frame).background.meaning


@pytest.mark.parametrize(
    "columns",
    [
        {"a": [1.5, 1.5, None, None, 2.0, 1.5]},
        {"a": [1, 1, 0, 0, 2, 1], "b": ["x", "x", None, None, "y", "x"]},
        {"a": [np.nan, 1.0, np.nan, 0.0, -0.5, 1.0], "b": [True, None, True, None, False, None]},
    ],
)
def test_rows_of_one_kind(columns, rng):
    """Equal rows have one number, wherever they stand and whatever the type is."""
    rows = rng.permutation(np.tile(np.arange(6), 40))
    frame = pd.DataFrame(columns).iloc[rows].reset_index(drop=True)
    frame["known"] = (np.arange(240) < 20).astype(int)
    problem = read_problem(frame, "known")
    kinds = row_kinds(problem.data, problem.summary)
    cells = list(map(str, frame.drop(columns="known").to_numpy().tolist()))
    same = np.array(cells)[:, None] == np.array(cells)
    assert_array_equal(kinds[:, None] == kinds, same)


def test_labels_in_a_column_without_other_labels(tmp_path):
    frame = small(u=60, v=60)
    for spec, column in (("known", [1, 0]), ("mark", ["x", None])):
        marked = frame.assign(**{spec: np.resize(column, len(frame))})
        with pytest.raises(TableError, match=f"Column '{spec}' only marks rows"):
            read_problem(marked, spec, background="others")
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame[:30].to_csv(tmp_path / "p.csv", index=False)
    with pytest.raises(TableError, match="A file of positive rows has no other labels"):
        read_problem(tmp_path / "t.csv", positive_table=tmp_path / "p.csv", background="others")
    with pytest.raises(DataError, match="background` is 'all'"):
        rank_table(frame, "kind=mine", background="all")
    with pytest.raises(TableError, match="may lack rows that have another label"):
        fit_table(frame, "kind=mine", background="others", unlabeled=50)


def test_cells_with_several_labels():
    cells = [ITEM_MARK.join(each) for each in (["mine", "u"], ["mine"], ["u", "v"], ["no"], [""])]
    name, others = read_other_labels(pa.table({"kind": cells}), "kind=mine", lists=["kind"])
    assert name == "mine"
    assert others == [("u",), (), ("u", "v"), (), ()]
