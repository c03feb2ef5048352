"""Similarity to known rows against loops, and on messages of real groups."""

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import f1_score

from onesided import LGN, NearestKnown
from onesided.exceptions import DataError
from onesided.models.nearest import _nearest_known
from onesided.models.nearest._equations import Cut, mean_of_largest
from onesided.promises import adjusted_p_values, conformal_p_values
from oracles import nearest as oracle


def documents(rng, n_known=40, n_new=25, n_words=30):
    """Known documents of two kinds, new ones of either, and five of other words; and kinds."""
    kinds = rng.choice(["east", "west"], n_known + n_new)
    rate = np.full((n_known + n_new, n_words), 0.15)
    rate[kinds == "east", :10] = 1.0
    rate[kinds == "west", 10:20] = 1.0
    rate[-5:, :20], rate[-5:, 20:] = 0.15, 1.5
    X = rng.poisson(rate * rng.uniform(0.5, 2, (len(rate), 1)))
    return X, np.repeat([1, 0], [n_known, n_new]), kinds


@pytest.mark.parametrize("k", [1, 3, 100])
@pytest.mark.parametrize("with_kinds", [False, True])
@pytest.mark.parametrize("made", [np.asarray, sparse.csr_array])
def test_by_loops(rng, k, with_kinds, made):
    X, y, kinds = documents(rng)
    rows = oracle.weights(X.tolist())
    known, new = rows[:40], rows[40:]
    of_known = list(kinds[:40]) if with_kinds else [""] * 40
    left_out = [oracle.similarity(row, known, of_known, k, i) for i, row in enumerate(known)]
    found = [oracle.similarity(row, known, of_known, k) for row in new]
    length = np.linalg.norm(rows, axis=1)
    known_scores = oracle.scores(left_out, length[:40], left_out, length[:40], degree=2)
    new_scores = oracle.scores(left_out, length[:40], found, length[40:], degree=2)
    flagged, share = oracle.best_cut(known_scores, new_scores)

    model = NearestKnown(k).fit(made(X), y, kinds=kinds if with_kinds else None)
    scores = model.decision_function(made(X))[40:]
    assert_allclose(np.diff(scores), np.diff(new_scores), atol=1e-8)
    assert_allclose(model.known_scores_ - scores[0], known_scores - new_scores[0], atol=1e-8)
    assert_array_equal(model.predict(made(X))[40:] == 0, flagged)
    assert model.class_prior_ == pytest.approx(1 - share)


def test_cut_against_loops(rng):
    for _ in range(100):
        known = rng.normal(size=50).round(1)  # with ties
        unlabeled = np.append(rng.normal(size=30), rng.normal(-3, 1, rng.integers(1, 20))).round(1)
        cut = Cut.best(known, unlabeled)
        flagged, share = oracle.best_cut(known, unlabeled)
        assert_array_equal(unlabeled <= cut.threshold, flagged)
        assert cut.share == pytest.approx(share)


def test_cut_of_a_few():
    """Fewer than ten: those below the tenth of the known, and ties with it are not."""
    known = np.arange(101.0)
    cut = Cut.best(known, np.array([3.0, 10.0, 50.0]))
    assert_array_equal(np.array([3.0, 10.0, 50.0]) <= cut.threshold, [True, False, False])
    assert cut.share == pytest.approx(1 / 3)
    assert Cut.best(known, np.array([50.0])).share == 0


def test_mean_of_largest():
    values = np.array([[1.0, 5, 3], [-np.inf, 2, 1], [-np.inf, -np.inf, -np.inf]])
    assert_allclose(mean_of_largest(values, 2), [4, 1.5, 0])
    assert_allclose(mean_of_largest(values, 9), [3, 1.5, 0])


def test_some_rows_at_a_time(rng, monkeypatch):
    X, y, kinds = documents(rng)
    plain = NearestKnown().fit(X, y, kinds=kinds)
    monkeypatch.setattr(_nearest_known, "_SIMILARITIES", 3 * 40)  # three rows
    few = NearestKnown().fit(X, y, kinds=kinds)
    assert_allclose(few.decision_function(X), plain.decision_function(X))
    assert_array_equal(few.kneighbors(X, 3)[1], plain.kneighbors(X, 3)[1])


def test_files_are_arrays(rng, tmp_path):
    X, y, kinds = documents(rng)
    frame = pd.DataFrame(X, columns=[f"w{i}" for i in range(30)]).assign(known=y)
    frame.to_parquet(tmp_path / "new.parquet", row_group_size=7)
    from_file = NearestKnown().fit(tmp_path / "new.parquet", "known", kinds=kinds)
    plain = NearestKnown().fit(X, y, kinds=kinds)
    scores = from_file.decision_function(tmp_path / "new.parquet")
    assert_allclose(scores, plain.decision_function(X))
    kinds_of_file = from_file.predict_kind(tmp_path / "new.parquet")
    assert_array_equal(kinds_of_file, plain.predict_kind(X))


def test_order_of_rows_changes_nothing(rng):
    X, y, kinds = documents(rng)
    order = rng.permutation(len(y))
    plain = NearestKnown().fit(X, y, kinds=kinds)
    other = NearestKnown().fit(X[order], y[order], kinds=kinds[order])
    assert_allclose(other.decision_function(X), plain.decision_function(X))
    positions = {row: i for i, row in enumerate(order[y[order] == 1])}
    expected = [plain.known_scores_[row] for row in positions]
    assert_allclose(other.known_scores_, expected)


@pytest.mark.parametrize("weighting", ["tf-idf", "none"])
def test_rows_that_are_the_same_score_the_same(weighting):
    """However they are stored and cut into blocks: many rows are repeated, and all scores tied."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        base = rng.poisson(0.8, (6, 7)).astype(float)
        X = base[base.sum(axis=1) > 0][rng.integers(0, (base.sum(axis=1) > 0).sum(), 300)]
        y = (rng.random(300) < 0.5).astype(int)
        model = NearestKnown(weighting=weighting).fit(X, y)
        expected = model.predict(X)
        as_csr = NearestKnown(weighting=weighting).fit(sparse.csr_array(X), y)
        assert_array_equal(as_csr.predict(sparse.csr_array(X)), expected)
        different, which = np.unique(X, axis=0, return_inverse=True)
        one_by_one = np.array([model.predict(row[None])[0] for row in different])
        assert_array_equal(one_by_one[which], expected)
        scores = [
            conformal_p_values(each.known_scores_, each.decision_function(X[y == 0]))
            for each in (model, as_csr)
        ]
        assert_allclose(*scores)


def test_kinds_and_neighbors(rng):
    X, y, kinds = documents(rng)
    model = NearestKnown().fit(X, y, kinds=kinds)
    assert_array_equal(model.kinds_, ["east", "west"])
    assert (model.predict_kind(X)[40:60] == kinds[40:60]).mean() > 0.9
    cosines, indices = model.kneighbors(X[:40], 2)
    assert_array_equal(indices[:, 0], np.arange(40))  # each is its own neighbor
    assert_allclose(cosines[:, 0], 1)
    assert (cosines[:, 1] <= cosines[:, 0]).all()
    plain = NearestKnown().fit(X, y)
    assert plain.kinds_ is None
    with pytest.raises(DataError, match=r"The model was fitted without kinds."):
        plain.predict_kind(X)
    with pytest.raises(DataError, match=r"kinds has shape \(3,\); X has 65 rows"):
        NearestKnown().fit(X, y, kinds=["a", "b", "c"])


def test_no_weighting_is_the_cosine_itself(rng):
    X, y, _ = documents(rng)
    model = NearestKnown(weighting="none").fit(X, y)
    cosines, indices = model.kneighbors(X[40:])
    expected = [[oracle.cosine(new, known) for known in X[:40].tolist()] for new in X[40:].tolist()]
    assert_allclose(cosines[:, 0], np.max(expected, axis=1))
    assert_array_equal(indices[:, 0], np.argmax(expected, axis=1))


def test_documents_without_words_are_not_flagged(rng):
    X, y, _ = documents(rng)
    X[[3, 50, 51]] = 0
    model = NearestKnown().fit(X, y)
    scores = model.decision_function(X)
    assert scores[50] == scores[51] == model.known_scores_.max()
    assert model.known_scores_[3] == model.known_scores_.max()
    assert_array_equal(model.predict(X)[[50, 51]], 1)


@pytest.mark.parametrize("n_new", [8, 40])
def test_identical_documents(n_new):
    X, y = np.ones((12 + n_new, 4)), np.repeat([1, 0], [12, n_new])
    model = NearestKnown().fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    assert np.ptp(model.decision_function(X)) == pytest.approx(0, abs=1e-6)
    assert_array_equal(model.predict(X), 1)
    p = conformal_p_values(model.known_scores_, model.decision_function(X[12:]))
    assert (adjusted_p_values(p) > 0.1).all()


def test_bad_input(rng):
    X, y, _ = documents(rng)
    with pytest.raises(DataError, match="has -1 in feature 2"):
        NearestKnown().fit(np.where(np.arange(30) == 2, -1, X), y)
    with pytest.raises(DataError, match="0 of 40 positive rows have a feature above 0;"):
        NearestKnown().fit(X * (y == 0)[:, None], y)
    with pytest.raises(DataError, match="No unlabeled row has a feature above 0"):
        NearestKnown().fit(X * (y == 1)[:, None], y)
    for n_neighbors in (0, 1.5, "ten"):
        with pytest.raises(DataError, match="n_neighbors="):
            NearestKnown(n_neighbors).fit(X, y)
    kinds = np.array(["a"] * 65, dtype=object)
    kinds[7] = None
    with pytest.raises(DataError, match="kinds has no value in row 7, which is positive"):
        NearestKnown().fit(X, y, kinds=kinds)
    kinds[:] = [np.float64(1)] * 65  # numpy's numbers in an array of objects are no gaps
    assert NearestKnown().fit(X, y, kinds=kinds).kinds_ == [1]
    kinds[7] = "a"
    with pytest.raises(DataError, match="several types"):
        NearestKnown().fit(X, y, kinds=kinds)
    with pytest.raises(DataError, match="squares are infinite"):
        NearestKnown(weighting="none").fit(X * 1e200, y)
    fitted = NearestKnown().fit(X, y, kinds=y)
    for ask in (fitted.predict_kind, fitted.kneighbors, fitted.predict):
        with pytest.raises(DataError, match="Negative values"):
            ask(-X)
    with pytest.raises(DataError, match="n_neighbors=0"):
        fitted.kneighbors(X, 0)
    with pytest.raises(DataError, match="weighting='bm25' is not 'none' or 'tf-idf'"):
        NearestKnown(weighting="bm25").fit(X, y)


@pytest.fixture(scope="module")
def messages(data_dir):
    table = pq.read_table(data_dir / "text" / "newsgroups.parquet", columns=["group", "text"])
    bodies = [text.partition("\n\n")[2] for text in table["text"].to_pylist()]
    words = CountVectorizer(stop_words="english", min_df=2)
    return words.fit_transform(bodies).tocsr(), np.array(table["group"].to_pylist())


def new_among_known(messages, pair, share, seed):
    """The task of Li, Liu, Ng 2007, section 4.1."""
    X, group = messages
    rng = np.random.default_rng(seed)
    known, new = [], []
    for each in pair:
        rows = rng.permutation(np.flatnonzero(group == each))
        cut = round(0.7 * len(rows))
        known.append(rows[:cut])
        new.append(rows[cut:])
    known, new = np.concatenate(known), np.concatenate(new)
    others = rng.permutation(np.flatnonzero(~np.isin(group, pair)))[: round(share * len(new))]
    rows = np.concatenate([known, new, others])
    y = np.repeat([1, 0], [len(known), len(new) + len(others)])
    return X[rows], y, group[rows], ~np.isin(group[rows[len(known) :]], pair)


PAIRS = [
    (a, b) for a in ("comp.windows.x", "comp.sys.mac.hardware") for b in ("sci.med", "sci.space")
]


def test_better_than_lgn_on_messages(messages):
    """Four of the reporting pairs, 5% unexpected: F, percent."""
    found = {"nearest": [], "lgn": []}
    for seed, pair in enumerate(PAIRS):
        X, y, kinds, unexpected = new_among_known(messages, pair, 0.05, seed)
        models = {"nearest": NearestKnown().fit(X, y, kinds=kinds), "lgn": LGN().fit(X, y)}
        for name, model in models.items():
            found[name].append(f1_score(unexpected, model.predict(X[y == 0]) == 0))
    assert np.mean(found["nearest"]) > 0.52
    assert np.mean(found["nearest"]) > np.mean(found["lgn"]) + 0.05


def test_promise_on_messages(messages):
    """60% unexpected: at a rate of .1 more than half of them are flagged."""
    false, found = [], []
    for seed, pair in enumerate(PAIRS * 3):
        X, y, kinds, unexpected = new_among_known(messages, pair, 0.6, seed)
        model = NearestKnown().fit(X, y, kinds=kinds)
        p = conformal_p_values(model.known_scores_, model.decision_function(X[y == 0]))
        flagged = adjusted_p_values(p) <= 0.1
        false.append((flagged & ~unexpected).sum() / max(flagged.sum(), 1))
        found.append(flagged[unexpected].mean())
    assert np.mean(false) <= 0.1
    assert np.mean(found) >= 0.5
