"""Runs the tool in a terminal and draws its output as SVG; Scripts/make-recordings runs this in an environment with rich."""

import argparse
import fcntl
import os
import pty
import re
import shlex
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

from rich.console import Console
from rich.segment import Segment, Segments
from rich.terminal_theme import TerminalTheme
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent.parent
IMAGES = ROOT / "docs/images"
COLUMNS = 100
MOST_LINES = 45
# The time of the newest event, which is the default. Named, the output does not say how many days ago that was.
AS_OF = "--as-of 2026-04-01T22:47:06.058Z"
INGEST = "permlog ingest data/export-1.ndjson data/export-2.csv data/export-3.ndjson.zst"
# Each picture: its commands, and the start of the line before which the last one's output is cut.
PICTURES = {
    "terminal-report.svg": ([INGEST, f"permlog report {AS_OF}"], None),
    "terminal-compare.svg": ([f"permlog compare A B --permission notifications {AS_OF}"], None),
    "terminal-audit.svg": ([f"permlog audit --info-plist data/app/Info.plist {AS_OF}"], None),
}
# How long an ingest took is different each time; the pictures leave this line out.
SECONDS = re.compile(r"in [\d.]+ s, [\d ]+ lines a second")

PADDING = 16
# As rich draws; a page shows it smaller.
CHARACTER_HEIGHT, LINE_HEIGHT, ASPECT, SCALE = 20, 24.4, 0.6, 0.75
BLACK, RED, GREEN, YELLOW = (30, 33, 39), (244, 120, 112), (126, 200, 120), (229, 192, 100)
BLUE, MAGENTA, CYAN, WHITE = (110, 170, 240), (205, 150, 225), (100, 200, 205), (226, 228, 233)
COLORS = [BLACK, RED, GREEN, YELLOW, BLUE, MAGENTA, CYAN, WHITE]
THEME = TerminalTheme(BLACK, WHITE, COLORS, COLORS)
# Any monospace font that the reader has: the picture fetches nothing. rich fills in the names in single braces.
FORMAT = """<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" width="SHOWN" viewBox="0 0 WIDTH HEIGHT">
<style>
text {{ font-family: monospace; font-size: {char_height}px; }}
{styles}
</style>
<rect fill="BACKGROUND" width="WIDTH" height="HEIGHT" rx="8"/>
<g transform="translate(PADDING,PADDING)">
{backgrounds}{matrix}</g>
</svg>
"""


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="make-recordings", description="Makes the pictures of a terminal in docs/images."
    )
    parser.add_argument("--check", action="store_true", help="compare with the pictures that are there")
    parser.add_argument("--permlog", default=ROOT / ".build/release/permlog", type=Path, help="the built tool")
    options = parser.parse_args()
    tool = options.permlog.absolute()
    if not os.access(tool, os.X_OK):
        print(f"make-recordings: {tool} is missing; build it with: Scripts/build", file=sys.stderr)
        return 1
    different = []
    for name, picture in make_pictures(tool).items():
        path = IMAGES / name
        if not options.check:
            path.write_text(picture, encoding="utf-8")
            print(f"wrote docs/images/{name}, {len(picture.encode())} bytes")
        elif not path.exists() or path.read_text(encoding="utf-8") != picture:
            different.append(f"docs/images/{name}")
    if different:
        print(
            f"make-recordings: the tool now prints something else than {', '.join(different)} shows; "
            "make the pictures again with Scripts/make-recordings, and look at them",
            file=sys.stderr,
        )
        return 1
    return 0


def make_pictures(tool: Path) -> dict[str, str]:
    """File name to SVG."""
    pictures = {}
    with tempfile.TemporaryDirectory() as name:
        # The commands are those that work in the repository, but the log is not left there.
        folder = Path(name)
        (folder / "data").symlink_to(ROOT / "data")
        for file, (commands, end) in PICTURES.items():
            lines: list[Text] = []
            for command in commands:
                if lines:
                    lines.append(Text())
                lines.append(Text.assemble(("$ ", "dim"), (command, "bold")))
                lines += [line for line in printed(tool, command, folder) if not SECONDS.fullmatch(line.plain)]
            pictures[file] = drawn(shortened(lines, end))
    return pictures


def printed(tool: Path, command: str, folder: Path) -> list[Text]:
    """What a command prints in a terminal: both of its outputs, as they come."""
    # The reader's own settings of colours, of the pager and of the log have no say.
    settings = re.compile(r"PERMLOG_|LC_|(?:NO_COLOR|FORCE_COLOR|COLUMNS)$")
    environment = {name: value for name, value in os.environ.items() if not settings.match(name)}
    environment |= {"TERM": "xterm-256color", "LANG": "C.UTF-8", "PERMLOG_PAGER": "cat"}
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    words = [str(tool), *shlex.split(command)[1:]]
    process = subprocess.Popen(words, cwd=folder, env=environment, stdin=its, stdout=its, stderr=its, close_fds=True)
    os.close(its)
    output = b""
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:  # Linux, when the other end is closed
            data = b""
        if not data:
            break
        output += data
    os.close(ours)
    if process.wait() != 0:
        sys.exit(f"make-recordings: {command} ended with status {process.returncode}:\n{output.decode()}")
    text = output.decode().replace("\r\n", "\n")
    # A line of progress is written over.
    lines = [re.sub(r"^.*\r(?:\x1b\[K)?", "", line) for line in text.rstrip("\n").split("\n")]
    return [row for line in lines for row in terminal_rows(Text.from_ansi(line))]


def terminal_rows(line: Text) -> list[Text]:
    """A line as a terminal breaks it."""
    return list(line.divide(range(COLUMNS, len(line), COLUMNS)))


def shortened(lines: list[Text], end: str | None) -> list[Text]:
    """The lines before the one that begins with `end`, else those that fit, up to an empty one; then how many there are more."""
    count = len(lines)
    if end is not None:
        count = next((number for number, line in enumerate(lines) if line.plain.startswith(end)), None)
        if count is None:
            sys.exit(f"make-recordings: no line of the output begins with {end!r}")
    if count > MOST_LINES - 2:
        count = max(number for number in range(MOST_LINES - 1) if not lines[number].plain.strip())
    if count == len(lines):
        return lines
    shown = lines[:count]
    while not shown[-1].plain.strip():
        shown.pop()
    return [*shown, Text(), Text.assemble((f"… {len(lines) - len(shown)} more lines", "dim"))]


def drawn(lines: list[Text]) -> str:
    """Lines as SVG."""
    with open(os.devnull, "w") as nowhere:
        console = Console(
            width=COLUMNS,
            record=True,
            file=nowhere,
            force_terminal=True,
            color_system="truecolor",
            legacy_windows=False,
        )
        for line in lines:
            # Each cell of a table is a run of its own. A run begins where it should in any font, and so columns stay straight.
            cells = {offset for gap in re.finditer(r"^ +| {2,}| +$", line.plain) for offset in gap.span()}
            for part in line.divide(sorted(cells - {0, len(line)})):
                console.print(Segments(part.render(console)), end="")
            console.print(Segments([Segment.line()]), end="")
        width = round(COLUMNS * CHARACTER_HEIGHT * ASPECT + 2 * PADDING)
        height = round(len(lines) * LINE_HEIGHT + 2 * PADDING)
        form = (
            FORMAT.replace("WIDTH", str(width))
            .replace("SHOWN", str(round(width * SCALE)))
            .replace("HEIGHT", str(height))
            .replace("PADDING", str(PADDING))
        )
        form = form.replace("BACKGROUND", THEME.background_color.hex)
        picture = console.export_svg(title="", theme=THEME, code_format=form, font_aspect_ratio=ASPECT, unique_id="t")
    # rich also draws the end of each line, and a clip that no line needs.
    picture = re.sub(r"<text[^>]*>\n</text>| clip-path=\"[^\"]*\"", "", picture)
    return picture.replace("&#160;", " ").replace("&quot;", '"').replace("</text>", "</text>\n")


if __name__ == "__main__":
    sys.exit(main())
