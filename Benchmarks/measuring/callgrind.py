"""Instructions of a command, counted by valgrind's callgrind: in all, by module, between functions, and its allocations.

Instructions are counted for one emulated processor, so they do not depend on what else the machine does, and hardly on the
machine. The release build is stripped of its debug information before (`strip -g`): valgrind 3.19 cannot read Swift's.
"""

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

# Functions that take memory from the C library; each call is an allocation (of a realloc, a new size).
ALLOCATORS = {"malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "memalign"}

# Self costs by the place of a function, the first that matches: the object file, then the name.
OBJECTS = [("zstd", "libzstd"), ("xxHash", "libxxhash"), ("simdjson", "libsimdjson"), ("zlib", "libz.so"), ("ISA-L", "libisal"),
           ("libarchive", "libarchive"), ("dynamic linker", "ld-linux"), ("C library", "libc.so")]
NAMES = [("zstd", re.compile(r"^(ZSTD|HUF|FSE|HIST)")), ("xxHash", re.compile(r"XXH")), ("simdjson", re.compile(r"simdjson"))]
# A mangled Swift name begins with the length of the module's name and the name; one of the standard library does not.
SWIFT_NAME = re.compile(r"^\$[sS](\d+)(\w+)")
RUNTIME = re.compile(r"^(_?swift|\$[sS]|.*swift::|std::|operator )")


# The C library chooses its copying by the processor: with one choice a report was counted 14 % shorter than with another. So
# the plain one is asked for, which every x86-64 has. (glibc passes over names that it does not know.)
ONE_CHOICE = (
    "glibc.cpu.hwcaps=-AVX2,-AVX2_Usable,-AVX512F,-AVX512VL,-EVEX,-AVX_Fast_Unaligned_Load,-ERMS,-FSRM,-SSSE3,-SSE4_1,-SSE4_2,"
    "-Fast_Unaligned_Copy:glibc.cpu.x86_non_temporal_threshold=1073741824"
)


class Profile:
    """What callgrind counted."""

    def __init__(self, path):
        self.own = Counter()  # function: instructions of itself
        self.inclusive = Counter()  # function: with all that it called
        self.calls = Counter()  # function: how often it was called
        self.edges = Counter()  # (caller, function): instructions in and below these calls
        self.objects = {}
        self._read(Path(path))
        self.total = sum(self.own.values())
        self.allocations = sum(count for name, count in self.calls.items() if name in ALLOCATORS)

    def _read(self, path):
        """The format is that of valgrind's manual, "Callgrind Format Specification": names are given once, then by number."""
        names = {"fn": {}, "ob": {}}
        function = called = current_object = called_object = None
        is_call = False

        def name(kind, text):
            number, _, rest = text.partition(" ")
            if rest:
                names[kind][number] = rest
            return names[kind].get(number, number)

        def key(text, place):
            known = name("fn", text)
            return f"{known} in {place}" if known.startswith("0x") else known

        with open(path) as file:
            for line in file:
                first = line[0]
                if first in "0123456789+-*":
                    cost = int(line.split()[1])
                    self.inclusive[function] += cost
                    if is_call:
                        self.edges[function, called] += cost
                    else:
                        self.own[function] += cost
                    is_call = False
                elif line.startswith("ob="):
                    current_object = name("ob", line[3:].rstrip())
                elif line.startswith("fn="):
                    function, called_object = key(line[3:].rstrip(), current_object), None
                    self.objects.setdefault(function, current_object)
                elif line.startswith("cob="):
                    called_object = name("ob", line[4:].rstrip())
                elif line.startswith("cfn="):
                    called, called_object = key(line[4:].rstrip(), called_object or current_object), None
                elif line.startswith("calls="):
                    self.calls[called] += int(line[6:].split()[0])
                    is_call = True

    def modules(self):
        """Instructions by module, of each function itself."""
        sums = Counter()
        for function, cost in self.own.items():
            sums[self._module(function)] += cost
        return sums

    def _module(self, function):
        place = self.objects.get(function) or ""
        for module, name in OBJECTS:
            if name in place:
                return module
        found = SWIFT_NAME.match(function)
        if found:
            return found.group(2)[: int(found.group(1))]
        for module, pattern in NAMES:
            if pattern.search(function):
                return module
        return "Swift runtime" if RUNTIME.search(function) else "other"

    def demangled(self):
        """Function to its readable name."""
        if not hasattr(self, "_plain"):
            functions = list(self.inclusive)
            text = "\n".join(functions)
            done = subprocess.run(["swift", "demangle", "--simplified"], input=text, capture_output=True, text=True, check=True)
            self._plain = dict(zip(functions, done.stdout.splitlines()))
        return self._plain


def missing():
    """What counting needs and is not installed."""
    return [tool for tool in ("valgrind", "strip", "swift") if shutil.which(tool) is None]


def stripped(permlog, folder):
    """A copy of the tool without debug information."""
    copy = Path(folder) / "permlog-stripped"
    shutil.copy(permlog, copy)
    subprocess.run(["strip", "-g", copy], check=True)
    return copy


def launch(command, out):
    """The command under callgrind, which writes its counts to a file."""
    return ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *map(str, command)]


def environment():
    """Hashes are seeded the same in every run."""
    return {**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1", "GLIBC_TUNABLES": ONE_CHOICE, "LC_ALL": "C", "TZ": "UTC"}


def total(out):
    """All instructions in a file of counts, without reading its functions."""
    with open(out) as file:
        return int(next(line for line in file if line.startswith("summary:")).split()[1])


def count(command, folder):
    """Runs a command under callgrind; its profile."""
    out = Path(folder) / "callgrind.out"
    out.unlink(missing_ok=True)
    done = subprocess.run(launch(command, out), capture_output=True, text=True, env=environment(), check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed under valgrind ({done.returncode}):\n{done.stderr[-2000:]}")
    return Profile(out)
