"""The config file, which records a run so that the run can be repeated."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from onesided import __version__
from onesided.exceptions import TableError
from onesided.formats import read_json

ENDING = ".json"


@dataclass(frozen=True)
class Config:
    """A recorded run.

    Attributes
    ----------
    version : version of onesided that ran
    verb : name of the command
    options : values of the options, by the name that a person types, without dashes
    inputs : SHA-256 of each input, by its path
    """

    version: str
    verb: str
    options: Mapping[str, Any]
    inputs: Mapping[str, str]

    def as_text(self) -> str:
        """Return the content of the config file, as JSON."""
        content = {
            "onesided": self.version,
            "verb": self.verb,
            "options": dict(self.options),
            "inputs": dict(self.inputs),
        }
        return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def differences(self, inputs: Mapping[str, str]) -> Iterator[str]:
        """Yield a sentence for each difference between the recorded run and this run.

        Inputs that only one of the runs has are not compared.

        Parameters
        ----------
        inputs : SHA-256 of each input of this run, by its path
        """
        if self.version != __version__:
            yield (
                f"The run was saved by onesided {self.version}, but this is onesided {__version__}."
            )
        for path, digest in inputs.items():
            if self.inputs.get(path, digest) != digest:
                yield f"The content of the input {path!r} has changed since the run was saved."


def read_config(path: Path, verb: str, kinds: Mapping[str, type]) -> Config:
    """Read a config file of a command, which `Config.as_text` or a person wrote.

    Parameters
    ----------
    path : path of the file
    verb : name of the command
    kinds : for each option of the command, `list`, `bool` for a switch, or `str` for one value

    Raises
    ------
    TableError : if the file cannot be read, or does not fit this command
    """
    mend = "Correct the file, or write it again with --save-config FILE."
    content = read_json(path, "The config file", mend)
    options = _part(path, content, "options", Mapping)
    named = _part(path, content, "verb", str)
    if named != verb:
        raise TableError(
            f"The config file {str(path)!r} was saved by onesided {named}, not by onesided {verb}.",
            f"Run onesided {named}, or pass a config file that onesided {verb} saved.",
        )
    for name, value in options.items():
        if name not in kinds:
            near = get_close_matches(name, kinds, n=1)
            raise TableError(
                f"The config file {str(path)!r} has the option {name!r}, which onesided "
                f"{verb} does not have.",
                f"Did you mean {near[0]!r}?" if near else "Remove this option.",
            )
        _check_value(path, name, value, kinds[name])
    inputs = _part(path, content, "inputs", Mapping)
    return Config(_part(path, content, "onesided", str), named, options, inputs)


def _part(path: Path, content: Any, name: str, kind: type) -> Any:
    found = content.get(name) if isinstance(content, Mapping) else None
    if not isinstance(found, kind):
        raise TableError(
            f"The config file {str(path)!r} has no entry {name!r} in the form that "
            "--save-config writes.",
            "Write the config file again with --save-config FILE.",
        )
    return found


def _check_value(path: Path, name: str, value: Any, kind: type) -> None:
    """Raise an error if a person could not type this value for an option of this kind."""
    values = value if kind is list and isinstance(value, list) else [value]
    is_one = isinstance(value, list) == (kind is list)
    allowed = bool if kind is bool else (str, int, float)
    is_typed = all(
        isinstance(each, allowed) and isinstance(each, bool) == (kind is bool) for each in values
    )
    if value is not None and not (is_one and is_typed):
        form = {list: "a list", bool: "true or false"}.get(kind, "a text or a number")
        raise TableError(
            f"The config file {str(path)!r} sets {name!r} to {json.dumps(value):.60}.",
            f"Write {form}, or null for the default.",
        )


def as_typed(value: Any) -> Any:
    """Return a value as the text that a person types; switches stay True or False."""
    if isinstance(value, list):
        return [str(each) for each in value]
    return value if isinstance(value, bool) else str(value)


def digests(paths: Sequence[Path]) -> dict[str, str]:
    """Return the SHA-256 of each file or folder that exists, by its path."""
    return {str(path): _digest(path) for path in paths if path.exists()}


def _digest(path: Path) -> str:
    import hashlib  # noqa: PLC0415 - help does not pay for it

    if not path.is_dir():
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    of_all = hashlib.sha256()
    for name in sorted(each.relative_to(path) for each in path.rglob("*") if each.is_file()):
        if not any(part.startswith(".") for part in name.parts):
            line = f"{_digest(path / name)}  {name.as_posix()}\n"  # the format of sha256sum
            of_all.update(line.encode())
    return of_all.hexdigest()
