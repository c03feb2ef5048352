"""Files of fitted rankers; reading a file cannot run code."""

from __future__ import annotations

import hashlib
import io
import json
import re
import warnings
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import sklearn
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import Pipeline

from onesided import __version__
from onesided._files._dates import with_months, with_words
from onesided._files._find import as_path
from onesided._files._memory import available_memory
from onesided._files._notation import DECIMALS
from onesided._files._wanted import ModelColumn, wanted_type
from onesided._text import counted
from onesided._typing import Floats
from onesided._validation import check_object
from onesided.exceptions import OnesidedWarning, TableError
from onesided.metrics import rank_shares
from onesided.model_selection import Comparison, RankAverage
from onesided.model_selection._estimators import last_step
from onesided.prior._facts import LIMITS
from onesided.scoring._alerts import Alerts, KeptPosterior
from onesided.scoring._drift import Counted, SeenColumn
from onesided.scoring._model_nodes import NodeReader, NodeWriter, UnknownPartError
from onesided.scoring._model_parts import PartError
from onesided.tables import write_files
from onesided.tables._model_columns import ColumnRole

MODEL_ENDING = ".onesided"
_HEADER, _SCHEMA = "onesided.json", "schema.json"
_TEXT_IN_MEMORY = 20  # largest number of bytes in memory for one byte of JSON
_ENTRY = re.compile(r"\w[\w.-]*")
_MOST_QUANTILES, _DIGITS, _MOST_NAMED = 1000, 4, 5
_PLAIN = ("method", "auc", "n_positive", "n_unlabeled", "n_learned")
_KEPT: dict[str, Any] = {"alerts": Alerts, "posterior": KeptPosterior}
"""Attributes of a model that explain scores; models of older versions do not have them."""
_SAVED = "Pass a file that holds a saved model."
_FORMAT = 3
_MOST_ROWS = 1 << 53
_ENCRYPTED = 1


@dataclass(frozen=True, repr=False)
class Model:
    """A fitted ranker, with all that is needed to score a table.

    Attributes
    ----------
    pipeline : pipeline that turns the columns of a table into scores, with the steps "columns" and
        "model"; or an average of such pipelines
    method : title of the method
    columns : columns of the table and their roles, in the order of the table
    n_positive, n_unlabeled : number of positive and of unlabeled rows of this table
    n_learned : number of rows that the model learned from
    auc : hidden-positive AUC of the method; None if it was not measured
    seen : the values of the columns and the scores in the rows learned from, counted in bins; empty
        in a model of an older version
    unlabeled_scores : ascending scores of the unlabeled rows that were read, or a thousand
        quantiles of these scores; empty in a model of an older version. If the model keeps alerts
        or probabilities, each row was scored by a model that did not learn from it
    missing : cells that mean a missing value in this table, beside NA and the like, which mean a
        missing value in every table
    alerts : the threshold of scores that raise an alert; None if no rate of alerts was asked for
    posterior : turns a score into a probability of being positive; None if no probability was asked
        for, or it is not known
    version : version of onesided that fitted the model
    path : file that the model was read from; None if it was not read from a file
    digest : SHA-256 of this file; empty without a file
    comparison : how the methods compare; None for a model from a file and for a single method
    notes : warnings from the fit of the model
    not_compared : why scores of later tables cannot be compared; empty if they can be compared

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> known = np.arange(300) < 60
    >>> size = (rng.normal(size=300) + 2 * known).round(3)
    >>> table = pd.DataFrame({"size": size, "known": known})
    >>> from onesided.scoring import fit_table, score_table
    >>> model = fit_table(table, "known", methods=["naive-bayes"])
    >>> model.method
    'naive Bayes'
    >>> model.shares_below(np.array([-100.0, 100.0])).tolist()
    [0.0, 1.0]
    """

    pipeline: Pipeline | RankAverage
    method: str
    columns: tuple[ModelColumn, ...]
    n_positive: int
    n_unlabeled: int
    n_learned: int
    auc: float | None = None
    seen: tuple[SeenColumn, ...] = ()
    unlabeled_scores: tuple[float, ...] = ()
    missing: tuple[str, ...] = ()
    alerts: Alerts | None = None
    posterior: KeptPosterior | None = None
    version: str = __version__
    path: Path | None = field(default=None, compare=False)
    digest: str = ""
    comparison: Comparison | None = field(default=None, compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)
    not_compared: str = field(default="", compare=False)

    def __str__(self) -> str:
        auc = "" if self.auc is None else f", hidden-positive AUC {self.auc:.3f}"
        return f"{self.method}, learned from {counted(self.n_learned, 'row')}{auc}"

    def __repr__(self) -> str:
        """Three lines: the method, the rows and the columns that the model learned from."""
        names = [column.name for column in self.features]
        more = f" and {len(names) - _MOST_NAMED:,} more" * (len(names) > _MOST_NAMED)
        return (
            f"Model: {self}\n"
            f"  table: {self.n_positive:,} positive and "
            f"{counted(self.n_unlabeled, 'unlabeled row')}\n"
            f"  features: {', '.join(names[:_MOST_NAMED])}{more}"
        )

    @property
    def features(self) -> list[ModelColumn]:
        """The columns that the pipeline uses, in the order of the table."""
        used = ("number", "category", "date", "text", "sparse")
        return [column for column in self.columns if column.role in used]

    @cached_property
    def _words(self) -> dict[str, CountVectorizer]:
        """What finds the words that the model knows in each column of text."""
        found: dict[str, CountVectorizer] = {}
        average = isinstance(self.pipeline, RankAverage)
        for pipeline in self.pipeline.estimators_ if average else [self.pipeline]:
            for _, transformer, names in pipeline["columns"].transformers_:
                if isinstance(words := last_step(transformer), CountVectorizer):
                    found |= dict.fromkeys([names] if isinstance(names, str) else names, words)
        return found

    def count(self, batch: pa.RecordBatch, scores: Floats) -> Counted:
        """Count the rows of a batch, whose scores have shape (n_rows,), in the bins of `seen`."""
        return Counted.of(self.seen, batch, scores, self._words)

    def as_features(self, rows: pa.Table) -> pa.Table:
        """The input of the pipeline: the columns of the table, and the months of dates."""
        dates, categories = (
            [each.name for each in self.features if each.role == role]
            for role in ("date", "category")
        )
        return with_months(with_words(rows, categories), dates)

    def facts(self) -> dict[str, Any]:
        """The method and the rows that the model learned from, as plain numbers and text."""
        hidden = {} if self.comparison is None else self.comparison.hidden
        return {
            "method": self.method,
            "auc": self.auc,
            "methods": [{"name": name, "auc": float(each.auc)} for name, each in hidden.items()],
            "n_positive": self.n_positive,
            "n_unlabeled": self.n_unlabeled,
            "n_learned": self.n_learned,
            "columns": [{"name": each.name, "role": each.role} for each in self.columns],
            "alerts": None if self.alerts is None else asdict(self.alerts),
            **dict.fromkeys(("class_prior", LIMITS["class_prior"])),
            **({} if self.posterior is None else self.posterior.facts()),
        }

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model into a file, as `save_model` does."""
        save_model(self, path)

    def shares_below(self, scores: Floats) -> Floats:
        """Share of the unlabeled rows of the fit that have a lower score; ties count half.

        The model needs `unlabeled_scores`. Shares are rounded to four digits. The scores and the
        shares have shape (n_rows,).
        """
        lower = rank_shares(-scores, -np.array(self.unlabeled_scores))
        return np.asarray(lower.round(_DIGITS))

    def name_of(self, role: ColumnRole) -> str:
        """Name of the only column of a role; empty if no column has this role."""
        return next((column.name for column in self.columns if column.role == role), "")


def score_quantiles(scores: Floats) -> tuple[float, ...]:
    """The ascending scores of unlabeled rows for a model: all, or a thousand quantiles of them."""
    if len(scores) > _MOST_QUANTILES:
        at = (np.arange(_MOST_QUANTILES) + 0.5) / _MOST_QUANTILES
        scores = np.quantile(scores, at, method="inverted_cdf")
    return tuple(np.sort(scores).tolist())


def save_model(model: Model, path: str | PathLike[str]) -> None:
    """Write a model into a file; the same model and the same libraries give the same bytes.

    Parameters
    ----------
    model : the model
    path : path of the file; an interrupted call leaves no partial file

    Raises
    ------
    TableError : if the file cannot be written, or the model holds a type that model files must not
        hold

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> known = np.arange(300) < 60
    >>> size = (rng.normal(size=300) + 2 * known).round(3)
    >>> table = pd.DataFrame({"size": size, "known": known})
    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = Path(tempfile.mkdtemp())
    >>> table.to_csv(folder / "sizes.csv", index=False)
    >>> from onesided.scoring import fit_table, load_model, save_model
    >>> save_model(fit_table(table, "known", methods=["naive-bayes"]), folder / "sizes.onesided")
    >>> load_model(folder / "sizes.onesided").method
    'naive Bayes'
    """
    check_object(model, "model", Model, by="onesided.scoring.fit_table")
    content = _packed(model)

    def write(target: Path) -> None:
        target.write_bytes(content)

    write_files({as_path(path, "path"): write})


def load_model(path: str | PathLike[str]) -> Model:
    """Read a model from its file, which may come from someone else: no code of the file runs.

    Each part of the file is checked before the part is built: its class, its parameters, and the
    type, shape and range of its numbers. This check cannot tell whether someone changed numbers
    within their range.

    Parameters
    ----------
    path : path of a file that `save_model` wrote

    Raises
    ------
    TableError : if the file is not a model, is damaged, is of a newer version, or holds parts that
        no fit makes

    Warns
    -----
    OnesidedWarning : if another version of scikit-learn wrote the file

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> known = np.arange(300) < 60
    >>> size = (rng.normal(size=300) + 2 * known).round(3)
    >>> table = pd.DataFrame({"size": size, "known": known})
    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = Path(tempfile.mkdtemp())
    >>> table.to_csv(folder / "sizes.csv", index=False)
    >>> from onesided.scoring import fit_table, load_model
    >>> fit_table(table, "known", methods=["naive-bayes"]).save(folder / "sizes.onesided")
    >>> model = load_model(folder / "sizes.onesided")
    >>> model.method, model.features
    ('naive Bayes', [ModelColumn(name='size', role='number', type='double', decimal='', unit='')])
    """
    path = as_path(path, "path")
    if not path.is_file():
        raise TableError(
            f"There is no model file {str(path)!r}.",
            "Learn a model from a table, save it, and pass the path of its file.",
        )
    _check_size(path, path.stat().st_size)
    content = path.read_bytes()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            entries = _read_entries(path, file)
        header = _read_header(path, entries)
        pipeline = _read_pipeline(entries, header.get("format", 1))
        model = _model_of(header, pipeline, path.resolve(), hashlib.sha256(content).hexdigest())
        _try_out(model)
    except TableError:
        raise
    except zipfile.BadZipFile as error:
        raise _no_zip(path, content) from error
    except UnknownPartError as error:
        raise TableError(
            f"{str(path)!r} holds a {error}, which no model of onesided needs. It was not "
            "loaded, because it might run code.",
            _SAVED,
        ) from error
    except PartError as error:
        raise TableError(
            f"The model file {str(path)!r} is damaged: {error} does not fit the rest of the model.",
            "Learn and save the model again.",
        ) from error
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


def check_can_save(pipelines: Iterable[Pipeline]) -> None:
    """Raise an error before a fit if no model file may hold one of the pipelines.

    Parameters
    ----------
    pipelines : pipelines that are not yet fitted

    Raises
    ------
    TableError : if a pipeline holds a type that model files must not hold

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from onesided import WeightedLogisticRegression
    >>> from onesided.scoring import check_can_save
    >>> check_can_save([make_pipeline(StandardScaler(), WeightedLogisticRegression())])
    """
    for pipeline in pipelines:
        _described(pipeline)


def digest_of(model: Model) -> str:
    """SHA-256 of the file of a model, or of the file that `save_model` would write."""
    return model.digest or hashlib.sha256(_packed(model)).hexdigest()


def _packed(model: Model) -> bytes:
    """The bytes of a model file: a zip of a header, the description of the pipeline, and arrays."""
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
        **({"missing": model.missing} if model.missing else {}),
        **{name: asdict(kept) for name in _KEPT if (kept := getattr(model, name)) is not None},
    }
    schema, arrays = _described(model.pipeline)
    texts = {_HEADER: header, _SCHEMA: schema}
    contents = {name: json.dumps(text, indent=1).encode() for name, text in texts.items()}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        for name, content in (contents | arrays).items():
            file.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _described(pipeline: Pipeline | RankAverage) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The description of a pipeline, and the files of its arrays.

    Raises
    ------
    TableError : if the pipeline holds a part that model files must not hold
    """
    writer = NodeWriter()
    try:
        return writer.write(pipeline), writer.files
    except UnknownPartError as error:
        raise TableError(
            f"A model file may not hold {str(error)!r}.",
            "Use one of the methods of onesided. Other methods can rank a table, which keeps no "
            "model.",
        ) from error
    except PartError as error:
        raise TableError(
            f"A model file cannot hold {error}, because onesided does not set such a value.",
            "Use one of the methods of onesided without changes to its parts.",
        ) from error


def _check_size(path: Path, size: float) -> None:
    """Raise an error if a file needs more memory than the machine has."""
    if size > available_memory():
        raise TableError(
            f"The model file {str(path)!r} unpacks to {size / 1e9:,.1f} GB, which is more memory "
            "than a model needs or this machine has.",
            _SAVED,
        )


def _read_entries(path: Path, file: zipfile.ZipFile) -> dict[str, bytes]:
    """The content of each entry of the zip file.

    Entries that no model file has cause an error before anything is unpacked.
    """
    entries = {entry.filename: entry for entry in file.infolist()}
    for name, entry in entries.items():
        is_usual = entry.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        if not (_ENTRY.fullmatch(name) and is_usual) or entry.flag_bits & _ENCRYPTED:
            raise TableError(
                f"The model file {str(path)!r} holds {name!r}, which no model of onesided has.",
                _SAVED,
            )
    if len(entries) < len(file.infolist()):
        raise zipfile.BadZipFile
    texts = sum(entries[name].file_size for name in (_HEADER, _SCHEMA) if name in entries)
    sizes = sum(entry.file_size for entry in entries.values())
    _check_size(path, sizes + _TEXT_IN_MEMORY * texts)
    contents = {}
    for name, entry in entries.items():
        # A file may state a wrong size, so no more bytes than stated are unpacked.
        with file.open(entry) as part:
            contents[name] = part.read(entry.file_size)
        if len(contents[name]) != entry.file_size:
            raise zipfile.BadZipFile
    return contents


def _read_header(path: Path, entries: Mapping[str, bytes]) -> dict[str, Any]:
    """The header of a model file.

    Raises
    ------
    TableError : if a newer version wrote the file; patch releases do not count, because they do
        not change the format
    """
    if _HEADER not in entries:
        raise TableError(f"{str(path)!r} is a zip file, but holds no model.", _SAVED)
    header = dict(json.loads(entries[_HEADER]))
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


def _read_pipeline(entries: Mapping[str, bytes], version: int) -> Pipeline | RankAverage:
    """The pipeline of a model file, made of checked parts.

    Format 1 names objects by their private modules of that time. Formats 1 and 2 also hold values
    that can be computed from the others.

    Parameters
    ----------
    entries : content of each entry of the file
    version : number of the format
    """
    schema = json.loads(entries[_SCHEMA])
    pipeline = NodeReader(entries.__getitem__, is_old=version == 1).make(schema)
    members = pipeline.estimators_ if isinstance(pipeline, RankAverage) else [pipeline]
    for each in members:
        if not isinstance(each, Pipeline) or list(each.named_steps) != ["columns", "model"]:
            raise TypeError
    return pipeline


def _try_out(model: Model) -> None:
    """Score two rows, so that parts that do not fit together cause an error before the work."""
    rows = {column.name: _cells(column) for column in model.features}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        scores = model.pipeline.decision_function(model.as_features(pa.table(rows)))
    if scores.shape != (2,):
        raise ValueError


def _cells(column: ModelColumn) -> pa.Array:
    """Two cells for a trial: a missing cell and a present cell, of the type that a model reads."""
    kind = wanted_type(column)
    if column.role == "sparse":
        return pa.array([None, [(0, 1.0)]], kind)
    one = pa.array([1], kind) if pa.types.is_integer(kind) else pa.array(["1"])
    try:
        return pa.concat_arrays([pa.nulls(1, kind), one.cast(kind)])
    except pa.ArrowException:
        return pa.nulls(2, kind)


def _model_of(
    header: Mapping[str, Any], pipeline: Pipeline | RankAverage, path: Path, digest: str
) -> Model:
    """The model that a header and a pipeline describe.

    Any error means that the file was changed, and that a value has a wrong type or range.
    """
    columns = tuple(ModelColumn(**column) for column in header["columns"])
    seen = tuple(SeenColumn.from_json(each) for each in header.get("seen", ()))
    scores = tuple(map(float, header.get("unlabeled_scores", ())))
    plain = {name: header[name] for name in _PLAIN}
    kept = {name: kind.from_json(header[name]) for name, kind in _KEPT.items() if name in header}
    model = Model(
        pipeline,
        columns=columns,
        seen=seen,
        unlabeled_scores=scores,
        missing=tuple(header.get("missing", ())),
        version=header["onesided"],
        path=path,
        digest=digest,
        **plain,
        **kept,
    )
    features = [(each.name, each.role) for each in model.features]
    if not (
        all(isinstance(header[name], str) for name in ("method", "onesided", "scikit-learn"))
        and all(
            type(plain[name]) is int and 0 < plain[name] < _MOST_ROWS
            for name in _PLAIN
            if name.startswith("n_")
        )
        and (model.auc is None or (isinstance(model.auc, float) and 0 <= model.auc <= 1))
        and all(isinstance(part, str) for column in header["columns"] for part in column.values())
        and all(column.decimal in ("", *DECIMALS) for column in columns)
        and all(each.unit in ("", "day", "month") for each in columns if each.role == "date")
        and len({column.name for column in columns}) == len(columns)
        and [(each.name, each.role) for each in seen] in ([], features, [*features, ("", "score")])
        and np.isfinite(scores).all()
        and (np.diff(scores) >= 0).all()
        and all(isinstance(each, str) for each in model.missing)
    ):
        raise ValueError
    return model


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
