"""Two-step methods against loops, and on messages of real groups."""

import pickle
from itertools import islice

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import f1_score
from sklearn.svm import LinearSVC

from onesided import PEBL, NearestKnown, RocchioSVM, SpyEM, TwoStep
from onesided._blocks import ArraySource, read_features
from onesided.exceptions import DataError, SeparationWarning
from onesided.models.composite import (
    EMStep,
    IteratedSVMStep,
    NaiveBayesStep,
    NearestStep,
    OneDNFStep,
    RocchioStep,
    SpyStep,
    SVMStep,
)
from onesided.models.composite._word_em import EM, WordModel
from oracles import two_step as oracle

PRESETS = [SpyEM(random_state=0), RocchioSVM(), PEBL()]
presets = pytest.mark.parametrize("model", PRESETS, ids=lambda m: type(m).__name__)


def documents(rng, labels, n_words=10):
    """Counts of words; the last 20 unlabeled rows are of words that are rare elsewhere."""
    X = rng.poisson(1.0, (len(labels), n_words)).astype(float)
    X[:, n_words - 3 :] = rng.poisson(0.05, (len(labels), 3))
    other = np.flatnonzero(labels == 0)[-20:]
    X[other] = rng.poisson(0.15, (20, n_words))
    X[np.ix_(other, range(n_words - 3, n_words))] = rng.poisson(2.0, (20, 3))
    X[:, 2] = 0  # a word of no document
    return X


def source_of(X, labels):
    return ArraySource(X, labels == 1)


STEPS = [
    (RocchioStep(), oracle.rocchio_negatives),
    (RocchioStep(2.0, 1.0), lambda X, y: oracle.rocchio_negatives(X, y, 2, 1)),
    (OneDNFStep(), oracle.one_dnf_negatives),
    (NaiveBayesStep(), oracle.naive_bayes_negatives),
]


@pytest.mark.parametrize(("step", "expected"), STEPS, ids=lambda each: type(each).__name__)
def test_first_steps_by_loops(make_source, rng, labels, step, expected):
    X = documents(rng, labels)
    source = read_features(make_source(X), numeric=True).labeled(labels == 1, None)
    found = step.find(source, 0)
    assert_array_equal(found, expected(X.tolist(), labels.tolist()))
    assert 0 < found.sum() < (labels == 0).sum()


@pytest.mark.parametrize(("step", "expected"), STEPS, ids=lambda each: type(each).__name__)
def test_first_steps_where_it_is_close(rng, labels, step, expected):
    n_found = 0
    for _ in range(20):
        X = rng.poisson(0.3, (60, 8)).astype(float)
        found = step.find(source_of(X, labels), 0)
        assert_array_equal(found, expected(X.tolist(), labels.tolist()))
        n_found += found.sum()
    assert n_found > 20


def test_prototypes_by_hand():
    """Two words; the prototypes are (12.., −4..) and (−4.., 12..) up to length."""
    X = np.array([[2, 0], [1, 0], [5, 1], [0, 3]])
    found = RocchioStep().find(source_of(X, np.array([1, 1, 0, 0])), 0)
    assert_array_equal(found, [False, False, False, True])


def test_typical_words_by_hand():
    """Word 0 is in all positives and half of the unlabeled, word 1 in half of both."""
    X = np.array([[1, 1, 0], [2, 0, 0], [0, 1, 1], [3, 0, 1]])
    found = OneDNFStep().find(source_of(X, np.array([1, 1, 0, 0])), 0)
    assert_array_equal(found, [False, False, True, False])


def test_em_by_loops(rng, labels):
    """Iteration by iteration, from the unlabeled as negatives and from some of them."""
    X = documents(rng, labels)
    rows, fixed = X.tolist(), (labels == 1).tolist()
    reliable = (labels == 0) & (X[:, -1] > 1)
    seen = X.sum(axis=0) > 0
    for negative in (labels == 0, reliable):
        shares = np.stack([negative, labels == 1], axis=1).astype(float)
        start = WordModel.of((X.T @ shares).T, shares.sum(axis=0), seen, 1.0)
        expected = oracle.em_models(rows, fixed, shares.tolist(), 8)
        found = list(islice(EM(1.0, 0.0, 9)._models(source_of(X, labels), start, seen), 8))
        for (model, _), (log_class, log_words) in zip(found, expected, strict=True):
            assert_allclose(model.class_log_prior, log_class, atol=1e-10)
            for c in (0, 1):
                words = model.feature_log_prob[c][seen]
                assert_allclose(words, list(log_words[c].values()), atol=1e-10)
        objective = [oracle.objective(model, rows, fixed) for model in expected]
        climb = EM(1.0, 1e-9, 500).climb(source_of(X, labels), start, seen, until_error_grows=False)
        assert_allclose(climb.objective[:5], objective[:5], rtol=1e-10)
        assert (np.diff(climb.objective) > -1e-9).all()
        assert climb.converged


def test_the_model_before_the_error_grows(rng, labels):
    n_grown = 0
    for _ in range(12):
        X = documents(rng, labels, n_words=6)
        rows = X.tolist()
        reliable = (labels == 0) & (rng.random(len(labels)) < 0.3)
        step = EMStep(max_iter=200).learn(source_of(X, labels), reliable)
        shares = np.stack([reliable, labels == 1], axis=1).astype(float).tolist()
        models = oracle.em_models(rows, (labels == 1).tolist(), shares, step.n_iter_ + 1)
        changes = oracle.changes_of_error(models, rows, labels.tolist())
        assert_allclose(step.error_change_, changes, atol=1e-9)
        assert (step.error_change_[:-1] <= 0).all()
        grown = changes[-1] > 0
        n_grown += grown
        assert step.selected_ == step.n_iter_ - grown
        scores = step.score_block(next(source_of(X, labels).blocks()))
        expected = [oracle.log_odds(models[step.selected_], row) for row in rows]
        assert_allclose(scores, expected, atol=1e-9)
    assert 0 < n_grown < 12


@pytest.mark.parametrize("noise_share", [0.0, 0.15, 0.4])
def test_spies_by_loops(rng, labels, noise_share):
    positive, n_found = labels == 1, set()
    for seed in range(6):
        X = rng.poisson(1.0, (60, 20)).astype(float)
        X[labels == 0, :6] += rng.poisson(0.5, (40, 6))
        rows = X.tolist()
        spies = SpyStep(0.35)._drawn(positive, seed)
        known = positive & ~spies
        start = np.stack([~known, known], axis=1).astype(float).tolist()
        model = oracle.em_models(rows, known.tolist(), start, 300)[-1]
        negative = oracle.spy_negatives(
            model, rows, labels.tolist(), np.flatnonzero(spies), noise_share
        )
        found = SpyStep(0.35, noise_share, tol=1e-12).find(source_of(X, labels), seed)
        assert_array_equal(found, negative)
        n_found.add(found.sum())
    assert len(n_found) > 2


def test_numbers_of_spies(labels):
    for n_positive, share, expected in ((20, 0.15, 3), (10, 0.25, 2), (3, 0.15, 1), (2, 0.9, 1)):
        positive = np.arange(60) < n_positive
        spies = SpyStep(share)._drawn(positive, 0)
        assert spies.sum() == expected
        assert not (spies & ~positive).any()
    drawn = [SpyStep()._drawn(labels == 1, seed) for seed in range(5)]
    assert len({tuple(each) for each in drawn}) > 1


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, sparse.csr_matrix])
def test_svms_by_loops(rng, labels, kind):
    X = rng.poisson(1.0, (60, 10)).astype(float)  # hard: some positives are called negative
    unit, positive = np.array(oracle.tfidf(X.tolist())), labels == 1
    negative = ~positive & (np.arange(60) % 3 == 0)

    def svm(of):
        rows = positive | of
        model = LinearSVC(C=2.0, dual=False).fit(unit[rows], positive[rows])
        return model.decision_function(unit)

    X = kind(X)
    if sparse.issparse(X):  # as those of a part of a large matrix
        X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    source, block = source_of(X, labels), next(source_of(X, labels).blocks())
    first = svm(negative)
    assert_allclose(SVMStep(2.0).learn(source, negative).score_block(block), first, atol=1e-9)
    last, all_negative, n_svms = first, negative, 1
    while (more := (last <= 0) & ~positive & ~all_negative).any():
        all_negative = all_negative | more
        last, n_svms = svm(all_negative), n_svms + 1
    assert n_svms > 1
    rejected = (last[positive] <= 0).mean()
    assert 0 < rejected < 0.99
    for select, kept in ((False, last), (rejected + 0.01, last), (rejected - 0.01, first)):
        step = IteratedSVMStep(2.0, select=select).learn(source, negative)
        assert_allclose(step.score_block(block), kept, atol=1e-9)
        assert step.n_iter_ == n_svms
        assert step.converged_
        assert step.selected_ == (0 if kept is first else n_svms - 1)
    with pytest.warns(ConvergenceWarning, match="learned max_iter=1 times"):
        assert not IteratedSVMStep(2.0, max_iter=1).learn(source, negative).converged_


@pytest.mark.parametrize(
    ("first", "second"),
    [("spy", "em"), ("rocchio", "selected-svm"), ("1-dnf", "iterated-svm"), ("naive-bayes", "svm")],
)
def test_in_every_source(make_source, rng, labels, first, second):
    X = documents(rng, labels)
    source = make_source(X)
    plain = TwoStep(first, second, random_state=1).fit(X, labels)
    model = TwoStep(first, second, random_state=1).fit(source, labels)
    assert_array_equal(model.reliable_negative_, plain.reliable_negative_)
    assert_allclose(
        model.decision_function(source), plain.decision_function(X), rtol=1e-7, atol=1e-9
    )


@pytest.mark.parametrize(
    ("preset", "parts"),
    [
        (SpyEM(random_state=3), TwoStep("spy", "em", random_state=3)),
        (RocchioSVM(), TwoStep("rocchio", "selected-svm")),
        (PEBL(), TwoStep("1-dnf", "iterated-svm")),
        (
            SpyEM(0.3, 0.2, smoothing=0.1, random_state=3),
            TwoStep(SpyStep(0.3, 0.2, smoothing=0.1), EMStep(smoothing=0.1), random_state=3),
        ),
        (
            RocchioSVM(8, 2, C=3.0),
            TwoStep(RocchioStep(8, 2), IteratedSVMStep(3.0, select=0.08)),
        ),
    ],
    ids=lambda each: type(each).__name__,
)
def test_presets_are_their_parts(rng, labels, preset, parts):
    X = documents(rng, labels)
    first, second = clone(preset).fit(X, labels), clone(parts).fit(X, labels)
    assert_array_equal(first.reliable_negative_, second.reliable_negative_)
    assert_array_equal(first.decision_function(X), second.decision_function(X))
    assert first.n_iter_ == second.n_iter_
    assert first.converged_


def test_parameters_of_steps(rng, labels):
    X = documents(rng, labels)
    given = TwoStep(SpyStep(), SVMStep(), random_state=0)
    given.set_params(first__noise_share=0.6, second__C=5.0).fit(X, labels)
    assert given.second_.C == 5.0
    assert given.first.noise_share == 0.6
    assert not hasattr(given.second, "svm_"), "the step that was given is not fitted"
    assert not hasattr(given, "n_iter_"), "one SVM is no iteration"
    plain = TwoStep("spy", SVMStep(5.0), random_state=0).fit(X, labels)
    assert given.reliable_negative_.sum() > plain.reliable_negative_.sum()


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (TwoStep("spies"), "first='spies' is not '1-dnf', 'naive-bayes'"),
        (TwoStep("spy", "svc"), "second='svc' is not 'em', 'iterated-svm'"),
        (TwoStep(LinearSVC()), "LinearSVC.* is not .* implementing 'find'"),
        (TwoStep("spy", LinearSVC()), "LinearSVC.* is not .* implementing 'learn'"),
        (SpyEM(1.0), "spy_share=1.0 is not a number of at least 0 and below 1"),
        (SpyEM(noise_share=-0.1), "noise_share=-0.1 is not a number of at least 0"),
        (SpyEM(smoothing=0), "smoothing=0"),
        (SpyEM(tol=-1), "tol=-1"),
        (SpyEM(max_iter=0), "max_iter=0"),
        (RocchioSVM(alpha=0), "alpha=0"),
        (RocchioSVM(beta=-1), "beta=-1"),
        (PEBL(C=0), "C=0"),
        (PEBL(max_iter=2.5), "max_iter=2.5"),
        (
            TwoStep("rocchio", IteratedSVMStep(select=1)),
            "select=1 is not a number .* or False",
        ),
        (TwoStep(NaiveBayesStep(0)), "smoothing=0"),
    ],
)
def test_bad_parameters(rng, labels, model, message):
    with pytest.raises(DataError, match=message):
        clone(model).fit(documents(rng, labels), labels)


@pytest.mark.parametrize("first", ["spy", "rocchio"])
def test_equal_documents_give_no_reliable_negative(first):
    X, y = np.tile([3.0, 1.0, 2.0], (30, 1)), np.repeat([1, 0], [10, 20])
    message = "among 20 unlabeled rows .* takes all unlabeled rows as negative.* another first step"
    with pytest.warns(SeparationWarning, match=message):
        model = TwoStep(first, random_state=0).fit(X, y)
    assert not model.reliable_negative_.any()


def test_all_fall_back_to_all_of_the_unlabeled(rng, labels):
    X = documents(rng, labels)
    X[:, :2] = labels[:, None]  # both are typical of the positives, and each other row has one
    X[np.flatnonzero(labels == 0), np.arange(40) % 2] = 1
    with pytest.warns(
        SeparationWarning, match=r"OneDNFStep\(\) finds no reliable negative among 40"
    ):
        model = PEBL().fit(X, labels)
    assert not model.reliable_negative_.any()
    plain = SVMStep().learn(source_of(X, labels), labels == 0)
    expected = plain.score_block(next(source_of(X, labels).blocks()))
    assert_allclose(model.decision_function(X), expected)
    with pytest.warns(SeparationWarning, match="SpyStep"):
        same = SpyEM().fit(np.ones((6, 3)), [1, 1, 1, 0, 0, 0])
    assert np.isfinite(same.decision_function(np.ones((2, 3)))).all()


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_documents_without_words(rng, labels, kind):
    X = documents(rng, labels)
    X[[0, 1, 30, 59]] = 0
    for model in (*PRESETS, TwoStep("naive-bayes", "em")):
        fitted = clone(model).fit(kind(X), labels)
        assert np.isfinite(fitted.decision_function(kind(X))).all()
    assert not RocchioStep().find(source_of(kind(X), labels), 0)[[0, 1, 30, 59]].any()
    with pytest.warns(SeparationWarning, match="SpyStep"):
        empty = SpyEM().fit(kind(np.zeros((6, 3))), [1, 1, 1, 0, 0, 0])
    scores = empty.decision_function(kind(np.array([[0.0, 0.0, 0.0], [1.0, 5.0, 2.0]])))
    assert_allclose(scores[0], scores[1])  # a word that was never seen says nothing


@presets
def test_few_positives(rng, labels, model):
    X = documents(rng, labels)
    rows = np.flatnonzero(labels == 1)
    for n_positive in (1, 2, 3):
        y = np.zeros(60, dtype=int)
        y[rows[:n_positive]] = 1
        fitted = clone(model).fit(X, y)
        assert np.isfinite(fitted.decision_function(X)).all()
        assert fitted.reliable_negative_.any()


@presets
def test_negative_counts(make_source, rng, labels, model):
    X = documents(rng, labels)
    X[41, 2] = -3
    with pytest.raises(DataError, match="row 41 has -3 in feature 2"):
        clone(model).fit(make_source(X), labels)


@presets
def test_positives_score_higher(rng, labels, model):
    X = documents(rng, labels)
    model = clone(model).fit(X, labels)
    other = np.flatnonzero(labels == 0)[-20:]
    hidden = np.flatnonzero(labels == 0)[:-20]
    assert (model.predict(X[labels == 1]) == 1).mean() > 0.8
    assert (model.predict(X[hidden]) == 1).mean() > 0.8
    assert (model.predict(X[other]) == 0).mean() > 0.8
    swapped = np.zeros_like(labels)
    swapped[other[:15]] = 1
    scores = clone(model).fit(X, swapped).decision_function(X)
    assert scores[labels == 1].max() < scores[other].mean()


@presets
def test_labels_frames_and_files(rng, labels, model, tmp_path):
    X = documents(rng, labels)
    plain = clone(model).fit(X, labels)
    expected = plain.decision_function(X)
    for coded in (labels == 1, np.where(labels, 1.0, np.nan), labels * 7 + 3):
        assert_allclose(clone(model).fit(X, coded).decision_function(X), expected)
    told = clone(model).set_params(positive_label="known").fit(X, np.where(labels, "known", "new"))
    assert_array_equal(told.predict(X) == "known", plain.predict(X) == 1)
    frame = pd.DataFrame(X, columns=list("abcdefghij"))
    fitted = clone(model).fit(frame.assign(known=labels), "known")
    assert_allclose(fitted.decision_function(frame[list("jihgfedcba")]), expected, atol=1e-9)
    frame.assign(known=labels).to_parquet(tmp_path / "t.parquet")
    fitted = clone(model).fit(tmp_path / "t.parquet", "known")
    assert_allclose(fitted.decision_function(tmp_path / "t.parquet"), expected, atol=1e-9)
    again = pickle.loads(pickle.dumps(plain))
    assert_array_equal(again.decision_function(X), expected)


def test_permuted_rows_and_words(rng, labels):
    """Without chance the order of rows and words is no part of the method."""
    X = documents(rng, labels)
    rows, words = rng.permutation(60), rng.permutation(10)
    for model in (RocchioSVM(), PEBL(), TwoStep("naive-bayes", "em")):
        expected = clone(model).fit(X, labels).decision_function(X)[rows]
        permuted = X[rows][:, words]
        found = clone(model).fit(permuted, labels[rows]).decision_function(permuted)
        assert_allclose(found, expected, atol=1e-6)


def test_em_that_is_stopped(rng, labels):
    X = documents(rng, labels)
    with pytest.warns(ConvergenceWarning, match="EM stopped at max_iter=1; the last gain was"):
        SpyEM(max_iter=1, random_state=0).fit(X, labels)


@pytest.fixture(scope="module")
def messages(data_dir):
    """Two known groups, and 60% of messages of others: counts, labels, which are of others."""
    table = pq.read_table(data_dir / "text" / "newsgroups.parquet").to_pandas()
    known = table.group.isin(["comp.graphics", "sci.space"]).to_numpy()
    rng = np.random.default_rng(0)
    shown = known & (rng.random(len(table)) < 0.7)
    new = np.flatnonzero(known & ~shown)
    others = rng.choice(np.flatnonzero(~known), round(0.6 * len(new)), replace=False)
    rows = np.concatenate([np.flatnonzero(shown), new, others])
    bodies = table.text.iloc[rows].str.partition("\n\n")[2]
    words = CountVectorizer(token_pattern="[a-zA-Z]{2,}", stop_words="english", min_df=2)  # noqa: S106 - no password
    y = np.repeat([1, 0], [shown.sum(), len(new) + len(others)])
    return words.fit_transform(bodies), y, np.repeat([0, 1], [len(new), len(others)])


@pytest.mark.parametrize(("model", "least"), [(SpyEM(random_state=0), 0.65), (RocchioSVM(), 0.6)])
def test_unexpected_messages(messages, model, least):
    X, y, other = messages
    flagged = clone(model).fit(X, y).predict(X[y == 0]) == 0
    assert f1_score(other, flagged) > least
    assert f1_score(other, np.ones_like(other)) < 0.55, "flagging all is not enough"


def test_pebl_needs_more_negatives(messages):
    """1-DNF finds next to nothing where half of the words are typical by chance."""
    X, y, _ = messages
    assert 0 < PEBL().fit(X, y).reliable_negative_.sum() < 30


def test_nearest_step_is_nearest_known(rng):
    labels = np.repeat([1, 0], [40, 60])
    X = documents(rng, labels)
    model = TwoStep(NearestStep(5), "svm").fit(X, labels)
    expected = NearestKnown(5).fit(X, labels).predict(X) == 0
    assert_array_equal(model.reliable_negative_, expected & (labels == 0))
    assert model.reliable_negative_[-20:].mean() > 0.5
    assert model.reliable_negative_[40:80].mean() < 0.1
    with pytest.raises(DataError, match="n_neighbors=0"):
        TwoStep(NearestStep(0)).fit(X, labels)


@presets
def test_scoring_refuses_what_fitting_refuses(model, rng):
    labels = np.repeat([1, 0], [40, 60])
    X = documents(rng, labels)
    with pytest.raises(DataError, match="Negative values"):
        clone(model).fit(X, labels).predict(-X)


def test_a_penalty_that_would_not_end(rng):
    labels = np.repeat([1, 0], [40, 60])
    with pytest.raises(DataError, match=r"C=1e\+300 is not a number above 0 and of at most 1e\+08"):
        RocchioSVM(C=1e300).fit(documents(rng, labels), labels)
