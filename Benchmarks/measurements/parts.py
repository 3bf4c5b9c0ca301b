"""The report of a log in eight parts, beside that of one part.

As soon as four parts have about one size (four times the rows are the next size) they become one. So eight parts are never of
one size: what a log can be left with is up to three of each size. The file is cut so that three of the largest size, three
of the next and two of the one below stay; that is checked.
"""

import sys

from measuring import results
from measuring.logs import ingest, log_of, parts
from measuring.runs import count_lines, fresh, in_turn, median, run

TITLE = "Eight parts"
TARGET = 1.3
# Shares of the file's lines: 8 million are cut into 2.2 million, 400,000 and 100,000 lines.
SHARES = [0.275] * 3 + [0.05] * 3 + [0.0125] * 2


def cut(options):
    """The file in pieces by the shares, in its order."""
    total = count_lines(options.file)
    folder = options.work / "pieces"
    folder.mkdir(exist_ok=True)
    pieces = []
    with open(options.file, "rb") as file:
        for i, share in enumerate(SHARES):
            pieces.append(folder / f"{i}.ndjson")
            with open(pieces[-1], "wb") as piece:
                for _ in range(round(total * share)):
                    piece.write(file.readline())
                if i == len(SHARES) - 1:
                    piece.write(file.read())
    return pieces


def eight_parts(options):
    log = options.logs / "eight-parts"
    if not (log / "manifest").exists():
        pieces = cut(options)
        for piece in pieces:
            ingest(options.permlog, log, [piece])
            piece.unlink()
    if len(parts(log)) != len(SHARES):
        sys.exit(f"the log has {len(parts(log))} parts and not {len(SHARES)}: has the merge policy changed?")
    return log


def measure(options):
    logs = {"1 part": log_of(options, "one-part", [options.file]), "8 parts": eight_parts(options)}
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
    shares = ", ".join(f"{share:.2%}" for share in SHARES)
    return (results.table(["command", "1 part", "8 parts", "ratio", "target", "peak memory"], rows)
            + f"\n\nThe eight parts hold {shares} of the lines. The results are equal, byte for byte.")
