"""PySpark's token, which signs in as any other client's: the configured one, and web tokens; sessions are their user's."""
import base64
import json
import subprocess
import time
import uuid

import pytest
from pyspark.errors import PySparkException
from pyspark.sql.connect.session import SparkSession


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


@pytest.fixture
def issuer(tmp_path):
    """Makes web tokens by OpenSSL's command: issuer("ann")."""
    key = tmp_path / "key.pem"
    subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, capture_output=True)
    subprocess.run(["openssl", "rsa", "-in", key, "-pubout", "-out", tmp_path / "public.pem"], check=True, capture_output=True)

    def make(subject, seconds=600):
        claims = {"sub": subject, "exp": int(time.time()) + seconds}
        text = f'{encode(b"""{"alg":"RS256"}""")}.{encode(json.dumps(claims).encode())}'
        signed = subprocess.run(["openssl", "dgst", "-sha256", "-sign", key], input=text.encode(), check=True, capture_output=True)
        return f"{text}.{encode(signed.stdout)}"

    make.public = tmp_path / "public.pem"
    return make


def address(server):
    """A token without TLS is sent to the host of this name alone."""
    return "sc://localhost:" + server.address.rsplit(":", 1)[1]


def run(server, token, sql, session_id=None):
    url = f"{address(server)}/;token={token}" + (f";session_id={session_id}" if session_id else "")
    session = SparkSession.builder.remote(url).create()
    try:
        return [tuple(row) for row in session.sql(sql).collect()]
    finally:
        session.client.close()


@pytest.mark.parametrize("which", ["configured", "web"])
def test_a_token_signs_in(server, issuer, which):
    signed = server.another("--token-value", "s3cret", "--auth.jwt-key", issuer.public, "--auth.failure-delay", "20ms")
    token = "s3cret" if which == "configured" else issuer("ann")
    assert run(signed, token, "select 1 as x") == [(1,)]
    assert run(signed, token, "select current_user()") == [("token" if which == "configured" else "ann",)]


@pytest.mark.parametrize("which", ["guess", "expired", "forged", "none"])
def test_a_wrong_token_does_not(server, issuer, which):
    signed = server.another("--auth.jwt-key", issuer.public, "--auth.failure-delay", "20ms")
    tokens = {"guess": "guess", "expired": issuer("ann", -60), "forged": issuer("ann")[:-9] + "AAAAAAAAA",
              "none": f'{encode(b"""{"alg":"none"}""")}.{encode(json.dumps({"sub": "ann", "exp": 1 << 33}).encode())}.'}
    with pytest.raises(PySparkException) as caught:
        run(signed, tokens[which], "select 1")
    assert "UNAUTHENTICATED" in str(caught.value)
    assert tokens[which] not in signed.text()


def test_a_session_id_is_its_users(server, issuer):
    """The same id of another user is another session: it does not see the first one's views."""
    signed = server.another("--auth.jwt-key", issuer.public)
    id_ = str(uuid.uuid4())
    assert run(signed, issuer("ann"), "create temporary view mine as select 7 as x", id_) == []
    assert run(signed, issuer("ann"), "select * from mine", id_) == [(7,)]
    with pytest.raises(PySparkException) as caught:
        run(signed, issuer("bob"), "select * from mine", id_)
    assert "TABLE_OR_VIEW_NOT_FOUND" in str(caught.value)
