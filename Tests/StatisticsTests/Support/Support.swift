// What the tests share: comparison, samples, a seeded generator.

import Statistics

/// |got − want| ≤ absolute + relative |want|, and equal infinities.
func close(_ got: Double?, _ want: Double, relative: Double = 1e-9, absolute: Double = 0) -> Bool {
  guard let got else { return false }
  if got == want { return true }
  return abs(got - want) <= absolute + relative * abs(want)
}

func sample(_ successes: Int, _ trials: Int) throws -> BinomialSample {
  try BinomialSample(successes: successes, trials: trials)
}

/// SplitMix64 (S. Vigna), so that a failing seed can be run again.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// Sizes from 1 to a billion, small ones as likely as large ones.
  mutating func trials() -> Int {
    let limits = [1, 2, 5, 20, 100, 1000, 100_000, 10_000_000, 1_000_000_000]
    let limit = limits.randomElement(using: &self) ?? 1
    return Bool.random(using: &self) ? limit : Int.random(in: 1...limit, using: &self)
  }

  /// Counts with 0, all, and the ends' neighbours often.
  mutating func successes(of trials: Int) -> Int {
    switch Int.random(in: 0..<6, using: &self) {
    case 0: 0
    case 1: trials
    case 2: min(trials, Int.random(in: 0...10, using: &self))
    case 3: max(0, trials - Int.random(in: 0...10, using: &self))
    default: Int.random(in: 0...trials, using: &self)
    }
  }
}
