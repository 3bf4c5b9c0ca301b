"""Attacks by place: files of the log, files that options name, arguments, signals, the clock."""

import json
import os
import random
import signal
import socket
import tempfile

from .attack_inputs import HOSTILE, event
from .attack_run import Finding, contents, unchanged


def filled(rng, case, count=300):
    """A log of one or two parts, and what its report prints."""
    for part in range(rng.randrange(1, 3)):
        lines = [json.dumps(event(rng, part * 1_000_000 + number)) for number in range(count)]
        case.write(f"part-{part}.ndjson", "\n".join(lines) + "\n")
        if case.run("ingest", f"part-{part}.ndjson", "--log", "log").status != 0:
            raise Finding("a good file was refused")
    if rng.random() < 0.4:
        case.run("erase", "--user", "u1", "--user", "nobody", "--allow-missing", "--log", "log")
    return case.path("log")


READERS = [
    ["report", "--format", "json"], ["report", "--format", "json", "--by", "surface"],
    ["compare", "A", "B", "--permission", "camera", "--format", "json"], ["export"], ["experiments", "--format", "json"],
    ["flow", "--format", "json"], ["audit", "--all", "--examples", "3", "--format", "json"],
    ["info", "--format", "json"]]
WRITERS = [
    ["ingest", "../more.ndjson"], ["compact"], ["erase", "--user", "u2", "--allow-missing"], ["expire", "--before", "2026-03-05"],
    ["erase", "--readmit", "nobody", "--allow-missing"]]


def replaced(rng, case, path):
    """Puts something else in a file's place; returns the words for it."""
    content = path.read_bytes()
    choice = rng.randrange(11)
    if choice <= 3 and content:
        changed = bytearray(content)
        for _ in range(rng.choice([1, 1, 3])):
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
        path.write_bytes(changed)
        return "turned" if changed != content else "as it was"
    if choice == 4:
        os.truncate(path, rng.randrange(len(content) + 1))
        return "cut"
    if choice == 5:
        path.write_bytes(content + bytes(rng.randrange(1, 5000)))
        return "longer"
    path.unlink()
    if choice == 6:
        os.mkfifo(path)
        return "a FIFO"
    if choice == 7:
        path.symlink_to(rng.choice(["/dev/zero", "/dev/full", str(case.path("victim")), "nowhere", path.name]))
        return "a link"
    if choice == 8:
        path.mkdir()
        return "a directory"
    if choice == 9:
        with path.open("wb") as file:
            file.truncate(rng.choice([1 << 26, 1 << 32]))
        return "a large hole"
    with socket.socket(socket.AF_UNIX) as listener, tempfile.TemporaryDirectory(dir=path.parent.parent) as place:
        # The names of sockets are short.
        listener.bind(os.path.relpath(f"{place}/s"))
        os.rename(f"{place}/s", path)
    return "a socket"


def logs(rng, case):
    """A log with a file replaced: no figure is made of damage, nobody hangs, and no file outside is changed."""
    log = filled(rng, case)
    case.write("more.ndjson", "".join(json.dumps(event(rng, 9_000_000 + n)) + "\n" for n in range(50)))
    reader = rng.choice(READERS)
    good = case.run(*reader, "--log", "log")
    if good.status != 0:
        raise Finding(f"a good log: {good.errors!r}")
    case.write("victim", "precious")
    if rng.random() < 0.3:
        (log / "lock").unlink(missing_ok=True)
        rng.choice([os.symlink, os.link])(case.path("victim"), log / "lock")
    else:
        path = rng.choice(sorted(path for path in log.iterdir() if path.is_file()))
        replaced(rng, case, path)
    outside = {path: path.read_bytes() for path in case.directory.iterdir() if path.is_file()}
    read = case.run(*reader, "--log", "log")
    # The list of ingests may be damaged: then that is what is said.
    if read.status == 0 and read.output != good.output and b"damaged" not in read.errors + read.output:
        raise Finding(f"{reader[0]} of a damaged log differs and says nothing")
    verified = case.run("verify", "--log", "log")
    if verified.status == 0 and read.status != 0:
        raise Finding(f"verify finds nothing, and {reader[0]} says {read.errors!r}")
    writer = rng.choice(WRITERS)
    if case.run(*[word.replace("../", "") for word in writer], "--log", "log").status == 0 and verified.status == 0:
        if case.run("verify", "--log", "log").status != 0:
            raise Finding(f"{writer[0]} has damaged the log")
    case.run("export", "--skip-damaged", "--log", "log")
    for path, before in outside.items():
        if path.read_bytes() != before:
            raise Finding(f"{path.name} was changed, a file outside the log")


def doors(rng, case):
    """Results onto files that are read or belong to a log: refused, and nothing of them is changed."""
    log = filled(rng, case, 40)
    case.write("key", random.Random(1).randbytes(32))
    os.chmod(case.path("key"), 0o600)
    case.write("in.ndjson", "".join(json.dumps(event(rng, 5_000_000 + n)) + "\n" for n in range(9)) + "no line\n")
    case.run("plan", "A", "B", "--permission", "camera", "--effect", "5", "--save", "plan.json", "--log", "log")
    (log / "sub").mkdir()
    case.path("hard").hardlink_to(rng.choice([path for path in log.iterdir() if path.is_file()]))
    case.path("soft").symlink_to(rng.choice([log / "manifest", log / "new", log / "sub" / "x", log]))
    case.path("dir").symlink_to("log/sub")
    own = [log / "manifest", log / "lock", log / "new.json", log / "sub" / "x.json", "log/../log/x", "hard", "soft", "dir/x.json",
           "./log//y.csv", "/proc/self/cwd/log/z"]
    ingest = ["ingest", "in.ndjson", "--log", "log"]
    attacks = [["report", "--log", "log", "--output", target] for target in own]
    attacks += [["export", "--log", "log", "--output", target] for target in own]
    attacks += [["audit", "--log", "log", "--output", target] for target in own]
    attacks += [["info", "--log", "log", "--output", target] for target in own]
    attacks += [[*ingest, "--rejects", target] for target in [*own, "in.ndjson", "./in.ndjson", "../" + case.directory.name + "/in.ndjson"]]
    attacks += [[*ingest, "--hash-users", "key", "--force-mixed-users", "--rejects", "key"]]
    attacks += [["compare", "--plan", "plan.json", "--log", "log", "--output", "plan.json"]]
    attacks += [["plan", "A", "B", "--permission", "camera", "--effect", "5", "--log", "log", "--save", target] for target in own]
    # The names of an output and of what is read may be the same file under two names.
    case.path("key-link").symlink_to("key")
    attacks += [[*ingest, "--hash-users", "key-link", "--force-mixed-users", "--rejects", "key"]]
    before = contents(case.directory)
    for command in rng.sample(attacks, 6):
        result = case.run(*command)
        if result.status == 0:
            raise Finding("it was done")
        unchanged(before, case.directory, "what must not be written to")


def arguments(rng, case):
    """Names of every kind: an answer or a sentence that a terminal can show."""
    filled(rng, case, 20)
    names = [*HOSTILE, b"\xff\xfe", b"caf\xe9.ndjson", "", "-", "--", "x" * 5000, "/" + "y/" * 3000, "\n", "~", "$(id)", "log", "."]
    names = [name.replace("\x00", "") if isinstance(name, str) else name for name in names]
    for _ in range(4):
        name = rng.choice(names)
        case.run(*rng.choice([
            ["ingest", name, "--log", "log"], ["ingest", "part-0.ndjson", "--log", name], ["report", "--log", name],
            ["report", "--log", "log", "--permission", name], ["report", "--log", "log", "--by", name],
            ["report", "--log", "log", "--title", name, "--full"], ["report", "--log", "log", "--time-zone", name],
            ["report", "--log", "log", "--as-of", name], ["report", "--log", "log", "--week", name], ["report", "--log", "log", name],
            ["compare", name, "B", "--permission", "camera", "--log", "log"],
            ["compare", "A", "B", "--permission", "camera", "--experiment", name, "--log", "log"],
            ["erase", "--user", name, "--log", "log"], ["erase", "--users-from", name, "--log", "log"],
            ["expire", "--before", name, "--log", "log"], ["report", "--log", "log", "--output", name],
            ["ingest", "part-0.ndjson", "--mapping", name, "--log", "log"], ["ingest", "part-0.ndjson", "--rejects", name, "--log", "log"],
            ["ingest", "part-0.ndjson", "--hash-users", name, "--log", "new"], ["mapping", "draft", name], [name], [name, name],
            ["export", "--format", name, "--log", "log"], ["report", "--follow-up", name, "--log", "log"],
            ["audit", "--log", "log", "--info-plist", name], ["audit", "--log", "log", "--threshold", name],
            ["audit", "--log", "log", "--permission", name], ["audit", "--log", "log", "--output", name],
            ["simulate", "--seed", name], ["report", b"--" + (name if isinstance(name, bytes) else name.encode())]]))


def signals(rng, case):
    """An end from outside at any moment: the log is whole, and nothing lies beside the result."""
    log = filled(rng, case, 2000)
    lines = "".join(json.dumps(event(rng, 7_000_000 + number)) + "\n" for number in range(20_000))
    case.write("large.ndjson", lines)
    number = rng.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    before = {path.name for path in case.directory.iterdir()}
    command = rng.choice([
        ["ingest", "large.ndjson", "--log", "log"], ["ingest", "large.ndjson", "--log", "new"],
        ["report", "--format", "html", "--output", "out.html", "--log", "log"],
        ["export", "--output", "out.ndjson", "--log", "log"], ["compact", "--log", "log"]])
    ended = case.run(*command, after=(rng.random() * 0.15, number))
    left = {path.name for path in case.directory.iterdir()} - before - {"out.html", "out.ndjson", "new"}
    if left:
        raise Finding(f"left beside the result: {left}")
    for name in ("log", "new"):
        if case.path(name).exists() and case.run("verify", "--log", name).status not in ((0,) if name == "log" else (0, 1)):
            raise Finding(f"{name} is damaged after signal {number}")
    if ended.status == 0 and command[-1] == "new" and not case.path("new", "manifest").exists():
        raise Finding("done, and no log")
    if case.run("ingest", "large.ndjson", "--log", "log").status != 0:
        raise Finding("the next ingest fails")


def clock(rng, case):
    """A clock that is set back or ahead: what is kept stays, and the report looks from a moment that it names."""
    filled(rng, case, 40)
    before = case.run("export", "--log", "log").output
    for now in rng.sample(["1970-01-01T00:00:00Z", "2008-01-01T00:00:00Z", "2026-03-10T12:00:00Z", "2038-01-19T03:14:08Z", "2100-01-01T00:00:00Z"], 3):
        report = case.run("report", "--log", "log", "--format", "json", "--now", now)
        if report.status == 0 and json.loads(report.output)["as_of"] > now.replace("Z", ".999Z"):
            raise Finding(f"a report from after its clock: {json.loads(report.output)['as_of']} at {now}")
        case.run("report", "--log", "log", "--now", now)
        case.run("info", "--log", "log", "--max-age", "36h", "--now", now)
        case.run("compare", "A", "B", "--permission", "camera", "--log", "log", "--now", now)
        case.run("expire", "--before", "2007-01-01", "--log", "log", "--now", now)
        case.write("again.ndjson", before)
        again = case.run("ingest", "again.ndjson", "--log", "log", "--now", now, "--summary", "json")
        if again.status == 0 and json.loads(again.output)["new"] != 0:
            raise Finding("events that the log has were taken again")
    if case.run("export", "--log", "log").output != before:
        raise Finding("the log changed by what the clock said")
