"""The steps of ingest, report and compare, by the functions in which they happen.

A step is everything in and below its functions, without other steps that are called from there. Names are Swift's, as `swift
demangle --simplified` writes them. If a function is renamed or inlined into another its step is printed as not seen, and
its cost appears in the step around it.
"""

import re
from collections import Counter, defaultdict

REST = "all else"

INGEST = {
    "parse lines": r"(NDJSONParser\.parse|ImportWorker\.parse)\(",
    "scatter to partitions": r"(Scatter|SpillBuffer)\.\w+\(",
    "gather a partition": r"PartitionStore\.drain\(",
    "sort: into buckets": r"SortedPartition\.\w+\(",
    "sort within users, drop copies": r"(IngestWorker\.encodeUser|UserDeduplication\.\w+)\(",
    "add to a block": r"IngestWorker\.append\(|BlockEncoder\.append\(",
    "encode event ids": r"BlockEncoder\.encodeEventIDs\(",
    "encode times and other columns": r"BlockEncoder\.(finish|encode\w*)\(",
    "zstd": r"Compressor\.compress\(",
    "checksums": r"static Checksum\.|XXH",
    "write, footer, commit": r"EventLogWriter\.finish\(",
    "read, cut into chunks, queue": r"ImportSession\.run<",
}

SCAN = {
    "read and check blocks, unpack": r"BlockDecoder\.load\(",
    "zstd": r"Decompressor\.|^ZSTD_decompress",
    "checksums": r"static Checksum\.|XXH",
    "decode rows": r"BlockDecoder\.(decodeKinds|decodeCodes|decodeContexts|decodeLanes|decodeTimes|forEachTime)\(|TimeCoding\.",
    "merge users, ranges": r"HistoryScan\.(scan|merge|forEachThread)\(",
    "fold": r"(ReportFold|ComparisonFold)\.fold\(",
}

# The steps of a scan between the file and what is folded.
DECODING = ("read and check blocks, unpack", "zstd", "checksums", "decode rows")

REPORT = SCAN | {
    "times by group, quantiles": r"(TimeLog|TimeHistogram|BucketChains|BucketCounts)\.\w+\(|TimeSummary\.init",
    "intervals of differences": r"static MiettinenNurminen\.",
    "all other figures": r"Report\.init\(",
    "rendering": r"(ReportDocument|Document)\.render|ReportJSON\.render",
}

COMPARE = SCAN | {
    "figures": r"Comparison(Set)?\.init\(",
    "rendering": r"(ComparisonDocument|Document)\.render|ComparisonJSON\.render",
}

COMMANDS = {"ingest": INGEST, "report": REPORT, "compare": COMPARE}


def costs(steps, profile):
    """Step to instructions; None if none of its functions is there. Everything in no step is under REST."""
    plain = profile.demangled()
    patterns = {name: re.compile(pattern) for name, pattern in steps.items()}
    step_of = {}
    for function in profile.inclusive:
        found = [name for name, pattern in patterns.items() if pattern.search(plain[function])]
        if found:
            step_of[function] = found[0]
    callers = defaultdict(list)
    for (caller, callee), cost in profile.edges.items():
        if caller != callee:
            callers[callee].append((caller, cost))
    around = {}

    def surrounding(function):
        """From which steps a function is called, as shares of its cost: the nearest step upwards counts."""
        if function in around:
            return around[function]
        around[function] = {}  # Functions that call each other in a ring have no say.
        shares = Counter()
        for caller, cost in callers[function]:
            if caller in step_of:
                shares[step_of[caller]] += cost
            else:
                for step, share in surrounding(caller).items():
                    shares[step] += share * cost
        whole = sum(shares.values())
        around[function] = {step: cost / whole for step, cost in shares.items()} if whole else {REST: 1.0}
        return around[function]

    sums = Counter({REST: profile.total})
    for function, step in step_of.items():
        cost = profile.inclusive[function]
        sums[step] += cost
        for outer, share in surrounding(function).items():
            sums[outer] -= cost * share
    seen = set(step_of.values())
    return {name: sums[name] if name in seen else None for name in steps} | {REST: sums[REST]}
