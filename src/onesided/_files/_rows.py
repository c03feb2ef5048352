"""Rows of any format that is read into memory, and what the format says of their columns."""

from collections.abc import Collection, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from onesided._files._find import files_below
from onesided._files._format import Format, Rows
from onesided._files._formats import FORMATS, known_format, table_name
from onesided._files._whole import check_size, read_table
from onesided.exceptions import TableError


def read_rows(
    path: Path,
    *,
    delimiter: str | None = None,
    as_text: Collection[str] = (),
    at_least: int = 2,
    like: pa.Schema | None = None,
) -> Rows:
    """Read a table, reference records, text files or a file of svmlight's format into memory.

    Parameters
    ----------
    path : as for `read_table`; or a .ris, .nbib or .bib file, or a folder of such, whose rows are
        the records, each once; or a folder of text files, a row a file with columns `document`, its
        name, `text`, and `folder` where there are sub-folders; or a .svm, .svmlight, .libsvm or
        .dat file, with columns `label` and `features`
    delimiter, as_text, at_least, like : as for `read_table`

    Raises
    ------
    TableError : if there is no such file, it cannot be read, or is larger than the memory of the
        machine
    """
    form, members = _form_of(path)
    if form is None:
        return Rows(
            read_table(path, delimiter=delimiter, as_text=as_text, at_least=at_least, like=like)
        )
    check_size(path, members)
    rows = form.rows(path, members)
    if rows.data.num_rows < at_least:
        raise TableError(
            f"{str(path)!r} has 1 {form.noun}.",
            "At least two positive rows and two unlabeled rows are needed.",
        )
    return rows


def as_table(path: Path, folder: Path) -> tuple[Path, int]:
    """A table that can be read in batches: the path itself, or what is read from it as Parquet.

    Parameters
    ----------
    path : as for `read_rows`
    folder : to write into

    Returns
    -------
    path : of the table
    n_merged : records that were left out, since another is the same

    Raises
    ------
    TableError : as for `read_rows`
    """
    if _form_of(path)[0] is None:
        return path, 0
    rows = read_rows(path, at_least=1)
    written = folder / f"{table_name(path)}.parquet"
    pq.write_table(rows.data, written)
    return written, rows.n_merged


def has_parts(folder: Path) -> bool:
    """Whether a folder holds parts of a table or reference records, rather than text files."""
    return any(_form_of_name(member, in_folder=True) for member in folder.iterdir())


def _form_of(path: Path) -> tuple[Format | None, Sequence[Path]]:
    """The format that reads all files at once, and the files; a table finds its own."""
    if not path.is_dir():
        form = known_format(path) if path.is_file() else None
        return (form if form and form.form != "table" else None), [path]
    members = files_below(path)
    by_form: dict[str, list[Path]] = {}
    for member in members:
        by_form.setdefault(_form_of_name(member, in_folder=True), []).append(member)
    known = [form for form in by_form if form]
    if len(known) > 1:
        raise TableError(
            f"The folder {str(path)!r} mixes formats: "
            f"{', '.join(sorted({by_form[form][0].suffix for form in known}))}.",
            "Keep the files of one table in a folder of their own.",
        )
    found = known[0] if known else "documents" if members else "table"
    if found == "table":
        return None, members
    return next(each for each in FORMATS if each.form == found), by_form[known[0] if known else ""]


def _form_of_name(path: Path, *, in_folder: bool = False) -> str:
    """Form of a file by its name; empty is text in a folder."""
    found = known_format(path, in_folder=in_folder)
    hidden = path.name.startswith((".", "_")) and found and found.form == "table"
    return "" if found is None or hidden else found.form
