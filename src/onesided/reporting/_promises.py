"""What is known of the number of positives, and what is promised of the list, as plain numbers."""

from dataclasses import replace

from onesided._labels import Scenario
from onesided._typing import Bools
from onesided.metrics import ResampledPValue
from onesided.metrics._corrected import PriorOrEstimate as ClassPrior
from onesided.prior import PRIOR_METHODS, ClassPriorEstimate
from onesided.promises import PositiveList, RecallShortlist
from onesided.reporting._schema import (
    DiscardFacts,
    FalseSharePoint,
    MethodPrior,
    PositiveListFacts,
    PriorFacts,
    PromiseFacts,
    RecallFacts,
)

_LEVEL = 0.05


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


def summarize_promises(  # noqa: PLR0913 - each promise comes from another function
    *,
    n_held_out: int,
    n_rows: int,
    confidence: float,
    upper_bound: float,
    scar: ResampledPValue | None,
    prior_at_least: float | None,
    shortlist: RecallShortlist | None,
    n_hidden: int | None,
    discard: float | None,
    discarded: Bools | None,
    listed: PositiveList | None,
) -> PromiseFacts:
    """What holds of the list.

    Parameters
    ----------
    n_held_out, n_rows : positives held out, and candidates
    confidence : of the recall and of the bound
    upper_bound : on the share of positives among the candidates, if labels are even
    scar : p-value of even labels, at `prior_at_least`
    prior_at_least : share of positives that is declared
    shortlist : with a recall
    n_hidden : positives among the candidates, where their number is estimated
    discard, discarded : the share of positives, and the rows of which at most so many are positive
    listed : at a false discovery rate
    """
    return PromiseFacts(
        n_held_out=n_held_out,
        n_rows=n_rows,
        confidence=confidence,
        upper_bound=upper_bound,
        prior_at_least=prior_at_least,
        scar_p_value=None if scar is None else float(scar),
        labels_uneven=scar is not None and float(scar) <= _LEVEL,
        recall=None if shortlist is None else _of_recall(shortlist, n_hidden),
        discard=None
        if discard is None or discarded is None
        else DiscardFacts(share=discard, n_rows=int(discarded.sum())),
        positives=None if listed is None else _of_positives(listed),
    )


def _of_recall(shortlist: RecallShortlist, n_hidden: int | None) -> RecallFacts:
    return RecallFacts(
        recall=shortlist.recall,
        n_rows=int(shortlist.selected.sum()),
        n_below=shortlist.n_below,
        level=shortlist.exact_level,
        n_hidden=n_hidden,
        level_among=shortlist.level_among(n_hidden) if n_hidden else None,
    )


def _of_positives(listed: PositiveList) -> PositiveListFacts:
    points = listed.curve("pyarrow").to_pylist()
    return PositiveListFacts(
        fdr=listed.fdr,
        n_rows=int(listed.selected.sum()),
        declared=listed.declared,
        class_prior=listed.class_prior,
        assumes=listed.assumes,
        minimum_false_share=listed.minimum_false_share,
        curve=[
            FalseSharePoint(class_prior=point["class_prior"], false_share=point["false_share"])
            for point in points
        ],
    )
