"""Features in which the positive rows of a table differ from random sets of their size."""

from __future__ import annotations

from onesided._public import name_publicly
from onesided.enriched._enrich import LEVEL, Enrichment, enrich_table
from onesided.enriched._gene_sets import RowSets, match_sets, read_gene_sets
from onesided.enriched._tested import TestedTable

__all__ = [
    "LEVEL",
    "Enrichment",
    "RowSets",
    "TestedTable",
    "enrich_table",
    "match_sets",
    "read_gene_sets",
]

name_publicly(__name__)
