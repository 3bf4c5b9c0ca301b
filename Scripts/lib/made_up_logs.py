"""Small logs of made-up events for Scripts/compare-outputs: all that permlog may meet, and often what is rare elsewhere."""

import csv
import gzip
import io
import json
import random
import uuid
from datetime import datetime, timedelta, timezone

KINDS = (
    "explanation_shown prompt_shown granted denied skipped settings_prompt_shown settings_opened re_enabled revoked "
    "status_checked feature_used app_active").split()
PERMISSIONS = (
    "notifications camera photo_library photo_library_add microphone location_when_in_use location_always contacts calendars "
    "calendars_write_only reminders bluetooth face_id health_read health_write motion speech tracking local_network siri "
    "media_library homekit nearby_interaction focus_status mail").split()
STATUSES = (
    "not_determined restricted denied authorized limited provisional ephemeral full_access write_only when_in_use always"
).split()
FIELDS = "variant experiment surface feature app_version os_version platform locale country".split()

# Names far from every known one: those near one are respelled, or looked at more closely, from 0.3.0 on.
CUSTOM = ["beta.program", "Brieftaube 🕊", "日記", "x" * 256, 'quote"d, and comma', "<b>bold</b> & more", "a|b\\c", "zz\u0301"]
VALUES = {
    "variant": ["A", "B", "C", "D", "Ä", "a", "<script>alert(1)</script>", "pipe|d", "two words", "v" * 200, "\u202eB"],
    "experiment": ["copy_v1", "copy_v2", "expé", "x,y", 'say "hi"'],
    "surface": ["onboarding", "settings", "chat", "map", "ünter/wegs", "*star*", "line\nfeed"],
    "feature": ["scan", "share", "post", "søk", "_"],
    "app_version": ["3.3.0", "3.4.0", "3.10.0", "4.0", "4.0.1-beta+7", "v5"],
    "os_version": ["17.5", "18.0", "18.1.1", "26.0", "9"],
    "platform": ["ios", "ipados", "visionos", "iOS"],
    "locale": ["de_DE", "en-US", "ja", "pt_BR", "ar"],
    "country": ["DE", "US", "JP", "BR", "de"],
}
# Clocks change, weeks and years end, and a day of Samoa is missing; the first day that a log may have.
BEGINNINGS = [
    "2025-03-29T22:00", "2025-10-25T22:00", "2025-03-09T05:00", "2025-11-02T04:00", "2025-04-05T13:00", "2024-12-30T00:00",
    "2020-12-27T12:00", "2025-12-29T00:00", "2024-02-28T20:00", "2008-01-01T00:00", "2011-12-28T00:00", "2026-03-02T00:00",
    "2025-06-15T10:00", "2026-01-22T00:00",
]
SECOND, MINUTE, DAY = 1000, 60_000, 86_400_000
WINDOW = 30 * MINUTE
# Bad lines that every version rejects; the others of their file are good.
BAD = [
    {"event": "clicked"}, {"status": "perhaps"}, {"timestamp": "2026-03-02T10:00:00"}, {"timestamp": "yesterday"},
    {"user_id": ""}, {"user_id": "null"}, {"timestamp": "2007-12-31T23:59:59Z"}, {"surface": "s" * 257},
]
TORN = ['{"user_id":"u2","event":"app_active"', '["user_id","u2"]', "nothing of this form", '{"user_id":true}']


class MadeUpLog:
    """The ingests of one log: for each the files (name, bytes) and the options."""

    def __init__(self, seed):
        self.random = draw = random.Random(seed)
        start = datetime.fromisoformat(draw.choice(BEGINNINGS)).replace(tzinfo=timezone.utc)
        self.start = int(start.timestamp()) * SECOND
        self.length = draw.choice([1, 2, 7, 15, 40, 70, 100]) * DAY
        count = draw.choice([1, 1, 2, 3, 6])
        self.permissions = draw.sample(PERMISSIONS, count) if draw.random() < 0.95 else list(PERMISSIONS)
        self.has_custom = draw.random() < 0.2
        if self.has_custom:
            self.permissions += draw.sample(CUSTOM, draw.randint(1, 2))
        self.values = {field: self._values(field) for field in FIELDS}
        # Whether a user keeps one message, and whether the other events than screens carry all that screens do.
        self.is_faithful, self.is_complete = draw.random() < 0.7, draw.random() < 0.5
        self.id_form = draw.choice(["uuid", "uuid", "UUID", "number", "short", "odd", "mixed", "none", "mixed"])
        self.user_form = draw.choice(["uuid", "uuid", "UUID", "number", "short", "odd", "mixed"])
        self.gain = draw.uniform(-0.4, 0.4)
        events = self._events()
        self.ingests = self._ingests(events)

    def _values(self, field):
        """What a property may be in this log; None is absent."""
        draw, pool = self.random, VALUES[field]
        if field == "variant" and draw.random() < 0.8:
            return ["A", "B", "C"][: draw.choice([2, 2, 2, 3])]
        if draw.random() < 0.15:
            return [None]
        if draw.random() < 0.05:
            return [f"{field[:3]}-{number}" for number in range(draw.choice([20, 70]))]
        return draw.sample(pool, draw.randint(1, min(4, len(pool)))) + [None] * draw.choice([0, 0, 0, 1])

    # Users and their events: dictionaries with the time as a number.

    def _events(self):
        draw = self.random
        size = draw.choices(["none", "one", "few", "some", "many", "trial"], [2, 3, 25, 50, 16, 4])[0]
        ranges = {"none": (0, 0), "one": (1, 1), "few": (1, 4), "some": (5, 30), "many": (31, 100), "trial": (200, 500)}
        count = draw.randint(*ranges[size])
        if size == "trial":
            # Users enough that a comparison decides.
            self.is_faithful, self.length = True, draw.choice([15, 40]) * DAY
            self.permissions, self.values["variant"] = self.permissions[:1], ["A", "B"]
        users = [self._id(self.user_form, f"user{number}") for number in range(count)]
        events = [event for user in users for event in self._user(user)]
        if events and draw.random() < 0.15:
            events += self._chaos(users)
        if size == "one":
            events = events[:1]
        for number, event in enumerate(events):
            form = self.id_form
            if form != "none" and not (form == "mixed" and draw.random() < 0.15):
                event["event_id"] = self._id(form, f"e{number}")
        return events

    def _id(self, form, short):
        draw = self.random
        if form == "mixed":
            form = draw.choice(["uuid", "UUID", "number", "short", "odd"])
        made = str(uuid.UUID(int=draw.getrandbits(128)))
        if form == "uuid":
            return made
        if form == "UUID":
            return made.upper()
        if form == "number":
            return draw.choice([draw.randint(1, 10**6), draw.randint(10**15, 10**18)])
        if form == "short":
            return short
        return draw.choice([
            made.upper()[:18] + made[18:], f"{short}@example.com", short + "é", short + "e\u0301", short + "🧑‍🚀",
            "x" * 120 + short, f"in {short} side", f'"{short}"', f"{short},{short}", "true" + short, "\\" + short,
            made.replace("-", ""), "{" + made + "}"])

    def _user(self, user):
        draw = self.random
        fixed = {field: draw.choice(values) for field, values in self.values.items()}
        events, begin = [], self.start + draw.randrange(self.length)
        for permission in self.permissions:
            if draw.random() < 0.75:
                t0 = self.start + draw.randrange(self.length) if draw.random() < 0.5 else begin + draw.randrange(2 * MINUTE)
                events += self._journey(user, permission, t0, fixed)
        if draw.random() < 0.6:
            for day in range(draw.choice([1, 3, 9, 35])):
                if draw.random() < 0.6:
                    events += self._day(user, begin + (day - draw.randint(0, 2)) * DAY, fixed)
        if draw.random() < 0.04:
            # More events than one block of bits holds.
            for day in range(draw.choice([33, 70, 150])):
                events += self._day(user, begin + day * DAY // 3, fixed)
        first = int(datetime(2008, 1, 1, tzinfo=timezone.utc).timestamp()) * SECOND
        return [event for event in events if event["time"] >= first]

    def _day(self, user, time, fixed):
        draw = self.random
        for _ in range(draw.randint(1, 3)):
            event = {"user_id": user, "time": time + draw.randrange(DAY), "event": draw.choice(["app_active", "feature_used"])}
            if event["event"] == "feature_used":
                event["feature"] = draw.choice(self.values["feature"])
            if draw.random() < 0.05:
                event["permission"] = draw.choice(self.permissions)
            yield event | ({"platform": fixed["platform"], "app_version": fixed["app_version"]} if self.is_complete else {})

    def _delay(self):
        draw = self.random
        if draw.random() < 0.12:
            return draw.choice([0, 1, WINDOW - 1, WINDOW, WINDOW + 1, draw.randrange(5 * DAY)])
        return int(draw.lognormvariate(9, 1))

    def _journey(self, user, permission, time, fixed):
        draw, events = self.random, []
        if not self.is_faithful:
            fixed = fixed | {name: draw.choice(self.values[name]) for name in ("variant", "experiment")}

        def add(kind, **more):
            carried = fixed if kind.endswith("_shown") or self.is_complete else {}
            carried = {field: value for field, value in carried.items() if draw.random() < 0.97}
            events.append({"user_id": user, "time": time, "event": kind, "permission": permission} | carried | more)

        def status(*usual):
            wanted = draw.choice(usual) if draw.random() < 0.9 else draw.choice(STATUSES)
            return {"status": wanted} if draw.random() < 0.7 else {}

        if draw.random() < 0.92:
            if draw.random() < 0.55:
                add("explanation_shown")
                time += self._delay()
            if not events or draw.random() < 0.75:
                add("prompt_shown")
                time += self._delay()
            if draw.random() < 0.12:
                other = {name: draw.choice(self.values[name]) for name in ("variant", "experiment")}
                add(draw.choice(["explanation_shown", "prompt_shown"]), **other)
        yes = 0.5 + (self.gain if fixed["variant"] == "B" else 0)
        answer = draw.choices(["granted", "re_enabled", "denied", "skipped", None], [yes, 0.04, 0.8 - yes / 2, 0.2, 0.12])[0]
        on, off = ("authorized", "authorized", "limited", "provisional", "when_in_use"), ("denied", "denied", "restricted")
        if answer:
            add(answer, **status(*(on if answer in ("granted", "re_enabled") else off)))
            if draw.random() < 0.1:
                time += draw.choice([0, 1, SECOND, DAY])
                add(draw.choice(["granted", "denied", "skipped"]), **status(*on, *off))
        if answer == "denied" and draw.random() < 0.5:
            time += draw.choice([SECOND, 6 * MINUTE, draw.randrange(9 * DAY)])
            add("settings_prompt_shown")
            if draw.random() < 0.5:
                time += self._delay()
                add("settings_opened")
        for _ in range(draw.choice([0, 0, 1, 2])):
            time += draw.choice([self._delay(), draw.randrange(DAY), draw.randrange(40 * DAY), 7 * DAY, 28 * DAY])
            kinds = "status_checked status_checked re_enabled revoked granted denied settings_opened".split()
            add(draw.choice(kinds), **status(*STATUSES))
        return events

    def _chaos(self, users):
        """Anything at any of a few moments."""
        draw = self.random
        moments = [self.start + draw.randrange(self.length) for _ in range(4)]
        for _ in range(draw.randint(3, 60)):
            event = {"user_id": draw.choice(users[:3]), "time": draw.choice(moments), "event": draw.choice(KINDS)}
            event["permission"] = draw.choice(self.permissions)
            if draw.random() < 0.3:
                event["status"] = draw.choice(STATUSES)
            yield event | {field: draw.choice(values) for field, values in self.values.items() if draw.random() < 0.5}

    # Files.

    def _ingests(self, events):
        draw = self.random
        count = draw.randint(1, 4)
        copies = draw.sample(events, len(events) // draw.choice([8, 20])) if draw.random() < 0.6 else []
        events = events + [self._copy(event) for event in copies]
        if draw.random() < 0.8:
            draw.shuffle(events)
        keyed = draw.random() < 0.08
        ingests = []
        for number in range(count):
            share = events[len(events) * number // count:len(events) * (number + 1) // count]
            cut = draw.randint(0, len(share)) if draw.random() < 0.3 else len(share)
            files = [self._file(f"{number}-a", share[:cut])]
            files += [self._file(f"{number}-b", share[cut:])] if cut < len(share) else []
            options = ["--summary", draw.choice(["text", "json"])]
            options += ["--allow-custom-permissions"] if self.has_custom else []
            options += ["--hash-users", "../in/key"] if keyed else []
            options += ["--threads", str(draw.randint(1, 3))] if draw.random() < 0.4 else []
            options += ["--strict"] if draw.random() < 0.03 else []
            options += ["--rejects", "rejects.ndjson"] if draw.random() < 0.2 else []
            ingests.append((files, options))
        return ingests

    def _copy(self, event):
        draw, copy = self.random, dict(event)
        if draw.random() < 0.5 and "event_id" in copy:
            copy[draw.choice(FIELDS)] = draw.choice(["other", "3.3.0", None])
            copy["time"] += draw.choice([0, 0, 1, DAY])
        return copy

    def _file(self, name, events):
        draw = self.random
        is_csv, is_bad = draw.random() < 0.3, bool(events) and draw.random() < 0.08
        rows = [{key: value for key, value in self._row(event).items() if value is not None} for event in events]
        if is_bad:
            rows += [draw.choice(rows) | draw.choice(BAD) for _ in range(draw.choice([1, 2, 9]))]
            draw.shuffle(rows)
        if is_csv:
            name, content = name + ".csv", self._csv(rows)
        else:
            form = {"ensure_ascii": draw.random() < 0.5, "separators": draw.choice([(",", ":"), (", ", ": ")])}
            lines = [json.dumps(row, **form) for row in rows]
            if is_bad:
                lines.insert(draw.randint(0, len(lines)), draw.choice(TORN))
            ends = ["\n", "\n", "\n", "\r\n", "\n\n"]
            name, content = name + ".ndjson", "".join(line + draw.choice(ends) for line in lines)
        content = content.encode()
        return (name + ".gz", gzip.compress(content, mtime=0)) if draw.random() < 0.05 else (name, content)

    def _row(self, event):
        draw, row = self.random, {key: value for key, value in event.items() if key != "time"}
        row["timestamp"] = self._time(event["time"])
        if draw.random() < 0.03:
            row[draw.choice(["price", "nested", "email"])] = draw.choice(["1", "x", "späť"])
        items = list(row.items())
        if draw.random() < 0.2:
            draw.shuffle(items)
        return dict(items)

    def _time(self, time):
        form = self.random.randrange(6)
        if form == 0:
            return time
        minutes = self.random.choice([0, 60, -300, 330, 765]) if form == 1 else 0
        moment = datetime(1970, 1, 1) + timedelta(milliseconds=time, minutes=minutes)
        text = moment.strftime("%Y-%m-%dT%H:%M:%S")
        if moment.microsecond or form < 4:
            text += f".{moment.microsecond // 1000:03d}" + ("999999" if form == 2 else "")
        return text + (f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}" if form == 1 else "Z")

    def _csv(self, rows):
        draw = self.random
        needed = ["user_id", "timestamp", "event"]
        columns = needed + sorted({key for row in rows for key in row} - set(needed))
        if draw.random() < 0.3:
            draw.shuffle(columns)
        out = io.StringIO()
        quoting = draw.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
        writer = csv.DictWriter(out, columns, restval="", quoting=quoting, lineterminator=draw.choice(["\n", "\r\n"]))
        writer.writeheader()
        writer.writerows(rows)
        return out.getvalue()
