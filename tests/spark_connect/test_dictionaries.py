"""Functions that fail are computed for the rows there are, not for all values of a column's dictionary."""
import pytest


@pytest.fixture
def numbers(spark, tmp_path):
    path = str(tmp_path / "numbers")
    spark.sql("select cast(case when id % 100 = 0 then 100000 else id % 50 end as int) as i, "
              "case when id % 100 = 0 then 'many' else cast(id % 50 as string) end as s from range(100000)"
              ).write.parquet(path)
    return spark.read.parquet(path)


@pytest.mark.parametrize("condition, value", [
    ("i between -100 and 100", "cast(i as tinyint)"),
    ("i < 100", "cast(i + 1 as tinyint)"),
    ("s <> 'many'", "cast(s as int)"),
    ("s <> 'many'", "cast(s as decimal(10, 2))"),
    ("s <> 'many'", "year(cast(concat('20', lpad(s, 2, '0'), '-01-01') as date))"),
])
def test_values_that_a_filter_removes_do_not_fail(numbers, condition, value):
    assert numbers.where(condition).selectExpr(f"count({value}) as n").collect()[0].n == 99000


def test_values_that_a_case_keeps_out_do_not_fail(numbers):
    assert numbers.selectExpr("count(case when i < 100 then cast(i as tinyint) end) as n").collect()[0].n == 99000


def test_values_that_are_there_do(numbers):
    from pyspark.errors import PySparkException
    with pytest.raises(PySparkException, match="CAST_OVERFLOW"):
        numbers.selectExpr("sum(cast(i as tinyint))").collect()


def test_any_number_of_arguments_of_which_one_varies(numbers):
    assert numbers.selectExpr("count(distinct elt(1, i, 'b')) as n").collect()[0].n == 51
    assert numbers.where("i < 3").selectExpr("count(elt(i + 1, 'a', 'b', 'c')) as n").collect()[0].n == 5000
