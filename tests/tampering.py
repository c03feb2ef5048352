"""Model files that someone changed: any number, text, array, part, name or byte of them.

The changes know nothing of the parts of models: what a new part holds is changed as well.
"""

import collections
import contextlib
import copy
import io
import json
import struct
import warnings
import zipfile

import numpy as np

from model_files import HEADER, SCHEMA, entries, nodes, places

SCALARS = (
    *("null", "true", "0", "-1", "2", "NaN", "Infinity", "1e308", str(10**9), str(10**30), "[[]]"),
    *('""', '"filename"', '"file"', '"(a+)+$"', '"/etc/passwd"', '"rbf"', '"drop"', '"\\u0000"'),
)
NAMES = (
    *("os.system", "builtins.eval", "builtins.open", "subprocess.Popen", "numpy.load"),
    *("sklearn.preprocessing.FunctionTransformer", "sklearn.pipeline.Pipeline", "numpy.float64"),
    *("onesided.kept.plain_text", "onesided.PUBagging", "sklearn.tree._tree.Tree", "numpy.dtype"),
)
LOADERS = ("MethodNode", "PartialNode", "OperatorFuncNode", "ConstructorFromReduceNode", "x")
HEADERS = (
    *(None, True, -1, 0, 1, 10**30, 0.5, float("nan"), "x", "", [], {}, "number", "category"),
    *("text", "sparse", "int64", "double", "bool", "date32[day]", "dictionary"),
)


def described(path, each):
    """Whether this is the description of something inside the outermost object."""
    return path and isinstance(each, dict) and "__loader__" in each


def draw_place(draw, schema, wanted=described):
    """A place. Those of one class in a field of one name count once, so that words are not all."""
    found = collections.defaultdict(list)
    for path, each in places(schema):
        if wanted(path, each):
            field = [key for key in path if isinstance(key, str) and key != "content"][-1:]
            kind = each.get("__class__") if isinstance(each, dict) else type(each).__name__
            found[str((kind, field))].append(path)
    *way, key = draw.choice(found[draw.choice(sorted(found))])
    for step in way:
        schema = schema[step]
    return schema, key


def scalar(text):
    """The description of a number, a text, True, False or None."""
    name = {"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode"}
    return {**name, "content": text, "is_json": True}


def other_scalar(draw, _, schema, __):
    inside, key = draw_place(draw, schema)
    inside[key] = scalar(draw.choice(SCALARS))


def other_number(draw, _, schema, __):
    """A number or text that differs a little, or much."""

    def plain(path, each):
        return described(path, each) and each["__loader__"] == "JsonNode"

    inside, key = draw_place(draw, schema, plain)
    value = json.loads(inside[key]["content"])
    if isinstance(value, str):
        value = draw.choice([value[:-1], value * 3, value.upper(), f"{value}x", value[::-1]])
    elif value is not None:
        value = draw.choice([value + 1, value - 1, -value, value * 1000, value * 1e300, 1 / 3])
    inside[key] = scalar(json.dumps(value))


def other_part(draw, _, schema, __):
    """A part in the place of another one."""
    (inside, key), (other, name) = draw_place(draw, schema), draw_place(draw, schema)
    inside[key] = copy.deepcopy(other[name])


def no_part(draw, _, schema, __):
    inside, key = draw_place(draw, schema)
    del inside[key]


def one_more_part(draw, _, schema, __):
    (inside, key), (other, name) = draw_place(draw, schema), draw_place(draw, schema)
    if isinstance(inside, list):
        inside.insert(key, copy.deepcopy(other[name]))
    else:
        new = draw.choice(["predict", "transform", "n_jobs", "__class__", "file", f"{key}_"])
        inside[new] = copy.deepcopy(other[name])


def other_name(draw, _, schema, __):
    """The name of a class, or the way of loading it."""
    inside, key = draw_place(draw, schema)
    node = inside[key] if draw.random() < 0.9 else schema
    if draw.random() < 0.4:
        known = [each["__loader__"] for each in nodes(schema)]
        node["__loader__"] = draw.choice([*sorted({*known}), *LOADERS])
    else:
        node["__module__"], _, node["__class__"] = draw.choice(NAMES).rpartition(".")


def other_json(draw, _, schema, __):
    """Any value of the description, as in a damaged file."""
    inside, key = draw_place(draw, schema, lambda path, _: path)
    inside[key] = draw.choice([None, True, -1, 10**30, 0.5, "x", [], {}, [[]], "0.npy", "numpy"])


def other_array(draw, _, __, arrays):
    """Other values, another type, shape or order."""
    name = draw.choice(sorted(arrays))
    given = np.lib.format.read_array(io.BytesIO(arrays[name]))
    kind, flat = given.dtype, np.atleast_1d(given)
    values = flat.ravel().copy()
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if len(values):
            column = values if kind.names is None else values[draw.choice(kind.names)]
            most = draw.choice(
                [-2, -1, 0, 1, 2, 10**6, len(values), np.inf, np.nan, 1e308, -(2**62)]
            )
            column[draw.randrange(len(values))] = np.array(most, np.float64).astype(column.dtype)
        other = draw.choice(["i1", "u8", "f4", "f8", "c16", "U3", "S2", "?", "M8[s]"])
        plain = given if kind.names is None else given["threshold"]
        changed = draw.choice(
            [
                *[values.reshape(given.shape)] * 4,
                *(given.T, flat[::-1], flat[:-1], flat[..., None], np.concatenate([flat, flat])),
                *(np.zeros((0, *given.shape[1:]), kind), np.zeros(10**5), plain.astype(other)),
            ]
        )
    arrays[name] = saved(np.save, changed)


def other_bytes_of_an_array(draw, _, __, arrays):
    """A damaged header, pickled objects, a size that is not there, or another format."""
    name = draw.choice(sorted(arrays))
    content = bytearray(arrays[name])
    content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    size = {"descr": "<f8", "fortran_order": False, "shape": (10 ** draw.randrange(3, 18),)}
    arrays[name] = draw.choice(
        [
            *[bytes(content)] * 3,
            saved(np.lib.format.write_array_header_1_0, size),
            saved(np.save, np.array([print], dtype=object)),
            saved(np.savez, np.zeros(3)),
            arrays[name][: draw.randrange(len(content))],
            arrays[name] * 2,
            b"",
        ]
    )


def saved(write, value):
    held = io.BytesIO()
    write(held, value)
    return held.getvalue()


def swapped_arrays(draw, _, __, arrays):
    one, other = draw.choice(sorted(arrays)), draw.choice(sorted(arrays))
    arrays[one], arrays[other] = arrays[other], arrays[one]


def other_header(draw, header, _, __):
    inside, key = draw_place(draw, header, lambda path, _: path)
    inside[key] = draw.choice(HEADERS)
    if draw.random() < 0.2:
        del inside[key]


CHANGES = (
    *(other_scalar, other_number, other_number, other_part, no_part, one_more_part, other_name),
    *(other_json, other_array, other_array, other_array, other_bytes_of_an_array, swapped_arrays),
    other_header,
)


def other_zip(draw, content):
    """The file itself: cut, longer, or with a directory that lies."""
    fields = {"flags": 8, "method": 10, "checksum": 16, "packed": 20, "size": 24, "place": 42}
    at = content.rindex(b"PK\1\2") + fields[draw.choice(sorted(fields))]
    lie = struct.pack("<I", draw.choice([0, 1, 8, 12, 2**31, 2**32 - 1]))
    flipped = bytearray(content)
    for _ in range(draw.randrange(1, 5)):
        flipped[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    added = io.BytesIO(content)
    added.seek(0, io.SEEK_END)
    with (
        warnings.catch_warnings(),
        zipfile.ZipFile(added, "a", draw.choice([0, 8, 12, 14])) as file,
    ):
        warnings.simplefilter("ignore")  # of a name that is there twice
        name = draw.choice(["../x.npy", "/x.npy", "a/b", "more.npy", SCHEMA, HEADER, "0.npy"])
        file.writestr(name, draw.choice([b"", b"{}", bytes(10**6)]))
    return draw.choice(
        [
            content[: draw.randrange(len(content))],
            content + b"x" * draw.randrange(1, 100_000),
            b"x" * draw.randrange(1, 1000) + content,
            *[content[:at] + lie + content[at + 4 :]] * 3,
            *[bytes(flipped)] * 2,
            *[added.getvalue()] * 2,
        ]
    )


def tampered(draw, path):
    """A changed model file: what was changed, and its content.

    Parameters
    ----------
    draw : a seeded `random.Random`
    path : of a good file
    """
    parts = entries(path)
    header, schema = (json.loads(parts.pop(name)) for name in (HEADER, SCHEMA))
    changes = draw.choices(CHANGES, k=draw.choice([1, 1, 1, 2, 3])) if draw.randrange(10) else []
    for change in changes:
        with contextlib.suppress(Exception):
            change(draw, header, schema, parts)  # an earlier change may have left nothing for it
    texts = {name: json.dumps(each).encode() for name, each in ((HEADER, header), (SCHEMA, schema))}
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in (texts | parts).items():
            file.writestr(name, content)
    if not changes:
        return ["other_zip"], other_zip(draw, held.getvalue())
    return [change.__name__ for change in changes], held.getvalue()
