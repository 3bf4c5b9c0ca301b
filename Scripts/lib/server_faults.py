"""Models of the libraries against the server, under faults: a set of events in, the same set out.

What is promised: each event that a library was told is safe is in the log, no event is there twice, none that was never sent, and no
library reaches the state in which it deletes."""

import argparse
import collections
import gzip
import itertools
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(__file__))
import server_models
from server_process import Server

FAULTS = ["none"] * 6 + ["no connection", "half a body", "no answer", "slow", "twice", "packed"]


def exchange(port, path, headers, body, fault, random):
    """Sends a request as a fault has it. Returns status, text and Retry-After; None for each without an answer."""
    body = body.encode()
    if fault == "no connection":
        return None, None, None
    if fault == "packed":
        body, headers = gzip.compress(body, 1), {**headers, "Content-Encoding": "gzip"}
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
    head += "".join(f"{name}: {value}\r\n" for name, value in headers.items()) + "\r\n"
    request = head.encode() + body
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
            if fault == "half a body":
                connection.sendall(request[: random.randrange(1, len(request))])
                return None, None, None
            if fault == "slow":
                for start in range(0, len(request), max(1, len(request) // 5)):
                    connection.sendall(request[start : start + max(1, len(request) // 5)])
                    time.sleep(0.004)
            else:
                connection.sendall(request)
            if fault == "no answer":
                return None, None, None
            answer = b""
            while True:
                piece = connection.recv(65536)
                if not piece:
                    break
                answer += piece
                head, found, rest = answer.partition(b"\r\n\r\n")
                if found:
                    fields = dict(line.split(b": ", 1) for line in head.lower().split(b"\r\n")[1:] if b": " in line)
                    if len(rest) >= int(fields.get(b"content-length", b"0")):
                        return int(head.split()[1]), rest.decode(), fields.get(b"retry-after")
    except OSError:
        pass
    return None, None, None


def schedule(server, seed, name, problems=()):
    """One library with some batches, until all of them are safe."""
    random_ = random.Random(seed)
    sizes = [random_.randrange(1, 8) for _ in range(random_.randrange(1, 6))]
    batches = [[f"{name}-{seed}-{i}-{j}" for j in range(size)] for i, size in enumerate(sizes)]
    model = server_models.ALL[seed % len(server_models.ALL)](batches)
    pending = collections.deque(batches)
    tries = 0
    while pending and not model.deleted and not problems:
        batch = pending[0]
        fault = random_.choice(FAULTS)
        # PostHog's library deletes its queue for the network's faults alone; here it is the server's that are tried.
        if isinstance(model, server_models.PostHog) and model.failures >= 2:
            fault = "none"
        answer = exchange(server.port, model.path, model.headers, model.body(batch), fault, random_)
        if fault == "twice":
            exchange(server.port, model.path, model.headers, model.body(batch), "none", random_)
        if model.answered(batch, *answer):
            pending.popleft()
        else:
            tries += 1
            time.sleep(min(0.02 * tries, 0.5))
            # Libraries with several files may send them in another order.
            if random_.random() < 0.3 and not isinstance(model, server_models.PostHog):
                pending.rotate(-1)
    return model, {user for batch in batches for user in batch}


def check(server, models, sent):
    server.settle()
    users = server.users()
    counts = collections.Counter(users)
    safe = {user for model in models for user in model.safe}
    deleted = [f"{type(model).__name__} {user}" for model in models for user in model.deleted]
    assert not deleted, f"{len(deleted)} events were deleted on a phone: {deleted[:5]}"
    assert not safe - counts.keys(), f"{len(safe - counts.keys())} events that were safe are lost: {sorted(safe - counts.keys())[:5]}"
    doubled = [user for user, count in counts.items() if count > 1]
    assert not doubled, f"{len(doubled)} events are there twice: {doubled[:5]}"
    assert not counts.keys() - sent, f"events that nobody sent: {sorted(counts.keys() - sent)[:5]}"
    verify = subprocess.run([f"{server.tools}/permlog", "verify", "--log", server.log], capture_output=True, text=True)
    assert verify.returncode == 0, verify.stdout + verify.stderr
    return len(safe), len(counts)


def run(tools, schedules, kills, seed):
    folder = tempfile.mkdtemp(prefix="permlog-server-")
    server = Server(tools, folder)
    models, sent, problems = [], set(), []
    lock, numbers = threading.Lock(), itertools.count()
    done = threading.Event()

    def work():
        while True:
            with lock:
                number = next(numbers)
            # The disturbances end before the schedules do.
            if problems or number >= schedules and done.is_set():
                return
            try:
                model, users = schedule(server, seed * 1_000_003 + number, "s", problems)
            except Exception as error:
                problems.append(f"schedule {number} of seed {seed}: {error!r}")
                return
            with lock:
                models.append(model)
                sent.update(users)

    def disturb():
        chaos, events = random.Random(seed), ["kill", "restart"] * kills
        chaos.shuffle(events)
        try:
            for event in events:
                time.sleep(chaos.uniform(0.02, 0.25))
                server.kill() if event == "kill" else server.stop()
                disturbances[event] += 1
                server.start()
        except Exception as error:
            problems.append(f"disturbance of seed {seed}: {error!r}")
        done.set()

    disturbances = collections.Counter()
    workers = [threading.Thread(target=work) for _ in range(8)]
    chaos = threading.Thread(target=disturb)
    for thread in workers + [chaos]:
        thread.start()
    for thread in workers + [chaos]:
        thread.join()
    assert not problems, problems
    safe, found = check(server, models, sent)
    held = server.metric("quarantine_entries")
    server.stop()
    print(
        f"{len(models)} schedules with {disturbances['kill']} kills and {disturbances['restart']} restarts, seed {seed}: "
        f"{safe} events safe, {found} in the log, 0 lost, 0 twice, 0 deleted on a phone; {held:.0f} pieces of bodies in quarantine"
    )
    shutil.rmtree(folder)


def full_disk(tools, seed):
    """A disk that fills up, with the log and the spool on it, and is emptied later."""
    folder = tempfile.mkdtemp(prefix="permlog-server-")
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", folder], capture_output=True).returncode != 0:
        print("the full disk is not tried: this user cannot mount one")
        return
    try:
        server = Server(tools, folder)
        models, sent, refused = [], set(), 0
        for number in range(4000):
            batch = [f"d-{number}-{j}" for j in range(20)]
            model = server_models.ALL[number % len(server_models.ALL)]([batch])
            sent.update(batch)
            answer = exchange(server.port, model.path, model.headers, model.body(batch), "none", random.Random(seed))
            if answer[0] is not None and answer[0] >= 300:
                refused += 1
                assert answer[0] == 503 and answer[2], answer
                # PostHog's counts failures; each model here tries once.
                model.failures = 0
            model.answered(batch, *answer)
            models.append(model)
            if refused > 60:
                break
        assert refused > 60, "the disk did not fill up"
        subprocess.run(["mount", "-o", "remount,size=200m", folder], check=True)
        safe, found = check(server, models, sent)
        server.stop()
        print(f"full disk: {refused} requests were told to come again, {safe} events safe, {found} in the log, 0 lost, 0 twice")
    finally:
        subprocess.run(["umount", "-l", folder])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", required=True)
    parser.add_argument("--schedules", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}")
    run(arguments.tools, arguments.schedules, arguments.kills, arguments.seed)
    full_disk(arguments.tools, arguments.seed)
