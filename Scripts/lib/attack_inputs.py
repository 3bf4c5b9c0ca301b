"""Attacks by what is read: lines, values, packed files, vendors' exports, mappings and plans."""

import csv
import gzip
import html.parser
import io
import json
import lzma
import subprocess
import tarfile
import zipfile

from .attack_run import UNPRINTABLE, Finding
from .store_checks import ROOT

KINDS = ["prompt_shown", "explanation_shown", "granted", "denied", "skipped", "app_active", "status_checked", "re_enabled"]
HOSTILE = [
    "\x1b[31mred", "a\rb", "a\nb", "\x9b2J", "\u202egnp.exe", "\u2066x\u2069", "=HYPERLINK(\"x\")", "+1", "-1", "@SUM(A1)", "\t=1",
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "]]>", "&lt;", "'; DROP TABLE", "%s%n", "\x00", "x" * 256, "x" * 257,
    "\ufeff", "e\u0301", "\u00e9", "other", "null", "\\", "\"", ",", ";", "|a|b|", "`x`", "[x](javascript:alert(1))", "../../x",
    "\U0001F469\u200d\U0001F680", "\u2028", "\ufff9", "\u3164"]


def event(rng, number):
    """A good event."""
    return {
        "event_id": f"e{number}", "user_id": f"u{rng.randrange(40)}",
        "timestamp": 1_772_409_600_000 + rng.randrange(40 * 86_400_000), "event": rng.choice(KINDS), "permission": "camera",
        "surface": "s", "variant": rng.choice("AB")}


def mutated(rng, content, times):
    """Some bytes turned, left out, doubled or put in."""
    content = bytearray(content)
    for _ in range(times):
        if not content:
            break
        place = rng.randrange(len(content))
        choice = rng.randrange(5)
        if choice == 0:
            content[place] ^= 1 << rng.randrange(8)
        elif choice == 1:
            del content[place:place + rng.randrange(1, 40)]
        elif choice == 2:
            content[place:place] = content[place:place + rng.randrange(1, 200)]
        elif choice == 3:
            content[place:place] = rng.choice([
                b"\x00", b"\xff\xfe", b"\n", b"\r", b'"', b"{", b"}", b"[" * 200, b"\\", b"\\u", b"\xed\xa0\x80", b"\xf4\x90\x80\x80",
                b"9" * 400, b"-0", b"1e999", b"\x1b[2J", "\u202e".encode(), b'{"a":' * 100, b"\t", b",", b";"])
        else:
            content[place:] = content[place:][:rng.randrange(1, len(content) + 1)]
    return bytes(content)


def summary(result):
    """What an ingest counted, with its sums checked; None if it printed none."""
    if not result.output:
        return None
    counts = json.loads(result.output)
    if counts["lines"] != counts["events"] + counts["erased"] + counts["rejected"] + counts["unmapped_events"]:
        raise Finding(f"lines are not events, erased and rejected: {counts}")
    return counts


def stored(case):
    """Events of the log as it says and as it exports them, after it was verified."""
    case.run("verify", "--log", "log")
    if case.results[-1].status != 0:
        raise Finding(f"the log is damaged: {case.results[-1].output[-300:]!r}")
    exported = case.run("export", "--log", "log")
    lines = exported.output.count(b"\n")
    info = json.loads(case.run("info", "--log", "log", "--format", "json").output)
    if info["events"] != lines:
        raise Finding(f"{info['events']} events by info, {lines} by export")
    return lines


def records(rng, case):
    """Lines and tables with damage: every line is an event or rejected, and what is kept is whole."""
    events = [event(rng, number) for number in range(rng.randrange(1, 60))]
    if rng.random() < 0.3:
        names = list(events[0])
        text = io.StringIO()
        table = csv.writer(text, lineterminator=rng.choice(["\n", "\r\n", "\r"]), delimiter=rng.choice(",;\t"))
        table.writerows([names] + [[item[name] for name in names] for item in events])
        file = case.write("x.csv", mutated(rng, text.getvalue().encode(), rng.choice([0, 0, 1, 2, 6])))
    else:
        lines = b"".join(json.dumps(item, ensure_ascii=rng.random() < 0.5).encode() + b"\n" for item in events)
        file = case.write("x.ndjson", mutated(rng, lines, rng.choice([0, 1, 1, 2, 6])))
    arguments = ["ingest", file, "--log", "log", "--summary", "json"]
    result = case.run(*arguments, *rng.choice([[], ["--format", file.suffix[1:]], ["--threads", "1"], ["--strict"]]))
    counts = summary(result)
    if result.status == 0 and stored(case) != counts["new"]:
        raise Finding("not all new events are in the log")
    if result.status != 0 and case.path("log").exists():
        raise Finding("a refused ingest left a log")
    case.run("report", "--log", "log", "--full")


class Page(html.parser.HTMLParser):
    """The names of all elements and attributes of a page."""

    def __init__(self):
        super().__init__()
        self.seen = set()

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        self.seen.update(name for name, _ in attrs)


def values(rng, case):
    """Good events with hostile values: every form of every result can be read, and none is turned into something else."""
    lines = []
    for number in range(rng.randrange(5, 120)):
        item = event(rng, number)
        for field in ("surface", "variant", "user_id", "event_id", "app_version", "country", "experiment"):
            if rng.random() < 0.4:
                item[field] = rng.choice(HOSTILE) + rng.choice(["", str(number % 7)])
        lines.append(json.dumps(item, ensure_ascii=rng.random() < 0.5))
    case.write("x.ndjson", "\n".join(lines) + "\n")
    if case.run("ingest", "x.ndjson", "--log", "log", "--allow-custom-permissions", "--rejects", "bad.ndjson").status != 0:
        return
    by = rng.choice(["surface", "variant", "app_version", "country"])
    for form in ("text", "json", "csv", "markdown", "html"):
        result = case.run("report", "--log", "log", "--by", by, "--format", form, "--full")
        if result.status != 0:
            raise Finding(f"no report as {form}: {result.errors!r}")
        readable(result.output, form)
    readable(case.run("experiments", "--log", "log").output, "text")
    readable(case.run("flow", "--log", "log", "--full").output, "text")
    for form in ("text", "json", "markdown", "html"):
        readable(case.run("audit", "--log", "log", "--all", "--examples", "3", "--format", form).output, form)
    readable(case.run("info", "--log", "log").output, "text")
    readable(case.run("export", "--log", "log", "--format", "csv").output, "table")


def readable(output, form):
    text = output.decode()
    if form == "json":
        json.loads(text)
        if found := UNPRINTABLE.search(text):
            if ord(found[0]) < 0xA0:
                raise Finding(f"JSON with U+{ord(found[0]):04X} as it came")
    elif form in ("csv", "table"):
        widths = {len(row) for row in csv.reader(io.StringIO(text, newline=""), strict=True)}
        if len(widths) > 1:
            raise Finding(f"rows of {widths} columns")
    elif found := UNPRINTABLE.search(text):
        raise Finding(f"{form} with U+{ord(found[0]):04X} as it came: {text[max(0, found.start() - 40):found.end() + 40]!r}")
    if form == "html":
        page = Page()
        page.feed(text)
        if bad := {name for name in page.seen if name in ("img", "iframe", "object", "embed") or name.startswith("on")}:
            raise Finding(f"a page with {bad}")


def packed(rng, lines, kind):
    """Bytes of a packed file with the lines."""
    if kind == "gz":
        return gzip.compress(lines)
    if kind == "xz":
        return lzma.compress(lines)
    if kind == "zst":
        return subprocess.run(["zstd", "-q", "-c"], input=lines, capture_output=True, check=True).stdout
    if kind == "zip":
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", rng.choice([zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])) as archive:
            archive.writestr(f"dir/{rng.randrange(1 << 30)}.ndjson", lines)
        return buffer.getvalue()
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=rng.choice([tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT])) as archive:
        member = tarfile.TarInfo(rng.choice(["a.ndjson", "../../a.ndjson", "/etc/a.ndjson", "d/" * 40 + "a.ndjson"]))
        member.size = len(lines)
        archive.addfile(member, io.BytesIO(lines))
    return gzip.compress(buffer.getvalue()) if kind == "tgz" else buffer.getvalue()


def archives(rng, case):
    """Packed files, joined, cut, changed: read whole, or refused."""
    kind = rng.choice(["gz", "xz", "zst", "zip", "tar", "tgz"])
    count = rng.randrange(1, 200)
    lines = [json.dumps(event(rng, number)) + "\n" for number in range(count)]
    middle = rng.randrange(count + 1)
    halves = ["".join(lines[:middle]).encode(), "".join(lines[middle:]).encode()]
    choice = rng.choice(["joined", "joined", "cut", "turned", "behind", "before", "whole"])
    content = packed(rng, b"".join(halves), kind)
    if choice == "joined":
        content = packed(rng, halves[0], kind) + packed(rng, halves[1], rng.choice([kind, kind, "gz", "zip", "tar"]))
    elif choice == "cut":
        content = content[:rng.randrange(len(content))]
    elif choice == "turned" and kind not in ("tar", "zst"):
        place = rng.randrange(len(content))
        content = content[:place] + bytes([content[place] ^ 1 << rng.randrange(8)]) + content[place + 1:]
    elif choice == "behind":
        content += rng.choice([b"x", b"\x01" * 600, lines[0].encode(), b"PK\x03\x04" + b"\x00" * 40])
    elif choice == "before":
        content = rng.choice([b"x", b"\x01" * 600, b"PK\x03\x04" + b"\x00" * 40]) + content
    case.write("x.data", content)
    source = rng.random() < 0.5
    result = case.run("ingest", "-" if source else "x.data", "--log", "log", "--summary", "json",
                      stdin=case.path("x.data") if source else None)
    new = summary(result)["new"] if result.status == 0 else None
    if new is not None and new != count and not (choice == "cut" and not content):
        raise Finding(f"{kind}, {choice}: {new} of {count} events with status 0 ({result.errors!r})")
    if new is None and choice == "whole":
        raise Finding(f"{kind}: refused: {result.errors!r}")


def vendors(rng, case):
    """Vendors' samples with damage."""
    samples = [path for path in sorted((ROOT / "data" / "samples").rglob("*")) if path.is_file() and path.suffix != ".md"]
    sample = rng.choice(samples)
    case.write("x" + "".join(sample.suffixes), mutated(rng, sample.read_bytes(), rng.choice([1, 2, 8])))
    file = "x" + "".join(sample.suffixes)
    result = case.run("ingest", file, "--log", "log", "--summary", "json", *rng.choice([[], ["--allow-future"]]))
    if result.status == 0 and stored(case) != json.loads(result.output)["new"]:
        raise Finding("not all new events are in the log")
    case.run(*rng.choice([["mapping", "draft", file], ["mapping", "check", file]]))


MAPPING = """name: mine
extends: amplitude
fields:
  variant: [copy_id, /user_properties/push_copy]
rules:
  - event: prompt_shown
    kind: prompt_shown
    permission: camera
"""


def documents(rng, case):
    """Mappings and plans that are none, are deep, or long."""
    case.write("x.ndjson", json.dumps(event(rng, 1)) + "\n")
    case.run("plan", "A", "B", "--permission", "camera", "--baseline", "40", "--effect", "5", "--traffic", "100", "--save", "plan.json")
    bomb = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))
    mapping = rng.choice([
        mutated(rng, MAPPING.encode(), rng.choice([1, 3])), bomb.encode(), b"[" * 100_000, b"a: " * 50_000, b"x: |\n " + b"y" * 3_000_000,
        b"? " * 10_000, b"", b"\x00", b"- " * 20_000])
    case.write("m.yaml", mapping)
    case.run("ingest", "x.ndjson", "--mapping", "m.yaml", "--log", "log")
    case.run("ingest", "x.ndjson", "--log", "log")
    if case.path("plan.json").exists():
        plan = case.path("plan.json").read_bytes()
        case.write("plan.json", rng.choice([
            mutated(rng, plan, rng.choice([1, 3])), b"[" * 100_000, b'{"a":' * 100_000, plan.replace(b"40", b"1e400"),
            plan + b" " * 5_000_000, b'"' + b"x" * 5_000_000]))
        case.write("plan.looks.json", mutated(rng, b'{"schema": "permlog.looks/1"}', 1))
        case.run("compare", "A", "B", "--plan", "plan.json", "--record", "--log", "log")
