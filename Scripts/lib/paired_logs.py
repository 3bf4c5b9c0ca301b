"""One log in the hands of two binaries of permlog, for Scripts/compare-outputs: what both print is compared byte for byte."""

import json
import os
import random
import re
import shutil
import subprocess
import tempfile
import zlib
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from .made_up_questions import FORMS, Questions

# Never compared: how long it took.
CLOCK = re.compile(rb'^in [\d.]+ s, [\d \xc2\xa0\xe2\x80\xaf]+ lines? a second\n|"seconds": [\d.e-]+', re.M)
# Not compared if the two stored other bytes: threads meet values in another order, and the log's form may change.
SIZES = re.compile(rb"^bytes  .*\n|[\d \xc2\xa0\xe2\x80\xaf]+ bytes(?=, \d+ blocks?$| became | are as written|: | *$)", re.M)


class Known(NamedTuple):
    """What matches `pattern` in a stream (stdout, stderr, or the files written) of a command is not compared if OLD is of a
    version before `since` and NEW is not."""

    since: str
    command: str
    stream: str
    pattern: bytes
    why: str


class Result(NamedTuple):
    status: int
    stdout: bytes
    stderr: bytes
    written: bytes


class Tool:
    """One binary, with a directory of its own in which the log is called `log`."""

    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder
        folder.mkdir(parents=True)

    def run(self, *words):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("PERMLOG_")}
        environment |= {"LC_ALL": "C.UTF-8", "TZ": "UTC"}
        try:
            done = subprocess.run(
                [self.binary, *words], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                timeout=300)
            status, stdout, stderr = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired:
            status, stdout, stderr = None, b"", b"not done after 300 s\n"
        written = b""
        for name in ("written", "rejects.ndjson", "truth.json"):
            if (self.folder / name).exists():
                written += (self.folder / name).read_bytes()
                (self.folder / name).unlink()
        # Questions and sums stay: later commands read them.
        for option, name in zip(words, words[1:]):
            if option in ("--save-question", "--output") and (self.folder / name).exists():
                written += (self.folder / name).read_bytes()
        return Result(status, stdout, stderr, written)

    def stored(self):
        """The bytes of the log's parts."""
        return [path.read_bytes() for path in sorted(self.folder.glob("log/part-*"))]


class Case:
    """One log in the two binaries' directories, and what was found.

    The options have the paths `old` and `new`, the list `known`, `seed`, `keep` (a directory for logs that differ, or None)
    and `scratch` (the directory for all others, or None).
    """

    def __init__(self, name, options):
        self.name, self.random = name, random.Random(f"{options.seed} {name}")
        self.folder = Path(tempfile.mkdtemp(prefix="permlog-outputs-", dir=options.scratch))
        self.inputs = self.folder / "in"
        self.inputs.mkdir(parents=True)
        self.old, self.new = Tool(options.old, self.folder / "old"), Tool(options.new, self.folder / "new")
        self.later = None
        self.options, self.differences, self.counts = options, [], Counter(logs=1)

    def end(self):
        if self.options.keep and self.differences:
            shutil.copytree(self.folder, Path(self.options.keep) / self.name, dirs_exist_ok=True)
        shutil.rmtree(self.folder)
        return self.name, self.differences, self.counts

    # Running and comparing.

    def both(self, *words, reads=True):
        """Runs a command with both binaries, compares, and returns the old one's result."""
        words = [str(word) for word in words]
        old, new = self.old.run(*words), self.new.run(*words)
        if reads and self._difference(words, old, new, self.new):
            # Once more: a text says how long ago the log's end was, and midnight may have passed.
            old, new = self.old.run(*words), self.new.run(*words)
        self._note(words, old, new, self.new)
        return old

    def take_over(self):
        """From now on `same` runs NEW on a copy of the log that OLD made so far."""
        self.later = Tool(self.options.new, self.folder / "new-on-old-log")
        if (self.old.folder / "log").exists():
            shutil.copytree(self.old.folder / "log", self.later.folder / "log")

    def same(self, expected, *words):
        self._note([str(word) for word in words], expected, self.later.run(*[str(word) for word in words]), self.later)

    def _note(self, words, old, new, tool):
        self.counts["commands"] += 1
        self.counts["bytes"] += sum(len(part) for part in old[1:])
        self.counts[f"status {old.status}"] += 1
        self.counts[f"answered {words[0]}"] += old.status == 0
        if words[0] == "compare" and old.status == 0:
            self.counts.update(
                f"decision {found.decode()}" for found in re.findall(rb'"decision": "(\w+)"', old.stdout + old.written))
        if difference := self._difference(words, old, new, tool):
            self.differences.append(f"{self.name}, {tool.folder.name}: permlog {' '.join(map(quoted, words))}\n{difference}")

    def _difference(self, words, old, new, tool):
        """The first difference, in words; None if there is none."""
        if old.status != new.status:
            return f"    exit status {old.status}, now {new.status}\n    {brief(old.stderr)}\n    {brief(new.stderr)}"
        for stream in ("stdout", "stderr", "written"):
            one, other = (self._plain(words[0], stream, getattr(result, stream), tool) for result in (old, new))
            if one != other:
                return f"    {stream}{first_difference(one, other)}"
        return None

    def _plain(self, command, stream, content, tool):
        content = CLOCK.sub(b"", content) if command in ("ingest", "sums") else content
        if command == "compact" or command in ("info", "verify") and self.old.stored() != tool.stored():
            content = SIZES.sub(b"", content)
        for known in self.options.known:
            if known.command == command and known.stream == stream:
                content = re.sub(known.pattern, b"", content, flags=re.M)
        return content

    # What is done with a log.

    def ingest(self, files, *options):
        return self.both("ingest", "--log", "log", *options, *files, reads=False)

    def ask(self, count):
        """Reads the log in every way, with so many random questions; NEW also the log that OLD made."""
        export = self.both("export", "--log", "log", "--threads", self.random.randint(1, 3))
        report = self.both("report", "--log", "log", "--format", "json")
        if self.later:
            self.same(export, "export", "--log", "log")
            self.same(report, "report", "--log", "log", "--format", "json")
        self.both("export", "--log", "log", "--format", "csv")
        self.both("info", "--log", "log")
        self.counts["looked at"] += 1
        self.counts["stored alike"] += self.old.stored() == self.new.stored()
        questions = Questions(self.random, export.stdout)
        for words in questions.some(count):
            self.both(*with_options(words, "--log", "log"))
        return questions

    def add_up(self, questions, export):
        """Saves questions, counts shards of the log's events, adds them up and renders every answer; counts the log itself, too."""
        draw, asked = self.random, []
        for kind in draw.sample(["report", "compare", "flow", "audit"], draw.randint(1, 4)):
            words = questions.saved(kind)
            if words and self.both(*with_options(words, "--save-question", f"{kind}.question")).status == 0:
                asked.append(kind)
        named = [word for kind in asked for word in ("--question", f"{kind}.question")]
        self.both("sums", "make", *named, "--log", "log", "--output", "log.sums")
        count = draw.choice([1, 2, 5])
        shards = [b""] * count
        for line in export.stdout.splitlines(keepends=True):
            shards[zlib.crc32(json.loads(line)["user_id"].encode()) % count] += line
        for number, lines in enumerate(shards, 1):
            (self.inputs / f"shard-{number}").write_bytes(lines)
            self.both(
                "sums", "make", *named, "--format", "ndjson", "--allow-custom-permissions", "--allow-future", "--shard",
                f"{number}/{count}", "--job", "job", "--scratch", ".", "--output", f"{number}.sums", "--summary", "json",
                f"../in/shard-{number}")
        files = [f"{number}.sums" for number in range(1, count + 1)]
        draw.shuffle(files)
        self.both("sums", "merge", *files, "--output", "all.sums")
        self.both("sums", "show", "all.sums", "--format", draw.choice(["text", "json"]))
        self.both("sums", "show", *files)
        for kind in asked:
            for form in FORMS[kind]:
                self.both(kind, "--from-sums", draw.choice(["all.sums", "log.sums"]), "--format", form)
            self.both(kind, *(word for file in files[1:] or files for word in ("--from-sums", file)), "--format", "json")


def with_options(words, *more):
    """The words with options before the names of messages."""
    place = words.index("--") if "--" in words else len(words)
    return [*words[:place], *more, *words[place:]]


# What is shown.


def quoted(word):
    return word if re.fullmatch(r"[\w./:=+-]+", word) else "'" + word.replace("'", "'\\''") + "'"


def brief(content):
    text = content.decode(errors="backslashreplace").strip()
    return text if len(text) <= 300 else text[:300] + " …"


def first_difference(one, other):
    """The first line that differs, around the place where it does."""
    pairs = zip(one.splitlines() + [b"(the end)"], other.splitlines() + [b"(the end)"])
    for number, (a, b) in enumerate(pairs, 1):
        if a != b:
            place = max(0, len(os.path.commonprefix([a, b])) - 60)
            return f", line {number}, from byte {place}\n    old: {brief(a[place:])}\n    new: {brief(b[place:])}"
    return ": other line ends"
