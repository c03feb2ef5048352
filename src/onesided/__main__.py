"""`python -m onesided`."""

from __future__ import annotations

from onesided.cli.__main__ import main

main()
