"""How many threads DuckDB has: set when the server starts, and by whoever speaks its dialect."""
import threading
import time

import pytest
from adbc_driver_flightsql import dbapi

COUNT = "select count(*) from range(3000000) t where hash(range) % 3 = 0"
ROWS = "select range as i, md5(range::varchar) as s from range(100000) order by 1"


@pytest.fixture(params=[[], ["--duckdb.threads", "1"], ["--duckdb.threads", "5"]], ids=["default", "one", "five"])
def cursor(server, request):
    child = server.another(*request.param)
    with dbapi.connect("grpc+tcp://" + child.address, autocommit=True) as connection, connection.cursor() as one:
        yield one


def one_value(cursor, sql):
    cursor.execute(sql)
    ((value,),) = cursor.fetchall()
    return value


def is_right(cursor):
    cursor.execute(ROWS)
    numbers = cursor.fetch_arrow_table()["i"].to_pylist()
    return numbers == list(range(100000)) and one_value(cursor, COUNT) == one_value(cursor, COUNT)


@pytest.mark.parametrize("sql", ["set threads = {}", "SET GLOBAL threads TO {}", "pragma threads = {}", "select 1; set worker_threads = {}", "explain analyze set threads = {}"])
def test_a_client_sets_them(cursor, sql):
    for count in (1, 3, 2, 1):
        cursor.execute(sql.format(count))
        assert one_value(cursor, "select current_setting('threads')") == count
        assert is_right(cursor)


def test_a_prepared_statement_sets_them(cursor):
    for count in (1, 4):
        cursor.adbc_statement.set_sql_query(f"set threads = {count}")
        cursor.adbc_statement.prepare()
        cursor.adbc_statement.execute_update()
        assert one_value(cursor, "select current_setting('threads')") == count
        assert is_right(cursor)


def test_reset_gives_those_of_the_machine(cursor):
    cursor.execute("reset threads")
    assert one_value(cursor, "select current_setting('threads')") >= 1
    assert is_right(cursor)


def test_an_imported_database_sets_them(cursor, tmp_path):
    (tmp_path / "schema.sql").write_text("set threads = 1;\n")
    (tmp_path / "load.sql").write_text("")
    cursor.execute(f"import database '{tmp_path}'")
    assert one_value(cursor, "select current_setting('threads')") == 1
    assert is_right(cursor)


def test_other_settings_leave_them(cursor):
    count = one_value(cursor, "select current_setting('threads')")
    cursor.execute("set variable threads = 1")
    assert one_value(cursor, "select getvariable('threads')") == 1
    assert one_value(cursor, "select current_setting('threads')") == count


def test_in_a_transaction(cursor):
    cursor.execute("begin; create table t as select 1 as i; set threads = 1; commit")
    assert one_value(cursor, "select current_setting('threads')") == 1
    assert one_value(cursor, "select count(*) from t") == 1


def test_none_are_refused(cursor):
    with pytest.raises(dbapi.Error, match="must be positive|larger than 0|at least 1"):
        cursor.execute("set threads = 0")
    assert is_right(cursor)


def test_statements_run_on_while_they_are_set(server):
    """Twenty statements of two clients, while a third changes the number again and again."""
    child = server.another("--duckdb.threads", "5")
    failures, ended = [], threading.Event()

    def read(cursor):
        for _ in range(10):
            assert is_right(cursor)

    def change(cursor):
        for i in range(1000):
            if ended.is_set():
                return
            cursor.execute(f"set threads = {1 + i % 4}")
            time.sleep(0.01)

    def use(statements):
        try:
            with dbapi.connect("grpc+tcp://" + child.address, autocommit=True) as connection, connection.cursor() as one:
                statements(one)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=use, args=(f,)) for f in (read, read, change)]
    for t in threads:
        t.start()
    for t in threads[:2]:
        t.join(120)
    ended.set()
    threads[2].join(30)
    assert not failures and not any(t.is_alive() for t in threads)
