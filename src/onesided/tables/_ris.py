"""Reference records in the order of a list, as RIS."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from onesided._files._references import ITEM_MARK, RECORD
from onesided.tables._problem import Problem

RIS_ENDING = ".ris"
_TAGS = {
    "title": "TI",
    "authors": "AU",
    "year": "PY",
    "journal": "T2",
    "abstract": "AB",
    "keywords": "KW",
    "doi": "DO",
    "url": "UR",
    "notes": "N1",
    "volume": "VL",
    "number": "IS",
    "pages": "SP",
}
_LISTS = ("authors", "keywords", "url", "notes")
_TYPES = {"journal article": "JOUR", "article": "JOUR", "inproceedings": "CPAPER", "book": "BOOK"}
_CODE = 4  # letters of a type of RIS, at least


def holds_records(problem: Problem) -> bool:
    """Whether the rows of a table are reference records, which RIS can hold."""
    return problem.known is not None and problem.known.rows.form == "references"


def write_ris(problem: Problem, listed: pa.Table, path: Path) -> None:
    """Write the listed records, the most positive first, each with its place in the list.

    Parameters
    ----------
    problem : the table that was ranked, whose rows are reference records
    listed : its ranking, with a column `record`
    path : of the file
    """
    place_of = {name: row for row, name in enumerate(problem.data[RECORD].to_pylist())}
    rows = pa.array([place_of[name] for name in listed.column(0).to_pylist()])
    records = problem.data.take(rows).to_pylist()
    n_rows = listed.num_rows
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for record, place in zip(records, listed.to_pylist(), strict=True):
            said = f"onesided: rank {place['rank']:,} of {n_rows:,}, score {place['score']:g}"
            file.writelines(f"{line}\n" for line in (*_lines(record, said), ""))


def _lines(record: Mapping[str, Any], said: str) -> Iterator[str]:
    given = str(record.get("type") or "").split(ITEM_MARK)[0]
    is_code = len(given) >= _CODE and given.isalpha() and given.isupper()
    yield f"TY  - {given if is_code else _TYPES.get(given.lower(), 'GEN')}"
    yield f"ID  - {record[RECORD]}"
    for name, tag in _TAGS.items():
        text = str(record.get(name) or "")
        for each in text.split(ITEM_MARK) if name in _LISTS else [text]:
            if each:
                yield f"{tag}  - {each}"
    if record.get("pmid"):
        yield from (f"AN  - {record['pmid']}", "DB  - PubMed")
    yield f"N1  - {said}"
    yield "ER  - "
