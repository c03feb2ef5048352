"""A model as nested descriptions of its parts; each array is a file of bytes beside them.

This is the format of skops: a description (a node) names a class and a loader. Only the loaders
that are listed here are known. Only names in `PARTS`, `FUNCTIONS` and `_TYPES` are imported.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pkgutil import resolve_name
from types import FunctionType, NoneType
from typing import Any, ClassVar, TypeAlias

import numpy as np

from onesided.scoring._model_parts import (
    FUNCTIONS,
    PARTS,
    TREE,
    TREE_ARGUMENTS,
    check_part,
    class_of,
    is_derived,
    made_part,
)

Node: TypeAlias = dict[str, Any]

_PLAIN = (bool, float, int, str)
_SLICE = ("start", "stop", "step")
_NUMPY = {
    f"numpy.{name}": getattr(np, name)
    for name in (
        *(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)),
        *("float32", "float64", "bool"),
    )
}
_TYPES: Mapping[str, type] = {**{f"builtins.{each.__name__}": each for each in _PLAIN}, **_NUMPY}
_VERSION = "_sklearn_version"  # not written for each object, because the header has the version


class UnknownPartError(ValueError):
    """A model holds a part that no model of onesided needs; the text is the name of the part."""


@dataclass
class NodeWriter:
    """Writes the parts of a model as descriptions.

    A part that model files must not hold raises an `UnknownPartError` or a `PartError`.

    Attributes
    ----------
    files : content of the file of each array, by name
    """

    files: dict[str, bytes] = field(default_factory=dict)

    def write(self, value: Any) -> Node:
        """The description of a part of a model, or of a value in a field."""
        describe = self._by_type.get(type(value), self._by_type[object])
        return describe(self, value)

    def _all(self, values: Iterable[Any]) -> list[Node]:
        return [self.write(each) for each in values]

    def _plain(self, value: Any) -> Node:
        return _node("JsonNode", "builtins.str", content=json.dumps(value), is_json=True)

    def _list(self, values: list[Any]) -> Node:
        return _node("ListNode", "builtins.list", content=self._all(values))

    def _tuple(self, values: tuple[Any, ...]) -> Node:
        return _node("TupleNode", "builtins.tuple", content=self._all(values))

    def _dict(self, values: dict[Any, Any]) -> Node:
        content = dict(zip(values, self._all(values.values()), strict=True))
        if all(type(key) is str for key in values):
            return _node("DictNode", "builtins.dict", content=content)
        types = self.write([*map(type, values)])
        return _node("DictNode", "builtins.dict", content=content, key_types=types)

    def _slice(self, value: slice) -> Node:
        ends = {name: getattr(value, name) for name in _SLICE}
        return _node("SliceNode", "builtins.slice", content=ends)

    def _array(self, value: Any) -> Node:
        if value.dtype == object:
            content, shape = self._all(value.ravel()), self.write(value.shape)
            return _node("NdArrayNode", "numpy.ndarray", type="json", content=content, shape=shape)
        held = io.BytesIO()
        np.save(held, value, allow_pickle=False)
        name = f"{len(self.files)}.npy"
        self.files[name] = held.getvalue()
        return _node("NdArrayNode", f"numpy.{type(value).__name__}", type="numpy", file=name)

    def _dtype(self, value: Any) -> Node:
        return _node("DTypeNode", "numpy.dtype", content=self.write(np.empty(0, value)))

    def _type(self, value: type) -> Node:
        name = f"{value.__module__}.{value.__qualname__}"
        if name not in _TYPES:
            raise UnknownPartError(name)
        return _node("TypeNode", name)

    def _function(self, value: Any) -> Node:
        if value not in _functions():
            raise UnknownPartError(f"{value.__module__}.{value.__qualname__}")
        return _node("FunctionNode", _functions()[value])

    def _part(self, value: Any) -> Node:
        kind = type(value)
        name = _names().get(kind)
        if name is None:
            raise UnknownPartError(f"{kind.__module__}.{kind.__qualname__}")
        if name == TREE:
            _, arguments, state = value.__reduce__()
            check_part(name, {**dict(zip(TREE_ARGUMENTS, arguments, strict=True)), **state})
            reduced = {"args": self.write(arguments)}
            return _node("TreeNode", name, __reduce__=reduced, content=self.write(state))
        state = value.__getstate__()
        fields = {key: state[key] for key in state if key != _VERSION and not is_derived(name, key)}
        content = self.write(fields)
        check_part(name, fields)
        return _node("ObjectNode", name, content=content)

    _by_type: ClassVar[Mapping[type, Callable[[NodeWriter, Any], Node]]] = {
        **dict.fromkeys((*_PLAIN, NoneType), _plain),
        **dict.fromkeys((np.ndarray, *_NUMPY.values()), _array),
        **dict.fromkeys([type(np.dtype(each)) for each in _NUMPY.values()], _dtype),
        list: _list,
        tuple: _tuple,
        dict: _dict,
        slice: _slice,
        type: _type,
        FunctionType: _function,
        object: _part,
    }


@dataclass
class NodeReader:
    """Makes the parts of a model from their descriptions.

    A part that model files must not hold raises an `UnknownPartError` or a `PartError`.

    Attributes
    ----------
    read : function that returns the content of a file by its name
    is_old : True if names contain private modules of an older version; then only the last part of
        a name is compared
    """

    read: Callable[[str], bytes]
    is_old: bool = False

    def make(self, node: Node) -> Any:
        """The value that a description describes."""
        name, make = self._known(node)
        return make(self, node, name)

    def _known(self, node: Node) -> tuple[str, Callable[..., Any]]:
        """The name in a description, and the function that makes the value.

        Raises
        ------
        UnknownPartError : if the name or the loader is not known
        """
        known, make = self._by_loader.get(node["__loader__"], ((), None))
        name = f"{node['__module__']}.{node['__class__']}"
        if self.is_old and name not in known:
            last = name.rpartition(".")[2].lstrip("_")
            name = next((each for each in known if each.rpartition(".")[2] == last), name)
        if make is None or name not in known:
            raise UnknownPartError(name)
        return name, make

    def _all(self, nodes: Iterable[Node]) -> list[Any]:
        return [self.make(each) for each in nodes]

    def _plain(self, node: Node, _: str) -> Any:
        found = json.loads(node["content"])
        if not isinstance(found, str | int | float | None):
            raise TypeError
        return found

    def _list(self, node: Node, _: str) -> list[Any]:
        return self._all(node["content"])

    def _tuple(self, node: Node, _: str) -> tuple[Any, ...]:
        return tuple(self._all(node["content"]))

    def _dict(self, node: Node, _: str) -> dict[Any, Any]:
        content = node["content"]
        types = self.make(node["key_types"]) if "key_types" in node else [str] * len(content)
        found = {
            kind(key): self.make(content[key]) for kind, key in zip(types, content, strict=True)
        }
        if len(found) < len(content):
            raise ValueError
        return found

    def _slice(self, node: Node, _: str) -> slice:
        return slice(*(node["content"][name] for name in _SLICE))

    def _array(self, node: Node, name: str) -> Any:
        if node["type"] == "json":
            found = np.empty(len(node["content"]), dtype=object)
            found[:] = self._all(node["content"])
            return found.reshape(self.make(node["shape"]))
        file = io.BytesIO(self.read(node["file"]))
        found = np.lib.format.read_array(file, allow_pickle=False)
        return found if name == "numpy.ndarray" else _TYPES[name](found[()])

    def _dtype(self, node: Node, _: str) -> Any:
        return self.make(node["content"]).dtype

    def _type(self, _: Node, name: str) -> type:
        return _TYPES[name]

    def _function(self, _: Node, name: str) -> Any:
        return resolve_name(FUNCTIONS[name])

    def _tree(self, node: Node, name: str) -> Any:
        arguments = self.make(node["__reduce__"]["args"])
        fields = dict(zip(TREE_ARGUMENTS, arguments, strict=True))
        return made_part(name, {**fields, **self.make(node["content"])})

    def _part(self, node: Node, name: str) -> Any:
        self._known(node["content"])
        fields = node["content"]["content"]
        kept = [key for key in fields if key != _VERSION and not is_derived(name, key)]
        return made_part(name, {key: self.make(fields[key]) for key in kept})

    _by_loader: ClassVar[Mapping[str, tuple[Collection[str], Callable[..., Any]]]] = {
        "JsonNode": (["builtins.str"], _plain),
        "ListNode": (["builtins.list"], _list),
        "TupleNode": (["builtins.tuple"], _tuple),
        "DictNode": (["builtins.dict"], _dict),
        "SliceNode": (["builtins.slice"], _slice),
        "NdArrayNode": (["numpy.ndarray", *_NUMPY], _array),
        "DTypeNode": (["numpy.dtype"], _dtype),
        "TypeNode": (_TYPES, _type),
        "FunctionNode": (FUNCTIONS, _function),
        "TreeNode": ([TREE], _tree),
        "ObjectNode": ([*{*PARTS} - {TREE}], _part),
    }
    """For each loader, the names that it may load, and the function that makes the value."""


def _node(loader: str, name: str, **more: Any) -> Node:
    module, _, last = name.rpartition(".")
    return {"__class__": last, "__module__": module, "__loader__": loader, **more}


@cache
def _functions() -> dict[Any, str]:
    return {resolve_name(place): name for name, place in FUNCTIONS.items()}


@cache
def _names() -> dict[type, str]:
    return {class_of(name): name for name in PARTS}
