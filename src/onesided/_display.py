"""Results and estimators as a notebook shows them."""

from __future__ import annotations

import re
from functools import cache
from html import escape
from importlib.metadata import PackageNotFoundError, metadata
from typing import Any

from onesided._text import is_missing, printable

_SHOWN = 10  # rows; a list may have millions


class Displayed:
    """A result that a notebook shows: what it says in words above the first rows of its table."""

    def to_frame(self, backend: str | None = None) -> Any:
        """The table, as `frame_of` makes it."""
        raise NotImplementedError

    def _in_words(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        rows = self.to_frame("pyarrow")
        left_out = rows.num_rows - _SHOWN
        words = re.sub(r"(?<![.:])\n(?! )", " ", self._in_words())  # a page breaks lines itself
        if left_out > 0:
            words += f"\nThe first {_SHOWN} rows of {rows.num_rows}; to_frame() has all."
        head = "".join(f"<th>{_escaped(name)}</th>" for name in rows.column_names)
        body = "".join(
            f"<tr>{''.join(f'<td>{_escaped(_shown(value))}</td>' for value in row.values())}</tr>"
            for row in rows.slice(0, _SHOWN).to_pylist()
        )
        return (
            f'<p style="white-space: pre-line; max-width: 50em">{_escaped(words)}</p>'
            f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )


class Documented:
    """An estimator whose diagram links to its page, if the package says where its pages are.

    scikit-learn's diagram reads these names.
    """

    _doc_link_module = "onesided"

    @property
    def _doc_link_template(self) -> str:
        address = _address_of_pages()
        return f"{address}/api/generated/{{public_name}}.html" if address else ""

    def _doc_link_url_param_generator(self) -> dict[str, str]:
        return {"public_name": f"{type(self).__module__}.{type(self).__name__}"}


@cache
def _address_of_pages() -> str:
    """The address `Documentation` of the installed package, empty where it states none."""
    try:
        stated = metadata("onesided").get_all("Project-URL") or []
    except PackageNotFoundError:  # sources that were not installed
        return ""
    addresses = dict(each.split(", ", 1) for each in stated)
    return addresses.get("Documentation", "").rstrip("/")


def _shown(value: Any) -> str:
    if is_missing(value):
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _escaped(text: str) -> str:
    return escape(printable(text))
