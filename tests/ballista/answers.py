"""TPC-H for the tests of lowering: answers.py FOLDER SCALE writes the tables and, as JSON, the queries and DuckDB's answers."""
import datetime
import decimal
import json
import pathlib
import subprocess
import sys

import duckdb
import duckdb_extension_tpch


def plain(value):
    if isinstance(value, decimal.Decimal):
        return float(value)
    return value.isoformat() if isinstance(value, datetime.date) else value


folder, scale = pathlib.Path(sys.argv[1]), sys.argv[2]
program = pathlib.Path(sys.executable).parent / "tpchgen-cli"
subprocess.run([program, "parquet", "-s", scale, "--output-dir", folder], check=True, stdout=subprocess.DEVNULL)
con = duckdb.connect(config={"allow_unsigned_extensions": True})
extension = pathlib.Path(duckdb_extension_tpch.__file__).parent / "extensions" / f"v{duckdb.__version__}"
con.execute(f"load '{extension}/tpch.duckdb_extension'")
for path in folder.glob("*.parquet"):
    con.execute(f"create view {path.stem} as from '{path}'")
queries = con.execute("select query_nr, query from tpch_queries() order by 1").fetchall()
json.dump([[number, text.strip().rstrip(";"), [[plain(v) for v in row] for row in con.execute(text).fetchall()]]
           for number, text in queries], sys.stdout)
