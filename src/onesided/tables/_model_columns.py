"""The columns of a table as a model that learned from it knows them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import pyarrow as pa

from onesided.tables._describe import Role, TableSummary
from onesided.tables._notation import Notation

ColumnRole: TypeAlias = Role | Literal["label", "identifier", "group"]


@dataclass(frozen=True)
class ModelColumn:
    """A column of the table that a model was learned from.

    Attributes
    ----------
    name : of the column
    role : what it was to the learner
    type : Arrow's name of what it holds
    decimal : mark before the fractions of numbers that were written as people do, else empty
    unit : sign of money or percent in each of their cells, or empty
    """

    name: str
    role: ColumnRole
    type: str
    decimal: str = ""
    unit: str = ""

    @property
    def notation(self) -> Notation:
        """How its numbers were written."""
        return Notation(self.decimal or ".", self.unit)


def model_columns(
    features: pa.Table, table: pa.Table, summary: TableSummary, others: Mapping[str, ColumnRole]
) -> tuple[ModelColumn, ...]:
    """Columns of a table as a model knows them.

    Parameters
    ----------
    features : the columns to learn from, as the pipeline takes them
    table : the whole table
    summary : what `describe` found
    others : roles of label, identifier and group, by name of the column
    """
    roles = {column.name: column.role for column in summary.columns} | dict(others)
    used = set(features.column_names)
    notations = {field.name: Notation.of(field) for field in table.schema}
    return tuple(
        ModelColumn(
            field.name,
            roles[field.name],
            str((features if field.name in used else table).schema.field(field.name).type),
            *((known.decimal, known.unit) if (known := notations[field.name]) else ()),
        )
        for field in table.schema
    )
