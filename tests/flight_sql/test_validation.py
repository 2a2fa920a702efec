"""What drivers of ADBC are held to whatever the database: our own reading of the interface, for Flight SQL's driver.

ADBC's own validation suites (in C++ and Go) are in no package registry, so these are equivalents, not copies.
"""
import adbc_driver_flightsql
import adbc_driver_manager
import pyarrow as pa
import pytest
from adbc_driver_flightsql import dbapi

STATUS = adbc_driver_manager.AdbcStatusCode


def ask(cursor, sql, parameters=None):
    cursor.execute(sql, parameters)
    return cursor.fetchall()


def status_of(call):
    with pytest.raises(adbc_driver_manager.Error) as caught:
        call()
    return caught.value.status_code


# ---- databases and connections ----


def test_a_database_serves_several_connections(uri):
    with adbc_driver_flightsql.connect(uri) as database:
        with adbc_driver_manager.AdbcConnection(database) as one, adbc_driver_manager.AdbcConnection(database) as two:
            for connection in (one, two):
                with adbc_driver_manager.AdbcStatement(connection) as statement:
                    statement.set_sql_query("select 1")
                    reader, _ = statement.execute_query()
                    assert pa.RecordBatchReader._import_from_c(reader.address).read_all().num_rows == 1


def test_unknown_options_are_refused(uri, adbc):
    refused = (STATUS.NOT_IMPLEMENTED, STATUS.INVALID_ARGUMENT)
    assert status_of(lambda: dbapi.connect(uri, db_kwargs={"adbc.nobody.knows": "x"})) in refused
    assert status_of(lambda: adbc.adbc_connection.set_options(**{"adbc.nobody.knows": "x"})) in refused


def test_autocommit_can_be_changed(connect, cursor, table):
    connection = connect(autocommit=True)
    assert status_of(connection.adbc_connection.commit) == STATUS.INVALID_STATE
    assert status_of(connection.adbc_connection.rollback) == STATUS.INVALID_STATE
    connection.adbc_connection.set_autocommit(False)
    with connection.cursor() as k:
        ask(k, f"create table {table}(i int)")
        ask(k, f"insert into {table} values (1)")
        connection.adbc_connection.commit()
        ask(k, f"insert into {table} values (2)")
        connection.adbc_connection.rollback()
        ask(k, f"insert into {table} values (3)")
    connection.adbc_connection.set_autocommit(True)  # commits what is open
    assert ask(cursor, f"select i from {table} order by i") == [(1,), (3,)]


def test_the_current_catalog_and_schema(connect, cursor):
    ask(cursor, "create schema if not exists validation_s")
    connection = connect(autocommit=True)
    [(catalog,)] = ask(cursor, "select current_catalog()")
    assert connection.adbc_current_catalog in ("", catalog)  # "": none was chosen
    assert connection.adbc_current_db_schema in ("", "main")
    connection.adbc_current_db_schema = "validation_s"
    assert connection.adbc_current_db_schema == "validation_s"
    with connection.cursor() as k:
        assert ask(k, "select current_schema()") == [("validation_s",)]
    connection.adbc_current_catalog = catalog
    assert connection.adbc_current_catalog == catalog
    assert status_of(lambda: setattr(connection, "adbc_current_db_schema", "nowhere")) != STATUS.OK


def test_information(adbc):
    info = adbc.adbc_get_info()
    assert {"vendor_name", "vendor_version", "vendor_arrow_version", "driver_name", "driver_version"} <= set(info)


# ---- objects ----


@pytest.mark.parametrize("depth, has", [("catalogs", 0), ("db_schemas", 1), ("tables", 2), ("all", 3)])
def test_objects_to_each_depth(connect, cursor, table, depth, has):
    ask(cursor, f"create table {table}(i int not null, s varchar)")
    objects = connect(autocommit=True).adbc_get_objects(depth=depth, table_name_filter=table).read_all().to_pylist()
    assert objects
    schemas = [s for o in objects for s in o["catalog_db_schemas"] or []]
    tables = [t for s in schemas for t in s["db_schema_tables"] or []]
    columns = [c for t in tables for c in t["table_columns"] or []]
    assert [bool(schemas), bool(tables), bool(columns)] == [has > 0, has > 1, has > 2]
    if has > 1:
        assert [(t["table_name"], t["table_type"]) for t in tables] == [(table, "BASE TABLE")]
    if has > 2:
        assert [(c["column_name"], c["ordinal_position"]) for c in columns] == [("i", 1), ("s", 2)]


def test_objects_by_filter(connect, cursor, table):
    ask(cursor, f"create table {table}(i int)")
    connection = connect(autocommit=True)

    def tables(**filters):
        objects = connection.adbc_get_objects(depth="tables", **filters).read_all().to_pylist()
        return [t["table_name"] for o in objects for s in o["catalog_db_schemas"] or [] for t in s["db_schema_tables"] or []]

    assert tables(table_name_filter=table[:-1] + "_") == [table]
    assert tables(table_name_filter=table[:8] + "%", db_schema_filter="main") == [table]
    assert tables(table_name_filter=table, db_schema_filter="nowhere") == []
    assert tables(table_name_filter=table, table_types_filter=["VIEW"]) == []
    assert tables(table_name_filter=table, table_types_filter=["BASE TABLE"]) == [table]
    columns = connection.adbc_get_objects(depth="columns", table_name_filter=table, column_name_filter="nothing")
    assert [c for o in columns.read_all().to_pylist() for s in o["catalog_db_schemas"] or []
            for t in s["db_schema_tables"] or [] for c in t["table_columns"] or []] == []


def test_the_schema_of_a_table(connect, cursor, table):
    ask(cursor, f"create table {table}(i int not null, s varchar, t timestamp, l int[])")
    connection = connect(autocommit=True)
    schema = connection.adbc_get_table_schema(table)
    assert [(f.name, f.type) for f in schema][:3] == [("i", pa.int32()), ("s", pa.string()), ("t", pa.timestamp("us"))]
    assert connection.adbc_get_table_schema(table, db_schema_filter="main").names == schema.names
    assert status_of(lambda: connection.adbc_get_table_schema("nowhere_to_be_found")) == STATUS.NOT_FOUND
    assert "BASE TABLE" in connection.adbc_get_table_types() and "VIEW" in connection.adbc_get_table_types()


# ---- statements ----


def test_a_new_result_ends_the_old_one(cursor):
    cursor.execute("select * from range(100000)")
    first = cursor.fetch_record_batch()
    first.read_next_batch()
    assert ask(cursor, "select 2") == [(2,)]


def test_statements_of_one_connection_stand_beside_each_other(adbc):
    with adbc.cursor() as one, adbc.cursor() as two:
        one.execute("select * from range(100000)")
        two.execute("select * from range(50000)")
        assert two.fetch_arrow_table().num_rows == 50_000
        assert one.fetch_arrow_table().num_rows == 100_000


def test_a_statement_without_a_query_is_in_no_state_to_run(cursor):
    assert status_of(cursor.adbc_statement.execute_query) == STATUS.INVALID_STATE
    assert status_of(cursor.adbc_statement.prepare) == STATUS.INVALID_STATE


def test_preparing_and_running_again(cursor):
    cursor.adbc_prepare("select ?::bigint * 2 as x")
    for i in range(5):
        assert ask(cursor, "select ?::bigint * 2 as x", (i,)) == [(2 * i,)]


def test_binding_a_table_a_batch_and_a_stream(cursor, table):
    ask(cursor, f"create table {table}(i bigint, s varchar)")
    rows = pa.table({"i": [1, 2], "s": ["a", None]})
    for bound in (rows, rows.to_batches()[0], rows.to_reader()):
        cursor.executemany(f"insert into {table} values (?, ?)", bound)
    assert ask(cursor, f"select count(*), sum(i), count(s) from {table}") == [(6, 9, 3)]


def test_the_schema_of_a_result_without_running_it(cursor):
    schema = cursor.adbc_execute_schema("select 1::int as a, 'x' as b")
    assert [(f.name, f.type) for f in schema] == [("a", pa.int32()), ("b", pa.string())]


def test_rows_that_were_affected(cursor, table):
    for sql, wanted in ((f"create table {table}(i int)", (0, -1)), (f"insert into {table} values (1), (2), (3)", (3,)),
                        (f"update {table} set i = i + 1 where i > 1", (2,)), (f"delete from {table}", (3,))):
        cursor.adbc_statement.set_sql_query(sql)
        assert cursor.adbc_statement.execute_update() in wanted, sql


def test_partitions_are_read_by_another_connection(uri, connect):
    with connect(autocommit=True).cursor() as k:
        partitions, schema = k.adbc_execute_partitions("select range as i from range(1000)")
        assert schema.names == ["i"] and len(partitions) == 1
        with connect(autocommit=True).cursor() as other:
            other.adbc_read_partition(partitions[0])
            assert other.fetch_arrow_table().num_rows == 1000


def test_a_prepared_query_is_polled(cursor):
    cursor.adbc_statement.set_options(**{"adbc.statement.exec.incremental": "true"})
    cursor.adbc_statement.set_sql_query("select 7 as x")
    cursor.adbc_statement.prepare()
    seen = []
    while True:
        partitions, _, _ = cursor.adbc_statement.execute_partitions()
        if not partitions:
            break
        seen += partitions
    assert len(seen) == 1


# ---- ingestion ----

INGESTED = [pa.array([True, None]), pa.array([1, None], pa.int8()), pa.array([1, None], pa.int16()), pa.array([1, None], pa.int32()),
            pa.array([1, None], pa.int64()), pa.array([1, None], pa.uint8()), pa.array([1, None], pa.uint16()),
            pa.array([1, None], pa.uint32()), pa.array([1, None], pa.uint64()), pa.array([1.5, None], pa.float32()),
            pa.array([1.5, None], pa.float64()), pa.array(["é", None], pa.string()), pa.array(["é", None], pa.large_string()),
            pa.array([b"\0\xff", None], pa.binary()),
            pa.array([b"\0\xff", None], pa.large_binary()), pa.array([0, None], pa.date32()), pa.array([0, None], pa.time64("us")),
            pa.array([0, None], pa.timestamp("us")), pa.array([0, None], pa.timestamp("us", "UTC")),
            pa.array([[1], None], pa.list_(pa.int32())), pa.array(["a", None]).dictionary_encode()]


@pytest.mark.parametrize("array", INGESTED, ids=lambda a: str(a.type).split("<")[0])
def test_ingesting_every_type(cursor, table, array):
    assert cursor.adbc_ingest(table, pa.table({"c": array}), mode="create") == 2
    cursor.execute(f"select c from {table}")
    values = array.dictionary_decode() if pa.types.is_dictionary(array.type) else array
    assert cursor.fetch_arrow_table()["c"].to_pylist() == values.to_pylist()


def test_ingesting_into_a_catalog_and_a_schema(adbc, cursor, table):
    ask(cursor, "create schema if not exists validation_s")
    [(catalog,)] = ask(cursor, "select current_catalog()")
    rows = pa.table({"i": [1]})
    with adbc.cursor() as k:
        assert k.adbc_ingest(table, rows, mode="create", db_schema_name="validation_s", catalog_name=catalog) == 1
    assert ask(cursor, f"select count(*) from validation_s.{table}") == [(1,)]
    ask(cursor, f"drop table validation_s.{table}")
    with adbc.cursor() as k:
        assert status_of(lambda: k.adbc_ingest(table, rows, mode="create", db_schema_name="nowhere")) != STATUS.OK


@pytest.mark.parametrize("mode, exists, wanted", [
    ("create", False, 2), ("create", True, STATUS.ALREADY_EXISTS), ("append", False, STATUS.NOT_FOUND), ("append", True, 3),
    ("replace", False, 2), ("replace", True, 2), ("create_append", False, 2), ("create_append", True, 3)])
def test_ingesting_in_each_mode(cursor, table, mode, exists, wanted):
    if exists:
        ask(cursor, f"create table {table} as select 1::bigint as i")
    rows = pa.table({"i": [2, 3]})
    if isinstance(wanted, int) and not isinstance(wanted, STATUS):
        assert cursor.adbc_ingest(table, rows, mode=mode) == 2
        assert ask(cursor, f"select count(*) from {table}") == [(wanted,)]
    else:
        assert status_of(lambda: cursor.adbc_ingest(table, rows, mode=mode)) == wanted


def test_ingesting_in_a_transaction_that_is_rolled_back(connect, cursor, table):
    connection = connect()
    with connection.cursor() as k:
        k.adbc_ingest(table, pa.table({"i": [1]}), mode="create")
        connection.rollback()
        assert status_of(lambda: k.execute(f"select * from {table}")) == STATUS.NOT_FOUND
        connection.rollback()


def test_ingesting_dictionaries_with_nulls_in_every_slice(cursor, table):
    words = pa.array(["a", None, "b"] * 1366 + ["c"]).dictionary_encode()
    assert cursor.adbc_ingest(table, pa.table({"i": range(len(words)), "c": words}), mode="create") == len(words)
    cursor.execute(f"select c from {table} order by i")
    assert cursor.fetch_arrow_table()["c"].to_pylist() == words.to_pylist()
