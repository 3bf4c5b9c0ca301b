#!/usr/bin/env python3
"""Makes the sample exports in data/: a made-up app's permission events, the same ones every time.

    python3 Scripts/make_sample_data.py            write data/ and print the checksums
    python3 Scripts/make_sample_data.py --check    compare with what is there; exit 1 where it differs

About 1,500 users from Monday 2026-01-19 (ISO week 4) to Thursday 2026-04-02, so ten complete weeks and one still running.
Standard library only. Every number is drawn from `random()` and `getrandbits()` of one seeded source, which Python keeps
stable between versions. The gzip container depends on the zlib version: --check compares what is inside it.
"""

import argparse
import csv
import gzip
import hashlib
import io
import json
import math
import random
import sys
import uuid
from datetime import datetime, timedelta, timezone
from pathlib import Path

SEED = 20260120
USERS = 1500
START = datetime(2026, 1, 19, tzinfo=timezone.utc)
END = datetime(2026, 4, 2, 18, tzinfo=timezone.utc)
SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000
LENGTH = int((END - START).total_seconds()) * SECOND
OVERLAP = 3 * HOUR  # each export begins with the last hours of the one before

COLUMNS = (
    "event_id user_id timestamp event permission status variant experiment surface feature app_version os_version"
    " platform locale country"
).split()
EXPERIMENT = "notification_copy_v1"
APP_VERSIONS = [(0, "3.1.0"), (16, "3.2.0"), (37, "3.3.0"), (58, "3.3.1")]  # day of release
OS_VERSIONS = [("17.7", 0.15), ("18.6", 0.35), ("26.2", 0.50)]
# country, locale, hours ahead of UTC in winter, share
COUNTRIES = [
    ("US", "en_US", -5, 0.34), ("DE", "de_DE", 1, 0.18), ("GB", "en_GB", 0, 0.14), ("FR", "fr_FR", 1, 0.12),
    ("BR", "pt_BR", -3, 0.12), ("JP", "ja_JP", 9, 0.10),
]
FEATURES = ["feed", "search", "compose", "scan", "map", "share", "profile", "reminders"]

# What happens at each question. `grant` is the share granted once the system asks, at middling engagement; a pair is
# for the messages A and B. With skips and drop-offs taken off, the grant rates of the two messages are about 47 and 58 %.
PERMISSIONS = {
    "notifications": dict(
        reach=0.94, wait_days=0.0, explained=1.0, skip=(0.20, 0.13), grant=(0.62, 0.70), limited=0.0, surface="onboarding",
        restricted=0.005, after_skip=0.30, alone=0.02, alert=0.45, opened=0.45, enabled=0.55, revoked=0.03),
    "camera": dict(
        reach=0.50, wait_days=3.0, explained=0.5, skip=(0.06, 0.06), grant=(0.88, 0.88), limited=0.0, surface="scanner",
        restricted=0.02, after_skip=0.45, alone=0.04, alert=0.70, opened=0.55, enabled=0.65, revoked=0.005),
    "photo_library": dict(
        reach=0.55, wait_days=4.0, explained=0.5, skip=(0.08, 0.08), grant=(0.85, 0.85), limited=0.28, surface="composer",
        restricted=0.01, after_skip=0.40, alone=0.04, alert=0.60, opened=0.50, enabled=0.60, revoked=0.01),
    "location_when_in_use": dict(
        reach=0.45, wait_days=1.5, explained=0.7, skip=(0.14, 0.14), grant=(0.72, 0.72), limited=0.0, surface="map",
        restricted=0.01, after_skip=0.30, alone=0.03, alert=0.50, opened=0.45, enabled=0.50, revoked=0.02),
}


class Source(random.Random):
    """Seeded draws; times are milliseconds since START."""

    def chance(self, probability):
        return self.random() < probability

    def pick(self, values):
        return values[int(self.random() * len(values))]

    def weighted(self, rows):
        draw = self.random()
        for row in rows:
            draw -= row[-1]
            if draw < 0:
                return row
        return rows[-1]

    def exponential(self, mean):
        return -math.log(1 - self.random()) * mean

    def lognormal(self, median, sigma):
        # The sum of four uniforms is near enough to normal.
        normal = (self.random() + self.random() + self.random() + self.random() - 2) * math.sqrt(3)
        return median * math.exp(sigma * normal)

    def uuid(self):
        return str(uuid.UUID(int=self.getrandbits(128), version=4))


class User:
    """One install, and the events that it makes."""

    def __init__(self, source, join):
        self.source, self.join = source, join
        self.id = source.uuid()
        self.engagement = source.random()  # latent: drives visits and granting alike
        self.country, self.locale, self.offset, _ = source.weighted(COUNTRIES)
        self.os = source.weighted(OS_VERSIONS)[0]
        self.update_lag = source.exponential(4)
        self.variant = source.pick("AB")
        self.leaves = join + source.exponential(8 + 90 * self.engagement) * DAY
        self.status = {}
        self.events = []

    def add(self, time, event, permission=None, **fields):
        """Adds an event, unless the user has left by then (the first hour always counts)."""
        if time >= LENGTH or time > max(self.leaves, self.join + HOUR):
            return False
        day = max(self.join / DAY, time / DAY - self.update_lag)
        version = [name for release, name in APP_VERSIONS if release <= day][-1]
        row = dict(
            event_id=self.source.uuid(), user_id=self.id, timestamp=int(time), event=event, permission=permission,
            app_version=version, os_version=self.os, platform="ios", locale=self.locale, country=self.country, **fields)
        self.events.append((row, self.offset))
        return True

    def live(self):
        for permission, habit in PERMISSIONS.items():
            if self.source.chance(habit["reach"]):
                wait = self.source.exponential(habit["wait_days"]) * DAY if habit["wait_days"] else 30 * SECOND
                self.ask(permission, habit, self.join + wait)
        self.visit()

    def screen(self, permission, habit):
        fields = dict(surface=habit["surface"])
        if permission == "notifications":
            fields.update(variant=self.variant, experiment=EXPERIMENT)
        return fields

    def ask(self, permission, habit, time):
        source, screen = self.source, self.screen(permission, habit)
        second = permission == "notifications" and self.variant == "B"
        if source.chance(habit["explained"]):
            self.add(time, "explanation_shown", permission, **screen)
            time += source.lognormal(4.5, 0.7) * SECOND
            if source.chance(0.04):
                return  # put the phone away: a drop-off
            if source.chance(habit["skip"][second]):
                self.add(time, "skipped", permission, **screen)
                if source.chance(habit["after_skip"]):
                    self.system_prompt(permission, habit, time + source.exponential(9) * DAY)
                return
        self.system_prompt(permission, habit, time)

    def system_prompt(self, permission, habit, time):
        source, screen = self.source, self.screen(permission, habit)
        second = permission == "notifications" and self.variant == "B"
        if not self.add(time, "prompt_shown", permission, **screen):
            return
        time += source.lognormal(2.2, 0.6) * SECOND
        if source.chance(0.015):
            return
        if source.chance(habit["restricted"]):
            self.add(time, "denied", permission, status="restricted", **screen)
            self.status[permission] = (time, "restricted")
        elif source.chance(min(0.98, habit["grant"][second] * (0.85 + 0.30 * self.engagement))):
            self.granted(permission, habit, time, "granted", screen)
        else:
            self.add(time, "denied", permission, status="denied", **screen)
            self.status[permission] = (time, "denied")
            self.after_denial(permission, habit, time)

    def granted(self, permission, habit, time, event, screen):
        source = self.source
        status = "limited" if source.chance(habit["limited"]) else "authorized"
        if permission == "location_when_in_use":
            status = "when_in_use"
        self.add(time, event, permission, status=status, **screen)
        self.status[permission] = (time, status)
        if status == "limited" and source.chance(0.2):
            time += source.exponential(8) * DAY
            self.add(time, "status_checked", permission, status="authorized")
            self.status[permission] = (time, "authorized")
        if source.chance(habit["revoked"]):
            time += source.exponential(12) * DAY
            self.add(time, "revoked", permission, status="denied")
            self.status[permission] = (time, "denied")

    def after_denial(self, permission, habit, time):
        """The alert that leads to Settings, when a feature needs what was denied; or a change of mind alone."""
        source = self.source
        if source.chance(habit["alert"]):
            time += source.exponential(4) * DAY
            self.add(time, "settings_prompt_shown", permission, surface=habit["surface"])
            if source.chance(habit["opened"]):
                time += source.lognormal(4, 0.6) * SECOND
                self.add(time, "settings_opened", permission, surface=habit["surface"])
                if source.chance(habit["enabled"]):
                    time += source.lognormal(18, 0.6) * SECOND
                    self.granted(permission, habit, time, "re_enabled", {})
        elif source.chance(habit["alone"]):
            self.granted(permission, habit, time + source.exponential(10) * DAY, "re_enabled", {})

    def visit(self):
        """Engagement on the day of the join and on days after it, less and less often; a status check now and then."""
        source = self.source
        day = 0
        while self.join + day * DAY < min(self.leaves + DAY, LENGTH):
            if day == 0 or source.chance((0.08 + 0.42 * self.engagement) / (1 + day / 30)):
                time = self.join + MINUTE if day == 0 else (int(self.join // DAY) + day) * DAY + self.daytime()
                self.add(time, "app_active")
                while source.chance(0.40):
                    time += source.lognormal(25, 0.8) * SECOND
                    self.add(time, "feature_used", feature=source.pick(FEATURES))
                if day > 0 and source.chance(0.12):
                    permission = source.pick(list(PERMISSIONS))
                    since, status = self.status.get(permission, (LENGTH, "not_determined"))
                    if since > time:
                        status = "not_determined" if permission not in self.status else None
                    if status:
                        self.add(time + 2 * SECOND, "status_checked", permission, status=status)
            day += 1

    def daytime(self):
        """A moment of the UTC day, most often in the afternoon and evening where the user lives."""
        local = 8 + 16 * (self.source.random() + self.source.random() + self.source.random()) / 3
        return int(((local - self.offset) % 24) * HOUR)


def make_events():
    """All events as (row, hours ahead of UTC), in the order in which a server received them."""
    source = Source(SEED)
    users = []
    for number in range(USERS):
        join = int(source.random() * (LENGTH - HOUR))
        if number >= USERS - 3:
            join = LENGTH - (number - USERS + 4) * 7 * MINUTE  # still inside the response window at the end
        users.append(User(source, join))
    received = []
    for user in users:
        user.live()
        for row, offset in user.events:
            late = source.exponential(6 * HOUR) if source.chance(0.03) else source.exponential(20 * SECOND)
            received.append((row["timestamp"] + late, row["event_id"], row, offset))
    received.sort(key=lambda item: item[:2])
    return [(row, offset) for _, _, row, offset in received]


def instant(milliseconds, offset):
    """RFC 3339 with milliseconds, in the user's zone for NDJSON and with Z for CSV."""
    zone = timezone(timedelta(hours=offset)) if offset else timezone.utc
    text = (START + timedelta(milliseconds=milliseconds)).astimezone(zone).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def ndjson(events):
    lines = []
    for row, offset in events:
        cells = {name: row.get(name) for name in COLUMNS if row.get(name) is not None}
        cells["timestamp"] = instant(row["timestamp"], offset)
        lines.append(json.dumps(cells, separators=(",", ":")) + "\n")
    return lines


def csv_text(events):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row, _ in events:
        cells = {**row, "timestamp": instant(row["timestamp"], 0)}
        writer.writerow([cells.get(name) or "" for name in COLUMNS])
    return text.getvalue().encode()


# What real exports contain now and then, so that the rejects can be seen: a line cut short, a user who stands for nobody,
# a time without a zone.
BAD_LINES = [
    '{"event_id":"5a0c6c1e-77aa-4a52-9d0f-52f1d6b0c101","user_id":"b9c5e2f4-11f0-4c57-a4',
    '{"event_id":"5a0c6c1e-77aa-4a52-9d0f-52f1d6b0c102","user_id":"anonymous","timestamp":"2026-01-24T10:15:30.000Z",'
    '"event":"app_active"}',
    '{"event_id":"5a0c6c1e-77aa-4a52-9d0f-52f1d6b0c103","user_id":"c1f0a9d2-8e2b-4d0a-9c35-6f0f3d1b7a42",'
    '"timestamp":"2026-01-27T08:00:00","event":"prompt_shown","permission":"camera"}',
]


def make_files():
    """File name to bytes, for data/."""
    events = make_events()
    february = int((datetime(2026, 2, 1, tzinfo=timezone.utc) - START).total_seconds()) * SECOND
    march = int((datetime(2026, 3, 1, tzinfo=timezone.utc) - START).total_seconds()) * SECOND

    def between(low, high):
        return [event for event in events if low <= event[0]["timestamp"] < high]

    january = ndjson(between(0, february))
    for number, line in enumerate(BAD_LINES, start=1):
        january.insert(number * len(january) // 4, line + "\n")
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, compresslevel=9, mtime=0) as stream:
        stream.write("".join(ndjson(between(march - OVERLAP, LENGTH))).encode())
    return {
        "events-2026-01.ndjson": "".join(january).encode(),
        "events-2026-02.csv": csv_text(between(february - OVERLAP, march)),
        "events-2026-03.ndjson.gz": packed.getvalue(),
    }


def content(name, data):
    return gzip.decompress(data) if name.endswith(".gz") else data


def main():
    parser = argparse.ArgumentParser(description="Makes the sample exports in data/.")
    parser.add_argument("--check", action="store_true", help="compare with the files that are there")
    parser.add_argument("--output", default=Path(__file__).resolve().parent.parent / "data", type=Path)
    options = parser.parse_args()
    different = False
    for name, data in make_files().items():
        path = options.output / name
        if options.check:
            same = path.exists() and content(name, path.read_bytes()) == content(name, data)
            print(f"{'same' if same else 'DIFFERENT'}  {name}")
            different = different or not same
        else:
            path.write_bytes(data)
            lines = content(name, data).count(b"\n")
            print(f"{hashlib.sha256(data).hexdigest()}  {name}  {len(data)} bytes, {lines} lines")
            if name.endswith(".gz"):
                print(f"{hashlib.sha256(content(name, data)).hexdigest()}  {name}, decompressed")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
