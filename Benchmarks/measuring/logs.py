"""Logs for the measurements, and what is in their parts. docs/log-format.md has the bytes."""

import struct
from collections import Counter
from pathlib import Path

from .runs import fresh, run

HEADER, TAIL, BLOCK_HEADER, STREAM_ENTRY, CHECKSUM = 32, 40, 26, 18, 8
STREAMS = (
    "runs", "time symbols", "time bits", "kinds", "contexts", "statuses", "hashes", "user words", "user forms", "user texts",
    "attributes", "features", "event words", "event bits", "event forms", "event texts",
)
EVENT_ID_STREAMS = range(12, 16)
# What a report reads of a log with one part.
HISTORY_STREAMS = range(0, 6)


def ingest(permlog, log, files, *words):
    """Ingests files into a log; the run."""
    return run([permlog, "ingest", "--log", log, "--summary", "json", *words, *files])


def log_of(options, name, files):
    """A log of the files in the work folder, made if it is not there yet."""
    log = options.logs / name
    if not (log / "manifest").exists():
        ingest(options.permlog, fresh(log), files)
    return log


def parts(log):
    """The live parts."""
    words = (line.split() for line in (Path(log) / "manifest").read_text().splitlines())
    return [Path(log) / line[0] for line in words if line and line[0].startswith("part-")]


def stream_bytes(part):
    """Rows of a part, and stored bytes of each stream by its number; block headers are under -1."""
    data = Path(part).read_bytes()
    (footer,) = struct.unpack_from("<Q", data, len(data) - TAIL)
    rows, stored, place = 0, Counter(), HEADER
    while place < footer:
        count, _, _, _, streams = struct.unpack_from("<IIQQH", data, place)
        rows += count
        head = BLOCK_HEADER + STREAM_ENTRY * streams + CHECKSUM
        stored[-1] += head
        length = head
        for i in range(streams):
            stream, _, _, size, _ = struct.unpack_from("<BBIIQ", data, place + BLOCK_HEADER + STREAM_ENTRY * i)
            stored[stream] += size
            length += size
        place += length
    return rows, stored
