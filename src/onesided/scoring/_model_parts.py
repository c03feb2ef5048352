"""The classes that a model file may hold, with a rule for each field.

A file may come from somebody else. So each part is checked against `PARTS` before it is made:

- A field without a rule is an error.
- A parameter of a learner of onesided may be any number or text that the learner accepts.
- Any other parameter without a rule must have its default value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from inspect import Parameter, signature
from pkgutil import resolve_name
from typing import Any, TypeAlias

import numpy as np
from scipy.interpolate import BSpline
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from sklearn.base import BaseEstimator
from sklearn.tree._tree import NODE_DTYPE, Tree

from onesided._numerics._hashing import DOUBLE, SINGLE
from onesided._statistics import Vocabulary
from onesided._validation import check_parameters
from onesided.exceptions import OnesidedError
from onesided.scoring._model_rules import (
    Rule,
    Sizes,
    array,
    by_key,
    derived,
    each,
    either,
    flag,
    follows,
    one_of,
    optional,
    plain,
    real,
    row,
    span,
    text,
    whole,
)

Fields: TypeAlias = dict[str, Any]

TREE = "sklearn.tree._tree.Tree"
TREE_ARGUMENTS = ("n_features", "n_classes", "n_outputs")
_LEAF, _N_TREE_CLASSES = -1, 2
_MOST_WITHOUT_VALUES = 1 << 20  # largest number of features without any value

FUNCTIONS = {
    "onesided.kept.feature_name": "onesided.methods._columns.feature_name",
    "onesided.kept.indicator_name": "onesided.methods._columns.indicator_name",
    "onesided.kept.plain_text": "onesided.tables._text.plain_text",
    "onesided.kept.words_of": "onesided._words.words_of",
}
"""Functions in model files: their name in the file, and the place to import them from today."""


class PartError(ValueError):
    """A part of a model differs from what `fit` writes; the text names the part."""


@dataclass(frozen=True)
class PartKind:
    """One class that a model file may hold.

    Attributes
    ----------
    rules : rule of each field. Letters are sizes, and "n" is the number of features
    agree : whether the fields fit together; checked only for a fitted part whose fields follow the
        rules
    made : function that makes the object from its fields; by default the fields become attributes
    place : place to import the class from today, if it differs from the name in files
    """

    rules: Mapping[str, Rule]
    agree: Callable[[Fields], bool] = lambda _: True
    made: Callable[[Fields], Any] | None = None
    place: str = ""


def check_part(name: str, fields: Fields) -> None:
    """Raise a `PartError` unless a fit could have written the fields.

    Parameters
    ----------
    name : name of the class in `PARTS`
    fields : fields of an object of this class, without derived fields; parts in them are objects
    """
    kind, label = PARTS[name], name.rpartition(".")[2]
    parameters, is_ours = _parameters(name), name.startswith("onesided.")
    rules = {key: plain if is_ours else one_of(value) for key, value in parameters.items()}
    sizes = {"n": fields["n_features_in_"]} if "n_features_in_" in fields else {}
    if wrong := follows({**rules, **kind.rules}, fields, sizes):
        raise PartError(f"{wrong!r} of {label}")
    try:
        if is_ours and parameters:
            check_parameters(_with_fields(name, fields))
        is_fitted = not fields.keys() <= parameters.keys()
        agrees = kind.agree(fields) if is_fitted else True
    except (OnesidedError, LookupError, AttributeError, ValueError):
        agrees = False
    if not agrees:
        raise PartError(f"what {label} holds")


def made_part(name: str, fields: Fields) -> Any:
    """The object with these fields, made after the fields are checked."""
    check_part(name, fields)
    made = PARTS[name].made
    return _with_fields(name, fields) if made is None else made(fields)


def is_derived(name: str, key: str) -> bool:
    """Whether a field of a class is computed from its other fields."""
    return PARTS[name].rules.get(key) is derived


def _with_fields(name: str, fields: Fields) -> Any:
    made: Any = object.__new__(class_of(name))
    given = {**_parameters(name), **fields}
    vars(made).update({key: each for key, each in given.items() if each is not Parameter.empty})
    return made


@cache
def class_of(name: str) -> type:
    """The class with this name in model files."""
    return resolve_name(PARTS[name].place or name)


@cache
def _parameters(name: str) -> dict[str, Any]:
    """The parameters of an estimator with their defaults; `Parameter.empty` without a default."""
    kind = class_of(name)
    if not issubclass(kind, BaseEstimator):
        return {}
    return {each.name: each.default for each in signature(kind).parameters.values()}


@cache
def _classes(names: tuple[str, ...]) -> tuple[type, ...]:
    return tuple(class_of(name) for name in names or PARTS)


def part(*names: str) -> Rule:
    """Allow an object of one of these classes of `PARTS`; without names, of any class in it."""
    return lambda value, _: type(value) in _classes(names)


def function(name: str) -> Rule:
    """Allow one function of `FUNCTIONS`."""
    return lambda value, _: value is resolve_name(FUNCTIONS[name])


def _categories(value: Any, sizes: Sizes) -> bool:
    """Allow distinct values of a category; numbers must rise, because bisection looks them up."""
    if not array(None, of="biufUO", gaps=True)(value, sizes):
        return False
    values = value.tolist()
    present = value[~np.isnan(value)] if value.dtype.kind == "f" else value
    is_sorted = value.dtype.kind in "OU" or bool((present[1:] > present[:-1]).all())
    return is_sorted and len({*map(repr, values)}) == len(values)


def _some_columns(value: Any, sizes: Sizes) -> bool:
    """Columns as the parameters of an estimator select them; the estimator has its own checks."""
    if isinstance(value, slice):
        cells = [value.start, value.stop, value.step]
    elif isinstance(value, np.ndarray):
        cells = value.ravel().tolist()
    else:
        cells = list(value) if isinstance(value, list | tuple) else [value]
    return all(plain(each, sizes) for each in cells)


def _nodes(value: Any, _: Sizes) -> bool:
    return isinstance(value, np.ndarray) and value.dtype == NODE_DTYPE and value.ndim == 1


def _tree_stands(tree: Fields) -> bool:
    """Whether children come after their parents, and all indices are in range.

    Compiled code uses the indices without a check.
    """
    nodes, count = tree["nodes"], len(tree["nodes"])
    left, right = nodes["left_child"], nodes["right_child"]
    inner = np.flatnonzero(left != _LEAF)
    features = nodes["feature"][inner]
    children = np.concatenate([left[inner], right[inner]])
    return bool(
        tree["node_count"] == count == len(tree["values"])
        and (right[left == _LEAF] == _LEAF).all()
        and (children > np.tile(inner, 2)).all()
        and (children < count).all()
        and len(np.unique(children)) == len(children)
        and ((features >= 0) & (features < tree["n_features"])).all()
        and not np.isnan(nodes["threshold"]).any()
    )


def _tree(fields: Fields) -> Any:
    tree = Tree(*(fields[name] for name in TREE_ARGUMENTS))
    tree.__setstate__({key: fields[key] for key in fields if key not in TREE_ARGUMENTS})
    return tree


def _spline_stands(spline: Fields) -> bool:
    """Whether compiled code can find the interval of each number; knots may be equal."""
    knots = spline["_t"]
    return bool(
        (knots[1:] >= knots[:-1]).all() and len(spline["_c"]) == len(knots) - spline["k"] - 1
    )


def _spline(fields: Fields) -> Any:
    arrays = (np.ascontiguousarray(fields[name]) for name in ("_t", "_c"))
    return BSpline.construct_fast(*arrays, fields["k"], fields["extrapolate"], fields["axis"])


def _splines_agree(splines: Fields) -> bool:
    ((_, n_splines),) = {each.c.shape for each in splines["bsplines_"]}
    return bool(splines["n_features_out_"] == len(splines["bsplines_"]) * n_splines)


def _names_of(part: Any) -> list[str]:
    return list(getattr(part, "feature_names_in_", []))


def _steps(value: Any, sizes: Sizes) -> bool:
    """Allow named parts; only the first part may know names of columns.

    The other parts get the output of the part before them, which has no column names.
    """
    is_list = each(row(text, part()))(value, sizes)
    return is_list and not any(_names_of(step) for _, step in value[1:])


def _columns_agree(columns: Fields) -> bool:
    """Whether each part that gets a frame knows the names of the frame's columns."""
    return all(
        _names_of(part[0] if hasattr(part, "steps") else part) == own
        for _, part, own in columns["transformers_"]
        if isinstance(own, list) and part != "drop"
    )


def _words_agree(words: Fields) -> bool:
    numbered = {word: place for place, word in enumerate(words["vocabulary"])}
    n_scaled = len(words["_tfidf"].idf_) if "_tfidf" in words else len(numbered)
    return bool(words["vocabulary_"] == numbered and len(numbered) == n_scaled)


def _codes_agree(encoder: Fields) -> bool:
    """Whether each value has a code below the number of codes of its feature."""
    n_values = [len(each) for each in encoder["categories_"]]
    none = [None] * len(n_values)
    rare = encoder.get("_infrequent_indices", none)
    codes = encoder.get("_default_to_infrequent_mappings", none)
    n_codes = [
        n if few is None else n - len(few) + 1 for n, few in zip(n_values, rare, strict=True)
    ]
    return encoder.get("_n_features_outs", n_codes) == n_codes and all(
        few is code is None or bool((few < n).all() and len(code) == n and (code < n_out).all())
        for n, n_out, few, code in zip(n_values, n_codes, rare, codes, strict=True)
    )


def _values_agree(values: Fields) -> bool:
    """Whether values rise within each feature, and not too many features are without values."""
    feature, value, n_features = values["feature"], values["value"], values["n_features"]
    same = feature[1:] == feature[:-1]
    return bool(
        n_features <= len(feature) + _MOST_WITHOUT_VALUES
        and (feature < n_features).all()
        and (feature[1:] >= feature[:-1]).all()
        and (value[1:][same] > value[:-1][same]).all()
    )


def _bayes_agrees(model: Fields) -> bool:
    """Whether the tables of a Bayesian model have a cell for each value.

    Tables that also look up missing values have one more cell. The parents must form no cycle.
    """
    vocabulary, segments, n = model["_vocabulary"], model["_segments"], model["n_features_in_"]
    if not vocabulary.n_features == segments.n_segments == n:
        return False
    sizes = vocabulary.n_values.tolist()
    parents = model.get("_parents", np.full((n, 1), -1))
    rows = [math.prod(sizes[each] for each in own if each >= 0) for own in parents.tolist()]
    cells = list(zip(rows, sizes, strict=True))
    expected = {
        "_padded": [(size + 1,) for size in sizes],
        "_ratios": [(row + 1, size + 1) for row, size in cells],
        "conditional_log_prob_": [(2, *each) for each in cells],
    }
    child, place = np.nonzero(parents >= 0)
    graph = coo_array((np.ones(len(child)), (parents[child, place], child)), shape=(n, n))
    return bool(
        np.array_equal(segments.of_cell, vocabulary.feature)
        and model["_log_probs"].shape[1] == vocabulary.n_entries
        and all(
            [table.shape for table in model[key]] == expected[key] for key in {*expected} & {*model}
        )
        and connected_components(graph, connection="strong")[0] == n
    )


def _tree_agrees(model: Fields) -> bool:
    return bool(model["tree_"].n_features == model["n_features_in_"])


def _average_agrees(average: Fields) -> bool:
    """Whether each member has a name, a weight and a reference for its scores."""
    given = dict(average["estimators"])
    return (
        len(given) == len(average["estimators"])
        and {*average["names_"]} <= {*given}
        and all(
            len(values) == len(shares) and (np.diff(shares) > 0).all()
            for values, shares in average["references_"]
        )
    )


def _bags_agree(model: Fields) -> bool:
    models = model["estimators_"]
    return len({*map(type, models)}) == 1 and all(
        each.n_features_in_ == model["n_features_in_"] and not _names_of(each) for each in models
    )


_SEEN: dict[str, Rule] = {
    "n_features_in_": whole(1),
    "feature_names_in_": array("n", of="O"),
    "n_samples_seen_": either(real(1), array("n", of="iuf", low=0)),
}
_CODES: dict[str, Rule] = {
    **_SEEN,
    "handle_unknown": one_of("infrequent_if_exist", "use_encoded_value"),
    "max_categories": optional(whole(1)),
    "categories_": each(_categories, "n"),
    "_infrequent_enabled": flag,
    "_infrequent_indices": each(optional(array(None, of="i", low=0, rising=True)), "n"),
    "_default_to_infrequent_mappings": each(optional(array(None, of="i", low=0)), "n"),
}
_WORDS: dict[str, Rule] = {
    **_SEEN,
    "preprocessor": function("onesided.kept.plain_text"),
    "tokenizer": optional(function("onesided.kept.words_of")),  # older files have a pattern
    "token_pattern": one_of(None, r"(?u)\b\w\w+\b"),
    "vocabulary": each(text, "w"),
    "fixed_vocabulary_": one_of(True),
    "vocabulary_": by_key(text, whole(0, "w")),
    "_stop_words_id": derived,  # a memory address; without it scikit-learn checks the stop words
}
_LEARNER: dict[str, Rule] = {
    **_SEEN,
    "_label_column": optional(text),
    "classes_": array(2, of="biufUO"),
    "class_prior_": real(0, 1),
    "class_prior_error_": real(0),
}
_RANKER: dict[str, Rule] = {**_LEARNER, "_mean": array("n"), "offset_": real()}
_BAYES: dict[str, Rule] = {
    **_LEARNER,
    "_vocabulary": part("onesided.kept.Vocabulary"),
    "_segments": part("onesided.kept.Segments"),
    "_log_probs": array(2, "e"),
}
_NETWORK: dict[str, Rule] = {
    **_BAYES,
    "edge_weights_": array("n", "n"),
    "class_information_": array("n"),
    "parents_": either(
        array("n", of="i", low=-1, below="n"), array("n", "k", of="i", low=-1, below="n")
    ),
    "_parents": array("n", None, of="i", low=-1, below="n"),
    "conditional_log_prob_": each(array(2, None, None), "n"),
    "_ratios": each(array(None, None), "n"),
}
_BAGGED = (
    "onesided.WeightedLogisticRegression",
    "sklearn.tree.DecisionTreeClassifier",
    "sklearn.tree.ExtraTreeClassifier",
)
_CLASSIFYING_TREE: dict[str, Rule] = {
    **_SEEN,
    "min_samples_leaf": whole(1),
    "class_weight": one_of("balanced"),
    "max_features": either(one_of("sqrt"), real(0, 1)),
    "random_state": optional(whole()),
    "n_outputs_": one_of(1),
    "classes_": array(_N_TREE_CLASSES, of="i", low=0, below=2, rising=True),
    "n_classes_": whole(_N_TREE_CLASSES, _N_TREE_CLASSES + 1),
    "max_features_": whole(1),
    "tree_": part(TREE),
}
_COLUMNS = either(text, each(text))

PARTS: Mapping[str, PartKind] = {
    "onesided.CenterOfMassRanker": PartKind({**_RANKER, "coef_": array("n")}),
    "onesided.CenteredOneClassSVM": PartKind({**_RANKER, "coef_": array("n")}),
    "onesided.CorrelationRanker": PartKind(
        {**_RANKER, "_positives": array(None, "n", gaps=True)},
        lambda ranker: len(ranker["_positives"]) > 0,
    ),
    "onesided.CrossFitSVM": PartKind(
        {
            **_RANKER,
            "_seed": whole(),
            "_bits": one_of(SINGLE, DOUBLE),
            "_cuts": array(None, of="u", rising=True),
            "coef_": array("k", "n"),
            "intercept_": array("k"),
            "n_iter_": whole(),
        },
        lambda svm: len(svm["coef_"]) == len(svm["_cuts"]) + 1,
    ),
    "onesided.PUBagging": PartKind(
        {
            **_LEARNER,
            "estimator": optional(part("sklearn.tree.DecisionTreeClassifier")),
            "_frames": one_of(None, "pyarrow", "pandas", "polars"),
            "_is_sparse": flag,
            "_fill": optional(array("n")),
            "bags_": array("b", None, of="iu", low=0),
            "_scaling": optional(row(array("n"), array("n", of="i"))),
            "estimators_": each(
                part(*_BAGGED),
                "b",
            ),
            "threshold_": real(),
            "oob_decision_function_": array(None, gaps=True),
        },
        _bags_agree,
    ),
    "onesided.PositiveAODE": PartKind(
        {**_BAYES, "_given": array(2, "e", "e"), "_may_be_parent": array("e", of="b")},
        _bayes_agrees,
    ),
    "onesided.PositiveKDB": PartKind(_NETWORK, _bayes_agrees),
    "onesided.PositiveMultinomialNB": PartKind(
        {**_LEARNER, "word_share_": real(0, 1), "feature_log_prob_": array(2, "n")},
    ),
    "onesided.PositiveNaiveBayes": PartKind(
        {**_BAYES, "_padded": each(array(None), "n")}, _bayes_agrees
    ),
    "onesided.PositiveTAN": PartKind(_NETWORK, _bayes_agrees),
    "onesided.SignificanceRanker": PartKind(
        {
            **_RANKER,
            "kernel": one_of("linear"),
            "sources": optional(by_key(text, _some_columns)),
            "source_weights_": by_key(text, real(0, 1)),
            **dict.fromkeys(("_columns", "_factors", "_null_mean", "_null_deviation"), derived),
            "subsets_": array("t", "p", of="i", low=0),
            "_source": derived,
            "_pools": derived,
            "_n_rows": whole(1),
            "_fitted_with": row(*[plain] * 6),
            "_own": array("p", of="i", low=0),
            "_scale": array("n", low=0),
            "_spans": array("t"),
            "dual_coef_": array("t"),
            "margin_": real(),
            "distance_": real(0),
            "apparent_p_value_": real(0, 1),
            "coef_": array("n"),
        },
    ),
    "onesided.WeightedLogisticRegression": PartKind(
        {
            **_LEARNER,
            "coef_": array(1, "n"),
            "intercept_": array(1),
            "n_iter_": whole(),
            "converged_": flag,
        },
    ),
    "onesided.preprocessing.QuantileBinner": PartKind(
        {**_SEEN, "cuts_": each(array(None, rising=True), "n")},
    ),
    "onesided.kept.SparseColumn": PartKind(
        {**_SEEN, "numbers": array(None, of="iu", low=0, rising=True)},
        place="onesided.tables._sparse.SparseColumn",
    ),
    "onesided.kept.JoinedText": PartKind({**_SEEN}, place="onesided.tables._text.JoinedText"),
    "onesided.kept.Segments": PartKind(
        {"of_cell": array(None, of="i"), "n_segments": whole()},
        place="onesided.models.bayes._equations.Segments",
    ),
    "onesided.kept.Vocabulary": PartKind(
        {
            "n_features": whole(1),
            "feature": array("e", of="i", low=0),
            "value": array("e", of="iuf"),
            **dict.fromkeys(("starts", "_known", "_range", "_lookup", "_sparse_keys"), derived),
            **dict.fromkeys(("_counts_from_low", "_byte_lookup"), derived),
        },
        _values_agree,
        lambda fields: Vocabulary(**fields),
        "onesided._statistics._vocabulary.Vocabulary",
    ),
    "onesided.RankAverage": PartKind(
        {
            "estimators": each(row(text, part("sklearn.pipeline.Pipeline")), "e"),
            "weights": array("e", low=0),
            "names_": each(text, "m"),
            "weights_": array("m", low=0),
            "estimators_": each(part("sklearn.pipeline.Pipeline"), "m"),
            "references_": each(row(array(None, rising=True), array(None, low=0, below=1)), "m"),
            "threshold_": real(0, 1),
            "classes_": array(2, of="biufUO"),
            "learned_decision_function_": derived,
        },
        _average_agrees,
    ),
    "scipy.interpolate.BSpline": PartKind(
        {
            "_t": array("t"),
            "_c": array("c", "c"),
            "k": whole(1, 6),
            "extrapolate": one_of(False),
            "axis": one_of(0),
            "_asarray": derived,
        },
        _spline_stands,
        _spline,
    ),
    "sklearn.compose.ColumnTransformer": PartKind(
        {
            **_SEEN,
            "transformers": each(row(text, part(), _COLUMNS)),
            "transformer_weights": optional(by_key(text, real(0))),
            "verbose_feature_names_out": function("onesided.kept.feature_name"),
            "n_jobs": one_of(None, 1),
            "_columns": each(_COLUMNS),
            "_transformer_to_input_indices": by_key(text, each(whole(0, "n"))),
            "_remainder": row(one_of("remainder"), one_of("drop"), each(whole(0, "n"))),
            "sparse_output_": flag,
            "transformers_": each(
                row(text, either(part(), one_of("drop")), either(_COLUMNS, each(whole(0, "n"))))
            ),
            "output_indices_": by_key(text, span),
        },
        _columns_agree,
    ),
    "sklearn.feature_extraction.text.CountVectorizer": PartKind(
        {**_WORDS, "binary": flag}, _words_agree
    ),
    "sklearn.feature_extraction.text.TfidfTransformer": PartKind(
        {**_SEEN, "sublinear_tf": flag, "idf_": array("n", low=0)},
    ),
    "sklearn.feature_extraction.text.TfidfVectorizer": PartKind(
        {
            **_WORDS,
            "sublinear_tf": flag,
            "_tfidf": part("sklearn.feature_extraction.text.TfidfTransformer"),
        },
        _words_agree,
    ),
    "sklearn.impute.MissingIndicator": PartKind(
        {
            **_SEEN,
            "error_on_new": flag,
            "_precomputed": flag,
            "_n_features": whole(1),
            "features_": array(None, of="i", low=0, below="n", rising=True),
        },
        lambda indicator: indicator["_n_features"] == indicator["n_features_in_"],
    ),
    "sklearn.impute.SimpleImputer": PartKind(
        {
            **_SEEN,
            "strategy": one_of("median"),
            "add_indicator": flag,
            "keep_empty_features": flag,
            "statistics_": array("n"),
            "indicator_": optional(part("sklearn.impute.MissingIndicator")),
            "_fit_dtype": one_of(np.dtype(np.float64)),
            "_fill_dtype": one_of(np.dtype(np.float64)),
        },
    ),
    "sklearn.pipeline.Pipeline": PartKind({"steps": _steps}),
    "sklearn.preprocessing.MaxAbsScaler": PartKind(
        {**_SEEN, "max_abs_": array("n", low=0), "scale_": array("n", low=0)},
    ),
    "sklearn.preprocessing.OneHotEncoder": PartKind(
        {
            **_CODES,
            "dtype": one_of(np.uint8, np.float64),  # older files have the second
            "sparse_output": flag,
            "feature_name_combiner": function("onesided.kept.indicator_name"),
            "drop_idx_": one_of(None),
            "_drop_idx_after_grouping": one_of(None),
            "_n_features_outs": each(whole(1), "n"),
        },
        _codes_agree,
    ),
    "sklearn.preprocessing.OrdinalEncoder": PartKind(
        {
            **_CODES,
            "unknown_value": one_of(-1),
            "encoded_missing_value": one_of(np.nan),
            "_missing_indices": by_key(whole(), whole()),
        },
        _codes_agree,
    ),
    "sklearn.preprocessing.SplineTransformer": PartKind(
        {
            **_SEEN,
            "n_knots": whole(2),
            "degree": one_of(3),
            "knots": one_of("quantile"),
            "extrapolation": one_of("constant"),
            "handle_missing": one_of("zeros"),
            "bsplines_": each(part("scipy.interpolate.BSpline"), "n"),
            "n_features_out_": whole(1),
        },
        _splines_agree,
    ),
    "sklearn.preprocessing.StandardScaler": PartKind(
        {
            **_SEEN,
            "mean_": array("n"),
            "var_": array("n", low=0),
            "scale_": array("n", low=0),
        },
    ),
    "sklearn.tree.DecisionTreeClassifier": PartKind(_CLASSIFYING_TREE, _tree_agrees),
    "sklearn.tree.ExtraTreeClassifier": PartKind(_CLASSIFYING_TREE, _tree_agrees),
    TREE: PartKind(
        {
            "n_features": whole(1),
            "n_classes": array(1, of="i", low=_N_TREE_CLASSES, below=_N_TREE_CLASSES + 1),
            "n_outputs": one_of(1),
            "max_depth": whole(),
            "node_count": whole(1),
            "nodes": _nodes,
            "values": array(None, 1, _N_TREE_CLASSES, low=0),
        },
        _tree_stands,
        _tree,
    ),
}
"""The classes by their names in model files.

These names must never change, because old files use them. If a class moves, only its `place`
changes.
"""
