"""Processor time of this process and all that it started, by what they run."""

import os
from pathlib import Path

TICK = os.sysconf("SC_CLK_TCK")


def _stat(pid):
    """Parent, own time and that of children that have ended, in seconds; the name of the program."""
    text = Path(f"/proc/{pid}/stat").read_text()
    name, _, rest = text.partition("(")[2].rpartition(")")
    words = rest.split()
    own, ended = int(words[11]) + int(words[12]), int(words[13]) + int(words[14])
    return int(words[1]), own / TICK, ended / TICK, name


def processor_time():
    """Seconds by "java", "python", "tool". Tools have ended and are counted with the Python process that waited for them."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            found[int(pid)] = _stat(pid)
        except (FileNotFoundError, ProcessLookupError):
            continue
    times = dict.fromkeys(("java", "python", "tool"), 0.0)
    for pid, (_, own, ended, name) in found.items():
        if not _is_below(pid, found):
            continue
        kind = "java" if name == "java" else "python" if name.startswith(("python", "pyspark")) else "tool"
        times[kind] += own
        times["tool" if kind == "python" else kind] += ended
    return times


def _is_below(pid, found):
    while pid in found:
        if pid == os.getpid():
            return True
        pid = found[pid][0]
    return False
