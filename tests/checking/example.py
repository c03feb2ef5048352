"""Rows to check, with identifiers of all kinds."""

import numpy as np

from onesided.audit import Audit

ODD_IDS = (
    'a "quoted", id',
    "two\nlines",
    "carriage\r\nreturn",
    "</script><script>alert(1)</script><!--",
    "مرحبا 12",
    "x" * 300,
    "=1+1",
    "+49 30 1",
    "@SUM(A1)",
    " blanks ",
    "'apostrophe",
    "semicolon; tab\t",
    "",
    "Zürich 🧬",
)


def check_data(n=20, mode="anytime", n_rows=1000, ids=(), **given):
    """A page for the first rows of an audit, and the audit."""
    rng = np.random.default_rng(0)
    audit = Audit(np.sort(rng.normal(size=n_rows))[::-1], mode=mode)
    return page_of(audit, audit.draw(n), ids=ids, **given), audit


def page_of(audit, positions, ids=(), **given):
    """A page for rows of an audit."""
    ids = [*ids, *(f"row {position}" for position in positions.tolist()[len(ids) :])]
    return {
        "title": "genes-ranking.csv",
        "audit": "genes-ranking.csv, batch 1",
        "sheet": "check.csv",
        "id_name": "gene",
        "n_rows": audit.n_rows,
        "so_far": "Nothing is known of the 1,000 unlabeled rows.",
        "mode": audit.mode,
        "unit": "log odds",
        "rows": [
            {
                "id": identifier,
                "rank": position + 1,
                "score": 1 - position / audit.n_rows,
                "stands_for": 12.5,
                "fields": [["length", str(position)], ["<b>kind</b>", "<i>x</i>"]],
                "text": f"The text of row {position}. " * (position % 3),
                "drivers": [["length", 0.5, "120"], ["width", -0.25, "3"]],
                "verdict": "",
                "note": "",
            }
            for identifier, position in zip(ids, positions.tolist(), strict=True)
        ],
        "steps": audit.page_constants(positions),
    } | given
