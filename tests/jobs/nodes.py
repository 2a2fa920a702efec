"""Nodes of examples/job_node.c, and a PostgreSQL server of the tests' own."""
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from program import BINARY

NODE = pathlib.Path(BINARY).with_name("example_job_node")
UNIT = pathlib.Path(BINARY).with_name("portico_unit")
STATES = ["pending", "running", "succeeded", "failed", "cancelled"]


class Node:
    """A running node; what it says is read by a thread, so that a kill loses nothing of it."""

    def __init__(self, *settings, wait=True):
        self.process = subprocess.Popen([NODE, *settings], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.accepted = set()
        self.recovered = set()
        self.refused = {}
        self.ended = {}  # id to (state, status, rows, digest)
        self.ready = threading.Event()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        if wait and not self.ready.wait(20):
            self.kill()
            raise RuntimeError("the node did not start: " + self.process.stderr.read())

    def _read(self):
        for line in self.process.stdout:
            if not line.endswith("\n"):
                break  # cut off by the kill
            word, *rest = line.rstrip("\n").split(" ")
            if word == "ready":
                self.ready.set()
            elif word == "accepted":
                self.accepted.add(rest[0])
            elif word == "recovered":
                self.recovered.add(rest[0])
            elif word == "refused":
                self.refused[rest[0]] = (int(rest[1]), " ".join(rest[2:]))
            elif word == "ended":
                self.ended[rest[0]] = (STATES[int(rest[1])], int(rest[2]), int(rest[3]), rest[4])

    def send(self, *lines):
        try:
            self.process.stdin.write("".join(line + "\n" for line in lines))
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def submit(self, job, format, query):
        self.send(f"submit {job} {format} {query}")

    def recover(self, *jobs):
        self.send(*(f"recover {job}" for job in jobs))

    def await_ends(self, jobs, seconds=60):
        """Until all jobs have ended or were refused."""
        give_up = time.monotonic() + seconds
        while time.monotonic() < give_up and self.process.poll() is None:
            if all(job in self.ended or job in self.refused for job in jobs):
                return
            time.sleep(0.002)
        missing = [job for job in jobs if job not in self.ended and job not in self.refused]
        raise AssertionError(f"{len(missing)} jobs have not ended, among them {missing[:3]}")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.reader.join()

    def stop(self):
        self.process.stdin.close()
        code = self.process.wait(20)
        self.reader.join()
        errors = self.process.stderr.read()
        wrong = [word for word in ("Sanitizer", "runtime error", "job_node:") if word in errors]
        assert code == 0 and not wrong, f"the node exited with {code}: {errors}"


class PostgreSQL:
    """A server on a Unix socket in a folder of its own, run by another user than root."""

    def __init__(self):
        found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        assert found, "PostgreSQL's server is not installed; third_party/setup packages does that"
        self.binaries = found[-1].parent
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="portico-pg-"))
        self.user = {}
        if os.getuid() == 0:
            nobody = pwd.getpwnam("nobody")
            os.chown(self.folder, nobody.pw_uid, nobody.pw_gid)
            self.user = {"user": "nobody", "group": nobody.pw_gid, "extra_groups": []}
        self._run("initdb", "-D", str(self.folder / "data"), "-A", "trust", "-U", "portico", "--no-sync")
        self.process = subprocess.Popen(
            [self.binaries / "postgres", "-D", self.folder / "data", "-k", self.folder, "-c", "listen_addresses=",
             "-c", "fsync=off"], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **self.user)
        self.url = f"postgresql://portico@/postgres?host={self.folder}"
        self._await()

    def _run(self, program, *arguments):
        subprocess.run([self.binaries / program, *arguments], cwd=self.folder, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, **self.user)

    def _await(self):
        for _ in range(200):
            ready = subprocess.run([self.binaries / "pg_isready", "-q", "-h", str(self.folder)])
            if ready.returncode == 0:
                return
            time.sleep(0.05)
        self.stop()
        raise RuntimeError("PostgreSQL did not start")

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(20)
        finally:
            if self.process.poll() is None:
                self.process.kill()
            shutil.rmtree(self.folder, ignore_errors=True)
