"""Tables for the plans of DataFusion, as files, and what a plan of it gives here and there."""
import datetime
import decimal
import io
import pathlib
import subprocess
import sys

import datafusion
import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from program import BINARY

FORMAT = "datafusion.logical_plan.v54"


def rows():
    """Forty rows with NULLs, ties and values at the edges."""
    for i in range(40):
        yield {
            "id": i,
            "g": None if i == 39 else "abc"[i % 3],
            "i8": (i % 20) - 10, "i16": 300 * i - 6000, "i32": None if i % 7 == 0 else i * i - 200, "i64": i * 10**12,
            "u8": i, "u16": i * 1000, "u32": i * 10**8, "u64": i * 10**17,
            "f32": i / 4 - 3, "f64": None if i % 11 == 0 else (i - 20) / 8,
            "d": decimal.Decimal(i * 37 - 500).scaleb(-2), "w": decimal.Decimal(i * 10**20 + 7).scaleb(-10),
            "s": None if i % 9 == 0 else ["Apple pie", "banana", "", "cherry%", "Ünïcode", "x_y"][i % 6],
            "b": None if i % 5 == 0 else i % 2 == 0,
            "day": datetime.date(2020, 1, 1) + datetime.timedelta(days=37 * i),
            "ts": datetime.datetime(2021, 3, 4, 5, 6, 7, 890123) + datetime.timedelta(hours=31 * i, seconds=i),
            "l": None if i % 8 == 0 else list(range(i % 4)),
            "st": {"x": i, "y": f"y{i % 4}"},
        }


SCHEMA = pa.schema([
    ("id", pa.int64()), ("g", pa.string()), ("i8", pa.int8()), ("i16", pa.int16()), ("i32", pa.int32()),
    ("i64", pa.int64()), ("u8", pa.uint8()), ("u16", pa.uint16()), ("u32", pa.uint32()), ("u64", pa.uint64()),
    ("f32", pa.float32()), ("f64", pa.float64()), ("d", pa.decimal128(15, 2)), ("w", pa.decimal128(38, 10)),
    ("s", pa.string()), ("b", pa.bool_()), ("day", pa.date32()), ("ts", pa.timestamp("us")),
    ("l", pa.list_(pa.int64())), ("st", pa.struct([("x", pa.int64()), ("y", pa.string())]))])


def context(folder):
    """A session with t (all types), u (few rows, keys with NULL) and mixed (names that are not plain)."""
    folder = pathlib.Path(folder)
    ctx = datafusion.SessionContext()
    tables = {
        "t": pa.Table.from_pylist(list(rows()), SCHEMA),
        "u": pa.table({"k": pa.array(["a", "b", None, "d", "a"]), "n": pa.array([1, 2, 3, None, 5], pa.int32())}),
        "mixed": pa.table({"Key": pa.array([1, 2, 3]), "Value.1": pa.array(["p", "q", "r"])}),
    }
    for name, table in tables.items():
        pq.write_table(table, folder / f"{name}.parquet")
        ctx.register_parquet(name, str(folder / f"{name}.parquet"))
    return ctx


def run(plan, code=0):
    """The result of an encoded plan as an Arrow table, or what portico says against it."""
    done = subprocess.run([BINARY, "run", "--output", "arrow", "--format", FORMAT, "-"], input=plan,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == code, done.stderr.decode()
    return pa.ipc.open_stream(io.BytesIO(done.stdout)).read_all() if code == 0 else done.stderr.decode()


def value(x):
    """Floats to 12 digits, because sines and sums differ in the last ones; NaN equal to itself."""
    if isinstance(x, float):
        return repr(x) if x != x else float(f"{x:.12g}") + 0.0
    if isinstance(x, list):
        return [value(y) for y in x]
    return {k: value(y) for k, y in x.items()} if isinstance(x, dict) else x


def listed(table):
    """Rows as tuples of Python values."""
    columns = [[value(x) for x in column.to_pylist()] for column in table.columns]
    return list(zip(*columns)) if columns else [()] * table.num_rows


UNSIGNED = {"uint8": "int16", "uint16": "int32", "uint32": "int64", "uint64": "int64"}


def plain(type_):
    """A type of DataFusion as the plan has it."""
    text = str(type_).replace("string_view", "string").replace("large_string", "string")
    text = text.replace("timestamp[ns", "timestamp[us").replace("<item:", "<element:")
    for name, wider in UNSIGNED.items():
        text = wider if text == name else text
    return text
