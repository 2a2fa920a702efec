"""Results that stream from a connection which other statements want: within transactions, and in sessions that have set something."""
import threading
import time

import adbc_driver_manager
import adbc_driver_manager.dbapi
import pyarrow as pa
import pytest
from proto_bytes import field
from raw_flight import SERVICE, Flight, any_of, descriptor, fields, leave, number, text
from test_cpu import ENDLESS, query_info, spent_after
from test_hostile import ipc_parts
from test_streams import eventually, resident_mib

ROWS = 3_000_000  # 130 MiB: more than waits for a client, and more than the rest of a result keeps in memory
MANY = f"select i, 'row number ' || i as s, i * 1.5 as d from range({ROWS}) r(i)"
SLOW = "select i, 'row number ' || i as s from range(100000000000) r(i) where i < 300000 or sqrt(i) < 0"  # and then no more rows
LATE = "with s as (select sum(i) as x from range(100000000) r(i)) " + SLOW.replace(" where", ", s where x > 0 and (") + ")"  # none at first, either
HUGE = "select i, 'row number ' || i as s from range(10000000000) r(i)"


@pytest.fixture(params=["pool", "transaction", "setting"])
def connection(request, connect):
    if request.param == "transaction":
        return connect()
    connection = connect(autocommit=True)
    if request.param == "setting":
        run(connection, "set variable v = 1")
    return connection


def run(connection, sql):
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall()


def open_result(connection, sql):
    cursor = connection.cursor()
    cursor.execute(sql)
    return cursor, cursor.fetch_record_batch()


def check(batches, first=0):
    """Rows of MANY in their order; how many there were."""
    at = first
    for batch in batches:
        assert batch.column(0).to_pylist() == list(range(at, at + batch.num_rows))
        assert batch.column(1)[0].as_py() == f"row number {at}" and batch.column(1)[-1].as_py() == f"row number {at + batch.num_rows - 1}"
        at += batch.num_rows
    return at


def test_rows_stream(server, connection):
    before = resident_mib(server)
    cursor, reader = open_result(connection, HUGE)
    assert check([reader.read_next_batch() for _ in range(3)]) > 0
    assert resident_mib(server) < before + 400
    reader.close()
    cursor.close()
    assert spent_after(server, 2) < 0.5


@pytest.mark.parametrize("rows", [100_000, ROWS])
def test_results_are_read_by_turns(connection, rows):
    cursors = [open_result(connection, MANY.replace(str(ROWS), str(rows))) for _ in range(3)]
    at = [0, 0, 0]
    for _ in range(2):
        for k, (_, reader) in enumerate(cursors):
            at[k] = check([reader.read_next_batch()], at[k])
        assert run(connection, "select 42") == [(42,)]
    assert [check(reader, at[k]) for k, (_, reader) in enumerate(cursors)] == 3 * [rows]
    for cursor, _ in cursors:
        cursor.close()


def test_a_result_is_of_its_time(connection, table):
    run(connection, f"create table {table} as {MANY}")
    cursor, reader = open_result(connection, f"select * from {table} order by i")
    at = check([reader.read_next_batch()])
    run(connection, f"delete from {table} where i >= 10")
    run(connection, f"drop table {table}")
    run(connection, f"create table {table} as select 'other' as x")
    assert check(reader, at) == ROWS
    cursor.close()
    assert run(connection, f"select * from {table}") == [("other",)]


@pytest.mark.parametrize("end, rows", [("commit", ROWS), ("rollback", 100_000)])
def test_a_result_outlives_its_transaction(connect, table, end, rows):
    connection = connect()
    run(connection, f"create table {table} as {MANY}")
    cursor, reader = open_result(connection, f"select * from {table} where i < {rows} order by i")
    getattr(connection, end)()
    assert check(reader) == rows
    cursor.close()
    assert bool(run(connection, f"select 1 from duckdb_tables() where table_name = '{table}'")) == (end == "commit")
    connection.rollback()


def roll_back_text(connection):
    run(connection, "-- at once\nrollback")


@pytest.mark.parametrize("roll_back", [adbc_driver_manager.dbapi.Connection.rollback, roll_back_text], ids=["action", "text"])
@pytest.mark.parametrize("sql", [HUGE, SLOW, LATE], ids=["large", "slow", "late"])
def test_a_rollback_does_not_wait_for_a_result(connect, sql, roll_back):
    connection = connect()
    if roll_back == roll_back_text:
        connection = connect(autocommit=True)
        run(connection, "begin")
    cursor, reader = open_result(connection, sql)
    if sql != LATE:
        reader.read_next_batch()
    roll_back(connection)  # which would take hours
    with pytest.raises((OSError, pa.ArrowException), match="make way for the ROLLBACK of its transaction"):
        while True:
            reader.read_next_batch()
    cursor.close()
    assert run(connection, "select 1") == [(1,)]


def commit_text(connection):
    run(connection, "/* at last */ commit")


@pytest.mark.parametrize("commit", [adbc_driver_manager.dbapi.Connection.commit, commit_text], ids=["action", "text"])
@pytest.mark.parametrize("problem", ["error", "cancel"])
def test_a_commit_of_what_has_failed_says_so(connect, table, problem, commit):
    connection = connect()
    if commit == commit_text:
        connection = connect(autocommit=True)
        run(connection, "begin")
    run(connection, f"create table {table}(i int)")
    last = f"select i, case when i = {ROWS} - 1 then ('no ' || i)::int end as e from range({ROWS}) r(i)"
    cursor, reader = open_result(connection, last if problem == "error" else SLOW)
    reader.read_next_batch()
    if problem == "cancel":
        threading.Timer(1, cursor.adbc_cancel).start()
        with pytest.raises((OSError, pa.ArrowException)):
            while True:
                reader.read_next_batch()
    with pytest.raises(adbc_driver_manager.Error, match="rolled back instead|transaction is aborted"):
        commit(connection)
    cursor.close()
    if commit == commit_text:
        roll_back_text(connection)
    assert run(connect(autocommit=True), f"select 1 from duckdb_tables() where table_name = '{table}'") == []


@pytest.mark.parametrize("threads", [None, 2])
def test_who_does_not_read_to_the_end_keeps_the_transaction(connect, table, threads):
    connection = connect()
    run(connection, f"create table {table}(i int)")
    if threads:
        run(connect(autocommit=True), f"set threads = {threads}")
    for k in range(20):
        cursor, reader = open_result(connection, HUGE)
        check(reader.read_next_batch() for _ in range(1 + k % 3))
        reader.close()
        cursor.close()
        run(connection, f"insert into {table} values ({k})")
    connection.commit()
    assert run(connection, f"select count(*) from {table}") == [(20,)]


def test_a_statement_that_gives_no_rows_for_long_is_interrupted(server, connect):
    connection = connect()
    with connection.cursor() as cursor:
        cursor.execute(SLOW)
        threading.Timer(1, cursor.adbc_cancel).start()
        with pytest.raises((adbc_driver_manager.Error, pa.ArrowException)):
            cursor.fetchall()
    assert spent_after(server, 2) < 0.5
    connection.rollback()
    assert run(connection, "select 1") == [(1,)]


def test_an_error_behind_rows_is_told_to_their_reader(connection):
    sql = f"select i, 'row number ' || i as s, case when i = {ROWS} - 1 then ('no ' || i)::int end as e from range({ROWS}) r(i)"
    cursor, reader = open_result(connection, sql)
    at = check([reader.read_next_batch()])
    try:
        run(connection, "select 1")
    except adbc_driver_manager.Error as error:  # the statement that failed was part of the transaction
        assert "transaction is aborted" in str(error)
    with pytest.raises((OSError, pa.ArrowException), match="no 2999999"):
        while True:
            at = check([reader.read_next_batch()], at)
    cursor.close()
    connection.rollback() if not connection._autocommit else None
    assert run(connection, "select 1") == [(1,)]


def test_rows_are_ingested_beside_a_result(connection, table):
    cursor, reader = open_result(connection, MANY)
    at = check([reader.read_next_batch()])
    with connection.cursor() as other:
        assert other.adbc_ingest(table, pa.table({"x": [1, 2, 3]}), "create") == 3
    assert check(reader, at) == ROWS
    cursor.close()
    assert run(connection, f"select sum(x) from {table}") == [(6,)]


def test_a_result_is_ingested_by_its_own_session(connection, table):
    cursor, reader = open_result(connection, MANY)
    with connection.cursor() as other:
        assert other.adbc_ingest(table, reader, "create") == ROWS
    cursor.close()
    assert run(connection, f"select count(*), sum(i) from {table}") == [(ROWS, ROWS * (ROWS - 1) // 2)]


def opened(flight, sql):
    """A result's messages, in a session that has set something."""
    query_info(flight, "set variable v = 1").result()
    endpoint = fields(query_info(flight, sql).result())[3]
    return flight.channel.unary_stream(SERVICE + "DoGet")(fields(endpoint)[1], timeout=60)


def test_what_made_way_is_read_while_another_statement_runs(flight):
    call = opened(flight, MANY)
    next(call)
    slow = query_info(flight, ENDLESS)
    time.sleep(1)
    assert sum(1 for _ in call) > 30
    assert not slow.done()
    slow.cancel()


def statement(flight):
    return query_info(flight, "select 1 from range(10)")


def preparation(flight):
    body = any_of("ActionCreatePreparedStatementRequest", text(1, "select 1 from range(10)"))
    return flight.channel.unary_stream(SERVICE + "DoAction")(text(1, "CreatePreparedStatement") + text(2, body), timeout=60)


def schema(flight):
    return flight.channel.unary_unary(SERVICE + "GetSchema").future(descriptor("CommandStatementQuery", text(1, "select 1 from range(10)")), timeout=60)


def ingestion(flight):
    (message, _), (header, body) = ipc_parts(pa.table({"i": [1]}))
    first = descriptor("CommandStatementIngest", field(1, number(1, 1) + number(2, 1)) + text(2, "given_up"))
    parts = [field(1, first) + field(2, message), field(2, header) + field(1000, body)]
    return flight.channel.stream_stream(SERVICE + "DoPut")(iter(parts), timeout=60)


WAITERS = [statement, preparation, schema, ingestion]


@pytest.mark.parametrize("wait", WAITERS)
def test_who_waits_for_a_result_may_give_up(server, flight, wait):
    call = opened(flight, HUGE)
    next(call)
    other = wait(flight)
    time.sleep(0.3)
    other.cancel()
    assert spent_after(server, 1) < 0.5
    for _ in range(200):
        next(call)
    leave(call)
    assert spent_after(server, 1) < 0.5
    assert query_info(flight, "select 1 from range(2)").result()


@pytest.mark.parametrize("wait", WAITERS)
def test_who_waits_for_a_statement_may_give_up(server, wait):
    alone = server.another("--host.max-workers", "8")
    flight, someone = Flight(alone.address), Flight(alone.address)
    query_info(flight, "set variable v = 1").result()
    holder = query_info(flight, ENDLESS)
    assert eventually(lambda: spent_after(alone, 0.2) > 0.1)
    waiters = [wait(flight) for _ in range(20)]
    time.sleep(0.5)
    for waiter in waiters:
        waiter.cancel()
    assert query_info(someone, "select 1 from range(2)").result()
    assert not holder.done()
    leave(holder)
    assert eventually(lambda: query_info(flight, "select 1 from range(2)").result())
    someone.close()
    flight.close()


def test_a_rollback_that_is_only_prepared_does_nothing(flight):
    transaction = flight.begin()
    info = flight.info("CommandStatementQuery", text(1, MANY) + text(2, transaction))
    flight.prepare("rollback", transaction)
    assert check(chunk.data for chunk in flight.client.do_get(info.endpoints[0].ticket)) == ROWS
    assert flight.query("select 1 as x from range(2)", transaction).num_rows == 2


def test_settings_are_only_named(connection):
    named = f"select i, 'row number ' || i as s, 'arrow_output_version' as n from range({ROWS}) r(i)"
    cursor, reader = open_result(connection, named)
    assert check(reader) == ROWS
    cursor.close()
    assert len(run(connection, "select * from duckdb_settings() where name = 'arrow_output_version'")) == 1


def test_a_statement_is_prepared_beside_a_result(connection):
    cursor, reader = open_result(connection, MANY)
    at = check([reader.read_next_batch()])
    with connection.cursor() as other:
        other.execute("select ? + 1", (41,))
        assert other.fetchall() == [(42,)]
        assert other.adbc_execute_schema("select 1 as a").names == ["a"]
    assert check(reader, at) == ROWS
    cursor.close()


@pytest.mark.parametrize("value", ["?", "?::bigint"], ids=["of a type that values tell", "of a known type"])
def test_values_of_several_rows_are_read_by_turns(connection, value):
    with connection.cursor() as cursor, connection.cursor() as other:
        cursor.adbc_statement.set_sql_query(f"select i + {value} as i, 'row number ' || (i + {value}) as s from range(500000) r(i)")
        rows = pa.record_batch({"1": [k * 500000 for k in range(4)], "2": [k * 500000 for k in range(4)]})
        cursor.adbc_statement.prepare()
        cursor.adbc_statement.bind(*exported(rows))
        stream, _ = cursor.adbc_statement.execute_query()
        reader = pa.RecordBatchReader._import_from_c(stream.address)
        at = check([reader.read_next_batch()])
        other.execute("select 7")
        assert other.fetchall() == [(7,)]
        assert check(reader, at) == 2_000_000


def exported(batch):
    array, schema = adbc_driver_manager.ArrowArrayHandle(), adbc_driver_manager.ArrowSchemaHandle()
    batch._export_to_c(array.address, schema.address)
    return array, schema


@pytest.mark.parametrize("where", ["pool", "transaction", "setting"])
def test_threads_take_turns(flight, where):
    """Each reads its results to the end, or gives them up."""
    failures = []
    transaction = flight.begin() if where == "transaction" else None
    if where == "setting":
        flight.query("set variable v = 1")

    def read(k):
        try:
            for n in range(6):
                info = flight.info("CommandStatementQuery", text(1, MANY) + text(2, transaction))
                reader = flight.client.do_get(info.endpoints[0].ticket)
                if (n + k) % 3 == 0:
                    check([reader.read_chunk().data])
                    reader.cancel()
                else:
                    assert check(chunk.data for chunk in reader) == ROWS
        except BaseException as failure:
            failures.append(failure)
    threads = [threading.Thread(target=read, args=(k,)) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(200)
    assert failures == [] and not any(thread.is_alive() for thread in threads)
    assert flight.query("select 1 as x", transaction)["x"].to_pylist() == [1]


def test_connections_end_with_results_unread(server, flight):
    for _ in range(10):
        gone = Flight(server.address)
        gone.info("CommandStatementQuery", text(1, HUGE) + text(2, gone.begin()))
        gone.close()
    assert eventually(lambda: spent_after(server, 0.5) < 0.2, 30)
    assert flight.query("select 1 as x")["x"].to_pylist() == [1]


# ---- what stays prepared ----

@pytest.mark.parametrize("change, rows", [
    ("use memory.other_{t}", ["other"]), ("set schema = 'other_{t}'", ["other"]), ("set variable v = 1; use memory.other_{t}", ["other"]),
    ("create temp table {t} as select 'temporary' as x", ["temporary"]), ("select 1", ["main"]),
    ("create or replace table {t} as select 'replaced' as x", ["replaced"]), ("insert into {t} values ('more')", ["main", "more"])])
def test_a_prepared_statement_means_what_it_means_when_it_is_executed(flight, table, change, rows):
    flight.query("set variable v = 1")
    flight.query(f"create table {table} as select 'main' as x")
    flight.query(f"create schema other_{table}")
    flight.query(f"create table other_{table}.{table} as select 'other' as x")
    handle = flight.prepare(f"select x from {table}")[1]
    flight.query(change.format(t=table))
    info = flight.info("CommandPreparedStatementQuery", text(1, handle))
    assert flight.read(info)["x"].to_pylist() == rows
    flight.query("use memory.main")
    flight.query(f"drop schema other_{table} cascade")


def test_constant_rows_fail_in_a_transaction_that_failed(connect):
    connection = connect()
    assert run(connection, "select 1") == run(connection, "select 1") == [(1,)]
    with pytest.raises(adbc_driver_manager.Error):
        run(connection, "select error('no') from range(2)")
    with pytest.raises(adbc_driver_manager.Error, match="transaction is aborted"):
        run(connection, "select 1")
    connection.rollback()
    assert run(connection, "select 1") == [(1,)]
