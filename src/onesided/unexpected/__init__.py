"""Find new documents that belong to no known kind."""

from __future__ import annotations

from onesided._public import name_publicly
from onesided.unexpected._documents import Documents, known_columns, read_documents
from onesided.unexpected._find import compare_documents, find_unexpected
from onesided.unexpected._groups import Group
from onesided.unexpected._record import Unexpected

__all__ = [
    "Documents",
    "Group",
    "Unexpected",
    "compare_documents",
    "find_unexpected",
    "known_columns",
    "read_documents",
]

name_publicly(__name__)
