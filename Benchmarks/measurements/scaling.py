"""Time and memory at 1, 8 and, with --large, 80 million events: piped from the generator, so that no disk has to hold
them."""

import os
import subprocess
import sys

from measuring import results
from measuring.runs import fresh, median, run, size_of

TITLE = "Scaling"
INGEST_MEMORY, REPORT_MEMORY = 256, 128
# Time is to be linear in events; a tenth is noise.
GROWTH = 1.1


def measure(options):
    if not os.access(options.generator, os.X_OK):
        sys.exit("generate-events is not built: swift build -c release --package-path Benchmarks")
    counts = [1_000_000, 8_000_000] + ([80_000_000] if options.large else [])
    rows, ingest_peaks, peaks, report_times = [], [], [], []
    for count in counts:
        log = options.work / f"scaling-{count}"
        command = [options.generator, "--events", str(count), "--seed", "1"]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as generator:
            taken = run([options.permlog, "ingest", "--log", fresh(log), "-"], stdin=generator.stdout)
        repeats, words = options.runs if count < 20_000_000 else 3, ["--log", log, "--format", "json"]
        report = [run([options.permlog, "report", *words]) for _ in range(repeats)]
        compare = [
            run([options.permlog, "compare", "A", "B", "--permission", "notifications", *words]) for _ in range(repeats)
        ]
        ingest_peaks.append(taken.peak)
        peaks += [one.peak for one in report + compare]
        report_times.append(median(report) / count)
        rows.append([
            f"{count:,}", f"{taken.processor / count * 1e9:.0f} ns", f"{taken.peak:.0f} MB",
            f"{results.seconds(report)} = {median(report) / count * 1e9:.1f} ns an event", results.peak(report),
            f"{results.seconds(compare)} = {median(compare) / count * 1e9:.1f} ns an event", results.peak(compare),
            f"{size_of(log) / count:.2f}",
        ])
        fresh(log)
    header = ["lines", "ingest, processor time a line", "peak", "report", "peak", "compare", "peak", "bytes a line"]
    targets = []
    for what, found, limit in (("ingest", ingest_peaks, INGEST_MEMORY), ("report and compare", peaks, REPORT_MEMORY)):
        targets.append([f"peak memory of {what}, up to {counts[-1]:,} lines", f"{max(found):.0f} MB",
                        f"≤ {limit} MB {results.verdict(max(found) <= limit)}"])
    growth = report_times[-1] / report_times[-2]
    targets.append([f"report's time an event, {counts[-1]:,} lines against {counts[-2]:,}", f"{growth:.2f} ×",
                    f"≤ {GROWTH} × {results.verdict(growth <= GROWTH)}"])
    return (results.table(header, rows) + "\n\n" + results.table(["", "measured", "target"], targets)
            + "\n\nIngest reads a pipe from the generator here, which is the slower of the two; its processor time is on all threads.")
