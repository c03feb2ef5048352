"""Every type of Arrow as feature, label and identifier: read, left out or refused in a sentence.

`ONESIDED_EXAMPLES=1 pytest tests/files/test_arrow_types.py` runs all of them through a whole
ranking and a model; without it some of them.
"""

import contextlib
import inspect
import uuid
from decimal import Decimal
from itertools import product

import numpy as np
import pandas as pd
import pandas.core.arrays.arrow.extension_types as of_pandas
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow.feather import write_feather

from fuzzing import EXAMPLES
from onesided import PositiveNaiveBayes, rank_table
from onesided._files._marks import plain_cells
from onesided._files._names import is_single, plain_type, texts_of
from onesided._files._passes import FileTable
from onesided.exceptions import OnesidedError, TableError
from onesided.scoring import fit_table, score_table
from onesided.tables import read_problem, read_table, write_table
from onesided.tables._features import feature_matrices

N_ROWS = 40
FAR = 3_000_000  # days after 1970: the year 10183
pytestmark = pytest.mark.filterwarnings("ignore::onesided.exceptions.OnesidedWarning")


class Strange(pa.ExtensionType):
    """A type that nobody has registered."""

    def __init__(self):
        super().__init__(pa.int32(), "strange.type")

    def __arrow_ext_serialize__(self):
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type, serialized):
        return cls()


def leaf_types():
    """What the functions of Arrow that make types give without arguments, or for each unit."""
    for name in (each.removeprefix("is_") for each in dir(pa.types)):
        for arguments in ((), ("s",), ("ms",), ("us",), ("ns",)):
            with contextlib.suppress(TypeError, ValueError):
                if isinstance(found := getattr(pa, name, str)(*arguments), pa.DataType):
                    yield found


def all_types():
    leaves = list(leaf_types())
    leaves += [pa.bool_(), pa.uuid(), pa.json_(), pa.bool8(), pa.month_day_nano_interval()]
    leaves += [pa.timestamp("us", "Europe/Berlin"), pa.binary(16), pa.binary(3)]
    for make, digits in zip(
        (pa.decimal32, pa.decimal64, pa.decimal128, pa.decimal256), (9, 18, 38, 76), strict=True
    ):
        leaves += [make(digits, 2), make(digits, 0)]
    fields = [pa.field("a", pa.int32()), pa.field("b", pa.string())]
    nested = [
        *(make(pa.int16()) for make in (pa.list_, pa.large_list, pa.list_view, pa.large_list_view)),
        *(pa.list_(pa.uuid(), 2), pa.list_(pa.float32(), 3), pa.struct(fields)),
        *(pa.map_(pa.string(), pa.int8()), pa.map_(pa.int32(), pa.float64())),
        *(pa.dense_union(fields), pa.sparse_union(fields)),
        *(pa.fixed_shape_tensor(pa.int32(), (2, 2)), pa.opaque(pa.binary(), "point", "vendor")),
        *(pa.opaque(pa.int32(), "number", "vendor"), Strange(), of_pandas.ArrowPeriodType("M")),
        of_pandas.ArrowIntervalType(pa.float64(), "right"),
    ]
    simple = [*leaves, *nested]
    dictionaries = [pa.dictionary(pa.int16(), each) for each in simple]
    runs = [pa.run_end_encoded(pa.int32(), each) for each in simple]
    return [*simple, *dictionaries, *runs]


def storage_of(kind, codes):
    """Cells of a type of time, which is a number of units."""
    far = FAR * (1 if pa.types.is_date32(kind) else 86_400)
    scale = {"s": 1, "ms": 1000, "us": 10**6, "ns": 10**9}.get(getattr(kind, "unit", "ms"), 1000)
    size = 1 if pa.types.is_date32(kind) else 86_400_000 if pa.types.is_date64(kind) else scale
    is_time, is_ns = pa.types.is_time(kind), getattr(kind, "unit", "") == "ns"
    largest = 1000 if is_time or is_ns else far // (86_400 if pa.types.is_date64(kind) else 1)
    numbers = [None if code is None else (largest if code == 1 else code) * size for code in codes]
    return pa.array(numbers, pa.int32() if kind.bit_width == 32 else pa.int64()).view(kind)


def cells(kind, codes):
    """An array of a type whose cells differ as the codes do; None is missing where that can be."""
    t = pa.types
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, cells(kind.storage_type, codes))
    if t.is_dictionary(kind):
        values = [code for code in dict.fromkeys(codes) if code is not None]
        places = [None if code is None else values.index(code) for code in codes]
        return pa.DictionaryArray.from_arrays(
            pa.array(places, kind.index_type), cells(kind.value_type, values)
        )
    if t.is_run_end_encoded(kind):
        ends = pa.array(range(1, len(codes) + 1), kind.run_end_type)
        return pa.RunEndEncodedArray.from_arrays(ends, cells(kind.value_type, codes))
    if t.is_fixed_size_list(kind):
        inner = [code for code in codes for _ in range(kind.list_size)]
        return pa.FixedSizeListArray.from_arrays(
            cells(kind.value_type, inner), type=kind, mask=pa.array([c is None for c in codes])
        )
    if t.is_union(kind):
        ints, texts = (cells(kind.field(at).type, [c or 0 for c in codes]) for at in (0, 1))
        kinds = pa.array([0] * len(codes), pa.int8())
        if kind.mode == "sparse":
            return pa.UnionArray.from_sparse(kinds, [ints, texts], ["a", "b"])
        places = pa.array(range(len(codes)), pa.int32())
        return pa.UnionArray.from_dense(kinds, places, [ints, texts], ["a", "b"])
    if t.is_temporal(kind) and not t.is_interval(kind):
        return storage_of(kind, codes)
    return pa.array([None if code is None else value_of(kind, code) for code in codes], kind)


def value_of(kind, code):
    t = pa.types
    if t.is_boolean(kind):
        return bool(code % 2)
    if t.is_floating(kind):
        return np.float16(code) if t.is_float16(kind) else float(code)
    if t.is_decimal(kind):
        return Decimal(code)
    if t.is_fixed_size_binary(kind):
        return bytes([code]) * kind.byte_width
    if t.is_binary(kind) or t.is_large_binary(kind) or t.is_binary_view(kind):
        return b"\xff%d" % code
    if t.is_struct(kind):
        return {each.name: value_of(each.type, code) for each in kind}
    if t.is_map(kind):
        return [(value_of(kind.key_type, code), value_of(kind.item_type, code))]
    if t.is_nested(kind):
        return [value_of(kind.value_type, code)] * 2
    if t.is_interval(kind):
        return (0, code, 0)
    if t.is_null(kind):
        return None
    return str(code) if not t.is_integer(kind) else code


TYPES = all_types()
NAMES = [str(each).replace("\n", " ") for each in TYPES]
PLAIN = (pa.int64(), pa.string(), pa.bool_())
OFTEN = (*PLAIN, pa.float32(), pa.date32())
SAMPLE = TYPES if EXAMPLES else TYPES[::31]
NAME_OF = {"feature": "odd", "label": "known", "identifier": "id"}


def table_with(kind, role):
    """A table with a column of this type, in two chunks, of which one is a slice."""
    codes = {
        "feature": [None if n == 5 else n % 4 for n in range(N_ROWS)],
        "label": [int(n < 12) for n in range(N_ROWS)],
        "identifier": list(range(N_ROWS)),
    }[role]
    odd = pa.chunked_array([cells(kind, [0, *codes[:9]])[1:], cells(kind, codes[9:])], kind)
    beside = {
        "size": np.arange(N_ROWS) % 13 / 4,
        "known": [int(n < 12) for n in range(N_ROWS)],
        "id": [f"r{n}" for n in range(N_ROWS)],
    }
    return pa.table(beside | {NAME_OF[role]: odd})


def doors(table, folder):
    """The table as it is, in Feather, and in Parquet if Parquet has the type."""
    yield table
    with pa.ipc.new_stream(folder / "t.arrow", table.schema) as writer:
        writer.write_table(table)
    yield folder / "t.arrow"
    with contextlib.suppress(pa.ArrowException, OSError):
        pq.write_table(table, folder / "t.parquet")
        yield folder / "t.parquet"


def test_every_type_of_arrow_is_here():
    """Two kinds of intervals are known to Arrow, but nothing in Python makes them."""
    ids = {name: getattr(pa.lib, name) for name in dir(pa.lib) if name.startswith("Type_")}
    lacking = {name for name, number in ids.items() if number not in {each.id for each in TYPES}}
    assert lacking == {"Type_INTERVAL_MONTHS", "Type_INTERVAL_DAY_TIME"}
    classes = [each for _, each in inspect.getmembers(pa.lib, inspect.isclass)]
    extensions = {each for each in classes if issubclass(each, pa.BaseExtensionType)}
    extensions -= {pa.BaseExtensionType, pa.ExtensionType, pa.UnknownExtensionType}
    assert extensions <= {type(each) for each in TYPES}


@pytest.mark.parametrize("kind", TYPES, ids=NAMES)
def test_every_type_is_read_left_out_or_refused(kind, tmp_path):
    is_of_durations = pa.types.is_dictionary(kind) and pa.types.is_duration(kind.value_type)
    for role, name in NAME_OF.items():
        here, of_arrow, *of_parquet = (
            outcome(door, name) for door in doors(table_with(kind, role), tmp_path)
        )
        assert of_arrow in (here, NOT_READ)
        if is_of_durations and role == "feature":
            here = ("size", "odd")  # Parquet keeps only their integers
        assert of_parquet in ([], [here], [NOT_READ])


NOT_READ = "Arrow itself writes this type into such a file and does not read it"


def outcome(door, name, **asked):
    """The columns that are learned from, or "refused"."""
    try:
        problem = read_problem(door, "known", **(asked or {"identifier": "id"}))
    except OnesidedError as error:
        if " cannot be read as " in (said := str(error)):
            return NOT_READ
        is_named = repr(name) in said
        return "refused" if is_named and "\n" not in said else said
    feature_matrices(problem.data, problem.summary)
    return tuple(problem.summary.used)


@pytest.mark.parametrize("kind", TYPES, ids=NAMES)
def test_a_column_that_is_dropped_is_never_refused(kind, tmp_path):
    for door in doors(table_with(kind, "feature"), tmp_path):
        assert outcome(door, "odd", drop=["odd", "id"]) in (("size",), NOT_READ)


@pytest.mark.parametrize("kind", TYPES, ids=NAMES)
def test_cells_keep_their_values(kind):
    plain = plain_type(kind)
    odd = cells(kind, [2, None, 3, 2])
    found = plain_cells("odd", pa.chunked_array([odd[:1], odd[1:]]), None)
    assert found.type == plain
    assert plain_type(plain) == plain
    right = odd.to_pylist()
    if isinstance(right[0], uuid.UUID):
        right = [each and str(each) for each in right]
    assert [each == right[at] for at, each in enumerate(found.to_pylist())], (found, right)


@pytest.mark.parametrize("read", [read_table, FileTable])
def test_damaged_cells_of_feather_are_found(read, tmp_path):
    """Arrow itself would read beyond the end of the file."""
    table = pa.table({"t": ["abc"] * 90})
    with pa.ipc.new_file(tmp_path / "t.arrow", table.schema) as writer:
        writer.write_table(table)
    ends = np.arange(91, dtype=np.int32) * 3
    content = (tmp_path / "t.arrow").read_bytes()
    assert content.count(ends.tobytes()) == 1
    damaged = np.where(ends > 99, ends + 10**9, ends)
    (tmp_path / "t.arrow").write_bytes(content.replace(ends.tobytes(), damaged.tobytes()))
    with pytest.raises(TableError, match=r"'t\.arrow' cannot be read as feather"):
        read(tmp_path / "t.arrow")


def fails(call):
    """What an error of ours says on one line; empty if there is none."""
    try:
        call()
    except OnesidedError as error:
        said = str(error)
        return said if said and "\n" not in said else f"no sentence: {said!r}"
    return ""


@pytest.mark.parametrize(
    ("kind", "role"),
    list(product([*OFTEN, *(each for each in SAMPLE if each not in OFTEN)], NAME_OF)),
    ids=lambda each: str(each).replace("\n", " "),
)
def test_types_go_through_rankings_and_models(kind, role, tmp_path):
    """Also as a category, where this type can be one, and in passes over the file."""
    name, plain = NAME_OF[role], plain_type(kind)
    asked = {"identifier": "id", "methods": ["naive-bayes"]}

    def rank(door):
        ranking = rank_table(door, "known", **asked).table
        assert sorted(ranking["rank"].to_pylist()) == [*range(1, N_ROWS - 12 + 1)]
        write_table(ranking, tmp_path / "r.csv")

    def fit(door, **more):
        model = fit_table(door, "known", **asked, **more)
        score_table(model, door, tmp_path / "s.csv")
        scores = read_table(tmp_path / "s.csv")["score"].to_numpy()
        assert len(scores) == N_ROWS
        assert np.isfinite(scores).all()

    for door in doors(table_with(kind, role), tmp_path):
        found = outcome(door, name)
        assert kind not in PLAIN or isinstance(found, tuple)
        for said in (fails(lambda: rank(door)), fails(lambda: fit(door))):  # noqa: B023 - at once
            assert bool(said) == isinstance(found, str), said
            assert found != "refused" or repr(name) in said
        if role == "feature" and found != NOT_READ:
            of_odd = {"categorical": ["odd"]}
            said = fails(lambda: fit(door, **of_odd))  # noqa: B023 - at once
            if isinstance(outcome(door, name, identifier="id", **of_odd), str):
                assert repr(name) in said
            else:
                assert said == ""
        learned = fails(lambda: PositiveNaiveBayes(0.3).fit(door, "known"))  # noqa: B023 - at once
        if role == "label" and (not is_single(plain) or pa.types.is_null(plain)):
            assert learned
        elif is_single(plain) and not pa.types.is_temporal(plain) and found != NOT_READ:
            assert learned == ""


def test_farthest_times_are_told_apart_by_their_numbers(tmp_path):
    """Arrow writes no text for them, so the text is the number."""
    n = np.arange(N_ROWS)
    at = pa.array(2**60 + n).view(pa.timestamp("s"))
    table = pa.table({"at": at, "a": n % 7, "known": (n % 4 == 0).astype(int)})
    write_feather(table, tmp_path / "t.arrow")
    found = rank_table(tmp_path / "t.arrow", "known", identifier="at", methods=["naive-bayes"])
    write_table(found.table, tmp_path / "r.csv")
    written = pd.read_csv(tmp_path / "r.csv", dtype=str)["at"]
    assert {*map(int, written)} == {2**60 + each for each in n.tolist() if each % 4}
    assert texts_of(at)[:2] == [str(2**60), str(2**60 + 1)]


def test_a_date_that_should_be_a_number_is_shown_as_it_is_written(tmp_path):
    days = [f"2020-01-{day:02}" for day in range(1, 31)]
    table = pd.DataFrame({"day": days, "a": range(30), "known": [1, 0, 0] * 10})
    table.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(TableError, match=r"values, such as .?2020-01-01.?, not numbers"):
        rank_table(tmp_path / "t.csv", "known", number=["day"])
