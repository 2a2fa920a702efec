"""SIGHUP: users, tokens, keys and certificates are read again while the server runs; what is broken leaves the old ones."""
import signal
import subprocess
import time

import adbc_driver_manager
import pytest
from adbc_driver_flightsql import dbapi
from test_sign_in import ANN, BOB, QUICK, adbc, ask, basic, channel, code_of, handshake, hashed, no_secret_in
from web_tokens import Key, jwks

READ, KEPT = "have been read again", "stay as they were"


def reload(server, text, seconds=10):
    """Sends the signal and waits for the line of the log that has the text."""
    before = server.text().count(text)
    server.process.send_signal(signal.SIGHUP)
    give_up = time.monotonic() + seconds
    while server.text().count(text) == before:
        assert time.monotonic() < give_up, server.text()
        time.sleep(0.02)


def signs_in(server, user):
    with channel(server) as opened:
        return code_of(opened, ("authorization", basic(*user)))


def test_users_are_read_again(server, tmp_path):
    file = tmp_path / "users"
    file.write_text(hashed(*ANN))
    known = server.another("--auth.users", file, *QUICK)
    assert signs_in(known, ANN) == "OK" and signs_in(known, BOB) == "UNAUTHENTICATED"
    with channel(known) as opened:
        given = handshake(opened, ("authorization", basic(*ANN)))
        file.write_text(hashed(*BOB))
        reload(known, READ)
        assert signs_in(known, ANN) == "UNAUTHENTICATED", "the password was remembered"
        assert signs_in(known, BOB) == "OK"
        assert code_of(opened, ("authorization", given)) == "OK", "a token that was given out ends with its time"
    no_secret_in(known)


@pytest.mark.parametrize("content", ["bob\n", "bob:plain\n", None], ids=["no hash", "no such hash", "no file"])
def test_broken_users_leave_the_old_ones(server, tmp_path, content):
    file = tmp_path / "users"
    file.write_text(hashed(*ANN))
    known = server.another("--auth.users", file, *QUICK)
    if content is None:
        file.unlink()
    else:
        file.write_text(content)
    reload(known, KEPT)
    assert str(file) in known.text()
    assert signs_in(known, ANN) == "OK"
    file.write_text(hashed(*ANN) + hashed(*BOB))
    reload(known, READ)
    assert signs_in(known, BOB) == "OK"


def test_keys_of_web_tokens_are_read_again(server, tmp_path):
    old, new, file = Key("RS256", "old"), Key("ES256", "new"), tmp_path / "jwks"
    file.write_text(jwks(old))
    trusting = server.another("--auth.jwt-jwks", file, "--auth.jwt-issuer", "https://issuer.example", "--auth.jwt-audience",
                              "portico", *QUICK)
    first, second = ("authorization", "Bearer " + old.token()), ("authorization", "Bearer " + new.token())
    with channel(trusting) as opened:
        assert (code_of(opened, first), code_of(opened, second)) == ("OK", "UNAUTHENTICATED")
        file.write_text(jwks(old, new))
        reload(trusting, READ)
        assert (code_of(opened, first), code_of(opened, second)) == ("OK", "OK")
        file.write_text(jwks(new))
        reload(trusting, READ)
        assert (code_of(opened, first), code_of(opened, second)) == ("UNAUTHENTICATED", "OK")
        file.write_text("{")
        reload(trusting, KEPT)
        assert code_of(opened, second) == "OK"


def test_the_token_is_read_again(server, tmp_path):
    file = tmp_path / "token"
    file.write_text("first\n")
    one = server.another("--token", file, *QUICK)
    with channel(one) as opened:
        assert code_of(opened, ("authorization", "Bearer first")) == "OK"
        file.write_text("second\n")
        reload(one, READ)
        assert code_of(opened, ("authorization", "Bearer first")) == "UNAUTHENTICATED"
        assert code_of(opened, ("authorization", "Bearer second")) == "OK"
        file.write_text("")
        reload(one, KEPT)
        assert code_of(opened, ("authorization", "Bearer second")) == "OK"


def certificate(folder, name):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "server.key", "-out", "server.pem", "-days",
                    "2", "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1"], cwd=folder, check=True, capture_output=True)
    return (folder / "server.pem").read_text()


def trusts(server, authority):
    options = {"adbc.flight.sql.client_option.tls_root_certs": authority}
    try:
        with dbapi.connect("grpc+tls://" + server.address, autocommit=True, db_kwargs=options) as connection:
            return ask(connection, "select 1") == [(1,)]
    except adbc_driver_manager.Error:
        return False


def test_certificates_are_read_again(server, tmp_path):
    first = certificate(tmp_path, "first")
    secure = server.another("--tls-cert", tmp_path / "server.pem", "--tls-key", tmp_path / "server.key")
    options = {"adbc.flight.sql.client_option.tls_root_certs": first}
    with dbapi.connect("grpc+tls://" + secure.address, autocommit=True, db_kwargs=options) as connection:
        assert ask(connection, "select 1") == [(1,)]
        second = certificate(tmp_path, "second")
        reload(secure, "certificates " + READ)
        assert ask(connection, "select 2") == [(2,)], "an open connection goes on"
        assert trusts(secure, second) and not trusts(secure, first)
        (tmp_path / "server.pem").write_text("nothing")
        reload(secure, "certificates " + KEPT)
        assert ask(connection, "select 3") == [(3,)]
        assert trusts(secure, second)


def test_a_server_without_files_goes_on(server):
    plain = server.another()
    reload(plain, READ)
    with adbc(plain) as connection:
        assert ask(connection, "select 1") == [(1,)]


def test_signing_in_while_files_are_read(server, tmp_path):
    file = tmp_path / "users"
    file.write_text(hashed(*ANN))
    known = server.another("--auth.users", file, "--auth.password-remembered", "1ms", *QUICK)
    with channel(known) as opened:
        for _ in range(10):
            call = opened.unary_unary("/arrow.flight.protocol.FlightService/GetFlightInfo")
            running = [call.future(b"", metadata=(("authorization", basic(*ANN)),), timeout=20) for _ in range(4)]
            known.process.send_signal(signal.SIGHUP)
            assert {r.exception().code().name for r in running} == {"INVALID_ARGUMENT"}
    assert signs_in(known, ANN) == "OK"
