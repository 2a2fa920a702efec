"""Cases from public reports that concern Flight SQL, each by its number; some are tests elsewhere, which name it."""
import contextlib
import datetime as dt
import decimal
import pathlib
import re
import socket
import threading
import time
import uuid
import warnings

import adbc_driver_manager
import grpc
import pyarrow as pa
import pytest
from adbc_driver_flightsql import dbapi
from raw_flight import Flight, descriptor, fields, parse, text

CASES = ["BR-015", "BR-023", "BR-033", "BR-034", "BR-036", "BR-037", "BR-038", "BR-039", "BR-041", "BR-042", "BR-044",
         "BR-045", "BR-047", "BR-050", "BR-051"]


def test_every_case_is_named_by_a_test():
    folder = pathlib.Path(__file__).parent
    tests = "\n".join(file.read_text() for file in (*folder.glob("test_*.py"), *folder.glob("*.java"),
                                                    folder.parent / "wire/test_tls.py") if file != pathlib.Path(__file__))
    here = re.findall(r"def test_br_(\d+)_", pathlib.Path(__file__).read_text())
    assert [case for case in CASES if case not in tests and case[3:] not in here] == []


def ask(cursor, sql, parameters=None):
    cursor.execute(sql, parameters)
    return cursor.fetchall()


def test_br_015_two_columns_of_the_same_name(cursor):
    cursor.execute("select 'x' as k, 10 as v, 'x' as k")
    result = cursor.fetch_arrow_table()
    assert result.schema.names == ["k", "v", "k"]
    assert [c.to_pylist() for c in result.columns] == [["x"], [10], ["x"]]


def test_br_023_nulls_come_last_in_the_backends_dialect(cursor):
    assert ask(cursor, "select v from (values (3),(null),(1)) t(v) order by v") == [(1,), (3,), (None,)]


def test_br_033_the_dialect_is_the_backends_own(cursor):
    assert ask(cursor, "select 7/2, 7//2, substring('hello',0,2), dayofweek(date '2024-03-03')") == [(3.5, 3, "h", 0)]


@pytest.mark.parametrize("how", ["execute", "prepare", "update", "fetch"])
def test_br_034_what_a_cursor_writes_is_there_once(uri, table, how):
    with dbapi.connect(uri, autocommit=True) as c:
        for sql in (f"create table {table}(i int)", f"insert into {table} values (41)"):
            with c.cursor() as k:
                if how == "update":
                    k.adbc_statement.set_sql_query(sql)
                    k.adbc_statement.execute_update()
                    continue
                if how == "prepare":
                    k.adbc_prepare(sql)
                k.execute(sql)
                if how == "fetch":
                    k.fetchall()
    with dbapi.connect(uri, autocommit=True) as c, c.cursor() as k:
        assert ask(k, f"select count(*), sum(i) from {table}") == [(1, 41)]


def test_br_036_bound_parameters(cursor, table):
    ask(cursor, f"create table {table}(i int, s varchar, d date, m decimal(9,2))")
    cursor.executemany(f"insert into {table} values (?, ?, ?, ?)", [
        (1, "it's", dt.date(2024, 2, 29), decimal.Decimal("1.50")), (2, None, None, None),
        (3, "ü", dt.date(1969, 12, 31), decimal.Decimal("-0.01"))])
    assert ask(cursor, f"select count(*) from {table} where s is null") == [(1,)]
    assert ask(cursor, f"select i, s, m from {table} where d < ? order by i", (dt.date(2000, 1, 1),)) == [
        (3, "ü", decimal.Decimal("-0.01"))]
    assert ask(cursor, "select $1::int + $2::int, $1::int", (40, 2)) == [(42, 40)]
    cursor.executemany(f"insert into {table} values (?, ?, ?, ?)", [])
    assert ask(cursor, f"select count(*) from {table}") == [(3,)]
    assert len(cursor.adbc_prepare(f"select ? as a, i from {table} where s = ?")) == 2
    for values in ((1,), (1, 2, 3)):
        with pytest.raises(adbc_driver_manager.ProgrammingError) as caught:
            ask(cursor, "select ?::int + ?::int", values)
        assert caught.value.status_code == adbc_driver_manager.AdbcStatusCode.INVALID_ARGUMENT


class Forwarder:
    """A TCP port that leads to another."""

    def __init__(self, address):
        self.host, port = address.rsplit(":", 1)
        self.port = int(port)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                near, _ = self.listener.accept()
                far = socket.create_connection((self.host, self.port))
                for source, target in ((near, far), (far, near)):
                    threading.Thread(target=self.pump, args=(source, target), daemon=True).start()

    def pump(self, source, target):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)


def test_br_038_endpoints_have_no_location(server):
    forwarded = Forwarder(server.address)
    port = server.address.rsplit(":", 1)[1]
    for address in (f"127.0.0.1:{port}", f"localhost:{port}", forwarded.address):
        for scheme in ("grpc://", "grpc+tcp://"):
            with dbapi.connect(scheme + address, autocommit=True) as c, c.cursor() as k:
                assert ask(k, "select 1 as x") == [(1,)]
    with contextlib.closing(Flight(server.address)) as flight:
        info = flight.unary("GetFlightInfo", descriptor("CommandStatementQuery", text(1, "select 1")))
        assert [number for number, _ in parse(fields(info)[3])].count(2) == 0
    forwarded.listener.close()


def test_br_039_metadata_as_the_driver_demands_it(connect, cursor, table):
    ask(cursor, f"create table {table}(i int not null, s varchar)")
    connection = connect(autocommit=True)
    objects = connection.adbc_get_objects(depth="all", table_name_filter=table).read_all().to_pylist()
    names = [t["table_name"] for o in objects for s in o["catalog_db_schemas"] or [] for t in s["db_schema_tables"] or []]
    assert names == [table]
    assert connection.adbc_get_table_schema(table).names == ["i", "s"]
    assert "BASE TABLE" in connection.adbc_get_table_types()
    assert connection.adbc_get_info()["vendor_name"]
    catalog = next(o["catalog_name"] for o in objects if o["catalog_db_schemas"])
    again = connection.adbc_get_objects(depth="tables", catalog_filter=catalog, table_name_filter=table).read_all().to_pylist()
    assert [o["catalog_name"] for o in again if o["catalog_db_schemas"]] == [catalog]


def test_br_041_batches_stay_below_what_clients_take(server, cursor):
    cursor.execute("select range as i from range(2500000)")
    result = cursor.fetch_arrow_table()
    assert result.num_rows == 2_500_000 and max(b.nbytes for b in result.to_batches()) < 4 << 20
    cursor.execute("select repeat('z', 3000000) s from range(12)")
    assert cursor.fetch_arrow_table().num_rows == 12
    limited = grpc.insecure_channel(server.address, options=[("grpc.max_receive_message_length", 4 << 20)])
    with limited, contextlib.closing(Flight(server.address)) as flight:
        flight.channel.close()
        flight.channel = limited
        info = flight.unary("GetFlightInfo", descriptor("CommandStatementQuery", text(
            1, "select range as i, repeat('y', 500) as s from range(50000)")))
        assert len(list(flight.unary_stream("DoGet", fields(fields(info)[3])[1]))) > 5


def test_br_044_transactions_are_announced_and_kept(uri, cursor, table):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with dbapi.connect(uri) as a, a.cursor() as k:
            ask(k, f"create table {table}(i int)")
            a.commit()
            ask(k, f"insert into {table} values (1)")
            a.rollback()
            ask(k, f"insert into {table} values (2)")
            assert ask(cursor, f"select count(*) from {table}") == [(0,)]
            a.commit()
            assert ask(cursor, f"select i from {table}") == [(2,)]


def test_br_044_a_dropped_connections_insert_is_rolled_back(server, cursor, table):
    brief = server.another("--flight-sql.idle-timeout", "1s")
    forwarded = Forwarder(brief.address)
    with dbapi.connect("grpc+tcp://" + brief.address, autocommit=True) as c, c.cursor() as k:
        ask(k, f"create table {table}(i int)")
        with contextlib.closing(Flight(forwarded.address)) as lost:
            begun = lost.begin()
            lost.update(f"insert into {table} values (1)", begun)
        give_up = time.monotonic() + 20
        while True:
            try:
                ask(k, f"alter table {table} add column after_{uuid.uuid4().hex[:6]} int")
                break
            except adbc_driver_manager.Error:  # the transaction still holds the table
                assert time.monotonic() < give_up
                time.sleep(0.3)
        assert ask(k, f"select count(*) from {table}") == [(0,)]
    ask(cursor, f"create table {table}(i int)")


def test_br_045_bulk_ingestion(cursor, table):
    rows = pa.table({"i": range(100_000), "s": [None if i % 3 == 0 else f"v{i}" for i in range(100_000)]})
    assert cursor.adbc_ingest(table, rows, mode="create") == 100_000
    assert cursor.adbc_ingest(table, rows, mode="append") == 100_000
    assert cursor.adbc_ingest(table, rows.slice(0, 10), mode="replace") == 10
    assert ask(cursor, f"select count(*), count(s), sum(i) from {table}") == [(10, 6, 45)]
    with pytest.raises(adbc_driver_manager.Error):
        cursor.adbc_ingest(table, rows, mode="create")
    with pytest.raises(adbc_driver_manager.Error):
        cursor.adbc_ingest(table, pa.table({"zz": [1]}), mode="append")
    assert ask(cursor, f"select count(*), count(s), sum(i) from {table}") == [(10, 6, 45)]


def test_br_050_a_query_that_cannot_run_fails_at_once(cursor):
    started = time.monotonic()
    for sql in ("selec", "select nothing_like_it()", "select * from nowhere_at_all", "select cast('x' as int)"):
        with pytest.raises(adbc_driver_manager.Error):
            ask(cursor, sql)
    assert time.monotonic() - started < 2
    assert ask(cursor, "select 1") == [(1,)]


def test_br_051_plans_of_substrait_are_taken_as_announced(adbc, cursor, flight):
    assert flight.rows("CommandGetSqlInfo", b"\x0a\x01\x05")["value"].to_pylist() == [True]
    cursor.adbc_statement.set_substrait_plan(b"\x00")
    with pytest.raises(adbc_driver_manager.ProgrammingError):
        cursor.adbc_statement.execute_query()
    with pytest.raises(adbc_driver_manager.ProgrammingError):
        cursor.adbc_statement.execute_update()
    with adbc.cursor() as other, pytest.raises(adbc_driver_manager.ProgrammingError):
        other.adbc_statement.set_substrait_plan(b"\x00")
        other.adbc_statement.prepare()
