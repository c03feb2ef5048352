"""Recognize files that hold no table, such as pictures and archives, by their content."""

from __future__ import annotations

import codecs
import contextlib
import re
import zipfile
import zlib
from typing import TYPE_CHECKING

from onesided._files._packed import FAULTS, first_bytes, zipped
from onesided._text import counted
from onesided.exceptions import TableError

if TYPE_CHECKING:
    from pathlib import Path

_SAVE = "Save the table that it holds as CSV in UTF-8, and pass that file."
_UNPACK = "Unpack it, and pass one of its files, or the folder of the parts of one table."
_ARCHIVE, _DATA = "an archive", "a file of data of another program"
_SIGNATURES = {
    "a picture": (
        *(b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"II*\0", b"MM\0*", b"II+\0"),
        *(b"MM\0+", b"8BPS", b"\0\0\1\0", b"\0\0\0\x0cjP  ", b"\xff\x0a", b"qoif", b"AT&TFORM"),
    ),
    "a Word document": (b"\xdb\xa5-\0",),
    _ARCHIVE: (b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07", b"PK\5\6", b"!<arch>\n", b"MSCF\0\0\0\0"),
    "a recording of sound or video": (b"ID3", b"OggS", b"fLaC", b"\x1aE\xdf\xa3", b"FLV\1"),
    "a database": (b"SQLite format 3\0", b"\0\1\0\0Standard "),
    _DATA: (
        *(b"\x89HDF\r\n", b"CDF\1", b"CDF\2", b"\x93NUMPY", b"MATLAB 5.0", b"$FL2", b"$FL3"),
        *(b"<stata_dta>", b"RDX2\n", b"RDX3\n", b"X\n\0\0\0", b"Obj\1", b"ORC", b"\x80\4\x95"),
        *(b"\x80\5\x95", b"\x80\3}"),
    ),
    "a program": (b"\x7fELF", b"MZ\x90\0", b"\xca\xfe\xba\xbe", b"\xcf\xfa\xed\xfe"),
}
"""First bytes of binary files from which onesided reads no table."""
_TEXTS = {"a PDF": b"%PDF-", "a PostScript file": b"%!PS-", "a Word document": b"{\\rtf"}
"""First bytes of files that may be text files, but hold no text that a person wrote."""
_PICTURE, _TAR = b"WEBP", slice(257, 262)
_BY_KIND = {
    _PICTURE: "a picture",
    b"WAVE": "a recording of sound or video",
    b"AVI ": "a recording of sound or video",
    b"ustar": _ARCHIVE,
}
"""Kinds of files that begin with RIFF, by their bytes 8 to 12, and the mark of a tar archive."""
_PICTURE_BRANDS = (b"heic", b"heix", b"mif1", b"msf1", b"avif")
_IN_ZIP = {
    "word/": "a Word document",
    "ppt/": "a PowerPoint presentation",
    "Index/": "a document of Pages, Numbers or Keynote",
    "META-INF/container.xml": "an e-book",
    "META-INF/MANIFEST.MF": "a program",
}
"""Starts of the names of members that show which document a zip archive is."""
_OPEN_DOCUMENTS = {b"text": "a text document", b"presentation": "a presentation"} | {
    b"graphics": "a drawing"
}
_IN_OLE = {"WordDocument": "a Word document", "PowerPoint Document": "a PowerPoint presentation"}
_IS_BOOK = {"[Content_Types].xml", "mimetype"}
_OLE = b"\xd0\xcf\x11\xe0"
_MARKUP = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(!doctype html|html|svg)\b", re.IGNORECASE | re.DOTALL
)
_EXPORT = "Export the records again as RIS, in PubMed's format, as BibTeX or from EndNote."
_BEGIN = rb"(?:\xef\xbb\xbf)?\s*"
_RECORDS = {
    **{
        f"{what} records": re.compile(_BEGIN + rb"(?:" + start + rb")")
        for what, start in (
            ("Web of Science", rb"FN .+[\r\n]+\s*VR \d"),
            ("Cochrane", rb"Record #\d+ of \d+\s+ID: "),  # before TY they are records of RIS
            ("Ovid", rb"<\d+\. ?>\s|<\d+>\s|VN {1,2}- ?Ovid"),
        )
    },
    **{
        f"{what} records in XML": re.compile(
            _BEGIN
            + rb"(<\?[^>]*>\s*|<!--.*?-->\s*|<!DOCTYPE [^>\[]*>\s*)*<(\w+:)?("
            + root
            + rb")[\s>]",
            re.DOTALL,
        )
        for what, root in (
            ("PubMed", b"PubmedArticleSet|PubmedBookArticleSet|PubmedArticle"),
            ("MODS", b"modsCollection|mods"),
        )
    },
}
"""The start of files of reference records in formats that are not read."""
_MARKS_OF_UTF32 = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_UTF32 = re.compile(rb"([ -~]\0\0\0){2}|(\0\0\0[ -~]){2}")
_MOST_BYTES = 1 << 24  # of an old Office file that are searched for its kind


def refuse_foreign(path: Path, *, is_markup_text: bool = False) -> None:
    """Refuse a file that is certainly no table: a picture, a document or an archive, for example.

    Parameters
    ----------
    path : of the file
    is_markup_text : whether a web page is accepted, since its words can be read

    Raises
    ------
    TableError : if the file is certainly no table, or holds records in a format that is not read;
        the message names its kind
    """
    start = first_bytes(path)
    what = _zipped(path) or _ole(path, start) or _binary(start)
    if start.startswith(_MARKS_OF_UTF32) or _UTF32.match(start):
        raise TableError(
            f"{path.name!r} is text in UTF-32, an encoding that onesided does not read.",
            "Save the file in UTF-8.",
        )
    for records, begin in _RECORDS.items():
        if begin.match(start):
            raise TableError(
                f"{path.name!r} holds {records}, a format that onesided does not read.", _EXPORT
            )
    if what := what or ("" if is_markup_text else _markup(start)):
        is_packed = what.startswith(_ARCHIVE)
        raise TableError(f"{path.name!r} is {what}, not a table.", _UNPACK if is_packed else _SAVE)


def refuse_binary(path: Path) -> None:
    """Refuse a file that is neither text nor in a known format."""
    start = first_bytes(path)
    if b"\0" in start and not start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise TableError(
            f"{path.name!r} is neither text nor of a format that onesided reads: byte "
            f"{start.index(0):,} is zero.",
            _SAVE,
        )


def _binary(start: bytes) -> str:
    """The kind of a file that begins with these bytes; empty for text."""
    for what, signature in _TEXTS.items():
        if start.startswith(signature):
            return what
    if b"\0" not in start:  # a name of a column may begin as some of these files do
        return next(
            (
                what
                for what, signatures in _SIGNATURES.items()
                if any(start.startswith(each) and not each.isascii() for each in signatures)
            ),
            "",
        )
    kind = start[8:12]
    if start[4:8] == b"ftyp":
        kind = _PICTURE if kind in _PICTURE_BRANDS else b"WAVE"
    elif start.startswith(b"BM") and start[6:10] == b"\0\0\0\0":
        kind = _PICTURE
    elif not start.startswith(b"RIFF"):
        kind = start[_TAR]
    return _BY_KIND.get(kind) or next(
        (what for what, signatures in _SIGNATURES.items() if start.startswith(signatures)), ""
    )


def _markup(start: bytes) -> str:
    found = _MARKUP.match(start)
    return "" if found is None else "a picture" if found[1].lower() == b"svg" else "a web page"


def _zipped(path: Path) -> str:
    """The kind of a zip archive of several files; empty for a workbook and for any other file."""
    names = zipped(path)
    if len(names) < 2:  # noqa: PLR2004 - a table may be packed alone
        return ""
    for start, what in _IN_ZIP.items():
        if any(name.startswith(start) for name in names):
            return what
    if "mimetype" in names:
        kind = b""
        with (
            contextlib.suppress(*FAULTS, zlib.error, EOFError),  # its reader says what is wrong
            zipfile.ZipFile(path) as archive,
            archive.open("mimetype") as file,
        ):
            kind = file.read(200).strip().rpartition(b".")[2].removesuffix(b"-template")
        return _OPEN_DOCUMENTS.get(kind, "")
    return "" if _IS_BOOK.intersection(names) else f"{_ARCHIVE} of {counted(len(names), 'file')}"


def _ole(path: Path, start: bytes) -> str:
    """The kind of a file of an old Office program; empty for a workbook and for any other file."""
    if not start.startswith(_OLE):
        return ""
    content = first_bytes(path, _MOST_BYTES)
    names = (what for name, what in _IN_OLE.items() if name.encode("utf-16-le") in content)
    return next(names, "")
