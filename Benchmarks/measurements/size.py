"""Bytes an event, by stream, with and without the event ids."""

from collections import Counter

from measuring import results
from measuring.logs import EVENT_ID_STREAMS, STREAMS, log_of, parts, stream_bytes
from measuring.runs import size_of

TITLE = "Size"
WITH_IDS, WITHOUT_IDS = 19.7, 4.4


def measure(options):
    log = log_of(options, "one-part", [options.file])
    rows, stored = 0, Counter()
    for part in parts(log):
        count, streams = stream_bytes(part)
        rows += count
        stored += streams
    whole = size_of(log)
    ids = sum(stored[stream] for stream in EVENT_ID_STREAMS)
    lines = [[f"{number}", name, f"{stored[number]:,}", f"{stored[number] / rows:.3f}"]
             for number, name in enumerate(STREAMS) if stored[number]]
    lines.append(["", "block headers, dictionary, index", f"{whole - sum(stored[i] for i in range(16)):,}",
                  f"{(whole - sum(stored[i] for i in range(16))) / rows:.3f}"])
    targets = results.table(
        ["", "bytes an event", "target"],
        [["with all ids", f"{whole / rows:.2f}", f"≤ {WITH_IDS} {results.verdict(whole / rows <= WITH_IDS)}"],
         ["without the event ids", f"{(whole - ids) / rows:.2f}",
          f"≤ {WITHOUT_IDS} {results.verdict((whole - ids) / rows <= WITHOUT_IDS)}"]])
    return f"{targets}\n\n{rows:,} events in {len(parts(log))} part(s).\n\n" + results.table(
        ["no.", "stream", "bytes", "an event"], lines)
