"""Flight SQL by hand: messages of field numbers, through pyarrow's client, or as bytes through gRPC."""
import grpc
import pyarrow as pa
import pyarrow.flight as pf
from proto_bytes import field, varint

URL = b"type.googleapis.com/arrow.flight.protocol.sql."
SERVICE = "/arrow.flight.protocol.FlightService/"
FINISHED_SECONDS = 20


def text(number, value):
    return b"" if value is None else field(number, value.encode() if isinstance(value, str) else value)


def number(at, value):
    return varint(at << 3) + varint(value)


def any_of(name, content=b""):
    return field(1, URL + name.encode()) + field(2, content)


def parse(message):
    """[(field number, value)]: bytes, or a number."""
    out, at = [], 0

    def read():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        tag = read()
        kind = tag & 7
        if kind == 0:
            value = read()
        else:
            size = read() if kind == 2 else {1: 8, 5: 4}[kind]
            value = message[at:at + size]
            at += size
        out.append((tag >> 3, value))
    return out


def fields(message):
    return dict(parse(message))


def leave(call):
    """Cancels a call and waits for its end on this side: gRPC's client may crash when a channel closes under a call."""
    call.cancel()
    call.code()


class Flight:
    def __init__(self, address):
        self.address = address
        self.client = pf.connect("grpc://" + address)
        self.channel = grpc.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)])

    def close(self):
        self.client.close()
        self.channel.close()

    # ---- through pyarrow ----

    def info(self, name, content=b""):
        return self.client.get_flight_info(pf.FlightDescriptor.for_command(any_of(name, content)))

    def read(self, info):
        reader = self.client.do_get(info.endpoints[0].ticket)
        assert reader.schema == info.schema, "GetFlightInfo and DoGet announce different schemas"
        return reader.read_all()

    def rows(self, name, content=b""):
        return self.read(self.info(name, content))

    def query(self, sql, transaction=None):
        return self.rows("CommandStatementQuery", text(1, sql) + text(2, transaction))

    def schema(self, name, content=b""):
        return self.client.get_schema(pf.FlightDescriptor.for_command(any_of(name, content))).schema

    def action(self, kind, body=b""):
        return [r.body.to_pybytes() for r in self.client.do_action(pf.Action(kind, body))]

    def sql_action(self, kind, name, content=b""):
        """The fields of the answer's message, without its Any."""
        answers = self.action(kind, any_of(name, content))
        return fields(fields(answers[0])[2]) if answers else {}

    def prepare(self, sql, transaction=None):
        return self.sql_action("CreatePreparedStatement", "ActionCreatePreparedStatementRequest",
                               text(1, sql) + text(2, transaction))

    def begin(self):
        return self.sql_action("BeginTransaction", "ActionBeginTransactionRequest")[1]

    def end(self, transaction, action):
        self.sql_action("EndTransaction", "ActionEndTransactionRequest", text(1, transaction) + number(2, action))

    def put(self, name, content, table):
        """The number of rows that the server says to have written; None without a result."""
        writer, results = self.client.do_put(pf.FlightDescriptor.for_command(any_of(name, content)), table.schema)
        with writer:
            writer.write_table(table)
            writer.done_writing()
            answer = results.read()
        return None if answer is None else record_count(answer.to_pybytes())

    def update(self, sql, transaction=None):
        return self.put("CommandStatementUpdate", text(1, sql) + text(2, transaction), pa.table({}))

    # ---- as bytes ----

    def unary_stream(self, rpc, message, **options):
        return self.channel.unary_stream(SERVICE + rpc)(message, timeout=FINISHED_SECONDS, **options)

    def unary(self, rpc, message, **options):
        return self.channel.unary_unary(SERVICE + rpc)(message, timeout=FINISHED_SECONDS, **options)

    def stream(self, rpc, messages, **options):
        return self.channel.stream_stream(SERVICE + rpc)(iter(messages), timeout=FINISHED_SECONDS, **options)


def record_count(result):
    value = fields(result).get(1, 0)
    return value - (1 << 64) if value >> 63 else value


def descriptor(name, content=b""):
    return number(1, 2) + field(2, any_of(name, content))
