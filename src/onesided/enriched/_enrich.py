"""Features in which the positive rows of a table differ from random sets of their size."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from os import PathLike
from pathlib import Path
from typing import Any

import pyarrow as pa

from onesided._display import Displayed
from onesided._frames import frame_of_table
from onesided._text import argument
from onesided._typing import OnProgress, RandomState
from onesided._validation import check_number
from onesided.enriched._tested import TestedTable, read_tested
from onesided.models.significance import enrichment
from onesided.models.significance._enrichment import Statistic
from onesided.tables import enrichment_table

LEVEL = 0.05
"""Family-wise error; a feature with a smaller adjusted p-value is found."""
_ENOUGH = 9999  # random sets
_MOST_SHOWN = 10


@dataclass(frozen=True)
class Enrichment(Displayed):
    """The features of a table, tested for each set of positive rows.

    Attributes
    ----------
    tested : the table as it was understood
    results : a table for each set of positives, by its name: all features, the most significant
        first, with the columns of `onesided.models.significance.Enrichment.to_frame`
    n_resamples : random sets that were asked for
    top : number of features of each set that are listed; None is all of them
    """

    tested: TestedTable
    results: Mapping[str, pa.Table]
    n_resamples: int
    top: int | None = None

    @cached_property
    def table(self) -> pa.Table:
        """The features that are listed; of `positive_sets` with `set` and `n_positive` in front."""
        kept = {
            name: found if self.top is None else found.slice(0, self.top)
            for name, found in self.results.items()
        }
        if self.tested.positive_sets is None:
            return kept[self.tested.label]
        return pa.concat_tables(
            pa.table(
                {
                    "set": pa.repeat(pa.scalar(name), found.num_rows),
                    "n_positive": pa.repeat(
                        pa.scalar(int(self.tested.positive[name].sum())), found.num_rows
                    ),
                    **dict(zip(found.column_names, found.columns, strict=True)),
                }
            )
            for name, found in kept.items()
        )

    @cached_property
    def firsts(self) -> dict[str, dict[str, Any]]:
        """The most significant feature of each set of positives, the most significant set first."""
        rows = {name: found.slice(0, 1).to_pylist()[0] for name, found in self.results.items()}
        return dict(
            sorted(rows.items(), key=lambda row: (row[1]["adjusted_p_value"], row[1]["p_value"]))
        )

    @cached_property
    def n_found(self) -> dict[str, int]:
        """Number of features whose adjusted p-value is below `LEVEL`, of each set that has any."""
        n_below = {
            name: sum(p < LEVEL for p in self.results[name]["adjusted_p_value"].to_pylist())
            for name in self.firsts
        }
        return {name: n for name, n in n_below.items() if n}

    @property
    def least(self) -> float:
        """The smallest adjusted p-value of all."""
        return float(next(iter(self.firsts.values()))["adjusted_p_value"])

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know of the result, a sentence or two each."""
        n_sets = len(self.results)
        if n_sets == 1:
            return ()
        level = LEVEL / n_sets
        more = argument("n_resamples", ceil(1 / level))
        reach = "" if self.n_resamples + 1 > 1 / level else f" ({more})"
        note = (
            "The adjusted p-values of a set account for all features of this set, but not for "
            f"the number of sets. By chance alone up to {LEVEL:.0%} of the sets have an "
            f"adjusted p-value below {LEVEL}.\nTo bound the chance of any false finding over "
            f"all {n_sets:,} sets, use the threshold {level:.2g}{reach}."
        )
        return (note,)

    def to_frame(self, backend: str | None = None) -> Any:
        """The features that are listed, a row each, as `table` has them.

        Parameters
        ----------
        backend : "pandas", "polars" or "pyarrow"; by default the first that is installed
        """
        return frame_of_table(self.table, backend)

    def __str__(self) -> str:
        lines = self._of_sets() if self.tested.positive_sets else self._of_features()
        if not self.n_found and 1 / (1 + self.n_resamples) >= LEVEL:
            more = argument("n_resamples", _ENOUGH)
            lines.append(f"  with so few random sets, no p-value can be this small: {more}")
        return "\n".join([*lines, *self.notes])

    def _of_features(self) -> list[str]:
        (found,), n_found = self.results.values(), sum(self.n_found.values())
        features = f"{found.num_rows:,} feature{'s' * (found.num_rows != 1)}"
        if not n_found:
            return [f"Adjusted p < {LEVEL}: none of {features}; the smallest is {self.least:.2g}"]
        return [
            f"Adjusted p < {LEVEL}: {n_found:,} of {features}",
            "  adjusted p         p  positives  feature",
            *(
                f"{_p_values(row)}  {row['direction']:<9}  {row['feature']}"
                for row in found.slice(0, min(n_found, _MOST_SHOWN)).to_pylist()
            ),
            *_rest(n_found, "in the table"),
        ]

    def _of_sets(self) -> list[str]:
        n_sets, n_found = len(self.results), len(self.n_found)
        if not n_found:
            return [
                f"Adjusted p < {LEVEL} in none of {n_sets:,} sets; the smallest is {self.least:.2g}"
            ]
        lines = [
            f"Adjusted p < {LEVEL} in {n_found:,} of {n_sets:,} sets",
            "  adjusted p         p  features  set: the first of them",
        ]
        for name, n in list(self.n_found.items())[:_MOST_SHOWN]:
            row = self.firsts[name]
            lines.append(f"{_p_values(row)}  {n:>8,}  {name}: {row['feature']}, {row['direction']}")
        return [*lines, *_rest(n_found, "sets in the table")]


def enrich_table(  # noqa: PLR0913 - each says how one thing is read or tested
    table: str | PathLike[str],
    positive: str | None = None,
    *,
    positive_sets: str | PathLike[str] | None = None,
    sets: str | PathLike[str] | None = None,
    identifier: str | None = None,
    with_columns: bool = False,
    min_size: int = 3,
    max_size: int = 2000,
    statistic: Statistic = "sum",
    n_resamples: int = _ENOUGH,
    top: int | None = None,
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
    text: Sequence[str] = (),
    delimiter: str | None = None,
    random_state: RandomState = 0,
    on_read: Callable[[TestedTable], None] | None = None,
    on_progress: OnProgress | None = None,
) -> Enrichment:
    """Find features in which the positive rows of a table differ from random sets of their size.

    The features are the columns of numbers, the values of categories and the words of text (as 0
    or 1) and, with `sets`, the membership in gene sets. It assumes nothing of how labels were
    selected: the null hypothesis is that the positives are any set of their size.

    Parameters
    ----------
    table : path of a table, as `onesided.tables.read_rows` takes it
    positive : column of labels, as `onesided.tables.read_labels` takes it
    positive_sets : a GMT file, each of whose sets in turn is the positive one, in place of
        `positive`
    sets : a GMT file; to be in one of its sets is a feature, in place of the columns
    identifier : column that names the rows; the sets hold its values
    with_columns : whether the columns are tested beside `sets`
    min_size, max_size : fewest and most rows of one of `sets`
    statistic : "sum" or "t", as `onesided.enrichment` takes it
    n_resamples : random sets to compare with
    top : number of features, for each set of positives, that the result lists; all by default
    drop, categorical, text : columns not to test, and columns whose role is given
    delimiter : between the cells of a CSV file; found in its first lines by default
    random_state : of the random sets
    on_read : called with the table as it was understood, before the tests
    on_progress : called with "testing", the number of steps done and of all

    Raises
    ------
    TableError : if a file cannot be read, or it is not said which rows are positive or in a set
    DataError : if a number is out of its range
    """
    if top is not None:
        check_number(top, "top", "Pass a number of features.", at_least=1, whole=True)
    tested = read_tested(
        table,
        positive or "",
        positive_sets=Path(positive_sets) if positive_sets else None,
        sets=Path(sets) if sets else None,
        identifier=identifier or "",
        with_columns=with_columns,
        min_size=min_size,
        max_size=max_size,
        statistic=statistic,
        drop=drop,
        categorical=categorical,
        text=text,
        delimiter=delimiter,
    )
    if on_read is not None:
        on_read(tested)
    results = {}
    for n_before, (name, rows) in enumerate(tested.positive.items()):
        found = enrichment(
            tested.X,
            rows,
            statistic=statistic,
            n_resamples=n_resamples,
            random_state=random_state,
            on_step=_step(on_progress, n_before, len(tested.positive)),
        )
        results[name] = enrichment_table(found, tested.features)
    return Enrichment(tested, results, n_resamples, top)


def _step(
    on_progress: OnProgress | None, n_before: int, n_sets: int
) -> Callable[[int, int], None] | None:
    """Progress within the test of one set as progress of all of them."""
    if on_progress is None:
        return None
    return lambda done, of: on_progress("testing", n_before * of + done, n_sets * of)


def _p_values(row: Mapping[str, Any]) -> str:
    return f"{row['adjusted_p_value']:>12.2g}  {row['p_value']:>8.2g}"


def _rest(number: int, where: str) -> list[str]:
    """A line on what is not shown, if there is any."""
    return [f"  and {number - _MOST_SHOWN:,} more {where}"] if number > _MOST_SHOWN else []
