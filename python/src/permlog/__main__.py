"""``python -m permlog``: the tool, which also takes tables (Parquet and the like) to ingest and to map."""

from __future__ import annotations

import io
import itertools
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from typing import NoReturn

from permlog._extras import need_pyarrow
from permlog._feed import feed, needed
from permlog._prepare import Preparation
from permlog._progress import Progress
from permlog._row_places import Places, state
from permlog._sources import Table, resolve
from permlog._tool import find_tool
from permlog._words import of_rows
from permlog.errors import PermlogError, UsageError

# The options of ingest that take a value, and the options for reading tables.
_READING = {
    "--format",
    "--mapping",
    "--identity",
    "--project-time-zone",
    "--input-time-zone",
    "--event-name",
    "--snapshot-time",
}
_VALUED = _READING | {"--log", "--threads", "--wait", "--hash-users", "--key", "--rejects", "--rejects-limit"}
_VALUED |= {"--max-rejected", "--summary", "--color", "--rows", "--width", "--experiment", "--state", "--fail-on"}
# The commands that read files, and the rows of a table that a draft looks at.
_COMMANDS = (["ingest"], ["mapping", "check"], ["mapping", "columns"], ["mapping", "draft"])
_DRAFTED = 1000
_READING_FLAGS = {"--keep-ids", "--allow-custom-permissions", "--allow-future", "--keep-partial"}


def main(arguments: Sequence[str]) -> int:
    """Runs the tool with the arguments. If these name tables to ingest or to map, sends it their rows.

    Returns
    -------
    int
        The exit status. Without tables the tool replaces this process.
    """
    try:
        source = _tables(arguments)
        if source is None:
            _become(arguments)
        found, rest, reading = source
        if rest[:2] == ["mapping", "draft"]:
            return _draft(found, rest)
        # What a check or a list of columns says is short.
        return _ingest(found, rest, reading, quiet="--quiet" in rest or rest[0] == "mapping")
    except PermlogError as problem:
        if problem.notes:
            print(problem.notes, file=sys.stderr)
        print(f"permlog: {problem.sentence}", file=sys.stderr)
        return problem.code
    except (ImportError, OSError) as problem:
        print(f"permlog: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _become(arguments: Sequence[str]) -> NoReturn:
    tool = str(find_tool())
    os.execv(tool, [tool, *arguments])


def _tables(arguments: Sequence[str]) -> tuple[Table, list[str], list[str]] | None:
    """The tables to read, the other arguments with the command, and the options for reading tables; None without tables."""
    command = next((words for words in _COMMANDS if list(arguments[: len(words)]) == words), None)
    if command is None:
        return None
    places, rest, reading = _parted(arguments[len(command) :])
    if "-" in places or not places or not {"-h", "--help", "--version"}.isdisjoint(rest):
        return None
    found = resolve(places)
    return None if isinstance(found, list) else (found, [*command, *rest], reading)


def _parted(arguments: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """Operands, options, and the options that say how a table is read."""
    places: list[str] = []
    rest: list[str] = []
    reading: list[str] = []
    left = iter(arguments)
    for argument in left:
        if argument == "--":
            places += left
        elif argument == "-" or not argument.startswith("-"):
            places.append(argument)
        else:
            words = [argument]
            name = argument.partition("=")[0]
            if name in _VALUED and "=" not in argument:
                words += [word for word in [next(left, None)] if word is not None]
            rest += words
            if name in _READING | _READING_FLAGS:
                reading += words
    return places, rest, reading


def _ingest(table: Table, arguments: list[str], reading: list[str], quiet: bool) -> int:
    schema, batches = table.read(needed(table.names, reading))
    rejects = _values("--rejects", arguments)[-1:]
    before = [state(kept) for kept in rejects]
    with Progress(table.rows, False if quiet else None) as bar:
        code, text = feed([*arguments, "-"], schema, batches, stdout=None, progress=bar)
    place = None
    if isinstance(sent := getattr(table, "sent", None), dict):
        places = Places(sent)
        place = places.named
        for kept, was in zip(rejects, before, strict=True):
            places.in_file(kept, was)
    sys.stderr.write(of_rows(text, place))
    return code


def _draft(table: Table, arguments: list[str]) -> int:
    """A draft from the first rows of a table, as CSV: its columns are all that a mapping needs."""
    csv = need_pyarrow("csv").csv
    schema, batches = table.read(table.names)
    prepared = Preparation(schema)
    first = next((prepared(batch.slice(0, _DRAFTED)) for batch in batches if batch.num_rows), None)
    if first is None:
        raise UsageError("The table has no rows, so nothing can be guessed: name one with rows")
    head = io.BytesIO()
    csv.write_csv(first, head)
    drawn = subprocess.run(
        [str(find_tool()), *arguments, "-"], input=head.getvalue(), stdout=subprocess.PIPE, check=False
    )
    # The rows went as CSV; the file is another kind of table.
    text = drawn.stdout.decode()
    sys.stdout.write(re.sub(r"^  form: csv .*$", "  form: table", text, flags=re.MULTILINE))
    return drawn.returncode


def _values(option: str, arguments: Sequence[str]) -> list[str]:
    """The values of an option, given with a sign or as the next argument."""
    found = [each.partition("=")[2] for each in arguments if each.startswith(f"{option}=")]
    return found + [value for each, value in itertools.pairwise(arguments) if each == option]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
