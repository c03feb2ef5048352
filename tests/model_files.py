"""Models of every method, and their files with another content than `onesided fit` writes."""

import json
import zipfile

import numpy as np
import pyarrow as pa

from onesided import tables
from onesided._files._wanted import SPARSE_TYPE
from onesided.methods import rankers_for
from onesided.scoring import Model, SeenColumn
from onesided.scoring._model_file import score_quantiles
from onesided.tables._features import used_columns
from onesided.tables._model_columns import model_columns

HEADER, SCHEMA = "onesided.json", "schema.json"
N_ROWS = 240
KINDS = ("numbers", "categories", "text", "mixed", "odd", "features")


def a_table(kind):
    """Numbers, categories (rare ones too), text, with gaps; or numbered features; and labels."""
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
    if kind == "text":
        columns["title"] = [f"{rng.choice(words)} for the {rng.choice(words)}" for _ in truth]
    if kind == "odd":  # one value, almost one, almost none; large ones; codes and fractions
        columns |= {
            "same": np.where(truth, 1.0, np.nan),
            "most": np.where(np.arange(N_ROWS) < N_ROWS - 3, 0.0, np.arange(N_ROWS)),
            "few": np.where(np.arange(N_ROWS) % 60 == 0, rng.normal(size=N_ROWS), np.nan),
            "large": rng.normal(size=N_ROWS) * 1e99,
            "share": np.array(
                [*(None, 0.5, 0.25, 0.75, 1.25), *rng.integers(9, size=N_ROWS - 5) / 7]
            ),
            "code": rng.integers(0, 40, N_ROWS) * 10**12,
            "member": np.where(rng.random(N_ROWS) < 0.1, None, truth),
        }
    table = pa.table({name: pa.array(each, from_pandas=True) for name, each in columns.items()})
    if kind == "features":
        rows = [
            [(int(j), float(1 + t)) for j in np.flatnonzero(rng.random(9) < 0.4)] for t in truth
        ]
        table = pa.table({"features": pa.array(rows, SPARSE_TYPE)})
    return table, truth & (rng.random(N_ROWS) < 0.6)


def fitted(kind, method):
    """The features of a table, and a model that learned from them."""
    table, y = a_table(kind)
    codes = [name for name in ("code", "share") if name in table.column_names]
    summary = tables.describe(table, categorical=codes)
    (name, ranker), *_ = rankers_for(summary, methods=[method]).items()
    features = used_columns(table, summary)
    scores = ranker.fit(features, y).decision_function(features)
    roles = {column.name: column.role for column in summary.columns}
    seen = [SeenColumn.of(each, roles[each], features[each], y) for each in features.column_names]
    return features, Model(
        ranker,
        method=name,
        columns=model_columns(features, table, summary, {}),
        n_positive=int(y.sum()),
        n_unlabeled=int((~y).sum()),
        n_learned=N_ROWS,
        auc=0.75,
        seen=(*seen, SeenColumn.of("", "score", pa.array(scores), y)),
        unlabeled_scores=score_quantiles(scores[~y]),
    )


def entries(path):
    """The content of each part of a model file."""
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}


def rewrite(path, changed, target=None):
    """Write a model file anew with other parts; the target may be the file."""
    content = entries(path) | changed
    with zipfile.ZipFile(target or path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, each in content.items():
            file.writestr(name, each)


def change_header(path, target, change):
    """Write a model file anew with its header as `change` leaves it; the target may be the file."""
    header = json.loads(entries(path)[HEADER])
    change(header)
    rewrite(path, {HEADER: json.dumps(header).encode()}, target)


def places(value, path=()):
    """Where something can be replaced in what JSON holds: the path, and what is there."""
    yield path, value
    keyed = {dict: dict.items, list: enumerate}.get(type(value), lambda _: ())
    for key, each in keyed(value):
        yield from places(each, (*path, key))


def nodes(schema):
    """Descriptions of objects in the description of a model, the outermost first."""
    return [
        value for _, value in places(schema) if isinstance(value, dict) and "__loader__" in value
    ]
