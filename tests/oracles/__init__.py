"""Slow and plain: a loop for each printed equation. Nothing of the package is imported here."""
