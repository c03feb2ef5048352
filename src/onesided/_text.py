"""Text that a picture may hold."""

import re

_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def printable(text: str) -> str:
    """`text` with a replacement for each character that no XML may hold, control characters."""
    return _NOT_XML.sub("\ufffd", text)
