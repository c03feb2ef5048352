"""How often the intervals of audits hold, in small populations with fixed seeds.

Shares of audits are held against the confidence with three standard errors of the simulation. An
interval of an anytime audit must hold at every look, a planned one at the end. Planned intervals
are approximate, since mid-P limits and sums by MOVER are: with as few positives as here, recall at
nominal .95 held in .90 to .95 of 250 audits.
"""

import numpy as np
import pytest

from onesided.audit import Audit

N_ROWS, RUNS = 50, 50
CONFIDENCE, LEAST = {"anytime": 0.8, "planned": 0.95}, {"anytime": 0.8, "planned": 0.9}
MODES = ["anytime", "planned"]
FEW = ("count", "among", "recall")  # every kind is compared at every look and at the end
SCORES = {
    "good": lambda truth, rng: 2 * truth + rng.normal(size=len(truth)),
    "useless": lambda truth, rng: rng.normal(size=len(truth)),
    "reversed": lambda truth, rng: rng.normal(size=len(truth)) - 2 * truth,
    "constant": lambda truth, _: np.zeros(len(truth)),
}
POSTERIORS = {
    "none": lambda _: None,
    "zeros": np.zeros_like,
    "ones": np.ones_like,
    "both": lambda scores: np.arange(len(scores)) % 2.0,
}


class Run:
    """One audit of a random population, and what of it was wrong so far."""

    def __init__(self, seed, mode, scores="good", posterior="none", share=0.25):
        self.rng = np.random.default_rng([seed, 23])
        self.truth = self.rng.random(N_ROWS) < share
        self.truth[0] = True  # a share of no positives is none
        scores = SCORES[scores](self.truth, self.rng)
        self.audit = Audit(
            scores,
            posterior=POSTERIORS[posterior](scores),
            mode=mode,
            confidence=CONFIDENCE[mode],
            random_state=seed,
        )
        self.order = np.argsort(-scores, kind="stable")
        self.wrong = set()

    def draw(self, n, what="count", k=None):
        return self.audit.draw(n, what=what, k=k)

    def answer(self, rows):
        self.audit.record(rows, self.truth[rows])

    def look(self, *kinds):
        """Compare the intervals of these kinds, by default of all, with the truth."""
        audit, truth = self.audit, self.truth
        first = {k: truth[self.order[:k]].sum() for k in (10, 25)}
        is_third = np.arange(N_ROWS) % 3 == 0
        found = sum(truth[row] for row, y in zip(audit.checked, audit.verdicts, strict=True) if y)
        checks = {
            "count": (audit.count, truth.sum()),
            "among": (lambda: audit.count(is_third), truth[is_third].sum()),
            "precision": (lambda: audit.precision_at(25), first[25] / 25),
            "recall": (lambda: audit.recall_at(10), first[10] / truth.sum()),
            "found": (audit.found, found / truth.sum()),
        }
        for name in kinds or checks:
            estimated, true = checks[name]
            estimate = estimated()
            low, high = estimate.interval
            assert low <= estimate.point <= high
            if not low - 1e-9 <= true <= high + 1e-9:
                self.wrong.add(name)


def assert_held(mode, audit_of):
    """Each kind of interval holds in about as many audits as it says, or more."""
    least = LEAST[mode] - 3 * np.sqrt(LEAST[mode] * (1 - LEAST[mode]) / RUNS)
    wrong = [each for seed in range(RUNS) for each in audit_of(seed).wrong]
    held = {name: 1 - wrong.count(name) / RUNS for name in set(wrong)}
    assert min(held.values(), default=1) >= least, held


@pytest.mark.parametrize("scores", SCORES)
def test_anytime_at_every_look(scores):
    def audit_of(seed):
        run = Run(seed, "anytime", scores)
        for what, k in [("count", None), ("recall", 10), ("precision", 25), ("found", None)]:
            run.answer(run.draw(9, what, k))
            run.look()
        return run

    assert_held("anytime", audit_of)


@pytest.mark.parametrize("scores", SCORES)
@pytest.mark.parametrize("what", [("count", None), ("recall", 10)])
def test_planned_at_the_end(scores, what):
    def audit_of(seed):
        run = Run(seed, "planned", scores)
        run.answer(run.draw(12, *what))
        run.answer(run.draw(14, *what))
        run.look()
        return run

    assert_held("planned", audit_of)


@pytest.mark.parametrize("posterior", POSTERIORS)
@pytest.mark.parametrize("mode", MODES)
def test_any_guessed_posterior(mode, posterior):
    def audit_of(seed):
        run = Run(seed, mode, "good", posterior)
        run.answer(run.draw(20))
        run.look()
        return run

    assert_held(mode, audit_of)


@pytest.mark.parametrize("first", [0, 8])
@pytest.mark.parametrize("chosen", [True, False])
@pytest.mark.parametrize("mode", MODES)
def test_rows_told_by_who_knows_the_truth(mode, chosen, first):
    """Before or between draws, all positives (or 20 negatives) are recorded without a draw."""

    def audit_of(seed):
        run = Run(seed, mode, "useless", share=0.5)
        run.answer(run.draw(first))
        open_ = np.setdiff1d(np.flatnonzero(run.truth == chosen), run.audit.checked)
        run.answer(open_[:20])
        if mode == "anytime":
            run.look(*FEW)
        run.answer(run.draw(9))
        run.look(*FEW)
        return run

    assert_held(mode, audit_of)


@pytest.mark.parametrize("mode", MODES)
def test_any_decision_of_unsure_rows(mode):
    """One row in five cannot be told; later half of them are decided."""

    def audit_of(seed):
        run = Run(seed, mode)
        unsure = run.rng.random(N_ROWS) < 0.2

        def answer(rows):
            run.audit.record(
                rows, [None if unsure[row] else run.truth[row] for row in rows.tolist()]
            )

        answer(run.draw(15))
        answer(run.draw(10))
        truth = run.truth
        for run.truth in (truth | unsure, truth & ~unsure):
            run.look(*FEW)
        run.truth, rows = truth, run.audit.checked
        run.answer(rows[unsure[rows]][::2])
        run.look(*FEW)
        return run

    assert_held(mode, audit_of)


def test_verdicts_in_any_order():
    """Anytime: positives come back first, so that others wait for the rows drawn before them."""

    def audit_of(seed):
        run = Run(seed, "anytime", "useless")
        rows = run.draw(25)
        rows = rows[np.argsort(~run.truth[rows], kind="stable")]
        for part in np.array_split(rows, 4):
            run.answer(part)
            run.look()
        assert run.audit.count().n_waiting == 0
        return run

    assert_held("anytime", audit_of)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("said", [True, False])
def test_wrong_verdicts_can_be_corrected(mode, said):
    """All verdicts are the same until more rows were drawn; then they are put right."""

    def audit_of(seed):
        run = Run(seed, mode, "useless", share=0.5)
        rows = run.draw(15)
        run.audit.record(rows, [said] * len(rows))
        more = run.draw(8)
        run.answer(rows)
        run.answer(more)
        run.look()
        return run

    assert_held(mode, audit_of)


def labels(seed, n_rows, n_hidden, n_known, bias):
    """Truth and scores of unlabeled rows, and scores of known positives; bias as odds."""
    rng = np.random.default_rng([seed, 23])
    positives = rng.normal(1.5, 1, n_known + n_hidden)
    weights = np.where(positives > 1.5, bias, 1.0)
    known = np.zeros(len(positives), dtype=bool)
    known[rng.choice(len(known), n_known, replace=False, p=weights / weights.sum())] = True
    truth = np.arange(n_rows) < n_hidden
    return truth, np.r_[positives[~known], rng.normal(size=n_rows - n_hidden)], positives[known]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("n_rows", "n_hidden", "n_known", "n_checked"),
    [(150, 20, 200, 150), (300, 100, 100, 150)],  # few hidden positives, all of them found
)
@pytest.mark.parametrize("groups", [2, 4])
def test_even_labels_are_seldom_refuted(mode, n_rows, n_hidden, n_known, n_checked, groups):
    refuted = 0
    for seed in range(20):
        truth, scores, known = labels(seed, n_rows, n_hidden, n_known, 1)
        audit = Audit(scores, mode=mode, random_state=seed)
        rows = audit.draw(n_checked)
        audit.record(rows, truth[rows])
        refuted += not audit.label_odds_ratio(groups, known).is_even
    assert refuted <= 4  # of 20 at 5 %: more have a chance of 0.3 %


@pytest.mark.parametrize("mode", MODES)
def test_uneven_labels_are_found(mode):
    """Labels 20 times as likely for high scores, by given groups and, at the end, by score."""
    for seed in range(5):
        truth, scores, known = labels(seed, 600, 200, 100, 20)
        audit = Audit(scores, mode=mode, random_state=seed)
        for n, what, k in [(100, "count", None), (200, "recall", 200)]:
            rows = audit.draw(n, what=what, k=k)
            audit.record(rows, truth[rows])
        is_high, known_high = scores > 1.5, int((known > 1.5).sum())
        hidden_high = int(truth[is_high].sum())
        true = known_high / (100 - known_high) / (hidden_high / (200 - hidden_high))
        found = audit.label_odds_ratio(is_high, labeled_groups=known > 1.5)
        assert found.groups == [False, True]
        assert found.n_labeled == [100 - known_high, known_high]
        assert 1 < found.at_least < true
        assert 0 < found.intervals[0][0] <= found.intervals[0][1] < 1 < found.intervals[1][0]
        rows = audit.draw(300)
        audit.record(rows, truth[rows])
        assert audit.label_odds_ratio(2, known).at_least > 1
