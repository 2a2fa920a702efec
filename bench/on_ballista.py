"""Queries on a Ballista cluster: through Portico beside Ballista's own client on the same cluster, in turn."""
import contextlib, json, os, subprocess, sys, time
import clusters, common

sys.path.append(os.path.join(common.ROOT, "tests", "spark_connect"))

PARTITIONS = "2"    # what Portico asks for; Ballista's client, too, is told to
TRIVIAL = "select 1 as a"


def cpu_seconds(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Spark:
    """PySpark, in this process."""

    def __init__(self, url, folder):
        self.session, self.pid = common.with_views(common.session(url), folder), os.getpid()

    def ask(self, sql):
        t0 = time.perf_counter()
        rows = self.session.sql(sql).toArrow().num_rows
        return time.perf_counter() - t0, rows

    def close(self):
        self.session.stop()


class Call:
    """ExecutePlan by gRPC: what of it is not the time of PySpark."""

    def __init__(self, address):
        from raw import Raw, new
        self.raw, self.session, self.pid = Raw(address), new(), os.getpid()

    def ask(self, sql):
        t0 = time.perf_counter()
        answers = list(self.raw.ask(self.session, sql))
        return time.perf_counter() - t0, sum(a.arrow_batch.row_count for a in answers)

    def close(self):
        self.raw.close()


class Ballista:
    """Ballista's own client, in a process of its own."""

    def __init__(self, address, folder):
        program = os.path.join(common.ROOT, "bench", "ballista_peer.py")
        self.process = subprocess.Popen([clusters.python(), program, address, folder, PARTITIONS],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()
        self.pid = self.process.pid

    def ask(self, sql):
        self.process.stdin.write(json.dumps(sql) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.kill()
        self.process.communicate()


@contextlib.contextmanager
def clients(folder):
    """{name: client}, and the processes that all of them keep busy."""
    with contextlib.ExitStack() as stack:
        cluster = stack.enter_context(clusters.Cluster())
        server = cluster.portico()
        stack.callback(server.close)
        made = {"call_portico": Call(f"127.0.0.1:{server.port}"), "pyspark_portico": Spark(server.url, folder),
                "ballista_portico": Ballista(f"127.0.0.1:{server.port}", folder),
                "ballista": Ballista(cluster.address, folder)}
        for client in made.values():
            stack.callback(client.close)
        yield made, [server.process.pid, *cluster.pids()]


def tpch(asked, pids, queries, rounds):
    """(seconds, CPU seconds): the least of each query by each client; all must count the same rows."""
    best = {name: {} for name in asked}
    for _ in range(rounds):
        for n, sql in sorted(queries.items()):
            counts = set()
            for name, client in asked.items():
                busy = sum(map(cpu_seconds, [client.pid, *pids]))
                seconds, rows = client.ask(sql.strip().rstrip(";"))
                taken = seconds, sum(map(cpu_seconds, [client.pid, *pids])) - busy
                best[name][n] = [min(pair) for pair in zip(taken, best[name].get(n, taken))]
                counts.add(rows)
            if len(counts) > 1:
                raise RuntimeError(f"TPC-H query {n} has {counts} rows")
    return best


def trivial(asked, times):
    """The median of milliseconds, after some that do not count."""
    taken = {name: [] for name in asked}
    for _ in range(times):
        for name, client in asked.items():
            taken[name].append(client.ask(TRIVIAL)[0])
    return {name: 1000 * common.median(seconds[times // 4:]) for name, seconds in taken.items()}


def measure(a):
    with clients(common.tpch(a.scale)) as (made, pids):
        small = trivial(made, 80)
        best = tpch({name: made[name] for name in ("pyspark_portico", "ballista")}, pids, common.tpch_queries(), min(a.rounds, 2))
    seconds, cpu = ({name: sum(pair[i] for pair in b.values()) for name, b in best.items()} for i in (0, 1))
    return {"trivial_ms": small, "tpch_seconds": seconds, "tpch_cpu_seconds": cpu, "tpch_queries": best,
            "portico_over_ballista": seconds["pyspark_portico"] / seconds["ballista"],
            "portico_over_ballista_cpu": cpu["pyspark_portico"] / cpu["ballista"]}


def rows_of(r):
    ms, seconds, cpu = r["trivial_ms"], r["tpch_seconds"], r["tpch_cpu_seconds"]
    return [["cluster: trivial query by a call of gRPC, median ms", f"{ms['call_portico']:.1f}", "", f"<= 10; Ballista's client {ms['ballista']:.1f}"],
            ["cluster: the same by PySpark, ms", f"{ms['pyspark_portico']:.1f}", "", ""],
            ["cluster: the same by Ballista's client, ms", f"{ms['ballista_portico']:.1f}", "", f"without Portico {ms['ballista']:.1f}"],
            ["cluster: TPC-H, seconds", f"{seconds['pyspark_portico']:.2f}", "", f"Ballista's client {seconds['ballista']:.2f}"],
            ["cluster: TPC-H, x Ballista's client", f"{r['portico_over_ballista']:.2f}", "", "<= 1.05"],
            ["cluster: TPC-H, CPU of all processes, x", f"{r['portico_over_ballista_cpu']:.2f}", "",
             f"{cpu['pyspark_portico']:.1f} and {cpu['ballista']:.1f} s"]]
