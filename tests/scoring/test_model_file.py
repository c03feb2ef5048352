"""Models in files: what comes back scores as before, and nothing else is loaded."""

import copy
import json
import os
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

from model_files import HEADER, KINDS, N_ROWS, SCHEMA, a_table, entries, fitted, nodes, rewrite
from onesided import __version__
from onesided.exceptions import OnesidedWarning, TableError
from onesided.methods import METHODS, _columns, _table
from onesided.scoring import Model, _model_nodes, check_can_save, load_model, save_model
from onesided.scoring._model_nodes import NodeWriter


@pytest.fixture(autouse=True)
def _few_bags(monkeypatch):
    monkeypatch.setattr(_table, "N_BAGS", 20)
    monkeypatch.setattr(_columns, "_MOST_INDICATORS", 30)  # more values are rare ones


@pytest.fixture(scope="module")
def model():
    return fitted("mixed", "logistic")[1]


@pytest.fixture
def saved(model, tmp_path):
    path = tmp_path / "kept.onesided"
    save_model(model, path)
    return path


def refused(path, *said):
    with pytest.raises(TableError) as caught:
        load_model(path)
    for text in said:
        assert text in str(caught.value)
    assert caught.value.problem.endswith(".")
    assert caught.value.mend.endswith(".")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", METHODS)
def test_every_method_comes_back(kind, method, tmp_path):
    if method == "multinomial" and kind not in ("text", "features"):
        pytest.skip("multinomial counts words; this table has other columns")
    features, model = fitted(kind, method)
    path = tmp_path / "kept.onesided"
    check_can_save([clone(model.pipeline)])
    save_model(model, path)
    found = load_model(path)
    expected = model.pipeline.decision_function(features)
    assert np.ptp(expected) > 0
    assert_array_equal(found.pipeline.decision_function(features), expected)
    assert [each.name for each in found.features] == features.column_names


@pytest.mark.parametrize(
    "columns", [0, [0], (0, 1), slice(1, None), np.array([0]), [True, False, False]]
)
def test_sources_come_back(columns, tmp_path):
    """Of whatever kind their columns are."""
    features, model = fitted("numbers", "significance")
    _, y = a_table("numbers")
    model.pipeline[-1].set_params(sources={"these": columns, "all": slice(None)})
    expected = model.pipeline.fit(features, y).decision_function(features)
    save_model(model, tmp_path / "kept.onesided")
    found = load_model(tmp_path / "kept.onesided").pipeline
    assert_array_equal(found.decision_function(features), expected)
    assert repr(found[-1].sources) == repr(model.pipeline[-1].sources)
    assert found[-1].source_weights_ == model.pipeline[-1].source_weights_


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
from model_files import fitted
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
    with_header(saved, format=4)
    refused(saved, "has format 4 of a model file", "Update onesided")


def test_a_format_that_is_no_number(saved):
    with_header(saved, format="two")
    refused(saved, "damaged")


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
        for node in nodes(json.loads(entries(saved)[SCHEMA]))
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


def test_other_names_are_refused(saved):
    """Of classes and functions, in the place of any part of a model."""
    schema = json.loads(entries(saved)[SCHEMA])
    strange = ("os.system", "builtins.eval", "sklearn.preprocessing.FunctionTransformer")
    for place in range(0, len(nodes(schema)), 50):
        for name in strange:
            changed = copy.deepcopy(schema)
            node = nodes(changed)[place]
            node["__module__"], _, node["__class__"] = name.rpartition(".")
            rewrite(saved, {SCHEMA: json.dumps(changed)})
            refused(saved, name, "It was not loaded", "Pass a file that holds a saved model.")


def test_a_known_type_loaded_another_way_is_refused(saved):
    """skops would call it, or look a name up in it."""
    schema = json.loads(entries(saved)[SCHEMA])
    for loader in ("ConstructorFromReduceNode", "MethodNode", "PartialNode", "FunctionNode"):
        rewrite(saved, {SCHEMA: json.dumps(schema | {"__loader__": loader})})
        refused(saved, "sklearn.pipeline.Pipeline", "It was not loaded")


def test_what_is_saved_can_be_loaded(model, tmp_path):
    """A type that would not be loaded is not written either."""
    strange = Pipeline([("columns", FunctionTransformer()), ("model", model.pipeline["model"])])
    path = tmp_path / "kept.onesided"
    with pytest.raises(TableError, match="FunctionTransformer"):
        save_model(Model(strange, "strange", (), 1, 1, 2), path)
    assert not path.exists()


def test_no_pipeline(model, saved):
    writer = NodeWriter()
    schema = writer.write(model.pipeline["model"])
    rewrite(saved, {SCHEMA: json.dumps(schema), **writer.files})
    refused(saved, "damaged")


def columns_of(model, name):
    """The fitted transformer of some columns."""
    return model.pipeline["columns"].named_transformers_[name]


def tree_of(model):
    return model.pipeline["model"].estimators_[0]


def in_nodes(field, value):
    """Change the root of a tree, whose indices compiled code follows unchecked."""

    def change(model):
        tree = tree_of(model).tree_
        state = tree.__getstate__()
        assert state["nodes"]["left_child"][0] != -1
        state["nodes"][field][0] = value
        tree.__setstate__(state)

    return change


def cut_spline(model):
    spline = columns_of(model, "number").bsplines_[0]
    spline._c = spline.c[:2]


def shift_rare(model):
    encoder = columns_of(model, "category")
    codes = next(each for each in encoder._default_to_infrequent_mappings if each is not None)
    codes[0] = 1000


def turn_around(model):
    network = model.pipeline["model"]
    child = int(np.flatnonzero(network.parents_ >= 0)[0])
    network._parents[network.parents_[child]] = child


def has(of, field, value):
    """Give another value to a field of a part."""
    return lambda model: setattr(of(model), field, value)


def words(model):
    return columns_of(model, "words of note")


CHANGES = {
    "files": ("text", "logistic", has(words, "input", "filename")),
    "pattern": ("text", "tree", has(words, "token_pattern", "(a+)+$")),
    "long words": ("text", "tree", has(words, "ngram_range", (1, 10**9))),
    "word": ("text", "tree", lambda model: words(model).vocabulary_.update(tools=10**6)),
    "weights": ("text", "logistic", lambda m: words(m)._tfidf.idf_.resize(2, refcheck=False)),
    "processes": ("mixed", "logistic", has(lambda m: m.pipeline["columns"], "n_jobs", 64)),
    "method": ("mixed", "logistic", has(lambda m: m.pipeline["model"], "predict", "a")),
    "infinite": ("mixed", "logistic", lambda m: m.pipeline["model"].coef_.fill(np.inf)),
    "column": (
        *("mixed", "logistic"),
        lambda m: columns_of(m, "number")[0].indicator_.features_.fill(7),
    ),
    "left": ("numbers", "bagging", in_nodes("left_child", 10**6)),
    "right": ("numbers", "bagging", in_nodes("right_child", 0)),
    "feature": ("numbers", "bagging", in_nodes("feature", 10**6)),
    "features": ("numbers", "bagging", has(tree_of, "n_features_in_", 10**6)),
    "outputs": ("numbers", "bagging", has(tree_of, "n_outputs_", 2)),
    "spline": ("numbers", "splines", cut_spline),
    "rare": ("categories", "bagging", shift_rare),
    "cycle": ("mixed", "tree", turn_around),
    "value": ("mixed", "tree", lambda m: m.pipeline["model"]._vocabulary.feature.fill(99)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_no_fit_leaves_is_neither_written_nor_read(name, tmp_path, monkeypatch):
    kind, method, change = CHANGES[name]
    _, model = fitted(kind, method)
    path = tmp_path / "kept.onesided"
    change(model)
    with pytest.raises(TableError, match=r"A model file cannot hold .*, because"):
        save_model(model, path)
    assert not path.exists()
    with monkeypatch.context() as patch:
        patch.setattr(_model_nodes, "check_part", lambda *_: None)
        save_model(model, path)
    refused(path, "is damaged", "does not fit the rest", "Learn and save the model again.")


def test_fields_that_can_be_computed_are_not_written(tmp_path):
    """A model that has scored has the same bytes."""
    features, model = fitted("mixed", "tree")
    paths = [tmp_path / name for name in ("before.onesided", "after.onesided")]
    save_model(model, paths[0])
    model.pipeline.decision_function(features)
    save_model(model, paths[1])
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_what_a_model_is_in_three_lines(model):
    """So that a session shows it in place of all its arrays."""
    first, second, third = repr(model).splitlines()
    assert first == f"Model: {model.method}, learned from 240 rows, hidden-positive AUC 0.750"
    assert second == f"  table: {model.n_positive} positive and {model.n_unlabeled} unlabeled rows"
    assert third == "  features: age, visits, region, member, code and 1 more"
