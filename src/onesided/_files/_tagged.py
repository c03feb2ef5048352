"""The records of RIS and PubMed files, whose lines start with tags."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from onesided._files._extra import load_extra
from onesided._files._pieces import ZERO_BYTE, Piece

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_RIS = re.compile(r"[A-Z][A-Z0-9]  -")
_TAGS = {
    "RIS": _RIS,
    "PubMed": re.compile(r"(?=[ \d]*[A-Z])[A-Z\d ]{4}-"),
}
"""The start of a line that begins a field, in each format."""
_FIRST = {"RIS": "TY  -", "PubMed": "PMID-"}
"""The start of the first line of a record."""
_ONE_SPACE_START = re.compile(r"^TY -", re.MULTILINE)
_ONE_SPACE = re.compile(r"^([A-Z][A-Z0-9]) -", re.MULTILINE)
_NO_SPACE_AFTER = re.compile(rf"^({_RIS.pattern})(?=\S)", re.MULTILINE)
_INDENT = " " * 6  # of a line that continues a field of PubMed's format
_LAST_FIELD = "SO  -"  # of each record that PubMed writes
_PUBMED_TAGS = {
    "PMID": "pmid",
    "TI": "title",
    "BTI": "booktitle",
    "TT": "translated_title",
    "AB": "abstract",
    "FAU": "authors",
    "AU": "short_authors",
    "CN": "corporate_author",
    "JT": "journal",
    "TA": "short_journal",
    "DP": "year",
    "LID": "location",
    "AID": "article_identifier",
    "MH": "keywords",
    "OT": "keywords",
    "PT": "type",
    "LA": "language",
    "GN": "notes",
    "VI": "volume",
    "IP": "number",
    "PG": "pages",
    "ER": "end_of_reference",
}
_PUBMED_LISTS = ["FAU", "AU", "LID", "AID", "MH", "OT", "PT", "LA", "GN"]


@dataclass
class _Line:
    """A line with a tag, and the lines that continue it.

    Attributes
    ----------
    number : of the line
    parts : of its text
    after_blank : whether an empty line stands before it
    """

    number: int
    parts: list[str]
    after_blank: bool

    @property
    def text(self) -> str:
        """All parts as one line: the time of rispy grows with the square of the number of lines."""
        return " ".join(self.parts)

    @property
    def as_given(self) -> str:
        """All parts below each other; none but the first starts like a field."""
        first, *others = self.parts
        return "\n".join([first, *(f" {each}" if _RIS.match(each) else each for each in others)])


def tagged_records(path: Path, text: str, form: str) -> list[Piece]:
    """The records of a file, and parts that look like a record but do not start like one.

    Parameters
    ----------
    path : of the file
    text : of the file
    form : "RIS" or "PubMed"
    """
    rispy = load_extra(
        "rispy", name="rispy", extra="references", what=f"To read {path.name!r} onesided"
    )
    parser = _parser(rispy, form)
    parts = _parts(text, form)
    found = [Piece(lines[0].number, why=_why_unreadable(lines, form)) for lines in parts]
    if form == "PubMed":
        ended = [any(line.parts[0].startswith(_LAST_FIELD) for line in lines) for lines in parts]
        if sum(ended) > len(parts) / 2 and not ended[-1]:
            found[-1].why = found[-1].why or "the file ends within it"
    for piece, lines in zip(found, parts, strict=True):
        if not piece.why:
            if form == "RIS":
                piece.lines = "\n".join(line.as_given for line in lines[:-1])
            (piece.fields,) = parser.parse("\n".join([*(line.text for line in lines), ""]))
        if form == "PubMed":
            piece.name = "".join(re.findall(r"^PMID- *(\d+)", lines[0].text))
            names = ("location", "article_identifier")
            identifiers = [each for name in names for each in piece.fields.get(name, [])]
            piece.fields["doi"] = next((each for each in identifiers if "[doi]" in each), "")
    return found


def _parts(text: str, form: str) -> list[list[_Line]]:
    """The lines of each record; lines with tags between two records form a part of their own."""
    parts: list[list[_Line]] = []
    is_open = False
    for line in _lines(text, form):
        is_start = line.parts[0].startswith(_FIRST[form])
        if is_start or not is_open or (line.after_blank and form == "PubMed"):
            parts.append([])
        parts[-1].append(line)
        is_open = not (form == "RIS" and line.parts[0].startswith("ER"))
    # A single line between two records is not a part: EF ends a file, for example.
    return [each for each in parts if each[0].parts[0].startswith(_FIRST[form]) or len(each) > 1]


def _lines(text: str, form: str) -> list[_Line]:
    """All lines with tags."""
    if form == "RIS":
        if _ONE_SPACE_START.search(text):
            text = _ONE_SPACE.sub(r"\1  -", text)
        text = _NO_SPACE_AFTER.sub(r"\1 ", text)  # rispy skips six characters
    found: list[_Line] = []
    is_after_blank = False
    for number, line in enumerate(text.split("\n"), start=1):
        if _TAGS[form].match(line):
            found.append(_Line(number, [line], is_after_blank))
            is_after_blank = False
        elif not line.strip():
            is_after_blank = True
        elif found and (form == "RIS" or not is_after_blank or line.startswith(_INDENT)):
            found[-1].parts.append(line.strip())
            is_after_blank = False
    return found


def _why_unreadable(lines: Sequence[_Line], form: str) -> str:
    """Why a record cannot be read, or ""."""
    first, last = lines[0].parts, lines[-1].parts
    if not first[0].startswith(_FIRST[form]):
        return f"it does not start with a line {_FIRST[form]!r}"
    if form == "RIS" and not last[0].startswith("ER"):
        return "it does not end with a line 'ER  -'"
    if form == "PubMed" and len(first) > 1:
        return f"a line without a tag follows its line {_FIRST[form]!r}"
    return ZERO_BYTE if any("\0" in part for line in lines for part in line.parts) else ""


def _parser(rispy: Any, form: str) -> Any:
    """A parser of rispy for one record; it keeps fields with unknown tags."""
    known = dict(rispy.RisParser.DEFAULT_MAPPING if form == "RIS" else _PUBMED_TAGS)
    known.pop(rispy.RisParser.UNKNOWN_TAG, None)  # a file may have this tag

    class Parser(rispy.RisParser):
        UNKNOWN_TAG = ""
        DEFAULT_MAPPING: Mapping[str, str] = {**known, "": "unknown_tag"}

    class PubMedParser(Parser):
        START_TAG = "PMID"
        DEFAULT_LIST_TAGS = _PUBMED_LISTS
        DEFAULT_DELIMITER_MAPPING: Mapping[str, str] = {}

        def parse_line(self, line: str) -> tuple[str | None, str]:
            return (line[:4].strip(), line[5:].strip()) if line else (self.END_TAG, "")

    return (Parser if form == "RIS" else PubMedParser)()
