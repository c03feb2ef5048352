"""The record of what was found among new documents."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from onesided._display import Displayed
from onesided._frames import frame_of_table
from onesided._text import argument
from onesided._typing import Floats, Ints
from onesided.unexpected._documents import Documents, known_columns, notes_of_kinds
from onesided.unexpected._groups import Group

if TYPE_CHECKING:
    from onesided.reporting import UnexpectedReport

_DIFFERENT = 0.01  # p-value below which known and new are said to differ
_MOST_SHOWN = 10


@dataclass(frozen=True)
class Unexpected(Displayed):
    """What was found among new documents.

    Attributes
    ----------
    known, new : the documents that were compared
    fdr : share of known kinds among the flagged, at most, in expectation
    table : a row a document, the most unexpected first
    rows, nearest : shape (n_new,), rows of the new documents in that order, and the nearest known
    known_scores, new_scores : shape (n_known,) and (n_new,), of documents that hold a word; the
        known left out in turn. At 0 and below a document is likely unexpected
    estimated : number of unexpected documents, estimated
    n_flagged, n_likely : documents flagged at the rate, and at or below 0
    n_wordless : new documents without any word
    n_ungrouped : flagged or likely ones that were too many to be grouped
    groups : of similar ones
    kinds : number of the other documents, by the known kind that they are most like
    exchangeable : p-value of known and new documents being alike where they are known; None if
        there are too few
    fewest_flagged : documents that must stand out together for any to be flagged, by the number of
        the known
    top : number of documents that are listed; None is all of them
    identifier, text : the columns that were asked for
    """

    known: Documents
    new: Documents
    fdr: float

    table: pa.Table
    rows: Ints
    nearest: Ints
    known_scores: Floats
    new_scores: Floats
    estimated: float
    n_flagged: int
    n_likely: int
    n_wordless: int
    n_ungrouped: int
    groups: list[Group]
    kinds: dict[str, int]
    exchangeable: float | None
    fewest_flagged: int
    top: int | None = None
    identifier: str = ""
    text: tuple[str, ...] = ()

    @property
    def listed(self) -> pa.Table:
        """The first rows of the table, as many as were asked for."""
        return self.table if self.top is None else self.table.slice(0, self.top)

    @property
    def differs(self) -> bool:
        """Whether new documents of known kinds are unlike the known ones: no rate is promised."""
        return self.exchangeable is not None and self.exchangeable < _DIFFERENT

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know of the result, a sentence or two each."""
        notes = notes_of_kinds(self.known, self.new)
        if self.differs:
            notes.append(
                "The new documents of known kinds differ from the known documents as a whole "
                f"(p = {self.exchangeable:.1g}), for example because they come from another "
                "time or source. More of the flagged documents may belong to a known kind "
                "than promised."
            )
        if not self.n_flagged:
            least = min(self.table["adjusted_p_value"].to_pylist())
            together = (
                f" With so few known documents, at least {self.fewest_flagged:,} new "
                "documents must stand out together before any is flagged at "
                f"{argument('fdr', float(f'{self.fdr:g}'))}."
            )
            notes.append(
                f"No document is flagged; the smallest adjusted p-value is {least:.2g}."
                + together * (self.fewest_flagged > 1)
            )
        if self.n_wordless:
            notes.append(
                f"New documents without words: {self.n_wordless:,}. These documents cannot be "
                "judged and come last."
            )
        if self.n_ungrouped:
            notes.append(
                f"{self.n_ungrouped:,} documents further down the list were not grouped, "
                "because so many distances do not fit into memory."
            )
        return tuple(notes)

    def known_table(self) -> pa.Table:
        """The known documents as a table, for the next run.

        Raises
        ------
        TableError : if two of its columns would have one name
        """
        names = known_columns(self.identifier, self.known.kind, self.text)
        return self.known.to_table(*names)

    def report(self, command: str = "") -> "UnexpectedReport":
        """The dictionary of a report, as `onesided.reporting.render` makes a page of it.

        Parameters
        ----------
        command : of the command line that makes the same report
        """
        from onesided.reporting import (  # noqa: PLC0415 - it loads the charts
            FlaggedDocuments,
            summarize_unexpected,
        )

        kinds = self.known.kinds or [""] * len(self.known)
        return summarize_unexpected(
            FlaggedDocuments(
                name=self.new.name,
                n_known=len(self.known),
                n_kinds=self.known.n_kinds,
                table=self.table,
                texts=[self.new.texts[i] for i in self.rows],
                nearest_kinds=[kinds[i] for i in self.nearest],
                known_scores=self.known_scores,
                new_scores=self.new_scores,
                fdr=self.fdr,
                estimated=self.estimated,
                differs=self.differs,
                groups=[(each.words, each.ids) for each in self.groups],
                kinds=self.kinds,
                notes=self.notes,
                command=command,
            )
        )

    def to_frame(self, backend: str | None = None) -> Any:
        """The documents that are listed, a row each, the most unexpected first.

        Parameters
        ----------
        backend : "pandas", "polars" or "pyarrow"; by default the first that is installed
        """
        return frame_of_table(self.listed, backend)

    def __str__(self) -> str:
        of_known = (
            (
                f"more than {self.fdr:.0%} of the flagged documents may belong to a known kind: "
                "see the note"
            )
            if self.differs
            else (
                f"in expectation at most {self.fdr:.0%} of the flagged documents belong to a "
                "known kind, if new documents of known kinds resemble the known documents"
            )
        )
        shown = min(max(self.n_flagged, min(self.n_likely, _MOST_SHOWN)), _MOST_SHOWN)
        return "\n".join(
            [
                (
                    f"Documents of no known kind: about {self.estimated:,.0f} of the new "
                    "documents (an estimate)"
                ),
                f"  flagged  {self.n_flagged:>6,}  {of_known}",
                (
                    f"  likely   {self.n_likely:>6,}  unexpected by an estimated threshold, "
                    "without this promise"
                ),
                *(
                    f"  {row['rank']:>4}  {row['id']}: {row['words'] or ''}"
                    for row in self.table.slice(0, shown).to_pylist()
                ),
                *(
                    f"  group {group.number}, {group.n_documents:,} documents: "
                    f"{' '.join(group.words)}"
                    for group in self.groups[:_MOST_SHOWN]
                ),
                *(f"  of kind {name or '(no name)'}: {n:,}" for name, n in self.kinds.items()),
                *(f"note: {note}" for note in self.notes),
            ]
        )
