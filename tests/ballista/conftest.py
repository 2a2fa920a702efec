"""A cluster for all tests of a run that harm it in no way, and clusters of a test's own."""
import subprocess
import uuid

import pyarrow as pa
import pyarrow.ipc
import pytest

from cluster import PYTHON, Cluster
from program import BINARY

FORMAT = "datafusion.logical_plan.v54"


def pytest_collection_modifyitems(items):
    if PYTHON is None:
        for item in items:
            item.add_marker(pytest.mark.skip(reason="PT_BALLISTA_PYTHON is not set: ./dev ballista"))


@pytest.fixture(scope="session")
def shared_cluster(tmp_path_factory):
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    yield cluster
    cluster.stop()


@pytest.fixture
def own_cluster(tmp_path):
    clusters = []

    def make(**options):
        clusters.append(Cluster(tmp_path / f"cluster{len(clusters)}", **options))
        return clusters[-1]

    yield make
    for cluster in clusters:
        cluster.stop()


def command_of(folder, plan, schedulers, options):
    path = folder / f"{uuid.uuid4().hex}.plan"
    path.write_bytes(plan)
    return [BINARY, "run", "--backend", "ballista", "--ballista.schedulers", ",".join(schedulers),
            "--format", FORMAT, *options, str(path)]


@pytest.fixture
def run_plan(tmp_path):
    """Runs a plan by `portico run`: the finished process, with its output as text."""

    def run(plan, *schedulers, options=(), timeout=60):
        command = command_of(tmp_path, plan, schedulers, options)
        return subprocess.run(command, capture_output=True, text=True, timeout=timeout)

    return run


@pytest.fixture
def rows(run_plan):
    """The lines of CSV that a plan gives, its names first."""

    def run(plan, *schedulers, options=()):
        done = run_plan(plan, *schedulers, options=options)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return run


@pytest.fixture
def run_arrow(tmp_path):
    """What a plan gives as a reader of Arrow."""

    def run(plan, *schedulers, options=()):
        command = command_of(tmp_path, plan, schedulers, ["--output", "arrow", *options])
        return pa.ipc.open_stream(subprocess.run(command, capture_output=True, check=True, timeout=60).stdout)

    return run


@pytest.fixture
def start_plan(tmp_path):
    """Runs a plan by `portico run` beside the test: the process, ended with the test."""
    started = []

    def start(plan, *schedulers, options=()):
        command = command_of(tmp_path, plan, schedulers, options)
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        return started[-1]

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()
