"""ADBC's Flight SQL driver, as applications use it."""
import datetime as dt
import decimal
import threading
import time
import warnings

import adbc_driver_manager
import pyarrow as pa
import pytest

pytestmark = pytest.mark.concurrent


def ask(cursor, sql, parameters=None):
    cursor.execute(sql, parameters)
    return cursor.fetchall()


def test_a_query_gives_its_rows(cursor):
    assert ask(cursor, "select 1 as x, 'a' as s union all select 2, null order by 1") == [(1, "a"), (2, None)]


def test_names_of_columns_may_repeat(cursor):
    cursor.execute("select 1 as k, 2 as v, 3 as k")
    assert cursor.fetch_arrow_table().schema.names == ["k", "v", "k"]


def test_the_dialect_is_duckdbs(cursor):
    assert ask(cursor, "select 7/2, 7//2, substring('hello', 0, 2), dayofweek(date '2024-03-03')") == [(3.5, 3, "h", 0)]
    assert ask(cursor, "select v from (values (3), (null), (1)) t(v) order by v") == [(1,), (3,), (None,)]


# ---- statements that write ----


@pytest.mark.parametrize("how", ["execute", "prepare", "update", "fetch"])
def test_what_a_cursor_writes_is_there_once(connect, cursor, table, how):
    with connect(autocommit=True) as other, other.cursor() as k:
        for sql in (f"create table {table}(i int)", f"insert into {table} values (41)"):
            if how == "prepare":
                k.adbc_prepare(sql)
            if how == "update":
                k.adbc_statement.set_sql_query(sql)
                k.adbc_statement.execute_update()
                continue
            k.execute(sql)
            if how == "fetch":
                k.fetchall()
    assert ask(cursor, f"select count(*), sum(i) from {table}") == [(1, 41)]


def test_an_update_tells_how_many_rows(cursor, table):
    ask(cursor, f"create table {table}(i int)")
    cursor.adbc_statement.set_sql_query(f"insert into {table} select range from range(7)")
    assert cursor.adbc_statement.execute_update() == 7


def test_returning_gives_rows(cursor, table):
    ask(cursor, f"create table {table}(i int)")
    assert ask(cursor, f"insert into {table} values (1), (2) returning i * 10 as j") == [(10,), (20,)]


# ---- parameters ----


def test_bound_values_arrive(cursor, table):
    ask(cursor, f"create table {table}(i int, s varchar, d date, m decimal(9,2))")
    rows = [(1, "it's", dt.date(2024, 2, 29), decimal.Decimal("1.50")), (2, None, None, None),
            (3, "ü", dt.date(1969, 12, 31), decimal.Decimal("-0.01"))]
    cursor.executemany(f"insert into {table} values (?, ?, ?, ?)", rows)
    assert ask(cursor, f"select count(*) from {table} where s is null") == [(1,)]
    assert ask(cursor, f"select i, s, m from {table} where d < ? order by i", (dt.date(2000, 1, 1),)) == [
        (3, "ü", decimal.Decimal("-0.01"))]
    assert ask(cursor, "select $1::int + $2::int, $1::int", (40, 2)) == [(42, 40)]
    assert ask(cursor, f"select * from {table} order by i") == rows


def test_an_empty_executemany_adds_nothing(cursor, table):
    ask(cursor, f"create table {table}(i int)")
    cursor.executemany(f"insert into {table} values (?)", [])
    assert ask(cursor, f"select count(*) from {table}") == [(0,)]


def test_the_schema_of_parameters_has_one_field_each(cursor, table):
    ask(cursor, f"create table {table}(i int, s varchar)")
    schema = cursor.adbc_prepare(f"select ? as a, i from {table} where s = ?")
    assert len(schema) == 2
    assert schema.field(1).type == pa.string()


@pytest.mark.parametrize("values", [(), (1, 2)])
def test_a_wrong_number_of_values_is_refused(cursor, values):
    with pytest.raises(adbc_driver_manager.ProgrammingError):
        ask(cursor, "select ?::int", values or None)


def test_a_prepared_statement_runs_many_times(cursor):
    cursor.adbc_prepare("select ?::bigint + 1")
    assert [ask(cursor, "select ?::bigint + 1", (i,)) for i in range(100)] == [[(i + 1,)] for i in range(100)]


SCALARS = [
    (pa.bool_(), "boolean", [True, None, False]),
    (pa.int8(), "tinyint", [-128, None, 127]),
    (pa.int16(), "smallint", [-32768, None, 32767]),
    (pa.int32(), "integer", [-2**31, None, 2**31 - 1]),
    (pa.int64(), "bigint", [-2**63, None, 2**63 - 1]),
    (pa.uint8(), "utinyint", [0, None, 255]),
    (pa.uint16(), "usmallint", [0, None, 65535]),
    (pa.uint32(), "uinteger", [0, None, 2**32 - 1]),
    (pa.uint64(), "ubigint", [0, None, 2**64 - 1]),
    (pa.float32(), "float", [-1.5, None, 3.25]),
    (pa.float64(), "double", [-1.5, None, 1e300]),
    (pa.decimal128(38, 4), "decimal(38,4)", [decimal.Decimal("-1.5000"), None, decimal.Decimal(10**30)]),
    (pa.string(), "varchar", ["", None, "\u00e9\u4e2d"]),
    (pa.large_string(), "varchar", ["", None, "x" * 100]),
    (pa.binary(), "blob", [b"", None, b"\x00\xff"]),
    (pa.date32(), "date", [dt.date(1, 1, 1), None, dt.date(9999, 12, 31)]),
    (pa.time64("us"), "time", [dt.time(0), None, dt.time(23, 59, 59, 999999)]),
    (pa.timestamp("us"), "timestamp", [dt.datetime(1969, 12, 31, 23), None, dt.datetime(2262, 5, 1, 1, 2, 3, 4)]),
    (pa.timestamp("ms"), "timestamp", [dt.datetime(1969, 12, 31, 23), None, dt.datetime(2024, 5, 1)]),
    (pa.timestamp("us", "UTC"), "timestamptz", [dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc), None]),
]


@pytest.mark.parametrize(("arrow", "name", "values"), SCALARS, ids=[str(a) for a, _, _ in SCALARS])
def test_parameters_of_every_type_go_there_and_back(cursor, table, arrow, name, values):
    ask(cursor, f"create table {table}(n int, v {name})")
    batch = pa.record_batch({"n": pa.array(range(len(values)), pa.int32()), "v": pa.array(values, arrow)})
    cursor.adbc_statement.set_sql_query(f"insert into {table} values (?, ?)")
    cursor.adbc_statement.prepare()
    cursor.adbc_statement.bind(batch)
    assert cursor.adbc_statement.execute_update() == len(values)
    cursor.execute(f"select v from {table} order by n")
    assert cursor.fetch_arrow_table()["v"].cast(arrow).to_pylist() == values


def test_rows_of_parameters_of_a_query_give_their_results_one_after_another(cursor):
    cursor.adbc_statement.set_sql_query("select ?::int as v from range(2)")
    cursor.adbc_statement.prepare()
    cursor.adbc_statement.bind(pa.record_batch({"x": pa.array([1, None, 3], pa.int32())}))
    stream, _ = cursor.adbc_statement.execute_query()
    assert pa.RecordBatchReader._import_from_c(stream.address).read_all()["v"].to_pylist() == [1, 1, None, None, 3, 3]


# ---- ingestion ----

ROWS = pa.table({"i": range(100_000), "s": [None if i % 3 == 0 else f"v{i}" for i in range(100_000)]})


def test_ingestion_in_its_modes(cursor, table):
    assert cursor.adbc_ingest(table, ROWS, mode="create") == 100_000
    assert cursor.adbc_ingest(table, ROWS, mode="append") == 100_000
    assert cursor.adbc_ingest(table, ROWS.slice(0, 10), mode="replace") == 10
    assert ask(cursor, f"select count(*), count(s), sum(i) from {table}") == [(10, 6, 45)]
    assert cursor.adbc_ingest(table, ROWS.slice(0, 1), mode="create_append") == 1
    with pytest.raises(adbc_driver_manager.ProgrammingError, match="exists"):
        cursor.adbc_ingest(table, ROWS, mode="create")
    with pytest.raises(adbc_driver_manager.Error):
        cursor.adbc_ingest(table, pa.table({"zz": [1]}), mode="append")
    assert ask(cursor, f"select count(*) from {table}") == [(11,)]


def test_appending_wants_the_table(cursor, table):
    with pytest.raises(adbc_driver_manager.ProgrammingError, match="no table"):
        cursor.adbc_ingest(table, ROWS, mode="append")


def test_appending_goes_by_name(cursor, table):
    ask(cursor, f"create table {table}(a int, b varchar, c double)")
    cursor.adbc_ingest(table, pa.table({"b": ["x"], "a": pa.array([1], pa.int64())}), mode="append")
    assert ask(cursor, f"select * from {table}") == [(1, "x", None)]


def test_ingestion_is_all_or_nothing(cursor, table):
    ask(cursor, f"create table {table}(i int check (i < 9000))")
    with pytest.raises(adbc_driver_manager.Error):
        cursor.adbc_ingest(table, pa.table({"i": pa.array(range(10_000), pa.int32())}), mode="append")
    assert ask(cursor, f"select count(*) from {table}") == [(0,)]


def test_ingestion_is_part_of_the_open_transaction(connect, cursor, table):
    ask(cursor, f"create table {table}(i bigint)")
    with connect() as other, other.cursor() as k:
        k.adbc_ingest(table, pa.table({"i": [1, 2]}), mode="append")
        assert ask(k, f"select count(*) from {table}") == [(2,)]
        other.rollback()
        k.adbc_ingest(table, pa.table({"i": [3]}), mode="append")
        other.commit()
    assert ask(cursor, f"select i from {table}") == [(3,)]


def test_ingestion_into_a_schema_and_a_temporary_table(connect, cursor, table):
    ask(cursor, f"create schema s_{table}")
    try:
        cursor.adbc_ingest(table, pa.table({"i": [1]}), db_schema_name=f"s_{table}")
        assert ask(cursor, f"select i from s_{table}.{table}") == [(1,)]
    finally:
        ask(cursor, f"drop schema s_{table} cascade")
    with connect(autocommit=True) as other, other.cursor() as k:
        k.adbc_ingest(table, pa.table({"i": [2]}), temporary=True)
        assert ask(k, f"select i from {table}") == [(2,)]
        with pytest.raises(adbc_driver_manager.ProgrammingError):
            cursor.execute(f"select i from {table}")


# ---- transactions ----


def test_transactions_hold_what_they_promise(connect, table):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        a = connect()
    k = a.cursor()
    k.execute(f"create table {table}(i int)")
    a.commit()
    k.execute(f"insert into {table} values (1)")
    a.rollback()
    k.execute(f"insert into {table} values (2)")
    b = connect(autocommit=True)
    kb = b.cursor()
    assert ask(kb, f"select count(*) from {table}") == [(0,)]
    a.commit()
    assert ask(kb, f"select i from {table}") == [(2,)]
    k.close()
    kb.close()


def test_a_lost_connections_transaction_is_rolled_back(connect, cursor, table):
    ask(cursor, f"create table {table}(i int)")
    other = connect()
    with other.cursor() as k:
        k.execute(f"insert into {table} values (1)")
    other.close()
    assert ask(cursor, f"select count(*) from {table}") == [(0,)]


def test_a_failed_statement_spoils_the_transaction_until_rollback(connect):
    with connect() as a, a.cursor() as k:
        with pytest.raises(adbc_driver_manager.Error):
            k.execute("select error('no')")
            k.fetchall()
        a.rollback()
        assert ask(k, "select 1") == [(1,)]


# ---- metadata ----


def test_metadata_as_adbc_sees_it(connect, cursor, table):
    ask(cursor, f"create table {table}(i int primary key, s varchar not null, l int[])")
    with connect(autocommit=True) as c:
        objects = c.adbc_get_objects(depth="all", table_name_filter=table).read_all().to_pylist()
        found = [t for o in objects for s in o["catalog_db_schemas"] for t in s["db_schema_tables"]]
        assert [(t["table_name"], t["table_type"]) for t in found] == [(table, "BASE TABLE")]
        assert [c["column_name"] for c in found[0]["table_columns"]] == ["i", "s", "l"]
        assert c.adbc_get_table_schema(table).names == ["i", "s", "l"]
        assert "VIEW" in c.adbc_get_table_types()
        assert c.adbc_get_info()["vendor_name"] == "Portico"
        with pytest.raises(adbc_driver_manager.ProgrammingError):
            c.adbc_get_table_schema("no_such_table")


def test_catalog_and_schema_of_the_session(connect, cursor, table):
    ask(cursor, f"create schema s_{table}")
    try:
        with connect(autocommit=True) as c, c.cursor() as k:
            c.adbc_current_db_schema = f"s_{table}"
            assert c.adbc_current_db_schema == f"s_{table}"
            k.execute(f"create table {table}(i int)")
            assert ask(k, "select current_schema()") == [(f"s_{table}",)]
        assert ask(cursor, f"select count(*) from s_{table}.{table}") == [(0,)]
    finally:
        ask(cursor, f"drop schema s_{table} cascade")


# ---- big, slow, cancelled ----


def test_batches_stay_below_what_clients_take(cursor):
    cursor.execute("select range as i from range(2500000)")
    got = cursor.fetch_arrow_table()
    assert got.num_rows == 2_500_000
    assert max(b.nbytes for b in got.to_batches()) < 4 << 20
    cursor.execute("select repeat('z', 3000000) s from range(12)")
    assert cursor.fetch_arrow_table().num_rows == 12


LONG = "select sum(a.range * b.range % 7) from range(1000000) a, range(1000000) b"


def test_cancel_frees_the_processor(server, cursor):
    def cancel():
        time.sleep(0.3)
        cursor.adbc_cancel()

    threading.Thread(target=cancel).start()
    with pytest.raises(adbc_driver_manager.Error):
        ask(cursor, LONG)
    time.sleep(1)
    assert busy_seconds(server, 0.5) < 0.25


def busy_seconds(server, seconds):
    """Processor time that the server spends meanwhile."""
    def used():
        with open(f"/proc/{server.process.pid}/stat", encoding="ascii") as stat:
            return sum(int(n) for n in stat.read().rsplit(")", 1)[1].split()[11:13]) / 100

    before = used()
    time.sleep(seconds)
    return used() - before


def test_results_interleave_with_metadata(connect, adbc):
    with adbc.cursor() as a, adbc.cursor() as b:
        a.execute("select range as i from range(3000000)")
        b.execute("select -range as i from range(3000000)")
        first, second = a.fetch_record_batch(), b.fetch_record_batch()
        rows = 0
        for x, y in zip(first, second):
            rows += x.num_rows + y.num_rows
            if rows < 200_000:
                assert adbc.adbc_get_table_types()
        rows += sum(batch.num_rows for batch in first) + sum(batch.num_rows for batch in second)
        assert rows > 5_000_000


def test_polling_gives_the_result(adbc):
    with adbc.cursor(adbc_stmt_kwargs={"adbc.statement.exec.incremental": "true"}) as k:
        k.adbc_statement.set_sql_query("select 42 as x")
        partitions, schema, _ = k.adbc_statement.execute_partitions()
        assert len(partitions) == 1


# ---- errors ----

ERRORS = [
    ("selekt 1", adbc_driver_manager.ProgrammingError, "INVALID_ARGUMENT"),
    ("select no_such_column", adbc_driver_manager.ProgrammingError, "INVALID_ARGUMENT"),
    ("select * from no_such_table", adbc_driver_manager.ProgrammingError, "NOT_FOUND"),
    ("select 'x'::int", adbc_driver_manager.Error, "Conversion"),
    ("create table information_schema.x(i int)", adbc_driver_manager.Error, "system"),
]


@pytest.mark.parametrize(("sql", "kind", "code"), ERRORS, ids=[e[0] for e in ERRORS])
def test_errors_name_what_is_wrong(cursor, sql, kind, code):
    with pytest.raises(kind, match=code):
        ask(cursor, sql)
    assert ask(cursor, "select 1") == [(1,)]


def test_an_error_within_the_rows_reaches_the_client(cursor):
    with pytest.raises(adbc_driver_manager.Error, match="late"):
        ask(cursor, "select case when range = 2000000 then error('late') else range end from range(3000000)")


@pytest.mark.parametrize("sql, values, rows", [
    ("select ? as a, i from range(3) r(i)", ("x",), [("x", 0), ("x", 1), ("x", 2)]),
    ("select i + ? as a from range(3) r(i)", (1.5,), [(1.5,), (2.5,), (3.5,)]),
    ("select coalesce(?, i) as a from range(2) r(i)", (None,), [(0,), (1,)]),
    ("select [?, i] as a, {'b': ?} as b from range(2) r(i)", (7, "t"), [([7, 0], {"b": "t"}), ([7, 1], {"b": "t"})]),
    ("select map {i: ?} as a from range(1) r(i)", ("t",), [([(0, "t")],)]),
])
@pytest.mark.parametrize("autocommit", [True, False])
def test_types_may_depend_on_values(connect, autocommit, sql, values, rows):
    with connect(autocommit=autocommit).cursor() as cursor:
        cursor.execute(sql, values)
        assert cursor.fetchall() == rows
