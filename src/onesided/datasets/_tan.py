"""Rows from a tree-augmented naive Bayes model whose posterior is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from onesided._labels import as_share
from onesided._typing import Bools, Floats, Ints, RandomState
from onesided._validation import check_number, check_random_state
from onesided.datasets._hide import HiddenLabels
from onesided.exceptions import DataError

Topology: TypeAlias = Literal["chain", "star", "balanced", "random"]


@dataclass(frozen=True)
class TanModel:
    """Two-class model of categorical features; each depends on the class and one other feature.

    Attributes
    ----------
    parents : shape (n_features,), index of the feature that each feature depends on; −1 for the
        first feature
    tables : P(value | class, parent's value), shape (2, n_features, n_values, n_values), the
        negative class first. The first feature has no parent, so its rows are the same for all
        parent values

    Examples
    --------
    One feature, whose value is 1 in 8 of 10 positives and in 2 of 10 negatives:

    >>> import numpy as np
    >>> from onesided.datasets import TanModel
    >>> negative, positive = [[0.8, 0.2]] * 2, [[0.2, 0.8]] * 2
    >>> model = TanModel(np.array([-1]), np.array([[negative], [positive]]))
    >>> model.log_odds(np.array([[0], [1]]), class_prior=0.5).round(2)
    array([-1.39,  1.39])
    """

    parents: Ints
    tables: Floats

    def sample(
        self,
        n_positive: int,
        n_unlabeled: int,
        class_prior: float,
        *,
        random_state: RandomState = None,
    ) -> HiddenLabels:
        """Draw positive and unlabeled rows.

        Parameters
        ----------
        n_positive, n_unlabeled : number of rows of each kind
        class_prior : share of positives among the unlabeled; the draw has exactly this share, up to
            rounding
        random_state : seed or generator of the draw
        """
        as_share(class_prior, "class_prior")
        for name, number in (("n_positive", n_positive), ("n_unlabeled", n_unlabeled)):
            check_number(number, name, "Pass a number of rows.", above=0, whole=True)
        rng = check_random_state(random_state)
        n_hidden = round(class_prior * n_unlabeled)
        truth = np.zeros(n_positive + n_unlabeled, dtype=np.int64)
        truth[: n_positive + n_hidden] = 1
        labeled = (np.arange(len(truth)) < n_positive).astype(np.int64)
        order = rng.permutation(len(truth))
        truth, labeled = truth[order], labeled[order]
        return HiddenLabels(self._draw(truth == 1, rng), labeled, truth, np.arange(len(truth)))

    def log_odds(self, X: Ints, class_prior: float) -> Floats:
        """Exact log P(positive | x) / P(negative | x) of unlabeled rows, in nats; shape (n_rows,).

        Parameters
        ----------
        X : shape (n_rows, n_features), values from 0
        class_prior : share of positives among the unlabeled
        """
        as_share(class_prior, "class_prior")
        X = np.asarray(X)
        n_values = self.tables.shape[-1]
        fits = X.ndim == 2 and X.shape[1] == len(self.parents) and X.dtype.kind in "iu"  # noqa: PLR2004 - a matrix
        if not fits or (X.size and not (X.min() >= 0 and X.max() < n_values)):
            raise DataError(
                f"X has shape {X.shape} and type {X.dtype}, or values that are not in the model.",
                f"Pass whole numbers from 0 to {n_values - 1}, {len(self.parents)} a row.",
            )
        ratios = np.log(self.tables[1]) - np.log(self.tables[0])
        odds = np.full(len(X), np.log(class_prior / (1 - class_prior)))
        for j, parent in enumerate(self.parents):
            above = X[:, parent] if parent >= 0 else 0
            odds += ratios[j, above, X[:, j]]
        return odds

    def _draw(self, positive: Bools, rng: Any) -> Ints:
        n_features = len(self.parents)
        X = np.zeros((len(positive), n_features), dtype=np.int64)
        for j in range(n_features):  # a parent has a lower index than its children
            parent = self.parents[j]
            above = X[:, parent] if parent >= 0 else np.zeros(len(positive), dtype=np.int64)
            running = self.tables[positive.astype(int), j, above].cumsum(axis=1)
            X[:, j] = (rng.uniform(size=len(positive))[:, None] > running[:, :-1]).sum(axis=1)
        return X


def make_tan(
    topology: Topology = "chain",
    *,
    n_features: int = 10,
    n_values: int = 3,
    random_state: RandomState = None,
) -> TanModel:
    """Random tree-augmented naive Bayes model.

    Each row of each table is drawn from a Dirichlet distribution with all parameters 1, as in Calvo
    et al. 2007, section 5.1. The four topologies of the paper are not available, because its Figure
    3 is lost.

    Parameters
    ----------
    topology : "chain"; "star", where the first feature is the parent of all others; "balanced", a
        binary tree; or "random", where the parent of each feature is a random earlier feature
    n_features, n_values : number of features, and number of values of each feature
    random_state : seed or generator of the tables and of the random tree

    Raises
    ------
    DataError : if `topology` is not one of these names, or a number is too small

    Examples
    --------
    >>> model = make_tan("balanced", n_features=5, random_state=0)
    >>> model.parents
    array([-1,  0,  0,  1,  1])
    >>> drawn = model.sample(10, 40, class_prior=0.25, random_state=0)
    >>> drawn.X.shape, drawn.class_prior
    ((50, 5), 0.25)
    """
    if topology not in get_args(Topology):
        raise DataError(
            f"topology={topology!r} is not known.",
            f"Pass one of {', '.join(map(repr, get_args(Topology)))}.",
        )
    check_number(n_features, "n_features", "Pass 10 for example.", above=0, whole=True)
    check_number(n_values, "n_values", "Pass 3 for example.", above=1, whole=True)
    rng = check_random_state(random_state)
    earlier = np.arange(n_features)
    parents = {
        "chain": earlier - 1,
        "star": np.where(earlier > 0, 0, -1),
        "balanced": np.where(earlier > 0, (earlier - 1) // 2, -1),
        "random": np.array([rng.randint(j) if j else -1 for j in range(n_features)]),
    }[topology]
    tables = rng.dirichlet(np.ones(n_values), size=(2, n_features, n_values))
    tables[:, 0] = tables[:, 0, :1]
    return TanModel(parents, tables)
