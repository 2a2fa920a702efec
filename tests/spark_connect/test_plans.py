"""Plans that are deep, large or compressed, and frames that are uploaded: BR-008, BR-009, BR-011."""
import hashlib
import random
import zlib

import pytest
from raw import Raw, failure, new, rows


def test_br_008_hundreds_of_with_column(spark):
    from pyspark.sql import Row
    from pyspark.sql.connect import functions as F

    d = spark.range(1)
    for i in range(400):
        d = d.withColumn("c", F.col("id") + i)
    assert d.collect() == [Row(id=0, c=399)]
    w = spark.range(1)
    for i in range(150):
        w = w.withColumn(f"c{i}", F.lit(i))
    assert (len(w.columns), w.collect()[0][150]) == (151, 149)
    e = F.col("id")
    for _ in range(40):
        e = e + F.lit(1)
    assert spark.range(1).select(e.alias("x")).collect() == [Row(x=40)]


def field(number, payload):
    """A length-delimited field, as protobuf writes it."""
    def varint(value):
        out = b""
        while value > 127:
            out += bytes([value & 127 | 128])
            value >>= 7
        return out + bytes([value])

    return varint(number << 3 | 2) + varint(len(payload)) + payload


def test_br_008_a_plan_of_5000_levels_is_refused(raw, session):
    import pyspark.sql.connect.proto as pb

    leaf = pb.Relation(range=pb.Range(end=1, step=1)).SerializeToString()
    number = pb.Relation.DESCRIPTOR.fields_by_name["filter"].number
    plan = leaf
    for _ in range(5000):
        plan = field(number, field(1, plan))
    request = raw.plan_request(session, pb.Plan()).SerializeToString() + field(3, field(1, plan))
    call = raw.channel.unary_stream("/spark.connect.SparkConnectService/ExecutePlan")
    refused = failure(lambda: call(request))
    assert refused.code.name in ("INVALID_ARGUMENT", "RESOURCE_EXHAUSTED"), refused
    assert rows(raw.ask(session, "select 1")) == 1


def test_br_009_large_frames_arrive(spark):
    import numpy as np
    import pandas as pd
    from pyspark.sql.connect import functions as F

    n = 200_000
    big = spark.createDataFrame(pd.DataFrame({"i": np.arange(n), "s": [f"r{i:07d}" + "p" * 24 for i in range(n)]}))
    assert big.count() == n
    assert tuple(big.agg(F.sum("i"), F.min("s"), F.max("s")).first()) == \
        (19999900000, "r0000000" + "p" * 24, "r0199999" + "p" * 24)


def upload(raw, session, name, data, crc=None, chunk=None):
    import pyspark.sql.connect.proto as pb

    request = pb.AddArtifactsRequest

    def requests():
        if chunk is None:
            yield request(session_id=session, user_context=raw.user, batch=request.Batch(artifacts=[
                request.SingleChunkArtifact(name=name, data=request.ArtifactChunk(
                    data=data, crc=zlib.crc32(data) if crc is None else crc))]))
            return
        pieces = [data[i:i + chunk] for i in range(0, len(data), chunk)]
        chunks = [request.ArtifactChunk(data=p, crc=zlib.crc32(p)) for p in pieces]
        if crc is not None:
            chunks[-1].crc = crc
        yield request(session_id=session, user_context=raw.user, begin_chunk=request.BeginChunkedArtifact(
            name=name, total_bytes=len(data), num_chunks=len(chunks), initial_chunk=chunks[0]))
        for piece in chunks[1:]:
            yield request(session_id=session, user_context=raw.user, chunk=piece)

    return [(a.name, a.is_crc_successful) for a in raw.stub.AddArtifacts(requests()).artifacts]


@pytest.mark.parametrize("chunk", [None, 1000])
def test_br_009_artifacts_with_right_and_wrong_checksums(server, raw, session, chunk):
    data = random.Random(5).randbytes(4567)
    name = "cache/" + hashlib.sha256(data).hexdigest()
    assert not raw.artifact_exists(session, name)
    assert upload(raw, session, name, data, crc=1, chunk=chunk) == [(name, False)]
    assert not raw.artifact_exists(session, name)
    assert upload(raw, session, name, data, chunk=chunk) == [(name, True)]
    assert raw.artifact_exists(session, name)
    other = Raw(server.address, user="other")
    assert not other.artifact_exists(session, name)
    other.close()


def test_artifact_names(raw, session):
    assert upload(raw, session, "files/a.txt", b"one") == [("files/a.txt", True)]
    assert upload(raw, session, "files/a.txt", b"one") == [("files/a.txt", True)]
    taken = failure(lambda: upload(raw, session, "files/a.txt", b"two"))
    assert (taken.condition, taken.sqlstate) == ("ARTIFACT_ALREADY_EXISTS", "42713")
    for name in ("/etc/passwd", "files/../../x"):
        assert failure(lambda: upload(raw, session, name, b"x")).condition == "INVALID_ARTIFACT_PATH"


def test_br_009_unknown_hash(raw, session):
    import pyspark.sql.connect.proto as pb

    plan = pb.Plan(root=pb.Relation(cached_local_relation=pb.CachedLocalRelation(hash="0" * 64)))
    failed = failure(lambda: raw.stub.ExecutePlan(raw.plan_request(session, plan)))
    assert (failed.condition, failed.sqlstate) == \
        ("CONNECT_INVALID_PLAN.CANNOT_FIND_CACHED_LOCAL_RELATION", "56K00")


@pytest.mark.slow
def test_br_011_compressed_plans(spark):
    from pyspark.sql import Row
    from pyspark.sql.connect import functions as F

    pytest.importorskip("zstandard")
    r = random.Random(7)
    parts = [spark.createDataFrame([("".join(r.choices("abcdefghijklmnop", k=400 * 1024)),)], ["v"])
             for _ in range(3)]
    d = parts[0]
    for i in range(60):
        d = d.unionByName(parts[i % 3])
    assert d.count() == 61
    assert d.select(F.length("v").alias("n")).distinct().collect() == [Row(n=409600)]


def test_br_011_what_does_not_decompress(raw, session):
    import pyspark.sql.connect.proto as pb

    if not hasattr(pb.Plan, "CompressedOperation"):
        pytest.skip("since 4.1")
    for data in (b"no zstd at all", b""):
        plan = pb.Plan(compressed_operation=pb.Plan.CompressedOperation(
            data=data, op_type=pb.Plan.CompressedOperation.OpType.OP_TYPE_RELATION,
            compression_codec=pb.CompressionCodec.COMPRESSION_CODEC_ZSTD))
        failed = failure(lambda: raw.stub.ExecutePlan(raw.plan_request(session, plan)))
        assert failed.condition == "CONNECT_INVALID_PLAN.CANNOT_PARSE", failed


def test_br_011_what_expands_without_bound(raw, session):
    import pyspark.sql.connect.proto as pb

    zstandard = pytest.importorskip("zstandard")
    bomb = zstandard.ZstdCompressor().compress(b"\0" * (1 << 20))
    bomb = bomb * 2000  # two thousand frames of a MiB
    plan = pb.Plan(compressed_operation=pb.Plan.CompressedOperation(
        data=bomb, op_type=pb.Plan.CompressedOperation.OpType.OP_TYPE_RELATION,
        compression_codec=pb.CompressionCodec.COMPRESSION_CODEC_ZSTD))
    failed = failure(lambda: raw.stub.ExecutePlan(raw.plan_request(session, plan)))
    assert failed.condition == "CONNECT_INVALID_PLAN.CANNOT_PARSE" or failed.code.name == "RESOURCE_EXHAUSTED", failed
    assert rows(raw.ask(session, "select 1")) == 1
