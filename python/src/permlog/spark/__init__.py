"""permlog's questions about events in Spark, for events that must stay there.

Below some 100 billion events one machine is faster: ``permlog.Log``. docs/spark.md explains when Spark is the right
choice.

Examples
--------
>>> import permlog.spark as ps
>>> lake = ps.PermissionLake(spark.table("events"), columns={"user_id": "device_id"})  # doctest: +SKIP
>>> sums = lake.sums(ps.report(as_of="2026-04-01"), ps.audit(as_of="2026-04-01"))  # doctest: +SKIP
>>> sums.report().weeks  # doctest: +SKIP

Questions
    ``report()``, ``compare()``, ``flow()``, ``audit()`` with the arguments of the methods of ``permlog.Log``; ``read_question(path)``.
Events
    ``PermissionLake(df, columns=…)``, or ``PermissionLake.lines(df, line=…, user=…)`` for exports as texts;
    ``first_id(column, …)`` for users whose id may be in several columns.
Answers
    ``lake.sums(question, …)`` gives ``permlog.Sums``: ``.counts``, ``.report()``, ``.compare()``, ``.flow()``, ``.audit()``, ``.save(path)``.

pyspark is imported when a lake is used, not earlier.
"""

from permlog._questions import Question, audit, compare, flow, read_question, report
from permlog._sums import Sums, read_sums
from permlog.spark._lake import PermissionLake
from permlog.spark._users import first_id

__all__ = [
    "PermissionLake",
    "Question",
    "Sums",
    "audit",
    "compare",
    "first_id",
    "flow",
    "read_question",
    "read_sums",
    "report",
]
