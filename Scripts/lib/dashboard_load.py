"""Fifty people who click through the pages of a large log: how long they wait, and what memory the server takes.

    Scripts/lib/dashboard_load.py --tools .build/release [--users 400000] [--people 50] [--seconds 60] [--pause 5] [--drawn 0.5] [--live]

Each looks at a page, thinks, and asks the next question: one that everybody asks, or (--drawn, a share) one of hundreds.
With --live events come in meanwhile, so that every commit makes all answers anew.
"""

import argparse
import asyncio
import json
import random
import subprocess
import tempfile
import time

from server_process import Server

COMMON = ["/today", "/report", "/flow", "/audit", "/experiments", "/report?permission=notifications", "/report?by=app_version", "/data"]
FIELDS = ["country", "platform", "app_version", "os_version", "locale", "surface"]


def drawn(draw):
    permission = draw.choice(["notifications", "photo_library", "tracking"])
    week = draw.randint(2, 13)
    page = draw.choice(["report", "report", "report", "flow", "audit"])
    query = [f"permission={permission}"]
    if draw.random() < 0.5:
        query.append(f"week=2025-W{week:02d}")
    if page == "report" and draw.random() < 0.6:
        query.append(f"by={draw.choice(FIELDS)}")
    if draw.random() < 0.4:
        query.append("where=platform%3Dios")
    return f"/{page}{draw.choice(['', '', '.json'])}?{'&'.join(query)}"


async def get(port, path):
    begin = time.perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    await drain(reader)
    writer.close()
    return int(head.split(b" ", 2)[1]), time.perf_counter() - begin


async def drain(reader):
    while await reader.read(1 << 18):
        pass


async def person(number, port, end, options, seen):
    draw = random.Random(number)
    await asyncio.sleep(draw.random() * options.pause)
    while time.monotonic() < end:
        path = drawn(draw) if draw.random() < options.drawn else draw.choice(COMMON)
        seen.append((path, *await get(port, path)))
        await asyncio.sleep(draw.expovariate(1 / options.pause))


async def feed(port, end):
    number = 0
    while time.monotonic() < end:
        lines = []
        for _ in range(50):
            number += 1
            stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            lines.append(json.dumps({"user_id": f"live{number}", "timestamp": stamp, "event": "granted", "permission": "camera"}))
        body = "\n".join(lines).encode()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST /v1/events?key=wk HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        await drain(reader)
        writer.close()
        await asyncio.sleep(1)


async def run(server, options):
    end = time.monotonic() + options.seconds
    seen = []
    people = [person(number, server.port, end, options, seen) for number in range(options.people)]
    await asyncio.gather(*people, *([feed(server.port, end)] if options.live else []))
    return seen


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", required=True)
    parser.add_argument("--users", type=int, default=400_000)
    parser.add_argument("--log")
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--pause", type=float, default=5)
    parser.add_argument("--drawn", type=float, default=0.5)
    parser.add_argument("--live", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        server = Server(options.tools, work)
        tool = f"{options.tools}/permlog"
        if options.log:
            subprocess.run(["cp", "-r", options.log, server.log], check=True)
        else:
            export = subprocess.Popen([tool, "simulate", "--users", str(options.users), "--onboarding"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            subprocess.run([tool, "ingest", "-", "--log", server.log], stdin=export.stdout, check=True, capture_output=True)
        seen = asyncio.run(run(server, options))
        waits = sorted(wait for _, _, wait in seen)
        failed = [f"{status} {path}" for path, status, _ in seen if status != 200]
        kept = server.metric("kept_answers_total")
        quantile = lambda share: waits[min(len(waits) - 1, int(share * len(waits)))] * 1000
        print(f"{len(seen)} pages, {len({path for path, _, _ in seen})} different; {kept:.0f} answers were there already; {len(failed)} failed {failed[:3]}")
        print(f"waits in ms: median {quantile(0.5):.0f}, p95 {quantile(0.95):.0f}, p99 {quantile(0.99):.0f}, most {waits[-1] * 1000:.0f}; memory {server.memory():.0f} MiB")
        server.stop()


main()
