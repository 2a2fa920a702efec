"""Clients that are compiled: third_party/client builds them, PT_FLIGHT_GO and PT_FLIGHT_RUST name them."""
import os
import pathlib
import re
import subprocess

import pytest
from program import BINARY
from serving import Server

SOURCES = pathlib.Path(__file__).parent
SIGNED_IN = ["without sign-in", "with a password"]
MINUTES = 3


def outcome_of(kind, how, tmp_path_factory):
    """What each step came to, against a server of its own."""
    program = os.environ.get(f"PT_FLIGHT_{kind.upper()}")
    if not program:
        pytest.skip(f"{kind}'s client is not built here: ./dev flight says why")
    folder = tmp_path_factory.mktemp(kind)
    options = []
    if how == "with a password":
        hashed = subprocess.run([BINARY, "hash-password", "ann"], input="secret\n", capture_output=True, text=True, check=True)
        (folder / "users").write_text(hashed.stdout)
        options = ["--auth.users", folder / "users"]
    server = Server(folder, *options)
    done = subprocess.run([program, server.address, "ann", "secret"], capture_output=True, text=True, timeout=MINUTES * 60,
                          check=False)
    problem = server.stop()
    assert problem is None, problem
    lines = re.findall(r"^(ok|failed) ([^:\n]+)(.*)$", done.stdout, re.M)
    assert lines, done.stderr
    return {name: state + rest for state, name, rest in lines}
