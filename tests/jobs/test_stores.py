"""Jobs on a store that several nodes share: the suite of the unit tests, and nodes that take over from one another."""
import os
import random
import signal
import subprocess
import time
import uuid

import pytest

from nodes import UNIT, Node

LEASE_MS = 500
UNAVAILABLE = 17  # pt_status


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request, tmp_path):
    if request.param == "sqlite":
        return f"sqlite:{tmp_path}/jobs.db"
    return request.getfixturevalue("postgresql").url


@pytest.fixture
def start(store, tmp_path):
    nodes = []

    def start_node(*settings):
        nodes.append(Node(f"jobs.store={store}", f"jobs.output-directory={tmp_path}/output", f"jobs.lease={LEASE_MS}ms",
                          "duckdb.threads=1", *settings))
        return nodes[-1]

    yield start_node
    for node in nodes:
        if node.process.poll() is None:
            node.stop()


def test_unit_suite_on_postgresql(postgresql):
    for name in "job_store_of_postgresql", "durable_jobs_of_two_hosts_on_postgresql":
        done = subprocess.run([UNIT, name], env={**os.environ, "PT_TEST_POSTGRESQL": postgresql.url},
                              capture_output=True, text=True)
        assert done.returncode == 0 and "1 passed, 0 failed" in done.stdout, done.stdout + done.stderr


def run(node, query, format="spark.sql"):
    job = str(uuid.uuid4())
    node.submit(job, format, query)
    node.await_ends([job])
    return job


def test_output_is_served_by_another_node(start):
    north, south = start(), start()
    job = run(north, "select id from range(100000)")
    south.recover(job)
    south.await_ends([job])
    assert south.ended[job] == north.ended[job]
    assert south.ended[job][:3] == ("succeeded", 0, 100000)


def test_same_id_and_request_is_the_same_job_on_another_node(start):
    north, south = start(), start()
    job = run(north, "select id from range(10)")
    south.submit(job, "spark.sql", "select id from range(10)")
    south.await_ends([job])
    assert south.ended[job] == north.ended[job]
    south.ended.clear()
    south.submit(job, "spark.sql", "select id from range(11)")
    south.await_ends([job])
    assert "already" in south.refused[job][1].lower()


def test_nodes_die_in_turns_and_every_read_ends(start):
    jobs = [str(uuid.uuid4()) for _ in range(24)]
    nodes = [start(), start()]
    accepted, ends = set(), {}
    for job in jobs:
        node = nodes[random.randrange(2)]
        node.submit(job, "spark.sql", "select sum(a.id % 7 + b.id) from range(2000) a, range(3000) b")
        nodes[1 - nodes.index(node)].recover(*random.sample(sorted(accepted), min(3, len(accepted))))
        time.sleep(random.random() * 0.2)
        node.kill()
        accepted |= node.accepted | node.recovered
        ends.update(node.ended)
        nodes[nodes.index(node)] = start()
    left = [job for job in accepted if job not in ends]
    nodes[0].recover(*left)
    nodes[0].await_ends(left)
    nodes[1].recover(*accepted)
    nodes[1].await_ends(accepted)
    assert len({nodes[1].ended[job] for job in accepted}) == 1, nodes[1].ended  # all the same answer
    assert all(end[0] == "succeeded" for end in nodes[1].ended.values()), nodes[1].ended
    assert all(nodes[1].ended[job] == end for job, end in ends.items() if end[0] == "succeeded")


def test_node_that_was_paused_has_lost_its_job(start, store):
    if store.startswith("sqlite"):
        pytest.skip("a process that is paused may hold the lock of SQLite's file")
    north, south = start(), start()
    job = str(uuid.uuid4())
    north.submit(job, "spark.sql", "select sum(a.id % 7 + b.id) from range(20000) a, range(20000) b")
    while job not in north.accepted:
        time.sleep(0.005)
    north.process.send_signal(signal.SIGSTOP)
    south.recover(job)
    south.await_ends([job])
    north.process.send_signal(signal.SIGCONT)
    north.await_ends([job])
    assert south.ended[job][0] == "succeeded"
    assert north.ended[job][:2] == ("failed", UNAVAILABLE)  # and what it had computed is dropped
    again = start()
    again.recover(job)
    again.await_ends([job])
    assert again.ended[job] == south.ended[job]


def test_view_of_sql_text_comes_back_with_the_job(start):
    north = start()
    run(north, "set spark.sql.ansi.enabled = false")
    run(north, "create temporary view numbers as select id as n from range(1000)")
    job = str(uuid.uuid4())
    north.submit(job, "spark.sql",
                 "select sum(a.n + coalesce(cast('x' as int), b.id)) from numbers a, range(30000) b, range(2000) c")
    while job not in north.accepted:
        time.sleep(0.005)
    time.sleep(0.2)
    assert job not in north.ended, north.ended
    north.kill()
    south = start()
    south.recover(job)
    while job not in south.recovered and job not in south.refused:
        time.sleep(0.005)
    time.sleep(0.2)
    assert job not in south.ended, south.ended  # it runs: the view was found, and the cast gave no error


def test_later_schema_of_the_store_is_refused(store, tmp_path):
    if not store.startswith("sqlite"):
        pytest.skip("the unit tests have it for the other stores")
    import sqlite3

    Node(f"jobs.store={store}", f"jobs.output-directory={tmp_path}/output").stop()
    with sqlite3.connect(f"{tmp_path}/jobs.db") as database:
        database.execute("update portico_job_schema set version = 99")
    with pytest.raises(RuntimeError, match="version 99"):
        Node(f"jobs.store={store}", f"jobs.output-directory={tmp_path}/output")
