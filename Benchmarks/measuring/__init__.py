"""What the benchmarks share: running a command, the machine, tables, the results file, callgrind."""
