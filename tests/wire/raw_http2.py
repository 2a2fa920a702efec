"""Frames of HTTP/2 written by hand, to say what no client library says."""
import socket
import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8


def frame(kind, payload=b"", flags=0, stream=0):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def literal(name, value):
    """One header without use of HPACK's tables; short names and values only."""
    return b"\x00" + bytes([len(name)]) + name + bytes([len(value)]) + value


def request_headers(path):
    fields = [(b":method", b"POST"), (b":scheme", b"http"), (b":path", path), (b":authority", b"test"),
              (b"content-type", b"application/grpc"), (b"te", b"trailers")]
    return b"".join(literal(*field) for field in fields)


def message(content):
    return b"\x00" + struct.pack(">I", len(content)) + content


def wide_windows():
    """Lets the server send as much as there is."""
    settings = struct.pack(">HI", 4, 2**31 - 1)
    return frame(SETTINGS, settings) + frame(WINDOW_UPDATE, struct.pack(">I", 2**31 - 1 - 65535))


def never_read(stream, count):
    """Asks for `count` large answers of reflection and leaves them unread."""
    path = b"/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
    symbol = b"spark.connect.ExecutePlanRequest"
    question = message(b"\x22" + bytes([len(symbol)]) + symbol)
    try:
        stream.sendall(wide_windows() + frame(HEADERS, request_headers(path), 4, 1))
        for _ in range(count):
            stream.sendall(frame(DATA, question, 0, 1))
    except OSError:
        pass


class Peer:
    """A connection that has said the preface. `stream` is a connected socket, plain or TLS."""

    def __init__(self, stream):
        self.stream = stream
        self.received = b""
        self.stream.sendall(PREFACE + frame(SETTINGS))

    def read_frame(self):
        """(kind, flags, stream, payload), or None at the end of the connection."""
        head = self._read(9)
        if head is None:
            return None
        payload = self._read(int.from_bytes(head[:3], "big"))
        if payload is None:
            return None
        return head[3], head[4], int.from_bytes(head[5:9], "big"), payload

    def _read(self, size):
        while len(self.received) < size:
            try:
                piece = self.stream.recv(65536)
            except (ConnectionResetError, BrokenPipeError):
                return None
            if not piece:
                return None
            self.received += piece
        taken, self.received = self.received[:size], self.received[size:]
        return taken

    def wait_for(self, kind):
        while True:
            got = self.read_frame()
            if got is None or got[0] == kind:
                return got


def connect(address, timeout=10):
    host, port = address.rsplit(":", 1)
    return socket.create_connection((host, int(port)), timeout=timeout)
