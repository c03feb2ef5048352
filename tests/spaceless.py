"""Documents of two topics in scripts without spaces between words, and the same with spaces."""

from dataclasses import dataclass

import numpy as np

_CONSONANTS = [chr(code) for code in range(0x0E01, 0x0E2F)]
_BEFORE, _AFTER = [*" " * 5, *"เแโไ"], [*" " * 5, *"ะาิีุูัๅ"]
_KANA = [chr(code) for code in (*range(0x3042, 0x3094), *range(0x30A2, 0x30F4))]
_HAN = [chr(code) for code in range(0x4E00, 0x4E00 + 1500)]
_FULL_STOPS = {"Chinese": "。", "Japanese": "。", "Thai": " "}
_LENGTHS = [0.2, 0.5, 0.3]  # shares of words of one, two and three characters
_SENTENCE = 8  # words
_LENGTH = 40  # words of a document
_OF_TOPIC = 50  # words of the second topic


@dataclass(frozen=True)
class Topics:
    """Documents in three forms.

    Attributes
    ----------
    joined : without spaces, as they are written
    spaced : the same words with spaces between them
    translated : each word as one of another language
    of_topic : shape (n_documents,), whether a document is of the second topic
    known : shape (n_documents,), whether that is known
    """

    joined: list[str]
    spaced: list[str]
    translated: list[str]
    of_topic: np.ndarray
    known: np.ndarray


def character(script, rng):
    """A character; in Thai a consonant, perhaps with vowels."""
    if script == "Thai":
        parts = (rng.choice(each) for each in (_BEFORE, _CONSONANTS, _AFTER))
        return "".join(parts).replace(" ", "")
    if script == "Japanese" and rng.random() < 0.5:
        return rng.choice(_KANA)
    return rng.choice(_HAN)


def two_topics(script, *, n_documents=400, share=0.4, times=4, n_words=500, seed=0):
    """Draw documents, a share of which is of the second topic, which has some words more often."""
    rng = np.random.default_rng(seed)
    words: dict[str, None] = {}
    while len(words) < n_words:
        n_characters = rng.choice([1, 2, 3], p=_LENGTHS)
        words["".join(character(script, rng) for _ in range(n_characters))] = None
    frequency = rng.permutation(1 / np.arange(1, n_words + 1) ** 0.8)
    shares = np.stack([frequency, frequency])
    shares[1, rng.choice(n_words, _OF_TOPIC, replace=False)] *= times
    shares /= shares.sum(axis=1, keepdims=True)
    of_topic = rng.random(n_documents) < share
    drawn = [rng.choice(n_words, _LENGTH, p=shares[int(each)]) for each in of_topic]
    names = np.array([*words])
    return Topics(
        [sentences(names[each], "", _FULL_STOPS[script]) for each in drawn],
        [sentences(names[each], " ", _FULL_STOPS[script]) for each in drawn],
        [sentences([f"word{number}" for number in each], " ", ". ") for each in drawn],
        of_topic,
        of_topic & (rng.random(n_documents) < 0.5),
    )


def sentences(words, between, end):
    """Words as sentences."""
    parts = [words[start : start + _SENTENCE] for start in range(0, len(words), _SENTENCE)]
    return end.join(between.join(part) for part in parts) + end
