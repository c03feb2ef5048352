"""From the columns of a table to the features of a learner."""

from onesided.preprocessing._cuts import QuantileBinner

__all__ = ["QuantileBinner"]
