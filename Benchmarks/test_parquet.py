"""Tests of what Benchmarks/parquet.py computes, part of `python3 -m unittest discover Benchmarks`. Those of a reader run if its
package is there."""

import importlib.util
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from measuring.recorder import peak, recording
from parquet_readers.forms import COPIES, FORMS, ONCE, STORED
from parquet_readers.tables import OURS, compared, different, grows

# User, minutes after 2026-03-02T09:00Z (week 10), event, status. The newest event is what the report looks from.
EVENTS = [
    ("granted at once", 0, "explanation_shown", None),
    ("granted at once", 1, "prompt_shown", None),
    ("granted at once", 1, "granted", None),
    ("granted at once", 2, "denied", None),
    ("asked twice", 0, "explanation_shown", None),
    ("asked twice", 1, "skipped", None),
    ("asked twice", 5, "prompt_shown", None),
    ("asked twice", 5, "denied", None),
    ("denied", 0, "prompt_shown", None),
    ("denied", 30, "denied", None),
    ("had no say", 0, "prompt_shown", None),
    ("had no say", 0, "denied", "restricted"),
    ("too late", 0, "prompt_shown", None),
    ("too late", 31, "granted", None),
    ("enabled", 0, "prompt_shown", None),
    ("enabled", 20, "re_enabled", None),
    ("never asked", 0, "granted", None),
    ("still open", 100, "prompt_shown", None),
    ("active", 120, "app_active", None),
]
# exposed, granted, denied, skipped, dropped off; one is restricted and one is pending.
EXPECTED = ["camera", "2026-W10", 7, 2, 1, 1, 1]


def is_there(*packages):
    return all(importlib.util.find_spec(package) for package in packages)


def written(folder):
    """The events as Parquet, the first one twice."""
    import datetime

    import pyarrow
    from pyarrow import parquet

    start = datetime.datetime(2026, 3, 2, 9, tzinfo=datetime.timezone.utc)
    rows = [
        {
            "event_id": f"id {number}", "user_id": user, "timestamp": start + datetime.timedelta(minutes=minutes), "event": event,
            "permission": None if event == "app_active" else "camera", "status": status, "variant": None, "app_version": "1.0",
        }
        for number, (user, minutes, event, status) in enumerate(EVENTS)
    ]  # fmt: skip
    path = str(Path(folder) / "events.parquet")
    types = dict.fromkeys(rows[0], pyarrow.string()) | {"timestamp": pyarrow.timestamp("ms", tz="UTC")}
    parquet.write_table(pyarrow.Table.from_pylist([rows[0], *rows], schema=pyarrow.schema(list(types.items()))), path)
    return path


class ReaderTests(unittest.TestCase):
    def assert_counts(self, reader):
        for form in FORMS:
            with self.subTest(form), tempfile.TemporaryDirectory() as folder:
                rows = reader.weekly(written(folder), form, str(Path(folder) / "place"))
                self.assertEqual([list(row) for row in rows], [EXPECTED])

    @unittest.skipUnless(is_there("pyarrow", "duckdb"), "needs pyarrow and duckdb")
    def test_duckdb_counts_as_by_hand(self):
        from parquet_readers import duckdb_reader

        self.assert_counts(duckdb_reader)

    @unittest.skipUnless(is_there("pyarrow", "polars"), "needs pyarrow and polars")
    def test_polars_counts_as_by_hand(self):
        from parquet_readers import polars_reader

        self.assert_counts(polars_reader)


def sample(seconds, rows):
    return {"seconds": seconds, "processor": 2 * seconds, "tool": seconds, "peak": 100.0, "rows": rows}


class TableTests(unittest.TestCase):
    def test_ratios_are_in_times_of_permlog(self):
        samples = {OURS: [sample(2.0, []), sample(4.0, []), sample(3.0, [])], ("duckdb", ONCE): [sample(1.5, [])]}
        header, ours, theirs = compared(samples, 6_000_000)
        self.assertEqual(len(header), len(ours))
        self.assertEqual(ours[1:3] + ours[5:6], ["3.00 s (2.00–4.00)", "1.00", "2.00 million"])
        self.assertEqual(theirs[1:5], ["1.50 s (1.50–1.50)", "0.50", "3.00 s (3.00–3.00)", "0.50"])

    def test_a_difference_in_any_run_is_found(self):
        right, wrong = [EXPECTED], [[*EXPECTED[:-1], 2]]
        samples = {OURS: [sample(1, right)], ("duckdb", COPIES): [sample(1, wrong), sample(1, right)]}
        samples["polars", STORED] = [sample(1, right)]
        self.assertEqual(list(different(samples)), [("duckdb", COPIES)])

    def test_python_must_not_grow_and_the_tool_has_bounds(self):
        targets = [row[-1] for row in grows((200, 170, 20), (251, 250, 129))]
        self.assertEqual(targets, ["1.25 × at most **not met**", "≤ 256 MB met", "≤ 128 MB **not met**"])
        self.assertEqual(grows((200, 170, 20), (250, 250, 129))[0][1:], ["200 MB", "1.25 ×", "250 MB", "1.25 × at most met"])


class RecorderTests(unittest.TestCase):
    def test_input_output_and_status_are_the_tools(self):
        with tempfile.TemporaryDirectory(prefix="it's ") as folder:
            program, record = recording(sys.executable, folder)
            code = "import sys; print(sys.stdin.read().upper()); sys.exit(3)"
            done = subprocess.run([program, "-c", code], input="ingest", capture_output=True, text=True, check=False)
            self.assertEqual((done.stdout, done.returncode), ("INGEST\n", 3))
            (line,) = record.read_text().splitlines()
            self.assertEqual(json.loads(line)["status"], 3)
            self.assertGreater(peak(line, "-c"), 1)

    def test_the_peak_is_the_highest_of_the_command(self):
        lines = "\n".join(json.dumps({"arguments": [word], "peak": size}) for word, size in [("ingest", 5), ("ingest", 7), ("report", 9)])
        self.assertEqual((peak(lines, "ingest"), peak(lines, "report")), (7, 9))


if __name__ == "__main__":
    unittest.main()
