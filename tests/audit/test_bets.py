"""Estimates and bets of an anytime audit, over all orders of draws of tiny populations.

Chances, guesses and told rows depend on what came before, as those of an audit may.
"""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import chisquare

from onesided.audit import Audit, _bets
from oracles import audit as oracle

N_DRAWS, ERROR = 3, 0.2


@dataclass
class Population:
    """Rows in strata. After the first draw the first open positive is told."""

    stratum: list
    truth: list
    inside: list
    seed: int

    def state(self, past):
        """Relative chances and guesses of the strata before the next draw, and told rows."""
        n_found = sum(self.truth[row] for row in past)
        rng = np.random.default_rng([self.seed, len(past), n_found])
        told = [row for row, y in enumerate(self.truth) if y and row not in past[:1]][:1]
        n_strata = max(self.stratum) + 1
        return rng.uniform(0.1, 3, n_strata), rng.uniform(0, 1, n_strata), told if past else []

    def step(self, past):
        """Chance of each next row, and by the equation its estimate Z inside and in all."""
        chances, guess, told = self.state(past)
        left = [r for r in range(len(self.truth)) if r not in past and r not in told]
        q = oracle.next_draw([chances[s] for s in self.stratum], left)
        of_rows = [guess[s] for s in self.stratum]
        known = {*past, *told}
        return {
            row: (
                q[row],
                *(
                    oracle.estimate(row, q[row], known, left, inside, self.truth, of_rows)
                    for inside in (self.inside, [True] * len(self.truth))
                ),
            )
            for row in left
        }

    def paths(self, n):
        """All orders of draws with their chances."""
        found = {(): 1.0}
        for _ in range(n):
            found = {
                (*past, row): chance * q
                for past, chance in found.items()
                for row, (q, *_) in self.step(past).items()
            }
        return found

    def estimates(self, path, inside):
        """What the package makes of one order."""
        states = [self.state(path[:t]) for t in range(len(path))]
        told = np.array(states[1][2] if len(states) > 1 else [], dtype=int)
        stratum, truth = np.array(self.stratum), np.array(self.truth)
        rows, none = list(path), np.zeros(len(path))
        draws = _bets.Draws(
            stratum=stratum[rows],
            sizes=np.bincount(stratum),
            chances=np.array([each[0] for each in states]),
            guess=np.array([each[1] for each in states]),
            low=none,
            high=none + len(truth),
            told=stratum[told],
            told_at=np.ones(len(told), dtype=int),
        )
        of = np.array(inside)
        sizes = np.bincount(stratum, weights=of)
        return _bets.estimates(draws, sizes, of[rows], of[told], truth[rows], truth[told])


POPULATIONS = [
    Population([0, 0, 1, 1, 2, 2], [True, False, True, False, False, False], [True] * 6, 0),
    Population([0, 0, 0, 1, 1, 1], [True, True, False, True, False, False], [1, 0, 1, 0, 1, 1], 1),
    Population([0, 1, 1, 1, 1], [False, True, False, True, True], [1, 0, 1, 1, 0], 2),
    Population([0, 0, 1, 1, 1], [True] * 5, [0, 0, 1, 1, 0], 3),
]
for each in POPULATIONS:
    each.inside = [bool(i) for i in each.inside]


@pytest.mark.parametrize("of", POPULATIONS)
def test_estimates_are_those_of_the_equation(of):
    for path in of.paths(N_DRAWS):
        steps = [of.step(path[:t])[row] for t, row in enumerate(path)]
        for which, inside in enumerate([of.inside, [True] * len(of.truth)], start=1):
            found = of.estimates(path, inside).found
            assert_allclose(found, [each[which] for each in steps], atol=1e-9)


@pytest.mark.parametrize("of", POPULATIONS)
def test_each_estimate_has_the_total_as_its_mean(of):
    for inside in (of.inside, [True] * len(of.truth)):
        total = sum(y for y, i in zip(of.truth, inside, strict=True) if i)
        means, chances = defaultdict(float), of.paths(N_DRAWS)
        for path, chance in chances.items():
            for t, z in enumerate(of.estimates(path, inside).found):
                means[path[:t]] += chance * z
        of_past = {
            past: sum(c for p, c in chances.items() if p[: len(past)] == past) for past in means
        }
        assert len(of_past) > 20
        for past, mean in means.items():
            assert_allclose(mean / of_past[past], total, atol=1e-9)


@pytest.mark.parametrize("of", POPULATIONS)
def test_ends_and_spread_of_the_estimates(of):
    for path in of.paths(N_DRAWS):
        found = of.estimates(path, of.inside)
        for t in range(N_DRAWS):
            _, guess, _ = of.state(path[:t])
            steps = of.step(path[:t])
            z = [each[1] for each in steps.values()]
            assert found.least[t] - 1e-9 <= min(z) <= max(z) <= found.most[t] + 1e-9
            g = {row: guess[of.stratum[row]] for row in steps}
            spread = sum(g[r] * (1 - g[r]) / steps[r][0] for r in steps if of.inside[r])
            assert_allclose(found.spread[t], spread)


def total_bets(of, path):
    """Bets on the number inside; their limits before each draw are what cannot be otherwise."""
    found = of.estimates(path, of.inside)
    low, high = np.zeros(len(path)), np.full(len(path), float(sum(of.inside)))
    return _bets.bets_on_total(found, 0.5 + found.expected / 4, low, high, ERROR)


def share_bets(of, path):
    """Bets on the share of all positives that is inside."""
    estimates = (of.estimates(path, each) for each in (of.inside, [True] * len(of.truth)))
    return _bets.bets_on_share(*estimates, 0.2, ERROR)


def fortunes(of, bets_of, r):
    """Expected product of the bets on more than r and on less than r."""
    more = less = 0.0
    for path, chance in of.paths(N_DRAWS).items():
        bets = bets_of(of, path)
        gain = bets.part - r * bets.whole
        factors = np.array([1 + bets.more * gain, 1 - bets.less * gain])
        assert (factors > 0).all()  # no draw takes all of a fortune
        more, less = np.array([more, less]) + chance * factors.prod(axis=1)
    return more, less


@pytest.mark.parametrize("bets_of", [total_bets, share_bets])
@pytest.mark.parametrize("of", POPULATIONS)
def test_nobody_can_expect_to_win(of, bets_of):
    inside = sum(y for y, i in zip(of.truth, of.inside, strict=True) if i)
    r = inside if bets_of is total_bets else inside / sum(of.truth)
    most = sum(of.inside) if bets_of is total_bets else 1
    assert_allclose(fortunes(of, bets_of, r), 1)
    for part in (0.3, 1):
        more, _ = fortunes(of, bets_of, r + part * (most - r))
        _, less = fortunes(of, bets_of, r - part * r)
        assert max(more, less) <= 1 + 1e-9


@pytest.mark.parametrize("bets_of", [total_bets, share_bets])
def test_bets_are_placed_before_the_draw(bets_of):
    of, placed = POPULATIONS[1], defaultdict(set)
    for path in of.paths(N_DRAWS):
        bets = bets_of(of, path)
        for t in range(N_DRAWS):
            told = of.state(path[:t])[2]
            placed[path[:t], *told].add((round(bets.more[t], 9), round(bets.less[t], 9)))
    assert {len(each) for each in placed.values()} == {1}


def test_limits_are_what_the_bets_do_not_refute(rng):
    for _ in range(20):
        n = 60
        z, bet = rng.normal(8, 6, n), rng.uniform(0, 0.02, n)
        bets = _bets.Bets(z, np.ones(n), bet, bet, bet, bet, 0.0, 20.0)
        candidates = np.linspace(0, 20, 501)
        gone = [
            *oracle.refuted(z, bet, 1, ERROR, candidates),
            *oracle.refuted(z, bet, -1, ERROR, candidates),
        ]
        left = sorted(set(candidates) - set(gone))
        assert_allclose(bets.limits(ERROR), (left[0], left[-1]), atol=0.041)


def test_refuted_limits_leave_nothing():
    one = np.ones(1)
    low, high = _bets.Bets(one, one, one, one, one, one, 5.0, 3.0).limits(ERROR)
    assert low > high


def test_batches_are_drawn_as_if_one_by_one():
    """Orders of a batch against the chances of draws one after the other."""
    n, seen = 3000, defaultdict(int)
    for seed in range(n):
        audit = Audit([4, 3, 2, 1], posterior=[0.5, 0.5, 0.001, 0], random_state=seed)
        seen[tuple(audit.draw(3).tolist())] += 1
    batch = audit._record.batches[0]
    chances = batch.chances[np.searchsorted(batch.edges, range(4), side="right") - 1]
    assert max(chances) > 2 * min(chances)
    expected = oracle.orders(chances.tolist(), 3)
    observed = [seen[order] for order in expected]
    assert sum(observed) == n
    assert chisquare(observed, n * np.array(list(expected.values()))).pvalue > 0.01
