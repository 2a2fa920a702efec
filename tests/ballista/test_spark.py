"""PySpark on a cluster."""
import os
import signal
import subprocess
import sys
import threading
import time
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytest.importorskip("pyspark")
from pyspark.errors import ArithmeticException, NumberFormatException  # noqa: E402
from pyspark.sql import functions as F  # noqa: E402
from pyspark.sql.connect.session import SparkSession  # noqa: E402

from serving import Server  # noqa: E402


def open_session(server):
    session = SparkSession.builder.remote(server.url).create()
    SparkSession._default_session = session
    SparkSession._active_session.session = session
    return session


@pytest.fixture(scope="module")
def on_cluster(shared_cluster, tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("server"), "--backend", "ballista", "--ballista.schedulers",
                    shared_cluster.address)
    yield server
    problem = server.stop()
    assert not problem, problem


@pytest.fixture
def spark(on_cluster):
    session = open_session(on_cluster)
    yield session
    session.stop()


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "t.parquet"
    pq.write_table(pa.table({"id": pa.array(range(1000), pa.int64()), "k": pa.array([i % 3 for i in range(1000)], pa.int32()),
                             "s": [None if i % 7 == 0 else f"row {i}" for i in range(1000)]}), path)
    return str(path)


def test_a_row_of_constants(spark):
    got = spark.sql("select 1 as a, 'x' as b, cast(1.5 as decimal(10, 2)) as c, cast(null as string) as d").collect()
    assert [tuple(row) for row in got] == [(1, "x", Decimal("1.50"), None)]


def test_files_are_grouped(spark, path):
    grouped = spark.read.parquet(path).groupBy("k").agg(F.count("s").alias("n"), F.sum("id").alias("t")).orderBy("k")
    want = [(k, sum(i % 7 != 0 for i in range(k, 1000, 3)), sum(range(k, 1000, 3))) for k in range(3)]
    assert [tuple(row) for row in grouped.collect()] == want


def test_views_are_joined(spark, path):
    spark.read.parquet(path).createOrReplaceTempView("t")
    got = spark.sql("select count(*) from t a join t b on a.id = b.id + 1 where a.k = 1").collect()
    assert got[0][0] == 333


def test_errors_are_sparks(spark, path):
    with pytest.raises(ArithmeticException, match="DIVIDE_BY_ZERO"):
        spark.read.parquet(path).selectExpr("1 / (id - id)").collect()
    with pytest.raises(NumberFormatException, match="CAST_INVALID_INPUT.*'row 1' of type \"STRING\".*\"INT\""):
        spark.read.parquet(path).where("id = 1").selectExpr("cast(s as int)").collect()


def test_what_a_cluster_cannot_do_is_refused_by_name(spark):
    with pytest.raises(Exception, match="element_at"):
        spark.sql("select element_at(array(1, 2), id) from range(3)").collect()


def test_a_cancelled_query_frees_the_cluster(own_cluster, tmp_path, tmp_path_factory):
    """Within a second: a further query on its only slot is answered at once."""
    cluster = own_cluster(executors=1, slots=1)
    folder = tmp_path_factory.mktemp("many")
    pq.write_table(pa.table({"s": [f"row {i}" for i in range(50000)]}), folder / "0.parquet")
    for i in range(1, 600):
        os.link(folder / "0.parquet", folder / f"{i}.parquet")
    server = Server(tmp_path / "server", "--backend", "ballista", "--ballista.schedulers", cluster.address)
    session = open_session(server)
    turned = F.col("s")
    for _ in range(7):
        turned = F.upper(F.reverse(F.lower(turned)))
    failures = []

    def run():
        try:
            session.read.parquet(str(folder)).select(F.max(turned)).collect()
        except Exception as error:  # noqa: BLE001
            failures.append(error)

    session.read.parquet(str(folder)).limit(1).collect()
    thread = threading.Thread(target=run)
    thread.start()
    time.sleep(1.5)
    assert thread.is_alive(), failures
    begun = time.monotonic()
    assert session.interruptAll()
    thread.join(5)
    assert time.monotonic() - begun < 1.5 and "OPERATION_CANCELED" in str(failures[0])
    assert session.range(3).count() == 3
    assert time.monotonic() - begun < 3
    session.stop()
    problem = server.stop()
    assert not problem, problem


def test_a_slow_reader_gets_all_rows(spark, tmp_path):
    """More than windows and buffers hold; the rest waits on the executors."""
    for i in range(4):
        pq.write_table(pa.table({"s": [f"{i}-{j}-" + "x" * 500 for j in range(20000)]}), tmp_path / f"{i}.parquet")
    rows = spark.read.parquet(str(tmp_path)).toLocalIterator()
    next(rows)
    time.sleep(1)
    assert sum(1 for _ in rows) == 4 * 20000 - 1


def test_the_cluster_explains(spark, path, capsys):
    spark.read.parquet(path).groupBy("k").count().explain()
    text = capsys.readouterr().out
    assert "AggregateExec" in text and "DataSourceExec" in text


def test_files_are_written_by_save_mode(spark, path, tmp_path):
    rows = spark.read.parquet(path)
    target = str(tmp_path / "a folder")
    rows.write.parquet(target)
    assert spark.read.parquet(target).count() == 1000
    assert (tmp_path / "a folder" / "_SUCCESS").exists()
    with pytest.raises(Exception, match="PATH_ALREADY_EXISTS"):
        rows.write.parquet(target)
    rows.write.mode("append").parquet(target)
    assert spark.read.parquet(target).count() == 2000
    rows.where("id < 10").write.mode("overwrite").parquet(target)
    assert sorted(row[0] for row in spark.read.parquet(target).select("id").collect()) == list(range(10))
    rows.write.mode("ignore").parquet(target)
    assert spark.read.parquet(target).count() == 10
    assert [entry.name for entry in tmp_path.iterdir()] == ["a folder"]


def test_a_write_that_fails_leaves_nothing(spark, path, tmp_path):
    with pytest.raises(ArithmeticException):
        spark.read.parquet(path).selectExpr("1 / (id - 500) as x").write.parquet(str(tmp_path / "out"))
    assert list(tmp_path.iterdir()) == []


def test_route_sends_large_queries_to_the_cluster(shared_cluster, tmp_path, path, capsys):
    (tmp_path / "cluster.conf").write_text(f"backend = ballista\nballista.schedulers = {shared_cluster.address}\n")
    (tmp_path / "rules").write_text("cluster min-bytes=1\n")
    server = Server(tmp_path / "server", "--wrappers", "route", "--route.rules", str(tmp_path / "rules"),
                    "--backends", f"cluster={tmp_path}/cluster.conf")
    session = open_session(server)
    jobs = shared_cluster.scheduler.text().count("Job submitted")
    assert session.range(3).count() == 3
    assert shared_cluster.scheduler.text().count("Job submitted") == jobs
    rows = session.read.parquet(path)
    assert rows.count() == 1000
    assert shared_cluster.scheduler.text().count("Job submitted") == jobs + 1
    rows.explain()
    session.range(3).explain()
    text = capsys.readouterr().out
    assert "route: cluster" in text and "DataSourceExec" in text and "route: duckdb" in text
    session.stop()
    problem = server.stop()
    assert not problem, problem


def test_known_results_are_fetched_without_the_scheduler(own_cluster, tmp_path):
    cluster = own_cluster()
    data = tmp_path / "data"
    data.mkdir()
    for i in range(6):
        pq.write_table(pa.table({"s": [f"{i}-{j}-" + os.urandom(400).hex() for j in range(20000)]}),
                       data / f"{i}.parquet")
    server = Server(tmp_path / "server", "--backend", "ballista", "--ballista.schedulers", cluster.address,
                    "--ballista.fetch-window", "128KiB", "--ballista.fetch-connections", "2")
    session = open_session(server)
    rows = session.read.parquet(str(data)).toLocalIterator()
    next(rows)
    cluster.scheduler.kill()
    assert sum(1 for _ in rows) == 6 * 20000 - 1
    session.stop()
    problem = server.stop()
    assert not problem, problem


CLIENT = """
import sys
from pyspark.sql import SparkSession
session = SparkSession.builder.remote(sys.argv[1]).getOrCreate()
turned = "s"
for _ in range(7):
    turned = f"upper(reverse(lower({turned})))"
print("asks", flush=True)
session.sql(f"select max({turned}) from parquet.`{sys.argv[2]}`").collect()
print("has an answer", flush=True)
"""


def test_a_client_that_is_gone_frees_the_cluster(own_cluster, tmp_path):
    """Its connection ends; the query goes on for job.abandon-after, in case it comes back."""
    cluster = own_cluster(executors=1, slots=1)
    (tmp_path / "many").mkdir()
    pq.write_table(pa.table({"s": [f"row {i}" for i in range(50000)]}), tmp_path / "many" / "0.parquet")
    for i in range(1, 1500):
        os.link(tmp_path / "many" / "0.parquet", tmp_path / "many" / f"{i}.parquet")
    server = Server(tmp_path / "server", "--backend", "ballista", "--ballista.schedulers", cluster.address,
                    "--job.abandon-after", "1s")
    (tmp_path / "client.py").write_text(CLIENT)
    client = subprocess.Popen([sys.executable, str(tmp_path / "client.py"), server.url, str(tmp_path / "many")], stdout=subprocess.PIPE,
                              stderr=open(tmp_path / "client.log", "wb"))
    assert client.stdout.readline() == b"asks\n", (tmp_path / "client.log").read_text()
    time.sleep(1.5)
    client.kill()
    assert client.communicate()[0] == b""
    session = open_session(server)
    begun = time.monotonic()
    assert session.range(3).count() == 3
    assert time.monotonic() - begun < 6
    session.stop()
    problem = server.stop()
    assert not problem, problem


# ---- executors that freeze or die while rows are on their way


@pytest.fixture
def in_pieces(own_cluster, tmp_path):
    """A cluster of one executor and the rows of a result that comes slowly, of which the first is there."""
    cluster = own_cluster(executors=1)
    (tmp_path / "data").mkdir()
    for i in range(6):
        pq.write_table(pa.table({"s": [f"{i}-{j}-" + os.urandom(400).hex() for j in range(20000)]}),
                       tmp_path / "data" / f"{i}.parquet")
    server = Server(tmp_path / "server", "--backend", "ballista", "--ballista.schedulers", cluster.address,
                    "--ballista.fetch-window", "128KiB", "--ballista.fetch-connections", "1", "--spool.memory", "1MiB",
                    "--ballista.silence-timeout", "2s")
    session = open_session(server)
    rows = session.read.parquet(str(tmp_path / "data")).toLocalIterator()
    next(rows)
    yield cluster, session, rows
    session.stop()
    problem = server.stop()
    assert not problem, problem


def read_to_its_error(rows, limit_seconds):
    begun = time.monotonic()
    with pytest.raises(Exception) as caught:  # noqa: PT011
        for _ in rows:
            pass
    assert time.monotonic() - begun < limit_seconds
    return str(caught.value)


def test_an_executor_that_freezes_with_results_is_an_error_in_time(in_pieces):
    cluster, session, rows = in_pieces
    cluster.executors[0].signal(signal.SIGSTOP)
    assert "ballista.silence-timeout" in read_to_its_error(rows, 15)
    cluster.executors[0].signal(signal.SIGCONT)
    assert session.range(3).count() == 3


def test_an_executor_that_dies_with_results_is_an_error_at_once(in_pieces):
    cluster, _, rows = in_pieces
    cluster.executors[0].kill()
    text = read_to_its_error(rows, 10)
    assert "closed the connection" in text or "cannot be" in text
