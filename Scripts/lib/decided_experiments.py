"""Made-up experiments in the hands of the built tool, for Scripts/simulate-decisions: the decision at each of ten looks."""

import json
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from . import made_up_experiments as made_up

WINS = ("a_wins", "b_wins")
# Read in the morning, the later looks at the same log: the sixth day is over, the twelfth, … the sixtieth.
LOOKS = tuple(range(6, made_up.DAYS + 1, 6))


class Look(NamedTuple):
    """What one reading said."""

    day: int  # days that are over
    decision: str
    decided: str | None  # the date of the decision
    crossed: bool  # whether the rule has found a difference, whatever the checks say of it
    reasons: tuple
    outlook: str | None  # of an undecided test
    raw: float | None  # the difference at the decision
    size: tuple | None  # the same corrected for stopping there, with its interval


class Followed(NamedTuple):
    """One experiment as one rule saw it."""

    seed: int
    looks: tuple
    users: tuple  # that had come by the end of each day

    def first(self, *decisions):
        return next((look for look in self.looks if look.decision in decisions), None)

    @property
    def win(self):
        return self.first(*WINS)

    @property
    def crossing(self):
        return next((look for look in self.looks if look.crossed), None)

    @property
    def contradicts_itself(self):
        """A look that says to keep running, and also that the test is not on course."""
        return next((look for look in self.looks if look.decision == "keep_running" and look.outlook != "on_course"), None)

    @property
    def users_at_decision(self):
        """Users who had come by the day of the decision, or by the look that first told of it; None without one."""
        if not (look := self.crossing):
            return None
        days = look.day
        if look.decided:
            days = (made_up.datetime.fromisoformat(look.decided).date() - made_up.START.date()).days + 1
        return self.users[days - 1]

    @property
    def taken_back(self):
        """A later look that neither repeats the first win nor says why it must be looked at again; None if there is none."""
        for place, look in enumerate(self.looks):
            if look.decision in WINS:
                for later in self.looks[place + 1:]:
                    moved = look.decided != later.decided and later.crossed
                    if later.decision not in (look.decision, "review", "invalid") or moved:
                        return later
                return None
        return None

    @property
    def forgotten(self):
        """A later look that takes back "no difference" without a winner."""
        found = self.first("no_difference")
        later = [look for look in self.looks if found and look.day > found.day]
        return next((look for look in later if look.decision in ("keep_running", "too_early", "stop_out_of_reach")), None)


class Rule(NamedTuple):
    """A way to decide: a binary, and the options of `compare`."""

    name: str
    binary: str
    options: tuple = ()
    plan: tuple = ()  # options of `plan --save`; with them each cell has a plan file
    of: str = "effects"  # the cells that it is for: all, effects, trouble


@contextmanager
def scratch(parent):
    """A directory for logs and plans, removed afterwards."""
    folder = tempfile.mkdtemp(prefix="permlog-decisions-", dir=parent)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run(*words, given=None):
    done = subprocess.run([str(word) for word in words], input=given, capture_output=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, words))}: exit status {done.returncode}\n{done.stderr.decode()}")
    return done.stdout


def save_plan(rule, cell, folder):
    """The plan of a cell, dated before its first user."""
    file = Path(folder) / ("plan of " + cell.key.replace("/", " ") + ".json")
    run(rule.binary, "plan", "A", "B", "--save", file, *cell.plan_options, *rule.plan)
    plan = json.loads(file.read_text())
    plan["saved_at"] = made_up.moment(-1)
    file.write_text(json.dumps(plan))
    return file


def follow(cell, seed, rules, inside, plans):
    """One experiment: its log made, ingested once, and read at each look by each rule. Rule's name: Followed."""
    users = made_up.Users(cell.truth, f"{cell.key} {seed}")
    folder = Path(tempfile.mkdtemp(prefix="log-", dir=inside))
    followed = {}
    try:
        lines = users.ndjson()
        for binary in {rule.binary for rule in rules}:
            log = folder / f"log-{Path(binary).name}"
            run(binary, "ingest", "--log", log, "--format", "ndjson", "--allow-future", "--strict", "-", given=lines)
            for rule in rules:
                if rule.binary == binary:
                    plan = ("--plan", plans[cell.key]) if rule.plan else ()
                    looks = tuple(read(rule, log, day, (*cell.options, *rule.options, *plan)) for day in LOOKS)
                    followed[rule.name] = Followed(seed, looks, tuple(users.by_day))
    finally:
        shutil.rmtree(folder)
    return followed


def read(rule, log, day, options):
    """One look, at nine in the morning after so many days."""
    words = ["compare", "A", "B", "--log", log, "--threads", "1", "--format", "json", "--as-of", made_up.moment(day, 9)]
    words += ["--permission", made_up.PERMISSION, "--experiment", made_up.EXPERIMENT]
    told = json.loads(run(rule.binary, *words, *options))
    p = told.get("rule_p_value")
    if "rule_p_value" not in told:
        # Schema 1: the always-valid interval decides.
        p = (told["always_valid"] or {}).get("p_value")
    decided = told.get("decided_on")
    crossed = told["decision"] in WINS or told["decision"] == "review" and decided is not None or p is not None and p <= 0.05
    at_decision, size = told["rule_interval"]["at_decision"], told.get("estimate")
    return Look(
        day, told["decision"], decided, crossed, tuple(told["reasons"]), told.get("outlook", "on_course"),
        at_decision and at_decision["value"], size and (size["value"], size["low"], size["high"]))
