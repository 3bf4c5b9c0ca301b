"""Checks pages in a folder with html5lib (strict) and in headless Chromium; called by Scripts/check-html."""

import concurrent.futures
import functools
import html
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

import html5lib

FOLDER = pathlib.Path(sys.argv[1]).resolve()
PAGES = sys.argv[2:]
WIDTHS = [390, 800, 1280]
SCHEMES = [("light", 1), ("dark", 0)]
PICTURED = ["report", "report-by-variant", "compare", "experiments", "flow", "audit"]
# Of so few users nothing can be drawn; bars of an audit say what the sentence beside them does.
WITHOUT_DRAWING = ["report-two-users", "compare-too-early", "audit", "audit-onboarding", "audit-many-permissions"]
problems: list[str] = []
requests: list[str] = []


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        requests.append(self.path)
        super().do_GET()


def browse(profile: str, *arguments: str) -> subprocess.CompletedProcess:
    """Runs Chromium once. The sandbox needs rights that containers do not have; the pages are our own."""
    return subprocess.run(
        [
            os.environ["BROWSER"], "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
            "--disable-background-networking", "--disable-dev-shm-usage", f"--user-data-dir={profile}", *arguments,
        ],
        capture_output=True, text=True, timeout=180, check=False,
    )


def console(errors: str) -> list[str]:
    return [line for line in errors.splitlines() if "CONSOLE" in line]


# A page that frames another at several widths and looks at what a reader would see of it.
HARNESS = """<!doctype html><meta charset="utf-8"><title>measuring</title><body><pre id="result">waiting</pre><script>
const pages = PAGES, widths = WIDTHS, found = [];
const name = node => (node.textContent || "").trim().replace(/\\s+/g, " ").slice(0, 40);
const shown = box => box.width > 0.5 && box.height > 0.5;

function look(frame, width) {
  const view = frame.contentWindow, document = frame.contentDocument, root = document.documentElement, wrong = [];
  if (root.scrollWidth > view.innerWidth) wrong.push(`${root.scrollWidth} px wide in a window of ${view.innerWidth}`);
  for (const details of document.querySelectorAll("details")) details.open = true;
  if (root.scrollWidth > view.innerWidth) wrong.push(`${root.scrollWidth} px wide with all numbers open`);
  // Text is within the window, or in a box that scrolls.
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (walker.nextNode()) {
    const text = walker.currentNode, parent = text.parentElement;
    if (!text.data.trim() || parent.closest(".hidden, .scroll, title, desc, style")) continue;
    range.selectNodeContents(text);
    for (const box of range.getClientRects())
      if (shown(box) && (box.right > width + 1 || box.left < -1)) wrong.push(`cut off: ${name(text)}`);
  }
  // What scrolls keeps its names, and the answer beside them, where they are seen.
  for (const box of document.querySelectorAll(".scroll")) {
    box.scrollLeft = 0;
    const room = box.getBoundingClientRect();
    const cells = [...box.querySelectorAll("tr > :first-child, .keyed tr > :nth-child(2)")];
    for (const cell of cells.filter(cell => cell.colSpan < 2 && cell.getBoundingClientRect().right > room.right + 1))
      wrong.push(`not seen without scrolling: ${name(cell)}`);
    if (box.scrollWidth <= box.clientWidth + 1) continue;
    box.scrollLeft = 1e6;
    const last = box.querySelector("tbody tr:last-child > :last-child");
    if (last && last.colSpan < 2 && last.getBoundingClientRect().right > room.right + 1)
      wrong.push(`cannot be reached by scrolling: ${name(last)}`);
    const names = [...box.querySelectorAll("tbody tr > :first-child")];
    for (const cell of names.filter(cell => cell.getBoundingClientRect().left < room.left - 1 && cell.colSpan < 2))
      wrong.push(`scrolled away: ${name(cell)}`);
  }
  // Labels of a chart do not lie on each other.
  for (const svg of document.querySelectorAll("svg[role=img]")) {
    const labels = [...svg.querySelectorAll("text")].map(text => [text, text.getBoundingClientRect()]);
    labels.forEach(([a, first], i) => labels.slice(i + 1).forEach(([b, second]) => {
      const x = Math.min(first.right, second.right) - Math.max(first.left, second.left);
      const y = Math.min(first.bottom, second.bottom) - Math.max(first.top, second.top);
      if (x > 1 && y > Math.min(first.height, second.height) * 0.45)
        wrong.push(`labels on each other in ${name(svg.querySelector("title"))}: ${name(a)} | ${name(b)}`);
    }));
  }
  // WCAG 2.2, 1.4.3: text against what is behind it.
  const number = color => (color.match(/[0-9.]+/g) || []).map(Number);
  const light = color => number(color).slice(0, 3).map(c => c / 255)
    .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = element => {
    for (let e = element; e; e = e.parentElement) {
      const color = view.getComputedStyle(e).backgroundColor, parts = number(color);
      if (parts.length === 3 || parts[3] > 0) return color;
    }
    return "rgb(255,255,255)";
  };
  const faint = new Set();
  for (const element of document.querySelectorAll("h1,h2,h3,h4,p,a,li,dt,dd,th,td,span,strong,summary,code,svg text")) {
    if (!name(element) || element.closest(".hidden")) continue;
    const style = view.getComputedStyle(element);
    const [a, b] = [light(element.closest("svg") ? style.fill : style.color), light(behind(element))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) faint.add(`${contrast.toFixed(1)} to 1: ${name(element)}`);
  }
  wrong.push(...[...faint].slice(0, 3));
  return {
    width, wrong: [...new Set(wrong)].slice(0, 8), dark: view.matchMedia("(prefers-color-scheme: dark)").matches,
    drawings: document.querySelectorAll("svg[role=img]").length,
  };
}

// One after the other, so that no more than one page is in memory.
async function run() {
  for (const page of pages) for (const width of widths) {
    const frame = document.createElement("iframe");
    frame.style.cssText = `width:${width}px;height:900px;border:0`;
    await new Promise(done => { frame.onload = done; frame.src = page + ".html"; document.body.append(frame); });
    found.push({page, ...look(frame, width)});
    frame.remove();
  }
  document.getElementById("result").textContent = JSON.stringify(found);
}
run();
</script>"""


def measure(profile: str, base: str) -> None:
    harness = FOLDER / "measure.html"
    harness.write_text(HARNESS.replace("PAGES", json.dumps(PAGES)).replace("WIDTHS", json.dumps(WIDTHS)))
    for scheme, number in SCHEMES:
        result = browse(
            profile, "--enable-logging=stderr", "--virtual-time-budget=120000",
            f"--blink-settings=preferredColorScheme={number}", "--dump-dom", f"{base}/{harness.name}")
        problems.extend(console(result.stderr))
        found = re.search(r'<pre id="result">(.*?)</pre>', result.stdout, re.DOTALL)
        text = html.unescape(found.group(1)) if found else "nothing"
        if not text.startswith("["):
            problems.append(f"the browser measured {text!r}")
            continue
        sizes = json.loads(text)
        if len(sizes) != len(PAGES) * len(WIDTHS):
            problems.append(f"the browser measured {len(sizes)} times")
        for size in sizes:
            problems.extend(f"{size['page']}, {scheme}, {size['width']} px: {wrong}" for wrong in size["wrong"])
            if size["dark"] != (scheme == "dark"):
                problems.append(f"{size['page']}: the page was not shown in {scheme}")
            if not size["drawings"] and size["page"] not in WITHOUT_DRAWING:
                problems.append(f"{size['page']}: no drawing")


def parse(name: str) -> None:
    try:
        html5lib.HTMLParser(strict=True).parse((FOLDER / f"{name}.html").read_bytes(), transport_encoding="utf-8")
    except html5lib.html5parser.ParseError as error:
        problems.append(f"{name}: not valid HTML: {error}")


def take_pictures(name: str) -> None:
    """Screenshots to be looked at, and a print."""
    page = (FOLDER / f"{name}.html").as_uri()
    with tempfile.TemporaryDirectory() as profile:
        for scheme, number in SCHEMES:
            for width in (WIDTHS[0], WIDTHS[-1]):
                picture = FOLDER / f"{name}-{scheme}-{width}.png"
                browse(
                    profile, f"--blink-settings=preferredColorScheme={number}", f"--window-size={width},5200",
                    f"--screenshot={picture}", page)
                if not picture.exists():
                    problems.append(f"{name}: no screenshot of {width} px in {scheme}")
        browse(profile, "--no-pdf-header-footer", f"--print-to-pdf={FOLDER / f'{name}.pdf'}", page)


def main() -> int:
    with tempfile.TemporaryDirectory() as profile:
        # The console can be heard: a page that complains must be found.
        loud = FOLDER / "loud.html"
        loud.write_text("<!doctype html><title>loud</title><script>console.error('heard')</script>")
        heard = console(browse(profile, "--enable-logging=stderr", "--dump-dom", loud.as_uri()).stderr)
        if not any("heard" in line for line in heard):
            problems.append("the browser's console cannot be read, so its silence says nothing")
        handler = functools.partial(Handler, directory=str(FOLDER))
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            measure(profile, f"http://127.0.0.1:{server.server_port}")
            server.shutdown()
    for name in PAGES:
        parse(name)
    # Of all pages, if somebody wants to look at them.
    pictured = PAGES if os.environ.get("PICTURES") == "all" else [page for page in PAGES if page in PICTURED]
    with concurrent.futures.ThreadPoolExecutor(2) as workers:
        list(workers.map(take_pictures, pictured))
    expected = {f"/{name}.html" for name in PAGES} | {"/measure.html", "/favicon.ico"}
    problems.extend(f"fetched {path}" for path in sorted(set(requests) - expected))
    for problem in problems:
        print(f"check-html: {problem}", file=sys.stderr)
    if not problems:
        print(f"{len(PAGES)} pages are valid, quiet, legible in light and dark and fit {', '.join(map(str, WIDTHS))} px; see {FOLDER}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
