"""Score the rows of a stream of lines as they arrive."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any, BinaryIO, TypeAlias

import pyarrow as pa
from threadpoolctl import threadpool_limits

from onesided._files._csv import says_delimiter
from onesided._files._encoding import (
    UTF8,
    decoded,
    is_foreign,
    not_utf8,
    not_windows,
    utf16_decoder,
)
from onesided._files._lines import CellLines, ObjectLines, Row, is_blank, read_line
from onesided._files._names import composed
from onesided._files._notation import misfits
from onesided._files._wanted import ModelColumn, is_number, kind_of, of_values, wanted_type
from onesided._text import MISSING_MARKS, agreeing, argument, counted
from onesided._validation import check_object
from onesided.exceptions import OnesidedWarning, TableError
from onesided.scoring._drift import Counted, Drift, compare_counts
from onesided.scoring._model_file import Model
from onesided.scoring._parts import id_name, score_columns, score_names

Line: TypeAlias = tuple[int, str]

_BYTES = 1 << 16  # capacity of a pipe
_LONGEST = 1 << 24  # largest number of bytes of a line
_SKIP = f"Correct the line, or skip such lines: {argument('on_bad')}."


@dataclass
class Stream:
    """A stream of lines that a model scores; the first line tells whether they are JSON or CSV.

    Attributes
    ----------
    model : the model that scores
    identifier : column that names the rows; by default the identifier of the model if the first
        line has it, and otherwise rows are numbered
    delimiter : character between the cells of CSV; by default found in the header
    on_bad : called with the number of a line that cannot be scored and with the reason; the line is
        left out. Without `on_bad`, such a line raises an error after the lines before it are scored
    n_rows, n_bad : number of lines that were scored, and number of lines that were left out
    n_blank : number of rows without any cell, which were left out

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> known = np.arange(300) < 60
    >>> size = (rng.normal(size=300) + 2 * known).round(3)
    >>> table = pd.DataFrame({"size": size, "known": known})
    >>> import io
    >>> from onesided.scoring import Stream, fit_table
    >>> stream = Stream(fit_table(table, "known", methods=["naive-bayes"]))
    >>> rows = io.BytesIO(chr(10).join(["size", "2.5", "-1.0", ""]).encode())
    >>> [len(lines) for lines in stream.score(rows)]
    [1, 2, 0]
    """

    model: Model
    identifier: str = ""
    delimiter: str | None = None
    on_bad: Callable[[int, str], None] | None = None
    n_rows: int = 0
    n_bad: int = 0
    n_blank: int = 0
    _counted: Counted = field(default_factory=Counted)

    def __post_init__(self) -> None:
        check_object(self.model, "model", Model, by="onesided.scoring.fit_table")
        self.identifier = composed(self.identifier)
        if any(column.role == "sparse" for column in self.model.features):
            raise TableError(
                "The model learned from numbered features, which lines of JSON or CSV cannot hold.",
                "Pass a file in svmlight format in place of standard input.",
            )

    def score(self, source: BinaryIO) -> Iterator[list[str]]:
        """Yield lists of lines with scores as soon as rows arrive; CSV begins with a header.

        Parameters
        ----------
        source : the lines; lines that have arrived are read without waiting for more

        Raises
        ------
        TableError : if a line cannot be scored, or columns are missing
        """
        batches = ([line for line in batch if line[1].strip()] for batch in _lines(source))
        first = next(filter(None, batches), [])
        n_before = sum(says_delimiter(text) for _, text in first[:1])
        if len(first) == n_before:
            first += next(filter(None, batches), [])
        if len(first) == n_before:
            raise TableError("Standard input holds no row.", "Pass lines of JSON or CSV.")
        start = "\n".join(text for _, text in first[: n_before + 1])
        form = self._form_of(start)
        self.identifier = self._identifier_in(form, start)
        name = id_name(self.identifier)
        if isinstance(form, CellLines):
            yield [form.write({each: each for each in (name, *score_names(self.model))})]
        for lines in chain([first[form.n_header_lines :]], batches):
            scored, bad = self._score(form, lines)
            yield [form.write({name: identifier, **each}) for identifier, each in scored]
            if bad is not None:
                raise TableError(f"Line {bad[0]}: {bad[1]}", _SKIP)

    @property
    def sentence(self) -> str:
        """How many lines were scored, in words."""
        return f"Scored {counted(self.n_rows, 'row')}"

    @property
    def notes(self) -> tuple[str, ...]:
        """How many lines were left out, and why, in words."""
        bad, were = counted(self.n_bad, "line"), agreeing(self.n_bad, "were")
        return (
            *[f"{bad} {were} skipped."] * bool(self.n_bad),
            *[f"Rows without any cell, left out: {self.n_blank:,}."] * bool(self.n_blank),
        )

    def drift(self) -> Drift | None:
        """How the rows so far differ from the rows learned from; None if no row can be compared."""
        if not self._counted.bins:
            return None
        model = self.model
        return compare_counts(model.seen, self._counted, model.n_positive, model.n_unlabeled)

    def _form_of(self, first: str) -> ObjectLines | CellLines:
        if first.lstrip().startswith("{"):
            return ObjectLines()
        try:
            form = CellLines(first, self.delimiter, [each.name for each in self.model.features])
        except csv.Error as error:
            raise TableError(
                f"The first line is neither a JSON object nor a header of CSV: {first!r:.60}.",
                "Pass lines of JSON or CSV.",
            ) from error
        lacking = [each.name for each in self.model.features if each.name not in form.names]
        if lacking:
            raise TableError(
                f"Standard input has no column {lacking[0]!r}.",
                "Pass CSV whose first line names the columns, or learn the model again without "
                f"this column: {argument('drop', lacking[:1])}.",
            )
        return form

    def _identifier_in(self, form: ObjectLines | CellLines, first: str) -> str:
        names = form.names if isinstance(form, CellLines) else list(read_line(form, first, ())[0])
        known = self.model.name_of("identifier")
        if self.identifier and self.identifier not in names:
            raise TableError(
                f"The first line has no {self.identifier!r} to name the rows.",
                f"Pass another column: {argument('identifier', 'COLUMN')}.",
            )
        return self.identifier or (known if known in names else "")

    def _score(
        self, form: ObjectLines | CellLines, lines: Iterable[Line]
    ) -> tuple[list[tuple[Any, Row]], tuple[int, str] | None]:
        """The identifier and the scores of each row, and the line that ends the stream.

        The line is its number and what is wrong with it, or None.
        """
        rows, batch, stop = self._take(form, lines)
        if not rows:
            return [], stop
        with threadpool_limits(1):  # as for files, so that the scores are the same
            columns = score_columns(self.model, pa.Table.from_batches([batch]))
        self._counted += self.model.count(batch, columns["score"])
        ids = [
            row.get(self.identifier) if self.identifier else number - form.n_header_lines
            for number, row in rows
        ]
        self.n_rows += len(rows)
        return list(zip(ids, pa.table(columns).to_pylist(), strict=True)), stop

    def _take(
        self, form: ObjectLines | CellLines, lines: Iterable[Line]
    ) -> tuple[list[tuple[int, Row]], pa.RecordBatch, tuple[int, str] | None]:
        """The rows that can be scored, up to a line that ends the stream.

        Returns
        -------
        the rows with the numbers of their lines, their features, and the line that ends the stream:
        its number and what is wrong with it, or None
        """
        known = [column.name for column in self.model.features]
        missing = {*MISSING_MARKS, *self.model.missing}
        every = [(number, *read_line(form, text, known)) for number, text in lines]
        read = [each for each in every if each[2] or not is_blank(each[1], missing)]
        self.n_blank += len(every) - len(read)
        rows = [(number, row) for number, row, problem in read if not problem]
        try:
            if len(rows) == len(read):
                return rows, self._batch(form, rows), None
        except (ValueError, TypeError, OverflowError):  # Arrow's errors are kinds of these
            pass  # the loop below finds the rows that cause the error
        rows = []
        for number, row, unread in read:
            problem = unread or self._problem(form, row)
            if not problem:
                rows.append((number, row))
            elif self.on_bad is None:
                return rows, self._batch(form, rows), (number, problem)
            else:
                self.on_bad(number, problem)
                self.n_bad += 1
        return rows, self._batch(form, rows), None

    def _batch(self, form: ObjectLines | CellLines, rows: list[tuple[int, Row]]) -> pa.RecordBatch:
        columns = self.model.features
        cells = [
            self._cells([row.get(each.name) for _, row in rows], each, form) for each in columns
        ]
        return pa.RecordBatch.from_arrays(cells, names=[each.name for each in columns])

    def _cells(
        self, values: list[Any], column: ModelColumn, form: ObjectLines | CellLines
    ) -> pa.Array:
        return of_values(values, column, are_text=form.is_csv, missing=self.model.missing)

    def _problem(self, form: ObjectLines | CellLines, row: Row) -> str:
        """What is wrong with a row; empty if nothing is wrong."""
        for column in self.model.features:
            value = row.get(column.name)
            try:
                self._cells([value], column, form)
            except (ValueError, TypeError, OverflowError):
                mark = column.notation.decimal
                other = replace(column, decimal="," if mark == "." else ".")
                mend = (
                    f" The lines of a stream must have the decimal mark {mark!r}, as the model "
                    "learned it; a file may have another."
                )
                return (
                    f"Column {column.name!r} holds {value!r:.60}; the model learned from "
                    f"{kind_of(column)}.{mend * self._fits(value, other)}"
                )
        return ""

    @staticmethod
    def _fits(value: Any, column: ModelColumn) -> bool:
        """Whether a cell is text that is a number in the notation of a column."""
        is_text = isinstance(value, str) and is_number(wanted_type(column))
        return is_text and not misfits(pa.array([value], pa.string()), column.notation).any()


def _lines(source: BinaryIO) -> Iterator[list[Line]]:
    """Lists of numbered lines, as soon as lines arrive."""
    rest, number, ended = b"", 0, False
    for chunk in _as_utf8(source):
        # A carriage return ends a line. A line feed after it belongs to the same line end, also if
        # it is the first byte of the next chunk.
        text = rest + chunk.removeprefix(b"\n" if ended else b"")
        ended = chunk.endswith(b"\r")
        *whole, rest = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        yield [(number + n, _text(line)) for n, line in enumerate(whole, start=1)]
        number += len(whole)
        if len(rest) > _LONGEST:
            raise TableError(
                f"Line {number + 1} is longer than {_LONGEST:,} bytes.",
                "Pass one row on each line, as a JSON object or as cells.",
            )
    yield [(number + 1, _text(rest))]


def _as_utf8(source: BinaryIO) -> Iterator[bytes]:
    """Bytes, as soon as bytes arrive; UTF-16 with a byte order mark is converted to UTF-8."""
    read = partial(source.read1, _BYTES)  # type: ignore[attr-defined]  # buffered sources have it
    chunk = read()
    decoder = utf16_decoder(chunk)
    while chunk:
        yield chunk if decoder is None else decoder.decode(chunk).encode()
        chunk = read()


def _text(line: bytes) -> str:
    """The text of a line.

    The function warns if the line is not UTF-8. A stream cannot be read ahead, so the encoding
    cannot be found before the first such line.
    """
    text, encoding = decoded(line)
    if encoding != UTF8:
        if is_foreign(line):
            raise not_windows("Standard input")
        warnings.warn(not_utf8("Standard input is", encoding), OnesidedWarning, stacklevel=2)
    return text.removeprefix("\ufeff")
