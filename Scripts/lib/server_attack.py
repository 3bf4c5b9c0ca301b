"""Requests that mean harm: the server stays up, keeps its memory, and answers others."""

import argparse
import gzip
import os
import resource
import shutil
import socket
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(__file__))
from server_process import Server


def connect(server):
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=30)
    return connection


def good(server, number):
    """An app's request among the others; returns its seconds."""
    begin = time.monotonic()
    body = (
        '{"event_id":"good%d","user_id":"g%d","timestamp":"2026-11-20T10:00:00Z","event":"granted","permission":"camera"}'
        % (number, number)
    )
    server.get("/v1/events?key=wk", "POST", body.encode())
    return time.monotonic() - begin


def run(tools, connections):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    connections = min(connections, hard - 100)
    folder = tempfile.mkdtemp(prefix="permlog-attack-")
    server = Server(tools, folder, idle_timeout=20, connection_limit=connections + 100)
    times = [good(server, 0)]

    idle = [connect(server) for _ in range(connections)]
    for connection in idle[::2]:
        # Half of them begin a request and do not end it.
        connection.sendall(b"POST /v1/b HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n{")
    times += [good(server, i) for i in range(1, 20)]
    print(f"{connections} idle connections: {server.memory():.0f} MiB, an app waits {max(times) * 1000:.0f} ms at most")
    for connection in idle:
        connection.close()

    heads = {
        "many fields": b"".join(b"X-%d: y\r\n" % i for i in range(5000)),
        "a long field": b"X: " + b"y" * 2_000_000 + b"\r\n",
        "two lengths": b"Content-Length: 4\r\nContent-Length: 40\r\n",
        "length and chunks": b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
        "a negative length": b"Content-Length: -1\r\n",
        "a huge length": b"Content-Length: 999999999999999999999\r\n",
        "20 GB": b"Content-Length: 20000000000\r\n",
        "a zero byte": b"X: \x00\r\n",
    }
    inner = b"POST /v1/events?key=wk HTTP/1.1\r\nContent-Length: 130\r\n\r\n" + (
        b'{"event_id":"smuggled","user_id":"smuggled","timestamp":"2026-11-20T10:00:00Z","event":"granted","permission":"camera"}'.ljust(130)
    )
    for name, fields in heads.items():
        for method in [b"POST /v1/b", b"GET /%2e%2e/%2e%2e/etc/passwd", b"POST /v1/../../lock", b"\x16\x03\x01\x02\x00"]:
            try:
                with connect(server) as connection:
                    connection.sendall(method + b" HTTP/1.1\r\nHost: x\r\n" + fields + b"\r\n0\r\n\r\n" + inner)
                    connection.settimeout(2)
                    answer = connection.recv(65536)
                    assert not answer.startswith(b"HTTP/1.1 200") or method == b"POST /v1/b", (name, method, answer[:100])
            except (OSError, TimeoutError):
                pass
    print(f"{len(heads)} kinds of wrong heads: {server.memory():.0f} MiB")

    bombs = {
        "gzip": gzip.compress(b"\0" * (400 << 20), 9),
        "gzip in gzip": gzip.compress(gzip.compress(b"\0" * (400 << 20), 9), 9),
        "deep": b"[" * 5_000_000,
        "deep objects": b'{"a":' * 2_000_000,
        "not UTF-8": b'{"batch":[{"type":"track","event":"\xff\xfe\x80","messageId":"\xc3"}]}',
        "a long line": b'{"batch":[{"type":"track","event":"' + b"x" * (15 << 20) + b'"}]}',
        "many events": b'{"batch":[' + b"{}," * 4_000_000 + b"{}]}",
        "zeros": b"\0" * (10 << 20),
        "quotes": b'"' * (10 << 20),
        "backslashes": b'{"batch":["' + b"\\" * (10 << 20),
    }
    for name, body in bombs.items():
        begin = time.monotonic()
        with connect(server) as connection:
            connection.sendall(b"POST /v1/b HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            answer = connection.recv(65536)
        assert answer.split(b" ")[1] in (b"200", b"503"), (name, answer[:200])
        taken = time.monotonic() - begin
        times.append(good(server, 100 + len(times)))
        server.settle(120)
        print(f"{name} ({len(body)} bytes): taken in {taken * 1000:.0f} ms, read after {time.monotonic() - begin:.1f} s, {server.memory():.0f} MiB")

    users = server.users()
    assert "smuggled" not in users, "a request was hidden in another one"
    assert server.process.poll() is None
    server.stop()
    # What an operator reads names nobody and is not longer than what happened.
    errors = open(f"{folder}/errors").read()
    assert len(errors) < 20_000, errors[:2000]
    shutil.rmtree(folder)
    print(f"an app's request among them took {max(times) * 1000:.0f} ms at most")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", required=True)
    parser.add_argument("--connections", type=int, default=10_000)
    arguments = parser.parse_args()
    run(arguments.tools, arguments.connections)
