"""The causes of a decision in words, and the most important attributes in a chart."""

from __future__ import annotations

from typing import Any

import numpy as np

from onesided._text import counted, counted_of
from onesided._typing import Array, Floats

_SHOWN = 0.005  # least nats that are not printed as 0.00


def in_words(evidence: Floats, score: float, names: Array, decision: str, most: int) -> str:
    """The causes of one decision, in words.

    Parameters
    ----------
    evidence : shape (n_features,), nats of the attributes that are present, NaN for others
    score : above 0 for a positive row
    names : of the attributes
    decision : the label that is given
    most : largest number of attributes that are named
    """
    present = np.flatnonzero(~np.isnan(evidence))
    start = f"{decision}, {abs(score):.2f} nats {'above' if score > 0 else 'below'} the cut"
    for_it = present[evidence[present] >= _SHOWN]
    if len(for_it) == 0:
        return (
            f"{start}: none of {counted(len(present), 'present attribute')} speaks for it being "
            "positive."
        )
    strongest = for_it[np.argsort(-evidence[for_it], kind="stable")][:most]
    share = evidence[strongest].sum() / evidence[for_it].sum()
    listed = ", ".join(f"{names[j]} {evidence[j]:.2f}" for j in strongest)
    said = (
        f"{start}: {counted_of(len(strongest), len(present), 'present attribute', 'give')} "
        f"{share:.0%} of the evidence for positive ({listed})."
    )
    against = present[evidence[present] <= -_SHOWN]
    if len(against):
        said += f" {len(against)} speak against it ({evidence[against].sum():.2f})."
    return said


def activation_chart(steps: Floats, names: Array, most: int) -> Any:
    """An Altair chart: by how much the presence of an attribute lowers log P(C = 0), nats."""
    from onesided import _charts  # noqa: PLC0415 - only a picture needs Altair

    order = np.argsort(-np.abs(steps), kind="stable")[:most]
    order = order[np.argsort(-steps[order], kind="stable")]
    named = [str(names[j]) for j in order]
    return _charts.bars(named, steps[order], "lowers log P(not positive) by, nats")
