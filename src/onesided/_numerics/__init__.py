"""Pure functions of arrays: the results depend only on the arguments."""
