"""Figures of all positives against full labels, over all draws of the labels."""

import copy
import pickle
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import ndtr
from scipy.stats import binomtest
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    f1_score,
    precision_score,
    recall_score,
    roc_auc_score,
)

from onesided.exceptions import DataError, LabelError, OnesidedWarning, PriorError
from onesided.metrics import (
    bedroc_score,
    enrichment_factor,
    lee_liu_score,
    lift,
    pu_accuracy,
    pu_average_precision,
    pu_f1_score,
    pu_precision,
    pu_recall,
    pu_recall_at_k,
    pu_roc_auc,
    recall_at,
)
from oracles import corrected

SCENARIOS = ["single-training-set", "case-control"]
OF_LABELS = {pu_precision: precision_score, pu_f1_score: f1_score, pu_accuracy: accuracy_score}
TRUTH = [1, 1, 0, 1, 0, 1, 1, 0, 0, 0, 0]
SCORES = [9, 8, 8, 7, 6, 6, 4, 4, 4, 2, 1]
CUTS = [0, 4, 5, 7, 8.5]
pytestmark = [
    pytest.mark.filterwarnings("ignore:The .* comes out at"),
    pytest.mark.filterwarnings("ignore:There (is|are) only"),
]


def lift_score(truth, predicted):
    return precision_score(truth, predicted, zero_division=0) / np.mean(truth)


def mean_over_draws(metric, given_to_it, n_labeled, **keywords):
    found = [
        metric(y, given_to_it, scenario="single-training-set", **keywords)
        for y in corrected.draws(TRUTH, n_labeled)
    ]
    return np.mean(found)


def hidden_share(n_labeled):
    return (sum(TRUTH) - n_labeled) / (len(TRUTH) - n_labeled)


@pytest.mark.parametrize("n_labeled", [1, 2, 4])
@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("metric", OF_LABELS)
def test_mean_over_all_labels_is_that_of_full_labels(metric, cut, n_labeled):
    predicted = (np.array(SCORES) > cut).astype(int)
    found = mean_over_draws(metric, predicted, n_labeled, class_prior=hidden_share(n_labeled))
    assert_allclose(found, OF_LABELS[metric](TRUTH, predicted))


@pytest.mark.parametrize("n_labeled", [1, 2, 4])
@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize(("metric", "full"), [(pu_recall, recall_score), (lift, lift_score)])
def test_so_it_is_without_a_prior(metric, full, cut, n_labeled):
    predicted = (np.array(SCORES) > cut).astype(int)
    assert_allclose(mean_over_draws(metric, predicted, n_labeled), full(TRUTH, predicted))


@pytest.mark.parametrize(
    ("metric", "full", "fewest"),
    [
        (pu_roc_auc, roc_auc_score, 1),
        (pu_average_precision, average_precision_score, 2),
        (bedroc_score, partial(corrected.bedroc, alpha=20), 1),
        (partial(bedroc_score, alpha=3), partial(corrected.bedroc, alpha=3), 1),
    ],
)
def test_so_it_is_of_scores(metric, full, fewest):
    for n_labeled in (fewest, 3, 4):
        found = mean_over_draws(metric, SCORES, n_labeled, class_prior=hidden_share(n_labeled))
        assert_allclose(found, full(TRUTH, SCORES))


@pytest.mark.parametrize("fraction", [0.05, 0.2, 0.5, 0.77, 1.0])
def test_so_it_is_of_the_top(fraction):
    expected = corrected.enrichment_factor(TRUTH, SCORES, fraction)
    for n_labeled in (1, 2, 4):
        found = mean_over_draws(enrichment_factor, SCORES, n_labeled, fraction=fraction)
        assert_allclose(found, expected)


@pytest.mark.parametrize("alpha", [1, 20, 80.5])
def test_bedroc_without_a_prior_is_the_papers_of_y(alpha):
    found = bedroc_score(TRUTH, SCORES, alpha=alpha, scenario="single-training-set")
    assert_allclose(found, corrected.bedroc(TRUTH, SCORES, alpha))


@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=4),
    st.lists(st.integers(0, 4), min_size=1, max_size=5),
    st.sampled_from([0.1, 0.3, 1.0]),
)
def test_case_control_puts_each_positive_among_the_unlabeled(known, rest, fraction):
    y, scores = [1] * len(known) + [0] * len(rest), known + rest
    alone = [([1] + [0] * len(rest), [score, *rest]) for score in known]
    assert_allclose(
        enrichment_factor(y, scores, fraction=fraction, scenario="case-control"),
        np.mean([corrected.enrichment_factor(*rows, fraction) for rows in alone]),
        atol=1e-12,
    )
    assert_allclose(
        bedroc_score(y, scores, alpha=5, scenario="case-control"),
        np.mean([corrected.bedroc(*rows, 5) for rows in alone]),
        atol=1e-12,
    )


def test_recall_of_a_list_of_unlabeled_rows(rng):
    scores, y = rng.integers(0, 12, 60), np.repeat([1, 0], [15, 45])
    above = [(scores[15:] > score).sum() for score in scores[:15]]
    tied = [(scores[15:] == score).sum() for score in scores[:15]]
    for k in (1, 7, 45, 1000):
        assert_allclose(pu_recall_at_k(y, scores, k=k), recall_at([k], above, tied)[0])


# d = 1.5, population prior .3, cut at 1 from the mean of the negatives: closed forms
PI = 0.3
R, Q = ndtr(0.5), 0.3 * ndtr(0.5) + 0.7 * ndtr(-1.0)
CLOSED = {
    pu_precision: PI * R / Q,
    pu_f1_score: 2 * PI * R / (PI + Q),
    pu_accuracy: PI * R + 0.7 * ndtr(1.0),
}


@dataclass
class Sample:
    labeled: np.ndarray
    truth: np.ndarray
    x: np.ndarray
    class_prior: float
    scenario: str

    @property
    def population(self):
        return (self.scenario == "single-training-set") | ~self.labeled


def gaussians(rng, scenario, frequency, n=400_000):
    truth = rng.random(n) < PI
    if scenario == "single-training-set":
        labeled = truth & (rng.random(n) < frequency)
        prior = (1 - frequency) * PI / (1 - frequency * PI)
    else:
        truth[: n // 4] = True
        labeled = np.arange(n) < n // 4
        prior = PI
    return Sample(labeled, truth, rng.normal(size=n) + 1.5 * truth, prior, scenario)


@pytest.mark.parametrize(
    ("scenario", "frequency", "raw"),
    [
        ("single-training-set", 0.1, 0.7566),
        ("single-training-set", 0.5, 0.7928),
        ("single-training-set", 0.8, 0.8275),
        ("case-control", None, 0.7489),
    ],
)
def test_reference_values(rng, scenario, frequency, raw):
    """R2: errors of the areas are about .0015, of the shares .002."""
    drawn = gaussians(rng, scenario, frequency)
    given_to_it = {"class_prior": drawn.class_prior, "scenario": scenario}
    assert_allclose(roc_auc_score(drawn.labeled, drawn.x), raw, atol=0.006)
    area = pu_roc_auc(drawn.labeled, drawn.x, **given_to_it)
    assert_allclose(area, 0.85558, atol=0.006)
    low, high = area.interval(0.999)
    assert low < 0.85558 < high
    assert_allclose(CLOSED[pu_precision], 0.651, atol=0.0005)
    for metric, expected in CLOSED.items():
        found = metric(drawn.labeled, drawn.x > 1, **given_to_it)
        assert_allclose(found, expected, atol=0.008)
        full = OF_LABELS[metric](drawn.truth[drawn.population], drawn.x[drawn.population] > 1)
        assert_allclose(found, full, atol=0.008)
    found = pu_average_precision(drawn.labeled, drawn.x, **given_to_it)
    full = average_precision_score(drawn.truth[drawn.population], drawn.x[drawn.population])
    assert_allclose(found, full, atol=0.008)


def test_the_other_story_is_another_figure(rng):
    drawn = gaussians(rng, "single-training-set", 0.5)
    for metric, expected in CLOSED.items():
        wrong = metric(
            drawn.labeled, drawn.x > 1, class_prior=drawn.class_prior, scenario="case-control"
        )
        assert abs(wrong - expected) > 0.015


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_lee_liu_is_precision_times_recall_over_prior(rng, scenario):
    drawn = gaussians(rng, scenario, 0.5, n=2000)
    y, predicted = drawn.labeled, drawn.x > 1
    found = pu_precision(y, predicted, class_prior=0.2, scenario=scenario)
    share = y.mean() if scenario == "single-training-set" else 0.0
    prior = share + (1 - share) * 0.2
    criterion = lee_liu_score(y, predicted, scenario=scenario)
    assert_allclose(found * pu_recall(y, predicted) / prior, criterion)
    assert_allclose(lift(y, predicted, scenario=scenario) * prior, found)


# intervals


def test_interval_of_recall_is_wilsons():
    y, predicted = np.repeat([1, 0], [20, 5]), np.repeat([1, 0], [17, 8])
    expected = binomtest(17, 20).proportion_ci(0.9, method="wilson")
    assert_allclose(pu_recall(y, predicted).interval(0.9), expected)
    assert pu_recall(y, np.ones(25, dtype=int)).interval() == (pytest.approx(0.839, abs=1e-3), 1)


def test_interval_of_the_area_is_delongs(rng):
    scores, y = rng.integers(0, 9, 40) + 0.0, np.repeat([1, 0], [12, 28])
    wins = np.sign(scores[:12, None] - scores[None, 12:]) / 2 + 0.5
    variance = wins.mean(1).var(ddof=1) / 12 + wins.mean(0).var(ddof=1) / 28
    found = pu_roc_auc(y, scores, class_prior=0.2).estimates[0]
    assert_allclose(found.error, variance**0.5 / 0.8)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("prior", [0.05, 0.4])
def test_errors_of_means_over_positives_by_the_slope_of_each_row(rng, scenario, prior):
    known, rest = rng.normal(size=60) + 1, rng.normal(size=90)
    y, scores = np.repeat([1, 0], [60, 90]), np.append(known, rest)
    single = scenario == "single-training-set"
    figures = {
        pu_average_precision: partial(corrected.average_precision, prior=prior, single=single),
        partial(bedroc_score, alpha=5): partial(
            corrected.weighed_bedroc, prior=prior, alpha=5, single=single
        ),
    }
    for metric, figure in figures.items():
        found = metric(y, scores, class_prior=prior, scenario=scenario).estimates[0].error
        expected = corrected.standard_error(figure, known.tolist(), rest.tolist())
        assert_allclose(found, expected, rtol=0.08)


@dataclass
class Uncertain:
    point: float
    interval: tuple[float, float]

    def __float__(self):
        return self.point


Y = np.repeat([1, 0], [30, 120])
SHIFTED = np.random.default_rng(0).normal(size=150) + np.repeat([2, 0], [40, 110])
WITH_PRIOR = [
    partial(metric, Y, SHIFTED > 1, scenario=scenario)
    for metric in OF_LABELS
    for scenario in SCENARIOS
] + [
    partial(metric, Y, SHIFTED, scenario=scenario)
    for metric in (pu_roc_auc, pu_average_precision, bedroc_score)
    for scenario in SCENARIOS
]


@pytest.mark.parametrize("metric", WITH_PRIOR)
def test_an_uncertain_prior_widens_the_interval(metric):
    alone = [metric(class_prior=prior) for prior in (0.05, 0.1, 0.2)]
    found = metric(class_prior=Uncertain(0.1, (0.05, 0.2)))
    assert found == alone[1]
    assert found.over_prior == (min(alone), max(alone))
    assert found.over_prior[0] < found < found.over_prior[1]  # one direction throughout
    ends = [each.interval(0.8) for each in alone]
    assert found.interval(0.8) == (min(low for low, _ in ends), max(high for _, high in ends))


@pytest.mark.parametrize("metric", WITH_PRIOR)
def test_a_prior_that_may_be_0_or_1_leaves_much_open(metric):
    low, high = metric(class_prior=Uncertain(0.1, (0.0, 1.0))).interval()
    alone = metric(class_prior=0.1).interval()
    assert 0 <= low <= alone[0] < alone[1] <= high <= 1
    assert (low, high) != alone


@pytest.mark.parametrize(
    "metric",
    [
        *(partial(each, class_prior=0.1) for each in WITH_PRIOR),
        partial(pu_recall_at_k, Y, SHIFTED, k=20),
        *(partial(enrichment_factor, Y, SHIFTED, fraction=0.1, scenario=s) for s in SCENARIOS),
        *(partial(lift, Y, SHIFTED > 1, scenario=s) for s in SCENARIOS),
    ],
)
def test_a_figure_lies_in_its_interval_and_is_copied_with_it(metric):
    found = metric()
    low, high = found.interval(0.5)
    assert low < found < high
    wider = found.interval(0.99)
    assert wider[0] < low < high <= wider[1] <= found.greatest
    assert high < wider[1] or high == found.greatest
    for other in (copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert other == found
        assert other.interval() == found.interval()
    with pytest.raises(DataError, match="confidence="):
        found.interval(95)


def test_weights_and_scales_of_scores_change_nothing(rng):
    order = rng.permutation(150)
    for metric in (pu_average_precision, bedroc_score):
        keywords = {"class_prior": 0.1, "scenario": "single-training-set"}
        found = metric(Y, SHIFTED, **keywords)
        other = metric(Y[order], np.exp(SHIFTED[order]), **keywords)
        assert_allclose(other, found)
        assert_allclose(other.interval(), found.interval())


# what cannot be


def test_out_of_range_is_said_and_not_clipped():
    y, predicted = [1, 1, 1, 1, 0, 0, 0, 0], [1, 1, 1, 0, 1, 0, 0, 0]
    with pytest.warns(
        OnesidedWarning, match="precision comes out at 1.5, 0.5 above 1, with"
    ) as seen:
        found = pu_precision(y, predicted, class_prior=0.5, scenario="case-control")
    assert found == 1.5
    assert seen[0].filename == __file__
    with pytest.warns(OnesidedWarning, match="ROC curve comes out at -0.5, 0.5 below 0"):
        assert pu_roc_auc([1, 0], [0, 1], class_prior=0.5) == -0.5


def test_nothing_predicted_is_zero():
    for scenario in SCENARIOS:
        given_to_it = {"class_prior": 0.3, "scenario": scenario}
        assert pu_precision([1, 0, 0], [0, 0, 0], **given_to_it) == 0
        assert pu_f1_score([1, 0, 0], [0, 0, 0], **given_to_it) == 0
        assert lift([1, 0, 0], [0, 0, 0], scenario=scenario) == 0


def test_found_positives_and_no_unlabeled_row_count_as_half_a_row():
    y, predicted = [1, 1, 0, 0], [1, 0, 0, 0]
    assert lift(y, predicted, scenario="case-control") == 0.5 / (0.5 / 2)
    found = pu_precision(y, predicted, class_prior=0.25, scenario="case-control")
    assert found == 0.25 * 2
    assert np.isfinite(found.interval()).all()


def test_scores_that_all_tie_are_chance():
    y, flat = np.repeat([1, 0], [20, 80]), np.zeros(100)
    for scenario, population in (("single-training-set", 0.2 + 0.8 * 0.25), ("case-control", 0.25)):
        given_to_it = {"class_prior": 0.25, "scenario": scenario}
        assert pu_roc_auc(y, flat, **given_to_it) == 0.5
        found = pu_average_precision(y, flat, **given_to_it)
        assert_allclose(found, population, atol=0.01)
        assert_allclose(enrichment_factor(y, flat, fraction=0.1, scenario=scenario), 1)


def test_one_positive():
    low, high = pu_roc_auc([1, 0, 0], [2, 1, 3], class_prior=0.1).interval()
    assert np.isnan(low)
    assert np.isnan(high)
    with pytest.raises(
        DataError,
        match=r"There is only one positive, so ties with other positives cannot be counted.",
    ):
        pu_average_precision([1, 0, 0], [2, 1, 3], class_prior=0.1, scenario="case-control")


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        (0.0, "class_prior=0.0 is not between"),
        (1, "class_prior=1 is not between"),
        ("estimate", "class_prior='estimate' is not between"),
        (Uncertain(1.0, (0.5, 1.0)), "class_prior=1.0 is not between"),
        (Uncertain(0.5, (-0.1, 1.0)), "interval of class_prior is -0.1 to 1"),
        (Uncertain(0.5, (0.6, 0.4)), "interval of class_prior is 0.6 to 0.4"),
    ],
)
def test_priors_that_cannot_be(prior, message):
    with pytest.raises(PriorError, match=message):
        pu_roc_auc([1, 0], [1, 0], class_prior=prior)


def test_arguments():
    for metric in (*OF_LABELS, pu_average_precision):
        with pytest.raises(TypeError, match="scenario"):
            metric([1, 0], [1, 0], class_prior=0.2)
        with pytest.raises(TypeError, match="class_prior"):
            metric([1, 0], [1, 0], scenario="case-control")
    for metric in (lift, bedroc_score, partial(enrichment_factor, fraction=0.5)):
        with pytest.raises(TypeError, match="scenario"):
            metric([1, 0], [1, 0])
        with pytest.raises(LabelError, match="is neither 'single-training-set'"):
            metric([1, 0], [1, 0], scenario="both")
    with pytest.raises(LabelError, match="y has 2 rows, y_score has shape"):
        pu_roc_auc([1, 0], [1, 2, 3], class_prior=0.1)
    with pytest.raises(DataError, match="Some scores are NaN"):
        pu_roc_auc([1, 0], [1, np.nan], class_prior=0.1)
    with pytest.raises(PriorError, match="fraction=0 is not between"):
        enrichment_factor([1, 0], [1, 0], fraction=0, scenario="case-control")
    with pytest.raises(DataError, match="k=0 is not a whole number"):
        pu_recall_at_k([1, 0], [1, 0], k=0)
    with pytest.raises(DataError, match="alpha=0 is not"):
        bedroc_score([1, 0], [1, 0], alpha=0, scenario="case-control")


def test_labels_in_words():
    y = np.array(["buyer", "unknown", "buyer", "unknown"])
    keywords = {"class_prior": 0.25, "scenario": "case-control", "positive_label": "buyer"}
    assert pu_precision(y, y[::-1], **keywords) == 0
    assert pu_roc_auc(y, [2, 1, 3, 2.5], **keywords) == pytest.approx(0.5 + 0.25 / 0.75)


OF_PROPENSITY = {pu_recall: recall_score, lift: lift_score, **OF_LABELS}


def asked(metric, y, predicted, *, scenario="single-training-set", **keywords):
    if metric not in (pu_recall, lift):
        keywords["class_prior"] = keywords.pop("prior")
    keywords.pop("prior", None)
    return metric(y, predicted, scenario=scenario, **keywords)


@pytest.mark.parametrize("metric", OF_PROPENSITY)
def test_known_propensities_mend_uneven_labels(metric, rng):
    """Labels biased to what is found: the weighted figure is that of full labels, the plain is not.

    In a single training set, so that all rows are the population.
    """
    truth = rng.random(40_000) < 0.3
    predicted = rng.random(40_000) < np.where(truth, 0.6, 0.1)
    propensity = np.where(predicted, 0.5, 0.2)
    y = truth & (rng.random(40_000) < propensity)
    prior = truth[~y].mean()
    expected = OF_PROPENSITY[metric](truth, predicted)
    given = np.where(y, propensity, np.nan)
    low, high = asked(metric, y, predicted, prior=prior, propensity=given).interval(0.999)
    assert low < expected < high
    plain_low, plain_high = asked(metric, y, predicted, prior=prior).interval(0.999)
    assert expected < plain_low or expected > plain_high


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("metric", OF_PROPENSITY)
def test_equal_propensities_change_nothing(metric, scenario):
    y, predicted = [1, 1, 1, 1, 0, 0, 0, 0], [1, 1, 1, 0, 1, 0, 0, 0]
    settings = {"scenario": scenario, "prior": 0.3}
    plain = asked(metric, y, predicted, **settings)
    weighted = asked(metric, y, predicted, propensity=[0.2] * 8, **settings)
    assert_allclose(weighted, plain)
    assert_allclose(weighted.interval(), plain.interval())


def test_recall_of_positives_that_stand_for_many():
    """Two found of propensity 1/2, one missed of 1/4: 4 of 8; four rows count as 64 / 24."""
    y, predicted = [1, 1, 1, 0, 0], [1, 1, 0, 0, 1]
    found = pu_recall(y, predicted, propensity=[0.5, 0.5, 0.25, 9, 9])
    assert_allclose(found, 4 / 8)
    n, z = 64 / 24, 1.959964
    reach = z / (1 + z**2 / n) * np.sqrt(0.25 / n + z**2 / (4 * n**2))
    assert_allclose(found.interval(), [0.5 - reach, 0.5 + reach], rtol=1e-6)


@pytest.mark.parametrize(
    ("propensity", "problem"),
    [([0.5, 0.5], "shape"), ([0.5, 0, 0.5, 0.5], "of 0"), ([0.5, np.nan, 1, 1], "of nan")],
)
def test_propensities_that_are_none(propensity, problem):
    with pytest.raises(DataError, match=problem):
        pu_recall([1, 1, 0, 0], [1, 0, 0, 1], propensity=propensity)


@pytest.mark.parametrize("scenario", ["case-control", "single-training-set"])
def test_uneven_labels_are_the_worst_and_the_best_propensities(rng, scenario):
    """Found positives three times as likely to be labeled as missed ones, or the reverse."""
    y, y_pred = np.repeat([1, 0], [40, 160]), (rng.random(200) < 0.4).astype(int)
    found = (y == 1) & (y_pred == 1)
    worst, best = np.where(found, 0.9, 0.3), np.where(found, 0.3, 0.9)
    prior = {"class_prior": 0.2}
    for figure, more in (
        (pu_recall, {}),
        (lift, {}),
        (pu_precision, prior),
        (pu_f1_score, prior),
        (pu_accuracy, prior),
    ):
        given = {"scenario": scenario, **more}
        score = figure(y, y_pred, label_odds_ratio=3, **given)
        assert float(score) == float(figure(y, y_pred, **given))
        ends = [float(figure(y, y_pred, propensity=each, **given)) for each in (worst, best)]
        assert_allclose(score.over_prior, ends)
        low, high = score.interval(0.9)
        assert low < ends[0] < ends[1] < high
    with pytest.raises(DataError, match=r"`label_odds_ratio` 0\.9"):
        pu_recall(y, y_pred, label_odds_ratio=0.9)
    criterion = lee_liu_score(y, y_pred, scenario=scenario)
    ratios = [
        (float(pu_recall(y, y_pred, propensity=e)) / pu_recall(y, y_pred)) ** 2
        for e in (worst, best)
    ]
    assert_allclose(criterion.over_labels(3), np.array(ratios) * criterion)
    assert lee_liu_score(y, 0 * y, scenario=scenario).over_labels(3) == (0, 0)
