"""Any of the papers by its name, and its figures beside ours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from onesided.reproduce import _calvo2007, _geurts2011, _lee2003, _lgn2007, _vomlel2004
from onesided.reproduce._calvo2007 import calvo2007
from onesided.reproduce._cells import check_data
from onesided.reproduce._geurts2011 import geurts2011
from onesided.reproduce._lee2003 import lee2003
from onesided.reproduce._lgn2007 import lgn2007
from onesided.reproduce._vomlel2004 import vomlel2004
from onesided.tables import read_table

PAPERS = {
    "calvo2007": calvo2007,
    "geurts2011": geurts2011,
    "lee2003": lee2003,
    "lgn2007": lgn2007,
    "vomlel2004": vomlel2004,
}
"""For each paper the function that reproduces it: from data and output folder to the files."""
_DATA = {
    "calvo2007": _calvo2007.DATA,
    "geurts2011": _geurts2011.DATA,
    "lee2003": _lee2003.DATA,
    "lgn2007": _lgn2007.DATA,
    "vomlel2004": _vomlel2004.DATA,
}
_QUICK_DATA = {"lee2003": _lee2003.QUICK_DATA}  # where fewer do
_PAPER, _AVERAGE = "_paper", "average"  # what ends the name of a column, and a row


@dataclass(frozen=True)
class BesidePaper:
    r"""The mean of a column of numbers in our results, and in the paper.

    Attributes
    ----------
    file, column : the file that holds the numbers, and the column of our numbers
    n_rows : number of rows that each mean is over
    ours, paper : the mean of our numbers, and the mean of the numbers of the paper

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from onesided.reproduce import beside_paper
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "table1.csv"
    ...     _ = path.write_text("pair,LGN,LGN_paper\na,80,77.5\nb,70,76.5\n")
    ...     means = list(beside_paper([path]))
    >>> means[0].column, means[0].n_rows, means[0].ours, means[0].paper
    ('LGN', 2, 75.0, 77.0)
    """

    file: str
    column: str
    n_rows: int
    ours: float
    paper: float


def reproduce(
    paper: str,
    data: Path,
    out: Path,
    *,
    quick: bool = False,
    draws: int | None = None,
    on_progress: Callable[[str, int, int], None] | None = None,
) -> list[Path]:
    """Reproduce the tables and figures of a paper.

    Parameters
    ----------
    paper : a name of `PAPERS`
    data : folder of the data sets
    out : folder for the results; finished experiments in this folder are not run again
    quick : whether only a small part of the experiments is run
    draws : number of draws of each problem; by default the number of the paper
    on_progress : called with the name of the paper, the number of finished experiments, and the
        number of all experiments

    Returns
    -------
    the files written

    Raises
    ------
    TableError : if the folder of data lacks a data set, or one of the folders cannot be used

    Examples
    --------
    >>> from pathlib import Path
    >>> from onesided.reproduce import PAPERS, reproduce
    >>> list(PAPERS)
    ['calvo2007', 'geurts2011', 'lee2003', 'lgn2007', 'vomlel2004']
    >>> reproduce("lgn2007", Path("data"), Path("results"), quick=True)  # doctest: +SKIP

    The data sets must be there:

    >>> reproduce("lgn2007", Path("no-such-folder"), Path("results"))
    Traceback (most recent call last):
        ...
    onesided.exceptions.TableError: There is no folder 'no-such-folder'. Pass the folder that
        holds the data: `data='FOLDER'`.
    """
    check_data(data, (_QUICK_DATA if quick else _DATA).get(paper, _DATA[paper]))
    return PAPERS[paper](data, out, quick=quick, draws=draws, on_progress=on_progress)


def beside_paper(written: Iterable[Path]) -> Iterator[BesidePaper]:
    r"""Our mean and the mean of the paper, for each column of which a table has both.

    Parameters
    ----------
    written : the files that `reproduce` wrote

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from onesided.reproduce import beside_paper
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "table1.csv"
    ...     _ = path.write_text("pair,LGN,LGN_paper,ours\na,80,77.5,85\nb,70,76.5,75\n")
    ...     for mean in beside_paper([path]):
    ...         print(f"{mean.column}: {mean.ours:.1f}, in the paper {mean.paper:.1f}")
    LGN: 75.0, in the paper 77.0
    """
    for path in written:
        if path.suffix != ".csv":
            continue
        table = read_table(path, at_least=1)
        rows = [row for row in table.to_pylist() if _AVERAGE not in row.values()]
        for column in table.column_names:
            if column.endswith(_PAPER):
                name = column.removesuffix(_PAPER)
                ours, paper = (
                    sum(row[each] for row in rows) / len(rows) for each in (name, column)
                )
                yield BesidePaper(path.name, name, len(rows), ours, paper)
