"""Rows of a file of known rows that are not in the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from onesided._text import agreeing, counted

_MOST_SHOWN = 3


@dataclass(frozen=True)
class AbsentRows:
    """Rows of one file of known rows that are not in the table, although rows can be matched.

    Attributes
    ----------
    file, table : names of the two files
    names : names of the absent rows, as a person knows them
    n_rows : number of all rows of the file
    noun : "record", "document" or "row"
    are_added : whether the rows are learned from; rows without columns to learn from are left out
    why : for some of the names, why the row is not the same as a similar row of the table
    by_case : for some of the names, the name in the table that equals it apart from letter case
    """

    file: str
    table: str
    names: tuple[str, ...]
    n_rows: int
    noun: str = "row"
    are_added: bool = True
    why: Mapping[str, str] = field(default_factory=dict)
    by_case: Mapping[str, str] = field(default_factory=dict)

    @property
    def sentence(self) -> str:
        """How many rows of the file were added; empty if the warning says more."""
        if self.warning:
            return ""
        return (
            f"{self.noun}s of {self.file} that are not in {self.table}, added: "
            f"{len(self.names):,} of {self.n_rows:,} ({self._examples})"
        )

    @property
    def warning(self) -> str:
        """What a person should check; empty if some rows were found and none looks misspelled."""
        n_absent = len(self.names)
        is_any_found = n_absent < self.n_rows
        if self.are_added and is_any_found and not self.why and not self.by_case:
            return ""
        what = (
            f"{n_absent:,} of {counted(self.n_rows, self.noun)} of {self.file!r} "
            f"{agreeing(n_absent)} not in {self.table!r}: {self._examples}. "
            if is_any_found
            else f"No {self.noun} of {self.file!r} is in {self.table!r}: {self._examples}. "
        )
        if not self.are_added:
            end = "left out, because that file has no columns to learn from."
            return f"{what}{self._they} {end}{self._mend}"
        return f"{what}{self._they} added to the table.{self._mend}"

    @property
    def _they(self) -> str:
        is_one = len(self.names) == 1
        return f"This {self.noun} is" if is_one else f"These {self.noun}s are"

    @property
    def _mend(self) -> str:
        if self.by_case:
            return f" {case_sentence(self.by_case, len(self.names), self.table)}"
        if self.why:
            return " If a record is in both files, give it the same DOI in both."
        if self.are_added:
            return " If they should be in the table, name the rows in the same way in both files."
        return ""

    @property
    def _examples(self) -> str:
        """The first names, those with a reason before the others."""
        names = sorted(self.names, key=lambda name: name not in self.why)[:_MOST_SHOWN]
        shown = ", ".join(
            f"{name!r} ({self.why[name]})" if name in self.why else repr(name) for name in names
        )
        return f"{shown}, ..." if len(self.names) > _MOST_SHOWN else shown


def case_sentence(by_case: Mapping[str, str], n_absent: int, table: str) -> str:
    """That names differ from those of the table only in letter case, and the mend."""
    wrong, right = next(iter(by_case.items()))
    return (
        f"{len(by_case):,} of {counted(n_absent, 'name')} would be found if letter case did not "
        f"count. Write them as in {table!r}: {right!r}, not {wrong!r}."
    )
