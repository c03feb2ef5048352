"""From unexpected documents to the dictionary of a report."""

from collections.abc import Sequence
from typing import Any

from onesided import __version__
from onesided.reporting._schema import DocumentRow, GroupRow, KindRow, UnexpectedReport
from onesided.reporting._summary import histogram

_SHOWN = 200
_FIRST = 5  # documents of a group that are named
_BEGINNING = 1200  # characters of a document
_LOWEST, _HIGHEST = -6.0, 6.0  # spreads of the known


def summarize_unexpected(
    *,
    name: str,
    known: Any,
    new: Any,
    found: Any,
    fdr: float,
    notes: Sequence[str],
    command: str,
) -> UnexpectedReport:
    """All that a report on new documents shows.

    Parameters
    ----------
    name : of the new documents
    known, new : documents
    found : among the new
    fdr : share of known kinds among the flagged, at most
    notes : one sentence or two each
    command : that made the report
    """
    n_shown = min(max(found.n_flagged, found.n_likely), _SHOWN)
    kinds = known.kinds or [""] * len(known)
    rows = found.table.slice(0, n_shown).to_pylist()
    return UnexpectedReport(
        form="unexpected",
        version=__version__,
        command=command,
        name=name,
        n_known=len(known),
        n_kinds=len(set(known.kinds or [])),
        n_new=len(new),
        fdr=fdr,
        differs=found.differs,
        estimated=found.estimated,
        n_flagged=found.n_flagged,
        n_likely=found.n_likely,
        histogram=histogram(found.known_scores, found.new_scores, _LOWEST, _HIGHEST),
        documents=[
            DocumentRow(
                rank=row["rank"],
                identifier=row["id"],
                words=row["words"] or "",
                text=_beginning(new.texts[i]),
                nearest_known=row["nearest_known"] or "",
                nearest_kind=kinds[nearest],
                cosine=row["cosine"] or 0.0,
                adjusted_p_value=row["adjusted_p_value"],
                flagged=row["flagged"],
                group=row["group"],
            )
            for row, i, nearest in zip(rows, found.rows, found.nearest, strict=False)
        ],
        groups=[
            GroupRow(
                number=group.number,
                n_documents=group.n_documents,
                words=" ".join(group.words),
                first=group.ids[:_FIRST],
            )
            for group in found.groups
        ],
        kinds=[KindRow(kind=kind, n_documents=n) for kind, n in found.kinds.items()],
        notes=list(notes),
    )


def _beginning(text: str) -> str:
    """The first lines of a document."""
    text = text.strip()
    return text if len(text) <= _BEGINNING else f"{text[:_BEGINNING].rstrip()} …"
