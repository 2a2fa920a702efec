"""Running Substrait plans, and what both sides of a comparison read: small tables, and those of TPC-H."""
import datetime
import decimal
import importlib.util
import io
import os
import pathlib
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from program import BINARY

TPCH_TABLES = ["customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier"]


def run(plan, tables, code=0):
    """The rows of a serialized plan over {name: file} as an Arrow table; the message when it is to fail."""
    given = ",".join(f"{name}={path}" for name, path in tables.items())
    command = [BINARY, "run", "--format", "substrait.plan.v1", "--output", "arrow", "--tables", given, "-"]
    done = subprocess.run(command, input=plan, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == code, done.stderr.decode()
    return pa.ipc.open_stream(io.BytesIO(done.stdout)).read_all() if code == 0 else done.stderr.decode()


def plain(value):
    """Values that compare: numbers by value, text without padding, lists and structs as tuples."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, (int, float, decimal.Decimal)):
        return "nan" if value != value else round(float(value), 9)
    if isinstance(value, str):
        return value.rstrip(" ")
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=None)
    if isinstance(value, list):
        return tuple(plain(v) for v in value)
    if isinstance(value, dict):
        return tuple(plain(v) for v in value.values())
    return value


def rows(table):
    columns = [[plain(v) for v in column.to_pylist()] for column in table.columns]
    return list(zip(*columns)) if columns else [()] * table.num_rows


def unordered(found):
    return sorted(found, key=lambda row: [(v is None, str(v)) for v in row])


def nearly(got, want):
    """Averages are rounded differently, as TPC-H allows (2.1.3.5)."""
    if isinstance(got, float) and isinstance(want, float):
        return abs(got - want) <= max(0.01, 1e-6 * abs(want))
    return got == want


# ---- small tables ----

def small_tables(folder):
    """{name: file} of t, with a column of each kind and NULLs, and u."""
    day, at = datetime.date, datetime.datetime
    t = pa.table({
        "i": pa.array([1, 2, 3, None, -5, 7, 7], pa.int64()),
        "k": pa.array([1, 1, 2, 2, None, 3, 3], pa.int32()),
        "f": pa.array([1.5, -2.5, None, 0.0, 3.25, 1e10, 2.0]),
        "s": pa.array(["a", "Bc", None, "", "d_e%f", "a", "zé"]),
        "d": pa.array([decimal.Decimal(x) if x else None for x in ["1.25", "-3.10", None, "0.00", "99.99", "7.00", "2.50"]],
                      pa.decimal128(10, 2)),
        "dt": pa.array([day(2020, 2, 29), day(1999, 12, 31), None, day(2024, 1, 1), day(1970, 1, 1), day(2020, 2, 29),
                        day(2021, 6, 15)]),
        "ts": pa.array([at(2020, 2, 29, 12, 34, 56, 789000), None, at(1999, 12, 31, 23, 59, 59), at(2024, 1, 1),
                        at(1970, 1, 1), at(2020, 1, 1, 1), at(2021, 6, 15, 8)], pa.timestamp("us")),
        "b": pa.array([True, False, None, True, False, True, None]),
    })
    u = pa.table({
        "k": pa.array([1, 2, 2, 4, None], pa.int32()),
        "v": pa.array(["x", "y", "y2", "z", "n"]),
        "n": pa.array([10, 20, None, 40, 50], pa.int64()),
    })
    tables = {}
    for name, table in {"t": t, "u": u}.items():
        tables[name] = str(pathlib.Path(folder) / f"{name}.parquet")
        pq.write_table(table, tables[name])
    return tables


# ---- TPC-H ----

def tpch_tables(folder, scale="0.01"):
    tool = pathlib.Path(sys.executable).parent / "tpchgen-cli"
    subprocess.run([str(tool), "parquet", "-s", scale, "--output-dir", str(folder)], check=True)
    return {name: str(pathlib.Path(folder) / f"{name}.parquet") for name in TPCH_TABLES}


def duckdb_over(tables):
    """DuckDB with the tables as views, and TPC-H's queries in it."""
    import duckdb

    con = duckdb.connect(config={"allow_unsigned_extensions": True})
    package = importlib.util.find_spec("duckdb_extension_tpch").submodule_search_locations[0]
    con.execute(f"load '{package}/extensions/v{duckdb.__version__}/tpch.duckdb_extension'")
    for name, path in tables.items():
        con.execute(f"create view {name} as select * from '{path}'")
    return con


def tpch_queries(con):
    return dict(con.execute("select query_nr, query from tpch_queries()").fetchall())


def check_tpch(con, query, plan, tables):
    """The plan gives what DuckDB gives for the query."""
    got = rows(run(plan, tables))
    want = [tuple(plain(v) for v in row) for row in con.execute(query).fetchall()]
    assert len(got) == len(want)
    for found, expected in zip(got, want):
        assert len(found) == len(expected) and all(map(nearly, found, expected)), (found, expected)
