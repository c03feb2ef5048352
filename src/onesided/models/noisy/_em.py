"""The two steps of EM in Vomlel 2004, section 2.2: expect over the rows, and maximize.

A row has one of several hidden profiles z, each with its own effects of the attributes: with
probability π_z the row has the effects of profile z.

=================  ==========================  =================================================
symbol             shape                       meaning
=================  ==========================  =================================================
effects            (m k, n_values, n_levels)   P(A'_j = l | A_j = v), one profile after the other
leak               (m,)                        P(a cause that is always there is inhibited)
shares             (m,)                        π_z
label_frequency    number                      P(labeled | C = 1), 1 if the class is known
=================  ==========================  =================================================

For binary attributes without missing values, an iteration of "or" and "and" is three products with
the data. With Q = P(C = 0 | a), log Q = Σ log q_j(0) + X (log q(1) − log q(0)). For each row, let
r be the expected number of positives divided by 1 − Q, and s the expected number of negatives
minus r Q. Then the sums are

    expected rows with A'_j = 1, A_j = 1:   p_j(1) Xᵀr
    expected rows with A'_j = 0, A_j = 1:   q_j(1) Xᵀr + Xᵀs

The sums for A_j = 0 are the differences from the sums over all rows. Rows known to be of class 0
have r = 0 and s = 1. Counts of their attributes, taken once, replace these rows, and the products
use only the other rows.

With several profiles, Q = Σ π_z Q_z. For profile z, a row has r_z = π_z r and s_z = s π_z Q_z / Q,
whatever the label of the row. This takes two products for each profile and one more product. Rows
of class 0 are informative about the profiles, so the passes include them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.special import logsumexp

from onesided._blocks import Block
from onesided._typing import Floats, Ints
from onesided.models.noisy._combiners import Message

_CELLS = 1 << 20  # of the effects of rows that are held at a time
_LEAST_LOG = -700.0  # least log of a product of inhibitions; its exponential is not 0
LEAST = 1e-300  # least value of a probability that may change, since 0 would stay 0


@dataclass(frozen=True)
class Parameters:
    """The parameters that EM changes, in the symbols above."""

    effects: Floats
    leak: Floats = field(default_factory=lambda: np.ones(1))
    label_frequency: float = 1.0
    shares: Floats = field(default_factory=lambda: np.ones(1))

    @property
    def n_profiles(self) -> int:
        """Number of profiles."""
        return len(self.shares)

    @property
    def has_leak(self) -> bool:
        """Whether the model has a cause that is always present."""
        return bool((self.leak < 1).any())

    def by_profile(self, of_all: Floats) -> Floats:
        """An array of shape (m k, ...), reshaped to one part for each profile: (m, k, ...)."""
        return of_all.reshape(self.n_profiles, -1, *of_all.shape[1:])

    @cached_property
    def log_inhibition(self) -> Floats:
        """Log P(A'_j = 0 | A_j = v), accurate near 0 too; shape (m k, n_values)."""
        present = _over_levels(self.effects[:, :, 1:])
        logs: Floats = np.minimum(present, 0.5)
        np.log1p(np.negative(logs, out=logs), out=logs)
        with np.errstate(divide="ignore"):  # whichever is accurate
            np.log(self.effects[:, :, 0], out=logs, where=present > 0.5)  # noqa: PLR2004 - between absent and present
        return logs


@dataclass(frozen=True)
class Expectation:
    """Sums over rows of the expected hidden states.

    Attributes
    ----------
    counts : shape (m k, n_values, n_levels), expected rows with A'_j = l and A_j = v
    leak : shape (m, 2), expected rows of each profile in which the leak is inhibited, or is not
    n_positive, n_labeled : weight of the expected rows of class 1, and of the labeled rows
    log_likelihood : nats
    """

    counts: Floats
    leak: Floats
    n_positive: float
    n_labeled: float
    log_likelihood: float

    @classmethod
    def zero(cls, parameters: Parameters) -> Self:
        """The expectation of no rows."""
        leak = np.zeros((parameters.n_profiles, 2))
        return cls(np.zeros_like(parameters.effects), leak, 0.0, 0.0, 0.0)

    @classmethod
    def of_negatives(cls, counts: Floats, weight: float, parameters: Parameters) -> Self:
        """The expectation of rows known to be of class 0, whose effects are all inhibited.

        Parameters
        ----------
        counts : shape (k, 2, 2), weight of the rows with each value; 0 for effects that are present
        weight : of the rows
        parameters : of "or", with one profile
        """
        logs = float(np.einsum("kv,kv->", counts[:, :, 0], parameters.log_inhibition))
        log_likelihood = logs + weight * float(np.log(parameters.leak[0]))
        return cls(counts, np.array([[weight, 0.0]]), 0.0, 0.0, log_likelihood)

    @classmethod
    def of_products(
        cls, block: Block, parameters: Parameters, *, negated: bool, known: bool
    ) -> Self:
        """The expectation of a block of binary attributes without missing values, for "or".

        With `negated` labels it is for "and". Rows known to be of class 0 are left out; see
        `of_negatives`.

        Parameters
        ----------
        block : labeled rows
        parameters : of "or"
        negated : whether an unlabeled row is of class 1
        known : whether a row that is not of class 1 is of class 0, and is left out
        """
        f, shares, m = parameters.label_frequency, parameters.shares, parameters.n_profiles
        if known:
            block = block.rows(np.flatnonzero(block.labels() != negated))
        X: Any = block.matrix()
        labeled = block.labels() != negated
        q0, q1 = np.moveaxis(parameters.by_profile(parameters.log_inhibition), 2, 0)
        steps = (q1 - q0).T if m > 1 else (q1 - q0)[0]  # a product with a vector is faster
        log_q = q0.sum(axis=1) + np.log(parameters.leak) + (X @ steps).reshape(-1, m)
        np.clip(log_q, _LEAST_LOG, 0.0, out=log_q)  # above 0 by rounding
        of_profiles = np.exp(log_q)
        Q, P = of_profiles @ shares, -np.expm1(log_q) @ shares
        of_profiles *= shares
        of_profiles /= Q[:, None]  # P(profile | C = 0, a)
        # A row of class 1 without a cause is impossible, so it gets no weight.
        caused = P > 0
        weight = np.where(caused | ~labeled, block.weights(), 0.0)
        r = np.divide(weight, P, out=np.zeros_like(P), where=caused)
        s = -r * Q
        positive, likelihood = weight, P
        if not known:  # a positive is labeled with probability f; an unlabeled row may be positive
            unlabeled = 1 - f + f * Q
            hidden = weight * (1 - f) / unlabeled
            r = np.where(labeled, r, hidden)
            s = np.where(labeled, s, weight * f * Q / unlabeled)
            positive = np.where(labeled, weight, hidden * P)
            likelihood = np.where(labeled, f * P, unlabeled)
        of_rows = np.column_stack([r, s[:, None] * of_profiles])
        of_present = np.asarray(X.T @ of_rows)
        of_all = np.array([each.sum() for each in of_rows.T])
        of_values = np.empty((m + 1, len(of_present), 2))
        for each, whole, part in zip(of_values, of_all, of_present.T, strict=True):
            each[:, 1] = part
            np.subtract(whole, part, out=each[:, 0])
        counts = np.empty_like(parameters.effects)
        into, effects = parameters.by_profile(counts), parameters.by_profile(parameters.effects)
        for level in (0, 1):
            np.multiply(effects[..., level], of_values[0], out=into[..., level])
        into *= shares[:, None, None, None]
        into[..., 0] += of_values[1:]
        leak, r_of_all = parameters.leak, shares * of_all[0]
        inhibited = np.maximum(leak * r_of_all + of_all[1:], 0.0)
        return cls(
            np.maximum(counts, 0.0, out=counts),  # rounding
            np.stack([inhibited, (1 - leak) * r_of_all], axis=1),
            float(positive.sum()),
            float(weight @ labeled),
            float(weight @ np.log(np.where(weight > 0, likelihood, 1.0))),
        )

    @classmethod
    def of_messages(
        cls,
        block: Block,
        parameters: Parameters,
        *,
        message: Message,
        class_of: Callable[[Block], Ints],
        marginals: Floats,
    ) -> Self:
        """The expectation of a block of any attributes, by the message of a function.

        Parameters
        ----------
        block : rows, with NaN for missing values
        parameters : effects
        message : of the function
        class_of : class of each row of a block as a number from 0, labeled or not
        marginals : shape (k, n_values), P(A_j = v), for missing values
        """
        size, n_values, n_levels = parameters.effects.shape
        k = size // parameters.n_profiles
        of_profiles = parameters.by_profile(parameters.effects)
        tables = [with_gaps(effects, marginals) for effects in of_profiles]
        found = cls.zero(parameters)
        step = rows_at_a_time(size, n_levels)
        classes, weights = class_of(block), block.weights()
        f = parameters.label_frequency
        for start in range(0, block.n_rows, step):
            part = block.rows(np.arange(start, min(start + step, block.n_rows)))
            codes = codes_of(part, n_values)
            c, weight = classes[start : start + step], weights[start : start + step]
            states = []
            for table, leak in zip(tables, parameters.leak, strict=True):
                effects = table[np.arange(k), codes]
                if parameters.has_leak:
                    q = np.full((len(codes), 1), leak)
                    effects = np.concatenate([effects, np.stack([q, 1 - q], axis=2)], axis=1)
                if f < 1:
                    states.append(_of_hidden_class(effects, c, f, message))
                else:
                    log_prob, posterior = message(effects, c)
                    states.append((posterior, (c > 0).astype(float), log_prob))
            joint = np.stack([each for *_, each in states], axis=1) + np.log(parameters.shares)
            joint = np.where(np.isnan(joint), -np.inf, joint)  # a class that the effects rule out
            log_likelihood: Floats = logsumexp(joint, axis=1)
            possible = log_likelihood > -np.inf
            weight = np.where(possible, weight, 0.0)
            log_likelihood = np.where(possible, log_likelihood, 0.0)
            counts, leaked, n_positive = [], [], 0.0
            for (parts, positive, _), table, effects, log_joint in zip(
                states, tables, of_profiles, joint.T, strict=True
            ):
                of_profile = weight * np.exp(log_joint - log_likelihood)
                weighed = np.where(
                    of_profile[:, None, None] > 0, parts * of_profile[:, None, None], 0.0
                )
                counts.append(_sum_by_value(weighed[:, :k], codes, table, effects, marginals))
                leaked.append(
                    weighed[:, k:].sum(axis=(0, 1))
                    if parameters.has_leak
                    else np.array([of_profile.sum(), 0.0])
                )
                n_positive += float(of_profile @ np.where(of_profile > 0, positive, 0.0))
            found = found + cls(
                np.concatenate(counts),
                np.stack(leaked),
                n_positive,
                float(weight @ (c > 0)),
                float(weight @ log_likelihood),
            )
        return found

    def __add__(self, other: Self) -> Self:
        return type(self)(
            self.counts + other.counts,
            self.leak + other.leak,
            self.n_positive + other.n_positive,
            self.n_labeled + other.n_labeled,
            self.log_likelihood + other.log_likelihood,
        )


def _of_hidden_class(
    effects: Floats, labeled: Ints, f: float, message: Message
) -> tuple[Floats, Floats, Floats]:
    """Posterior of the effects, P(C = 1) and log-likelihood if an unlabeled row may be positive.

    Single training set: P(C = 1 | unlabeled, a) = (1 − f)(1 − Q) / (1 − f (1 − Q)), f below 1.
    """
    ones = np.ones(len(labeled), dtype=np.int64)
    log_p, if_positive = message(effects, ones)
    log_q, if_negative = message(effects, 0 * ones)
    log_unlabeled = np.log1p(-f * np.exp(log_p))
    positive = np.where(labeled > 0, 1.0, np.exp(np.log1p(-f) + log_p - log_unlabeled))
    negative = np.where(labeled > 0, 0.0, np.exp(log_q - log_unlabeled))
    mixed = np.where(positive[:, None, None] > 0, positive[:, None, None] * if_positive, 0.0)
    mixed += np.where(negative[:, None, None] > 0, negative[:, None, None] * if_negative, 0.0)
    return mixed, positive, np.where(labeled > 0, np.log(f) + log_p, log_unlabeled)


def with_gaps(effects: Floats, marginals: Floats) -> Floats:
    """Effects with one more value, "missing": a mean over values; (k, n_values + 1, n_levels)."""
    gap = np.einsum("kv,kvl->kl", marginals, effects)
    return np.concatenate([effects, gap[:, None, :]], axis=1)


def rows_at_a_time(n_effects: int, n_levels: int) -> int:
    """Number of rows whose effects fit into memory together."""
    return max(1, _CELLS // max(n_effects * n_levels, 1))


def codes_of(block: Block, n_values: int) -> Ints:
    """Attributes as whole numbers, `n_values` if missing; shape (n_rows, k)."""
    X = block.dense()
    return np.where(np.isnan(X), n_values, np.nan_to_num(X)).astype(np.int64)


def _sum_by_value(
    posterior: Floats, codes: Ints, table: Floats, effects: Floats, marginals: Floats
) -> Floats:
    """Sum of the posteriors over the rows with each value; missing values are spread over values.

    A missing value has P(A'_j = l, A_j = v | ·) = P(A'_j = l | ·) · P(A_j = v) P(l | v) / P(l).
    """
    k, n_all, n_levels = table.shape
    place = (np.arange(k) * n_all + codes).ravel()
    sums = np.stack(
        [
            np.bincount(place, posterior[:, :, level].ravel(), minlength=k * n_all)
            for level in range(n_levels)
        ],
        axis=1,
    ).reshape(k, n_all, n_levels)
    gap = table[:, -1:, :]
    share = np.divide(
        marginals[:, :, None] * effects, gap, out=np.zeros_like(effects), where=gap > 0
    )
    return sums[:, :-1] + share * sums[:, -1:]


@dataclass(frozen=True)
class Settings:
    """The settings of EM.

    Attributes
    ----------
    restricted : whether P(A'_j = 0 | A_j = 0) stays 1
    estimates_frequency : whether the label frequency is changed
    prior : (α, β) of a Beta distribution of each inhibition, (1, 1) for none
    tol : least gain of an iteration, nats per row
    max_iter : largest number of iterations
    """

    restricted: bool = False
    estimates_frequency: bool = False
    prior: tuple[float, float] = (1.0, 1.0)
    tol: float = 1e-5
    max_iter: int = 200

    def maximize(self, found: Expectation, parameters: Parameters) -> Parameters:
        """The parameters under which the expected states are most likely."""
        counts = found.counts
        if self.prior != (1, 1):
            counts = counts + (np.array(self.prior) - 1)
        total = _over_levels(counts)[:, :, None]
        with np.errstate(invalid="ignore"):
            effects = counts / total
        np.maximum(effects, LEAST, out=effects)
        if not total.all():  # a value that no row has
            np.copyto(effects, parameters.effects, where=total == 0)
        if self.restricted:
            effects[:, 0] = parameters.effects[:, 0]
        rows = found.leak.sum(axis=1)
        leak = parameters.leak
        if parameters.has_leak:
            leak = np.maximum(found.leak[:, 0] / np.maximum(rows, LEAST), LEAST)
        shares = np.maximum(rows / rows.sum(), LEAST)
        frequency = parameters.label_frequency
        if self.estimates_frequency:
            frequency = found.n_labeled / found.n_positive
        return Parameters(effects, leak, frequency, shares)

    def log_prior(self, parameters: Parameters) -> float:
        """Log density of the inhibitions that may change, up to a constant; nats."""
        alpha, beta = self.prior
        if (alpha, beta) == (1, 1):
            return 0.0
        free = parameters.effects[:, 1:] if self.restricted else parameters.effects
        with np.errstate(divide="ignore"):
            logs = np.log(free)
        return float((alpha - 1) * logs[:, :, 0].sum() + (beta - 1) * logs[:, :, 1].sum())


class Reached(NamedTuple):
    """Parameters, the expectation under them, and their log-likelihood plus log prior density."""

    parameters: Parameters
    expectation: Expectation
    log_likelihood: float


def _over_levels(values: Floats) -> Floats:
    """Sum over the last axis, level by level: numpy is slow at sums of two numbers each."""
    total: Floats = values[..., 0].copy()
    for level in range(1, values.shape[-1]):
        total += values[..., level]
    return total


def levels_apart(effects: Floats) -> Floats:
    """The same array, with each level contiguous in memory: loops over it are twice as fast."""
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(effects, 2, 0)), 0, 2)


def negated(parameters: Parameters) -> Parameters:
    """The same model with effects and class negated: "and" becomes "or", and back."""
    return replace(parameters, effects=parameters.effects[:, :, ::-1])
