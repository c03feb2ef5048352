"""The table of methods: their names, models and features, and the tables that they suit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from typing import Any

from onesided._text import argument

GROUP = "onesided.methods"
N_BAGS = 300  # AUC at 100, 300 and 1,000: .850, .863, .863 on letter, .964, .966, .967 on spambase
_FEWEST_BAGS = 100
_BAGGED = 300 * 1000  # draws of positives in all bags; larger bags need fewer of them
_SVM_C = 0.01  # with features in standard deviations; larger ones are slow and overfit
_MOST_PAIRED = 500  # features beyond which tables of all pairs are slow, or too large
_FEWEST_SHOWN, _MOST_SHOWN = 2, 500  # positives; random sets have the same size
_VOTES = 3.0  # of the methods that rank best on most tables, of numbers or of text beside others
_NEGATIVE_SHARE = 3.0  # of 0.3 to 10 the best on reviews, see benchmarks/bench_references.py
_PRIOR, _SEED = ("class_prior",), ("random_state",)


@dataclass(frozen=True)
class Traits:
    """The traits of a table that decide which methods suit it.

    Attributes
    ----------
    n_rows : number of rows
    n_positive : smallest number of positives that a fit will see, 0 if unknown
    n_negative : number of known negatives
    n_features : number of columns, words of text and numbered features
    n_values : for each column, the largest number of distinct values in a table of its counts
    pairs_fit : whether tables of all pairs of these values fit into memory
    only_numbers : whether all columns are numbers
    only_text : whether all columns are text or numbered features
    are_counts : whether all numbered features are whole numbers
    is_wide : whether there is a column of text or of numbered features
    is_mixed : whether there are other columns besides text and numbered features, or several
        columns of text

    Examples
    --------
    Some of the methods that suit 500 short texts:

    >>> from onesided.methods import TABLE, Traits
    >>> traits = Traits(
    ...     n_rows=500, n_positive=20, n_negative=0, n_features=1000, n_values={}, pairs_fit=False,
    ...     only_numbers=False, only_text=True, are_counts=True, is_wide=True, is_mixed=False)
    >>> [method.name for method in TABLE if not method.why_not(traits)]
    ['naive-bayes', 'multinomial', 'logistic']
    """

    n_rows: int
    n_positive: int
    n_negative: int
    n_features: int
    n_values: Mapping[str, int]
    pairs_fit: bool
    only_numbers: bool
    only_text: bool
    are_counts: bool
    is_wide: bool
    is_mixed: bool

    @property
    def only_counts(self) -> bool:
        """Whether all columns are counts of words or of numbered features."""
        return self.only_text and self.are_counts


def _only_by_name(_: Traits) -> str:
    return "it is compared only when it is named"


def _never(_: Traits) -> tuple[str, str] | None:
    return None


@dataclass(frozen=True)
class Method:
    """One row of the table of methods.

    Attributes
    ----------
    name : the name that a user gives
    models : for each model of the method, its title and the arguments of its class
    factory : the class of the models, or a function that makes a model, or the "module:name" of
        either
    columns : a function that takes the summary of a table and returns a transformer of its columns,
        or the "module:name" of the function
    passes : names of arguments that the models also get: "class_prior", "random_state"
    settings : function of the traits of a table that returns further arguments of the models
    votes : weight of a model of the method in the average of the methods, in addition to the weight
        from its hidden-positive AUC
    why_not : function of the traits that returns why the method is not compared by default; "" if
        it is compared
    refusal : function of the traits that returns the problem and the mend if the method cannot be
        used on the table, otherwise None

    Examples
    --------
    >>> from onesided import CenterOfMassRanker
    >>> from onesided.methods import Method
    >>> method = Method("center", {"center of mass": {}}, CenterOfMassRanker)
    >>> method.name, list(method.models)
    ('center', ['center of mass'])
    """

    name: str
    models: Mapping[str, Mapping[str, Any]]
    factory: str | Callable[..., Any]
    columns: str | Callable[[Any], Any] = "onesided.methods._columns:as_numbers"
    passes: tuple[str, ...] = ()
    settings: Callable[[Traits], Mapping[str, Any]] = field(default=lambda _: {})
    votes: float = 1.0
    why_not: Callable[[Traits], str] = _only_by_name
    refusal: Callable[[Traits], tuple[str, str] | None] = _never


def _too_many_pairs(method: str) -> Callable[[Traits], tuple[str, str] | None]:
    """Refuse a method that counts all pairs of values if there are too many pairs."""

    def refusal(seen: Traits) -> tuple[str, str] | None:
        if seen.pairs_fit:
            return None
        largest = max(seen.n_values, key=seen.n_values.__getitem__)
        problem = (
            f"The columns have {sum(seen.n_values.values()):,} different values in total, "
            f"{seen.n_values[largest]:,} of these values in column {largest!r}; {method} "
            "needs a table of all pairs of values, which would be too large."
        )
        return (
            problem,
            f"Drop the column, {argument('drop', [largest])}, or use the method naive-bayes.",
        )

    return refusal


def _not_only_counts(seen: Traits) -> tuple[str, str] | None:
    if seen.only_counts:
        return None
    return (
        "The method multinomial works only for words, but some columns are not text."
        if seen.are_counts
        else (
            "The method multinomial works only for counts of words, but some features are not "
            "whole numbers."
        ),
        "Drop these columns, or use the method naive-bayes.",
    )


def _too_few_to_draw(seen: Traits) -> tuple[str, str] | None:
    if seen.n_positive != 1:
        return None
    problem = (
        "While some positives are hidden, the significance ranker would see "
        "1 positive row; it needs at least 2."
    )
    return problem, "Choose other methods."


def _why_no_significance(seen: Traits) -> str:
    if not seen.only_numbers:
        return "it works only for numbers"
    if _FEWEST_SHOWN <= seen.n_positive <= min(_MOST_SHOWN, seen.n_rows / 3):
        return ""
    return f"{seen.n_positive:,} positives of {seen.n_rows:,} rows are too many or too few for it"


def _counting(
    name: str, title: str, factory: str, columns: str = "as_categories", **more: Any
) -> Method:
    """A method that counts values and takes a class prior."""
    return Method(
        name,
        {title: {}},
        f"onesided.models.bayes:{factory}",
        f"onesided.methods._columns:{columns}",
        _PRIOR,
        **more,
    )


def _bagging(name: str, title: str, factory: str) -> Method:
    """A method that learns from many bags."""
    return Method(
        name,
        {title: {}},
        factory,
        "onesided.methods._columns:for_trees",
        _SEED,
        settings=lambda seen: {"n_estimators": _n_bags(seen.n_positive)},
        why_not=lambda seen: (
            "it is slow with as many features as text or numbered features give"
            if seen.is_wide
            else ""
        ),
        votes=_VOTES,
    )


def _n_bags(n_positive: int) -> int:
    """Number of bags; with many positives each bag has many rows, and fewer bags do as well."""
    return min(N_BAGS, max(_FEWEST_BAGS, _BAGGED // max(n_positive, 1)))


TABLE = (
    _counting("naive-bayes", "naive Bayes", "PositiveNaiveBayes", why_not=lambda _: ""),
    _counting(
        "tree",
        "tree-augmented naive Bayes",
        "PositiveTAN",
        why_not=lambda seen: (
            ""
            if seen.n_features <= _MOST_PAIRED and seen.pairs_fit
            else f"{seen.n_features:,} features have too many pairs of values"
        ),
        refusal=_too_many_pairs("tree"),
    ),
    _counting(
        "k-dependence",
        "2-dependence Bayes",
        "PositiveKDB",
        settings=lambda seen: {"k": min(2, seen.n_features - 1)},
        refusal=_too_many_pairs("k-dependence"),
    ),
    _counting(
        "one-dependence",
        "averaged one-dependence Bayes",
        "PositiveAODE",
        refusal=_too_many_pairs("one-dependence"),
    ),
    _counting(
        "multinomial",
        "multinomial naive Bayes",
        "PositiveMultinomialNB",
        "as_counts",
        why_not=lambda seen: "" if seen.only_counts else "it works only for counts of words",
        refusal=_not_only_counts,
    ),
    Method(
        "logistic",
        {f"weighted logistic regression, C={C:g}": {"C": C, "tol": 1e-4} for C in (1.0, 0.01)},
        "onesided.models.logistic:WeightedLogisticRegression",
        why_not=lambda _: "",
    ),
    Method(
        "text-first",
        {"logistic regression, text first": {"tol": 1e-4}},
        "onesided.models.logistic:WeightedLogisticRegression",
        "onesided.methods._columns:as_text_first",
        votes=_VOTES,
        why_not=lambda seen: "" if seen.is_mixed else "there is no text beside other columns",
    ),
    Method(
        "known-negatives",
        {"logistic regression, with negatives": {"C": 10.0, "tol": 1e-4}},
        "onesided.models.logistic:WeightedLogisticRegression",
        "onesided.methods._columns:as_text_first",
        settings=lambda _: {"negative_share": _NEGATIVE_SHARE},
        votes=_VOTES,
        why_not=lambda seen: "" if seen.n_negative else "no row is known to be negative",
    ),
    _bagging("bagging", "bagging", "onesided.models.composite:PUBagging"),
    _bagging(
        "decision-trees",
        "bagging of decision trees",
        "onesided.methods._bags:bagged_decision_trees",
    ),
    Method(
        "splines",
        {"logistic regression of splines": {"tol": 1e-4}},
        "onesided.models.logistic:WeightedLogisticRegression",
        "onesided.methods._columns:as_splines",
    ),
    Method(
        "significance",
        {"significance ranker": {}},
        "onesided.models.significance:SignificanceRanker",
        passes=_SEED,
        why_not=_why_no_significance,
        refusal=_too_few_to_draw,
    ),
    Method(
        "center-of-mass",
        {"center of mass": {}},
        "onesided.models.significance:CenterOfMassRanker",
    ),
    Method("correlation", {"correlation": {}}, "onesided.models.significance:CorrelationRanker"),
    Method(
        "one-class-svm", {"one-class SVM": {}}, "onesided.models.significance:CenteredOneClassSVM"
    ),
    Method(
        "cross-fit-svm",
        {"cross-fitted SVM": {"C": _SVM_C}},
        "onesided.models.significance:CrossFitSVM",
        passes=_SEED,
    ),
)
"""The methods of this package, in the order in which they are compared."""

METHODS = tuple(each.name for each in TABLE)
"""Their names."""

VOTES = {title: each.votes for each in TABLE for title in each.models}
"""The votes of each model of the table, by its title."""


def method_names() -> list[str]:
    """Names of the methods of this package, then of the methods of other packages.

    Examples
    --------
    >>> from onesided.methods import method_names
    >>> method_names()[:3]
    ['naive-bayes', 'tree', 'k-dependence']
    """
    return [*METHODS, *sorted({each.name for each in entry_points(group=GROUP)} - {*METHODS})]
