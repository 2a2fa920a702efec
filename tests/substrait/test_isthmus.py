"""Plans of Isthmus, Substrait's own translator of SQL: all of TPC-H."""
import os
import pathlib
import re
import subprocess

import pytest

import plans

# Columns that are CHAR in TPC-H: fixedchar values, whose literals come padded.
FIXED = {"p_mfgr", "p_brand", "p_container", "s_name", "s_phone", "c_phone", "c_mktsegment", "o_orderstatus",
         "o_orderpriority", "l_returnflag", "l_linestatus", "l_shipinstruct", "l_shipmode", "n_name", "r_name"}


def column_ddl(con, table, name, kind):
    if kind != "VARCHAR":
        return f"{name} {kind}"
    length = con.execute(f"select max(length({name})) from {table}").fetchone()[0]
    return f"{name} {'char' if name in FIXED else 'varchar'}({length})"


def table_ddl(con, table):
    columns = con.execute(f"describe {table}").fetchall()
    return f"create table {table} ({', '.join(column_ddl(con, table, c[0], c[1]) for c in columns)});\n"


def for_calcite(query):
    """`value` is a keyword there, and GROUP BY knows no aliases."""
    query = re.sub(r"\bvalue\b", "total_value", query)
    query = re.sub(r"(?i)(group\s+by\s+)supplier_no", r"\1l_suppkey", query)
    return query.strip().rstrip(";")


@pytest.fixture(scope="module")
def translated(tmp_path_factory, duck, queries):
    folder = tmp_path_factory.mktemp("isthmus")
    (folder / "tables.ddl").write_text("".join(table_ddl(duck, table) for table in plans.TPCH_TABLES))
    for number, query in queries.items():
        (folder / f"{number}.sql").write_text(for_calcite(query))
    source = pathlib.Path(__file__).with_name("Isthmus.java")
    subprocess.run(["java", "-cp", os.environ["PT_ISTHMUS"] + "/*", str(source), str(folder)], check=True,
                   stderr=subprocess.DEVNULL)
    return folder


@pytest.mark.parametrize("number", range(1, 23))
def test_tpch(number, translated, duck, queries, tpch):
    plans.check_tpch(duck, queries[number], (translated / f"{number}.bin").read_bytes(), tpch)
