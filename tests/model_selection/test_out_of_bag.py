"""Scores of the unlabeled by a model that has them out of bag: one fit."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from onesided.exceptions import DataError, OnesidedWarning
from onesided.model_selection import unlabeled_out_of_fold_scores
from onesided.models.composite import PUBagging


def problem(rng, n_rows=150):
    truth = rng.random(n_rows) < 0.4
    return rng.normal(size=(n_rows, 3)) + 2 * truth[:, None], truth & (rng.random(n_rows) < 0.5)


@pytest.mark.parametrize("piped", [False, True])
def test_one_fit_whose_out_of_bag_scores_are_ranked(rng, piped):
    X, y = problem(rng)
    frame = pd.DataFrame(X, columns=list("abc"))
    model = PUBagging(n_estimators=40, random_state=0)
    given = make_pipeline(StandardScaler(), model) if piped else model
    fits = []
    found = unlabeled_out_of_fold_scores(given, frame, y, on_progress=lambda *_: fits.append(1))
    assert len(fits) == 1
    fitted = model.fit(StandardScaler().fit_transform(X) if piped else X, y)
    scores = fitted.oob_decision_function_[~y]
    assert_array_equal(found.rows, np.flatnonzero(~y))
    n = len(scores)
    by_pairs = [(sum(scores > s) + (sum(scores == s)) / 2) / n for s in scores]
    assert_allclose(found.ranks, by_pairs)
    low, middle, high = np.quantile(scores, [0.25, 0.5, 0.75])
    assert_allclose(found.scores, (scores - middle) / ((high - low) / 1.349))


def test_labels_of_text(rng):
    X, y = problem(rng)
    model = PUBagging(n_estimators=20, random_state=0)
    told = PUBagging(n_estimators=20, random_state=0, positive_label="a buyer")
    text = np.where(y, "a buyer", "unknown")
    assert_array_equal(
        unlabeled_out_of_fold_scores(told, X, text).scores,
        unlabeled_out_of_fold_scores(model, X, y).scores,
    )


def test_a_row_in_every_bag(rng):
    X, y = problem(rng)
    with (
        pytest.warns(
            OnesidedWarning,
            match="rows are in every bag, which leaves no bag for",
        ),
        pytest.raises(
            DataError,
            match=r"are in every bag, which leaves no bag for an out-of-bag score\. Raise n_est",
        ),
    ):
        unlabeled_out_of_fold_scores(PUBagging(n_estimators=1, random_state=0), X, y)
