"""The program's command line and configuration, as an operator meets them."""
import struct
import subprocess

import pytest

from conftest import BINARY
from raw_http2 import SETTINGS, Peer, connect


def run(*arguments, **env):
    return subprocess.run([BINARY, *arguments], capture_output=True, text=True, timeout=10, env=env)


@pytest.mark.parametrize("arguments, words", [
    (["serve", "--databse", "x"], ['"databse"', '"database"']),
    (["serve", "--max-streams", "3"], ["http2.max-streams"]),
    (["serve", "--http2.max-streams", "many"], ["http2.max-streams", "many"]),
    (["serve", "--http2.max-streams", "0"], ["http2.max-streams", "0"]),
    (["serve", "--http2.response-compression", "snappy"], ["http2.response-compression", "snappy"]),
    (["serve", "--listen", "nowhere"], ['"nowhere"', "127.0.0.1:15002"]),
    (["serve", "--listen", "127.0.0.1:0,127.0.0.1:99999"], ["127.0.0.1:99999"]),
    (["serve", "--max-connections", "0"], ["max-connections"]),
    (["serve", "quickly"], ["quickly"]),
    (["srve"], ['"serve"']),
    (["sql"], ["one statement"]),
])
def test_mistakes_are_named(arguments, words):
    done = run(*arguments)
    assert done.returncode == 2
    assert all(word in done.stderr for word in words), done.stderr


def test_the_environment_is_checked_as_well():
    done = run("serve", PORTICO_LISTN="127.0.0.1:0")
    assert done.returncode == 2 and "LISTN" in done.stderr and '"listen"' in done.stderr


def test_a_file_configures_the_server(server, tmp_path):
    (tmp_path / "portico.conf").write_text("# test\nlog-format = json\nhttp2.max-streams = 7\n")
    other = server.another("--config", tmp_path / "portico.conf", env={"PORTICO_HTTP2_MAX_STREAMS": "9"})
    with connect(other.address) as stream:
        _, _, _, payload = Peer(stream).wait_for(SETTINGS)
    settings = dict(struct.unpack(">HI", payload[at:at + 6]) for at in range(0, len(payload), 6))
    assert settings[3] == 9
    assert other.stop() is None
    assert '"level":"info"' in other.text()


def test_several_addresses_can_be_listened_at(server):
    other = server.another("--listen", "127.0.0.1:0,localhost:0")
    lines = [line.split()[-1] for line in other.text().splitlines() if line.startswith("portico listening on ")]
    assert len(lines) == 2
    for address in lines:
        with connect(address.replace("[::1]", "::1")) as stream:
            assert Peer(stream).wait_for(SETTINGS)
