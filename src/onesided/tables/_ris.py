"""Write reference records as RIS, in the order of a ranking or with verdicts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from onesided._files._references import ITEM_MARK, RECORD
from onesided._validation import check_object
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
_CODE = 4  # least number of letters in a type of RIS
_RANK = re.compile(r"onesided: rank ([\d,]+) of ")
_SAID = {"yes": "included", "no": "excluded", "?": "cannot tell"}


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
        (f"N1  - onesided: rank {place['rank']:,} of {n_rows:,}, score {place['score']:g}",)
        for place in listed.to_pylist()
    )
    _write(problem.data, listed.column(0).to_pylist(), said, path)


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
            f"KW  - onesided: {_SAID[row['verdict']]}",
            f"N1  - onesided: {_SAID[row['verdict']]}, rank {row['rank']:,}"
            + f"; {row['note']}" * bool(row["note"]),
        )
        for row in checked.to_pylist()
    )
    _write(records, checked.column(0).to_pylist(), said, path)


def ranks_in(records: pa.Table) -> list[int] | None:
    """The ranks that `write_ris` notes in each record; None if a record has none."""
    if "notes" not in records.column_names:
        return None
    found = [_RANK.search(each or "") for each in records["notes"].to_pylist()]
    return [int(each[1].replace(",", "")) for each in found if each] if all(found) else None


def _write(
    records: pa.Table, names: Sequence[str], said: Iterable[Sequence[str]], path: Path
) -> None:
    """Write the records with these names, each with its additional lines."""
    place_of = {name: row for row, name in enumerate(records[RECORD].to_pylist())}
    written = records.take(pa.array([place_of[name] for name in names], pa.int64())).to_pylist()
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for record, lines in zip(written, said, strict=True):
            file.writelines(f"{line}\n" for line in (*_lines(record, lines), ""))


def _lines(record: Mapping[str, Any], said: Sequence[str]) -> Iterator[str]:
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
    yield from said
    yield "ER  - "
