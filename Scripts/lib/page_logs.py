"""Made-up logs for Scripts/check-html: the shapes that a page must stand, as lines of canonical NDJSON.

python3 Scripts/lib/page_logs.py FOLDER writes one file each; the same bytes every time.
"""

import json
import pathlib
import random
import sys
from datetime import datetime, timezone

START = int(datetime(2026, 1, 5, tzinfo=timezone.utc).timestamp()) * 1000
SECOND, DAY = 1000, 86_400_000
PERMISSIONS = (
    "notifications camera photo_library photo_library_add microphone location_when_in_use location_always contacts "
    "calendars calendars_write_only reminders bluetooth face_id health_read health_write motion speech tracking "
    "local_network siri media_library homekit nearby_interaction focus_status mail").split()
LONG = "m" * 256
BIDI = "مرحبا " * 20 + "-"


class Log:
    """Lines of one log, its users numbered."""

    def __init__(self, seed):
        self.draw, self.lines, self.users = random.Random(seed), [], 0

    def write(self, user, time, event, **fields):
        self.lines.append(json.dumps({"user_id": f"u{user}", "timestamp": time, "event": event, **fields}))

    def asked(self, day, rate, permission="notifications", is_active=True, skips=0.0, **fields):
        """A user who is asked on a day, and who grants with a probability."""
        draw, user = self.draw, self.users
        self.users += 1
        time = START + day * DAY + draw.randrange(DAY * 3 // 4)
        self.write(user, time, "prompt_shown", permission=permission, **fields)
        time += 1500 + draw.randrange(9000)
        if draw.random() < rate:
            self.write(user, time, "granted", permission=permission)
        elif draw.random() < skips:
            self.write(user, time, "skipped", permission=permission)
        else:
            self.write(user, time, "denied", permission=permission)
            if draw.random() < 0.2:
                self.write(user, time + draw.randrange(1, 20) * DAY, "re_enabled", permission=permission)
        if is_active:
            for n in range(1, 31):
                if draw.random() < 0.3:
                    self.write(user, time + n * DAY, "app_active")

    def experiment(self, rates, days, per_day, **fields):
        """So many users a day, divided evenly among messages with these grant rates."""
        for day in range(days):
            for _ in range(per_day):
                for variant, rate in rates.items():
                    self.asked(day, rate, variant=variant, is_active=False, **fields)


def two_users():
    log = Log(1)
    log.asked(0, 1)
    log.asked(1, 0)
    log.write(0, START + 9 * DAY, "app_active")
    return log


def one_permission():
    log = Log(2)
    for day in range(35):
        for _ in range(8):
            log.asked(day, 0.12, skips=0.2)
    return log


def many_permissions():
    log = Log(3)
    for place, permission in enumerate([*PERMISSIONS, "an_unusually_long_name_of_a_custom_permission"]):
        for day in range(0, 40):
            for _ in range(1 + 60 // (place + 1) // 8):
                log.asked(day, 0.05 + 0.03 * place, permission)
    for _ in range(3):
        log.asked(20, 1, "写真")
    return log


def sixty_weeks():
    log = Log(4)
    for day in range(420):
        for _ in range(4):
            log.asked(day, 0.4 + 0.2 * (day > 200), is_active=False)
        log.asked(day, 0.85, "camera", is_active=False)
    return log


def four_messages():
    log = Log(5)
    log.experiment({"control": 0.4, LONG: 0.62, BIDI: 0.41, "C": 0.3}, 20, 14, experiment="copy_" + "x" * 250)
    return log


def no_difference():
    log = Log(6)
    log.experiment({"A": 0.5, "B": 0.5}, 30, 90, experiment="same")
    return log


def outlier():
    """In the first days few users, and by chance a difference that is far from the rest."""
    log = Log(7)
    for day in range(3):
        for _ in range(4):
            log.asked(day, 0.95, variant="A", experiment="wide", is_active=False)
            log.asked(day, 0.2, variant="B", experiment="wide", is_active=False)
    for day in range(3, 40):
        for _ in range(80):
            for variant in "AB":
                log.asked(day, 0.52, variant=variant, experiment="wide", is_active=False)
    return log


def invalid():
    log = Log(8)
    for day in range(14):
        for n in range(60):
            log.asked(day, 0.5, variant="A" if n % 4 else "B", experiment="skewed", is_active=False)
    return log


def too_early():
    log = Log(9)
    log.experiment({"A": 0.5, "B": 0.5}, 4, 10, experiment="young")
    return log


def calls():
    """Prompts whose call returned at once, beside people's answers, on two platforms; and answers that are logged with their prompts."""
    log = Log(10)
    for day in range(20):
        for n in range(12):
            permission, platform = ("notifications", "tracking")[n % 2], ("iOS", "Android")[n % 5 == 0]
            log.asked(day, 0.5, permission, platform=platform)
            for delay, name in [(log.draw.randrange(5, 60), permission), (log.draw.randrange(3), "camera")]:
                time = START + day * DAY + log.draw.randrange(DAY)
                log.write(log.users, time, "prompt_shown", permission=name, platform=platform)
                log.write(log.users, time + delay, log.draw.choice(["granted", "denied"]), permission=name, platform=platform)
                log.users += 1
    return log


LOGS = {
    "two-users": two_users, "one-permission": one_permission, "many-permissions": many_permissions,
    "sixty-weeks": sixty_weeks, "four-messages": four_messages, "no-difference": no_difference, "outlier": outlier,
    "invalid": invalid, "too-early": too_early, "calls": calls,
}


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in LOGS.items():
        (folder / f"{name}.ndjson").write_text("\n".join(make().lines) + "\n")


if __name__ == "__main__":
    main()
