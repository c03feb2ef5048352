"""An audit of a ranking in a file; a second file beside the ranking keeps the audit's state."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
from sklearn.isotonic import IsotonicRegression

from onesided import __version__
from onesided._files._find import as_path
from onesided._files._json_file import read_json
from onesided._files._names import find_called, takes_names, texts_of
from onesided._files._references import RECORD
from onesided._files._remarks import Place
from onesided._files._rows import read_rows
from onesided._files._whole import read_table
from onesided._text import agreeing, argument, as_json, as_percent, counted, kind_of_value
from onesided._typing import Bools, Floats, Ints
from onesided._validation import check_number
from onesided.audit import Audit, AuditEstimate, LabelOddsRatio
from onesided.audit._estimate import waiting_verdicts
from onesided.checking._goal import Goal
from onesided.checking._page import CheckData, CheckRow, render
from onesided.checking._records import (
    part_of_ranking,
    read_groups,
    read_names,
    read_ranking_report,
    read_records,
    read_references,
)
from onesided.exceptions import DataError, TableError
from onesided.tables import table_name, write_files, write_text
from onesided.tables._columns import RECALL, identifier_names
from onesided.tables._ris import places_in, write_checked_ris
from onesided.tables._shown import named_by, shown_in
from onesided.tables._verdicts import (
    NOTE,
    RANK,
    SHEET,
    STANDS_FOR,
    VERDICT,
    WORDS,
    SheetRows,
    Verdicts,
    identifier_in_sheet,
    is_written,
    read_verdicts,
    undecided,
)

STATE = ".audit.json"
_SMALLEST_BATCH, _LARGEST_BATCH, _FIRST_PART = 25, 500, 0.4
_POSTERIOR = ("posterior", "posterior_at_most")
_ROUNDED = 5e-7  # shares in a ranking have six decimals
_MIDDLE, _NEAR = 0.5, 1e-3  # mean score of a whole ranking, and how far rounding may move it
_GUESSED_SHARE = 0.1
_MOST_NAMED = 5
_COUNTED = ("positive", "negative", "undecided")
_ANOTHER = "Begin another audit with another state file, or pass the ranking that it was begun with"
Mode = Literal["anytime", "planned"]


class Recorded(NamedTuple):
    """What a sheet added.

    Attributes
    ----------
    n_rows, n_new, n_changed : numbers of rows with a verdict, with a new and with a changed verdict
    n_unsure : number of rows whose verdict is that it cannot be told
    others : numbers of rows by the words that count as negative only because another word means
        positive, if there are several
    """

    n_rows: int
    n_new: int
    n_changed: int
    n_unsure: int = 0
    others: Mapping[str, int] = MappingProxyType({})

    def __str__(self) -> str:
        text = f"{counted(self.n_rows, 'verdict')}, {self.n_new:,} of them new"
        if self.n_changed:
            differ, count = (agreeing(self.n_changed, verb) for verb in ("differ", "count"))
            text += f"; {self.n_changed:,} {differ} from before, and {count} now"
        if self.n_unsure:
            text += f"; {undecided(self.n_unsure, self.n_rows)}"
        if self.others:
            words = [f"{word!r} ({n:,})" for word, n in self.others.items()]
            n_more = len(words) - _MOST_NAMED
            more = f" and {counted(n_more, 'more word')}" if n_more > 0 else ""
            text += f"; other words count as no: {', '.join(words[:_MOST_NAMED])}{more}"
        return text


@dataclass
class RankingAudit:
    """An audit of the rows of a ranking, kept in a state file.

    Attributes
    ----------
    name : name of the ranking
    id_name : name of the identifier column
    ids : identifiers, the most positive row first
    audit : the draws and verdicts; positions count from the first row of the ranking
    state : path of the state file
    shown : by name, the columns that say what a row is, with one text for each row of the ranking;
        sheets and pages show them
    scores : scores in the ranking; None if it has none
    notes : notes on rows, by position
    groups : for each group name, whether each row belongs to the group; positives are also counted
        in each group
    labels : function that compares the known positives with the positives that the audit found;
        None until `compare_labels` is called
    is_new : True if there was no state file

    Examples
    --------
    >>> import numpy as np, pandas as pd, tempfile
    >>> from pathlib import Path
    >>> ranking = Path(tempfile.mkdtemp()) / "claims-ranking.csv"
    >>> scores = np.linspace(1, 0, 500)
    >>> rows = pd.DataFrame({"claim": np.arange(500), "rank": np.arange(1, 501), "score": scores})
    >>> rows.to_csv(ranking, index=False)
    >>> from onesided.checking import audit_ranking
    >>> audit = audit_ranking(ranking)
    >>> audit.draw(20)
    20
    >>> len(audit.ids)
    500
    """

    name: str
    id_name: str
    ids: list[str]
    audit: Audit
    state: Path
    scores: Sequence[float] | None = None
    shown: dict[str, list[str]] = field(default_factory=dict)
    notes: dict[int, str] = field(default_factory=dict)
    groups: dict[str, Bools] = field(default_factory=dict)
    labels: Callable[[], LabelOddsRatio] | None = None
    is_new: bool = True

    @property
    def digest(self) -> str:
        """A text that changes if the identifiers or their order change."""
        return _digest([self.id_name, *self.ids])

    @property
    def batch(self) -> str:
        """A text that no other batch has, of this audit or of another audit of the same ranking."""
        of = [self.digest, self.audit.mode, self.audit.seed, self.state.resolve()]
        return f"{_digest(of)} {self.audit.n_batches}"

    def check_goal(self, goal: Goal) -> Goal:
        """Return the goal; raise an error if an audit of this mode cannot reach it.

        Parameters
        ----------
        goal : number that should become known

        Raises
        ------
        DataError : if it is no goal, or the share of the positives found in a planned audit
        """
        if not isinstance(goal, Goal):
            raise DataError(
                f"{argument('goal')} is {kind_of_value(goal)}.",
                "Pass a goal: Goal('count', 0.2), or Goal.parse('count 20%').",
            )
        if goal.what == "found" and self.audit.mode == "planned":
            raise DataError(
                f"This audit is planned, so it cannot end when {as_percent(goal.share)} of the "
                "positives are found: the number of rows to check would depend on the verdicts.",
                "A planned audit can reach goals of count, precision and recall of first rows. To "
                "find positives, begin another audit, with "
                f"{argument('mode', 'anytime')} and {argument('state', 'FILE')}.",
            )
        return goal

    def show(self, table: str | PathLike[str]) -> None:
        """Take the columns that say what a row is from the table that was ranked.

        They are the titles, columns of names, and the authors and years of references. Columns that
        the ranking has already stay as they are.

        Parameters
        ----------
        table : path of the table

        Raises
        ------
        TableError : if the table belongs to another ranking
        """
        found = read_names(self.ids, self.id_name, as_path(table, "table"))
        self.shown = {**_beside_sheet(found), **self.shown}

    def draw(self, n: int, goal: Goal | None = None) -> int:
        """Draw the rows to check next; return the number of drawn rows.

        Parameters
        ----------
        n : number of rows to draw, at most
        goal : the number that should become precise; by default the number of positives
        """
        return self.check_goal(goal or Goal("count", 0.2)).draw(self.audit, n)

    def record(self, path: str | PathLike[str], column: str = VERDICT) -> Recorded:
        """Record a sheet; return the numbers of all, new and changed verdicts.

        Notes are recorded too, also of rows without a verdict.

        Parameters
        ----------
        path : path of the sheet, in any table format that `rank` can read
        column : column of the verdicts, or COLUMN=VALUE if only that value means positive

        Raises
        ------
        TableError : if a row of the sheet is not in the ranking, or a cell holds none of the words
            of `onesided.formats.verdict_words`; in that case nothing is recorded
        """
        sheet = as_path(path, "path")
        found = read_verdicts(sheet, self.id_name, column)
        places, notes = self._places(found, sheet), self._notes_of(found, sheet)
        first: dict[int, bool | None] = {}
        for place, verdict, number in zip(places, found.found, found.numbers, strict=True):
            if first.setdefault(place, verdict) is not verdict:
                raise TableError(
                    f"Row {number} of {sheet.name!r} is {self.ids[place]!r}, which has "
                    f"another verdict in a row before.",
                    "Keep one verdict for each row.",
                )
        before = dict(zip(self.audit.checked.tolist(), self.audit.verdicts, strict=True))
        changed = sum(
            place in before and before[place] is not each for place, each in first.items()
        )
        self.audit.record(np.array(list(first), dtype=np.int64), list(first.values()))
        self.notes.update(notes)
        n_new = sum(place not in before for place in first)
        n_unsure = sum(verdict is None for verdict in first.values())
        return Recorded(len(first), n_new, changed, n_unsure, found.others)

    def _notes_of(self, sheet: Verdicts, path: Path) -> dict[int, str]:
        """Notes of a sheet that are not recorded, by place in the ranking.

        Raises
        ------
        TableError : if a row with a note is not in the ranking
        """
        found: dict[int, str] = {}
        for rows in (sheet.with_notes, sheet.unchecked.with_notes):
            found |= dict(zip(self._places(rows, path), rows.notes, strict=True))
        return {
            place: note
            for place, note in found.items()
            # A sheet for spreadsheets has an apostrophe before what would be a formula.
            if self.notes.get(place, "") not in (note, note.removeprefix("'"))
        }

    def _places(self, sheet: SheetRows, path: Path) -> list[int]:
        """Places of the rows of a sheet in the ranking, counted from 0.

        A row is found by its rank, and its identifier must then be that of the rank as spreadsheets
        write it. Without a rank, it is found by its identifier, which then must be unique.

        Raises
        ------
        TableError : if a row of the sheet is not in the ranking
        """
        by_id: dict[str, list[int]] = {}
        for place, each in enumerate(self.ids):
            by_id.setdefault(each, []).append(place)
        places, strange = [], []
        known_as = zip(sheet.ids, sheet.ids_among(by_id), strict=True)
        ranks = sheet.ranks.tolist()
        for (written, each), rank, number in zip(known_as, ranks, sheet.numbers, strict=True):
            here = by_id.get(each, [])
            if 0 < rank <= len(self.ids) and is_written(self.ids[rank - 1], written):
                places.append(rank - 1)
            elif not rank and len(here) == 1:
                places.append(here[0])
            else:
                strange.append(f"row {number} ({written!r}{f', rank {rank}' if rank else ''})")
        if strange:
            more = f" and {len(strange) - _MOST_NAMED:,} more" if len(strange) > _MOST_NAMED else ""
            raise TableError(
                f"{counted(len(strange), 'row')} of {path.name!r} "
                f"{agreeing(len(strange))} not in the ranking "
                f"{self.name!r}: {', '.join(strange[:_MOST_NAMED])}{more}.",
                "Pass the sheet of this ranking; its identifiers and ranks must stay as they are.",
            )
        return places

    def sheet(self) -> pa.Table:
        """The drawn rows that have no verdict yet, in the order in which to check them.

        Columns: the identifier, those of `shown`, `rank`, `stands_for` (number of unlabeled rows
        that the row stands for), `verdict` (empty), and `note`.
        """
        return self._as_sheet(self.audit.waiting, [""] * len(self.audit.waiting), self.shown)

    def checked(self) -> pa.Table:
        """The rows that have a verdict, in the order of the ranking, as a sheet."""
        return self._as_sheet(
            self.audit.checked, [WORDS[verdict] for verdict in self.audit.verdicts]
        )

    def records_writer(self, table: str | PathLike[str]) -> Callable[[Path], None]:
        """A function that writes the reference records with a verdict to a path, as RIS.

        Parameters
        ----------
        table : path of the reference records that were ranked

        Raises
        ------
        TableError : if the table holds other records than the ranking
        """
        records = read_references(self.ids, as_path(table, "table"))
        return partial(write_checked_ris, records, self.checked())

    def _as_sheet(
        self, rows: Ints, verdicts: list[str], shown: Mapping[str, list[str]] = MappingProxyType({})
    ) -> pa.Table:
        places = rows.tolist()
        return pa.table(
            {
                identifier_in_sheet(self.id_name): pa.array(
                    [self.ids[place] for place in places], pa.string()
                ),
                **{
                    name: pa.array([texts[place] for place in places], pa.string())
                    for name, texts in shown.items()
                },
                RANK: rows + 1,
                STANDS_FOR: np.round(self.audit.weights(rows), 2),
                VERDICT: pa.array(verdicts, pa.string()),
                NOTE: pa.array([self.notes.get(place, "") for place in places], pa.string()),
            }
        )

    def page(
        self,
        sheet: str,
        *,
        table: str | PathLike[str] | None = None,
        report_data: str | PathLike[str] | None = None,
    ) -> str:
        """An HTML page on which to check the drawn rows that have no verdict yet.

        Parameters
        ----------
        sheet : name of the file in which the page saves verdicts
        table : path of the table that was ranked; the page shows its cells. By default the page
            shows the columns of `shown`
        report_data : path of the numbers of the ranking's report; the page shows from these what
            moves the scores

        Raises
        ------
        TableError : if the table or the report belongs to another ranking
        """
        rows = self.audit.waiting
        records = read_records(
            self.ids,
            rows.tolist(),
            self.id_name,
            table=None if table is None else as_path(table, "table"),
            data=None if report_data is None else as_path(report_data, "report_data"),
        )
        weights = np.round(self.audit.weights(rows), 2).tolist()
        shown = [
            CheckRow(
                id=(identifier := self.ids[place]),
                rank=place + 1,
                score=None if self.scores is None else self.scores[place],
                stands_for=weight,
                fields=records.fields.get(identifier, self._fields(place)),
                text=records.texts.get(identifier, self._title(place)),
                drivers=records.drivers.get(place, []),
                verdict="",
                note=self.notes.get(place, ""),
            )
            for place, weight in zip(rows.tolist(), weights, strict=True)
        ]
        return render(
            CheckData(
                title=self.name,
                audit=self.batch,
                sheet=str(as_path(sheet, "sheet")),
                id_name=identifier_in_sheet(self.id_name),
                n_rows=self.audit.n_rows,
                so_far=str(self.audit.count()) if len(self.audit.checked) else "",
                mode=self.audit.mode,
                unit=records.unit,
                rows=shown,
                steps=self.audit.page_constants(rows),
            )
        )

    def _title(self, place: int) -> str:
        """The title of a row, "" if it is not known."""
        return self.shown[name][place] if (name := find_called([*self.shown], "title")) else ""

    def _fields(self, place: int) -> list[list[str]]:
        """Name and text of the other columns that say what a row is."""
        title = find_called([*self.shown], "title")
        return [
            [name, texts[place]]
            for name, texts in self.shown.items()
            if name != title and texts[place]
        ]

    def to_dict(self) -> dict[str, Any]:
        """The state of the audit, as values that JSON can hold."""
        return {
            "form": "audit",
            "version": __version__,
            "ranking": self.name,
            "digest": self.digest,
            "audit": self.audit.to_dict(),
            "notes": [[place, note] for place, note in sorted(self.notes.items())],
        }

    def writer(self) -> tuple[Path, Callable[[Path], None]]:
        """The path of the state file, and a function that writes the state to a path."""
        return self.state, partial(write_text, as_json(self.to_dict()))

    def save(self) -> None:
        """Write the state file; if writing fails, the earlier file is unchanged."""
        write_files(dict([self.writer()]))

    def next_batch(self, goal: Goal) -> int:
        """Number of rows to draw next for a goal.

        An anytime audit draws a third of the rows that are expected to be still needed. A planned
        audit draws two fifths of these rows first, and then all rows that are still needed.
        """
        cost, audit = self.check_goal(goal).rows_to_check(self.audit), self.audit
        if audit.mode == "planned":
            part = 1.0 if len(audit.checked) else _FIRST_PART
            return min(max(math.ceil(part * cost), _SMALLEST_BATCH), cost)
        return min(max(math.ceil(cost / 3), _SMALLEST_BATCH), _LARGEST_BATCH, cost)

    @takes_names
    def check_sheet(
        self, path: str | PathLike[str], option: str = "sheet", column: str = VERDICT
    ) -> None:
        """Raise an error if a file holds what is not recorded and would be replaced.

        Parameters
        ----------
        path : path of the file to be written
        option : the option that names the file; the error shows it
        column : column of verdicts, as in `record`; cells of the column `verdict` count too

        Raises
        ------
        TableError : if the file holds verdicts or notes other than the recorded ones, or further
            columns; or if it is not a sheet of this ranking
        """
        path = as_path(path, "path")
        if not path.exists() or not path.stat().st_size:
            return
        try:
            table = read_table(path, at_least=0)
            if table.num_rows == 0 and VERDICT in table.column_names:
                return
            name = column if column in table.column_names else column.partition("=")[0]
            filled = [each for each in table.column_names if any(texts_of(table.column(each)))]
            specs = {VERDICT: VERDICT, name: column} if name in filled else {VERDICT: VERDICT}
            sheets = [read_verdicts(path, self.id_name, each) for each in specs.values()]
            verdicts = {
                (place, verdict)
                for sheet in sheets
                for place, verdict in zip(self._places(sheet, path), sheet.found, strict=True)
            }
            n_notes = len(self._notes_of(sheets[0], path))
        except TableError as error:
            raise TableError(
                f"{str(path)!r} exists and is not a sheet of this ranking.",
                f"Pass another name: {argument(option)}.",
            ) from error
        known = {*zip(self.audit.checked.tolist(), self.audit.verdicts, strict=True)}
        checked = {place for place, _ in known}
        new = {place for place, _ in verdicts} - checked
        n_changed = len({place for place, _ in verdicts - known} & checked)
        lost = [
            f"{counted(number, noun)} that {agreeing(number, verb)} {what}"
            for number, noun, verb, what in (
                (len(new), "verdict", "were", "not read"),
                (n_changed, "verdict", "differ", "from what was read last"),
                (n_notes, "note", "were", "not read"),
            )
            if number
        ]
        if lost:
            read = argument("verdicts", str(path))
            if name in filled and name != VERDICT:
                read += f" with {argument('verdict_column', column)}"
            raise TableError(
                f"{str(path)!r} holds {' and '.join(lost)}, and would be replaced.",
                f"Read {'it' if len(new) + n_changed + n_notes == 1 else 'them'} first, {read}, or "
                f"pass another name: {argument(option)}.",
            )
        known_names = {
            *SHEET,
            *self.shown,
            name,
            *identifier_names(identifier_in_sheet(self.id_name)),
        }
        if more := [each for each in filled if each not in known_names]:
            raise TableError(
                f"{str(path)!r} holds the column {more[0]!r}, which the new file would lack, and "
                "would be replaced.",
                f"Pass another name: {argument(option)}.",
            )

    @takes_names
    def group_by(self, column: str, table: str | PathLike[str]) -> None:
        """Make the rows of each value of a column a group, in which positives are also counted.

        Parameters
        ----------
        column : name of a column with few values
        table : path of the table that was ranked

        Raises
        ------
        TableError : if the column has many values, or the table belongs to another ranking
        """
        if not isinstance(column, str):
            raise DataError(
                f"{argument('column')} is {kind_of_value(column)}.", "Pass a name as text."
            )
        values = read_groups(self.ids, self.id_name, as_path(table, "table"), column)
        self.groups = {f"{column} is {each}": values == each for each in np.unique(values).tolist()}

    def compare_labels(self, report_data: str | PathLike[str]) -> None:
        """Compare the ranks of the known positives with those of the positives that checks found.

        The ranking is cut so that half of the known positives rank above the cut. If labels were
        drawn evenly, about half of the other positives rank above the cut too.

        Parameters
        ----------
        report_data : path of the numbers of the ranking's report

        Raises
        ------
        TableError : if the report belongs to another ranking
        """
        report_data = as_path(report_data, "report_data")
        report = read_ranking_report(self.ids, report_data)
        above = np.array(report["known_above"])
        n_first = int(np.median(above)) + 1
        if n_first >= len(self.ids):
            raise TableError(
                "No row of the ranking is below the median of the known positives, so known and "
                "hidden positives cannot be compared.",
                f"Leave {argument('report_data')} out.",
            )
        names = f"the first {n_first:,} rows", "the other rows"
        of = np.where(np.arange(len(self.ids)) < n_first, *names)
        of_known = np.where(above < n_first, *names)
        self.labels = partial(self.audit.label_odds_ratio, of, labeled_groups=of_known)

    def estimates(self, goal: Goal | None = None, first: Sequence[int] = ()) -> list[AuditEstimate]:
        """Current estimates of the audit.

        They are the number of positives, the share of positives found, the number of the goal, and
        the precision and recall of first rows.

        Parameters
        ----------
        goal : goal of the audit
        first : numbers of first rows for which precision and recall are estimated
        """
        audit = self.audit
        known = [audit.count(), audit.found()]
        if goal is not None and self.check_goal(goal).k is not None:
            known.append(goal.estimate(audit))
        mend = "Pass a list of numbers of rows, [100] for example."
        if isinstance(first, str) or not isinstance(first, Sequence | np.ndarray):
            raise DataError(f"{argument('first')} is {kind_of_value(first)}.", mend)
        for k in first:
            check_number(k, "first", mend, at_least=1, whole=True)
            known += [audit.precision_at(k), audit.recall_at(k)]
        known += [
            replace(audit.count(inside), what=f"number of positives where {name}")
            for name, inside in self.groups.items()
        ]
        return list(dict.fromkeys(known))

    def facts(self, goal: Goal | None = None, first: Sequence[int] = ()) -> dict[str, Any]:
        """Current results of the audit as numbers; arguments as in `estimates`."""
        audit = self.audit
        facts: dict[str, Any] = {
            "rows": audit.n_rows,
            "mode": audit.mode,
            "confidence": audit.confidence,
            "drawn": len(audit.drawn),
            "checked": len(audit.checked),
            **dict(zip(_COUNTED, self._counts(), strict=True)),
            "waiting": len(audit.waiting),
            "known": [
                {"what": each.what, "point": each.point, "interval": list(each.interval)}
                for each in self.estimates(goal, first)
            ],
        }
        if self.labels is not None:
            labels = self.labels()
            facts["labels"] = {
                "group": labels.groups[labels.strongest],
                "share_of_labeled": labels.share_of_labeled,
                "share_of_hidden": labels.hidden[labels.strongest],
                "share_of_hidden_interval": list(labels.hidden_intervals[labels.strongest]),
                "odds_ratio": labels.point,
                "interval": list(labels.interval),
                "may_be_even": labels.is_even,
            }
        if goal is not None:
            facts["goal"] = {
                "what": str(goal),
                "reached": goal.is_met(audit),
                "rows_to_check": goal.rows_to_check(audit),
            }
        return facts

    def sentences(self, goal: Goal | None = None, first: Sequence[int] = ()) -> list[str]:
        """Current results, and how much more checking is needed; arguments as in `estimates`."""
        audit = self.audit
        n_checked, n_unsure = len(audit.checked), self._counts()[2]
        n_waiting, known = len(audit.waiting), self.estimates(goal, first)
        found = [f"{n:,} {word}" for word, n in zip(_COUNTED, self._counts(), strict=True)]
        checked = f"{n_checked:,} {agreeing(n_checked)} checked"
        counts = ", ".join(found if n_unsure else found[:2])
        lines = [f"{self.name}: {counted(audit.n_rows, 'row')}. {checked}: {counts}"]
        if n_unsure:
            lines.append(
                f"  {undecided(n_unsure, n_checked)}: each interval allows for both answers, and "
                "the estimates rest on the decided rows"
            )
        if n_waiting:
            lines.append(
                f"  {counted(n_waiting, 'row')} {agreeing(n_waiting)} drawn and "
                f"{agreeing(n_waiting, 'wait')} for a verdict"
            )
        if known[0].n_waiting:
            lines.append(f"  {waiting_verdicts(known[0].n_waiting)}")
        if n_checked:
            lines += [f"  {self._of_ranking(each).sentence}" for each in known]
            if self.labels is not None:
                lines += [f"  {line}" for line in str(self.labels()).splitlines()]
            lines.append(f"  {known[0].holds}")
        lines += [f"  {line}" for line in self._prices(goal)]
        return lines

    def _counts(self) -> tuple[int, int, int]:
        """Numbers of rows that are positive, negative and undecided by their verdicts."""
        verdicts = self.audit.verdicts
        return verdicts.count(True), verdicts.count(False), verdicts.count(None)

    def _of_ranking(self, known: AuditEstimate) -> AuditEstimate:
        """The estimate, whose sentence says of which positives it is a share.

        The ranking may lack rows of the table, of which the audit knows nothing.
        """
        if not known.of_positives:
            return known
        whole = f"among the {counted(self.audit.n_rows, 'row')} of this ranking"
        return replace(known, what=f"{known.what}, {whole}")

    def _prices(self, goal: Goal | None) -> list[str]:
        """Lines that say how many more rows must be checked to know more."""
        audit = self.audit
        if goal is None:
            goals = [Goal("count", 0.2), Goal("count", 0.1)]
            if audit.mode == "anytime":
                goals.append(Goal("found", 0.95))
            costs = {str(each): each.rows_to_check(audit) for each in goals}
            prices = [f"{text}, {n:,}" for text, n in costs.items() if n]
            return [f"Rows still to check, about: {'; '.join(prices)}"] if prices else []
        met = goal.is_met(audit)
        if met is None:
            n_rows = goal.rows_to_check(audit)
            if not n_rows:
                left = "no row is left to check"
                if len(audit.waiting):
                    left = "the rows that wait for a verdict will decide"
                return [f"Goal ({goal}): not reached yet; {left}"]
            return [f"Goal ({goal}): about {counted(n_rows, 'more row')} to check"]
        return [
            f"Goal ({goal}): {'reached' if met else 'out of reach: the number is surely lower'}"
        ]


def audit_ranking(
    ranking: str | PathLike[str],
    *,
    state: str | PathLike[str] | None = None,
    mode: Mode | None = None,
    confidence: float | None = None,
    random_state: int | None = None,
) -> RankingAudit:
    """Begin an audit of a ranking in a file, or continue it.

    Parameters
    ----------
    ranking : path of a table that `rank` wrote, the most positive row first
    state : path of the state file; by default in the folder of the ranking, with the ending
        .audit.json
    mode, confidence, random_state : as in `Audit`. An audit keeps those that it was begun with: if
        the state file exists, another mode or confidence raises an error, and `random_state` is not
        used

    Raises
    ------
    TableError : if the ranking or the state file cannot be read, or if the state file belongs to
        another ranking or to an audit of another mode or confidence

    Examples
    --------
    >>> import numpy as np, pandas as pd, tempfile
    >>> from pathlib import Path
    >>> ranking = Path(tempfile.mkdtemp()) / "claims-ranking.csv"
    >>> scores = np.linspace(1, 0, 500)
    >>> rows = pd.DataFrame({"claim": np.arange(500), "rank": np.arange(1, 501), "score": scores})
    >>> rows.to_csv(ranking, index=False)
    >>> from onesided.checking import audit_ranking
    >>> audit = audit_ranking(ranking)
    >>> audit.draw(20)
    20
    """
    path = as_path(ranking, "ranking")
    found = _read_ranking(path)
    ids, name = found.ids, table_name(path)
    place = as_path(state, "state") if state is not None else path.with_name(name + STATE)
    order = -np.arange(len(ids), dtype=float)
    wanted = {"mode": mode, "confidence": confidence, "random_state": random_state}
    given = {name: value for name, value in wanted.items() if value is not None}
    if not place.exists():
        audit = Audit(order, posterior=found.posterior, **given)  # type: ignore[arg-type]  # Audit checks the values of a file
        return RankingAudit(name, found.id_name, ids, audit, place, found.scores, found.shown)
    kept = read_json(place, "The state of an audit", f"{_ANOTHER}: {argument('state')}.")
    if not isinstance(kept, Mapping) or kept.get("form") != "audit":
        raise TableError(
            f"{str(place)!r} is not the state of an audit.", f"{_ANOTHER}: {argument('state')}."
        )
    try:
        audit = Audit.from_dict(kept["audit"], order, posterior=found.posterior)
        begun = RankingAudit(
            name, found.id_name, ids, audit, place, found.scores, found.shown, is_new=False
        )
        begun.notes.update({int(place): str(note) for place, note in kept["notes"]})
        is_same = kept["digest"] == begun.digest
    except (KeyError, TypeError, ValueError) as error:  # a DataError is a ValueError
        raise TableError(
            f"The audit in {str(place)!r} was begun with another ranking than {path.name!r}, or "
            "the file was changed.",
            f"{_ANOTHER}: {argument('state')}.",
        ) from error
    if not is_same:
        raise TableError(
            f"The audit in {str(place)!r} was begun with a ranking of other rows, or in another "
            f"order, than {path.name!r}.",
            f"{_ANOTHER}: {argument('state')}.",
        )
    _check_kept(audit, given, place)
    return begun


def _check_kept(audit: Audit, given: Mapping[str, Any], place: Path) -> None:
    """Raise an error if the mode or the confidence differs from those of the audit in a file."""
    for name in ("mode", "confidence"):
        if name in given and given[name] != getattr(audit, name):
            raise TableError(
                f"{argument(name, given[name])} differs from the audit in {str(place)!r}, which "
                f"has {getattr(audit, name)!r}: an audit keeps what it was begun with.",
                f"Leave {argument(name)} out, or begin another audit: {argument('state')}.",
            )


class _Ranking(NamedTuple):
    """A ranking in a file.

    `scores` and `posterior`, a guess of which rows are positive, are None if it has no columns for
    them. `shown` has the columns that say what a row is.
    """

    ids: list[str]
    id_name: str
    scores: list[float] | None
    posterior: Floats | None
    shown: dict[str, list[str]]


def _beside_sheet(columns: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """The columns that a sheet can show, which has columns of its own."""
    return {name: texts for name, texts in columns.items() if name not in SHEET}


def _read_ranking(path: Path) -> _Ranking:
    """Read a ranking.

    Raises
    ------
    TableError : if the file is not a ranking, if rows at its end are missing, or if it holds a
        ranking for each of several values
    """
    head = read_rows(path, at_least=1).data
    noted = places_in(head) if RECORD in head.column_names else None
    if noted is not None:
        return _read_records(head, noted, path)
    if RANK not in head.column_names or head.column_names[0] == RANK:
        raise TableError(
            f"{path.name!r} has no identifiers beside a column {RANK!r}, so it is not a ranking.",
            "Pass the table that onesided rank wrote.",
        )
    id_name = head.column_names[0]
    table = read_table(path, as_text=[id_name], at_least=1)
    ids, places = texts_of(table.column(id_name)), table.column(RANK).to_pylist()
    if head.column_names[1] != RANK:
        _check_one_ranking(id_name, ids, places, path)
    _check_ranks(places, path)
    scores, recall = _scores(table), _recall(table)
    _check_whole(table, scores)
    shown = _beside_sheet({name: texts_of(table.column(name)) for name in shown_in(table)})
    for name in _POSTERIOR:
        if name in table.column_names:
            return _Ranking(ids, id_name, scores, np.clip(_numbers(table, name), 0, 1), shown)
    return _Ranking(ids, id_name, scores, None if recall is None else _guess(recall), shown)


def _read_records(records: pa.Table, places: list[Place], path: Path) -> _Ranking:
    """The ranking of reference records that have notes on their places in it."""
    _check_ranks([each.rank for each in places], path)
    n_ranked = max(each.n_ranked for each in places)
    if n_ranked > len(places):
        raise part_of_ranking(f"a note says rank 1 of {n_ranked:,}", len(places))
    scores = [each.score for each in places]
    names = named_by(records, without={RECORD}, references=True)
    shown = _beside_sheet({name: texts_of(records.column(name)) for name in names})
    return _Ranking(records[RECORD].to_pylist(), RECORD, scores, None, shown)


def _check_one_ranking(name: str, values: list[str], ranks: list[Any], path: Path) -> None:
    """Raise an error if a file holds a ranking for each value of its first column.

    Parameters
    ----------
    name : name of the first column
    values : cells of the first column
    ranks : ranks of the rows
    """
    starts = [at for at, value in enumerate(values) if at == 0 or value != values[at - 1]]
    ends = [*starts[1:], len(values)]
    each = [
        rank for start, end in zip(starts, ends, strict=True) for rank in range(1, end - start + 1)
    ]
    if ranks == each and len(values) > 1:
        label = name.removesuffix(" (positive)")  # where another column has the name of the label
        raise TableError(
            f"{path.name!r} has a ranking for each value of {name!r} "
            f"({counted(len(starts), 'value')}), but an audit is of one ranking.",
            f"Rank by one value, {argument('positive', f'{label}={values[0]}')} for example, and "
            "audit that ranking.",
        )


def _check_ranks(ranks: list[Any], path: Path) -> None:
    """Raise an error if the rows of a ranking are not in the order of their ranks."""
    if ranks != list(range(1, len(ranks) + 1)):
        raise TableError(
            f"The ranks of {path.name!r} are not 1, 2, 3 and so on.",
            "Pass the table as onesided rank wrote it, with all its rows in order.",
        )


def _check_whole(table: pa.Table, scores: list[float] | None) -> None:
    """Raise an error if rows are missing at the end of a ranking that `rank` wrote.

    The recall of its last row is 1. A score is the share of the rows that rank below, and the row
    itself and ties count half, so that the mean of all scores is 1/2. The first rows alone have a
    higher mean, even where the recall is 1 before the end. Rankings without recall have scores of
    any kind.
    """
    shares = [_numbers(table, name)[-1] for name in RECALL if name in table.column_names]
    if not shares:
        return
    if min(shares) < 1 - 2 * _ROUNDED:
        missing = f"the recall of its last row is {min(shares):.3g}, not 1"
    elif scores is not None and max(scores) <= 1 and np.mean(scores) > _MIDDLE + _NEAR:
        missing = f"the mean of its scores is {np.mean(scores):.3g}, not {_MIDDLE}"
    else:
        return
    raise part_of_ranking(missing, table.num_rows)


def _scores(table: pa.Table) -> list[float] | None:
    """The scores of a ranking; None if it has no column of numbers for them."""
    name = "score"
    if name not in table.column_names[1:]:
        return None
    kind = table.schema.field(name).type
    is_number = pa.types.is_floating(kind) or pa.types.is_integer(kind)
    numbers = _numbers(table, name) if is_number else np.array([np.nan])
    return numbers.tolist() if np.isfinite(numbers).all() else None


def _digest(parts: Sequence[object]) -> str:
    return sha256("\0".join(map(str, parts)).encode()).hexdigest()[:16]


def _numbers(table: pa.Table, name: str) -> Floats:
    return np.asarray(table.column(name).to_numpy(), dtype=float)


def _recall(table: pa.Table) -> Floats | None:
    """Recall at each rank, as if labels were even; None if the ranking does not have it.

    For uneven labels a ranking has limits in its place. The odds of the lower limit are those of
    the recall divided by a ratio, and the odds of the upper limit are multiplied by it.
    """
    point, *limits = RECALL
    if point in table.column_names:
        return _numbers(table, point)
    if not {*limits} <= {*table.column_names}:
        return None
    low, high = (np.clip(_numbers(table, name), _ROUNDED, 1 - _ROUNDED) for name in limits)
    odds = np.sqrt(low * high / ((1 - low) * (1 - high)))
    recall: Floats = odds / (1 + odds)
    return recall


def _guess(recall: Floats) -> Floats:
    """A posterior from the recall at each rank, as if a tenth of the rows were positive.

    The slope of the recall says how dense positives are at a rank, compared with all rows. This
    density, made to fall with the rank, is multiplied by a tenth.
    """
    times = np.diff(recall, prepend=0) * len(recall)
    falling = IsotonicRegression(increasing=False).fit_transform(np.arange(len(times)), times)
    return np.clip(_GUESSED_SHARE * falling, 0.02 * _GUESSED_SHARE, 0.95)
