// How many seeds a property test draws: some in each run, all of them after a change of the store or of the statistics.

import Foundation

public enum TestSeeds {
  /// Every fourth of the seeds; with `PERMLOG_SEEDS=all` all, which takes twice as long. For tests that take seconds a seed.
  public static func some<Seed>(_ all: [Seed]) -> [Seed] {
    if ProcessInfo.processInfo.environment["PERMLOG_SEEDS"] == "all" { return all }
    return all.enumerated().filter { $0.offset % 4 == 0 }.map(\.element)
  }
}
