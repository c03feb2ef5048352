"""Which rows of a ranking to check, and what their verdicts say about all rows."""

from __future__ import annotations

from onesided._public import name_publicly
from onesided.audit._audit import Audit
from onesided.audit._estimate import AuditEstimate
from onesided.audit._label_odds import LabelOddsRatio

__all__ = ["Audit", "AuditEstimate", "LabelOddsRatio"]

name_publicly(__name__)
