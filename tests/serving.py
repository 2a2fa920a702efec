"""A server for a test, in a folder of its own."""
import os
import pathlib
import re
import signal
import subprocess
import time
import uuid

from program import BINARY

START_LIMIT_SECONDS = 20
STOP_LIMIT_SECONDS = 20
LISTENING = re.compile(r"listening on (\S+:\d+)")
REPORT = re.compile(r"Sanitizer|runtime error:|Assertion .* failed")


class Server:
    """A running `portico serve` with a folder of its own."""

    def __init__(self, folder, *options, env=None):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.log = self.folder / f"server-{uuid.uuid4().hex[:8]}.log"
        self.children = []
        command = [BINARY, "serve", "--listen", "127.0.0.1:0", *options]
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            env={**os.environ, **(env or {})})
        self.address = self._await_listening()
        self.url = "sc://" + self.address

    def _await_listening(self):
        give_up = time.monotonic() + START_LIMIT_SECONDS
        while time.monotonic() < give_up:
            found = LISTENING.search(self.text())
            if found:
                return found[1]
            if self.process.poll() is not None:
                break
            time.sleep(0.01)
        self.process.kill()
        raise RuntimeError("the server did not start:\n" + self.text())

    def text(self):
        return self.log.read_text(errors="replace")

    def another(self, *options, env=None):
        """A further server, stopped with this one."""
        child = Server(self.folder / f"another-{len(self.children)}", *options, env=env)
        self.children.append(child)
        return child

    def alive(self):
        return self.process.poll() is None

    def stop(self):
        """Ends it as an operator would and returns what was wrong, or None."""
        wrong = [problem for problem in (child.stop() for child in self.children) if problem]
        if self.alive():
            self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(STOP_LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
            wrong.append("the server did not stop on SIGTERM")
        if code != 0:
            wrong.append(f"the server exited with {code}")
        if REPORT.search(self.text()):
            wrong.append("a sanitizer or an assertion reported")
        return "\n".join([*wrong, self.text()[-8000:]]) if wrong else None
