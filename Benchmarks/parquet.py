#!/usr/bin/env python3
"""Reads one Parquet file of events with permlog's Python package, DuckDB and Polars, each to the weekly counts, in turn. All must count
the same.

    pip install pandas pyarrow duckdb polars, and permlog's wheel
    python3 Benchmarks/parquet.py --permlog .build/release/permlog --runs 5 --write

permlog's phase is `log.ingest(file)` and then `log.report()`: everything is checked, kept once, by user, under checksums and fsynced, and
all figures are made. A peer's is one query, or a table of its own and then the query. The clock of each runs from the call to its
end; starting Python and importing packages are not charged. Peaks of the tool's memory are of runs of their own.

--work DIR keeps the files. --users sets their size: a user has 26 events.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

from measuring import parquet_files, results
from measuring.recorder import peak, recording
from measuring.runs import executable, fresh, run, size_of
from parquet_readers import duckdb_reader, permlog_reader, polars_reader
from parquet_readers.forms import FORMS
from parquet_readers.tables import OURS, compared, different, grows, middle
from peer_databases import figures

HERE = Path(__file__).resolve().parent
READERS = [permlog_reader, duckdb_reader, polars_reader]
TARGET = 1.5


class Benchmark:
    """The files, the tool, and the samples by reader and form."""

    def __init__(self, options, work):
        self.permlog, self.work, self.runs = executable(options.permlog), work, options.runs
        self.file = parquet_files.flat(self.permlog, options.users, work)
        self.rows = parquet_files.rows_of(self.file)
        self.load = []
        self.samples = {OURS: []} | {(name, form): [] for form in FORMS for name in ("duckdb", "polars")}

    def phase(self, name, form, file, tool=None):
        """A fresh process that reads and counts: what parquet_readers/phase.py says."""
        os.environ["PERMLOG_TOOL"] = str(tool or self.permlog)
        place = fresh(self.work / f"{name}-{form}")
        for suffix in (".duckdb", ".parquet"):
            fresh(Path(f"{place}{suffix}"))
        script = "import runpy; runpy.run_module('parquet_readers.phase', run_name='__main__')"
        words = ["-c", f"import sys; sys.path.insert(0, {str(HERE)!r}); {script}", name, form, file, place]
        found = json.loads(run([sys.executable, *words]).output.splitlines()[-1])
        said = f"{name}, {form}: {found['seconds']:.2f} s, {found['processor']:.2f} s of processor time"
        print(said, file=sys.stderr, flush=True)
        return found

    def measure(self):
        for _ in range(self.runs):
            self.load.append(os.getloadavg()[0])
            for (name, form), runs in self.samples.items():
                runs.append(self.phase(name, form, self.file))

    def memory(self, file):
        """Peaks in MB: of Python, of the tool's ingest, of its report."""
        tool, record = recording(self.permlog, self.work)
        found = self.phase(*OURS, file, tool)
        lines = record.read_text()
        return found["peak"], peak(lines, "ingest"), peak(lines, "report")

    def nested(self, users):
        """A sentence on a nested file. Ends the benchmark if it counts otherwise than the JSON that it was made of."""
        file, export = parquet_files.nested(self.permlog, users, self.work)
        log = fresh(self.work / "ga4-log")
        plain = run([self.permlog, "ingest", "--quiet", "--log", log, export])
        ours = figures.weekly(run([self.permlog, "report", "--format", "json", "--log", log]).output)
        found, rows = self.phase(*OURS, file), parquet_files.rows_of(file)
        pairs = figures.differences(ours, found["rows"])
        if pairs:
            sys.exit(f"The nested file counts something else than its JSON: {pairs[0]}")
        costs = [1e6 * seconds / rows for seconds in (found["processor"], plain.processor)]
        flat = 1e6 * middle(self.samples[OURS], "processor") / self.rows
        return (
            f"A nested file (GA4's parameters as lists of structs, {rows:,} rows), whose columns the package writes as JSON: "
            f"{costs[0]:.1f} µs of processor time a row, {rows / found['seconds']:,.0f} rows a second; a row of the flat file "
            f"{flat:.2f} µs. The same rows as a file of JSON, ingested without Python: {costs[1]:.1f} µs."
        )

    def text(self, versions, options):
        """The section: what was compared, memory, the nested file."""
        ours = self.samples[OURS]
        fastest = min(run["seconds"] for run in ours)
        speed, best = (self.rows / seconds / 1e6 for seconds in (middle(ours, "seconds"), fastest))
        share = middle(ours, "tool") / middle(ours, "processor")
        wrong = different(self.samples)
        same = "**The counts differ.**" if wrong else f"All count the same: {len(ours[0]['rows'])} rows of five counts."
        header, *lines = compared(self.samples, self.rows)
        pace = f"{speed:.2f} million events a second (fastest run {best:.2f})"
        goal = f"≥ {TARGET} million {results.verdict(speed >= TARGET)}"
        text = [
            f"{', '.join(versions)}; {self.rows:,} events of {len(parquet_files.COLUMNS)} columns in {size_of(self.file) / 1e6:,.0f} MB, "
            f"zstd, row groups of {parquet_files.ROWS_OF_A_GROUP:,}; medians of {self.runs} runs in turn (range). "
            f"Load average before each round: {min(self.load):.1f} to {max(self.load):.1f}, on {os.cpu_count()} cores.",
            results.table(header, lines),
            results.table(["", "measured", "target"], [["ingest and report", pace, goal]]),
            f"Of permlog's processor time {share:.0%} is the tool's, the rest Python's and pyarrow's. {same}",
        ]
        if options.larger > 1:
            large = parquet_files.flat(self.permlog, options.larger * options.users, self.work)
            header = ["", f"{self.rows:,} events", "factor", f"{parquet_files.rows_of(large):,} events", "target"]
            text.append(results.table(header, grows(self.memory(self.file), self.memory(large))))
        if options.nested_users:
            text.append(self.nested(options.nested_users))
        return "\n\n".join(text)


def main():
    parser = argparse.ArgumentParser(description="Reads a Parquet file with permlog, DuckDB and Polars.")
    parser.add_argument("--permlog", required=True, help="path of the release build")
    parser.add_argument("--users", type=int, default=200_000, help="users of the file (default 200,000: 5.2 million events)")
    parser.add_argument("--larger", type=int, default=4, help="the second file, for memory, is so many times as large (default 4; 1: none)")
    parser.add_argument("--nested-users", type=int, default=10_000, help="users of the nested file (default 10,000; 0: none)")
    parser.add_argument("--runs", type=int, default=5, help="rounds (default 5)")
    parser.add_argument("--work", help="folder that keeps the files (default: a temporary one)")
    parser.add_argument("--write", action="store_true", help="put the tables into Benchmarks/results")
    options = parser.parse_args()
    try:
        versions = [reader.version() for reader in READERS]
    except ImportError as error:
        sys.exit(f"{error.name} is missing: pip install pandas pyarrow duckdb polars, and permlog's wheel")
    work = Path(options.work or tempfile.mkdtemp(prefix="permlog-parquet-")).resolve()
    work.mkdir(parents=True, exist_ok=True)
    try:
        benchmark = Benchmark(options, work)
        benchmark.measure()
        text = benchmark.text(versions, options)
        results.publish("Parquet, beside DuckDB and Polars", text, options.write)
    finally:
        if not options.work:
            shutil.rmtree(work, ignore_errors=True)
    wrong = different(benchmark.samples)
    if wrong:
        sys.exit(f"The counts differ: {wrong}")


if __name__ == "__main__":
    main()
