"""Arrow's JDBC driver: Jdbc.java walks it, each step of it is a test; updates and queries are told apart (BR-037)."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

SOURCE = pathlib.Path(__file__).parent / "Jdbc.java"
STEPS = re.findall(r'STEPS\.put\("([^"]+)"', SOURCE.read_text(encoding="utf-8"))
MINUTES = 3


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    """What each step came to; the driver is started once."""
    folder = os.environ.get("PT_FLIGHT_JDBC")
    if not folder:
        pytest.skip("the JDBC driver could not be fetched: third_party/setup jars flight-jdbc")
    if shutil.which("java") is None:
        pytest.skip("there is no Java here")
    from serving import Server

    server = Server(tmp_path_factory.mktemp("jdbc"))
    archives = ":".join(str(p) for p in pathlib.Path(folder).glob("*.jar"))
    opened = [f"--add-opens=java.base/{p}=ALL-UNNAMED" for p in ("java.nio", "sun.nio.ch")]
    url = f"jdbc:arrow-flight-sql://{server.address}/?useEncryption=false"
    done = subprocess.run(["java", *opened, "-cp", archives, str(SOURCE), url], capture_output=True, text=True,
                          timeout=MINUTES * 60, check=False)
    problem = server.stop()
    assert problem is None, problem
    lines = re.findall(r"^(ok|failed) ([^:\n]+)(.*)$", done.stdout, re.M)
    assert lines, done.stderr
    return {name: kind + rest for kind, name, rest in lines}


@pytest.mark.parametrize("step", STEPS)
def test_jdbc(outcome, step):
    assert outcome.get(step) == "ok"
