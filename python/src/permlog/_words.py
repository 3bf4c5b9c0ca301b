"""The tool's sentences in the words of this package."""

from __future__ import annotations

import re
from collections.abc import Callable

# The options that are arguments of a method: in sentences they are called as in Python.
KEYWORDS = frozenset(
    """
    adjust again all allow-custom-permissions allow-future allow-missing as-of assignments at-once baseline before by by-limit contaminated days decided-before
    dry-run effect effect-sd event-name examples experiment explain export-list follow-up force-mixed-users format from guardrail hash-event-ids hash-users identity import-list
    info-plist input-time-zone into-new-log journeys keep keep-ids keep-partial key link-file log-start looks mapping max-rejected metric minimum-effect
    move-key no-join onboarding only other-spellings permission plan planned-n power project-time-zone property readmit receipt record rejects replace
    rejects-limit response-window rule save screen seed settings-messages skip-bad skip-damaged snapshot-time split start state steps strict threads threshold time-zone
    to traffic truth user users variant-from variants wait week week-start weeks where with-erasures without-users
    """.split()  # noqa: SIM905
)

# Options that have another name here.
_NAMES = {"from": "from_", "log": "Log(path)", "output": "path", "users-from": "user", "from-sums": "sums"}

# What the tool says to do, and the same in this package. A test has all remedies of the tool.
_REMEDIES = [
    (re.compile(pattern), words)
    for pattern, words in (
        (
            r"Make one with `permlog ingest FILE --log '?(.*?)'?`, or name another with --log\.",
            r'Make one with Log("\1").ingest(path).',
        ),
        (r"Fill it with `permlog ingest FILE(?: --log [^`]*)?`", "Fill it with ingest(path)"),
        (r"Name an empty or a new directory with --log", "Name an empty or a new directory: Log(path)"),
        (r"`permlog verify` lists", "verify() lists"),
        (r"Run `permlog verify`", "Run verify()"),
        (r"`permlog export --skip-damaged`", "export(path, skip_damaged=True)"),
        (r"`permlog compact` is", "compact() is"),
        (
            r"--with-erasures FILE writes the list for permlog erase --import-list",
            "export(path, with_erasures=file) writes the list for erase(import_list=file)",
        ),
        (r"a --readmit or compact\.", "a readmission or compact()."),
        (r"`permlog erase --key FILE --user ID` creates", "erase(id, key=path) creates"),
        (r"`permlog erase --move-key FILE`", "erase(move_key=path)"),
        (r"that `permlog erase` created: --key FILE", "that erase() created: key=path"),
        (
            r"`permlog erase`\. It has the most lines in `permlog export`",
            "erase(id). It has the most lines in export(path)",
        ),
        (r"Give it with --key FILE", "Give it: key=path"),
        (r"permlog rekey OLD NEW", "rekey(old, new)"),
        (r"permlog erase --hash-event-ids --hash-users KEYFILE", "erase(hash_event_ids=True, hash_users=path)"),
        (r"--hash-users KEYFILE", "hash_users=path"),
        (r"permlog ingest FILES --replace", "ingest(paths, replace=True)"),
        (r"permlog ingest FILES --into-new-log --log NEW_DIR", "Log(path).ingest(paths, into_new_log=True)"),
        (r"like permlog compare A B, or give a --plan,", 'like compare("A", "B"), or give a plan,'),
        (
            r"like permlog compare --property app_version 3\.1\.0 3\.2\.0",
            'like compare("3.1.0", "3.2.0", property="app_version")',
        ),
        (r"\(`permlog info` lists them\)", "(info() lists them)"),
        (r"permlog info shows", "info() shows"),
        (r"; give it with --info-plist FILE", '; give it: audit("Info.plist")'),
        (r"`permlog sums show`", "sums.counts.rejections"),
        (
            r"read it as text, from where it comes",
            "read it as text, in pandas with pd.read_csv(path, dtype=str, keep_default_na=False) or permlog.read_csv(path)",
        ),
        (
            r"where text is needed; convert it to text",
            'where text is needed; convert it to text, in pandas with frame[name].astype("string")',
        ),
    )
]
_OPTION = re.compile(r"--([a-z][a-z-]*[a-z])(?:[ =]([A-Z][A-Za-z_]+/[A-Za-z_/]+|[0-9]+(?:ms|[smhd])\b))?")
_INVALID = re.compile(r"The value '(.*)' is invalid for '([a-z_]+)(?: <[^>]*>)?'(?=$|\n)", re.DOTALL)
_ONE_OF = re.compile(
    r"The value '(.*)' is invalid for '([a-z_]+)(?: <[^>]*>)?'\. Please provide one of the following:((?:\n  - \S+)+)",
    re.DOTALL,
)
_FOR_SHELLS = re.compile(r" In a shell [^\n]*")

# Values that the parser of the command line refuses. Fields of questions describe their own values.
_TAKES = {
    "wait": 'seconds, a number with s, m or h like "60s", or a timedelta',
    "max_rejected": 'a number of lines like 100, or a share like "1%"',
    "rejects_limit": 'a size like "100MB"',
}


def in_python(sentence: str) -> str:
    """A sentence of the tool, with its options spelled as arguments of this package.

    A zone or time after an option becomes its value.
    """

    def spelled(found: re.Match[str]) -> str:
        if found[1] not in KEYWORDS and found[1] not in _NAMES:
            return found[0]
        name = _NAMES.get(found[1], found[1].replace("-", "_"))
        return name if found[2] is None else f'{name}="{found[2]}"'

    for pattern, words in _REMEDIES:
        sentence = pattern.sub(words, sentence)
    sentence = _ONE_OF.sub(_listed, _OPTION.sub(spelled, sentence))
    return _INVALID.sub(_explained, _FOR_SHELLS.sub("", sentence))


def _listed(found: re.Match[str]) -> str:
    """The error for an invalid value, with all valid values."""
    return f"{found[2]}: {found[1]!r} is not one of {', '.join(found[3].replace('  - ', '').split())}"


def _explained(found: re.Match[str]) -> str:
    """The error for an invalid value, with the valid form if the tool does not name it."""
    takes = _TAKES.get(found[2])
    return f"{found[2]}: {found[1]!r} is not {takes}" if takes else found[0]


# Texts in quotation marks come from the data and do not change.
_OF_LINES = re.compile(
    r'"(?:[^"\\]|\\.)*"|(?<!\S)-:(\d+)|(?<!\S)-:|(?<![^\s(])(?<!command )(lines?)(?! \d|\.?[\w/-]| ends?\b| breaks?\b)'
)


def of_rows(text: str, place: Callable[[int], str] | None = None) -> str:
    """The tool's sentences about standard input and lines, changed to a table and rows, which count from 0.

    Parameters
    ----------
    place : callable, optional
        The position of a row of the table. By default its number.
    """

    def spelled(found: re.Match[str]) -> str:
        if found[1]:
            return f"row {int(found[1]) - 1}" if place is None else place(int(found[1]))
        if found[2]:
            return found[2].replace("line", "row")
        if found[0] != "-:":
            return found[0]
        return "the table" if text.startswith(" is ", found.end()) else "the table:"

    return _OF_LINES.sub(spelled, text)


def counted(count: int, noun: str) -> str:
    """A count with its noun, like "1 row" or "2 rows"."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
