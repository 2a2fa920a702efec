"""Nodes killed at random moments: nothing that was accepted is lost, and nothing is written twice."""
import hashlib
import os
import pathlib
import random
import time
import uuid

import pyarrow as pa
import pytest

from nodes import Node

KILLS = int(os.environ.get("PT_KILLS", "200"))
LEASE_MS = 100
LIFE_SECONDS = 0.35  # of a node at most, once it is ready
START_SECONDS = 0.1  # of a node that is killed while it starts: one in ten
INTERRUPTED = 20     # pt_status
NOT_FOUND = 8
LOG = '"default".log'  # as DuckDB names it
WRITERS = [
    ("spark.sql", "insert into log select {0}"),
    ("duckdb.sql", f"insert into {LOG} select {{0}} + 0 * count(*) from range(100000)"),
    ("spark.sql", "insert into files select {0}"),
    ("spark.sql", "create table written_{0} using parquet location '{1}/written/{0}' as select {0} as n"),
]

READS = [
    ("spark.sql", "select id * 7 from range(1000)"),
    ("spark.sql", "select id + 1 from range(300000)"),
    ("spark.sql", "select sum(a.id % 7 + b.id) from range(3000) a, range(3000) b"),
    ("duckdb.sql", "select i * 3 from range(200000) t(i)"),
]


def outputs(folder, job):
    """What is kept of a job, by name."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in pathlib.Path(folder).glob(f"{job}-*.arrows")}


class Ledger:
    """What the nodes promised."""

    def __init__(self, folder):
        self.folder = folder
        self.queries = {}   # id to (format, text)
        self.writes = {}    # id to the number it writes
        self.accepted = set()
        self.ends = {}      # id to the first end that was told
        self.unknown = set()  # never came on record: its node died before
        self.kept = {}      # id to the output kept then

    def new_read(self):
        job = str(uuid.uuid4())
        self.queries[job] = random.choice(READS)
        return job

    def new_write(self):
        job = str(uuid.uuid4())
        number = len(self.queries)
        self.writes[job] = number
        format, text = random.choice(WRITERS)
        self.queries[job] = (format, text.format(number, self.folder))
        return job

    def open_jobs(self):
        return [job for job in self.queries if job not in self.ends and job not in self.unknown]

    def take(self, node, folder):
        """What a node has said until it died."""
        self.accepted |= node.accepted | node.recovered
        for job, (status, message) in node.refused.items():
            assert status == NOT_FOUND and job not in self.accepted, f"{job} was accepted and is lost: {message}"
            self.unknown.add(job)
        for job, end in node.ended.items():
            known = self.ends.setdefault(job, end)
            assert known == end, f"{job} ended as {known}, and later as {end}"
            if job not in self.kept and end[0] == "succeeded":
                self.kept[job] = outputs(folder, job)


def expected_digests(ledger, node):
    """Digests of the reads as a node computes them that nobody kills."""
    first = {}
    for query in READS:
        job = str(uuid.uuid4())
        node.submit(job, *query)
        node.await_ends([job])
        first[query] = node.ended.pop(job)
        assert first[query][0] == "succeeded"
    return first


def start(folder, store, wait=True):
    return Node(f"jobs.store={store}", f"jobs.output-directory={folder}/output", f"jobs.lease={LEASE_MS}ms",
                f"database={folder}/tables.duckdb", "duckdb.threads=2", "spool.memory=256KiB", wait=wait)


def run_until_killed(ledger, folder, store):
    if random.random() < 0.1:
        node = start(folder, store, wait=False)
        time.sleep(random.random() * START_SECONDS)
        node.kill()
    node = start(folder, store)
    left = ledger.open_jobs()
    left = random.sample(left, min(6, len(left)))
    for make in (ledger.new_read, ledger.new_write, ledger.new_write):
        job = make()
        node.submit(job, *ledger.queries[job])
    again = random.sample(sorted(ledger.ends), min(2, len(ledger.ends)))
    node.recover(*left, *again)  # of some the output is served again
    time.sleep(random.random() * LIFE_SECONDS)
    node.kill()
    ledger.take(node, f"{folder}/output")


def count_log(node, folder):
    """How often each number was written: from the file that is kept of the result, which is plain Arrow."""
    job = str(uuid.uuid4())
    node.submit(job, "spark.sql", "show tables")
    node.await_ends([job])
    with pa.ipc.open_stream(f"{folder}/output/{job}-1.arrows") as reader:
        tables = [name for name in reader.read_all()["tableName"].to_pylist() if name.startswith("written_")]
    job = str(uuid.uuid4())
    sources = " union all ".join(f"select n from {name}" for name in ["log", "files", *tables])
    node.submit(job, "spark.sql", f"select cast(n as bigint) as n, count(*) as c from ({sources}) group by n")
    node.await_ends([job])
    assert node.ended[job][0] == "succeeded", node.ended[job]
    with pa.ipc.open_stream(f"{folder}/output/{job}-1.arrows") as reader:
        numbers, counts = (column.to_pylist() for column in reader.read_all().columns)
    return dict(zip(numbers, counts))


def check_reads(ledger, digests):
    for job, query in ledger.queries.items():
        if job in ledger.accepted and job not in ledger.writes:
            assert ledger.ends[job] == digests[query], f"{job}, {query}: {ledger.ends[job]}"


def check_writes(ledger, counts):
    interrupted = 0
    for job, number in ledger.writes.items():
        end = ledger.ends.get(job)
        count = counts.get(number, 0)
        if end is None:
            assert job not in ledger.accepted and count == 0, f"{job} is not on record, but wrote {count} rows"
        elif end[0] == "succeeded":
            assert count == 1, f"{job}, {ledger.queries[job]}, succeeded and wrote {count} rows"
        else:
            assert end[:2] == ("failed", INTERRUPTED), f"{job} ended as {end}"
            assert count == 0, f"{job}, {ledger.queries[job]}, was reported as interrupted and wrote {count} rows"
            interrupted += 1
    return interrupted


@pytest.mark.slow
def test_nothing_is_lost_and_nothing_is_written_twice(tmp_path, capsys):
    ledger = Ledger(tmp_path)
    store = f"sqlite:{tmp_path}/jobs.db"
    node = start(tmp_path, store)
    tables = ["create table log(n bigint)", f"create table files(n bigint) using parquet location '{tmp_path}/files'"]
    for text in tables:
        first = str(uuid.uuid4())
        node.submit(first, "spark.sql", text)
        node.await_ends([first])
        assert node.ended[first][0] == "succeeded", node.ended[first]
    digests = expected_digests(ledger, node)
    node.kill()

    for _ in range(KILLS):
        run_until_killed(ledger, tmp_path, store)

    node = start(tmp_path, store)
    open_jobs = ledger.open_jobs()
    node.recover(*open_jobs)
    node.await_ends(open_jobs, 120)
    ledger.take(node, f"{tmp_path}/output")
    node.stop()

    node = start(tmp_path, store)
    finished = [job for job, end in ledger.ends.items() if end[0] == "succeeded"]
    node.recover(*finished)
    node.await_ends(finished, 120)
    ledger.take(node, f"{tmp_path}/output")  # the same ends, with the same digests
    for job in finished:
        assert outputs(f"{tmp_path}/output", job) == ledger.kept[job], f"the output of {job} has changed"
    check_reads(ledger, digests)
    interrupted = check_writes(ledger, count_log(node, tmp_path))
    node.stop()
    with capsys.disabled():
        print(f"\n{KILLS} kills: {len(ledger.queries)} jobs, {len(ledger.accepted)} accepted, {len(finished)} finished"
              f" and served again bit for bit, {interrupted} of {len(ledger.writes)} writes interrupted,"
              f" {len(open_jobs)} open after the last kill, none lost, none written twice")
