"""read.json(df) and read.csv(df), and files of JSON arrays: values as Spark 4.2.0 gives them."""
import datetime as dt

import pytest


@pytest.fixture
def lines(spark):
    # The client reads a schema given as text with the active session, which other tests may have stopped.
    type(spark)._set_default_and_active_session(spark)
    return lambda *texts: spark.createDataFrame([(t,) for t in texts], "value string")


def rows(frame):
    return frame.schema.simpleString(), [tuple(r) for r in frame.collect()]


def test_json_is_inferred(spark, lines):
    frame = spark.read.json(lines('{"a":1,"b":"x"}', '{"a":2.5}', "", "bad"))
    assert rows(frame) == ("struct<_corrupt_record:string,a:double,b:string>",
                           [(None, 1.0, "x"), (None, 2.5, None), ("bad", None, None)])
    assert rows(spark.read.json(lines('{"a":1}', None))) == (
        "struct<_corrupt_record:string,a:bigint>", [(None, 1), (None, None)])
    assert rows(spark.read.json(lines())) == ("struct<>", [])
    assert rows(spark.read.option("primitivesAsString", True).json(lines('{"a":1}'))) == ("struct<a:string>", [("1",)])


def test_json_arrays_are_several_records(spark, lines, tmp_path):
    texts = ['[{"a":1},{"a":"x"}]', '{"a":3}', "[1]", "[]", '[{"a":5}']
    whole = [(1, texts[0]), (None, texts[0]), (3, None), (None, "[1]"), (None, texts[4])]
    assert rows(spark.read.schema("a int, _corrupt_record string").json(lines(*texts)))[1] == whole
    dropped = spark.read.schema("a int").option("mode", "DROPMALFORMED")
    assert rows(dropped.json(lines(*texts)))[1] == [(3,)]
    path = str(tmp_path / "arrays.json")
    with open(path, "w") as f:
        f.write("\n".join(texts))
    assert rows(spark.read.schema("a int, _corrupt_record string").json(path).select("*"))[1] == whole
    assert rows(dropped.json(path))[1] == [(3,)]
    with open(path, "w") as f:
        f.write('[{"a":1},{"a":2}]\n{"a":3}\n')
    assert rows(spark.read.json(path)) == ("struct<a:bigint>", [(1,), (2,), (3,)])


def test_json_modes_and_formats(spark, lines):
    frame = spark.read.schema("a timestamp, d date").option("timestampFormat", "dd/MM/yyyy HH:mm").json(
        lines('{"a":"26/08/2015 10:00","d":"2020-01-01"}'))
    assert rows(frame)[1] == [(dt.datetime(2015, 8, 26, 10, 0), dt.date(2020, 1, 1))]
    assert rows(spark.read.schema("a int").json(lines("null", '{"a":\n1}', "  ")))[1] == [(None,), (1,)]
    with pytest.raises(Exception) as caught:
        spark.read.schema("a int").option("mode", "FAILFAST").json(lines("bad")).collect()
    assert caught.value.getCondition() == "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION"


def test_input_must_be_one_column_of_text(spark, lines):
    for frame, condition in [(spark.range(1), "DATAFRAME_INPUT_NOT_STRING_TYPE"),
                             (lines("1").selectExpr("value", "value v"), "DATAFRAME_INPUT_NOT_SINGLE_COLUMN")]:
        with pytest.raises(Exception) as caught:
            spark.read.json(frame).collect()
        assert caught.value.getCondition() == condition


def test_csv_headers_and_types(spark, lines):
    frame = spark.read.csv(lines("a,b", "1,x", "a,b", "2,y"), header=True, inferSchema=True)
    assert rows(frame) == ("struct<a:int,b:string>", [(1, "x"), (2, "y")])
    frame = spark.read.csv(lines("1,2020-01-01,2020-01-01 10:00:00,1.5,true", "2,2020-01-02,2020-01-01,2,false"),
                           inferSchema=True)
    assert frame.schema.simpleString() == "struct<_c0:int,_c1:date,_c2:timestamp,_c3:double,_c4:boolean>"
    assert rows(spark.read.csv(lines("a,a,", "1,2,3"), header=True)) == (
        "struct<a0:string,a1:string,_c2:string>", [("1", "2", "3")])
    assert rows(spark.read.csv(lines('1,"x\ny"', "2,z"), inferSchema=True))[1] == [(1, "x\ny"), (2, "z")]
    assert rows(spark.read.csv(lines())) == ("struct<>", [])
    with pytest.raises(Exception):
        spark.read.csv(lines("c,b", "1,x"), schema="a int, b string", header=True, enforceSchema=False).collect()


def test_csv_with_a_schema(spark, lines):
    assert rows(spark.read.csv(lines("a,b", "1,x", "", "2"), schema="a int, b string", header=True))[1] == [
        (1, "x"), (2, None)]
    frame = spark.read.csv(lines("#c", "1,x", "#d", "bad,y"), schema="a int, b string, _corrupt_record string",
                           comment="#")
    assert rows(frame)[1] == [(1, "x", None), (None, "y", "bad,y")]
    assert rows(spark.read.csv(lines("1,x", "bad,y"), schema="a int, b string", mode="DROPMALFORMED"))[1] == [(1, "x")]
