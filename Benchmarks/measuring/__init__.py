"""What the benchmarks share: running a command, the machine, tables, the results file, callgrind."""

import os

# What is measured is the answer, not the second look at an answer that was kept.
os.environ["PERMLOG_NO_CACHE"] = "1"
