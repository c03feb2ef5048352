"""Bands of curves, simulated where the curves of the population are known.

200 samples: a coverage of .95 is then known to .015. All have to reach .9 at each place.
"""

import numpy as np
import pytest
from scipy.special import ndtr

from onesided._labels import population_prior
from onesided.datasets import make_gaussians
from onesided.metrics import pu_precision_recall_curve, pu_roc_curve

SAMPLES = 200
FREQUENCY = 0.25
RATES = np.array([0.02, 0.1, 0.3])
RECALLS = np.array([0.2, 0.5, 0.9])


@pytest.mark.parametrize("scenario", ["single-training-set", "case-control"])
@pytest.mark.parametrize(
    ("distance", "class_prior", "n_positive"), [(1.5, 0.25, 60), (2.5, 0.1, 25)]
)
def test_bands_cover(distance, class_prior, n_positive, scenario):
    model = make_gaussians(distance, n_features=1, class_prior=class_prior)
    prior = population_prior(class_prior, FREQUENCY, scenario=scenario)
    t = np.linspace(9, -9, 20_001)
    recall, false = ndtr(distance / 2 - t), ndtr(-distance / 2 - t)
    share = prior * recall + (1 - prior) * false
    of_roc = np.interp(RATES, false, recall)
    of_precision = prior * RECALLS / np.interp(RECALLS, recall, share)
    hits = []
    for seed in range(SAMPLES):
        if scenario == "case-control":
            drawn = model.sample(n_positive, 500, random_state=seed)
        else:
            drawn = model.sample_censored(800, FREQUENCY, random_state=seed)
        given = {"class_prior": class_prior, "scenario": scenario}
        bands = [
            (*pu_roc_curve(drawn.y, drawn.X[:, 0], **given).band(RATES), of_roc),
            (
                *pu_precision_recall_curve(drawn.y, drawn.X[:, 0], **given).band(RECALLS),
                of_precision,
            ),
        ]
        hits.append([(low <= truth) & (truth <= high) for low, high, truth in bands])
    assert np.mean(hits, axis=0).min() > 0.9
    assert np.mean(hits) < 0.99, "bands that always cover say nothing"
