"""The encoding of a text file, and its content as UTF-8."""

from __future__ import annotations

import codecs
import contextlib
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from onesided._files._arrow import np
from onesided._files._foreign import refuse_foreign
from onesided._files._packed import opened
from onesided._text import counted_of, first_line
from onesided.exceptions import OnesidedWarning, TableError

if TYPE_CHECKING:
    import pyarrow as pa

UTF8 = "utf-8"
_WINDOWS = "cp1252"  # used by Excel in western Europe; 32 characters differ from Latin-1
_BLOCK_BYTES = 1 << 20
_MARKS_OF_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_NO_LETTERS = bytes([0x81, 0x8D, 0x8F, 0x90, 0x9D])  # bytes that Windows-1252 does not define

_HIGH = bytes(range(128, 256))
_SIDE_BY_SIDE = re.compile(rb"[\x80-\xff]{3,}")
_FEWEST, _MOST = 6, 0.6  # limits of `_are_foreign`: non-ASCII bytes, their share in runs
_OTHERS = "GB18030, Big5, Shift_JIS, EUC-JP, EUC-KR, KOI8-R or Windows-1251"
_CONVERT = (
    "Save the file in UTF-8, which Excel calls 'CSV UTF-8', or convert it from the encoding "
    "that it has, for example by iconv -f GB18030 -t UTF-8."
)

ENCODINGS = {_WINDOWS: "Windows-1252", "utf-16": "UTF-16"}
"""Names in messages of the encodings other than UTF-8."""


def encoding_of(path: Path) -> str:
    """The encoding of a whole file: UTF-8, UTF-16 with its mark, or else Windows-1252.

    The file is read to its end, since the first byte that is not UTF-8 may come late.
    """
    blocks = _blocks_of(path)
    first = next(blocks, b"")
    if utf16_decoder(first):
        _check_utf16(path, chain([first], blocks, [b""]))
        return "utf-16"
    decoder = codecs.getincrementaldecoder(UTF8)()
    n_lines, plain = 0, True
    for block in chain([first], blocks, [b""]):
        try:
            if not block.isascii() or decoder.getstate()[0]:
                plain &= decoder.decode(block, final=not block).isascii()
        except UnicodeDecodeError as error:
            good, found = error.object[: error.start], error.object[error.start]
            if plain and not _is_mostly_utf8(error.object):
                _check_windows(path, n_lines, chain([error.object], blocks))
                return _WINDOWS
            line = n_lines + good.count(b"\n") + 1
            raise TableError(
                f"Line {line:,} of {path.name!r} is not UTF-8 text, although earlier letters "
                f"of the file are: byte {found:#x}.",
                "Correct the line, or save the file again as UTF-8.",
            ) from error
        n_lines += block.count(b"\n")
    return UTF8


def open_text(path: Path, encoding: str) -> pa.NativeFile:
    """A stream of the unpacked content as UTF-8."""
    import pyarrow as pa  # noqa: PLC0415 - only file sources pay for it

    stream = opened(path)
    return stream if encoding == UTF8 else pa.transcoding_input_stream(stream, encoding, UTF8)


def not_utf8(what: str, encoding: str, form: str = "csv") -> str:
    """The note on files in another encoding; `what` ends in "is" or "are".

    Parameters
    ----------
    what : names the files, and ends in "is" or "are"
    encoding : in which they were read
    form : name of their format
    """
    mend = "'CSV UTF-8'" if form == "csv" else f"{form.upper()} in UTF-8"
    return (
        f"{what} not UTF-8 and was read as {ENCODINGS[encoding]}. If letters look wrong, save "
        f"{'it' if what.endswith('is') else 'them'} as {mend}."
    )


def utf16_decoder(start: bytes) -> codecs.IncrementalDecoder | None:
    """A decoder that replaces faulty bytes; None if the stream does not start as UTF-16 does."""
    is_utf16 = start.startswith(_MARKS_OF_UTF16)
    return codecs.getincrementaldecoder("utf-16")("replace") if is_utf16 else None


def decoded(line: bytes) -> tuple[str, str]:
    """The text of one line and its encoding; bytes that are not letters are replaced."""
    try:
        return line.decode(UTF8), UTF8
    except UnicodeDecodeError:
        return line.decode(_WINDOWS, errors="replace"), _WINDOWS


def lines_of(start: bytes, *, is_cut: bool) -> str:
    """The start of a file as text, without an incomplete last line; empty if it is not text."""
    decoder = utf16_decoder(start)
    if decoder is None and b"\0" in start:
        return ""
    if is_cut and decoder is None:
        start = start[: start.rfind(b"\n") + 1] or start
    text = decoder.decode(start) if decoder else decoded(start)[0]
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def read_texts(paths: Sequence[Path]) -> list[str]:
    """The text of each file; a file with zero bytes is refused."""
    texts, foreign = [], []
    for path in paths:
        text, encoding = decoded(content := _read_bytes(path))
        texts.append(text.removeprefix("\ufeff"))
        if encoding != UTF8 and is_foreign(content):
            foreign.append(path.name)
    if foreign:
        warnings.warn(
            f"{counted_of(len(foreign), len(paths), 'text file')} neither UTF-8 nor Windows-1252 "
            f"text but perhaps {_OTHERS}, {foreign[0]!r} for example. Such a file was read as "
            "Windows-1252, so its words are wrong; convert it to UTF-8.",
            OnesidedWarning,
            stacklevel=2,
        )
    return texts


def _read_bytes(path: Path) -> bytes:
    """The unpacked content of a file of text."""
    refuse_foreign(path, is_markup_text=True)
    try:
        with opened(path) as stream:
            content: bytes = stream.read()
    except OSError as error:
        raise TableError(
            f"{str(path)!r} cannot be read: {first_line(error)}.",
            "Check that the file is complete.",
        ) from error
    if b"\0" in content:
        raise TableError(
            f"{str(path)!r} is not a text file: it contains a zero byte.",
            "Remove the file from the folder, or save it as plain text.",
        )
    return content


def _blocks_of(path: Path) -> Iterator[bytes]:
    with (
        contextlib.suppress(OSError),
        open_text(path, UTF8) as stream,
    ):  # the reader reports it later
        while block := stream.read(_BLOCK_BYTES):
            yield block


def _check_utf16(path: Path, blocks: Iterable[bytes]) -> None:
    """Refuse a file that is not UTF-16 to its end; the last block is empty."""
    decoder = codecs.getincrementaldecoder("utf-16")()
    try:
        for block in blocks:
            decoder.decode(block, final=not block)
    except UnicodeError as error:
        raise TableError(
            f"{path.name!r} begins as UTF-16 text, but not all of the file is: {error}.",
            "Check that the file is complete, or save it in UTF-8.",
        ) from error


def _check_windows(path: Path, n_lines: int, blocks: Iterable[bytes]) -> None:
    """Refuse bytes that are not letters in Windows-1252; `n_lines` lines came before the blocks."""
    found = np.zeros(2, dtype=np.int64)
    for block in blocks:
        if len(block.translate(None, _NO_LETTERS)) < len(block):
            place = next(at for at, byte in enumerate(block) if byte in _NO_LETTERS)
            line = n_lines + block.count(b"\n", 0, place) + 1
            raise TableError(
                f"Line {line:,} of {path.name!r} is neither UTF-8 nor Windows-1252 text: byte "
                f"{block[place]:#x}.",
                _CONVERT,
            )
        n_lines += block.count(b"\n")
        found += _count_high(block)
    if _are_foreign(*found):
        raise not_windows(repr(path.name))


def _is_mostly_utf8(content: bytes) -> bool:
    """Whether at least half of the characters beyond ASCII are UTF-8."""
    text = content.decode(UTF8, "replace")
    n_bad = text.count("\ufffd")
    return len(text) - len(text.encode("ascii", "ignore")) >= 2 * n_bad


def _count_high(content: bytes) -> tuple[int, int]:
    """Number of bytes beyond ASCII, and number of these bytes in runs of three or more."""
    n_high = len(content) - len(content.translate(None, _HIGH))
    return n_high, sum(map(len, _SIDE_BY_SIDE.findall(content))) if n_high else 0


def _are_foreign(n_high: int, n_side_by_side: int) -> bool:
    return n_high >= _FEWEST and n_side_by_side > _MOST * n_high


def is_foreign(content: bytes) -> bool:
    """Whether text that is not UTF-8 is not Windows-1252 either.

    In languages that are written in Windows-1252, most letters beyond ASCII stand alone.
    """
    return _are_foreign(*_count_high(content))


def not_windows(what: str) -> TableError:
    """The error for text in an unknown encoding."""
    return TableError(
        f"{what} is neither UTF-8 nor Windows-1252 text: most letters beyond ASCII stand side by "
        f"side, as in {_OTHERS}.",
        _CONVERT,
    )
