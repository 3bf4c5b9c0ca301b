"""Permission analytics for iOS apps: reads exported events into a log, and answers from it.

The tool ``permlog``, which comes with this package, computes everything; this package turns its answers into tables.

Read
    ``log = Log("permlog-data")``, ``log.ingest(paths or a data frame)``; ``read_csv(path)`` reads a frame as it is written;
    ``simulate()`` makes events to try things with.
Ask
    ``log.report()``, ``log.compare("A", "B")``, ``log.experiments()``, ``log.audit()``, ``log.flow()``, ``log.plan()``.
    Answers have tables (``report.weeks``), pages (``to_html()``), the tool's JSON (``to_json()``) and charts (``plot``).
Rows
    ``log.journeys().to_pandas()``, ``log.export("events.parquet")``.
Sums ``read_sums(files)``: answers from sums that were counted elsewhere; ``permlog.spark`` counts events in Spark.
Look after
    ``log.info()``, ``log.ingests()``, ``log.undo()``, ``log.backup(path)``, ``log.verify()``, ``log.erase(ids)``,
    ``log.expire(day)``, ``log.compact()``.
Errors
    ``PermlogError``: ``UsageError`` (an argument), ``DataError`` (the data), ``FailedError``, ``ToolNotFoundError``.

``help(permlog.Log.report)`` lists the arguments of a method. The rest of this page is complete, and long.

Examples
--------
>>> import permlog
>>> log = permlog.Log("permlog-data")
>>> log.ingest("events/*.parquet")  # doctest: +SKIP
>>> log.report().plot.grant_rate()  # doctest: +SKIP
"""

from permlog import errors
from permlog._audit import Audit
from permlog._comparison import Comparison
from permlog._csv import read_csv
from permlog._document import Interval
from permlog._experiments import Experiments
from permlog._flow import Flow
from permlog._info import Erasures, Info, Ingests, Verification
from permlog._journeys import Journeys
from permlog._large_groups import LargeGroups
from permlog._log import Log
from permlog._plan import Plan
from permlog._report import Report
from permlog._simulate import Simulation, simulate
from permlog._summary import Ingest
from permlog._sums import Counts, Sums, read_sums
from permlog._tool import find_tool
from permlog._version import __version__
from permlog.errors import (
    DataError,
    FailedError,
    FileError,
    MissingUsersError,
    PermlogError,
    PermlogWarning,
    ToolNotFoundError,
    UsageError,
)

__all__ = [
    "Audit",
    "Comparison",
    "Counts",
    "DataError",
    "Erasures",
    "Experiments",
    "FailedError",
    "FileError",
    "Flow",
    "Info",
    "Ingest",
    "Ingests",
    "Interval",
    "Journeys",
    "LargeGroups",
    "Log",
    "MissingUsersError",
    "PermlogError",
    "PermlogWarning",
    "Plan",
    "Report",
    "Simulation",
    "Sums",
    "ToolNotFoundError",
    "UsageError",
    "Verification",
    "__version__",
    "errors",
    "find_tool",
    "read_csv",
    "read_sums",
    "simulate",
]
