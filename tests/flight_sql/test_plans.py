"""Plans of Substrait in Flight SQL, and polling."""
import struct

import grpc
import pyarrow as pa
import pytest
from proto_bytes import field
from raw_flight import any_of, descriptor, fields, number, text

I64, STRING, NULLABLE, REQUIRED = 7, 12, 1, 2


def plan_of(table):
    """Reads a table of a bigint and a text. Without a database, names are looked up in Spark's `default`."""
    types = b"".join(field(1, field(kind, number(2, NULLABLE))) for kind in (I64, STRING))
    schema = field(1, b"i") + field(1, b"s") + field(2, types + number(3, REQUIRED))
    read = field(1, field(2, schema) + field(7, field(1, b"main") + field(1, table.encode())))
    return field(3, field(2, field(1, read) + field(2, b"number") + field(2, b"word"))) + field(6, number(2, 78))


@pytest.fixture
def filled(flight, table):
    flight.query(f"create table {table}(i bigint, s varchar)")
    flight.query(f"insert into {table} values (1, 'a'), (2, null)")
    return table


WANTED = {"number": [1, 2], "word": ["a", None]}


def test_a_plan_runs(flight, filled):
    command = field(1, field(1, plan_of(filled)))
    assert flight.rows("CommandStatementSubstraitPlan", command).sort_by("number").to_pydict() == WANTED
    assert flight.schema("CommandStatementSubstraitPlan", command).names == ["number", "word"]


def test_a_plan_is_prepared(flight, filled):
    made = flight.sql_action("CreatePreparedSubstraitPlan", "ActionCreatePreparedSubstraitPlanRequest",
                             field(1, field(1, plan_of(filled))))
    assert pa.ipc.read_schema(pa.py_buffer(made[2])).names == ["number", "word"]
    for _ in range(2):
        got = flight.rows("CommandPreparedStatementQuery", text(1, made[1]))
        assert got.sort_by("number").to_pydict() == WANTED


def test_plans_are_announced(flight):
    got = flight.rows("CommandGetSqlInfo", number(1, 5)).to_pylist()
    assert got == [{"info_name": 5, "value": True}]


@pytest.mark.parametrize("content", [b"", field(1, b""), field(1, field(1, b"\xff\xff")), field(1, field(1, b"x" * 1000)),
                                     field(1, field(1, plan_of("no_such_table")))])
def test_plans_that_cannot_run(flight, content):
    wrong = {grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.NOT_FOUND, grpc.StatusCode.UNIMPLEMENTED}
    for ask in (lambda: flight.unary("GetFlightInfo", descriptor("CommandStatementSubstraitPlan", content)),
                lambda: list(flight.unary_stream("DoAction", field(1, b"CreatePreparedSubstraitPlan") + field(
                    2, any_of("ActionCreatePreparedSubstraitPlanRequest", content))))):
        with pytest.raises(grpc.RpcError) as failure:
            ask()
        assert failure.value.code() in wrong, failure.value


# ---- polling ----

def poll(flight, request):
    return fields(flight.unary("PollFlightInfo", request))


def test_polls_tell_how_far_a_statement_is(flight):
    sql = "select count(*) as n from range(2000000000) t(i) where i % 7 = 3"
    answer, polls, seen = poll(flight, descriptor("CommandStatementQuery", text(1, sql))), 0, []
    while 2 in answer:
        assert 3 not in fields(answer[1]), "no endpoint before there are rows"
        seen += [struct.unpack("<d", answer[3])[0]] if 3 in answer else []
        polls += 1
        answer = poll(flight, answer[2])
    assert seen == sorted(seen) and all(0 <= share <= 1 for share in seen)
    assert struct.unpack("<d", answer[3])[0] == 1
    ticket = fields(fields(answer[1])[3])[1]
    assert len(list(flight.unary_stream("DoGet", ticket))) == 2


def test_polls_of_what_is_not_there(flight):
    with pytest.raises(grpc.RpcError) as failure:
        poll(flight, number(1, 2) + field(2, b"0" * 32))
    assert failure.value.code() == grpc.StatusCode.NOT_FOUND


def test_a_failure_reaches_the_poll(flight):
    sql = "select sum(case when i = 1999999999 then error('late') else 1 end) from range(2000000000) t(i)"
    with pytest.raises(grpc.RpcError, match="late"):
        answer = poll(flight, descriptor("CommandStatementQuery", text(1, sql)))
        while 2 in answer:
            answer = poll(flight, answer[2])
