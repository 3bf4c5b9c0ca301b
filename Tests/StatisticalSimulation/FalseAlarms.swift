// How often the checks beside a decision cry wolf, if nothing is wrong and they are looked at every day.

import Statistics

/// Novelty in experiments whose effect stays the same, or fades.
public struct NoveltyAlarms: Sendable {
  public let shape: DailyCounts
  /// Days in which the effect fades to nothing; nil: it stays.
  public let fading: Int?
  public let tests: Int
  public let seed: UInt64

  public init(_ shape: DailyCounts, fading: Int? = nil, tests: Int, seed: UInt64) {
    self.shape = shape
    self.fading = fading
    self.tests = tests
    self.seed = seed
  }

  /// The share of experiments flagged at any look.
  ///
  /// `tenLooks` is p < 0.05 against the difference at any of ten looks in 60 days, decided or not; `afterCrossing` is
  /// `NoveltyTrend.isFading` on any day from the first crossing on, of the default rule.
  public func shares() throws -> (tenLooks: Double, afterCrossing: Double) {
    var numbers = SeededNumbers(seed: seed)
    let bounds = try shape.boundaries(plannedUsers: 5000, exponent: 1.5).map(\.bound)
    var ten = 0
    var after = 0
    for _ in 0..<tests {
      let (new, sums) = try draw(&numbers)
      let crossing = (DailyCounts.firstLook...shape.days).first { day in
        abs(MiettinenNurminen.scoreAtZero(sums[day - 1].b, sums[day - 1].a) ?? 0) >= bounds[day - DailyCounts.firstLook]
      }
      let early = RuleSimulation.looks.filter { $0 >= DailyCounts.firstLook && $0 <= shape.days }
      if early.contains(where: { day in
        trend(new, sums, day).map { $0.pValue < 0.05 && $0.slope * $0.meanDifference < 0 } ?? false
      }) {
        ten += 1
      }
      if let crossing, (crossing...shape.days).contains(where: { trend(new, sums, $0)?.isFading ?? false }) {
        after += 1
      }
    }
    return (Double(ten) / Double(tests), Double(after) / Double(tests))
  }

  /// Differences of the days, and counts up to each day's end.
  private func draw(_ numbers: inout SeededNumbers) throws -> (differences: [Double], sums: [ArmsAtLook]) {
    var a = 0
    var b = 0
    var differences: [Double] = []
    var sums: [ArmsAtLook] = []
    for day in 1...shape.days {
      let left = fading.map { max(0, 1 - Double(day - 1) / Double($0)) } ?? 1
      let newA = numbers.successes(of: shape.usersADay, rate: shape.baseline)
      let newB = numbers.successes(of: shape.usersADay, rate: shape.baseline + left * shape.effect)
      a += newA
      b += newB
      differences.append(Double(newB - newA) / Double(shape.usersADay))
      sums.append(
        ArmsAtLook(
          a: try BinomialSample(successes: a, trials: shape.usersADay * day),
          b: try BinomialSample(successes: b, trials: shape.usersADay * day)))
    }
    return (differences, sums)
  }

  /// As `compare` fits it: a day's weight from its users and the arms' rates over all days.
  private func trend(_ differences: [Double], _ sums: [ArmsAtLook], _ day: Int) -> NoveltyTrend? {
    guard let p = sums[day - 1].a.rate, let q = sums[day - 1].b.rate else { return nil }
    let error = ((p * (1 - p) + q * (1 - q)) / Double(shape.usersADay)).squareRoot()
    let points = (0..<day).map { NoveltyTrend.Day(day: $0, difference: differences[$0], standardError: error) }
    return try? NoveltyTrend.fit(points).get()
  }
}

/// The sample ratio of users who are divided as planned.
public struct SampleRatioAlarms: Sendable {
  public let weights: [Double]
  public let usersADay: Int
  public let days: Int
  public let tests: Int
  public let seed: UInt64
  /// The weights by which users really come.
  public let truth: [Double]

  public init(weights: [Double], truth: [Double]? = nil, usersADay: Int, days: Int, tests: Int, seed: UInt64) {
    self.weights = weights
    self.truth = truth ?? weights
    self.usersADay = usersADay
    self.days = days
    self.tests = tests
    self.seed = seed
  }

  /// The share of experiments with an alarm at the end of any day: chi-square below 0.001 of all users or, after Holm, of
  /// a day; and the sequential test at 0.01.
  public func shares() throws -> (chiSquare: Double, sequential: Double) {
    var numbers = SeededNumbers(seed: seed)
    let sequence = try SequentialSampleRatio(weights: weights)
    var repeated = 0
    var sequential = 0
    for _ in 0..<tests {
      var sums: [[Int]] = []
      var smallest = 1.0
      var isAlarmed = false
      var total = weights.map { _ in 0 }
      for day in 1...days {
        let new = draw(&numbers)
        for arm in total.indices { total[arm] += new[arm] }
        sums.append(total)
        smallest = min(smallest, try ChiSquare.sampleRatio(observed: new, weights: weights).pValue)
        let all = try ChiSquare.sampleRatio(observed: total, weights: weights).pValue
        if all < 0.001 || smallest * Double(day) < 0.001 { isAlarmed = true }
      }
      if isAlarmed { repeated += 1 }
      if sequence.path(sums).firstAlarm != nil { sequential += 1 }
    }
    return (Double(repeated) / Double(tests), Double(sequential) / Double(tests))
  }

  private func draw(_ numbers: inout SeededNumbers) -> [Int] {
    let sum = truth.reduce(0, +)
    var counts = truth.map { _ in 0 }
    for _ in 0..<usersADay {
      var point = Double(numbers.next() >> 11) * 0x1p-53 * sum
      var arm = 0
      while arm < truth.count - 1, point >= truth[arm] {
        point -= truth[arm]
        arm += 1
      }
      counts[arm] += 1
    }
    return counts
  }
}
