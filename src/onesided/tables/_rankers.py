"""The rankers that `onesided rank` compares, each from the columns of a table to scores."""

from collections.abc import Callable, Collection
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    OneHotEncoder,
    OrdinalEncoder,
    SplineTransformer,
    StandardScaler,
)

from onesided.exceptions import TableError
from onesided.models.bayes import (
    PositiveAODE,
    PositiveKDB,
    PositiveMultinomialNB,
    PositiveNaiveBayes,
    PositiveTAN,
)
from onesided.models.bayes._class_prior import ClassPrior, check_class_prior
from onesided.models.bayes._networks import MOST_ENTRIES
from onesided.models.composite import PUBagging
from onesided.models.logistic import WeightedLogisticRegression
from onesided.models.significance import (
    CenteredOneClassSVM,
    CenterOfMassRanker,
    CorrelationRanker,
    CrossFitSVM,
    SignificanceRanker,
)
from onesided.preprocessing import QuantileBinner
from onesided.prior import default_scorer as scorer_of_rows
from onesided.tables._columns import option
from onesided.tables._describe import TableSummary
from onesided.tables._text import plain_text

_PENALTIES = (1.0, 0.01)
_SVM_C = 0.01  # with features in standard deviations; larger ones are slow and overfit
_WORDS_OF = "words of "
_BAGS = 300  # AUC at 100, 300 and 1,000: .850, .863, .863 on letter, .964, .966, .967 on spambase
_MOST_INDICATORS = 100  # of a category, where they are dense; rarer values share one
_MOST_VALUES = 1000  # of a category in tables of counts; rarer values share one
_RARE = "infrequent_sklearn"  # how scikit-learn calls them
_PAIRED = ("tree", "k-dependence", "one-dependence")  # of tables of all pairs of values
_MOST_PAIRED = 500  # features beyond which tables of all pairs are slow, or too large
_FEWEST_SHOWN, _MOST_SHOWN = 2, 500  # positives that random sets of their size are drawn for
_Named: TypeAlias = tuple[str, Callable[[TableSummary], ColumnTransformer], Any]
"""What a ranker is called, what it makes of the table, and the model."""
METHODS = (
    "naive-bayes",
    "tree",
    "k-dependence",
    "one-dependence",
    "multinomial",
    "logistic",
    "bagging",
    "splines",
    "significance",
    "center-of-mass",
    "correlation",
    "one-class-svm",
    "cross-fit-svm",
)


def default_rankers(
    summary: TableSummary,
    *,
    methods: Collection[str] = (),
    class_prior: ClassPrior = "estimate",
    n_positive: int = 0,
    random_state: int = 0,
) -> dict[str, Pipeline]:
    """Pipelines that take the table as it is.

    Parameters
    ----------
    summary : what `describe` found
    methods : some of `METHODS`; by default naive Bayes, the tree unless there are many features
        or values, the multinomial where all columns are text, logistic regression, bagging where
        none is, and the significance ranker where all are numbers and the positives few
    class_prior : for those that use one
    n_positive : fewest positives that a fit will see, 0 where it is not known
    random_state : of those that draw

    Raises
    ------
    TableError : if a method is not known, or cannot be used on the table
    """
    check_class_prior(class_prior)
    n_texts = len(summary.names("text"))
    n_words = sum(map(len, summary.vocabularies.values()))
    n_features = len(summary.used) - n_texts + n_words
    only_text = len(summary.used) == n_texts
    n_values = _values_in_tables(summary)
    pairs_fit = sum(n_values.values()) <= MOST_ENTRIES
    for method in methods:
        if method not in METHODS:
            raise TableError(
                f"There is no method {method!r}.", f"The methods are {', '.join(METHODS)}."
            )
    if "multinomial" in methods and not only_text:
        raise TableError(
            "The multinomial is for words alone, and some columns are no text.",
            "Drop these columns, or take naive-bayes.",
        )
    paired = [method for method in methods if method in _PAIRED]
    if paired and not pairs_fit:
        largest = max(n_values, key=n_values.__getitem__)
        raise TableError(
            f"The columns have {sum(n_values.values()):,} values together, {n_values[largest]:,} "
            f"of them column {largest!r}; {paired[0]} needs a table of all pairs of them, which is "
            "too large.",
            f"Drop the column, {option('--drop', largest)}, or take naive-bayes.",
        )
    only_numbers = len(summary.used) == len(summary.names("number"))
    few = _FEWEST_SHOWN <= n_positive <= min(_MOST_SHOWN, summary.n_rows / 3)
    if "significance" in methods and not (n_positive == 0 or 1 < n_positive <= summary.n_rows / 2):
        raise TableError(
            f"While some are hidden, the significance ranker would see {n_positive} positive rows "
            f"of {summary.n_rows}; it needs 2 or more, and as many unlabeled ones.",
            "Take other methods.",
        )
    chosen = methods or [
        "naive-bayes",
        *(["tree"] if n_features <= _MOST_PAIRED and pairs_fit else []),
        *(["multinomial"] if only_text else []),
        "logistic",
        *([] if n_texts else ["bagging"]),
        *(["significance"] if only_numbers and few else []),
    ]
    bags = PUBagging(n_estimators=_BAGS, random_state=random_state)
    cross_fit = CrossFitSVM(_SVM_C, random_state=random_state)
    known: dict[str, list[_Named]] = {
        "naive-bayes": [("naive Bayes", _as_categories, PositiveNaiveBayes(class_prior))],
        "tree": [("tree-augmented naive Bayes", _as_categories, PositiveTAN(class_prior))],
        "k-dependence": [
            ("2-dependence Bayes", _as_categories, PositiveKDB(min(2, n_features - 1), class_prior))
        ],
        "one-dependence": [
            ("averaged one-dependence Bayes", _as_categories, PositiveAODE(class_prior))
        ],
        "multinomial": [
            ("multinomial naive Bayes", _as_counts, PositiveMultinomialNB(class_prior))
        ],
        "logistic": [
            (
                f"weighted logistic regression, C={C:g}",
                _as_numbers,
                WeightedLogisticRegression(C, tol=1e-4),
            )
            for C in _PENALTIES
        ],
        "bagging": [("bagging", _for_trees, bags)],
        "splines": [
            ("logistic regression of splines", _as_splines, WeightedLogisticRegression(tol=1e-4))
        ],
        "significance": [
            ("significance ranker", _as_numbers, SignificanceRanker(random_state=random_state))
        ],
        "center-of-mass": [("center of mass", _as_numbers, CenterOfMassRanker())],
        "correlation": [("correlation", _as_numbers, CorrelationRanker())],
        "one-class-svm": [("one-class SVM", _as_numbers, CenteredOneClassSVM())],
        "cross-fit-svm": [("cross-fitted SVM", _as_numbers, cross_fit)],
    }
    return {
        name: _pipeline(columns(summary), model)
        for method in dict.fromkeys(chosen)
        for name, columns, model in known[method]
    }


def default_scorer(summary: TableSummary, *, random_state: int) -> Pipeline:
    """What scores the rows of a table where a class prior is estimated from scores.

    Parameters
    ----------
    summary : what `describe` found
    random_state : of what draws

    Returns
    -------
    balanced extra-trees of numbers and indicators; with text balanced logistic regression
    """
    columns = _as_numbers(summary) if summary.vocabularies else _for_trees(summary)
    model = scorer_of_rows(is_sparse=bool(summary.vocabularies), random_state=random_state)
    return _pipeline(columns, model)


def _values_in_tables(summary: TableSummary) -> dict[str, int]:
    """For each column the most values that `_as_categories` makes of it."""
    most = {"number": QuantileBinner().n_bins, "category": _MOST_VALUES}
    found = {
        column.name: min(column.n_distinct, most[column.role])
        for column in summary.columns
        if column.role in most
    }
    return found | {name: 2 * len(words) for name, words in summary.vocabularies.items()}


def _pipeline(columns: ColumnTransformer, model: Any) -> Pipeline:
    return Pipeline([("columns", columns), ("model", model)])


def _as_counts(summary: TableSummary) -> ColumnTransformer:
    """Counts of words."""
    return _columns(summary, "drop", "drop", CountVectorizer)


def _as_categories(summary: TableSummary) -> ColumnTransformer:
    """Numbers cut at quantiles, categories as codes, words as present or absent."""
    codes = OrdinalEncoder(
        handle_unknown="use_encoded_value",
        unknown_value=-1,
        encoded_missing_value=np.nan,
        max_categories=_MOST_VALUES,
    )
    return _columns(summary, QuantileBinner(), codes, partial(CountVectorizer, binary=True))


def _as_numbers(summary: TableSummary) -> ColumnTransformer:
    """Numbers standardised, missing ones at the median and marked; the rest as indicators."""
    numbers = make_pipeline(
        SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True),
        StandardScaler(),
    )
    return _columns(summary, numbers, _indicators(), partial(TfidfVectorizer, sublinear_tf=True))


def _as_splines(summary: TableSummary) -> ColumnTransformer:
    """Numbers as cubic splines, whose parts are all 0 for a missing one; the rest as indicators."""
    numbers = SplineTransformer(
        degree=3, knots="quantile", extrapolation="constant", handle_missing="zeros"
    )
    return _columns(summary, numbers, _indicators(), partial(TfidfVectorizer, sublinear_tf=True))


def _for_trees(summary: TableSummary) -> ColumnTransformer:
    """Dense rows: numbers, missing ones left so, and indicators; with text as for the others.

    Trees need no scale, but round to float32, which takes the digits of large numbers that differ
    little. Indicators do better than codes: AUC 0.998 for 0.995 on mushroom.
    """
    if summary.vocabularies:
        return _as_numbers(summary)
    few = _indicators(sparse_output=False, max_categories=_MOST_INDICATORS)
    return _columns(summary, StandardScaler(), few, TfidfVectorizer)


def _indicators(**more: Any) -> OneHotEncoder:
    return OneHotEncoder(
        handle_unknown="infrequent_if_exist", feature_name_combiner=_indicator_name, **more
    )


def _columns(
    summary: TableSummary, numbers: object, categories: object, words: Callable[..., object]
) -> ColumnTransformer:
    """One transformer for the numbers, one for the categories, one for each column of text.

    Words are those of all rows, so that no fold is without any.
    """
    parts = [
        (role, transformer, names)
        for role, transformer in (("number", numbers), ("category", categories))
        if (names := summary.names(role))
    ]
    texts = [
        (f"{_WORDS_OF}{name}", words(preprocessor=plain_text, vocabulary=vocabulary), name)
        for name, vocabulary in summary.vocabularies.items()
    ]
    return ColumnTransformer([*parts, *texts], verbose_feature_names_out=_feature_name)


def _feature_name(transformer: str, feature: str) -> str:
    """A word says which column it is in: two columns may have the same word."""
    if transformer.startswith(_WORDS_OF):
        return f"{transformer.removeprefix(_WORDS_OF)}: {feature}"
    return feature


def _indicator_name(column: str, value: object) -> str:
    return f"{column} = {'another' if value == _RARE else value}"
