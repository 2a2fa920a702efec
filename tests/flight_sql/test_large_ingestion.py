"""Ingestions of more rows than one statement takes: in order, all or nothing, whatever the batches and the types are."""
import concurrent.futures
import datetime
import decimal
import random
import uuid

import adbc_driver_manager
import pyarrow as pa
import pytest

ROWS = 400_000
GROUP = 122_880


def ask(cursor, sql):
    cursor.execute(sql)
    return cursor.fetchall()


def reader(table, sizes):
    """Batches of these sizes, again and again."""
    batches, at, i = [], 0, 0
    while at < table.num_rows:
        size = sizes[i % len(sizes)]
        batches += table.slice(at, size).combine_chunks().to_batches()
        at, i = at + size, i + 1
    return pa.RecordBatchReader.from_batches(table.schema, batches)


def numbers(count, name="i"):
    return pa.table({name: pa.array(range(count), pa.int64())})


def mixed(count):
    """Columns of all kinds that have a function of their own, nulls among them; the first one counts the rows."""
    values = random.Random(7)
    ints = [values.randrange(-120, 120) for _ in range(count)]
    some = [None if i % 7 == 3 else v for i, v in enumerate(ints)]

    def decimals(digits, scale):
        return pa.array([None if v is None else decimal.Decimal(v).scaleb(-scale) for v in some], pa.decimal128(digits, scale))

    seconds = pa.array([None if v is None else v * 1_000_003 for v in some], pa.int64())
    return pa.table({
        "i": pa.array(range(count), pa.int64()), "b": pa.array([None if v is None else v > 0 for v in some]),
        "i8": pa.array(some, pa.int8()), "u16": pa.array([None if v is None else v + 200 for v in some], pa.uint16()),
        "f": pa.array(some, pa.float32()), "d": pa.array(some, pa.float64()),
        "d4": decimals(4, 1), "d9": decimals(9, 2), "d18": decimals(18, 3), "d38": decimals(38, 10),
        "s": pa.array([None if v is None else f"{v} is a text of some length" if v > 60 else str(v) for v in some]),
        "bin": pa.array([None if v is None else bytes([v & 255] * (v & 31)) for v in some]),
        "dict": pa.array([None if v is None else f"w{v % 5}" for v in some]).dictionary_encode(),
        "date": pa.array([None if v is None else datetime.date(2000, 1, 1) + datetime.timedelta(v) for v in some]),
        "ts": seconds.cast(pa.timestamp("us")), "tz": seconds.cast(pa.timestamp("us", "UTC")), "null": pa.nulls(count, pa.int32()),
    })


def nested(count):
    return pa.table({"i": pa.array(range(count), pa.int64()), "l": [[i, None, i % 3] for i in range(count)], "s": [{"a": i, "b": str(i)} for i in range(count)]})


def plain(table):
    return [column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column for column in table.combine_chunks().columns]


@pytest.mark.parametrize("sizes", [(65536,), (1000,), (7777, 1, 4096, 2047), (GROUP // 2,), (1, 100_000)], ids=str)
@pytest.mark.parametrize("make", [mixed, nested])
def test_rows_keep_their_order_and_values(cursor, table, make, sizes):
    rows = make(ROWS if make is mixed else 200_000)
    assert cursor.adbc_ingest(table, reader(rows, sizes)) == rows.num_rows
    assert ask(cursor, f"select count(*), min(i - rowid), max(i - rowid) from {table}") == [(rows.num_rows, 0, 0)]
    cursor.execute(f"select * from {table}")
    got = cursor.fetch_arrow_table()
    assert got.column_names == rows.column_names
    for name, ours, theirs in zip(rows.column_names, plain(got), plain(rows)):
        assert ours.cast(theirs.type).equals(theirs), name


def test_a_batch_of_more_rows_than_a_statement_takes(cursor, table):
    rows = numbers(1_500_000)
    assert cursor.adbc_ingest(table, reader(rows, (1_500_000,))) == 1_500_000
    assert ask(cursor, f"select count(*), min(i - rowid), max(i - rowid) from {table}") == [(1_500_000, 0, 0)]


@pytest.mark.parametrize("names", [["a", "A"], ["a", "a"], ["", "b"]], ids=str)
def test_names_that_are_not_distinct(cursor, table, names):
    column = pa.array(range(ROWS), pa.int64())
    few, many = ([f"{table}_{k}", pa.Table.from_arrays([c, c], names)] for k, c in (("few", column.slice(0, 10)), ("many", column)))
    columns = []
    for name, rows in (few, many):
        try:
            cursor.adbc_ingest(name, reader(rows, (65536,)))
            columns.append([r[0] for r in ask(cursor, f"select column_name from duckdb_columns() where table_name = '{name}'")])
        except adbc_driver_manager.Error as e:
            columns.append(type(e))
        ask(cursor, f"drop table if exists {name}")
    assert columns[0] == columns[1]


def test_decimals_that_do_not_fit_are_refused_and_null_ones_may_be_anything(cursor, table):
    wide = [10**25, 5, -(10**25), -5]
    raw = b"".join(v.to_bytes(16, "little", signed=True) for v in wide)
    for kind in (pa.decimal128(9, 0), pa.decimal128(18, 0)):
        hidden = pa.Array.from_buffers(kind, 4, [pa.py_buffer(b"\x0a"), pa.py_buffer(raw)])
        cursor.adbc_ingest(table, pa.table({"d": hidden}), mode="replace")
        assert ask(cursor, f"select d from {table}") == [(None,), (5,), (None,), (-5,)]
        shown = pa.Array.from_buffers(kind, 4, [None, pa.py_buffer(raw)])
        with pytest.raises(adbc_driver_manager.Error, match="more digits"):
            cursor.adbc_ingest(table, pa.table({"d": shown}), mode="replace")
        assert ask(cursor, f"select count(*) from {table}") == [(4,)]


def failing(count, after):
    """Rows whose client fails after some of them."""
    def batches():
        for at in range(0, after, 50_000):
            yield from numbers(count).slice(at, 50_000).to_batches()
        raise ValueError("no more rows")
    return pa.RecordBatchReader.from_batches(numbers(0).schema, batches())


@pytest.mark.parametrize("mode", ["create", "append", "replace"])
def test_nothing_is_left_of_an_ingestion_that_fails_late(cursor, table, mode):
    if mode != "create":
        cursor.adbc_ingest(table, numbers(3))
    with pytest.raises(Exception):
        cursor.adbc_ingest(table, failing(ROWS, 300_000), mode=mode)
    if mode == "create":
        assert ask(cursor, f"select count(*) from duckdb_tables() where table_name = '{table}'") == [(0,)]
    else:
        assert ask(cursor, f"select count(*) from {table}") == [(3,)]


def test_a_constraint_that_breaks_late(cursor, table):
    ask(cursor, f"create table {table}(i bigint primary key)")
    cursor.adbc_ingest(table, numbers(10), mode="append")
    rows = pa.table({"i": pa.array([*range(100, ROWS), 5], pa.int64())})
    with pytest.raises(adbc_driver_manager.Error, match="(?i)constraint"):
        cursor.adbc_ingest(table, reader(rows, (65536,)), mode="append")
    assert ask(cursor, f"select count(*) from {table}") == [(10,)]
    assert cursor.adbc_ingest(table, reader(rows.slice(0, ROWS - 101), (65536,)), mode="append") == ROWS - 101
    assert ask(cursor, f"select count(*), max(i) from {table}") == [(ROWS - 91, ROWS - 2)]


def test_an_append_by_name(cursor, table):
    ask(cursor, f"create table {table}(s varchar default 'none', i bigint, n int default 7)")
    rows = pa.table({"I": pa.array(range(ROWS), pa.int64()), "s": [str(i) for i in range(ROWS)]})
    assert cursor.adbc_ingest(table, reader(rows, (65536,)), mode="append") == ROWS
    assert ask(cursor, f"select count(*), bool_and(s = i::varchar and i = rowid and n = 7) from {table}") == [(ROWS, True)]


def test_within_a_transaction_of_the_client(connect, cursor, table):
    ask(cursor, f"create table {table}(i bigint, d decimal(17, 5))")
    rows = pa.table({"i": pa.array(range(ROWS), pa.int64()), "d": pa.array([decimal.Decimal(i) for i in range(ROWS)], pa.decimal128(17, 5))})
    with connect() as other, other.cursor() as k:
        assert ask(k, f"select count(*) from {table}") == [(0,)]    # it has begun before the functions are made
        for _ in range(2):
            assert k.adbc_ingest(table, reader(rows, (65536,)), mode="append") == ROWS
        assert ask(k, f"select count(*), sum(i) = sum(d) from {table}") == [(2 * ROWS, True)]
        other.rollback()
        assert ask(cursor, f"select count(*) from {table}") == [(0,)]
        assert k.adbc_ingest(table, reader(rows, (65536,)), mode="append") == ROWS
        other.commit()
    assert ask(cursor, f"select count(*) from {table}") == [(ROWS,)]


def test_a_failure_within_a_transaction_of_the_client_spoils_it(connect, cursor, table):
    ask(cursor, f"create table {table}(i bigint)")
    with connect() as other, other.cursor() as k:
        k.adbc_ingest(table, numbers(5), mode="append")
        with pytest.raises(Exception):
            k.adbc_ingest(table, failing(ROWS, 300_000), mode="append")
        with pytest.raises(adbc_driver_manager.Error, match="aborted"):
            ask(k, f"select count(*) from {table}")
        other.rollback()
        k.adbc_ingest(table, numbers(2), mode="append")
        other.commit()
    assert ask(cursor, f"select count(*) from {table}") == [(2,)]


def test_within_a_transaction_that_came_as_text(connect, cursor, table):
    with connect(autocommit=True) as other, other.cursor() as k:
        ask(k, "begin")
        assert k.adbc_ingest(table, reader(numbers(ROWS), (65536,))) == ROWS
        assert ask(k, f"select count(*) from {table}") == [(ROWS,)]
        ask(k, "rollback")
    assert ask(cursor, f"select count(*) from duckdb_tables() where table_name = '{table}'") == [(0,)]


def test_a_temporary_table(connect):
    with connect(autocommit=True) as other, other.cursor() as k:
        assert k.adbc_ingest("large_one", reader(numbers(ROWS), (65536,)), temporary=True) == ROWS
        assert ask(k, "select count(*), min(i - rowid), max(i - rowid) from temp.large_one") == [(ROWS, 0, 0)]


def test_many_at_once(connect, cursor):
    def one(name):
        with connect(autocommit=True) as other, other.cursor() as k:
            k.adbc_ingest(name, reader(numbers(300_000), (20_000,)))
            return ask(k, f"select count(*), min(i - rowid), max(i - rowid) from {name}")

    names = [f"t_{uuid.uuid4().hex[:12]}" for _ in range(6)]
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        assert list(pool.map(one, names)) == [[(300_000, 0, 0)]] * 6
    for name in names:
        ask(cursor, f"drop table {name}")


def test_a_user_who_changes_the_table_of_row_numbers_loses_no_rows(cursor, table):
    cursor.adbc_ingest(table, reader(numbers(ROWS), (65536,)))
    numbers_table = "__portico_kept.main.row_numbers"
    try:
        for condition in ("rowid >= 122880", "rowid between 3000 and 3010"):
            ask(cursor, f"delete from {numbers_table} where {condition}")
            with pytest.raises(adbc_driver_manager.Error, match="was changed|were inserted"):
                cursor.adbc_ingest(table, reader(numbers(ROWS), (65536,)), mode="replace")
            assert ask(cursor, f"select count(*) from {table}") == [(ROWS,)]
    finally:
        ask(cursor, f"drop table {numbers_table}")
    assert cursor.adbc_ingest(table, reader(numbers(ROWS), (65536,)), mode="replace") == ROWS
    assert ask(cursor, f"select count(*), min(i - rowid), max(i - rowid) from {table}") == [(ROWS, 0, 0)]


@pytest.mark.parametrize("arguments", ["1::ubigint, 0", "null::ubigint, null", "i::ubigint, i", "65536::ubigint, -5"])
def test_the_functions_give_nothing_to_users(cursor, table, arguments):
    cursor.adbc_ingest(table, reader(numbers(ROWS), (65536,)))
    with pytest.raises(adbc_driver_manager.Error, match="no such stream"):
        ask(cursor, f"select portico_column_5({arguments}) from {table}")
