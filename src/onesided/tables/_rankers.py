"""The rankers that `onesided rank` compares, each from the columns of a table to scores."""

import logging
from collections.abc import Callable, Collection
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
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
from onesided.models.bayes._beta_prior import PriorSetting as ClassPrior
from onesided.models.bayes._beta_prior import check_class_prior
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
from onesided.prior import balanced_classifier as scorer_of_rows
from onesided.tables._columns import option
from onesided.tables._describe import TableSummary
from onesided.tables._sparse import SparseColumn, SparseFeatures
from onesided.tables._text import plain_text

_LOGGER = logging.getLogger("onesided")
_PENALTIES = (1.0, 0.01)
_SVM_C = 0.01  # with features in standard deviations; larger ones are slow and overfit
_WORDS_OF = "words of "
_MISSING = "missingindicator_"  # as scikit-learn calls what marks a gap
_BAGS = 300  # AUC at 100, 300 and 1,000: .850, .863, .863 on letter, .964, .966, .967 on spambase
_MOST_INDICATORS = 100  # of a category, where they are dense; rarer values share one
_MOST_VALUES = 1000  # of a category in tables of counts; rarer values share one
_RARE = "infrequent_sklearn"  # how scikit-learn calls them
_PAIRED = ("tree", "k-dependence", "one-dependence")  # of tables of all pairs of values
_MOST_PAIRED = 500  # features beyond which tables of all pairs are slow, or too large
_FEWEST_SHOWN, _MOST_SHOWN = 2, 500  # positives that random sets of their size are drawn for
_Named: TypeAlias = tuple[str, Callable[[TableSummary], ColumnTransformer], Any]
"""What a ranker is called, what it makes of the table, and the model."""
_Sparse: TypeAlias = Literal["counts", "presence", "weights"]
"""What is made of numbered features."""
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
        or values, the multinomial where all columns are text or counts of numbered features,
        logistic regression, bagging where none is, and the significance ranker where all are
        numbers and the positives few
    class_prior : for those that use one
    n_positive : fewest positives that a fit will see, 0 where it is not known
    random_state : of those that draw

    Raises
    ------
    TableError : if a method is not known, or cannot be used on the table
    """
    check_class_prior(class_prior)
    wide = [*summary.vocabularies, *summary.sparse]
    n_words = sum(map(len, summary.vocabularies.values()))
    n_features = len(summary.used) - len(wide) + n_words + summary.n_sparse
    are_counts = all(found.are_counts for found in summary.sparse.values())
    only_counts = len(summary.used) == len(wide) and are_counts
    n_values = _values_in_tables(summary)
    pairs_fit = sum(n_values.values()) <= MOST_ENTRIES
    for method in methods:
        if method not in METHODS:
            raise TableError(
                f"There is no method {method!r}.", f"The methods are {', '.join(METHODS)}."
            )
    if "multinomial" in methods and not only_counts:
        raise TableError(
            "The multinomial is for words alone, and some columns are no text."
            if are_counts
            else "The multinomial is for counts of words, and some features are no whole numbers.",
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
        *(["multinomial"] if only_counts else []),
        "logistic",
        *([] if wide else ["bagging"]),
        *(["significance"] if only_numbers and few else []),
    ]
    if not methods:
        reasons = {
            "tree": f"{n_features:,} features have too many pairs of values",
            "multinomial": "it is for counts of words alone",
            "bagging": "it is slow on so many features as text or numbered ones are",
            "significance": "it is for numbers alone"
            if not only_numbers
            else f"{n_positive:,} positives of {summary.n_rows:,} rows are not few, or too few",
        }
        for method in METHODS:
            if method not in chosen:
                reason = reasons.get(method, "it is compared only by its name")
                _LOGGER.info("%s is not compared: %s", method, reason)
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


def default_scorer(summary: TableSummary, *, n_trees: int = 200, random_state: int) -> Pipeline:
    """What scores the rows of a table where a class prior is estimated from scores.

    Parameters
    ----------
    summary : what `describe` found
    n_trees : where there are any
    random_state : of what draws

    Returns
    -------
    balanced extra-trees of numbers and indicators; with text or numbered features balanced
    logistic regression
    """
    is_wide = bool(summary.vocabularies or summary.sparse)
    columns = _as_numbers(summary) if is_wide else _for_trees(summary)
    model = scorer_of_rows(is_sparse=is_wide, n_trees=n_trees, random_state=random_state)
    return _pipeline(columns, model)


def row_space(summary: TableSummary) -> ColumnTransformer:
    """Rows as points: numbers in standard deviations, indicators, tf-idf of words.

    Parameters
    ----------
    summary : what `describe` found
    """
    return _as_numbers(summary)


def _values_in_tables(summary: TableSummary) -> dict[str, int]:
    """For each column the most values that `_as_categories` makes of it."""
    most = {"number": QuantileBinner().n_bins, "category": _MOST_VALUES}
    found = {
        column.name: min(column.n_distinct, most[column.role])
        for column in summary.columns
        if column.role in most
    }
    words = {name: 2 * len(words) for name, words in summary.vocabularies.items()}
    numbered = {name: 2 * len(features.numbers) for name, features in summary.sparse.items()}
    return found | words | numbered


def _pipeline(columns: ColumnTransformer, model: Any) -> Pipeline:
    return Pipeline([("columns", columns), ("model", model)])


def _as_counts(summary: TableSummary) -> ColumnTransformer:
    """Counts of words."""
    return _columns(summary, "drop", "drop", CountVectorizer, "counts")


def _as_categories(summary: TableSummary) -> ColumnTransformer:
    """Numbers cut at quantiles, categories as codes, words and features present or absent."""
    codes = OrdinalEncoder(
        handle_unknown="use_encoded_value",
        unknown_value=-1,
        encoded_missing_value=np.nan,
        max_categories=_MOST_VALUES,
    )
    words = partial(CountVectorizer, binary=True)
    return _columns(summary, QuantileBinner(), codes, words, "presence")


def _as_numbers(summary: TableSummary) -> ColumnTransformer:
    """Numbers standardised, missing ones at the median and marked; the rest as indicators."""
    numbers = make_pipeline(
        SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True),
        StandardScaler(),
    )
    words = partial(TfidfVectorizer, sublinear_tf=True)
    return _columns(summary, numbers, _indicators(), words, "weights")


def _as_splines(summary: TableSummary) -> ColumnTransformer:
    """Numbers as cubic splines, whose parts are all 0 for a missing one; the rest as indicators."""
    numbers = SplineTransformer(
        degree=3, knots="quantile", extrapolation="constant", handle_missing="zeros"
    )
    words = partial(TfidfVectorizer, sublinear_tf=True)
    return _columns(summary, numbers, _indicators(), words, "weights")


def _for_trees(summary: TableSummary) -> ColumnTransformer:
    """Dense rows: numbers, missing ones left so, and indicators; with text as for the others.

    Trees need no scale, but round to float32, which takes the digits of large numbers that differ
    little. Indicators do better than codes: AUC 0.998 for 0.995 on mushroom.
    """
    if summary.vocabularies or summary.sparse:
        return _as_numbers(summary)
    few = _indicators(sparse_output=False, max_categories=_MOST_INDICATORS)
    return _columns(summary, StandardScaler(), few, TfidfVectorizer, "weights")


def _indicators(**more: Any) -> OneHotEncoder:
    return OneHotEncoder(
        handle_unknown="infrequent_if_exist", feature_name_combiner=_indicator_name, **more
    )


def _columns(
    summary: TableSummary,
    numbers: object,
    categories: object,
    words: Callable[..., object],
    sparse: _Sparse,
) -> ColumnTransformer:
    """One transformer for numbers, one for categories, one for each column of text or features.

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
    numbered = [
        (f"features of {name}", _numbered(features, sparse), name)
        for name, features in summary.sparse.items()
    ]
    return ColumnTransformer([*parts, *texts, *numbered], verbose_feature_names_out=_feature_name)


def _numbered(features: SparseFeatures, form: _Sparse) -> object:
    """What makes numbers of a column of features, those of words as of text."""
    column = SparseColumn(features.numbers, binary=form == "presence")
    if form != "weights":
        return column
    scale = TfidfTransformer(sublinear_tf=True) if features.are_counts else MaxAbsScaler()
    return make_pipeline(column, scale)


def _feature_name(transformer: str, feature: str) -> str:
    """A word says which column it is in: two columns may have the same word."""
    if transformer.startswith(_WORDS_OF):
        return f"{transformer.removeprefix(_WORDS_OF)}: {feature}"
    if transformer == "number" and feature.startswith(_MISSING):
        return f"{feature.removeprefix(_MISSING)} is missing"
    return feature


def _indicator_name(column: str, value: object) -> str:
    if value is None:
        return f"{column} is empty"
    return f"{column} = {'another' if value == _RARE else value}"
