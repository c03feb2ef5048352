"""Features in which the positive rows of a table differ from random sets of their size."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from os import PathLike
from typing import Any

import pyarrow as pa

from onesided._display import Displayed
from onesided._frames import frame_of_table
from onesided._text import argument, counted
from onesided._typing import OnProgress, RandomState
from onesided._validation import check_arguments
from onesided.enriched._tested import TestedTable, read_tested
from onesided.models.significance import enrichment
from onesided.models.significance._enrichment import Statistic
from onesided.tables._features import enrichment_table
from onesided.tables._known_rows import Paths

LEVEL = 0.05
"""Level of the family-wise error: features with a smaller adjusted p-value are significant."""
_ENOUGH = 9999
_MOST_SHOWN = 10


@dataclass(frozen=True)
class Enrichment(Displayed):
    """The results of tests of the features of a table, for each set of positive rows.

    Attributes
    ----------
    tested : the table, its features and its positive rows
    results : for each set of positives a table of all features, the most significant first, with
        the columns of `onesided.models.significance.Enrichment.to_frame`
    n_resamples : largest number of random sets
    top : number of listed features of each set; None for all

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> known = np.arange(300) < 60
    >>> size = (rng.normal(size=300) + 2 * known).round(3)
    >>> table = pd.DataFrame({"size": size, "known": known})
    >>> from onesided.enriched import enrich_table
    >>> table["noise"] = rng.normal(size=300)
    >>> found = enrich_table(table, "known", n_resamples=99)
    >>> found.to_frame("pandas")["feature"].tolist()
    ['size', 'noise']
    """

    tested: TestedTable
    results: Mapping[str, pa.Table]
    n_resamples: int
    top: int | None = None

    @cached_property
    def table(self) -> pa.Table:
        """The listed features; with `positive_sets` it begins with `set` and `n_positive`."""
        kept = {
            name: self.tested.described(found.slice(0, self.top), self.tested.positive[name])
            for name, found in self.results.items()
        }
        if self.tested.positive_sets is None:
            return kept[self.tested.label]
        sizes = {name: int(rows.sum()) for name, rows in self.tested.positive.items()}
        return pa.concat_tables(
            found.add_column(0, "n_positive", [[sizes[name]] * found.num_rows]).add_column(
                0, "set", [[name] * found.num_rows]
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
        """Number of significant features of each set, the most significant set first.

        Sets without a significant feature are left out.
        """
        n_below = {
            name: sum(p < LEVEL for p in self.results[name]["adjusted_p_value"].to_pylist())
            for name in self.firsts
        }
        return {name: n for name, n in n_below.items() if n}

    @property
    def least(self) -> float:
        """The smallest adjusted p-value of all sets and features."""
        return float(next(iter(self.firsts.values()))["adjusted_p_value"])

    @property
    def notes(self) -> tuple[str, ...]:
        """Warnings about the result, one or two sentences each."""
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

    def facts(self) -> dict[str, Any]:
        """Numbers of tested features, of random sets and of rows, as a dictionary."""
        return {
            "n_features": len(self.tested.features),
            "n_resamples": self.n_resamples,
            "features": self.table.to_pylist(),
        }

    def to_frame(self, backend: str | None = None) -> Any:
        """The listed features as a data frame, one row each.

        Parameters
        ----------
        backend : "pandas", "polars" or "pyarrow"; by default the first of these that is installed
        """
        return frame_of_table(self.table, backend)

    def plot(self, most: int = 20) -> Any:
        """Altair chart of the statistics of the most significant features.

        With `positive_sets` there is a bar for the most significant feature of each set.

        Parameters
        ----------
        most : largest number of features, or of sets, that are shown
        """
        from onesided import _charts  # noqa: PLC0415 - only a picture needs Altair

        if self.tested.positive_sets is None:
            rows = self.results[self.tested.label].slice(0, most).to_pylist()
            names = [row["feature"] for row in rows]
        else:
            shown = list(self.firsts.items())[:most]
            rows = [row for _, row in shown]
            names = [f"{name}: {row['feature']}" for name, row in shown]
        return _charts.statistics(names, [row["statistic"] for row in rows])

    def __str__(self) -> str:
        return "\n".join(self._lines() + self._remarks())

    def _in_words(self) -> str:
        """Without columns, because a page puts spaces together."""
        shown = list(self.n_found)[:_MOST_SHOWN] if self.tested.positive_sets else []
        firsts = [(name, self.firsts[name]) for name in shown]
        of_sets = [
            f"{name}: {first['feature']}, {first['direction']}, "
            f"adjusted p {first['adjusted_p_value']:.2g}"
            for name, first in firsts
        ]
        return "\n".join(self._lines()[:1] + of_sets + self._remarks())

    def _lines(self) -> list[str]:
        """How many features, or sets, are significant, and a table of the first of them."""
        return self._of_sets() if self.tested.positive_sets else self._of_features()

    def _remarks(self) -> list[str]:
        few = not self.n_found and 1 / (1 + self.n_resamples) >= LEVEL
        more = argument("n_resamples", _ENOUGH)
        said = [f"  with so few random sets, no p-value can be this small: {more}"] * few
        return [*said, *self.notes]

    def _of_features(self) -> list[str]:
        ((name, found),), n_found = self.results.items(), sum(self.n_found.values())
        features = counted(found.num_rows, "feature")
        if not n_found:
            return [f"Adjusted p < {LEVEL}: none of {features}; the smallest is {self.least:.2g}"]
        shown = found.slice(0, min(n_found, _MOST_SHOWN))
        rows = self.tested.described(shown, self.tested.positive[name]).to_pylist()
        return [
            f"Adjusted p < {LEVEL}: {n_found:,} of {features}",
            "  adjusted p         p  positives         overlap   fold  feature",
            *(
                f"{_p_values(row)}  {row['direction']:<9}{_overlap(row)}  {row['feature']}"
                for row in rows
            ),
            *_rest(n_found, "in the table"),
        ]

    def _of_sets(self) -> list[str]:
        n_sets, n_found = len(self.results), len(self.n_found)
        if not n_found:
            return [
                (
                    f"Adjusted p < {LEVEL} in none of {counted(n_sets, 'set')}; the smallest is "
                    f"{self.least:.2g}"
                )
            ]
        lines = [
            f"Adjusted p < {LEVEL} in {n_found:,} of {counted(n_sets, 'set')}",
            "  adjusted p         p  features  set: the first of them",
        ]
        for name, n in list(self.n_found.items())[:_MOST_SHOWN]:
            row = self.firsts[name]
            lines.append(f"{_p_values(row)}  {n:>8,}  {name}: {row['feature']}, {row['direction']}")
        return [*lines, *_rest(n_found, "sets in the table")]


def enrich_table(  # noqa: PLR0913 - each says how one thing is read or tested
    table: str | PathLike[str] | Any,
    positive: str | None = None,
    *,
    positive_table: Paths = None,
    first: int | None = None,
    positive_sets: Paths = None,
    sets: Paths = None,
    identifier: str | None = None,
    with_columns: bool = False,
    min_size: int = 3,
    max_size: int = 2000,
    statistic: Statistic = "sum",
    n_resamples: int = _ENOUGH,
    match: Sequence[str] | None = None,
    top: int | None = None,
    drop: Sequence[str] | None = None,
    categorical: Sequence[str] | None = None,
    number: Sequence[str] | None = None,
    text: Sequence[str] | None = None,
    missing: Sequence[str] | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
    random_state: RandomState = 0,
    on_read: Callable[[TestedTable], None] | None = None,
    on_progress: OnProgress | None = None,
) -> Enrichment:
    """Find features in which the positive rows of a table differ from random sets of their size.

    The features are the columns of numbers; the values of categories and the words of text, as 0
    or 1; and, with `sets`, the membership in gene sets. The null hypothesis is that the positives
    are a random set of their size, so no assumption on the selection of labels is needed.

    Parameters
    ----------
    table : path of a table, as in `onesided.tables.read_rows`, or a data frame
    positive : column of labels, as in `onesided.tables.read_labels`
    positive_table : path of a file of positive rows, or a list of paths, in place of `positive`; a
        file may list only values of `identifier`
    first : number of rows at the top of each `positive_table` that are positive; all by default. It
        shows what the top rows of a ranking have in common
    positive_sets : a GMT file, or a list of files, in place of `positive`; each set in turn gives
        the positives
    sets : a GMT file, or a list of files; the membership in each set is a feature, in place of the
        columns
    identifier : column that names the rows; the sets list its values
    with_columns : whether to test the columns too, beside `sets`
    min_size, max_size : smallest and largest number of rows of each of `sets`
    statistic : "sum" or "t", as in `onesided.enrichment`
    n_resamples : largest number of random sets to compare with
    match : columns that the random sets are matched by: each random set has as many rows of each
        stratum of these columns as the positives. A feature that differs only because of these
        columns is then not significant. These columns are not tested
    top : number of features that the result lists for each set of positives; all by default
    drop, categorical, number, text : columns not to test, and columns with a given role
    missing : cells that mean that a value is missing, for example ``["-9999"]``
    delimiter : character between the cells of a CSV file; by default found in its first lines
    sheet : name of a sheet of a workbook; by default the first
    random_state : seed of the random sets
    on_read : called with the table and its features, before the tests
    on_progress : called with "testing", the number of finished steps, and the number of all steps

    Raises
    ------
    TableError : if a file cannot be read, or if it is not known which rows are positive or in a set
    DataError : if a number is out of its range

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> known = np.arange(300) < 60
    >>> size = (rng.normal(size=300) + 2 * known).round(3)
    >>> table = pd.DataFrame({"size": size, "known": known})
    >>> from onesided.enriched import enrich_table
    >>> table["noise"] = rng.normal(size=300)
    >>> enrich_table(table, "known", n_resamples=99).n_found
    {'known': 1}
    """
    check_arguments(locals())
    tested = read_tested(
        table,
        positive or "",
        positive_table=positive_table,
        first=first,
        positive_sets=positive_sets,
        sets=sets,
        identifier=identifier or "",
        with_columns=with_columns,
        min_size=min_size,
        max_size=max_size,
        statistic=statistic,
        match=match or (),
        drop=drop or (),
        categorical=categorical or (),
        number=number or (),
        text=text or (),
        missing=missing or (),
        delimiter=delimiter,
        sheet=sheet,
    )
    if on_read is not None:
        on_read(tested)
    results = {}
    for n_before, (name, rows) in enumerate(tested.positive.items()):
        found = enrichment(
            tested.parts,
            rows,
            statistic=statistic,
            n_resamples=n_resamples,
            match=tested.strata,
            random_state=random_state,
            on_step=_step(on_progress, n_before, len(tested.positive)),
        )
        results[name] = enrichment_table(found, tested.features)
    return Enrichment(tested, results, n_resamples, top)


def _step(
    on_progress: OnProgress | None, n_before: int, n_sets: int
) -> Callable[[int, int], None] | None:
    """Turn progress within the test of one set into progress of all sets."""
    if on_progress is None:
        return None
    return lambda done, of: on_progress("testing", n_before * of + done, n_sets * of)


def _overlap(row: Mapping[str, Any]) -> str:
    """Positives of the rows with a feature, and how many times as many as by chance."""
    if row["size"] is None:
        return f"{'-':>16}  {'-':>5}"
    said = f"{row['overlap']:,} of {row['size']:,}"
    return f"{said:>16}  {row['fold']:>5.2g}"


def _p_values(row: Mapping[str, Any]) -> str:
    return f"{row['adjusted_p_value']:>12.2g}  {row['p_value']:>8.2g}"


def _rest(number: int, where: str) -> list[str]:
    """A line on the features or sets that are not shown, if there are any."""
    return [f"  and {number - _MOST_SHOWN:,} more {where}"] if number > _MOST_SHOWN else []
