#!/usr/bin/env python3
"""Ballista's own client as a process of its own: its package needs a Python that the other clients do not run on.

  ballista_peer.py HOST:PORT FOLDER PARTITIONS

Opens a session with the tables of FOLDER. For each line, a query as JSON, it writes [seconds, rows].
"""
import json, os, sys, time

from ballista import BallistaSessionContext


def session(address, folder, partitions):
    ctx = BallistaSessionContext("df://" + address, cluster_config={"datafusion.execution.target_partitions": partitions})
    for f in os.listdir(folder):
        ctx.register_parquet(f[:-8], os.path.join(folder, f))
    return ctx


def main():
    ctx = session(*sys.argv[1:])
    print("ready", flush=True)
    for line in sys.stdin:
        t0 = time.perf_counter()
        rows = ctx.sql(json.loads(line)).to_arrow_table().num_rows
        print(json.dumps([time.perf_counter() - t0, rows]), flush=True)


main()
