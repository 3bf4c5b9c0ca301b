"""Runs a tool in place of itself, with the same input and output, and adds a line of JSON to a file: the tool's arguments, its peak of
memory in MB (2^20), its processor seconds and its exit status.

    python3 -I -S recorder.py FILE TOOL [ARGUMENT ...]

For a tool that is started by a large process: on Linux the peak of a child begins with that of the process that started it, and this
one is small.
"""

import json
import os
import sys


def recording(tool, folder):
    """A program that runs the tool and records it, made in a folder; and the path of the records."""
    from pathlib import Path

    program, record = Path(folder) / "recorded-tool", Path(folder) / "records.ndjson"
    record.unlink(missing_ok=True)
    words = [sys.executable, "-I", "-S", __file__, str(record), str(tool)]
    quoted = " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)
    program.write_text(f'#!/bin/sh\nexec {quoted} "$@"\n')
    program.chmod(0o755)
    return program, record


def peak(lines, command):
    """The highest peak of the recorded runs of a command, in MB."""
    runs = [json.loads(line) for line in lines.splitlines()]
    return max(found["peak"] for found in runs if command in found["arguments"])


def main():
    record, command = sys.argv[1], sys.argv[2:]
    child = os.posix_spawn(command[0], command, os.environ)
    _, status, usage = os.wait4(child, 0)
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    code = os.waitstatus_to_exitcode(status)
    found = {"arguments": command[1:], "peak": usage.ru_maxrss / unit, "processor": usage.ru_utime + usage.ru_stime, "status": code}
    with open(record, "a", encoding="utf-8") as file:
        file.write(json.dumps(found) + "\n")
    sys.exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main()
