"""Spark SQL lowered to plans of DataFusion: the same answers as on DuckDB, or a refusal by name."""
import json
import math
import os
import pathlib
import subprocess

import pytest

pytest.importorskip("pyspark")

from cluster import PYTHON  # noqa: E402
from serving import Server  # noqa: E402
from test_spark import open_session  # noqa: E402

SCALE = os.environ.get("PT_TPCH_SCALE", "0.01")
HERE = pathlib.Path(__file__).parent
STATEMENTS = [line for line in (HERE / "statements.sql").read_text().splitlines() if not line.startswith("--")]
REFUSAL = "NOT_IN_PORTICO"


@pytest.fixture(scope="module")
def on_cluster(shared_cluster, tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("server"), "--backend", "ballista", "--ballista.schedulers",
                    shared_cluster.address)
    yield server
    problem = server.stop()
    assert not problem, problem


@pytest.fixture(scope="module")
def on_duckdb(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("oracle"))
    yield server
    server.stop()


@pytest.fixture(scope="module")
def spark(on_cluster):
    session = open_session(on_cluster)
    yield session
    session.stop()


# ---- TPC-H


@pytest.fixture(scope="module")
def tpch(spark, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tpch")
    python = pathlib.Path(PYTHON).parent / "python"
    done = subprocess.run([python, HERE / "answers.py", folder, SCALE], check=True, capture_output=True, text=True)
    for path in folder.glob("*.parquet"):
        spark.read.parquet(str(path)).createOrReplaceTempView(path.stem)
    return {number: (text, rows) for number, text, rows in json.loads(done.stdout)}


def near(mine, theirs):
    if isinstance(theirs, float) and mine is not None:
        return math.isclose(float(mine), theirs, rel_tol=1e-6, abs_tol=0.011)
    return mine == theirs or str(mine) == str(theirs)


@pytest.mark.parametrize("number", range(1, 23))
def test_tpch(spark, tpch, number):
    text, want = tpch[number]
    got = [tuple(row) for row in spark.sql(text).collect()]
    assert len(got) == len(want)
    for mine, theirs in zip(got, want):
        assert all(near(a, b) for a, b in zip(mine, theirs)), (mine, theirs)


# ---- statement by statement


def cell(value):
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else f"{value:.12g}"
    return str(value)


def answer(session, sql):
    try:
        rows = [[cell(value) for value in row] for row in session.sql(sql).collect()]
    except Exception as error:  # noqa: BLE001
        return "error", str(error)
    return "rows", rows if " ORDER BY " in sql.rsplit(")", 1)[-1].upper() else sorted(rows)


def test_statements(on_cluster, on_duckdb):
    cluster, oracle = open_session(on_cluster), open_session(on_duckdb)
    refused, wrong = [], []
    for sql in STATEMENTS:
        got, want = answer(cluster, sql), answer(oracle, sql)
        if got[0] == "error" and REFUSAL in got[1]:
            refused.append(sql)
        elif got[0] != want[0] or (got[0] == "rows" and got != want):
            wrong.append((sql, got, want))
    assert not wrong, "\n".join(f"{sql}\n  got  {got}\n  want {want}" for sql, got, want in wrong[:20])
    assert len(refused) < len(STATEMENTS) // 20, refused


# ---- writing


def test_written_files_are_sparks(spark, tmp_path):
    rows = spark.sql("select * from values (1, 'a', date'2020-01-01', 1.50), (2, '', null, 2.5), (3, null, null, null) "
                     "t(v, k, d, n)")
    rows.write.partitionBy("k").parquet(str(tmp_path / "p"))
    assert {path.name for path in (tmp_path / "p").glob("k=*")} == {"k=__HIVE_DEFAULT_PARTITION__", "k=a"}
    got = spark.read.parquet(str(tmp_path / "p")).selectExpr("v", "k", "cast(d as string)", "cast(n as string)").collect()
    assert sorted(map(tuple, got)) == [(1, "a", "2020-01-01", "1.50"), (2, None, None, "2.50"), (3, None, None, None)]
    rows.select("v", "d", "n").write.option("header", True).csv(str(tmp_path / "c"))
    text = "".join(path.read_text() for path in (tmp_path / "c").glob("*.csv"))
    assert text == "v,d,n\n1,2020-01-01,1.50\n2,,2.50\n3,,\n"
    rows.select("v", "k", "d").write.json(str(tmp_path / "j"))
    text = "".join(path.read_text() for path in (tmp_path / "j").glob("*.json"))
    assert text == '{"v":1,"k":"a","d":"2020-01-01"}\n{"v":2,"k":""}\n{"v":3}\n'
    with pytest.raises(Exception, match="the type string to files of the format csv"):
        rows.write.csv(str(tmp_path / "no"))
