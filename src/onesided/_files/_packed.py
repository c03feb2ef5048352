"""Unpack files; the first bytes of a file, not its name, show how it is compressed."""

from __future__ import annotations

import contextlib
import re
import zipfile
from importlib import import_module
from typing import TYPE_CHECKING, Any, Self

from onesided._files._arrow import pa
from onesided._text import first_line

if TYPE_CHECKING:
    from pathlib import Path

COMPRESSIONS = {
    ".gz": "gzip",
    ".bz2": "bz2",
    ".zst": "zstd",
    ".lz4": "lz4",
    ".xz": "xz",
    ".zip": "zip",
}
"""The compression for each ending of a file name."""
START_BYTES = 65_536
_UNPACKED_BYTES = 1 << 26
_SIGNATURES = {
    b"\x1f\x8b\x08": "gzip",
    **{b"BZh%d1AY&SY" % level: "bz2" for level in range(1, 10)},
    **{b"BZh%d\x17rE8P\x90" % level: "bz2" for level in range(1, 10)},  # of an empty file
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x04\x22\x4d\x18": "lz4",
    b"\xfd7zXZ\0": "xz",
}
_ZIP = b"PK\x03\x04"
_NO_MEMBER = re.compile(r"/$|^__MACOSX/|(^|/)\.[^/]*$")
FAULTS = (zipfile.BadZipFile, RuntimeError, NotImplementedError, ValueError)
_MODULES = {"gzip": "gzip", "bz2": "bz2", "xz": "lzma"}
"""Python modules that unpack; Arrow unpacks the other compressions, but not xz."""


def packing_of(path: Path) -> str:
    """The name of the compression of a file, by its first bytes; empty if it is not compressed."""
    with path.open("rb") as file:
        start = file.read(max(map(len, _SIGNATURES)))
    if start.startswith(_ZIP):
        return "zip" if len(zipped(path)) == 1 else ""
    return next((name for mark, name in _SIGNATURES.items() if start.startswith(mark)), "")


def zipped(path: Path) -> list[str]:
    """Names of the files in a zip archive, without the hidden files that a Mac adds."""
    with contextlib.suppress(OSError, *FAULTS), zipfile.ZipFile(path) as archive:
        return [each for each in archive.namelist() if not _NO_MEMBER.search(each)]
    return []


def opened(path: Path) -> pa.NativeFile:
    """A stream of the unpacked content."""
    packing = packing_of(path)
    if packing in {"xz", "zip"}:
        return pa.PythonFile(_unpacking(path, packing), mode="r")
    return pa.input_stream(str(path), compression=packing or None)


def content_of(path: Path) -> str | pa.BufferReader:
    """The source for Arrow's readers of binary files: the name, or the content if compressed."""
    if not packing_of(path):
        return str(path)
    with opened(path) as stream:
        return pa.BufferReader(stream.read())


def first_bytes(path: Path, n_bytes: int = START_BYTES) -> bytes:
    """The unpacked start of a file, as far as it can be unpacked.

    Arrow is loaded only if Python cannot unpack the file, since completion must be fast.
    """
    packing = packing_of(path)
    by_python = packing in {"", "zip", *_MODULES}
    start = b""
    with (
        contextlib.suppress(OSError),
        _unpacking(path, packing) if by_python else opened(path) as file,
    ):
        while len(start) < n_bytes and (block := file.read(min(n_bytes - len(start), 4096))):
            start += block
    return start


def unpacked_bytes(path: Path, enough: float) -> float:
    """Number of bytes of an unpacked file; counting stops above `enough`."""
    if not packing_of(path):
        return float(path.stat().st_size)
    n_bytes = 0
    with (
        contextlib.suppress(pa.ArrowException, OSError),  # the reader reports it later
        opened(path) as stream,
    ):
        while n_bytes <= enough and (content := stream.read(_UNPACKED_BYTES)):
            n_bytes += len(content)
    return float(n_bytes)


def _unpacking(path: Path, packing: str) -> Any:
    if packing == "zip":
        try:
            return _Unpacked(zipfile.ZipFile(path).open(zipped(path)[0]))
        except FAULTS as error:  # the archive needs a password, for example
            raise OSError(first_line(error)) from error
    return _Unpacked(import_module(_MODULES[packing]).open(path)) if packing else path.open("rb")


class _Unpacked:
    """A file opened by Python that raises only OSErrors, as Arrow's files do."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def read(self, n_bytes: int = -1) -> bytes:
        try:
            return bytes(self._file.read(n_bytes))
        except Exception as error:  # each module has its own errors
            raise OSError(first_line(error)) from error
