"""Commands with random options for Scripts/compare-outputs, asked of what a log has, and at times of what it has not."""

import json
from collections import Counter
from datetime import datetime, timedelta

FIELDS = "variant experiment surface feature app_version os_version platform locale country".split()
METRICS = (
    "grant_rate granted_by_day_28 deny_rate skip_rate drop_off_rate prompt_grant_rate retention_day_7 kept_by_day_28"
).split()
ZONES = (
    "UTC Europe/Berlin Europe/Berlin America/New_York Asia/Kolkata Australia/Lord_Howe Pacific/Apia America/St_Johns Asia/Tokyo "
    "Africa/Casablanca America/Sao_Paulo Pacific/Kiritimati Etc/GMT+12").split()
# The formats of each command.
FORMS = {
    "report": ("text", "json", "csv", "markdown", "html"), "compare": ("text", "json", "csv", "markdown", "html"),
    "flow": ("text", "json", "csv", "markdown", "html"), "audit": ("text", "json", "markdown", "html"),
    "experiments": ("text", "json", "csv", "html"), "journeys": ("ndjson", "csv"), "plan": ("text", "json"),
}
# The commands that a log is asked, over and over: those with the most options more often.
TURNS = "report compare flow report compare audit report compare experiments report compare plan journeys".split()


class Questions:
    """Draws commands for a log that `permlog export` printed."""

    def __init__(self, draw, export):
        self.random = draw
        times, permissions, screens, values = set(), set(), Counter(), {}
        for line in export.splitlines():
            event = json.loads(line)
            times.add(event["timestamp"])
            if "permission" in event:
                permissions.add(event["permission"])
            if event["event"] in ("explanation_shown", "prompt_shown") and "permission" in event:
                for field in FIELDS:
                    if field in event:
                        values.setdefault((event["permission"], field), set()).add(event[field])
                for experiment in {event.get("experiment"), None}:
                    screens[event["permission"], experiment, event.get("variant")] += 1
        self.times, self.permissions = sorted(times) or ["2026-01-01T00:00:00.000Z"], sorted(permissions)
        # By permission and property the values that can be compared.
        self.values = {key: sorted(found) for key, found in values.items() if len(found) > 1 and key[1] != "variant"}
        # By permission and experiment (None: whatever it is) the messages shown, the most frequent first.
        self.messages = {}
        for (permission, experiment, variant), _ in screens.most_common():
            if variant is not None:
                self.messages.setdefault((permission, experiment), []).append(variant)

    def maybe(self, share, *words):
        return list(words) if self.random.random() < share else []

    def _moment(self):
        """Within the log, and at times beside it."""
        moment = datetime.fromisoformat(self.random.choice(self.times)[:-1])
        return max(moment + timedelta(hours=self.random.choice([0, 0, 1, -5, 24 * 28, 24 * 40])), datetime(2008, 1, 1))

    def _day(self):
        return self._moment().date()

    def _clock(self):
        """The options that all commands share."""
        draw = self.random
        words = self.maybe(0.5, "--time-zone", draw.choice(ZONES)) + self.maybe(0.3, "--threads", str(draw.randint(1, 3)))
        form = draw.choice(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S+02:00"])
        words += self.maybe(0.3, "--as-of", self._moment().strftime(form))
        return words + self.maybe(0.2, "--at-once", draw.choice(["0s", "40ms", "250ms", "2s"]))

    def _windows(self):
        draw = self.random
        words = self.maybe(0.15, "--response-window", draw.choice(["1ms", "5s", "90s", "30m", "1.5h", "2d"]))
        return words + self.maybe(0.15, "--follow-up", draw.choice(["1d", "7d", "36h", "28d", "90d"]))

    def _exposures(self):
        """The options that choose exposures by time."""
        draw = self.random
        if draw.random() < 0.2:
            year, week, _ = self._day().isocalendar()
            return ["--week", f"{year}-W{week:02d}"]
        start = self._day()
        words = self.maybe(0.15, "--from", str(start))
        return words + self.maybe(0.15, "--to", str(start + timedelta(days=draw.choice([1, 7, 30, 90]))))

    def _permission(self):
        draw = self.random
        if self.permissions and draw.random() < 0.95:
            return draw.choice(self.permissions)
        return draw.choice(["camera", "mail", "notification"])

    def report(self, form):
        draw = self.random
        words = ["report", "--format", form, *self._clock(), *self._windows(), *self.maybe(0.4, "--by", draw.choice(FIELDS))]
        words += self.maybe(0.25, "--permission", self._permission()) + self._exposures()
        return words + self.maybe(0.5, "--full") + self._printing(form)

    def flow(self, form):
        draw = self.random
        words = ["flow", "--format", form, *self._clock(), *self._exposures()]
        words += self.maybe(0.15, "--response-window", draw.choice(["1ms", "90s", "1.5h"]))
        if len(self.permissions) > 1 and draw.random() < 0.4:
            words += ["--steps", ",".join(draw.sample(self.permissions, draw.randint(2, min(4, len(self.permissions)))))]
        words += self.maybe(0.25, "--permission", self._permission())
        return words + self.maybe(0.5, "--full") + self._printing(form)

    def audit(self, form):
        draw = self.random
        words = ["audit", "--format", form, *self._clock(), *self._exposures(), *self.maybe(0.5, "--all")]
        words += self.maybe(0.25, "--permission", self._permission())
        words += self.maybe(0.3, "--examples", str(draw.choice([0, 3, 100]))) + self.maybe(0.2, "--log-start", str(self._day()))
        words += self.maybe(0.2, "--threshold", f"cold_ask={draw.choice([0, 20, 99])}")
        return words + self.maybe(0.1, "--fail-on", draw.choice(["error", "warning"])) + self._printing(form)

    def experiments(self, form):
        words = ["experiments", "--format", form, *self._clock(), *self._windows()]
        return words + self.maybe(0.25, "--permission", self._permission()) + self._printing(form)

    def journeys(self, form):
        words = ["export", "--journeys", "--format", form, *self._clock(), *self._windows(), *self._exposures()]
        return words + self.maybe(0.25, "--permission", self._permission())

    def compare(self, form):
        draw = self.random
        all_messages = sorted(self.messages.items(), key=str)
        several = [item for item in all_messages if len(item[1]) > 1]
        (permission, experiment), variants = draw.choice(several or all_messages or [(("camera", None), ["A", "B"])])
        arms = sorted(variants[: draw.choice([2, 2, 2, 3, 4])])
        while len(arms) < 2 or draw.random() < 0.02:
            arms.append(draw.choice(["B", "Z", "A"]) if len(set(arms)) > 1 else f"other-{len(arms)}")
        if draw.random() < 0.2:
            draw.shuffle(arms)
        words = ["compare", "--format", form, *self._clock(), *self._windows(), *self.maybe(0.9, "--permission", permission)]
        words += self.maybe(0.8, "--experiment", experiment) if experiment else self.maybe(0.03, "--experiment", "nothing")
        words += self.maybe(0.4, "--metric", draw.choice(METRICS)) + self.maybe(0.3, "--by", draw.choice(FIELDS[1:]))
        words += self.maybe(0.2, "--looks", str(draw.choice([1, 2, 5, 12])))
        words += self.maybe(0.3, "--planned-n", str(draw.choice([20, 100, 400, 2000, 20000])))
        for _ in range(draw.choice([0, 0, 0, 1, 2])):
            words += ["--guardrail", f"{draw.choice(METRICS)}:{draw.choice(['0.5', '1', '5', '20'])}"]
        words += self.maybe(0.15, "--split", ":".join(draw.choice(["1", "2", "50", "0.5"]) for _ in arms))
        words += self.maybe(0.25, "--contaminated", draw.choice(["first", "exclude"])) + self.maybe(0.3, "--explain")
        words += self.maybe(0.25, "--minimum-effect", draw.choice(["0.1", "1", "5", "30"]))
        return words + self._printing(form) + ["--", *arms]

    def compare_values(self, form):
        """Values of a property other than the message; None if the log has none to compare."""
        draw = self.random
        if not self.values:
            return None
        (permission, field), values = draw.choice(sorted(self.values.items()))
        arms = draw.sample(values, min(len(values), draw.choice([2, 2, 3])))
        words = ["compare", "--property", field, "--format", form, *self._clock(), *self._windows(), "--permission", permission]
        words += self.maybe(0.4, "--metric", draw.choice(METRICS)) + self.maybe(0.3, "--by", draw.choice(FIELDS[1:]))
        words += self.maybe(0.3, "--planned-n", str(draw.choice([20, 100, 2000]))) + self.maybe(0.3, "--explain")
        words += self.maybe(0.1, "--split", "1:1") + self.maybe(0.25, "--minimum-effect", draw.choice(["0.1", "5", "30"]))
        return words + self._printing(form) + ["--", *arms]

    def plan(self, form):
        draw = self.random
        words = ["plan", "--permission", self._permission(), "--format", form, *self._clock(), *self._windows()]
        words += self.maybe(0.3, "--metric", draw.choice(METRICS)) + self.maybe(0.2, "--variants", str(draw.choice([3, 5])))
        words += draw.choice([[], ["--effect", "3.5"], ["--users", "500"], ["--days", "30"]])
        return words + self.maybe(0.2, "--power", "90") + self.maybe(0.2, "--traffic", "40") + self.maybe(0.3, "--ascii")

    def _printing(self, form):
        ascii_signs = self.maybe(0.3, "--ascii") if form == "text" else []
        return ascii_signs + self.maybe(0.1, "--output", "written")

    def some(self, count):
        """So many commands that read the log, each in all its forms one after the other."""
        draw = self.random
        forms = {kind: draw.sample(names, len(names)) for kind, names in FORMS.items()}
        turn = draw.randrange(len(TURNS))
        for number in range(count):
            kind = TURNS[(turn + number) % len(TURNS)]
            form = forms[kind][number // 2 % len(forms[kind])]
            other = self.compare_values(form) if kind == "compare" and draw.random() < 0.25 else None
            yield other or getattr(self, kind)(form)

    def saved(self, kind):
        """A command whose question is saved: of one moment, and with options that enter the sums alone. None if the log has nothing to ask."""
        draw = self.random
        day = (datetime.fromisoformat(self.times[-1][:-1]) + timedelta(days=draw.choice([0, 1, 30]))).date()
        words = [kind, "--as-of", f"{max(day, datetime(2008, 1, 2).date())}T12:00:00Z", "--now", "2038-01-01T00:00:00Z"]
        words += self.maybe(0.5, "--time-zone", draw.choice(ZONES)) + self.maybe(0.3, "--at-once", draw.choice(["0s", "2s"]))
        if kind in ("report", "audit"):
            words += self.maybe(0.7, "--log-start", self.times[0])
        if kind in ("report", "flow", "audit"):
            words += self._exposures()
        if kind == "report":
            return words + self.maybe(0.4, "--by", draw.choice(FIELDS))
        if kind == "flow":
            return words
        if kind == "audit":
            return words + self.maybe(0.5, "--examples", "3")
        several = [item for item in sorted(self.messages.items(), key=str) if len(item[1]) > 1]
        if not several:
            return None
        (permission, experiment), variants = draw.choice(several)
        words += ["--permission", permission, *(self.maybe(0.8, "--experiment", experiment) if experiment else [])]
        return words + self.maybe(0.3, "--adjust", "platform") + ["--", *sorted(variants[:3])]
