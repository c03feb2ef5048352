"""The list of candidates, and where the positives stand along it.

All numbers of positives that a ranking gives come from here, so that they agree. The probabilities
of the candidates add up to the estimated number of positives, or to its upper bound. The number of
positives in a list is the sum over its rows, and its recall is this sum as a share of the sum over
all candidates. Two cases have limits of their own, which the number keeps to: positives that were
counted in rows screened at random, and labels that are declared to be uneven.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypedDict

import numpy as np
import pyarrow as pa

from onesided._text import argument, kind_of_value
from onesided._typing import Array, Floats, Ints
from onesided.exceptions import DataError
from onesided.metrics._label_bias import odds_times
from onesided.model_selection import OutOfFoldScores, PlacedPositives, place
from onesided.prior import ClassPriorEstimate
from onesided.promises._posterior import labeled_share
from onesided.tables._columns import identifier_column

_RANGE = ("_plausible", "_plausible_low", "_plausible_high")
_ENDS = ("", "_low", "_high", "_at_most", *_RANGE)
_TINY = float(np.finfo(float).tiny)
_ROUNDING = 1e-12  # a part of a positive that is left by sums


class CutPoint(TypedDict):
    """The numbers of the list of the first `n_listed` candidates.

    - `recall`: the share of all positives among the candidates that the list holds, if labels are
      even; if a label odds ratio is declared, `recall_low` and `recall_high` are its limits, which
      leave out sampling error
    - `by_chance`: the recall of a random list of this length
    - `lift`: the ratio of `recall` to `by_chance`
    - `positives`: the expected number of positives in the list
    - `precision`: the expected share of positives in the list

    The keys with `_low` and `_high` belong to the limits of the interval of the class prior, and
    leave out the error of the order. If the positives were counted in rows that were screened at
    random, these keys are confidence limits for the list itself, at the same confidence. If only an
    upper bound of the class prior is known, the keys with `_at_most` replace `positives`
    and `precision`. In this case the keys with `_plausible` assume that the scores of positives
    and the scores of other rows are normal; they have `_low` and `_high` limits too. Numbers that
    are not known are None.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from onesided.scoring import fit_table, score_table
    >>> rng, known = np.random.default_rng(0), np.arange(60) < 15
    >>> table = pd.DataFrame({"size": rng.normal(size=60) + known, "known": known})
    >>> model = fit_table(table, "known", methods=["naive-bayes"])
    >>> point = score_table(model, table, positive="known").positives.tenths[1]
    >>> {name: round(point[name], 2) for name in ("n_listed", "recall", "by_chance", "lift")}
    {'n_listed': 12, 'recall': 0.33, 'by_chance': 0.2, 'lift': 1.67}
    """

    n_listed: int
    recall: float
    recall_low: float | None
    recall_high: float | None
    by_chance: float
    lift: float
    positives: float | None
    positives_low: float | None
    positives_high: float | None
    positives_at_most: float | None
    positives_plausible: float | None
    positives_plausible_low: float | None
    positives_plausible_high: float | None
    precision: float | None
    precision_low: float | None
    precision_high: float | None
    precision_at_most: float | None
    precision_plausible: float | None
    precision_plausible_low: float | None
    precision_plausible_high: float | None


def cut_points(
    lengths: Sequence[int] | Ints,
    recall: Floats,
    n_rows: int,
    positives: Mapping[str, Floats] | None = None,
    limits: tuple[Floats, Floats] | None = None,
) -> list[CutPoint]:
    """Facts of lists of these lengths.

    Parameters
    ----------
    lengths : numbers of rows from the top, shape (n_lists,)
    recall : share of all positives that each list holds, shape (n_lists,)
    n_rows : number of rows of the longest possible list
    positives : numbers of positives in each list that are known, each of shape (n_lists,), by
        the end of their key in `CutPoint`, "" or "_at_most" for example; None if none is known
    limits : lower and upper limit of `recall` for uneven labels; None if labels are even
    """
    ends = np.array(lengths, dtype=np.int64)
    by_chance = ends / n_rows
    columns: dict[str, Any] = {"n_listed": ends, "recall": recall}
    nothing = pa.nulls(len(ends))
    columns["recall_low"], columns["recall_high"] = limits or (nothing, nothing)
    columns["by_chance"] = by_chance
    columns["lift"] = recall / by_chance
    for name, of in (("positives", 1), ("precision", ends)):
        for end in _ENDS:
            found = (positives or {}).get(end)
            columns[name + end] = nothing if found is None else found / of
    points: list[CutPoint] = pa.table(columns).to_pylist()
    return points


def ends_of_tenths(n_rows: int) -> list[int]:
    """Numbers of rows up to the end of each tenth of a list; no tenth is empty."""
    return sorted({max(1, n_rows * tenth // 10) for tenth in range(1, 11)})


@dataclass(frozen=True)
class Candidates:
    """The candidates in the order of the list, and the positives along it.

    Attributes
    ----------
    rows : shape (n_candidates,), places of the candidates in the table, the most positive first
    order : shape (n_candidates,), places of the candidates in the scores that were sorted
    scores : shape (n_candidates,), share of the unlabeled rows of the same fit that rank lower
    odds : shape (n_candidates,), odds of being labeled for a row of this score; they do not rise
        along the list
    posteriors : probability of each candidate to be positive if labels are even, each of shape
        (n_candidates,): "" for the class prior, "_low" and "_high" for the ends of its interval; or
        "_at_most" for its upper bound, if nothing else is known of it, and maybe "_plausible",
        "_plausible_low" and "_plausible_high" for the most plausible prior and its range. Empty
        without a class prior
    limits : "_low" and "_high" limits of the number of positives up to each candidate, each of
        shape (n_candidates,), from rows that were screened at random; empty without such rows
    label_odds_ratio : greatest odds of being labeled over the least odds, among positives; 1 if
        labels are even
    """

    rows: Ints
    order: Ints
    scores: Floats
    odds: Floats
    posteriors: Mapping[str, Floats] = field(default_factory=dict)
    limits: Mapping[str, Floats] = field(default_factory=dict)
    label_odds_ratio: float = 1.0

    @classmethod
    def of(
        cls,
        scored: OutOfFoldScores,
        known: PlacedPositives | OutOfFoldScores,
        unlabeled: OutOfFoldScores,
        prior: ClassPriorEstimate | None = None,
        found: PlacedPositives | OutOfFoldScores | None = None,
        label_odds_ratio: float = 1.0,
    ) -> Candidates:
        """Sort the candidates, and estimate where the positives stand among them.

        The share of labeled rows is fitted along the list by isotonic regression; among the
        unlabeled rows of one score the number of positives is proportional to the odds of being
        labeled (Elkan, Noto 2008), if labels are even.

        Parameters
        ----------
        scored : the candidates
        known : known positives, placed by models for which these counted as unlabeled
        unlabeled : all unlabeled rows, the candidates among them
        prior : share of positives among the unlabeled rows
        found : unlabeled rows that are not candidates, because a check found that they are positive
        label_odds_ratio : that was declared. Positives that were counted in rows screened at random
            are labeled evenly, whatever was declared

        Notes
        -----
        If labels are uneven, a hidden positive stands for up to Γ times as many hidden positives as
        another. A posterior is then at most Γ times as high, and the odds of a list's recall are up
        to Γ times as high or as low. Rows together hold at most the share of all hidden positives
        whose odds are Γ times as high, and at most as many as their bounds add up to.

        Candidates whose scores are tied stand in the list in an order that says nothing. So a known
        positive that is tied with some rows counts in equal parts at the places of these rows, and
        the expected number of positives rises in equal steps along the tie.
        """
        order = np.lexsort((scored.rows, -scored.scores, scored.ranks))
        ranks, of_unlabeled = scored.ranks[order], np.sort(unlabeled.ranks)
        among = _Places.of(known, unlabeled)
        odds, of_all = among.odds_at(of_unlabeled, ranks)
        totals = {end: each * len(of_all) for end, each in _priors(prior).items()}
        posteriors = posteriors_with_sums(odds, of_all, totals)
        checked = None if found is None else _Places.of(found, unlabeled)
        limits = _counted(prior, ranks, of_unlabeled, among, checked)
        ratio = 1.0 if limits else label_odds_ratio
        return cls(scored.rows[order], order, 1.0 - ranks, odds, posteriors, limits, ratio)

    @property
    def only_at_most(self) -> bool:
        """Whether the probabilities are upper bounds."""
        return "_at_most" in self.posteriors

    @property
    def posterior(self) -> Floats | None:
        """Probability of each candidate to be positive, or its upper bound; in list order."""
        return self._bounds if self.only_at_most else self.posteriors.get("")

    @property
    def _bounds(self) -> Floats:
        """Upper bound of the probability of each candidate to be positive."""
        return np.minimum(1.0, self.label_odds_ratio * self.posteriors["_at_most"])

    @property
    def posterior_name(self) -> str:
        """Name of the column of `posterior`."""
        return "posterior_at_most" if self.only_at_most else "posterior"

    @cached_property
    def recall(self) -> Floats:
        """Share of the positives that stand at each rank or above, shape (n_candidates,).

        If only an upper bound of the class prior is known, it is that of the most plausible prior:
        an upper bound says nothing of the recall. If nothing is known, it is that of few positives.
        """
        return _shares_along(self.posteriors.get("", self.posteriors.get("_plausible", self.odds)))

    @property
    def recall_limits(self) -> tuple[Floats, Floats] | None:
        """Limits of `recall` for the label odds ratio, without sampling error; None if it is 1."""
        if self.label_odds_ratio == 1:
            return None
        ratio = self.label_odds_ratio
        return odds_times(self.recall, 1 / ratio), odds_times(self.recall, ratio)

    def n_to_find(self, share: float = 0.95) -> int:
        """Length of the shortest list that holds this share of the positives.

        If labels may be uneven, it holds this share in the worst case.
        """
        least = self.recall if self.recall_limits is None else self.recall_limits[0]
        return min(int(np.searchsorted(least, share)) + 1, len(least))

    @cached_property
    def positives(self) -> dict[str, Floats]:
        """Number of positives up to each candidate, with the keys of `posteriors`.

        The expected number is a sum of posteriors, but never outside the limits that a random
        sample gives: checks may have found more of the positives than the posteriors expect.
        """
        found = {**{end: each.cumsum() for end, each in self.posteriors.items()}, **self.limits}
        if self.only_at_most:
            found["_at_most"] = self._most(np.arange(1, len(self.rows) + 1))
        if {"_low", "_high"} <= self.limits.keys():
            found[""] = np.clip(found[""], found["_low"], found["_high"])
        return found

    def _most(self, ends: Ints, *, between: bool = False) -> Floats:
        """Upper bound of the number of positives up to each of these ranks, or between them."""
        even = self.posteriors["_at_most"]
        if_even, of_rows = (each.cumsum()[ends - 1] for each in (even, self._bounds))
        if between:
            if_even, of_rows = (np.diff(each, prepend=0.0) for each in (if_even, of_rows))
        share = if_even / max(even.sum(), _TINY)
        return np.minimum(of_rows, even.sum() * odds_times(share, self.label_odds_ratio))

    def at(self, lengths: Sequence[int]) -> list[CutPoint]:
        """Facts of the list at each of these lengths."""
        last = np.array(lengths, dtype=np.int64) - 1
        positives = {end: each[last] for end, each in self.positives.items()}
        limits = self.recall_limits
        if limits is not None:
            limits = limits[0][last], limits[1][last]
        return cut_points(lengths, self.recall[last], len(self.rows), positives, limits)

    def tenths(self) -> list[CutPoint]:
        """Facts of the list up to the end of each tenth."""
        return self.at(ends_of_tenths(len(self.rows)))

    def gains(self) -> pa.Table:
        """The tenths of the list as a table; `gains_table` explains its columns."""
        points = self.tenths()
        ends = np.array([point["n_listed"] for point in points])
        at_most = self._most(ends, between=True) if self.only_at_most else None
        return gains_table(points, self.label_odds_ratio, at_most)

    def table(
        self,
        ids: pa.ChunkedArray,
        identifier: str,
        beside: Mapping[str, Array] | None = None,
        *,
        with_posterior: bool = False,
    ) -> pa.Table:
        """The ranking, a row for each candidate.

        Columns: the identifier; `rank` from 1; `score`; `recall`, or `recall_low` and
        `recall_high` if labels are declared to be uneven; if asked for and known `posterior` or
        `posterior_at_most`; then the columns of `beside`.

        Parameters
        ----------
        ids : identifiers of all rows of the table
        identifier : column of the table that names the rows; "" for row numbers
        beside : further columns, each in the order of the scores that were sorted
        with_posterior : whether the probabilities are asked for
        """
        columns = {name: values[self.order] for name, values in (beside or {}).items()}
        if with_posterior and self.posterior is not None:
            columns = {self.posterior_name: self.posterior.round(6)} | columns
        recall = {"recall": self.recall.round(6)}
        if self.recall_limits is not None:
            low, high = self.recall_limits
            recall = {"recall_low": low.round(6), "recall_high": high.round(6)}
        return pa.table(
            {
                identifier_column(identifier, {**recall, **columns}): ids.take(pa.array(self.rows)),
                "rank": np.arange(1, len(self.rows) + 1),
                "score": self.scores.round(6),
                **recall,
                **columns,
            }
        )


def posteriors_with_sums(
    odds: Floats, of_all: Floats, totals: Mapping[str, float]
) -> dict[str, Floats]:
    """Probabilities of being positive that add up to a number of positives over all rows.

    They are proportional to `odds`, but not above 1: what is above is given to the other rows in
    proportion. If fewer rows than the number have odds above 0, the rest is divided evenly.

    Parameters
    ----------
    odds : shape (n_rows,), of some of the rows
    of_all : shape (n_all,), of all rows
    totals : numbers of positives, each at most n_all; the probabilities have the same keys
    """
    falling = np.sort(of_all)[::-1]
    at_one = np.arange(len(falling))
    rest = falling[::-1].cumsum()[::-1]  # sum of the odds from each row on
    n_above = int((of_all > 0).sum())
    found: dict[str, Floats] = {}
    for end, total in totals.items():
        with np.errstate(divide="ignore", invalid="ignore"):
            factors = (total - at_one) / rest  # if the rows before this one have probability 1
            fits = (falling * factors <= 1) & (rest > 0)
        if fits.any():
            found[end] = np.minimum(1.0, odds * factors[np.argmax(fits)])
        else:
            even = (total - n_above) / max(len(of_all) - n_above, 1)
            found[end] = np.where(odds > 0, 1.0, even)
    return found


def posteriors_by_place(known: PlacedPositives, n_rows: int, n_positive: float) -> Floats:
    """Probability of being positive at each place among the unlabeled rows; shape (n_rows,).

    The first place is that of the highest score. The probabilities do not rise, and add up to the
    number of positives, as those of a ranking. A tied known positive counts in equal parts at the
    places of its tie.

    Parameters
    ----------
    known : known positives, placed by models for which these counted as unlabeled
    n_rows, n_positive : numbers of unlabeled rows, and of positives among these
    """
    places = (np.arange(n_rows) + 0.5) / n_rows
    (odds,) = _Places.of_placed(known).odds_at(places)
    return posteriors_with_sums(odds, odds, {"": n_positive})[""]


def _is_point(value: Any) -> bool:
    """Whether a value has the keys of a `CutPoint`."""
    return isinstance(value, dict) and CutPoint.__required_keys__ <= value.keys()


def gains_table(
    points: Sequence[CutPoint], label_odds_ratio: float = 1.0, at_most: Floats | None = None
) -> pa.Table:
    """The tenths of a list as a table with one row each.

    The columns are:

    - `tenth`, `first_rank`, `last_rank`, `n_rows`
    - `share_of_positives`: the share of all positives that the tenth holds
    - `lift`: the ratio of this share to the share in a random list
    - with a class prior, `expected_positives` in the tenth, or `positives_at_most` if only an upper
      bound is known
    - `share_so_far`, `lift_so_far` and `expected_positives_so_far` (`positives_at_most_so_far`):
      the same numbers for the list from its top to the end of the tenth

    If labels are declared to be uneven, each share and each lift has two columns in place of one,
    whose names end in `_low` and `_high`: its limits, which do not include sampling error.

    Parameters
    ----------
    points : numbers of the list from its top to the end of each tenth
    label_odds_ratio : greatest odds of being labeled over the least odds, among positives, that was
        declared for the list
    at_most : shape (n_tenths,), upper bound of the number of positives in each tenth. Without it,
        the differences of the bounds of `points` are taken; if labels are uneven, these bound
        nothing, and the column `positives_at_most` is left out

    Raises
    ------
    DataError : if there are no points, or other objects; if the points have limits for uneven
        labels and the ratio is 1, or the opposite

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from onesided.reporting import gains_table
    >>> from onesided.scoring import fit_table, score_table
    >>> rng, known = np.random.default_rng(0), np.arange(60) < 15
    >>> table = pd.DataFrame({"size": rng.normal(size=60) + known, "known": known})
    >>> model = fit_table(table, "known", methods=["naive-bayes"])
    >>> gains = gains_table(score_table(model, table, positive="known").positives.tenths)
    >>> gains.select(["tenth", "n_rows", "share_of_positives"]).to_pylist()[0]
    {'tenth': 1, 'n_rows': 6, 'share_of_positives': 0.166667}
    """
    is_list = isinstance(points, list | tuple) and len(points) > 0
    if not is_list or not all(_is_point(each) for each in points):
        given = "empty" if points == [] else kind_of_value(points)
        given = "a list of other objects" if is_list else given
        raise DataError(
            f"{argument('points')} is {given}.",
            "Pass one dictionary for each tenth, as Scored.positives.tenths holds them.",
        )
    uneven = points[0]["recall_low"] is not None
    if uneven != (label_odds_ratio > 1):
        raise DataError(
            f"{argument('label_odds_ratio', label_odds_ratio)} is not the ratio of these points, "
            f"which are of {'uneven' if uneven else 'even'} labels.",
            "Pass the ratio that was declared for the list, 1 if none was.",
        )
    ends, recall = (np.array([point[name] for point in points]) for name in ("n_listed", "recall"))
    n_rows, share = np.diff(ends, prepend=0), np.diff(recall, prepend=0.0)
    limits = {"_low": 1 / label_odds_ratio, "_high": label_odds_ratio} if uneven else {"": 1.0}
    columns = {
        "tenth": np.arange(1, len(ends) + 1),
        "first_rank": ends - n_rows + 1,
        "last_rank": ends,
        "n_rows": n_rows,
    }
    of_tenth = {end: odds_times(share, ratio) for end, ratio in limits.items()}
    so_far = {end: odds_times(recall, ratio) for end, ratio in limits.items()}
    columns |= {f"share_of_positives{end}": each.round(6) for end, each in of_tenth.items()}
    columns |= {f"share_so_far{end}": each.round(6) for end, each in so_far.items()}
    columns |= {f"lift{end}": (each * ends[-1] / n_rows).round(4) for end, each in of_tenth.items()}
    columns |= {
        f"lift_so_far{end}": (each * ends[-1] / ends).round(4) for end, each in so_far.items()
    }
    found = {
        "expected_positives": [point["positives"] for point in points],
        "positives_at_most": [point["positives_at_most"] for point in points],
    }
    for name, of_points in found.items():
        if None in of_points:
            continue
        number = np.array(of_points, dtype=np.float64)
        part = None if uneven else np.diff(number, prepend=0.0)
        if name == "positives_at_most" and at_most is not None:
            part = at_most
        if part is not None:
            columns[name] = part.round(2)
        columns[f"{name}_so_far"] = number.round(2)
    return pa.table(columns)


def _priors(prior: ClassPriorEstimate | None) -> dict[str, float]:
    """The class priors that posteriors are of, by the end of their keys in `CutPoint`."""
    if prior is None:
        return {}
    if not prior.only_at_most:
        ends = (prior.point, *prior.interval)
        return {"": prior.point, "_low": min(ends), "_high": max(ends)}
    found = {"_at_most": prior.headline}
    if prior.plausible is not None:
        likely = prior.by_assumption[0]
        found |= dict(zip(_RANGE, (prior.plausible, likely["low"], likely["high"]), strict=True))
    return found


@dataclass(frozen=True)
class _Places:
    """Where positives stand among the unlabeled rows; a tie leaves this open.

    Attributes
    ----------
    best, worst : each of shape (n_positive,), share of the unlabeled rows that score higher than
        each positive, and that score higher or the same
    """

    best: Floats
    worst: Floats

    @classmethod
    def of(
        cls, positives: PlacedPositives | OutOfFoldScores, unlabeled: OutOfFoldScores
    ) -> _Places:
        """Places of positives; those that have only ranks are placed by these."""
        placed = positives
        if not isinstance(placed, PlacedPositives):
            placed = place(placed, unlabeled)
        return cls.of_placed(placed)

    @classmethod
    def of_placed(cls, placed: PlacedPositives) -> _Places:
        """Places of positives that are placed already."""
        worst = (placed.above + placed.tied) / placed.n_unlabeled
        return cls(placed.above / placed.n_unlabeled, worst)

    def surely_before(self, end: Floats) -> Ints:
        """Number of positives that stand before each share of the unlabeled rows in any order."""
        next_to = np.where(self.worst > self.best, self.worst, np.nextafter(self.worst, np.inf))
        found: Ints = np.searchsorted(np.sort(next_to), end, side="right")
        return found

    def maybe_before(self, end: Floats) -> Ints:
        """Number of positives that stand before each share of the unlabeled rows in some order."""
        found: Ints = np.searchsorted(np.sort(self.best), end, side="left")
        return found

    def odds_at(self, of_unlabeled: Floats, *asked: Floats) -> tuple[Floats, ...]:
        """Odds of being labeled at each of some ranks, and last at those of the unlabeled rows.

        Parameters
        ----------
        of_unlabeled : shape (n_unlabeled,), ranks of the unlabeled rows, ascending
        asked : ranks, each of shape (n_asked,)
        """
        share = labeled_share(*self._spread_over(of_unlabeled))
        return tuple(_odds(share.predict(-each)) for each in (*asked, of_unlabeled))

    def _spread_over(self, ranks: Floats) -> tuple[Floats, Floats, Floats]:
        """The positives and the unlabeled rows, as `labeled_share` takes them.

        A positive that is tied counts at each unlabeled row of the tie, in equal parts.

        Parameters
        ----------
        ranks : shape (n_unlabeled,), of the unlabeled rows, ascending
        """
        first, last = (
            np.rint(each * len(ranks)).astype(np.int64) for each in (self.best, self.worst)
        )
        tied = last > first
        part = np.zeros(len(ranks) + 1)
        np.add.at(part, first[tied], 1 / (last - first)[tied])
        np.subtract.at(part, last[tied], 1 / (last - first)[tied])
        parts = np.maximum(part.cumsum()[:-1], 0)
        held = parts > _ROUNDING
        alone = self.best[~tied]
        weights = np.concatenate([np.ones(len(alone)), parts[held]])
        return -np.concatenate([alone, ranks[held]]), -ranks, weights


def _counted(
    prior: ClassPriorEstimate | None,
    ranks: Floats,
    of_unlabeled: Floats,
    known: _Places,
    found: _Places | None,
) -> dict[str, Floats]:
    """Limits of the number of positives up to each candidate, if the prior was counted.

    The known positives that rank above a candidate, when they are hidden, are counted in a random
    sample of all rows. This gives the number of all positives above the candidate; those that were
    found already are not candidates.

    Within a tie the order of the candidates says nothing. So the lower limit at such a candidate is
    that of the rows above the tie, and the upper limit is that of the rows down to its end. Only at
    the end of the tie both are limits of the same rows.

    Parameters
    ----------
    prior : share of positives among the unlabeled rows
    ranks, of_unlabeled : of the candidates, and of all unlabeled rows; both ascending
    known, found : places of the known positives, and of those that a check found
    """
    begin, end = (
        np.searchsorted(of_unlabeled, ranks, side) / len(of_unlabeled) for side in ("left", "right")
    )
    is_last = np.append(ranks[1:] > ranks[:-1], True)
    least = np.where(is_last, end, begin)
    low, high = known.surely_before(least), known.maybe_before(end)
    limits = None if prior is None else prior.counted_limits(np.concatenate([low, high]))
    if limits is None:
        return {}
    lows, highs = limits[0][: len(ranks)], limits[1][len(ranks) :]
    if found is not None:
        lows, highs = lows - found.maybe_before(least), highs - found.surely_before(end)
        # A longer list holds no fewer positives; the wider limit keeps the confidence.
        lows, highs = np.minimum.accumulate(lows[::-1])[::-1], np.maximum.accumulate(highs)
    most = np.arange(1, len(ranks) + 1)
    return {
        name: np.clip(each, 0, most).astype(np.float64)
        for name, each in (("_low", lows), ("_high", highs))
    }


def _shares_along(weights: Floats) -> Floats:
    """Sum of the weights up to each place, as a share of the sum of all weights."""
    along = np.cumsum(weights + _TINY)
    found: Floats = along / along[-1]
    return found


def _odds(share: Floats) -> Floats:
    """The odds of a share below 1, which each unlabeled row has."""
    return share / np.maximum(1 - share, _TINY)
