"""The class prior that Bayesian classifiers learn from their own out-of-fold scores."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.metrics import f1_score

from onesided import (
    BetaPrior,
    PositiveAODE,
    PositiveKDB,
    PositiveMultinomialNB,
    PositiveNaiveBayes,
    PositiveTAN,
    WeightedLogisticRegression,
)
from onesided._blocks import ArraySource, drawn_rows
from onesided.exceptions import DataError, PriorError, PriorWarning
from onesided.models import _class_prior
from onesided.models._class_prior import out_of_fold_by
from onesided.models.bayes._beta_prior import PROVISIONAL
from onesided.prior import binormal_tail
from onesided.reproduce._calvo2007 import _databases
from oracles import calvo2007
from oracles import class_prior as oracle

FAMILY = [
    PositiveNaiveBayes(),
    PositiveTAN(),
    PositiveKDB(2),
    PositiveAODE(min_parent_rows=5),
    PositiveMultinomialNB(),
]
members = pytest.mark.parametrize("model", FAMILY, ids=lambda model: type(model).__name__)


@pytest.fixture
def problem(rng):
    """Codes 0 to 3, higher among positives; 60 known ones, and 75 of 300 unlabeled."""
    y = np.repeat([1, 0], [60, 300])
    positive = np.arange(360) < 135
    X = rng.integers(0, 4, (360, 3))
    X[positive] = np.maximum(X[positive], rng.integers(0, 4, (135, 3)))
    order = rng.permutation(360)
    return X[order].astype(np.int8), y[order]


def cut(X, y, cuts=None, weight=None):
    return ArraySource(X, cuts=cuts).labeled(y == 1, weight)


def rows_of(block):
    return [[int(value) for value in row] for row in block.X]


def copies_of(block):
    return block.weights().astype(int)


def by_oracle(tables_of):
    """A `learn` whose tables are made by the loops of the paper's equations."""

    def learn(source):
        (block,) = source.blocks()
        rows, positive = rows_of(block), block.labels().tolist()
        kinds = [
            [
                row
                for row, label, n_copies in zip(rows, positive, copies_of(block), strict=True)
                if label is kind
                for _ in range(n_copies)
            ]
            for kind in (True, False)
        ]
        score = tables_of(*kinds)
        return lambda scored: np.array([score(row) for row in rows_of(scored)])

    return learn


def naive(positives, unlabeled):
    tables = calvo2007.pnb_tables(positives, unlabeled, PROVISIONAL)
    return lambda row: calvo2007.log_odds(tables, PROVISIONAL, row)


def tree(positives, unlabeled):
    weights = {
        (i, k): calvo2007.edge_weight(positives, unlabeled, i, k, p=PROVISIONAL)
        for i, k in [(0, 1), (0, 2), (1, 2)]
    }
    parents = [[q] if q >= 0 else [] for q in calvo2007.best_tree(weights, 3)]
    tables = [
        calvo2007.conditional_tables(positives, unlabeled, i, own, p=PROVISIONAL, backoff=2)
        for i, own in enumerate(parents)
    ]
    marginals = calvo2007.pnb_tables(positives, unlabeled, PROVISIONAL)
    return lambda row: calvo2007.network_log_odds(parents, tables, marginals, PROVISIONAL, row)


def auc(known, rest):
    pairs = [(a > b) + (a == b) / 2 for a in known for b in rest]
    return sum(pairs) / len(pairs)


@pytest.mark.parametrize(
    ("model", "by"), [(PositiveNaiveBayes(), [naive]), (PositiveTAN(), [tree, naive])]
)
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("dependent", [False, True])
def test_scores_are_those_of_the_equations(problem, rng, model, by, dependent, is_weighted):
    """A row of weight 2 counts twice in the tables of the folds, and so does its score."""
    X, y = problem
    weight = rng.integers(0, 4, len(y)).astype(float) if is_weighted else None
    if dependent:  # of the positives alone, so that naive Bayes separates less than the tree
        X[:, 1:] = (X[:, :1] + np.where(y[:, None] == 1, 0, X[:, 1:])) % 4
    source = cut(X, y, weight=weight)
    expected = [out_of_fold_by(by_oracle(tables_of), source) for tables_of in by]
    found = out_of_fold_by(model.fit(X, y, sample_weight=weight)._scorer, source)
    for kind in (0, 1):
        scores = found[kind].reshape(len(found[kind]), len(by))
        for number, each in enumerate(expected):
            # The prior is a part of the network's scores, which the ranks do not depend on.
            shift = (scores[:, number] - each[kind]).mean() if number else 0.0
            assert_allclose(scores[:, number], each[kind] + shift, atol=1e-8, rtol=0)
    aucs = [auc(*each) for each in expected]
    if len(by) > 1 and not is_weighted:
        assert (aucs[0] > aucs[1]) == dependent
    known, rest = (kind.tolist() for kind in expected[int(np.argmax(aucs))])
    of_curve = binormal_tail(known, rest)
    assert_allclose(model.class_prior_, oracle.combined(known, rest, of_curve), atol=1e-5)
    error = oracle.combined_error(known, rest, of_curve)
    assert_allclose(model.class_prior_error_, error, atol=1e-5)


@pytest.mark.parametrize("weights", [None, [1, 2, 3], [0, 1, 4], [0.5, 1.5]])
def test_no_row_is_scored_by_a_model_that_has_seen_it(problem, weights):
    X, y = problem
    ids = np.arange(len(X))[:, None]
    weight = None if weights is None else np.resize(np.array(weights, dtype=float), len(X))
    times = np.ones(len(X)) if weight is None else weight
    parts = []

    def learn(source):
        learned = source.map(
            lambda block: np.column_stack([block.X[:, 0], block.labels(), block.weights()])
        )

        def score(block):
            assert not np.isin(block.X[:, 0], learned[:, 0]).any()
            n_rows = learned[:, 2].sum() + block.weights().sum()
            assert abs(n_rows - times.sum()) <= 1  # half a row of each kind is left over
            parts.append(block.labels().sum())
            return block.X[:, 0].astype(float)

        return score

    known, rest = out_of_fold_by(learn, cut(ids, y, weight=weight))
    if weights != [0.5, 1.5]:
        assert_array_equal(known, np.repeat(ids[y == 1], times[y == 1].astype(int)))
        assert_array_equal(rest, np.repeat(ids[y == 0], times[y == 0].astype(int)))
    assert max(parts) - min(parts) <= 1
    assert sum(parts) == len(np.unique(known))


@members
def test_cuts_and_storage_are_no_matter(model, problem, tmp_path):
    X, y = problem
    expected = model.fit(X, y).class_prior_
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(known=y)
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=17)
    for source in (ArraySource(X, cuts=[0, 5, 5, 300]), sparse.csr_array(X), X.astype(float)):
        assert model.fit(source, y).class_prior_ == expected
    assert model.fit(tmp_path / "rows.parquet", "known").class_prior_ == expected


@pytest.mark.parametrize(
    "model", [*FAMILY, WeightedLogisticRegression(class_prior="estimate")], ids=type
)
@pytest.mark.parametrize("of_positive", [0.01, 1.01, 2, 10])
def test_equal_weights_say_nothing(model, problem, of_positive):
    X, y = problem
    expected = model.fit(X, y)
    expected = expected.class_prior_, expected.class_prior_error_
    weight = np.where(y == 1, of_positive, 2)
    for kept in (np.full(len(y), of_positive), weight):
        found = model.fit(X, y, sample_weight=kept)
        assert (found.class_prior_, found.class_prior_error_) == pytest.approx(expected)


@members
def test_average_is_over_a_belief_around_the_estimate(model, problem):
    X, y = problem
    estimate = model.fit(X, y).class_prior_
    average = type(model)(**{**model.get_params(), "class_prior": "average"}).fit(X, y)
    assert_allclose(average.class_prior_, estimate)
    assert 0.01 < average.class_prior_error_ < 0.5
    belief = BetaPrior.from_estimate(estimate, average.class_prior_error_)
    given = type(model)(**{**model.get_params(), "class_prior": belief}).fit(X, y)
    assert_allclose(average.decision_function(X), given.decision_function(X))
    assert not hasattr(given, "class_prior_error_")


@members
def test_few_positives_are_said(model, problem):
    X, y = problem
    y = y * (np.cumsum(y) < 10)
    with pytest.warns(PriorWarning, match="fewer than 10 positive .* from single values"):
        model.fit(X, y)
    assert 0.001 <= model.class_prior_ <= 0.9


def test_values_that_a_fold_has_not_seen_are_skipped(problem):
    X, y = problem
    X[0] = 100
    model = PositiveNaiveBayes(handle_unknown="error").fit(X, y)
    assert model.class_prior_ == PositiveNaiveBayes().fit(X, y).class_prior_


@pytest.mark.parametrize("weight", [None, np.arange(100.0) % 3, np.tile([0.5, 1.5], 50)])
def test_some_rows_are_drawn_whatever_the_blocks(weight):
    X, positive = np.arange(100)[:, None], np.arange(100) % 2 == 1
    blocks = [
        drawn_rows(ArraySource(X, cuts=cuts).labeled(positive, weight), 20)
        for cuts in ([0], [0, 1, 1, 50, 99])
    ]
    assert_array_equal(blocks[0].X, blocks[1].X)
    assert_array_equal(blocks[0].weights(), blocks[1].weights())
    assert_array_equal(blocks[0].positive, blocks[0].X[:, 0] % 2 == 1)
    assert np.bincount(blocks[0].positive, blocks[0].weights()).tolist() == [20, 20]
    whole = drawn_rows(ArraySource(X).labeled(positive, weight), 1000)
    assert (np.diff(whole.X[:, 0]) > 0).all()
    counts = np.bincount(whole.X[:, 0], whole.weights(), minlength=100)
    # The weights of each label are .5 or 1.5 in the last case, so they are equal.
    expected = 1 if weight is None or (weight % 1 > 0).any() else weight
    assert_array_equal(counts, np.broadcast_to(expected, 100))
    thirds = np.tile([0.5, 1.0, 1.5], 34)[:100]  # fractions are carried over
    whole = drawn_rows(ArraySource(X).labeled(positive, thirds), 1000)
    by_label = [whole.weights()[whole.positive == label].sum() for label in (False, True)]
    assert_allclose(by_label, [thirds[::2].sum(), thirds[1::2].sum()], atol=0.5)
    whole = drawn_rows(ArraySource(X).labeled(positive, np.full(100, 0.01)), 1000)
    assert_array_equal(whole.X, X)  # weights that are all below 1 compare rows


def test_many_rows_are_drawn_from(problem, monkeypatch):
    X, y = problem
    seen = []

    def learn(source):
        seen.append(source.total(lambda block: np.array([block.n_rows]), np.zeros(1)))
        return lambda block: np.zeros(block.n_rows)

    monkeypatch.setattr(_class_prior, "_MOST", 40)
    known, rest = out_of_fold_by(learn, cut(X, y))
    assert len(known) == len(rest) == 40
    assert max(seen) == 60


@pytest.mark.parametrize(("estimate", "error"), [(0.05, 0.01), (0.3, 0.1), (0.7, 0.05)])
def test_belief_around_an_estimate(estimate, error):
    belief = BetaPrior.from_estimate(estimate, error)
    assert_allclose([belief.mean, belief.standard_deviation], [estimate, error])


def test_belief_that_would_be_too_wide():
    belief = BetaPrior.from_estimate(0.9, 0.29)
    assert_allclose([belief.mean, belief.beta], [0.9, 2.0])


def test_belief_of_no_estimate():
    with pytest.raises(PriorError, match=r"estimate=1\.2 is not between 0 and 1"):
        BetaPrior.from_estimate(1.2, 0.1)
    with pytest.raises(DataError, match="error=0 is not"):
        BetaPrior.from_estimate(0.2, 0)


def test_real_problems(data_dir):
    """A part of benchmarks/bench_bayes_prior.py, which has the figures of all."""
    errors, losses = [], []
    for database in _databases(data_dir):
        if database.name not in ("donor", "letter D", "nursery"):
            continue
        for share in (0.1, 0.4):
            drawn = database.draw(0, 200, 1000, share)
            X, truth = drawn.X.astype(np.int8), drawn.y_true[drawn.y == 0]
            models = PositiveNaiveBayes().fit(X, drawn.y), PositiveNaiveBayes(share).fit(X, drawn.y)
            errors.append(abs(models[0].class_prior_ - share))
            f = [f1_score(truth, model.predict(X[drawn.y == 0])) for model in models]
            losses.append(100 * (f[1] - f[0]))
    assert np.mean(errors) < 0.05
    assert np.mean(losses) < 1


def test_a_tree_of_few_positives(data_dir):
    """Its own scores, in which classes overlap more than in naive Bayes', err by .14 here."""
    (database,) = (each for each in _databases(data_dir) if each.name == "letter P")
    errors = []
    for share in (0.3, 0.4, 0.5):
        for number in (0, 2):
            drawn = database.draw(number, 100, 1000, share)
            model = PositiveTAN().fit(drawn.X.astype(np.int8), drawn.y)
            errors.append(abs(model.class_prior_ - share))
    assert np.mean(errors) < 0.05
