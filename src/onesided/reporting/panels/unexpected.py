"""The page on new documents that belong to no known kind."""

from typing import Any, Literal, NotRequired, TypedDict

import pyarrow as pa

from onesided._charts import Chart
from onesided._text import without_options
from onesided._typing import Floats
from onesided.reporting._charts import HEIGHT, HistogramBin, histogram, histogram_chart, styled
from onesided.reporting._panel import Facts, Panel, Pictures

_SHOWN = 200
_FIRST = 5  # documents of a group that the page names
_BEGINNING = 1200  # characters of a document
_LOWEST, _HIGHEST = -6.0, 6.0  # robust standard deviations of the known documents


class DocumentRow(TypedDict):
    """One flagged or likely document, with the p-value of the written table.

    `text` is its beginning; `nearest_kind` is empty if the known documents have no kinds.
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
    """A group of similar documents."""

    number: int
    n_documents: int
    words: str
    first: list[str]


class KindRow(TypedDict):
    """Number of the other documents whose nearest kind this is."""

    kind: str
    n_documents: int


class UnexpectedReport(TypedDict):
    """New documents that belong to no known kind; in the histogram the known are the positives.

    `differs` says that new documents of known kinds differ from the known documents, so that more
    of the flagged documents than the share `fdr` may belong to a known kind.

    Examples
    --------
    >>> from onesided.reporting import summarize_unexpected
    >>> from onesided.unexpected import Documents, compare_documents
    >>> known = Documents(["k1", "k2", "k3"], ["late parcel", "lost parcel", "parcel is late"])
    >>> new = Documents(["n1", "n2"], ["the parcel is lost", "my account was hacked"])
    >>> report = summarize_unexpected(compare_documents(known, new))
    >>> report["n_known"], report["n_new"], report["n_flagged"]
    (3, 2, 0)
    >>> report["documents"][0]["text"], report["documents"][0]["words"]
    ('my account was hacked', 'account hacked')
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
    adopt: NotRequired[str]


def _facts(found: Any) -> Facts:
    """Facts of the record `onesided.unexpected.Unexpected`, which is in a later layer."""
    n_shown = min(max(found.n_flagged, found.n_likely), _SHOWN)
    shown, known, new = found.table.slice(0, n_shown), found.known, found.new
    kinds = known.kinds or [""] * len(known)
    columns = {
        "rank": shown["rank"],
        "identifier": shown.column(0),
        "words": shown["words"].fill_null(""),
        "text": [_beginning(new.texts[row]) for row in found.rows[:n_shown]],
        "nearest_known": shown["nearest_known"].fill_null(""),
        "nearest_kind": [kinds[row] for row in found.nearest[:n_shown]],
        "cosine": shown["cosine"].fill_null(0.0),
    }
    columns |= {name: shown[name] for name in ("adjusted_p_value", "flagged", "group")}
    return {
        "name": new.name,
        "n_known": len(known),
        "n_kinds": known.n_kinds,
        "n_new": len(new),
        "fdr": found.fdr,
        "differs": found.differs,
        "estimated": found.estimated,
        "n_flagged": found.n_flagged,
        "n_likely": found.n_likely,
        "histogram": histogram(found.known_scores, found.new_scores, _LOWEST, _HIGHEST),
        "documents": pa.table(columns).to_pylist(),
        "groups": [
            GroupRow(
                number=each.number,
                n_documents=each.n_documents,
                words=" ".join(each.words),
                first=each.ids[:_FIRST],
            )
            for each in found.groups
        ],
        "kinds": [KindRow(kind=kind, n_documents=n) for kind, n in found.kinds.items()],
        "notes": [without_options(note) for note in found.notes],
        "adopt": found.adopt,
    }


def _beginning(text: str) -> str:
    """The beginning of a document."""
    text = text.strip()
    return text if len(text) <= _BEGINNING else f"{text[:_BEGINNING].rstrip()} …"


def chart_of_scores(known: Floats, new: Floats) -> Chart:
    """Chart of the scores of known and of new documents, as on the page.

    Parameters
    ----------
    known, new : each of shape (n_documents,)
    """
    return _chart(histogram(known, new, _LOWEST, _HIGHEST))


def _chart(bins: list[HistogramBin]) -> Chart:
    return histogram_chart(
        bins,
        names=("new documents", "known documents"),
        title="score; 0 and below are likely unexpected",
        cut=0.0,
    )


def _charts(report: Facts) -> Pictures:
    chart = styled(_chart(report["histogram"]), HEIGHT)
    return {"histogram": (chart, "Distribution of the scores of known and of new documents.")}


PANEL = Panel(__file__, _facts, charts=_charts)
