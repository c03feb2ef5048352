"""The main job: rank the unlabeled rows of a table, and give the evidence for the ranking."""

from __future__ import annotations

from onesided._public import name_publicly
from onesided._ranked import (
    Doubt,
    KeptPromise,
    KeptPromises,
    LeftOutValue,
    Ranked,
    RankedValue,
)
from onesided._worth import Worth
from onesided.model_selection import fits_elsewhere
from onesided.ranking._compare import (
    ComparedTables,
    compare_tables,
)
from onesided.ranking._each import (
    EachProblem,
    RankedEach,
    rank_each,
    read_each,
)
from onesided.ranking._plan import Plan, plan_ranking
from onesided.ranking._prior import estimate_prior
from onesided.ranking._promised import PROMISES, Promise, check_share
from onesided.ranking._promises import Promises
from onesided.ranking._rank import rank_problem
from onesided.ranking._rank_table import command_of, rank_table
from onesided.ranking._ranking import Ranking
from onesided.tables import Problem, read_problem

__all__ = [
    "PROMISES",
    "ComparedTables",
    "Doubt",
    "EachProblem",
    "KeptPromise",
    "KeptPromises",
    "LeftOutValue",
    "Plan",
    "Problem",
    "Promise",
    "Promises",
    "Ranked",
    "RankedEach",
    "RankedValue",
    "Ranking",
    "Worth",
    "check_share",
    "command_of",
    "compare_tables",
    "estimate_prior",
    "fits_elsewhere",
    "plan_ranking",
    "rank_each",
    "rank_problem",
    "rank_table",
    "read_each",
    "read_problem",
]

name_publicly(__name__)
