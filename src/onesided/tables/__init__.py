"""What the columns of a table mean: labels, roles, leaks; and the files that are written of it."""

from onesided._files._find import check_file_name
from onesided._files._format import Rows
from onesided._files._formats import table_name
from onesided._files._rows import as_table, read_rows
from onesided._files._wanted import ModelColumn
from onesided._files._whole import read_table
from onesided._text import as_json
from onesided.tables._columns import (
    check_names_rows,
    find_column,
    find_key,
    find_titles,
    row_numbers,
)
from onesided.tables._describe import Column, TableSummary, describe
from onesided.tables._features import (
    count_equal_rows,
    enrichment_table,
    feature_matrix,
    side_by_side,
    used_columns,
)
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
from onesided.tables._model_columns import ColumnRole, model_columns
from onesided.tables._problem import Problem, read_problem
from onesided.tables._ranking import ranking_table
from onesided.tables._write import (
    RANKING_ENDINGS,
    REPORT_ENDINGS,
    check_folder,
    check_for_spreadsheet,
    check_writable,
    write_files,
    write_table,
    write_text,
)

__all__ = [
    "RANKING_ENDINGS",
    "REPORT_ENDINGS",
    "Column",
    "ColumnRole",
    "KnownRows",
    "Leak",
    "ModelColumn",
    "Problem",
    "Rows",
    "TableSummary",
    "are_marks",
    "as_json",
    "as_table",
    "check_file_name",
    "check_folder",
    "check_for_spreadsheet",
    "check_kinds",
    "check_names_rows",
    "check_writable",
    "count_equal_rows",
    "describe",
    "enrichment_table",
    "feature_matrix",
    "find_column",
    "find_key",
    "find_leaks",
    "find_titles",
    "label_columns",
    "label_notes",
    "model_columns",
    "ranking_table",
    "read_known_negative",
    "read_known_rows",
    "read_labels",
    "read_problem",
    "read_rows",
    "read_table",
    "row_numbers",
    "side_by_side",
    "table_name",
    "used_columns",
    "warn_of_lacking",
    "warn_of_leaks",
    "warn_of_other_labels",
    "write_files",
    "write_table",
    "write_text",
]
