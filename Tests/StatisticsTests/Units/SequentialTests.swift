// The always-valid sequence's gate, its relatives, group-sequential designs.

import Testing

@testable import Statistics

@Suite struct SequentialTests {
  typealias Refusal = AsymptoticConfidenceSequence.Refusal

  @Test func gate() throws {
    let sequence = try AsymptoticConfidenceSequence(plannedUsers: 5000)
    let good = try sample(50, 100)
    let cases: [(BinomialSample, BinomialSample, Refusal)] = [
      (try sample(50, 99), good, .tooFewUsers(arm: 1, have: 99, need: 100)),
      (good, try sample(0, 0), .tooFewUsers(arm: 2, have: 0, need: 100)),
      (try sample(9, 100), good, .tooFewEvents(arm: 1, have: 9, need: 10)),
      (good, try sample(191, 200), .tooFewNonEvents(arm: 2, have: 9, need: 10)),
      (good, try sample(0, 500), .tooFewEvents(arm: 2, have: 0, need: 10)),
    ]
    for (first, second, refusal) in cases {
      guard case .failure(let got) = sequence.evaluate(first, second) else {
        Issue.record("no refusal for \(first) \(second)")
        continue
      }
      #expect(got == refusal)
      #expect(got.sentence.hasSuffix(".") && got.sentence.contains("Arm"))
    }
    #expect(throws: Never.self) { try sequence.evaluate(try sample(10, 100), try sample(90, 100)).get() }
  }

  @Test func parametersAreChecked() {
    #expect(throws: StatisticsError.notPositive(name: "planned users", value: 0)) {
      try AsymptoticConfidenceSequence(plannedUsers: 0)
    }
    for alpha in [0, 1, -1, Double.nan] {
      #expect(throws: StatisticsError.self) { try AsymptoticConfidenceSequence(plannedUsers: 10, alpha: alpha) }
    }
  }

  /// p ≤ α exactly if the interval leaves out 0.
  @Test func pAndIntervalAgree() throws {
    let sequence = try AsymptoticConfidenceSequence(plannedUsers: 4000)
    for x in stride(from: 900, through: 1100, by: 2) {
      let got = try sequence.evaluate(try sample(x, 2000), try sample(1000, 2000)).get()
      #expect((got.pValue <= 0.05) == !got.interval.contains(0), "\(x)")
    }
  }

  @Test func extremeEvidenceKeepsItsLogarithm() throws {
    let sequence = try AsymptoticConfidenceSequence(plannedUsers: 5000)
    let got = try sequence.evaluate(try sample(900_000, 1_000_000), try sample(100_000, 1_000_000)).get()
    #expect(got.pValue == 0 && got.log10PValue < -100_000 && got.log10PValue.isFinite)
  }

  /// With τ² = V n ρ² the mixture test is the same statement.
  @Test func mixtureTestIsTheSame() throws {
    let mixture = try NormalMixture(plannedUsers: 3000, alpha: 0.05)
    let (d, variance, n) = (0.04, 0.0003, 1700.0)
    let other = try MixtureSPRT.test(
      difference: d, variance: variance, mixingVariance: variance * n * mixture.rhoSquared)
    let log = mixture.logEValue(difference: d, squaredError: variance, users: n)
    #expect(close(other.likelihoodRatio, exponential(log), relative: 1e-13))
  }

  @Test func exactSequencePerArm() throws {
    let sequence = try BernoulliConfidenceSequence(tuningTrials: 50)
    #expect(sequence.interval(try sample(0, 0)) == Interval(low: 0, high: 1))
    // confseq's own test values, to its printed digits.
    let a = sequence.interval(try sample(15, 50))
    #expect(close(a.low, 0.129556, relative: 1e-4) && close(a.high, 0.511896, relative: 1e-4))
    let b = sequence.interval(try sample(5, 50))
    #expect(close(b.low, 0.013021, relative: 1e-4) && close(b.high, 0.269264, relative: 1e-4))
    let all = sequence.interval(try sample(40, 40))
    let none = sequence.interval(try sample(0, 40))
    #expect(all.high == 1 && none.low == 0 && close(1 - all.low, none.high, relative: 1e-10))
    let difference = try BernoulliConfidenceSequence.differenceInterval(
      sample(40, 40), sample(0, 40), tuningTrials: 50)
    #expect(difference.high == 1 && difference.low > 0)
  }

  @Test func groupSequentialSpendsItsAlpha() throws {
    let design = try GroupSequential(equalLooks: 5, spending: .obrienFleming)
    for (look, published) in zip(design.boundaries, [4.8769, 3.3570, 2.6803, 2.2898, 2.0310]) {
      #expect(close(look.bound, published, absolute: 5e-5))
    }
    // Crossing any bound without an effect has probability alpha.
    #expect(close(design.crossingProbability(drift: 0), 0.05, relative: 1e-8))
    #expect(close(design.crossingProbability(drift: 1), design.crossingProbability(drift: -1), relative: 1e-8))
    let many = try GroupSequential(equalLooks: 30, alpha: 0.01, spending: .pocock)
    #expect(close(many.crossingProbability(drift: 0), 0.01, relative: 1e-6))
    let single = try GroupSequential(equalLooks: 1, spending: .pocock)
    #expect(close(single.boundaries[0].bound, 1.959963984540054, relative: 1e-10))
    let interval = try #require(single.interval(difference: 0.1, standardError: 0.01, look: 0))
    #expect(close(interval.low, 0.1 - 0.01959963984540054, relative: 1e-9))
    #expect(single.interval(difference: 0.1, standardError: 0.01, look: 1) == nil)
  }

  @Test func groupSequentialRefusals() {
    #expect(throws: StatisticsError.looksNotRising(index: 1)) {
      try GroupSequential(fractions: [0.5, 0.5], spending: .pocock)
    }
    #expect(throws: StatisticsError.looksNotRising(index: 0)) {
      try GroupSequential(fractions: [0], spending: .pocock)
    }
    #expect(throws: StatisticsError.looksNotRising(index: 1)) {
      try GroupSequential(fractions: [0.5, 1.2], spending: .pocock)
    }
    #expect(throws: StatisticsError.tooFew(name: "looks", have: 0, need: 1)) {
      try GroupSequential(equalLooks: 0, spending: .pocock)
    }
  }

  /// Nearly no error spent at a first, very early look.
  @Test func veryEarlyLook() throws {
    let design = try GroupSequential(fractions: [0.001, 1], spending: .obrienFleming)
    #expect(design.boundaries[0].bound == .infinity || design.boundaries[0].bound > 30)
    #expect(close(design.boundaries[1].bound, 1.959963984540054, relative: 1e-6))
  }

  @Test func inflation() throws {
    #expect(close(SequentialInflation.asymptotic(), 1.91, absolute: 0.006))
    let design = try GroupSequential(equalLooks: 5, spending: .obrienFleming)
    #expect(close(SequentialInflation.groupSequential(design), 1.0247, absolute: 0.0005))
    let single = try GroupSequential(equalLooks: 1, spending: .pocock)
    #expect(close(SequentialInflation.groupSequential(single), 1, absolute: 1e-5))
  }
}
