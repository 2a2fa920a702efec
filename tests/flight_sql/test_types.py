"""Values of every type of DuckDB, by Flight SQL as in one's own process."""
import duckdb
import pyarrow as pa
import pytest

VALUES = {
    "null": "null", "boolean": "true", "tinyint": "(-128)::tinyint", "smallint": "(-32768)::smallint",
    "integer": "1::int", "bigint": "(-9223372036854775808)::bigint", "utinyint": "255::utinyint",
    "usmallint": "65535::usmallint", "uinteger": "4294967295::uinteger", "ubigint": "18446744073709551615::ubigint",
    "hugeint": "99999999999999999999999999999999999999::hugeint", "uhugeint": "5::uhugeint",
    "float": "1.5::float", "double": "'nan'::double", "decimal(4,1)": "1.5::decimal(4,1)",
    "decimal(9,2)": "-1.25::decimal(9,2)", "decimal(18,3)": "1.125::decimal(18,3)",
    "decimal(38,10)": "12345678901234567890.5::decimal(38,10)", "varchar": "'h\u00e9'", "blob": "'\\x00\\xff'::blob",
    "bit": "'10101'::bit", "date": "date '1969-02-28'", "time": "time '23:59:59.999999'",
    "time with zone": "'12:00:00+02'::timetz", "timestamp": "timestamp '1969-12-31 23:59:59.5'",
    "timestamp_s": "'2024-01-02 03:04:05'::timestamp_s", "timestamp_ms": "'2024-01-02 03:04:05.006'::timestamp_ms",
    "timestamp_ns": "'2024-01-02 03:04:05.006007008'::timestamp_ns",
    "timestamp with zone": "'2024-01-02 03:04:05+00'::timestamptz", "interval": "interval '1 month 2 days 3 seconds'",
    "uuid": "'00112233-4455-6677-8899-aabbccddeeff'::uuid", "enum": "'b'::enum('a', 'b')",
    "list": "[1, null, 3]", "list of text": "['a', null]", "array": "[1, 2, 3]::int[3]", "struct": "{'a': 1, 'b': 'x'}",
    "map": "map {'k': 1, 'l': null}", "union": "union_value(n := 5)",
    "union of two": "union_value(s := 'x')::union(n int, s varchar)",
    "nested": "[{'a': [1, 2], 'm': map {1: {'x': date '2024-01-01'}}}]", "empty list": "[]::int[]",
    "list of enum": "['a', 'b']::enum('a', 'b')[]", "array of struct": "[{'a': 1}, {'a': 2}]::struct(a int)[2]",
    "list of uuid": "['00112233-4455-6677-8899-aabbccddeeff']::uuid[]",
}


def plain(kind):
    """The type as clients get it: no dictionaries, no views, no extension types that they would have to know."""
    if pa.types.is_dictionary(kind):
        return kind.value_type
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(plain(kind.value_type)))
    return kind


@pytest.mark.parametrize("name", VALUES)
def test_a_value_arrives_as_it_does_in_process(cursor, name):
    sql = f"select {VALUES[name]} as v union all select null union all select {VALUES[name]}"
    own = duckdb.connect()
    cursor.execute("select current_setting('TimeZone')")
    own.execute("set timezone = '" + cursor.fetchone()[0] + "'")
    wanted = own.execute(sql).arrow()
    wanted = wanted.read_all() if isinstance(wanted, pa.RecordBatchReader) else wanted
    cursor.execute(sql)
    got = cursor.fetch_arrow_table()
    assert got.schema.field("v").type == plain(wanted.schema.field("v").type)
    assert repr(got["v"].to_pylist()) == repr(wanted["v"].to_pylist())
    got.validate(full=True)


@pytest.mark.parametrize("name", [n for n in VALUES if n != "null" and "union" not in n])
def test_a_column_is_ingested_as_what_it_is(cursor, table, name):
    cursor.execute(f"select {VALUES[name]} as v union all select null")
    rows = cursor.fetch_arrow_table()
    cursor.adbc_ingest(table, rows)
    cursor.execute(f"select * from {table}")
    assert repr(cursor.fetch_arrow_table()["v"].to_pylist()) == repr(rows["v"].to_pylist())
