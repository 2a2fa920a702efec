"""docs/embedding.md, followed literally in a scratch folder."""
import http.client
import os
import pathlib
import re
import subprocess
import time

import pytest

from program import BINARY
from serving import LISTENING

BUILD = pathlib.Path(BINARY).parent
GUIDE = pathlib.Path(__file__).parents[2] / "docs/embedding.md"
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.S | re.M)

pytestmark = pytest.mark.skipif(not (BUILD / "libportico.so").exists(), reason="the sanitized presets are not installed")


def shell(text, folder, prefix):
    done = subprocess.run(["sh", "-e", "-c", text], cwd=folder, env={**os.environ, "PREFIX": str(prefix)},
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, text + done.stdout + done.stderr
    return done.stdout


def test_the_guide(tmp_path):
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    prefix = tmp_path / "prefix"
    prefix.mkdir()
    blocks = [match.groups() for match in BLOCK.finditer(GUIDE.read_text())]
    for kind, name, text in blocks:
        if name:
            (tmp_path / name).write_text(text)
    install, hello, copy, build = [text for kind, name, text in blocks if kind == "sh"]
    shell(f'cmake --install {BUILD} --prefix "$PREFIX"', tmp_path, prefix)
    assert 'cmake --install build/release --prefix "$PREFIX"' in install
    assert shell(hello, tmp_path, prefix) == "done\n"
    shell(copy, tmp_path, prefix)

    includes, last_lines = [text for kind, name, text in blocks if kind == "c" and not name]
    server = (tmp_path / "server.c").read_text()
    last = "    return pt_host_add_backend(*host, &pt_backend_duckdb, config, err);\n"
    assert last in server
    server = server.replace(last, last_lines)
    at = server.rindex("#include")
    at = server.index("\n", at) + 1
    (tmp_path / "server.c").write_text(server[:at] + includes + server[at:])
    configure, compiling, start = build.strip().splitlines()
    shell(f"{configure}\n{compiling}\n", tmp_path, prefix)

    words = start.split()
    assert words == ["./out/server", "127.0.0.1", "15010"]
    with open(tmp_path / "log", "wb") as log:
        process = subprocess.Popen([words[0], words[1], "0"], cwd=tmp_path, stdout=log, stderr=log)
    try:
        give_up = time.monotonic() + 20
        while not LISTENING.search((tmp_path / "log").read_text()) and time.monotonic() < give_up:
            time.sleep(0.01)
        address = LISTENING.search((tmp_path / "log").read_text())[1]
        program, = [text for kind, name, text in blocks if kind == "python"]
        with pytest.raises(PySparkException, match="ada may not see the table secrets"):
            exec(program.replace("127.0.0.1:15010", address), {})
        keeper = SparkSession.builder.remote(f"sc://{address}/;user_id=keeper").create()
        assert keeper.table("secrets").collect()[0].answer == 42
        keeper.stop()
        connection = http.client.HTTPConnection(address, timeout=20)
        connection.request("GET", "/hello")
        assert connection.getresponse().read() == b"hello\n"
    finally:
        process.terminate()
        process.wait(30)
