"""The features that a learner sees of the columns of a table."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    OneHotEncoder,
    OrdinalEncoder,
    SplineTransformer,
    StandardScaler,
)

from onesided._words import WORDS
from onesided.model_selection._fits import IGNORE_LABELS
from onesided.preprocessing import QuantileBinner
from onesided.tables._describe import TableSummary
from onesided.tables._sparse import SparseColumn
from onesided.tables._text import JoinedText, plain_text

ALL_TEXT = "all text"
"""Stands before a word in place of its column where all columns of text are one text."""
_WORDS_OF = "words of "
_MISSING = "missingindicator_"  # scikit-learn's name for the indicator of missing values
_MOST_INDICATORS = 100  # of a category, where indicators are dense; rarer values share one
MOST_VALUES = 1000  # of a category in tables of counts; rarer values share one
_BESIDE_TEXT = 0.05  # length of a row of numbers, or of categories; a row of tf-idf has 1
_RARE = "infrequent_sklearn"  # scikit-learn's name for rarer values
_Sparse: TypeAlias = Literal["counts", "presence", "weights"]


def as_counts(summary: TableSummary) -> ColumnTransformer:
    """Counts of words."""
    return _columns(summary, "drop", "drop", CountVectorizer, "counts")


def as_categories(summary: TableSummary) -> ColumnTransformer:
    """Numbers cut at quantiles, categories as codes, words and features present or absent."""
    codes = OrdinalEncoder(
        handle_unknown="use_encoded_value",
        unknown_value=-1,
        encoded_missing_value=np.nan,
        max_categories=MOST_VALUES,
    )
    words = partial(CountVectorizer, binary=True)
    return _columns(summary, QuantileBinner(), codes, words, "presence")


def as_numbers(summary: TableSummary, *, text_first: bool = False) -> ColumnTransformer:
    """Standardised numbers, with the median for missing ones, and indicators; words as tf-idf.

    With `text_first` all text is one text, and the other columns weigh little beside it.
    """
    numbers = make_pipeline(
        SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True),
        StandardScaler(),
    )
    words = partial(TfidfVectorizer, sublinear_tf=True)
    return _columns(summary, numbers, _indicators(), words, "weights", text_first=text_first)


def as_text_first(summary: TableSummary) -> ColumnTransformer:
    """As `as_numbers`, but all text is one text, and the other columns weigh little beside it.

    A row of numbers has the length 0.05 however many they are, and so has a row of categories. So
    columns that say nothing cost nothing under the one penalty of a linear model, and a column that
    decides still counts. Without text and numbered features the columns are as in `as_numbers`.
    """
    return as_numbers(summary, text_first=True)


def as_splines(summary: TableSummary) -> ColumnTransformer:
    """Numbers as cubic splines, which are all 0 for a missing number; indicators; tf-idf."""
    numbers = SplineTransformer(
        degree=3, knots="quantile", extrapolation="constant", handle_missing="zeros"
    )
    words = partial(TfidfVectorizer, sublinear_tf=True)
    return _columns(summary, numbers, _indicators(), words, "weights")


def for_trees(summary: TableSummary) -> ColumnTransformer:
    """Dense numbers, in which missing ones stay, and indicators; with text as in `as_numbers`.

    Trees need no scale, but they round to float32, which cannot tell apart large numbers that
    differ little. Indicators do better than codes: AUC 0.998 against 0.995 on mushroom.
    """
    if summary.vocabularies or summary.sparse:
        return as_numbers(summary)
    few = _indicators(sparse_output=False, max_categories=_MOST_INDICATORS)
    return _columns(summary, StandardScaler(), few, TfidfVectorizer, "weights")


def _indicators(**more: Any) -> OneHotEncoder:
    """Indicators of the values of categories; values that a fit has not seen count as rare."""
    return OneHotEncoder(
        handle_unknown="infrequent_if_exist",
        feature_name_combiner=indicator_name,
        dtype=np.uint8,  # beside numbers they become float64
        **more,
    )


def _columns(
    summary: TableSummary,
    numbers: object,
    categories: object,
    words: Callable[..., object],
    sparse: _Sparse,
    *,
    text_first: bool = False,
) -> ColumnTransformer:
    """One transformer for numbers, one for categories, one for each column of text or features.

    The words are those of all rows, so that each fold has some. With `text_first`, and of
    references, one transformer takes all columns of text. With `text_first` the output of the
    transformers of numbers and categories is scaled down.
    """
    parts: list[tuple[str, object, str | list[str]]] = [
        (role, transformer, names)
        for role, transformer, names in (
            ("number", numbers, summary.numbers),
            ("category", categories, summary.names("category")),
        )
        if names
    ]
    text_first = text_first and bool(summary.vocabularies or summary.sparse)
    weights = {role: _BESIDE_TEXT / math.sqrt(len(names)) for role, _, names in parts}
    texts: list[tuple[str, str | list[str], list[str]]] = [
        (name, name, vocabulary) for name, vocabulary in summary.vocabularies.items()
    ]
    if (text_first or summary.is_one_text) and len(texts) > 1:
        in_some = sorted(set().union(*summary.vocabularies.values()))
        texts = [(ALL_TEXT, [*summary.vocabularies], in_some)]
    for title, own, vocabulary in texts:
        transformer = words(**WORDS, preprocessor=plain_text, vocabulary=vocabulary)
        if isinstance(own, list):
            transformer = make_pipeline(JoinedText(), transformer)
        parts.append((f"{_WORDS_OF}{title}", transformer, own))
    for name, features in summary.sparse.items():
        transformer = SparseColumn(features.numbers, binary=sparse == "presence")
        if sparse == "weights":
            scale = TfidfTransformer(sublinear_tf=True) if features.are_counts else MaxAbsScaler()
            transformer = make_pipeline(transformer, scale)
        parts.append((f"features of {name}", transformer, name))
    found = ColumnTransformer(
        parts,
        transformer_weights=weights if text_first else None,
        verbose_feature_names_out=feature_name,
        n_jobs=1,  # processes are for whole fits
    )
    IGNORE_LABELS.add(found)
    return found


def feature_name(transformer: str, feature: str) -> str:
    """The name of a feature; a word follows its column, since two columns may have the word."""
    if transformer.startswith(_WORDS_OF):
        return f"{transformer.removeprefix(_WORDS_OF)}: {feature}"
    if transformer == "number" and feature.startswith(_MISSING):
        return f"{feature.removeprefix(_MISSING)} is missing"
    return feature


def indicator_name(column: str, value: object) -> str:
    """The name of the indicator of a value."""
    if value is None:
        return f"{column} is empty"
    return f"{column} = {'another' if value == _RARE else value}"
