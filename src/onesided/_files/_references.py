"""Reference records of RIS, PubMed and BibTeX files as rows, each record once."""

from __future__ import annotations

import contextlib
import logging
import re
import textwrap
import unicodedata
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from onesided._files._arrow import np, pa
from onesided._files._encoding import read_text
from onesided._files._extra import load_extra
from onesided._files._format import Format, Rows
from onesided._files._names import find_called
from onesided._text import as_text
from onesided.exceptions import TableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from onesided._typing import Bools, Ints

RECORD = "record"
"""The column that names records."""
TEXT_FIELDS = ("title", "abstract", "keywords")
"""Columns that tell what a record is about."""
LIST_FIELDS = ("keywords", "authors", "notes", "url")
"""Columns whose cells hold several items."""
ITEM_MARK = "; "
_WHO = (
    "it says who wrote the record and where the record appeared, not its subject; --text NAME "
    "uses the column anyway"
)

Record: TypeAlias = dict[str, str]

_FIELDS = (
    *(RECORD, *TEXT_FIELDS, "authors", "journal", "year", "type", "notes", "doi", "pmid", "url"),
)
_LEARNED = (*TEXT_FIELDS, "journal", "year")
_STARTS = {
    "RIS": re.compile(r"^TY {1,2}-", re.MULTILINE),
    "PubMed": re.compile(r"^PMID- ", re.MULTILINE),
    "BibTeX": re.compile(r"^[ \t]*@\w+[ \t]*[{(]", re.MULTILINE),
}
"""How a record starts, by format."""
_GOES_ON = {"RIS": re.compile(r"\n(?![A-Z][A-Z0-9]  -)"), "PubMed": re.compile(r"\n {6}")}
"""The end of a line after which a field goes on, by format."""
_YEAR = re.compile(r"(?<!\d)(1[5-9]|20)\d\d(?!\d)")
_DOI = re.compile(r"10\.\d{4,9}/\S+")
_LEAST_WORDS = 3  # of a title that tells a record from others: not "Editorial" and "In reply"
_LONGEST_NAME = 80  # characters of a title that names a record
_TELLING = [RECORD, "doi", "pmid", "title", "year"]
"""Columns that tell which record a row is."""
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
"""For each of our columns the fields that stand for it where it is empty, the best first."""
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
    "UK": "unknown_tag",
}
_PUBMED_LISTS = ["FAU", "AU", "LID", "AID", "MH", "OT", "PT", "LA", "GN"]


class References(Format):
    """Records of RIS, PubMed's and BibTeX files, in any mixture: what they are is seen in them."""

    name = form = "references"
    endings = (".ris", ".nbib", ".bib")
    is_packed = False
    noun = "record"

    def rows(self, root: Path, members: Sequence[Path]) -> Rows:
        """The records of all files, each once."""
        data, n_merged = read_references(members)
        aside = dict.fromkeys(other_fields(data), _WHO)
        return Rows(data, self.form, RECORD, TEXT_FIELDS, aside, LIST_FIELDS, n_merged)


def read_references(paths: Sequence[Path]) -> tuple[pa.Table, int]:
    """Records of some files, each once; of those that are the same the one with most fields.

    Parameters
    ----------
    paths : RIS, PubMed's and BibTeX files, in any mixture: what they are is seen in them

    Returns
    -------
    table : columns `record`, title, abstract, keywords, authors, journal, year, type, notes, doi,
        pmid and url, then the other fields that are in the files; the year is a number, all others
        are text
    n_merged : records that were left out, since another is the same

    Raises
    ------
    DataError : if what reads them is not installed
    TableError : if a file has no record, or one that is broken
    """
    records = [record for path in paths for record in _read_file(path)]
    others = dict.fromkeys(name for record in records for name in record)
    columns = {
        name: pa.array([record.get(name) for record in records], pa.string())
        for name in dict.fromkeys((*_FIELDS, *others))
    }
    columns["year"] = pa.array([_year(record.get("year", "")) for record in records], pa.int64())
    table = pa.table(columns)
    kept = _fullest(table, same_records(table))
    table = table.take(pa.array(kept))
    names = _unlike(table.column(RECORD).to_pylist())
    return table.set_column(0, RECORD, pa.array(names, pa.string())), len(records) - len(kept)


def other_fields(table: pa.Table) -> list[str]:
    """Columns of records that tell who and where, not what: authors, identifiers and the like."""
    return [name for name in table.column_names if name not in (RECORD, *_LEARNED)]


def same_records(table: pa.Table) -> Ints:
    """Which rows are the same record.

    They have the same DOI, or PubMed identifier, or the same words in the title and the same year.
    A title says nothing where records of that title and year have different DOIs or PubMed
    identifiers, or where it has fewer than three words.

    Parameters
    ----------
    table : as `read_references` gives it, or some such below each other

    Returns
    -------
    shape (n_rows,), equal numbers for the same record
    """
    cells = {name: table.column(name).to_pylist() for name in ("doi", "pmid", "title", "year")}
    dois, pmids = cells["doi"], cells["pmid"]
    titles: list[tuple[str, int | None] | None] = [
        (words, year) if (words := _title_words(cell)) else None
        for cell, year in zip(cells["title"], cells["year"], strict=True)
    ]
    known: dict[Any, tuple[set[str], set[str]]] = {}
    for title, doi, pmid in zip(titles, dois, pmids, strict=True):
        of_title = known.setdefault(title, (set(), set()))
        of_title[0].update(filter(None, [doi]))
        of_title[1].update(filter(None, [pmid]))
    several = {title for title, names in known.items() if max(map(len, names)) > 1}
    titles = [None if title in several else title for title in titles]
    rows: list[int] = []
    keys: list[int] = []
    numbers: dict[tuple[str, Any], int] = {}
    for kind, values in (("doi", dois), ("pmid", pmids), ("title", titles)):
        for row, value in enumerate(values):
            if value:
                rows.append(row)
                keys.append(numbers.setdefault((kind, value), table.num_rows + len(numbers)))
    from scipy.sparse import coo_array  # noqa: PLC0415 - a person who types waits for no library
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    n_nodes = table.num_rows + len(numbers)
    links = coo_array((np.ones(len(rows), dtype=bool), (rows, keys)), shape=(n_nodes, n_nodes))
    return connected_components(links, directed=False)[1][: table.num_rows].astype(np.int64)


def find_records(wanted: pa.Table, records: pa.Table) -> Ints | None:
    """Which records the rows of a table mean, by name, DOI, PubMed identifier, or title.

    What several records have tells none of them. Years must be the same where both are known.

    Parameters
    ----------
    wanted : a table, in which columns record, doi, pmid, title and year count
    records : as `read_references` gives it, or some such below each other

    Returns
    -------
    shape (n_wanted,), rows of `records`, −1 for none; None where no column tells
    """
    columns = {
        name: column for name in _TELLING if (column := find_called(wanted.column_names, name))
    }
    if not columns.keys() - {"year"}:
        return None
    same = same_records(records).tolist()
    meant: dict[tuple[str, ...], dict[int, int]] = {}
    for row, fields in enumerate(records.select(_TELLING).to_pylist()):
        words, year = _title_words(fields["title"]), fields["year"]
        titles = [("title", words, str(year)), ("title", words)] if words else []
        for key in (*_names_of(fields), *titles):
            meant.setdefault(key, {}).setdefault(same[row], row)
    found = []
    for cells in wanted.select([*columns.values()]).rename_columns([*columns]).to_pylist():
        fields = _record({name: as_text(cell) for name, cell in cells.items()})
        words, year = _title_words(fields.get("title")), _year(fields.get("year", ""))
        titles = [("title", words, str(each)) for each in (year, None)] if year else []
        keys = (*_names_of(fields), *(titles or [("title", words)]))
        rows = (meant[key] for key in keys if len(meant.get(key, ())) == 1)
        found.append(next((next(iter(each.values())) for each in rows), -1))
    return np.array(found, dtype=np.int64)


def _names_of(fields: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What tells a record from others for certain."""
    return [(name, fields[name]) for name in (RECORD, "doi", "pmid") if fields.get(name)]


def _fullest(table: pa.Table, same: Ints) -> Ints:
    """The row of each record that has the most fields, the first of such, in the order of rows."""
    n_filled = sum(column.is_valid().to_numpy().astype(np.int64) for column in table.columns)
    order = np.lexsort((np.arange(len(same)), -n_filled, same))
    first: Bools = np.concatenate([[True], np.diff(same[order]) != 0])
    return np.sort(order[first])


def _title_words(title: str | None) -> str:
    """Words of a title, none where they are too few."""
    words = _plain_words(title)
    return words if len(words.split()) >= _LEAST_WORDS else ""


def _plain_words(title: str | None) -> str:
    """Words without markup, accents and marks."""
    plain = unicodedata.normalize("NFKD", re.sub(r"<[^<>]+>", "", title or "").casefold())
    return " ".join(re.findall(r"\w+", "".join(c for c in plain if not unicodedata.combining(c))))


def _short_title(record: Record) -> str:
    """Words of a title and the year, which name a record in every file alike."""
    words = textwrap.shorten(_plain_words(record.get("title")), _LONGEST_NAME, placeholder="")
    return f"{words} {_year(record.get('year', '')) or ''}".strip() if words else ""


def _unlike(names: Sequence[str]) -> list[str]:
    """Names of which those that come again have a number."""
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found


def _read_file(path: Path) -> list[Record]:
    if path.stat().st_size == 0:
        raise TableError(f"The file {str(path)!r} is empty.", "Export the records again.")
    text = read_text(path).replace("\r\n", "\n").replace("\r", "\n")
    starts = {form: match.start() for form, each in _STARTS.items() if (match := each.search(text))}
    if not starts:
        raise TableError(
            f"{path.name!r} holds no reference record. A record starts as in RIS (TY  - ), "
            "PubMed's format (PMID- ) or BibTeX (@article{).",
            "Export the records in one of these formats.",
        )
    form = min(starts, key=starts.__getitem__)
    fields = _bibtex(path, text) if form == "BibTeX" else _tagged(path, text, form)
    records = [_record(each) for each in fields]
    for number, record in enumerate(records, start=1):
        names = (record.get(name) for name in ("key", "pmid", "doi", "id", "accession_number"))
        record[RECORD] = next(
            filter(None, (*names, _short_title(record))), f"{path.name}: {number}"
        )
    return records


def _record(fields: Mapping[str, Any]) -> Record:
    """Our columns, then the other fields, as text; those that are empty are left out."""
    given = {name: text for name, value in _flat(fields) if (text := _joined(value))}
    for name, sources in _SOURCES.items():
        for source in sources:
            if source in given and name not in given:
                given[name] = given[source] if source == "booktitle" else given.pop(source)
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
    """Fields, and those that rispy does not know, by their tags."""
    for name, value in fields.items():
        if isinstance(value, Mapping):
            yield from ((str(tag), items) for tag, items in value.items() if tag)
        else:
            yield name, value


def _joined(value: str | Iterable[str]) -> str:
    items = [value] if isinstance(value, str) else value
    return ITEM_MARK.join(dict.fromkeys(filter(None, (" ".join(each.split()) for each in items))))


def _year(text: str) -> int | None:
    found = _YEAR.search(text)
    return int(found[0]) if found else None


def _tagged(path: Path, text: str, form: str) -> list[dict[str, Any]]:
    """Records of a RIS or PubMed file, whose lines start with tags."""
    rispy = load_extra(
        "rispy", name="rispy", extra="references", what=f"To read {path.name!r} onesided"
    )
    # Lines that go on: rispy adds them one by one, in time that grows with their square.
    unbroken = _GOES_ON[form].sub(" ", text)
    if form == "RIS":
        records = rispy.loads(unbroken)
    else:
        records = rispy.loads(f"{unbroken}\n\n", implementation=_pubmed_parser(rispy))
    n_started = len(_STARTS[form].findall(text))
    if n_started != len(records):
        raise TableError(
            f"{path.name!r} starts {n_started:,} {form} records and ends {len(records):,}.",
            "Check that the file is complete: a record ends with "
            + ("a line ER  - ." if form == "RIS" else "an empty line."),
        )
    for record in records:
        if form == "PubMed":
            identifiers = [*record.get("location", []), *record.get("article_identifier", [])]
            record["doi"] = next((each for each in identifiers if "[doi]" in each), "")
    return records


def _pubmed_parser(rispy: Any) -> type:
    """A parser of rispy's for PubMed's tags of four letters, where an empty line ends a record."""

    class PubMedParser(rispy.RisParser):
        START_TAG = "PMID"
        DEFAULT_MAPPING = _PUBMED_TAGS
        DEFAULT_LIST_TAGS = _PUBMED_LISTS
        DEFAULT_DELIMITER_MAPPING: Mapping[str, str] = {}

        def parse_line(self, line: str) -> tuple[str | None, str]:
            if not line.strip():
                return self.END_TAG, ""
            if line[4:5] == "-" and line[:4].strip().isupper():
                return line[:4].strip(), line[5:].strip()
            return None, line.strip()

    return PubMedParser


def _bibtex(path: Path, text: str) -> list[dict[str, Any]]:
    what = f"To read {path.name!r} onesided"
    bibtex = load_extra("bibtexparser", name="bibtexparser", extra="references", what=what)
    latex = load_extra("pylatexenc.latex2text", name="pylatexenc", extra="references", what=what)
    logging.getLogger("bibtexparser").addHandler(logging.NullHandler())  # we say it ourselves
    plain = latex.LatexNodes2Text().latex_to_text
    library = bibtex.parse_string(text)
    for block in library.failed_blocks:
        if block.ignore_error_block is None:
            raise TableError(
                f"{path.name!r} has an entry that cannot be read, from line "
                f"{block.start_line + 1:,} on.",
                "Close its braces and quotes, and put a comma after each field.",
            )
    # A key, or a field, that comes again is no reason to lose the entry.
    again = [block.ignore_error_block for block in library.failed_blocks]
    entries = [
        entry
        for entry in sorted([*library.entries, *again], key=lambda entry: entry.start_line)
        if hasattr(entry, "entry_type")
    ]
    if not entries:
        raise TableError(f"{path.name!r} holds no entry.", "Export the records again.")
    return [
        {
            "key": entry.key,
            "type": entry.entry_type,
            **{
                field.key.lower(): _bibtex_value(field.key.lower(), str(field.value), plain)
                for field in reversed(entry.fields)  # the first of a name counts
            },
        }
        for entry in entries
    ]


def _bibtex_value(name: str, value: str, plain: Any) -> str | list[str]:
    """Text of a field; to read LaTeX takes a millisecond, so only where there is any."""
    if "\\" in value and name not in ("doi", "url", "file"):
        with contextlib.suppress(RecursionError):  # braces in hundreds: it stays as it is
            value = plain(value)
    value = " ".join(value.replace("{", "").replace("}", "").split())
    return value.split(" and ") if name in ("author", "editor") else value
