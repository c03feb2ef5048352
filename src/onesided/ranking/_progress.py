"""How far long work has come, for those who ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from onesided._typing import OnProgress


def step_of(on_progress: OnProgress | None, stage: str) -> Callable[[int, int], None]:
    """Begin a stage, and return the function that it calls with the steps done and all steps."""

    def step(done: int, total: int) -> None:
        if on_progress is not None:
            on_progress(stage, done, total)

    step(0, 0)
    return step


def within(on_progress: OnProgress | None, stage: str) -> OnProgress:
    """Begin a stage of functions that tell their own progress, which is told as that of the stage.

    Parameters
    ----------
    on_progress : called with the stage, and with the steps done and all steps of the function
    stage : name of the stage
    """
    step = step_of(on_progress, stage)
    return lambda _, done, total: step(done, total)


def each_step_of(
    on_progress: OnProgress | None, stage: str, costs: Mapping[str, int], total: int
) -> OnProgress:
    """As `within`, but steps count by what they cost.

    Parameters
    ----------
    on_progress : is called with the cost of the steps done, and of all
    stage : name of the stage
    costs : by its name, how long a step takes, compared with the others
    total : cost of all steps
    """
    step, done = step_of(on_progress, stage), 0

    def after(name: str, _done: int, _total: int) -> None:
        nonlocal done
        done = min(done + costs[name], total)
        step(done, total)

    return after
