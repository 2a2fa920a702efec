"""What a cluster does not read itself, with a directory that both sides see: rows are put there before the query."""
import pytest

pytest.importorskip("pyspark")

from pyspark.sql import functions as F  # noqa: E402

from serving import Server  # noqa: E402
from test_spark import open_session  # noqa: E402


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    return tmp_path_factory.mktemp("shared")


@pytest.fixture(scope="module")
def server(shared_cluster, shared, tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("server"), "--backend", "ballista", "--ballista.schedulers",
                    shared_cluster.address, "--ballista.shared-directory", str(shared))
    yield server
    problem = server.stop()
    assert not problem, problem
    assert list(shared.iterdir()) == []


@pytest.fixture
def spark(server):
    session = open_session(server)
    yield session
    session.stop()


@pytest.fixture
def jobs(shared_cluster):
    """How many were submitted since."""
    before = shared_cluster.scheduler.text().count("Job submitted")
    return lambda: shared_cluster.scheduler.text().count("Job submitted") - before


def test_csv_is_read(spark, jobs, shared, tmp_path):
    (tmp_path / "a.csv").write_text("id,name,when\n1,\"a, b\",2024-01-02 03:04:05\n2,,\n3,c,2024-02-03 04:05:06\n")
    (tmp_path / "b.csv").write_text("id,name,when\n4,d,\n")
    rows = spark.read.option("header", True).option("inferSchema", True).csv(str(tmp_path))
    got = rows.where("id <> 2").orderBy("id").select("id", "name", F.year("when")).collect()
    assert [tuple(row) for row in got] == [(1, "a, b", 2024), (3, "c", 2024), (4, "d", None)]
    assert rows.where("name is null").count() == 1
    assert jobs() == 2
    assert list(shared.iterdir()) == []


def test_json_and_text_are_read(spark, tmp_path):
    (tmp_path / "a.json").write_text('{"k": "x", "v": 1.5}\n{"k": "y", "v": 2, "tags": [1, 2]}\n')
    grouped = spark.read.json(str(tmp_path / "a.json")).groupBy("k").agg(F.sum("v")).orderBy("k").collect()
    assert [tuple(row) for row in grouped] == [("x", 1.5), ("y", 2.0)]
    (tmp_path / "t.txt").write_text("one\ntwo\n")
    assert [row[0] for row in spark.read.text(str(tmp_path / "t.txt")).orderBy("value").collect()] == ["one", "two"]


def test_many_rows_of_a_client_are_joined(spark, jobs):
    import pyarrow as pa

    many = spark.createDataFrame(pa.table({"id": pa.array(range(200_000), pa.int64()), "a b": ["é"] * 200_000}))
    got = many.join(spark.range(10, 20), "id").agg(F.count("*"), F.sum("id"), F.max("a b")).collect()
    assert tuple(got[0]) == (10, 145, "é")
    assert jobs() == 1


def test_a_write_reads_csv(spark, tmp_path):
    (tmp_path / "a.csv").write_text("1;x\n2;y\n")
    rows = spark.read.option("sep", ";").schema("id int, s string").csv(str(tmp_path / "a.csv"))
    rows.write.parquet(str(tmp_path / "out"))
    assert sorted(map(tuple, spark.read.parquet(str(tmp_path / "out")).collect())) == [(1, "x"), (2, "y")]


def test_a_bad_line_is_sparks_error(spark, tmp_path):
    (tmp_path / "a.csv").write_text("1\nx\n")
    rows = spark.read.schema("id int").option("mode", "FAILFAST").csv(str(tmp_path / "a.csv"))
    with pytest.raises(Exception, match="MALFORMED_RECORD_IN_PARSING"):
        rows.collect()


def test_persisted_rows_are_read_again(spark, jobs, shared, tmp_path):
    spark.range(100).selectExpr("id", "id % 3 as k", "uuid() as u").write.parquet(str(tmp_path / "p"))
    rows = spark.read.parquet(str(tmp_path / "p")).where("k = 1").persist()
    before = jobs()
    assert rows.count() == 33
    assert len(list(shared.iterdir())) == 1
    assert rows.agg(F.sum("id")).collect()[0][0] == sum(range(1, 100, 3))
    assert jobs() == before + 3
    rows.unpersist()
    assert list(shared.iterdir()) == []


def test_a_checkpoint_is_kept(spark, shared):
    rows = spark.range(1000).selectExpr("id", "rand() as r").localCheckpoint()
    assert rows.collect() == rows.collect()
    assert rows.where("r < 0 or r >= 1").count() == 0
    del rows


def test_it_is_explained(spark, tmp_path, capsys):
    (tmp_path / "a.csv").write_text("1\n")
    spark.read.schema("id int").csv(str(tmp_path / "a.csv")).explain()
    assert "Projection" in capsys.readouterr().out


def test_without_a_directory_it_is_refused_by_name(shared_cluster, tmp_path):
    server = Server(tmp_path / "server", "--backend", "ballista", "--ballista.schedulers", shared_cluster.address)
    session = open_session(server)
    (tmp_path / "a.csv").write_text("1\n")
    with pytest.raises(Exception, match="reading files of the format csv without ballista.shared-directory"):
        session.read.schema("id int").csv(str(tmp_path / "a.csv")).collect()
    session.stop()
    assert not server.stop()


def test_tables_are_those_of_the_server(spark, shared, jobs, tmp_path):
    spark.range(1000).selectExpr("id", "id % 3 as k").write.parquet(str(tmp_path / "p"))
    before = jobs()
    spark.read.parquet(str(tmp_path / "p")).where("k = 1").write.saveAsTable("kept_rows")
    assert jobs() == before + 1
    assert spark.table("kept_rows").agg(F.count("*"), F.max("id")).collect() == [(333, 997)]
    assert jobs() == before + 2
    spark.sql("insert into kept_rows values (5000, 9)")
    spark.sql(f"insert into kept_rows select id, k from parquet.`{tmp_path}/p` where id < 2")
    assert spark.table("kept_rows").where("k <> 1").orderBy("id").collect() == [(0, 0), (5000, 9)]
    assert [table.name for table in spark.catalog.listTables()] == ["kept_rows"]
    spark.sql("create table other as select k, count(*) as n from kept_rows group by k")
    assert spark.sql("select * from other join kept_rows using (k) where id = 5000").collect() == [(9, 1, 5000)]
    for name in ("kept_rows", "other"):
        spark.sql(f"drop table {name}")
    assert list(shared.iterdir()) == []


def test_text_files_are_written_as_by_spark(spark, tmp_path):
    rows = spark.sql("select * from values (1, 'a,b', 1.5D), (2, '', null), (3, null, 0.1D) t(id, s, d)")
    rows.orderBy("id").write.option("header", True).csv(str(tmp_path / "c"))
    text = "".join(path.read_text() for path in (tmp_path / "c").glob("*.csv"))
    assert text == 'id,s,d\n1,"a,b",1.5\n2,"",\n3,,0.1\n'
    rows.select("id", "d").orderBy("id").write.partitionBy("id").json(str(tmp_path / "j"))
    assert sorted(path.parent.name for path in (tmp_path / "j").glob("*/*.json")) == ["id=1", "id=2", "id=3"]
    assert (tmp_path / "c" / "_SUCCESS").exists()
    with pytest.raises(Exception, match="PATH_ALREADY_EXISTS"):
        rows.write.csv(str(tmp_path / "c"))


def test_no_rows_make_a_table(spark, tmp_path):
    spark.range(5).write.parquet(str(tmp_path / "p"))
    spark.read.parquet(str(tmp_path / "p")).where("id < 0").write.saveAsTable("empty_rows")
    assert spark.table("empty_rows").count() == 0
    assert spark.table("empty_rows").columns == ["id"]
    spark.sql("drop table empty_rows")
