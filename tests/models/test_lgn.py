"""LGN against loops, and on messages of real groups."""

import math

import numpy as np
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import f1_score

from onesided import LGN
from onesided.exceptions import DataError, SeparationWarning
from oracles import li2007


def documents(rng, n_known=20, n_new=15, n_words=12):
    """Counts; the last new documents are of words that are rare in the known."""
    X = rng.poisson(0.8, (n_known + n_new, n_words)).astype(float)
    X[:n_known, 8:] = rng.poisson(0.05, (n_known, n_words - 8))
    X[:-5, 10:] = 0
    X[-5:, 10:] = rng.poisson(3.0, (5, n_words - 10))
    X[:, 7] = 0  # a word of no document
    return X, np.repeat([1, 0], [n_known, n_new])


@pytest.mark.parametrize("entropy", ["class", "printed"])
@pytest.mark.parametrize("smoothing", [0.01, 1.0])
def test_by_loops(rng, entropy, smoothing):
    X, y = documents(rng)
    known, new = X[y == 1].tolist(), X[y == 0].tolist()
    q, artificial = li2007.artificial_document(known, new, entropy)
    model = LGN(entropy, smoothing=smoothing).fit(X, y)
    assert_allclose(model.weight_, q, atol=1e-12)
    assert_allclose(model.artificial_counts_, artificial, atol=1e-12)
    expected = [li2007.log_odds(known, new, artificial, row, smoothing) for row in X.tolist()]
    assert_allclose(model.decision_function(X), expected)
    assert_array_equal(model.predict(X), np.array(expected) > 0)


def test_the_draws_have_their_mean(rng):
    X, y = documents(rng, n_new=60)
    found = [
        LGN(sampling="gaussian", random_state=seed).fit(X, y).artificial_counts_
        for seed in range(400)
    ]
    q = LGN().fit(X, y).weight_
    expected = np.array(
        [
            li2007.gaussian_mean(X[y == 0, w].tolist(), q[w]) if X[y == 0, w].any() else 0.0
            for w in range(X.shape[1])
        ]
    )
    error = np.std(found, axis=0) / math.sqrt(400)
    assert_allclose(np.mean(found, axis=0), expected, atol=float(4.5 * error.max()))
    assert (expected > 0).sum() >= 3


@pytest.mark.parametrize("sampling", ["expected", "gaussian"])
def test_in_every_source(make_source, rng, labels, sampling):
    X = rng.poisson(1.0, (60, 6)).astype(float)
    X[labels == 0, 5] += rng.poisson(2.0, (labels == 0).sum())
    source = make_source(X)
    params = {"sampling": sampling, "random_state": 0}
    model, plain = LGN(**params).fit(source, labels), LGN(**params).fit(X, labels)
    assert_allclose(model.artificial_counts_, plain.artificial_counts_, rtol=1e-9)
    assert_allclose(model.decision_function(source), plain.decision_function(X), rtol=1e-9)


@pytest.mark.parametrize("sampling", ["expected", "gaussian"])
def test_weight_two_is_the_row_twice(rng, sampling):
    X, y = documents(rng)
    weight = rng.integers(0, 3, len(y)).astype(float)
    params = {"sampling": sampling, "random_state": 0}
    twice = X.repeat(weight.astype(int), axis=0), y.repeat(weight.astype(int))
    found = LGN(**params).fit(X, y, sample_weight=weight).artificial_counts_
    assert_allclose(found, LGN(**params).fit(*twice).artificial_counts_)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"entropy": "joint"}, "entropy='joint'"),
        ({"sampling": "none"}, "sampling='none'"),
        ({"smoothing": 0}, "smoothing=0"),
    ],
)
def test_bad_parameters(rng, params, message):
    with pytest.raises(DataError, match=message):
        LGN(**params).fit(*documents(rng))


def test_bad_documents(rng):
    X, y = documents(rng)
    with pytest.warns(SeparationWarning, match="No word distinguishes the unlabeled documents"):
        same = LGN().fit(np.ones((6, 3)), [1, 1, 1, 0, 0, 0])
    assert_allclose(same.decision_function(np.ones((2, 3))), 0.0, atol=1e-12)
    X[3, 2] = -1
    for kind in (np.asarray, sparse.csr_array):
        with pytest.raises(DataError, match="row 3 has -1 in feature 2"):
            LGN().fit(kind(X), y)


def test_unexpected_messages(data_dir):
    """One pair of newsgroups known, 5% of messages of another: above all that is not flagged."""
    table = pq.read_table(data_dir / "text" / "newsgroups.parquet").to_pandas()
    groups = ["comp.graphics", "sci.space", "rec.sport.hockey"]
    table = table[table.group.isin(groups)].reset_index(drop=True)
    bodies = table.text.str.partition("\n\n")[2]
    words = CountVectorizer(stop_words="english", min_df=2)
    X = words.fit_transform(bodies)
    rng = np.random.default_rng(0)
    is_other = (table.group == groups[2]).to_numpy()
    shown = ~is_other & (rng.random(len(table)) < 0.7)
    new = ~is_other & ~shown
    others = rng.choice(np.flatnonzero(is_other), round(0.05 * new.sum()), replace=False)
    rows = np.concatenate([np.flatnonzero(shown), np.flatnonzero(new), others])
    y = np.repeat([1, 0], [shown.sum(), new.sum() + len(others)])
    truth = np.repeat([0, 1], [new.sum(), len(others)])
    flagged = LGN().fit(X[rows], y).predict(X[rows[y == 0]]) == 0
    assert f1_score(truth, flagged) > 0.3
    assert f1_score(truth, flagged) > f1_score(truth, np.ones_like(truth)) + 0.15


def test_scoring_refuses_what_fitting_refuses(rng):
    X, y = documents(rng)
    with pytest.raises(DataError, match="Negative values"):
        LGN().fit(X, y).predict(-X)
    with pytest.raises(DataError, match="No document contains a word:"):
        LGN().fit(X * 0, y)
