"""Checks pages in a folder with html5lib (strict) and in headless Chromium; called by Scripts/check-html."""

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


# A page that frames another at several widths and measures it.
HARNESS = """<!doctype html><meta charset="utf-8"><title>measuring</title><body><pre id="result">waiting</pre><script>
const page = PAGE, widths = WIDTHS, found = [];
let waiting = widths.length;
for (const width of widths) {
  const frame = document.createElement("iframe");
  frame.style.cssText = `width:${width}px;height:900px;border:0`;
  frame.onload = () => {
    const document = frame.contentDocument, root = document.documentElement;
    const outside = [...document.querySelectorAll("svg text")].filter(text => {
      const box = text.getBoundingClientRect();
      return box.width > 0 && (box.right > width + 1 || box.left < -1);
    }).length;
    found.push({width, scroll: root.scrollWidth, outside, drawings: document.querySelectorAll("svg[role=img]").length});
    if (--waiting === 0) window.document.getElementById("result").textContent = JSON.stringify(found);
  };
  frame.src = page;
  document.body.append(frame);
}
</script>"""


def measure(profile: str, base: str, name: str) -> None:
    harness = FOLDER / f"measure-{name}.html"
    harness.write_text(HARNESS.replace("PAGE", json.dumps(f"{name}.html")).replace("WIDTHS", json.dumps(WIDTHS)))
    result = browse(
        profile, "--enable-logging=stderr", "--virtual-time-budget=10000", "--dump-dom", f"{base}/{harness.name}")
    found = re.search(r'<pre id="result">(.*?)</pre>', result.stdout, re.DOTALL)
    text = html.unescape(found.group(1)) if found else "nothing"
    if not text.startswith("["):
        problems.append(f"{name}: the browser measured {text!r}")
        return
    for size in json.loads(text):
        if size["scroll"] > size["width"]:
            problems.append(f"{name}: {size['scroll']} px wide in a window of {size['width']}")
        if size["outside"]:
            problems.append(f"{name}: {size['outside']} labels outside a window of {size['width']} px")
        if not size["drawings"]:
            problems.append(f"{name}: no drawing")
    problems.extend(f"{name}: {line}" for line in console(result.stderr))


def check(profile: str, base: str, name: str) -> None:
    page = FOLDER / f"{name}.html"
    try:
        html5lib.HTMLParser(strict=True).parse(page.read_bytes(), transport_encoding="utf-8")
    except html5lib.html5parser.ParseError as error:
        problems.append(f"{name}: not valid HTML: {error}")
    result = browse(profile, "--enable-logging=stderr", "--dump-dom", page.as_uri())
    if "</html>" not in result.stdout:
        problems.append(f"{name}: Chromium did not open it: {result.stderr[-500:]}")
    problems.extend(f"{name}: {line}" for line in console(result.stderr))
    measure(profile, base, name)
    for scheme, number in [("light", 1), ("dark", 0)]:
        for width in WIDTHS:
            browse(
                profile, f"--blink-settings=preferredColorScheme={number}", f"--window-size={width},5200",
                f"--screenshot={FOLDER / f'{name}-{scheme}-{width}.png'}", page.as_uri())
    browse(profile, "--no-pdf-header-footer", f"--print-to-pdf={FOLDER / f'{name}.pdf'}", page.as_uri())


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
            for name in PAGES:
                check(profile, f"http://127.0.0.1:{server.server_port}", name)
            server.shutdown()
    expected = {f"/{name}.html" for name in PAGES} | {f"/measure-{name}.html" for name in PAGES} | {"/favicon.ico"}
    problems.extend(f"fetched {path}" for path in sorted(set(requests) - expected))
    for problem in problems:
        print(f"check-html: {problem}", file=sys.stderr)
    if not problems:
        print(f"{len(PAGES)} pages are valid, quiet and fit {', '.join(map(str, WIDTHS))} px; see {FOLDER}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
