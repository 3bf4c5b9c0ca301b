// How many seeds a property test draws: some every day, all of them in CI.

import Foundation

public enum TestSeeds {
  /// Every fourth of the seeds; all with `PERMLOG_ALL_SEEDS=1`, as `Scripts/test --all` sets it. For tests that take seconds a seed.
  public static func some<Seed>(_ all: [Seed]) -> [Seed] {
    if ProcessInfo.processInfo.environment["PERMLOG_ALL_SEEDS"] == "1" { return all }
    return all.enumerated().filter { $0.offset % 4 == 0 }.map(\.element)
  }
}
