"""What all learners do with their scores: `predict`, and `score`, which searches maximise."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils.validation import check_is_fitted

from onesided._labels import LabelCoding
from onesided._typing import Array
from onesided._validation import counts_of


class ScoredWithoutNegatives(ClassifierMixin):
    """A classifier that cuts its scores at 0, and whose `score` needs no negatives."""

    def predict(self, X: Any) -> Array:
        """Label of each row, as one of `classes_`; shape (n_rows,)."""
        positive = self.decision_function(X) > 0
        return self.classes_[positive.astype(np.intp)]

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Recall over the square root of the share of unlabeled rows that are predicted positive.

        Accuracy would count each hidden positive that is found as an error, and so prefer a model
        that predicts nothing positive. This is the geometric mean of precision and recall among the
        unlabeled rows, up to a factor that is the same for all models. It needs neither negatives
        nor a class prior, and a search without `scoring` maximises it. Assumes that labels are
        selected completely at random (SCAR).

        Parameters
        ----------
        X : rows that the model was not trained on, in the form that `fit` accepts
        y : shape (n_rows,), positive or unlabeled; all rows may be positive
        sample_weight : shape (n_rows,), how many rows each row stands for; one by default.
            Weights that are all below 1 are divided by their mean

        Returns
        -------
        at least 0; higher is better. A model that predicts all rows positive gets 1, and a model
        that finds no positive gets 0

        Raises
        ------
        LabelError : if y holds a value that was not in `fit`

        Warns
        -----
        UndefinedMetricWarning : if no row is positive; the score is then 0

        Notes
        -----
        The score is r / √q, the square root of the criterion r² / q of Lee, Liu 2003, section 4. r
        is the recall of the labeled positives. For q, one labeled positive that is predicted
        positive is added to the unlabeled rows. So q is (k + 1) / (m + 1) if k of m unlabeled rows
        are predicted positive. ``benchmarks/bench_score.py`` compares it with other criteria. The
        mean of r² / q over folds is worse, because a fold in which few rows are predicted positive
        decides it.
        """
        check_is_fitted(self)
        unlabeled, known = self.classes_.tolist()
        coding = LabelCoding(known, unlabeled)
        positive = coding.encode(y)
        predicted = coding.encode(self.predict(X))
        weight = counts_of(sample_weight, len(positive))
        n_positive = float(weight[positive].sum())
        if not n_positive:
            warnings.warn(
                "No row is positive in y, so the score is not defined and is set to 0.",
                UndefinedMetricWarning,
                stacklevel=2,
            )
            return 0.0
        recall = float(weight[positive & predicted].sum()) / n_positive
        n_predicted = float(weight[predicted & ~positive].sum())
        n_unlabeled = float(weight[~positive].sum())
        return recall / math.sqrt((n_predicted + 1) / (n_unlabeled + 1))
