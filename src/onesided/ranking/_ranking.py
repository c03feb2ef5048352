"""A ranking in Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from onesided._candidates import CutPoint
from onesided._display import Displayed
from onesided._frames import frame_of
from onesided._ranked import Ranked
from onesided._text import agreeing, argument, as_times, counted
from onesided._worth import profit_sentences
from onesided.metrics import ResampledPValue

if TYPE_CHECKING:
    from onesided.reporting import Page, Panel


class Ranking(Displayed, Ranked):
    """The unlabeled rows of a table, the most positive first, and the evidence for their order.

    This class has the attributes of its base class, the record `Ranked`, and shows them.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> known = np.arange(300) < 60
    >>> size = (rng.normal(size=300) + 2 * known).round(3)
    >>> table = pd.DataFrame({"size": size, "known": known})
    >>> from onesided import rank_table
    >>> ranking = rank_table(table, "known", methods=["naive-bayes"])
    >>> ranking.to_frame("pandas").columns.tolist()
    ['row', 'rank', 'score', 'recall']
    >>> list(ranking.comparison.hidden)
    ['naive Bayes']
    """

    @property
    def model(self) -> Any:
        """The best method, fitted on all rows: ``model.decision_function(rows)`` scores new rows.

        For the rows of the table itself use `to_frame`: each of its scores is by a model that did
        not learn from the row.
        """
        return self.comparison.best_estimator_

    @property
    def n_marked_beyond(self) -> dict[str, int]:
        """For each promise, by its column: the number of marked rows that `top` does not list.

        Promises without such rows are left out.
        """
        kept = self.promises.kept.values() if self.promises else ()
        n_listed = self.listed.num_rows
        found = {
            each.column: sum(self.table[each.column].slice(n_listed).to_pylist())
            for each in kept
            if each is not None
        }
        return {name: n_rows for name, n_rows in found.items() if n_rows}

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the list holds, and the tests against chance, in words; `warnings` are apart."""
        n_unlabeled = self.table.num_rows
        hidden = self.comparison.hidden[self.comparison.best_]
        told = [n_listed for n_listed in (10, 100, 1000) if hidden.tells_of(n_listed)]
        listed = self.candidates
        lengths = [n for n in sorted({*told, listed.n_to_find()}) if n < n_unlabeled]
        background = self.problem.background
        return (
            f"Scored {n_unlabeled:,} unlabeled rows, each by a model that did not see this row",
            *([] if background is None else [background.meaning]),
            *map(_recall_sentence, listed.at(lengths)),
            *(self._recall_assumes if lengths else ()),
            *self.rests_on,
            *([] if self.doubt.kind else [self._if_uneven]),
            *(
                _chance_sentence(name, p_value, self.problem.match)
                for name, p_value in self.chance.items()
            ),
        )

    def plot(self) -> Any:
        """Altair chart of the share of the hidden known positives found by number of rows checked.

        The dashed line shows a random ranking.
        """
        return self.placed.plot()

    @property
    def _if_uneven(self) -> str:
        """What is left if labels are uneven; a declared ratio leaves only the AUCs even."""
        declared = self.candidates.label_odds_ratio > 1
        return self.uneven_labels.in_words("The AUCs" if declared else "These figures")

    @property
    def _recall_assumes(self) -> tuple[str, ...]:
        """What the shares of positives in first rows assume, if labels may be uneven."""
        ratio = self.candidates.label_odds_ratio
        said = (
            "  These limits hold if the odds of being labeled differ up to "
            f"{as_times(ratio)} among the positives. They do not include sampling error"
        )
        return (said,) * (ratio > 1)

    @property
    def profit_sentences(self) -> tuple[str, ...]:
        """How many rows the list should have, by its budget or expected profit, in words."""
        return profit_sentences(self.profit, self.table.num_rows)

    @property
    def promise_sentences(self) -> tuple[str, ...]:
        """The promises, why no class prior is estimated, and which marked rows are not listed."""
        return (
            *[f"The number of positives is not estimated. {self.no_prior}{self._estimate_anyway}"]
            * bool(self.no_prior),
            *(self.promises.sentences if self.promises else ()),
            *(
                f"  {argument('top', self.top)} leaves out {counted(n_rows, 'row')} that "
                f"{agreeing(n_rows)} marked in the column {column}"
                for column, n_rows in self.n_marked_beyond.items()
            ),
        )

    @property
    def _estimate_anyway(self) -> str:
        """How to estimate the number of positives although rows were checked."""
        if self.scenario is not None or not self.problem.negative.any():
            return ""
        return (
            " If the positive and the negative rows were drawn at random, "
            f"{argument('screened_at_random', value=True)} counts the positives; "
            f"{argument('scenario')} estimates their number anyway."
        )

    def to_frame(self, backend: str | None = None) -> Any:
        """The ranking as a data frame: a row for each listed candidate, the columns of the file.

        Parameters
        ----------
        backend : "pandas", "polars" or "pyarrow"; by default the first of them that is installed
            (pyarrow always is)
        """
        return frame_of(self.listed.to_pydict(), backend)

    def gains(self, backend: str | None = None) -> Any:
        """A data frame with a row for each tenth of the list: the positives in it, and its lift.

        Parameters
        ----------
        backend : "pandas", "polars" or "pyarrow"; the default is that of `to_frame`
        """
        return frame_of(self.candidates.gains().to_pydict(), backend)

    def report(self, panels: Sequence[Panel] | None = None) -> Page:
        """The page with the evidence for the ranking, and its numbers.

        Parameters
        ----------
        panels : the panels of the page, by default `onesided.reporting.PANELS`
        """
        from onesided import reporting  # noqa: PLC0415 - it loads Altair

        return reporting.Page(reporting.summarize(self, panels), panels)

    def __str__(self) -> str:
        said = f"{self.table.num_rows:,} unlabeled rows are ranked.\n{self.comparison}"
        background = self.problem.background
        borrowed = () if background is None else (background.meaning,)
        more = (*borrowed, *self.rests_on, self.doubt.sentence, *self.promise_sentences)
        more += self.profit_sentences
        return "\n".join(filter(None, (said, *more)))


def _recall_sentence(point: CutPoint) -> str:
    """Return the share of the positives that a list holds, or its limits if labels are uneven."""
    low, high = point["recall_low"], point["recall_high"]
    said = f"about {point['recall']:6.1%}" if low is None else f"{low:.1%} to {high:.1%}"
    return (
        f"  the first {point['n_listed']:>5,} hold {said} of the positives (by chance "
        f"{point['by_chance']:.1%})"
    )


def _chance_sentence(name: str, found: ResampledPValue, match: Sequence[str]) -> str:
    """Return what one of the tests against chance says; `name` is its key in `Ranked.chance`."""
    what = {
        "auc": "p = {:.3g} for the best AUC, compared with {:,} random label sets",
        "distance": (
            "adjusted p = {:.3g} for the distance of the known positives from the other rows, "
            "compared with {:,} random sets of as many rows"
        ),
    }
    lowest = "; with so many sets no p-value can be lower" if found.n_as_high == 0 else ""
    matched = f", matched by {', '.join(match)}" if match else ""
    return f"Is this chance? {what[name].format(float(found), len(found.null))}{matched}{lowest}"
