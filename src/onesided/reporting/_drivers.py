"""What drives the score of a fitted pipeline."""

from collections.abc import Callable, Sequence
from typing import Any, TypedDict

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OrdinalEncoder

from onesided._typing import Floats
from onesided.models.bayes import PositiveMultinomialNB
from onesided.models.bayes._naive_bayes import BayesClassifier
from onesided.models.composite import PUBagging
from onesided.models.logistic import WeightedLogisticRegression

_MOST = 15
_LOG_ODDS = "adds to the log odds (nats)"


class Driver(TypedDict):
    """What one feature does to the score.

    `effect` is, for a model of tables, how many times as common the value is among the positives
    as among the unlabeled; for a linear model, the weight of one standard deviation, or of one
    occurrence of a word; for bags of trees, the share of what they gain by splits on the feature,
    below 0 where higher values have fewer positives. `unit` says which. The shares are of rows
    with the value, None but for a model of tables.
    """

    feature: str
    value: str
    effect: float
    unit: str
    positive_share: float | None
    unlabeled_share: float | None


class Edge(TypedDict):
    """A feature that depends on another, in a network; `weight` in nats."""

    parent: str
    child: str
    weight: float


def find_drivers(pipeline: Pipeline, most: int = _MOST) -> list[Driver]:
    """The features that move the score most, strongest first.

    Parameters
    ----------
    pipeline : fitted, "columns" and "model", as `rankers_for` makes them
    most : how many features
    """
    columns, model = pipeline["columns"], pipeline["model"]
    names = [str(name) for name in columns.get_feature_names_out()]
    if isinstance(model, PUBagging):
        return _of_bags(model.estimators_, names, most)
    if isinstance(model, PositiveMultinomialNB):
        return _of_weights(np.diff(model.feature_log_prob_, axis=0)[0], names, _LOG_ODDS, most)
    if isinstance(model, BayesClassifier):
        return _of_tables(model, names, _value_namer(columns), most)
    if not hasattr(model, "coef_"):
        return []  # correlation: no feature has a weight
    unit = _LOG_ODDS if isinstance(model, WeightedLogisticRegression) else "adds to the score"
    # A cross-fitted SVM has several lines of weights.
    return _of_weights(np.atleast_2d(model.coef_).mean(axis=0), names, unit, most)


def find_structure(pipeline: Pipeline) -> list[Edge]:
    """The edges of a network, parent and child by name; none of other models.

    Parameters
    ----------
    pipeline : as in `find_drivers`
    """
    model = pipeline["model"]
    if not hasattr(model, "parents_"):
        return []
    names = [str(name) for name in pipeline["columns"].get_feature_names_out()]
    parents = model.parents_.reshape(len(names), -1)
    return [
        Edge(
            parent=names[above], child=names[child], weight=float(model.edge_weights_[above, child])
        )
        for child, own in enumerate(parents)
        for above in own[own >= 0]
    ]


def _of_bags(models: Sequence[Any], names: list[str], most: int) -> list[Driver]:
    """Mean importance of a feature over the bags, with a direction; of linear models mean weight.

    None where the models have neither.
    """
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
    """Importances, below 0 where the larger side of the splits has the lower share of positives.

    A feature that first raises and then lowers the score has the direction of its heavier splits.
    Of an ensemble, which is no single tree, importances are as they are, without direction.
    """
    importances = np.asarray(model.feature_importances_)
    tree = getattr(model, "tree_", None)
    if tree is None:
        return importances
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
        )
        for j, w in zip(order, weights[order], strict=True)
        if w != 0
    ]


def _of_tables(
    model: BayesClassifier, names: list[str], name_value: Callable[[int, Any], str], most: int
) -> list[Driver]:
    """For each feature the value that tells most, by P(v | 1) log P(v | 1) / P(v).

    Of a network these are the marginals: what a feature tells without its parents.
    """
    found: list[tuple[float, Driver]] = []
    for j, (values, log_probs) in enumerate(
        zip(model.categories_, model.feature_log_prob_, strict=True)
    ):
        if len(values) < 2:  # noqa: PLR2004 - one value tells nothing
            continue
        negative, positive = np.exp(log_probs)
        unlabeled = model.class_prior_ * positive + (1 - model.class_prior_) * negative
        ratio = np.log(positive / unlabeled)
        best = int(np.argmax(positive * ratio))
        driver = Driver(
            feature=names[j],
            value=name_value(j, values[best]),
            effect=float(np.exp(ratio[best])),
            unit="times as common among positives as among unlabeled",
            positive_share=float(positive[best]),
            unlabeled_share=float(unlabeled[best]),
        )
        strength = float(((positive - unlabeled) * ratio).sum())
        found.append((strength, driver))
    found.sort(key=lambda pair: -pair[0])
    return [driver for _, driver in found[:most]]


def _value_namer(columns: ColumnTransformer) -> Callable[[int, Any], str]:
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
    """For each column the values in the order of their codes; the rare ones share the last."""
    return [
        [value for value in values if rare is None or value not in rare] + ["another"]
        for values, rare in zip(codes.categories_, codes.infrequent_categories_, strict=True)
    ]


def _interval(cuts: Floats, code: int) -> str:
    if code == 0:
        return f"below {cuts[0]:.4g}"
    if code == len(cuts):
        return f"{cuts[-1]:.4g} and above"
    return f"{cuts[code - 1]:.4g} to {cuts[code]:.4g}"
