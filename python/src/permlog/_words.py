"""The tool's sentences in the words of this package."""

from __future__ import annotations

import re

# The options that are arguments of a method: in sentences they are called as in Python.
KEYWORDS = frozenset(
    """
    adjust all allow-custom-permissions allow-future as-of baseline before by by-limit contaminated days dry-run
    effect examples experiment explain follow-up force-mixed-users format from guardrail hash-users identity
    info-plist input-time-zone keep-ids keep-partial key log-start looks mapping max-rejected metric minimum-effect
    move-key onboarding permission plan planned-n power project-time-zone property readmit record rejects
    rejects-limit response-window rule save seed skip-damaged split start steps strict threads threshold time-zone
    to traffic truth user users variants wait week weeks where
    """.split()  # noqa: SIM905
)

# Options that have another name here.
_NAMES = {"from": "from_", "log": "Log(path)", "output": "path", "users-from": "user"}

_OPTION = re.compile(r"--([a-z][a-z-]*[a-z])(?:[ =]([A-Z][A-Za-z_]+/[A-Za-z_/]+))?")


def in_python(sentence: str) -> str:
    """A sentence of the tool with its options as the arguments that they are here; a zone after one as its value."""

    def spelled(found: re.Match[str]) -> str:
        if found[1] not in KEYWORDS and found[1] not in _NAMES:
            return found[0]
        name = _NAMES.get(found[1], found[1].replace("-", "_"))
        return name if found[2] is None else f'{name}="{found[2]}"'

    return _OPTION.sub(spelled, sentence)


# Texts in quotation marks are the data's own, and stay as they are.
_OF_LINES = re.compile(
    r'"(?:[^"\\]|\\.)*"|(?<!\S)-:(\d+)|(?<!\S)-:|(?<![^\s(])(?<!command )(lines?)(?!\.?[\w/-]| ends?\b| breaks?\b)'
)


def of_rows(text: str) -> str:
    """What the tool says of standard input and its lines, said of a table and its rows."""

    def spelled(found: re.Match[str]) -> str:
        if found[1]:
            return f"row {found[1]}"
        if found[2]:
            return found[2].replace("line", "row")
        if found[0] != "-:":
            return found[0]
        return "the table" if text.startswith(" is ", found.end()) else "the table:"

    return _OF_LINES.sub(spelled, text)


def counted(count: int, noun: str) -> str:
    """A count with its noun, like "1 row" or "2 rows"."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
