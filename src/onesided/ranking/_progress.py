"""How far long work has come, for those who ask."""

from collections.abc import Callable
from itertools import count

from onesided._typing import OnProgress


def step_of(on_progress: OnProgress | None, stage: str) -> Callable[[int, int], None]:
    """What a stage calls with the number of steps done, and of all; the stage begins now."""
    tell = on_progress or _tell_nobody
    tell(stage, 0, 0)
    return lambda done, total: tell(stage, done, total)


def each_step_of(on_progress: OnProgress | None, stage: str, total: int) -> Callable[[], None]:
    """What a stage calls after each of its steps; the stage begins now."""
    step, done = step_of(on_progress, stage), count(1)
    return lambda: step(next(done), total)


def _tell_nobody(stage: str, done: int, total: int) -> None:
    """No progress."""
