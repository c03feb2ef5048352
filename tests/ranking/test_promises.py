"""What may be asked for together, before any work begins."""

import pytest

from onesided.exceptions import PriorError
from onesided.ranking import Promises


@pytest.mark.parametrize("asked", [{}, {"recall": 0.8}, {"discard": 0.1}])
def test_a_test_of_even_labels_decides_nothing_if_they_are_declared_uneven(asked):
    with pytest.raises(PriorError, match="labels are declared to be uneven"):
        Promises.of(prior_at_least=0.05, label_odds_ratio=3, **asked)


@pytest.mark.parametrize(
    ("asked", "holds_out"),
    [
        ({"prior_at_least": 0.05}, True),
        ({"label_odds_ratio": 3}, False),
        ({"prior_at_least": 0.05, "label_odds_ratio": 1}, True),
        ({"prior_at_least": 0.05, "label_odds_ratio": 3, "fdr": 0.3}, True),
    ],
)
def test_either_alone_has_its_use(asked, holds_out):
    """A bound of the prior needs held-out positives, to test whether labels are even or to list."""
    found = Promises.of(**asked)
    assert bool(found) == holds_out
    assert found.label_odds_ratio == asked.get("label_odds_ratio", 1)
    assert found.declared.prior_at_least == asked.get("prior_at_least")
    assert {each.argument: each.share for each in found.asked} == {
        name: share for name, share in asked.items() if name == "fdr"
    }
