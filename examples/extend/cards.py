"""A file format: rows as cards, each with a line ``name: value`` for each column."""

from collections.abc import Sequence

import pyarrow as pa

from onesided._files._encoding import read_texts
from onesided._files._format import Format, TableFile


class Cards(Format):
    """A blank line ends a card. A column is numeric if each of its values is a number."""

    name = "cards"
    title = "cards"
    endings = (".cards",)

    def read(
        self, file: TableFile, as_text: Sequence[str] = (), only: Sequence[str] = ()
    ) -> pa.Table:
        """Read one file whole."""
        (text,) = read_texts([file.path])
        cards = [
            dict(line.split(": ", 1) for line in card.splitlines())
            for card in text.strip().split("\n\n")
        ]
        names = list(only) or list(cards[0])
        return pa.table({name: _typed([card.get(name) for card in cards]) for name in names})


def _typed(cells: list[str | None]) -> pa.Array:
    for kind in (pa.int64(), pa.float64()):
        try:
            return pa.array(cells, pa.string()).cast(kind)
        except pa.ArrowInvalid:  # some cell is no such number
            continue
    return pa.array(cells, pa.string())
