"""What `Benchmarks/parquet.py` found, as rows of tables. A sample is what `phase.py` says; samples are kept by reader and form."""

import statistics

from measuring import results
from peer_databases import figures

from .forms import FORMS, STORED

NAMES = {"permlog": "permlog", "duckdb": "DuckDB", "polars": "Polars"}
OURS = ("permlog", STORED)
FLAT = 1.25
BOUNDS = {"peak of Python": None, "peak of the tool's ingest": 256, "peak of the tool's report": 128}


def middle(runs, key):
    """Median of one of the numbers of the runs."""
    return statistics.median(run[key] for run in runs)


def spread(runs, key):
    """Median and range, in seconds."""
    values = [run[key] for run in runs]
    return f"{statistics.median(values):.2f} s ({min(values):.2f}–{max(values):.2f})"


def compared(samples, rows):
    """Rows of the table, with its header first: a reader and a form, what they took, also in times of what permlog took."""
    ours = samples[OURS]
    lines = [["reader", "wall-clock", "permlog = 1", "processor time", "permlog = 1", "events a second", "peak of Python"]]
    for (name, form), runs in samples.items():
        clock, processor = middle(runs, "seconds"), middle(runs, "processor")
        lines.append([
            f"{NAMES[name]}: {FORMS[form]}",
            spread(runs, "seconds"),
            f"{clock / middle(ours, 'seconds'):.2f}",
            spread(runs, "processor"),
            f"{processor / middle(ours, 'processor'):.2f}",
            f"{rows / clock / 1e6:.2f} million",
            f"{max(run['peak'] for run in runs):.0f} MB",
        ])
    return lines


def different(samples):
    """Readers and forms that count something else than permlog's report, in any run, each with a difference."""
    ours = samples[OURS][0]["rows"]
    found = {}
    for key, runs in samples.items():
        for run in runs:
            for pair in figures.differences(ours, run["rows"])[:1]:
                found[key] = pair
    return found


def grows(small, large):
    """Rows of the table of memory: whose peak, at both sizes in MB, the factor and the target. The tool's targets are its own bounds
    of every ingest and report; Python has none, so it must not grow."""
    rows = []
    for (label, bound), before, after in zip(BOUNDS.items(), small, large):
        met = results.verdict(after <= bound if bound else after <= FLAT * before)
        target = f"≤ {bound} MB" if bound else f"{FLAT} × at most"
        rows.append([label, f"{before:.0f} MB", f"{after / before:.2f} ×", f"{after:.0f} MB", f"{target} {met}"])
    return rows
