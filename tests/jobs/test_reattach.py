"""Clients of Spark Connect reattach to operations of a server that was killed."""
import time

import grpc
import pyspark.sql.connect.proto as pb
import pytest

from raw import Raw, new, rows, table


@pytest.fixture
def restart(server, tmp_path):
    """Starts a server on the same store, killing the one before."""
    running = []

    def start():
        if running:
            old = running.pop()
            server.children.remove(old)
            old.process.kill()
            old.process.wait()
        running.append(server.another("--jobs.store", f"sqlite:{tmp_path}/jobs.db", "--jobs.lease", "200ms"))
        return Raw(running[0].address)

    return start


def reattach(raw, session, op, **options):
    """As clients do: again while the server says that it is not ready yet."""
    give_up = time.monotonic() + 20
    while True:
        try:
            return list(raw.again(session, op, **options))
        except grpc.RpcError as error:
            is_held = error.code() == grpc.StatusCode.UNAVAILABLE and "is held by" in error.details()
            if not is_held or time.monotonic() > give_up:
                raise
            time.sleep(0.05)


def test_finished_operation_is_sent_again(restart):
    raw, session, op = restart(), new(), new()
    first = list(raw.ask(session, "select id, cast(id as string) as text from range(200000)", op))
    raw = restart()
    second = reattach(raw, session, op, seen_server=first[0].server_side_session_id)
    assert table(second) == table(first) and rows(second) == 200000
    assert {r.server_side_session_id for r in second} == {first[0].server_side_session_id}
    middle = [r for r in first if r.HasField("arrow_batch")][0].response_id
    rest = reattach(raw, session, op, after=middle)
    assert rows(rest) == 200000 - first[[r.response_id for r in first].index(middle)].arrow_batch.row_count


def test_running_operation_is_run_again(restart):
    raw, session, op = restart(), new(), new()
    query = "select sum(a.id % 7 + b.id) as s from range(20000) a, range(20000) b"
    call = raw.ask(session, query, op)
    time.sleep(0.4)
    raw = restart()
    answer = table(reattach(raw, session, op))
    assert answer.num_rows == 1
    assert answer == table(list(raw.ask(new(), query)))
    del call


def test_view_that_is_lost_is_named(restart):
    raw, session, op = restart(), new(), new()
    view = pb.Relation(range=pb.Range(start=0, end=20000, step=1))
    command = pb.CreateDataFrameViewCommand(input=view, name="mine", is_global=False, replace=True)
    plan = pb.Plan(command=pb.Command(create_dataframe_view=command))
    list(raw.stub.ExecutePlan(raw.plan_request(session, plan)))
    call = raw.ask(session, "select sum(a.id % 7 + b.id) as s from mine a, mine b", op)
    time.sleep(0.4)
    raw = restart()
    with pytest.raises(grpc.RpcError, match="cannot be run again: it uses the temporary view mine of the session"):
        reattach(raw, session, op)
    del call


def test_write_that_was_interrupted_is_reported(restart, tmp_path):
    raw, session, op = restart(), new(), new()
    source = "select a.id % 7 + b.id as x from range(50000) a, range(50000) b"
    call = raw.command(session, f"insert overwrite directory '{tmp_path}/out' using parquet {source}", op=op)
    time.sleep(0.5)
    raw = restart()
    with pytest.raises(grpc.RpcError, match="it is not run twice"):
        reattach(raw, session, op)
    del call


def test_operations_of_others_and_released_ones_are_not_found(restart):
    raw, session, op, released = restart(), new(), new(), new()
    list(raw.ask(session, "select 1", op))
    list(raw.ask(session, "select 1", released))
    raw.release(session, released)
    raw.release(session, released)  # by a worker, before this or soon
    time.sleep(0.3)
    raw = restart()
    for who, id in (new(), op), (session, released):
        with pytest.raises(grpc.RpcError, match="INVALID_HANDLE"):
            list(raw.again(who, id))
    assert rows(reattach(raw, session, op)) == 1
