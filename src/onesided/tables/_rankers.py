"""The rankers that `onesided rank` compares, each from the columns of a table to scores."""

from collections.abc import Callable
from functools import partial

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from onesided.models.bayes import PositiveNaiveBayes
from onesided.models.bayes._class_prior import ClassPrior, check_class_prior
from onesided.models.logistic import WeightedLogisticRegression
from onesided.preprocessing import QuantileBinner
from onesided.tables._describe import TableSummary
from onesided.tables._text import plain_text

_PENALTIES = (1.0, 0.01)


def default_rankers(
    summary: TableSummary, *, class_prior: ClassPrior = "estimate"
) -> dict[str, Pipeline]:
    """Pipelines that take the table as it is.

    Parameters
    ----------
    summary : what `describe` found
    class_prior : for those that use one
    """
    check_class_prior(class_prior)
    return {
        "naive Bayes": Pipeline(
            [("columns", _as_categories(summary)), ("model", PositiveNaiveBayes(class_prior))]
        ),
        **{
            f"weighted logistic regression, C={C:g}": Pipeline(
                [
                    ("columns", _as_numbers(summary)),
                    ("model", WeightedLogisticRegression(C, tol=1e-4)),
                ]
            )
            for C in _PENALTIES
        },
    }


def _as_categories(summary: TableSummary) -> ColumnTransformer:
    """Numbers cut at quantiles, categories as codes, words as present or absent."""
    codes = OrdinalEncoder(
        handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=np.nan
    )
    return _columns(summary, QuantileBinner(), codes, partial(CountVectorizer, binary=True))


def _as_numbers(summary: TableSummary) -> ColumnTransformer:
    """Numbers standardised, missing ones at the median and marked; the rest as indicators."""
    numbers = make_pipeline(
        SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True),
        StandardScaler(),
    )
    indicators = OneHotEncoder(handle_unknown="ignore")
    return _columns(summary, numbers, indicators, partial(TfidfVectorizer, sublinear_tf=True))


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
        (f"text {name}", words(preprocessor=plain_text, vocabulary=vocabulary), name)
        for name, vocabulary in summary.vocabularies.items()
        if vocabulary
    ]
    return ColumnTransformer([*parts, *texts], verbose_feature_names_out=False)
