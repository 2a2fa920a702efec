"""What rows of clients may consist of: views become plain columns, and what is not read is refused by column and type."""
import struct

import grpc
import pyarrow as pa
import pytest
from adbc_driver_manager import DatabaseError, NotSupportedError
from test_hostile import INGEST, ipc_parts, put

WORDS = ["short", None, "", "a text that has no room in a view itself", "é" * 40, "twelve bytes", None]


def views(kind, values=WORDS):
    plain = pa.array([v.encode() if v is not None else None for v in values] if kind == pa.binary_view() else values)
    return plain.cast(kind)


VIEWS = {
    "string_view": views(pa.string_view()),
    "binary_view": views(pa.binary_view()),
    "without nulls": views(pa.string_view(), ["a", "b" * 100]),
    "list": pa.ListArray.from_arrays(pa.array([0, 2, 2, 7], pa.int32()), views(pa.string_view())),
    "struct": pa.StructArray.from_arrays([views(pa.string_view()), pa.array(range(7))], ["s", "i"]),
    "many parts": pa.chunked_array([views(pa.string_view(), [c * 50] * 5000) for c in "abc"]),
}


@pytest.mark.parametrize("name", VIEWS)
def test_columns_of_views_are_ingested(cursor, table, name):
    rows = pa.table({"i": pa.array(range(len(VIEWS[name])), pa.int64()), "v": VIEWS[name], "z": [1.5] * len(VIEWS[name])})
    assert cursor.adbc_ingest(table, rows) == rows.num_rows
    cursor.execute(f"select * from {table} order by i")
    assert cursor.fetch_arrow_table().to_pylist() == rows.to_pylist()


def test_a_batch_of_views_without_rows(flight):
    rows = pa.table({"v": views(pa.string_view(), ["a"])}).slice(0, 0).combine_chunks()
    assert put(flight, INGEST, ipc_parts(rows)) == grpc.StatusCode.OK


def test_views_are_bound_to_queries_and_updates(cursor, table):
    rows = pa.table({"c": views(pa.string_view())})
    cursor.execute("select ?::varchar", rows)
    assert [r[0] for r in cursor.fetchall()] == WORDS
    cursor.execute(f"create table {table}(c varchar)")
    cursor.fetchall()
    cursor.executemany(f"insert into {table} values (?)", rows)
    cursor.execute(f"select c from {table}")
    assert [r[0] for r in cursor.fetchall()] == WORDS


NOT_READ = {
    "list_view": pa.array([[1], [2, 3]], pa.list_view(pa.int32())),
    "large_list_view": pa.array([[1], [2, 3]], pa.large_list_view(pa.int32())),
    "run_end_encoded": pa.RunEndEncodedArray.from_arrays(pa.array([1, 2], pa.int32()), pa.array(["a", "b"])),
    "decimal256(50, 2)": pa.array([1, 2], pa.decimal256(50, 2)),
    "half_float": pa.array([1.5, None], pa.float16()),
}


@pytest.mark.parametrize("name", NOT_READ)
def test_columns_that_are_not_read_are_named_with_their_type(cursor, table, name):
    for rows in (pa.table({"i": [1, 2], "the one": NOT_READ[name]}),
                 pa.table({"the one": pa.StructArray.from_arrays([NOT_READ[name]], ["within"])})):
        with pytest.raises((NotSupportedError, DatabaseError)) as failure:
            cursor.adbc_ingest(table, rows)
        assert '"the one"' in str(failure.value)
        assert name in str(failure.value) or "struct" in str(failure.value)
        assert isinstance(failure.value, NotSupportedError)


def test_views_beside_dictionaries_are_refused(cursor, table):
    rows = pa.table({"v": views(pa.string_view()), "d": pa.array(WORDS).dictionary_encode()})
    with pytest.raises(NotSupportedError, match="views beside columns of dictionaries"):
        cursor.adbc_ingest(table, rows)


# ---- hostile ----

def broken(parts, change):
    """The rows' body with its views, which are the second buffer, changed by change(size, part, offset)."""
    schema, (header, body) = parts
    message = pa.ipc.read_message(pa.py_buffer(b"\xff\xff\xff\xff" + struct.pack("<i", len(header)) + header + body))
    assert message.body.size == len(body)
    body = bytearray(body)
    at = body.index(struct.pack("<i", 100) + b"xxxx")
    size, prefix, part, offset = struct.unpack_from("<i4sii", body, at)
    struct.pack_into("<i4sii", body, at, *change(size, prefix, part, offset))
    return [schema, (header, bytes(body))]


CHANGES = {"a size beyond the part": lambda s, x, p, o: (s + 1, x, p, o), "a negative size": lambda s, x, p, o: (-1, x, p, o),
           "no such part": lambda s, x, p, o: (s, x, p + 1, o), "a negative part": lambda s, x, p, o: (s, x, -1, o),
           "an offset beyond": lambda s, x, p, o: (s, x, p, o + 1), "a negative offset": lambda s, x, p, o: (s, x, p, -5)}


@pytest.mark.parametrize("name", CHANGES)
def test_views_that_point_nowhere(flight, name):
    parts = ipc_parts(pa.table({"s": views(pa.string_view(), ["x" * 100])}))
    assert put(flight, INGEST, broken(parts, lambda *v: v)) == grpc.StatusCode.OK
    assert put(flight, INGEST, broken(parts, CHANGES[name])) == grpc.StatusCode.INVALID_ARGUMENT


def test_views_of_bytes_that_are_not_text(flight):
    parts = ipc_parts(pa.table({"s": views(pa.string_view(), ["x" * 100])}))
    parts[1] = (parts[1][0], parts[1][1].replace(b"x" * 90, b"\xff" * 90))
    assert put(flight, INGEST, parts) == grpc.StatusCode.INVALID_ARGUMENT


def test_views_that_show_the_same_bytes_again_and_again(flight):
    """16 bytes each, and a megabyte each when spelled out."""
    entry = struct.pack("<i4sii", 1 << 20, b"xxxx", 0, 0)
    many = pa.Array.from_buffers(pa.string_view(), 4000, [None, pa.py_buffer(entry * 4000), pa.py_buffer(b"x" * (1 << 20))])
    assert put(flight, INGEST, ipc_parts(pa.table({"s": many}))) == grpc.StatusCode.INVALID_ARGUMENT


def test_compressed_views_are_refused(flight):
    sink = pa.BufferOutputStream()
    rows = pa.table({"s": views(pa.string_view(), ["x" * 100] * 1000)})
    with pa.ipc.new_stream(sink, rows.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(rows)
    stream, at, parts = sink.getvalue().to_pybytes(), 0, []
    while (size := struct.unpack_from("<i", stream, at + 4)[0]) != 0:
        body = pa.ipc.read_message(pa.py_buffer(stream[at:])).body
        parts.append((stream[at + 8:at + 8 + size], b"" if body is None else body.to_pybytes()))
        at += 8 + size + len(parts[-1][1])
    assert put(flight, INGEST, parts) != grpc.StatusCode.OK


@pytest.mark.parametrize("column", [pa.array(["x" * 40], pa.large_string()), pa.array([["x" * 40]], pa.list_(pa.string(), 1))],
                         ids=["large_string", "fixed_size_list"])
def test_bytes_that_are_not_text(flight, column):
    parts = ipc_parts(pa.table({"s": column}))
    parts[1] = (parts[1][0], parts[1][1].replace(b"x" * 40, b"x" * 39 + b"\xff"))
    assert put(flight, INGEST, parts) == grpc.StatusCode.INVALID_ARGUMENT


@pytest.mark.parametrize("size", [12345, 12345 * 8, 12344], ids=["rows", "bytes of a buffer", "bytes of text"])
@pytest.mark.parametrize("claimed", [1 << 40, (1 << 61) + 1, (1 << 63) - 8, -8], ids=["large", "too large", "largest", "negative"])
def test_sizes_that_cannot_be(flight, size, claimed):
    column = pa.array(["x" * 12344]) if size == 12344 else pa.array(range(12345), pa.int64())
    schema, (header, body) = ipc_parts(pa.table({"c": column}))
    changed = header.replace(struct.pack("<q", size), struct.pack("<q", claimed))
    assert changed != header
    assert put(flight, INGEST, [schema, (changed, body)]) == grpc.StatusCode.INVALID_ARGUMENT
