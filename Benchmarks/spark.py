#!/usr/bin/env python3
"""Asks permlog's questions of events in Spark, and beside it what an analyst would write in Spark's SQL: five counts a week and permission
over distinct events. Both in one cluster on this machine, in turn, over the same Parquet files.

    pip install pyspark pandas pyarrow, and permlog's wheel
    python3 Benchmarks/spark.py --permlog .build/release/permlog --runs 5 --write

Measured is processor time a row, of all processes that take part: the JVMs of driver and executors, their Python workers, the tool.
The cluster has two executors with one core each. The first round is not counted: the JVM compiles then.

--work DIR keeps the files. --users sets their size: a user has 26 events. Shards have 2.6 million events, as docs/spark.md advises.
"""

import argparse
import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from measuring import parquet_files, results
from measuring.processes import processor_time
from measuring.runs import executable

START, AS_OF = "2025-01-06", "2025-03-31"
ALL, MORE = 1.1, 1.2
PEER = """
SELECT permission, date_trunc('week', timestamp) AS week, count_if(event = 'prompt_shown'), count_if(event = 'granted'),
  count_if(event = 'denied'), count_if(event = 'skipped'), count_if(event = 'revoked')
FROM (SELECT DISTINCT user_id, event_id, timestamp, event, permission FROM events)
GROUP BY permission, week
"""
NAMES = {
    "peer": "Spark SQL: five counts, DISTINCT",
    "one": "permlog, one report",
    "equal": "permlog, one report, equal_copies",
    "eleven": "permlog, eleven questions",
}


def session():
    """A cluster of two processes."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local-cluster[2,1,1536]").config("spark.executor.memory", "1g")
    for name, value in {
        "spark.executor.extraJavaOptions": "-XX:+UseSerialGC",
        "spark.driver.extraJavaOptions": "-XX:+UseSerialGC",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.session.timeZone": "UTC",
    }.items():
        builder = builder.config(name, value)
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("ERROR")
    return made


def questions():
    """One report; and ten more."""
    from permlog import spark as ps

    asked = {"as_of": AS_OF, "log_start": START}
    more = [ps.report(by, **asked) for by in ("variant", "app_version")]
    more += [ps.report(time_zone=zone, **asked) for zone in ("Europe/Berlin", "America/New_York", "Asia/Tokyo")]
    more += [ps.report(follow_up=days, **asked) for days in ("7d", "14d")]
    more += [ps.compare("A", "B", permission="notifications", as_of=AS_OF), ps.flow(as_of=AS_OF), ps.audit(**asked)]
    return [ps.report(**asked), *more]


class Benchmark:
    """The files, the cluster, and the samples by what ran."""

    def __init__(self, options, work):
        from permlog import spark as ps

        os.environ["PERMLOG_TOOL"] = str(executable(options.permlog))
        self.shards, self.runs = options.shards, options.runs
        file = parquet_files.flat(os.environ["PERMLOG_TOOL"], options.users, work)
        self.rows = parquet_files.rows_of(file)
        self.spark = session()
        events = self.spark.read.parquet(str(file))
        events.createOrReplaceTempView("events")
        self.spark.conf.set("spark.sql.shuffle.partitions", str(self.shards))
        self.lake, self.equal = ps.PermissionLake(events), ps.PermissionLake(events, equal_copies=True)
        self.asked = questions()
        self.samples = {name: [] for name in NAMES}
        self.jobs = {
            "peer": lambda: self.spark.sql(PEER).collect(),
            "one": lambda: self.lake.sums(self.asked[0], shards=self.shards),
            "equal": lambda: self.equal.sums(self.asked[0], shards=self.shards),
            "eleven": lambda: self.lake.sums(*self.asked, shards=self.shards),
        }

    def measure(self):
        names = list(self.jobs)
        for number in range(self.runs + 1):
            # Another one begins each time: what a job leaves to be tidied up is paid for by the next.
            first = number % len(names)
            for name in names[first:] + names[:first]:
                before = processor_time()
                self.jobs[name]()
                after = processor_time()
                spent = {kind: 1e6 * (after[kind] - before[kind]) / self.rows for kind in before}
                said = ", ".join(f"{kind} {value:.2f}" for kind, value in spent.items())
                print(f"{NAMES[name]}: {said} µs a row", file=sys.stderr, flush=True)
                if number:
                    self.samples[name].append(spent)

    def ratio(self, name, other):
        """The median of the ratios of paired runs."""
        pairs = zip(self.samples[name], self.samples[other], strict=True)
        return statistics.median(sum(a.values()) / sum(b.values()) for a, b in pairs)

    def text(self):
        rows = []
        for name, said in NAMES.items():
            parts = [statistics.median(run[kind] for run in self.samples[name]) for kind in ("java", "python", "tool")]
            total = statistics.median(sum(run.values()) for run in self.samples[name])
            rows.append([said, *(f"{part:.2f}" for part in parts), f"{total:.2f}", f"{self.ratio(name, 'peer'):.2f}"])
        header = ["what", "JVM", "Python", "tool", "µs a row", "÷ SQL"]
        more = self.ratio("eleven", "one")
        return "\n".join(
            [
                f"{self.rows:,} rows of eight columns, {self.shards} shards, two executors with one core each; median of {self.runs} rounds.",
                "",
                results.table(header, rows),
                "",
                f"One report beside the five counts: {self.ratio('equal', 'peer'):.2f} with equal_copies (at most {ALL}: "
                f"{results.verdict(self.ratio('equal', 'peer') <= ALL)}), {self.ratio('one', 'peer'):.2f} with every column "
                f"({results.verdict(self.ratio('one', 'peer') <= ALL)}). Ten more questions: {more:.2f} × one (at most {MORE}: {results.verdict(more <= MORE)}).",
            ]
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--permlog", default=".build/release/permlog")
    parser.add_argument("--users", type=int, default=400_000, help="users of the file (default 400,000)")
    parser.add_argument("--shards", type=int, default=4, help="shards, and partitions of the peer's shuffle (default 4)")
    parser.add_argument("--runs", type=int, default=5, help="rounds (default 5)")
    parser.add_argument("--work", help="folder that keeps the files (default: a temporary one)")
    parser.add_argument("--write", action="store_true", help="put the table into Benchmarks/results")
    options = parser.parse_args()
    work = Path(options.work or tempfile.mkdtemp(prefix="permlog-spark-")).resolve()
    work.mkdir(parents=True, exist_ok=True)
    benchmark = None
    try:
        benchmark = Benchmark(options, work)
        benchmark.measure()
        text = benchmark.text()
    finally:
        if benchmark:
            benchmark.spark.stop()
        if not options.work:
            shutil.rmtree(work, ignore_errors=True)
    results.publish("Spark, beside Spark's SQL", text, options.write)


if __name__ == "__main__":
    main()
