"""Whether the tool reads events from rows for which the expression for the user has no id."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence

from permlog.spark.executor.child import answer_of, running, text_of
from permlog.spark.executor.job import Job
from permlog.spark.executor.kept import Unnamed
from permlog.spark.executor.sending import write

_OF_SHARD = ("--shard=", "--job=", "--output=")
_COUNTED = (b"events ", b"duplicates ")


def refusal(
    job: Job, unnamed: Unnamed, arguments: Sequence[str], folder: str, environment: Mapping[str, str], name: str
) -> str | None:
    """The error if it does: their users may have rows in other shards and would count twice. Otherwise None.

    Raises
    ------
    ShardError
        If the tool fails.
    """
    output = os.path.join(folder, "unnamed.sums")
    asked = [each for each in arguments if not each.startswith(_OF_SHARD)]
    # As a shard of a job, so that rows that are rejected are no error.
    asked += ["--shard=1/1", "--job=unnamed", f"--output={output}", "-"]
    with running(asked, folder, environment) as (process, said):
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # Its status gives the reason.
            write(job, unnamed.batches(), process.stdin)
            process.stdin.close()
        status = process.wait()
        text = text_of(said)
    sums, sentence = answer_of(name, status, text, output)
    if status != 0:
        return sentence.partition("\n")[2]
    found = [line.split() for line in sums.split(b"\nquestion ")[0].splitlines() if line.startswith(_COUNTED)]
    count = sum(int(line[1]) for line in found if line[1].isdigit())
    if count == 0:
        return None
    return (
        f"user has no id for {unnamed.rows:,} rows, but the tool reads {count:,} events from them. Their users may also be in "
        "other shards and would be counted twice. Name the id that the mapping reads as the user, like user=first_id(…), "
        "or leave these rows out"
    )
