"""WeightedLogisticRegressionCV: fits, criteria and splits, each done by hand."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold

from onesided import PositiveKFold, WeightedLogisticRegression, WeightedLogisticRegressionCV
from onesided.exceptions import DataError, LabelError
from onesided.metrics import lee_liu_regret
from oracles import lee_liu2003

CS = [1e-3, 1e-1, 10.0]


class FirstRowsOut:
    """Rows below a number, in turn those below another, are held out."""

    def __init__(self, *ends):
        self.ends = ends

    def split(self, X, y):
        rows = np.arange(len(X))
        for end in self.ends:
            yield rows[end:], rows[:end]


@pytest.fixture
def problem(rng):
    """60 rows of 8 numbers; half are positive, two thirds of these labeled."""
    positive = rng.permutation(60) < 30
    X = rng.normal(size=(60, 8)) + 0.6 * positive[:, None] * (np.arange(8) < 2)
    return X, (positive & (rng.random(60) < 2 / 3)).astype(int)


def by_hand(X, y, end, judge):
    """The criterion for each C, of fits on the rows from `end` on."""
    found = []
    for C in CS:
        model = WeightedLogisticRegression(C).fit(X[end:], y[end:])
        found.append(judge(y[:end], model.decision_function(X[:end])))
    return found


@pytest.mark.parametrize(
    ("scenario", "population"), [("single-training-set", "all"), ("case-control", "unlabeled")]
)
def test_scores_are_the_printed_criterion(make_source, problem, scenario, population):
    X, y = problem

    def printed(labels, scores):
        return lee_liu2003.criterion(labels, (scores > 0).astype(int), population=population)

    model = WeightedLogisticRegressionCV(
        CS, validation=FirstRowsOut(20, 30), scenario=scenario
    ).fit(make_source(X), y)
    expected = [by_hand(X, y, 20, printed), by_hand(X, y, 30, printed)]
    assert_allclose(model.scores_, expected, rtol=1e-9)
    assert CS[int(np.argmax(np.mean(expected, axis=0)))] == model.C_
    assert len(np.unique(np.round(expected, 6))) > 3  # so that the test can fail


@pytest.mark.parametrize("scenario", ["single-training-set", "case-control"])
def test_regret_is_that_of_the_rows_held_out(problem, scenario):
    X, y = problem
    found, predicted = [], []
    for C in CS:
        called = np.concatenate(
            [
                WeightedLogisticRegression(C).fit(X[~out], y[~out]).predict(X[out])
                for out in (np.arange(60) < 20, np.arange(60) >= 20)
            ]
        )
        found.append(called[y == 1])
        predicted.append(called.sum() if scenario == "single-training-set" else sum(called[y == 0]))
    rows = np.arange(60)
    folds = [(rows[20:], rows[:20]), (rows[:20], rows[20:])]
    params = {"validation": folds, "scenario": scenario}
    assert WeightedLogisticRegressionCV(CS, **params).fit(X, y).regret_ is None
    model = WeightedLogisticRegressionCV(CS, label_odds_ratio=3, **params).fit(X, y)
    chosen = CS.index(model.C_)
    assert_allclose(model.regret_, lee_liu_regret(found, predicted, chosen=chosen, ratio=3))
    assert model.regret_.max() > 1
    with pytest.raises(DataError, match=r"label_odds_ratio=3 is given, but the criterion is 'auc'"):
        model.set_params(criterion="auc").fit(X, y)


def test_auc_and_a_function(problem):
    X, y = problem
    model = WeightedLogisticRegressionCV(CS, criterion="auc", validation=FirstRowsOut(20))
    assert_allclose(model.fit(X, y).scores_, [by_hand(X, y, 20, roc_auc_score)])

    def share_found(labels, scores):
        return float((scores[labels == 1] > 0).mean())

    model.set_params(criterion=share_found)
    assert_allclose(model.fit(X, y).scores_, [by_hand(X, y, 20, share_found)])


def test_refitted_on_all_rows(problem):
    X, y = problem
    model = WeightedLogisticRegressionCV(CS, random_state=0).fit(X, y)
    alone = WeightedLogisticRegression(model.C_).fit(X, y)
    assert_allclose(model.coef_, alone.coef_, atol=1e-6)
    assert_allclose(model.decision_function(X), alone.decision_function(X), atol=1e-5)
    assert (model.predict(X) == alone.predict(X)).all()


def test_splits_are_the_same_in_every_source(make_source, problem):
    X, y = problem
    ours = WeightedLogisticRegressionCV(CS, validation=3, random_state=5).fit(make_source(X), y)
    plain = WeightedLogisticRegressionCV(CS, validation=3, random_state=5).fit(X, y)
    assert_allclose(ours.scores_, plain.scores_)
    assert plain.scores_.shape == (3, 3)
    assert_allclose(ours.coef_, plain.coef_, atol=1e-6)
    folds = WeightedLogisticRegressionCV(
        CS, validation=PositiveKFold(3, random_state=np.random.RandomState(5).randint(2**31))
    )
    assert_allclose(folds.fit(X, y).scores_, plain.scores_)


def test_fits_files(tmp_path, problem):
    X, y = problem
    columns = {f"x{j}": X[:, j] for j in range(8)}
    pq.write_table(pa.table({**columns, "known": y}), tmp_path / "t.parquet", row_group_size=17)
    model = WeightedLogisticRegressionCV(CS, random_state=0).fit(tmp_path / "t.parquet", "known")
    plain = WeightedLogisticRegressionCV(CS, random_state=0).fit(X, y)
    assert_allclose(model.scores_, plain.scores_)
    assert_allclose(model.coef_, plain.coef_, atol=1e-6)


def test_held_out_rows_teach_nothing(problem):
    """What the held-out rows say changes the scores only."""
    X, y = problem
    changed = X.copy()
    changed[:20] = 1e3
    seen = []

    def remember(_, scores):
        seen.append(scores)
        return 0.0

    split = FirstRowsOut(20)
    WeightedLogisticRegressionCV(CS, criterion=remember, validation=split).fit(X, y)
    WeightedLogisticRegressionCV(CS, criterion=remember, validation=split).fit(changed, y)
    moved = [(b - a) - (b - a)[0] for a, b in zip(seen[:3], seen[3:], strict=True)]
    slopes = [WeightedLogisticRegression(C).fit(X[20:], y[20:]).coef_[0] for C in CS]
    for shift, slope in zip(moved, slopes, strict=True):
        expected = (changed[:20] - X[:20]) @ slope
        assert_allclose(shift, expected - expected[0], atol=1e-3)


def test_learns_from_the_training_rows_alone(problem):
    """Days in order: the rows between are neither learned from nor held out."""
    X, y = problem
    model = WeightedLogisticRegressionCV(
        CS, criterion="auc", validation=[(range(30), range(40, 60))]
    ).fit(X, y)
    expected = [
        roc_auc_score(
            y[40:], WeightedLogisticRegression(C).fit(X[:30], y[:30]).decision_function(X[40:])
        )
        for C in CS
    ]
    assert_allclose(model.scores_, [expected])


def test_penalties_are_ascending_and_counted(problem):
    X, y = problem
    model = WeightedLogisticRegressionCV([10.0, 1e-3, 1e-1, 10.0], random_state=0).fit(X, y)
    assert_array_equal(model.Cs_, CS)
    model = WeightedLogisticRegressionCV(4, random_state=0).fit(X, y)
    assert_allclose(model.Cs_, np.logspace(-4, 4, 4))


def test_strongest_of_equals(problem):
    X, y = problem
    model = WeightedLogisticRegressionCV(CS, criterion=lambda *_: 0.0, random_state=0).fit(X, y)
    assert CS[0] == model.C_


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"Cs": []}, "Cs is empty. Pass a list of values above 0, or their number, 10 for"),
        ({"Cs": [1.0, 0.0]}, "Cs=.*0.0.* is not a finite number above 0"),
        ({"Cs": 0}, "Cs=0 is not a whole number of at least 1"),
        ({"Cs": ["a"]}, "Cs=.*a.* is not a finite number above 0"),
        ({"Cs": 1.5}, "Cs=1.5 is not a whole number"),
        ({"Cs": "abc"}, "Cs='abc' is not a whole number"),
        ({"criterion": lambda *_: np.nan}, "criterion.*=nan .* Return one number for the labels"),
        ({"validation": "x"}, "validation='x' is not a number above 0 and below 1, a whole"),
        ({"validation": 1}, "validation=1 is not .*, a whole number of at least 2"),
        ({"criterion": "f1"}, "criterion='f1' is not 'auc', 'lee_liu' or a function"),
        ({"validation": 1.5}, "validation=1.5 is not a number above 0 and below 1"),
        ({"validation": 0.0}, "validation=0.0 is not a number above 0 and below 1"),
        ({"validation": 0.999}, "validation=0.999 (cannot split|leaves no)"),
        ({"validation": np.float32(1.5)}, "validation=.*1.5.* is not a number above 0 and below 1"),
        ({"validation": True}, "validation=True is not a number"),
        ({"validation": []}, "gives no split"),
        (
            {"validation": [(range(60), range(20))]},
            "has row 0 both among the rows to learn from and among the rows held out.",
        ),
        ({"validation": [(range(20, 60), range(61))]}, "cannot split .* rows: index 60"),
        ({"validation": [3]}, "cannot split .* rows: "),
        ({"validation": GroupKFold(3)}, "GroupKFold.* cannot split .* rows: The 'groups'"),
        ({"validation": FirstRowsOut(60)}, "leaves no positive row to learn from"),
        ({"validation": FirstRowsOut(0)}, "leaves no positive row to hold out"),
    ],
)
def test_bad_parameters(problem, params, message):
    X, y = problem
    with pytest.raises(DataError, match=message):
        WeightedLogisticRegressionCV(**{"Cs": CS, "random_state": 0, **params}).fit(X, y)


@pytest.mark.parametrize("kind", [1, 0])
@pytest.mark.parametrize("validation", [0.2, 3, FirstRowsOut(20)])
def test_a_single_row_of_a_kind(problem, kind, validation):
    X, _ = problem
    y = np.where(np.arange(len(X)) == 5, kind, 1 - kind)
    named = "positive" if kind else "unlabeled"
    with pytest.raises(DataError) as refused:
        WeightedLogisticRegressionCV(CS, validation=validation).fit(X, y)
    assert str(refused.value) == (
        f"y has 1 {named} row; at least 2 are needed, one to learn from and one to hold out. Add "
        f"{named} rows."
    )


def test_unknown_scenario(problem):
    with pytest.raises(LabelError, match="scenario"):
        WeightedLogisticRegressionCV(CS, scenario="both").fit(*problem)


def test_no_unlabeled_left_in_a_fold(problem):
    X, y = problem
    order = np.argsort(-y, kind="stable")  # the positives first
    n_positive = int(y.sum())
    model = WeightedLogisticRegressionCV(CS, validation=FirstRowsOut(n_positive - 1))
    with pytest.raises(DataError, match="leaves no unlabeled row to hold out"):
        model.fit(X[order], y[order])
