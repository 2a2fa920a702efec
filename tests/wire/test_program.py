"""The program's command line and configuration, as an operator meets them."""
import os
import struct
import subprocess
import time

import pytest

from program import BINARY
from raw_http2 import SETTINGS, Peer, connect


def run(*arguments, **env):
    env.update((name, value) for name, value in os.environ.items() if name.endswith("SAN_OPTIONS"))
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
    give_up = time.monotonic() + 10
    lines = []
    while len(lines) < 2 and time.monotonic() < give_up:  # the lines come one after the other
        time.sleep(0.05)
        lines = [line.split()[-1] for line in other.text().splitlines() if line.startswith("portico listening on ")]
    assert len(lines) == 2
    for address in lines:
        with connect(address.replace("[::1]", "::1")) as stream:
            assert Peer(stream).wait_for(SETTINGS)


def test_sql_prints_a_table():
    done = run("sql", "select id, repeat('x', cast(id as int) * 30) as long from range(2) order by id")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "+---+------------------------------+\n" \
                          "|id |long                          |\n" \
                          "+---+------------------------------+\n" \
                          "|0  |                              |\n" \
                          "|1  |" + "x" * 30 + "|\n" \
                          "+---+------------------------------+\n"


def test_sql_prints_all_rows():
    done = run("sql", "select * from range(25000)")
    assert done.returncode == 0 and done.stdout.count("\n") == 25000 + 4


def test_sql_says_what_is_wrong_and_where():
    done = run("sql", "select 1\n  1 from t")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("portico: [PARSE_SYNTAX_ERROR]") and "(line 2, pos 2)" in done.stderr, done.stderr
    done = run("sql", "select 1 / 0")
    assert done.returncode == 1 and "[DIVIDE_BY_ZERO]" in done.stderr and "(line 1, position 8)" in done.stderr
    done = run("sql", "select * from nowhere")
    assert done.returncode == 1 and "TABLE_OR_VIEW_NOT_FOUND" in done.stderr, done.stderr


def test_sql_keeps_tables_in_the_database(tmp_path):
    database = ["--database", str(tmp_path / "kept.duckdb")]
    done = run("sql", "create table t as select 7 as seven", *database)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "|7    |" in run("sql", "select * from t", *database).stdout
