"""route: two DuckDBs, and rules that choose between them."""
import pytest

RULES = """
# what is large, or asked for, runs on the bulk engine
bulk   min-bytes=1000
bulk   table=default.big*
bulk   conf=portico.backend:bulk
bulk   user=bill
duckdb path={data}/small*   # the first one, by its own name
bulk   path={data}/*
"""


@pytest.fixture
def routed(wrapped, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    (data / "small.csv").write_text("1\n")
    (data / "other.csv").write_text("1\n")
    (data / "large.csv").write_text("1\n" * 1000)
    (tmp_path / "rules").write_text(RULES.replace("{data}", str(data)))
    (tmp_path / "bulk.conf").write_text("duckdb.threads = 1\n")

    def start(names="route", *options):
        return wrapped(names, f"--backends=bulk={tmp_path / 'bulk.conf'}", f"--route.rules={tmp_path / 'rules'}", *options)
    start.data = data
    return start


def rows(spark, sql):
    return [tuple(r) for r in spark.sql(sql).collect()]


def chosen(spark, sql):
    text = rows(spark, "explain " + sql)[0][0]
    return [line for line in text.splitlines() if line.startswith("route: ")][0].split()[1]


def test_rules_choose(routed, connect):
    spark = connect(routed())
    data = routed.data
    assert chosen(spark, "select 1 from range(3)") == "duckdb"
    assert chosen(spark, f"select * from csv.`{data}/small.csv`") == "duckdb"
    assert chosen(spark, f"select * from csv.`{data}/other.csv`") == "bulk"
    assert chosen(spark, f"select * from csv.`{data}/large.csv`") == "bulk"
    assert rows(spark, f"select count(*) from csv.`{data}/large.csv`") == [(1000,)]
    spark.conf.set("portico.backend", "bulk")
    assert chosen(spark, "select 1 from range(3)") == "bulk"
    spark.conf.unset("portico.backend")
    assert chosen(spark, "select 1 from range(3)") == "duckdb"


def test_user_rule(routed, connect):
    server = routed()
    assert chosen(connect(server, "bill"), "select 1 from range(3)") == "bulk"
    assert chosen(connect(server, "ann"), "select 1 from range(3)") == "duckdb"


def test_tables_are_used_where_they_are(routed, connect):
    spark = connect(routed())
    spark.sql("create table little as select id from range(3)")
    spark.sql("create table big1 as select id from range(4)")
    assert chosen(spark, "select * from little") == "duckdb"
    assert chosen(spark, "select * from big1") == "bulk"
    assert rows(spark, "select count(*) from big1 where id in (select max(id) from big1)") == [(1,)]
    assert {t.name for t in spark.catalog.listTables()} == {"little", "big1"}
    with pytest.raises(Exception, match="big1"):
        rows(spark, "select * from little join big1 using (id)")
    spark.conf.set("portico.backend", "bulk")
    assert rows(spark, "select count(*) from little") == [(3,)]
    spark.sql("insert into big1 values (9)")
    spark.sql("insert into little values (9)")
    assert rows(spark, "select count(*) from big1") == [(5,)] and rows(spark, "select count(*) from little") == [(4,)]
    spark.sql("update big1 set id = 1 where id = 9")
    spark.sql("delete from big1 where id = 1")
    assert rows(spark, "select count(*) from big1") == [(3,)]
    kept = spark.table("big1").checkpoint()
    assert kept.count() == 3
    spark.sql("create view v as select count(*) c from big1")
    assert rows(spark, "select * from v") == [(3,)]
    spark.sql("create database d")
    spark.sql("create table d.big2 as select 1 as a")
    assert rows(spark, "select * from d.big2") == [(1,)]
    spark.sql("drop table big1")
    assert not spark.catalog.tableExists("big1")
    spark.sql("drop database d cascade")
    assert "d" not in [r[0] for r in rows(spark, "show databases")]


def test_with_the_others(routed, connect, tmp_path):
    (tmp_path / "policy").write_text("allow * user=ann\nmask table=default.big* column=id as id + 100\n")
    spark = connect(routed("authorize,cache,validate,route", f"--authorize.policy={tmp_path / 'policy'}"))
    spark.sql("create table big1 as select id from range(2)")
    for _ in range(3):
        assert rows(spark, "select id from big1 order by id") == [(100,), (101,)]
    assert chosen(spark, "select id from big1") == "bulk"


def test_errors_name_their_line(server, tmp_path):
    for text, expected in (("nowhere user=a", "no backend named nowhere"), ("duckdb who=a", "no condition"),
                           ("duckdb min-bytes=x", "min-bytes"), ("duckdb conf=a", "NAME:VALUE")):
        (tmp_path / "rules").write_text("\n" + text + "\n")
        with pytest.raises(RuntimeError, match=expected) as caught:
            server.another("--wrappers", "route", f"--route.rules={tmp_path / 'rules'}")
        assert "rules:2" in str(caught.value)
    with pytest.raises(RuntimeError, match="NAME=FILE"):
        server.another("--backends", "bulk")
