"""permlog's JSON as the queries' rows, and whether both count the same."""

import json
import math

OUTCOMES = ("granted", "denied", "skipped", "dropped_off")


class Quantile(float):
    """A quantile of permlog's, which promises it to within 0.1 % (and half a millisecond)."""


def weekly(output):
    rows = [row for row in json.loads(output)["rows"] if row["week"] is not None and row["by"] is None]
    return [[row["permission"], row["week"], row["exposed"], *(row[name] for name in OUTCOMES)] for row in rows]


def compare(output):
    result = json.loads(output)
    names = ("variant", "exposed", "pending", "restricted", *OUTCOMES)
    return [[result[arm][name] for name in names] for arm in "ab"]


def third(output):
    """The figures that third.sql makes, in its order; None if the query has none either."""
    return [third_row(row) for row in json.loads(output)["rows"] if row["week"] is not None and row["by"] is None]


def third_row(row):
    explanation, prompt = row["steps"]["explanation"], row["steps"]["prompt"]
    explained, cold = row["explained_against_cold"]["explained"], row["explained_against_cold"]["cold"]
    cells = [row[name] for name in ("permission", "week", "exposed", "pending", "restricted", "granted", "partial")]
    cells += [row[name] for name in ("denied", "skipped", "dropped_off")]
    cells += [row["granted_by_follow_up"][name] for name in ("eligible", "granted")]
    cells += [explanation[name] for name in ("shown", "continued", "skipped", "answered", "dropped")]
    cells += [prompt[name] for name in ("shown", "granted", "denied", "skipped", "dropped")]
    assert explained["base"] == explanation["shown"]
    cells += [explained["granted"], cold["base"], cold["granted"]]
    time = row["time_to_answer_ms"]
    cells += [time["count"], time["mean"], None if time["p50"] is None else Quantile(time["p50"])]
    for outcome in OUTCOMES[1:]:
        cells += [row["enabled_later"][outcome][name] for name in ("eligible", "enabled")]
    day_7 = next(item for item in row["retention"] if item["day"] == 7)
    for outcome in OUTCOMES:
        cells += [day_7[outcome][name] for name in ("eligible", "retained")]
    return cells


def same(ours, theirs):
    """Counts must be equal, means to rounding, quantiles to the 0.1 % that permlog promises."""
    if isinstance(ours, Quantile) and theirs is not None:
        return abs(ours - theirs) <= 0.001 * abs(theirs) + 0.5
    if isinstance(ours, float) and theirs is not None:
        return math.isclose(ours, theirs, rel_tol=1e-9)
    return ours == theirs


def differences(ours, theirs):
    """The rows that differ, as pairs; empty if all count the same."""
    ours, theirs = (sorted(rows, key=lambda row: [str(cell) for cell in row[:2]]) for rows in (ours, theirs))
    if len(ours) != len(theirs):
        return [(f"{len(ours)} rows", f"{len(theirs)} rows")]
    pairs = zip(ours, theirs)
    return [(a, b) for a, b in pairs if len(a) != len(b) or not all(same(x, y) for x, y in zip(a, b))]


# permlog's figures by JSON output, for each question.
READERS = {"third": third, "weekly": weekly, "compare": compare}
