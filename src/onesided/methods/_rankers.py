"""Pipelines from the columns of a table to scores, made by the table of methods."""

from __future__ import annotations

import logging
import sys
from collections.abc import Collection
from functools import partial
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from inspect import Parameter, signature
from operator import attrgetter
from pathlib import Path
from typing import Any

from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline

from onesided._validation import check_object
from onesided.exceptions import TableError
from onesided.methods._columns import MOST_VALUES, as_numbers, for_trees
from onesided.methods._table import GROUP, TABLE, Method, Traits, method_names
from onesided.models.bayes._beta_prior import PROVISIONAL, PriorSetting, check_class_prior
from onesided.models.bayes._networks import MOST_ENTRIES
from onesided.preprocessing import QuantileBinner
from onesided.prior import balanced_classifier
from onesided.tables import TableSummary

_LOGGER = logging.getLogger("onesided")
_SCORES = ("decision_function", "predict_proba")


def rankers_for(
    summary: TableSummary,
    *,
    methods: Collection[str] = (),
    class_prior: PriorSetting = PROVISIONAL,
    n_positive: int = 0,
    n_negative: int = 0,
    random_state: int = 0,
) -> dict[str, Pipeline]:
    """A ranking pipeline for each model, by its title, which accepts the table's raw columns.

    Parameters
    ----------
    summary : summary of the table by `onesided.tables.describe`
    methods : names of methods, as in `find_method`; by default all methods that suit the table
    class_prior : share of positives among the unlabeled, for the methods that use it. The default
        orders rows at least as well as the true share does (mean AUC .954 to .950 in
        ``benchmarks/bench_bayes_prior.py``), and needs no estimate
    n_positive : smallest number of positives that a fit will see, 0 if unknown
    n_negative : number of known negatives
    random_state : seed of random draws

    Raises
    ------
    TableError : if a method is not known, or cannot be used on the table

    Examples
    --------
    >>> import pyarrow as pa
    >>> from onesided.methods import rankers_for
    >>> from onesided.tables import describe
    >>> summary = describe(pa.table({"size": [0.5, 1.5, 2.5, 3.5], "shape": list("aabb")}))
    >>> rankers = rankers_for(summary, methods=["naive-bayes"])
    >>> {title: list(pipeline.named_steps) for title, pipeline in rankers.items()}
    {'naive Bayes': ['columns', 'model']}
    """
    check_object(summary, "summary", TableSummary, by="onesided.tables.describe")
    check_class_prior(class_prior)
    seen = _traits(summary, n_positive, n_negative)
    if methods:
        chosen = [find_method(name) for name in dict.fromkeys(methods)]
        for method in chosen:
            if refused := method.refusal(seen):
                raise TableError(*refused)
    else:
        chosen = [method for method in TABLE if not method.why_not(seen)]
        for method in TABLE:
            if reason := method.why_not(seen):
                _LOGGER.info("%s is not compared: %s", method.name, reason)
    passed = {"class_prior": class_prior, "random_state": random_state}
    made: dict[Any, ColumnTransformer] = {}
    found = {}
    for method in chosen:
        columns = _loaded(method.columns)
        if columns not in made:
            made[columns] = columns(summary)  # shared, so that it is fitted once for all
        given = {**method.settings(seen), **{name: passed[name] for name in method.passes}}
        for title, own in method.models.items():
            found[title] = _pipeline(made[columns], _loaded(method.factory)(**own, **given))
    return found


def find_method(name: str) -> Method:
    """The method with a given name.

    Parameters
    ----------
    name : a name in the table of methods; the name of an entry point of the group
        "onesided.methods"; or "module:Class". The module must be installed, on Python's path or in
        the working folder. An entry point or a module must provide an estimator class, an unfitted
        estimator (for example a pipeline) or a `Method`

    Raises
    ------
    TableError : if there is no such method, or if its estimator cannot learn

    Examples
    --------
    >>> from onesided.methods import find_method
    >>> method = find_method("naive-bayes")
    >>> method.name, method.passes
    ('naive-bayes', ('class_prior',))
    """
    for method in TABLE:
        if method.name == name:
            return method
    found = next(iter(entry_points(group=GROUP, name=name)), None)
    if found is None and ":" not in name:
        raise TableError(
            f"There is no method {name!r}.",
            f"The methods are {', '.join(method_names())}. Name a method of your own by its module "
            "and class: module:Class.",
        )
    given = _of_strangers(name if found is None else f"{found.module}:{found.attr}")
    if isinstance(given, Method):
        return given
    if not _gives_scores(given):
        raise TableError(
            f"The method {name!r} is neither a Method of onesided nor an estimator that gives "
            "scores.",
            f"Pass a class whose objects have fit, and {' or '.join(_SCORES)}.",
        )
    if not hasattr(given, "get_params"):
        raise TableError(
            f"The method {name!r} has no get_params, so it cannot be copied for each fit.",
            "Derive its class from sklearn.base.BaseEstimator.",
        )
    if not isinstance(given, type):
        given = partial(_with_settings, given)
    parameters = signature(given).parameters
    if needed := [each.name for each in parameters.values() if _is_needed(each)]:
        raise TableError(
            f"The method {name!r} cannot be made without its parameter {needed[0]!r}.",
            "Give each parameter of the class a default value.",
        )
    seeded = "random_state" in parameters
    return Method(name, {name: {}}, given, passes=("random_state",) if seeded else ())


def _of_strangers(path: str) -> Any:
    """What "module:name" names in a module of somebody else.

    Raises
    ------
    TableError : if there is no such module, it cannot be imported, or it does not have the name
    """
    module, _, name = path.partition(":")
    if not all(part.isidentifier() for part in [*module.split("."), *name.split(".")]):
        raise TableError(
            f"{path!r} does not name a module and a class.",
            "Pass both names without a folder and an ending, as in centroid:Centroid for a class "
            "of the file centroid.py in the folder of work.",
        )
    root, here = module.split(".")[0], str(Path.cwd())
    if root not in sys.modules and find_spec(root) is None and here not in sys.path:
        sys.path.append(here)  # last, so that no file there hides an installed module
    try:
        found = import_module(module)
    except (Exception, SystemExit) as error:  # whatever code of a stranger raises
        if isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(f"{error.name}."):
            raise TableError(
                f"There is no module {error.name!r}.",
                "Install the module, or name a module of the folder of work or of PYTHONPATH.",
            ) from error
        raise TableError(
            f"The module {module!r} cannot be imported: {type(error).__name__}: {error}.",
            "Mend the module, or install what it imports.",
        ) from error
    try:
        return attrgetter(name)(found)
    except AttributeError as error:
        own = [each for each, kind in vars(found).items() if _gives_scores(kind)]
        raise TableError(
            f"The module {module!r} has no {name!r}.",
            f"Its estimators are {', '.join(own)}." if own else "Define the class in the module.",
        ) from error


def _gives_scores(given: Any) -> bool:
    """Whether it is an estimator, or the class of one, whose scores rank rows."""
    return hasattr(given, "fit") and any(hasattr(given, each) for each in _SCORES)


def _with_settings(estimator: Any, **settings: Any) -> Any:
    """A copy of an estimator with other parameters."""
    return clone(estimator).set_params(**settings)


def _is_needed(parameter: Parameter) -> bool:
    """Whether a call must pass the parameter."""
    many = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    return parameter.default is Parameter.empty and parameter.kind not in many


def table_scorer(summary: TableSummary, *, n_trees: int = 200, random_state: int) -> Pipeline:
    """A pipeline whose scores are suited to estimating the class prior.

    Its model is balanced extra-trees on numbers and indicators. If the table has text or numbered
    features, its model is balanced logistic regression.

    Parameters
    ----------
    summary : summary of the table by `onesided.tables.describe`
    n_trees : number of trees
    random_state : seed of random draws

    Examples
    --------
    >>> import pyarrow as pa
    >>> from onesided.methods import table_scorer
    >>> from onesided.tables import describe
    >>> summary = describe(pa.table({"size": [0.5, 1.5, 2.5, 3.5], "shape": list("aabb")}))
    >>> table_scorer(summary, n_trees=10, random_state=0)[-1]
    ExtraTreesClassifier(class_weight='balanced', min_samples_leaf=5,
                         n_estimators=10, n_jobs=1, random_state=0)
    """
    check_object(summary, "summary", TableSummary, by="onesided.tables.describe")
    is_wide = bool(summary.vocabularies or summary.sparse)
    columns = as_numbers(summary) if is_wide else for_trees(summary)
    model = balanced_classifier(is_sparse=is_wide, n_trees=n_trees, random_state=random_state)
    return _pipeline(columns, model)


def _traits(summary: TableSummary, n_positive: int, n_negative: int) -> Traits:
    """The traits of a table that decide which methods suit it."""
    wide = [*summary.vocabularies, *summary.sparse]
    n_words = sum(map(len, summary.vocabularies.values()))
    n_values = _values_in_tables(summary)
    return Traits(
        n_rows=summary.n_rows,
        n_positive=n_positive,
        n_negative=n_negative,
        n_features=len(summary.used)
        + 2 * len(summary.names("date"))
        - len(wide)
        + n_words
        + summary.n_sparse,
        n_values=n_values,
        pairs_fit=sum(n_values.values()) <= MOST_ENTRIES,
        only_numbers=len(summary.used) == len([*summary.names("number"), *summary.names("date")]),
        only_text=len(summary.used) == len(wide),
        are_counts=all(found.are_counts for found in summary.sparse.values()),
        is_wide=bool(wide),
        is_mixed=bool(wide)
        and (
            len(summary.used) > len(wide)
            or (len(summary.vocabularies) > 1 and not summary.is_one_text)
        ),
    )


def _values_in_tables(summary: TableSummary) -> dict[str, int]:
    """For each column, the largest number of values that `as_categories` makes of it."""
    most = {"number": QuantileBinner().n_bins, "category": MOST_VALUES}
    found = {
        column.name: min(column.n_distinct, most[column.role])
        for column in summary.columns
        if column.role in most
    }
    words = {name: 2 * len(words) for name, words in summary.vocabularies.items()}
    found |= dict.fromkeys(summary.numbers, most["number"]) if summary.names("date") else {}
    numbered = {name: 2 * len(features.numbers) for name, features in summary.sparse.items()}
    return found | words | numbered


def _loaded(given: Any) -> Any:
    """An object as it is, or what "module:name" names."""
    if not isinstance(given, str):
        return given
    module, _, name = given.partition(":")
    return getattr(import_module(module), name)


def _pipeline(columns: ColumnTransformer, model: Any) -> Pipeline:
    """A model with the columns that it learns from."""
    return Pipeline([("columns", columns), ("model", model)])
