"""Information gain in bits, by the printed formula and by scikit-learn."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.feature_selection import mutual_info_classif
from sklearn.pipeline import make_pipeline

from onesided import NoisyOrClassifier
from onesided.exceptions import DataError, LabelError, LabelWarning, SeparationWarning
from onesided.preprocessing import InformationGainSelector
from oracles import vomlel2004 as oracle


@pytest.fixture
def problem(rng):
    """Words of 80 rows, ever rarer among the negatives; one is constant, one is the class."""
    y = np.repeat([1, 0], [25, 55])
    X = (rng.random((80, 8)) < np.where(y[:, None] == 1, 0.6, np.linspace(0.1, 0.7, 8))).astype(int)
    X[:, 3], X[:, 4], X[:, 5] = 0, 1, y
    return X, y


def gain(X, y, **parameters):
    return InformationGainSelector(0.0, **parameters).fit(X, y).information_gain_


def test_by_the_printed_formula(problem):
    X, y = problem
    found = gain(X, y)
    assert_allclose(found, [oracle.information_gain(column, y) for column in X.T], atol=1e-12)
    assert found[3] == found[4] == 0
    p = y.mean()
    assert_allclose(found[5], -p * np.log2(p) - (1 - p) * np.log2(1 - p))


def test_a_number_worked_by_hand():
    """A feature of 2 rows in 8, both positive, of 4: IG = 1 - 6/8 H(1/3)."""
    X, y = np.array([[1, 1] + [0] * 6]).T, np.array([1] * 4 + [0] * 4)
    expected = 1 - 6 / 8 * (1 / 3 * np.log2(3) + 2 / 3 * np.log2(3 / 2))
    assert_allclose(gain(X, y), [expected])


def test_scikit_learn_gives_nats(problem):
    X, y = problem
    nats = mutual_info_classif(X, y, discrete_features=True)
    assert_allclose(gain(X, y), nats / np.log(2), atol=1e-12)


def test_symmetries(problem, rng):
    X, y = problem
    expected = gain(X, y)
    order = rng.permutation(len(y))
    assert_allclose(gain(X[order], y[order]), expected, atol=1e-12)
    assert_allclose(gain(X.repeat(2, axis=0), y.repeat(2)), expected, atol=1e-12)
    assert_allclose(gain(1 - X, y), expected, atol=1e-12)
    assert_allclose(gain(X, 1 - y), expected, atol=1e-12)
    assert_allclose(gain(X[:, ::-1], y), expected[::-1])
    assert not np.allclose(gain(X, y[order]), expected)  # noqa: TID251 - it must differ


@pytest.mark.parametrize("kind", [bool, np.int8, np.uint8, np.float32])
def test_types_and_storage(problem, kind):
    X, y = problem
    expected = gain(X, y)
    for of in (
        np.asarray,
        np.asfortranarray,
        sparse.csr_array,
        sparse.csr_matrix,
        sparse.csc_array,
    ):
        assert_allclose(gain(of(X.astype(kind)), y), expected)


def test_stored_zeros_and_duplicates(problem):
    X, y = problem
    stored = sparse.csr_array(np.ones_like(X))
    stored.data = X.ravel().copy()
    rows, columns = np.nonzero(X)
    halves = sparse.csr_array(X, dtype=float)
    halves.data[:] = 0.5
    twice = sparse.csr_array(
        (np.repeat(halves.data, 2), np.repeat(halves.indices, 2), halves.indptr * 2), shape=X.shape
    )
    assert len(rows) < len(stored.data)
    assert_allclose(gain(stored, y), gain(X, y))
    assert_allclose(gain(twice, y), gain(X, y))
    assert len(twice.data) == 2 * len(columns)  # the caller's matrix stays


@pytest.mark.parametrize("of", [np.asarray, sparse.csr_array])
def test_binarized(problem, rng, of):
    X, y = problem
    counts = X * rng.integers(1, 5, X.shape)
    assert_allclose(gain(of(counts), y, binarize=0), gain(X, y))
    assert_allclose(gain(of(counts), y, binarize=2), gain(counts > 2, y))
    selector = InformationGainSelector(0.01, binarize=0).fit(of(counts), y)
    kept = selector.transform(of(counts))
    kept = kept.toarray() if sparse.issparse(kept) else kept
    assert_array_equal(kept, counts[:, selector.get_support()])


def test_what_is_kept(problem):
    X, y = problem
    frame = pd.DataFrame(X, columns=list("abcdefgh"))
    found = gain(X, y)
    threshold = float(np.sort(found)[4])
    selector = InformationGainSelector(threshold).fit(frame, y)
    assert_array_equal(selector.get_support(), found >= threshold)
    assert selector.get_support().sum() == 4  # the least of them is at the threshold
    assert_array_equal(
        selector.get_feature_names_out(), np.array(list("abcdefgh"))[found >= threshold]
    )
    assert_array_equal(selector.transform(frame), X[:, found >= threshold])
    assert InformationGainSelector(0.0).fit(X, y).get_support().all()


def test_sparse_stays_sparse(problem):
    X, y = problem
    kept = InformationGainSelector().fit_transform(sparse.csr_array(X), y)
    assert sparse.issparse(kept)
    assert_array_equal(kept.toarray(), InformationGainSelector().fit_transform(X, y))


def test_labels(problem):
    X, y = problem
    expected = gain(X, y)
    assert_allclose(gain(X, np.where(y, 1.0, np.nan)), expected)
    assert_allclose(gain(X, np.where(y, 1, -1)), expected)
    text = np.where(y, "grain", "other")
    assert_allclose(gain(X, text, positive_label="grain"), expected)
    with pytest.warns(LabelWarning, match="'other' was taken as positive"):
        gain(X, text)
    with pytest.raises(LabelError, match="one class only"):
        gain(X, np.zeros(80))
    with pytest.raises(LabelError, match="y has 3 values"):
        gain(X, y + X[:, 0])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        gain(X, y[:-1])


def test_values_that_are_not_binary(problem):
    X, y = problem
    X[7, 2], X[9, 1] = 3, 2
    message = r"Column 2 holds 3, which is not 0 or 1\. Pass binarize=0"
    with pytest.raises(DataError, match=message):
        gain(X, y, binarize=None)
    with pytest.raises(DataError, match=message):
        gain(sparse.csr_array(X), y, binarize=None)
    with pytest.raises(DataError, match="Column 'c' holds 3"):
        gain(pd.DataFrame(X, columns=list("abcdefgh")), y, binarize=None)
    assert_allclose(gain(sparse.csr_array(X), y, binarize=-1), gain(X, y, binarize=-1))


def test_the_highest_is_kept_below_the_threshold(problem):
    X, y = problem
    highest = np.argmax(gain(X[:, :3], y))
    message = rf"No feature has .* 0.9 bits or more. Column {highest} is kept, whose gain of 0\.\d+"
    with pytest.warns(SeparationWarning, match=message):
        selector = InformationGainSelector(0.9).fit(X[:, :3], y)
    assert selector.get_support(indices=True).tolist() == [highest]


@pytest.mark.parametrize("threshold", [-0.1, "a", np.nan, None])
def test_threshold(problem, threshold):
    with pytest.raises(DataError, match="is not a finite number of at least 0"):
        InformationGainSelector(threshold).fit(*problem)


def test_in_a_pipeline(problem):
    X, y = problem
    model = make_pipeline(InformationGainSelector(0.05), NoisyOrClassifier()).fit(X, y)
    assert model[-1].n_features_in_ < X.shape[1]
    assert (model.predict(X) == y).mean() > 0.9


def test_memory_is_free_of_the_width():
    """A dense copy of this one would be 80 GB."""
    X = sparse.random_array((100_000, 100_000), density=2e-5, rng=0, format="csr")
    X.data[:] = 1.0
    y = np.arange(100_000) % 2
    selector = InformationGainSelector(0.0).fit(X, y)
    assert selector.transform(X).shape == X.shape
