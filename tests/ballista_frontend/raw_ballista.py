"""What a client of Ballista says, by hand: messages of field numbers, as bytes through gRPC."""
import struct
import time
import uuid

import grpc
import pyarrow as pa
from proto_bytes import field, varint

SCHEDULER = "/ballista.protobuf.SchedulerGrpc/"
DO_GET = "/arrow.flight.protocol.FlightService/DoGet"
LOGICAL, SUBSTRAIT, PHYSICAL, ENCODED = 1, 6, 7, 8  # the query of ExecuteQueryParams
QUEUED, RUNNING, FAILED, SUCCESSFUL = 1, 2, 3, 4  # JobStatus
LIMIT_SECONDS = 30


def text(number, value):
    return field(number, value.encode())


def number(at, value):
    return varint(at << 3) + varint(value)


def parse(message):
    """{field number: [values]}: bytes, or numbers."""
    out, at = {}, 0

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
        size = read()
        if tag & 7 == 2:
            out.setdefault(tag >> 3, []).append(message[at:at + size])
            at += size
        else:
            out.setdefault(tag >> 3, []).append(size)
    return out


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def encoded(format_name, payload, **options):
    """An EncodedQuery."""
    payload = payload.encode() if isinstance(payload, str) else payload
    return (text(1, format_name) + field(2, payload)
            + b"".join(field(3, text(1, key) + text(2, value)) for key, value in options.items()))


def sql(query):
    return ENCODED, encoded("spark.sql", query)


def settings(values, at):
    pairs = (text(1, key) + (b"" if value is None else text(2, value)) for key, value in values.items())
    return b"".join(field(at, pair) for pair in pairs)


def params(query, session="", values=None, operation=""):
    """ExecuteQueryParams; `query` is (number, bytes) or None."""
    return ((field(*query) if query else b"") + text(3, session) + settings(values or {}, 4) + text(5, operation))


class Failed(Exception):
    pass


class Status:
    """GetJobStatusResult."""

    def __init__(self, message):
        self.raw = parse(message)
        self.is_known = 1 in self.raw
        job = parse(self.raw[1][0]) if self.is_known else {}
        self.state = next((s for s in (QUEUED, RUNNING, FAILED, SUCCESSFUL) if s in job), None)
        self.job = job.get(5, [b""])[0].decode()
        self.name = job.get(6, [b""])[0].decode()
        self.body = parse(job[self.state][0]) if self.state else {}
        self.error = self.body[1][0].decode() if self.state == FAILED else None

    def times(self):
        """(queued, started, ended) in seconds since 1970, None where it has none."""
        first = {QUEUED: 1, RUNNING: 1, FAILED: 2, SUCCESSFUL: 2}[self.state]
        count = {QUEUED: 1, RUNNING: 2, FAILED: 3, SUCCESSFUL: 3}[self.state]
        got = [self.body.get(first + i, [0])[0] / 1000 or None for i in range(count)]
        return tuple(got + [None] * (3 - count))

    def location(self):
        return parse(self.body[1][0])

    def rows(self):
        return signed(parse(self.location()[4][0]).get(1, [0])[0])

    def ticket(self):
        where = self.location()
        part, executor = parse(where[2][0]), parse(where[3][0])
        return ticket(part[1][0].decode(), part[2][0], part.get(4, [0])[0], executor[2][0].decode(), executor[3][0])


def ticket(job, stage=1, partition=0, host="localhost", port=1):
    fetch = text(1, job) + number(2, stage) + number(3, partition) + text(5, host) + number(6, port)
    return field(1, field(3, fetch))


class Raw:
    def __init__(self, address):
        self.address = address
        self.channel = grpc.insecure_channel(address, options=[("grpc.max_receive_message_length", 16 << 20),
                                                               ("grpc.max_send_message_length", -1)])

    def close(self):
        self.channel.close()

    def ask(self, method, request):
        return self.channel.unary_unary(SCHEDULER + method)(request, timeout=LIMIT_SECONDS)

    def execute(self, query, **more):
        """ExecuteQueryResult."""
        return parse(self.ask("ExecuteQuery", params(query, **more)))

    def submit(self, query, **more):
        """The job's id, or Failed with what was wrong with the plan."""
        result = self.execute(query, **more)
        if 2 in result:
            raise Failed(parse(result[2][0])[2][0].decode())
        return parse(result[1][0])[1][0].decode()

    def status(self, job):
        return Status(self.ask("GetJobStatus", text(1, job)))

    def wait(self, job, state=None):
        """The status once it is `state`; without one, once the job has ended."""
        end = time.monotonic() + LIMIT_SECONDS
        while time.monotonic() < end:
            status = self.status(job)
            if status.state == state or (state is None and status.state in (FAILED, SUCCESSFUL)):
                return status
            assert status.state not in (FAILED, SUCCESSFUL, None), (status.state, status.error)
            time.sleep(0.005)
        raise AssertionError(f"job {job} did not come to an end")

    def push(self, query, **more):
        """All statuses that ExecuteQueryPush tells."""
        call = self.channel.unary_stream(SCHEDULER + "ExecuteQueryPush")(params(query, **more), timeout=LIMIT_SECONDS)
        return [Status(message) for message in call]

    def messages(self, ticket_bytes):
        """The running DoGet call."""
        return self.channel.unary_stream(DO_GET)(ticket_bytes, timeout=LIMIT_SECONDS)

    def fetch(self, ticket_bytes):
        stream = b""
        for message in self.messages(ticket_bytes):
            data = parse(message)
            header = data[2][0] + b"\0" * (-len(data[2][0]) % 8)
            stream += struct.pack("<iI", -1, len(header)) + header + data.get(1000, [b""])[0]
        return pa.ipc.open_stream(stream + struct.pack("<iI", -1, 0)).read_all()

    def rows(self, query, **more):
        status = self.wait(self.submit(query, **more))
        if status.state == FAILED:
            raise Failed(status.error)
        return self.fetch(status.ticket()).to_pylist()

    def create_session(self, values, session=""):
        return parse(self.ask("CreateUpdateSession", settings(values, 1) + text(2, session)))[1][0].decode()

    def remove_session(self, session):
        return parse(self.ask("RemoveSession", text(1, session))).get(1, [0])[0] == 1


def new():
    return str(uuid.uuid4())
