"""examples/acme_decoder.c: a format and extension nodes from outside, through the C API and through Spark Connect."""
import pathlib
import struct
import subprocess

import pytest

from program import BINARY
from serving import Server

BUILD = pathlib.Path(BINARY).parent
PLUGIN = BUILD / "plugin_acme_decoder.so"


def acme(*arguments, code=0):
    done = subprocess.run([BUILD / "example_acme_decoder", *arguments], capture_output=True, timeout=60)
    assert done.returncode == code, done.stderr.decode()
    return (done.stdout if code == 0 else done.stderr).decode()


def test_the_example_runs_by_itself():
    assert acme() == "0\n70\n140\n"


def test_the_c_api_takes_every_registered_format():
    assert acme("acme.query.v1", "from numbers\nwhere id > 97\n", "spark.sql", "select max(id) from numbers") == "98\n99\n99\n"


@pytest.mark.parametrize("format, text, words", [
    ("acme.query.v9", "from numbers", ["acme.query.v9", "acme.query.v1", "spark.sql", "spark.connect.plan.v1"]),
    ("acme.query.v1", "form numbers", ["acme.query.v1 has no step like", "form numbers"]),
    ("acme.query.v1", "where true", ["NULL"]),
    ("acme.query.v1", "from numbers\nwhere nothing = 1", ["UNRESOLVED_COLUMN", "nothing"]),
    ("acme.query.v1", "from numbers\nwhere (", ["PARSE_SYNTAX_ERROR"]),
    ("spark.connect.plan.v1", "\xff", ["malformed"]),
])
def test_errors_name_what_is_wrong(format, text, words):
    message = acme(format, text, code=1)
    for word in words:
        assert word in message, message


# ---- PySpark against the server with the plug-in ----

def field(number, content):
    if isinstance(content, int):
        return bytes([number << 3, content])
    if isinstance(content, float):
        return bytes([number << 3 | 1]) + struct.pack("<d", content)
    size, length = len(content), b""
    while size > 127:
        length += bytes([size & 127 | 128])
        size >>= 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + content


@pytest.fixture(scope="module")
def acme_spark(tmp_path_factory):
    from pyspark.sql import SparkSession
    server = Server(tmp_path_factory.mktemp("acme"), "--plugins", str(PLUGIN))
    spark = SparkSession.builder.remote(server.url).create()
    yield spark
    spark.stop()
    assert server.stop() is None


def dataframe(spark, make):
    """A DataFrame whose plan is what `make` gives for the client's own plan builder."""
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.plan import LogicalPlan

    class Extension(LogicalPlan):
        def __init__(self, child):
            super().__init__(child)

        def plan(self, session):
            plan = self._create_proto_relation()
            make(plan, self._child.plan(session) if self._child is not None else None)
            return plan

    return lambda df: DataFrame(Extension(df._plan), spark)


def top_rows(count, column, type_url="type.googleapis.com/acme.TopRows"):
    def make(plan, child):
        plan.extension.type_url = type_url
        plan.extension.value = (field(1, child.SerializeToString()) + field(2, count) + field(3, column.encode()))
    return make


def test_an_extension_relation_is_part_of_a_dataframe(acme_spark):
    df = acme_spark.range(10).withColumnRenamed("id", "n")
    top = dataframe(acme_spark, top_rows(3, "n"))(df)
    assert top.schema.simpleString() == "struct<n:bigint>"
    assert [row.n for row in top.collect()] == [9, 8, 7]
    assert top.filter(top.n > 7).count() == 2  # its columns are found by the plan's id
    again = dataframe(acme_spark, top_rows(1, "n"))(top)
    assert again.collect()[0].n == 9


def test_an_extension_expression_is_part_of_a_projection(acme_spark):
    from pyspark.sql.connect.column import Column
    from pyspark.sql.connect.expressions import Expression
    import pyspark.sql.connect.functions as F

    class Clamp(Expression):
        def __init__(self, child):
            super().__init__()
            self.child = child

        def to_plan(self, session):
            plan = self._create_proto_expression()
            plan.extension.type_url = "acme.Clamp"
            plan.extension.value = (field(1, self.child._expr.to_plan(session).SerializeToString()) + field(2, 2.0)
                                    + field(3, 5.0))
            return plan

        def __repr__(self):
            return "clamp"

    df = acme_spark.range(8).select(Column(Clamp(F.col("id").cast("double"))).alias("c"))
    assert [row.c for row in df.collect()] == [2, 2, 2, 3, 4, 5, 5, 5]


def test_an_unknown_extension_is_named_with_those_that_there_are(acme_spark):
    from pyspark.errors import PySparkException
    df = dataframe(acme_spark, top_rows(3, "id", "acme.Unheard"))(acme_spark.range(3))
    with pytest.raises(PySparkException) as caught:
        df.collect()
    for word in ("NO_HANDLER_FOR_EXTENSION", "acme.Unheard", "acme.TopRows", "acme.Clamp"):
        assert word in str(caught.value)


@pytest.mark.parametrize("value", [b"", b"\xff", field(1, b"\xff\xff") + field(2, 1) + field(3, b"id"), b"\x0a\x7f"])
def test_a_malformed_extension_is_an_error(acme_spark, value):
    from pyspark.errors import PySparkException

    def make(plan, child):
        plan.extension.type_url = "acme.TopRows"
        plan.extension.value = value
    with pytest.raises(PySparkException):
        dataframe(acme_spark, make)(acme_spark.range(3)).collect()


def test_extensions_nested_too_deeply_are_an_error(acme_spark):
    from pyspark.errors import PySparkException
    df = acme_spark.range(3)
    for _ in range(12):
        df = dataframe(acme_spark, top_rows(3, "id"))(df)
    with pytest.raises(PySparkException, match="extensions nest deeper"):
        df.collect()


@pytest.mark.parametrize("plugin, words", [("absent.so", "absent.so"), (BINARY, "cannot dynamically load|no function")])
def test_a_plugin_that_cannot_be_loaded_is_named(tmp_path, plugin, words):
    with pytest.raises(RuntimeError, match=words):
        Server(tmp_path, "--plugins", plugin)
