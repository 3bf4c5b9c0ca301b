"""The server's pages in a real browser; called by Scripts/check-dashboard."""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Error, sync_playwright

from server_process import Server

LOOK = (pathlib.Path(__file__).parent / "look.js").read_text()
WIDTHS = [1280, 390]
COMPARISON = "compare?messages=A&messages=B&permission=notifications"
PAGES = ["today", "report", "report?by=variant&permission=notifications", COMPARISON, "compare", "experiments", "flow", "audit", "data",
         "report?from=yesterday"]
FORMS = ["report", COMPARISON, "flow", "audit", "experiments"]
# A value of each field that has no list to choose from.
VALUES = {
    "where": "platform=ios", "time_zone": "Europe/Berlin", "from": "2026-02-02", "to": "2026-03-30", "as_of": "2026-03-30", "at_once": "1s",
    "response_window": "1h", "follow_up": "14d", "by_limit": "3", "log_start": "2026-01-25", "steps": "notifications,camera",
    "only": "feed_stopped", "threshold": "cold_ask=25", "split": "50:50", "minimum_effect": "2", "planned_n": "500", "looks": "3",
    "guardrail": "drop_off_rate:5", "adjust": "platform", "messages": "A",
}
USUAL = {"monday", "variant", "screen", "permission", "first", "daily"}
problems = []


def fail(text):
    problems.append(text)


def wait(page, question, argument=None, seconds=20):
    """Waits until a function of JavaScript is true; the browser's own way is forbidden by the pages (no eval)."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if page.evaluate(question, argument):
                return True
        except Error:
            # Another page comes.
            pass
        time.sleep(0.03)
    fail(f"{page.url}: {question} with {argument!r} is not true after {seconds} s")
    return False


class Browser:
    """Pages of a browser that must not say anything on their console."""

    def __init__(self, playwright, base):
        self.base = base
        # The sandbox needs rights that containers do not have; the pages are our own.
        self.browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])

    def page(self, width=1280, scheme="light", script=True, scale=1, height=900):
        context = self.browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, java_script_enabled=script, device_scale_factor=scale)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda message: self.heard(page, message.text))
        page.on("pageerror", lambda error: self.heard(page, str(error)))
        page.on("request", lambda request: None if request.url.startswith((self.base, "data:")) else fail(f"fetched {request.url}"))
        return page

    @staticmethod
    def heard(page, text):
        # What is refused is answered with 400, which a browser notes.
        if "status of 400" not in text:
            fail(f"{page.url}: the console says {text}")

    def open(self, page, address):
        page.goto(f"{self.base}/{address}", wait_until="load")


def look_at_pages(browser, folder, short):
    axe = Axe()
    for scheme in ("light", "dark"):
        for width in (WIDTHS[:1] if short and scheme == "dark" else WIDTHS):
            page = browser.page(width, scheme)
            for address in PAGES:
                browser.open(page, address)
                place = f"{address}, {scheme}, {width} px"
                name = address.split("?")[0] + ("-by" if "by=" in address else "-refused" if "yesterday" in address else
                                                "-empty" if address == "compare" else "")
                page.screenshot(path=f"{folder}/{name}-{scheme}-{width}.png", full_page=True)
                found = axe.run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]})
                for violation in found.response["violations"]:
                    if violation["impact"] in ("serious", "critical"):
                        nodes = [node["html"][:160] for node in violation["nodes"][:3]]
                        fail(f"{place}: axe finds {violation['id']} ({violation['impact']}): {nodes}")
                wrong = page.evaluate(
                    "([look, width]) => { const f = new Function(look + '; return look'); "
                    "return f()({contentWindow: window, contentDocument: document}, width).wrong }", [LOOK, width])
                problems.extend(f"{place}: {text}" for text in wrong)
            page.context.close()
    # 200 % of 1280 px.
    page = browser.page(640, scale=2)
    for address in PAGES:
        browser.open(page, address)
        if page.evaluate("document.documentElement.scrollWidth > window.innerWidth"):
            fail(f"{address}: wider than the window at 200 %")
    page.context.close()


def open_pictures(browser):
    """A picture brings its style, which its own rules must allow; a browser complains otherwise."""
    page = browser.page()
    for address in ["report.svg", "flow.svg", COMPARISON.replace("compare", "compare.svg")]:
        browser.open(page, address)
        if not page.evaluate("() => document.querySelectorAll('svg g').length"):
            fail(f"{address}: nothing is drawn")
        color = page.evaluate("() => getComputedStyle(document.querySelector('.granted, .neutral')).color")
        if color in ("rgb(0, 0, 0)", ""):
            fail(f"{address}: the colours are missing")
    page.context.close()


def use_controls(browser, script, pages):
    """Every control of pages, one by one."""
    page = browser.page(script=script)
    for address in pages:
        browser.open(page, address)
        names = page.eval_on_selector_all("form.question [name]", "all => [...new Set(all.map(e => e.name))]") if script else None
        names = names or [n.get_attribute("name") for n in page.query_selector_all("form.question [name]")]
        for name in dict.fromkeys(names):
            if name == "messages":
                continue
            browser.open(page, address)
            control = page.locator(f"form.question [name='{name}']").first
            for summary in ["Change the question", "More choices"]:
                element = page.locator("summary", has_text=summary)
                if not control.is_visible() and element.count() and element.first.is_visible():
                    element.first.click()
            if control.evaluate("e => e.tagName") == "SELECT" if script else control.locator("option").count():
                value = control.locator("option").nth(1).get_attribute("value")
                control.select_option(value)
            else:
                value = {"from": "notification_copy_v1=2026-01-22", "split": "notification_copy_v1=50:50"}.get(name, VALUES.get(name)) \
                    if address == "experiments" else VALUES[name]
                control.fill(value)
            with page.expect_response(lambda answer: name in answer.url and answer.status in (200, 400)) as answered:
                page.get_by_role("button", name="Show").click()
            wait(page, "() => !document.body.hasAttribute('aria-busy')") if script else page.wait_for_load_state()
            url = page.url
            if f"{name}=" not in url or url.endswith("=") or "=&" in url:
                fail(f"{address}, {name}, script {script}: the address became {url}")
            shown = page.locator(f"form.question [name='{name}']").first.input_value()
            # What is usual anyway is left out of the address.
            if shown != value and not (shown == "" and value in USUAL) and name != "week":
                fail(f"{address}, {name}, script {script}: {value!r} was given and {shown!r} is shown")
            # Some choices go together only with others: then the page says so.
            if answered.value.status == 400 and not page.locator("[role=alert]").count():
                fail(f"{address}, {name}: refused without a word")
            if answered.value.status == 400 and name not in ("by_limit", "looks", "rule", "adjust", "contaminated", "variant_from", "property",
                                                             "experiment", "screen", "follow_up", "where", "week_start"):
                fail(f"{address}, {name}={value}: refused: {page.locator('[role=alert]').inner_text()}")
    page.context.close()


def go_back(browser):
    page = browser.page()
    browser.open(page, "today")
    titles = [page.title()]
    for link in ["Report", "Flow", "Experiments"]:
        page.get_by_role("navigation", name="Pages").get_by_role("link", name=link).click()
        wait(page, "title => document.title !== title", titles[-1])
        wait(page, "() => !document.body.hasAttribute('aria-busy')")
        titles.append(page.title())
        current = page.locator("nav [aria-current=page]").inner_text()
        if current != link:
            fail(f"after a click on {link} the page is {current}")
    for title in reversed(titles[:-1]):
        page.go_back()
        wait(page, "title => document.title === title", title, 5)
    page.context.close()


def use_keys(browser):
    page = browser.page()
    browser.open(page, "report")
    page.keyboard.press("Tab")
    if page.evaluate("document.activeElement.className") != "skip":
        fail("the first Tab does not reach the way to the answer")
    page.keyboard.press("Enter")
    wait(page, "() => location.hash === '#answer'", None, 5)
    browser.open(page, "report")
    seen, outlined = [], 0
    for _ in range(60):
        page.keyboard.press("Tab")
        element = page.evaluate(
            "(() => { const e = document.activeElement, s = getComputedStyle(e); "
            "return [e.name || e.textContent.trim().slice(0, 20), s.outlineStyle !== 'none' && s.outlineWidth !== '0px'] })()")
        seen.append(element[0])
        outlined += element[1]
    for name in ["Report", "week", "permission", "where", "Show", "More choices", "JSON", "As a command"]:
        if name not in seen:
            fail(f"Tab does not reach {name}: {seen}")
    if outlined < 55:
        fail(f"of 60 elements only {outlined} show that they have the focus")
    page.locator("[name=permission]").focus()
    page.keyboard.press("ArrowDown")
    page.locator("[name=time_zone]").focus()
    page.keyboard.press("Enter")
    wait(page, "() => location.search.includes('permission=')")
    page.context.close()


def see_live_numbers(browser, server):
    page = browser.page()
    browser.open(page, "today")
    before = page.locator("[data-live=newest]").inner_text()
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    event = json.dumps({"user_id": "somebody", "timestamp": now, "event": "granted", "permission": "camera"})
    request = urllib.request.Request(
        f"http://127.0.0.1:{server.port}/v1/events?wait=1&key=wk", data=event.encode(), method="POST")
    urllib.request.urlopen(request, timeout=30).read()
    wait(page, "before => document.querySelector('[data-live=newest]').textContent !== before", before, 8)
    # And the rest of the page a little later, in place.
    wait(page, "() => document.querySelector('#live svg') !== null", None, 25)
    page.context.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", required=True)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--pictures")
    parser.add_argument("--short", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        server = Server(options.tools, work)
        exports = sorted(f"data/{name}" for name in os.listdir("data") if name.startswith("export-"))
        subprocess.run([f"{options.tools}/permlog", "ingest", *exports, "--log", server.log], check=True, capture_output=True)
        odd = {"user_id": "x", "timestamp": "2026-03-30T10:00:00Z", "event": "push_permission_maybe_granted"}
        request = urllib.request.Request(
            f"http://127.0.0.1:{server.port}/v1/events?wait=1&key=wk", data=json.dumps(odd).encode(), method="POST")
        urllib.request.urlopen(request, timeout=30).read()
        with sync_playwright() as playwright:
            browser = Browser(playwright, f"http://127.0.0.1:{server.port}")
            # The console can be heard: a page that complains must be found.
            page = browser.page()
            page.set_content("<script>console.error('heard')</script>")
            if not any("heard" in text for text in problems):
                fail("the browser's console cannot be read, so its silence says nothing")
            problems[:] = [text for text in problems if "heard" not in text]
            page.context.close()
            if options.pictures:
                take_pictures(browser, options.pictures)
            look_at_pages(browser, options.folder, options.short)
            open_pictures(browser)
            use_controls(browser, True, FORMS)
            use_controls(browser, False, FORMS[:1] if options.short else FORMS)
            go_back(browser)
            use_keys(browser)
            see_live_numbers(browser, server)
            browser.browser.close()
        server.stop()
    for text in problems[:60]:
        print(f"dashboard_pages: {text}", file=sys.stderr)
    if not problems:
        dark = f"dark at {WIDTHS[0]} px" if options.short else "dark"
        without = f"those of the {FORMS[0]} without one" if options.short else "without one"
        print(f"{len(PAGES)} pages at {WIDTHS} px in light, and {dark}, every control with a script, and {without}: "
              f"quiet, legible and by keyboard; see {options.folder}")
    sys.exit(1 if problems else 0)


def take_pictures(browser, folder):
    """The three pictures of the README."""
    page = browser.page(1120, height=860, scale=1.5)
    for name, address in [("today", "today"), ("compare", COMPARISON), ("flow", "flow")]:
        browser.open(page, address)
        path = f"{folder}/dashboard-{name}.png"
        page.screenshot(path=path)
        # 48 colours are all that it shows, and take a quarter of the bytes.
        subprocess.run(["pngquant", "--force", "--output", path, "48", path], check=True)
    page.context.close()


main()
