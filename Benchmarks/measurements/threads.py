"""One thread compared with all."""

import os

from measuring import results
from measuring.logs import log_of
from measuring.runs import fresh, in_turn, median, read_whole, run

TITLE = "Threads"
TARGETS = {"ingest": None, "report": 1.7, "compare": None}


def measure(options):
    read_whole(options.file)
    log, scratch = log_of(options, "one-part", [options.file]), options.work / "threads-log"
    cores = min(os.cpu_count() or 2, 2)
    commands = {
        "ingest": lambda threads: run([options.permlog, "ingest", "--log", fresh(scratch), *threads, options.file]),
        "report": lambda threads: run([options.permlog, "report", "--log", log, "--format", "json", *threads]),
        "compare": lambda threads: run([options.permlog, "compare", "A", "B", "--permission", "notifications", "--log", log,
                                        "--format", "json", *threads]),
    }
    rows = []
    for name, command in commands.items():
        tasks = {f"{name}, {n} threads": lambda n=n: command(["--threads", str(n)]) for n in (1, cores)}
        one, two = in_turn(options.runs * (1 if name == "ingest" else 3), tasks).values()
        ratio = median(one) / median(two)
        target = TARGETS[name]
        rows.append([name, results.seconds(one), results.seconds(two), f"{ratio:.2f} ×",
                     f"≥ {target} × {results.verdict(ratio >= target)}" if target else ""])
    fresh(scratch)
    return results.table(["command", "1 thread", f"{cores} threads", "ratio", "target"], rows)
