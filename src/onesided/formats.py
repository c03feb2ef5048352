"""What files can be read: their formats, names of columns for completion, words of verdicts, JSON.

This module loads no library, since help and completion use it while a user waits.
"""

from __future__ import annotations

from onesided._files._answers import verdict_words
from onesided._files._formats import column_names, formats_in_words
from onesided._files._json_file import read_json

__all__ = ["column_names", "formats_in_words", "read_json", "verdict_words"]
