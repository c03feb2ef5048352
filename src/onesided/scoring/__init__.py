"""Models that learn from a table, are kept in files, and score tables of any size and streams."""

from __future__ import annotations

from onesided._public import name_publicly
from onesided.scoring._drift import Drift, Moved, SeenColumn
from onesided.scoring._fit import fit_problem, fit_table, read_sample
from onesided.scoring._model_file import MODEL_ENDING, Model, check_can_save, load_model, save_model
from onesided.scoring._outcome import Scored, ScoredPositives
from onesided.scoring._plan import Scoring
from onesided.scoring._sample import DrawnRows, draw_rows
from onesided.scoring._score import ScoringPlan, plan_scoring, score_table
from onesided.scoring._stream import Stream

__all__ = [
    "MODEL_ENDING",
    "DrawnRows",
    "Drift",
    "Model",
    "Moved",
    "Scored",
    "ScoredPositives",
    "Scoring",
    "ScoringPlan",
    "SeenColumn",
    "Stream",
    "check_can_save",
    "draw_rows",
    "fit_problem",
    "fit_table",
    "load_model",
    "plan_scoring",
    "read_sample",
    "save_model",
    "score_table",
]

name_publicly(__name__)
