"""Markdown tables, and the file in Benchmarks/results that keeps them: a section for each script, replaced when it runs
again."""

import datetime
import re
import statistics
from pathlib import Path

from . import machine

FOLDER = Path(__file__).resolve().parent.parent / "results"


def table(header, rows):
    """A Markdown table."""
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])


def seconds(runs):
    """Median and range of runs, with as many digits as they carry."""
    values = [run.seconds for run in runs]
    middle = statistics.median(values)
    digits = 4 if middle < 0.05 else 3 if middle < 1 else 2
    if len(values) == 1:
        return f"{middle:.{digits}f} s"
    return f"{middle:.{digits}f} s ({min(values):.{digits}f}–{max(values):.{digits}f})"


def peak(runs):
    """The highest peak of memory."""
    return f"{max(run.peak for run in runs):.0f} MB"


def verdict(met):
    """A word for a target."""
    return "met" if met else "**not met**"


def path_of_today():
    """The file of today and of this machine."""
    return FOLDER / f"{datetime.date.today().isoformat()}-{machine.slug()}.md"


def publish(title, text, write):
    """Prints a section, and puts it in the results file of today if `write` is set."""
    section = f"## {title}\n\n{text.strip()}\n"
    print(section, flush=True)
    if not write:
        return
    path = path_of_today()
    FOLDER.mkdir(exist_ok=True)
    head = f"# {datetime.date.today().isoformat()}, {machine.description()}\n"
    old = path.read_text() if path.exists() else head
    pattern = re.compile(rf"^## {re.escape(title)}\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
    if pattern.search(old):
        new = pattern.sub(lambda _: section + "\n", old)
    else:
        new = old.rstrip("\n") + "\n\n" + section
    path.write_text(new.rstrip("\n") + "\n")
