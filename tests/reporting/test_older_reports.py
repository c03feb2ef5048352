"""Reports that older versions wrote are read in the form of this version."""

import copy
import json

from onesided.prior._facts import LIMITS, PriorFacts
from onesided.reporting import read_report

ADDED = ("label_odds_ratio", "upper_bounds", "tipping_point", "by_assumption", "counted")


def older(report, *, at_most):
    """The prior as it was: one name for a number and for its bound, and methods without a code."""
    before = copy.deepcopy(report)
    prior = before["prior"] = {**before["prior"], "only_at_most": at_most}
    for name, limit in LIMITS.items():
        prior[name] = prior[name] or prior[limit]
        del prior[limit]
    for name in (*ADDED, "n_positive", "n_unlabeled"):
        prior.pop(name, None)
    for method in prior["methods"]:
        del method["method"]
    return before


def test_a_bound_under_the_name_of_a_number_is_moved(report, tmp_path):
    assert {*ADDED} <= PriorFacts.__optional_keys__
    for at_most in (False, True):
        before = older(report, at_most=at_most)
        (tmp_path / "r.json").write_text(json.dumps(before), encoding="utf-8")
        prior = read_report(tmp_path / "r.json")["prior"]
        for name, limit in LIMITS.items():
            shown, other = (limit, name) if at_most else (name, limit)
            assert prior[shown] == before["prior"][name]
            assert prior[other] is None
        assert [each["method"] for each in prior["methods"]] == [
            each["method"] for each in report["prior"]["methods"]
        ]
