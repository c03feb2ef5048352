"""Good files made bad, and what must hold of all of them: they are read, or refused in words.

`ONESIDED_EXAMPLES=5000 pytest tests/trust` draws as many for each test, at random; without it a few
are drawn, the same each time.
"""

import os
import re
import signal
import warnings
from contextlib import contextmanager

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from onesided.exceptions import OnesidedError, OnesidedWarning

EXAMPLES = int(os.environ.get("ONESIDED_EXAMPLES", "0"))
SLOWEST = 20.0  # seconds for a file of a few hundred bytes: it hangs
_TOKENS = (
    *(b"\0", b'"', b"'", b"\\", b"\n", b"\r", b"\r\n", b"\t", b",", b";", b"|", b"=", b"@", b"#"),
    *(b"{", b"}", b"[", b"]", b"(", b")", b"<", b":", b"%", b"$", b" ", b"-", b"."),
    *(b"\xff", b"\xfe\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc3", b"\x80"),
    *(b"nan", b"inf", b"-1", b"0", b"1e999", b"9" * 400, b"null", b"true", b"NA", b"\\u0000"),
    *(b"a" * 5000, b"{" * 3000, b"[" * 3000, b'"' * 301, b"\n\n\n", b"sep=;\n", b"\x1b[2J"),
    *("ß".encode(), "\u202e".encode(), "\U0001f9ec".encode()),
    *(b"UK  - 1\n", b"SO  - \n", b"      and on\n", b"\\href", b"\\begin{array}", b"$", b" -"),
    *(b"TY  - JOUR\n", b"ER  - \n", b"PMID- 1\n", b"@article{a,\n", b"@string{a = a # a}\n"),
)


def some(few):
    """Hypothesis' settings: so many examples, or as many as the environment asks for."""
    return settings(
        max_examples=EXAMPLES or few,
        derandomize=not EXAMPLES,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        print_blob=bool(EXAMPLES),
    )


@st.composite
def mutated(draw, good):
    """One of the good contents with one to six changes: cut, repeated, replaced or put in."""
    content = draw(st.sampled_from(good))
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(content)))
        length = draw(st.integers(0, 40) | st.integers(0, len(content)))
        piece = draw(st.sampled_from(_TOKENS) | st.binary(max_size=8))
        content = draw(
            st.sampled_from(
                [
                    content[:start],
                    content[:start] + piece + content[start:],
                    content[:start] + piece + content[start + length :],
                    content[: start + length] + content[start:],
                    content[:start] + piece * 40 + content[start:],
                ]
            )
        )
    return content


@contextmanager
def enduring():
    """What stands here works, or raises an error of ours, and comes to an end."""
    signal.signal(signal.SIGALRM, _hangs)
    signal.setitimer(signal.ITIMER_REAL, SLOWEST)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OnesidedWarning)
            yield
    except OnesidedError as error:
        assert error.problem.endswith(".")  # noqa: PT017 - others pass through
        assert error.mend.endswith((".", "?"))  # noqa: PT017 - any error will do
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _hangs(*_):
    raise TimeoutError("it hangs")


def ends_in_words(done):
    """A command that is done, or says in two lines why it is not."""
    assert done.returncode in (0, 2), done.stderr
    assert "Traceback" not in done.stderr
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f]", done.stderr)
