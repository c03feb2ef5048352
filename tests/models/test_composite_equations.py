"""Words, second steps and EM where ordinary documents do not lead."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from onesided import BetaPrior, PositiveMultinomialNB
from onesided._blocks import ArraySource
from onesided.exceptions import PriorError
from onesided.models.bayes._multinomial import _of_words
from onesided.models.composite import IteratedSVMStep, SVMStep
from onesided.models.composite._word_em import EM, WordModel


class TestPriorOfWords:
    """p' = p · length of a positive document / length of an unlabeled one."""

    def test_share(self):
        assert_allclose(_of_words(0.3, 2.0), 0.6)
        found = _of_words(BetaPrior(2.0, 6.0), 1.5)  # mean 1/4, variance 1/48
        assert_allclose([found.alpha, found.beta], [1.5, 2.5])  # mean 3/8, variance 3/64

    def test_a_share_near_1_keeps_a_beta_of_2(self):
        found = _of_words(BetaPrior(1.0, 3.0), 3.2)
        assert_allclose([found.alpha, found.beta], [8.0, 2.0])

    @pytest.mark.parametrize(
        ("prior", "ratio"),
        [
            (0.5, 2.0),  # all words
            (0.5, 3.0),
            (BetaPrior(1.0, 3.0), 4.0),
            (BetaPrior(1.0, 3.0), 5.0),
        ],
    )
    def test_positives_that_would_hold_too_many(self, prior, ratio):
        with pytest.raises(PriorError, match="times as long as the unlabeled ones, would hold"):
            _of_words(prior, ratio)

    def test_unlabeled_documents_without_words(self):
        X = np.array([[2.0, 1], [1, 0], [0, 0], [0, 0]])
        model = PositiveMultinomialNB(0.3).fit(X, [1, 1, 0, 0])
        assert model.word_share_ == 0.3
        assert_allclose(np.exp(model.feature_log_prob_), [[0.5, 0.5], [4 / 6, 2 / 6]])

    @pytest.mark.parametrize("made", [np.asarray, sparse.csr_array])
    @pytest.mark.parametrize("call", ["decision_function", "contributions"])
    def test_counts_that_are_missing(self, rng, labels, made, call):
        X = rng.poisson(1.0, (60, 3)).astype(float)
        model = PositiveMultinomialNB(0.2).fit(X, labels)
        X[4, 1] = np.nan
        with pytest.raises(ValueError, match="Column 1 of X has a missing value"):
            getattr(model, call)(made(X))


def test_a_word_that_no_row_of_the_svm_has(rng, labels):
    """The matrix keeps its width, sparse or dense."""
    X = rng.poisson(1.0, (60, 5)).astype(float)
    negative = (labels == 0) & (np.arange(60) < 40)
    X[(labels == 1) | negative, 4] = 0
    steps = [
        SVMStep().learn(ArraySource(kind, labels == 1), negative)
        for kind in (X, sparse.csr_array(X))
    ]
    for step in steps:
        assert step.svm_.coef_.shape == (1, 5)
    assert_allclose(steps[1].svm_.coef_, steps[0].svm_.coef_, atol=1e-6)


def test_as_many_lost_as_may_be_keeps_the_last_svm(rng, labels):
    """The first is kept where the last calls more of the positives negative, not as many."""
    X = rng.poisson(1.0 + labels[:, None] * [0.6, 0.0, 0.3], (60, 3)).astype(float)
    source, negative = ArraySource(X, labels == 1), (labels == 0) & (np.arange(60) < 30)
    last = IteratedSVMStep(max_iter=100).learn(source, negative)
    lost = (last.score_block(next(source.blocks())) <= 0)[labels == 1].mean()
    assert 0 < lost < 1
    assert last.n_iter_ > 1
    for select, kept in (
        (lost, last.n_iter_ - 1),
        (lost - 0.01, 0),
        (lost + 0.01, last.n_iter_ - 1),
    ):
        assert IteratedSVMStep(select=float(select)).learn(source, negative).selected_ == kept


def test_em_that_ends_early_keeps_its_trace(rng, labels):
    """The likelihood of each model, that of the one that is not kept too."""
    ended = 0
    for _ in range(12):
        X = rng.poisson(1.0 + 0.5 * labels[:, None] * (np.arange(6) > 3), (60, 6)).astype(float)
        reliable = (labels == 0) & (rng.random(60) < 0.3)
        source, seen = ArraySource(X, labels == 1), np.ones(6, dtype=bool)
        counts = np.stack([X[reliable].sum(axis=0), X[labels == 1].sum(axis=0)])
        rows = np.array([reliable.sum(), labels.sum()], dtype=float)
        start = WordModel.of(counts, rows, seen, 1.0)
        whole, early = (
            EM(1.0, 1e-9, 500).climb(source, start, seen, until_error_grows=until)
            for until in (False, True)
        )
        n = len(early.objective)
        assert n == len(early.error_change) + 1
        assert_allclose(early.objective, whole.objective[:n])
        assert_array_equal(early.error_change, whole.error_change[: n - 1])
        ended += n < len(whole.objective)
    assert ended > 0
