"""The meaning of the columns of a table (labels, roles, leaks), and writing tables to files."""

from __future__ import annotations

from onesided._files._find import check_file_name
from onesided._files._formats import table_name
from onesided._files._whole import read_table
from onesided._public import name_publicly
from onesided._text import as_json
from onesided.tables._describe import Column, TableSummary, describe
from onesided.tables._leaks import Leak, find_leaks
from onesided.tables._problem import Problem, read_problem
from onesided.tables._ris import RIS_ENDING, holds_records, write_ris
from onesided.tables._write import (
    RANKING_ENDINGS,
    REPORT_ENDINGS,
    check_for_spreadsheet,
    check_writable,
    write_files,
    write_table,
    write_text,
)

__all__ = [
    "RANKING_ENDINGS",
    "REPORT_ENDINGS",
    "RIS_ENDING",
    "Column",
    "Leak",
    "Problem",
    "TableSummary",
    "as_json",
    "check_file_name",
    "check_for_spreadsheet",
    "check_writable",
    "describe",
    "find_leaks",
    "holds_records",
    "read_problem",
    "read_table",
    "table_name",
    "write_files",
    "write_ris",
    "write_table",
    "write_text",
]

name_publicly(__name__)
