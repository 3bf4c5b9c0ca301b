#!/usr/bin/env python3
"""Puts the newest results into docs/performance-results.md: each section of Benchmarks/results between its two comments, and in
"Targets" every row of any table that has a target. A section that was measured apart from the others says when.

    python3 Benchmarks/update_docs.py                      each section from the file of the latest date that has it
    python3 Benchmarks/update_docs.py results/NAME.md
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "performance-results.md"
REGION = re.compile(r"(<!-- measured: (.+?) -->\n).*?(<!-- end -->)", re.DOTALL)


def targets(sections, page):
    """A table of the rows with a target, in the page's order: what, measured (the cell before it), target."""
    rows = ["| | | measured | target |", "|---|---|---|---|"]
    for title in (found.group(2) for found in REGION.finditer(page)):
        header = []
        for line in sections.get(title, "").splitlines():
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
            if not cells:
                header = []
            elif not header:
                header = cells
            elif "target" in header and cells[header.index("target")].strip("-"):
                place = header.index("target")
                rows.append(f"| {title} | {cells[0]} | {cells[place - 1]} | {cells[place]} |")
    return "\n".join(rows)


def parts(text):
    """The first line of a file of results, and its sections by title."""
    head, *sections = re.split(r"^## ", text, flags=re.MULTILINE)
    pairs = (section.partition("\n") for section in sections)
    return head.splitlines()[0].removeprefix("# "), {name.strip(): body.strip() for name, _, body in pairs}


def newest(files):
    """The sections of files of results (name to text), each of the last file that has it. "Machine" is of the file with most of these; the
    sections of others begin with their own."""
    chosen, words = {}, {}
    for name, text in sorted(files.items()):
        title, sections = parts(text)
        words[name] = f"{title} ([all results](../Benchmarks/results/{name}))"
        chosen |= {section: (name, body) for section, body in sections.items()}
    names = [name for name, _ in chosen.values()]
    most = max(words, key=lambda name: (names.count(name), name))
    found = {"Machine": words[most]}
    for section, (name, body) in chosen.items():
        found[section] = body if name == most else f"Measured apart: {words[name]}.\n\n{body}"
    return found


def main():
    paths = [Path(sys.argv[1])] if len(sys.argv) > 1 else (HERE / "results").glob("*.md")
    sections = newest({path.name: path.read_text() for path in paths})
    page, missing = PAGE.read_text(), []
    sections["Targets"] = targets(sections, page)

    def fill(found):
        body = sections.get(found.group(2))
        if body is None:
            missing.append(found.group(2))
            return found.group(0)
        return f"{found.group(1)}\n{body}\n\n{found.group(3)}"

    PAGE.write_text(REGION.sub(fill, page))
    if missing:
        sys.exit(f"There are no results of: {', '.join(missing)}")


if __name__ == "__main__":
    main()
