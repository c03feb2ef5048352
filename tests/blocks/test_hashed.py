"""Hashed text: scikit-learn's numbers, whatever the files and blocks; memory that does not grow."""

import gzip
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as pads
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer

from onesided import (
    LGN,
    PEBL,
    CenteredOneClassSVM,
    CenterOfMassRanker,
    CorrelationRanker,
    CrossFitSVM,
    NearestKnown,
    NoisyOrClassifier,
    PositiveMultinomialNB,
    PUBagging,
    RocchioSVM,
    SignificanceRanker,
    SpyEM,
    TwoStep,
    WeightedLogisticRegression,
    WeightedLogisticRegressionCV,
)
from onesided._blocks import Block, _hashed
from onesided._statistics import DocumentFrequencies
from onesided.exceptions import DataError
from onesided.preprocessing import HashedText

N_ROWS, N_FEATURES = 120, 1024
CUTS = {"one": [0], "three": [0, 7, 80], "seven": [0, 3, 3, 40, 61, 62, 110]}
cuts_of = pytest.mark.parametrize("cuts", CUTS.values(), ids=CUTS)
PASSING = [
    WeightedLogisticRegression(),
    WeightedLogisticRegression(class_prior="estimate"),
    WeightedLogisticRegressionCV([0.1, 1.0], random_state=0),
    LGN(),
    LGN(sampling="gaussian", random_state=0),
    PositiveMultinomialNB(0.3),
    CenterOfMassRanker(),
    NoisyOrClassifier(True, True, binarize=0, tol=1e-6),
    NoisyOrClassifier(True, True, binarize=0, label_frequency=0.5),
    SpyEM(random_state=0),
    TwoStep("rocchio", "em"),
    RocchioSVM(),
    PEBL(),
    NearestKnown(3),
    PUBagging(n_estimators=20, random_state=0),
]
passing = pytest.mark.parametrize("model", PASSING, ids=lambda model: str(model)[:60])


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Each part of the data is a block: otherwise few documents would all be in one."""
    monkeypatch.setattr(_hashed, "_ROWS", 1)


@pytest.fixture
def table(rng):
    """Documents of two topics; the first half of those of topic A are labeled. Some are empty."""
    words = np.array([f"word{i}" for i in range(60)])
    of_a, of_b = np.ones(60), np.ones(60)
    of_a[:15], of_b[-15:] = 8, 8
    topic = np.repeat([0, 1], [60, 60])
    texts = [
        " ".join(rng.choice(words, 1 + rng.poisson(12), p=p / p.sum()))
        for p in (of_b if t else of_a for t in topic)
    ]
    texts[70], texts[71] = "", "?!"
    order = rng.permutation(N_ROWS)
    labels = (np.arange(N_ROWS) < 30).astype(int)
    return pd.DataFrame(
        {
            "title": pd.Series([f"Title{i % 7}" if i % 5 else None for i in range(N_ROWS)])[order],
            "body": np.array(texts)[order],
            "label": labels[order],
        }
    ).reset_index(drop=True)


def parts_of(table, cuts):
    return [table[start:end] for start, end in zip(cuts, [*cuts[1:], len(table)], strict=True)]


def write(table, cuts, folder, kind):
    """A folder of files, one a part."""
    for number, part in enumerate(parts_of(table, cuts)):
        path = folder / f"part-{number}.{kind}"
        if kind == "parquet":
            pq.write_table(pa.Table.from_pandas(part, preserve_index=False), path)
        elif kind.startswith("jsonl"):
            with gzip.open(path, "wt") if kind.endswith("gz") else path.open("w") as file:
                for row in part.to_dict("records"):
                    kept = {name: cell for name, cell in row.items() if not pd.isna(cell)}
                    file.write(json.dumps(kept) + "\n")
        else:
            part.to_csv(path, index=False)
    return folder


def source_of(table, cuts):
    """Of text in memory, in blocks as the cuts say."""
    schema = pa.Schema.from_pandas(table, preserve_index=False)
    batches = [
        pa.RecordBatch.from_pandas(part, schema, preserve_index=False)
        for part in parts_of(table, cuts)
    ]
    return pa.Table.from_batches(batches)


def expected(table, columns=("body",), **options):
    joined = [
        "\n".join("" if pd.isna(cell) else cell for cell in row)
        for row in table[list(columns)].to_numpy()
    ]
    vectorizer = HashingVectorizer(
        n_features=N_FEATURES, alternate_sign=False, norm=None, **options
    )
    return vectorizer.transform(joined)


@pytest.mark.parametrize("kind", ["jsonl", "jsonl.gz", "csv", "csv.gz", "parquet"])
@cuts_of
def test_files_give_the_counts_of_scikit_learn(table, tmp_path, kind, cuts):
    folder = write(table, cuts, tmp_path, kind)
    texts = HashedText(folder, ["title", "body"], n_features=N_FEATURES)
    found = texts.to_csr()
    assert found.has_canonical_format
    assert_array_equal(found.toarray(), expected(table, ["title", "body"]).toarray())


def test_options_are_those_of_scikit_learn(table):
    options = {
        "analyzer": "char_wb",
        "ngram_range": (2, 3),
        "lowercase": False,
        "stop_words": None,
        "binary": True,
    }
    texts = HashedText(table, ["title", "body"], n_features=N_FEATURES, **options)
    assert_array_equal(
        texts.to_csr().toarray(), expected(table, ["title", "body"], **options).toarray()
    )
    stopped = HashedText(table, "body", n_features=N_FEATURES, stop_words=["word3"])
    plain = expected(table, stop_words=["word3"])
    assert plain.sum() < expected(table).sum()
    assert_array_equal(stopped.to_csr().toarray(), plain.toarray())


@pytest.mark.parametrize("sublinear", [False, True])
@pytest.mark.parametrize("cached", [False, True])
@cuts_of
def test_tfidf_is_that_of_scikit_learn(table, tmp_path, sublinear, cached, cuts):
    counts = expected(table)
    reference = TfidfTransformer(sublinear_tf=sublinear).fit(counts)
    texts = HashedText(
        source_of(table, cuts),
        "body",
        n_features=N_FEATURES,
        tfidf=True,
        sublinear=sublinear,
        cache=tmp_path if cached else None,
    )
    assert_allclose(texts.idf_, reference.idf_, rtol=1e-14)
    assert_allclose(
        texts.to_csr().toarray(), reference.transform(counts).toarray(), rtol=1e-13, atol=1e-15
    )


def test_other_documents_are_weighted_by_the_frequencies_of_the_first(table, tmp_path):
    first, other = table[:80], table[80:]
    reference = TfidfTransformer().fit(expected(first))
    texts = HashedText(first, "body", n_features=N_FEATURES, tfidf=True, cache=tmp_path)
    found = texts.with_data(other).to_csr()
    assert_allclose(
        found.toarray(), reference.transform(expected(other)).toarray(), rtol=1e-13, atol=1e-15
    )
    assert not np.allclose(  # noqa: TID251 - it differs from its own frequencies
        found.toarray(), texts.with_data(first).to_csr().toarray()[:40]
    )


def test_document_frequencies_add_up(table):
    X = sparse.csr_array(expected(table))
    whole = DocumentFrequencies.of(Block(X))
    assert whole.n_documents == N_ROWS
    assert_array_equal(whole.documents, (X.toarray() > 0).sum(axis=0))
    parts = DocumentFrequencies.zero(N_FEATURES)
    for rows in (slice(0, 5), slice(5, 5), slice(5, None)):
        parts = parts + DocumentFrequencies.of(Block(X[rows]))
    assert_array_equal(parts.documents, whole.documents)
    assert parts.n_documents == whole.n_documents


@passing
@pytest.mark.parametrize(
    ("cuts", "cached"),
    [(CUTS["three"], False), (CUTS["three"], True)],
    ids=["three-read", "three-cached"],
)
def test_learners_learn_what_they_do_in_memory(table, tmp_path, model, cached, cuts):
    X, y = expected(table), table["label"].to_numpy()
    scores = model.fit(X, y).decision_function(X)
    folder = tmp_path / "parts"
    folder.mkdir()
    write(table, cuts, folder, "jsonl.gz")
    texts = HashedText(folder, "body", n_features=N_FEATURES, cache=tmp_path if cached else None)
    model.fit(texts, "label")
    assert_allclose(model.decision_function(texts), scores, rtol=1e-6, atol=1e-6)
    assert_array_equal(model.predict(texts), model.classes_[(scores > 0).astype(int)])
    assert model.n_features_in_ == N_FEATURES
    assert not hasattr(model, "feature_names_in_")


@pytest.mark.parametrize("cached", [False, True], ids=["read", "cached"])
def test_labels_and_weights_apart(table, tmp_path, rng, cached):
    X, y = expected(table), np.where(table["label"], "yes", "no")
    weight = rng.integers(0, 3, N_ROWS).astype(float)
    model = WeightedLogisticRegression(positive_label="yes").fit(X, y, sample_weight=weight)
    texts = HashedText(
        table.assign(label=y), "body", n_features=N_FEATURES, cache=tmp_path if cached else None
    )
    for labels in (y, "label"):
        found = WeightedLogisticRegression(positive_label="yes")
        found.fit(texts, labels, sample_weight=weight)
        assert_allclose(found.coef_, model.coef_, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("make", [pd.DataFrame, pa.Table.from_pandas, "polars", "dataset"])
def test_frames_and_tables(table, make, tmp_path):
    if make == "polars":
        import polars as pl  # noqa: PLC0415 - this case alone

        data = pl.from_pandas(table)
    elif make == "dataset":
        data = pads.dataset(write(table, [0, 50], tmp_path, "parquet"))
    else:
        data = make(table)
    texts = HashedText(data, "body", n_features=N_FEATURES)
    assert_array_equal(texts.to_csr().toarray(), expected(table).toarray())
    model = LGN().fit(texts, "label")
    in_memory = LGN().fit(expected(table), table["label"])
    assert_allclose(model.feature_log_prob_, in_memory.feature_log_prob_, rtol=1e-12)


def test_dask_frames_are_hashed_where_they_are(table):
    import dask.dataframe as dd  # noqa: PLC0415 - this test alone

    frame = dd.from_map(pd.DataFrame, parts_of(table, CUTS["seven"]))
    texts = HashedText(frame, "body", n_features=N_FEATURES, tfidf=True)
    reference = TfidfTransformer().fit_transform(expected(table))
    model = WeightedLogisticRegression().fit(texts, "label")
    in_memory = WeightedLogisticRegression().fit(reference, table["label"])
    assert_allclose(model.coef_, in_memory.coef_, rtol=1e-6, atol=1e-8)
    assert_allclose(
        model.decision_function(texts), in_memory.decision_function(reference), rtol=1e-6
    )
    with pytest.raises(DataError, match="cache works for files only; the parts of"):
        HashedText(frame, "body", cache=".")


def test_large_tables_are_cut(table, monkeypatch):
    """A table of one batch is hashed piece by piece, and few words make a block."""
    monkeypatch.setattr(_hashed, "ROWS_READ", 9)
    monkeypatch.setattr(_hashed, "_ROWS", 1000)
    monkeypatch.setattr(_hashed, "_WORDS", 100)
    texts = HashedText(pa.Table.from_pandas(table), "body", n_features=N_FEATURES)
    source, _ = texts.labeled_by("label", np.arange(N_ROWS), None)
    blocks = list(source.blocks())
    assert len(blocks) > 5
    starts = np.cumsum([0, *(block.n_rows for block in blocks[:-1])])
    assert_array_equal([block.start for block in blocks], starts)
    assert_array_equal(np.concatenate([block.labels() for block in blocks]), table["label"] == 1)
    assert_array_equal(np.concatenate([block.weights() for block in blocks]), np.arange(N_ROWS))
    assert_array_equal(texts.to_csr().toarray(), expected(table).toarray())


def test_text_is_hashed_once_with_a_cache_that_goes_away(table, tmp_path):
    class Counted:
        schema, n_read = pa.Schema.from_pandas(table, preserve_index=False), 0

        def to_batches(self, columns):
            Counted.n_read += "body" in columns
            return pa.Table.from_pandas(table).select(columns).to_batches()

    texts = HashedText(Counted(), "body", n_features=N_FEATURES, cache=tmp_path)
    model = WeightedLogisticRegression().fit(texts, "label")
    assert Counted.n_read == 2  # once for words, once beside the labels
    model.decision_function(texts)
    assert Counted.n_read == 2
    assert len(list(tmp_path.iterdir())) == 1
    del texts
    assert not list(tmp_path.iterdir())
    uncached = HashedText(Counted(), "body", n_features=N_FEATURES)
    WeightedLogisticRegression().fit(uncached, "label")
    assert Counted.n_read > 3


@pytest.mark.parametrize(
    "model",
    [CrossFitSVM(), CenteredOneClassSVM(), CorrelationRanker(), SignificanceRanker(kernel="rbf")],
    ids=lambda model: type(model).__name__,
)
def test_learners_that_hold_all_rows_say_what_to_use(table, model):
    texts = HashedText(table, "body", n_features=N_FEATURES)
    with pytest.raises(
        DataError, match=f"{type(model).__name__}(.kernel='rbf'.)? needs all rows in memory.*to_csr"
    ):
        model.fit(texts, "label")


def test_learners_of_scikit_learn_say_what_to_use(table):
    texts = HashedText(table, "body", n_features=N_FEATURES)
    with pytest.raises(DataError, match=r"cannot become an array.*to_csr"):
        RandomForestClassifier().fit(texts, table["label"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"text": "bdy"}, "Did you mean 'body'"),
        ({"text": "BODY"}, "Did you mean 'body'"),
        ({"text": []}, "text names no column"),
        ({"text": "body", "n_features": 0}, "n_features=0"),
        ({"text": "body", "n_features": 2**31}, "is above"),
        ({"text": "body", "sublinear": True}, "tfidf=True"),
    ],
)
def test_parameters_that_cannot_be_used(table, options, message):
    with pytest.raises(DataError, match=message):
        HashedText(table, **options)


def test_no_column_of_labels(table):
    texts = HashedText(table, "body", n_features=N_FEATURES)
    with pytest.raises(DataError, match="no column 'lable'"):
        LGN().fit(texts, "lable")
    with pytest.raises(DataError, match="holds the text"):
        LGN().fit(texts, "body")
    with pytest.raises(DataError, match="no named columns"):
        HashedText(np.zeros((3, 2)), "body")


def test_another_number_of_words(table):
    model = LGN().fit(HashedText(table, "body", n_features=N_FEATURES), "label")
    with pytest.raises(DataError, match=r"2048 features.*expecting 1024"):
        model.decision_function(HashedText(table, "body", n_features=2048))


def test_many_compressed_files_are_read(tmp_path):
    """More files than threads, each of several batches: side by side they would never end."""
    line = json.dumps({"body": "some words " * 40, "label": 1}) + "\n"
    for number in range(12):
        with gzip.open(tmp_path / f"{number}.jsonl.gz", "wt", compresslevel=1) as file:
            file.write(line * 3_000)
    code = (
        "from onesided._files import _json\n"
        "from onesided.preprocessing import HashedText\n"
        "_json._BATCH_BYTES = 1 << 20\n"
        f"texts = HashedText({str(tmp_path)!r}, 'body', n_features=64)\n"
        "from onesided._blocks import read_features, Block\n"
        "print(sum(len(b) for b in texts._data.to_batches(['label'])))\n"
        f"rows = read_features({str(tmp_path)!r}, numeric=False).select(['label'])\n"
        "print(sum(block.n_rows for block in rows.blocks()))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=120
    )
    assert done.stdout.split() == ["36000", "36000"]
