"""Other forms of a noisy-or that give the same labels (Vomlel 2004, sections 3.3 and 4).

A rule is "positive where Σ_j log q_j(a_j) < log t".

=============  ===========  ===================================================
symbol         shape        meaning
=============  ===========  ===================================================
q_j(a)         (k, 2)       `log_inhibition`, its logarithm
t              number       `log_threshold`, its logarithm
β_0, β_j       (k + 1,)     of the paper, log odds of C = 0: `coef_` is −β
=============  ===========  ===================================================
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from onesided._numerics._logspace import log_complement
from onesided._typing import Floats


@dataclass(frozen=True)
class Rule:
    """A noisy-or without leak, and its threshold, in the symbols above."""

    log_inhibition: Floats
    log_threshold: float


def to_weights(rule: Rule) -> tuple[Floats, float]:
    """Lemma 5: coefficients and intercept of a logistic regression that gives the same labels."""
    absent, present = rule.log_inhibition.T
    return absent - present, float(rule.log_threshold - absent.sum())


def from_weights(coef: Floats, intercept: float) -> Rule:
    """Lemma 4: the noisy-or of a logistic regression; it is in canonical form."""
    beta = -coef
    # log of exp(β) / (1 + exp(β)) and of 1 / (1 + exp(β))
    present, absent = -np.logaddexp(0.0, -beta), -np.logaddexp(0.0, beta)
    return Rule(np.stack([absent, present], axis=1), float(intercept + absent.sum()))


def canonical(rule: Rule) -> Rule:
    """Eq. 16 and 17: q_j(0) + q_j(1) = 1."""
    total = np.logaddexp(*rule.log_inhibition.T)
    return Rule(rule.log_inhibition - total[:, None], float(rule.log_threshold - total.sum()))


def restricted(rule: Rule) -> Rule:
    """Lemma 3: q_j(0) = 1; needs q_j(0) ≥ q_j(1) > 0."""
    absent = rule.log_inhibition[:, :1]
    return Rule(rule.log_inhibition - absent, float(rule.log_threshold - absent.sum()))


def effects_of(log_inhibition: Floats) -> Floats:
    """P(A'_j = 0 | a) and P(A'_j = 1 | a), each accurate near 0; shape (k, 2, 2)."""
    return np.exp(np.stack([log_inhibition, log_complement(log_inhibition)], axis=2))
