"""The words of a text, in languages with and without spaces between words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

_IDEOGRAPHS = (
    "\u3005-\u3007\u3021-\u302d\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufad9"
    "\U00020000-\U0002fa1f\U00030000-\U000323af"
)
"""Of Chinese and Japanese."""
_SYLLABLES = (
    "\u3031-\u3035\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\uff66-\uff9f\U0001aff0-\U0001b167"  # Japanese
    "\u3105-\u312f\u31a0-\u31bf"  # Bopomofo
)
_LETTERS = (
    "\u0e01-\u0e3a\u0e40-\u0e4e"  # Thai
    "\u0e81-\u0ebd\u0ec0-\u0ece\u0edc-\u0edf"  # Lao
    "\u0f00\u0f18\u0f19\u0f35\u0f37\u0f39\u0f3e-\u0f84\u0f86-\u0fbc\u0fc6"  # Tibetan
    "\u1000-\u103f\u1050-\u108f\u109a-\u109d\ua9e0-\ua9ef\ua9fa-\ua9fe"  # Burmese
    "\uaa60-\uaa76\uaa7a-\uaa7f"  # Burmese
    "\u1780-\u17d3\u17d7\u17dc\u17dd"  # Khmer
    "\u1950-\u1974\u1980-\u19c9\u1a20-\u1a7f\u1aa7\uaa80-\uaac2\uaadb-\uaadd"  # Tai
    "\u1b00-\u1b4c\u1b6b-\u1b73\ua980-\ua9c0\ua9cf"  # Balinese, Javanese
)
"""Letters and marks, without digits, of alphabets that have no spaces between words."""
_IN_RUNS = _IDEOGRAPHS + _SYLLABLES + _LETTERS
RUN = f"[{_IN_RUNS}]+"
"""Characters of scripts that have no spaces between words, for Python and for Arrow."""
_OTHER = rf"[^\W{_IN_RUNS}]"  # a letter or digit of another script
_FIND_RUNS = re.compile(RUN)
_FIND_WORDS = re.compile(rf"{_OTHER}{{2,}}|[{_LETTERS}]+|[{_IDEOGRAPHS}{_SYLLABLES}]+")
_STARTS_WITH_LETTER = re.compile(f"[{_LETTERS}]")
_FIND_IDEOGRAPHS = re.compile(f"[{_IDEOGRAPHS}]")
_SPACE_IN_RUN = re.compile(rf"(?<=[{_IN_RUNS}]) (?=[{_IN_RUNS}])")
_IDEOGRAPHS_A_WORD, _OTHERS_A_WORD = 2, 5  # on average

AS_CHARACTERS = (
    "text without spaces between words: characters and groups of neighbouring characters count as "
    "words"
)
"""What is said of text with runs."""


def words_of(text: str) -> list[str]:
    """The words of at least two letters, in their order.

    A run of characters of a script that has no spaces between words gives its characters, then its
    pairs of characters; of an alphabet (Thai, Lao, Khmer, Burmese, Tibetan), whose words are longer
    than those of Chinese and Japanese, its triples too.
    """
    found: list[str] = []
    for piece in _FIND_WORDS.findall(text):
        if not has_runs(piece):
            found.append(piece)
            continue
        run = unicodedata.normalize("NFKC", piece)
        longest = 3 if _STARTS_WITH_LETTER.match(piece) else 2
        for n in range(1, longest + 1):
            found += [run[start : start + n] for start in range(len(run) - n + 1)]
    return found


WORDS: Mapping[str, Any] = {"tokenizer": words_of, "token_pattern": None}
"""Arguments of scikit-learn's vectorizers, so that all of them find the same words."""


def has_runs(text: str) -> bool:
    """Whether some of a text is in a script that has no spaces between words."""
    return _FIND_RUNS.search(text) is not None


def count_words(text: str) -> float:
    """About how many words a text has; those of a run are as long as words are on average."""
    others = _FIND_RUNS.sub(" ", text).split()
    n_characters = sum(map(len, _FIND_RUNS.findall(text)))
    n_ideographs = len(_FIND_IDEOGRAPHS.findall(text))
    n_others = n_characters - n_ideographs
    return len(others) + n_ideographs / _IDEOGRAPHS_A_WORD + n_others / _OTHERS_A_WORD


def plain_words(text: str) -> str:
    """A text in small letters without accents and punctuation, one space between two words.

    Marks of a run are letters, and no space is within a run: where its lines break says nothing.
    """
    parts = re.split(f"({RUN})", text.casefold())
    parts[1::2] = [unicodedata.normalize("NFKC", run) for run in parts[1::2]]
    parts[::2] = [" ".join(re.findall(r"\w+", _without_accents(part))) for part in parts[::2]]
    return _SPACE_IN_RUN.sub("", " ".join(filter(None, parts)))


def _without_accents(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
