#!/usr/bin/env python3
"""permlog compared with DuckDB and embedded ClickHouse on one file: whole phases, in turn, medians. All must count the same.

    pip install duckdb chdb                                            (polars too, for --parquet)
    python3 Benchmarks/peers.py --permlog .build/release/permlog --file 8m.ndjson --runs 5 --write

A phase of permlog is the whole process, from start to exit. A phase of a peer is a fresh process too, but its clock runs only
from connecting to closing: starting Python and importing the package are not charged to it. The log of permlog is
de-duplicated, in order, under checksums and fsynced; a peer's plain table is none of that, its ordered table is the first
two. Benchmarks/README.md says more.

--work DIR keeps the tables and the samples there; a later call with the same DIR adds to them, so that a benchmark can be
run in pieces: --only load, --only ordered, --only query. Samples of another build of permlog are dropped.
"""

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path

from measuring import machine, results
from measuring.runs import Run, executable, fingerprint, fresh, median, read_whole, run, size_of
from peer_databases import clickhouse_peer, duckdb_peer, figures, polars_peer
from peer_databases.events import QUESTIONS

HERE = Path(__file__).resolve().parent
PEERS = {"duckdb": duckdb_peer, "clickhouse": clickhouse_peer}
NAMES = {"permlog": "permlog", "duckdb": "DuckDB", "clickhouse": "ClickHouse", "polars": "Polars to Parquet"}
NEITHER = "no de-duplication, no order"


class Benchmark:
    """The samples: phase, then who, to a list of runs. For a peer's query the table's name follows the peer's."""

    def __init__(self, options, work):
        self.permlog, self.file = executable(options.permlog), str(Path(options.file).resolve())
        self.build, self.work, self.parquet = fingerprint(self.permlog), work, options.parquet
        self.log = work / "log"
        self.samples, self.different = {}, {}
        self.sizes, self.equal = {}, {}
        kept = work / "samples.json"
        if kept.exists():
            stored = json.loads(kept.read_text())
            self.sizes = stored["sizes"]
            if stored["build"] != self.build:  # Tables stay, times of another build do not.
                return
            self.equal = stored["equal"]
            for phase, by_name in stored["samples"].items():
                self.samples[phase] = {
                    name: [Run(*sample, b"") for sample in samples] for name, samples in by_name.items()
                }

    def keep(self):
        samples = {
            phase: {name: [(run.seconds, run.processor, run.peak) for run in runs] for name, runs in by_name.items()}
            for phase, by_name in self.samples.items()
        }
        stored = {"build": self.build, "samples": samples, "sizes": self.sizes, "equal": self.equal}
        (self.work / "samples.json").write_text(json.dumps(stored))

    def note(self, phase, name, result):
        self.samples.setdefault(phase, {}).setdefault(name, []).append(result)
        print(f"{phase}, {name}: {result.seconds:.3f} s", file=sys.stderr, flush=True)

    def peer(self, name, phase, place, argument):
        """A phase of a peer: its own clock, the memory of its whole process; and its rows."""
        script = "import runpy; runpy.run_module('peer_databases.phase', run_name='__main__')"
        place = self.work / place
        launched = run([sys.executable, "-c", f"import sys; sys.path.insert(0, {str(HERE)!r}); {script}", name, phase,
                        place, argument])
        said = json.loads(launched.output.splitlines()[-1])  # DuckDB draws its progress before.
        return Run(said["seconds"], launched.processor, launched.peak, b""), said["rows"]

    def load(self):
        self.note("load", "permlog", run([self.permlog, "ingest", "--log", fresh(self.log), self.file]))
        self.sizes["permlog"] = size_of(self.log)
        peers = PEERS | ({"polars": polars_peer} if self.parquet else {})
        for name, module in peers.items():
            place = f"{name}-plain"
            fresh(module.path(self.work / place))
            self.note("load", name, self.peer(name, "load", place, self.file)[0])
            self.sizes[name] = size_of(module.path(self.work / place))

    def ordered(self):
        for name, module in PEERS.items():
            place = f"{name}-ordered"
            fresh(module.path(self.work / place))
            self.note("ordered", name, self.peer(name, "ordered", place, self.file)[0])
            self.sizes[f"{name} ordered"] = size_of(module.path(self.work / place))

    def query(self):
        commands = {"third": ["report"], "compare": ["compare", "A", "B", "--permission", "notifications"]}
        outputs = {}
        for phase, words in commands.items():
            outputs[phase] = run([self.permlog, *words, "--log", self.log, "--format", "json"])
            self.note(phase, "permlog", outputs[phase])
        for phase in QUESTIONS:
            ours = figures.READERS[phase](outputs.get(phase, outputs["third"]).output)
            for name, module in PEERS.items():
                for form, table in (("plain", "events"), ("ordered", "ordered")):
                    if Path(module.path(self.work / f"{name}-{form}")).exists():
                        result, rows = self.peer(name, phase, f"{name}-{form}", table)
                        self.note(phase, f"{name} {form}", result)
                        self.check(phase, f"{name} {form}", ours, rows)

    def check(self, phase, name, ours, theirs):
        found = figures.differences(ours, theirs)
        self.equal[f"{phase}, {name}"] = [len(ours), len(ours[0]), len(found)]
        if found:
            self.different[f"{phase}, {name}"] = found[:2]

    def fastest(self, phase, suffix=""):
        """Name and median of the fastest peer that loads or answers."""
        peers = {name: median(runs) for name, runs in self.samples.get(phase, {}).items()
                 if name != "permlog" and name.endswith(suffix)}
        return min(peers.items(), key=lambda item: item[1]) if peers else None


def cells(runs):
    return f"{results.seconds(runs)}, {results.peak(runs)}" if runs else ""


def table(benchmark):
    """The rows of the table: a phase, permlog, each peer, the ratio."""
    rows = []

    def row(label, ours, theirs, best, target):
        ratio = f"{best[1] / median(ours):.1f} ×" if ours and best else ""
        met = results.verdict(best[1] / median(ours) >= target) if ours and best and target else ""
        rows.append([label, cells(ours), *theirs, ratio, f"{target} × {met}" if target else ""])

    samples = benchmark.samples
    loads = samples.get("load", {})
    row(f"ingest / plain load ({NEITHER})", loads.get("permlog"), [cells(loads.get(name)) for name in PEERS],
        benchmark.fastest("load"), 10)
    if samples.get("ordered"):
        row("ingest / load with de-duplication and order", loads.get("permlog"),
            [cells(samples["ordered"].get(name)) for name in PEERS], benchmark.fastest("ordered"), None)
    targets = {"third": 20, "weekly": None, "compare": 8}
    for phase, label in QUESTIONS.items():
        asked = samples.get(phase, {})
        ours = samples.get("third" if phase == "weekly" else phase, {}).get("permlog")
        for form in ("plain", "ordered"):
            theirs = [cells(asked.get(f"{name} {form}")) for name in PEERS]
            if any(theirs):
                row(f"{label} ({form} table)", ours, theirs, benchmark.fastest(phase, form),
                    targets[phase])
    return rows


def text(benchmark, options):
    samples = benchmark.samples
    counts = {len(runs) for by_name in samples.values() for runs in by_name.values()}
    versions = ", ".join([machine.permlog_version(benchmark.permlog), *(module.version() for module in PEERS.values())])
    header = ["phase", "permlog", *(NAMES[name] for name in PEERS), "fastest peer / permlog", "target"]
    lines = [
        f"{versions}; a file of {size_of(benchmark.file) / 1e9:.3f} GB; medians of {min(counts)} to {max(counts)} runs in turn "
        "(range), and the highest peak of memory (a peer's with Python's).",
        "",
        results.table(header, table(benchmark)),
        "",
        "On disk: " + ", ".join(f"{NAMES[name.split()[0]]}{' ordered' if ' ' in name else ''} {size / 1e6:,.0f} MB"
                                for name, size in benchmark.sizes.items()) + ".",
    ]
    if "polars" in samples.get("load", {}):
        lines += ["", f"{polars_peer.version()} to Parquet: {cells(samples['load']['polars'])}."]
    wrong = [f"{name}: **{different} of {rows} rows differ**" for name, (rows, _, different) in benchmark.equal.items() if different]
    sizes = {name.split(",")[0]: f"{rows:,} rows of {columns} columns" for name, (rows, columns, _) in benchmark.equal.items()}
    if wrong:
        lines += ["", *wrong]
    elif sizes:
        lines += ["", "Every answer of every table equals permlog's, row by row: "
                  + ", ".join(f"{QUESTIONS[phase].split(' / ')[1]} {size}" for phase, size in sizes.items()) + "."]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description="Times permlog, DuckDB and ClickHouse on the same file.")
    parser.add_argument("--permlog", required=True, help="path of the release build")
    parser.add_argument("--file", required=True, help="canonical NDJSON, as generate-events writes it")
    parser.add_argument("--runs", type=int, default=5, help="rounds of each phase (default 5)")
    parser.add_argument("--only", choices=["load", "ordered", "query"], action="append", help="these phases alone")
    parser.add_argument("--parquet", action="store_true", help="also load with Polars to Parquet")
    parser.add_argument("--work", help="folder that keeps tables and samples (default: a temporary one)")
    parser.add_argument("--write", action="store_true", help="put the table into Benchmarks/results")
    options = parser.parse_args()
    for name, module in PEERS.items():
        try:
            module.version()
        except ImportError:
            sys.exit(f"{NAMES[name]} is missing: pip install duckdb chdb")
    work = Path(options.work or tempfile.mkdtemp(prefix="permlog-peers-")).resolve()
    work.mkdir(parents=True, exist_ok=True)
    benchmark = Benchmark(options, work)
    try:
        read_whole(benchmark.file)
        for phase in options.only or ["load", "ordered", "query"]:
            for _ in range(options.runs):
                getattr(benchmark, phase)()
        benchmark.keep()
    finally:
        if not options.work:
            shutil.rmtree(work, ignore_errors=True)
    results.publish("Beside DuckDB and ClickHouse", text(benchmark, options), options.write)
    if benchmark.different:
        sys.exit(f"The counts differ: {benchmark.different}")


if __name__ == "__main__":
    main()
