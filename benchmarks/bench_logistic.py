"""A path of ten penalties beside cold fits of scikit-learn at equal accuracy."""

import argparse
import warnings
from typing import Any

import numpy as np
from _timing import in_turn, median_ratio, report
from problems import words
from scipy import sparse
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize

from onesided._blocks import labeled_source
from onesided.models.logistic._optimum import minimize_along
from onesided.models.logistic._weighted_logistic import loss_of

_PENALTIES = np.logspace(-4, 4, 10)
_POSITIVE_SHARE = 0.1
_LEAST_TOL = 1e-12
_TOL = 1e-6  # length of the gradient, over its length at zero


def normals(n_rows: int, n_features: int, correlation: float) -> tuple[Any, Any]:
    """Dense features, each correlated with the one before; the first ten tell the positives."""
    rng = np.random.default_rng(0)
    y = (rng.random(n_rows) < _POSITIVE_SHARE).astype(np.int64)
    X = rng.normal(size=(n_rows, n_features))
    for j in range(1, n_features):
        X[:, j] = correlation * X[:, j - 1] + np.sqrt(1 - correlation**2) * X[:, j]
    X[:, :10] += 0.5 * y[:, None]
    return X, y


class ColdFit:
    """scikit-learn's fit of the weighted problem, as loose as the accuracy allows."""

    def __init__(self, X: Any, y: Any, C: float) -> None:
        ones = np.ones((X.shape[0], 1))
        self.X = sparse.hstack([X, ones]).tocsr() if sparse.issparse(X) else np.hstack([X, ones])
        self.y, self.C = y, C
        self.weight = np.where(y == 1, (y == 0).mean(), (y == 1).mean())
        self.tol = 1e-3
        while self.gradient_share(self()) > _TOL and self.tol > _LEAST_TOL:
            self.tol /= 4

    def __call__(self) -> Any:
        """Weights, the last that of the constant."""
        model = LogisticRegression(C=self.C, fit_intercept=False, tol=self.tol, max_iter=100_000)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return model.fit(self.X, self.y, sample_weight=self.weight).coef_[0]

    def gradient_share(self, w: Any) -> float:
        """Length of the gradient, over that at zero."""
        lengths = [self._gradient_length(each) for each in (w, np.zeros(self.X.shape[1]))]
        return lengths[0] / lengths[1]

    def _gradient_length(self, w: Any) -> float:
        slope = self.weight * (expit(self.X @ w) - self.y)
        return float(np.linalg.norm(self.C * (self.X.T @ slope) + w)) / self.C


class Path:
    """Our path of penalties, at the largest tol that is as accurate as the cold fits."""

    def __init__(self, source: Any, colds: list[ColdFit]) -> None:
        self.source = source
        self.tol = 1e-3
        while max(map(ColdFit.gradient_share, colds, self())) > _TOL:
            self.tol /= 4

    def __call__(self) -> list[Any]:
        """Weights for each penalty, the last that of the constant."""
        path = minimize_along(loss_of(self.source), _PENALTIES, tol=self.tol, max_iter=100)
        return [optimum.point.coef for optimum in path]


def main() -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    part = 100 if quick else 1
    text, of_text = words(20_000 // part, 20_000 // part, 60)
    tall, wide = 100_000 // part, 20_000 // part
    problems = {
        f"{wide:,} texts of 60 words": (normalize(text), of_text),
        f"{tall:,} x 50, correlated": normals(tall, 50, 0.95),
        f"{wide:,} x 500, correlated": normals(wide, 500, 0.95),
        f"{tall:,} x 50, independent": normals(tall, 50, 0.0),
    }
    for name, (X, y) in list(problems.items())[: 2 if quick else None]:
        source, _ = labeled_source(X, y, numeric=True)

        colds = [ColdFit(X, y, C) for C in _PENALTIES]
        path = Path(source, colds)

        def all_cold(colds: Any = colds) -> None:
            for cold in colds:
                cold()

        ours, mean, last = in_turn(path, all_cold, colds[-1], repeats=1 if quick else 3)
        mean = [seconds / len(colds) for seconds in mean]
        report(f"{name}: path of 10 / cold fit, mean of 10", median_ratio(ours, mean), 3)
        report(f"{name}: path of 10 / cold fit of the last", median_ratio(ours, last), 3)


if __name__ == "__main__":
    main()
