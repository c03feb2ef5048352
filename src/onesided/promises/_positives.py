"""A list of positives at a false discovery rate; the user must declare one assumption."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv
from scipy.stats import mannwhitneyu

from onesided._display import Displayed
from onesided._frames import frame_of
from onesided._labels import as_share
from onesided._text import argument, as_percent, as_times, counted, counted_of
from onesided._typing import Bools, Floats, Ints
from onesided._validation import check_number, check_scores, warn_of_few
from onesided.exceptions import DataError, PriorError
from onesided.metrics._label_bias import check_label_odds_ratio, odds_times
from onesided.prior import best_bin, binormal_tail, density_ratio, prior_upper_bound
from onesided.prior._best_bin import best_cut
from onesided.prior._separation import separation_of_scores
from onesided.promises._calibration import check_calibration, frame_by_score, warn_above_bound
from onesided.promises._conformal import (
    adjusted_p_values,
    check_fdr,
    conformal_p_values,
    held_out_to_reject,
    rejected,
)

_CURVE = 21  # number of points
_LOW = 0.159  # chance that a normal variable is one standard deviation or more below its mean
_LEVEL = 0.3  # of the test whether rows above the median are alike; high, to reject overlap often
_APART = 0.97  # AUC of positives over negatives from which a rejection by this test is allowed


@dataclass(frozen=True, eq=False)
class PositiveList(Displayed):
    """A list of unlabeled rows to call positive, with its false share under any class prior.

    Attributes
    ----------
    scores : shape (n_rows,), of the unlabeled rows
    selected : shape (n_rows,), True for rows in the list
    fdr : expected share of negatives in the list, at most
    declared : the declaration that the rate relies on: "prior_at_least", "irreducible" or
        "known_negative"
    class_prior : share of positives among the unlabeled, declared or estimated; None with known
        negatives, which need no prior
    lift : share of the held-out positives at or above the cut of the list, divided by the share of
        the unlabeled rows there; NaN if the list is empty
    minimum_false_share : at least this share of the list is negative, at `confidence` and for any
        distribution; 0 means that no such share is certain
    confidence : of `minimum_false_share`
    label_odds_ratio : Γ, largest allowed odds of being labeled divided by the smallest; `lift` is
        the smallest lift that the held-out positives allow at this Γ
    assumes : assumptions of the rate, in words

    Examples
    --------
    >>> import numpy as np
    >>> from onesided.promises import positives_at_fdr
    >>> rest = np.append(np.linspace(3, 5, 60), np.linspace(-2, 3, 140))  # 60 are positive
    >>> found = positives_at_fdr(np.linspace(3, 5, 200), rest, fdr=0.2, prior_at_least=0.3)
    >>> int(found.selected.sum()), round(found.lift, 2)
    (74, 2.7)
    >>> print(found.assumes)
    The share of positives among the unlabeled is as declared, or above. Labels are drawn evenly
    among the positives (SCAR).
    """

    scores: Floats
    selected: Bools
    fdr: float
    declared: str
    class_prior: float | None
    lift: float
    minimum_false_share: float
    confidence: float
    label_odds_ratio: float = 1.0
    _grounds: ClassVar[dict[str, str]] = {
        "prior_at_least": "The share of positives among the unlabeled is as declared, or above.",
        "irreducible": "Above some cut all unlabeled rows are positive, so that the largest prior "
        "that the data allow is the prior, which is estimated.",
        "known_negative": "The known negatives are drawn evenly among the negatives.",
    }

    @property
    def assumes(self) -> str:
        """Assumptions of the false discovery rate, in words."""
        even = (
            "Labels are drawn evenly among the positives (SCAR)."
            if self.label_odds_ratio == 1
            else "The odds of being labeled differ among the positives up to "
            f"{as_times(self.label_odds_ratio)}."
        )
        rate = self._grounds[self.declared]
        return rate if self.declared == "known_negative" else f"{rate} {even}"

    def false_share(self, class_prior: float) -> float:
        """Share of negatives in the list under a class prior: 1 - prior · lift.

        It is below 0 if the data do not allow the prior.

        Parameters
        ----------
        class_prior : share of positives among the unlabeled, in (0, 1)
        """
        return 1 - as_share(class_prior, "class_prior") * self.lift

    def curve(self, backend: str | None = None) -> Any:
        """Share of negatives in the list for each class prior that the list allows.

        Columns: `class_prior`, from 0 to the prior at which no row of the list is negative, and
        `false_share`. An empty list gives no rows.

        Parameters
        ----------
        backend : "pandas", "polars" or "pyarrow"; by default the first of them that is installed
            (pyarrow always is)
        """
        largest = min(1.0, 1 / self.lift) if self.lift > 0 else 1.0
        priors = np.linspace(0, largest, _CURVE) if self.selected.any() else np.empty(0)
        columns = {
            "class_prior": priors.tolist(),
            "false_share": (1 - priors * self.lift).tolist(),
        }
        return frame_of(columns, backend)

    def to_frame(self, backend: str | None = None) -> Any:
        """One row for each unlabeled row, the highest score first.

        Columns: `row` (position in `scores`), `score`, `selected`.

        Parameters
        ----------
        backend : "pandas", "polars" or "pyarrow"; by default the first of them that is installed
            (pyarrow always is)
        """
        return frame_by_score(self.scores, self.selected, backend)

    def plot(self) -> Any:
        """`curve` as an Altair chart, with the requested rate and the class prior."""
        from onesided import _charts  # noqa: PLC0415 - only a picture needs Altair

        rows = self.curve("pyarrow").to_pydict()
        return _charts.false_shares(rows, class_prior=self.class_prior, fdr=self.fdr)

    def __str__(self) -> str:
        n_listed = int(self.selected.sum())
        promise = (
            f" In expectation at most {as_percent(self.fdr)} of these rows are negative.\n"
            f"At {as_percent(self.confidence)} confidence at least "
            f"{as_percent(self.minimum_false_share)} of these rows are negative, for any "
            "distributions of the scores."
        )
        return (
            f"{counted_of(n_listed, len(self.scores), 'row')} "
            f"listed.{promise * (n_listed > 0)}\n{self.assumes}"
        )


def positives_at_fdr(  # noqa: PLR0913 - each declares one thing
    calibration: ArrayLike,
    scores: ArrayLike,
    *,
    fdr: float = 0.1,
    prior_at_least: float | None = None,
    irreducible: bool = False,
    known_negative: ArrayLike | None = None,
    prior_at_most: float | None = None,
    label_odds_ratio: float = 1.0,
    confidence: float = 0.95,
) -> PositiveList:
    """The longest list of unlabeled rows of which an expected share `fdr` is negative.

    It needs exactly one declaration: `prior_at_least`, `irreducible` or `known_negative`. The
    reason is that positives and unlabeled rows alone cannot guarantee a rate below 1 for a list
    that is not empty. Suppose that the distributions F1 of the positives and F of the unlabeled
    rows were known exactly. Let α* be the largest α for which F - α F1 is nowhere negative. For
    every prior α below α*, some distribution of negatives gives exactly these data. This includes
    α = 0, at which every row of the list is negative.

    Parameters
    ----------
    calibration : shape (n_calibration,), hidden-positive scores, higher is more positive;
        `hidden_positive_scores` gives them
    scores : shape (n_unlabeled,), on the same scale
    fdr : expected share of negatives in the list, in (0, 1)
    prior_at_least : declares that at least this share of the unlabeled is positive, in (0, 1)
    irreducible : declares that above some cut all unlabeled rows are positive. The prior is then
        the estimate of the largest prior that the data allow, minus one standard error. An error is
        raised if the scores show that positives and negatives overlap
    known_negative : shape (n_negative,), scores of rows that are verified to be negative, on the
        same scale. The scorer must not have learned that these rows are negative
    prior_at_most : upper bound on the share of positives among the unlabeled, in (0, 1], known from
        another source; by default that of `prior_upper_bound`
    label_odds_ratio : Γ, largest odds of being labeled divided by the smallest, at least 1; 1 means
        that labels are even (SCAR). Above 1, the rate is kept in the worst case. `irreducible`
        allows only 1
    confidence : of `minimum_false_share`

    Returns
    -------
    `PositiveList`, with `selected`, `curve()` and `minimum_false_share`

    Raises
    ------
    PriorError : if nothing is declared, if more than one thing is declared, if the prior is not a
        share, or if `irreducible` is declared and the scores of the classes overlap
    DataError : if there are too few known negatives; the error says how many are needed

    Warns
    -----
    OnesidedWarning : if the declared prior is above what the scores allow
    CalibrationWarning : if fewer than ten positives were held out

    Notes
    -----
    *Declared prior.* With a prior α, the share of negatives above a cut is 1 - α q_p / q_u. Here
    q_p is the share of the positives above the cut, and q_u the share of the unlabeled rows above
    it. The list uses the lowest cut at which this share is at most `fdr`, with q_p lowered by a
    standard error (Clopper, Pearson). Without lowering q_p, the cut would be where chance makes the
    list look best, and .10 of the list would be negative if .05 is asked for. The rate is not
    proven. The table shows the mean share of negatives for two normal distributions and 2,000
    unlabeled rows.

    | deviations apart, prior, held-out positives | fdr .05 | .1 | .2 |
    | --- | --- | --- | --- |
    | 1.7, .2, 150 | .045 | .061 | .119 |
    | 1.7, .2, 30 | .038 | .049 | .082 |
    | 1.0, .2, 150 | .069 | .085 | .116 |
    | 1.5, .05, 150 | .080 | .098 | .127 |
    | 3.0, .2, 150 | .032 | .064 | .171 |

    If the declared prior is too high by a half, the share of negatives at least doubles.

    *Irreducible.* A one-sided test of Mann and Whitney at .3 compares the unlabeled rows above the
    median of the held-out positives with the held-out positives above it. There are three cases:

    - If the unlabeled rows do not score lower, the prior is the lower of `best_bin` and
      `density_ratio`.
    - If they score lower, but the AUC of positives over negatives is .97 or more at the prior, the
      prior is the lowest of `best_bin`, `density_ratio` and `binormal_tail`.
    - Otherwise an error is raised.

    The prior is then lowered by a standard error of q_u / q_p at the best bin. Two normal
    distributions 1 to 3.5 standard deviations apart were tried with priors of .02 to .3, 100 or 300
    held-out positives and an `fdr` of .1. The share of negatives in the list was 0 to .05, and .12
    and .08 at the prior .02 and 3 and 3.5 deviations apart (``benchmarks/bench_promises.py``).
    Without the error it was .1 to .9. If negatives have heavier tails (logistic or t distributions)
    and a fiftieth of the rows is positive, the share was .3 for an `fdr` of .1. In that case there
    are negatives above any cut, and the scores cannot show it.

    *Known negatives.* The method is conformal selection (Jin, Candès, Selection by prediction with
    conformal p-values, JMLR 24, 2023). It computes p-values against the known negatives, and uses
    Benjamini and Hochberg's procedure. The rate is proven for any prior and for any way in which
    positives were labeled.

    *Minimum false share.* It is 1 - m (α (q_p + d_n) + d_m) / (rows in the list). Here α is the
    upper bound on the prior, and d_n and d_m are the bands of Dvoretzky, Kiefer and Wolfowitz for n
    held-out positives and m unlabeled rows. It holds at all cuts together.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> rows = np.append(rng.normal(2, 1, 400), rng.normal(size=1600))  # the first are positive
    >>> found = positives_at_fdr(rng.normal(2, 1, 300), rows, fdr=0.2, prior_at_least=0.2)
    >>> int(found.selected.sum()), int(found.selected[400:].sum())
    (177, 19)
    >>> round(found.false_share(0.1), 2)  # if only half as many are positive
    0.57
    """
    check_fdr(fdr)
    check_number(confidence, "confidence", "Pass 0.95 for example.", above=0, below=1)
    known, rest = check_calibration(calibration), check_scores(scores, "scores")
    declared = _only_declared(
        prior_at_least=prior_at_least is not None,
        irreducible=irreducible,
        known_negative=known_negative is not None,
    )
    if prior_at_most is not None:
        as_share(prior_at_most, "prior_at_most", closed_right=True)
    check_label_odds_ratio(label_odds_ratio)
    if irreducible and label_odds_ratio > 1:
        raise PriorError(
            f"irreducible=True and label_odds_ratio={label_odds_ratio:g} are given, but the prior "
            "is estimated for even labels.",
            "Declare prior_at_least= in place of irreducible=True.",
        )
    cuts, n_listed, lifts, low_lifts = _lifts(known, rest, label_odds_ratio)
    prior = None
    if known_negative is not None:
        if np.asarray(known_negative).dtype == bool:
            raise DataError(
                "known_negative is a mask.", "Pass the scores of the known negatives themselves."
            )
        selected = _conformal_selection(check_calibration(known_negative), rest, fdr)
    else:
        if prior_at_least is not None:
            prior = _check_prior(prior_at_least, prior_at_most, known, rest, label_odds_ratio)
        else:
            prior = _irreducible_prior(known, rest)
        fits = np.flatnonzero(1 - prior * low_lifts <= fdr)
        selected = rest >= cuts[fits[-1]] if len(fits) else np.zeros(len(rest), dtype=bool)
    lift, least = math.nan, 0.0
    if selected.any():
        lift = float(lifts[np.searchsorted(n_listed, selected.sum())])
        cut = float(rest[selected].min())
        least = _least_false(cut, known, rest, prior_at_most, label_odds_ratio, confidence)
    warn_of_few(len(known), "held-out", "mostly chance decides how long the list is")
    return PositiveList(
        rest, selected, fdr, declared, prior, lift, least, confidence, label_odds_ratio
    )


def _only_declared(**given: bool) -> str:
    """Name of the one declaration; an error if nothing or more than one thing is declared."""
    names = [name for name, is_given in given.items() if is_given]
    if not names:
        raise PriorError(
            "Positive and unlabeled rows alone cannot bound a false discovery rate: the data "
            "could look the same if no unlabeled row were positive.",
            "Declare prior_at_least=, the least share of positives among the unlabeled; or "
            "irreducible=True, if the rows with the highest scores are certainly positive; or "
            "pass scores of verified negatives as known_negative=.",
        )
    if len(names) > 1:
        raise PriorError(f"{' and '.join(names)} are given.", "Declare one of them.")
    return names[0]


def _check_prior(
    prior_at_least: float,
    prior_at_most: float | None,
    known: Floats,
    rest: Floats,
    label_odds_ratio: float,
) -> float:
    """The declared prior; the function warns if the scores do not allow it."""
    prior = as_share(prior_at_least, "prior_at_least")
    if prior_at_most is not None and prior > prior_at_most:
        raise PriorError(
            f"prior_at_least={prior:g} is above prior_at_most={prior_at_most:g}.",
            "Pass bounds that leave a prior between them.",
        )
    consequence = "The list may contain more negative rows than fdr allows."
    warn_above_bound(
        "prior_at_least", prior, known, rest, consequence, label_odds_ratio, stacklevel=4
    )
    return prior


def _irreducible_prior(known: Floats, rest: Floats) -> float:
    """The largest prior that the scores allow, minus one standard error.

    Raises
    ------
    PriorError : if the scores of positives and negatives overlap
    """
    prior = min(best_bin(known, rest), density_ratio(known, rest))
    median = np.median(known)
    top, top_rest = known[known > median], rest[rest > median]
    alike = min(len(top), len(top_rest)) > 0 and (
        mannwhitneyu(top_rest, top, alternative="less").pvalue > _LEVEL
    )
    if not alike:
        apart = separation_of_scores(known, rest)
        if apart < _APART:
            raise PriorError(
                "Positive and other rows overlap in their scores, so that no part of the list is "
                "certainly positive, as irreducible=True declares.",
                "Declare prior_at_least=, the least share of positives among the unlabeled, or "
                "pass scores of verified negatives as known_negative=.",
            )
        prior = min(prior, binormal_tail(known, rest))
    n_known, n_rest = best_cut(known, rest)
    variance = (1 - n_known / len(known)) / n_known + (1 - n_rest / len(rest)) / max(n_rest, 1)
    return prior * max(0.0, 1 - math.sqrt(variance))


def _lifts(
    known: Floats, rest: Floats, label_odds_ratio: float
) -> tuple[Floats, Ints, Floats, Floats]:
    """Lift of the list at each cut, with the cuts, the lengths of the lists and lower lifts.

    The cuts are the distinct scores of the unlabeled rows, the highest first. The lift is
    q_p / q_u: q_u is the share of the unlabeled rows at or above the cut, and q_p the smallest
    share of the hidden positives there that the held-out positives allow. For the lower lift, the
    share of the held-out positives is lowered by one standard error (Clopper, Pearson).

    Returns
    -------
    cuts, number of unlabeled rows at or above each cut, lifts, and lower lifts
    """
    distinct, counts = np.unique(rest, return_counts=True)
    n_listed = np.cumsum(counts[::-1])
    cuts = distinct[::-1]
    found = len(known) - np.searchsorted(np.sort(known), cuts)
    shares = n_listed / max(len(rest), 1)
    low = np.where(found > 0, betaincinv(np.maximum(found, 1), len(known) - found + 1, _LOW), 0.0)
    lifts, low_lifts = (
        odds_times(each, 1 / label_odds_ratio) / shares for each in (found / len(known), low)
    )
    return cuts, n_listed, lifts, low_lifts


def _conformal_selection(negative: Floats, rest: Floats, fdr: float) -> Bools:
    """Which unlabeled rows to list, by conformal p-values against the known negatives.

    Raises
    ------
    DataError : if there are too few known negatives; the error says how many are needed
    """
    fewest = held_out_to_reject(fdr)
    if len(negative) < fewest:
        raise DataError(
            f"{counted(len(negative), 'known negative')} cannot show that any row is positive if "
            f"at most {as_percent(fdr)} of the list may be negative: at least {fewest} are needed, "
            "and more if few rows are positive.",
            f"Verify more rows, or pass a larger {argument('fdr')}.",
        )
    return rejected(adjusted_p_values(conformal_p_values(-negative, -rest)), fdr)


def _least_false(
    cut: float,
    known: Floats,
    rest: Floats,
    prior_at_most: float | None,
    label_odds_ratio: float,
    confidence: float,
) -> float:
    """Lower bound, at `confidence`, on the share of negatives among the rows at or above a cut."""
    n_errors = 2 if prior_at_most is not None else 3  # number of bounds, which share the error
    error = (1 - confidence) / n_errors
    if prior_at_most is None:
        prior_at_most = prior_upper_bound(known, rest, 1 - error, label_odds_ratio=label_odds_ratio)
    of_known, of_rest = (math.sqrt(-math.log(error) / (2 * len(each))) for each in (known, rest))
    listed, found = ((each >= cut).mean() for each in (rest, known))
    most = float(odds_times(min(1.0, found + of_known), label_odds_ratio))
    return max(0.0, float(1 - (prior_at_most * most + of_rest) / listed))
