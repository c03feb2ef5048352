"""WeightedLogisticRegression against the printed objective and scikit-learn."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.optimize import approx_fprime, minimize
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from onesided import WeightedLogisticRegression
from onesided._blocks import ArraySource, Block, labeled_source
from onesided.exceptions import DataError, LabelError, PriorError, PriorWarning
from onesided.models._class_prior import out_of_fold_by
from onesided.models.logistic._optimum import minimize_along
from onesided.models.logistic._weighted_logistic import loss_of
from onesided.prior import binormal_tail
from oracles import class_prior as oracle
from oracles import lee_liu2003


def numbers(rng, labels, n_features=4):
    """Normal features, shifted among the positives, a few exact zeros."""
    X = rng.normal(size=(len(labels), n_features)) + labels[:, None] * np.linspace(0, 1, n_features)
    X[rng.random(X.shape) < 0.2] = 0.0
    return X


def weights_of(model):
    """w of the paper: the bias is its last entry."""
    return np.append(model.coef_, model.intercept_)


def reference(X, y, C, sample_weight=None):
    """scikit-learn's optimum of the weighted problem, the bias penalised as a feature."""
    u = np.ones(len(y)) if sample_weight is None else sample_weight
    n1, nu = u[y == 1].sum(), u[y == 0].sum()
    weight = u * np.where(y == 1, nu, n1) / (n1 + nu)
    model = LogisticRegression(C=C, fit_intercept=False, solver="newton-cholesky", tol=1e-10)
    return model.fit(np.column_stack([X, np.ones(len(X))]), y, sample_weight=weight).coef_[0]


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_optimum_is_scikit_learns(make_source, rng, labels, C):
    X = numbers(rng, labels)
    model = WeightedLogisticRegression(C, tol=1e-8).fit(make_source(X), labels)
    assert_allclose(weights_of(model), reference(X, labels, C), atol=1e-6)


@pytest.mark.parametrize("C", [0.01, 10.0])
def test_optimum_of_more_features_than_have_a_matrix(rng, C):
    labels = (rng.random(120) < 0.3).astype(int)
    X = numbers(rng, labels, n_features=520)
    expected = reference(X, labels, C)
    for source in (X, sparse.csr_array(X), ArraySource(X, cuts=[0, 7, 40])):
        model = WeightedLogisticRegression(C, tol=1e-10).fit(source, labels)
        assert model.converged_
        assert_allclose(weights_of(model), expected, atol=1e-6)


@pytest.mark.parametrize(("n_features", "power"), [(4, 3), (4, 100), (300, 3)])
def test_units_of_features_do_not_matter(rng, n_features, power):
    """The printed optimality, each feature in a unit of its own."""
    labels = (rng.random(400) < 0.3).astype(int)
    X = numbers(rng, labels, n_features) * 10.0 ** rng.uniform(-power, power, n_features)
    Cs = [1e-4, 1.0, 1e2]
    loss = loss_of(labeled_source(X, labels, numeric=True)[0])
    path = minimize_along(loss, Cs, tol=1e-8, max_iter=100)
    assert all(optimum.converged for optimum in path)
    for C, optimum in zip(Cs, path, strict=True):
        lengths = [slopes(X, labels, C, w) for w in (optimum.point.coef, np.zeros(n_features + 1))]
        assert lengths[0] < 1e-8 * lengths[1]


def slopes(X, labels, C, w):
    """Length of the gradient of the printed objective, a feature's in the unit in which the
    objective at zero has a second derivative of 1."""
    row_weight = np.where(labels == 1, 1 - labels.mean(), labels.mean())
    rows = np.column_stack([X, np.ones(len(X))])
    probability = expit(rows @ w)
    gradient = C * rows.T @ (row_weight * (probability - labels)) + w
    return np.linalg.norm(gradient / np.sqrt(C / 4 * row_weight @ rows**2 + 1))


@pytest.mark.parametrize("C", [10.0, 1e3])
@pytest.mark.parametrize("offset", [0.0, 1e9])
def test_one_large_feature_among_others(rng, C, offset):
    """Beside it the gradient by the others is nothing; another optimiser, in other units."""
    for _ in range(5):
        labels = (rng.random(200) < 0.3).astype(int)
        X, unit = numbers(rng, labels), np.array([1, 1e9, 1, 1, 1])
        X[:, 1] = offset + 1e9 * rng.normal(size=200)
        rows = np.column_stack([X, np.ones(200)])
        side, weight = 2 * labels - 1, np.where(labels == 1, 1 - labels.mean(), labels.mean())

        def printed(w, rows=rows, side=side, weight=weight):
            return C * weight @ np.logaddexp(0, -side * (rows @ w)) + w @ w / 2

        def in_units(v, printed=printed, unit=unit):
            return printed(v / unit)

        best = minimize(in_units, np.zeros(5), tol=1e-9).x / unit
        model = WeightedLogisticRegression(C).fit(X, labels)
        assert model.converged_
        assert printed(weights_of(model)) <= printed(best) * (1 + 1e-12)
        assert_allclose(model.decision_function(X), rows @ best, atol=1e-3)


@pytest.mark.parametrize("C", [1e3, 1e5])
def test_separable_data_far_out(rng, C):
    """Where the gradient is nothing beside that at zero long before the optimum."""
    labels = (rng.random(100) < 0.3).astype(int)
    X = rng.normal(size=(100, 3)) + 8 * labels[:, None]
    expected = reference(X, labels, C)
    assert_allclose(weights_of(WeightedLogisticRegression(C).fit(X, labels)), expected, rtol=1e-6)
    loss = loss_of(labeled_source(X, labels, numeric=True)[0])
    path = minimize_along(loss, [C / 1.01, C], tol=1e-8, max_iter=100)
    assert_allclose(path[-1].point.coef, expected, rtol=1e-6)


def test_path_is_the_single_fits(rng, labels):
    X = numbers(rng, labels, 6)
    Cs = np.logspace(-3, 3, 7)
    path = minimize_along(
        loss_of(labeled_source(X, labels, numeric=True)[0]), Cs, tol=1e-8, max_iter=100
    )
    for C, optimum in zip(Cs, path, strict=True):
        assert_allclose(optimum.point.coef, reference(X, labels, C), atol=1e-6, err_msg=f"{C=}")


def test_gradient_of_the_printed_objective_vanishes(rng, labels):
    X, C = numbers(rng, labels), 0.7
    model = WeightedLogisticRegression(C, tol=1e-8).fit(X, labels)

    def printed(w):
        return lee_liu2003.objective(w.tolist(), X.tolist(), labels.tolist(), C)

    assert_allclose(approx_fprime(weights_of(model), printed, 1e-6), 0.0, atol=1e-4)
    start = approx_fprime(np.zeros(5), printed, 1e-6)
    assert np.linalg.norm(start) > 1  # so that the test can fail


def test_defaults_reach_the_optimum(rng, labels):
    X = numbers(rng, labels)
    model = WeightedLogisticRegression().fit(X, labels)
    assert model.converged_
    assert_allclose(weights_of(model), reference(X, labels, 1.0), atol=1e-7)


def test_scores_are_the_same_in_every_source(make_source, rng, labels):
    X = numbers(rng, labels)
    source = make_source(X)
    model = WeightedLogisticRegression(tol=1e-8).fit(source, labels)
    expected = X @ model.coef_[0] + model.intercept_[0]
    assert_allclose(model.decision_function(source), expected, atol=1e-12)


def test_weight_is_repetition(make_source, rng, labels):
    X = numbers(rng, labels)
    weight = rng.integers(0, 4, len(labels))
    weighted = WeightedLogisticRegression(tol=1e-8).fit(
        make_source(X), labels, sample_weight=weight
    )
    repeated = WeightedLogisticRegression(tol=1e-8).fit(
        np.repeat(X, weight, axis=0), np.repeat(labels, weight)
    )
    assert_allclose(weights_of(weighted), weights_of(repeated), atol=1e-6)


def test_row_weights_follow_the_sums_of_sample_weight(rng, labels):
    X, weight = numbers(rng, labels), rng.random(len(labels)) + 0.1
    model = WeightedLogisticRegression(2.0, tol=1e-8).fit(X, labels, sample_weight=weight)
    assert_allclose(weights_of(model), reference(X, labels, 2.0, weight), atol=1e-6)


def test_both_kinds_weigh_the_same():
    """With no features to go by, w is one half whatever the shares of the kinds."""
    y = np.repeat([1, 0], [10, 300])
    model = WeightedLogisticRegression().fit(np.zeros((310, 1)), y)
    assert_allclose(model.decision_function(np.zeros((1, 1))), 0.0, atol=1e-8)


def test_posterior_needs_a_prior(rng, labels):
    X = numbers(rng, labels)
    assert not hasattr(WeightedLogisticRegression().fit(X, labels), "predict_proba")
    scores = WeightedLogisticRegression().fit(X, labels).decision_function(X)
    model = WeightedLogisticRegression(class_prior=0.2).fit(X, labels)
    w = 1 / (1 + np.exp(-scores))
    expected = np.minimum(1.0, 0.2 * w / (1 - w))
    assert (expected == 1.0).any()
    assert_allclose(model.decision_function(X), scores + np.log(2 * 0.2), atol=1e-9)
    assert_allclose(model.predict_proba(X)[:, 1], expected, rtol=1e-8)
    assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_prior_estimated_from_scores_out_of_fold(make_source, rng, labels):
    """The fits by scikit-learn; test_class_prior.py has the folds and the estimate."""
    X = numbers(rng, labels)
    model = WeightedLogisticRegression(2.0, class_prior="estimate").fit(make_source(X), labels)

    def by_reference(source):
        w = reference(source.map(Block.dense), source.map(Block.labels).astype(int), 2.0)
        return lambda block: block.dense() @ w[:-1] + w[-1]

    rows, _ = labeled_source(X, labels, numeric=True)
    known, rest = (kind.tolist() for kind in out_of_fold_by(by_reference, rows))
    of_curve = binormal_tail(known, rest)
    assert_allclose(model.class_prior_, oracle.combined(known, rest, of_curve), rtol=1e-6)
    error = oracle.combined_error(known, rest, of_curve)
    assert_allclose(model.class_prior_error_, error, rtol=1e-5)
    odds = np.exp(X @ model.coef_[0] + model.intercept_)  # 1 where the posterior is one half
    posterior = np.minimum(1.0, odds / 2)
    assert_allclose(model.predict_proba(make_source(X))[:, 1], posterior)
    assert not hasattr(model.set_params(class_prior=None).fit(X, labels), "class_prior_")


@pytest.mark.parametrize(
    "model", [WeightedLogisticRegression, partial(WeightedLogisticRegression, 0.1)]
)
def test_prior_is_estimated_from_weighted_rows(model, rng):
    """Weight 0 is no row; known negatives are not unlabeled."""
    y = np.repeat([1, 0, 0], [100, 300, 200])
    X = rng.normal(size=(600, 3))
    X[:200, 0] += 2
    model = model(class_prior="estimate", negative_share=1.0)
    alone = model.fit(X[:400], y[:400]).class_prior_
    assert alone < 0.9 * model.fit(X, y).class_prior_ or alone > 1.1 * model.class_prior_
    weight = np.where(np.arange(600) < 400, 1.0, 0.0)
    assert_allclose(model.fit(X, y, sample_weight=weight).class_prior_, alone)
    assert_allclose(model.fit(X, y, known_negative=weight == 0).class_prior_, alone)


@pytest.mark.parametrize("weight", [0.01, 1 / 600, 1.01, 2, 10])
def test_prior_of_equal_weights(rng, weight):
    y = np.arange(600) < 150
    X = rng.normal(size=(600, 2)) + 2 * (np.arange(600) < 300)[:, None]
    model = WeightedLogisticRegression(class_prior="estimate")
    expected = model.fit(X, y).class_prior_
    found = model.fit(X, y, sample_weight=np.full(600, weight)).class_prior_
    assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("n_positive", [1, 3])
def test_prior_from_few_positives(rng, n_positive):
    X, y = rng.normal(size=(50, 2)), np.arange(50) < n_positive
    model = WeightedLogisticRegression(class_prior="estimate")
    if n_positive == 1:
        with pytest.raises(LabelError, match="Fewer than 2 positive or unlabeled rows"):
            model.fit(X, y)
    else:
        assert 0 < model.fit(X + y[:, None], y).class_prior_ < 1


def test_prior_estimated_where_the_truth_is_known(rng):
    """Positives beyond all negatives in one feature of two; 30% of the unlabeled are like them."""
    y = np.repeat([1, 0], [500, 2000])
    hidden = rng.random(2000) < 0.3
    X = rng.normal(size=(2500, 2))
    X[:, 0] += 5 * np.append(np.ones(500), hidden)
    model = WeightedLogisticRegression(class_prior="estimate").fit(X, y)
    assert abs(model.class_prior_ - hidden.mean()) < 0.03


def test_a_prior_at_the_edge_is_said():
    """No unlabeled row scores as high as a positive does."""
    X, y = np.arange(40.0)[:, None], np.repeat([0, 1], [30, 10])
    with pytest.warns(
        PriorWarning,
        match=r"estimated as 0\S*, nearer .* than half an unlabeled row.* by 0.0167",
    ):
        model = WeightedLogisticRegression(class_prior="estimate").fit(X, y)
    assert model.class_prior_ == 0.5 / 30


def test_posterior_is_right_where_the_truth_is_known(rng):
    """Two normals one deviation apart: log odds x − 1/2, and logit(0.3) beside it."""
    hidden = rng.random(40_000) < 0.3
    x = np.concatenate([rng.normal(1, 1, 20_000), rng.normal(0, 1, 40_000) + hidden])
    y = np.repeat([1, 0], [20_000, 40_000])
    model = WeightedLogisticRegression(class_prior=0.3).fit(x[:, None], y)
    at = np.array([[-1.0], [0.0], [1.0]])
    odds = 0.3 / 0.7 * np.exp(at[:, 0] - 0.5)
    assert_allclose(model.predict_proba(at)[:, 1], odds / (1 + odds), atol=0.05)


def test_not_converged_says_how_far(rng, labels):
    X = numbers(rng, labels)
    with pytest.warns(
        ConvergenceWarning,
        match=r"stopped at max_iter=2; .* step .* 0\.\d+ of .*, tol.*Raise max_iter",
    ):
        model = WeightedLogisticRegression(max_iter=2).fit(X, labels)
    assert not model.converged_
    assert model.n_iter_ == 2


def test_separable_data_converges_by_the_penalty():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    model = WeightedLogisticRegression(1e3).fit(X, [0, 0, 1, 1])
    assert model.converged_
    assert (model.predict(X) == [0, 0, 1, 1]).all()


@pytest.mark.parametrize("value", [1000.1, 1e9, 1e-12])
def test_constant_columns_tell_nothing(rng, labels, value):
    """Their gradient is rounding, which no tolerance is small enough for."""
    model = WeightedLogisticRegression().fit(np.full((60, 2), value), labels)
    assert model.converged_
    assert_allclose(weights_of(model), 0.0, atol=1e-9)
    X = np.column_stack([numbers(rng, labels), np.full(60, 7.0)])
    model = WeightedLogisticRegression(tol=1e-10).fit(X, labels)
    assert_allclose(weights_of(model), reference(X, labels, 1.0), atol=1e-6)


@pytest.mark.parametrize("unit", [1e-12, 1e-15, 1e-100])
def test_hardly_any_signal_is_not_rounding(rng, labels, unit):
    X = numbers(rng, labels)
    model = WeightedLogisticRegression().fit(unit * X, labels)
    assert model.converged_
    expected = X.T @ np.where(labels == 1, (1 - labels.mean()), -labels.mean()) / 2
    assert_allclose(model.coef_[0] / unit, expected, rtol=1e-6)


def test_times_in_seconds(rng, labels):
    """Far from zero, hardly apart: a second constant, which is nearly free."""
    X = numbers(rng, labels)
    seconds = np.column_stack([X, 1.7e9 + rng.normal(size=60)])
    model = WeightedLogisticRegression().fit(seconds, labels)
    assert model.converged_
    constant = WeightedLogisticRegression().fit(np.column_stack([X, np.full(60, 1.7e9)]), labels)
    assert_allclose(model.coef_[0, :4], constant.coef_[0, :4], atol=1e-6)


def test_numbers_without_squares_are_refused(make_source, rng, labels):
    X = numbers(rng, labels) * [1, 1, 1e200, 1]
    with pytest.raises(DataError, match=r"squares overflow"):
        WeightedLogisticRegression().fit(make_source(X), labels)


@pytest.mark.parametrize("C", [0, -1.0, float("inf"), float("nan")])
def test_penalty_must_be_positive(rng, labels, C):
    with pytest.raises(DataError, match=r"C=.* is not a finite number above 0"):
        WeightedLogisticRegression(C).fit(numbers(rng, labels), labels)


def test_prior_must_be_a_share(rng, labels):
    with pytest.raises(PriorError, match=r"class_prior=1.2 is not between 0 and 1"):
        WeightedLogisticRegression(class_prior=1.2).fit(numbers(rng, labels), labels)


def test_text_is_refused(make_source, labels):
    words = np.array(["red", "blue"], dtype=object)[np.arange(60) % 2][:, None]
    with pytest.raises(ValueError, match=r"holds .* takes numbers|could not convert string"):
        WeightedLogisticRegression().fit(make_source(words), labels)


def test_missing_is_refused(make_source, rng, labels):
    X = numbers(rng, labels)
    X[41, 2] = np.nan
    with pytest.raises(ValueError, match=r"Column (2|'f2') of X has a missing value"):
        WeightedLogisticRegression().fit(make_source(X), labels)


@pytest.mark.parametrize("names", [["total", "map"], ["blocks", "to_delayed"]])
def test_columns_of_any_name(rng, labels, names):
    """A column of a frame is an attribute too; it makes no source of it."""
    X = numbers(rng, labels, 2)
    model = WeightedLogisticRegression().fit(pd.DataFrame(X, columns=names), labels)
    assert_allclose(model.coef_, WeightedLogisticRegression().fit(X, labels).coef_)


def some_negatives(rng, n_negative, n_rows=600):
    """Normal rows, half of which are positive though 40 are labeled, and some known negatives."""
    row = np.arange(n_rows)
    truth = row < n_rows // 2
    X = rng.normal(size=(n_rows, 20)) + np.where(truth[:, None], 0.35, 0.0)
    return X, row < 40, row >= n_rows - n_negative, truth


@pytest.mark.parametrize(
    ("share", "n_negative", "expected"),
    [(1.0, 100, 4.6), (0.5, 100, 2.3), (3.0, 100, 11.5), (3.0, 300, 2.6), (0.1, 100, 1.0)],
)
def test_known_negatives_have_their_share_of_the_weight(rng, share, n_negative, expected):
    """All together, but each at most the weight of a positive and at least that of a row."""
    X, y, negative, _ = some_negatives(rng, n_negative)
    model = WeightedLogisticRegression(negative_share=share)
    found = model.fit(X, y, known_negative=negative)
    weight = np.where(negative, expected, 1.0)
    assert_allclose(weights_of(found), reference(X, y, 1.0, weight), atol=1e-6)
    twice = model.fit(X, y, np.full(600, 2.0), negative)
    assert_allclose(weights_of(twice), reference(X, y, 1.0, 2 * weight), atol=1e-6)


def test_known_negatives_count_as_unlabeled_without_a_share(rng):
    X, y, negative, _ = some_negatives(rng, 100)
    plain = weights_of(WeightedLogisticRegression().fit(X, y))
    told = WeightedLogisticRegression().fit(X, y, known_negative=negative)
    assert_allclose(weights_of(told), plain)
    assert_allclose(weights_of(WeightedLogisticRegression(negative_share=3.0).fit(X, y)), plain)


def test_known_negatives_teach_where_many_unlabeled_rows_are_positive(rng):
    gains = []
    for _ in range(20):
        X, y, negative, truth = some_negatives(rng, 100)
        rest = ~y & ~negative
        plain, taught = (
            roc_auc_score(
                truth[rest],
                WeightedLogisticRegression(negative_share=share)
                .fit(X, y, known_negative=negative)
                .decision_function(X[rest]),
            )
            for share in (0.0, 3.0)
        )
        gains.append(taught - plain)
    assert np.mean(gains) > 3 * np.std(gains) / np.sqrt(len(gains))
