"""cache: hits where the answer must be the same, and never a stale one."""
import os
import time

import pytest

from collector import Collector


@pytest.fixture
def traced(wrapped):
    """A cache inside of trace, so that the spans tell what was a hit."""
    with Collector() as collector:
        def start(names="trace,cache", *options):
            return wrapped(names, f"--trace.endpoint={collector.url}", "--trace.interval=20ms", *options)
        yield start, collector


def hits(collector, spark, action, count=2):
    """Does it `count` times; how many of these were hits, and the answers."""
    collector.settle()
    before = len([s for s in collector.spans() if "kept result" in s.get("portico.detail", "")])
    answers = [action() for _ in range(count)]
    collector.settle()
    return len([s for s in collector.spans() if "kept result" in s.get("portico.detail", "")]) - before, answers


def rows(spark, sql):
    return [tuple(r) for r in spark.sql(sql).collect()]


def test_same_query_is_a_hit_for_everyone(traced, connect):
    start, collector = traced
    server = start()
    ann, bob = connect(server, "ann"), connect(server, "bob")
    ann.sql("create table t as select id, id % 7 as k from range(10000)")
    sql = "select k, count(*) c, max(id) m from t group by k order by k"
    first = rows(ann, sql)
    assert hits(collector, ann, lambda: rows(ann, sql))[0] == 2
    found, answers = hits(collector, bob, lambda: rows(bob, sql))
    assert found == 2 and answers == [first, first]
    assert hits(collector, ann, lambda: ann.table("t").groupBy("k").count().orderBy("k").collect(), 3)[0] == 2
    assert hits(collector, ann, lambda: ann.table("t").groupBy("k").count().orderBy("k").toPandas().shape, 1) == (1, [(7, 2)])


def test_literals_and_settings_tell_queries_apart(traced, connect):
    start, collector = traced
    server = start()
    spark = connect(server)
    sql = "select timestamp'2024-01-01 00:00:00' + make_interval(0, 0, 0, id) as t, '@12' from range(3)"
    first = rows(spark, sql)
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    assert hits(collector, spark, lambda: spark.sql(sql).toArrow().schema, 1)[0] == 0
    assert rows(spark, "select '@12', ' #1' from range(1)") != rows(spark, "select '@13', ' #2' from range(1)")
    assert rows(spark, "select cast('1' as int) + id from range(1)") == [(1,)]
    spark.conf.set("spark.sql.ansi.enabled", "false")
    assert rows(spark, "select cast('x' as int) + id from range(1)") == [(None,)]
    spark.conf.set("spark.sql.ansi.enabled", "true")
    with pytest.raises(Exception, match="CAST_INVALID_INPUT"):
        rows(spark, "select cast('x' as int) + id from range(1)")
    assert first


def test_writes_are_seen_at_once(traced, connect):
    start, collector = traced
    server = start()
    ann, bob = connect(server, "ann"), connect(server, "bob")
    ann.sql("create table t (a int)")
    ann.sql("create view v as select sum(a) s, count(*) c from t")
    expected = 0
    for i in range(1, 8):
        (ann if i % 2 else bob).sql(f"insert into T values ({i})")
        expected += i
        assert rows(bob, "select * from v") == [(expected, i)] == rows(ann, "select * from v")
        assert rows(bob, "select * from v") == [(expected, i)]
    ann.sql("update t set a = 0 where a = 7")
    assert rows(bob, "select * from v") == [(expected - 7, 7)]
    ann.sql("delete from t where a = 0")
    assert rows(bob, "select * from v") == [(expected - 7, 6)]
    ann.sql("truncate table t")
    assert rows(bob, "select * from v") == [(None, 0)]
    ann.sql("drop table t")
    with pytest.raises(Exception, match="TABLE_OR_VIEW_NOT_FOUND"):
        rows(bob, "select * from v")
    ann.sql("create table t as select 5 as a")
    assert rows(bob, "select * from v") == [(5, 1)]
    ann.sql("create table u as select 1 x")
    assert hits(collector, bob, lambda: rows(bob, "select * from u"), 3)[0] == 2
    ann.sql("insert into t values (1)")  # another table: u's results stay
    assert hits(collector, bob, lambda: rows(bob, "select * from u"), 1)[0] == 1
    ann.sql("insert overwrite t values (9)")
    assert rows(bob, "select * from v") == [(9, 1)]
    ann.range(3).selectExpr("cast(id as int) a").write.mode("overwrite").saveAsTable("t")
    assert rows(bob, "select * from v") == [(3, 3)]


def test_changed_files_are_seen(traced, connect, tmp_path):
    start, collector = traced
    spark = connect(start())
    file = tmp_path / "f.csv"

    def read():
        return sorted(r[0] for r in spark.read.schema("a string").csv(str(tmp_path)).collect())

    file.write_text("1\n")
    time.sleep(0.2)
    assert hits(collector, spark, read, 3) == (2, [["1"], ["1"], ["1"]])
    file.write_text("2\n")  # as long as before
    assert read() == ["2"]
    file.write_text("3\n")  # at once: the clock of the file system may not have moved
    assert read() == ["3"]
    stamp = file.stat()
    time.sleep(0.2)
    assert read() == ["3"]
    assert hits(collector, spark, read, 1)[0] == 1
    (tmp_path / "new").write_text("4\n")
    os.utime(tmp_path / "new", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    os.replace(tmp_path / "new", file)  # same name, size and time
    assert read() == ["4"]
    (tmp_path / "g.csv").write_text("5\n")
    assert read() == ["4", "5"]
    time.sleep(0.2)
    assert hits(collector, spark, read, 2)[0] >= 1
    file.unlink()
    assert read() == ["5"]
    spark.range(1).selectExpr("'6' as a").write.mode("append").csv(str(tmp_path))
    assert read() == ["5", "6"]


def test_what_is_not_determined_is_not_kept(traced, connect):
    start, collector = traced
    spark = connect(start())
    for sql in ("select rand() from range(3)", "select uuid() from range(1)", "select current_timestamp() from range(1)",
                "select now() from range(1)", "select id, shuffle(array(1, 2, 3)) from range(3)",
                "select * from range(100) tablesample (50 percent)",
                "select * from range(3) where exists (select rand() r from range(2) having r > 0)"):
        assert hits(collector, spark, lambda: len(rows(spark, sql)))[0] == 0, sql
    assert rows(spark, "select rand() from range(1)") != rows(spark, "select rand() from range(1)")
    assert rows(spark, "select uuid() from range(1)") != rows(spark, "select uuid() from range(1)")


def test_kept_rows_are_told_apart(traced, connect):
    start, collector = traced
    spark = connect(start())
    one, two = spark.range(1).checkpoint(), spark.range(5, 6).checkpoint()
    assert one.collect() != two.collect()
    spark.sql("create table t as select 1L as id")
    first, second = spark.table("t").persist(), spark.range(7, 8).persist()
    assert [r.id for r in first.collect()] == [1] and [r.id for r in second.collect()] == [7]
    assert [r.id for r in first.collect()] == [1] and [r.id for r in second.collect()] == [7]
    spark.sql("insert into t values (2)")
    assert first.count() == 2


def test_limits(traced, connect):
    start, collector = traced
    spark = connect(start("trace,cache", "--cache.entry-limit=64KiB", "--cache.memory=100KiB", "--cache.max-age=3s"))
    assert hits(collector, spark, lambda: len(rows(spark, "select id from range(100000)")))[0] == 0
    assert hits(collector, spark, lambda: rows(spark, "select id from range(10)"), 1)[0] == 0
    for i in range(60):
        rows(spark, f"select id + {i} from range(100)")
    assert hits(collector, spark, lambda: rows(spark, "select id from range(10)"), 1)[0] == 0
    time.sleep(3.2)
    assert hits(collector, spark, lambda: rows(spark, "select id from range(10)"), 1)[0] == 0
    large = "select id, repeat('x', 1000) s from range(20)"
    first = rows(spark, large)
    assert hits(collector, spark, lambda: rows(spark, large), 2) == (2, [first, first])


POLICY = """
allow * user=root
allow select user=ann,bob table=default.t
filter user=ann table=default.t where k = 1
filter user=bob table=default.t where k = 2
"""


@pytest.mark.parametrize("names", ["trace,authorize,cache", "trace,cache,authorize", "trace,cache,authorize,cache"])
def test_rows_of_others_are_never_given(traced, connect, tmp_path, names):
    start, collector = traced
    (tmp_path / "policy").write_text(POLICY)
    server = start(names, f"--authorize.policy={tmp_path / 'policy'}")
    root, ann, bob, eve = (connect(server, user) for user in ("root", "ann", "bob", "eve"))
    root.sql("create table t as select id, id % 3 as k from range(30)")
    for _ in range(3):
        assert rows(root, "select count(*), max(k) from t") == [(30, 2)]
        assert rows(ann, "select count(*), max(k) from t") == [(10, 1)]
        assert rows(bob, "select count(*), max(k) from t") == [(10, 2)]
        with pytest.raises(Exception, match="INSUFFICIENT_PERMISSIONS"):
            rows(eve, "select count(*), max(k) from t")
    assert hits(collector, ann, lambda: rows(ann, "select count(*), max(k) from t"))[0] == 2
