"""How far long work has come, for those who ask."""

from collections.abc import Callable
from itertools import count

from onesided._typing import OnProgress


def step_of(on_progress: OnProgress | None, stage: str) -> Callable[[int, int], None]:
    """Begin a stage, and return the function that it calls with the steps done and all steps."""

    def step(done: int, total: int) -> None:
        if on_progress is not None:
            on_progress(stage, done, total)

    step(0, 0)
    return step


def each_step_of(on_progress: OnProgress | None, stage: str, total: int) -> Callable[..., None]:
    """Begin a stage, and return the function that it calls after each of its steps."""
    step, done = step_of(on_progress, stage), count(1)
    return lambda *_: step(next(done), total)
