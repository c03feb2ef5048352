"""What drives the score of a fitted pipeline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypedDict

import numpy as np
import pyarrow as pa
from scipy.special import xlogy
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OrdinalEncoder

from onesided._blocks import Block
from onesided._statistics import ValueCounts
from onesided._text import is_missing
from onesided._typing import Bools, Floats
from onesided.models.bayes import PositiveMultinomialNB
from onesided.models.bayes._naive_bayes import BayesClassifier
from onesided.models.bayes._network_chart import edges_of
from onesided.models.composite import PUBagging
from onesided.models.logistic import WeightedLogisticRegression

_MOST = 15
_LOG_ODDS = "adds to the log odds (nats)"
_CHUNK_CELLS = 1 << 22


class LabeledRows(NamedTuple):
    """The rows of a table in which values are counted: its features, and masks of its rows."""

    features: pa.Table
    positive: Bools
    unlabeled: Bools


class Driver(TypedDict):
    """What one feature does to the score.

    The meaning of `effect` depends on the model, and `unit` names it:

    - a model of tables: the share of the positives with the value, divided by that of the
      unlabeled rows. If no unlabeled row has the value, it is divided by the share of one row, and
      the true effect is greater
    - a linear model: the weight of one standard deviation, or of one occurrence of a word;
    - bags of trees: the share of the gain that comes from splits on the feature, negative where
      higher values have fewer positives.

    For models of tables the shares are counted in the rows of the table: `n_positive_with` of
    `n_positive` positive rows have the value, and `n_unlabeled_with` of `n_unlabeled` unlabeled
    rows. Rows in which a number is missing do not count for this number. All six are None for
    other models.
    """

    feature: str
    value: str
    effect: float
    unit: str
    positive_share: float | None
    unlabeled_share: float | None
    n_positive_with: int | None
    n_positive: int | None
    n_unlabeled_with: int | None
    n_unlabeled: int | None


class Edge(TypedDict):
    """An edge of a network: the child depends on the parent; the weight is in nats."""

    parent: str
    child: str
    weight: float


def find_drivers(pipeline: Pipeline, rows: LabeledRows, most: int = _MOST) -> list[Driver]:
    """The `most` features with the strongest effect on the score of a fitted pipeline.

    Parameters
    ----------
    pipeline : with the steps "columns" and "model"
    rows : the table; models of tables show how many of its rows have a value
    most : number of features
    """
    columns, model = pipeline["columns"], pipeline["model"]
    names = [str(name) for name in columns.get_feature_names_out()]
    if isinstance(model, PUBagging):
        return _of_bags(model.estimators_, names, most)
    if isinstance(model, PositiveMultinomialNB):
        return _of_weights(np.diff(model.feature_log_prob_, axis=0)[0], names, _LOG_ODDS, most)
    if isinstance(model, BayesClassifier):
        counts = _count_values(columns, rows, len(names))
        return _of_tables(model, names, _value_namer(columns), counts, most)
    if not hasattr(model, "coef_"):
        return []  # the model has no weights
    unit = _LOG_ODDS if isinstance(model, WeightedLogisticRegression) else "adds to the score"
    # A cross-fitted SVM has several rows of weights.
    weights = np.atleast_2d(model.coef_).mean(axis=0)
    for part, scale in (getattr(columns, "transformer_weights", None) or {}).items():
        weights[columns.output_indices_[part]] *= scale
    return _of_weights(weights, names, unit, most)


def find_structure(pipeline: Pipeline) -> list[Edge]:
    """The edges of a network by the names of the features; none for other models."""
    model = pipeline["model"]
    if not hasattr(model, "parents_"):
        return []
    names = [str(name) for name in pipeline["columns"].get_feature_names_out()]
    return [
        Edge(parent=names[parent], child=names[child], weight=weight)
        for parent, child, weight in edges_of(model.parents_, model.edge_weights_)
    ]


def _of_bags(models: Sequence[Any], names: list[str], most: int) -> list[Driver]:
    """Mean weight of each feature over linear models, or mean importance over trees."""
    if hasattr(models[0], "coef_"):
        weights = np.mean([np.ravel(model.coef_) for model in models], axis=0)
        return _of_weights(weights, names, "adds to the score, mean over the bags", most)
    if not hasattr(models[0], "feature_importances_"):
        return []
    weights = np.mean([_directed_importances(model) for model in models], axis=0)
    return _of_weights(
        weights, names, "importance: share of what the trees gain by all splits", most
    )


def _directed_importances(model: Any) -> Floats:
    """Importances, negative where higher values of the feature have the lower share of positives.

    The heavier splits decide the direction. The importances of an ensemble have no direction.
    """
    importances = np.asarray(model.feature_importances_)
    if not hasattr(model, "tree_"):
        return importances
    tree = model.tree_
    inner = np.flatnonzero(tree.children_left >= 0)
    positive = tree.value[:, 0, 1]
    rise = positive[tree.children_right[inner]] - positive[tree.children_left[inner]]
    rises = np.bincount(
        tree.feature[inner], tree.weighted_n_node_samples[inner] * rise, len(importances)
    )
    return np.sign(rises) * importances


def _of_weights(weights: Floats, names: list[str], unit: str, most: int) -> list[Driver]:
    order = np.argsort(-np.abs(weights), kind="stable")[:most]
    return [
        Driver(
            feature=names[j],
            value="higher" if w > 0 else "lower",
            effect=float(w),
            unit=unit,
            positive_share=None,
            unlabeled_share=None,
            n_positive_with=None,
            n_positive=None,
            n_unlabeled_with=None,
            n_unlabeled=None,
        )
        for j, w in zip(order, weights[order], strict=True)
        if w != 0
    ]


def _count_values(columns: ColumnTransformer, rows: LabeledRows, n_features: int) -> ValueCounts:
    """The numbers of unlabeled and of positive rows with each code of each feature."""
    counts = ValueCounts.zero(n_features)
    step = max(1, _CHUNK_CELLS // max(n_features, 1))
    for start in range(0, rows.features.num_rows, step):
        X = columns.transform(rows.features.slice(start, step))
        positive = rows.positive[start : start + step]
        used = np.flatnonzero(positive | rows.unlabeled[start : start + step])
        counts += ValueCounts.of(Block(X, positive=positive).rows(used))
    return counts


def _of_tables(
    model: BayesClassifier,
    names: list[str],
    name_value: Callable[[int, Any], str],
    counts: ValueCounts,
    most: int,
) -> list[Driver]:
    """The features whose smoothed tables differ most, each with its most telling value.

    This is the value with the highest P(v | 1) log P(v | 1) / P(v), by the counted shares: the
    reader can count them. For a network they are the marginal shares, without the parents of the
    feature.
    """
    found: list[tuple[float, Driver]] = []
    ends = np.searchsorted(counts.feature, np.arange(counts.n_features + 1))
    for j, (values, log_probs) in enumerate(
        zip(model.categories_, model.feature_log_prob_, strict=True)
    ):
        of_feature = slice(ends[j], ends[j + 1])
        unlabeled, positive = counts.counts[of_feature].T
        if len(values) < 2 or not (unlabeled.any() and positive.any()):  # noqa: PLR2004 - a value and another
            continue  # one value tells nothing, and neither does a feature that one side lacks
        positive_share = positive / positive.sum()
        # No unlabeled row may have the value; a ratio would then be infinite.
        ratio = positive_share / (np.maximum(unlabeled, 1) / unlabeled.sum())
        best = int(np.argmax(xlogy(positive_share, ratio)))
        driver = Driver(
            feature=names[j],
            value=name_value(j, counts.value[of_feature][best]),
            effect=float(ratio[best]),
            unit="times as common among positives as among unlabeled",
            positive_share=float(positive_share[best]),
            unlabeled_share=float(unlabeled[best] / unlabeled.sum()),
            n_positive_with=int(positive[best]),
            n_positive=int(positive.sum()),
            n_unlabeled_with=int(unlabeled[best]),
            n_unlabeled=int(unlabeled.sum()),
        )
        of_negative, of_positive = np.exp(log_probs)
        mixed = model.class_prior_ * of_positive + (1 - model.class_prior_) * of_negative
        strength = float(((of_positive - mixed) * np.log(of_positive / mixed)).sum())
        found.append((strength, driver))
    found.sort(key=lambda pair: -pair[0])
    return [driver for _, driver in found[:most]]


def _value_namer(columns: ColumnTransformer) -> Callable[[int, Any], str]:
    """A function that names the value behind the code of a feature."""
    parts = columns.named_transformers_
    cuts = list(parts["number"].cuts_) if "number" in parts else []
    categories = _frequent(parts["category"]) if "category" in parts else []

    def name(feature: int, code: Any) -> str:
        if feature < len(cuts):
            return _interval(cuts[feature], int(code))
        if feature < len(cuts) + len(categories):
            return str(categories[feature - len(cuts)][int(code)])
        return "present" if code else "absent"

    return name


def _frequent(codes: OrdinalEncoder) -> list[list[Any]]:
    """The values of each column in the order of their codes; rare values share the last code."""
    return [
        [
            "missing" if is_missing(value) else value
            for value in values
            if rare is None or value not in rare
        ]
        + ["another"]
        for values, rare in zip(codes.categories_, codes.infrequent_categories_, strict=True)
    ]


def _interval(cuts: Floats, code: int) -> str:
    if code == 0:
        return f"below {cuts[0]:.4g}"
    if code == len(cuts):
        return f"{cuts[-1]:.4g} and above"
    return f"{cuts[code - 1]:.4g} to {cuts[code]:.4g}"
