// From the sums of a comparison to its figures: each message against the first.

import Folding
import PermissionEvents
import Statistics

extension ComparisonSet {
  /// - Parameter counts: of all users.
  package init(_ counts: ComparisonCounts, _ question: ComparisonQuestion) throws {
    // A file of sums may name other messages than its question.
    guard counts.variants.isEmpty || counts.variants == question.armNames else {
      throw SumsError(.otherQuestion, "the sums are of other messages than the question")
    }
    let sums = ComparisonSums(counts, question)
    let variants = question.variants ?? []
    let names = ComparisonNames(
      permission: question.permission, experiment: question.experiment, variants: variants)
    var pairs = try (1..<max(1, variants.count)).map { try Comparison(sums, names, treatment: $0) }
    let adjusted = MultipleTesting.holm(pairs.map { $0.test?.pValue })
    for (i, p) in adjusted.enumerated() { pairs[i].adjustedPValue = p }
    self.pairs = pairs
    probabilityBest = try Self.probabilityBest(sums)
  }

  private static func probabilityBest(_ sums: ComparisonSums) throws -> [Double]? {
    let metric = sums.question.metric
    let samples = try sums.counted.map { counts in
      let sample = try counts.binomial(metric)
      return metric.isGoodWhenHigh ? sample : sample.complement
    }
    return samples.allSatisfy { $0.trials > 0 } ? BetaBinomial.probabilityBest(samples) : nil
  }
}

/// The names that a comparison is printed with.
struct ComparisonNames {
  var permission: String
  var experiment: String?
  var variants: [String]
}

extension ArmCounts {
  func binomial(_ metric: ComparisonMetric) throws -> BinomialSample {
    let sample = sample(metric)
    return try BinomialSample(successes: sample.successes, trials: sample.trials)
  }
}
