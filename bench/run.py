#!/usr/bin/env python3
"""Speed of Portico beside its peers, side by side in one run; a table and JSON.

  run.py [--only NAME …] [--json FILE] [--scale 1] [--rounds 4]

Measures: tpch (all 22 queries through PySpark against DuckDB in this process), select1 (median of select 1 as Arrow),
lineitem (3 M rows x 16 columns as Arrow, and how far memory grows), clients (16 clients of select k), start (to listening), memory (idle, and per idle
session), wrappers (what they add to a small query, and per row), flight (Flight SQL by ADBC: small statements, a large result, an ingestion, 500
connections; beside `sail flight server` and pyarrow's; --part takes some of these), ballista (TPC-H and a trivial query on a Ballista cluster, beside Ballista's own client). The best of the rounds counts, of small statements the median; peers are asked in turn.
"""
import argparse, json, os, subprocess, sys, time
import common, flight, on_ballista


def timed(f):
    t0 = time.perf_counter()
    f()
    return time.perf_counter() - t0


# ---- TPC-H ----

def tpch(a):
    folder, queries = common.tpch(a.scale), common.tpch_queries()
    servers, sessions = [common.portico(), common.sail()], {}
    try:
        sessions = {s.name: common.with_views(common.session(s.url), folder) for s in servers}
        runs = {"duckdb": common.duckdb_views(folder), **sessions}
        best = {name: {} for name in runs}
        for _ in range(a.rounds):
            for n, sql in sorted(queries.items()):
                for name, r in runs.items():
                    sql_text = sql.strip().rstrip(";")
                    call = (lambda: r.execute(sql_text).to_arrow_table()) if name == "duckdb" else (lambda: r.sql(sql_text).toArrow())
                    try:
                        t = timed(call)
                    except Exception as e:
                        t = float("nan")
                        print(f"tpch q{n} on {name}: {str(e).splitlines()[0][:120]}", file=sys.stderr)
                    best[name][n] = min(best[name].get(n, float("inf")), t)
        total = {name: sum(b.values()) for name, b in best.items()}
        return {"seconds": total, "queries": best, "portico_over_duckdb": total["portico"] / total["duckdb"],
                "sail_over_duckdb": total["sail"] / total["duckdb"]}
    finally:
        common.close(servers, sessions)


# ---- small statements ----

def select1(a):
    servers, sessions = [common.portico(), common.sail()], {}
    try:
        sessions = {s.name: common.session(s.url) for s in servers}
        times = {name: [] for name in sessions}
        for i in range(40 * a.rounds):
            for name, s in sessions.items():
                t = timed(lambda: s.sql("select 1").toArrow())
                if i >= 20:
                    times[name].append(t)
        ms = {name: 1000 * common.median(t) for name, t in times.items()}
        return {"median_ms": ms, "portico_over_sail": ms["portico"] / ms["sail"]}
    finally:
        common.close(servers, sessions)


CLIENT = """
import sys
sys.path.insert(0, sys.argv[1])
import common
sessions = {}
for name_and_url in sys.argv[3:]:
    name, url = name_and_url.split("=")
    sessions[name] = common.session(url)
    sessions[name].sql("select 0").toArrow()
print("ready", flush=True)
for line in sys.stdin:
    for k in range(int(sys.argv[2])):
        sessions[line.strip()].sql(f"select {k}").toArrow()
    print("done", flush=True)
"""


def tell(processes, word):
    """Writes the word to all, then waits until each has answered with a line."""
    for p in processes:
        if word:
            p.stdin.write(word + "\n")
            p.stdin.flush()
    for p in processes:
        if not p.stdout.readline():
            raise RuntimeError("a client ended early")


def clients(a):
    """The same client processes ask both servers in turn."""
    count, statements = 16, 40
    servers, processes = [common.portico(), common.sail()], []
    try:
        argv = [sys.executable, "-c", CLIENT, os.path.dirname(os.path.abspath(__file__)), str(statements), *(f"{s.name}={s.url}" for s in servers)]
        processes = [subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(count)]
        tell(processes, None)
        rates = {s.name: 0.0 for s in servers}
        for _ in range(min(a.rounds, 3)):
            for s in servers:
                rates[s.name] = max(rates[s.name], count * statements / timed(lambda: tell(processes, s.name)))
        return {"statements_per_s": rates, "portico_over_sail": rates["portico"] / rates["sail"]}
    finally:
        for p in processes:
            p.kill()
            p.wait()
        common.close(servers, {})


# ---- large results ----

LINEITEM_ROWS = 3000000


def lineitem(a):
    """Rates, and how much more memory a server has at its highest for ten times the rows."""
    folder = common.tpch(a.scale)
    servers, sessions = [common.portico(), common.sail()], {}
    try:
        sessions = {s.name: common.with_views(common.session(s.url), folder) for s in servers}
        best, small_peak, growth = {}, {}, {}

        def read(server, rows):
            got = sessions[server.name].sql(f"select * from lineitem limit {rows}").toArrow().num_rows
            assert got == rows, got
        for s in servers:
            read(s, LINEITEM_ROWS // 10)
            small_peak[s.name] = s.peak_mib()
        for _ in range(min(max(2, a.rounds // 2), 3)):
            for s in servers:
                t = timed(lambda: read(s, LINEITEM_ROWS))
                best[s.name] = min(best.get(s.name, float("inf")), t)
                growth[s.name] = s.peak_mib() - small_peak[s.name]
        rates = {name: LINEITEM_ROWS / 1e6 / t for name, t in best.items()}
        return {"million_rows_per_s": rates, "peak_growth_mib": growth, "small_peak_mib": small_peak,
                "portico_over_sail": rates["portico"] / rates["sail"]}
    finally:
        common.close(servers, sessions)


# ---- start and memory ----

def start(a):
    """Beside them the engine in a process of its own, from its start to its end."""
    engine = os.path.join(os.path.dirname(common.PORTICO), "bench_engine_start")
    times = {"engine": []}
    for _ in range(5 * a.rounds):
        for make in (common.portico, common.sail):
            s = make()
            s.close()
            times.setdefault(s.name, []).append(s.start_ms)
        times["engine"].append(1000 * timed(lambda: subprocess.run([engine], check=True)))
    return {"median_ms": {name: common.median(t) for name, t in times.items()}}


def memory(a):
    import uuid, grpc
    import pyspark.sql.connect.proto as pb
    import pyspark.sql.connect.proto.base_pb2_grpc as svc
    out = {}
    for make in (common.portico, common.sail):
        s = make()
        try:
            time.sleep(0.5)
            idle = s.memory_mib()
            with grpc.insecure_channel(f"127.0.0.1:{s.port}") as channel:
                stub = svc.SparkConnectServiceStub(channel)
                def config(n):
                    for _ in range(n):
                        r = pb.ConfigRequest(session_id=str(uuid.uuid4()), user_context=pb.UserContext(user_id="bench"))
                        r.operation.get_option.keys.append("spark.sql.session.timeZone")
                        stub.Config(r)
                config(50)
                before = s.memory_mib()
                config(1000)
                out[s.name] = {"idle_mib": idle, "session_kib": 1024 * (s.memory_mib() - before) / 1000}
        finally:
            s.close()
    return out


# ---- wrappers ----

def wrappers(a):
    """The median of some runs."""
    program = os.path.join(os.path.dirname(common.PORTICO), "bench_wrappers")
    runs = [json.loads(subprocess.run([program], check=True, capture_output=True, text=True).stdout) for _ in range(min(a.rounds, 3))]
    return sorted(runs, key=lambda r: r["added_us"])[len(runs) // 2]


MEASURES = {"tpch": tpch, "select1": select1, "lineitem": lineitem, "clients": clients, "start": start, "memory": memory, "wrappers": wrappers, "flight": flight.measure, "ballista": on_ballista.measure}


def rows_of(results):
    """What is shown of each measure, with its bar."""
    r, rows = results, []
    if "tpch" in r:
        rows.append(["TPC-H, seconds", f"{r['tpch']['seconds']['portico']:.2f}", f"{r['tpch']['seconds']['sail']:.2f}",
                     f"DuckDB {r['tpch']['seconds']['duckdb']:.2f}"])
        rows.append(["TPC-H, x DuckDB in process", f"{r['tpch']['portico_over_duckdb']:.2f}", f"{r['tpch']['sail_over_duckdb']:.2f}", "<= 1.15"])
    if "select1" in r:
        m = r["select1"]["median_ms"]
        rows.append(["select 1, median ms", f"{m['portico']:.2f}", f"{m['sail']:.2f}", f"{r['select1']['portico_over_sail']:.2f} x Sail (<= 0.9)"])
    if "lineitem" in r:
        m = r["lineitem"]["million_rows_per_s"]
        rows.append(["lineitem, M rows/s", f"{m['portico']:.2f}", f"{m['sail']:.2f}", f"{r['lineitem']['portico_over_sail']:.2f} x Sail (>= 4)"])
        g = r["lineitem"]["peak_growth_mib"]
        rows.append(["peak memory, 3 M rows over 300 k, MiB", f"{g['portico']:.0f}", f"{g['sail']:.0f}", ""])
    if "clients" in r:
        m = r["clients"]["statements_per_s"]
        rows.append(["16 clients, statements/s", f"{m['portico']:.0f}", f"{m['sail']:.0f}", f"{r['clients']['portico_over_sail']:.2f} x Sail (>= 1.2)"])
    if "start" in r:
        m = r["start"]["median_ms"]
        rows.append(["start to listening, ms", f"{m['portico']:.0f}", f"{m['sail']:.0f}", f"<= 50; DuckDB alone {m['engine']:.0f}"])
    if "memory" in r:
        m = r["memory"]
        rows.append(["idle, MiB", f"{m['portico']['idle_mib']:.0f}", f"{m['sail']['idle_mib']:.0f}", "<= 60"])
        rows.append(["idle session, KiB", f"{m['portico']['session_kib']:.0f}", f"{m['sail']['session_kib']:.0f}", "<= 64"])
    if "wrappers" in r:
        w = r["wrappers"]
        rows.append(["five wrappers around a small query, us added", f"{w['added_us']:.0f}", "", f"<= 50; bare {w['bare_us']:.0f}"])
        rows.append(["five wrappers, ns added per row", f"{w['added_row_ns']:.2f}", "", f"0; bare {w['bare_row_ns']:.1f}"])
    if "flight" in r:
        rows += flight.rows_of(r["flight"])
    if "ballista" in r:
        rows += on_ballista.rows_of(r["ballista"])
    return rows


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--only", nargs="*", choices=list(MEASURES), help="only these measures")
    ap.add_argument("--part", nargs="*", choices=list(flight.PARTS), help="only these parts of flight")
    ap.add_argument("--json", help="write all figures to this file", default=os.path.join(common.CACHE, "latest.json"))
    ap.add_argument("--scale", type=int, default=1)
    ap.add_argument("--rounds", type=int, default=4)
    a = ap.parse_args()
    results = {"load_average": os.getloadavg()[0], "processors": os.cpu_count()}
    print(f"{results['processors']} processors, load average {results['load_average']:.1f}", file=sys.stderr)
    for name in a.only or MEASURES:
        print(f"measuring {name} …", file=sys.stderr, flush=True)
        results[name] = MEASURES[name](a)
    os.makedirs(os.path.dirname(a.json) or ".", exist_ok=True)
    json.dump(results, open(a.json, "w"), indent=1)
    common.print_table(["", "portico", "sail", "bar"], rows_of(results))
    print(f"all figures: {a.json}")


main()
