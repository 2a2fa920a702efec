#!/usr/bin/env python3
"""What a Flight SQL server in a few lines of pyarrow does: a peer for bench/flight.py.

  flight_peer.py PORT duckdb        every statement runs in DuckDB, its reader is streamed
  flight_peer.py PORT canned FILE   every statement answers with the rows of FILE, which are in memory
"""
import sys, threading, uuid

import pyarrow as pa
import pyarrow.flight as flight

BATCH_ROWS = 65536
SQL_URL = b"type.googleapis.com/arrow.flight.protocol.sql."


# ---- as much of protocol buffers as is needed ----

def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return value, at


def fields(data):
    """{number: value} of a message whose fields are varints and bytes."""
    out, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        value, at = varint(data, at)
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
        out[key >> 3] = value
    return out


def field(number, data):
    head, size = bytes([number << 3 | 2]), len(data)
    while size >= 128:
        head, size = head + bytes([size & 127 | 128]), size >> 7
    return head + bytes([size]) + data


def command_of(any_bytes):
    any_fields = fields(any_bytes)
    if not any_fields.get(1, b"").startswith(SQL_URL):
        raise NotImplementedError("not a command of Flight SQL")
    return any_fields[1][len(SQL_URL):].decode(), fields(any_fields.get(2, b""))


# ---- what answers a statement ----

class Duck:
    def __init__(self):
        import duckdb
        self.connection = duckdb.connect()

    def run(self, sql):
        return self.connection.cursor().execute(sql).to_arrow_reader(BATCH_ROWS)


class Canned:
    def __init__(self, path):
        import pyarrow.parquet as parquet
        self.table = parquet.read_table(path)

    def run(self, sql):
        return pa.RecordBatchReader.from_batches(self.table.schema, self.table.to_batches(max_chunksize=BATCH_ROWS))


class Server(flight.FlightServerBase):
    def __init__(self, location, engine):
        super().__init__(location)
        self.engine, self.results, self.lock = engine, {}, threading.Lock()

    def get_flight_info(self, context, descriptor):
        name, fields_of = command_of(descriptor.command)
        if name not in ("CommandStatementQuery", "CommandPreparedStatementQuery"):
            raise NotImplementedError(name)
        reader = self.engine.run(fields_of[1].decode())
        ticket = uuid.uuid4().bytes
        with self.lock:
            self.results[ticket] = reader
        return flight.FlightInfo(reader.schema, descriptor, [flight.FlightEndpoint(ticket, [])], -1, -1)

    def do_get(self, context, ticket):
        with self.lock:
            reader = self.results.pop(ticket.ticket)
        return flight.RecordBatchStream(reader)

    def do_action(self, context, action):
        """The handle of a prepared statement is its text."""
        if action.type == "CreatePreparedStatement":
            query = command_of(action.body.to_pybytes())[1][1]
            yield flight.Result(field(1, SQL_URL + b"ActionCreatePreparedStatementResult") + field(2, field(1, query)))
        elif action.type != "ClosePreparedStatement":
            raise NotImplementedError(action.type)


engine = Duck() if sys.argv[2] == "duckdb" else Canned(sys.argv[3])
Server(f"grpc://127.0.0.1:{sys.argv[1]}", engine).serve()
