"""Text that a picture may hold, and shares in print."""

import re

_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def printable(text: str) -> str:
    """`text` with a replacement for each character that no XML may hold, control characters."""
    return _NOT_XML.sub("\ufffd", text)


def as_percent(share: float) -> str:
    """A share to three figures, to four near 1: .955 as 95.5%, .0012 as 0.12%, .9995 as 99.95%."""
    figures = 4 if share > 0.99 else 3  # noqa: PLR2004 - where three figures would say 100
    return f"{100 * share:.{figures}g}%"
