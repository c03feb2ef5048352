"""The page on new documents that belong to no known kind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict

import pyarrow as pa

from onesided._text import as_options
from onesided._typing import Floats
from onesided.reporting._charts import HistogramBin, histogram, histogram_chart
from onesided.reporting._panel import Facts, Panel, Pictures

_SHOWN = 200
_FIRST = 5  # documents of a group that are named
_BEGINNING = 1200  # characters of a document
_LOWEST, _HIGHEST = -6.0, 6.0  # spreads of the known


@dataclass(frozen=True)
class FlaggedDocuments:
    """New documents, and which of them belong to no known kind.

    Attributes
    ----------
    name : of the new documents
    n_known, n_kinds : known documents, and their kinds
    table : a row for each new document, the most unexpected first, with the columns `rank`, `id`,
        `words`, `nearest_known`, `cosine`, `adjusted_p_value`, `flagged`, `likely` and `group`
    texts, nearest_kinds : of the new documents, in the order of the table: the text, and the kind
        of the nearest known document, which is empty where the known have no kinds
    known_scores, new_scores : shape (n_known,) and (n_new,), of the documents that hold a word
    fdr : share of known kinds among the flagged documents, at most
    estimated : number of documents of no known kind, estimated
    differs : whether new documents of known kinds are unlike the known ones
    groups : words and identifiers of documents that are like each other, the largest group first
    kinds : number of the other documents, by the known kind that they are most like
    notes : what a reader must know, a sentence or two each
    command : of the command line that finds the same
    """

    name: str
    n_known: int
    n_kinds: int
    table: pa.Table
    texts: Sequence[str]
    nearest_kinds: Sequence[str]
    known_scores: Floats
    new_scores: Floats
    fdr: float
    estimated: float
    differs: bool
    groups: Sequence[tuple[Sequence[str], Sequence[str]]]
    kinds: Mapping[str, int]
    notes: Sequence[str]
    command: str


class DocumentRow(TypedDict):
    """One new document that stands out; p-values as in the table that is written.

    `text` is how it begins; `nearest_kind` is empty where the known have no kinds.
    """

    rank: int
    identifier: str
    words: str
    text: str
    nearest_known: str
    nearest_kind: str
    cosine: float
    adjusted_p_value: float
    flagged: bool
    group: int | None


class GroupRow(TypedDict):
    """Documents that are like each other."""

    number: int
    n_documents: int
    words: str
    first: list[str]


class KindRow(TypedDict):
    """How many of the other documents are most like a known kind."""

    kind: str
    n_documents: int


class UnexpectedReport(TypedDict):
    """New documents that belong to no known kind. The histogram's positives are the known.

    `differs` says that new documents of known kinds are unlike the known ones, and that more of the
    flagged may be of a known kind than the share `fdr`.
    """

    form: Literal["unexpected"]
    version: str
    command: str
    name: str
    n_known: int
    n_kinds: int
    n_new: int
    fdr: float
    differs: bool
    estimated: float
    n_flagged: int
    n_likely: int
    histogram: list[HistogramBin]
    documents: list[DocumentRow]
    groups: list[GroupRow]
    kinds: list[KindRow]
    notes: list[str]


def _facts(found: FlaggedDocuments) -> Facts:
    n_flagged, n_likely = (sum(found.table[name].to_pylist()) for name in ("flagged", "likely"))
    n_shown = min(max(n_flagged, n_likely), _SHOWN)
    shown = found.table.slice(0, n_shown)
    columns = {
        "rank": shown["rank"],
        "identifier": shown["id"],
        "words": shown["words"].fill_null(""),
        "text": [_beginning(text) for text in found.texts[:n_shown]],
        "nearest_known": shown["nearest_known"].fill_null(""),
        "nearest_kind": found.nearest_kinds[:n_shown],
        "cosine": shown["cosine"].fill_null(0.0),
    }
    columns |= {name: shown[name] for name in ("adjusted_p_value", "flagged", "group")}
    return {
        "name": found.name,
        "n_known": found.n_known,
        "n_kinds": found.n_kinds,
        "n_new": found.table.num_rows,
        "fdr": found.fdr,
        "differs": found.differs,
        "estimated": found.estimated,
        "n_flagged": n_flagged,
        "n_likely": n_likely,
        "histogram": histogram(found.known_scores, found.new_scores, _LOWEST, _HIGHEST),
        "documents": pa.table(columns).to_pylist(),
        "groups": [
            GroupRow(
                number=n, n_documents=len(ids), words=" ".join(words), first=list(ids[:_FIRST])
            )
            for n, (words, ids) in enumerate(found.groups, start=1)
        ],
        "kinds": [KindRow(kind=kind, n_documents=n) for kind, n in found.kinds.items()],
        "notes": [as_options(note) for note in found.notes],
    }


def _beginning(text: str) -> str:
    """The first lines of a document."""
    text = text.strip()
    return text if len(text) <= _BEGINNING else f"{text[:_BEGINNING].rstrip()} …"


def _charts(report: Facts) -> Pictures:
    chart = histogram_chart(
        report["histogram"],
        names=("new documents", "known documents"),
        title="score; 0 and below are likely unexpected",
        cut=0.0,
    )
    return {"histogram": (chart, "Distribution of the scores of known and of new documents.")}


PANEL = Panel(__file__, _facts, charts=_charts)
