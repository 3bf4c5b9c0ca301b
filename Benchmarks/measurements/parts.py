"""The report of a log in eight parts, compared with that of one part.

An ingest merges parts of about one size, so eight of one size never stay. The shapes here are tried from the hardest (three large
parts) to the easiest (one large, small ones after it) until one stays as it is: that depends on the merge policy.
"""

import sys

from measuring import results
from measuring.logs import ingest, log_of, parts
from measuring.runs import count_lines, fresh, in_turn, median, run, size_of

TITLE = "Eight parts"
TARGET = 1.3
PARTS = 8
# Shares of the file's lines, the largest first.
SHAPES = [
    [0.275] * 3 + [0.05] * 3 + [0.0125] * 2,
    [0.42] * 2 + [0.045] * 3 + [0.0083] * 3,
    [0.83] + [0.045] * 3 + [0.0105] * 3 + [0.0035],
]


def cut(options, shares):
    """The file in pieces by the shares, in its order."""
    total = count_lines(options.file)
    folder = options.work / "pieces"
    folder.mkdir(exist_ok=True)
    pieces = []
    with open(options.file, "rb") as file:
        for i, share in enumerate(shares):
            pieces.append(folder / f"{i}.ndjson")
            with open(pieces[-1], "wb") as piece:
                for _ in range(round(total * share)):
                    piece.write(file.readline())
                if i == len(shares) - 1:
                    piece.write(file.read())
    return pieces


def eight_parts(options):
    """A log in eight parts, and the shares that they have of the lines."""
    log = options.logs / "eight-parts"
    if not (log / "manifest").exists() or len(parts(log)) != PARTS:
        for shares in SHAPES:
            pieces = cut(options, shares)
            fresh(log)
            for piece in pieces:
                ingest(options.permlog, log, [piece])
                piece.unlink()
            if len(parts(log)) == PARTS:
                break
            print(f"{shares}: {len(parts(log))} parts stayed", file=sys.stderr)
    found = parts(log)
    if len(found) != PARTS:
        sys.exit(f"the log has {len(found)} parts and not {PARTS}: the merge policy leaves none of the shapes in parts.py")
    whole = sum(size_of(part) for part in found)
    return log, sorted((size_of(part) / whole for part in found), reverse=True)


def measure(options):
    log, shares = eight_parts(options)
    logs = {"1 part": log_of(options, "one-part", [options.file]), "8 parts": log}
    rows = []
    for name, words in {"report": [], "compare": ["A", "B", "--permission", "notifications"]}.items():
        tasks = {count: lambda log=log: run([options.permlog, name, *words, "--log", log, "--format", "json"])
                 for count, log in logs.items()}
        runs = in_turn(options.runs * 3, tasks)
        one, eight = runs.values()
        if one[0].output != eight[0].output:
            sys.exit(f"{name}: eight parts give another result than one")
        ratio = median(eight) / median(one)
        target = f"≤ {TARGET} × {results.verdict(ratio <= TARGET)}" if name == "report" else ""
        rows.append([name, results.seconds(one), results.seconds(eight), f"{ratio:.2f} ×", target,
                     f"{results.peak(one)} / {results.peak(eight)}"])
    list_of_shares = ", ".join(f"{share:.1%}" for share in shares)
    return (results.table(["command", "1 part", "8 parts", "ratio", "target", "peak memory"], rows)
            + f"\n\nThe eight parts have {list_of_shares} of the bytes. The results are equal, byte for byte.")
