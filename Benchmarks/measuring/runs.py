"""Running a command whole, from start to exit, and what is made of several runs."""

import hashlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

LAUNCHER = Path(__file__).with_name("launcher.py")


@dataclass
class Run:
    """One run: wall-clock and processor seconds, peak resident memory in MB (2^20), standard output."""

    seconds: float
    processor: float
    peak: float
    output: bytes


def run(command, stdin=None):
    """Runs a command (the first word is looked for in PATH). Ends the benchmark if it fails."""
    command = [str(word) for word in command]
    program = shutil.which(command[0])
    if program is None:
        sys.exit(f"{command[0]} is not installed")
    with tempfile.TemporaryDirectory(prefix="permlog-run-") as folder:
        output, errors = Path(folder) / "output", Path(folder) / "errors"
        launch = [sys.executable, "-I", "-S", LAUNCHER, output, errors, program, *command[1:]]
        done = subprocess.run(launch, stdin=stdin, capture_output=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)} could not be started:\n{done.stderr.decode(errors='replace')}")
        result = json.loads(done.stdout)
        if result["status"] != 0:
            said = errors.read_text(errors="replace")
            sys.exit(f"{' '.join(command)} failed ({result['status']}):\n{said}")
        return Run(result["seconds"], result["processor"], result["peak"], output.read_bytes())


def read_whole(path):
    """Reads a file through, so that it is in the page cache for the first program too."""
    with open(path, "rb") as file:
        while file.read(1 << 24):
            pass


def size_of(path):
    """Bytes of a file, or of every file below a folder."""
    path = Path(path)
    files = [path] if path.is_file() else path.rglob("*")
    return sum(file.stat().st_size for file in files if file.is_file())


def fresh(path):
    """The path, with nothing there."""
    path = Path(path)
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    return path


def median(runs):
    """Median of the runs' seconds."""
    return statistics.median(run.seconds for run in runs)


def in_turn(count, tasks):
    """Runs the tasks A B C A B C ...; returns name to list of runs. `tasks`: name to a function that returns a Run."""
    runs = {name: [] for name in tasks}
    for _ in range(count):
        for name, task in tasks.items():
            runs[name].append(task())
            print(f"{name}: {runs[name][-1].seconds:.4f} s", file=sys.stderr, flush=True)
    return runs


def count_lines(path):
    """Lines of a file, as bytes of newline."""
    with open(path, "rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 22), b""))


def fingerprint(path):
    """A few letters that differ between builds of the tool: the products of one build are not taken for another's."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:12]


def executable(path):
    """The absolute path of the tool; ends the benchmark if there is none."""
    path = os.path.abspath(path)
    if not os.access(path, os.X_OK):
        sys.exit(f"{path} is not there: Scripts/build")
    return path
