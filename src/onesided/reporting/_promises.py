"""What is known of the number of positives, and what is promised of the list, as plain numbers."""

from dataclasses import replace
from typing import Any

from onesided._labels import Scenario
from onesided._ranked import KeptPromises
from onesided.metrics._corrected import ClassPrior
from onesided.prior import PRIOR_METHODS, ClassPriorEstimate
from onesided.reporting._schema import MethodPrior, PriorFacts, PromiseFacts


def shown_priors(prior: ClassPrior) -> tuple[float, float, float]:
    """Low end, what is shown, and high end, which is shown where no more can be said."""
    low, high = getattr(prior, "interval", (float(prior), float(prior)))
    shown = prior.headline if isinstance(prior, ClassPriorEstimate) else float(prior)
    return low, shown, max(shown, high)


def summarize_prior(
    found: ClassPriorEstimate, *, scenario: Scenario | None, n_unlabeled: int
) -> PriorFacts:
    """How many are positive.

    Parameters
    ----------
    found : the estimate
    scenario : the sampling story, None where it is not known
    n_unlabeled : candidates
    """
    shown = replace(found, point=found.headline)
    return PriorFacts(
        scenario=scenario,
        class_prior=found.point,
        low=found.interval[0],
        high=found.interval[1],
        confidence=found.confidence,
        upper_bound=found.upper_bound,
        only_at_most=found.only_at_most,
        n_hidden=shown.point * n_unlabeled,
        population_prior=None if scenario is None else shown.population_prior,
        label_frequency=None if scenario is None else shown.label_frequency,
        methods=[
            MethodPrior(name=PRIOR_METHODS[name], class_prior=point)
            for name, point in found.by_method.items()
        ],
    )


def summarize_promises(kept: KeptPromises) -> PromiseFacts:
    """What holds of the list, as the data of a page have it.

    Parameters
    ----------
    kept : the promises
    """
    facts: Any = kept.facts()
    checked: PromiseFacts = facts
    return checked
