// How many seeds a property test draws: some every day, more of them in CI.

import Foundation

public enum TestSeeds {
  /// Every fourth of the seeds; every second with `PERMLOG_SEEDS=half`, as `Scripts/test --all` sets it; with `PERMLOG_SEEDS=all` all.
  /// For tests that take seconds a seed.
  public static func some<Seed>(_ all: [Seed]) -> [Seed] {
    let step =
      switch ProcessInfo.processInfo.environment["PERMLOG_SEEDS"] {
      case "all": 1
      case "half": 2
      default: 4
      }
    return all.enumerated().filter { $0.offset % step == 0 }.map(\.element)
  }
}
