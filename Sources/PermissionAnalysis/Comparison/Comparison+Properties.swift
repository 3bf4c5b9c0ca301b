// The comparison within the values of a property: Simpson's paradox, the sample ratio, and segments on demand.

import PermissionEvents
import Statistics

extension Comparison {
  /// - Parameter isDecided: the deciding interval leaves out 0.
  static func propertyChecks(_ sums: ComparisonSums, _ pair: Pair, isDecided: Bool) throws -> [PropertyCheck] {
    var checks = try sums.properties.map { try check($0.field, $0.strata, sums, pair, isDecided: isDecided) }
    let values = sums.properties.reduce(0) { $0 + $1.strata.filter { $0.row.all.contains { $0.exposed > 0 } }.count }
    for i in checks.indices {
      checks[i].sampleRatioPValue = checks[i].sampleRatioPValue.map { min(1, $0 * Double(values)) }
    }
    let adjusted = MultipleTesting.benjaminiHochberg(checks.map { $0.heterogeneity?.pValue })
    for (i, p) in adjusted.enumerated() {
      if let p { checks[i].heterogeneity?.adjustedPValue = p }
    }
    return checks
  }

  private static func check(
    _ field: StringField, _ strata: [ComparisonSums.Stratum], _ sums: ComparisonSums, _ pair: Pair, isDecided: Bool
  ) throws -> PropertyCheck {
    let samples = try strata.map { try stratum($0.row, sums, pair) }
    var check = PropertyCheck(
      property: field.name, usedStrata: samples.filter { $0.first.trials > 0 && $0.second.trials > 0 }.count,
      allStrata: samples.filter { $0.first.trials > 0 || $0.second.trials > 0 }.count, isReversed: false,
      isFlagged: false)
    for (value, row) in strata {
      guard let p = partPValue(row.all.map(\.exposed), sums.question.split) else { continue }
      if p < check.sampleRatioPValue ?? 2 {
        check.sampleRatioPValue = p
        check.sampleRatioValue = .some(value)
      }
    }
    guard case .success(let result) = Stratified.compare(samples) else { return check }
    let reach = 1.959963984540054 * result.postStratifiedError
    let post = result.postStratifiedDifference
    check.postStratified = Estimate(post, Interval(low: post - reach, high: post + reach))
    check.mantelHaenszel = result.mantelHaenszelDifference
    check.associationPValue = result.associationP
    check.heterogeneity = heterogeneity(result)
    check.isReversed = check.allStrata > 1 && result.simpsonReversal
    // Two differences next to 0 have opposite signs by luck. It matters where the gap does, or where there is a winner.
    let gap = abs(result.pooledDifference - post)
    check.isFlagged = check.isReversed && (isDecided || gap >= sums.question.minimumEffect)
    return check
  }

  private static func stratum(_ row: TallyRow, _ sums: ComparisonSums, _ pair: Pair) throws -> Stratified.Stratum {
    let tallies = row.counted(sums.question.policy)
    let (a, b) = (tallies[pair.control], tallies[pair.treatment])
    return Stratified.Stratum(
      first: try BinomialSample(successes: b.successes, trials: b.trials),
      second: try BinomialSample(successes: a.successes, trials: a.trials))
  }

  private static func heterogeneity(_ result: Stratified) -> Heterogeneity? {
    guard result.heterogeneityDegreesOfFreedom > 0 else { return nil }
    return Heterogeneity(
      q: result.heterogeneity, degreesOfFreedom: result.heterogeneityDegreesOfFreedom, pValue: result.heterogeneityP,
      adjustedPValue: result.heterogeneityP)
  }

  /// The comparison within each value of the property that was asked for.
  /// - Parameter checks: of all properties, so that both say the same of this one.
  static func segments(_ sums: ComparisonSums, _ pair: Pair, _ checks: [PropertyCheck]) -> Segments? {
    guard let by = sums.question.by, let (_, strata) = sums.properties.first(where: { $0.field == by }) else {
      return nil
    }
    var segments = Segments(property: by.name, segments: [])
    for (value, row) in strata {
      let tallies = row.counted(sums.question.policy)
      let (a, b) = (tallies[pair.control], tallies[pair.treatment])
      guard a.exposed > 0 || b.exposed > 0 else { continue }
      var segment = Segments.Segment(value: value, a: a, b: b)
      if let first = b.sample, let second = a.sample {
        segment.difference = Estimate.difference(first, second)
        segment.pValue = EqualityTest.primary(first, second)?.pValue
      }
      segment.sampleRatioPValue = partPValue(row.all.map(\.exposed), sums.question.split)
      segments.segments.append(segment)
    }
    let adjusted = MultipleTesting.benjaminiHochberg(segments.segments.map(\.pValue))
    for (i, p) in adjusted.enumerated() { segments.segments[i].adjustedPValue = p }
    segments.heterogeneity = checks.first { $0.property == by.name }?.heterogeneity
    return segments
  }
}
