"""The rankers that `onesided rank` compares, each from the columns of a table to scores."""

import numpy as np
import pyarrow as pa
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from onesided.models.bayes import PositiveNaiveBayes
from onesided.models.bayes._class_prior import ClassPrior
from onesided.models.logistic import WeightedLogisticRegression
from onesided.preprocessing import QuantileBinner
from onesided.tables._describe import TableSummary

_PENALTIES = (1.0, 0.01)
_FEWEST_ROWS = 2  # documents that a word must be in


def default_rankers(
    summary: TableSummary, *, class_prior: ClassPrior = "estimate"
) -> dict[str, Pipeline]:
    """Pipelines that take the table as it is.

    Parameters
    ----------
    summary : what `describe` found
    class_prior : for those that use one
    """
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
    words = CountVectorizer(
        binary=True, min_df=_FEWEST_ROWS, preprocessor=plain_text, stop_words="english"
    )
    return _columns(summary, QuantileBinner(), codes, words)


def _as_numbers(summary: TableSummary) -> ColumnTransformer:
    """Numbers standardised, missing ones at the median and marked; the rest as indicators."""
    numbers = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
    indicators = OneHotEncoder(handle_unknown="ignore")
    words = TfidfVectorizer(
        sublinear_tf=True, min_df=_FEWEST_ROWS, preprocessor=plain_text, stop_words="english"
    )
    return _columns(summary, numbers, indicators, words)


def _columns(
    summary: TableSummary, numbers: object, categories: object, words: object
) -> ColumnTransformer:
    parts = [
        (role, transformer, names)
        for role, transformer in (("number", numbers), ("category", categories))
        if (names := summary.names(role))
    ]
    texts = [(f"text {name}", words, name) for name in summary.names("text")]
    return ColumnTransformer([*parts, *texts], verbose_feature_names_out=False)


def plain_text(cell: str | pa.StringScalar) -> str:
    """A cell of a text column in lower case, a missing one as no text."""
    text = cell.as_py() if isinstance(cell, pa.Scalar) else cell
    return (text or "").lower()
