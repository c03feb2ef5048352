"""Gene sets: named sets of row identifiers."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from pathlib import Path

import numpy as np
import pyarrow as pa
from scipy import sparse

from onesided._files._encoding import utf16_decoder
from onesided._files._find import check_file_name
from onesided._files._foreign import refuse_foreign
from onesided._files._names import values_of
from onesided._files._packed import opened
from onesided._files._whole import check_size
from onesided._text import argument, as_text, counted, first_line
from onesided._typing import CSR, Array, Bools
from onesided.exceptions import TableError
from onesided.tables._known_rows import as_paths, names_in_words

_MOST_SHOWN = 3
_FORM = "A line is a name, a description and the members, with tabs between them"


def read_gene_sets(path: str | os.PathLike[str]) -> dict[str, list[str]]:
    """Read the sets of a GMT file.

    Parameters
    ----------
    path : a text file, which may be compressed, with a set on each line: name, description and
        members, with tabs between them. Blank lines, blank cells and duplicate members are skipped.

    Returns
    -------
    members of each set by its name, in the order of the file

    Raises
    ------
    TableError : if there is no such file, or it is not a GMT file

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "sets.gmt"
    >>> tab = chr(9)
    >>> _ = path.write_text(tab.join(["cell cycle", "from a textbook", "CLN1", "CLN2", "SWI4"]))
    >>> from onesided.enriched import read_gene_sets
    >>> read_gene_sets(path)
    {'cell cycle': ['CLN1', 'CLN2', 'SWI4']}
    """
    file = Path(path)
    return _members(file, _read_lines(file))


@dataclass(frozen=True)
class _SetLine:
    """A line of a GMT file.

    Attributes
    ----------
    number : of the line
    name : of the set
    cells : after the name, the description first
    """

    number: int
    name: str
    cells: list[str]


def _read_lines(file: Path) -> list[_SetLine]:
    """The lines that are not blank, each with the name of a set and more."""
    found: list[_SetLine] = []
    for number, line in enumerate(_lines(file), start=1):
        if not line.strip():
            continue
        name, *cells = (cell.strip() for cell in line.split("\t"))
        where = f"Line {number} of {file.name!r}"
        if not cells:
            raise TableError(f"{where} has no tab: {_short(line)}.", f"{_FORM}.")
        if not name:
            raise TableError(f"{where} does not have a name before the first tab.", f"{_FORM}.")
        found.append(_SetLine(number, name, cells))
    if not found:
        raise TableError(f"The file {str(file)!r} holds no set.", f"{_FORM}.")
    return found


def _members(
    file: Path, sets: Sequence[_SetLine], *, has_descriptions: bool = True
) -> dict[str, list[str]]:
    """Members of each set by its name; without descriptions the members follow the name."""
    members: dict[str, list[str]] = {}
    lines: dict[str, int] = {}
    for each in sets:
        where = f"Line {each.number} of {file.name!r}"
        found = list(dict.fromkeys(filter(None, each.cells[has_descriptions:])))
        if not found:
            raise TableError(
                f"{where}, set {each.name!r}, has no members.",
                f"{_FORM}; write two tabs for an empty description, or remove the line.",
            )
        if each.name in members:
            raise TableError(
                f"{where} is a second set named {each.name!r}; the first is on line "
                f"{lines[each.name]}.",
                "Give each set its own name.",
            )
        members[each.name], lines[each.name] = found, each.number
    return members


@dataclass(frozen=True)
class _SetFile:
    """The sets of one file, matched with a table: members and descriptions by their names."""

    file: Path
    members: dict[str, list[str]]
    descriptions: dict[str, str]
    has_descriptions: bool

    @classmethod
    def of(cls, file: Path, rows_of: Collection[str]) -> _SetFile:
        lines = _read_lines(file)
        has = _has_descriptions(lines, rows_of)
        members = _members(file, lines, has_descriptions=has)
        return cls(file, members, {each.name: each.cells[0] for each in lines if has}, has)


def _has_descriptions(sets: Sequence[_SetLine], rows_of: Collection[str]) -> bool:
    """Whether the cells after the names are rows of the table less than half as often as others."""
    first = [as_text(each.cells[0]) in rows_of for each in sets]
    others = [as_text(cell) in rows_of for each in sets for cell in each.cells[1:] if cell]
    return sum(first) * 2 * len(others) < sum(others) * len(first) or not any(first)


def _lines(path: Path) -> list[str]:
    if not path.exists():
        raise TableError(f"There is no file {str(path)!r}.", "Check the path.")
    if not path.is_file():
        raise TableError(f"{str(path)!r} is not an ordinary file.", "Pass one GMT file.")
    check_file_name(path)
    refuse_foreign(path)
    check_size(path, [path], "Pass fewer sets.")
    try:
        with opened(path) as stream:
            content: bytes = stream.read()
    except OSError as error:
        raise TableError(
            f"{str(path)!r} cannot be read: {first_line(error)}.", "Check that it is complete."
        ) from error
    try:
        is_utf16 = utf16_decoder(content) is not None
        text = content.decode("utf-16" if is_utf16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise TableError(
            f"Line {line} of {path.name!r} is not {'UTF-16' if is_utf16 else 'UTF-8'} text: byte "
            f"{content[error.start]:#x}.",
            "Save the file as UTF-8.",
        ) from error
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


@dataclass(frozen=True)
class RowSets:
    """Sets of the rows of a table.

    Attributes
    ----------
    names : names of the sets, shape (n_sets,)
    members : 1 for the members of a set and 0 for other rows, shape (n_sets, n_rows)
    left_out : number of excluded sets for each reason
    has_descriptions : whether the lines of the files have a description after the name
    descriptions : description of each set; "" if the file has no description
    n_like_rows : number of descriptions that equal a row of the table, in any letter case

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_matrix
    >>> from onesided.enriched import RowSets
    >>> sets = RowSets(["cell cycle"], csr_matrix([[1.0, 0, 1]]), left_out={})
    >>> sets.by_name()["cell cycle"]
    array([ True, False,  True])
    """

    names: list[str]
    members: CSR
    left_out: dict[str, int]
    has_descriptions: bool = True
    descriptions: list[str] = field(default_factory=list)
    n_like_rows: int = 0

    def by_name(self) -> dict[str, Bools]:
        """The members of each set as a mask of shape (n_rows,)."""
        rows = (self.members[[number]].toarray().ravel() > 0 for number in range(len(self.names)))
        return dict(zip(self.names, rows, strict=True))

    def within(self, strata: Array | None) -> RowSets:
        """Return the sets with another matched set: some stratum holds members and other rows.

        Parameters
        ----------
        strata : shape (n_rows,); None for one stratum of all rows

        Raises
        ------
        TableError : if there is no such set
        """
        if strata is None:
            return self
        sets = self.by_name().values()
        kept = np.array([np.isin(strata[~each], strata[each]).any() for each in sets])
        if kept.all():
            return self
        if not kept.any():
            raise TableError(
                f"None of {counted(len(kept), 'positive set')} can be matched: each stratum with a "
                "positive row has only positive rows, so there are no other sets to compare with.",
                f"Pass a column with fewer different values as {argument('match')}, or none.",
            )
        return replace(
            self,
            names=[*compress(self.names, kept)],
            members=self.members[kept],
            left_out=self.left_out | {"of all rows of their strata": int((~kept).sum())},
            descriptions=[*compress(self.descriptions, kept)],
        )


def match_sets(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    ids: pa.ChunkedArray,
    *,
    min_size: int,
    max_size: int | None = None,
) -> RowSets:
    """Match the sets of one GMT file, or of several, with the rows of a table.

    Identifiers are compared as text; 7.0 equals 7. If several rows share an identifier, all of
    these rows are in the set. A set of all rows is excluded. The second cell of a line may
    be a description or a member. These cells count as members if they are rows of the table at
    least half as often as the cells after them.

    Parameters
    ----------
    path : a GMT file, as in `read_gene_sets`, or several GMT files, whose sets are all used
    ids : identifier of each row, shape (n_rows,)
    min_size, max_size : limits on the number of rows of a set; None for no limit

    Raises
    ------
    TableError : if the file is not a GMT file, or no set is within the limits

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "sets.gmt"
    >>> tab = chr(9)
    >>> _ = path.write_text(tab.join(["cell cycle", "from a textbook", "CLN1", "CLN2", "SWI4"]))
    >>> import pyarrow as pa
    >>> from onesided.enriched import match_sets
    >>> sets = match_sets(path, pa.chunked_array([["CLN1", "ACT1", "SWI4"]]), min_size=2)
    >>> sets.names, sets.members.toarray().astype(int).tolist()
    (['cell cycle'], [[1, 0, 1]])
    """
    if max_size is not None and min_size > max_size:
        raise TableError(
            f"{argument('min_size')} {min_size} is above {argument('max_size')} {max_size}.",
            f"Pass a {argument('max_size')} of at least {min_size}, or a smaller "
            f"{argument('min_size')}.",
        )
    files = as_paths(path)
    rows_of: dict[str, list[int]] = {}
    for row, cell in enumerate(values_of(ids)):
        if name := as_text(cell):
            rows_of.setdefault(name, []).append(row)
    read = [_SetFile.of(file, rows_of) for file in files]
    sets: dict[str, list[str]] = {}
    for each in read:
        if both := sets.keys() & each.members.keys():
            raise TableError(
                f"Two of the files of gene sets have a set named {min(both)!r}; the second is "
                f"{each.file.name!r}.",
                "Give each set its own name, and pass each file once.",
            )
        sets |= each.members
    descriptions = {name: text for each in read for name, text in each.descriptions.items()}
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
        f"of fewer than {counted(min_size, 'row')}": (sizes > 0) & (sizes < min_size),
        f"of more than {counted(most, 'row')}": (sizes > most) & (sizes < n_rows),
        "of all rows": (sizes == n_rows) & (sizes >= min_size),
    }
    kept = np.flatnonzero(~np.any(list(reasons.values()), axis=0))
    if not len(kept):
        limits = f"at least {min_size:,}" if max_size is None else f"{min_size:,} to {max_size:,}"
        raise TableError(
            f"None of {counted(len(sets), 'set')} of {names_in_words(files)} can be tested: a "
            "set must "
            f"have {limits} of the table's {n_rows:,} rows, but not all rows. The sets have "
            f"{sizes.min():,} to {counted(sizes.max(), 'row')} of the table.",
            "Pass larger sets."
            if max_size is None
            else f"Pass another {argument('min_size')} or {argument('max_size')}.",
        )
    names, by_case = list(sets), {name.lower() for name in rows_of}
    flat = np.concatenate([rows[number] for number in kept])
    ends = np.cumsum([0, *sizes[kept]])
    return RowSets(
        [names[number] for number in kept],
        sparse.csr_array((np.ones(len(flat)), flat, ends), shape=(len(kept), n_rows)),
        {reason: n for reason, which in reasons.items() if (n := int(which.sum()))},
        all(each.has_descriptions for each in read),
        [descriptions.get(names[number], "") for number in kept],
        sum(as_text(text).lower() in by_case for text in descriptions.values()),
    )


def _nothing_shared(
    sets: Mapping[str, Sequence[str]], rows_of: Mapping[str, Sequence[int]]
) -> TableError:
    members = dict.fromkeys(as_text(member) for each in sets.values() for member in each)
    by_case = {name.lower() for name in rows_of}
    mend = (
        "The names differ only in upper and lower case. Write them the same way in both files."
        if any(member.lower() in by_case for member in members)
        else f"Name with {argument('identifier')} the column whose values the sets list, and use "
        "the same kind of identifier in both files."
    )
    return TableError(
        f"No row of the table is in any of {counted(len(sets), 'set')}: the table has "
        f"{_listed(rows_of)}, the sets have {_listed(members)}.",
        mend,
    )


def _listed(names: Mapping[str, object]) -> str:
    shown = [_short(name) for name in list(names)[:_MOST_SHOWN]]
    return ", ".join([*shown, *(["..."] if len(names) > _MOST_SHOWN else [])]) or "none"


def _short(text: str, most: int = 40) -> str:
    return repr(text if len(text) <= most else text[: most - 3] + "...")
