"""Reports that older versions wrote are read in the form of this version."""

import copy
import json

from onesided._worth import ProfitFacts
from onesided.prior._facts import LIMITS, PriorFacts
from onesided.reporting import read_report, render
from onesided.reporting._drivers import Driver

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


def test_keys_that_were_added_may_be_missing(report):
    """Type annotations that are text hide `NotRequired`, so the keys themselves are looked at."""
    assert Driver.__optional_keys__ >= {"n_positive", "n_positive_with"}
    assert ProfitFacts.__optional_keys__ == {"why_unknown"}
    driver = {"feature": "size", "value": "below 3", "effect": 2.0, "unit": "times as common"}
    driver |= {"positive_share": 0.52, "unlabeled_share": 0.26}
    page = render({**report, "drivers": [driver]})
    assert "The shares are smoothed" in page
    counted = {"n_positive_with": 4, "n_positive": 8, "n_unlabeled_with": 0, "n_unlabeled": 9}
    page = " ".join(render({**report, "drivers": [driver | counted]}).split())
    assert "(4 of 8)" in page
    assert "over 2.0" in page
    assert "The shares are smoothed" not in page
