"""Find reference records of one file or table among the records of others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from onesided._files._arrow import np, pa
from onesided._files._names import find_called
from onesided._files._references import (
    NAMES,
    RECORD,
    names_of,
    plain_title,
    record_of,
    same_records,
    title_words,
    whole_record,
    year_of,
)
from onesided._text import as_text, counted
from onesided._words import count_words, plain_words, words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from onesided._typing import Ints

_TELLING = [RECORD, "doi", "pmid", "title", "year"]
"""Columns that identify a record."""
_MANY_WORDS = 6  # in a title that needs no year; "Letter to the editor" does
_ALIKE = 0.5  # share of the words of the shorter abstract; other abstracts share about a quarter
_IN_NAMES = {"and", "et", "al", "de", "der", "den", "di", "da", "la", "le", "van", "von"}
_Fields: TypeAlias = "Mapping[str, Any]"


def find_records(wanted: pa.Table, records: pa.Table) -> Ints | None:
    """The row of `records` that each row of `wanted` names, shape (n_wanted,); −1 if there is none.

    Rows are matched by the columns `_TELLING`. A value that several records share matches no
    record, and years must agree if both are known. The result is None if `wanted` has none of these
    columns except the year.
    """
    columns = {
        name: column for name in _TELLING if (column := find_called(wanted.column_names, name))
    }
    if not columns.keys() - {"year"}:
        return None
    same = same_records(records).tolist()
    meant: dict[tuple[str, ...], dict[int, int]] = {}
    for row, fields in enumerate(records.select(_TELLING).to_pylist()):
        words, year = title_words(fields["title"]), fields["year"]
        titles = [("title", words, str(year)), ("title", words)] if words else []
        for key in (*_names_of(fields), *titles):
            meant.setdefault(key, {}).setdefault(same[row], row)
    found = []
    for cells in wanted.select([*columns.values()]).rename_columns([*columns]).to_pylist():
        fields = record_of({name: as_text(cell) for name, cell in cells.items()})
        words, year = title_words(fields.get("title")), year_of(fields.get("year", ""))
        titles = [("title", words, str(each)) for each in (year, None)] if year else []
        keys = (*_names_of(fields), *(titles or [("title", words)]))
        rows = (meant[key] for key in keys if len(meant.get(key, ())) == 1)
        found.append(next((next(iter(each.values())) for each in rows), -1))
    return np.array(found, dtype=np.int64)


def _names_of(fields: _Fields) -> list[tuple[str, str]]:
    """The fields that identify a record for certain."""
    return [(name, fields[name]) for name in (RECORD, "doi", "pmid") if fields.get(name)]


@dataclass(frozen=True)
class JoinedRecords:
    """Which records of several files are the same.

    Attributes
    ----------
    same : shape (n_rows,), the number of the record in each row
    why_not : for rows of later files that are no record of the first file, although a record of
        this file has the same title, the reason
    """

    same: Ints
    why_not: Mapping[int, str]


def join_records(records: pa.Table, n_first: int) -> JoinedRecords:
    """Find the records of later files among those of the first file.

    `same_records` finds most of them. Any other record is compared with all records of the same
    title. It is the same as one of these if all fields are equal; or if no field that both have
    differs, and the name, the abstract, the authors or a long title show that it is the same. A
    record that may be one of several is none of them.

    Parameters
    ----------
    records : the records of the first file, then those of the later files
    n_first : number of records of the first file
    """
    same = same_records(records)
    of_first = set(same[:n_first].tolist())
    loose = [row for row in range(n_first, len(same)) if same[row] not in of_first]
    titles = [plain_title(each) for each in records.column("title").to_pylist()]
    wanted = {titles[row] for row in loose} - {""}
    alike: dict[str, list[int]] = {}
    for row, title in enumerate(titles):
        if title in wanted:
            alike.setdefault(title, []).append(row)
    rows = [row for each in alike.values() for row in each]
    fields = dict(zip(rows, records.take(pa.array(rows, pa.int64())).to_pylist(), strict=True))
    found: dict[int, set[int]] = {}
    why_not: dict[int, str] = {}
    for row in loose:
        others: dict[int, list[_Fields]] = {}
        for other in alike.get(titles[row], ()):
            if same[other] != same[row]:
                others.setdefault(int(same[other]), []).append(fields[other])
        which, why = _which(fields[row], others) if others else (None, "")
        if which is not None and which in of_first:
            found.setdefault(int(same[row]), set()).add(which)
        elif why and of_first & others.keys():
            why_not[row] = why
    joined = {own: which.pop() for own, which in found.items() if len(which) == 1}
    return JoinedRecords(
        np.array([joined.get(each, each) for each in same.tolist()], dtype=np.int64), why_not
    )


def _which(record: _Fields, others: Mapping[int, Sequence[_Fields]]) -> tuple[int | None, str]:
    """The other record that is the same, of those with the same title; or None, and the reason."""
    differences = {
        number: next(filter(None, (_difference(record, each) for each in copies)), "")
        for number, copies in others.items()
    }
    likely = {number: others[number] for number, what in differences.items() if not what}
    if not likely:
        return None, f"the record with the same title has {next(iter(differences.values()))}"
    for is_same in (_is_equal, _has_same_name, _says_the_same, _is_shown):
        found = [number for number, copies in likely.items() if _any(is_same, record, copies)]
        if len(found) == 1 and (is_same is not _is_shown or len(likely) == 1):
            return found[0], ""
        if found:
            return None, f"{counted(len(likely), 'record')} may be the same"
    if title_words(record["title"]):
        return None, "title alone, without a year, does not show that it is the same"
    return None, "a title of so few words does not show that it is the same"


def _any(
    is_same: Callable[[_Fields, _Fields], bool], record: _Fields, copies: Iterable[_Fields]
) -> bool:
    return any(is_same(record, each) for each in copies)


def _is_equal(one: _Fields, other: _Fields) -> bool:
    return whole_record(one) == whole_record(other)


def _has_same_name(one: _Fields, other: _Fields) -> bool:
    return bool(names_of(one) & names_of(other))


def _says_the_same(one: _Fields, other: _Fields) -> bool:
    """Whether all fields are equal, also the authors, apart from what programs add to a record."""
    wholes = [
        {(name, value) for name, value in whole_record(each) if name not in ("type", *NAMES)}
        for each in (one, other)
    ]
    return bool(one["authors"]) and wholes[0] == wholes[1]


def _is_shown(one: _Fields, other: _Fields) -> bool:
    """Whether enough is the same in records with the same title, of which no field differs."""
    if _words(one, "abstract") and _words(other, "abstract"):
        return True
    words = title_words(one["title"])
    has_authors = bool(_words(one, "authors") and _words(other, "authors"))
    return bool(words) and (has_authors or count_words(words) >= _MANY_WORDS)


def _difference(one: _Fields, other: _Fields) -> str:
    """What two records with the same title do not share, of the fields that both have."""
    for name, what in (
        ("year", "another year"),
        ("doi", "another DOI"),
        ("pmid", "another PubMed identifier"),
    ):
        if one[name] and other[name] and one[name] != other[name]:
            return what
    for name, what, least in (
        ("authors", "other authors", 0.0),
        ("abstract", "another abstract", _ALIKE),
    ):
        words = [_words(each, name) for each in (one, other)]
        if all(words):
            n_shared = len(words[0] & words[1])
            if not n_shared or n_shared < least * min(map(len, words)):
                return what
    return ""


def _words(record: _Fields, name: str) -> frozenset[str]:
    """The words of a field, in authors without initials."""
    return _words_of(record[name] or "")


@lru_cache(maxsize=10_000)  # each record is compared with all of its title
def _words_of(text: str) -> frozenset[str]:
    return frozenset(words_of(plain_words(text))) - _IN_NAMES
