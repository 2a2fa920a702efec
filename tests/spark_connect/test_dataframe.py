"""Calls of DataFrames and columns whose answers follow from Spark's rules rather than from the engine's."""
import pytest


def test_a_field_is_named_by_how_it_was_asked_for(spark):
    from pyspark.sql import Row

    df = spark.createDataFrame([Row(r=Row(a=1, b="b"))])
    assert df.select(df.r.getField("b"), df.r.a, "r.b").columns == ["r.b", "r.a", "b"]


def test_arguments_are_narrowed_to_the_parameter(spark):
    df = spark.createDataFrame([(3, 4, "Robert")], ["start", "size", "name"])
    assert df.select(df.name.substr(df.start, df.size).alias("x")).first().x == "bert"
    assert spark.sql("select repeat('ab', 2L) x").first().x == "abab"


def test_types_are_functions(spark):
    row = spark.sql("select int('5'), date('2020-01-02'), int(a), decimal('7') from values ('1') t(a)")
    assert row.columns == ["5", "2020-01-02", "a", "7"]
    assert [t for _, t in row.dtypes] == ["int", "date", "int", "decimal(10,0)"]


def test_names_do_not_change_what_a_frame_means(spark):
    a, b = spark.range(10), spark.range(10)
    assert a.withColumn("x", a.id * 2).sameSemantics(b.withColumn("x", b.id * 2))
    assert a.withColumn("x", a.id * 2).sameSemantics(b.withColumn("y", b.id * 2))
    assert not a.withColumn("x", a.id * 2).sameSemantics(b.withColumn("x", b.id + 2))
    assert a.withColumn("x", a.id * 2).semanticHash() == b.withColumn("y", b.id * 2).semanticHash()


@pytest.fixture
def trades(spark):
    left = spark.createDataFrame([(1, "a"), (5, "b"), (10, "c")], ["a", "l"])
    right = spark.createDataFrame([(1, 1), (2, 2), (3, 3), (6, 6), (7, 7)], ["a", "r"])
    return left, right


@pytest.mark.parametrize("options, rows", [
    ({}, [(1, "a", 1), (5, "b", 3), (10, "c", 7)]),
    ({"allowExactMatches": False}, [(5, "b", 3), (10, "c", 7)]),
    ({"direction": "forward"}, [(1, "a", 1), (5, "b", 6)]),
    ({"direction": "nearest"}, [(1, "a", 1), (5, "b", 6), (10, "c", 7)]),
    ({"how": "left", "direction": "forward", "allowExactMatches": False}, [(1, "a", 2), (5, "b", 6), (10, "c", None)]),
])
def test_as_of_join(spark, trades, options, rows):
    left, right = trades
    joined = left._joinAsOf(right, leftAsOfColumn="a", rightAsOfColumn="a", **options)
    assert joined.columns == ["a", "l", "a", "r"]
    assert sorted(map(tuple, joined.select(left.a, "l", right.r).collect())) == rows


def test_as_of_join_by_key_within_a_tolerance(spark):
    from pyspark.sql import functions as F

    left = spark.createDataFrame([(100, "x"), (100, "y")], ["at", "k"])
    right = spark.createDataFrame([(40, "x", 1), (98, "y", 2), (101, "y", 3)], ["at", "k", "v"])
    joined = left._joinAsOf(right, "at", "at", on="k", direction="nearest", tolerance=F.lit(5))
    assert [tuple(r) for r in joined.select(left.k, "v").collect()] == [("y", 3)]


def test_nearest_by_join(spark):
    from pyspark.sql import functions as F

    users = spark.createDataFrame([(1, 10.0), (2, 20.0), (3, 30.0)], ["user", "score"])
    products = spark.createDataFrame([("A", 11.0), ("B", 22.0), ("C", 5.0)], ["product", "p"])
    near = users.nearestByJoin(products, F.abs(users.score - products.p), 2, "exact", "distance")
    assert sorted((r.user, r["product"]) for r in near.select("user", "product").collect()) == [
        (1, "A"), (1, "C"), (2, "A"), (2, "B"), (3, "A"), (3, "B")]


def test_observed_metrics(spark):
    from pyspark.sql import Observation, functions as F

    df = spark.createDataFrame([(2, "Alice"), (5, "Bob")], ["age", "name"])
    observation = Observation("metrics")
    observed = df.observe(observation, F.count(F.lit(1)).alias("count"), F.max("age"))
    assert observed.select(observed.age).count() == 2
    assert observation.get == {"count": 2, "max(age)": 5}


def test_windows_are_shown_in_their_order(spark, capsys):
    from pyspark.sql import Window, functions as F

    df = spark.createDataFrame([(i % 7, i * 5 % 11) for i in range(40)], ["k", "v"])
    ranked = df.withColumn("n", F.row_number().over(Window.partitionBy("k").orderBy(F.desc("v"))))
    ranked.show(9)
    lines = capsys.readouterr().out.split("\n")[3:12]
    assert [tuple(int(c) for c in line.strip("|").split("|")) for line in lines] == [
        tuple(r) for r in ranked.orderBy("k", "n").limit(9).collect()]


def test_rows_are_numbered(spark):
    df = spark.createDataFrame([("a", 1), ("b", 2), ("c", 3)], ["k", "v"])
    assert [tuple(r) for r in df.zipWithIndex("n").collect()] == [("a", 1, 0), ("b", 2, 1), ("c", 3, 2)]
