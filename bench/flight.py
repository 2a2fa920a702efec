"""Flight SQL beside its peers, all by ADBC: small statements, a large result, an ingestion, many connections."""
import contextlib, os, random, sys, threading, time
import common

ROWS = 3000000
CONNECTIONS, STATEMENTS = 500, 20
PEER = os.path.join(common.ROOT, "bench", "flight_peer.py")


# ---- servers ----

def pyarrow_server(name, *arguments):
    port = common.free_port()
    return common.Server(name, [sys.executable, PEER, str(port), *arguments], port)


def sail():
    port = common.free_port()
    program = os.path.join(os.path.dirname(sys.executable), "sail")
    return common.Server("sail", [program, "flight", "server", "--ip", "127.0.0.1", "--port", str(port)], port)


def connect(server, autocommit=True):
    from adbc_driver_flightsql import dbapi
    return dbapi.connect(f"grpc+tcp://127.0.0.1:{server.port}", autocommit=autocommit)


@contextlib.contextmanager
def connected(*servers, in_transaction=False):
    """{name: connection}; all of them end. The first server has a second one, "transaction", if that is wanted: as the driver
    opens it by default. The peers have no transactions."""
    with contextlib.ExitStack() as stack:
        for s in servers:
            stack.callback(s.close)
        connections = {s.name: stack.enter_context(connect(s)) for s in servers}
        if in_transaction:
            connections["transaction"] = stack.enter_context(connect(servers[0], autocommit=False))
        yield connections


def lineitem():
    """A file of the first ROWS rows."""
    def make(path):
        common.duckdb_views(common.tpch(1)).execute(f"copy (select * from lineitem limit {ROWS}) to '{path}/lineitem.parquet'")
    return os.path.join(common.made(os.path.join(common.CACHE, f"lineitem-{ROWS}"), make), "lineitem.parquet")


# ---- small statements ----

def ad_hoc(connection, sql):
    """GetFlightInfo and DoGet; batches as they come."""
    import adbc_driver_manager, pyarrow
    with adbc_driver_manager.AdbcStatement(connection.adbc_connection) as statement:
        statement.set_sql_query(sql)
        stream, _ = statement.execute_query()
        return sum(batch.num_rows for batch in pyarrow.RecordBatchReader._import_from_c(stream.address))


def prepared(connection, sql):
    """Prepare, GetFlightInfo, DoGet, Close."""
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return len(cursor.fetchall())


def timed(f, *arguments):
    t0 = time.perf_counter()
    result = f(*arguments)
    return time.perf_counter() - t0, result


def small(a):
    with connected(common.portico(), sail(), pyarrow_server("pyarrow", "duckdb"), in_transaction=True) as connections:
        out = {}
        for call in (ad_hoc, prepared):
            times = {name: [] for name in connections}
            for i in range(100 * a.rounds):
                for name, c in random.sample(list(connections.items()), len(connections)):  # what a server still does after its call costs the next one
                    t, rows = timed(call, c, "select 1")
                    assert rows == 1
                    if i >= 20:
                        times[name].append(1000 * t)
            out[call.__name__] = {name: common.median(t) for name, t in times.items()}
    return out


# ---- large results ----

def large(a):
    path = lineitem()
    servers = [common.portico(), sail(), pyarrow_server("pyarrow", "duckdb"), pyarrow_server("canned", "canned", path)]
    with connected(*servers, in_transaction=True) as connections:
        source = {"sail": f"parquet.`{path}`"}
        times = {name: [] for name in connections}
        for _ in range(3 * a.rounds):  # servers and client share the processors: single reads differ by a fifth
            for name, c in random.sample(list(connections.items()), len(connections)):
                t, rows = timed(ad_hoc, c, f"select * from {source.get(name, repr(path))}")
                assert rows == ROWS, (name, rows)
                times[name].append(t)
        peaks = {s.name: s.peak_mib() for s in servers}
    rates = {kind: {name: ROWS / 1e6 / of(t[1:]) for name, t in times.items()} for kind, of in (("median", common.median), ("best", min))}
    return {"million_rows_per_s": rates, "peak_mib": peaks}


# ---- ingestion ----

def reader(table):
    """In messages that the driver sends: of at most 16 MiB."""
    import pyarrow
    return pyarrow.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=65536))


def ingest(a):
    import duckdb, pyarrow.parquet
    table = pyarrow.parquet.read_table(lineitem())
    server = common.portico()
    with connected(server) as connections, connections["portico"].cursor() as cursor:
        times = {"portico": [], "duckdb": []}
        before = server.memory_mib()
        for _ in range(3 * a.rounds):
            t, rows = timed(cursor.adbc_ingest, "copy", reader(table), "create")
            assert rows == ROWS, rows
            prepared(connections["portico"], "drop table copy")
            times["portico"].append(t)
            own = duckdb.connect()
            own.register("source", table)
            times["duckdb"].append(timed(own.execute, "create table copy as select * from source")[0])
            own.close()
        peak = server.peak_mib()
    seconds = {kind: {name: of(t[1:]) for name, t in times.items()} for kind, of in (("median", common.median), ("best", min))}
    return {"seconds": seconds, "table_mib": table.nbytes / 2**20, "before_mib": before, "peak_mib": peak}


# ---- many connections ----

def use_connection(server, start, times, failures):
    try:
        with connect(server) as connection:
            prepared(connection, "select 1")
            start.wait()
            for k in range(STATEMENTS):
                t, rows = timed(prepared, connection, f"select {k}")
                assert rows == 1
                times.append(1000 * t)
    except Exception as e:
        failures.append(str(e))
        start.abort()


def settled_mib(server):
    """The resident set once it no longer falls."""
    last = server.memory_mib()
    for _ in range(20):
        time.sleep(0.5)
        now = server.memory_mib()
        if now >= last - 0.5:
            return now
        last = now
    return last


def many(a):
    server = common.portico()
    try:
        rounds = []
        for _ in range(2):
            before, start, times, failures = settled_mib(server), threading.Barrier(CONNECTIONS), [], []
            threads = [threading.Thread(target=use_connection, args=(server, start, times, failures)) for _ in range(CONNECTIONS)]
            t0 = time.perf_counter()
            for t in threads:
                t.start()
            for t in threads:
                t.join()
            seconds = time.perf_counter() - t0
            times.sort()
            if failures:
                raise RuntimeError(f"{len(failures)} connections failed, the first one: {failures[0]}")
            rounds.append({"failures": 0, "statements": len(times), "seconds": seconds, "median_ms": times[len(times) // 2],
                           "p99_ms": times[len(times) * 99 // 100], "before_mib": before, "peak_mib": server.peak_mib(), "after_mib": settled_mib(server)})
        return rounds[-1] | {"first_round": rounds[0]}
    finally:
        server.close()


PARTS = {"small": small, "large": large, "ingest": ingest, "many": many}


def measure(a):
    return {name: part(a) for name, part in PARTS.items() if not a.part or name in a.part}


def rows_of(r):
    rows = []
    for call in ("ad_hoc", "prepared"):
        if "small" in r:
            m = r["small"][call]
            rows.append([f"select 1 by ADBC, {call.replace('_', ' ')}, median ms", f"{m['portico']:.2f}", f"{m['sail']:.2f}",
                         f"below both; pyarrow {m['pyarrow']:.2f}; in a transaction {m['transaction']:.2f}"])
    if "large" in r:
        for kind, m in r["large"]["million_rows_per_s"].items():
            p = m["portico"]
            rows.append([f"lineitem by ADBC, {kind} M rows/s", f"{p:.2f}", f"{m['sail']:.2f}",
                         f"{p / m['sail']:.2f} x Sail (>= 1.5), {p / m['pyarrow']:.2f} x pyarrow {m['pyarrow']:.2f} (>= 1.5), {p / m['canned']:.2f} x canned {m['canned']:.2f} (>= 0.6); in a transaction {m['transaction']:.2f}"])
        rows.append(["… peak memory, MiB", *(f"{r['large']['peak_mib'][s]:.0f}" for s in ("portico", "sail")), ""])
    if "ingest" in r:
        for kind, s in r["ingest"]["seconds"].items():
            rows.append([f"lineitem by adbc_ingest, {kind} seconds", f"{s['portico']:.2f}", "", f"{s['portico'] / s['duckdb']:.2f} x DuckDB in process {s['duckdb']:.2f} (<= 1.6)"])
    if "many" in r:
        m = r["many"]
        rows.append([f"{CONNECTIONS} connections x {STATEMENTS} statements, p99 ms", f"{m['p99_ms']:.0f}", "", f"{m['failures']} failures; {m['before_mib']:.0f} MiB before, {m['after_mib']:.0f} after"])
    return rows
