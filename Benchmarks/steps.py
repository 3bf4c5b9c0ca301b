#!/usr/bin/env python3
"""What each step of ingest, report and compare costs: instructions an event, counted by callgrind on one thread.

    python3 Benchmarks/steps.py --permlog .build/release/permlog --file 1m.ndjson --write

With --clock FILE, a larger file, also nanoseconds of processor time an event, from perf's samples on all threads.
Then the most that the machine can do, measured in the same run: reading a file from the page cache, copying memory,
a synced write. Needs valgrind, strip, swift (for names).
"""

import argparse
import mmap
import os
import sys
import tempfile
import time
from pathlib import Path

from measuring import callgrind, machine, results, sampling
from measuring.logs import HISTORY_STREAMS, parts, stream_bytes
from measuring.runs import count_lines, executable, fresh, read_whole, size_of
from measuring.steps import COMMANDS, DECODING, costs


def fastest(count, task):
    """The shortest of several times."""
    times = []
    for _ in range(count):
        start = time.perf_counter()
        task()
        times.append(time.perf_counter() - start)
    return min(times)


def limits(file, log, folder):
    """[(what, bytes, speed, ns an event)]: what the machine does at most for the bytes of this file and log, on one core."""
    events, size, stored = count_lines(file), size_of(file), size_of(log)
    buffer, block = bytearray(1 << 20), bytes(1 << 20)
    small, rows_of_events = Path(folder) / "limits", 48 * events
    content = b"".join(part.read_bytes() for part in sorted(Path(log).glob("part-*")))

    def read():
        with open(file, "rb", buffering=0) as source:
            while source.readinto(buffer):
                pass

    def find():
        with open(file, "rb", buffering=0) as source:
            while length := source.readinto(buffer):
                buffer.find(b"\x00", 0, length)

    def copy():
        for _ in range(256):
            buffer[:] = block

    def touch():
        with mmap.mmap(-1, 256 << 20) as fresh_memory:
            for place in range(0, len(fresh_memory), len(block)):
                fresh_memory[place:place + len(block)] = block

    def write():
        with open(small, "wb", buffering=0) as target:
            target.write(content)
            os.fsync(target.fileno())

    read_whole(file)
    copying, touching = (fastest(5, task) / (256 << 20) for task in (copy, touch))
    times = [
        ("read the file from the page cache, 1 MiB at a time", size, fastest(5, read)),
        ("read it and look at each byte once (`memchr`)", size, fastest(5, find)),
        ("copy a row of 48 bytes within the cache", rows_of_events, copying * rows_of_events),
        ("copy a row of 48 bytes into fresh memory", rows_of_events, touching * rows_of_events),
        ("copy the log's bytes within the cache", stored, copying * stored),
        ("write the log's bytes and fsync", stored, fastest(3, write)),
    ]
    fresh(small)
    return [[what, f"{length / 1e6:,.0f} MB", f"{length / seconds / 1e9:.1f} GB/s", f"{seconds / events * 1e9:.1f} ns"]
            for what, length, seconds in times]


def sample(permlog, commands, file, folder):
    """Command to (step to nanoseconds an event), on all threads."""
    if not sampling.available():
        sys.exit("perf is not installed, or may not sample")
    log, events, found = Path(folder) / "clock-log", count_lines(file), {}
    for name, words in commands.items():
        words = [file if word == "FILE" else word for word in words]
        rounds = 1 if name == "ingest" else 10
        stacks = [stack for _ in range(rounds) for stack in sampling.samples([permlog, *words, "--log", log], folder)]
        times = sampling.nanoseconds(COMMANDS[name], stacks)
        found[name] = {step: time / events / rounds for step, time in times.items()}
    return found, decoding(found["report"], log)


def decoding(times, log):
    """How fast the report's columns are read, checked and unpacked, in stored bytes a second of one core."""
    rows, stored = stream_bytes(parts(log)[0])
    bytes_per_event = sum(stored[stream] for stream in HISTORY_STREAMS) / rows
    nanoseconds = sum(times.get(step, 0) for step in DECODING)
    speed = bytes_per_event / nanoseconds
    row = ["reading, checking and decoding the report's columns, a core", f"{bytes_per_event:.2f} bytes an event",
           f"{nanoseconds:.1f} ns", f"{speed:.2f} GB/s", f"≥ 1 GB/s {results.verdict(speed >= 1)}"]
    return results.table(["", "stored", "processor time", "speed", "target"], [row])


def time_cell(clock, name, step):
    """The cell of a step in the column of times, if there is one."""
    if not clock:
        return []
    times = clock[name]
    return [f"**{sum(times.values()):.1f} ns**" if step is None else f"{times.get(step, 0):.1f} ns"]


def main():
    parser = argparse.ArgumentParser(description="Counts instructions an event by step.")
    parser.add_argument("--permlog", required=True, help="path of the release build")
    parser.add_argument("--file", required=True, help="canonical NDJSON of generate-events: 1 million events are enough")
    parser.add_argument("--clock", metavar="FILE", help="also sample processor time, on this file: 8 million events")
    parser.add_argument("--work", help="folder for the log (default: a temporary one)")
    parser.add_argument("--write", action="store_true", help="put the tables into Benchmarks/results")
    options = parser.parse_args()
    if callgrind.missing():
        sys.exit(f"{', '.join(callgrind.missing())} not found")
    permlog, file = executable(options.permlog), str(Path(options.file).resolve())
    events = count_lines(file)
    with tempfile.TemporaryDirectory(prefix="permlog-steps-", dir=options.work) as folder:
        tool, log = callgrind.stripped(permlog, folder), Path(folder) / "log"
        commands = {
            "ingest": ["ingest", "FILE"],
            "report": ["report", "--format", "json"],
            "compare": ["compare", "A", "B", "--permission", "notifications", "--format", "json"],
        }
        clock, decoded = sample(permlog, commands, options.clock, folder) if options.clock else ({}, "")
        tables = []
        for name, words in commands.items():
            print(f"counting {name}", file=sys.stderr, flush=True)
            words = [file if word == "FILE" else word for word in words]
            profile = callgrind.count([tool, *words, "--threads", "1", "--log", log], folder)
            rows = []
            for step, cost in costs(COMMANDS[name], profile).items():
                counted = "not seen" if cost is None else f"{cost / events:,.1f}"
                share = "" if cost is None else f"{cost / profile.total:.1%}"
                rows.append([step, counted, share, *time_cell(clock, name, step)])
            rows.append(["**all**", f"**{profile.total / events:,.1f}**", "", *time_cell(clock, name, None)])
            header = ["step", "instructions an event", "share", *(["processor time an event"] if clock else [])]
            tables.append(f"### {name}\n\n" + results.table(header, rows))
        physical = limits(file, log, folder)
    sampled = f"; processor time sampled with {count_lines(options.clock):,} lines on all threads" if options.clock else ""
    text = (f"{machine.permlog_version(permlog)}; {events:,} lines, one thread{sampled}. A step is without the other "
            "steps that it calls; figures and rendering hardly depend on the number of events.\n\n" + "\n\n".join(tables)
            + f"\n\n{decoded}\n\n### What the machine does on one core at most\n\n"
            + results.table(["what", "bytes", "speed", "an event"], physical))
    results.publish("Steps", text, options.write)


if __name__ == "__main__":
    main()
