"""JSON files that onesided wrote: configs, manifests, the data of reports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from onesided._text import first_line
from onesided.exceptions import TableError


def read_json(path: Path, what: str, mend: str) -> Any:
    """The content of a JSON file.

    Parameters
    ----------
    path : path of the file
    what : name of the kind of file for an error text, for example "The config file"
    mend : sentence for an error text that says what to do if the file cannot be read

    Raises
    ------
    TableError : if the file does not exist, or if it is not JSON

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from onesided.formats import read_json
    >>> path = Path(tempfile.mkdtemp()) / "config.json"
    >>> _ = path.write_text('{"positive": "known"}')
    >>> read_json(path, "The config file", "Pass a file that exists.")
    {'positive': 'known'}
    """
    problem = f"{what} {str(path)!r}"
    if path.exists() and not path.is_file():  # reading a pipe would wait forever
        raise TableError(f"{problem} is not an ordinary file.", mend)
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
        json.dumps(content, ensure_ascii=False).encode()  # fails if half a character is escaped
    except OSError as error:
        raise TableError(f"{problem} cannot be read: {error.strerror}.", mend) from error
    except (ValueError, RecursionError) as error:
        raise TableError(f"{problem} is not valid JSON: {first_line(error)}.", mend) from error
    return content
