"""Starts one command and says on standard output, as JSON, how long it took and how much memory it had at most.

A process of its own, without imports that cost memory: on Linux the peak of a child counts the memory of the process that started
it, up to the moment when the command replaces it. This one has 9 MB, which is the least that can be measured.

    python3 -I -S launcher.py OUTPUT ERRORS COMMAND [ARGUMENT ...]

OUTPUT and ERRORS are files for the command's standard output and standard error, INPUT is the launcher's own standard input.
"""

import os
import sys
import time


def main():
    output, errors, command = sys.argv[1], sys.argv[2], sys.argv[3:]
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    actions = [
        (os.POSIX_SPAWN_OPEN, 1, output, flags, 0o600),
        (os.POSIX_SPAWN_OPEN, 2, errors, flags, 0o600),
    ]
    start = time.perf_counter()
    child = os.posix_spawn(command[0], command, os.environ, file_actions=actions)
    _, status, usage = os.wait4(child, 0)
    seconds = time.perf_counter() - start
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    peak, processor = usage.ru_maxrss / unit, usage.ru_utime + usage.ru_stime
    code = os.waitstatus_to_exitcode(status)
    print(f'{{"seconds": {seconds!r}, "peak": {peak!r}, "processor": {processor!r}, "status": {code}}}')


main()
