"""Naive Bayes for words by EM, if the class of some documents is unknown (Liu et al. 2002).

==================  ============  ==============================================================
symbol              shape         meaning
==================  ============  ==============================================================
feature_log_prob    (2, n_words)  log P(w | c), nats, negative first; 0 for a word never seen
class_log_prior     (2,)          log P(c), nats
==================  ============  ==============================================================

Positive documents stay positive; other documents count for both classes by their posterior. From
any start, an iteration does not lower the log-likelihood plus `smoothing` Σ log P(w | c), Laplace's
prior.

`f` is the label that a model gives, positive if the posterior is above one half. Its error is

    Pr[f ≠ Y] = Pr[f = 1] − Pr[Y = 1] + 2 Pr[f = 0 | Y = 1] Pr[Y = 1]

among the unlabeled. Pr[f = 1] is the share of the unlabeled that is called positive.
Pr[f = 0 | Y = 1] is the share of the positives that is called negative. Pr[Y = 1] is a constant:
to compare the errors of two models, it is the mean posterior under the newer model.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from onesided._blocks import Block, Source
from onesided._numerics._logspace import probabilities_of
from onesided._statistics import WordTotals
from onesided._typing import Bools, Floats
from onesided._validation import ABOVE_ZERO, COUNT, FROM_ZERO

_LEAST = 1e-300  # least probability of a class without documents, and of words without occurrences


@dataclass(frozen=True)
class WordModel:
    """Multinomial naive Bayes, in the symbols above."""

    feature_log_prob: Floats
    class_log_prior: Floats

    @classmethod
    def of(cls, occurrences: Floats, documents: Floats, seen: Bools, smoothing: float) -> Self:
        """Smoothed shares of the words that are seen, and shares of the documents.

        Parameters
        ----------
        occurrences : shape (2, n_words), negative and positive
        documents : shape (2,)
        seen : shape (n_words,), the vocabulary; other words give no evidence
        smoothing : occurrences added to each word
        """
        raised = np.where(seen, occurrences + smoothing, 0.0)
        shares = raised / np.maximum(raised.sum(axis=1, keepdims=True), _LEAST)
        prior = np.maximum(documents / documents.sum(), _LEAST)
        return cls(np.log(np.where(seen, shares, 1.0)), np.log(prior))

    @classmethod
    def of_labels(cls, totals: WordTotals, smoothing: float) -> Self:
        """The model that takes all unlabeled documents as negative."""
        return cls.of(totals.occurrences, totals.rows, vocabulary(totals), smoothing)

    def log_joint(self, block: Block) -> Floats:
        """Log P(c, document) of both classes, up to a common constant; shape (n_rows, 2)."""
        X: Any = block.matrix()
        return np.asarray(X @ self.feature_log_prob.T) + self.class_log_prior

    def log_odds(self, block: Block) -> Floats:
        """Natural-log posterior odds, shape (n_rows,)."""
        X: Any = block.matrix()
        ratios = self.feature_log_prob[1] - self.feature_log_prob[0]
        return np.asarray(X @ ratios) + (self.class_log_prior[1] - self.class_log_prior[0])


def vocabulary(totals: WordTotals) -> Bools:
    """Mask of the words that occur at all, shape (n_words,)."""
    seen: Bools = totals.occurrences.sum(axis=0) > 0
    return seen


@dataclass(frozen=True)
class Expectation:
    """Expected counts of the documents under a model; positive documents always stay positive.

    Attributes
    ----------
    occurrences : shape (2, n_words), of words in negative and positive documents
    documents : shape (2,), expected numbers of negative and positive documents
    called : shape (2, 2), numbers of unlabeled and positive rows that are called negative and
        positive
    log_likelihood : nats
    """

    occurrences: Floats
    documents: Floats
    called: Floats
    log_likelihood: float

    @classmethod
    def zero(cls, n_words: int) -> Self:
        """The expectation of no rows."""
        return cls(np.zeros((2, n_words)), np.zeros(2), np.zeros((2, 2)), 0.0)

    @classmethod
    def of(cls, block: Block, model: WordModel) -> Self:
        """The expectation of one block of labeled rows."""
        X: Any = block.matrix()
        joint, labels = model.log_joint(block), block.labels()
        odds = joint[:, 1] - joint[:, 0]
        known = np.where(labels, np.inf, odds)
        shares = probabilities_of(known)
        evidence = np.where(labels, joint[:, 1], np.logaddexp(*joint.T))
        called = np.zeros((2, 2))
        np.add.at(called, (labels.astype(int), (odds > 0).astype(int)), 1)
        return cls((X.T @ shares).T, shares.sum(axis=0), called, float(evidence.sum()))

    def __add__(self, other: Self) -> Self:
        return type(self)(
            self.occurrences + other.occurrences,
            self.documents + other.documents,
            self.called + other.called,
            self.log_likelihood + other.log_likelihood,
        )

    def change_of_error(self, before: Self) -> float:
        """Estimated Pr[f ≠ Y] of this model, minus that of the model before."""
        n_unlabeled, n_positive = self.called.sum(axis=1)
        class_prior = (self.documents[1] - n_positive) / n_unlabeled
        change = self.called - before.called
        more_called, more_missed = change[0, 1] / n_unlabeled, change[1, 0] / n_positive
        return float(more_called + 2 * class_prior * more_missed)


@dataclass(frozen=True)
class Climb:
    """The result of EM.

    Attributes
    ----------
    model : the last model, or the model that was chosen
    selected : number of this model; 0 is the start
    error_change : shape (n_iter,), from each model to the next
    objective : shape (n_iter + 1,), nats
    converged : whether EM ended before `max_iter`
    """

    model: WordModel
    selected: int
    error_change: Floats
    objective: Floats
    converged: bool


EM_CONSTRAINTS: dict[str, Any] = {
    "smoothing": [ABOVE_ZERO],
    "tol": [FROM_ZERO],
    "max_iter": [COUNT],
}


@dataclass(frozen=True)
class EM:
    """The EM loop with its settings, which are named like the parameters of the steps."""

    smoothing: float
    tol: float
    max_iter: int

    def climb(
        self, source: Source, start: WordModel, seen: Bools, *, until_error_grows: bool
    ) -> Climb:
        """Iterate until the gain is small; an iteration takes one pass.

        Parameters
        ----------
        source : labeled rows
        start : the first model
        seen : shape (n_words,), the vocabulary
        until_error_grows : whether to end when the estimated error grows, and keep the model before
        """
        models = self._models(source, start, seen)
        model, expected = next(models)
        changes: list[float] = []
        objective = [self._objective(model, expected)]
        converged = False
        for newer, of_newer in islice(models, self.max_iter):
            changes.append(of_newer.change_of_error(expected))
            objective.append(self._objective(newer, of_newer))
            if until_error_grows and changes[-1] > 0:
                return Climb(model, len(changes) - 1, np.array(changes), np.array(objective), True)
            model, expected = newer, of_newer
            gain = (objective[-1] - objective[-2]) / expected.documents.sum()
            converged = gain <= self.tol
            if converged:
                break
        else:
            warnings.warn(
                f"EM stopped at max_iter={self.max_iter}; the last gain was {gain:.2g} nats a row, "
                f"tol={self.tol:g}. Raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return Climb(model, len(changes), np.array(changes), np.array(objective), converged)

    def _models(
        self, source: Source, model: WordModel, seen: Bools
    ) -> Iterator[tuple[WordModel, Expectation]]:
        """Yield each model and its expectation, from which the next model is made."""
        while True:
            of_block = partial(Expectation.of, model=model)
            expected = source.total(of_block, Expectation.zero(source.n_features))
            yield model, expected
            model = WordModel.of(expected.occurrences, expected.documents, seen, self.smoothing)

    def _objective(self, model: WordModel, expected: Expectation) -> float:
        return expected.log_likelihood + self.smoothing * float(model.feature_log_prob.sum())
