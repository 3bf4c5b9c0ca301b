#!/usr/bin/env python3
"""Measures the targets that need no peer, and prints a table for each, values with their targets.

    python3 Benchmarks/measure.py --permlog .build/release/permlog --file 8m.ndjson start size threads
    python3 Benchmarks/measure.py --permlog .build/release/permlog --file 8m.ndjson --write all

--work DIR keeps the logs (of each build) and packed files there, so that a second call does not make them again. --large adds
80 million events to `scaling`.
"""

import argparse
import importlib
import shutil
import tempfile
from pathlib import Path

from measuring import machine, results
from measuring.runs import executable, fingerprint

NAMES = ["start", "size", "threads", "parts", "daily", "packed", "scaling"]


def main():
    parser = argparse.ArgumentParser(description="Measures permlog against its targets.")
    parser.add_argument("names", nargs="+", choices=[*NAMES, "all"], help="what to measure")
    parser.add_argument("--permlog", required=True, help="path of the release build")
    parser.add_argument("--file", required=True, help="canonical NDJSON, as generate-events writes it: 8 million events")
    parser.add_argument("--runs", type=int, default=5, help="runs of long commands; short ones run three times as often")
    parser.add_argument("--work", help="folder for logs (default: a temporary one)")
    parser.add_argument("--large", action="store_true", help="also 80 million events, in `scaling`")
    parser.add_argument("--generator", help="path of generate-events (default: the release build beside this script)")
    parser.add_argument("--write", action="store_true", help="put the tables into Benchmarks/results")
    options = parser.parse_args()
    beside = Path(__file__).resolve().parent / ".build" / "release" / "generate-events"
    options.permlog, options.file = executable(options.permlog), str(Path(options.file).resolve())
    options.generator = options.generator or beside
    temporary = None if options.work else tempfile.mkdtemp(prefix="permlog-measure-")
    options.work = Path(options.work or temporary).resolve()
    # Logs are of one build and of one file; packed files and pieces are not.
    options.logs = options.work / f"{fingerprint(options.permlog)}-{Path(options.file).stem}"
    options.logs.mkdir(parents=True, exist_ok=True)
    try:
        for name in NAMES if "all" in options.names else options.names:
            module = importlib.import_module(f"measurements.{name}")
            text = f"{machine.permlog_version(options.permlog)}; `{Path(options.file).name}`\n\n{module.measure(options)}"
            results.publish(module.TITLE, text, options.write)
    finally:
        if temporary:
            shutil.rmtree(temporary, ignore_errors=True)


if __name__ == "__main__":
    main()
