"""Independent causal influence: EM against enumeration, iteration by iteration."""

import numpy as np
import pyarrow as pa
import pyarrow.dataset as pds
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from onesided import ICIClassifier
from onesided.exceptions import DataError, LabelError
from oracles import vomlel2004

FUNCTIONS = ["or", "and", "xor", "max", "min", "add"]

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def problem(rng, function, n=14, k=3, gaps=0.0):
    """Attributes, classes drawn from a model of the family, and a start."""
    n_values = 2 if function in ("or", "and", "xor") else 3
    n_levels = 3 if function in ("max", "min") else 2
    theta, start = rng.dirichlet(np.full(n_levels, 2.0), size=(2, k, n_values))
    X = rng.integers(0, n_values, size=(n, k)).astype(float)
    X[0], X[1] = 0, n_values - 1  # each value is there
    levels = [[rng.choice(n_levels, p=theta[j, int(row[j])]) for j in range(k)] for row in X]
    y = np.array([vomlel2004.FUNCTIONS[function](each) for each in levels])
    y[2], y[3] = 0, n_levels - 1
    if gaps:
        X[4:][rng.random((n - 4, k)) < gaps] = np.nan
    return X, y, start


def as_rows(X):
    return [[None if np.isnan(value) else int(value) for value in row] for row in X]


def shares(X, n_values):
    """P(A_j = v) over the rows that have a value."""
    return [
        [float(np.mean(column[~np.isnan(column)] == v)) for v in range(n_values)] for column in X.T
    ]


def given(start):
    return start[:, :, 0] if start.shape[2] == 2 else start


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("gaps", [0.0, 0.3])
@pytest.mark.parametrize("weighted", [False, True])
def test_em_by_enumeration(rng, function, gaps, weighted):
    X, y, start = problem(rng, function, gaps=gaps)
    weights = rng.integers(0, 3, len(y)).astype(float) if weighted else None
    if weighted:
        weights[:4] = 2.0
    counted = X if weights is None else X.repeat(weights.astype(int), axis=0)
    theta, marginals = start.tolist(), shares(counted, start.shape[1])
    expected = []
    for n_iter in range(1, 6):
        theta, log_likelihood = vomlel2004.em_step(
            function, theta, as_rows(X), y, marginals, None if weights is None else weights
        )
        expected.append(log_likelihood)
        model = ICIClassifier(function, init=given(start), max_iter=n_iter, tol=0)
        model.fit(X, y, sample_weight=weights)
        assert_allclose(model.effect_probs_, theta, rtol=1e-9, atol=1e-12)
        assert_allclose(model.log_likelihood_[:-1], expected, rtol=1e-10)
        assert (np.diff(model.log_likelihood_) >= -1e-10).all()


@pytest.mark.parametrize("function", ["or", "and", "xor", "add"])
def test_em_with_a_prior(rng, function):
    X, y, start = problem(rng, function)
    theta = start.tolist()
    for n_iter in range(1, 4):
        theta, _ = vomlel2004.em_step(
            function, theta, as_rows(X), y, shares(X, start.shape[1]), prior=(2.0, 1.5)
        )
        model = ICIClassifier(
            function, init=start[:, :, 0], inhibition_prior=(2.0, 1.5), max_iter=n_iter, tol=0
        )
        assert_allclose(model.fit(X, y).effect_probs_, theta, rtol=1e-9)
        assert (np.diff(model.log_likelihood_) >= -1e-10).all()


@pytest.mark.parametrize("function", FUNCTIONS)
def test_probabilities_by_enumeration(rng, function):
    X, y, _ = problem(rng, function, gaps=0.2)
    model = ICIClassifier(function, max_iter=3).fit(X, y)
    theta = model.effect_probs_.tolist()
    found = model.predict_proba(X)
    marginals = shares(X, model.effect_probs_.shape[1])
    for row, probs in zip(as_rows(X), found, strict=True):
        expected = [
            vomlel2004.class_probability(function, theta, row, c, marginals)
            for c in range(len(probs))
        ]
        assert_allclose(probs, expected, rtol=1e-9, atol=1e-12)
    assert_allclose(found.sum(axis=1), 1.0)
    assert_array_equal(model.predict(X), model.classes_[np.argmax(found, axis=1)])
    if function in ("or", "and", "xor"):
        assert_allclose(model.decision_function(X), np.log(found[:, 1] / found[:, 0]), rtol=1e-8)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_in_every_source(make_source, rng, function):
    n_values = 2 if function in ("or", "and", "xor") else 3
    X = rng.integers(0, n_values, size=(60, 4)).astype(float)
    y = rng.integers(0, 2, 60)
    source = make_source(X)
    model = ICIClassifier(function, max_iter=5).fit(source, y)
    plain = ICIClassifier(function, max_iter=5).fit(X, y)
    assert_allclose(model.effect_probs_, plain.effect_probs_, rtol=1e-8, atol=1e-12)
    assert_allclose(model.predict_proba(source), plain.predict_proba(X), rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("function", ["or", "and", "xor"])
def test_products_are_the_messages(rng, function):
    """A gap in a row of weight 0 sends all rows the other way; the numbers are the same."""
    X = (rng.random((200, 12)) < 0.3).astype(float)
    y = (rng.random(200) < 0.4).astype(int)
    gap = np.vstack([X, np.full((1, 12), np.nan)])
    weight = np.append(np.ones(200), 0.0)
    plain = ICIClassifier(function, max_iter=20).fit(sparse.csr_array(X), y)
    other = ICIClassifier(function, max_iter=20).fit(gap, np.append(y, 0), sample_weight=weight)
    assert_allclose(other.effect_probs_, plain.effect_probs_, rtol=1e-7, atol=1e-12)
    assert_allclose(other.log_likelihood_, plain.log_likelihood_, rtol=1e-9)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_class_is_recovered(rng, function):
    """P(class | a) of the model that drew the data; its parameters are not identified."""
    n_values = 2 if function in ("or", "and", "xor") else 3
    n_levels = 3 if function in ("max", "min") else 2
    theta = rng.dirichlet(np.full(n_levels, 0.7), size=(3, n_values))
    X = rng.integers(0, n_values, size=(5000, 3))
    draws = rng.random((5000, 3, 1))
    levels = (draws > theta[np.arange(3), X].cumsum(axis=2)[:, :, :-1]).sum(axis=2)
    y = np.array([vomlel2004.FUNCTIONS[function](row) for row in levels.tolist()])
    model = ICIClassifier(function, n_init=2, random_state=0, tol=1e-6, max_iter=150).fit(X, y)
    rows = np.unique(X, axis=0)
    found = model.predict_proba(rows)
    for row, probs in zip(rows.tolist(), found, strict=True):
        for c, prob in enumerate(probs):
            exact = vomlel2004.class_probability(function, theta.tolist(), row, c, [[]] * 3)
            assert abs(prob - exact) < 0.08


@pytest.mark.parametrize("function", FUNCTIONS)
def test_rows_at_a_time_change_nothing(rng, function, monkeypatch):
    X, y = rng.integers(0, 2, (50, 4)), rng.integers(0, 2, 50)
    model = ICIClassifier(function, random_state=0, max_iter=3).fit(X, y)
    expected = model.predict_proba(X)
    monkeypatch.setattr("onesided.models.noisy._em._CELLS", 60)
    assert_allclose(model.predict_proba(X), expected)


def test_names_and_texts(rng):
    X = (rng.random((40, 3)) < 0.5).astype(int)
    y = np.where(X[:, 0] == 1, "yes", "no")
    model = ICIClassifier("or", positive_label="yes").fit(X, y)
    assert_array_equal(model.classes_, ["no", "yes"])
    assert_array_equal(model.predict(X), y)


def test_binarize(rng):
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] > 0.5).astype(int)
    model = ICIClassifier("or", binarize=0.5).fit(X, y)
    plain = ICIClassifier("or").fit((X > 0.5).astype(int), y)
    assert_allclose(model.effect_probs_, plain.effect_probs_)
    assert_array_equal(model.predict(X), y)
    counts = sparse.csr_array(rng.poisson(1.0, (60, 3)))
    assert_allclose(
        ICIClassifier(binarize=0).fit(counts, y).effect_probs_,
        ICIClassifier().fit(counts > 0, y).effect_probs_,
    )
    turned = -counts.astype(float)
    assert_allclose(
        ICIClassifier(binarize=-1).fit(turned, y).effect_probs_,
        ICIClassifier().fit(turned.toarray() > -1, y).effect_probs_,
    )


def test_it_says_when_it_is_stopped(rng):
    X, y, _ = problem(rng, "or", n=200)
    with pytest.warns(ConvergenceWarning, match=r"EM stopped at max_iter=2; the last gain was"):
        model = ICIClassifier("or", max_iter=2).fit(X, y)
    assert not model.converged_
    assert model.n_iter_ == 2
    assert len(model.log_likelihood_) == 3


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"function": "nor"}, "function='nor'"),
        ({"tol": -1}, "tol=-1"),
        ({"max_iter": 0}, "max_iter=0"),
        ({"n_init": 0}, "n_init=0"),
        ({"inhibition_prior": (0.5, 1)}, "inhibition_prior: alpha=0.5"),
        (
            {"function": "max", "inhibition_prior": (2, 2)},
            "inhibition_prior works for effects with two levels, not",
        ),
        ({"init": np.ones((3, 2))}, r"init holds values outside \(0, 1\)"),
        ({"init": ["a start"]}, "init holds values that are not numbers."),
        ({"init": "a start"}, "init='a start' is not an array or None. Pass probabilities"),
        ({"binarize": np.nan}, "binarize=nan"),
        ({"function": "max", "binarize": 1}, "binarize=1 works for attributes of two values"),
        ({"inhibition_prior": 2}, "inhibition_prior=2 is not an array or None. Pass two numbers"),
        ({"inhibition_prior": (2,)}, r"inhibition_prior=\(2,\) is not a pair of numbers."),
        ({"init": np.full((2, 2), 0.5)}, "init has shape"),
        ({"function": "max", "init": np.full((3, 2, 2), 0.7)}, "does not sum to 1"),
    ],
)
def test_bad_parameters(rng, params, message):
    X, y = (rng.random((20, 3)) < 0.5).astype(int), np.arange(20) % 2
    with pytest.raises(DataError, match=message):
        ICIClassifier(**params).fit(X, y)


def test_bad_attributes(rng):
    X, y = (rng.random((20, 3)) < 0.5).astype(float), np.arange(20) % 2
    X[5, 1] = 2
    for kind in (np.asarray, sparse.csr_array):
        with pytest.raises(DataError, match=r"Column 1 holds 2, which is not 0 or 1. .*binarize=0"):
            ICIClassifier("or", binarize=None).fit(kind(X), y)
    ICIClassifier("max").fit(X, y)
    X[5, 1] = 1.5
    with pytest.raises(DataError, match=r"Column 1 holds 1.5, not a whole number"):
        ICIClassifier("max").fit(X, y)
    X[5, 1] = 1
    model = ICIClassifier("add").fit(X, y)
    X[5, 1] = 2
    with pytest.raises(DataError, match="X holds the value 2; in fit the highest was 1"):
        model.predict(X)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_columns_of_a_file_are_matched_by_name(rng, function, tmp_path):
    X, y, _ = problem(rng, function)
    table = pa.table({"u": X[:, 0], "v": X[:, 1], "w": X[:, 2]})
    pq.write_table(table, tmp_path / "a.parquet")
    pq.write_table(table.select(["w", "v", "u"]), tmp_path / "b.parquet")
    expected = ICIClassifier(function).fit(table, y).predict_proba(table)
    for fitted in (tmp_path / "a.parquet", pds.dataset(tmp_path / "a.parquet")):
        model = ICIClassifier(function).fit(fitted, y)
        assert_array_equal(model.feature_names_in_, ["u", "v", "w"])
        assert_allclose(model.predict_proba(tmp_path / "b.parquet"), expected)
    assert_allclose(model.fit(X, y).predict_proba(X), expected)
    assert not hasattr(model, "feature_names_in_"), "of an earlier fit"
    model = ICIClassifier("or").fit(X > 0, y > 0)
    model.set_params(function=function).fit(X, y)
    assert hasattr(model, "inhibition_") == (model.effect_probs_.shape[2] == 2)


@pytest.mark.parametrize(
    ("function", "y", "message"),
    [
        ("add", [0, 1, 4] * 4, "y holds 4, but 3 attributes"),
        ("max", [0, 1, 1.5] * 4, "whole numbers from 0"),
        ("min", ["a", "b", "c"] * 4, "whole numbers from 0, not .*'a'"),
        ("add", [0, 1, np.inf] * 4, "whole numbers from 0, not .*inf"),
        ("max", [0, 1, -1] * 4, "whole numbers from 0, not .*-1"),
        ("max", [0, 1, 2020] * 4, "below 1000, not 2020"),
        ("max", "label", "not the name of a column"),
        ("max", [[0], [1], [2]] * 4, r"of shape \(n_rows,\), not \(12, 1\)"),
        ("max", [2] * 12, "All rows are of class 2"),
        ("or", [0, 1, 2] * 4, "3 values"),
        ("and", [1] * 12, "1"),
    ],
)
def test_bad_classes(rng, function, y, message):
    X = (rng.random((12, 3)) < 0.5).astype(int)
    with pytest.raises(LabelError, match=message):
        ICIClassifier(function).fit(X, y)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(
    "weight",
    [np.full(12, -1.0), np.full(12, np.nan), np.ones(5), ["a"] * 12, np.zeros(12)],
    ids=["negative", "NaN", "short", "text", "zero"],
)
def test_bad_weights(rng, function, weight):
    X, y = (rng.random((12, 3)) < 0.5).astype(int), np.arange(12) % 2
    with pytest.raises(DataError, match="sample_weight"):
        ICIClassifier(function).fit(X, y, sample_weight=weight)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_gap_that_is_stored(rng, function):
    X, y, _ = problem(rng, function, n=40, gaps=0.1)
    rare = sparse.csr_array(X)
    dense, found = (ICIClassifier(function, max_iter=5).fit(each, y) for each in (X, rare))
    assert_allclose(found.effect_probs_, dense.effect_probs_)
    assert_allclose(found.predict_proba(rare), dense.predict_proba(X))


def test_classes_as_objects(rng):
    X, y, _ = problem(rng, "add")
    found = ICIClassifier("add", max_iter=5).fit(X, y.astype(object)).effect_probs_
    assert_allclose(found, ICIClassifier("add", max_iter=5).fit(X, y.astype(float)).effect_probs_)
