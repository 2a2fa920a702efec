"""What becomes of a query when parts of its cluster die, freeze or forget: an answer or a clear error, within a limit."""
import os
import signal
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import plans as p


FILES, ROWS = 100, 50000


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A folder of many files, all the same one."""
    folder = tmp_path_factory.mktemp("data")
    first = folder / "0.parquet"
    pq.write_table(pa.table({"s": [f"row {i}" for i in range(ROWS)]}), first)
    for i in range(1, FILES):
        os.link(first, folder / f"{i}.parquet")
    return folder


ANSWER = ["n", str(FILES * ROWS)]


def finish(process, limit_seconds):
    """Its exit status and output; fails when it takes longer."""
    out, err = process.communicate(timeout=limit_seconds)
    return process.returncode, out.splitlines(), err


def test_a_job_that_takes_too_long_is_cancelled_and_its_slots_are_free(own_cluster, run_plan, rows, path):
    cluster = own_cluster(executors=1, slots=1)
    begun = time.monotonic()
    done = run_plan(p.slow(path, 10), cluster.address, options=["--ballista.job-timeout", "1500ms"])
    assert done.returncode == 1 and "ballista.job-timeout" in done.stderr
    assert time.monotonic() - begun < 4
    begun = time.monotonic()
    assert len(rows(p.scan([path / "0.parquet"], [("s", p.UTF8)]), cluster.address)) == ROWS + 1
    assert time.monotonic() - begun < 3


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["--ballista.push=false", "--ballista.push=true"])
def test_a_query_survives_its_schedulers_restart(own_cluster, start_plan, path, mode):
    cluster = own_cluster()
    process = start_plan(p.slow(path, 2), cluster.address, options=[mode])
    time.sleep(1)
    cluster.restart_scheduler()
    status, lines, err = finish(process, 110)  # executors register again within a minute
    assert status == 0, err
    assert lines == ANSWER


def test_a_write_is_not_repeated_after_a_restart(own_cluster, start_plan, path, tmp_path):
    cluster = own_cluster()
    process = start_plan(p.copy_to(p.slow(path, 40), f"file://{tmp_path}/out/"), cluster.address)
    time.sleep(1)
    cluster.restart_scheduler()
    status, _, err = finish(process, 20)
    assert status == 1
    assert "was writing, and is not run twice" in err


def test_a_scheduler_that_is_gone_is_an_error_in_time(own_cluster, start_plan, path):
    cluster = own_cluster()
    process = start_plan(p.slow(path, 40), cluster.address, options=["--ballista.reconnect-timeout", "2s"])
    time.sleep(1)
    cluster.scheduler.kill()
    status, _, err = finish(process, 15)
    assert status == 1
    assert "cannot be reached" in err or "closed the connection" in err


def test_another_scheduler_takes_over_a_query_that_reads(own_cluster, start_plan, path):
    first, second = own_cluster(), own_cluster()
    process = start_plan(p.slow(path, 2), first.address, second.address,
                         options=["--ballista.reconnect-timeout", "1s"])
    time.sleep(1)
    first.scheduler.kill()
    status, lines, err = finish(process, 60)
    assert status == 0, err
    assert lines == ANSWER


def test_a_frozen_scheduler_is_an_error_in_time(own_cluster, start_plan, path):
    cluster = own_cluster()
    options = ["--ballista.call-timeout", "1s", "--ballista.reconnect-timeout", "2s"]
    process = start_plan(p.slow(path, 40), cluster.address, options=options)
    time.sleep(1)
    cluster.scheduler.signal(signal.SIGSTOP)
    status, _, err = finish(process, 15)
    assert status == 1
    assert "did not answer in time" in err


def test_a_killed_executor_ends_within_the_jobs_limit(own_cluster, start_plan, path):
    cluster = own_cluster(executors=1)
    process = start_plan(p.slow(path, 40), cluster.address, options=["--ballista.job-timeout", "4s"])
    time.sleep(1)
    cluster.executors[0].signal(signal.SIGKILL)
    status, _, err = finish(process, 20)
    assert status == 1
    assert "ballista.job-timeout" in err


def test_a_frozen_executor_ends_within_the_jobs_limit(own_cluster, start_plan, path):
    cluster = own_cluster(executors=1)
    process = start_plan(p.slow(path, 40), cluster.address, options=["--ballista.job-timeout", "4s"])
    time.sleep(1)
    cluster.executors[0].signal(signal.SIGSTOP)
    status, _, err = finish(process, 20)
    assert status == 1
    assert "ballista.job-timeout" in err


@pytest.mark.slow
def test_a_terminated_executor_is_an_error_or_an_answer(own_cluster, start_plan, path):
    cluster = own_cluster(executors=2)
    process = start_plan(p.slow(path, 2), cluster.address, options=["--ballista.job-timeout", "40s"])
    time.sleep(0.5)
    cluster.executors[0].signal(signal.SIGTERM)
    status, lines, err = finish(process, 60)
    assert (status == 0 and lines == ANSWER) or (status == 1 and "Ballista" in err)


# ---- results that cannot be written


@pytest.fixture(scope="module")
def random_rows(tmp_path_factory):
    """Four files of rows that no compression makes small."""
    folder = tmp_path_factory.mktemp("random")
    for i in range(4):
        pq.write_table(pa.table({"s": [os.urandom(200).hex() for _ in range(20000)]}), folder / f"{i}.parquet")
    return folder


def one_row_is_answered(rows, cluster, limit_seconds=5):
    begun = time.monotonic()
    assert rows(p.project(p.ONE_ROW, p.named(p.integer(1), "a")), cluster.address) == ["a", "1"]
    assert time.monotonic() - begun < limit_seconds


def test_a_full_disk_on_results_is_an_error_and_leaves_no_slot_taken(own_cluster, run_plan, rows, random_rows):
    cluster = own_cluster(executors=1, slots=1, file_limit=1 << 20)
    for _ in range(3):
        done = run_plan(p.scan([random_rows], [("s", p.UTF8)]), cluster.address)
        assert done.returncode == 1
        assert "File too large" in done.stderr
    one_row_is_answered(rows, cluster)


# ---- executors that die when nobody else asks for anything


@pytest.mark.slow
def test_a_job_alone_outlives_a_killed_executor(own_cluster, start_plan, path):
    """Schedulers notice after three minutes, and act when a job comes: a trivial one is sent beside it."""
    cluster = own_cluster(executors=2, slots=1)
    process = start_plan(p.slow(path, 6), cluster.address, options=["--ballista.nudge-interval", "5s"])
    time.sleep(1)
    cluster.executors[0].signal(signal.SIGKILL)
    status, lines, err = finish(process, 280)
    assert status == 0, err
    assert lines == ANSWER
