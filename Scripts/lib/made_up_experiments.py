"""Made-up experiments with a known truth, as lines of NDJSON, for Scripts/simulate-decisions.

One permission, two messages, users who come day by day in daytime, more at weekends; a screen, and an answer after some seconds.
"""

import math
import random
from datetime import datetime, timedelta, timezone
from statistics import NormalDist
from typing import NamedTuple

DAYS = 60
START = datetime(2026, 3, 2, tzinfo=timezone.utc)
EXPERIMENT, PERMISSION = "copy_v1", "notifications"
SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000
# The arrivals of a day over the mean, Monday to Sunday.
WEEK = (0.92, 0.9, 0.95, 0.95, 1.0, 1.14, 1.14)


class Truth(NamedTuple):
    """What is true of an experiment. Rates, effects and shares are shares of 1."""

    rate: float  # of A
    effect: float = 0.0  # B's rate minus A's
    traffic: float = 100.0  # users a day, both messages together
    split: float = 0.5  # the share that is shown B
    fading: int = 0  # days in which the effect fades to nothing; 0: it stays
    contaminated: float = 0.02  # share of users who see the other message too
    how: str = "later"  # see Users.second_screen
    mixture: tuple = (0.2, 0.2)  # share of iPads among those who are shown A and B
    on_ipad: float = 0.0  # what iPads add to the rate, whatever the message
    earlier: float = 0.0  # share of users who saw another test's message before
    ramp: int = 0  # days at first of which B is shown to a tenth only
    launch: float = 0.0  # what these days, or the first week, add to all rates
    broken: int = 0  # days at first in which hardly anybody can grant under B

    @property
    def fixed_horizon(self):
        """Users of both messages for 80 % power with one look (Fleiss, Tytun and Ury, Biometrics 36 (1980) 343)."""
        return fixed_horizon(self.rate, self.effect)

    def rate_of(self, variant, day, is_ipad):
        rate = self.rate + (self.on_ipad if is_ipad else 0)
        if variant == "B":
            rate += self.effect * (max(0, 1 - day / self.fading) if self.fading else 1)
            if day < self.broken:
                return 0.02
        return rate + (self.launch if day < (self.ramp or 7) else 0)

    def share_of_b(self, day):
        return 0.1 if day < self.ramp else self.split


def fixed_horizon(rate, effect, power=0.8):
    z, other = NormalDist().inv_cdf(0.975), rate + effect
    middle = (rate + other) / 2
    null = math.sqrt(2 * middle * (1 - middle))
    alternative = math.sqrt(rate * (1 - rate) + other * (1 - other))
    return 2 * ((z * null + NormalDist().inv_cdf(power) * alternative) / effect) ** 2


def moment(days, hours=0):
    """RFC 3339 of so many days and hours after the start."""
    return (START + timedelta(days=days, hours=hours)).strftime("%Y-%m-%dT%H:%M:%SZ")


def poisson(draw, mean):
    """A Poisson number, by the normal approximation if the mean is large."""
    if mean > 60:
        return max(0, round(draw.gauss(mean, math.sqrt(mean))))
    limit, count, product = math.exp(-mean), 0, draw.random()
    while product > limit:
        count, product = count + 1, product * draw.random()
    return count


class Users:
    """The users of one experiment: `lines` of NDJSON, and `by_day`, how many had come by the end of each day."""

    def __init__(self, truth, seed):
        self.truth, self.random = truth, random.Random(seed)
        self.lines, self.by_day = [], []
        start, number = int(START.timestamp()) * SECOND, 0
        for day in range(DAYS):
            for _ in range(poisson(self.random, truth.traffic * WEEK[day % 7])):
                number += 1
                self.user(f"u{number}", day, start + day * DAY)
            self.by_day.append(number)

    def ndjson(self):
        return ("\n".join(self.lines) + "\n").encode()

    def user(self, name, day, midnight):
        draw, truth = self.random, self.truth
        time = midnight + 6 * HOUR + int(draw.random() * 18 * HOUR)
        variant = "B" if draw.random() < truth.share_of_b(day) else "A"
        is_ipad = draw.random() < truth.mixture[variant == "B"]
        more = f',"platform":"{"ipados" if is_ipad else "ios"}","app_version":"4.{day // 14}"'
        rate = truth.rate_of(variant, day, is_ipad)
        if truth.earlier and draw.random() < truth.earlier:
            # Of another test, a month before: who was pressed then says no more often now, whatever is shown.
            before = draw.choice("AB")
            self.screen(name, time - 30 * DAY, before, more, "copy_v0")
            self.event(name, time - 30 * DAY + 5 * SECOND, "denied")
            rate -= 0.15 if before == "B" else 0
        self.screen(name, time, variant, more)
        is_granted = draw.random() < rate
        if self.second_screen(name, time, day, variant, is_ipad, is_granted, more):
            return
        self.answer(name, time, is_granted)

    def answer(self, name, time, is_granted):
        draw = self.random
        kind = "granted" if is_granted else draw.choices(("denied", "skipped", None), (11, 5, 4))[0]
        if kind:
            self.event(name, time + int(6 * SECOND * math.exp(draw.gauss(0, 1))), kind)

    def second_screen(self, name, time, day, variant, is_ipad, is_granted, more):
        """The other message, shown to some; whether it took the answer.

        `later`: to anybody, hours or days later, without any effect. `refusers`: only to who was shown A and did not grant.
        `at once`: some minutes later to who has not answered yet, who then answers the second message.
        """
        draw, truth = self.random, self.truth
        share = truth.contaminated
        if truth.how == "refusers":
            share = 0 if is_granted or variant == "B" else share / (1 - truth.split) / (1 - truth.rate)
        if draw.random() >= share:
            return False
        other = "A" if variant == "B" else "B"
        if truth.how != "at once":
            self.screen(name, time + HOUR + int(DAY * draw.expovariate(1)), other, more)
            return False
        later = time + MINUTE + int(15 * MINUTE * draw.random())
        self.screen(name, later, other, more)
        self.answer(name, later, draw.random() < truth.rate_of(other, day, is_ipad))
        return True

    def screen(self, name, time, variant, more, experiment=EXPERIMENT):
        self.lines.append(
            f'{{"user_id":"{name}","timestamp":{time},"event":"prompt_shown","permission":"{PERMISSION}",'
            f'"experiment":"{experiment}","variant":"{variant}"{more}}}')

    def event(self, name, time, kind):
        self.lines.append(
            f'{{"user_id":"{name}","timestamp":{time},"event":"{kind}","permission":"{PERMISSION}"}}')
