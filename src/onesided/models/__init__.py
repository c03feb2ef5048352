"""Learners from positive and unlabeled rows."""
