"""Reference records of RIS, PubMed, BibTeX and EndNote files as rows, each record once."""

from __future__ import annotations

import json
import re
import textwrap
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from onesided._files._arrow import np, pa
from onesided._files._bibtex import bibtex_entries
from onesided._files._encoding import UTF8, decoded, is_foreign, not_windows, utf16_decoder
from onesided._files._endnote import endnote_records, endnote_xml_records
from onesided._files._foreign import refuse_foreign
from onesided._files._format import Format, Rows
from onesided._files._packed import opened
from onesided._files._pieces import tell_left_out
from onesided._files._remarks import remarks_in, without_remarks
from onesided._files._tagged import tagged_records
from onesided._text import argument
from onesided._words import count_words, has_runs, plain_words
from onesided.exceptions import TableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from onesided._typing import Bools, Ints

RECORD = "record"
"""The column that names records."""
TEXT_FIELDS = ("title", "abstract", "keywords")
"""Columns that describe the subject of a record."""
REMARKS = "onesided"
"""The column of what onesided wrote into the records, which is in no other column."""
LIST_FIELDS = ("keywords", "authors", "notes", "url", REMARKS)
"""Columns whose cells hold several items."""
ITEM_MARK = "; "
BESIDE_TEXT = (
    "only the title, abstract and keywords of references are learned from, because authors, "
    f"journal and year say little about the subject; {argument('text', ['NAME'])}, "
    f"{argument('categorical', ['NAME'])} or {argument('number', ['NAME'])} uses the column anyway"
)
"""Why a column of references is not learned from."""

Record: TypeAlias = dict[str, str]

_LINES = b"onesided:lines"  # in the metadata of the field of record names
_FIELDS = (
    *(RECORD, *TEXT_FIELDS, "authors", "journal", "year", "type", "notes", "doi", "pmid", "url"),
)
_STARTS = {
    "RIS": re.compile(r"^TY {1,2}-", re.MULTILINE),
    "PubMed": re.compile(r"^PMID- ", re.MULTILINE),
    "BibTeX": re.compile(r"^[ \t]*@\w+[ \t]*[{(]", re.MULTILINE),
    "EndNote": re.compile(r"^%0 \S", re.MULTILINE),
    "EndNote XML": re.compile(r"<records>\s*<record[\s>]"),
}
"""The start of a record in each format."""
_BEGINS = {
    "RIS": re.compile(r"^TY {1,2}- ?\S.*\n\s*[A-Z][A-Z0-9] {1,2}-", re.MULTILINE),
    "EndNote": re.compile(r"\A\s*%0 .+\n%[A-Z0-9@] "),
    "EndNote XML": re.compile(r"\A\s*(<\?xml[^>]*>\s*)?<xml>\s*<records>"),
    "PubMed": re.compile(r"^PMID- ?\d+ *\n[A-Z]{2,4} *- ", re.MULTILINE),
    "BibTeX": re.compile(
        r"^[ \t]*@[A-Za-z]+\s*[{(]\s*([^\s,{}()=]+\s*,\s*)?[\w-]+\s*=\s*[{\"\w]", re.MULTILINE
    ),
}
"""The start of a record, written so strictly that no other file has it."""
_MOST_BEFORE = 30  # lines before the first record, in which some programs say what was exported
_YEAR = re.compile(r"(?<!\d)(1[5-9]|20)\d\d(?!\d)")
_DOI = re.compile(r"10\.\d{4,9}/\S+")
_LEAST_WORDS = 3  # in a title that identifies a record; "In reply" does not
_LONGEST_NAME = 80  # characters of a title that names a record
NAMES = ("key", "id", "accession_number")
"""Fields in which a program names a record."""
_TELL = (*NAMES, "authors", "abstract", "pages", "start_page")
"""Fields of which one at least must be equal, beside the title, in records that are the same."""
_SOURCES: Mapping[str, Sequence[str]] = {
    "title": ("primary_title", "booktitle", "translated_title"),
    "abstract": ("notes_abstract",),
    "keywords": ("keyword",),
    "authors": ("first_authors", "author", "short_authors", "corporate_author"),
    "journal": (
        *("journal_name", "alternate_title3", "secondary_title", "alternate_title2"),
        *("journaltitle", "short_journal", "booktitle"),
    ),
    "year": ("publication_year", "date"),
    "type": ("type_of_reference",),
    "notes": ("note", "annote", "annotation", "research_notes"),
    "url": ("urls",),
}
"""For each of our columns the fields that replace it if it is empty, the best field first."""
_STAYING = ("booktitle", "date")  # a book title may replace two columns, and a year is no date


class References(Format):
    """Records of RIS, PubMed, BibTeX and EndNote files; the content of a file shows its format.

    Parameters
    ----------
    kind : one of the formats
    ending : of the names of such files
    """

    name = form = "references"
    noun = "record"

    def __init__(self, kind: str, ending: str) -> None:
        self.title, self.endings, self._begins = f"{kind} records", (ending,), _BEGINS[kind]

    def holds(self, start: bytes, text: str) -> bool:
        """Whether a record begins in the first lines; some programs first describe the export."""
        found = self._begins.search(text)
        return found is not None and len(text[: found.start()].split("\n")) <= _MOST_BEFORE

    def rows(self, root: Path, members: Sequence[Path]) -> Rows:
        """The records of all files without duplicates."""
        data, n_merged = _read_references(members)
        others = [name for name in data.column_names if name not in (RECORD, *TEXT_FIELDS)]
        aside = dict.fromkeys(others, BESIDE_TEXT)
        if REMARKS in aside:
            aside[REMARKS] = "it holds what onesided wrote into the records"
        return Rows(data, self.form, RECORD, TEXT_FIELDS, aside, LIST_FIELDS, n_merged)


REFERENCES = (
    References("RIS", ".ris"),
    References("PubMed", ".nbib"),
    References("BibTeX", ".bib"),
    References("EndNote", ".enw"),
    References("EndNote XML", ".xml"),
)


def _read_references(paths: Sequence[Path]) -> tuple[pa.Table, int]:
    """Records of all files, and the number of duplicate records that were left out.

    Of duplicate records, the one with the most fields is kept. The columns are `_FIELDS`, then all
    other fields of the files. The year is a number; all other columns are text.
    """
    found = [each for path in paths for each in _read_file(path)]
    records = [record for record, _ in found]
    others = dict.fromkeys(name for record in records for name in record)
    columns = {
        name: pa.array([record.get(name) for record in records], pa.string())
        for name in dict.fromkeys((*_FIELDS, *others))
    }
    columns["year"] = pa.array([year_of(record.get("year", "")) for record in records], pa.int64())
    table = pa.table(columns)
    kept = _fullest(table, same_records(table))
    table = table.take(pa.array(kept))
    names = _unlike(table.column(RECORD).to_pylist())
    written = (found[row][1] for row in kept.tolist())
    lines = {name: text for name, text in zip(names, written, strict=True) if text}
    # A column of lines would be shown with each record; metadata goes where the names go.
    named = pa.field(RECORD, pa.string(), metadata={_LINES: json.dumps(lines)})
    return table.set_column(0, named, pa.array(names, pa.string())), len(records) - len(kept)


def lines_of(records: pa.Table) -> dict[str, str]:
    """For the name of each record of a RIS file, its lines as in the file, without the last."""
    kept = (records.schema.field(RECORD).metadata or {}).get(_LINES, b"{}")
    found: dict[str, str] = json.loads(kept)
    return found


def without_lines(rows: pa.Table) -> pa.Table:
    """The same rows, without the lines that `lines_of` finds."""
    if RECORD not in rows.column_names:
        return rows
    place = rows.column_names.index(RECORD)
    return rows.set_column(place, RECORD, rows.column(RECORD))


def same_records(table: pa.Table) -> Ints:
    """The number of the record in each row, shape (n_rows,); duplicates have the same number.

    Duplicates have the same DOI, the same PubMed identifier, or the same year and words in the
    title. A title does not count if it has fewer than about three words, or if records with this
    title and year have different DOIs or PubMed identifiers. Such records are duplicates only if
    all their fields are equal, among them a name, the authors, the abstract or the pages.
    """
    cells = {name: table.column(name).to_pylist() for name in ("doi", "pmid", "title", "year")}
    dois, pmids = cells["doi"], cells["pmid"]
    titles: list[tuple[str, int | None] | None] = [
        (words, year) if (words := title_words(cell)) else None
        for cell, year in zip(cells["title"], cells["year"], strict=True)
    ]
    known: dict[Any, tuple[set[str], set[str]]] = {}
    for title, doi, pmid in zip(titles, dois, pmids, strict=True):
        of_title = known.setdefault(title, (set(), set()))
        of_title[0].update(filter(None, [doi]))
        of_title[1].update(filter(None, [pmid]))
    several = {title for title, names in known.items() if max(map(len, names)) > 1}
    titles = [None if title in several else title for title in titles]
    unsure = [row for row, title in enumerate(titles) if title is None]
    wholes: list[frozenset[tuple[str, Any]] | None] = [None] * table.num_rows
    others = table.take(pa.array(unsure, pa.int64())).to_pylist()
    for row, fields in zip(unsure, others, strict=True):
        if any(fields.get(name) for name in _TELL):
            wholes[row] = whole_record(fields)
    rows: list[int] = []
    keys: list[int] = []
    numbers: dict[tuple[str, Any], int] = {}
    for kind, values in (("doi", dois), ("pmid", pmids), ("title", titles), ("whole", wholes)):
        for row, value in enumerate(values):
            if value:
                rows.append(row)
                keys.append(numbers.setdefault((kind, value), table.num_rows + len(numbers)))
    from scipy.sparse import coo_array  # noqa: PLC0415 - a person who types waits for no library
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415 - few tables need it

    n_nodes = table.num_rows + len(numbers)
    links = coo_array((np.ones(len(rows), dtype=bool), (rows, keys)), shape=(n_nodes, n_nodes))
    return connected_components(links, directed=False)[1][: table.num_rows].astype(np.int64)


def whole_record(fields: Mapping[str, Any]) -> frozenset[tuple[str, Any]]:
    """All fields of a record, without what onesided wrote into it: two equal records are the same.

    In a RIS file of ours, a record without a name gets one made of its title, which is left out.
    """
    own = {RECORD, REMARKS}
    if fields.get("id") == _short_title(fields):
        own.add("id")
    return frozenset((name, value) for name, value in fields.items() if value and name not in own)


def names_of(fields: Mapping[str, Any]) -> set[str]:
    """The names that programs gave a record."""
    return {fields[name] for name in NAMES if fields.get(name)}


def _fullest(table: pa.Table, same: Ints) -> Ints:
    """For each record the first of its rows with the most fields, in the order of the rows."""
    n_filled = sum(column.is_valid().to_numpy().astype(np.int64) for column in table.columns)
    order = np.lexsort((np.arange(len(same)), -n_filled, same))
    first: Bools = np.concatenate([[True], np.diff(same[order]) != 0])
    return np.sort(order[first])


def title_words(title: str | None) -> str:
    """Words of a title; empty if the title has too few words."""
    words = plain_title(title)
    return words if count_words(words) >= _LEAST_WORDS else ""


def plain_title(title: str | None) -> str:
    """Words without markup, accents and punctuation."""
    return plain_words(re.sub(r"<[^<>]+>", "", title or ""))


def _short_title(record: Mapping[str, Any]) -> str:
    """Words of the title and the year, so that a record has the same name in every file."""
    words = plain_title(record.get("title"))
    if has_runs(words):
        words = words[:_LONGEST_NAME].strip()
    else:
        words = textwrap.shorten(words, _LONGEST_NAME, placeholder="")
    year = year_of(str(record.get("year") or "")) or ""
    return f"{words} {year}".strip() if words else ""


def _unlike(names: Sequence[str]) -> list[str]:
    """Make names unique by numbering duplicates."""
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found


def _read_file(path: Path) -> list[tuple[Record, str]]:
    """The records of a file, each with its lines if the file is RIS."""
    if path.stat().st_size == 0:
        raise TableError(f"The file {str(path)!r} is empty.", "Export the records again.")
    refuse_foreign(path)
    text = _text_of(path)
    starts = {form: match.start() for form, each in _STARTS.items() if (match := each.search(text))}
    if not starts:
        raise TableError(
            f"{path.name!r} holds no reference record. A record starts as in RIS (TY  - ), "
            "PubMed's format (PMID- ), BibTeX (@article{) or EndNote (%0 , or XML).",
            "Export the records in one of these formats.",
        )
    form = min(starts, key=starts.__getitem__)
    if form == "BibTeX":
        pieces = bibtex_entries(path, text)
    elif form == "EndNote":
        pieces = endnote_records(text)
    elif form == "EndNote XML":
        pieces = endnote_xml_records(path, text)
    else:
        pieces = tagged_records(path, text, form)
    records = []
    for number, piece in enumerate(pieces, start=1):
        if piece.why:
            continue
        record = record_of(piece.fields)
        names = (record.get(name) for name in ("key", "pmid", "doi", "id", "accession_number"))
        record[RECORD] = next(
            filter(None, (*names, _short_title(record))), f"{path.name}: {number}"
        )
        records.append((record, piece.lines))
    tell_left_out(path, pieces)
    return records


def _text_of(path: Path) -> str:
    """The text of a file; only the lines that are not UTF-8 are read as Windows-1252."""
    with opened(path) as stream:
        content = stream.read()
    if decoder := utf16_decoder(content):
        text = decoder.decode(content)
    else:
        content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        try:
            text = content.decode(UTF8)
        except UnicodeDecodeError:
            if is_foreign(content):
                raise not_windows(repr(path.name)) from None
            text = "\n".join(decoded(line)[0] for line in content.split(b"\n"))
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def record_of(fields: Mapping[str, Any]) -> Record:
    """Non-empty fields of a record as text; other fields replace empty columns of ours."""
    given = {name: text for name, value in _flat(fields) if (text := _joined(value))}
    if remarks := _remarks(fields):
        given[REMARKS] = remarks
    for name, sources in _SOURCES.items():
        for source in sources:
            if source in given and name not in given:
                given[name] = given[source] if source in _STAYING else given.pop(source)
    found = _DOI.search(given.get("doi", "")) or _DOI.search(given.get("url", ""))
    if found:
        given["doi"] = found[0].lower().rstrip(".,;")
    if "pmid" not in given and re.search(
        "pubmed|medline", given.get("name_of_database", ""), re.IGNORECASE
    ):
        given["pmid"] = given.get("accession_number", "")
    given["pmid"] = "".join(re.findall(r"\d+", given.get("pmid", ""))[:1])
    return {name: text for name, text in given.items() if text}


def _flat(fields: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Names and values of all fields; a field that rispy does not know has its tag as name."""
    for name, value in fields.items():
        if isinstance(value, Mapping):
            yield from ((str(tag), items) for tag, items in value.items() if tag)
        else:
            yield name, value


def _joined(value: str | Iterable[str]) -> str:
    items = map(without_remarks, _items(value))
    return ITEM_MARK.join(dict.fromkeys(filter(None, (" ".join(each.split()) for each in items))))


def _remarks(fields: Mapping[str, Any]) -> str:
    """What onesided wrote into a record: nobody else may learn from it or take it for a note."""
    items = (each for _, value in _flat(fields) for each in _items(value))
    return ITEM_MARK.join(dict.fromkeys(remarks_in(items)))


def _items(value: str | Iterable[str]) -> Iterable[str]:
    return [value] if isinstance(value, str) else value


def year_of(text: str) -> int | None:
    found = _YEAR.search(text)
    return int(found[0]) if found else None
