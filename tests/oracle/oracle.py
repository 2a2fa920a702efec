"""Compares Portico with a running Spark Connect server, call by call of the function table.

    ./dev oracle sc://HOST:PORT [--only NAME[,NAME...]] [--kind KIND[,KIND...]] [--report FILE] [--portico URL]

What Spark answered is kept in $PT_CACHE/oracle and asked for once (--ask-again forgets it). Differences go to the report, one JSON
object a line; the summary counts them by what differs: whether there is an answer at all, type, nullability, name, value, the
error's condition, SQLSTATE or parameters. The exit status is 1 when there are more than --allow.
"""
import argparse, collections, decimal, json, logging, math, os, queue, re, subprocess, sys, threading, time

logging.disable(logging.CRITICAL)
import cases

BATCH = 20
PATIENCE_S = 60  # for the answers of a batch: a server that died is not waited for


def plain(value):
    """A value as JSON that equals itself on both servers: floats to 12 digits, maps as sorted pairs."""
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else format(value, ".12g")
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return value if value is None or isinstance(value, (bool, int, str)) else repr(value)


def nulls(data_type):
    """The nullability inside of a type, as digits."""
    kind = data_type.typeName()
    if kind == "struct":
        return "".join(str(int(f.nullable)) + nulls(f.dataType) for f in data_type.fields)
    if kind == "array":
        return str(int(data_type.containsNull)) + nulls(data_type.elementType)
    if kind == "map":
        return nulls(data_type.keyType) + str(int(data_type.valueContainsNull)) + nulls(data_type.valueType)
    return ""


class Server:
    """One session of a server."""

    def __init__(self, url):
        from pyspark.sql import SparkSession
        self.url = url
        self.session = SparkSession.builder.remote(url).create()
        self.session.conf.set("spark.sql.session.timeZone", "America/New_York")

    def plan(self, text):
        import pyspark.sql.connect.proto as proto
        return proto.Plan(root=proto.Relation(sql=proto.SQL(query=text)))

    def failure(self, error):
        try:
            return {"condition": error.getCondition() or type(error).__name__, "state": error.getSqlState() or "",
                    "parameters": dict(error.getMessageParameters() or {})}
        except Exception:
            return {"condition": type(error).__name__, "state": "", "parameters": {"message": str(error)[:200]}}

    def schema(self, expressions, form):
        try:
            fields = self.session.client.schema(self.plan(cases.statement(expressions, form))).fields
            return [{"name": f.name, "type": f.dataType.simpleString(), "nullable": str(int(f.nullable)) + nulls(f.dataType)}
                    for f in fields]
        except Exception as error:
            return self.failure(error)

    def values(self, expressions, form):
        try:
            table = self.session.client.to_table(self.plan(cases.statement(expressions, form)), {})[0]
            return [plain(column.to_pylist()) for column in table.columns]
        except Exception as error:
            return self.failure(error)

    def each(self, ask, expressions, form):
        """One answer for each expression; together as far as none fails."""
        if form == "generator":
            return [ask([e], form) for e in expressions]
        answer = ask(expressions, form)
        if isinstance(answer, list) and len(answer) == len(expressions):
            return answer
        if len(expressions) == 1:
            return [answer]
        half = len(expressions) // 2
        return self.each(ask, expressions[:half], form) + self.each(ask, expressions[half:], form)

    def answers(self, part):
        """{expression: answer} of cases of one form; with values for those that have a schema and whose values are stable."""
        form = part[0][3]
        found = dict(zip((c[2] for c in part), self.each(self.schema, [c[2] for c in part], form)))
        valued = [c[2] for c in part if c[1] != "wrong" and c[0] not in cases.UNSTABLE and "condition" not in found[c[2]]]
        if valued:
            for expression, values in zip(valued, self.each(self.values, valued, form)):
                failed = isinstance(values, dict) and "condition" in values
                found[expression] = {"schema": found[expression], **({"run": values} if failed else {"values": values})}
        return found


def parts(todo):
    """Cases in batches: of one form, and not those together of which many fail."""
    groups = collections.defaultdict(list)
    for case in todo:
        groups[case[3], case[1] in ("wrong", "count")].append(case)
    for (form, fails), group in sorted(groups.items()):
        size = 1 if form == "generator" else 4 if fails else BATCH
        for at in range(0, len(group), size):
            yield group[at:at + size]


def ask_all(url, todo, keep, threads):
    """Asks a server; `keep(answers)` is called batch by batch. Raises TimeoutError when there is no answer for a while."""
    work, done, lock = iter(list(parts(todo))), queue.Queue(), threading.Lock()

    def run():
        server = Server(url)
        while True:
            with lock:
                part = next(work, None)
            done.put(part and server.answers(part))
            if part is None:
                return

    for _ in range(threads):
        threading.Thread(target=run, daemon=True).start()
    while threads:
        try:
            answer = done.get(timeout=PATIENCE_S)
        except queue.Empty:
            raise TimeoutError(f"{url} does not answer") from None
        if answer is None:
            threads -= 1
        else:
            keep(answer)


def remembered(path):
    known = {}
    if os.path.exists(path):
        with open(path) as file:
            for line in file:
                known.update(json.loads(line))
    return known


def same_parameters(want, got):
    """Equal parameters; those that name a place of documentation or an address do not count."""
    drop = {"docroot", "callSite", "summary", "fragment"}
    return {k: v for k, v in want.items() if k not in drop} == {k: v for k, v in got.items() if k not in drop}


def differences(want, got):
    """What differs, as words."""
    if ("condition" in want) != ("condition" in got):
        return ["refused by Portico"] if "condition" in got else ["taken by Portico"]
    if "condition" in want:
        return ([] if want["condition"] == got["condition"] else ["condition"]) or (
            [] if want["state"] == got["state"] else ["SQLSTATE"]) or (
            [] if same_parameters(want["parameters"], got["parameters"]) else ["parameters"])
    if isinstance(want, dict) and isinstance(got, dict) and ("schema" in want) != ("schema" in got):
        return differences(want.get("schema", want), got.get("schema", got))  # the values of one were not asked for
    if "run" in want or "run" in got:
        if ("run" in want) != ("run" in got):
            return ["fails in Portico"] if "run" in got else ["succeeds in Portico"]
        return differences(want["schema"], got["schema"]) + [w + " at run time" for w in differences(want["run"], got["run"])]
    if "schema" in want:
        return differences(want["schema"], got["schema"]) + ([] if want["values"] == got["values"] else ["value"])
    if isinstance(want, list):
        return [] if want == got else ["schema"]
    return [word for word, key in (("type", "type"), ("nullability", "nullable"), ("name", "name")) if want[key] != got[key]]


def compare(todo, spark, portico, report):
    counts, by_name = collections.Counter(), collections.Counter()
    with open(report, "w") as out:
        for name, kind, expression, _ in todo:
            if expression not in spark or expression not in portico:
                counts["not asked"] += 1
                continue
            words = differences(spark[expression], portico[expression])
            counts["same"] += not words
            for word in words:
                counts[word] += 1
            if words:
                by_name[name] += 1
                out.write(json.dumps({"name": name, "kind": kind, "differs": words, "expression": expression,
                                      "spark": spark[expression], "portico": portico[expression]}) + "\n")
    return counts, by_name


def start_portico():
    binary = os.environ.get("PT_BINARY", os.path.join(cases.ROOT, "build", "release", "portico"))
    server = subprocess.Popen([binary, "serve", "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
    address = re.search(r"listening on (\S+)", server.stdout.readline())[1]
    return server, f"sc://{address}"


def main():
    parser = argparse.ArgumentParser(prog="./dev oracle")
    parser.add_argument("spark", help="sc://HOST:PORT of a real Spark Connect server")
    parser.add_argument("--portico", help="a server that runs; without, one is started")
    parser.add_argument("--only", help="names of functions, with commas")
    parser.add_argument("--kind", help="kinds of cases, with commas")
    parser.add_argument("--report", default=os.path.join(cases.ROOT, "build", "oracle.jsonl"))
    parser.add_argument("--allow", type=int, default=0, help="how many differences are no failure")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--ask-again", action="store_true")
    options = parser.parse_args()
    cache = os.path.join(os.environ.get("PT_CACHE", os.path.expanduser("~/.cache/portico")), "oracle")
    os.makedirs(cache, exist_ok=True)
    path = os.path.join(cache, "answers.jsonl")
    if options.ask_again and os.path.exists(path):
        os.remove(path)
    todo = [c for c in cases.cases(options.only and options.only.split(",")) if not options.kind or c[1] in options.kind.split(",")]
    spark = remembered(path)
    missing = [c for c in todo if c[2] not in spark]
    print(f"{len(todo)} calls, {len(missing)} of them to be asked of Spark", flush=True)
    if missing:
        with open(path, "a") as file:
            def keep(answer):
                spark.update(answer)
                file.write(json.dumps(answer) + "\n")
                file.flush()
            ask_all(options.spark, missing, keep, options.threads)
    started, url = (None, options.portico) if options.portico else start_portico()
    portico = {}
    try:
        ask_all(url, todo, portico.update, 1)
    finally:
        if started:
            started.terminate()
    counts, by_name = compare(todo, spark, portico, options.report)
    for word, count in counts.most_common():
        print(f"{count:7} {word}")
    print("most differences:", ", ".join(f"{n} {c}" for n, c in by_name.most_common(25)))
    print("report:", options.report)
    differing = sum(by_name.values())
    return 1 if differing > options.allow else 0


if __name__ == "__main__":
    sys.exit(main())
