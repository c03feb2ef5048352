"""Whether the best method ranks by chance, or too well."""

from __future__ import annotations

from onesided._ranked import Doubt
from onesided._text import argument, counted_of
from onesided.model_selection import Comparison

_BY_CHANCE, _AS_A_LEAK = 0.5, 0.99  # AUC; the strongest single column that was not a leak had 0.95


def find_doubt(found: Comparison, *, tested: bool | None = None, borrowed: bool = False) -> Doubt:
    """Why a ranking, or a model that ranks later rows, may be of no use.

    Parameters
    ----------
    found : the comparison
    tested : whether the best AUC was tested on random labels; None if it cannot be
    borrowed : whether the positives were hidden among the rows of a borrowed background
    """
    best = found.taken
    without = (
        " The reason may be that this label goes together with the other labels, so rank without "
        f"{argument('background')} too."
    ) * borrowed
    auc, low, high = best["hidden_positive_auc"], best["auc_low"], best["auc_high"]
    hidden = found.hidden[found.best_]
    if auc <= _BY_CHANCE:
        return Doubt(
            "chance",
            f"The best hidden-positive AUC, {auc:.3f}, is no better than chance (0.5). Do not "
            f"rely on the ranking.{without}",
        )
    if low <= _BY_CHANCE:
        test = f" Try random labels: {argument('resamples', 99)}." if tested is False else ""
        return Doubt(
            "chance",
            f"The best hidden-positive AUC, {auc:.3f}, may be chance: its 95 % confidence "
            f"interval, {low:.3f} to {high:.3f}, includes 0.5, the AUC of a "
            f"random order.{test}{without}",
        )
    if hidden.is_too_good:
        among = "row of the background" if borrowed else "other row"
        return Doubt(
            "leak",
            f"{counted_of(hidden.n_first, len(hidden.above), 'known positive', 'rank')} above "
            f"every {among} when they are hidden. A column may give the labels away, or the "
            "known positives were taken from the top of a list like this one, or hardly any "
            "positives are left to find. In each of these cases the numbers describe only the "
            "known positives, not the positives that are still hidden.",
        )
    if auc >= _AS_A_LEAK:
        return Doubt(
            "leak",
            f"The best hidden-positive AUC, {auc:.3f}, is so high that a column may give the "
            "labels away. Check that no column was filled in because a row is positive.",
        )
    return Doubt()
