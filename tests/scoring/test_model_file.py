"""Models in files: what comes back scores as before, and nothing else is loaded."""

import io
import json
import os
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import skops.io
from numpy.testing import assert_array_equal
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import ExtraTreeClassifier

from onesided import __version__, tables
from onesided.exceptions import OnesidedWarning, TableError
from onesided.methods import METHODS, _table, rankers_for
from onesided.scoring import Model, _model_file, load_model, save_model
from onesided.tables._features import used_columns
from onesided.tables._model_columns import model_columns

N_ROWS = 240
HEADER, SCHEMA = "onesided.json", "schema.json"


def a_table(kind):
    """Numbers, categories (rare ones too), text, with gaps; and labels."""
    rng = np.random.default_rng(20070815)
    truth = rng.random(N_ROWS) < 0.4
    columns = {}
    if kind in ("numbers", "mixed"):
        age = rng.normal(40, 10, N_ROWS) + 8 * truth
        age[::9] = np.nan
        columns |= {"age": age, "visits": rng.integers(0, 50, N_ROWS)}
    if kind in ("categories", "mixed"):
        region = np.where(truth, "north", "south").astype(object)
        region[::5] = None
        columns |= {
            "region": region,
            "member": rng.random(N_ROWS) < 0.5,
            "code": np.where(truth, rng.integers(0, 4, N_ROWS), rng.integers(2, 130, N_ROWS)),
        }
    if kind in ("text", "mixed"):
        words = np.array(["tools", "oven", "coat", "shoes"])
        columns["note"] = [
            f"asked about {'garden' if t else 'kitchen'} {rng.choice(words)} today" for t in truth
        ]
    return pa.Table.from_pandas(pd.DataFrame(columns)), truth & (rng.random(N_ROWS) < 0.6)


def fitted(kind, method):
    table, y = a_table(kind)
    summary = tables.describe(table, categorical=["code"] if "code" in table.column_names else [])
    (name, ranker), *_ = rankers_for(summary, methods=[method]).items()
    features = used_columns(table, summary)
    return features, Model(
        ranker.fit(features, y),
        method=name,
        columns=model_columns(features, table, summary, {}),
        n_positive=int(y.sum()),
        n_unlabeled=int((~y).sum()),
        n_learned=N_ROWS,
        auc=0.75,
    )


@pytest.fixture(autouse=True)
def _few_bags(monkeypatch):
    monkeypatch.setattr(_table, "N_BAGS", 20)


@pytest.fixture(scope="module")
def model():
    return fitted("mixed", "logistic")[1]


@pytest.fixture
def saved(model, tmp_path):
    path = tmp_path / "kept.onesided"
    save_model(model, path)
    return path


def entries(path):
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}


def rewrite(path, changed):
    content = entries(path) | changed
    with zipfile.ZipFile(path, "w") as file:
        for name, each in content.items():
            file.writestr(name, each)


def refused(path, *said):
    with pytest.raises(TableError) as caught:
        load_model(path)
    for text in said:
        assert text in str(caught.value)
    assert caught.value.problem.endswith(".")
    assert caught.value.mend.endswith(".")


@pytest.mark.parametrize("kind", ["numbers", "categories", "text", "mixed"])
@pytest.mark.parametrize("method", METHODS)
def test_every_method_comes_back(kind, method, tmp_path):
    if method == "multinomial" and kind != "text":
        pytest.skip("multinomial counts words; this table has other columns")
    features, model = fitted(kind, method)
    path = tmp_path / "kept.onesided"
    save_model(model, path)
    found = load_model(path)
    expected = model.pipeline.decision_function(features)
    assert np.ptp(expected) > 0
    assert_array_equal(found.pipeline.decision_function(features), expected)
    assert [each.name for each in found.features] == features.column_names


def test_header(model, saved):
    found = load_model(saved)
    assert found.columns == model.columns
    assert (found.method, found.auc, found.version) == (model.method, 0.75, __version__)
    assert (found.n_positive, found.n_unlabeled, found.n_learned) == (
        model.n_positive,
        model.n_unlabeled,
        N_ROWS,
    )
    header = json.loads(entries(saved)[HEADER])
    assert {"name": "visits", "role": "number", "type": "int64"} in header["columns"]
    assert {"name": "member", "role": "category", "type": "bool"} in header["columns"]


def test_same_model_same_bytes(tmp_path):
    paths = [tmp_path / name for name in ("one.onesided", "two.onesided")]
    for path in paths:
        save_model(fitted("mixed", "bagging")[1], path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert load_model(paths[0]).digest == load_model(paths[1]).digest


SAVING = """
import sys
from onesided.scoring import save_model
from scoring.test_model_file import fitted
save_model(fitted("mixed", "logistic")[1], sys.argv[1])
"""


def test_same_bytes_in_every_process(tmp_path):
    """Neither addresses nor the order of sets reach the file."""
    contents = []
    for seed in "12":
        path = tmp_path / f"{seed}.onesided"
        environment = os.environ | {
            "PYTHONHASHSEED": seed,
            "PYTHONPATH": os.pathsep.join([*sys.path, str(Path(__file__).parents[1])]),
        }
        subprocess.run([sys.executable, "-c", SAVING, path], check=True, env=environment)
        contents.append(entries(path))
    assert b"_stop_words_id" in contents[0][SCHEMA]
    assert contents[0] == contents[1]


def test_content_changes_the_digest(model, saved):
    before = load_model(saved).digest
    model.pipeline["model"].intercept_ += 1
    save_model(model, saved)
    model.pipeline["model"].intercept_ -= 1
    assert load_model(saved).digest != before


def test_what_is_no_model(tmp_path, model):
    refused(tmp_path / "none.onesided", "There is no model file", "Learn a model from a table")
    other = tmp_path / "other.onesided"
    other.write_text("gene,known\nA,1\n")
    refused(other, "is not a model file: it starts with b'gene'")
    other.write_bytes(pickle.dumps(model.pipeline))
    refused(other, "is not a model file")
    other.write_bytes(b"")
    refused(other, "is not a model file")
    with zipfile.ZipFile(other, "w") as file:
        file.writestr("letter.txt", "dear all")
    refused(other, "is a zip file, but holds no model")
    other.write_bytes(skops.io.dumps(model.pipeline))
    refused(other, "is a zip file, but holds no model")


def test_damaged_files(saved):
    content = saved.read_bytes()
    saved.write_bytes(content[: len(content) // 2])
    refused(saved, "is cut off or damaged", "Copy it again")
    wrong = bytearray(content)
    wrong[len(content) // 2] ^= 0xFF
    saved.write_bytes(bytes(wrong))
    refused(saved, "damaged")
    saved.write_bytes(content)
    for name in (HEADER, SCHEMA):
        for text in (b"{}", b"[]", b"7", b"\xff{", b"[" * 100_000):
            saved.write_bytes(content)
            rewrite(saved, {name: text})
            refused(saved, "damaged")
    saved.write_bytes(content)
    header = json.loads(entries(saved)[HEADER])
    del header["columns"][0]["role"]
    rewrite(saved, {HEADER: json.dumps(header)})
    refused(saved, "damaged")


def with_header(path, **changed):
    header = json.loads(entries(path)[HEADER]) | changed
    rewrite(path, {HEADER: json.dumps(header)})


def test_newer_version(saved):
    with_header(saved, onesided="123.0")
    refused(saved, "was written by onesided 123.0", "Update onesided")


def test_newer_format(saved):
    with_header(saved, format=3)
    refused(saved, "has format 3 of a model file", "Update onesided")


def test_a_format_that_is_no_number(saved):
    with_header(saved, format="two")
    refused(saved, "damaged")


OLD_NAMES = {
    "onesided.PUBagging": "onesided.models.composite._bagging.PUBagging",
    "onesided.WeightedLogisticRegression": (
        "onesided.models.logistic._estimator.WeightedLogisticRegression"
    ),
    "onesided.PositiveTAN": "onesided.models.bayes._networks.PositiveTAN",
    "onesided.kept.Segments": "onesided.models.bayes._equations.Segments",
    "onesided.kept.Vocabulary": "onesided._statistics._vocabulary.Vocabulary",
    "onesided.kept.asarray": "scipy._lib.array_api_compat.numpy._aliases.asarray",
    "onesided.kept.feature_name": "onesided.tables._rankers._feature_name",
    "onesided.kept.indicator_name": "onesided.tables._rankers._indicator_name",
    "onesided.kept.plain_text": "onesided.tables._text.plain_text",
    "scipy.interpolate.BSpline": "scipy.interpolate._bsplines.BSpline",
    "scipy.sparse.csr_array": "scipy.sparse._csr.csr_array",
    "scipy.sparse.csr_matrix": "scipy.sparse._csr.csr_matrix",
    "sklearn.compose.ColumnTransformer": "sklearn.compose._column_transformer.ColumnTransformer",
    "sklearn.impute.MissingIndicator": "sklearn.impute._base.MissingIndicator",
    "sklearn.impute.SimpleImputer": "sklearn.impute._base.SimpleImputer",
    "sklearn.preprocessing.MaxAbsScaler": "sklearn.preprocessing._data.MaxAbsScaler",
    "sklearn.preprocessing.OneHotEncoder": "sklearn.preprocessing._encoders.OneHotEncoder",
    "sklearn.preprocessing.OrdinalEncoder": "sklearn.preprocessing._encoders.OrdinalEncoder",
    "sklearn.preprocessing.SplineTransformer": (
        "sklearn.preprocessing._polynomial.SplineTransformer"
    ),
    "sklearn.preprocessing.StandardScaler": "sklearn.preprocessing._data.StandardScaler",
    "sklearn.tree.ExtraTreeClassifier": "sklearn.tree._classes.ExtraTreeClassifier",
}


def as_format_1(path):
    """The file as it was written before the names of objects were stable."""
    schema = json.loads(entries(path)[SCHEMA])
    for node in _model_file._nodes(schema):
        name = f"{node['__module__']}.{node['__class__']}"
        node["__module__"], _, node["__class__"] = OLD_NAMES.get(name, name).rpartition(".")
    header = json.loads(entries(path)[HEADER])
    del header["format"]
    rewrite(path, {SCHEMA: json.dumps(schema), HEADER: json.dumps(header)})


@pytest.mark.parametrize(
    ("kind", "method"), [("mixed", "bagging"), ("text", "tree"), ("numbers", "splines")]
)
def test_files_of_format_1_load(kind, method, tmp_path):
    features, model = fitted(kind, method)
    path = tmp_path / "kept.onesided"
    save_model(model, path)
    as_format_1(path)
    assert b"onesided.kept" not in entries(path)[SCHEMA]
    found = load_model(path).pipeline.decision_function(features)
    assert_array_equal(found, model.pipeline.decision_function(features))


@pytest.mark.parametrize("method", ["naive-bayes", "bagging"])
def test_a_class_that_moves_does_not_break_a_kept_file(method, tmp_path, monkeypatch):
    """The file has the same bytes before and after, and can be read both ways."""
    features, model = fitted("mixed", method)
    expected = model.pipeline.decision_function(features)
    paths = [tmp_path / name for name in ("before.onesided", "after.onesided")]
    save_model(model, paths[0])
    kind = type(model.pipeline["model"])
    elsewhere = ModuleType("onesided.elsewhere")
    setattr(elsewhere, kind.__name__, kind)
    monkeypatch.setitem(sys.modules, "onesided.elsewhere", elsewhere)
    monkeypatch.setattr(kind, "__module__", "onesided.elsewhere")
    save_model(model, paths[1])
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert_array_equal(load_model(paths[0]).pipeline.decision_function(features), expected)


def test_no_private_file_is_named_in_a_model(saved):
    """All of onesided in it is public, or has a name that is of model files alone."""
    names = {
        f"{node['__module__']}.{node['__class__']}"
        for node in _model_file._nodes(json.loads(entries(saved)[SCHEMA]))
    }
    ours = {name for name in names if name.startswith("onesided.")}
    assert "onesided.kept.plain_text" in ours
    assert not [name for name in ours if "._" in name]


def test_older_version(saved):
    with_header(saved, onesided="0.0.1")
    assert load_model(saved).version == "0.0.1"


def test_other_scikit_learn(saved):
    with_header(saved, **{"scikit-learn": "1.8.9"})
    with pytest.warns(OnesidedWarning, match=r"scikit-learn 1\.8\.9"):
        load_model(saved)


def loaded_code(*_):
    """What no file may call."""
    pytest.fail("ran")


def hide(pipeline, saved):
    """A model file with another pipeline, as it would be written if all types could be."""
    with zipfile.ZipFile(io.BytesIO(skops.io.dumps(pipeline))) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    schema = json.loads(parts[SCHEMA])
    _model_file._rename(schema, _model_file._stable_names())
    rewrite(saved, parts | {SCHEMA: json.dumps(schema)})


@pytest.mark.parametrize(
    ("columns", "named"),
    [
        (FunctionTransformer(loaded_code), "FunctionTransformer"),
        (CountVectorizer(preprocessor=loaded_code), "loaded_code"),
        (CountVectorizer(preprocessor=eval), "builtins.eval"),
    ],
)
def test_other_types_are_refused(columns, named, saved):
    hide(Pipeline([("columns", columns), ("model", ExtraTreeClassifier())]), saved)
    refused(saved, named, "It was not loaded", "Pass a file that holds a saved model.")


def test_a_known_type_loaded_another_way_is_refused(saved):
    """skops would call it, or look a name up in it."""
    schema = json.loads(entries(saved)[SCHEMA])
    for loader in ("ConstructorFromReduceNode", "MethodNode", "PartialNode", "FunctionNode"):
        rewrite(saved, {SCHEMA: json.dumps(schema | {"__loader__": loader})})
        refused(saved, "sklearn.pipeline.Pipeline", "It was not loaded")


def test_type_deep_inside_is_refused(saved):
    schema = json.loads(entries(saved)[SCHEMA])
    (deep, *_) = (n for n in _model_file._nodes(schema) if n["__class__"] == "plain_text")
    deep |= {"__module__": "os", "__class__": "system"}
    rewrite(saved, {SCHEMA: json.dumps(schema)})
    refused(saved, "os.system")


def test_what_is_saved_can_be_loaded(model, tmp_path):
    """A type that would not be loaded is not written either."""
    strange = Pipeline([("columns", FunctionTransformer()), ("model", model.pipeline["model"])])
    path = tmp_path / "kept.onesided"
    with pytest.raises(TableError, match="FunctionTransformer"):
        save_model(Model(strange, "strange", (), 1, 1, 2), path)
    assert not path.exists()


def test_no_pipeline(model, saved):
    hide(model.pipeline["model"], saved)
    refused(saved, "damaged")


@pytest.mark.parametrize("field", ["left_child", "right_child", "feature"])
def test_trees_do_not_point_outside(field, tmp_path):
    """Compiled code follows these indices unchecked."""
    _, model = fitted("numbers", "bagging")
    tree = model.pipeline["model"].estimators_[0].tree_
    state = tree.__getstate__()
    assert state["nodes"]["left_child"][0] != -1
    state["nodes"][field][0] = 10**6
    tree.__setstate__(state)
    path = tmp_path / "kept.onesided"
    save_model(model, path)
    refused(path, "damaged")


def test_splines_do_not_point_outside(tmp_path):
    _, model = fitted("numbers", "splines")
    path = tmp_path / "kept.onesided"
    save_model(model, path)
    load_model(path)
    spline = model.pipeline["columns"].named_transformers_["number"].bsplines_[0]
    spline.c = spline.c[:2]
    save_model(model, path)
    refused(path, "damaged")
