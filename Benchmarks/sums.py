#!/usr/bin/env python3
"""Counts made-up events shard by shard, adds the sums up, and reads every answer from them: time, memory and bytes.

    python3 Benchmarks/sums.py --permlog .build/release/permlog --events 1000000000 --shards 25 --scratch /mnt/scratch --write

Each shard is `permlog simulate … | permlog sums make - …` with a seed of its own. Users of two seeds are others, so the events are divided
by user; a sample of each is looked at to see that. Five questions are answered from one reading: a report, one by platform and
system version, a comparison, flows and an audit. Then `sums merge`, and each answer from the merged file.

Nothing but one shard's scratch log and spilled events is on the disk at a time, about 70 bytes an event of the shard; --events and
--shards set how many. With --check all events also go into one log, and the script fails if an answer differs by a byte.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path

from measuring import results
from measuring.runs import executable, run, size_of

EVENTS_OF_A_USER = 26
START = "2025-01-06"
ZONE = ["--time-zone", "Europe/Berlin"]
SCOPE = ["--as-of", "2025-05-05", *ZONE]
LOG_START = ["--log-start", START]
QUESTIONS = {
    # The two are told apart by --follow-up when they are read.
    "report": ["report", "--follow-up", "28d", *SCOPE, *LOG_START],
    "report by platform and system version": [
        "report", "--by", "platform", "--by", "os_version", "--follow-up", "7d", *SCOPE, *LOG_START,
    ],
    "compare": ["compare", "A", "B", "--permission", "notifications", *SCOPE],
    "flow": ["flow", *SCOPE],
    "audit": ["audit", *SCOPE, *LOG_START],
}


def users_of(permlog, seed):
    """Some users of a seed."""
    made = subprocess.run([permlog, "simulate", "--users", "2000", "--seed", str(seed)], capture_output=True, check=True)
    return {json.loads(line)["user_id"] for line in made.stdout.splitlines()}


@contextmanager
def disk_of(folder):
    """The most bytes by which the free room of a disk shrinks meanwhile, in a list of one; files without a name are in it."""
    most, is_done = [0], threading.Event()
    free = shutil.disk_usage(folder).free

    def watch():
        while not is_done.wait(0.2):
            most[0] = max(most[0], free - shutil.disk_usage(folder).free)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield most
    finally:
        is_done.set()
        watcher.join()


class Benchmark:
    """The tool, the questions, and what was found for each shard."""

    def __init__(self, options, work):
        self.permlog, self.work, self.options = executable(options.permlog), work, options
        self.users = max(1, options.events // EVENTS_OF_A_USER // options.shards)
        self.scratch = Path(options.scratch or work).resolve()
        self.shards = []
        self.totals = {}
        self.load = os.getloadavg()[0]

    def questions(self):
        """The saved questions."""
        files = []
        for number, words in enumerate(QUESTIONS.values()):
            file = self.work / f"{number}.question"
            run([self.permlog, *words, "--save-question", file])
            files.append(file)
        return files

    def events(self, seed):
        """A process that writes a shard's events to its standard output."""
        words = [self.permlog, "simulate", "--users", str(self.users), "--seed", str(seed), "--start", START]
        return subprocess.Popen(words, stdout=subprocess.PIPE)

    def shard(self, number, questions):
        """Makes one shard's sums."""
        count = self.options.shards
        output = self.work / f"{number}.sums"
        words = ["sums", "make", "-", "--format", "ndjson", "--shard", f"{number}/{count}", "--job", "benchmark"]
        words += ["--output", output, "--summary", "json", "--scratch", self.scratch]
        words += [word for file in questions for word in ("--question", file)]
        with disk_of(self.scratch) as most:
            source = self.events(number)
            made = run([self.permlog, *words], stdin=source.stdout)
            source.stdout.close()
            if source.wait() != 0:
                sys.exit(f"simulate --seed {number} failed")
        summary = json.loads(made.output)
        for name in ("new", "duplicates", "conflicts"):
            self.totals[name] = self.totals.get(name, 0) + summary[name]
        self.shards.append((made, summary["events"], output.stat().st_size, most[0]))
        pace = summary["events"] / made.seconds / 1e6
        print(f"shard {number} of {count}: {made.seconds:.1f} s, {pace:.2f} million events a second", file=sys.stderr, flush=True)
        return output

    def simulating(self):
        """Seconds that making one shard's events takes by itself."""
        start = time.perf_counter()
        source = self.events(1)
        while source.stdout.read(1 << 20):
            pass
        source.wait()
        return time.perf_counter() - start

    def one_log(self):
        """A log of all events."""
        log = self.scratch / "one-log"
        for number in range(1, self.options.shards + 1):
            source = self.events(number)
            run([self.permlog, "ingest", "-", "--format", "ndjson", "--quiet", "--log", log], stdin=source.stdout)
            source.stdout.close()
            source.wait()
        return log

    def measure(self):
        """The section."""
        questions = self.questions()
        start = time.perf_counter()
        files = [self.shard(number, questions) for number in range(1, self.options.shards + 1)]
        counted = time.perf_counter() - start
        merged = self.work / "merged.sums"
        merge = run([self.permlog, "sums", "merge", *reversed(files), "--output", merged])
        log = self.one_log() if self.options.check else None
        answers = {}
        for name, words in QUESTIONS.items():
            form = ["--format", "json"]
            again = words[1:] if words[0] == "report" else []
            answers[name] = run([self.permlog, words[0], *again, "--from-sums", merged, *form])
            if log and run([self.permlog, *words, "--log", log, *form]).output != answers[name].output:
                sys.exit(f"{name}: the sums say something else than one log")
        return self.text(counted, merge, merged, answers)

    def text(self, counted, merge, merged, answers):
        """What was found, in Markdown."""
        runs = [made for made, _, _, _ in self.shards]
        events, size = sum(events for _, events, _, _ in self.shards), sum(size for _, _, size, _ in self.shards)
        paces = [events / made.seconds / 1e6 for made, events, _, _ in self.shards]
        alone = self.simulating()
        processor = sum(made.processor for made in runs)
        rows = [
            ["`simulate \\| sums make`, a shard", results.seconds(runs), f"{1e9 * processor / events:.0f} ns an event", results.peak(runs)],
            ["the same, all shards one after the other", f"{counted:.1f} s", f"{processor:.1f} s", results.peak(runs)],
            [f"`sums merge` of {len(runs)} files", results.seconds([merge]), f"{merge.processor:.2f} s", results.peak([merge])],
        ]
        for name, answer in answers.items():
            rows.append([f"{name} `--from-sums`", results.seconds([answer]), f"{answer.processor:.2f} s", results.peak([answer])])
        same = " Every answer is that of one log with all events, byte for byte." if self.options.check else ""
        disk = max(most for _, _, _, most in self.shards)
        return "\n\n".join([
            f"{events:,} made-up events of {self.users * len(runs):,} users in {len(runs)} shards "
            f"({self.totals['duplicates']:,} copies, {self.totals['conflicts']:,} of them differ); {len(QUESTIONS)} questions from one reading, "
            f"a thread a core. Load average before: {self.load:.1f}, on {os.cpu_count()} cores.",
            results.table(["", "wall-clock", "processor time", "peak"], rows),
            f"{min(paces):.2f} to {max(paces):.2f} million events a second and shard, {events / counted / 1e6:.2f} million in all, with the making "
            f"of the events, which takes {alone:.1f} s a shard by itself. A file of a shard has {size / len(runs) / 1e6:.2f} MB, the merged one "
            f"{size_of(merged) / 1e6:.2f} MB. On the disk at most {disk / 1e9:.2f} GB at a time.{same}",
        ])


def main():
    parser = argparse.ArgumentParser(description="Counts made-up events shard by shard, and adds them up.")
    parser.add_argument("--permlog", required=True, help="path of the release build")
    parser.add_argument("--events", type=int, default=4_000_000, help="about how many in all (default 4 million)")
    parser.add_argument("--shards", type=int, default=4, help="how many (default 4)")
    parser.add_argument("--scratch", help="folder for scratch logs (default: that of --work)")
    parser.add_argument("--work", help="folder that keeps questions and sums (default: a temporary one)")
    parser.add_argument("--check", action="store_true", help="also make one log of all events, and compare the answers")
    parser.add_argument("--write", action="store_true", help="put the table into Benchmarks/results")
    options = parser.parse_args()
    permlog = executable(options.permlog)
    if options.shards < 1 or options.events < 1:
        sys.exit("--events and --shards are at least 1")
    if users_of(permlog, 1) & users_of(permlog, 2):
        sys.exit("Two seeds have users in common: the shards are no division by user")
    work = Path(options.work or tempfile.mkdtemp(prefix="permlog-sums-")).resolve()
    work.mkdir(parents=True, exist_ok=True)
    try:
        results.publish("Sums", Benchmark(options, work).measure(), options.write)
    finally:
        shutil.rmtree(work / "one-log", ignore_errors=True)
        if not options.work:
            shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
