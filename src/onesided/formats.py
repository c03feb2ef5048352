"""The formats of files that can be read: names of columns for completion, and the help text.

This module loads no library, since help and completion use it while a user waits.
"""

from onesided._files._formats import column_names, formats_in_words

__all__ = ["column_names", "formats_in_words"]
