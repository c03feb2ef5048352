"""A fitted ranker in a file that cannot run code."""

import hashlib
import io
import json
import re
import warnings
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib import import_module
from os import PathLike
from pathlib import Path
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
from onesided.tables import ColumnRole, write_files

MODEL_ENDING = ".onesided"
_HEADER, _SCHEMA = "onesided.json", "schema.json"
_MOST_TEXT = 1 << 28  # bytes of each of them; of a model of 100,000 words they have 10 MB
_ENTRY = re.compile(r"\w[\w.-]*")
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the first time that a zip file can hold
_MOST_QUANTILES, _DIGITS = 1000, 4
_REWRITE = "Write the model again with onesided fit."
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
"""What a model file may hold: for each way to load an object the names of the objects that load so.

A name stays the same for as long as files are kept; the value is where the object is imported from
today. A class that moves changes the value alone.
"""
_NAMES_OF_FORMAT_1 = {
    "onesided._statistics._vocabulary.Vocabulary": "onesided.kept.Vocabulary",
    "onesided.models.bayes._aode.PositiveAODE": "onesided.PositiveAODE",
    "onesided.models.bayes._equations.Segments": "onesided.kept.Segments",
    "onesided.models.bayes._estimator.PositiveNaiveBayes": "onesided.PositiveNaiveBayes",
    "onesided.models.bayes._networks.PositiveKDB": "onesided.PositiveKDB",
    "onesided.models.bayes._networks.PositiveTAN": "onesided.PositiveTAN",
    "onesided.models.bayes._words.PositiveMultinomialNB": "onesided.PositiveMultinomialNB",
    "onesided.models.composite._bagging.PUBagging": "onesided.PUBagging",
    "onesided.models.logistic._estimator.WeightedLogisticRegression": (
        "onesided.WeightedLogisticRegression"
    ),
    "onesided.models.significance._baselines.CenterOfMassRanker": "onesided.CenterOfMassRanker",
    "onesided.models.significance._baselines.CenteredOneClassSVM": "onesided.CenteredOneClassSVM",
    "onesided.models.significance._baselines.CorrelationRanker": "onesided.CorrelationRanker",
    "onesided.models.significance._baselines.CrossFitSVM": "onesided.CrossFitSVM",
    "onesided.models.significance._estimator.SignificanceRanker": "onesided.SignificanceRanker",
    "onesided.preprocessing._cuts.QuantileBinner": "onesided.preprocessing.QuantileBinner",
    "onesided.tables._rankers._feature_name": "onesided.kept.feature_name",
    "onesided.tables._rankers._indicator_name": "onesided.kept.indicator_name",
    "onesided.tables._sparse.SparseColumn": "onesided.kept.SparseColumn",
    "onesided.tables._text.plain_text": "onesided.kept.plain_text",
    "scipy._lib.array_api_compat.numpy._aliases.asarray": "onesided.kept.asarray",
    "scipy.interpolate._bsplines.BSpline": "scipy.interpolate.BSpline",
    "scipy.sparse._csr.csr_array": "scipy.sparse.csr_array",
    "scipy.sparse._csr.csr_matrix": "scipy.sparse.csr_matrix",
    "sklearn.compose._column_transformer.ColumnTransformer": "sklearn.compose.ColumnTransformer",
    "sklearn.impute._base.MissingIndicator": "sklearn.impute.MissingIndicator",
    "sklearn.impute._base.SimpleImputer": "sklearn.impute.SimpleImputer",
    "sklearn.preprocessing._data.MaxAbsScaler": "sklearn.preprocessing.MaxAbsScaler",
    "sklearn.preprocessing._data.StandardScaler": "sklearn.preprocessing.StandardScaler",
    "sklearn.preprocessing._encoders.OneHotEncoder": "sklearn.preprocessing.OneHotEncoder",
    "sklearn.preprocessing._encoders.OrdinalEncoder": "sklearn.preprocessing.OrdinalEncoder",
    "sklearn.preprocessing._polynomial.SplineTransformer": (
        "sklearn.preprocessing.SplineTransformer"
    ),
    "sklearn.tree._classes.ExtraTreeClassifier": "sklearn.tree.ExtraTreeClassifier",
}
"""The names in files that have no "format": where the objects were imported from at the time."""


@dataclass(frozen=True)
class Model:
    """A fitted ranker, and what a table must have to be scored by it.

    Attributes
    ----------
    pipeline : from the columns of a table to scores; has the steps "columns" and "model"
    method : what the ranker is called
    columns : of the table, in its order
    n_positive, n_unlabeled : rows of the table
    n_learned : rows of it that were learned from
    auc : hidden-positive AUC of the method, None if it was not measured
    seen : what the columns and the scores were, empty in a model of an older version
    unlabeled_scores : of the unlabeled rows learned from, ascending; of many, their quantiles;
        empty in a model of an older version
    version : of onesided that learned
    path : of the file that it was read from, None of a model that was not
    digest : SHA-256 of this file, or empty
    comparison : of the methods, None of a model in a file and where there was one method
    notes : warnings that came while it was learned
    not_compared : why scores of later tables cannot be compared, empty where they can
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
        """The columns that the pipeline takes, in this order."""
        used = ("number", "category", "text", "sparse")
        return [column for column in self.columns if column.role in used]

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model into a file, as `save_model` does.

        Parameters
        ----------
        path : of the file, which appears whole or not at all
        """
        save_model(self, path)

    def shares_below(self, scores: Floats) -> Floats:
        """Share of the unlabeled rows learned from that score lower, ties half.

        Parameters
        ----------
        scores : shape (n_rows,), by the model, which has `unlabeled_scores`

        Returns
        -------
        shape (n_rows,), with four digits
        """
        lower = rank_shares(-scores, -np.array(self.unlabeled_scores))
        return np.asarray(lower.round(_DIGITS))

    def name_of(self, role: ColumnRole) -> str:
        """Name of the only column of a role, empty where there is none."""
        return next((column.name for column in self.columns if column.role == role), "")


def score_quantiles(scores: Floats) -> tuple[float, ...]:
    """What a model keeps of the scores of unlabeled rows: all of them, or a thousand quantiles.

    Parameters
    ----------
    scores : shape (n_rows,)
    """
    if len(scores) > _MOST_QUANTILES:
        at = (np.arange(_MOST_QUANTILES) + 0.5) / _MOST_QUANTILES
        scores = np.quantile(scores, at, method="inverted_cdf")
    return tuple(np.sort(scores).tolist())


def save_model(model: Model, path: str | PathLike[str]) -> None:
    """Write a model; the same model gives the same bytes with the same libraries.

    Parameters
    ----------
    model : to write
    path : of the file, which appears whole or not at all

    Raises
    ------
    TableError : if the file cannot be written, or the model is of a type that none may hold
    """
    content = _packed(model)
    write_files({Path(path): partial(_write, content)})


def load_model(path: str | PathLike[str]) -> Model:
    """Read a model. No code of the file runs: it may hold only the types that our rankers need.

    Parameters
    ----------
    path : of a file that `save_model` wrote

    Raises
    ------
    TableError : if it is none, is damaged, is of a newer version, or holds another type

    Warns
    -----
    OnesidedWarning : if it was written with another version of scikit-learn
    """
    path = Path(path)
    if not path.is_file():
        raise TableError(
            f"There is no model file {str(path)!r}.",
            "Make a model: onesided fit TABLE --out MODEL.",
        )
    content = path.read_bytes()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            _check_entries(path, file)
            header = _read_header(path, file)
            pipeline = _unpacked(path, file, int(header.get("format", 1)))
        columns = tuple(ModelColumn(**column) for column in header["columns"])
        _check_header(header)
        names = ("method", "n_positive", "n_unlabeled", "n_learned", "auc")
        model = Model(
            pipeline,
            columns=columns,
            seen=_read_seen(header, columns),
            unlabeled_scores=_read_scores(header),
            version=header["onesided"],
            path=path.resolve(),
            digest=hashlib.sha256(content).hexdigest(),
            **{name: header[name] for name in names},
        )
    except TableError:
        raise
    except zipfile.BadZipFile as error:
        raise _no_zip(path, content) from error
    except Exception as error:  # whatever a damaged file makes of scikit-learn's objects
        raise TableError(
            f"The model file {str(path)!r} is damaged: reading it ended with "
            f"{type(error).__name__}.",
            _REWRITE,
        ) from error
    if header["scikit-learn"] != sklearn.__version__:
        warnings.warn(
            f"The model was learned with scikit-learn {header['scikit-learn']}, but this is "
            f"scikit-learn {sklearn.__version__}; the scores may differ. Write the model "
            "again with onesided fit.",
            OnesidedWarning,
            stacklevel=2,
        )
    return model


def digest_of(model: Model) -> str:
    """SHA-256 of the file of a model, whether it is in one or not."""
    return model.digest or hashlib.sha256(_packed(model)).hexdigest()


def _packed(model: Model) -> bytes:
    """The bytes of a model file: skops' zip, with names and numbers of our own, and our header.

    skops names objects by the private files that they are in and numbers them by their place in
    memory, and each file in a zip has a date.
    """
    import skops.io  # noqa: PLC0415 - only those who keep a model pay for it

    header = {
        "format": _FORMAT,
        "onesided": model.version,
        "scikit-learn": sklearn.__version__,
        "method": model.method,
        "auc": model.auc,
        "n_positive": model.n_positive,
        "n_unlabeled": model.n_unlabeled,
        "n_learned": model.n_learned,
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
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file,
    ):
        schema = json.loads(given.read(_SCHEMA))
        numbers: dict[int, int] = {}
        parts: dict[str, str] = {}
        for node in _nodes(schema):
            if "__id__" in node:
                # Equal texts and numbers may be one object or several: that says nothing.
                known = node["__id__"] if node["__loader__"] != "JsonNode" else -len(numbers) - 1
                node["__id__"] = numbers.setdefault(known, len(numbers) + 1)
            if isinstance(node.get("file"), str):
                name = node["file"]
                node["file"] = parts.setdefault(name, f"{len(parts)}{Path(name).suffix}")
        if unknown := _rename(schema, _stable_names()):
            raise TableError(
                f"A model file may not hold a {unknown}.", "Use one of the methods of onesided."
            )
        for name, text in ((_HEADER, header), (_SCHEMA, schema)):
            _add(file, name, json.dumps(text, indent=1).encode())
        for old, new in parts.items():
            _add(file, new, given.read(old))
    return packed.getvalue()


def _add(file: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    file.writestr(entry, content)


def _write(content: bytes, path: Path) -> None:
    path.write_bytes(content)


def _unpacked(path: Path, file: zipfile.ZipFile, written: int) -> Pipeline:
    """The pipeline in an open model file of a format, once it is known that all its types may load.

    Parameters
    ----------
    path : of the file, for errors
    file : open
    written : the format that it was written in
    """
    import skops.io  # noqa: PLC0415 - only those who read a model pay for it

    schema = json.loads(file.read(_SCHEMA))
    if unknown := _rename(schema, _NAMES, _NAMES_OF_FORMAT_1 if written == 1 else {}):
        raise TableError(
            f"{str(path)!r} holds a {unknown}, which no model of onesided needs. It was not "
            "loaded, because it might run code.",
            "Pass a file that onesided fit --out wrote.",
        )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as renamed:
        for name in {*file.namelist()} - {_HEADER, _SCHEMA}:
            renamed.writestr(name, file.read(name))
        renamed.writestr(_SCHEMA, json.dumps(schema))
    trusted = sorted({place for places in _NAMES.values() for place in places.values()})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InconsistentVersionWarning)  # said once, for all its parts
        pipeline = skops.io.loads(packed.getvalue(), trusted=trusted)
    if not isinstance(pipeline, Pipeline) or list(pipeline.named_steps) != ["columns", "model"]:
        raise TypeError
    for part in _parts(pipeline, set()):
        _check_indices(part)
    return pipeline


def _nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """What skops makes objects of, wherever in its description of a pipeline."""
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
    """The names of `_NAMES`, by what skops calls the objects: the files that they are in today."""
    found: dict[str, dict[str, str]] = {}
    for kind, places in _NAMES.items():
        found[kind] = {}
        for name, place in places.items():
            module, _, attribute = place.rpartition(".")
            value = getattr(import_module(module), attribute)
            found[kind][f"{value.__module__}.{value.__qualname__}"] = name
    return found


def _rename(
    schema: Any, names: Mapping[str, Mapping[str, str]], older: Mapping[str, str] | None = None
) -> str:
    """Give all objects of a description other names; the first name that is not known ends it.

    Parameters
    ----------
    schema : changed in place
    names : for each way to load an object the names that it may have, and their new ones
    older : names that are replaced first

    Returns
    -------
    a name that a model file may not hold, empty if there is none
    """
    for node in _nodes(schema):
        name = f"{node.get('__module__')}.{node.get('__class__')}"
        known = names.get(node["__loader__"], {}).get((older or {}).get(name, name))
        if known is None:
            return name
        node["__module__"], _, node["__class__"] = known.rpartition(".")
    return ""


def _parts(part: Any, seen: set[int]) -> Iterator[Any]:
    """All objects that something is made of."""
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
    """Refuse what is larger than memory when it is unpacked, or has a name for other places."""
    sizes = {entry.filename: entry.file_size for entry in file.infolist()}
    texts = max(sizes.get(_HEADER, 0), sizes.get(_SCHEMA, 0))
    if sum(sizes.values()) > physical_memory() or texts > _MOST_TEXT:
        raise TableError(
            f"The model file {str(path)!r} unpacks to "
            f"{sum(sizes.values()) / 1000000000.0:,.1f} GB, which is more memory than a model "
            "needs or this machine has.",
            "Pass the file that onesided fit --out wrote.",
        )
    for name in file.namelist():
        if not _ENTRY.fullmatch(name):
            raise TableError(
                f"The model file {str(path)!r} holds {name!r}, which no model of onesided has.",
                "Pass the file that onesided fit --out wrote.",
            )


def _read_header(path: Path, file: zipfile.ZipFile) -> dict[str, Any]:
    """The header, if this version can read what is with it; a patch does not change the form."""
    if _HEADER not in file.namelist():
        raise TableError(
            f"{str(path)!r} is a zip file, but holds no model.",
            "Pass the file that onesided fit --out wrote.",
        )
    header = dict(json.loads(file.read(_HEADER)))
    if header.get("format", 1) > _FORMAT:
        raise TableError(
            f"{str(path)!r} has format {header['format']} of a model file; onesided {__version__} "
            f"reads formats up to {_FORMAT}.",
            "Update onesided, or learn the model again with this version.",
        )
    if _release(header["onesided"]) > _release(__version__):
        raise TableError(
            f"{str(path)!r} was written by onesided {header['onesided']}; this is {__version__}.",
            "Update onesided, or learn the model again with this version.",
        )
    return header


def _check_header(header: Mapping[str, Any]) -> None:
    """Refuse values of another type than they have, as a changed file may hold.

    Raises
    ------
    TypeError : then
    """
    counts = [header[name] for name in ("n_positive", "n_unlabeled", "n_learned")]
    auc = header["auc"]
    if not (
        isinstance(header["method"], str)
        and isinstance(header["scikit-learn"], str)
        and all(type(count) is int for count in counts)
        and (auc is None or isinstance(auc, float))
        and all(isinstance(part, str) for column in header["columns"] for part in column.values())
        and all(column.get("decimal", ".") in DECIMALS for column in header["columns"])
    ):
        raise TypeError


def _read_seen(header: Mapping[str, Any], columns: Sequence[ModelColumn]) -> tuple[SeenColumn, ...]:
    """What the columns and scores were; refuse what is of no column of the model.

    Raises
    ------
    ValueError, TypeError, KeyError : then
    """
    seen = tuple(SeenColumn.from_json(each) for each in header.get("seen", ()))
    known = {(column.name, column.role) for column in columns}
    if any((each.name, each.role) not in known | {("", "score")} for each in seen):
        raise ValueError
    return seen


def _read_scores(header: Mapping[str, Any]) -> tuple[float, ...]:
    """Scores of unlabeled rows; refuse what is no ascending list of numbers.

    Raises
    ------
    ValueError, TypeError : then
    """
    scores = tuple(map(float, header.get("unlabeled_scores", ())))
    if not np.isfinite(scores).all() or (np.diff(scores) < 0).any():
        raise ValueError
    return scores


def _release(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:2])


def _no_zip(path: Path, content: bytes) -> TableError:
    if content.startswith(b"PK"):
        return TableError(
            f"The model file {str(path)!r} is cut off or damaged.",
            "Copy it again, or write it again with onesided fit.",
        )
    return TableError(
        f"{str(path)!r} is not a model file: it starts with {content[:4]!r}.",
        "Pass the file that onesided fit --out wrote, and then the table: onesided score "
        "MODEL TABLE.",
    )
