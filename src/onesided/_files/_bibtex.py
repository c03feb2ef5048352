"""The entries of a BibTeX file."""

from __future__ import annotations

import logging
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from onesided._files._extra import load_extra
from onesided._files._pieces import ZERO_BYTE, Piece
from onesided.exceptions import TableError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

_ENTRY = re.compile(r"@(\w*)\s*[{(]\s*([^\s,{}()=\"]*)")
_CUT_FIELDS = re.compile(r"[\s,}]*\w+\s*=")
_PERCENT = re.compile(r"(?<!\\)%")
_ENCLOSING = ("{", '"')
_MOST_JOINED = 1 << 16  # characters
_COMMAND = re.compile(r"\\(?:[A-Za-z]+\*?|.)", re.DOTALL)


def bibtex_entries(path: Path, text: str) -> list[Piece]:
    """The entries of a BibTeX file."""
    extra = {"extra": "references", "what": f"To read {path.name!r} onesided"}
    bibtex = load_extra("bibtexparser", name="bibtexparser", **extra)
    plain = _reader_of_latex(extra)
    _keep_quiet("bibtexparser")
    library = bibtex.parse_string(text, parse_stack=[])
    # A duplicate key or field is not a reason to lose the entry.
    blocks = [getattr(block, "ignore_error_block", None) or block for block in library.blocks]
    entries = [block for block in blocks if hasattr(block, "entry_type")]
    keys = {id(entry): entry.key for entry in entries}
    for number, entry in enumerate(entries):
        entry.key = str(number)
    _join(library.strings, entries)
    together = bibtex.Library([*library.strings, *entries])
    for change in bibtex.middlewares.parsestack.default_parse_stack():
        together = change.transform(together)
    pieces = []
    for block, after in pairwise([*blocks, None]):
        piece = Piece(block.start_line + 1)
        if id(block) in keys:
            piece.name = keys[id(block)]
            piece.fields = _entry_fields(block, piece.name, plain)
            if _CUT_FIELDS.match(getattr(after, "comment", "")):
                piece.why = "a brace closes it before its last field"
        elif hasattr(block, "error"):
            kind, piece.name = _ENTRY.findall(block.raw)[0]
            piece.why = "its braces, quotes or commas are not complete"
            if kind.lower() == "comment":
                continue
        else:
            continue
        if "\0" in block.raw:
            piece.why = ZERO_BYTE
        pieces.append(piece)
    if not pieces:
        raise TableError(f"{path.name!r} holds no entry.", "Export the records again.")
    return pieces


def _join(strings: Sequence[Any], entries: Sequence[Any]) -> None:
    """Join values such as "Effects of " # kd, in which kd is a string that the file defines."""
    known: dict[str, str] = {}
    for each in strings:
        each.value = _joined(each.value, known)
        known[each.key.lower()] = each.value
    for entry in entries:
        for field in entry.fields:
            field.value = _joined(field.value, known)


def _joined(value: str, known: Mapping[str, str]) -> str:
    """A value of several parts as one in braces; the name of an unknown string stays.

    A value that would be longer than any text of a record stays as it is: each string may repeat
    the string before it, and a short file would fill the memory.
    """
    parts = _parts(value)
    if len(parts) == 1:
        return value
    texts = [known.get(part.lower(), part) for part in parts]
    if sum(map(len, texts)) > _MOST_JOINED:
        return value
    return f"{{{''.join(text[1:-1] if text[:1] in _ENCLOSING else text for text in texts)}}}"


def _parts(value: str) -> list[str]:
    """The parts between signs # that are neither in braces nor in quotes."""
    parts, depth, is_quoted, start = [], 0, False, 0
    for place, sign in enumerate(value) if "#" in value else ():
        depth += (sign == "{") - (sign == "}")
        is_quoted ^= sign == '"' and depth == 0
        if sign == "#" and depth == 0 and not is_quoted:
            parts.append(value[start:place].strip())
            start = place + 1
    return [*parts, value[start:].strip()]


def _entry_fields(entry: Any, key: str, plain: Callable[[str], str]) -> dict[str, Any]:
    """The fields of a BibTeX entry by name; of fields with the same name, the first counts."""
    fields = {field.key.lower(): str(field.value) for field in reversed(entry.fields)}
    values = {name: _bibtex_value(name, text, plain) for name, text in fields.items() if name}
    return {"key": key, "type": entry.entry_type, **values}


def _reader_of_latex(extra: Mapping[str, str]) -> Callable[[str], str]:
    """A function that converts LaTeX to plain text; it keeps only the text of a link."""
    text, walker, spec = (
        load_extra(f"pylatexenc.{each}", name="pylatexenc", **extra)
        for each in ("latex2text", "latexwalker", "macrospec")
    )
    _keep_quiet("pylatexenc")
    read = walker.get_default_latex_context_db()
    read.add_context_category("links", macros=[spec.MacroSpec("href", "{{")], prepend=True)
    written = text.get_default_latex_context_db()
    # The date of the run is no part of a record.
    own = [text.MacroTextSpec(name, "") for name in ("today", "maketitle")]
    own.append(text.MacroTextSpec("href", "%(2)s"))
    written.add_context_category("onesided", macros=own, prepend=True)
    reader = text.LatexNodes2Text(latex_context=written)

    def plain(value: str) -> str:
        try:
            # In a field, the sign in "50%" does not start a comment.
            found: str = reader.latex_to_text(_PERCENT.sub(r"\\%", value), latex_context=read)
        except RecursionError:  # hundreds of nested braces: keep the LaTeX
            return value
        except Exception:  # noqa: BLE001 - commands without their arguments raise anything
            return _COMMAND.sub(" ", value)
        return found

    return plain


def _keep_quiet(library: str) -> None:
    """Silence the log of a library: our own warning names the records that it could not read."""
    logger = logging.getLogger(library)
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())


def _bibtex_value(name: str, value: str, plain: Callable[[str], str]) -> str | list[str]:
    """Text of a field; only text with a backslash is read as LaTeX: this takes a millisecond."""
    if "\\" in value and name not in ("doi", "url", "file"):
        value = plain(value)
    value = " ".join(value.replace("{", "").replace("}", "").split())
    return value.split(" and ") if name in ("author", "editor") else value
