"""How far long work has come, for those who ask."""

from collections.abc import Callable, Sequence
from itertools import accumulate

from onesided._typing import OnProgress


def step_of(on_progress: OnProgress | None, stage: str) -> Callable[[int, int], None]:
    """Begin a stage, and return the function that it calls with the steps done and all steps."""

    def step(done: int, total: int) -> None:
        if on_progress is not None:
            on_progress(stage, done, total)

    step(0, 0)
    return step


def each_step_of(
    on_progress: OnProgress | None, stage: str, costs: Sequence[int]
) -> Callable[..., None]:
    """Begin a stage, and return the function that it calls after each of its steps.

    Parameters
    ----------
    on_progress : is called with the cost of the steps done, and of all
    stage : name of the stage
    costs : how long each step takes, compared with the others
    """
    step, done = step_of(on_progress, stage), accumulate(costs)
    return lambda *_: step(next(done), sum(costs))
