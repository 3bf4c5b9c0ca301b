"""Ingest of packed files, compared with unpacking alone. gzip unpacks slower than permlog parses, so a .gz should cost what its
unpacking costs. Zstandard unpacks faster: then the cores have both to do."""

import subprocess
from pathlib import Path

from measuring import results
from measuring.runs import fresh, in_turn, median, read_whole, run, size_of

TITLE = "Packed files"
TARGET = 1.1
TOOLS = {"gz": ("gzip", "-6"), "zst": ("zstd", "-3")}


def measure(options):
    log = options.work / "packed-log"
    packed = {}
    for ending, (tool, level) in TOOLS.items():
        packed[ending] = options.work / f"{Path(options.file).name}.{ending}"
        if not packed[ending].exists():
            with open(packed[ending], "wb") as output:
                subprocess.run([tool, "-c", level, options.file], stdout=output, check=True)
        read_whole(packed[ending])
    read_whole(options.file)
    tasks = {"plain": lambda: run([options.permlog, "ingest", "--log", fresh(log), options.file])}
    for ending, (tool, _) in TOOLS.items():
        file = packed[ending]
        tasks[tool] = lambda tool=tool, file=file: run(["sh", "-c", f"exec {tool} -dc '{file}' > /dev/null"])
        tasks[ending] = lambda file=file: run([options.permlog, "ingest", "--log", fresh(log), file])
    runs = in_turn(options.runs, tasks)
    fresh(log)
    rows = [["plain", f"{size_of(options.file) / 1e6:,.0f} MB", "", results.seconds(runs["plain"]), "", "",
             results.peak(runs["plain"])]]
    for ending, (tool, level) in TOOLS.items():
        ratio = median(runs[ending]) / median(runs[tool])
        target = f"≤ {TARGET} × {results.verdict(ratio <= TARGET)}" if ending == "gz" else ""
        rows.append([f".{ending} (`{tool} {level}`)", f"{size_of(packed[ending]) / 1e6:,.0f} MB", results.seconds(runs[tool]),
                     results.seconds(runs[ending]), f"{ratio:.2f} ×", target, results.peak(runs[ending])])
    return results.table(["file", "size", "`-dc > /dev/null`", "ingest", "ratio", "target", "peak memory"], rows)
