"""Model files with another header than `onesided fit` writes."""

import json
import zipfile

HEADER = "onesided.json"


def change_header(path, target, change):
    """Write a model file anew with its header as `change` leaves it; the target may be the file."""
    with zipfile.ZipFile(path) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    header = json.loads(parts[HEADER])
    change(header)
    parts[HEADER] = json.dumps(header).encode()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in parts.items():
            file.writestr(name, content)
