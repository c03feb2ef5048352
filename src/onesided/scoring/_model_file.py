"""A fitted ranker in a file that cannot run code."""

import hashlib
import io
import json
import re
import warnings
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from os import PathLike
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import numpy as np
import sklearn
from scipy.interpolate import BSpline
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.pipeline import Pipeline
from sklearn.tree import BaseDecisionTree

from onesided import __version__
from onesided._files._memory import physical_memory
from onesided._files._notation import DECIMALS
from onesided._files._wanted import ModelColumn
from onesided._typing import Floats
from onesided.exceptions import OnesidedWarning, TableError
from onesided.metrics import rank_shares
from onesided.model_selection import Comparison
from onesided.scoring._drift import SeenColumn
from onesided.tables import write_files
from onesided.tables._model_columns import ColumnRole

MODEL_ENDING = ".onesided"
_HEADER, _SCHEMA = "onesided.json", "schema.json"
_MOST_TEXT = 1 << 28  # bytes of each text; a model of 100,000 words needs 10 MB
_ENTRY = re.compile(r"\w[\w.-]*")
_MOST_QUANTILES, _DIGITS = 1000, 4
_PLAIN = ("method", "auc", "n_positive", "n_unlabeled", "n_learned")
_ADDRESS = "_stop_words_id"  # in which CountVectorizer keeps an address of this process
_SAVED = "Pass a file that holds a saved model."
_FORMAT = 2


def _at(*names: str) -> dict[str, str]:
    """Objects that are imported by the names that they have in a file."""
    return {name: name for name in names}


_NUMBERS = (
    *(f"numpy.{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)),
    *("numpy.float32", "numpy.float64", "numpy.bool"),
)
_NAMES: Mapping[str, Mapping[str, str]] = {
    "DictNode": _at("builtins.dict"),
    "ListNode": _at("builtins.list"),
    "TupleNode": _at("builtins.tuple"),
    "SliceNode": _at("builtins.slice"),
    "JsonNode": _at("builtins.str"),
    "DTypeNode": _at("numpy.dtype"),
    "NdArrayNode": _at("numpy.ndarray", *_NUMBERS),
    "SparseMatrixNode": _at("scipy.sparse.csr_array", "scipy.sparse.csr_matrix"),
    "TypeNode": _at(*(f"builtins.{kind}" for kind in ("bool", "float", "int", "str")), *_NUMBERS),
    "TreeNode": _at("sklearn.tree._tree.Tree"),
    "FunctionNode": {
        "onesided.kept.feature_name": "onesided.methods._columns.feature_name",
        "onesided.kept.indicator_name": "onesided.methods._columns.indicator_name",
        "onesided.kept.plain_text": "onesided.tables._text.plain_text",
        "onesided.kept.asarray": "scipy._lib.array_api_compat.numpy.asarray",  # of a spline
    },
    "ObjectNode": {
        "onesided.kept.Segments": "onesided.models.bayes._equations.Segments",
        "onesided.kept.SparseColumn": "onesided.tables._sparse.SparseColumn",
        "onesided.kept.Vocabulary": "onesided._statistics._vocabulary.Vocabulary",
        **_at(
            "onesided.CenterOfMassRanker",
            "onesided.CenteredOneClassSVM",
            "onesided.CorrelationRanker",
            "onesided.CrossFitSVM",
            "onesided.PUBagging",
            "onesided.PositiveAODE",
            "onesided.PositiveKDB",
            "onesided.PositiveMultinomialNB",
            "onesided.PositiveNaiveBayes",
            "onesided.PositiveTAN",
            "onesided.SignificanceRanker",
            "onesided.WeightedLogisticRegression",
            "onesided.preprocessing.QuantileBinner",
            "scipy.interpolate.BSpline",
            "sklearn.compose.ColumnTransformer",
            "sklearn.feature_extraction.text.CountVectorizer",
            "sklearn.feature_extraction.text.TfidfTransformer",
            "sklearn.feature_extraction.text.TfidfVectorizer",
            "sklearn.impute.MissingIndicator",
            "sklearn.impute.SimpleImputer",
            "sklearn.pipeline.Pipeline",
            "sklearn.preprocessing.MaxAbsScaler",
            "sklearn.preprocessing.OneHotEncoder",
            "sklearn.preprocessing.OrdinalEncoder",
            "sklearn.preprocessing.SplineTransformer",
            "sklearn.preprocessing.StandardScaler",
            "sklearn.tree.ExtraTreeClassifier",
        ),
    },
}
"""Objects that a model file may hold: their name in files, and where they are imported from today.

They are grouped by the way in which skops loads them. A name stays the same for as long as files
are kept, so a class that moves changes only the value.
"""


@dataclass(frozen=True)
class Model:
    """A fitted ranker, and what a table needs to be scored by it.

    Attributes
    ----------
    pipeline : from the columns of a table to scores; its steps are "columns" and "model"
    method : title of the method
    columns : columns of the table, in its order
    n_positive, n_unlabeled : number of rows of the table
    n_learned : number of rows that the model learned from
    auc : hidden-positive AUC of the method; None if it was not measured
    seen : what the columns and the scores were; empty in a model of an older version
    unlabeled_scores : ascending scores of the unlabeled rows learned from, or a thousand quantiles;
        empty in a model of an older version
    version : version of onesided that learned
    path : file that the model was read from, or None
    digest : SHA-256 of this file, or empty
    comparison : how the methods compare; None for a model from a file and for a single method
    notes : warnings while the model was learned
    not_compared : why scores of later tables cannot be compared; empty if they can be compared
    """

    pipeline: Pipeline
    method: str
    columns: tuple[ModelColumn, ...]
    n_positive: int
    n_unlabeled: int
    n_learned: int
    auc: float | None = None
    seen: tuple[SeenColumn, ...] = ()
    unlabeled_scores: tuple[float, ...] = ()
    version: str = __version__
    path: Path | None = field(default=None, compare=False)
    digest: str = ""
    comparison: Comparison | None = field(default=None, compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)
    not_compared: str = field(default="", compare=False)

    @property
    def features(self) -> list[ModelColumn]:
        """The columns that the pipeline takes, in their order."""
        used = ("number", "category", "text", "sparse")
        return [column for column in self.columns if column.role in used]

    def facts(self) -> dict[str, Any]:
        """What was learned from, by which method, as plain numbers and text."""
        hidden = {} if self.comparison is None else self.comparison.hidden
        return {
            "method": self.method,
            "auc": self.auc,
            "methods": [{"name": name, "auc": float(each.auc)} for name, each in hidden.items()],
            "n_positive": self.n_positive,
            "n_unlabeled": self.n_unlabeled,
            "n_learned": self.n_learned,
            "columns": [{"name": each.name, "role": each.role} for each in self.columns],
        }

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model into a file, as `save_model` does."""
        save_model(self, path)

    def shares_below(self, scores: Floats) -> Floats:
        """Share of the unlabeled rows learned from with a lower score; ties count half.

        The model needs `unlabeled_scores`. Shares have four digits; all shapes are (n_rows,).
        """
        lower = rank_shares(-scores, -np.array(self.unlabeled_scores))
        return np.asarray(lower.round(_DIGITS))

    def name_of(self, role: ColumnRole) -> str:
        """Name of the only column of a role; empty if there is none."""
        return next((column.name for column in self.columns if column.role == role), "")


def score_quantiles(scores: Floats) -> tuple[float, ...]:
    """The scores of unlabeled rows that a model keeps, ascending: all, or a thousand quantiles."""
    if len(scores) > _MOST_QUANTILES:
        at = (np.arange(_MOST_QUANTILES) + 0.5) / _MOST_QUANTILES
        scores = np.quantile(scores, at, method="inverted_cdf")
    return tuple(np.sort(scores).tolist())


def save_model(model: Model, path: str | PathLike[str]) -> None:
    """Write a model into a file; with the same libraries the same model gives the same bytes.

    Parameters
    ----------
    model : the model
    path : path of the file, which appears whole or not at all

    Raises
    ------
    TableError : if the file cannot be written, or the model holds a type that no file may hold
    """
    content = _packed(model)

    def write(target: Path) -> None:
        target.write_bytes(content)

    write_files({Path(path): write})


def load_model(path: str | PathLike[str]) -> Model:
    """Read a model; a file may hold only the types that our rankers need, and no code of it runs.

    Parameters
    ----------
    path : path of a file that `save_model` wrote

    Raises
    ------
    TableError : if the file is no model, is damaged, is of a newer version, or holds another type

    Warns
    -----
    OnesidedWarning : if another version of scikit-learn wrote the file
    """
    path = Path(path)
    if not path.is_file():
        raise TableError(
            f"There is no model file {str(path)!r}.",
            "Learn a model from a table, save it, and pass the path of its file.",
        )
    content = path.read_bytes()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            _check_entries(path, file)
            header = _read_header(path, file)
            pipeline = _unpacked(path, file, int(header.get("format", 1)))
        model = _model_of(header, pipeline, path.resolve(), hashlib.sha256(content).hexdigest())
    except TableError:
        raise
    except zipfile.BadZipFile as error:
        raise _no_zip(path, content) from error
    except Exception as error:  # a damaged file makes scikit-learn raise anything
        raise TableError(
            f"The model file {str(path)!r} is damaged: reading it ended with "
            f"{type(error).__name__}.",
            "Learn and save the model again.",
        ) from error
    if header["scikit-learn"] != sklearn.__version__:
        warnings.warn(
            f"The model was learned with scikit-learn {header['scikit-learn']}, but this is "
            f"scikit-learn {sklearn.__version__}; the scores may differ. Learn and save "
            "the model again with this version.",
            OnesidedWarning,
            stacklevel=2,
        )
    return model


def digest_of(model: Model) -> str:
    """SHA-256 of the file that holds a model, or would hold it."""
    return model.digest or hashlib.sha256(_packed(model)).hexdigest()


def _packed(model: Model) -> bytes:
    """The bytes of a model file: the zip of skops with names and numbers of our own, and a header.

    skops names objects by their private files and numbers them by their addresses, and each entry
    of a zip has a date.
    """
    import skops.io  # noqa: PLC0415 - only those who keep a model pay for it

    header = {
        "format": _FORMAT,
        "onesided": model.version,
        "scikit-learn": sklearn.__version__,
        **{name: getattr(model, name) for name in _PLAIN},
        "columns": [
            {name: value for name, value in asdict(column).items() if value or name == "name"}
            for column in model.columns
        ],
        "seen": [each.as_json() for each in model.seen],
        "unlabeled_scores": model.unlabeled_scores,
    }
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(skops.io.dumps(model.pipeline))) as given,
        zipfile.ZipFile(packed, "w") as file,
    ):
        schema = json.loads(given.read(_SCHEMA))
        parts = _without_addresses(schema)
        if unknown := _rename(schema, _stable_names()):
            raise TableError(
                f"A model file may not hold a {unknown}.", "Use one of the methods of onesided."
            )
        texts = {_HEADER: header, _SCHEMA: schema}
        contents = {name: json.dumps(text, indent=1).encode() for name, text in texts.items()}
        contents |= {new: given.read(old) for old, new in parts.items()}
        for name, content in contents.items():
            file.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _without_addresses(schema: Any) -> dict[str, str]:
    """Replace the addresses in a description by counts; returns new names of files by old ones."""
    numbers: dict[int, int] = {}
    parts: dict[str, str] = {}
    for node in _nodes(schema):
        if "__id__" in node:
            # Equal texts and numbers may be one object or several, which makes no difference.
            known = node["__id__"] if node["__loader__"] != "JsonNode" else -len(numbers) - 1
            node["__id__"] = numbers.setdefault(known, len(numbers) + 1)
        if isinstance(node.get("file"), str):
            name = node["file"]
            node["file"] = parts.setdefault(name, f"{len(parts)}{Path(name).suffix}")
        if isinstance(node.get("content"), dict) and _ADDRESS in node["content"]:
            node["content"][_ADDRESS]["content"] = "0"  # no address: the stop words are checked
    return parts


def _unpacked(path: Path, file: zipfile.ZipFile, version: int) -> Pipeline:
    """The pipeline in an open model file of a format, once it is known that all its types may load.

    Format 1 names objects by private files of its time, and only the last part of a name is ours.
    """
    import skops.io  # noqa: PLC0415 - only those who read a model pay for it

    schema = json.loads(file.read(_SCHEMA))
    names = {kind: dict(places) for kind, places in _NAMES.items()}
    if version == 1:
        for places in names.values():
            places |= {name.rpartition(".")[2]: place for name, place in places.items()}
    if unknown := _rename(schema, names):
        raise TableError(
            f"{str(path)!r} holds a {unknown}, which no model of onesided needs. It was not "
            "loaded, because it might run code.",
            _SAVED,
        )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as renamed:
        for name in {*file.namelist()} - {_HEADER, _SCHEMA}:
            renamed.writestr(name, file.read(name))
        renamed.writestr(_SCHEMA, json.dumps(schema))
    trusted = sorted({place for places in _NAMES.values() for place in places.values()})
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", InconsistentVersionWarning
        )  # one warning for all parts comes later
        pipeline = skops.io.loads(packed.getvalue(), trusted=trusted)
    if not isinstance(pipeline, Pipeline) or list(pipeline.named_steps) != ["columns", "model"]:
        raise TypeError
    for part in _parts(pipeline, set()):
        _check_indices(part)
    return pipeline


def _nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """All parts of a description by skops that become an object."""
    waiting = [schema]
    while waiting:
        here = waiting.pop()
        if isinstance(here, dict):
            if isinstance(here.get("__loader__"), str):
                yield here
            waiting.extend(reversed(here.values()))
        elif isinstance(here, list):
            waiting.extend(reversed(here))


def _stable_names() -> dict[str, dict[str, str]]:
    """The names of `_NAMES` by the names of skops, which say in which file an object is today."""
    found: dict[str, dict[str, str]] = {}
    for kind, places in _NAMES.items():
        values = [resolve_name(place) for place in places.values()]
        today = [f"{value.__module__}.{value.__qualname__}" for value in values]
        found[kind] = dict(zip(today, places, strict=True))
    return found


def _rename(schema: Any, names: Mapping[str, Mapping[str, str]]) -> str:
    """Rename all objects of a description in place; returns the first name that is not known.

    A known name is whole, or is the last part of a name without its leading underscore.
    """
    for node in _nodes(schema):
        name = f"{node.get('__module__')}.{node.get('__class__')}"
        known = names.get(node["__loader__"], {})
        place = known.get(name) or known.get(name.rpartition(".")[2].lstrip("_"))
        if place is None:
            return name
        node["__module__"], _, node["__class__"] = place.rpartition(".")
    return ""


def _parts(part: Any, seen: set[int]) -> Iterator[Any]:
    """An object and all objects inside it."""
    if id(part) in seen:
        return
    seen.add(id(part))
    yield part
    if isinstance(part, np.ndarray):
        inner = part.ravel().tolist() if part.dtype == object else []
    elif isinstance(part, dict):
        inner = list(part.values())
    elif isinstance(part, list | tuple):
        inner = list(part)
    else:
        inner = list(getattr(part, "__dict__", {}).values())
    for each in inner:
        if not isinstance(each, str | int | float | bool | None):
            yield from _parts(each, seen)


def _check_indices(part: Any) -> None:
    """Refuse indices beyond their arrays, which compiled code would follow into other memory."""
    if isinstance(part, BaseDecisionTree):
        tree = part.tree_
        nodes = np.arange(tree.node_count)
        inner = tree.children_left != -1
        for child in (tree.children_left[inner], tree.children_right[inner]):
            if not ((child > nodes[inner]) & (child < tree.node_count)).all():
                raise ValueError
        feature = tree.feature[inner]
        if not ((feature >= 0) & (feature < tree.n_features)).all():
            raise ValueError
        if tree.n_features != part.n_features_in_:
            raise ValueError
    elif isinstance(part, BSpline):
        BSpline(part.t, part.c, part.k, axis=part.axis)
    elif hasattr(part, "check_format"):
        part.check_format(full_check=True)


def _check_entries(path: Path, file: zipfile.ZipFile) -> None:
    """Refuse a file that unpacks to more than memory, or that holds a path to another place."""
    sizes = {entry.filename: entry.file_size for entry in file.infolist()}
    texts = max(sizes.get(_HEADER, 0), sizes.get(_SCHEMA, 0))
    if sum(sizes.values()) > physical_memory() or texts > _MOST_TEXT:
        raise TableError(
            f"The model file {str(path)!r} unpacks to "
            f"{sum(sizes.values()) / 1000000000.0:,.1f} GB, which is more memory than a model "
            "needs or this machine has.",
            _SAVED,
        )
    for name in sizes:
        if not _ENTRY.fullmatch(name):
            raise TableError(
                f"The model file {str(path)!r} holds {name!r}, which no model of onesided has.",
                _SAVED,
            )


def _read_header(path: Path, file: zipfile.ZipFile) -> dict[str, Any]:
    """The header, if this version can read the file; a patch release does not change the format."""
    if _HEADER not in file.namelist():
        raise TableError(f"{str(path)!r} is a zip file, but holds no model.", _SAVED)
    header = dict(json.loads(file.read(_HEADER)))
    newer = ""
    if header.get("format", 1) > _FORMAT:
        newer = (
            f"has format {header['format']} of a model file; onesided {__version__} reads formats "
            f"up to {_FORMAT}."
        )
    elif _release(header["onesided"]) > _release(__version__):
        newer = f"was written by onesided {header['onesided']}; this is {__version__}."
    if newer:
        raise TableError(
            f"{str(path)!r} {newer}",
            "Update onesided, or learn the model again with this version.",
        )
    return header


def _model_of(header: Mapping[str, Any], pipeline: Pipeline, path: Path, digest: str) -> Model:
    """The model of a header; any error says that a changed file holds values of other types."""
    columns = tuple(ModelColumn(**column) for column in header["columns"])
    known = {("", "score"), *((column.name, column.role) for column in columns)}
    seen = tuple(SeenColumn.from_json(each) for each in header.get("seen", ()))
    scores = tuple(map(float, header.get("unlabeled_scores", ())))
    plain = {name: header[name] for name in _PLAIN}
    if not (
        all(isinstance(header[name], str) for name in ("method", "onesided", "scikit-learn"))
        and all(type(plain[name]) is int for name in _PLAIN if name.startswith("n_"))
        and isinstance(plain["auc"], float | None)
        and all(isinstance(part, str) for column in header["columns"] for part in column.values())
        and all(column.decimal in ("", *DECIMALS) for column in columns)
        and all((each.name, each.role) in known for each in seen)
        and np.isfinite(scores).all()
        and (np.diff(scores) >= 0).all()
    ):
        raise ValueError
    return Model(
        pipeline,
        columns=columns,
        seen=seen,
        unlabeled_scores=scores,
        version=header["onesided"],
        path=path,
        digest=digest,
        **plain,
    )


def _release(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:2])


def _no_zip(path: Path, content: bytes) -> TableError:
    if content.startswith(b"PK"):
        return TableError(
            f"The model file {str(path)!r} is cut off or damaged.",
            "Copy it again, or learn and save the model again.",
        )
    return TableError(
        f"{str(path)!r} is not a model file: it starts with {content[:4]!r}.",
        "Pass a file that holds a saved model; the table comes after it.",
    )
