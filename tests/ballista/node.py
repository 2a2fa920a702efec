"""One process of a Ballista cluster, from the package `ballista`; cluster.py starts it with Python on a newer libc.

    node.py scheduler HOST PORT
    node.py executor HOST PORT SLOTS SCHEDULER_HOST:PORT

A scheduler takes an executor to be where its connection comes from, and the package connects from any address of the
machine. So an executor registers through a relay of this process that connects from the executor's own address.
"""
import logging
import socket
import sys
import threading

logging.basicConfig(level="INFO", format="%(asctime)s %(levelname)s %(message)s")
from ballista import BallistaExecutor, BallistaScheduler  # noqa: E402


def copy(source, target):
    """Until either side ends."""
    try:
        while data := source.recv(1 << 16):
            target.sendall(data)
    except OSError:
        pass
    for end in (source, target):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def serve_relay(listener, own_host, target):
    while True:
        inner, _ = listener.accept()
        try:
            outer = socket.create_connection(target, source_address=(own_host, 0))
        except OSError:
            inner.close()
            continue
        for end in (inner, outer):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for pair in ((inner, outer), (outer, inner)):
            threading.Thread(target=copy, args=pair, daemon=True).start()


def relay(own_host, target):
    """The port of a relay on `own_host` to `target`."""
    listener = socket.create_server((own_host, 0))
    threading.Thread(target=serve_relay, args=(listener, own_host, target), daemon=True).start()
    return listener.getsockname()[1]


def main():
    role, host, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
    if role == "scheduler":
        node = BallistaScheduler(host, port)
    else:
        slots, (there, _, there_port) = int(sys.argv[4]), sys.argv[5].partition(":")
        node = BallistaExecutor(bind_host=host, bind_port=port, scheduler_host=host,
                                scheduler_port=relay(host, (there, int(there_port))), concurrent_tasks=slots)
    node.start()
    print("started", flush=True)
    node.wait_for_termination()


main()
