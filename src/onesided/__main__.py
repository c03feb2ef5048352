"""`python -m onesided`."""

from onesided.cli.__main__ import main

main()
