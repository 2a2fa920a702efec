"""The 22 queries of TPC-H by plans of DataFusion, against DataFusion and DuckDB in process on the same files."""
import os
import pathlib
import subprocess
import sys

import datafusion
import duckdb
import duckdb_extension_tpch
import pytest

import plans

TABLES = ["customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier"]
SCALE = os.environ.get("PT_TPCH_SCALE", "0.01")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tpch")
    program = pathlib.Path(sys.executable).parent / "tpchgen-cli"
    subprocess.run([program, "parquet", "-s", SCALE, "--output-dir", folder], check=True)
    return folder


@pytest.fixture(scope="module")
def duck(files):
    con = duckdb.connect(config={"allow_unsigned_extensions": True})
    folder = pathlib.Path(duckdb_extension_tpch.__file__).parent / "extensions" / f"v{duckdb.__version__}"
    con.execute(f"load '{folder}/tpch.duckdb_extension'")
    for table in TABLES:
        con.execute(f"create view {table} as from '{files}/{table}.parquet'")
    return con


@pytest.fixture(scope="module")
def ctx(files):
    ctx = datafusion.SessionContext()
    for table in TABLES:
        ctx.register_parquet(table, f"{files}/{table}.parquet")
    return ctx


def close(a, b):
    """DuckDB divides decimals as doubles."""
    if isinstance(a, (int, str)) or a is None or b is None or not hasattr(a, "__float__"):
        return a == b
    return abs(float(a) - float(b)) <= 1e-6 * max(1, abs(float(a)))


@pytest.mark.parametrize("number", range(1, 23))
def test_query(ctx, duck, number):
    text = duck.execute("select query from tpch_queries() where query_nr = ?", [number]).fetchone()[0]
    frame = ctx.sql(text.strip().rstrip(";"))
    got = plans.run(frame.optimized_logical_plan().to_bytes())
    want = frame.to_arrow_table()
    assert got.column_names == want.column_names
    assert [plans.plain(f.type) for f in got.schema] == [plans.plain(f.type) for f in want.schema]
    assert plans.listed(got) == plans.listed(want)
    rows = duck.execute(text).fetchall()
    assert len(rows) == got.num_rows
    for mine, theirs in zip(plans.listed(got), rows):
        assert all(close(a, b) for a, b in zip(mine, theirs)), (mine, theirs)
