#!/usr/bin/env python3
"""Writes Debian's copyright file (DEP-5) from the texts in Licenses/: packaging/make_copyright.py > copyright

Each text opens with "Name: Licence", then lines that begin with "Copyright". A new text without a short name here is an error.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEAD = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: permlog
Comment: The tool contains the libraries that are named here. permlog --licenses prints
 these texts, and permlog.cdx.json beside this file has their versions.

Files: *
Copyright: 2026 the permlog authors
License: Apache-2.0

Files: libdispatch
Copyright: Apple Inc. and the Swift project authors
License: Apache-2.0
"""
TAIL = """
License: Apache-2.0
 The text is in /usr/share/common-licenses/Apache-2.0 on Debian systems.
"""
# DEP-5 wants one name for one text, so names that several texts have end in that of the library.
NAMES = {
    "brotli": "Expat-brotli",
    "bzip2": "bzip2-1.0.6",
    "isa-l": "BSD-3-clause-isa-l",
    "libsodium": "ISC-and-BSD-2-clause-libsodium",
    "libarchive": "BSD-2-clause-and-BSD-3-clause-libarchive",
    "libstdcxx": "GPL-3+ with GCC-Runtime-Library-3.1 exception",
    "libyaml": "Expat-libyaml",
    "simdjson": "Apache-2.0-and-BSD-3-clause-and-Expat-simdjson",
    "snappy": "BSD-3-clause-snappy",
    "swift": "Apache-2.0 with Swift-Runtime-Library exception",
    "utf8proc": "Expat-and-Unicode-utf8proc",
    "xxhash": "BSD-2-clause-xxhash",
    "xz": "public-domain",
    "zlib": "Zlib",
    "zstd": "BSD-3-clause-zstd",
}
WHO = {"swift": "Apple Inc. and the Swift project authors", "xz": "none: Lasse Collin, Igor Pavlov and others"}


def indented(text):
    return "\n".join(f" {line}" if line.strip() else " ." for line in text.strip().split("\n"))


def stanza(path):
    text = path.read_text(encoding="utf-8")
    name = path.stem
    if name not in NAMES:
        sys.exit(f"make_copyright: {path} has no name of its licence here")
    holders = [line.partition(")")[2].strip() for line in text.splitlines() if line.startswith("Copyright (")]
    if name in WHO:
        holders = [WHO[name]]
    if not holders:
        sys.exit(f"make_copyright: {path} names no holder of a copyright")
    if name == "libstdcxx":
        text += "\nThe text of the GPL is in /usr/share/common-licenses/GPL-3 on Debian systems.\n"
    return f"\nFiles: {name}\nCopyright: " + "\n ".join(holders) + f"\nLicense: {NAMES[name]}\n{indented(text)}\n"


print(HEAD, *[stanza(path) for path in sorted((ROOT / "Licenses").glob("*.txt"))], TAIL, sep="", end="")
