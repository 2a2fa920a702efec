"""A Ballista cluster for tests: one scheduler and some executors, each a process that can be stopped, killed, frozen.

PT_BALLISTA_PYTHON names a Python with the package `ballista`; `./dev ballista` sets it.
"""
import os
import pathlib
import random
import resource
import signal
import socket
import subprocess
import time

PYTHON = os.environ.get("PT_BALLISTA_PYTHON")
NODE = pathlib.Path(__file__).with_name("node.py")
START_LIMIT_SECONDS = 30


def is_free(host, port):
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


class Process:
    """`file_limit` bytes are the most that it may write into a file: more fails as on a disk that is full."""

    def __init__(self, name, folder, *arguments, file_limit=None):
        self.name, self.arguments, self.file_limit = name, [str(a) for a in arguments], file_limit
        self.log = folder / f"{name}.log"
        self.folder = folder
        self.process = None
        self.start()

    def start(self):
        scratch = self.folder / "scratch"
        scratch.mkdir(exist_ok=True)
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([PYTHON, str(NODE), *self.arguments], stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log, env={**os.environ, "TMPDIR": str(scratch)}, preexec_fn=self._limit)

    def _limit(self):
        if self.file_limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (self.file_limit, self.file_limit))

    def text(self):
        return self.log.read_text(errors="replace")

    def await_text(self, *wanted):
        give_up = time.monotonic() + START_LIMIT_SECONDS
        while not all(text in self.text() for text in wanted):
            if self.process.poll() is not None or time.monotonic() > give_up:
                raise RuntimeError(f"{self.name} did not start:\n{self.text()[-2000:]}")
            time.sleep(0.02)

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


class Cluster:
    def __init__(self, folder, executors=2, slots=2, file_limit=None):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.net = f"127.{random.randint(64, 250)}.{random.randint(1, 250)}"
        self.port = self._free_port()
        self.address = f"127.0.0.1:{self.port}"
        self.slots, self.file_limit = slots, file_limit
        self.executors = []
        self.scheduler = Process("scheduler", self.folder, "scheduler", "127.0.0.1", self.port)
        self._await_port()
        for _ in range(executors):
            self.add_executor()
        for executor in self.executors:
            executor.await_text("registration succeed", "flight server listening")

    @staticmethod
    def _free_port():
        """Below those that the system gives to connections."""
        while True:
            port = random.randint(20000, 32000)
            if is_free("127.0.0.1", port):
                return port

    def _await_port(self):
        self.scheduler.await_text("started")
        give_up = time.monotonic() + START_LIMIT_SECONDS
        while time.monotonic() < give_up:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.02)
        raise RuntimeError("the scheduler does not listen")

    def add_executor(self):
        number = len(self.executors) + 1
        self.executors.append(Process(f"executor{number}", self.folder, "executor", f"{self.net}.{number}",
                                      self.port + 1, self.slots, self.address, file_limit=self.file_limit))

    def restart_scheduler(self):
        self.scheduler.kill()
        self.scheduler.start()
        self._await_port()

    def stop(self):
        for process in [*self.executors, self.scheduler]:
            if process.process.poll() is None:
                process.signal(signal.SIGCONT)
            process.kill()
