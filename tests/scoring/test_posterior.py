"""Probabilities of being positive by score, of rows many of which have the same score."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from onesided._candidates import posteriors_by_place
from onesided.model_selection import PlacedPositives
from onesided.ranking import rank_table
from onesided.scoring import fit_table, score_table
from onesided.scoring._alerts import _by_score, on_scale_of

N_KNOWN, N_UNLABELED, PRIOR = 400, 6000, 0.3
KINDS = {
    "two": ([0.8, 0.2], [0.2, 0.8]),
    "three": ([0.6, 0.3, 0.1], [0.1, 0.3, 0.6]),
    "six": ([0.3, 0.25, 0.2, 0.15, 0.08, 0.02], [0.02, 0.08, 0.15, 0.2, 0.25, 0.3]),
}


def rows_of(kinds, rng):
    """Rows of one category column, in which the unlabeled rows have the declared prior."""
    positive = np.arange(N_KNOWN + N_UNLABELED) < N_KNOWN + PRIOR * N_UNLABELED
    of_positives, of_others = KINDS[kinds]
    drawn = [rng.choice(len(each), len(positive), p=each) for each in (of_positives, of_others)]
    kind = np.array([*"abcdef"])[np.where(positive, *drawn)]
    return pd.DataFrame({"kind": kind, "known": np.arange(len(positive)) < N_KNOWN})


@pytest.mark.parametrize("kinds", KINDS)
def test_rows_of_one_category_have_the_posterior_of_this_category(rng, kinds):
    """Bayes: of the rows of a kind, PRIOR * P(kind | known) / P(kind | unlabeled) are positive."""
    table = rows_of(kinds, rng)
    asked = {"methods": ["naive-bayes"], "scenario": "single-training-set"}
    model = fit_table(table, "known", class_prior=PRIOR, **asked)
    unlabeled = table[~table.known]
    found = score_table(model, unlabeled).to_frame("pandas").posterior.to_numpy()
    of_known, of_others = (
        rows.kind.value_counts(normalize=True) for rows in (table[table.known], unlabeled)
    )
    exact = (PRIOR * of_known / of_others).clip(upper=1)
    by_kind = pd.Series(found).groupby(unlabeled.kind.to_numpy())
    assert (by_kind.max() == by_kind.min()).all()
    assert_allclose(by_kind.mean(), exact[by_kind.mean().index], atol=0.03)
    assert_allclose(found.sum(), PRIOR * N_UNLABELED, rtol=0.002)


def test_a_score_has_the_posterior_of_the_ranking(rng):
    table = rows_of("three", rng)
    asked = {"methods": ["naive-bayes"], "scenario": "single-training-set"}
    ranking = rank_table(table, "known", **asked)
    model = fit_table(table, "known", **asked)
    assert model.posterior.column == ranking.candidates.posterior_name
    scored = score_table(model, table[~table.known]).to_frame("pandas")
    of_score = scored.groupby(table.kind[~table.known].to_numpy())[model.posterior.column].mean()
    ranked = pd.Series(ranking.candidates.posterior)
    of_ranking = ranked.groupby(table.kind.to_numpy()[ranking.candidates.rows]).mean()
    assert_allclose(of_score, of_ranking, atol=0.05)


def test_the_mean_over_the_places_of_a_score():
    """Of ten places the first four have probability .9, the others .1."""
    by_place = np.repeat([0.9, 0.1], [4, 6])
    scores, found = _by_score(by_place, np.array([2.0, 1.0, 1.0, 0.0, 0.0]))
    assert scores.tolist() == [0, 1, 2]
    assert_allclose(found, [0.1, (2 * 0.9 + 2 * 0.1) / 4, 0.9])


def test_many_scores_keep_the_sum(rng):
    """A third of the rows have one score among thousands of others."""
    by_place = np.sort(rng.random(3000) ** 4)[::-1]
    later = np.append(rng.normal(size=2000), np.zeros(1000))
    scores, found = _by_score(by_place, later)
    assert len(scores) <= 1000
    n_above = (later > 0).sum()
    at_tie = by_place[n_above : n_above + 1000].mean()
    assert_allclose(found[scores == 0], at_tie)
    assert_allclose(np.interp(later, scores, found).sum(), by_place.sum(), rtol=0.005)


def test_tied_positives_count_at_all_places_of_the_tie():
    """All 8 positives are tied with the first 40 of 100 rows; 20 rows are positive."""
    none = np.zeros(8, dtype=np.int64)
    known = PlacedPositives(none, none + 40, np.ones(8), 100)
    assert_allclose(posteriors_by_place(known, 100, 20), np.repeat([0.5, 0.0], [40, 60]))


def test_scores_of_few_values_go_over_into_scores_of_few_values():
    learned, apart = (np.repeat(each, [700, 300]) for each in ([0.0, 1.0], [0.1, 0.8]))
    apart = np.append(apart, np.full(100, 0.1))
    assert on_scale_of(learned, apart, np.array([0.1, 0.8])).tolist() == [0, 1]
