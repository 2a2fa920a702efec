"""Signing in: passwords, tokens, web tokens, certificates; what is wrong, forged or too old; whose a session is: BR-042."""
import base64
import concurrent.futures
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import time

import adbc_driver_manager
import grpc
import pyarrow.flight as pf
import pytest
from adbc_driver_flightsql import dbapi
from program import BINARY
from proto_bytes import field
from raw_flight import SERVICE, any_of, descriptor, fields, text
from web_tokens import Key, encode, jwks

QUICK = ["--auth.failure-delay", "20ms", "--auth.max-failure-delay", "100ms"]
ANN, BOB = ("ann", "correct horse"), ("bob", "battery:staple")
SECRETS = [ANN[1], BOB[1], "s3cret-token", "guess"]


def hashed(name, password):
    done = subprocess.run([BINARY, "hash-password", name], input=password + "\n", capture_output=True, text=True, check=True)
    assert password not in done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def users(tmp_path_factory):
    file = tmp_path_factory.mktemp("users") / "users"
    file.write_text("# who may come in\n\n" + "".join(hashed(*user) for user in (ANN, BOB)))
    return file


@pytest.fixture(scope="module")
def keys():
    return {"RS256": Key("RS256", "one"), "ES256": Key("ES256", "two")}


@pytest.fixture
def known(server, users):
    """A server that knows two users."""
    yield server.another("--auth.users", users, *QUICK)


@pytest.fixture
def trusting(server, tmp_path, keys):
    """A server that takes web tokens of two keys."""
    (tmp_path / "jwks").write_text(jwks(*keys.values()))
    return server.another("--auth.jwt-jwks", tmp_path / "jwks", "--auth.jwt-issuer", "https://issuer.example",
                          "--auth.jwt-audience", "portico", *QUICK)


def basic(user, password, pad=True):
    value = base64.b64encode(f"{user}:{password}".encode()).decode()
    return "Basic " + (value if pad else value.rstrip("="))


@contextlib.contextmanager
def channel(server):
    with grpc.insecure_channel(server.address, options=[("grpc.use_local_subchannel_pool", 1)]) as opened:
        yield opened


def code_of(opened, *headers, rpc="GetFlightInfo", body=None):
    """The code that a statement ends with."""
    body = descriptor("CommandStatementQuery", text(1, "select 1")) if body is None else body
    try:
        opened.unary_unary(SERVICE + rpc)(body, metadata=headers, timeout=20)
    except grpc.RpcError as failure:
        return failure.code().name
    return "OK"


def handshake(opened, *headers, messages=()):
    """The token that a Handshake gives."""
    call = opened.stream_stream(SERVICE + "Handshake")(iter(messages), metadata=headers, timeout=20)
    list(call)
    given = dict(call.initial_metadata())["authorization"]
    assert given.startswith("Bearer ")
    return given


def adbc(server, **options):
    return dbapi.connect("grpc+tcp://" + server.address, autocommit=True, **options)


def ask(connection, sql):
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall()


def bearer(token):
    return {"adbc.flight.sql.authorization_header": token}


def no_secret_in(server, *more):
    log = server.text()
    for secret in [*SECRETS, *more]:
        assert secret not in log and base64.b64encode(secret.encode()).decode().rstrip("=") not in log


# ---- users with passwords ----


def test_adbc_signs_in_with_a_password(known):
    """BR-042 a, and d: the token of the Handshake is good on another connection."""
    with adbc(known, db_kwargs={"username": ANN[0], "password": ANN[1]}) as connection:
        assert ask(connection, "select 1") == [(1,)]
    with channel(known) as opened:
        token = handshake(opened, ("authorization", basic(*ANN, pad=False)))
    with adbc(known, db_kwargs=bearer(token)) as connection:
        assert ask(connection, "select 2") == [(2,)]
    no_secret_in(known, token.removeprefix("Bearer "))


@pytest.mark.parametrize("options", [
    {"username": "ann", "password": "guess"}, {"username": "ann", "password": ""}, {"username": "eve", "password": "guess"},
    {}, bearer("Bearer not-a-known-token"), bearer("Bearer " + "0" * 32), bearer("bearer"), bearer("Basic !!"),
    bearer(basic("", "")), bearer("Negotiate abc"), bearer("Basic " + base64.b64encode(b"ann").decode())])
def test_adbc_is_told_that_it_is_not_signed_in(known, options):
    """BR-042 b, c, e."""
    with pytest.raises(adbc_driver_manager.ProgrammingError) as caught:
        with adbc(known, db_kwargs=options) as connection:
            ask(connection, "select 1")
    assert caught.value.status_code == adbc_driver_manager.AdbcStatusCode.UNAUTHENTICATED
    no_secret_in(known)


def test_a_handshake_without_a_message_gives_a_token(known):
    """BR-042 g; the scheme is written in any case."""
    with channel(known) as opened:
        for scheme in ("Basic", "BASIC", "basic", "Basic  "):
            token = handshake(opened, ("authorization", basic(*BOB).replace("Basic", scheme)))
            assert code_of(opened, ("authorization", token)) == "OK"
            assert code_of(opened, ("authorization", token.replace("Bearer", "bEARER"))) == "OK"
        assert handshake(opened, ("authorization", token)) == token
        assert handshake(opened, ("authorization", basic(*BOB)), messages=[b"", b""]) != token


def test_a_password_goes_with_each_call_as_well(known):
    with channel(known) as opened:
        assert code_of(opened, ("authorization", basic(*ANN))) == "OK"
        assert code_of(opened, ("authorization", basic("ann", "guess"))) == "UNAUTHENTICATED"
        assert code_of(opened, ("authorization", basic("ann", BOB[1]))) == "UNAUTHENTICATED"
        assert code_of(opened) == "UNAUTHENTICATED"


def test_pyarrow_signs_in_with_a_password(known):
    with pf.connect("grpc://" + known.address) as client:
        options = pf.FlightCallOptions(headers=[client.authenticate_basic_token(*ANN)])
        info = client.get_flight_info(pf.FlightDescriptor.for_command(
            any_of("CommandStatementQuery", text(1, "select 5 as x"))), options)
        assert client.do_get(info.endpoints[0].ticket, options).read_all()["x"].to_pylist() == [5]
        with pytest.raises(pf.FlightUnauthenticatedError):
            client.authenticate_basic_token("ann", "guess")


def test_flightsql_dbapi_signs_in(known):
    from flightsql import FlightSQLClient

    host, port = known.address.split(":")
    client = FlightSQLClient(host=host, port=int(port), insecure=True, user=ANN[0], password=ANN[1])
    info = client.execute("select 6 as x")
    assert client.do_get(info.endpoints[0].ticket).read_all()["x"].to_pylist() == [6]


def test_jdbc_signs_in(known):
    """BR-042 f: without a password the driver sends the text "null"."""
    folder = os.environ.get("PT_FLIGHT_JDBC")
    if not folder or shutil.which("java") is None:
        pytest.skip("the JDBC driver could not be fetched, or there is no Java")
    with channel(known) as opened:
        token = handshake(opened, ("authorization", basic(*ANN))).removeprefix("Bearer ")
    base = f"jdbc:arrow-flight-sql://{known.address}/?useEncryption=false"
    urls = [base + "&user=ann&password=correct%20horse", base + "&user=ann&password=guess", base + "&user=ann", base,
            base + "&token=" + token, base + "&token=guess", base + "&user=ann&password=correct%20horse&catalog=memory"]
    archives = ":".join(str(p) for p in pathlib.Path(folder).glob("*.jar"))
    done = subprocess.run(["java", "--add-opens=java.base/java.nio=ALL-UNNAMED", "-cp", archives,
                           str(pathlib.Path(__file__).parent / "JdbcSignIn.java"), *urls],
                          capture_output=True, text=True, timeout=120, check=False)
    lines = done.stdout.splitlines()
    assert [line.split(":")[0] for line in lines] == ["ok", "failed", "failed", "failed", "ok", "failed", "ok"], done
    assert all("UNAUTHENTICATED" in line or "sign in" in line for line in lines if line != "ok"), lines


# ---- tokens that were given out ----


def test_closing_the_session_ends_the_token(known):
    with channel(known) as opened:
        first, second = (("authorization", handshake(opened, ("authorization", basic(*ANN)))) for _ in range(2))
        close = field(1, b"CloseSession")
        assert list(opened.unary_stream(SERVICE + "DoAction")(close, metadata=[first], timeout=20))
        assert code_of(opened, first) == "UNAUTHENTICATED"
        assert code_of(opened, second) == "OK"


def test_a_token_expires(server, users):
    brief = server.another("--auth.users", users, "--auth.token-lifetime", "1s", *QUICK)
    with channel(brief) as opened:
        token = ("authorization", handshake(opened, ("authorization", basic(*ANN))))
        assert code_of(opened, token) == "OK"
        time.sleep(1.2)
        assert code_of(opened, token) == "UNAUTHENTICATED"


def test_a_session_belongs_to_who_made_it(known):
    """Statements, transactions and results of one are not there for another, on one connection or with its name."""
    with channel(known) as opened:
        headers = {user[0]: ("authorization", handshake(opened, ("authorization", basic(*user)))) for user in (ANN, BOB)}

        def act(user, kind, body=b""):
            answers = opened.unary_stream(SERVICE + "DoAction")(field(1, kind) + field(2, body), metadata=[headers[user]],
                                                                timeout=20)
            return [fields(answer)[1] for answer in answers]

        info = opened.unary_unary(SERVICE + "GetFlightInfo")(
            descriptor("CommandStatementQuery", text(1, "select 1")), metadata=[headers["ann"]], timeout=20)
        ticket = fields(fields(info)[3])[1]
        prepared = fields(fields(act("ann", b"CreatePreparedStatement",
                                     any_of("ActionCreatePreparedStatementRequest", text(1, "select 2")))[0])[2])[1]
        begun = fields(fields(act("ann", b"BeginTransaction", any_of("ActionBeginTransactionRequest"))[0])[2])[1]
        query = descriptor("CommandPreparedStatementQuery", field(1, prepared))
        inside = descriptor("CommandStatementQuery", text(1, "select 3") + field(2, begun))
        assert code_of(opened, headers["bob"], body=query) == "NOT_FOUND"
        assert code_of(opened, headers["bob"], body=inside) == "NOT_FOUND"
        for rpc, body in (("DoGet", ticket), ("DoAction", field(1, b"CancelFlightInfo") + field(2, field(1, info))),
                          ("DoAction", field(1, b"RenewFlightEndpoint") + field(2, field(1, fields(info)[3])))):
            with pytest.raises(grpc.RpcError) as caught:
                list(opened.unary_stream(SERVICE + rpc)(body, metadata=[headers["bob"]], timeout=20))
            assert caught.value.code() == grpc.StatusCode.NOT_FOUND
        assert code_of(opened, headers["ann"], body=query) == "OK"
        assert code_of(opened, headers["ann"], body=inside) == "OK"
        assert len(list(opened.unary_stream(SERVICE + "DoGet")(ticket, metadata=[headers["ann"]], timeout=20))) == 2


def test_users_of_one_connection_have_sessions_of_their_own(known):
    with channel(known) as opened:
        def run(user, sql):
            return code_of(opened, ("authorization", basic(*user)), body=descriptor("CommandStatementQuery", text(1, sql)))

        assert run(ANN, "create temp table mine(i int)") == "OK"
        assert run(ANN, "select * from mine") == "OK"
        assert run(BOB, "select * from mine") == "NOT_FOUND"


def test_policies_see_who_signed_in(server, users, tmp_path):
    policy = tmp_path / "policy"
    policy.write_text("allow * user=ann\nallow select user=bob table=default.open_to_bob\n")
    governed = server.another("--auth.users", users, "--wrappers", "authorize", "--authorize.policy", policy,
                              "--flight-sql.dialect", "spark", *QUICK)
    with adbc(governed, db_kwargs={"username": ANN[0], "password": ANN[1]}) as ann:
        ask(ann, "create table open_to_bob as select 1 as x")
        ask(ann, "create table closed as select 2 as x")
        assert ask(ann, "select x from closed") == [(2,)]
    with adbc(governed, db_kwargs={"username": BOB[0], "password": BOB[1]}) as bob:
        assert ask(bob, "select x from open_to_bob") == [(1,)]
        with pytest.raises(adbc_driver_manager.ProgrammingError) as caught:
            ask(bob, "select x from closed")
        assert caught.value.status_code == adbc_driver_manager.AdbcStatusCode.UNAUTHORIZED


# ---- web tokens ----


@pytest.mark.parametrize("kind", ["RS256", "ES256"])
def test_a_web_token_signs_in(trusting, keys, kind):
    token = keys[kind].token()
    with adbc(trusting, db_kwargs=bearer("Bearer " + token)) as connection:
        assert ask(connection, "select 1") == [(1,)]
    with channel(trusting) as opened:
        assert handshake(opened, ("authorization", "Bearer " + token)) == "Bearer " + token
        assert code_of(opened, ("authorization", "Bearer " + keys[kind].token(aud=["x", "portico"]))) == "OK"
    no_secret_in(trusting, token, token.split(".")[2])


def test_web_tokens_that_are_wrong_or_forged(trusting, keys):
    other = Key("RS256", "one")
    good = keys["RS256"].token()
    head, claims, signature = good.split(".")
    now = int(time.time())
    wrong = {
        "another key": other.token(),
        "unknown key id": keys["RS256"].token(header={"alg": "RS256", "kid": "three"}),
        "key id of the other kind": keys["RS256"].token(header={"alg": "RS256", "kid": "two"}),
        "none": keys["RS256"].token(header={"alg": "none"}, signature=b""),
        "NONE": keys["RS256"].token(header={"alg": "NONE"}),
        "HS256 by the public key": hmac_token(keys["RS256"].pem()),
        "confused": keys["RS256"].token(header={"alg": "ES256", "kid": "two"}),
        "critical": keys["RS256"].token(header={"alg": "RS256", "kid": "one", "crit": ["exp"]}),
        "key in the header": other.token(header={"alg": "RS256", "jwk": other.jwk()}),
        "no signature": f"{head}.{claims}.",
        "other claims": f"{head}.{encode(b'{}')}.{signature}",
        "cut": good[:-8],
        "expired": keys["RS256"].token(exp=now - 60),
        "no expiry": keys["RS256"].token(exp=None),
        "expiry as text": keys["RS256"].token(exp=str(now + 60)),
        "not yet": keys["RS256"].token(nbf=now + 60),
        "another issuer": keys["RS256"].token(iss="https://evil.example"),
        "no issuer": keys["RS256"].token(iss=None),
        "another audience": keys["RS256"].token(aud="others"),
        "no audience": keys["RS256"].token(aud=None),
        "nobody": keys["RS256"].token(sub=None),
        "a name of two lines": keys["RS256"].token(sub="ann\nroot"),
        "claims are a list": keys["RS256"].token(claims=[]),
        "claims are no JSON": keys["RS256"].token(claims=b"\xff"),
        "claims twice": keys["RS256"].token(claims=b'{"sub":"root","sub":"ann","iss":"https://issuer.example",'
                                                  b'"aud":"portico","exp":%d}' % (now + 60)),
        "ES256 of zeros": keys["ES256"].token(signature=bytes(64)),
        "ES256 in DER": keys["ES256"].token(signature=keys["ES256"].private.sign(b"x", *der())),
        "long": keys["RS256"].token(padding="x" * 20_000),
        "dots": "a.b.c.d",
    }
    with channel(trusting) as opened:
        for name, token in wrong.items():
            assert code_of(opened, ("authorization", "Bearer " + token)) == "UNAUTHENTICATED", name
        assert code_of(opened, ("authorization", "Bearer " + good)) == "OK"


def der():
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec

    return [ec.ECDSA(hashes.SHA256())]


def hmac_token(secret):
    import hashlib
    import hmac
    import json

    text = encode(b'{"alg":"HS256"}') + "." + encode(json.dumps({
        "sub": "ann", "iss": "https://issuer.example", "aud": "portico", "exp": int(time.time()) + 60}).encode())
    return f"{text}.{encode(hmac.new(secret, text.encode(), hashlib.sha256).digest())}"


def test_a_web_token_is_good_until_it_expires(server, tmp_path, keys):
    (tmp_path / "key.pem").write_bytes(keys["ES256"].pem())
    exact = server.another("--auth.jwt-key", tmp_path / "key.pem", "--auth.jwt-leeway", "0", *QUICK)
    token = ("authorization", "Bearer " + keys["ES256"].token(exp=int(time.time()) + 2, iss=None, aud=None))
    with channel(exact) as opened:
        assert code_of(opened, token) == "OK"
        time.sleep(2.2)
        assert code_of(opened, token) == "UNAUTHENTICATED"


def test_subjects_of_web_tokens_do_not_share_sessions(trusting, keys):
    with channel(trusting) as opened:
        def run(subject, sql):
            return code_of(opened, ("authorization", "Bearer " + keys["ES256"].token(sub=subject)),
                           body=descriptor("CommandStatementQuery", text(1, sql)))

        assert run("ann", "create temp table mine(i int)") == "OK"
        assert run("bob", "select * from mine") == "NOT_FOUND"
        assert run("ann", "select * from mine") == "OK"


# ---- certificates ----


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    folder = tmp_path_factory.mktemp("certificates")

    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj",
            "/CN=test authority")
    for name, subject in (("server", "/CN=server"), ("ann", "/CN=ann"), ("bob", "/CN=bob")):
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", subject)
        (folder / f"{name}.ext").write_text("subjectAltName=IP:127.0.0.1,DNS:localhost\n")
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
                "-out", f"{name}.pem", "-extfile", f"{name}.ext")
    return folder


def tls_options(folder):
    return ["--tls-cert", folder / "server.pem", "--tls-key", folder / "server.key", "--tls-client-ca", folder / "ca.pem"]


def shown(folder, name):
    option = "adbc.flight.sql.client_option."
    options = {option + "tls_root_certs": (folder / "ca.pem").read_text()}
    if name:
        options[option + "mtls_cert_chain"] = (folder / f"{name}.pem").read_text()
        options[option + "mtls_private_key"] = (folder / f"{name}.key").read_text()
    return options


def test_a_certificate_names_who_calls(server, certificates, tmp_path):
    policy = tmp_path / "policy"
    policy.write_text("allow * user=ann\n")
    strict = server.another(*tls_options(certificates), "--wrappers", "authorize", "--authorize.policy", policy)
    uri = "grpc+tls://" + strict.address
    with dbapi.connect(uri, autocommit=True, db_kwargs=shown(certificates, "ann")) as connection:
        assert ask(connection, "select 1") == [(1,)]
    with pytest.raises(adbc_driver_manager.Error) as caught:
        with dbapi.connect(uri, autocommit=True, db_kwargs=shown(certificates, "bob")) as connection:
            ask(connection, "select 1")
    assert caught.value.status_code == adbc_driver_manager.AdbcStatusCode.UNAUTHORIZED
    with pytest.raises(adbc_driver_manager.Error):
        with dbapi.connect(uri, autocommit=True, db_kwargs=shown(certificates, None)) as connection:
            ask(connection, "select 1")


@pytest.mark.parametrize("alone", [[], ["--auth.certificate-alone"]])
def test_a_certificate_and_a_password(server, certificates, users, alone):
    both = server.another(*tls_options(certificates), "--auth.users", users, *alone, *QUICK)
    uri = "grpc+tls://" + both.address
    with dbapi.connect(uri, autocommit=True, db_kwargs={
            **shown(certificates, "ann"), "username": BOB[0], "password": BOB[1]}) as connection:
        assert ask(connection, "select 1") == [(1,)]

    def without_password():
        with dbapi.connect(uri, autocommit=True, db_kwargs=shown(certificates, "ann")) as connection:
            return ask(connection, "select 1")

    if alone:
        assert without_password() == [(1,)]
    else:
        with pytest.raises(adbc_driver_manager.ProgrammingError):
            without_password()


# ---- many, and hostile ones ----


def test_hundreds_of_logins_at_once(known):
    """Right ones get in while wrong ones are turned away, and no session is another's."""
    def one(i):
        user = (ANN, BOB)[i % 2]
        with channel(known) as opened:
            if i % 5 == 4:
                return code_of(opened, ("authorization", basic(user[0], f"guess {i}"))) == "UNAUTHENTICATED"
            token = ("authorization", handshake(opened, ("authorization", basic(*user))))
            sql = f"create temp table mine as select {i} as i"
            made = code_of(opened, token, body=descriptor("CommandStatementQuery", text(1, sql)))
            return (made, code_of(opened, token, body=descriptor("CommandStatementQuery", text(1, "select i from mine"))))

    with concurrent.futures.ThreadPoolExecutor(24) as pool:
        outcomes = list(pool.map(one, range(300)))
    assert {outcome for i, outcome in enumerate(outcomes) if i % 5 == 4} == {True}
    assert {outcome for i, outcome in enumerate(outcomes) if i % 5 != 4} == {("OK", "OK")}
    no_secret_in(known)


def test_failures_cost_time_and_others_do_not_wait(server, users):
    """The delay grows with each failure; who knows the password gets in meanwhile, for the first time, from there."""
    slow = server.another("--auth.users", users, "--auth.failure-delay", "200ms", "--auth.max-failure-delay", "30s")
    with channel(slow) as opened:
        took = []
        for _ in range(4):
            start = time.monotonic()
            assert code_of(opened, ("authorization", "Bearer guess")) == "UNAUTHENTICATED"
            took.append(time.monotonic() - start)
        assert took[0] < 0.6 and took[1] > 0.35 and took[2] > 0.7 and took[3] > 1.5
        started = time.monotonic()
        calls = [opened.unary_unary(SERVICE + "GetFlightInfo").future(b"", metadata=[("authorization", basic("ann", "guess"))])
                 for _ in range(50)]
        with channel(slow) as other:
            assert code_of(other, ("authorization", basic(*BOB))) == "OK"
            assert time.monotonic() - started < 2
        for call in calls:
            call.cancel()
    assert "failed, 4 times" in slow.text()
    no_secret_in(slow)


def test_calls_that_leave_before_they_are_signed_in(known):
    with channel(known) as opened:
        for round in range(20):
            calls = [opened.unary_unary(SERVICE + "GetFlightInfo").future(
                descriptor("CommandStatementQuery", text(1, "select 1")),
                metadata=[("authorization", basic(*ANN if i % 2 else ("eve", str(round))))]) for i in range(20)]
            for call in calls:
                call.cancel()
        assert code_of(opened, ("authorization", basic(*ANN))) == "OK"


def test_hostile_headers(known):
    hostile = ["", "Bearer", "Basic", "Basic =", "Basic ====", "Basic " + "A" * 60_000,
               "Bearer " + "A" * 60_000, "Bearer a.b.c", "Bearer ..", "Basic " + base64.b64encode(b"\0:\0").decode(),
               "Basic " + base64.b64encode(b"ann\0:x").decode(), "Basic " + base64.b64encode(b":").decode(),
               "Basic " + base64.b64encode(b"ann").decode(), "Basic " + base64.b64encode(b"a" * 5000 + b":b").decode(),
               "Basic " + base64.b64encode(b"\xff\xfe:\xff").decode(), "Digest username=ann", ", Bearer x"]
    with channel(known) as opened:
        for value in (" ", "Bearer ", "Basic "):  # HTTP/2 forbids blanks at the end
            assert code_of(opened, ("authorization", value)) == "INTERNAL"
        for value in hostile:
            assert code_of(opened, ("authorization", value)) in ("UNAUTHENTICATED", "RESOURCE_EXHAUSTED"), value[:40]
        assert code_of(opened, ("authentication", basic(*ANN))) == "UNAUTHENTICATED"
        assert code_of(opened, ("authorization", basic(*ANN)), ("authorization", "Bearer guess")) == "OK"
        assert code_of(opened, ("authorization", "Bearer guess"), ("authorization", basic(*ANN))) == "UNAUTHENTICATED"


def test_much_is_not_kept_of_who_is_not_signed_in(known):
    with channel(known) as opened:
        with pytest.raises(grpc.RpcError) as caught:
            list(opened.stream_stream(SERVICE + "DoPut")(iter([field(1000, b"x" * 1_000_000)] * 20), timeout=30,
                                                         metadata=[("authorization", basic("eve", "guess"))]))
        assert caught.value.code() in (grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNAUTHENTICATED)
        assert code_of(opened, ("authorization", basic(*ANN))) == "OK"


# ---- without sign-in, and what is configured wrongly ----


def test_without_sign_in_a_handshake_still_tells_clients_apart(server):
    with channel(server) as opened:
        one, two = (("authorization", handshake(opened, ("authorization", basic(name, "x")))) for name in ("ann", "bob"))
        made = descriptor("CommandStatementQuery", text(1, "create temp table mine(i int)"))
        look = descriptor("CommandStatementQuery", text(1, "select * from mine"))
        assert code_of(opened, one, body=made) == "OK"
        assert code_of(opened, one, body=look) == "OK"
        assert code_of(opened, two, body=look) == "NOT_FOUND"


@pytest.mark.parametrize("options, says", [
    (["--auth.users", "FILE"], "line 1"),
    (["--auth.users", "gone"], "gone"),
    (["--auth.jwt-key", "FILE"], "no public key"),
    (["--auth.jwt-jwks", "FILE"], "FILE"),
    (["--auth.jwt-key", "FILE", "--auth.jwt-jwks", "FILE"], "either"),
    (["--auth.jwt-issuer", "x"], "auth.jwt-key"),
    (["--auth.failure-delay", "soon"], "auth.failure-delay"),
])
def test_a_wrong_configuration_is_named(tmp_path, options, says):
    (tmp_path / "FILE").write_text("ann:secret\n")
    done = subprocess.run([BINARY, "serve", "--listen", "127.0.0.1:0", *options], cwd=tmp_path, capture_output=True,
                          text=True, timeout=20, check=False)
    assert done.returncode in (1, 2)
    assert says in done.stderr and "secret" not in done.stderr


def test_hash_password_refuses_what_cannot_be_a_line():
    for name, password in (("a:b", "x"), ("#a", "x"), ("", "x"), ("ann", "")):
        done = subprocess.run([BINARY, "hash-password", name], input=password + "\n", capture_output=True, text=True,
                              check=False)
        assert done.returncode == 2 and done.stdout == ""


def test_the_example_configuration_names_options(tmp_path):
    example = (pathlib.Path(__file__).parents[2] / "examples/portico.conf").read_text()
    names = re.findall(r"^(?:# )?([a-z][\w.-]*) = ", example, re.M)
    known = subprocess.run([BINARY, "help"], capture_output=True, text=True, check=True).stdout
    assert len(names) > 15 and [name for name in names if f"--{name} " not in known and f"--{name}\n" not in known] == []
    (tmp_path / "portico.conf").write_text(example.replace("127.0.0.1:15002", "256.0.0.1:1"))
    done = subprocess.run([BINARY, "serve", "--config", tmp_path / "portico.conf"], capture_output=True, text=True, timeout=20,
                          check=False)
    assert "256.0.0.1" in done.stderr
