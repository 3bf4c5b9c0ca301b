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


LOOK = (pathlib.Path(__file__).parent / "look.js").read_text()
# A page that frames another at several widths and looks at what a reader would see of it.
HARNESS = """<!doctype html><meta charset="utf-8"><title>measuring</title><body><pre id="result">waiting</pre><script>
const pages = PAGES, widths = WIDTHS, found = [];
LOOK
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
    harness.write_text(HARNESS.replace("LOOK", LOOK).replace("PAGES", json.dumps(PAGES)).replace("WIDTHS", json.dumps(WIDTHS)))
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
