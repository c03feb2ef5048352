"""No test of this folder waits without end, on a busy machine either."""

import signal

import pytest

_SECONDS = 300


@pytest.fixture(autouse=True)
def _no_wait_without_end():
    if not hasattr(signal, "SIGALRM"):  # on Windows
        yield
        return

    def end(*_):
        pytest.fail(f"The test did not end within {_SECONDS} seconds.")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(_SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)
