"""Processor time of a command by step, from samples of perf (Linux): each sample counts for the innermost step of its stack.

Counts of instructions are exact and say nothing about waiting for memory; samples are rough and do.
"""

import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

from .steps import REST

FREQUENCY = 1999
# C libraries are built without frame pointers: their samples are known by the file.
LIBRARIES = {"libzstd": "zstd", "libxxhash": "checksums"}


def available():
    """Whether perf is there and may sample."""
    if shutil.which("perf") is None:
        return False
    probe = ["perf", "record", "-q", "-e", "cpu-clock", "-o", "/dev/null", "true"]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


def samples(command, folder):
    """A list of stacks, the innermost function first, as readable names. Swift keeps frame pointers, so stacks are whole but
    for what C libraries hide."""
    data = Path(folder) / "perf.data"
    record = ["perf", "record", "-q", "-e", "cpu-clock", "-F", str(FREQUENCY), "--call-graph", "fp", "-o", data, "--",
              *map(str, command)]
    done = subprocess.run(record, capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"perf failed:\n{done.stderr.decode(errors='replace')[-1000:]}")
    script = ["perf", "script", "-i", data, "-F", "ip,sym,dso"]
    text = subprocess.run(script, capture_output=True, text=True, check=True).stdout
    plain = subprocess.run(["swift", "demangle", "--simplified"], input=text, capture_output=True, text=True, check=True).stdout
    data.unlink()
    stacks = [block.splitlines() for block in plain.split("\n\n") if block.strip()]
    return [[line.split(None, 1)[1] for line in stack if len(line.split(None, 1)) == 2] for stack in stacks]


def nanoseconds(steps, stacks):
    """Step to nanoseconds of processor time."""
    patterns = {name: re.compile(pattern) for name, pattern in steps.items()}
    known, sums = {}, Counter()

    def step_of(frame):
        if frame not in known:
            known[frame] = next((name for name, pattern in patterns.items() if pattern.search(frame)), None)
            if known[frame] is None:
                known[frame] = next((name for library, name in LIBRARIES.items() if library in frame), None)
        return known[frame]

    for stack in stacks:
        found = next((step for step in map(step_of, stack) if step), REST)
        sums[found] += 1
    return {step: count / FREQUENCY * 1e9 for step, count in sums.items()}
