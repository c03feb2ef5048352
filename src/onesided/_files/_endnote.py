"""The records of EndNote: its tagged format (.enw) and its XML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from onesided._files._extra import load_extra
from onesided._files._pieces import ZERO_BYTE, Piece
from onesided._text import first_line
from onesided.exceptions import TableError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_TAG = re.compile(r"%([0-9A-Z?@!#$^&*()+~<>|=\[\]]) ?(.*)")
_TAGS = {
    "0": "type",
    "A": "authors",
    "B": "secondary_title",
    "D": "year",
    "F": "key",
    "J": "journal",
    "K": "keywords",
    "M": "accession_number",
    "P": "pages",
    "R": "doi",
    "T": "title",
    "U": "urls",
    "V": "volume",
    "N": "number",
    "X": "abstract",
    "Z": "notes",
    "8": "date",
    "G": "language",
    "I": "publisher",
    "@": "issn",
    "~": "name_of_database",
}
_LISTS = ("authors", "keywords", "urls", "notes")
_IN_XML = {
    "contributors/authors/author": "authors",
    "titles/title": "title",
    "titles/secondary-title": "secondary_title",
    "periodical/full-title": "journal",
    "keywords/keyword": "keywords",
    "dates/year": "year",
    "abstract": "abstract",
    "electronic-resource-num": "doi",
    "accession-num": "accession_number",
    "remote-database-name": "name_of_database",
    "urls/related-urls/url": "urls",
    "notes": "notes",
    "research-notes": "research_notes",
    "volume": "volume",
    "number": "number",
    "pages": "pages",
    "language": "language",
    "publisher": "publisher",
    "isbn": "issn",
}
"""The name of the field for each place of a text in an XML record."""


def endnote_records(text: str) -> list[Piece]:
    """The records of a file of EndNote's tagged format; a record begins with %0.

    Lines after an empty line belong to the same record, unless they give a second title: they are
    then a record that does not begin as it must.
    """
    found: list[Piece] = []
    for number, lines in _sections(text):
        first, names = lines[0][0], [name for name, _ in lines]
        is_second = "title" in names and (not found or "title" in found[-1].fields)
        if first == "type" or is_second:
            why = "" if first == "type" else "it does not start with a line '%0'"
            found.append(Piece(number, why=why))
        if not found:
            continue
        for name, line in lines:
            found[-1].fields.setdefault(name, []).append(line)
        if any("\0" in line for _, line in lines):
            found[-1].why = found[-1].why or ZERO_BYTE
    for piece in found:
        piece.fields = {
            name: parts if name in _LISTS else " ".join(parts)
            for name, parts in piece.fields.items()
        }
        piece.name = piece.fields.get("key", "")
    return found


def _sections(text: str) -> Iterator[tuple[int, list[tuple[str, str]]]]:
    """Lines from a tag %0, or from a tag after an empty line, up to the next such tag.

    Yields
    ------
    number of the first line, and for each line the name of its field and its text
    """
    name, start = "", 0
    lines: list[tuple[str, str]] = []
    is_after_blank = True
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            is_after_blank = True
            continue
        if tag := _TAG.match(line):
            if is_after_blank or tag[1] == "0":
                if lines:
                    yield start, lines
                start, lines = number, []
            name = _TAGS.get(tag[1], f"%{tag[1]}")
        if name:  # a line before the first tag belongs to no record
            lines.append((name, tag[2] if tag else line))
        is_after_blank = False
    if lines:
        yield start, lines


def endnote_xml_records(path: Path, text: str) -> list[Piece]:
    """The records of an EndNote XML file; XML entities are refused, as they could fill the memory.

    Raises
    ------
    TableError : if the file cannot be parsed
    """
    tree = load_extra(
        "defusedxml.ElementTree",
        name="defusedxml",
        extra="references",
        what=f"To read {path.name!r} onesided",
    )
    try:
        root = tree.fromstring(re.sub(r"\A\s*<\?xml[^>]*\?>", "", text))
    except Exception as error:  # errors of the parser, and of defusedxml, which guards it
        raise TableError(
            f"{path.name!r} cannot be read as EndNote XML: {first_line(error)}.",
            "Export the records again.",
        ) from error
    lines = [text.count("\n", 0, match.start()) + 1 for match in re.finditer(r"<record[\s>]", text)]
    return [
        Piece(line, dict(_fields_of(record)))
        for line, record in zip(lines, root.iter("record"), strict=False)
    ]


def _fields_of(record: Any) -> Iterator[tuple[str, Any]]:
    kind = record.find("ref-type")
    if kind is not None:
        yield "type", kind.get("name", "")
    for place, name in _IN_XML.items():
        texts = ["".join(each.itertext()) for each in record.findall(place)]
        if texts:
            yield name, texts if name in _LISTS else " ".join(texts)
