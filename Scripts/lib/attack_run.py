"""What the attacks share: runs of the built tool under limits, what must hold after each, and a count by class."""

import hashlib
import os
import re
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

# What ends a line or moves the cursor, and what turns the direction of text: nothing of it is printed for people as it is. Joiners are
# in many an emoji.
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
STATUSES = {0, 1, 2, 3, 64}


class Finding(AssertionError):
    """Something that must not happen."""


class Result:
    def __init__(self, status, output, errors, seconds, megabytes):
        self.status, self.output, self.errors = status, output, errors
        self.seconds, self.megabytes = seconds, megabytes


class Case:
    """One attack: a directory of its own, and the commands that were run in it."""

    def __init__(self, tool, directory, seconds, megabytes):
        self.tool, self.directory = tool, Path(directory)
        self.limits = seconds, megabytes
        self.commands = []
        self.results = []
        self.directory.mkdir(parents=True)

    def path(self, *names):
        return self.directory.joinpath(*names)

    def write(self, name, content):
        path = self.path(name)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def run(self, *arguments, stdin=None, after=None, check=True, environment=None):
        """Runs the tool; `after` sends a signal: (seconds, number). Checks what holds for every run."""
        arguments = [argument if isinstance(argument, bytes) else str(argument) for argument in arguments]
        self.commands.append(arguments)
        names = self.path(f"out-{len(self.commands)}"), self.path(f"err-{len(self.commands)}")
        with open(names[0], "wb") as output, open(names[1], "wb") as errors:
            start = time.monotonic()
            process = subprocess.Popen(
                ["prlimit", f"--as={16 << 30}", self.tool, *arguments], stdin=open(stdin, "rb") if stdin else subprocess.DEVNULL, stdout=output,
                stderr=errors, cwd=self.directory, env={**os.environ, "LC_ALL": "C.UTF-8", "PERMLOG_NO_CACHE": "1", **(environment or {})})
            # By number, and not by Popen.send_signal: that would collect a process that has just ended, and its memory use with it.
            late = threading.Timer(self.limits[0], os.kill, [process.pid, signal.SIGKILL])
            late.start()
            sender = threading.Timer(after[0], os.kill, [process.pid, after[1]]) if after else None
            if sender:
                sender.start()
            # The process keeps its number until the timers are done with it.
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
            isLate = not late.is_alive()
            for timer in filter(None, (late, sender)):
                timer.cancel()
                timer.join()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = status = os.waitstatus_to_exitcode(status)
            isLate = isLate and status == -signal.SIGKILL
        output, errors = names[0].read_bytes(), names[1].read_bytes()
        for name in names:
            name.unlink()
        result = Result(status, output, errors, time.monotonic() - start, usage.ru_maxrss / 1024)
        self.results.append(result)
        if isLate:
            raise Finding(f"not done after {self.limits[0]} s")
        if check:
            self.check(result, after)
        return result

    def check(self, result, after):
        if after and result.status == -after[1]:
            return
        if result.status not in STATUSES:
            raise Finding(f"status {result.status}: {result.errors[-400:]!r}")
        if result.megabytes > self.limits[1]:
            raise Finding(f"{result.megabytes:.0f} MB of memory")
        if result.status != 0 and not result.errors.strip():
            raise Finding(f"status {result.status} without a sentence")
        legible(result.errors)


def legible(printed):
    """Throws if something was printed for people as it came."""
    try:
        text = printed.decode()
    except UnicodeDecodeError as error:
        raise Finding(f"printed bytes that are no text: {printed[max(0, error.start - 40):error.end + 40]!r}") from None
    found = UNPRINTABLE.search(text)
    if found:
        raise Finding(f"printed U+{ord(found[0]):04X} as it came: {text[max(0, found.start() - 60):found.end() + 20]!r}")


def contents(directory):
    """Every file below a directory with the hash of its bytes; links by where they lead. What is no file by its kind."""
    found = {}
    for path in sorted(Path(directory).rglob("*")):
        if path.is_symlink():
            found[path] = os.readlink(path)
        elif path.is_file():
            found[path] = hashlib.sha256(path.read_bytes()).hexdigest()
        else:
            found[path] = path.stat().st_mode
    return found


def unchanged(before, directory, what):
    after = contents(directory)
    if after != before:
        names = sorted(str(path.name) for path in before.keys() | after.keys() if before.get(path) != after.get(path))
        raise Finding(f"{what} changed: {', '.join(names)}")


class Tally:
    """Runs by class."""

    def __init__(self):
        self.cases = self.findings = 0
        self.statuses = {}
        self.seconds = self.megabytes = 0.0

    def add(self, results):
        self.cases += 1
        for result in results:
            self.statuses[result.status] = self.statuses.get(result.status, 0) + 1
            self.seconds = max(self.seconds, result.seconds)
            self.megabytes = max(self.megabytes, result.megabytes)

    def line(self, name):
        statuses = ", ".join(f"{count} × {status}" for status, count in sorted(self.statuses.items()))
        return (f"{name:<10} {self.cases:>5} attacks, {self.findings} findings; at most {self.seconds:.1f} s, "
                f"{self.megabytes:.0f} MB; status {statuses}")


def forget(case):
    shutil.rmtree(case.directory, ignore_errors=True)
