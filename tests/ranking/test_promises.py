"""What may be asked for together, before any work begins."""

import pytest

from onesided.exceptions import PriorError
from onesided.ranking import Promises


@pytest.mark.parametrize("asked", [{}, {"recall": 0.8}, {"discard": 0.1}])
def test_a_test_of_even_labels_decides_nothing_if_they_are_declared_uneven(asked):
    with pytest.raises(PriorError, match="labels are declared to be uneven"):
        Promises.of(prior_at_least=0.05, label_odds_ratio=3, **asked)


@pytest.mark.parametrize(
    "asked",
    [
        {"prior_at_least": 0.05},
        {"label_odds_ratio": 3},
        {"prior_at_least": 0.05, "label_odds_ratio": 1},
        {"prior_at_least": 0.05, "label_odds_ratio": 3, "fdr": 0.3},
    ],
)
def test_either_alone_has_its_use(asked):
    Promises.of(**asked)
