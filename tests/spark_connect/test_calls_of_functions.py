"""Calls that Spark refuses, the condition and parameters of it, and names that only some may call."""
import pytest

# statement, condition, some of its parameters
REFUSED = [
    ("select isodow(date'2020-01-01')", "UNRESOLVED_ROUTINE", {"routineName": "`isodow`"}),
    ("select product(1)", "UNRESOLVED_ROUTINE", {"routineName": "`product`"}),
    ("select item_of_map(map(1, 2), 1)", "UNRESOLVED_ROUTINE", {}),
    ("select date_literal('2020-01-01')", "UNRESOLVED_ROUTINE", {}),
    ("select `uniform int`(1, 2)", "UNRESOLVED_ROUTINE", {}),
    ("select max_by(1, 2, -1)", "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
     {"exprName": "`k`", "currentValue": "-1", "valueRange": "[1, 100000]"}),
    ("select ntile(-1) over (order by 1)", "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE", {"exprName": "buckets", "currentValue": "-1"}),
    ("select percentile(1, 1.5)", "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE", {"currentValue": "1.5D", "valueRange": "[0.0, 1.0]"}),
    ("select percentile(1, null)", "DATATYPE_MISMATCH.UNEXPECTED_NULL", {"exprName": "percentage"}),
    ("select percentile(id, id) from range(2)", "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
     {"inputName": "`percentage`", "inputType": '"DOUBLE"', "inputExpr": '"id"'}),
    ("select floor(1.5, id) from range(2)", "NON_FOLDABLE_ARGUMENT",
     {"funcName": "`floor`", "paramName": "`scale`", "paramType": '"INT"'}),
    ("select count_min_sketch(1, 0D, 0.5D, 1)", "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE", {"exprName": "eps", "currentValue": "0.0D"}),
]

TAKEN = [
    ("select schema_of_variant(parse_json(string(null)))", None),
    ("select schema_of_variant(parse_json('null'))", "VOID"),
    ("select cast(round(1.55, 1 + 0) as string)", "1.6"),
    ("select cast(round(1.55, int('1')) as string)", "1.6"),
    ("select cast(round(1.55, 1.5) as string)", "1.6"),
    ("select cast(floor(1.55, 1 + 0) as string)", "1.5"),
    ("select cast(round(1555, -1 * 2) as string)", "1600"),
    ("select locate('a', 'ba', cast(null as int))", 0),
    ("select position(null, 'ba', cast(null as int))", 0),
    ("select locate(null, 'ba', 1)", None),
    ("select approx_count_distinct((select 1))", 1),
    ("select sum((select id)) from range(3)", 3),
    ("select regr_count(distinct 1, 2.5D)", 1),
    ("select count_if(distinct id > 0) from range(3)", 1),
    ("select rlike('2021', -99999999999999999999999999999999999999)", False),
    ("select hour(timestamp'2020-01-01 05:06:07')", 5),
    ("select extract(hour from interval '1 02:03:04' day to second)", 2),
    ("select timestampadd(hour, 1, timestamp'2020-01-01 00:00:00') = timestamp'2020-01-01 01:00:00'", True),
]


@pytest.mark.parametrize("text, condition, parameters", REFUSED, ids=[r[0] for r in REFUSED])
def test_what_spark_refuses_is_refused(spark, text, condition, parameters):
    from pyspark.errors import PySparkException

    with pytest.raises(PySparkException) as caught:
        spark.sql(text).collect()
    assert caught.value.getCondition() == condition
    told = caught.value.getMessageParameters()
    assert {name: told.get(name) for name in parameters} == parameters


@pytest.mark.parametrize("text, answer", TAKEN, ids=[t[0] for t in TAKEN])
def test_what_spark_takes_is_taken(spark, text, answer):
    assert spark.sql(text).collect()[0][0] == answer


def test_clients_reach_the_internal_registry(spark):
    from pyspark.sql import functions as F

    assert spark.range(1, 5).select(F.product("id")).collect()[0][0] == 24
    assert [f.name for f in spark.catalog.listFunctions() if f.name in ("product", "isodow", "date_literal")] == []


def test_no_text_of_a_format_is_an_internal_error(spark):
    from pyspark.errors import PySparkException

    for text in ("format_string('%d', 'a')", "format_string('%q', 1)", "format_string('%s %d', 1)", "timestamp_micros(9223372036854775807)"):
        with pytest.raises(PySparkException) as caught:
            spark.sql(f"select {text}").collect()
        assert caught.value.getCondition() != "INTERNAL_ERROR", text
