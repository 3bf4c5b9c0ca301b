#!/usr/bin/env python3
"""Times how fast permlog parses each format of exports on one thread: files made from data/samples with other ids and times, read by
`permlog mapping check`, which parses everything and stores nothing. Processor time of the whole process, user and system, so that
other work on the machine counts for less. Prints a Markdown table of medians. If pyarrow is there, some of the files are read as Arrow
streams too, in batches of 65,536 rows; the bytes are the stream's then.

    Scripts/build
    python3 Benchmarks/import_speed.py --permlog .build/release/permlog
"""

import argparse
import importlib.util
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")

CANONICAL = (
    '{"event_id":"7b9d2f10-6a3c-4e51-9e34-0a0c5d3e9001","user_id":"c8f9e604-f01a-4bd9-95c6-8e5357df265d",'
    '"timestamp":"2025-11-24T18:03:25.957Z","event":"prompt_shown","permission":"notifications","variant":"B",'
    '"experiment":"copy","surface":"onboarding","app_version":"2.4.0","os_version":"18.1","platform":"iOS",'
    '"locale":"en-US","country":"US"}'
)

FORMS = {
    "canonical NDJSON": None,
    "Amplitude": "amplitude/187520_2025-11-24_18#0.json",
    "Mixpanel": "mixpanel/milliseconds.jsonl",
    "Segment": "segment/archive.ndjson",
    "GA4": "ga4/events_20251124.json",
    "PostHog": "posthog/events.jsonl",
    "PostHog, properties as text": "posthog/properties_as_text.jsonl",
    "Snowplow": "snowplow/enriched.tsv",
}

# Files that are also read as Arrow streams, and the columns that are dictionaries there.
ARROW = {
    "canonical Arrow": (None, []),
    "canonical Arrow, dictionaries": (
        None,
        ["event", "permission", "variant", "experiment", "surface", "app_version", "os_version", "platform", "locale", "country"],
    ),
    "PostHog, Arrow": ("posthog/properties_as_text.jsonl", []),
}

# Parts of ids that are replaced, each by digits of the same length.
IDS = re.compile(
    r"(?<=F01A-4BD9-95C6-)[0-9A-F]{12}|(?<=95c6-)[0-9a-f]{12}|(?<=4F89-11D3-9A0C-)[0-9A-F]{12}|(?<=9e34-)[0-9a-f]{12}"
    r"|(?<=1111-2222-3333-)[0-9]{12}|(?<=9de8-)[0-9a-z]{12}|(?<=9E34-)[0-9A-Z]{12}|(?<=73E03F61)[0-9A-F]{12}"
    r"|(?<=a02-)[0-9a-f]{12}|(?<=jajcebutltmvhbbholf)[A-Za-z]{12}"
)


def make(path, sample, size):
    """Writes about `size` bytes: the sample's lines over and over, with other ids."""
    if sample is None:
        lines = [CANONICAL]
    else:
        with open(os.path.join(ROOT, "data", "samples", sample), encoding="utf-8") as file:
            lines = file.read().splitlines()
    count = 0
    written = 0
    with open(path, "w", encoding="utf-8") as file:
        while written < size:
            for line in lines:
                count += 1
                digits = f"{count:012d}"
                written += file.write(IDS.sub(digits, line) + "\n")
    return count


def as_arrow(path, dictionaries):
    """Writes the lines of a file as an Arrow stream beside it: times as timestamps with a zone, no nested columns."""
    import pyarrow
    import pyarrow.ipc
    import pyarrow.json

    table = pyarrow.json.read_json(path)
    table = table.select([field.name for field in table.schema if not pyarrow.types.is_nested(field.type)])
    for index, name in enumerate(table.column_names):
        column = table.column(name)
        if name == "timestamp":
            column = column.cast(pyarrow.timestamp("us", "UTC"))
        elif pyarrow.types.is_timestamp(column.type):
            column = column.cast(pyarrow.string())
        if name in dictionaries:
            column = column.dictionary_encode().unify_dictionaries()
        table = table.set_column(index, name, column)
    with pyarrow.ipc.new_stream(path + ".arrows", table.schema) as writer:
        writer.write_table(table, max_chunksize=65536)
    return path + ".arrows"


def forms():
    for name, sample in FORMS.items():
        yield name, sample, None
    if importlib.util.find_spec("pyarrow"):
        for name, (sample, dictionaries) in ARROW.items():
            yield name, sample, dictionaries


def run(permlog, path):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([permlog, "mapping", "check", path, "--threads", "1"], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(done.stderr)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, done.stdout.strip().splitlines()[-1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--permlog", default=os.path.join(ROOT, ".build", "release", "permlog"))
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    print("| format | bytes a line | MB/s of processor time (range) | lines a second | what was read |")
    print("|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as directory:
        for name, sample, dictionaries in forms():
            path = os.path.join(directory, "export")
            lines = make(path, sample, options.megabytes * 1_000_000)
            if dictionaries is not None:
                path = as_arrow(path, dictionaries)
            size = os.path.getsize(path)
            results = [run(options.permlog, path) for _ in range(options.runs)]
            seconds = [result[0] for result in results]
            speeds = [size / 1e6 / second for second in seconds]
            middle = statistics.median(seconds)
            print(
                f"| {name} | {size / lines:,.0f} | {size / 1e6 / middle:,.0f} ({min(speeds):,.0f}–{max(speeds):,.0f}) "
                f"| {lines / middle:,.0f} | {results[0][1]} |",
                flush=True,
            )


main()
