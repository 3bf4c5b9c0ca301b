"""Tests of what the benchmarks compute: `python3 -m unittest discover Benchmarks`. What they measure is in no test."""

import tempfile
import unittest
from pathlib import Path

from measuring.callgrind import Profile
from measuring.steps import REST, costs
from peer_databases.figures import Quantile, differences
from update_docs import newest, targets

# main calls parse twice (100 of itself, 40 in and below read) and write; write calls read too, and takes memory once.
PROFILE = """\
events: Ir
ob=(1) /x/permlog
fn=(1) main
1 10
cfn=(2) $s11EventImport5parseyyF
calls=2 1
1 140
cfn=(3) $s8EventLog5writeyyF
calls=1 1
1 90

fn=(2)
1 100
cfn=(4) read
calls=2 1
1 40

fn=(3)
1 60
cfn=(4)
calls=1 1
1 20
cob=(2) /lib/libc.so.6
cfn=(5) malloc
calls=1 1
1 10

fn=(4)
1 60

ob=(2)
fn=(5)
1 10
"""
PLAIN = {"$s11EventImport5parseyyF": "parse()", "$s8EventLog5writeyyF": "write()"}


def profile():
    with tempfile.NamedTemporaryFile("w", suffix=".out") as file:
        file.write(PROFILE)
        file.flush()
        found = Profile(file.name)
    found._plain = {function: PLAIN.get(function, function) for function in found.inclusive}
    return found


class CallgrindTests(unittest.TestCase):
    def test_total_is_what_main_needs(self):
        found = profile()
        self.assertEqual(found.total, 240)
        self.assertEqual(found.inclusive["main"], 240)

    def test_modules_are_of_functions_themselves(self):
        modules = profile().modules()
        self.assertEqual(modules, {"EventImport": 100, "EventLog": 60, "C library": 10, "other": 70})

    def test_allocations_are_calls(self):
        self.assertEqual(profile().allocations, 1)

    def test_a_step_is_without_the_steps_in_it(self):
        found = costs({"parse": r"^parse", "write": r"^write"}, profile())
        self.assertEqual(found, {"parse": 140, "write": 90, REST: 10})

    def test_a_shared_step_is_taken_from_both_that_call_it(self):
        found = costs({"parse": r"^parse", "write": r"^write", "read": r"^read"}, profile())
        self.assertEqual(found, {"parse": 100, "write": 70, "read": 60, REST: 10})

    def test_a_step_that_is_not_there_is_not_seen(self):
        self.assertIsNone(costs({"sort": r"^sort"}, profile())["sort"])


class FigureTests(unittest.TestCase):
    def test_order_does_not_matter(self):
        self.assertEqual(differences([["a", 1], ["b", 2]], [["b", 2], ["a", 1]]), [])

    def test_counts_must_be_equal(self):
        self.assertEqual(len(differences([["a", 1000]], [["a", 1001]])), 1)

    def test_quantiles_may_differ_by_their_promise(self):
        self.assertEqual(differences([["a", Quantile(4001.5)]], [["a", 4000]]), [])
        self.assertEqual(len(differences([["a", Quantile(4010.5)]], [["a", 4000]])), 1)

    def test_means_may_differ_by_rounding(self):
        self.assertEqual(differences([["a", 4001.3]], [["a", 4001.3000000001]]), [])
        self.assertEqual(len(differences([["a", 4001.3]], [["a", 4001.4]])), 1)

    def test_a_missing_row_is_found(self):
        self.assertEqual(len(differences([["a", 1]], [])), 1)

    def test_nothing_known_is_not_zero(self):
        self.assertEqual(len(differences([["a", None]], [["a", 0]])), 1)


class TargetTests(unittest.TestCase):
    def test_rows_with_a_target_are_taken(self):
        table = "| command | ratio | target |\n|---|---|---|\n| report | 1.5 × | ≥ 1.7 × |\n| ingest | 2 × | |"
        rows = targets({"Threads": table}, "<!-- measured: Threads -->\n<!-- end -->").splitlines()[2:]
        self.assertEqual(rows, ["| Threads | report | 1.5 × | ≥ 1.7 × |"])


class NewestTests(unittest.TestCase):
    OLD = "# 2026-01-01, one machine\n\n## Start\n\n3 ms\n\n## Size\n\n20 bytes\n\n## Threads\n\n2 s\n"
    NEW = "# 2026-02-01, one machine\n\n## Size\n\n19 bytes\n"

    def test_a_section_is_of_the_last_file_that_has_it(self):
        found = newest({"b.md": self.NEW, "a.md": self.OLD})
        self.assertEqual((found["Start"], found["Threads"]), ("3 ms", "2 s"))
        self.assertTrue(found["Size"].endswith("\n\n19 bytes"))

    def test_what_was_measured_apart_says_when(self):
        found = newest({"a.md": self.OLD, "b.md": self.NEW})
        self.assertEqual(found["Machine"], "2026-01-01, one machine ([all results](../Benchmarks/results/a.md))")
        self.assertTrue(found["Size"].startswith("Measured apart: 2026-02-01, one machine ([all results](../Benchmarks/results/b.md))."))


if __name__ == "__main__":
    unittest.main()
