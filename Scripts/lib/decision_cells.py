"""The experiments that Scripts/simulate-decisions makes up: with no difference, with an effect, and with real trouble."""

from typing import NamedTuple

from .made_up_experiments import EXPERIMENT, PERMISSION, Truth, moment

# Traffic is such that a fixed test would end on this day.
HORIZON_DAY = 35


class Cell(NamedTuple):
    """Experiments of one kind."""

    key: str
    truth: Truth
    tests: int
    options: tuple = ()  # of `compare`
    plan_options: tuple = ()  # of `plan --save`
    # Of a cell with trouble in it: the decisions that tell it, in words, and the share of tests in which they must hold at
    # the last look.
    expected: tuple = ()
    told: str = ""
    least: float = 0.0
    says: str = ""  # in the reasons

    @property
    def is_trouble(self):
        return bool(self.expected)

    def is_told(self, followed):
        last = followed.looks[-1]
        return last.decision in self.expected and self.says in " ".join(last.reasons)


def cells(tests):
    """All cells; `tests` without a difference, a third of them an effect, a twelfth a kind of trouble."""
    found = [without_difference(rate, traffic, -(-tests // 4)) for rate, traffic in [(0.3, 40), (0.3, 160), (0.5, 80), (0.5, 250)]]
    for points, rate in [(3, 0.5), (5, 0.3), (10, 0.5)]:
        truth = Truth(rate, points / 100)
        found.append(effect(f"+{points} points", truth._replace(traffic=truth.fixed_horizon / HORIZON_DAY), -(-tests // 3)))
    # A small app: 300 users in 60 days. And an answer that is rare.
    found.append(effect("small app, +17 points", Truth(0.33, 0.17, 5), -(-tests // 6)))
    rare = Truth(0.06, 0.03)
    found.append(effect("rare, +3 points", rare._replace(traffic=rare.fixed_horizon / HORIZON_DAY), -(-tests // 6)))
    few = max(2, tests // 12)
    # Within each platform B is better, and B's users have the platform with the lower rate.
    simpson = Truth(0.6, 0.06, 150, mixture=(0.3, 0.7), on_ipad=-0.3)
    fading = Truth(0.5, 0.1, 500, fading=14)
    helped = Truth(0.5, 0.05, 150)
    rare = Truth(0.0, 0.013, 160, contaminated=0)
    # B to a tenth of the users for a week, then to half of them; rates fall after the launch.
    ramp = Truth(0.4, 0.0, 250, ramp=7, launch=0.2)
    half = moment(7)[:10]
    declared = ("--split", f"90:10; from {half} 50:50")
    begun_again = Truth(0.4, 0.08, 200, broken=7)
    return found + [
        Cell("Simpson: better on each platform, worse in all", simpson, few, expected=("review",), told="review", least=0.95),
        Cell("novelty: +10 points, gone in 14 days", fading, few, expected=("review",), told="review", least=0.85),
        Cell("5 % saw both, without harm, +5 points", helped._replace(contaminated=0.05), few,
             expected=("b_wins",), told="b_wins", least=0.9),
        Cell("5 % saw both: who refused A is asked by B", Truth(0.5, 0.03, 300, contaminated=0.05, how="refusers"), few,
             expected=("review",), told="review", least=0.75),
        Cell("12 % saw both, +5 points", helped._replace(contaminated=0.12), few,
             expected=("invalid",), told="invalid", least=0.95),
        Cell("carry-over: 8 % answer to the other message, +10 points",
             Truth(0.5, 0.1, 60, contaminated=0.08, how="at once"), few, expected=("b_wins",), told="b_wins", least=0.9),
        Cell("carry-over from the test before, +10 points", Truth(0.5, 0.1, 60, earlier=0.4), few,
             expected=("b_wins",), told="b_wins", least=0.9),
        Cell("rare: 0 against 1.3 %", rare, few, expected=("b_wins",), told="b_wins", least=0.9),
        Cell("split 45:55 instead of 50:50", Truth(0.5, 0.0, 100, split=0.55), few,
             expected=("invalid",), told="invalid", least=0.9),
        Cell("a ramp that is not declared, no difference", ramp, few, expected=("invalid",), told="invalid, and the day",
             least=0.95, says=f"from {half}"),
        Cell("a ramp that is declared, no difference", ramp, few, options=declared,
             expected=("keep_running", "stop_out_of_reach", "no_difference", "too_early"), told="no winner", least=0.9),
        Cell("a ramp that is declared, +8 points", ramp._replace(effect=0.08), few, options=declared,
             expected=("b_wins",), told="b_wins", least=0.9),
        Cell("B broken for a week, begun again with +8 points", begun_again, few, options=("--from", half),
             expected=("b_wins",), told="b_wins", least=0.9),
    ]


def without_difference(rate, traffic, tests):
    truth = Truth(rate, traffic=traffic)
    return Cell(f"A/A at {rate:g}, {traffic} a day", truth, tests, plan_options=planned_for(truth._replace(effect=0.05)))


def all_without_difference():
    return Cell("A/A, all of them", Truth(0.5), 0)


def effect(name, truth, tests):
    return Cell(f"{name} at {truth.rate:g}, {truth.traffic:.0f} a day", truth, tests, plan_options=planned_for(truth))


def planned_for(truth):
    return (
        "--permission", PERMISSION, "--experiment", EXPERIMENT, "--baseline", f"{100 * truth.rate:g}", "--effect",
        f"{100 * truth.effect:g}", "--traffic", str(round(truth.traffic)))
