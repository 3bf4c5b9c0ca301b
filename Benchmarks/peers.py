#!/usr/bin/env python3
"""permlog beside DuckDB on one file: whole phases, in turn, medians, and a check that both count the same.

    pip install duckdb
    python3 peers.py --permlog ../.build/release/permlog --file events.ndjson --runs 5

A phase of permlog is the whole process, from start to exit. A phase of DuckDB is a fresh process too, but its clock runs
only from connecting to closing the database: starting Python and importing the package are not charged to it. The log
of permlog is deduplicated, the table of DuckDB is not; the report of permlog has every figure, the query has five counts.
"""

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COLUMNS = (
    "event_id user_id timestamp event permission status variant surface feature app_version os_version locale country"
).split()

# Journeys as docs/metrics.md defines them: t0 is the first screen event, the answer is the first one no later than 30
# minutes after t0. A key of milliseconds and the kind's rank orders a journey as permlog does (two answers of one kind in
# one millisecond would need the event id too; the benchmark file has none).
WEEKLY_COUNTS = """
WITH ranked AS (
  SELECT user_id, permission, epoch_ms(timestamp) AS ms, event, status,
         CASE event WHEN 'granted' THEN 2 WHEN 'denied' THEN 3 WHEN 'skipped' THEN 4 WHEN 're_enabled' THEN 7 END AS rank
  FROM events
  WHERE event IN ('explanation_shown', 'prompt_shown', 'granted', 'denied', 'skipped', 're_enabled')
),
exposures AS (
  SELECT user_id, permission, min(ms) AS t0
  FROM ranked WHERE event IN ('explanation_shown', 'prompt_shown')
  GROUP BY user_id, permission
),
answers AS (
  SELECT e.user_id, e.permission, e.t0,
         min((r.ms * 8 + r.rank) * 2 + CASE WHEN r.status = 'restricted' THEN 1 ELSE 0 END) AS key
  FROM exposures e
  LEFT JOIN ranked r ON r.user_id = e.user_id AND r.permission = e.permission AND r.rank IS NOT NULL
                    AND r.ms >= e.t0 AND r.ms <= e.t0 + 1800000
  GROUP BY e.user_id, e.permission, e.t0
),
outcomes AS (
  SELECT permission, strftime(make_timestamp(t0 * 1000), '%G-W%V') AS week,
         CASE WHEN t0 + 1800000 > (SELECT max(epoch_ms(timestamp)) FROM events) THEN 'pending'
              WHEN key IS NULL THEN 'dropped_off'
              WHEN (key // 2) % 8 IN (2, 7) THEN 'granted'
              WHEN (key // 2) % 8 = 4 THEN 'skipped'
              WHEN key % 2 = 1 THEN 'restricted'
              ELSE 'denied' END AS outcome
  FROM answers
)
SELECT permission, week, count(*) AS exposed,
       count(*) FILTER (outcome = 'granted') AS granted, count(*) FILTER (outcome = 'denied') AS denied,
       count(*) FILTER (outcome = 'skipped') AS skipped, count(*) FILTER (outcome = 'dropped_off') AS dropped_off
FROM outcomes GROUP BY permission, week ORDER BY permission, week
"""
COUNTS = ["exposed", "granted", "denied", "skipped", "dropped_off"]


def duckdb_phase(phase, database, file):
    """One phase of DuckDB, run in a process of its own; prints its seconds and, for the query, its rows."""
    import duckdb

    start = time.perf_counter()
    with duckdb.connect(database) as connection:
        rows = []
        if phase == "load":
            types = ", ".join(f"{name}: '{'TIMESTAMP' if name == 'timestamp' else 'VARCHAR'}'" for name in COLUMNS)
            path = file.replace("'", "''")
            connection.execute(
                "CREATE TABLE events AS SELECT * FROM read_json("
                f"'{path}', format='newline_delimited', columns={{{types}}})"
            )
        else:
            rows = connection.execute(WEEKLY_COUNTS).fetchall()
    print(json.dumps({"seconds": time.perf_counter() - start, "rows": rows}))


def run(command):
    """Runs a command; returns (seconds, peak resident MB, standard output). Ends the benchmark where it fails."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=output, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        if process.returncode != 0:
            sys.exit(f"{' '.join(command)} failed ({process.returncode}):\n{errors.read().decode(errors='replace')}")
        peak = usage.ru_maxrss / (1 << 20 if platform.system() == "Darwin" else 1 << 10)
        return seconds, peak, output.read()


def size_of(path):
    """Bytes of a file, or of every file below a folder."""
    path = Path(path)
    files = [path] if path.is_file() else path.rglob("*")
    return sum(file.stat().st_size for file in files if file.is_file())


def permlog_counts(report):
    """The weekly counts of a JSON report, in the form of the query's rows."""
    rows = [row for row in json.loads(report)["rows"] if row["week"] is not None and row["by"] is None]
    return sorted([row["permission"], row["week"]] + [row[name] for name in COUNTS] for row in rows)


def machine():
    """One line about the machine."""
    model, memory = platform.processor() or platform.machine(), ""
    if os.path.exists("/proc/cpuinfo"):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
        kilobytes = int(Path("/proc/meminfo").read_text().split()[1])
        memory = f", {kilobytes / (1 << 20):.0f} GB"
    elif platform.system() == "Darwin":
        model = subprocess.run(["sysctl", "-n", "machdep.cpu.brand_string"], capture_output=True, text=True).stdout.strip()
    return f"{model}, {os.cpu_count()} cores{memory}, {platform.system()} {platform.release()}"


def main():
    parser = argparse.ArgumentParser(description="Times permlog and DuckDB on the same file.")
    parser.add_argument("--permlog", required=True, help="path of the release build")
    parser.add_argument("--file", required=True, help="canonical NDJSON, as generate-events writes it")
    parser.add_argument("--runs", type=int, default=5, help="runs of each phase (default 5)")
    parser.add_argument("--work", help="folder for the log and the table (default: a temporary one)")
    options = parser.parse_args()
    try:
        import duckdb
    except ImportError:
        sys.exit("DuckDB is missing: pip install duckdb")

    file = os.path.abspath(options.file)
    work = Path(tempfile.mkdtemp(prefix="permlog-peers-", dir=options.work))
    log, database = str(work / "log"), str(work / "events.duckdb")
    permlog = os.path.abspath(options.permlog)
    measures = {}

    def note(name, seconds, peak):
        measures.setdefault(name, []).append((seconds, peak))
        print(f"{name}: {seconds:.3f} s", file=sys.stderr)

    def duckdb_run(phase):
        _, peak, output = run([sys.executable, os.path.abspath(__file__), f"--duckdb-{phase}", database, file])
        result = json.loads(output)
        note(f"duckdb {phase}", result["seconds"], peak)
        return result["rows"]

    try:
        with open(file, "rb") as handle:  # Both read a file that is in memory, whoever comes first.
            while handle.read(1 << 24):
                pass
        for _ in range(options.runs):
            shutil.rmtree(log, ignore_errors=True)
            seconds, peak, _ = run([permlog, "ingest", "--log", log, file])
            note("permlog load", seconds, peak)
            Path(database).unlink(missing_ok=True)
            duckdb_run("load")
        for _ in range(options.runs):
            seconds, peak, report = run([permlog, "report", "--log", log, "--format", "json"])
            note("permlog query", seconds, peak)
            rows = duckdb_run("query")
        sizes = {"permlog": size_of(log), "duckdb": size_of(database)}
    finally:
        shutil.rmtree(work, ignore_errors=True)

    version = subprocess.run([permlog, "--version"], capture_output=True, text=True).stdout.strip() or "unknown"
    print(f"{machine()}; permlog {version}, DuckDB {duckdb.__version__}, Python {platform.python_version()}; "
          f"{size_of(file) / 1e9:.3f} GB; medians of {options.runs} runs in turn (range)\n")
    print("| phase | permlog | DuckDB | ratio | peak memory permlog / DuckDB |\n|---|---|---|---|---|")
    for phase, label in (("load", "ingest / load"), ("query", "report / weekly counts")):
        cells, medians, peaks = [], [], []
        for name in ("permlog", "duckdb"):
            seconds = [pair[0] for pair in measures[f"{name} {phase}"]]
            medians.append(statistics.median(seconds))
            peaks.append(max(pair[1] for pair in measures[f"{name} {phase}"]))
            cells.append(f"{medians[-1]:.3f} s ({min(seconds):.3f}–{max(seconds):.3f})")
        print(f"| {label} | {cells[0]} | {cells[1]} | {medians[1] / medians[0]:.1f} × | "
              f"{peaks[0]:.0f} / {peaks[1]:.0f} MB |")
    print(f"| size on disk | {sizes['permlog'] / 1e6:.1f} MB | {sizes['duckdb'] / 1e6:.1f} MB | "
          f"{sizes['duckdb'] / sizes['permlog']:.1f} × | |")

    ours, theirs = permlog_counts(report), sorted(rows)
    if ours != theirs:
        different = [pair for pair in zip(ours, theirs) if pair[0] != pair[1]][:5]
        sys.exit(f"\nThe counts differ: {len(ours)} rows against {len(theirs)}; first: {different}")
    print(f"\nAll {len(ours)} rows of weekly counts ({', '.join(COUNTS)}) are equal.")


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] in ("--duckdb-load", "--duckdb-query"):
        duckdb_phase(sys.argv[1].removeprefix("--duckdb-"), sys.argv[2], sys.argv[3])
    else:
        main()
