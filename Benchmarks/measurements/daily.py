"""A hundred small ingests, as one a day: the last compared with the first, and the report after them with that of one big
ingest."""

import statistics
import sys

from measuring import results
from measuring.logs import ingest, log_of, parts
from measuring.runs import fresh, in_turn, median, run

TITLE = "A hundred daily ingests"
DAYS, EVENTS = 100, 80_000
INGEST_TARGET, REPORT_TARGET = 1.5, 1.3


def days(options):
    """The file in a hundred pieces of 80,000 lines."""
    folder = options.work / "days"
    folder.mkdir(exist_ok=True)
    pieces = []
    with open(options.file, "rb") as file:
        for day in range(DAYS):
            pieces.append(folder / f"{day:03d}.ndjson")
            with open(pieces[-1], "wb") as piece:
                written = sum(1 for _ in range(EVENTS) if piece.write(file.readline()))
            if written < EVENTS:
                sys.exit(f"{options.file} has fewer than {DAYS * EVENTS:,} lines")
    return pieces


def measure(options):
    pieces, log = days(options), options.work / "daily-log"
    rounds, lengths = [], []
    for _ in range(options.runs):
        fresh(log)
        rounds.append([])
        for piece in pieces:
            rounds[-1].append(ingest(options.permlog, log, [piece]).seconds)
            lengths.append(len(parts(log)))
        print(f"round of {DAYS}: {sum(rounds[-1]):.1f} s", file=sys.stderr, flush=True)
    early = statistics.median(seconds for one in rounds for seconds in one[5:15])
    late = statistics.median(seconds for one in rounds for seconds in one[90:100])
    whole = statistics.median(sum(one) for one in rounds)
    longest = max(max(one) for one in rounds)
    big = log_of(options, "days-at-once", pieces)
    tasks = {name: lambda log=place: run([options.permlog, "report", "--log", log, "--format", "json"])
             for name, place in {"after a hundred": log, "after one": big}.items()}
    after, before = in_turn(options.runs * 3, tasks).values()
    if after[0].output != before[0].output:
        sys.exit("a hundred ingests give another report than one")
    ingests, reports = late / early, median(after) / median(before)
    for piece in pieces:
        piece.unlink()
    rows = [
        ["ingest of 80,000 events, median", f"6 to 15: {early * 1e3:.1f} ms", f"91 to 100: {late * 1e3:.1f} ms",
         f"{ingests:.2f} ×", f"≤ {INGEST_TARGET} × {results.verdict(ingests <= INGEST_TARGET)}"],
        ["report", f"after one ingest: {results.seconds(before)}", f"after a hundred: {results.seconds(after)}",
         f"{reports:.2f} ×", f"≤ {REPORT_TARGET} × {results.verdict(reports <= REPORT_TARGET)}"],
    ]
    return (results.table(["", "few parts", "many", "ratio", "target"], rows)
            + f"\n\nAll hundred: {whole:.1f} s, merges included; the longest {longest * 1e3:.0f} ms. The log has "
            f"{len(parts(log))} parts in the end, {max(lengths)} at most. The two reports are equal, byte for byte.")
