"""Columns that say where a row was observed, and spatial blocks of these places."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from sklearn.cluster import KMeans

from onesided._text import argument
from onesided._typing import Bools, Floats, Ints
from onesided.exceptions import OnesidedWarning, TableError
from onesided.tables._columns import find_column
from onesided.tables._describe import TableSummary

NO_SPACE = "none"
"""The value of `space` for no coordinates: these columns are learned from like other numbers."""

_N_BLOCKS = 25  # bench_species: with 10, 25 and 60 the claims differ by .03 at most
_FEWEST_PLACES = 20  # different places that columns with such names need
_MOST_CLUSTERED = 10_000  # places that define the blocks; others join the nearest
_DEGREES = (
    r"longitude|longitud|(?<![a-z])(lon|long|lng)(?![a-z])",
    r"latitude|latitud|(?<![a-z])lat(?![a-z])",
)
_METRES = (r"eastings?|rechtswert", r"northings?|hochwert")
_PLAIN = (r"(?<![a-z])x(?![a-z])", r"(?<![a-z])y(?![a-z])")
_COORDINATE = r"[ck]oord(inate[ns]?|s)?"
_BESIDE_PLAIN = re.compile(  # words that may stand beside x and y
    r"((utm|wgs|epsg|lambert)\d*|geo|gps|position|pos|point|site|location|loc|centroid|map|km|m)*"
)
_LARGEST = (360.0, 90.0)  # degrees of longitude and latitude


@dataclass(frozen=True)
class Places:
    """Where the rows were observed.

    Attributes
    ----------
    columns : pairs of columns of coordinates; the first pair defines the blocks
    blocks : shape (n_rows,), the spatial block of each row; a row without a place has its own
        block; None if the folds do not follow blocks
    n_blocks : number of blocks
    why : the reason why there are no blocks, or ""
    """

    columns: tuple[tuple[str, str], ...]
    blocks: Ints | None = None
    n_blocks: int = 0
    why: str = ""

    @property
    def names(self) -> list[str]:
        """The columns of coordinates."""
        return [name for pair in self.columns for name in pair]

    @property
    def sentence(self) -> str:
        """What the coordinates are used for."""
        return f"  coordinates: {', '.join(self.names)}; {self.meaning}"

    @property
    def meaning(self) -> str:
        """How the methods are judged, and why."""
        if self.blocks is None:
            return self.why
        return (
            f"neighbours are similar, so the methods are judged in {self.n_blocks} spatial blocks "
            f"({argument('space', NO_SPACE)} turns this off)"
        )

    def only(self, rows: Ints) -> Places:
        """The places of some rows, in the same blocks."""
        return self if self.blocks is None else replace(self, blocks=self.blocks[rows])


def find_places(
    data: pa.Table, space: str | None, summary: TableSummary
) -> tuple[Places | None, TableSummary]:
    """Find the columns of coordinates that the user names, or find them by their names and values.

    Parameters
    ----------
    data : the whole table
    space : two columns with a comma between; "none" for no coordinates; None to find the columns
    summary : what `describe` found

    Returns
    -------
    places : without blocks; None if there are no coordinates, or nothing else to learn from
    summary : the roles of the columns, in which the coordinates are dropped

    Raises
    ------
    TableError : if `space` does not name two columns of numbers, or no other column is left
    """
    if space is not None and space.strip().lower() == NO_SPACE:
        return None, summary
    if space is not None:
        places = Places((_read_pair(data, space),))
        return places, _without_coordinates(summary, places)
    numbers = {
        each.name
        for each in summary.columns
        if each.role == "number" or (each.role == "dropped" and _holds_numbers(data, each.name))
    }
    pairs = tuple(pair for pair in _pairs(data.column_names, numbers) if _are_places(data, *pair))
    found = {name for pair in pairs for name in pair}
    if not (pairs and {*summary.used} - found):
        return None, summary
    places = Places(pairs)
    return places, _without_coordinates(summary, places)


def _without_coordinates(summary: TableSummary, places: Places) -> TableSummary:
    """The roles of the columns, in which the coordinates are dropped."""
    names = set(places.names)
    reason = "a coordinate says where the row is, not what it is like"
    columns = [
        replace(each, role="dropped", reason=each.reason or reason) if each.name in names else each
        for each in summary.columns
    ]
    found = replace(summary, columns=columns)
    if not found.used:
        raise TableError(
            f"No column is left to learn from beside the coordinates {', '.join(places.names)}.",
            f"Add columns that say what each place is like, or learn from the coordinates: "
            f"{argument('space', NO_SPACE)}.",
        )
    return found


def check_one_split(*, time: str | None, group: str | None, space: str | None) -> None:
    """Refuse two arguments that say which rows are held out together: folds can follow only one.

    Parameters
    ----------
    time, group, space : as for `read_problem`
    """
    is_off = space is not None and space.strip().lower() == NO_SPACE
    wanted = {"time": time, "group": group, "space": None if is_off else space}
    given = [argument(name, value) for name, value in wanted.items() if value]
    if len(given) > 1:
        raise TableError(
            f"{given[0]} and {given[1]} both say which rows are held out together.",
            "Pass one of them.",
        )


def judged_by(
    places: Places | None,
    data: pa.Table,
    positive: Bools,
    *,
    by: str | None,
    space: str | None,
    background: str | None,
) -> Places | None:
    """Cut the table into spatial blocks, unless something else says which rows belong together.

    Records of a borrowed background lie as near to the known positives as known positives lie to
    each other, so nearness does not separate them. In three regions, random folds then gave an AUC
    that was on average .015 below the AUC of independent surveys (with bagging .05 above), and
    blocks gave an AUC about .1 below.

    Parameters
    ----------
    places : the coordinates
    data : the whole table
    positive : shape (n_rows,)
    by : column of groups or times that the folds follow
    space, background : as for `read_problem`
    """
    if places is None:
        return None
    if by:
        return replace(places, why=f"the folds follow column {by}")
    if background is not None and space is None:
        why = "rows of the borrowed background lie as near to each other, so folds are random"
        return replace(places, why=why)
    return with_blocks(data, places, positive)


def with_blocks(data: pa.Table, places: Places, positive: Bools) -> Places:
    """Cut the table into spatial blocks, each of which holds an unlabeled row.

    The centres of the blocks come from k-means of the places of unlabeled rows, each place counted
    once. So the centres do not depend on the order of the rows, and in each block the known
    positives can be ranked among unlabeled rows.

    Parameters
    ----------
    data : the whole table
    places : as `find_places` gives it
    positive : shape (n_rows,)

    Warns
    -----
    OnesidedWarning : if there are no two blocks with known positives
    """
    points = _points(data, *places.columns[0])
    known = np.isfinite(points).all(axis=1)
    distinct = np.unique(points[known & ~positive], axis=0)
    if len(distinct) > _MOST_CLUSTERED:
        distinct = distinct[np.random.default_rng(0).permutation(len(distinct))[:_MOST_CLUSTERED]]
    blocks = -1 - np.arange(len(points))
    n_blocks = min(_N_BLOCKS, len(distinct))
    if n_blocks > 1:
        found = KMeans(n_blocks, n_init=1, random_state=0).fit(distinct)
        blocks[known] = found.predict(np.ascontiguousarray(points[known]))
    if len(np.unique(blocks[positive])) < 2:  # noqa: PLR2004 - one is hidden, one is learned from
        why = "no two spatial blocks hold known positives, so the folds are drawn at random"
        warnings.warn(
            f"The known positives are all in one place ({', '.join(places.columns[0])}), so no "
            "figure here tells how a method does in another place.",
            OnesidedWarning,
            stacklevel=2,
        )
        return replace(places, why=why)
    return replace(places, blocks=blocks, n_blocks=n_blocks)


def _read_pair(data: pa.Table, space: str) -> tuple[str, str]:
    """Two columns that the user named with a comma between."""
    parts = space.split(",")
    cuts = [
        (",".join(parts[:n]).strip(), ",".join(parts[n:]).strip()) for n in range(1, len(parts))
    ]
    if not cuts:
        raise TableError(
            f"{argument('space', space)} does not name two columns.",
            f"Pass the two columns of coordinates with a comma between, "
            f"{argument('space', 'X,Y')}, or {argument('space', NO_SPACE)}.",
        )
    pair = next((cut for cut in cuts if {*cut} <= {*data.column_names}), cuts[0])
    for name in pair:
        find_column(data, name)
        if not _holds_numbers(data, name):
            raise TableError(
                f"Column {name!r} holds {data.schema.field(name).type} values, which are not "
                "coordinates.",
                "Pass two columns of numbers.",
            )
    if pair[0] == pair[1]:
        raise TableError(f"Column {pair[0]!r} is given as both coordinates.", "Pass two columns.")
    return pair


def _pairs(names: Collection[str], numbers: Collection[str]) -> list[tuple[str, str]]:
    """Pairs of columns of numbers whose names differ only in the axis."""
    found: dict[tuple[int, str], dict[int, str]] = {}
    for name in names:
        if name in numbers and (axis := _axis(name)):
            found.setdefault(axis[:2], {}).setdefault(axis[2], name)
    return [(each[0], each[1]) for _, each in sorted(found.items()) if len(each) > 1]


def _axis(name: str) -> tuple[int, str, int] | None:
    """The kind of coordinate in a name, the rest of the name, and the axis: 0 across, 1 up."""
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    text = re.sub(_COORDINATE, "_", text)
    for kind, axes in enumerate((_DEGREES, _METRES, _PLAIN)):
        for up, words in enumerate(axes):
            if match := re.search(words, text):
                rest = re.sub(r"[\W_]+", "", f"{text[: match.start()]} {text[match.end() :]}")
                if axes is _PLAIN and not _BESIDE_PLAIN.fullmatch(rest):
                    continue
                return kind, rest, up
    return None


def _are_places(data: pa.Table, across: str, up: str) -> bool:
    """Whether the values of two columns may be places."""
    cells = _cells(data, across, up)
    known = np.isfinite(cells).all(axis=1)
    if _are_degrees(across, up) and (np.abs(cells[known]) > _LARGEST).any():
        return False
    return len(np.unique(cells[known], axis=0)) >= _FEWEST_PLACES


def _are_degrees(across: str, up: str) -> bool:
    """Whether the names say longitude and latitude."""
    return all((axis := _axis(name)) is not None and axis[0] == 0 for name in (across, up))


def _holds_numbers(data: pa.Table, name: str) -> bool:
    kind = data.schema.field(name).type
    return bool(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    )


def _cells(data: pa.Table, across: str, up: str) -> Floats:
    """The coordinates, shape (n_rows, 2)."""
    columns = (data.column(name).cast(pa.float64(), safe=False) for name in (across, up))
    return np.column_stack([column.to_numpy() for column in columns])


def _points(data: pa.Table, across: str, up: str) -> Floats:
    """Points with the distances of the places; degrees become points on the unit sphere."""
    cells = _cells(data, across, up)
    known = cells[np.isfinite(cells).all(axis=1)]
    if not _are_degrees(across, up) or (np.abs(known) > _LARGEST).any():
        return cells
    lon, lat = np.deg2rad(cells).T
    return np.column_stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])
