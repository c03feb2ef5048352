"""Times in turn, so that a machine whose speed drifts slows both sides alike; and memory."""

import resource
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

_SCALE = 1024 if sys.platform != "darwin" else 1  # bytes in the unit of getrusage


def in_turn(
    *actions: Callable[[], object],
    repeats: int = 11,
    clock: Callable[[], float] = time.perf_counter,
) -> list[list[float]]:
    """Seconds of each action, `repeats` of each, taken A B A B after one of each uncounted.

    With one repeat, which says nothing about time, none is uncounted.
    """
    times: list[list[float]] = [[] for _ in actions]
    for _ in range(repeats + (repeats > 1)):
        for action, into in zip(actions, times, strict=True):
            start = clock()
            action()
            into.append(clock() - start)
    return [each[-repeats:] for each in times]


def median_ratio(ours: list[float], theirs: list[float]) -> float:
    """Median of the ratios, pair by pair."""
    return statistics.median(a / b for a, b in zip(ours, theirs, strict=True))


def memory_ratio(action: Callable[[], object], n_bytes: int) -> float:
    """Highest memory of an action together with its data, which the caller holds, over the data."""
    tracemalloc.start()
    action()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return (peak + n_bytes) / n_bytes


def highest_resident() -> int:
    """Bytes, of this process alone: what Linux tells getrusage begins with those of its parent."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _SCALE
    (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


def report(what: str, ratio: float, target: float) -> None:
    """One line: what, the ratio, the target, and whether it is met."""
    met = "met" if ratio <= target else "MISSED"
    print(f"{what:<66} {ratio:6.3f}  (at most {target:g}: {met})")


def python(code: str) -> Callable[[], object]:
    """An action: a fresh interpreter that runs `code`."""
    return lambda: subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
