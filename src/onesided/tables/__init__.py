"""From a file to columns with a role, and back: what the command line does to a table."""

from onesided.tables._columns import (
    check_names_rows,
    find_column,
    find_key,
    find_titles,
    row_numbers,
)
from onesided.tables._describe import Column, TableSummary, describe
from onesided.tables._documents import Documents, read_documents
from onesided.tables._drawing import DrawnRows, draw_rows
from onesided.tables._drift import SCORE, Drift, Moved, SeenColumn, see_columns, see_scores
from onesided.tables._enrichment import enrichment_table, of_positive_sets
from onesided.tables._features import count_equal_rows, feature_matrix, side_by_side, used_columns
from onesided.tables._gene_sets import RowSets, match_sets, read_gene_sets
from onesided.tables._known_rows import KnownRows, read_known_rows, warn_of_lacking
from onesided.tables._labels import (
    are_marks,
    check_kinds,
    label_columns,
    label_notes,
    read_known_negative,
    read_labels,
)
from onesided.tables._leaks import Leak, find_leaks, warn_of_leaks, warn_of_other_labels
from onesided.tables._model_file import (
    MODEL_ENDING,
    ColumnRole,
    Model,
    ModelColumn,
    load_model,
    model_columns,
    save_model,
    score_quantiles,
)
from onesided.tables._problem import Problem, read_problem
from onesided.tables._ranking import ranking_table
from onesided.tables._read import read_table
from onesided.tables._rows import Rows, as_table, read_rows
from onesided.tables._scoring import (
    Scored,
    ScoredPositives,
    Scoring,
    clear_other_parts,
    find_drift,
    is_one_file,
    on_dask,
    place_positives,
    plan_scoring,
    put_together,
    score_table,
    unused_columns,
)
from onesided.tables._stream import Stream
from onesided.tables._unexpected import (
    Group,
    Unexpected,
    find_unexpected,
    kinds_of_groups,
    make_known,
)
from onesided.tables._write import (
    RANKING_ENDINGS,
    REPORT_ENDINGS,
    check_folder,
    check_for_spreadsheet,
    check_writable,
    table_name,
    write_files,
    write_table,
    write_text,
)

__all__ = [
    "MODEL_ENDING",
    "RANKING_ENDINGS",
    "REPORT_ENDINGS",
    "SCORE",
    "Column",
    "ColumnRole",
    "Documents",
    "DrawnRows",
    "Drift",
    "Group",
    "KnownRows",
    "Leak",
    "Model",
    "ModelColumn",
    "Moved",
    "Problem",
    "RowSets",
    "Rows",
    "Scored",
    "ScoredPositives",
    "Scoring",
    "SeenColumn",
    "Stream",
    "TableSummary",
    "Unexpected",
    "are_marks",
    "as_table",
    "check_folder",
    "check_for_spreadsheet",
    "check_kinds",
    "check_names_rows",
    "check_writable",
    "clear_other_parts",
    "count_equal_rows",
    "describe",
    "draw_rows",
    "enrichment_table",
    "feature_matrix",
    "find_column",
    "find_drift",
    "find_key",
    "find_leaks",
    "find_titles",
    "find_unexpected",
    "is_one_file",
    "kinds_of_groups",
    "label_columns",
    "label_notes",
    "load_model",
    "make_known",
    "match_sets",
    "model_columns",
    "of_positive_sets",
    "on_dask",
    "place_positives",
    "plan_scoring",
    "put_together",
    "ranking_table",
    "read_documents",
    "read_gene_sets",
    "read_known_negative",
    "read_known_rows",
    "read_labels",
    "read_problem",
    "read_rows",
    "read_table",
    "row_numbers",
    "save_model",
    "score_quantiles",
    "score_table",
    "see_columns",
    "see_scores",
    "side_by_side",
    "table_name",
    "unused_columns",
    "used_columns",
    "warn_of_lacking",
    "warn_of_leaks",
    "warn_of_other_labels",
    "write_files",
    "write_table",
    "write_text",
]
