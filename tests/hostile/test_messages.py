"""Requests that no client library would send: each gets a clear error, and nobody else notices."""
import random
import zlib

import grpc
import pytest

from proto_bytes import LITERAL_ONE, SQL_RELATION, command, execute_request, field, nested, project, root
from raw import Failure, failure, new, pb, rows

SERVICE = "/spark.connect.SparkConnectService/"
UNARY = ["AnalyzePlan", "Config", "ArtifactStatus", "Interrupt", "ReleaseExecute", "ReleaseSession",
         "FetchErrorDetails", "CloneSession", "GetStatus"]
STREAMS = ["ExecutePlan", "ReattachExecute"]


def call(raw, method, request):
    """Sends bytes as they are; None when the call went well, else its failure."""
    try:
        if method == "AddArtifacts":
            raw.channel.stream_unary(SERVICE + method, None, None)(iter([request]), timeout=60)
        elif method in STREAMS:
            list(raw.channel.unary_stream(SERVICE + method, None, None)(request, timeout=60))
        else:
            raw.channel.unary_unary(SERVICE + method, None, None)(request, timeout=60)
    except grpc.RpcError as error:
        return Failure(error)
    return None


def execute(raw, session, plan, more=b""):
    return call(raw, "ExecutePlan", execute_request(session, plan, more))


def check_serves(raw, session):
    assert rows(raw.ask(session, "select 1")) == 1


def check_refused(failed):
    """It failed, in the server's own words, and not because a time limit passed."""
    assert failed is not None
    assert failed.message and failed.code not in (grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.UNAVAILABLE), failed


# ---- malformed ----

@pytest.mark.parametrize("method", UNARY + STREAMS + ["AddArtifacts"])
def test_garbage_is_refused(raw, session, bystander, method):
    dice = random.Random(method)
    for size in (1, 2, 10, 100, 5000):
        call(raw, method, dice.randbytes(size))
    for garbage in (b"\x0a\xff\xff\xff\xff\x0f", b"\x0a\x05ab", b"\x07", b"\x0b", b"\xff" * 30, b"\x0a" + b"\x80" * 20):
        if method not in ("AddArtifacts",):
            check_refused(call(raw, method, garbage))
        else:
            call(raw, method, garbage)
    check_serves(raw, session)


def sample_plan():
    """A plan of many kinds of nodes."""
    sql = pb.Relation(sql=pb.SQL(query="select id, cast(id as string) s, array(id) a from range(10)"))
    attribute = pb.Expression(unresolved_attribute=pb.Expression.UnresolvedAttribute(unparsed_identifier="id"))
    literal = pb.Expression(literal=pb.Expression.Literal(long=3))
    less = pb.Expression(unresolved_function=pb.Expression.UnresolvedFunction(
        function_name="<", arguments=[attribute, literal]))
    filtered = pb.Relation(filter=pb.Filter(input=sql, condition=less))
    joined = pb.Relation(join=pb.Join(left=filtered, right=sql, using_columns=["id"],
                                      join_type=pb.Join.JOIN_TYPE_INNER))
    grouped = pb.Relation(aggregate=pb.Aggregate(input=joined, group_type=pb.Aggregate.GROUP_TYPE_GROUPBY,
                                                 grouping_expressions=[attribute]))
    return pb.Plan(root=pb.Relation(limit=pb.Limit(input=grouped, limit=5))).SerializeToString()


def test_every_truncation_of_a_plan_is_answered(raw, session, bystander):
    plan = sample_plan()
    assert execute(raw, session, plan) is None
    for end in range(0, len(plan), 3):
        execute(raw, session, plan[:end])
    check_serves(raw, session)


def test_every_flipped_byte_of_a_plan_is_answered(raw, session, bystander):
    plan, dice = sample_plan(), random.Random(1)
    for at in range(0, len(plan), 2):
        changed = bytearray(plan)
        changed[at] ^= 1 << dice.randrange(8)
        execute(raw, session, bytes(changed))
    check_serves(raw, session)


# ---- what is not there ----

@pytest.mark.parametrize("plan", [
    b"", root(b""), command(b""), field(99, b"x"), field(3, b""), root(field(9999, b"new kind of relation")),
    command(field(9999, b"new kind of command")), root(project(b"")), root(project(field(7777, b"new expression"))),
    root(project(field(1, b""))), root(project(field(1, field(888, b"new literal")))),
    root(project(field(3, b""))), root(field(4, b"")), root(field(5, b"")), root(field(9, b"")), root(field(11, b"")),
    root(field(998, b"\x0a\x05a/b/c")), command(field(999, b"\x0a\x05a/b/c")), root(project(field(21, b""))),
    root(project(field(7, field(1, LITERAL_ONE) + field(2, field(5555, b"new type"))))),
])
def test_what_is_unknown_or_missing_is_refused(raw, session, plan):
    check_refused(execute(raw, session, plan))
    check_serves(raw, session)


@pytest.mark.parametrize("name, request_of", [
    ("session", lambda s: field(1, b"\xff\xfe") + field(3, root(SQL_RELATION))),
    ("user", lambda s: field(1, s.encode()) + field(2, field(1, b"\xc0\x80")) + field(3, root(SQL_RELATION))),
    ("sql", lambda s: execute_request(s, root(field(10, field(1, b"select '\xed\xa0\x80'"))))),
    ("column", lambda s: execute_request(s, root(project(field(2, field(1, b"a\xf5")))))),
    ("tag", lambda s: execute_request(s, root(SQL_RELATION), field(7, b"\x80"))),
    ("literal", lambda s: execute_request(s, root(project(field(1, field(13, b"\xe2\x82")))))),
])
def test_invalid_utf8_is_refused(raw, session, name, request_of):
    check_refused(call(raw, "ExecutePlan", request_of(session)))
    check_serves(raw, session)


def test_nul_in_text_is_answered(raw, session):
    for text in ("select 'a\0b' as x", "sel\0ect 1", "select 1 as `a\0b`", "select 1\0"):
        try:
            list(raw.ask(session, text))
        except grpc.RpcError as error:
            assert error.code() != grpc.StatusCode.UNAVAILABLE
    check_serves(raw, session)


# ---- nesting ----


DEEP = {
    "filters": lambda n: root(nested(n, SQL_RELATION, 4, 1)),
    "limits": lambda n: root(nested(n, SQL_RELATION, 8, 1)),
    "aliases": lambda n: root(nested(n, SQL_RELATION, 16, 1)),
    "functions": lambda n: root(project(nested(n, LITERAL_ONE, 3, 2))),
    "casts": lambda n: root(project(nested(n, LITERAL_ONE, 7, 1))),
    "lambdas": lambda n: root(project(nested(n, LITERAL_ONE, 10, 1))),
    "literals": lambda n: root(project(field(1, nested(n, b"\x30\x01", 22, 2)))),
    "types": lambda n: root(project(field(7, field(1, LITERAL_ONE) + field(2, nested(n, field(8, b""), 20, 1))))),
    "set operations": lambda n: root(nested(n, SQL_RELATION, 6, 1)),
    "commands": lambda n: command(field(2, nested(n, SQL_RELATION, 8, 1))),
}


@pytest.mark.parametrize("levels", [400, 5000, 100000])
@pytest.mark.parametrize("kind", list(DEEP))
def test_deep_plans_are_answered(raw, session, bystander, kind, levels):
    failed = execute(raw, session, DEEP[kind](levels))
    if levels > 1024:
        check_refused(failed)
    check_serves(raw, session)


def test_deep_plans_are_refused_by_analysis_as_well(raw, session):
    request = field(1, session.encode()) + field(2, field(1, b"probe")) + field(4, field(1, DEEP["filters"](5000)))
    check_refused(call(raw, "AnalyzePlan", request))
    check_serves(raw, session)


def filters_that_hold(levels):
    """FILTER true, `levels` times: a plan that is right in all but its depth."""
    relation = SQL_RELATION
    for _ in range(levels):
        relation = field(4, field(1, relation) + field(2, field(1, b"\x18\x01")))
    return root(relation)


@pytest.mark.parametrize("levels", [50, 200, 480])
def test_plans_as_deep_as_is_allowed_run(raw, session, levels):
    failed = execute(raw, session, filters_that_hold(levels))
    if levels <= 200:
        assert failed is None
    check_serves(raw, session)


# ---- size ----

@pytest.mark.slow
def test_a_plan_of_200_mib_is_refused(server, raw, session, bystander):
    request = execute_request(session, root(field(10, field(1, b"select '" + b"x" * (200 << 20) + b"'"))))
    refused = call(raw, "ExecutePlan", request)
    assert refused.code == grpc.StatusCode.RESOURCE_EXHAUSTED
    check_serves(raw, session)


@pytest.mark.slow
def test_memory_returns_after_large_plans(server, bystander):
    from hostile_tools import eventually_below, resident_mebibytes
    from raw import Raw

    other = server.another()
    raw = Raw(other.address)
    name = new()
    for _ in range(2):
        check_serves(raw, name)
        before = resident_mebibytes(other)
        request = execute_request(name, root(field(10, field(1, b"select length('" + b"x" * (60 << 20) + b"')"))))
        call(raw, "ExecutePlan", request)
        call(raw, "ExecutePlan", execute_request(name, root(b"\xff" * (60 << 20))))
        raw.release_session(name)
        name = new()
    eventually_below(lambda: resident_mebibytes(other), before + 64)
    raw.close()


def compressed(data, codec=1, kind=1):
    return field(3, field(1, data) + bytes([2 << 3, kind]) + bytes([3 << 3, codec]))


def test_broken_compression_is_refused(raw, session):
    for data in (b"", b"no zstd at all", b"\x28\xb5\x2f\xfd" + bytes(20), b"\x28\xb5\x2f\xfd\xa4\xff\xff\xff\xff"):
        check_refused(execute(raw, session, compressed(data)))
    check_refused(execute(raw, session, compressed(b"x", codec=77)))
    check_refused(execute(raw, session, compressed(b"x", kind=77)))
    check_serves(raw, session)


def zstd_bomb(size):
    """A frame without checksum: blocks of one repeated byte, 128 KiB each."""
    block = 128 << 10
    count = size // block
    head = b"\x28\xb5\x2f\xfd" + bytes([0b10_0_0_0_0_00, 7 << 3 | 0]) + size.to_bytes(4, "little")
    return head + b"".join(((block << 3 | 1 << 1 | (i == count - 1)).to_bytes(3, "little") + b"\0") for i in range(count))


def test_a_plan_that_inflates_without_end_is_refused(server, raw, session, bystander):
    check_refused(execute(raw, session, compressed(zstd_bomb(2 << 30))))
    check_serves(raw, session)


def test_a_message_that_inflates_without_end_is_refused(server, bystander):
    import gzip
    import struct

    from raw_http2 import DATA, HEADERS, Peer, connect, frame, literal, request_headers

    squeezed = gzip.compress(bytes(300 << 20), 1)
    content = b"\x01" + struct.pack(">I", len(squeezed)) + squeezed
    headers = request_headers(SERVICE.encode() + b"Config") + literal(b"grpc-encoding", b"gzip")
    with connect(server.address, 60) as stream:
        peer = Peer(stream)
        stream.sendall(frame(HEADERS, headers, 4, 1))
        try:
            for at in range(0, len(content), 16384):
                stream.sendall(frame(DATA, content[at:at + 16384], int(at + 16384 >= len(content)), 1))
        except OSError:
            pass  # it had enough
        while True:
            got = peer.read_frame()
            if got is None or got[0] in (HEADERS, 3) and got[2] == 1:
                break


# ---- artifacts ----

def add_artifacts(raw, requests):
    return raw.stub.AddArtifacts(iter(requests))


def artifact_request(raw, session, **content):
    return pb.AddArtifactsRequest(session_id=session, user_context=raw.user, **content)


def chunk(data, crc=None):
    return pb.AddArtifactsRequest.ArtifactChunk(data=data, crc=zlib.crc32(data) if crc is None else crc)


def single(name, piece):
    return pb.AddArtifactsRequest.Batch(artifacts=[pb.AddArtifactsRequest.SingleChunkArtifact(name=name, data=piece)])


def begin(name, total, count, piece):
    return pb.AddArtifactsRequest.BeginChunkedArtifact(name=name, total_bytes=total, num_chunks=count,
                                                       initial_chunk=piece)


def test_wrong_checksums_are_told_and_not_kept(raw, session):
    answer = add_artifacts(raw, [artifact_request(raw, session, batch=single("files/a", chunk(b"abc", 1)))])
    assert not answer.artifacts[0].is_crc_successful
    answer = add_artifacts(raw, [artifact_request(raw, session, begin_chunk=begin("files/b", 6, 2, chunk(b"abc"))),
                                 artifact_request(raw, session, chunk=chunk(b"def", 7))])
    assert not answer.artifacts[0].is_crc_successful
    assert not raw.artifact_exists(session, "files/a") and not raw.artifact_exists(session, "files/b")
    check_serves(raw, session)


@pytest.mark.parametrize("make", [
    lambda raw, s: [],
    lambda raw, s: [artifact_request(raw, s)],
    lambda raw, s: [artifact_request(raw, s, chunk=chunk(b"abc"))],
    lambda raw, s: [artifact_request(raw, s, begin_chunk=begin("files/c", 1 << 60, 1 << 40, chunk(b"abc")))],
    lambda raw, s: [artifact_request(raw, s, begin_chunk=begin("files/d", -5, -7, chunk(b"abc")))],
    lambda raw, s: [artifact_request(raw, s, begin_chunk=begin("files/e", 6, 2, chunk(b"abc")))],
    lambda raw, s: [artifact_request(raw, s, begin_chunk=begin("files/f", 6, 2, chunk(b"abc"))),
                    artifact_request(raw, s, batch=single("files/g", chunk(b"abc")))],
    lambda raw, s: [artifact_request(raw, s, batch=single("../../etc/passwd", chunk(b"abc")))],
    lambda raw, s: [artifact_request(raw, s, batch=single("/etc/passwd", chunk(b"abc")))],
    lambda raw, s: [artifact_request(raw, s, batch=single("", chunk(b"abc")))],
    lambda raw, s: [artifact_request(raw, s, batch=single("cache/00", chunk(b"abc")))],
])
def test_artifacts_that_make_no_sense_are_answered(raw, session, make):
    try:
        add_artifacts(raw, make(raw, session))
    except grpc.RpcError as error:
        assert error.code() not in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.UNKNOWN), error
    check_serves(raw, session)


# ---- local relations ----

def local(data, schema=None):
    relation = pb.LocalRelation(data=data)
    if schema is not None:
        relation.schema = schema
    return pb.Plan(root=pb.Relation(local_relation=relation)).SerializeToString()


def arrow_stream():
    import pyarrow as pa

    table = pa.table({"i": pa.array([1, 2, None, 4]), "s": pa.array(["a", None, "ccc", "dddd"]),
                      "l": pa.array([[1], [], None, [2, 3]]), "d": pa.array(["x", "y", "x", None]).dictionary_encode()})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def test_broken_arrow_is_refused_or_read(raw, session, bystander):
    whole, dice = arrow_stream(), random.Random(2)
    execute(raw, session, local(whole))
    for end in range(0, len(whole), 41):
        execute(raw, session, local(whole[:end]))
    for _ in range(250):
        changed = bytearray(whole)
        for _ in range(dice.randrange(1, 4)):
            changed[dice.randrange(len(changed))] = dice.choice((0, 1, 0x7F, 0x80, 0xFF, dice.randrange(256)))
        execute(raw, session, local(bytes(changed)))
    check_serves(raw, session)


def test_schemas_that_do_not_fit_are_answered(raw, session):
    for schema in ("", "x", "i int", "i int, s string, l array<int>, d string, e int", "i date, s int, l map<int,int>, d int",
                   "{", '{"type":"struct","fields":[]}', '{"type":"struct"}', "[" * 5000, '{"type":' * 3000):
        execute(raw, session, local(arrow_stream(), schema))
    check_serves(raw, session)


# ---- other calls ----

def test_ids_of_odd_shapes_are_refused(raw, session):
    for name in ("", "x", "../../../x", "0" * 36, new().upper() + "0", "🦆" * 9):
        failure(lambda: raw.ask(name, "select 1"))
        failure(lambda: raw.ask(session, "select 1", op=name)) if name else None
    check_serves(raw, session)


def test_large_configuration_is_refused(raw, session):
    pair = pb.KeyValue(key="spark.x", value="v" * (8 << 20))
    refused = failure(lambda: raw.config(session, set=pb.ConfigRequest.Set(pairs=[pair])))
    assert refused.code == grpc.StatusCode.RESOURCE_EXHAUSTED, refused
    check_serves(raw, session)
