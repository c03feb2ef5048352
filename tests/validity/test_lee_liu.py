"""The error and the interval of the criterion, simulated where its value is known.

4,000 samples: a coverage of .95 is then known to .0034, and to fall outside of .93 to .97 is six
of these; the deviation over the samples is known to about 1 percent.
"""

import numpy as np
import pytest

from onesided.metrics import LeeLiuScore

SAMPLES = 4000


def drawn(rng, scenario, recall, share, labeled):
    """Scores of samples of about 60 labeled rows, and the criterion of the population.

    `share` of the unlabeled and `recall` of the labeled are predicted positive; `labeled` is the
    share of labeled rows, whose number varies in a single training set.
    """
    n_rows = round(60 / labeled)
    single = scenario == "single-training-set"
    n_positive = rng.binomial(n_rows, labeled, SAMPLES) if single else np.full(SAMPLES, 60)
    n_found = rng.binomial(n_positive, recall)
    n_predicted = rng.binomial(n_rows - n_positive, share)
    counts = zip(*(each.tolist() for each in (n_found, n_positive, n_predicted)), strict=True)
    scores = [LeeLiuScore(k, n, j, n_rows - n, scenario=scenario) for k, n, j in counts]
    population = labeled * recall + (1 - labeled) * share if single else share
    return scores, recall**2 / population


@pytest.mark.parametrize("labeled", [0.06, 0.25])
@pytest.mark.parametrize(("recall", "share"), [(0.7, 0.2), (0.5, 0.3), (0.8, 0.5)])
@pytest.mark.parametrize("scenario", ["single-training-set", "case-control"])
def test_interval_covers(scenario, recall, share, labeled):
    scores, truth = drawn(np.random.default_rng(0), scenario, recall, share, labeled)
    low, high = np.array([score.interval() for score in scores]).T
    assert 0.93 < np.mean((low <= truth) & (truth <= high)) < 0.97
    errors = [score.standard_error for score in scores]
    assert abs(np.mean(errors) / np.std(scores) - 1) < 0.05


@pytest.mark.parametrize("scenario", ["single-training-set", "case-control"])
def test_interval_of_few_found_still_reaches_the_truth(scenario):
    """A recall of .02: in 30 percent of the samples none of 60 is found."""
    scores, truth = drawn(np.random.default_rng(1), scenario, 0.02, 0.3, 0.06)
    assert np.mean([score == 0 for score in scores]) > 0.25
    low, high = np.array([score.interval() for score in scores]).T
    assert np.mean((low <= truth) & (truth <= high)) > 0.93
