"""Time and memory at 1, 8 and, where asked for, 80 million events: piped from the generator, so that no disk has to hold
them."""

import subprocess

from measuring import results
from measuring.logs import ingest
from measuring.runs import fresh, median, run, size_of

TITLE = "Scaling"
INGEST_MEMORY, REPORT_MEMORY = 256, 128


def measure(options):
    counts = [1_000_000, 8_000_000] + ([80_000_000] if options.large else [])
    rows, notes = [], []
    for count in counts:
        log = options.work / f"scaling-{count}"
        command = [options.generator, "--events", str(count), "--seed", "1"]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as generator:
            taken = run([options.permlog, "ingest", "--log", fresh(log), "-"], stdin=generator.stdout)
        repeats = options.runs if count < 20_000_000 else 3
        words = ["--log", log, "--format", "json"]
        report = [run([options.permlog, "report", *words]) for _ in range(repeats)]
        compare = [run([options.permlog, "compare", "A", "B", "--permission", "notifications", *words]) for _ in range(repeats)]
        peak = max(one.peak for one in report + compare)
        rows.append([
            f"{count:,}", f"{taken.processor / count * 1e9:.0f} ns", f"{taken.peak:.0f} MB",
            f"{results.seconds(report)} = {median(report) / count * 1e9:.1f} ns an event", results.peak(report),
            f"{results.seconds(compare)} = {median(compare) / count * 1e9:.1f} ns an event", results.peak(compare),
            f"{size_of(log) / count:.2f}",
        ])
        notes.append(taken.peak <= INGEST_MEMORY and peak <= REPORT_MEMORY)
        fresh(log)
    header = ["lines", "ingest, processor time a line", "peak", "report", "peak", "compare", "peak", "bytes a line"]
    verdict = results.verdict(all(notes))
    return (results.table(header, rows) + f"\n\nTarget: ingest within {INGEST_MEMORY} MB, report and compare within "
            f"{REPORT_MEMORY} MB: {verdict}. Ingest reads a pipe from the generator here, which is the slower of the two; its "
            "processor time is on all threads.")
