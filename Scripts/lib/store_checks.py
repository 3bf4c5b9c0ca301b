"""What the checks of the store with the built tool share: made-up events, runs of the tool, what is in a log."""

import hashlib
import json
import random
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
START = "2026-03-{day:02d}T10:{minute:02d}:{second:02d}.000Z"


def default_tool():
    """The newest build."""
    builds = [ROOT / ".build" / kind / "permlog" for kind in ("release", "debug")]
    builds = [path for path in builds if path.exists()]
    if not builds:
        sys.exit("no built tool: run `swift build` first, or name one with --tool")
    return str(max(builds, key=lambda path: path.stat().st_mtime))


def events(source, count, users, first=0):
    """Events with ids of their own, as lines by id: {id: (user, timestamp, line)}."""
    result = {}
    for number in range(first, first + count):
        user = f"user-{source.randrange(users):04d}"
        time = START.format(day=source.randrange(1, 29), minute=source.randrange(60), second=source.randrange(60))
        event = dict(
            event_id=f"event-{number:08d}", user_id=user, timestamp=time, event="prompt_shown", permission="camera",
            surface=source.choice(["onboarding", "settings"]), app_version=source.choice(["1.0", "1.1"]))
        result[event["event_id"]] = (user, time, json.dumps(event))
    return result


def write(path, items):
    Path(path).write_text("".join(line + "\n" for _, _, line in items.values()))
    return str(path)


class Tool:
    def __init__(self, path):
        self.path = path

    def command(self, log, *arguments):
        return [self.path, *arguments, "--log", str(log)]

    def run(self, log, *arguments, before=(), **options):
        return subprocess.run(
            [*before, *self.command(log, *arguments)], capture_output=True, text=True, timeout=120, **options)

    def must(self, log, *arguments):
        result = self.run(log, *arguments)
        if result.returncode != 0:
            raise AssertionError(f"{' '.join(arguments)}: status {result.returncode}: {result.stderr}")
        return result.stdout

    def state(self, log):
        """Everything that a log means: its export, how many are kept out, from when on; None if there is none."""
        result = self.run(log, "export")
        if result.returncode == 1 and "no log at" in result.stderr:
            return None
        if result.returncode != 0:
            raise AssertionError(f"export: status {result.returncode}: {result.stderr}")
        manifest = (Path(log) / "manifest").read_text()
        return (
            result.stdout, re.findall(r"^erased-\S+ checksum \S+ users (\d+)", manifest, re.M),
            re.findall(r"^expired-before (\S+)", manifest, re.M))


EMPTY = ("", [], [])


def live_names(log):
    manifest = (Path(log) / "manifest").read_text()
    return set(re.findall(r"^(?:previous )?((?:part|erased|links|history)-[0-9a-f]{16}) ", manifest, re.M))


def strays(log):
    """Names in a log's directory that are not the log's. Answers to its present state may be kept there; a reader that was overtaken by a
    writer takes its answer away by itself, a moment later."""
    for _ in range(20):
        kept = "kept-" + hashlib.sha256((Path(log) / "manifest").read_bytes()).hexdigest()[:16] + "-"
        found = {path.name for path in Path(log).iterdir()} - live_names(log) - {"lock", "manifest"}
        found = {name for name in found if not (name.startswith(kept) and name.count("-") == 2)}
        if not any(name.startswith("kept-") for name in found):
            break
        time.sleep(0.1)
    return found


def copy(source, target):
    shutil.rmtree(target, ignore_errors=True)
    if source is not None:
        shutil.copytree(source, target)
    return target


class Operation:
    """A command on a prepared log."""

    def __init__(self, name, base, arguments, tool, work):
        self.name, self.base, self.arguments = name, base, arguments
        self.before = [tool.state(base)] if base else [None, EMPTY]
        log = copy(base, work / "after")
        tool.must(log, *arguments)
        self.after = tool.state(log)


def operations(tool, work, seed=1):
    """Every command that writes, on a log that gives it something to do."""
    source = random.Random(seed)
    files = [write(work / f"{n}.ndjson", events(source, 120, 12, first=n * 120)) for n in range(4)]
    base = work / "base"
    for file in files[:3]:
        tool.must(base, "ingest", file)
    kept_out = copy(base, work / "kept-out")
    tool.must(kept_out, "erase", "--user", "user-0001", "--user", "user-0002", "--allow-missing")
    tool.must(kept_out, "expire", "--before", "2026-03-05")
    rows = [
        ("first ingest", None, ["ingest", files[0]]),
        ("ingest that merges", base, ["ingest", files[3]]),
        ("ingest of erased users", kept_out, ["ingest", files[0], files[3]]),
        ("erase", base, ["erase", "--user", "user-0003", "--user", "user-0004", "--allow-missing"]),
        ("erase of nobody", kept_out, ["erase", "--user", "somebody else", "--allow-missing"]),
        ("readmit", kept_out, ["erase", "--readmit", "user-0001", "--allow-missing"]),
        ("expire", base, ["expire", "--before", "2026-03-15"]),
        ("readmit of old events", kept_out, ["expire", "--readmit"]),
        ("compact", base, ["compact"]),
    ]
    return [Operation(name, log, arguments + ["--threads", "1"], tool, work) for name, log, arguments in rows]
