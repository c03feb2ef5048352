"""Curves as of all positives, their bands, and displays."""

import subprocess
import sys

import altair as alt
import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from onesided import WeightedLogisticRegression
from onesided.datasets import make_gaussians
from onesided.exceptions import DataError
from onesided.metrics import (
    PUPrecisionRecallDisplay,
    PURocCurveDisplay,
    pu_precision,
    pu_precision_recall_curve,
    pu_recall,
    pu_roc_auc,
    pu_roc_curve,
)
from oracles import corrected

SCENARIOS = ["single-training-set", "case-control"]
CURVES = [pu_roc_curve, pu_precision_recall_curve]
DISPLAYS = [PURocCurveDisplay, PUPrecisionRecallDisplay]
TRUTH = [1, 1, 0, 1, 0, 1, 1, 0, 0, 0, 0]
SCORES = [9, 8, 8, 7, 6, 6, 4, 4, 4, 2, 1]
DRAWN = make_gaussians(1.5, n_features=2, class_prior=0.3).sample(60, 300, random_state=0)
PRIOR = {"class_prior": 0.3, "scenario": "case-control"}
pytestmark = [
    pytest.mark.filterwarnings("ignore:The .* comes out at"),
    pytest.mark.filterwarnings("ignore:There (is|are) only"),
]


@pytest.mark.parametrize("n_labeled", [2, 4])
def test_mean_over_all_labels_is_that_of_full_labels(n_labeled):
    given = {
        "class_prior": (sum(TRUTH) - n_labeled) / (len(TRUTH) - n_labeled),
        "scenario": "single-training-set",
    }
    expected = np.array(corrected.curve(TRUTH, SCORES)).T
    draws = [*corrected.draws(TRUTH, n_labeled)]
    roc = [pu_roc_curve(y, SCORES, **given) for y in draws]
    assert_allclose(np.mean([each.recall for each in roc], axis=0)[1:], expected[0])
    false = np.mean([each.false_positive_rate for each in roc], axis=0)
    assert_allclose(false[1:], expected[1], atol=1e-12)
    precision = [pu_precision_recall_curve(y, SCORES, **given).precision for y in draws]
    assert_allclose(np.mean(precision, axis=0)[1:], expected[2])


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_points_are_the_figures_at_each_threshold(scenario, rng):
    scores, y = rng.integers(0, 9, 80), np.repeat([1, 0], [25, 55])
    weight = rng.integers(0, 3, 80)
    given = {"class_prior": 0.2, "scenario": scenario, "sample_weight": weight}
    curve = pu_precision_recall_curve(y, scores, **given)
    for threshold, recall, precision in zip(
        curve.thresholds[1:], curve.recall[1:], curve.precision[1:], strict=True
    ):
        predicted = (scores >= threshold).astype(int)
        assert_allclose(recall, pu_recall(y, predicted, sample_weight=weight))
        assert_allclose(precision, pu_precision(y, predicted, **given))
    roc = pu_roc_curve(y, scores, **given)
    assert_allclose(roc.area, pu_roc_auc(y, scores, **given))
    for make, found in ((pu_precision_recall_curve, curve), (pu_roc_curve, roc)):
        rows = np.repeat(y, weight), np.repeat(scores, weight)
        repeated = make(*rows, class_prior=0.2, scenario=scenario)
        assert_allclose(found.band([0.2, 0.5]), repeated.band([0.2, 0.5]))


@pytest.mark.parametrize("make", CURVES)
def test_bands(make):
    """A prior with an interval makes them wider, and so does more confidence."""

    class Estimated(float):
        interval = (0.2, 0.4)

    y, scores, x = DRAWN.y, DRAWN.X.sum(axis=1), np.linspace(0, 1, 21)
    curve = make(y, scores, **PRIOR)
    low, high = curve.band(x)
    height = np.clip(curve.at(x), 0, 1)
    assert ((low <= height) & (height <= high)).all()
    assert (high - low)[5] > 0.05
    surer = curve.band(x, confidence=0.999)
    assert (surer[0] <= low).all()
    assert (surer[1] >= high).all()
    uncertain = make(y, scores, class_prior=Estimated(0.3), scenario="case-control")
    assert_allclose(uncertain.at(x), curve.at(x))
    assert (uncertain.band(x)[0] <= low).all()
    assert (uncertain.band(x)[1] > high).any()
    names = curve.to_frame("pandas").columns
    assert names[0] == "threshold"
    assert len(curve.to_frame("pandas")) == len(curve.thresholds)
    assert "95% interval" in str(curve)
    assert isinstance(curve.plot(), alt.LayerChart)
    curve.plot().to_dict()


def test_a_prior_that_may_be_one_is_refused():
    class Estimated(float):
        interval = (0.5, 1.0)

    with pytest.raises(DataError, match="no row is negative"):
        pu_roc_curve([1, 0], [1, 0], class_prior=Estimated(0.7))


@pytest.fixture(name="plt")
def pyplot():
    matplotlib = pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415 - optional

    yield plt
    plt.close("all")


@pytest.mark.parametrize("display", DISPLAYS)
def test_displays(display, plt):
    words = np.where(DRAWN.y == 1, "hit", "other")
    _, ax = plt.subplots()
    for model, y, label in (
        (WeightedLogisticRegression(), DRAWN.y, None),
        (WeightedLogisticRegression(positive_label="hit"), words, None),
        (make_pipeline(StandardScaler(), LogisticRegression()), words, "hit"),
    ):
        model.fit(DRAWN.X, y)
        scores = model.decision_function(DRAWN.X)
        scores = scores if model.classes_[1] == (label or model.classes_[1]) else -scores
        drawn = display.from_estimator(model, DRAWN.X, y, positive_label=label, ax=ax, **PRIOR)
        told = {"positive_label": model.classes_[1] if label is None else label}
        same = display.from_predictions(y, scores, name="mine", confidence=None, **told, **PRIOR)
        assert drawn.ax_ is ax
        assert drawn.figure_ is ax.figure
        assert drawn.line_.get_label() == type(model).__name__
        assert drawn.band_ is not None
        assert same.band_ is None
        assert_allclose(drawn.line_.get_ydata(), same.line_.get_ydata())
        assert_allclose(drawn.line_.get_ydata(), drawn.curve.at(drawn.line_.get_xdata()))
    again = drawn.plot(name="again", color="black")
    assert again.line_.get_label() == "again"
    assert (again.ax_.get_xlabel(), again.ax_.get_ylabel()) == drawn.curve.titles


def test_matplotlib_is_optional():
    """The package does not import it, and drawing without it says what to install."""
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from onesided.metrics import PURocCurveDisplay, pu_roc_curve\n"
        "display = PURocCurveDisplay(pu_roc_curve([1, 0, 0], [2, 1, 0], class_prior=0.2))\n"
        "try:\n    display.plot()\n"
        "except ImportError as error:\n    print(error)\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "PURocCurveDisplay.plot requires matplotlib" in said.stdout
