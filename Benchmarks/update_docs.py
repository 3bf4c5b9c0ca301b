#!/usr/bin/env python3
"""Puts the newest results into docs/performance-results.md: each section of Benchmarks/results between its two comments, and in
"Targets" every row of any table that has a target.

    python3 Benchmarks/update_docs.py                      the file of the latest date
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


def main():
    source = Path(sys.argv[1]) if len(sys.argv) > 1 else max((HERE / "results").glob("*.md"))
    text = source.read_text()
    title = text.splitlines()[0].removeprefix("# ")
    sections = {"Machine": f"{title} ([all results](../Benchmarks/results/{source.name}))"}
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        name, _, body = section.partition("\n")
        sections[name.strip()] = body.strip()
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
        sys.exit(f"{source.name} has no section: {', '.join(missing)}")


if __name__ == "__main__":
    main()
