"""`portico decode` and `portico run`: encoded queries from files, without a server."""
import io
import subprocess

import pyarrow as pa

from program import BINARY


def portico(*arguments, stdin=b"", code=0):
    done = subprocess.run([BINARY, *map(str, arguments)], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == code, done.stderr.decode()
    return done.stdout if code == 0 else done.stderr.decode()


def test_decode_prints_the_plan():
    plan = portico("decode", "-", stdin=b"select 1 as a").decode()
    assert plan == "project expressions=[1 as a]\n"


def test_run_prints_csv(tmp_path):
    (tmp_path / "shop.csv").write_text("a,b\n1,x\n2,\"y,z\"\n")
    query = b"select _c0 as a, _c1 as b, cast(null as int) as c from shop order by a"
    rows = portico("run", "--tables", f"shop={tmp_path}/shop.csv", "-", stdin=query).decode()
    assert rows == 'a,b,c\n1,x,\n2,"y,z",\na,b,\n'


def test_run_prints_arrow():
    stream = portico("run", "--output", "arrow", "-", stdin=b"select id from range(3)")
    assert pa.ipc.open_stream(io.BytesIO(stream)).read_all().to_pydict() == {"id": [0, 1, 2]}


def test_an_unknown_format_is_named_with_those_that_there_are():
    message = portico("run", "--format", "fortune.cookie", "-", stdin=b"x", code=1)
    assert 'fortune.cookie' in message and "spark.sql" in message
