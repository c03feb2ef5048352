"""The columns of a table in the file of a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

import pyarrow as pa

from onesided._files._notation import Notation
from onesided._files._wanted import ModelColumn
from onesided.tables._describe import Role, TableSummary

ColumnRole: TypeAlias = Role | Literal["label", "identifier", "group"]


def model_columns(
    features: pa.Table, table: pa.Table, summary: TableSummary, others: Mapping[str, ColumnRole]
) -> tuple[ModelColumn, ...]:
    """Describe each column of a table for the file of a model.

    The features are the used columns; `others` has the roles of label, identifier and group.
    Categories that are dates or times are text as features, but are read by their own type.
    """
    roles = {column.name: column.role for column in summary.columns} | dict(others)
    times = {field.name for field in table.schema if pa.types.is_temporal(field.type)}
    times = {each for each in times if roles[each] == "category"}
    used = {*features.column_names} - times
    orders = {column.name: column.order for column in summary.columns if column.role == "date"}
    notations = {field.name: Notation.of(field) for field in table.schema}
    return tuple(
        ModelColumn(
            field.name,
            roles[field.name],
            str((features if field.name in used else table).schema.field(field.name).type),
            *((known.decimal, known.unit) if (known := notations[field.name]) else ()),
            **({"unit": orders[field.name]} if field.name in orders else {}),
        )
        for field in table.schema
    )
