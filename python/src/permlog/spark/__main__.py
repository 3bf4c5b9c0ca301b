"""``python -m permlog.spark``, and the program for spark-submit: events at a path, questions in files, sums to a file."""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from permlog._extras import need_pyspark
from permlog.errors import FailedError, PermlogError, PermlogWarning, UsageError
from permlog.spark import PermissionLake, read_question
from permlog.spark._lake import MERGE_ABOVE

_DESCRIPTION = """\
Answer saved questions for events that Spark reads, and write the sums to a file on the driver.

  permlog report --as-of 2026-04-01 --log-start 2025-01-01 --save-question weekly.question
  spark-submit … …/permlog/spark/__main__.py --input s3://bucket/events/ --question weekly.question --output weekly.sums
  permlog report --from-sums weekly.sums
"""


class _Parser(argparse.ArgumentParser):
    """A wrong option ends with 64, as in permlog's commands."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(64, f"permlog: {message}\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m permlog.spark",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--input", required=True, action="append", metavar="PATH", help="what Spark reads; repeatable")
    parser.add_argument(
        "--format", default="parquet", help="parquet (default), orc, delta, iceberg …, or text for lines of JSON"
    )
    parser.add_argument("--table", action="store_true", help="--input is the name of a table of the catalog")
    parser.add_argument(
        "--question", required=True, action="append", metavar="FILE", help="of --save-question; repeatable"
    )
    parser.add_argument(
        "--output", required=True, metavar="FILE", help="the file of sums, written completely or not at all"
    )
    parser.add_argument(
        "--column", action="append", default=[], metavar="FIELD=COLUMN", help="like user_id=device_id; repeatable"
    )
    parser.add_argument(
        "--user",
        metavar="EXPRESSION",
        help="the id by which users are divided, in SQL, like get_json_object(value, '$.uid'); "
        "needed with every --mapping except amplitude and ga4",
    )
    parser.add_argument(
        "--mapping", action="append", metavar="NAME|FILE", help="a preset, like amplitude, or mappings of your own"
    )
    parser.add_argument("--identity", choices=("device", "account"))
    parser.add_argument("--input-time-zone", metavar="ZONE")
    parser.add_argument("--keep-ids", action="store_true")
    parser.add_argument("--allow-custom-permissions", action="store_true")
    parser.add_argument("--allow-future", action="store_true")
    parser.add_argument("--no-join", action="store_true", help="ignore rows that link two ids of users")
    parser.add_argument(
        "--equal-copies", action="store_true", help="copies of an event are equal in every column: send fewer columns"
    )
    parser.add_argument("--ship", action="store_true", help="send the tool to the executors, which do not have it")
    parser.add_argument("--shards", type=int, metavar="N", help="parts of the users (default: by the number of rows)")
    parser.add_argument(
        "--merge-above",
        type=int,
        default=MERGE_ABOVE,
        metavar="N",
        help="add up sums in tasks if there are more shards than this",
    )
    return parser


def main(arguments: Sequence[str]) -> int:
    """Runs the job in the session of spark-submit, or in a new one.

    Returns
    -------
    int
        The exit status: that of permlog's commands.
    """
    options = _parser().parse_args(arguments)
    try:
        questions = [read_question(path) for path in options.question]
        with _whole(options.output) as unfinished, warnings.catch_warnings():
            warnings.simplefilter("ignore", PermlogWarning)  # All rejected rows are reported at the end.
            lake = _lake(_session(), options)
            sums = lake.sums(*questions, shards=options.shards, merge_above=options.merge_above)
            sums.save(unfinished)
    except PermlogError as problem:
        print(f"permlog: {problem.sentence}", file=sys.stderr)
        return problem.code
    except (ImportError, OSError) as problem:
        print(f"permlog: {problem}", file=sys.stderr)
        return 1
    except Exception as problem:
        said = _of_spark(problem)
        if said is None:
            raise
        print(f"permlog: Spark failed: {said}", file=sys.stderr)
        return 1
    print(repr(sums.counts), file=sys.stderr)
    for reason, count in sums.counts.rejections.items():
        print(f"rejected {count:,}: {reason}", file=sys.stderr)
    return 0


def _of_spark(problem: Exception) -> str | None:
    """The first line of Spark's error, without the call stack; None for other errors."""
    if type(problem).__module__.partition(".")[0] not in ("pyspark", "py4j", "grpc"):
        return None
    lines = [line.strip().removeprefix(": ") for line in str(problem).splitlines()]
    said = [line for line in lines if line and not line.startswith("An error occurred while calling")]
    return said[0] if said else type(problem).__name__


def _session() -> Any:
    need_pyspark()
    from pyspark.sql import SparkSession

    return SparkSession.builder.getOrCreate()


def _lake(session: Any, options: argparse.Namespace) -> PermissionLake:
    from pyspark.sql import functions as F

    reading: dict[str, Any] = {
        "mapping": options.mapping[0] if options.mapping and len(options.mapping) == 1 else options.mapping,
        "identity": options.identity,
        "input_time_zone": options.input_time_zone,
        "keep_ids": options.keep_ids,
        "allow_custom_permissions": options.allow_custom_permissions,
        "allow_future": options.allow_future,
        "no_join": options.no_join,
        "tool": "ship" if options.ship else "installed",
    }
    user = None if options.user is None else F.expr(options.user)
    if options.format == "text":
        if options.column or options.equal_copies or options.table:
            raise UsageError("--column, --equal-copies and --table are for tables; text has lines")
        return PermissionLake.lines(session.read.text(options.input), "value", user, **reading)
    columns = {}
    for each in options.column:
        field, sign, column = each.partition("=")
        if not sign or not field or not column:
            raise UsageError(f"--column takes a field and a column, like user_id=device_id, not {each!r}")
        columns[field] = column
    if options.table and len(options.input) > 1:
        raise UsageError("--table takes one --input")
    frame = (
        session.table(options.input[0]) if options.table else session.read.format(options.format).load(options.input)
    )
    return PermissionLake(frame, columns, user=user, equal_copies=options.equal_copies, **reading)


@contextlib.contextmanager
def _whole(path: str) -> Iterator[str]:
    """A temporary name next to a file that is written completely or not at all.

    A folder that cannot be written to is found before the job, not after it.

    Raises
    ------
    FailedError
        If no file can be written there.
    """
    unfinished = f"{path}.unfinished"
    try:
        if os.path.isdir(path):
            raise IsADirectoryError(errno.EISDIR, "it is a folder", path)
        with open(unfinished, "wb"):
            pass
    except OSError as problem:
        raise FailedError(f"--output: {path} cannot be written: {problem.strerror}. Name another file.") from problem
    try:
        yield unfinished
        os.replace(unfinished, path)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(unfinished)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
