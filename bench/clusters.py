"""A Ballista cluster for the benchmarks, with that of tests/ballista, and Portico before it."""
import os, pathlib, shutil, subprocess, sys, tempfile
import common


def python():
    """The Python that has Ballista's own package."""
    if "PT_BALLISTA_PYTHON" not in os.environ:
        setup = os.path.join(common.ROOT, "third_party", "setup")
        folder = subprocess.run([setup, "env", "ballista"], check=True, capture_output=True, text=True).stdout.strip()
        os.environ["PT_BALLISTA_PYTHON"] = os.path.join(folder, "bin", "newer-python")
    return os.environ["PT_BALLISTA_PYTHON"]


class Cluster:
    """One scheduler, two executors; `address` is the scheduler's."""

    def __init__(self):
        python()
        sys.path.append(os.path.join(common.ROOT, "tests", "ballista"))
        import cluster
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="bench-cluster-"))
        self.cluster = cluster.Cluster(self.folder)
        self.address = self.cluster.address

    def portico(self, *options):
        return common.portico("--backend", "ballista", "--ballista.schedulers", self.address, *options)

    def pids(self):
        return [p.process.pid for p in (self.cluster.scheduler, *self.cluster.executors)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.cluster.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
