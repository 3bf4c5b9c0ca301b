"""The server's answers against the command's, byte for byte, for random questions; called by Scripts/check-dashboard."""

import argparse
import os
import random
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

from made_up_questions import Questions
from server_process import Server

# What the server answers in, and options that are about printing.
FORMS = ["json", "csv"]
PRINTING = {"--full": 0, "--ascii": 0, "--all": 0, "--explain": 0, "--format": 1, "--output": 1, "--threads": 1, "--fail-on": 1}


def address(words):
    """The address of a command's question; None for one that no page answers."""
    kind, query, i = words[0], [], 1
    if kind not in ("report", "compare", "flow", "audit", "experiments"):
        return None
    while i < len(words):
        word = words[i]
        if word == "--":
            query += [("messages", name) for name in words[i + 1:]]
            break
        if word in PRINTING:
            i += 1 + PRINTING[word]
            continue
        if word == "--examples":
            return None
        query.append((word[2:].replace("-", "_"), words[i + 1]))
        i += 2
    return f"/{kind}", urllib.parse.urlencode(query)


def without_printing(words):
    kept, i = [], 0
    while i < len(words):
        if words[i] == "--":
            return kept + words[i:]
        if words[i] in PRINTING:
            i += 1 + PRINTING[words[i]]
            continue
        kept.append(words[i])
        i += 1
    return kept


def fetch(server, path):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{server.port}{path}", timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", required=True)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    options = parser.parse_args()
    folder = os.path.abspath(options.folder)
    server = Server(options.tools, folder)
    tool = f"{options.tools}/permlog"
    subprocess.run([tool, "ingest", *sorted(f"data/{name}" for name in os.listdir("data") if name.startswith("export-")), "--log", server.log],
                   check=True, capture_output=True)
    export = subprocess.run([tool, "export", "--log", server.log], check=True, capture_output=True, text=True).stdout
    draw = random.Random(options.seed)
    asked = refused = 0
    wrong = []
    for words in Questions(draw, export).some(options.questions * 3):
        place = address(words)
        if place is None:
            continue
        form = draw.choice(FORMS if words[0] != "audit" else ["json"])
        path = f"{place[0]}.{form}" + (f"?{place[1]}" if place[1] else "")
        command = without_printing(words)
        at = command.index("--") if "--" in command else len(command)
        command[at:at] = ["--format", form, "--log", server.log]
        printed = subprocess.run([tool, *command], capture_output=True)
        status, body = fetch(server, path)
        asked += 1
        if printed.returncode == 0 and (status, body) != (200, printed.stdout):
            wrong.append(f"{path}: {status}, {len(body)} bytes; the command printed {len(printed.stdout)}: {' '.join(command)}")
        if printed.returncode != 0:
            refused += 1
            if status != 400:
                wrong.append(f"{path}: {status}, but the command ended with {printed.returncode}: {printed.stderr.decode()[:200]}")
        if asked == options.questions:
            break
    server.stop()
    for line in wrong[:20]:
        print(f"dashboard_answers: seed {options.seed}: {line}", file=sys.stderr)
    if not wrong:
        print(f"{asked} questions: {asked - refused} answers are the command's bytes, and {refused} were refused by both (seed {options.seed})")
    sys.exit(1 if wrong or asked < options.questions else 0)


main()
