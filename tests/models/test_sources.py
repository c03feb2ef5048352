"""Several sources of features, against a general solver and enumeration."""

import itertools
import pickle

import numpy as np
import pandas as pd
import pytest
import skops.io
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone

from checks import few_significance_steps
from onesided import SignificanceRanker
from onesided.exceptions import DataError
from onesided.models.significance import _significance_ranker, _sources
from onesided.models.significance._pvalues import Pools
from onesided.models.significance._sources import combined, source_columns, source_weights
from oracles import geurts2011

POSITIVES = [0, 1]
Y = np.isin(np.arange(9), POSITIVES)
SOURCES = {"expression": [0, 2], "text": [1, 3, 4]}


def problem(rng, n_rows=80, n_positive=10, shift=1.5):
    """Two sources with a signal, in unlike units, and one of noise."""
    y = np.arange(n_rows) < n_positive
    X = rng.normal(size=(n_rows, 9))
    X[y, :2] += shift
    X[y, 3] += shift
    return X * np.repeat([1.0, 100.0, 0.1], 3), y


@pytest.fixture(autouse=True)
def few_steps(monkeypatch):
    few_significance_steps(monkeypatch)


NAMES = [f"g{place}" for place in range(9)]
THREE = {"one": NAMES[:3], "two": NAMES[3:6], "noise": NAMES[6:]}


class TestAgainstEnumeration:
    @pytest.fixture
    def rows(self, rng):
        X = rng.normal(size=(9, 5))
        X[POSITIVES, 0] += 1.5
        X[POSITIVES, 3] += 0.5
        return X

    @pytest.fixture
    def ranker(self, rows, monkeypatch):
        monkeypatch.setattr(_sources, "_DISTANCE_STEPS", 500)
        monkeypatch.setattr(_significance_ranker, "_N_COMPARED", 16)
        ranker = SignificanceRanker(
            n_subsets=12, nu=0.3, scale=False, sources=SOURCES, random_state=0
        )
        return ranker.fit(rows, Y)

    @pytest.fixture
    def compared(self):
        """The third draw of the seed: the first is the subsets, the second the p-value's sets."""
        rng = np.random.RandomState(0)
        rng.randint(2**31, size=2)
        return Pools.of(Y).draw(16, rng)

    @pytest.fixture
    def z(self, rows, ranker, compared):
        """Of all sets in each source; the positives are the first."""
        blocks = [rows[:, columns] for columns in SOURCES.values()]
        return np.array(
            [
                geurts2011.standardized_distances(blocks, each, ranker.subsets_, compared, 0.3)
                for each in itertools.combinations(range(9), 2)
            ]
        )

    def test_weights_and_p_values(self, ranker, z):
        best = geurts2011.best_direction(z[0])
        assert_allclose(list(ranker.source_weights_.values()), best**2, atol=2e-3)
        whole, raw, adjusted = geurts2011.sources_by_enumeration(z, 0)
        found, each = ranker.adjusted_p_value(200), ranker.source_p_values(200)
        assert found.exact
        assert_allclose(found, whole)
        assert_allclose(each.statistic, z[0], rtol=1e-3, atol=1e-3)
        assert_allclose(each.p_value, raw)
        assert_allclose(each.adjusted_p_value, adjusted)
        assert list(each.source) == list(SOURCES)
        assert_array_equal(each.weight, list(ranker.source_weights_.values()))

    def test_score(self, rows, ranker):
        blocks = [rows[:, columns] for columns in SOURCES.values()]
        weights = list(ranker.source_weights_.values())
        expected = geurts2011.score_of_sources(blocks, weights, POSITIVES, ranker.subsets_, 0.3)
        assert_allclose(
            np.diff(ranker.decision_function(rows)), np.diff(expected), rtol=1e-4, atol=1e-5
        )


def test_the_best_direction(rng):
    for z in rng.normal(size=(20, 2)) * 2:
        best = geurts2011.best_direction(z)
        assert_allclose(combined(z[None])[0], best @ z, atol=1e-6)
        assert_allclose(source_weights(z), best**2, atol=1e-3)


class TestOneSource:
    """The same as the columns of the source by themselves."""

    @pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", np.dot])
    def test_alone(self, rng, kernel):
        X, y = problem(rng)
        plain = SignificanceRanker(kernel, 40, random_state=0).fit(X[:, 3:], y)
        alone = SignificanceRanker(kernel, 40, sources={"all": slice(3, None)}, random_state=0).fit(
            X, y
        )
        assert alone.source_weights_ == {"all": 1.0}
        assert_allclose(alone.decision_function(X), plain.decision_function(X[:, 3:]), rtol=1e-9)
        assert_allclose(alone.margin_, plain.margin_)
        for labels in (y, rng.permutation(y)):  # above and below the mean of random sets
            plain.fit(X[:, 3:], labels)
            alone.fit(X, labels)
            expected = plain.adjusted_p_value(99, random_state=0)
            assert_allclose(alone.adjusted_p_value(99, random_state=0), expected)
            each = alone.source_p_values(99, random_state=0)
            assert_allclose([*each.p_value, *each.adjusted_p_value], [expected, expected])

    def test_precomputed(self, rng):
        X, y = problem(rng)
        K = X @ X.T
        plain = SignificanceRanker("precomputed", 40, random_state=0).fit(K, y)
        alone = SignificanceRanker(
            "precomputed", 40, sources={"all": slice(80, None)}, random_state=0
        )
        beside = np.hstack([np.ones((80, 80)), K])
        found = alone.fit(beside, y).decision_function(beside)
        assert_allclose(found, plain.decision_function(K), rtol=1e-9)


class TestSeveralSources:
    @pytest.mark.parametrize("kernel", ["linear", "rbf"])
    def test_signal_and_noise(self, rng, kernel):
        X, y = problem(rng, 200, 12, shift=2.0)
        ranker = SignificanceRanker(kernel, 200, sources=THREE, random_state=0).fit(
            pd.DataFrame(X, columns=NAMES), y
        )
        weights = ranker.source_weights_
        assert weights["one"] > weights["two"] > 0.05
        assert weights["noise"] < 0.05
        assert_allclose(sum(weights.values()), 1.0)
        assert ranker.adjusted_p_value(99, random_state=0) == 0.01
        found = ranker.source_p_values(99, random_state=0)
        assert_allclose(found.adjusted_p_value[:2], 0.01)
        assert found.adjusted_p_value[2] > 0.05
        assert str(found) == "2 of 3 sources have an adjusted p-value of 0.05 or less: one, two."
        assert found.to_frame("pyarrow")["source"].to_pylist() == ["one", "two", "noise"]
        assert len(found.plot().to_dict()["datasets"].popitem()[1]) == 3

    def test_units_and_columns_that_are_twice_change_nothing(self, rng):
        X, y = problem(rng)
        sources = {"one": slice(0, 3), "two": slice(3, 6)}
        ranker = SignificanceRanker(n_subsets=50, scale=False, sources=sources, random_state=0)
        expected = clone(ranker).fit(X, y)
        twice = ranker.set_params(sources={**sources, "two": slice(3, 9)})
        found = twice.fit(np.hstack([X[:, :3], 7 * X[:, 3:6], 7 * X[:, 3:6]]), y)
        assert_allclose(
            [*found.source_weights_.values()], [*expected.source_weights_.values()], rtol=1e-3
        )
        ratio = found.decision_function(
            np.hstack([X[:, :3], 7 * X[:, 3:6], 7 * X[:, 3:6]])
        ) / expected.decision_function(X)
        assert_allclose(ratio, ratio[-1], rtol=1e-2)

    @pytest.mark.parametrize("unit", [1e-5, 1e5])
    def test_units_change_no_p_value(self, rng, unit):
        """Random sets count as tied within the error of z, not within that of a distance."""
        X, y = problem(rng, shift=0.5)
        sources = {"one": slice(0, 3), "two": slice(3, 6)}
        ranker = SignificanceRanker(n_subsets=50, scale=False, sources=sources, random_state=0)
        expected, found = (
            ranker.fit(each, y).adjusted_p_value(99, random_state=0) for each in (X, unit * X)
        )
        assert 0.01 < expected < 0.9
        assert found == expected
        assert_allclose(found.statistic, expected.statistic, rtol=1e-3)

    def test_order_and_columns_of_no_source_change_nothing(self, rng):
        X, y = problem(rng)
        sources = {"one": [0, 1, 2], "two": [3, 4, 5]}
        there = SignificanceRanker(n_subsets=50, sources=sources, random_state=0).fit(X, y)
        back = SignificanceRanker(
            n_subsets=50, sources=dict(reversed(sources.items())), random_state=0
        ).fit(X, y)
        assert_array_equal(there.coef_[6:], 0.0)
        assert_allclose(back.coef_, there.coef_, rtol=1e-3)
        a, b = (each.source_p_values(60, random_state=0) for each in (there, back))
        assert_allclose(a.adjusted_p_value, b.adjusted_p_value[::-1])

    def test_precomputed_is_linear(self, rng):
        X, y = problem(rng)
        sources = {"one": slice(0, 3), "two": slice(3, 9)}
        primal = SignificanceRanker(n_subsets=50, sources=sources, random_state=0).fit(X, y)
        Z = (X - X.mean(axis=0)) / X.std(axis=0)
        beside = np.hstack([Z[:, each] @ Z[:, each].T for each in sources.values()])
        dual = SignificanceRanker(
            "precomputed",
            n_subsets=50,
            sources={"one": slice(0, 80), "two": slice(80, 160)},
            random_state=0,
        ).fit(beside, y)
        expected = primal.decision_function(X)
        assert_allclose(
            dual.decision_function(beside), expected, rtol=1e-4, atol=1e-5 * np.ptp(expected)
        )
        a, b = (each.adjusted_p_value(50, random_state=0) for each in (primal, dual))
        assert_allclose(a.null, b.null, rtol=1e-2, atol=1e-2)

    def test_every_source_of_rows(self, make_source, rng, labels):
        X = rng.normal(size=(60, 3)) + labels[:, None]
        ranker = SignificanceRanker(n_subsets=40, sources={"a": [0], "b": [1, 2]}, random_state=0)
        whole, found = clone(ranker).fit(X, labels), ranker.fit(make_source(X), labels)
        assert_allclose(found.coef_, whole.coef_, rtol=1e-4, atol=1e-6)
        a, b = (each.source_p_values(50, random_state=0) for each in (found, whole))
        assert_allclose(a.statistic, b.statistic, rtol=1e-3, atol=1e-3)

    @pytest.mark.parametrize("kernel", ["linear", "rbf"])
    def test_sparse_is_dense(self, rng, kernel):
        X, y = problem(rng)
        X[rng.random(X.shape) < 0.5] = 0
        sources = {"one": slice(0, 3), "two": slice(3, 9)}
        dense, rare = (
            SignificanceRanker(kernel, n_subsets=50, sources=sources, random_state=0).fit(each, y)
            for each in (X, sparse.csr_array(X))
        )
        expected = dense.decision_function(X)
        found = rare.decision_function(sparse.csr_array(X))
        assert_allclose(found, expected, rtol=1e-4, atol=1e-5 * np.ptp(expected))

    def test_matched(self, rng):
        """What the sources have in common with a column is chance where it is matched."""
        kind = np.repeat([0, 1], 40)
        X = rng.normal(size=(80, 4)) + 3 * kind[:, None]
        y = np.isin(np.arange(80), rng.choice(np.arange(40, 80), 8, replace=False))
        ranker = SignificanceRanker(
            n_subsets=50, sources={"a": [0, 1], "b": [2, 3]}, random_state=0
        )
        assert (ranker.fit(X, y).source_p_values(99, random_state=0).p_value <= 0.03).all()
        ranker.fit(X, y, match=kind.astype(str))
        assert ranker.source_p_values(99, random_state=0).adjusted_p_value.min() > 0.05

    def test_sets_in_the_hull_are_tied(self, rng):
        """The positives are in the hull in one source: no random set is less high there."""
        X = rng.normal(size=(40, 4))
        y = np.arange(40) < 6
        X[:6, 2:] = np.vstack([np.eye(2), -np.eye(2), np.zeros((2, 2))]) + X[6:, 2:].mean(axis=0)
        ranker = SignificanceRanker(
            n_subsets=200, sources={"a": [0, 1], "b": [2, 3]}, random_state=0
        )
        found = ranker.fit(X, y).source_p_values(99, random_state=0)
        assert found.p_value[1] == found.adjusted_p_value[1] == 1
        assert found.p_value[0] < 1

    def test_steps_are_said_once(self, rng):
        said = []
        X, y = problem(rng)
        ranker = SignificanceRanker(n_subsets=30, sources={"a": [0, 1], "b": [2]}, random_state=0)
        ranker.fit(X, y).adjusted_p_value(19, on_step=lambda *each: said.append(each))
        done, of = zip(*said, strict=True)
        assert list(done) == sorted(done)
        assert 20 < done[-1] <= 40
        assert set(of) == {40}


class TestColumns:
    @pytest.mark.parametrize(
        "given",
        [
            ["g3", "g1"],
            ("g3", "g1"),
            np.array(["g3", "g1"]),
            pd.Index(["g3", "g1"]),
            [3, 1],
            np.array([3, 1]),
            [3, -8],
            slice(3, 0, -2),
        ],
    )
    def test_ways_to_say_columns(self, given):
        (found,) = source_columns({"a": given}, 9, NAMES)
        assert found.tolist() == [3, 1]

    @pytest.mark.parametrize(
        ("given", "expected"),
        [("g3", [3]), (3, [3]), (np.arange(9) == 3, [3]), ([False] * 8 + [True], [8])],
    )
    def test_one_column(self, given, expected):
        (found,) = source_columns({"a": given}, 9, NAMES)
        assert found.tolist() == expected

    @pytest.mark.parametrize(
        ("sources", "message"),
        [
            ({}, "names no source"),
            ({1: [0]}, "name of a source is 1, which is not text"),
            ({"a": []}, "Source 'a' has no columns"),
            ({"a": slice(9, 12)}, "Source 'a' has no columns"),
            ({"a": [0, 1, 0]}, "Source 'a' has the same column twice"),
            ({"a": ["g1", "gg2"]}, "Source 'a': There is no column 'gg2'. Did you mean 'g2'?"),
            ({"a": [0, 9]}, r"Source 'a' has \[0, 9\], which are not columns of X; X has 9"),
            ({"a": [0, -10]}, "Source 'a' has"),
            ({"a": [0.5]}, "Source 'a' has"),
            ({"a": ["g1", 2]}, "Source 'a' has"),
            ({"a": [True, False]}, "Source 'a' has"),
            ({"a": None}, "Source 'a' has None"),
            ({"a": {"g1": 1}}, "Source 'a' has"),
            ({"a": slice("g1", "g3")}, "Source 'a' has"),
            ({"a": [[0, 1], [2, 3]]}, "Source 'a' has"),
            ({"a": [[0], [1, 2]]}, "Source 'a' has"),
        ],
    )
    def test_columns_that_are_none(self, sources, message):
        with pytest.raises(DataError, match=message):
            source_columns(sources, 9, NAMES)

    def test_names_of_an_array(self, rng):
        with pytest.raises(DataError, match="Source 'one': X has no column names"):
            SignificanceRanker(sources=THREE).fit(*problem(rng))

    @pytest.mark.parametrize("sources", [["g1"], "g1", [["g1"], ["g2"]], 3])
    def test_sources_without_names(self, rng, sources):
        with pytest.raises(DataError, match="Pass the columns of each source by its name"):
            SignificanceRanker(sources=sources).fit(*problem(rng))

    @pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
    def test_a_source_of_equal_rows(self, rng, kernel):
        X, y = problem(rng)
        X[:, 2] = 0.1
        with pytest.raises(DataError, match="Source 'flat' has equal values in all rows"):
            SignificanceRanker(kernel, sources={"a": [0, 1], "flat": [2]}).fit(X, y)

    def test_kernels_that_are_none(self, rng):
        _, y = problem(rng)
        K = np.hstack([np.eye(80), rng.normal(size=(80, 80))])
        for columns, message in [
            (slice(0, 79), "kernel of source 'a' has 80 rows and 79 columns"),
            (slice(80, 160), "kernel of source 'a' is not symmetric"),
        ]:
            with pytest.raises(DataError, match=message):
                SignificanceRanker("precomputed", sources={"a": columns}).fit(K, y)


class TestAfterwards:
    def test_other_sources_than_in_fit(self, rng):
        X, y = problem(rng)
        ranker = SignificanceRanker(n_subsets=30, sources={"a": [0, 1]}, random_state=0).fit(X, y)
        for other in ({"a": [0, 2]}, {"a": [0, 1], "b": [3]}, None):
            ranker.set_params(sources=other)
            with pytest.raises(DataError, match="Parameters have changed since fit"):
                ranker.adjusted_p_value()
        with pytest.raises(DataError, match="has no sources"):
            ranker.source_p_values()
        assert ranker.fit(X, y).source_weights_ == {}

    def test_copies_score(self, rng):
        X, y = problem(rng)
        for kernel in ("linear", "rbf"):
            ranker = SignificanceRanker(
                kernel, 30, sources={"a": np.array([0, 1]), "b": slice(3, None)}, random_state=0
            ).fit(X, y)
            copied = pickle.loads(pickle.dumps(ranker))
            assert_array_equal(copied.decision_function(X), ranker.decision_function(X))
            again = clone(copied).fit(X, y)
            assert_array_equal(again.decision_function(X), ranker.decision_function(X))
            stored = skops.io.dumps(ranker)
            trusted = skops.io.get_untrusted_types(data=stored)
            assert trusted == ["onesided.SignificanceRanker"]
            loaded = skops.io.loads(stored, trusted)
            assert_array_equal(loaded.decision_function(X), ranker.decision_function(X))
            for each in (copied, loaded):
                with pytest.raises(DataError, match="rows passed to fit are no longer"):
                    each.source_p_values()


def test_renamed_sources_are_noticed(rng):
    X, y = problem(rng)
    ranker = SignificanceRanker(n_subsets=30, sources={"a": [0, 1], "b": [2]}, random_state=0)
    ranker.fit(X, y).set_params(sources={"c": [0, 1], "b": [2]})
    with pytest.raises(DataError, match="Parameters have changed since fit"):
        ranker.source_p_values(19)


@pytest.mark.parametrize("kernel", ["negative", "distances"])
@pytest.mark.parametrize("has_sources", [False, True])
def test_a_kernel_that_is_none(rng, kernel, has_sources):
    X, y = problem(rng)
    K = -(X @ X.T) if kernel == "negative" else np.linalg.norm(X[:, None] - X, axis=2)
    sources = {"a": slice(0, len(X)), "b": slice(len(X), None)} if has_sources else None
    ranker = SignificanceRanker(kernel="precomputed", n_subsets=50, sources=sources)
    with pytest.raises(DataError, match="The kernel is not positive semidefinite"):
        ranker.fit(np.hstack([X @ X.T, K]) if has_sources else K, y)


def test_flags_among_positions(rng):
    X, y = problem(rng)
    with pytest.raises(DataError, match="which are not columns of X"):
        SignificanceRanker(sources={"a": [True, 2]}).fit(X, y)
