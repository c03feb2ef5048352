"""What onesided writes into reference records, told from what others wrote there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

_MARK = "onesided: "
VERDICTS = {"yes": "included", "no": "excluded", "?": "cannot tell"}
"""Verdicts of a sheet, and how a reference record says them."""
_VERDICT = rf"(?:{'|'.join(VERDICTS.values())})(?:, rank [\d,]+)?"
_RANK = r"rank ([\d,]+) of ([\d,]+), score ([-+.\w]+)(?:, marked \w+)*"
_ANY = re.compile(rf"[;,]?\s*\b{_MARK}(?:{_VERDICT}|{_RANK})(?![\w-])", re.IGNORECASE)
_WHOLE = re.compile(rf"{_MARK}({_VERDICT}(?:; .*)?|{_RANK})", re.IGNORECASE)
_RANKED = re.compile(_RANK)


class Place(NamedTuple):
    """Rank and score of a record in a list, and the number of records that were ranked."""

    rank: int
    n_ranked: int
    score: float


def rank_remark(place: Place, marks: Iterable[str] = ()) -> str:
    """What a record says about its place in a ranking.

    Parameters
    ----------
    place : rank and score
    marks : names of the columns of the ranking that mark this record, such as in_shortlist
    """
    marked = "".join(f", marked {each}" for each in marks)
    return f"{_MARK}rank {place.rank:,} of {place.n_ranked:,}, score {place.score:g}{marked}"


def verdict_remark(verdict: str, rank: int | None = None, note: str = "") -> str:
    """What a record says about its verdict in a sheet: alone for a keyword, or with all it has.

    Parameters
    ----------
    verdict : a key of `VERDICTS`
    rank : rank of the record
    note : note of a person to the verdict
    """
    place = "" if rank is None else f", rank {rank:,}"
    remark = " ".join(note.split())  # a line of its own would be read as another note
    return f"{_MARK}{VERDICTS[verdict]}{place}" + f"; {remark}" * bool(remark)


def without_remarks(text: str, *, only_ranks: bool = False) -> str:
    """A note, keyword or other text without what onesided wrote; empty if nothing else is there.

    Parameters
    ----------
    text : text that another program may have joined with a remark
    only_ranks : whether verdicts stay
    """
    if _MARK not in text.lower():
        return text
    whole = _WHOLE.fullmatch(text.strip())
    if whole and not (only_ranks and whole[2] is None):
        return ""
    return _ANY.sub(lambda found: found[0] if only_ranks and found[1] is None else "", text)


def remarks_in(items: Iterable[str]) -> list[str]:
    """What onesided wrote into some texts, without its own name before it."""
    found: list[str] = []
    for text in items:
        whole = _WHOLE.fullmatch(text.strip())
        found += [whole[1]] if whole else [_plain(each[0]) for each in _ANY.finditer(text)]
    return found


def _plain(remark: str) -> str:
    return remark.lstrip(";, \n")[len(_MARK) :]


def place_in(remarks: Iterable[str]) -> Place | None:
    """The place that the last of `remarks_in` a record names; None if none does."""
    found = [match for each in remarks if (match := _RANKED.fullmatch(each))]
    if not found:
        return None
    rank, n_ranked = (int(each.replace(",", "")) for each in found[-1].groups()[:2])
    return Place(rank, n_ranked, float(found[-1][3]))
