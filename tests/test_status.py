"""The status page: what it tells, to whom, and what happens to those who ask otherwise."""
import http.client
import json
import re
import socket
import subprocess
import time

import pytest

from program import BINARY

SHOWN = re.compile(r"status at http://(\S+):(\d+)/status")


@pytest.fixture
def shown(server):
    other = server.another("--status-listen", "127.0.0.1:0")
    host, port = SHOWN.search(other.text()).groups()
    other.status = (host, int(port))
    return other


def get(shown, path="/status", method="GET", **headers):
    connection = http.client.HTTPConnection(*shown.status, timeout=10)
    connection.request(method, path, headers=headers)
    answer = connection.getresponse()
    body = answer.read().decode()
    connection.close()
    return answer, body


def send(shown, data, wait=6.0):
    """What comes back for raw bytes, up to the end of the connection."""
    with socket.create_connection(shown.status, timeout=wait) as raw:
        try:
            raw.sendall(data)
            out = b""
            while True:
                piece = raw.recv(65536)
                if not piece:
                    return out
                out += piece
        except ConnectionError:
            return b""


def spark_of(shown, user):
    from pyspark.sql import SparkSession

    return SparkSession.builder.remote(f"{shown.url}/;user_id={user}").create()


def test_nothing_is_shown_unless_asked_for(server):
    assert not SHOWN.search(server.text())


def test_jobs_sessions_and_backends_are_shown(shown):
    spark = spark_of(shown, "ann<b>")
    assert spark.sql("select 'a secret of the text' as x").toArrow().num_rows == 1
    answer, body = get(shown, "/status.json")
    told = json.loads(body)
    assert answer.status == 200 and answer.getheader("content-type") == "application/json"
    assert told["sessions"] == 1 and told["backends"] == ["duckdb"] and told["resident_bytes"] > 1 << 20
    assert told["jobs"] and told["jobs"][0]["user"] == "ann<b>" and told["jobs"][0]["state"] == "succeeded"
    assert told["version"] and told["uptime_s"] >= 0
    answer, page = get(shown)
    assert answer.getheader("content-type").startswith("text/html") and "default-src 'none'" in answer.getheader("content-security-policy")
    assert "ann&#60;b&#62;" in page and "ann<b>" not in page and told["jobs"][0]["id"] in page
    for text in (page, body):
        assert "secret" not in text and spark.client._session_id not in text
    spark.stop()


def test_json_by_what_the_client_accepts(shown):
    assert get(shown, Accept="application/json")[1].startswith("{")
    assert get(shown, Accept="text/html,application/json;q=0.5")[1].startswith("<!doctype")
    assert get(shown, "/status?x=1")[0].status == 200
    assert get(shown, "/")[0].status == 200


def test_other_requests_are_refused(shown):
    assert get(shown, "/other")[0].status == 404
    assert get(shown, method="DELETE")[0].status == 405
    answer, body = get(shown, method="HEAD")
    assert answer.status == 200 and body == "" and int(answer.getheader("content-length")) > 100
    assert get(shown, Host="evil.example")[0].status == 421
    assert get(shown, Host="localhost:1234")[0].status == 200


@pytest.mark.parametrize("data", [
    b"\r\n\r\n", b"GET /status\r\n\r\n", b"GET /status HTTP/9.9\r\nHost: localhost\r\n\r\n", b"GET /status HTTP/1.1\r\n\r\n",
    b"GET /status HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", b"\x00" * 9000, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"GET /status HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nabcde", b"GET " + b"/" * 20000,
    b"GET /status HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n", b"GET /status HTTP/1.1\r\nno colon\r\n\r\n",
    b"GET \xff\xfe HTTP/1.1\r\nHost: \xff\r\n\r\n",
], ids=range(12))
def test_hostile_requests_end_with_a_refusal(shown, data):
    answer = send(shown, data)
    assert answer == b"" or re.match(rb"HTTP/1.1 4\d\d ", answer), answer[:80]
    assert get(shown)[0].status == 200


def test_clients_that_say_nothing_are_hung_up_on(shown):
    idle = [socket.create_connection(shown.status) for _ in range(40)]
    dripping = idle[0]
    began = time.monotonic()
    while time.monotonic() - began < 12:
        try:
            dripping.sendall(b"G")
            if get(shown)[0].status == 200:
                break
        except OSError:
            pass
        time.sleep(0.3)
    assert time.monotonic() - began < 10
    for client in idle:
        client.close()
    assert get(shown)[0].status == 200 and shown.alive()


def test_other_machines_are_not_shown_it_by_accident(tmp_path):
    command = [BINARY, "serve", "--listen", "127.0.0.1:0", "--status-listen", "0.0.0.0:0"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=20, cwd=tmp_path)
    assert run.returncode != 0 and "status-public" in run.stderr + run.stdout


def test_the_page_is_public_when_told_so(server):
    other = server.another("--status-listen", "0.0.0.0:0", "--status-public")
    other.status = ("127.0.0.1", int(SHOWN.search(other.text())[2]))
    assert get(other, Host="a.name.of.ours")[0].status == 200


def test_environment_and_file_have_the_same_names(server, tmp_path):
    file = tmp_path / "portico.conf"
    file.write_text("status-listen = 127.0.0.1:0\n")
    assert SHOWN.search(server.another("--config", str(file)).text())
    assert SHOWN.search(server.another(env={"PORTICO_STATUS_LISTEN": "127.0.0.1:0"}).text())
