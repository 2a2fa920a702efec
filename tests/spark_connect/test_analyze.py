"""AnalyzePlan: schemas, explanations, DDL, and what is asked about frames."""
import pytest


def test_schema_agrees_with_the_result(spark):
    frame = spark.sql("select id, cast(id as string) s, array(id) a, named_struct('x', 1) t, null n from range(2)")
    assert frame.schema.simpleString() == "struct<id:bigint,s:string,a:array<bigint>,t:struct<x:int>,n:void>"
    arrow = frame.toArrow()
    assert [f.name for f in arrow.schema] == frame.columns
    assert [f.nullable for f in arrow.schema] == [f.nullable for f in frame.schema]


def test_explain(spark, capsys):
    frame = spark.range(3).filter("id > 1")
    for mode, heading in (("simple", "== Physical Plan =="), ("extended", "== Parsed Logical Plan =="),
                          ("formatted", "== Physical Plan =="), ("cost", "== Optimized Logical Plan ==")):
        frame.explain(mode)
        text = capsys.readouterr().out
        assert heading in text, (mode, text)


def test_version_and_flags(spark, tmp_path):
    assert spark.version == "4.2.0"
    frame = spark.range(3)
    assert not frame.isStreaming
    assert not frame.isLocal()
    assert spark.sql("show databases").isLocal()
    path = str(tmp_path / "p")
    frame.write.parquet(path)
    files = spark.read.parquet(path).inputFiles()
    assert files and all(f.startswith("file:") and f.endswith(".parquet") for f in files)


def test_ddl(spark):
    from pyspark.sql.types import StructType

    parsed = StructType.fromDDL("a int, b string not null comment 'q', c array<decimal(10,2)>, `d e` map<string,date>")
    assert parsed.simpleString() == "struct<a:int,b:string,c:array<decimal(10,2)>,d e:map<string,date>>"
    assert [f.nullable for f in parsed] == [True, False, True, True]
    assert parsed["b"].metadata == {"comment": "q"}


def test_bad_ddl_is_a_parse_error(spark):
    from pyspark.errors.exceptions.connect import ParseException

    with pytest.raises(ParseException):
        spark.createDataFrame([(1,)], "a nosuchtype").collect()


def test_questions_on_the_wire(raw, session):
    import pyspark.sql.connect.proto as pb

    request = pb.AnalyzePlanRequest

    def ask(**question):
        return raw.stub.AnalyzePlan(request(session_id=session, user_context=raw.user, **question))

    plan = pb.Plan(root=pb.Relation(sql=pb.SQL(query="select 1 as a, array(1) as b")))
    tree = ask(tree_string=request.TreeString(plan=plan)).tree_string.tree_string
    assert tree == ("root\n |-- a: integer (nullable = false)\n |-- b: array (nullable = false)\n"
                    " |    |-- element: integer (containsNull = false)\n")
    level = ask(tree_string=request.TreeString(plan=plan, level=1)).tree_string.tree_string
    assert "element" not in level
    ddl = ask(json_to_ddl=request.JsonToDDL(json_string=(
        '{"type":"struct","fields":[{"name":"a","type":"integer","nullable":true,"metadata":{}},'
        '{"name":"b c","type":"string","nullable":false,"metadata":{}}]}'))).json_to_ddl.ddl_string
    assert ddl == "a INT,`b c` STRING NOT NULL"
    bare = ask(ddl_parse=request.DDLParse(ddl_string="bigint")).ddl_parse.parsed
    assert bare.WhichOneof("kind") == "long"
    answer = ask(spark_version=request.SparkVersion())
    assert answer.session_id == session and answer.server_side_session_id


def test_same_semantics(spark):
    one, two = spark.range(10), spark.range(10)
    assert one.filter("id > 1").sameSemantics(two.filter("id > 1"))
    assert not one.filter("id > 1").sameSemantics(two.filter("id > 2"))
    assert one.semanticHash() == two.semanticHash()


def test_observed_metrics(spark):
    from pyspark.sql import Observation
    from pyspark.sql.connect import functions as F

    observation = Observation("stats")
    frame = spark.range(100).observe(observation, F.count(F.lit(1)).alias("n"), F.max("id").alias("largest"))
    assert frame.filter("id < 10").count() == 10
    assert observation.get == {"n": 100, "largest": 99}
