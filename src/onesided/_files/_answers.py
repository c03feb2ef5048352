"""Words that cells use to answer yes or no; this module loads no library, as the help needs it."""

from __future__ import annotations

POSITIVE_WORDS = frozenset(["1", "true", "yes", "x", "y"])
UNLABELED_WORDS = frozenset(["0", "-1", "false", "no", "n", ""])
UNSURE_WORDS = frozenset(
    [
        *("?", "unsure", "not sure", "unclear", "maybe", "undecided", "unknown"),
        *("cannot tell", "can't tell"),
    ]
)
"""Words by which a checked row is undecided; labels do not have them."""


def verdict_words() -> str:
    """The words that a cell may hold as a verdict, in words for the help text and for errors.

    Examples
    --------
    >>> from onesided.formats import verdict_words
    >>> verdict_words()[:32]
    'yes (or 1, true, x, y), no (or -'
    """
    return (
        f"yes (or {_others(POSITIVE_WORDS, 'yes')}), no (or {_others(UNLABELED_WORDS, 'no')}), "
        f"? where it cannot be told (or {_others(UNSURE_WORDS, '?')})"
    )


def _others(words: frozenset[str], first: str) -> str:
    """The words other than the first one and the empty one."""
    return ", ".join(sorted(words - {first, ""}))
