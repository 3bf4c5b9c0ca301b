"""The figures of `report`, `flow` and `compare --property` that have a truth in `simulate --onboarding --truth`."""

import json
import math

TIMING = ("by_install", "by_active_days", "by_feature_used")
Z = 1.959963984540054


def wilson(successes, trials, z=Z):
    """95 % Wilson interval, for shares that are counted and printed without an interval."""
    if not trials:
        return None
    p = successes / trials
    centre = p + z * z / (2 * trials)
    half = z * math.sqrt(p * (1 - p) / trials + z * z / (4 * trials * trials))
    return {"low": (centre - half) / (1 + z * z / trials), "high": (centre + half) / (1 + z * z / trials)}


def figures(run, truth, log):
    """Name, scope, interval, truth and number of journeys or flows of every figure.

    run: calls the tool with arguments and returns its standard output.
    """
    common = ("--log", log, "--as-of", truth["as_of"], "--format", "json")
    report = json.loads(run("report", *common, "--log-start", truth["log_start"]))
    yield from timing(report["timing"], truth["timing"])
    ranked = json.loads(run("report", *common, "--by", "surface"))
    yield from surfaces(ranked["by_ranking"], truth["surfaces"])
    steps = truth["flow"][0]["declared"]["permissions"]
    entries = json.loads(run("flow", *common, "--steps", ",".join(steps)))["flow"]
    for true in truth["flow"]:
        mine = next(entry for entry in entries if entry["week"] is None and entry["which"] == true["which"])
        yield from flow(mine, true)
    release = truth["release"]
    for true in release["permissions"]:
        compared = json.loads(run(
            "compare", release["a"], release["b"], "--property", release["property"], "--permission",
            true["permission"], *common))
        for arm in "ab":
            yield "release.rate", release[arm], compared[arm]["rate"], true[arm], compared[arm]["base"]
        count = min(compared[arm]["base"] for arm in "ab")
        yield "release.difference", true["permission"], compared["difference"], true["difference"], count


def classes(name, key, mine, true):
    """A table of grant rates. What the truth has, the table must have: expected journeys that nobody counts are an error."""
    found = {str(row[key]): row for row in mine}
    for row in true:
        if row["base"] < 1:
            continue
        other = found.get(str(row[key]), {"rate": None, "base": 0})
        if other["rate"] is None and row["base"] > 30:
            raise ValueError(f"{name}: no {key} {row[key]}, and {row['base']:.0f} journeys are expected")
        yield name, str(row[key]), other["rate"], row["rate"], other["base"]


def timing(mine, truth):
    tables = {row["permission"]: row for row in mine}
    for true in truth:
        for name in TIMING:
            table = tables[true["permission"]][name]
            if table is None:
                raise ValueError(f"timing.{name} of {true['permission']} is null")
            yield from classes(f"timing.{name}", "class", table["classes"], true[name]["classes"])


def surfaces(mine, truth):
    values = {row["permission"]: row["values"] for row in mine}
    for true in truth:
        yield from classes("by_ranking", "value", values.get(true["permission"], []), true["values"])


def flow(mine, true):
    which = true["which"]
    nodes = {tuple(node["prefix"]): node for node in mine["tree"]}
    for node in true["tree"]:
        other = nodes.get(tuple(node["prefix"]))
        if other is None:
            continue
        scope = f"{which}, step {len(node['prefix'])}"
        if 0 < node["went_on"] < 1:
            yield "flow.went_on", scope, wilson(other["went_on"], other["flows"]), node["went_on"], other["flows"]
        for outcome, share in node["outcomes"].items():
            if 0 < share < 1:
                interval = wilson(other["outcomes"].get(outcome, 0), other["flows"])
                yield f"flow.outcomes.{outcome}", which, interval, share, other["flows"]
    for name, key in (("by_position", "position"), ("by_outcome_before", "before")):
        permissions = {row["permission"] for row in true[name]}
        for permission in sorted(permissions):
            rows = [[row for row in side[name] if row["permission"] == permission] for side in (mine, true)]
            for figure, scope, *rest in classes(f"flow.{name}", key, *rows):
                yield figure, f"{which}, {scope}", *rest
    declared, expected = mine["declared"], true["declared"]
    for name in ("reached", "answered"):
        for step, (count, true_count) in enumerate(zip(declared[name], expected[name]), start=1):
            share = true_count / expected["started"] if expected["started"] else 0
            if 0 < share < 1:
                interval = wilson(count, declared["started"])
                yield f"flow.declared.{name}", f"{which}, step {step}", interval, share, declared["started"]
