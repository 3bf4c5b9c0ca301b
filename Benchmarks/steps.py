#!/usr/bin/env python3
"""What each step of ingest, report and compare costs: instructions an event, counted by callgrind on one thread.

    python3 Benchmarks/steps.py --permlog .build/release/permlog --file 1m.ndjson --write

With --clock FILE, a larger file, also nanoseconds of processor time an event, from perf's samples on all threads.
Beside them what the machine can do at most, measured in the same run: reading a file from the page cache, copying memory,
zstd alone, a synced write. Needs valgrind, strip, swift (for names), zstd.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from measuring import callgrind, machine, results, sampling
from measuring.runs import count_lines, executable, fresh, read_whole, run, size_of
from measuring.steps import COMMANDS, costs


def fastest(count, task):
    """The shortest of several times."""
    times = []
    for _ in range(count):
        start = time.perf_counter()
        task()
        times.append(time.perf_counter() - start)
    return min(times)


def limits(file, log, folder):
    """[(what, speed, ns an event)]: what the machine does at most for the bytes of this file and log."""
    events, size, stored = count_lines(file), size_of(file), size_of(log)
    buffer, block = bytearray(1 << 20), bytes(1 << 20)
    small = Path(folder) / "limits"

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

    def write():
        with open(small, "wb", buffering=0) as target:
            for part in sorted(Path(log).glob("part-*")):
                target.write(part.read_bytes())
            os.fsync(target.fileno())

    read_whole(file)
    rows = []

    def add(what, length, seconds):
        rows.append([what, f"{length / 1e6:,.0f} MB", f"{length / seconds / 1e9:.2f} GB/s", f"{seconds / events * 1e9:.2f} ns"])

    add("read the file from the page cache (`read`, 1 MiB at a time)", size, fastest(5, read))
    add("read it and look at each byte once (`memchr`)", size, fastest(5, find))
    copying = fastest(5, copy) / (256 << 20)
    add("copy 48 bytes an event (a row) in the cache", 48 * events, copying * 48 * events)
    add("copy the log's bytes", stored, copying * stored)
    add("write the log's bytes and fsync", stored, fastest(3, write))
    unpacked = Path(folder) / "columns"
    with open(unpacked, "wb") as target:
        for part in sorted(Path(log).glob("part-*")):
            target.write(part.read_bytes())
    packed = Path(folder) / "columns.zst"
    add("`zstd -1` of the log's bytes, one thread", stored,
        min(run(["zstd", "-1", "-q", "-f", "--single-thread", unpacked, "-o", packed]).processor for _ in range(3)))
    for path in (small, unpacked, packed):
        fresh(path)
    return rows


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
    return found


def time_cell(clock, name, step):
    """The cell of a step in the column of times, where there is one."""
    if not clock:
        return []
    times = clock[name]
    return [f"**{sum(times.values()):.1f} ns**" if step is None else f"{times.get(step, 0):.1f} ns"]


def main():
    parser = argparse.ArgumentParser(description="Counts instructions an event by step.")
    parser.add_argument("--permlog", required=True, help="path of the release build")
    parser.add_argument("--file", required=True, help="canonical NDJSON, as generate-events writes it: 1 million events are enough")
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
        clock = sample(permlog, commands, options.clock, folder) if options.clock else {}
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
    text = (f"{machine.permlog_version(permlog)}; {events:,} lines, one thread{sampled}. A step is without the other steps that it calls; figures and "
            "rendering hardly depend on the number of events.\n\n" + "\n\n".join(tables)
            + "\n\n### What the machine does at most\n\n" + results.table(["what", "bytes", "speed", "an event"], physical))
    results.publish("Steps", text, options.write)


if __name__ == "__main__":
    main()
