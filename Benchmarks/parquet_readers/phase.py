"""One reader and one form, in a process of its own: prints what it took, and its rows, as JSON.

    python3 -m parquet_readers.phase READER FORM FILE PLACE

`seconds` and `processor` are of reading and counting, without the start of Python and the import of packages; `processor` is of this
process and of those that it started, `tool` of the latter alone; `peak` is the memory of this process alone, in MB (2^20).
"""

import importlib
import json
import resource
import sys
import time


def spent(who):
    """Processor seconds so far, user and system."""
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def main():
    name, form, file, place = sys.argv[1:]
    reader = importlib.import_module(f"parquet_readers.{name}_reader")
    reader.version()  # Imports the packages, before the clock starts.
    own, tool, start = spent(resource.RUSAGE_SELF), spent(resource.RUSAGE_CHILDREN), time.perf_counter()
    rows = reader.weekly(file, form, place)
    seconds = time.perf_counter() - start
    own, tool = spent(resource.RUSAGE_SELF) - own, spent(resource.RUSAGE_CHILDREN) - tool
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    found = {"seconds": seconds, "processor": own + tool, "tool": tool, "peak": peak, "rows": rows}
    print(json.dumps(found))


main()
