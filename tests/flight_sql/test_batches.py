"""The sizes of the batches that a result comes in, and that every row is in them."""
import duckdb
import pyarrow as pa
import pytest

MIB = 1 << 20
MANY = """select i, i::decimal(15, 2) as d, if(i % 7 = 0, null, 'text ' || i) as s, (i % 3 = 0) as b,
  if(i % 5 = 0, null, ['a', 'bb', 'ccc'][1 + i % 3]::enum('a', 'bb', 'ccc')) as e,
  if(i % 11 = 0, null, ('00112233-4455-6677-8899-' || lpad(i::varchar, 12, '0'))::uuid) as u,
  if(i % 13 = 0, null, range(i % 4)) as l, [i, i + 1]::bigint[2] as a,
  if(i % 9 = 0, null, {'x': i, 'y': if(i % 2 = 0, null, i::varchar)}) as r, map {i: [i::varchar, null]} as m,
  interval (i) second as iv, null as n, list_transform(range(i % 3), x -> ['a', 'bb'][1 + x % 2]::enum('a', 'bb')) as le
  from range(40000) t(i)"""


def batches(flight, sql):
    info = flight.info("CommandStatementQuery", b"\x0a" + bytes_of(sql))
    return [chunk.data for chunk in flight.client.do_get(info.endpoints[0].ticket)]


def bytes_of(sql):
    from proto_bytes import varint

    return varint(len(sql.encode())) + sql.encode()


def test_batches_are_of_2_75_mebibytes_more_or_less(flight):
    sql = "select i, i * 2 as j, repeat('some text ', 6) || i as s from range(1000000) t(i)"
    for sql in (sql, sql.replace("from", ", 1 as s from")):  # made in the pipeline; made behind it, for one name comes twice
        sizes = [b.nbytes for b in batches(flight, sql)]
        assert sum(sizes) > 80 * MIB
        assert all(2.4 * MIB < size < 3.1 * MIB for size in sizes[:-1]), sizes


def test_no_batch_is_large_when_rows_grow(flight):
    sql = "select repeat('x', if(i < 100000, 10, 100000)) as s from range(100400) t(i)"
    got = batches(flight, sql)
    assert sum(b.num_rows for b in got) == 100400
    assert max(b.nbytes for b in got) < 3.5 * MIB


def test_lists_count_as_what_they_hold(flight):
    got = batches(flight, "select range(if(i < 10000, 1, 20000)) as l from range(10200) t(i)")
    assert sum(b.num_rows for b in got) == 10200
    assert max(b.nbytes for b in got) < 3.5 * MIB


def test_a_row_that_is_large_comes_alone(flight):
    got = batches(flight, "select repeat('x', if(i % 2 = 0, 5000000, 1)) as s from range(6) t(i)")
    assert [len(v.as_py()) for b in got for v in b.column(0)] == [5000000, 1] * 3
    assert all(b.num_rows == 1 or b.nbytes < 3.5 * MIB for b in got)


def test_columns_of_every_layout_hold_the_same_rows_as_in_process(flight):
    own = duckdb.connect().execute(MANY).arrow()
    own = own.read_all() if isinstance(own, pa.RecordBatchReader) else own
    got = flight.query(MANY)
    got.validate(full=True)
    for name in own.schema.names:
        assert got[name].to_pylist() == own[name].to_pylist(), name


@pytest.mark.parametrize("sql", ["select '1'::bit as b, i from range(5000) t(i)", "select i from range(0) t(i)"])
def test_types_that_the_engine_converts_itself(flight, sql):
    assert flight.query(sql).num_rows == duckdb.connect().execute(f"select count(*) from ({sql})").fetchone()[0]
