"""An audit: verdicts of some unlabeled rows, and estimates about all unlabeled rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from sklearn.isotonic import IsotonicRegression

from onesided._text import first_line
from onesided._typing import Array, Floats, Ints, RandomState
from onesided._validation import (
    check_mask,
    check_number,
    check_scores,
    fixed_seed,
    is_one_of,
    missing_rows,
)
from onesided.audit import _anytime, _planned
from onesided.audit._estimate import AuditEstimate
from onesided.audit._label_odds import (
    LabelOddsRatio,
    groups_by_score,
    odds,
    odds_ratio_limits,
    ratio,
)
from onesided.audit._record import (
    NEGATIVE,
    OPEN,
    POSITIVE,
    UNSURE,
    Batch,
    Question,
    Record,
    What,
    check_what,
)
from onesided.audit._strata import TRUST, Strata
from onesided.exceptions import DataError

Mode = Literal["anytime", "planned"]
_FINE = 0.05
"""Relative half width for the bets behind `Audit.found`; it is small, as few may be missed."""
_VERDICTS = {POSITIVE: True, NEGATIVE: False, UNSURE: None}
_ROUNDING = 1e-9
_DESIGNS = {"anytime": _anytime, "planned": _planned}


class Audit:
    """Chooses unlabeled rows to check, and estimates numbers about all rows from the verdicts.

    An audit makes no assumption about the scores or about how labels were given. Rows are drawn
    with known probabilities, which are higher if the verdict is uncertain. The scores and the
    guessed posterior affect only the width of an interval, never its validity. Verdicts are assumed
    to be correct.

    Parameters
    ----------
    scores : shape (n_rows,), of the unlabeled rows, higher is more positive
    posterior : shape (n_rows,), guessed probability that each row is positive, in [0, 1]. By
        default it is guessed from the ranks, as if a tenth of the rows were positive
    mode : "anytime" or "planned". "anytime" intervals hold at all looks together, so you may look
        after each batch and stop at any time. "planned" intervals are narrower. They hold only if
        the size of the audit, or the half width at which it ends, is fixed before it begins
    confidence : share of audits in which an interval holds, in (0, 1): at least this share for
        anytime intervals, and about this share for planned intervals
    random_state : of the draws; a whole number gives the same draws again

    Notes
    -----
    *Anytime*: rows are drawn one by one without replacement. For the number of positives, half of
    the probability is the same for all rows, and half is proportional to √(g (1 - g)). Here g is
    the expected share of positives in a stratum of the scores, and it is updated by the verdicts.
    For a precision or a recall, only a twentieth of the probability is the same for all rows; the
    rest is also proportional to how much one more positive in the stratum changes this share.
    Intervals are confidence sequences by betting on the importance-weighted verdicts (Waudby-Smith,
    Ramdas 2024; Shekhar and others 2023).

    *Planned*: a simple random sample is drawn in each stratum, with sizes that give the narrowest
    interval. Each stratum has hypergeometric mid-P limits. MOVER adds these limits up (Zou, Huang,
    Zhang 2009).

    *Verdicts* count in the order in which rows were drawn. If a row has no verdict, the verdicts of
    rows drawn after it do not count yet. A verdict of None (cannot tell) widens the intervals: the
    lower limit counts it as negative, the upper limit as positive. You may also record verdicts of
    rows that were not drawn, chosen in any way. Such rows count as known, and are not evidence
    about other rows.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(2000) < 0.1
    >>> audit = Audit(2 * truth + rng.normal(size=2000), mode="planned")
    >>> rows = audit.draw(300)
    >>> audit.record(rows, truth[rows])
    >>> found = audit.count()
    >>> low, high = found.interval
    >>> print(f"{low:.0f} to {high:.0f} positives; the truth is {truth.sum()}")
    191 to 304 positives; the truth is 210
    """

    def __init__(
        self,
        scores: ArrayLike,
        *,
        posterior: ArrayLike | None = None,
        mode: Mode = "anytime",
        confidence: float = 0.95,
        random_state: RandomState = 0,
    ) -> None:
        given = check_scores(scores, "scores", may_be_empty=False)
        if not is_one_of(mode, get_args(Mode)):
            raise DataError(
                f"mode={mode!r} is neither 'anytime' nor 'planned'.",
                "Pass mode='anytime' to look whenever you like.",
            )
        mend = "Pass 0.95 for example."
        check_number(confidence, "confidence", mend, above=0, below=1, is_option=True)
        self.mode: Mode = mode
        self.confidence = confidence
        self._design = _DESIGNS[mode]
        self._n_batches = 0
        self._record = Record(
            Strata(given, _guessed(posterior, given)), fixed_seed(random_state), 1 - confidence
        )

    @property
    def n_rows(self) -> int:
        """Number of unlabeled rows."""
        return len(self._record.verdicts)

    @property
    def drawn(self) -> Ints:
        """Positions of the rows drawn so far, in the order in which they were drawn."""
        return self._record.drawn

    @property
    def seed(self) -> int:
        """Seed of the draws."""
        return self._record.seed

    @property
    def n_batches(self) -> int:
        """Number of batches drawn so far; each call of `draw` that draws rows adds one."""
        return self._n_batches

    @property
    def waiting(self) -> Ints:
        """Positions of the rows that were drawn and have no verdict yet, in the order drawn."""
        return self.drawn[self._record.verdicts[self.drawn] == OPEN]

    @property
    def checked(self) -> Ints:
        """Positions of the rows that have a verdict, None included, in ascending order."""
        return np.flatnonzero(self._record.verdicts != OPEN)

    @property
    def verdicts(self) -> list[bool | None]:
        """Verdicts of the `checked` rows, in that order."""
        return [_VERDICTS[code] for code in self._record.verdicts[self.checked].tolist()]

    def draw(
        self, n: int, *, what: What = "count", k: int | None = None, recall: float = 0.95
    ) -> Ints:
        """Positions of rows to check next, drawn with recorded probabilities.

        No row is drawn twice. If fewer than `n` rows are left, all of these are returned.

        Parameters
        ----------
        n : number of rows to draw
        what : the number that should become precise: "count", the number of positives; "precision"
            or "recall" of the first `k` rows; or "found", the share of all positives that the
            checks have found. For "found", some rows are taken from the top of the ranking, and
            others are drawn at random
        k : number of first rows by score, for "precision" and "recall"
        recall : share of all positives that should be found, for "found"

        Returns
        -------
        shape (n,) or shorter, in the order in which to check the rows

        Raises
        ------
        DataError : if an argument is out of its range
        """
        check_number(n, "n", "Pass a number of rows, 50 for example.", at_least=0, whole=True)
        check_number(recall, "recall", "Pass 0.95 for example.", above=0, below=1)
        question, record = self._question(what, k), self._record
        if what == "found" and self.mode == "planned":
            raise DataError(
                "what='found' reads until enough is found, which a planned audit may not do.",
                "Use mode='anytime'.",
            )
        n_before, n = len(record.drawn), min(n, int(record.is_left.sum()))
        if what == "found":
            n_first = _n_first(record, n, recall)
            record.add(Batch(_first_left(record, n_first), "score"))
            n -= n_first
        elif what != "count":
            record.strata.cut(int(question.inside.sum()))
        if n:
            self._design.draw(record, n, question)
        drawn = record.drawn[n_before:]
        self._n_batches += len(drawn) > 0
        return drawn

    def record(self, positions: ArrayLike, verdicts: ArrayLike | Sequence[bool | None]) -> None:
        """Record the verdicts of checked rows.

        A new verdict replaces the earlier verdict of the same row.

        Parameters
        ----------
        positions : shape (n,), positions of rows in any order; also of rows that were not drawn
        verdicts : shape (n,), True for positive, False for negative, None for cannot tell

        Raises
        ------
        DataError : if a position or a verdict is invalid, or a position occurs twice; in that case
            nothing is recorded
        """
        rows, codes = _checked_rows(positions, self.n_rows), _codes(verdicts)
        if len(rows) != len(codes):
            raise DataError(
                f"There are {len(rows)} positions and {len(codes)} verdicts.",
                "Pass one verdict for each position.",
            )
        record = self._record
        is_new = record.verdicts[rows] == OPEN
        out_of_turn = is_new & ~np.isin(rows, record.drawn)
        # Conclusions from an unsure verdict stay valid whichever verdict replaces it.
        is_wrong = ~is_new & (record.verdicts[rows] != UNSURE) & (record.verdicts[rows] != codes)
        record.verdicts[rows] = codes
        record.tell(rows[out_of_turn])
        record.correct(rows[is_wrong])

    def count(self, among: ArrayLike | None = None) -> AuditEstimate:
        """Number of positives, with its interval.

        Parameters
        ----------
        among : shape (n_rows,), True or 1 for the rows to count positives in; by default all
        """
        if among is None:
            return self._estimate(self._question("count", None))
        inside = check_mask(among, self.n_rows, "among")
        return self._estimate(Question("number of positives", inside, is_count=True))

    def precision_at(self, k: int) -> AuditEstimate:
        """Share of positives among the first `k` rows by score; ties keep the order of the rows."""
        return self._estimate(self._question("precision", k))

    def recall_at(self, k: int) -> AuditEstimate:
        """Share of all positives that are among the first `k` rows by score."""
        return self._estimate(self._question("recall", k))

    def found(self) -> AuditEstimate:
        """Share of all positives that have the verdict True.

        Only the lower limit of the interval is estimated, so it uses the whole error
        1 - `confidence`.
        """
        record, question = self._record, self._question("found", None)
        n_found = int((record.verdicts == POSITIVE).sum())
        _, high = self._limits(question, 2 * record.error)
        total = min(max(record.expected(question)[1], n_found), high)
        found = Question("share of the positives found so far", question.inside, of_positives=True)
        low = min(n_found / high, 1.0) if high > 0 else 1.0
        point = n_found / total if total else float(high == 0)
        return self._result(found, point, (low, 1.0))

    def label_odds_ratio(
        self,
        groups: int | ArrayLike = 2,
        labeled_scores: ArrayLike | None = None,
        *,
        labeled_groups: ArrayLike | None = None,
    ) -> LabelOddsRatio:
        """Odds of being labeled in each group of positives, divided by the odds in other groups.

        In each group, the known positives are compared with the hidden positives that the audit
        found. If labels were drawn evenly, every ratio is 1. The lower limit of the largest ratio
        is a lower bound on how uneven labels are.

        Parameters
        ----------
        groups : number of groups by score, with about equal numbers of known positives; or shape
            (n_rows,), the group of each unlabeled row
        labeled_scores : shape (n_labeled,), hidden-positive scores of the known positives
            (`hidden_positive_scores`); needed if `groups` is a number
        labeled_groups : shape (n_labeled,), group of each known positive; needed if `groups` names
            the group of each row

        Returns
        -------
        `LabelOddsRatio`. Half of the error is used for the chance of which positives were labeled
        (Fisher's exact limits), the other half for the share of the hidden positives in each group.
        With more than two groups, the error is divided equally among the groups (Bonferroni)

        Raises
        ------
        DataError : if the groups of the known positives and of the rows do not match
        """
        of, of_known, names = self._groups(groups, labeled_scores, labeled_groups)
        record, error = self._record, 1 - self.confidence
        error /= 2 if len(names) == 2 else 2 * len(names)  # noqa: PLR2004 - one ratio says both
        hidden, shares, points, intervals = [], [], [], []
        n_labeled = np.bincount(of_known, minlength=len(names)).tolist()
        for group, n in enumerate(n_labeled):
            question = Question("", of == group, of_positives=True, aim=0.1)
            low, high = self._limits(question, error)
            known, total = self._estimate(question), record.expected(question)[1]
            hidden.append(known.point)
            shares.append(known.interval)
            points.append(ratio(odds(n / len(of_known)), odds(hidden[-1])))
            labeled, n_hidden = (n, len(of_known) - n), round(total)
            most = int(np.ceil(high * n_hidden - _ROUNDING))
            least = int(np.floor(low * n_hidden + _ROUNDING))
            lower, _ = odds_ratio_limits(labeled, (most, n_hidden - most), error)
            _, upper = odds_ratio_limits(labeled, (least, n_hidden - least), error)
            intervals.append((lower, upper))
        return LabelOddsRatio(names, n_labeled, hidden, shares, points, intervals, self.confidence)

    def _groups(
        self, groups: Any, labeled_scores: ArrayLike | None, labeled_groups: ArrayLike | None
    ) -> tuple[Ints, Ints, list[Any]]:
        """Group number of each unlabeled and of each labeled row, and names of the groups."""
        if isinstance(groups, int | np.integer):
            return groups_by_score(int(groups), self._record.strata.scores, labeled_scores)
        of = np.asarray(groups)
        if of.shape != (self.n_rows,):
            raise DataError(
                f"groups has the shape {of.shape}.", "Pass a group for each of the unlabeled rows."
            )
        if labeled_groups is None:
            raise DataError(
                "groups gives a group for each unlabeled row, and the known positives have none.",
                "Pass labeled_groups.",
            )
        of_known = np.asarray(labeled_groups)
        names, codes = np.unique(np.append(of, of_known), return_inverse=True)
        if len(of_known) == 0 or len(names) == 1:
            raise DataError(
                f"There are {len(of_known)} known positives, and {len(names)} groups.",
                "Pass the groups of one known positive or more, and two groups or more.",
            )
        return codes[: len(of)], codes[len(of) :], names.tolist()

    def cost(self, half_width: float, what: What = "count", k: int | None = None) -> int:
        """Expected number of rows still to check until an interval is narrow enough.

        Parameters
        ----------
        half_width : half the width of the interval: relative to the estimate for "count", absolute
            for "precision" and "recall"; for "found" the share of positives that may be missed
        what, k : the number that should become precise, as in `draw`

        Returns
        -------
        0 if the interval is narrow enough already; at most the number of rows that are left
        """
        check_number(half_width, "half_width", "Pass 0.2 for example.", above=0, below=np.inf)
        question, record = self._question(what, k), self._record
        if not record.is_left.any():
            return 0
        if what == "found":
            if self.found().interval[0] >= 1 - half_width:
                return 0
            return int(np.ceil(sum(_split(record, 1 - half_width))))
        known = self._estimate(question)
        now = known.half_width / ((known.point or np.inf) if question.is_count else 1)
        if known.half_width <= half_width * (known.point if question.is_count else 1):
            return 0
        return self._design.rows_to_check(record, question, half_width, now)

    def weights(self, rows: ArrayLike | None = None) -> Floats:
        """How many unlabeled rows each drawn or checked row stands for.

        In a stratum, all rows were drawn with equal probability. So each drawn row stands for an
        equal part of the rows of its stratum. A row that was not drawn at random stands only for
        itself.

        Parameters
        ----------
        rows : positions of rows that were drawn or checked; by default the `checked` ones
        """
        record = self._record
        places = self.checked if rows is None else _checked_rows(rows, self.n_rows)
        by_chance = np.zeros(self.n_rows, dtype=bool)
        by_chance[record.rows("chance", "plan")] = True
        n_left, n_drawn = record.strata.sums(record.is_left), record.strata.sums(by_chance)
        stands_for = 1 + n_left / np.maximum(n_drawn, 1)
        return np.where(by_chance[places], stands_for[record.strata.of[places]], 1.0)

    def page_constants(self, positions: ArrayLike) -> dict[str, Any] | None:
        """The constants with which a checking page computes `count` after each new verdict.

        Parameters
        ----------
        positions : positions of the rows of the page, in the order of the page

        Returns
        -------
        plain numbers and texts that JSON can hold. None for a planned audit, because looking at it
        before its end would make its intervals invalid
        """
        rows = _checked_rows(positions, self.n_rows)
        return _anytime.constants(self._record, rows) if self.mode == "anytime" else None

    def to_dict(self) -> dict[str, Any]:
        """The audit without its scores, as plain numbers and texts that JSON can hold."""
        record = self._record
        return {
            "mode": self.mode,
            "confidence": self.confidence,
            "seed": record.seed,
            "rows": self.n_rows,
            "n_batches": self.n_batches,
            "scores": record.strata.digest,
            "batches": [
                {
                    name: value.tolist() if isinstance(value, np.ndarray) else value
                    for name, value in vars(batch).items()
                }
                for batch in record.batches
            ],
            "told": [[row, at] for row, at in record.told.items()],
            "verdicts": [
                [row, verdict]
                for row, verdict in zip(self.checked.tolist(), self.verdicts, strict=True)
            ],
            "cuts": record.strata.cuts,
        }

    @classmethod
    def from_dict(
        cls, saved: Mapping[str, Any], scores: ArrayLike, *, posterior: ArrayLike | None = None
    ) -> Audit:
        """Restore an audit that `to_dict` saved; pass the same scores and posterior again.

        Raises
        ------
        DataError : if the scores or the posterior differ from the saved audit's, or if a part of
            the saved audit is missing
        """
        try:
            audit = cls(
                scores,
                posterior=posterior,
                mode=saved["mode"],
                confidence=saved["confidence"],
                random_state=saved["seed"],
            )
            record = audit._record
            if saved["scores"] != record.strata.digest:
                raise DataError(
                    "The audit was begun with other scores or another posterior.",
                    "Pass those with which it began, or begin another audit.",
                )
            for cut in saved["cuts"]:
                record.strata.cut(int(cut))
            record.batches += [Batch.from_dict(each) for each in saved["batches"]]
            audit._n_batches = int(saved.get("n_batches", len(record.batches)))
            record.told.update({int(row): int(at) for row, at in saved["told"]})
            for rows in (record.drawn, np.array(list(record.told), dtype=np.int64)):
                _checked_rows(rows, audit.n_rows)
            rows = _checked_rows(
                np.array([row for row, _ in saved["verdicts"]], dtype=np.int64), audit.n_rows
            )
            record.verdicts[rows] = _codes([verdict for _, verdict in saved["verdicts"]])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, DataError):
                raise
            raise DataError(
                f"The saved audit cannot be read: {first_line(error)}.",
                "Pass what to_dict gave, unchanged.",
            ) from error
        return audit

    def _question(self, what: str, k: int | None) -> Question:
        """The question that the arguments `what` and `k` of a public method ask."""
        check_what(what)
        if what in ("count", "found"):
            of_all = Question.of_all(self.n_rows)
            return of_all if what == "count" else replace(of_all, is_kept=False, aim=_FINE)
        check_number(k, "k", "Pass a number of first rows.", at_least=1, whole=True)
        k = min(int(k or 0), self.n_rows)
        inside = self._record.strata.rank < k
        if what == "precision":
            return Question(f"precision of the first {k:,} rows", inside, unit=k, aim=0.1)
        return Question(f"recall of the first {k:,} rows", inside, of_positives=True, aim=0.1)

    def _estimate(self, question: Question) -> AuditEstimate:
        """Estimate of the number; its interval allows for both verdicts of each unsure row."""
        low, high = (each / question.unit for each in self._limits(question, self._record.error))
        point = self._record.expected(question)[0]
        return self._result(question, min(max(point, low), high), (low, high))

    def _limits(self, question: Question, error: float) -> tuple[float, float]:
        record = self._record
        return record.limits(
            question, lambda positive: self._design.limits(record, question, positive, error)
        )

    def _result(
        self, question: Question, point: float, interval: tuple[float, float]
    ) -> AuditEstimate:
        verdicts = self._record.verdicts
        return AuditEstimate(
            point,
            interval,
            question.words,
            self.confidence,
            self.mode,
            n_checked=int((verdicts != OPEN).sum()),
            n_unsure=int((verdicts == UNSURE).sum()),
            n_waiting=self._design.n_waiting(self._record),
            n_rows=int(question.inside.sum()),
            is_count=question.is_count,
            of_positives=question.of_positives,
        )


def _guessed(posterior: ArrayLike | None, scores: Floats) -> Floats:
    """The given posterior, or a guess from the ranks of the scores if None is given."""
    if posterior is None:
        return _by_rank(scores)
    found = check_scores(posterior, "posterior")
    if len(found) != len(scores):
        raise DataError(
            f"There are {len(scores)} scores and {len(found)} posteriors.",
            "Pass one posterior for each score.",
        )
    if strange := found[(found < 0) | (found > 1)].tolist():
        raise DataError(
            f"posterior has {len(strange)} values outside [0, 1], {strange[0]:.4g} for example.",
            "Pass probabilities, or none: the ranks of the scores are used then.",
        )
    return found


def _by_rank(scores: Floats) -> Floats:
    """A posterior that falls with the rank, and by which one row in ten is positive."""
    above = np.empty(len(scores))
    above[np.argsort(-scores, kind="stable")] = (np.arange(len(scores)) + 0.5) / len(scores)
    return (1 - above) ** 9


def _checked_rows(positions: ArrayLike, n_rows: int) -> Ints:
    given = np.asarray(positions)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise DataError(
            f"positions is an array of {given.dtype} of shape {given.shape}.",
            "Pass the whole numbers that draw gave.",
        )
    rows = given.astype(np.int64)
    if strange := rows[(rows < 0) | (rows >= n_rows)].tolist():
        raise DataError(
            f"There is no row {strange[0]}; there are {n_rows} rows.",
            f"Pass positions from 0 to {n_rows - 1}.",
        )
    values, counts = np.unique(rows, return_counts=True)
    if twice := values[counts > 1].tolist():
        raise DataError(f"Row {twice[0]} occurs twice.", "Pass one verdict for each row.")
    return rows


def _codes(verdicts: ArrayLike | Sequence[bool | None]) -> Array:
    """The codes of verdicts: True and 1 are positive, False and 0 negative, None is unsure."""
    given = np.asarray(verdicts, dtype=object)
    if given.ndim != 1:
        raise DataError(
            f"verdicts has the shape {given.shape}.", "Pass one verdict for each position."
        )
    codes = np.empty(len(given), dtype=np.int8)
    unsure = set(missing_rows(given).tolist())
    for place, verdict in enumerate(given.tolist()):
        if place in unsure:
            codes[place] = UNSURE
        elif isinstance(verdict, bool | int | float | np.generic) and verdict in (0, 1):
            codes[place] = POSITIVE if verdict else NEGATIVE
        else:
            raise DataError(
                f"{verdict!r} is not a verdict.",
                "Pass True, False, or None where it cannot be told.",
            )
    return codes


def _first_left(record: Record, n: int) -> Ints:
    """The rows with the highest scores among those that are left."""
    left = np.flatnonzero(record.is_left)
    return left[np.argsort(record.strata.rank[left], kind="stable")[:n]]


def _n_first(record: Record, n: int, recall: float) -> int:
    """How many of the next `n` rows to read from the top, to find the share `recall` soonest."""
    first, by_chance = _split(record, recall)
    return round(n * first / max(first + by_chance, 1.0))


def _falling_guess(record: Record) -> Floats:
    """Expected share of positives at each row, which falls with the rank; shape (n_rows,).

    It is an isotonic regression of the verdicts on the rank. The first guess for each stratum
    counts as much as `TRUST` further rows.
    """
    strata = record.strata
    decided = np.flatnonzero(record.verdicts >= NEGATIVE)
    middle = (np.array(strata.edges[:-1]) + np.array(strata.edges[1:])) / 2
    fit = IsotonicRegression(increasing=False, out_of_bounds="clip").fit(
        np.append(middle, strata.rank[decided]),
        np.append(strata.first_guess, record.verdicts[decided] == POSITIVE),
        sample_weight=np.repeat([TRUST, 1.0], [len(middle), len(decided)]),
    )
    return np.asarray(fit.predict(strata.rank))


def _split(record: Record, recall: float) -> tuple[float, float]:
    """Rows to read from the top and rows to draw by chance, so that their expected sum is least.

    After F positives were found, m = F (1 - recall) / recall positives may be missed. Let R be the
    expected number of positives among the rows that are left. A share s of these rows is drawn by
    chance, to show that fewer than m + 1 positives are left. Chernoff's bound for a Poisson number
    gives the share s that is needed: s (m + 1 - R + R log(R / (m + 1))) = log(1 / error).
    """
    guess = _falling_guess(record)
    left = _first_left(record, len(guess))
    hits = np.append(0.0, np.cumsum(guess[left]))
    n_left, found = len(left), int((record.verdicts == POSITIVE).sum())
    may_miss = np.floor((found + hits) * (1 - recall) / recall) + 1
    missed = np.clip(hits[-1] - hits, 1e-9, None)
    speed = may_miss - missed + missed * np.log(missed / may_miss)
    speed = np.where(missed < may_miss, speed, 0.0)
    first = np.arange(n_left + 1)
    share = -np.expm1(np.log(record.error) / np.maximum(speed, 1e-9))
    by_chance = share * (n_left - first)
    best = int(np.argmin(first + by_chance))
    return float(first[best]), float(by_chance[best])
