"""kill -9 at any moment of a write: afterwards there is the old content or the new one, whole."""
import contextlib
import random
import threading
import time

import grpc
import pytest

from raw import Raw, new, pb, table

OLD_ROWS, NEW_ROWS = 1000, 400_000


def run(client, session, text):
    return list(client.command(session, text))


def one_number(client, session, text):
    return table(client.ask(session, text)).column(0)[0].as_py()


def kill_during(server, delay, work):
    """Runs `work(client, session)` and kills the server `delay` seconds after its begin; whether it had finished."""
    client, session, done = Raw(server.address), new(), []

    def go():
        with contextlib.suppress(grpc.RpcError):
            work(client, session)
            done.append(True)

    assert one_number(client, session, "select 1") == 1
    thread = threading.Thread(target=go)
    thread.start()
    time.sleep(delay)
    server.process.kill()
    server.process.wait()
    thread.join(30)
    client.close()
    server.process.returncode = 0  # it was meant to end like this
    return bool(done)


def save_as_table(text, name):
    def work(client, session):
        write = pb.WriteOperation(input=pb.Relation(sql=pb.SQL(query=text)),
                                  mode=pb.WriteOperation.SAVE_MODE_OVERWRITE, source="parquet")
        write.table.table_name = name
        write.table.save_method = pb.WriteOperation.SaveTable.TABLE_SAVE_METHOD_SAVE_AS_TABLE
        list(client.stub.ExecutePlan(client.plan_request(session, pb.Plan(command=pb.Command(write_operation=write)))))
    return work


def save_to(text, path, source):
    def work(client, session):
        write = pb.WriteOperation(input=pb.Relation(sql=pb.SQL(query=text)), path=str(path),
                                  mode=pb.WriteOperation.SAVE_MODE_OVERWRITE, source=source)
        list(client.stub.ExecutePlan(client.plan_request(session, pb.Plan(command=pb.Command(write_operation=write)))))
    return work


def content(count, mark):
    return f"select id, {mark} as mark, sha2(cast(id as string), 256) as filler from range({count})"


def moments(count, work, server):
    """`count` delays from the beginning of `work` to a little after its end, as long as it takes on this machine."""
    began = time.monotonic()
    with client_of(server) as (client, session):
        work(client, session)
    took = time.monotonic() - began
    dice = random.Random(count)
    return [took * 1.2 * (number + dice.random()) / count for number in range(count)]


@contextlib.contextmanager
def client_of(server):
    client = Raw(server.address)
    try:
        yield client, new()
    finally:
        client.close()


def check_whole(client, session, relation, finished):
    """All rows are old, or all are new; new when the client was told so."""
    found = table(client.ask(session, f"select count(*), min(mark), max(mark), count(distinct id) from {relation}"))
    count, least, most, distinct = (column[0].as_py() for column in found.columns)
    assert (count, least, most, distinct) in ((OLD_ROWS, 1, 1, OLD_ROWS), (NEW_ROWS, 2, 2, NEW_ROWS))
    assert not finished or most == 2


@pytest.mark.slow
def test_save_as_table_is_all_or_nothing(server, tmp_path):
    options = ["--database", str(tmp_path / "kept.duckdb")]
    current = server.another(*options)
    write_new = save_as_table(content(NEW_ROWS, 2), "kept")
    delays = moments(10, write_new, current)
    with client_of(current) as (client, session):
        save_as_table(content(OLD_ROWS, 1), "kept")(client, session)
    for delay in delays:
        finished = kill_during(current, delay, write_new)
        current = server.another(*options)
        with client_of(current) as (client, session):
            check_whole(client, session, "kept", finished)
            save_as_table(content(OLD_ROWS, 1), "kept")(client, session)


def test_save_as_table_survives_one_kill(server, tmp_path):
    options = ["--database", str(tmp_path / "kept.duckdb")]
    current = server.another(*options)
    with client_of(current) as (client, session):
        save_as_table(content(OLD_ROWS, 1), "kept")(client, session)
    finished = kill_during(current, 0.15, save_as_table(content(NEW_ROWS, 2), "kept"))
    with client_of(server.another(*options)) as (client, session):
        check_whole(client, session, "kept", finished)


@pytest.mark.slow
@pytest.mark.parametrize("source", ["parquet", "csv", "json"])
def test_overwritten_folders_are_old_or_new(server, tmp_path, source):
    path = tmp_path / "data"
    schema = "id bigint, mark int, filler string"

    def relation(client, session):
        read = pb.Read(data_source=pb.Read.DataSource(format=source, paths=[str(path)], schema=schema))
        plan = pb.Plan(command=pb.Command(create_dataframe_view=pb.CreateDataFrameViewCommand(
            input=pb.Relation(read=read), name="data", replace=True)))
        list(client.stub.ExecutePlan(client.plan_request(session, plan)))
        return "data"

    current = server.another()
    write_new = save_to(content(NEW_ROWS, 2), path, source)
    for delay in moments(10 if source == "parquet" else 5, write_new, current):
        with client_of(current) as (client, session):
            save_to(content(OLD_ROWS, 1), path, source)(client, session)
        finished = kill_during(current, delay, write_new)
        current = server.another()
        with client_of(current) as (client, session):
            check_whole(client, session, relation(client, session), finished)


@pytest.mark.slow
def test_inserts_are_all_or_nothing(server, tmp_path):
    options = ["--database", str(tmp_path / "kept.duckdb")]
    current = server.another(*options)
    with client_of(current) as (client, session):
        run(client, session, "create table kept (id bigint)")
    def insert(client, session):
        run(client, session, "insert into kept select id from range(3000000)")

    delays, expected = moments(6, insert, current), 3000000
    for delay in delays:
        finished = kill_during(current, delay, insert)
        current = server.another(*options)
        with client_of(current) as (client, session):
            count = one_number(client, session, "select count(*) from kept")
        assert count == expected + 3000000 or count == expected and not finished
        expected = count
