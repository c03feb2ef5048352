"""Named sets of row identifiers, as files of gene sets hold them."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from scipy import sparse

from onesided._files._whole import check_size
from onesided._text import argument, check_file_name, first_line
from onesided._typing import CSR, Bools
from onesided.exceptions import TableError
from onesided.tables._columns import as_text

_FIRST_MEMBER = 2  # after name and description
_MOST_SHOWN = 3
_FORM = "A line is a name, a description and the members, with tabs between them"


def read_gene_sets(path: str | os.PathLike[str]) -> dict[str, list[str]]:
    """Sets by name, from a GMT file.

    Parameters
    ----------
    path : a text file, also .gz, .bz2 or .zst, with a set on each line: name, description and
        members, with tabs between them. Blank lines and cells are passed over; of equal members
        the first stays.

    Returns
    -------
    members of each set, in the order of the file

    Raises
    ------
    TableError : if there is no such file, or it holds anything else
    """
    file = Path(path)
    sets: dict[str, list[str]] = {}
    lines: dict[str, int] = {}
    for number, line in enumerate(_lines(file), start=1):
        if not line.strip():
            continue
        name, *rest = (cell.strip() for cell in line.split("\t"))
        where = f"Line {number} of {file.name!r}"
        if not rest:
            raise TableError(f"{where} has no tab: {_short(line)}.", f"{_FORM}.")
        if not name:
            raise TableError(f"{where} does not have a name before the first tab.", f"{_FORM}.")
        members = list(dict.fromkeys(filter(None, rest[_FIRST_MEMBER - 1 :])))
        if not members:
            raise TableError(
                f"{where}, set {name!r}, has no members.",
                f"{_FORM}; write two tabs for an empty description, or remove the line.",
            )
        if name in sets:
            raise TableError(
                f"{where} is a second set named {name!r}; the first is on line {lines[name]}.",
                "Give each set its own name.",
            )
        sets[name], lines[name] = members, number
    if not sets:
        raise TableError(f"The file {str(path)!r} holds no set.", f"{_FORM}.")
    return sets


def _lines(path: Path) -> list[str]:
    if not path.exists():
        raise TableError(f"There is no file {str(path)!r}.", "Check the path.")
    if not path.is_file():
        raise TableError(f"{str(path)!r} is not an ordinary file.", "Pass one GMT file.")
    check_file_name(path)
    check_size(path, [path], "Pass fewer sets.")
    try:
        with pa.input_stream(str(path)) as stream:  # decompresses by the ending
            content: bytes = stream.read()
    except OSError as error:
        raise TableError(
            f"{str(path)!r} cannot be read: {first_line(error)}.", "Check that it is complete."
        ) from error
    if content.startswith(b"\x1f\x8b"):
        raise TableError(f"{str(path)!r} is compressed.", "Rename it to end in .gmt.gz.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise TableError(
            f"Line {line} of {path.name!r} is not UTF-8 text: byte {content[error.start]:#x}.",
            "Save the file as UTF-8.",
        ) from error
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


@dataclass(frozen=True)
class RowSets:
    """Sets of the rows of a table.

    Attributes
    ----------
    names : shape (n_sets,)
    members : 0 and 1, shape (n_sets, n_rows)
    left_out : numbers of sets that are not here, by reason
    """

    names: list[str]
    members: CSR
    left_out: dict[str, int]

    def by_name(self) -> dict[str, Bools]:
        """The rows of each set, shape (n_rows,)."""
        return {
            name: self.members[[number]].toarray().ravel() > 0
            for number, name in enumerate(self.names)
        }


def match_sets(
    path: str | os.PathLike[str],
    ids: pa.ChunkedArray,
    *,
    min_size: int,
    max_size: int | None = None,
) -> RowSets:
    """The sets of a GMT file as sets of rows, without those of too few or too many.

    Identifiers are compared as text, and whole numbers without a fraction; where several rows
    have one, each of them is in the set. A set of all rows is left out.

    Parameters
    ----------
    path : as for `read_gene_sets`
    ids : identifier of each row, shape (n_rows,)
    min_size, max_size : rows of a set, not members; no limit is None

    Raises
    ------
    TableError : if the file is no GMT file, or no set is within the limits
    """
    if max_size is not None and min_size > max_size:
        raise TableError(f"min_size={min_size} is above max_size={max_size}.", "Exchange them.")
    sets = read_gene_sets(path)
    rows_of: dict[str, list[int]] = {}
    for row, cell in enumerate(ids.to_pylist()):
        if name := as_text(cell):
            rows_of.setdefault(name, []).append(row)
    rows = [
        sorted(row for member in {*map(as_text, members)} for row in rows_of.get(member, ()))
        for members in sets.values()
    ]
    n_rows, sizes = len(ids), np.array([len(each) for each in rows])
    if not sizes.any():
        raise _nothing_shared(sets, rows_of)
    most = n_rows if max_size is None else max_size
    reasons = {
        "without a row of the table": sizes == 0,
        f"of fewer than {min_size:,} rows": (sizes > 0) & (sizes < min_size),
        f"of more than {most:,} rows": (sizes > most) & (sizes < n_rows),
        "of all rows": (sizes == n_rows) & (sizes >= min_size),
    }
    kept = np.flatnonzero(~np.any(list(reasons.values()), axis=0))
    if not len(kept):
        limits = f"at least {min_size:,}" if max_size is None else f"{min_size:,} to {max_size:,}"
        raise TableError(
            f"None of the {len(sets):,} sets of {Path(path).name!r} can be tested: a set must "
            f"have {limits} of the table's {n_rows:,} rows, but not all rows. The sets have "
            f"{sizes.min():,} to {sizes.max():,} rows of the table.",
            "Pass larger sets."
            if max_size is None
            else f"Pass another {argument('min_size')} or {argument('max_size')}.",
        )
    names = list(sets)
    flat = np.concatenate([rows[number] for number in kept])
    ends = np.cumsum([0, *sizes[kept]])
    return RowSets(
        [names[number] for number in kept],
        sparse.csr_array((np.ones(len(flat)), flat, ends), shape=(len(kept), n_rows)),
        {reason: n for reason, which in reasons.items() if (n := int(which.sum()))},
    )


def _nothing_shared(
    sets: Mapping[str, Sequence[str]], rows_of: Mapping[str, Sequence[int]]
) -> TableError:
    members = dict.fromkeys(as_text(member) for each in sets.values() for member in each)
    by_case = {name.lower() for name in rows_of}
    return TableError(
        f"No row of the table is in any of the {len(sets):,} sets: the table has "
        f"{_listed(rows_of)}, the sets have {_listed(members)}.",
        ("The names differ only in upper and lower case. Write them the same way in both files.")
        if any(member.lower() in by_case for member in members)
        else (
            f"Name with {argument('identifier')} the column whose values the sets list, and use "
            "the same kind of identifier in both files."
        ),
    )


def _listed(names: Mapping[str, object]) -> str:
    shown = [_short(name) for name in list(names)[:_MOST_SHOWN]]
    return ", ".join([*shown, *(["..."] if len(names) > _MOST_SHOWN else [])]) or "none"


def _short(text: str, most: int = 40) -> str:
    return repr(text if len(text) <= most else text[: most - 3] + "...")
