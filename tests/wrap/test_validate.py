"""validate: what a query may ask for."""
import pytest
from pyspark.errors import PySparkException


def refused(spark, sql):
    with pytest.raises(PySparkException) as caught:
        spark.sql(sql).collect()
    return str(caught.value)


def test_limits_name_themselves_and_the_value(wrapped, connect, tmp_path):
    server = wrapped("validate", "--validate.max-joins=1", "--validate.max-nodes=60", "--validate.max-depth=20",
                     "--validate.max-files=2", "--validate.max-bytes=1000", "--validate.forbidden-functions=reverse, rand")
    spark = connect(server)
    assert spark.sql("select count(*) from range(3) a join range(4) b on a.id = b.id").collect()[0][0] == 3
    text = refused(spark, "select 1 from range(3) a join range(4) b on a.id = b.id join range(4) c on a.id = c.id")
    assert "2 joins" in text and "validate.max-joins is 1" in text
    assert "validate.max-nodes is 60" in refused(spark, "select " + ", ".join(f"{i} + id" for i in range(50)) + " from range(1)")
    assert "validate.max-depth is 20" in refused(spark, "select " + "+".join("id" for _ in range(30)) + " from range(1)")
    assert "validate.forbidden-functions" in refused(spark, "select reverse('abc')")
    assert "rand" in refused(spark, "select 1 where exists (select * from range(3) where rand() > 0.5)")
    folder = tmp_path / "csv"
    folder.mkdir()
    for i in range(3):
        (folder / f"{i}.csv").write_text("1,2\n")
    with pytest.raises(PySparkException, match="validate.max-files is 2"):
        spark.read.csv(str(folder)).collect()
    with pytest.raises(PySparkException, match="validate.max-files is 2"):
        spark.read.csv(str(folder)).explain()
    (tmp_path / "large.csv").write_text("1,2\n" * 1000)
    with pytest.raises(PySparkException, match="4000 bytes.*validate.max-bytes is 1000"):
        spark.read.csv(str(tmp_path / "large.csv")).collect()
    assert len(spark.read.csv(str(folder / "0.csv")).collect()) == 1


def test_cross_joins_need_a_condition_somewhere(wrapped, connect):
    spark = connect(wrapped("validate", "--validate.cross-joins=false"))
    for fine in ("select 1 from range(2) a, range(2) b where a.id = b.id",
                 "select 1 from range(2) a, range(2) b, range(2) c where a.id = c.id and b.id = c.id",
                 "select 1 from range(2) a cross join (select max(id) m from range(9)) b",
                 "select 1 from range(2) a left join range(2) b on a.id = b.id",
                 "select 1 from range(2) a where a.id in (select id from range(3))"):
        spark.sql(fine).collect()
    for bad in ("select 1 from range(2) a, range(2) b", "select 1 from range(2) a cross join range(2) b",
                "select 1 from range(2) a, range(2) b, range(2) c where a.id = b.id",
                "select (select count(*) from range(2) x, range(3) y)",
                "select 1 from range(2) a left join range(2) b on true"):
        assert "validate.cross-joins" in refused(spark, bad)


def test_unknown_wrapper_is_named(server):
    with pytest.raises(RuntimeError, match="no wrapper \"validat\""):
        server.another("--wrappers", "validat")
