"""PositiveTAN, PositiveKDB and PositiveAODE against the loops of the paper's equations."""

import itertools

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError

from onesided import BetaPrior, PositiveAODE, PositiveKDB, PositiveNaiveBayes, PositiveTAN
from onesided._blocks import ArraySource
from onesided.exceptions import DataError
from onesided.models.bayes._structure import spanning_tree, strongest_earlier
from oracles import calvo2007

MANY = BetaPrior(4.4, 13.17)
FORMS = list(itertools.product([0.05, 0.4, MANY], ["joint", "printed"], [None, 2.0]))
forms = pytest.mark.parametrize(("prior", "conditional", "backoff"), FORMS)


def dependent(rng, labels, n_features=4, n_values=3):
    """Each feature repeats the one before it, more often among the positives."""
    X = rng.integers(0, n_values, (len(labels), n_features))
    for j in range(1, n_features):
        copied = rng.random(len(labels)) < np.where(labels == 1, 0.8, 0.3)
        X[copied, j] = X[copied, j - 1]
    return X.astype(np.int8)


def with_gaps(X, rng, share=0.08):
    X = X.astype(float)
    X[rng.random(X.shape) < share] = np.nan
    return X


class Paper:
    """The oracle's side of one problem."""

    def __init__(self, X, y, prior, conditional="joint", backoff=None):
        rows = [[None if value != value else value for value in row] for row in X.tolist()]  # noqa: PLR0124 - NaN
        self.positives = [row for row, label in zip(rows, y, strict=True) if label == 1]
        self.unlabeled = [row for row, label in zip(rows, y, strict=True) if label == 0]
        self.rows, self.n = rows, X.shape[1]
        beta = (prior.alpha, prior.beta) if isinstance(prior, BetaPrior) else None
        self.p = beta[0] / sum(beta) if beta else prior
        self.priors = {"beta_prior": beta} if beta else {"p": prior}
        self.printed, self.backoff = conditional == "printed", backoff
        kinds = (self.positives, self.unlabeled)
        self.marginals = (
            calvo2007.apnb_tables(*kinds, *beta) if beta else calvo2007.pnb_tables(*kinds, prior)
        )

    def weights(self):
        out = np.zeros((self.n, self.n))
        for i, k in itertools.combinations(range(self.n), 2):
            out[i, k] = out[k, i] = calvo2007.edge_weight(
                self.positives, self.unlabeled, i, k, **self.priors
            )
        return out

    def tables(self, child, parents):
        return calvo2007.conditional_tables(
            self.positives,
            self.unlabeled,
            child,
            parents,
            printed=self.printed,
            backoff=self.backoff,
            **self.priors,
        )

    def scores(self, parents_of, rows=None):
        tables = [
            self.tables(i, list(own)) if len(own) else None for i, own in enumerate(parents_of)
        ]
        return [
            calvo2007.network_log_odds(parents_of, tables, self.marginals, self.p, row)
            for row in (self.rows if rows is None else rows)
        ]


def as_lists(parents):
    """Parents of each feature as lists, from either shape of `parents_`."""
    return [[int(q) for q in np.atleast_1d(own) if q >= 0] for own in parents]


class TestTree:
    @forms
    def test_log_odds(self, rng, labels, prior, conditional, backoff):
        X = dependent(rng, labels)
        model = PositiveTAN(prior, conditional=conditional, backoff=backoff).fit(X, labels)
        paper = Paper(X, labels, prior, conditional, backoff)
        assert_allclose(model.edge_weights_, paper.weights(), atol=1e-8)
        best = calvo2007.best_tree(
            {(i, k): paper.weights()[i, k] for i, k in itertools.combinations(range(4), 2)}, 4
        )
        assert_array_equal(model.parents_, best)
        expected = paper.scores(as_lists(model.parents_))
        assert_allclose(model.decision_function(X), expected, atol=1e-8, rtol=0)

    @forms
    def test_log_odds_with_gaps(self, rng, labels, prior, conditional, backoff):
        X = with_gaps(dependent(rng, labels), rng)
        model = PositiveTAN(prior, conditional=conditional, backoff=backoff).fit(X, labels)
        paper = Paper(X, labels, prior, conditional, backoff)
        assert_allclose(model.edge_weights_, paper.weights(), atol=1e-8)
        expected = paper.scores(as_lists(model.parents_))
        assert_allclose(model.decision_function(X), expected, atol=1e-8, rtol=0)

    @pytest.mark.parametrize("prior", [0.3, MANY], ids=str)
    def test_every_source(self, make_source, rng, labels, prior):
        X = dependent(rng, labels)
        source = make_source(X)
        model = PositiveTAN(prior).fit(source, labels)
        whole = PositiveTAN(prior).fit(X, labels)
        assert_array_equal(model.edge_weights_, whole.edge_weights_)
        assert_array_equal(model.parents_, whole.parents_)
        scores = model.decision_function(source)
        assert_allclose(scores, whole.decision_function(X), atol=1e-12)
        parts = model.contributions(source)
        assert_allclose(
            parts.sum(axis=1) + np.log(whole.class_prior_ / (1 - whole.class_prior_)), scores
        )

    def test_text_with_gaps_in_every_source(self, make_source, rng, labels):
        X = np.array(["low", "middle", "high"], dtype=object)[dependent(rng, labels)]
        X[rng.random(X.shape) < 0.1] = None
        source = make_source(X)
        model = PositiveTAN(0.3).fit(source, labels)
        whole = PositiveTAN(0.3).fit(X, labels)
        assert_allclose(model.decision_function(source), whole.decision_function(X), atol=1e-12)
        numbers = pd.DataFrame(X).apply(lambda c: c.map({"high": 0, "low": 1, "middle": 2}))
        coded = PositiveTAN(0.3).fit(numbers.to_numpy(), labels)
        assert_allclose(
            coded.decision_function(numbers.to_numpy()), whole.decision_function(X), atol=1e-12
        )

    def test_unseen_parent_falls_back_and_unseen_child_is_skipped(self, rng, labels):
        X = dependent(rng, labels)
        model = PositiveTAN(0.3, backoff=None).fit(X, labels)
        paper = Paper(X, labels, 0.3)
        new = np.array([[9, 0, 1, 2], [0, 9, 1, 2], [0, 1, 9, 9]], dtype=np.int8)
        expected = paper.scores(as_lists(model.parents_), new.tolist())
        assert_allclose(model.decision_function(new), expected, atol=1e-8, rtol=0)

    def test_tables_sum_to_one(self, rng, labels):
        X = with_gaps(dependent(rng, labels), rng)
        for prior, conditional, backoff in FORMS:
            model = PositiveTAN(prior, conditional=conditional, backoff=backoff).fit(X, labels)
            for log_probs in model.conditional_log_prob_:
                assert_allclose(np.exp(log_probs).sum(axis=2), 1.0, rtol=1e-10)

    @pytest.mark.parametrize("prior", [0.3, MANY], ids=str)
    @pytest.mark.parametrize("conditional", ["joint", "printed"])
    def test_endless_backoff_is_naive_bayes(self, rng, labels, prior, conditional):
        X = dependent(rng, labels)
        tree = PositiveTAN(prior, backoff=1e12, conditional=conditional).fit(X, labels)
        naive = PositiveNaiveBayes(prior).fit(X, labels)
        assert_allclose(tree.decision_function(X), naive.decision_function(X), atol=1e-8)

    def test_joint_tables_recover_the_truth_and_printed_ones_do_not(self, rng):
        """The parent depends on the class: what is printed errs in the limit."""
        n, p = 400_000, 0.4

        def draw(size, positive):
            parent = (rng.random(size) < np.where(positive, 0.9, 0.2)).astype(int)
            chance = np.where(positive, 0.3 + 0.4 * parent, 0.5 - 0.4 * parent)
            return np.column_stack([parent, rng.random(size) < chance]).astype(np.int8)

        X = np.vstack([draw(100_000, np.ones(100_000, bool)), draw(n, rng.random(n) < p)])
        y = np.repeat([1, 0], [100_000, n])
        truth = np.array([[0.5, 0.1], [0.3, 0.7]])  # P(child = 1 | class, parent)
        joint = PositiveTAN(p).fit(X, y).conditional_log_prob_[1]
        printed = PositiveTAN(p, conditional="printed").fit(X, y).conditional_log_prob_[1]
        assert_allclose(np.exp(joint)[:, :, 1], truth, atol=0.02)
        assert np.abs(np.exp(printed)[0, :, 1] - truth[0]).max() > 0.1

    def test_weight_is_repetition(self, rng, labels):
        X = dependent(rng, labels)
        weight = rng.integers(0, 4, len(labels))
        weighted = PositiveTAN(0.3).fit(X, labels, sample_weight=weight)
        repeated = PositiveTAN(0.3).fit(np.repeat(X, weight, 0), np.repeat(labels, weight))
        assert_allclose(weighted.edge_weights_, repeated.edge_weights_, atol=1e-12)
        assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-10)

    def test_order_of_features_is_no_matter_but_for_the_root(self, rng, labels):
        X = dependent(rng, labels)
        order = np.array([0, 3, 1, 2])
        plain = PositiveTAN(0.3).fit(X, labels)
        moved = PositiveTAN(0.3).fit(X[:, order], labels)
        assert_allclose(moved.edge_weights_, plain.edge_weights_[np.ix_(order, order)])
        assert_allclose(
            moved.decision_function(X[:, order]), plain.decision_function(X), atol=1e-10
        )

    def test_constant_feature_weighs_nothing(self, rng, labels):
        X = np.column_stack([dependent(rng, labels), np.full(60, 5)])
        model = PositiveTAN(0.3).fit(X, labels)
        assert_allclose(model.edge_weights_[4], 0.0, atol=1e-12)
        assert_allclose(model.contributions(X)[:, 4], 0.0, atol=1e-12)

    def test_many_values_take_the_other_kernel(self, rng):
        """Histograms and bits count the same."""
        y = np.repeat([1, 0], [100, 400])
        X = rng.integers(0, 25, (500, 3))
        model = PositiveTAN(0.3).fit(X, y)
        paper = Paper(X, y, 0.3, backoff=2.0)
        assert_allclose(model.edge_weights_, paper.weights(), atol=1e-8)
        assert_allclose(
            model.decision_function(X[:20]),
            paper.scores(as_lists(model.parents_), X[:20].tolist()),
            atol=1e-8,
        )


class TestStructure:
    @pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
    def test_best_tree_by_enumeration(self, rng, n):
        for _ in range(20):
            weights = rng.normal(size=(n, n))
            weights += weights.T
            by_edge = {(i, k): weights[i, k] for i, k in itertools.combinations(range(n), 2)}
            assert_array_equal(spanning_tree(weights), calvo2007.best_tree(by_edge, n))

    def test_zero_and_negative_weights_still_join_all(self):
        assert_array_equal(spanning_tree(np.zeros((4, 4))), [-1, 0, 0, 0])
        assert_array_equal(spanning_tree(-np.ones((3, 3))), [-1, 0, 0])

    def test_ties_go_to_the_lowest_index(self):
        weights = np.array([[0, 1, 1, 0], [1, 0, 0, 2], [1, 0, 0, 2], [0, 2, 2, 0]], dtype=float)
        assert_array_equal(spanning_tree(weights), [-1, 0, 3, 1])

    def test_strongest_earlier(self):
        weights = np.array([[0, 3, 1, 2], [3, 0, 5, 4], [1, 5, 0, 6], [2, 4, 6, 0]], dtype=float)
        found = strongest_earlier(np.array([2, 0, 3, 1]), weights, 2)
        assert_array_equal(found, [[2, -1], [2, 3], [-1, -1], [0, 2]])
        assert strongest_earlier(np.array([1, 0]), weights, 0).shape == (2, 0)


class TestKDependence:
    @pytest.mark.parametrize("k", [0, 1, 2, 3])
    @pytest.mark.parametrize("prior", [0.3, MANY], ids=str)
    @pytest.mark.parametrize("gaps", [False, True])
    def test_log_odds(self, rng, labels, k, prior, gaps):
        X = dependent(rng, labels)
        X = with_gaps(X, rng) if gaps else X
        model = PositiveKDB(k, prior).fit(X, labels)
        assert model.parents_.shape == (4, k)
        paper = Paper(X, labels, prior, backoff=2.0)
        expected = paper.scores(as_lists(model.parents_))
        assert_allclose(model.decision_function(X), expected, atol=1e-8, rtol=0)

    def test_order_and_parents(self, rng, labels):
        X = dependent(rng, labels)
        model = PositiveKDB(2, 0.3).fit(X, labels)
        paper = Paper(X, labels, 0.3)
        information = [
            calvo2007.class_information(paper.positives, paper.unlabeled, i, 0.3) for i in range(4)
        ]
        assert_allclose(model.class_information_, information, atol=1e-8)
        assert_allclose(model.edge_weights_, paper.weights(), atol=1e-8)
        order = np.argsort(-np.array(information))
        for place, feature in enumerate(order):
            own = model.parents_[feature]
            assert set(own[own >= 0]) <= set(order[:place])
            assert (own >= 0).sum() == min(place, 2)

    def test_none_is_naive_bayes(self, rng, labels):
        X = dependent(rng, labels)
        naive = PositiveNaiveBayes(0.3).fit(X, labels).decision_function(X)
        assert_allclose(PositiveKDB(0, 0.3).fit(X, labels).decision_function(X), naive, atol=1e-12)

    def test_every_source(self, make_source, rng, labels):
        X = dependent(rng, labels)
        source = make_source(X)
        model, whole = (PositiveKDB(2, 0.3).fit(each, labels) for each in (source, X))
        assert_array_equal(model.parents_, whole.parents_)
        assert_allclose(model.decision_function(source), whole.decision_function(X), atol=1e-12)

    def test_weight_is_repetition(self, rng, labels):
        X = dependent(rng, labels)
        weight = rng.integers(0, 4, len(labels))
        weighted = PositiveKDB(2, 0.3).fit(X, labels, sample_weight=weight)
        repeated = PositiveKDB(2, 0.3).fit(np.repeat(X, weight, 0), np.repeat(labels, weight))
        assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-10)

    @pytest.mark.parametrize("k", [-1, 1.5, "2", True])
    def test_k_is_a_number_of_parents(self, rng, labels, k):
        with pytest.raises(DataError, match=r"k=.* is not a whole number of at least 0"):
            PositiveKDB(k).fit(dependent(rng, labels), labels)

    def test_more_parents_than_features(self, rng, labels):
        """The same as with as many parents as there are earlier features."""
        X = dependent(rng, labels)
        all_earlier, more = (PositiveKDB(k, 0.3).fit(X, labels) for k in (3, 9))
        assert more.parents_.shape == (4, 9)
        assert_array_equal(
            (more.parents_ >= 0).sum(axis=1), (all_earlier.parents_ >= 0).sum(axis=1)
        )
        assert_allclose(more.decision_function(X), all_earlier.decision_function(X))

    def test_tables_that_are_too_large(self, rng):
        X, y = rng.integers(0, 90, (3000, 20)), np.arange(3000) % 9 == 0
        with pytest.raises(DataError, match=r"combinations of values, .* of them feature"):
            PositiveKDB(4, 0.2).fit(X, y)

    def test_ties_are_ties_whatever_the_order_of_weights(self, rng):
        for _ in range(40):
            X, y = rng.integers(0, 2, (24, 4)), np.arange(24) < 8
            weight, order = rng.integers(1, 10, 24) / 10, rng.permutation(24)
            for kind in (PositiveKDB(1, 0.3), PositiveTAN(0.3)):
                one = kind.fit(X, y, sample_weight=weight).parents_.copy()
                other = kind.fit(X[order], y[order], sample_weight=weight[order]).parents_
                assert_array_equal(one, other)


class TestAveragedOneDependence:
    @pytest.mark.parametrize("backoff", [None, 2.0])
    @pytest.mark.parametrize("min_rows", [0, 12, 1000])
    @pytest.mark.parametrize("gaps", [False, True])
    def test_log_odds(self, rng, labels, backoff, min_rows, gaps):
        X = dependent(rng, labels, n_features=3)
        X = with_gaps(X, rng, 0.15) if gaps else X
        model = PositiveAODE(0.3, min_parent_rows=min_rows, backoff=backoff).fit(X, labels)
        paper = Paper(X, labels, 0.3)
        expected = [
            calvo2007.aode_log_odds(
                paper.positives, paper.unlabeled, 0.3, row, max(min_rows, 0), backoff
            )
            for row in paper.rows
        ]
        assert_allclose(model.decision_function(X), expected, atol=1e-8, rtol=0)

    def test_every_source(self, make_source, rng, labels):
        X = dependent(rng, labels)
        source = make_source(X)
        model, whole = (PositiveAODE(0.3).fit(each, labels) for each in (source, X))
        assert_allclose(model.decision_function(source), whole.decision_function(X), atol=1e-12)

    def test_has_no_parents(self, rng, labels):
        assert not hasattr(PositiveAODE().fit(dependent(rng, labels), labels), "parents_")


networks = pytest.mark.parametrize(
    "model",
    [PositiveTAN(0.3), PositiveKDB(2, 0.3), PositiveAODE(0.3)],
    ids=lambda m: type(m).__name__,
)


@networks
def test_too_many_values_for_pairs(model, rng):
    X = rng.integers(0, 9000, (20_000, 2))
    y = rng.integers(0, 2, 20_000)
    frame = pd.DataFrame(X, columns=["street", "city"])
    with (
        pytest.warns(match=r"Drop the feature, or bin it \(QuantileBinner does so"),
        pytest.raises(DataError, match=r"together, .* of them feature '(street|city)'"),
    ):
        model.set_params(**({"k": 1} if "k" in model.get_params() else {})).fit(frame, y)


@networks
def test_parameters(model, rng, labels):
    X = dependent(rng, labels)
    with pytest.raises(DataError, match="conditional='both' is not 'joint' or 'printed'"):
        type(model)(conditional="both").fit(X, labels)
    with pytest.raises(DataError, match="backoff=-1 is not a finite number above 0"):
        type(model)(backoff=-1).fit(X, labels)


@pytest.mark.parametrize("model", [PositiveTAN(0.3), PositiveKDB(2, 0.3)], ids=["tree", "k"])
def test_picture(model, rng, labels):
    names = ["alpha", 'be"ta', "<gamma>", "delta"]
    fitted = model.fit(pd.DataFrame(dependent(rng, labels), columns=names), labels)
    weights = [
        fitted.edge_weights_[parent, child]
        for child, own in enumerate(as_lists(fitted.parents_))
        for parent in own
    ]
    chart = fitted.plot_structure().to_dict()
    assert {row["name"] for row in next(iter(chart["datasets"].values())) if "name" in row} <= set(
        names
    )
    assert len(chart["layer"]) == 4
    (edges,) = (rows for rows in chart["datasets"].values() if "weight" in rows[0])
    assert_allclose([row["weight"] for row in edges], weights)
    assert all(row["to_depth"] > row["depth"] for row in edges)


@networks
def test_feature_that_is_always_missing(model, rng, labels):
    X = dependent(rng, labels).astype(float)
    for gone in (slice(3, 4), slice(None)):
        X[:, gone] = np.nan
        for prior, conditional in itertools.product((0.3, MANY), ("joint", "printed")):
            again = type(model)(class_prior=prior, conditional=conditional).fit(X, labels)
            assert np.isfinite(again.decision_function(X)).all()


@pytest.mark.parametrize("rows", [1, 7, 100_000])
def test_small_blocks_are_gathered(rng, labels, rows):
    X = dependent(rng, labels)
    source = ArraySource(X, cuts=list(range(0, 60, min(rows, 60))))
    whole, parts = (PositiveTAN(0.3).fit(each, labels) for each in (X, source))
    assert_array_equal(parts.edge_weights_, whole.edge_weights_)
    assert_allclose(parts.decision_function(source), whole.decision_function(X), atol=1e-12)


@pytest.mark.parametrize("model", [PositiveTAN(), PositiveKDB()], ids=lambda m: type(m).__name__)
def test_picture_needs_a_fit(model):
    with pytest.raises(NotFittedError):
        model.plot_structure()


def test_names_that_no_picture_may_hold(rng, labels):
    names = ["", "`code`", "#quot; #35;", "nul\x00bell\x07"]
    model = PositiveTAN(0.3).fit(pd.DataFrame(dependent(rng, labels), columns=names), labels)
    shown = str(model.plot_structure().to_dict())
    assert "\x00" not in shown
    assert "\\x00" not in shown
