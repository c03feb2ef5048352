"""Checks of rows of a ranking: sheets, verdicts, and what the verdicts say about all rows."""

from __future__ import annotations

from onesided._public import name_publicly
from onesided.checking._goal import Goal
from onesided.checking._ranking_audit import RankingAudit, audit_ranking

__all__ = ["Goal", "RankingAudit", "audit_ranking"]

name_publicly(__name__)
