#!/usr/bin/env python3
"""Puts the newest results into docs/performance.md: each section of Benchmarks/results between its two comments.

    python3 Benchmarks/update_docs.py                      the file of the latest date
    python3 Benchmarks/update_docs.py results/NAME.md
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "performance.md"
REGION = re.compile(r"(<!-- measured: (.+?) -->\n).*?(<!-- end -->)", re.DOTALL)


def main():
    source = Path(sys.argv[1]) if len(sys.argv) > 1 else max((HERE / "results").glob("*.md"))
    text = source.read_text()
    title = text.splitlines()[0].removeprefix("# ")
    sections = {"Machine": f"{title} ([all results](../Benchmarks/results/{source.name}))"}
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        name, _, body = section.partition("\n")
        sections[name.strip()] = body.strip()
    page, missing = PAGE.read_text(), []

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
