#!/usr/bin/env python3
"""Which client sent which call and command: call_table.py FILE, as a whole run of tests/flight_sql wrote it.

Servers of that suite log at level debug what each call asks for and by which client; conftest.py counts the lines. A
client that cannot send something has its reason here; a gap without one fails the run.
"""
import collections
import json
import pathlib
import re
import sys

LINE = re.compile(r'flight-sql: (\w+) (\S+) by "([^"]*)"')

# The first that matches a user agent. gRPC's Python messages are bytes of the tests, not of a client.
CLIENTS = {
    "ADBC": r"^ADBC Flight SQL Driver",
    "JDBC": r"grpc-java",
    "dbapi": r"flightsql-dbapi$",
    "Go": r"^grpc-go",
    "Rust": r"^tonic",
    "bytes": r"grpc-python",
    "pyarrow": r"grpc-c\+\+",
}
SHOWN = ["ADBC", "JDBC", "pyarrow", "dbapi", "Go", "Rust"]

METADATA = ["GetCatalogs", "GetDbSchemas", "GetTables", "GetTableTypes", "GetPrimaryKeys", "GetExportedKeys",
            "GetImportedKeys", "GetCrossReference", "GetSqlInfo", "GetXdbcTypeInfo"]
QUERIES = ["StatementQuery", "PreparedStatementQuery", "StatementSubstraitPlan"]
ACTIONS = ["CreatePreparedStatement", "ClosePreparedStatement", "CreatePreparedSubstraitPlan", "BeginTransaction",
           "EndTransaction", "BeginSavepoint", "EndSavepoint", "CancelQuery", "CancelFlightInfo", "RenewFlightEndpoint",
           "SetSessionOptions", "GetSessionOptions", "CloseSession"]


def rows():
    yield from (("Handshake", "-"), ("ListFlights", "-"), ("ListActions", "-"), ("DoExchange", "-"))
    for rpc, commands in (("GetFlightInfo", QUERIES + METADATA), ("PollFlightInfo", QUERIES), ("GetSchema", QUERIES + METADATA)):
        yield from ((rpc, "Command" + name) for name in commands)
    yield "DoGet", "-"
    yield from (("DoGet", "Command" + name) for name in METADATA)
    yield from (("DoPut", "Command" + name) for name in ("StatementUpdate", "PreparedStatementUpdate", "PreparedStatementQuery",
                                                         "StatementIngest", "StatementSubstraitPlan"))
    yield from (("DoAction", name) for name in ACTIONS)


# client: {reason: what of "rpc command" it explains}
REASONS = {
    "ADBC": {
        "a driver has no such call": r"List|DoExchange|GetSchema|PollFlightInfo CommandStatementSubstraitPlan",
        "get_objects leaves constraints and types out": r"Keys|CrossReference|XdbcTypeInfo",
        "cancelling resets the stream": r"Cancel",
        "no savepoints, no later expiry": r"Savepoint|Renew",
    },
    "JDBC": {
        "a driver has no such call": r"List|DoExchange|GetSchema|Poll|Renew|GetSessionOptions",
        "every statement is prepared": r"StatementQuery$(?<!PreparedStatementQuery)|CommandStatementUpdate",
        "getTypeInfo is answered by the driver": r"XdbcTypeInfo",
        "it has no plans and no ingestion": r"Substrait|Ingest",
        "setAutoCommit, commit, rollback and savepoints send nothing": r"Transaction|Savepoint",
        "cancel closes the stream": r"Cancel",
    },
    "pyarrow": {"it has no such call": r"Poll"},
    "dbapi": {
        "it has no such call": r"List|DoExchange|GetSchema|Poll|Renew|Session|Cancel|Savepoint|Transaction|Substrait|Ingest",
        "updates are not prepared": r"DoPut CommandPreparedStatementUpdate",
    },
    "Go": {},
    "Rust": {
        "its Flight SQL client has no such call": r"DoExchange|Substrait|Savepoint|CancelQuery|Session",
        "it asks for the schema of statements only": r"GetSchema Command(Get|Prepared)",
        "it polls statements only": r"Poll",
    },
}


def client_of(agent):
    return next((name for name, pattern in CLIENTS.items() if re.search(pattern, agent)), "others")


def count(logs):
    """{"rpc command": {client: how often}} of server logs."""
    counts = collections.defaultdict(collections.Counter)
    for log in logs:
        for rpc, command, agent in LINE.findall(log):
            counts[f"{rpc} {command}"][client_of(agent)] += 1
    return counts


def reason(client, row):
    return next((why for why, pattern in REASONS[client].items() if re.search(pattern, row)), None)


def gaps(counts):
    """(client, row) that nothing explains, of clients that took part."""
    present = {client for row in counts.values() for client in row}
    return [(client, row) for row in map(" ".join, rows()) for client in SHOWN
            if client in present and not counts.get(row, {}).get(client) and reason(client, row) is None]


def text(counts):
    present = {client for row in counts.values() for client in row}
    notes = {}
    lines = [f"{'':46}" + "".join(f"{client:>9}" for client in SHOWN)]
    for row in map(" ".join, rows()):
        cells = []
        for client in SHOWN:
            number = counts.get(row, {}).get(client)
            why = None if number else "did not take part in this run" if client not in present else reason(client, row)
            cells.append(str(number) if number else "GAP" if why is None
                         else "(%d)" % notes.setdefault(f"{client}: {why}", len(notes) + 1))
        lines.append(f"{row:46}" + "".join(f"{cell:>9}" for cell in cells))
    return "\n".join([*lines, "", *(f"({number}) {why}" for why, number in notes.items())])


if __name__ == "__main__":
    file = pathlib.Path(sys.argv[1])
    if not file.exists():
        sys.exit(f"{file} is not there: run the whole suite first, ./dev flight")
    print(text(json.loads(file.read_text())))
