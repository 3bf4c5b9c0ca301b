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

_OPTION = re.compile(r"--([a-z][a-z-]*[a-z])(?:[ =]([A-Z][A-Za-z_]+/[A-Za-z_/]+))?")


def in_python(sentence: str) -> str:
    """A sentence of the tool with its options as the arguments that they are here; a zone after one as its value."""

    def spelled(found: re.Match[str]) -> str:
        if found[1] not in KEYWORDS:
            return found[0]
        name = "from_" if found[1] == "from" else found[1].replace("-", "_")
        return name if found[2] is None else f'{name}="{found[2]}"'

    return _OPTION.sub(spelled, sentence)


def counted(count: int, noun: str) -> str:
    """A count with its noun, like "1 row" or "2 rows"."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
