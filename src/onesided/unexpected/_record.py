"""The result of a search for new documents that belong to no known kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from onesided._display import Displayed
from onesided._frames import frame_of_table
from onesided._text import agreeing, as_percent, counted
from onesided._typing import Floats, Ints
from onesided.unexpected._documents import Documents, known_columns, notes_of_kinds
from onesided.unexpected._groups import Group

if TYPE_CHECKING:
    from collections.abc import Sequence

    from onesided.reporting import Page, Panel

_DIFFERENT = 0.01  # smaller p-values mean that the known and the new documents differ
_MOST_SHOWN = 10


@dataclass(frozen=True)
class Unexpected(Displayed):
    """New documents, the most unexpected first, and groups of similar unexpected documents.

    Attributes
    ----------
    known, new : the documents that were compared
    fdr : largest expected share of known kinds among the flagged documents
    table : one row for each new document, the most unexpected first
    rows, nearest : for each row of `table`, the index of the document in `new`, and the index of
        the nearest document in `known`; both of shape (n_new,)
    known_scores, new_scores : shape (n_known,) and (n_new,), scores of the documents with words;
        each known document was left out in turn. Scores of 0 and below are likely unexpected
    estimated : estimated number of unexpected documents
    n_flagged, n_likely : numbers of flagged documents, and of documents with scores of 0 and below
    n_wordless : number of new documents without words
    n_ungrouped : number of flagged or likely documents that were not grouped, because there were
        too many
    groups : groups of similar documents
    kinds : number of the other documents by their nearest known kind
    exchangeable : p-value of the null hypothesis that new documents of known kinds resemble the
        known documents; None if there are too few documents
    fewest_flagged : smallest number of new documents that must stand out together before any
        document is flagged; it depends on the number of known documents
    top : number of listed documents; None for all
    identifier, text : the columns that the caller asked for
    adopt : the start of a command that makes a group a known kind; GROUP=KIND follows it

    Examples
    --------
    >>> from onesided.unexpected import Documents, compare_documents
    >>> known = Documents(["k1", "k2", "k3"], ["late parcel", "lost parcel", "parcel is late"])
    >>> new = Documents(["n1", "n2"], ["the parcel is lost", "my account was hacked"])
    >>> compare_documents(known, new).to_frame("pandas")["id"].tolist()
    ['n2', 'n1']
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
    adopt: str = ""

    @property
    def listed(self) -> pa.Table:
        """The first `top` rows of the table."""
        return self.table if self.top is None else self.table.slice(0, self.top)

    @property
    def differs(self) -> bool:
        """Whether new documents of known kinds differ from the known documents.

        In that case the limit `fdr` does not hold.
        """
        return self.exchangeable is not None and self.exchangeable < _DIFFERENT

    @property
    def n_repeated(self) -> int:
        """Number of new documents that have the same text as a known document."""
        known = set(self.known.texts)
        return sum(text in known for text in self.new.texts if text.strip())

    @property
    def _mostly_repeated(self) -> bool:
        return self.n_repeated > len(self.new) / 2

    @property
    def _note_of_difference(self) -> str:
        """How the new documents differ as a whole; empty if another note gives the reason."""
        if not self.differs or self._mostly_repeated:
            return ""
        return (
            "The new documents of known kinds differ from the known documents as a whole "
            f"(p = {self.exchangeable:.1g}), for example because they come from another time or "
            "source. More of the flagged documents may belong to a known kind than promised."
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Warnings about the result, one or two sentences each."""
        notes = notes_of_kinds(self.known, self.new)
        if self.n_repeated:
            notes.append(
                f"New documents with the same text as a known document: {self.n_repeated:,} of "
                f"{len(self.new):,}. Such documents are not unexpected."
                + " Check that the right documents were passed as new."
                * self._mostly_repeated
            )
        if self._note_of_difference:
            notes.append(self._note_of_difference)
        if not self.n_flagged:
            least = min(self.table["adjusted_p_value"].to_pylist())
            note = f"No document is flagged; the smallest adjusted p-value is {least:.2g}."
            if self.fewest_flagged > 1:
                note += (
                    f" With so few known documents, at least {self.fewest_flagged:,} new "
                    "documents must stand out together before any is flagged, if at most "
                    f"{as_percent(self.fdr)} of the flagged may belong to a known kind."
                )
            notes.append(note)
        if self.n_wordless:
            notes.append(
                f"New documents without words: {self.n_wordless:,}. These documents cannot be "
                "judged and come last."
            )
        if self.n_ungrouped:
            notes.append(
                f"{counted(self.n_ungrouped, 'document')} further down the list "
                f"{agreeing(self.n_ungrouped, 'were')} not grouped, "
                "because so many distances do not fit into memory."
            )
        return tuple(notes)

    def known_table(self) -> pa.Table:
        """The known documents as a table for the next run.

        Raises
        ------
        TableError : if two columns would have the same name
        """
        return self.known.to_table(*known_columns(self.identifier, self.known.kind, self.text))

    def plot(self) -> Any:
        """Altair chart of the scores of the known and of the new documents.

        Documents with scores of 0 and below are likely unexpected.
        """
        from onesided.reporting.panels import unexpected  # noqa: PLC0415 - it loads Altair

        return unexpected.chart_of_scores(self.known_scores, self.new_scores)

    def report(self, command: str = "", panels: Sequence[Panel] | None = None) -> Page:
        """The page with the unexpected documents, and its numbers.

        Parameters
        ----------
        command : the command line that makes the same report
        panels : the panels of the page; by default those of a report on new documents
        """
        from onesided import reporting  # noqa: PLC0415 - it loads Altair

        return reporting.Page(reporting.summarize_unexpected(self, command, panels), panels)

    def to_frame(self, backend: str | None = None) -> Any:
        """The listed documents, one row each, the most unexpected first.

        Parameters
        ----------
        backend : "pandas", "polars" or "pyarrow"; by default the first of these that is installed
        """
        return frame_of_table(self.listed, backend)

    @property
    def _of_flagged(self) -> str:
        """What holds of the flagged documents."""
        if not self.n_flagged:
            return "no document stands out enough: see the note"
        if self.differs:
            return (
                f"more than {self.fdr:.0%} of the flagged documents may belong to a known kind"
                + ": see the note" * bool(self._note_of_difference)
            )
        return (
            f"in expectation at most {self.fdr:.0%} of the flagged documents belong to a known "
            "kind, if new documents of known kinds resemble the known documents"
        )

    def _in_words(self) -> str:
        """The numbers and the notes; the documents are in the table below."""
        estimated = f"{self.estimated:,.0f} of {counted(len(self.new), 'new document')}"
        said = [f"About {estimated} belong to no known kind (an estimate)."]
        said.append(f"{self.n_flagged:,} are flagged: {self._of_flagged}.")
        said.append(
            f"{self.n_likely:,} are likely unexpected by an estimated threshold, without this "
            "promise."
        )
        return "\n".join([*said, *(f"note: {note}" for note in self.notes)])

    def __str__(self) -> str:
        both = zip(*(self.table[each].to_pylist() for each in ("flagged", "likely")), strict=True)
        n_both = sum(map(all, both))
        shown = min(max(self.n_flagged, min(self.n_likely, _MOST_SHOWN)), _MOST_SHOWN)
        return "\n".join(
            [
                (
                    f"Documents of no known kind: about {self.estimated:,.0f} of the new "
                    "documents (an estimate)"
                ),
                f"  flagged  {self.n_flagged:>6,}  {self._of_flagged}",
                (
                    f"  likely   {self.n_likely:>6,}  unexpected by an estimated threshold, "
                    f"without this promise{f'; {n_both:,} of these are flagged' * (n_both > 0)}"
                ),
                *(
                    f"  {row['rank']:>4}  {row[self.table.column_names[0]]}: {row['words'] or ''}"
                    for row in self.table.slice(0, shown).to_pylist()
                ),
                *(
                    f"  group {group.number}, {counted(group.n_documents, 'document')}: "
                    f"{' '.join(group.words)}"
                    for group in self.groups[:_MOST_SHOWN]
                ),
                *(f"  of kind {name or '(no name)'}: {n:,}" for name, n in self.kinds.items()),
                *(f"note: {note}" for note in self.notes),
            ]
        )
