"""Write reference records as RIS, in the order of a ranking or with verdicts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from onesided._files._references import ITEM_MARK, LIST_FIELDS, RECORD, REMARKS, lines_of
from onesided._files._remarks import (
    Place,
    place_in,
    rank_remark,
    verdict_remark,
    without_remarks,
)
from onesided._validation import check_object
from onesided.tables._problem import Problem

RIS_ENDING = ".ris"
_TAGS = {
    "title": "TI",
    "translated_title": "TT",
    "authors": "AU",
    "corporate_author": "AU",
    "editor": "A2",
    "year": "PY",
    "date": "DA",
    "journal": "T2",
    "short_journal": "J2",
    "series": "T3",
    "abstract": "AB",
    "keywords": "KW",
    "doi": "DO",
    "url": "UR",
    "notes": "N1",
    "note": "N1",
    "annote": "N1",
    "annotation": "N1",
    "research_notes": "N1",
    "volume": "VL",
    "number": "IS",
    "pages": "SP",
    "chapter": "SE",
    "edition": "ET",
    "publisher": "PB",
    "institution": "PB",
    "school": "PB",
    "address": "CY",
    "issn": "SN",
    "isbn": "SN",
    "language": "LA",
}
"""Tags of the fields that PubMed, BibTeX and EndNote name; of RIS all lines are kept."""
_TYPES = {"journal article": "JOUR", "article": "JOUR", "inproceedings": "CPAPER", "book": "BOOK"}
_CODE = 4  # least number of letters in a type of RIS
_LISTS = (*LIST_FIELDS, "editor")
_START = len("TY  - ")
_NEXT = re.compile(r"\n(?=[A-Z][A-Z0-9]  -)")  # a line that does not continue the one before it


def holds_records(problem: Problem) -> bool:
    """Whether the rows of a table are reference records, which can be written as RIS.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from onesided.tables import holds_records, read_problem
    >>> size, known = np.random.default_rng(0).normal(size=40), np.arange(40) < 10
    >>> problem = read_problem(pd.DataFrame({"size": size, "known": known}), "known")
    >>> "ranking.ris" if holds_records(problem) else "ranking.csv"
    'ranking.csv'
    """
    check_object(problem, "problem", Problem, by="onesided.tables.read_problem")
    return problem.known is not None and problem.known.rows.form == "references"


def write_ris(
    problem: Problem, listed: pa.Table, path: Path, *, n_ranked: int | None = None
) -> None:
    r"""Write the listed reference records as RIS, the best rank first, each with its rank.

    Parameters
    ----------
    problem : the table that was ranked, whose rows are reference records
    listed : the listed rows of the ranking, with a column `record` of row names
    path : path of the file
    n_ranked : number of rows that were ranked; by default, as many as are listed

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import pyarrow as pa
    >>> from onesided.tables import read_problem, write_ris
    >>> record = "TY  - JOUR\nTI  - {}\nER  - \n".format
    >>> titles = ["Owls at night", "Owls by day", "Jays at night", "Jays by day"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found, relevant, ranking = (Path(folder) / f"{name}.ris" for name in "abc")
    ...     _ = found.write_text("".join(map(record, titles)))
    ...     _ = relevant.write_text("".join(map(record, titles[:2])))
    ...     problem = read_problem(found, positive_table=relevant)
    ...     names = problem.data["record"].to_pylist()[2:]
    ...     listed = pa.table({"record": names, "rank": [1, 2], "score": [0.9, 0.5]})
    ...     write_ris(problem, listed, ranking)
    ...     text = ranking.read_text(encoding="utf-8")
    >>> [line for line in text.splitlines() if "rank" in line]
    ['N1  - onesided: rank 1 of 2, score 0.9', 'N1  - onesided: rank 2 of 2, score 0.5']
    """
    check_object(problem, "problem", Problem, by="onesided.tables.read_problem")
    n_rows = listed.num_rows if n_ranked is None else n_ranked
    said = (
        (
            "N1  - "
            + rank_remark(
                Place(row["rank"], n_rows, row["score"]),
                [name for name, value in row.items() if value is True],
            ),
        )
        for row in listed.to_pylist()
    )
    _write(problem.data, listed.column(0).to_pylist(), said, path, only_ranks=True)


def write_checked_ris(records: pa.Table, checked: pa.Table, path: Path) -> None:
    """Write the checked records, each with its verdict as a keyword and as a note.

    Parameters
    ----------
    records : reference records, with a column `record`
    checked : rows with a verdict, a sheet of an audit
    path : of the file
    """
    said = (
        (
            f"KW  - {verdict_remark(row['verdict'])}",
            f"N1  - {verdict_remark(row['verdict'], row['rank'], row['note'])}",
        )
        for row in checked.to_pylist()
    )
    _write(records, checked.column(0).to_pylist(), said, path, only_ranks=False)


def places_in(records: pa.Table) -> list[Place] | None:
    """The places that `write_ris` notes in each record; None if a record has none."""
    if REMARKS not in records.column_names:
        return None
    found = [place_in((each or "").split(ITEM_MARK)) for each in records[REMARKS].to_pylist()]
    places = [each for each in found if each is not None]
    return places if len(places) == len(found) else None


def _write(
    records: pa.Table,
    names: Sequence[str],
    said: Iterable[Sequence[str]],
    path: Path,
    *,
    only_ranks: bool,
) -> None:
    """Write the records with these names, each with its additional lines.

    Parameters
    ----------
    only_ranks : whether earlier verdicts stay, so that the lines replace only earlier ranks
    """
    place_of = {name: row for row, name in enumerate(records[RECORD].to_pylist())}
    written = records.take(pa.array([place_of[name] for name in names], pa.int64())).to_pylist()
    given = lines_of(records)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for record, lines in zip(written, said, strict=True):
            text = given.get(record[RECORD])
            own = _of_fields(record) if text is None else _as_given(text, record)
            kept = (_without_remarks(each, only_ranks=only_ranks) for each in own)
            file.writelines(f"{line}\n" for line in (*filter(None, kept), *lines, "ER  - ", ""))


def _without_remarks(line: str, *, only_ranks: bool) -> str:
    """A line with its tag, without earlier remarks of onesided; empty if it holds nothing else."""
    start, text = line[:_START], line[_START:]
    kept = without_remarks(text, only_ranks=only_ranks)
    return line if kept == text else (start + kept) * bool(kept.strip(" \n;,"))


def _as_given(text: str, record: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a record of a RIS file, each with those that continue it.

    The line ID is added or replaced if the record would have another name in the written file:
    records without a name of their own, or with that of another record, are named when read.
    """
    first, *lines = _NEXT.split(text)
    name = record[RECORD]
    ids = [each for each in lines if each.startswith("ID")]
    is_named = bool(ids) and name in (record["pmid"], record["doi"], ids[0][_START:].strip())
    yield first
    if not is_named:
        yield f"ID  - {name}"
    yield from (each for each in lines if is_named or each not in ids[:1])


def _of_fields(record: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a record from a file of another format, for the fields that RIS has."""
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
        return
    for name, tag in (("accession_number", "AN"), ("name_of_database", "DB")):
        if record.get(name):
            yield f"{tag}  - {record[name]}"
