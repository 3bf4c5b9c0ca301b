"""How long the tool takes to start and to end: `--version`, and a program that does nothing."""

import os
import shutil
import statistics
import time

from measuring import results

TITLE = "Start"
TARGET, RUNS = 4.0, 50


def once(program, words):
    """Milliseconds from spawning to having waited."""
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    start = time.perf_counter()
    child = os.posix_spawn(program, [program, *words], os.environ, file_actions=quiet)
    os.waitpid(child, 0)
    return (time.perf_counter() - start) * 1e3


def measure(options):
    tasks = {"`permlog --version`": (options.permlog, ["--version"]), "`true`": (shutil.which("true"), [])}
    times = {name: [] for name in tasks}
    for _ in range(RUNS + 5):
        for name, (program, words) in tasks.items():
            times[name].append(once(program, words))
    rows = []
    for name, all_times in times.items():
        values = sorted(all_times[5:])  # The first ones read the file.
        middle = statistics.median(values)
        target = f"< {TARGET:.0f} ms {results.verdict(middle < TARGET)}" if "permlog" in name else ""
        rows.append([name, f"{values[0]:.2f}–{values[-1]:.2f} ms", f"{middle:.2f} ms", target])
    size = os.path.getsize(options.permlog) / 1e6
    return results.table(["command", "range", f"median of {RUNS}", "target"], rows) + f"\n\nThe file has {size:.0f} MB."
