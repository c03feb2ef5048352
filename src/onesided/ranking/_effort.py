"""Numbers of random draws: more draws take longer and make results more stable."""

from __future__ import annotations

from typing import Any

N_FOLDS = 5  # of the positives, and of the unlabeled
N_RANDOM_SETS = 999  # for p-values
N_TREES = 80  # that score the rows for the class prior
_ESTIMATORS_A_FIT = 10  # bags or trees that take as long as a fit of one of the other methods


def cost_of(model: Any) -> int:
    """How long a fit takes, compared with the other methods.

    300 bags took 12 to 70 times as long as naive Bayes on tables of 2,000 to 20,000 rows with 10 to
    100 columns; the other methods that are compared by default took .3 to 2 times as long.
    """
    return max(1, getattr(model, "n_estimators", 1) // _ESTIMATORS_A_FIT)
