// The comparison as JSON, schema permlog.compare/1: every key always there, in this order.

import PermissionAnalysis

package enum ComparisonJSON {
  package static let schema = "permlog.compare/1"

  package static func render(_ comparison: Comparison) -> [UInt8] { value(comparison).encode() }

  private static func value(_ c: Comparison) -> JSONValue {
    .object([
      ("schema", .string(schema)), ("permission", .string(c.permission)), ("experiment", .optional(c.experiment)),
      ("metric", .string(c.metric.rawValue)), ("a", arm(c.a)), ("b", arm(c.b)),
      ("difference", ReportJSON.estimate(c.difference)), ("ratio", ReportJSON.estimate(c.ratio)),
      ("p_value", .optional(c.test?.pValue)), ("test", .optional(c.test?.method.rawValue)),
      ("always_valid", alwaysValid(c)), ("always_valid_refused", .optional(c.alwaysValidRefused)),
      ("bayes", c.bayes.map(bayes) ?? .null), ("sample_ratio", sampleRatio(c.sampleRatio)),
      ("contaminated", contamination(c.contamination)), ("needed", needed(c.needed)),
      ("secondary", .array(c.secondary.map(secondary))), ("decision", .string(c.decision.rawValue)),
      ("reasons", .array(c.reasons.map { .string($0) })),
    ])
  }

  private static func arm(_ arm: Comparison.Arm) -> JSONValue {
    let counts = arm.counts
    return .object([
      ("variant", .string(arm.variant)), ("exposed", .integer(counts.exposed)), ("pending", .integer(counts.pending)),
      ("restricted", .integer(counts.restricted)), ("base", .integer(counts.base)),
      ("granted", .integer(counts[.granted])), ("denied", .integer(counts[.denied])),
      ("skipped", .integer(counts[.skipped])), ("dropped_off", .integer(counts[.droppedOff])),
      ("successes", .integer(arm.successes)), ("trials", .integer(arm.trials)),
      ("rate", ReportJSON.estimate(arm.rate)),
    ])
  }

  private static func alwaysValid(_ c: Comparison) -> JSONValue {
    guard let sequence = c.alwaysValid else { return .null }
    return .object([
      ("p_value", .number(sequence.pValue)), ("low", .number(sequence.low)), ("high", .number(sequence.high)),
      ("planned_n", .integer(c.plannedUsers)),
    ])
  }

  private static func bayes(_ bayes: Comparison.Bayes) -> JSONValue {
    .object([
      ("p_b_beats_a", .number(bayes.probabilityBGreater)), ("expected_loss_a", .number(bayes.expectedLossA)),
      ("expected_loss_b", .number(bayes.expectedLossB)), ("difference", ReportJSON.estimate(bayes.difference)),
    ])
  }

  private static func sampleRatio(_ ratio: Comparison.SampleRatio) -> JSONValue {
    .object([
      ("expected", .array(ratio.expected.map { .number($0) })),
      ("observed", .array(ratio.observed.map { .integer($0) })), ("p_value", .optional(ratio.pValue)),
      ("mismatch", .bool(ratio.isMismatch)),
    ])
  }

  private static func contamination(_ contamination: Comparison.Contamination) -> JSONValue {
    .object([
      ("users", .integer(contamination.users)), ("share", .optional(contamination.share)),
      ("policy", .string(contamination.policy.rawValue)),
      ("difference_excluding", ReportJSON.estimate(contamination.differenceExcluding)),
    ])
  }

  private static func needed(_ needed: Comparison.Needed) -> JSONValue {
    .object([
      ("minimum_effect", .number(needed.minimumEffect)), ("per_variant", .optional(needed.perVariant)),
      ("days", .optional(needed.days)),
    ])
  }

  private static func secondary(_ row: Comparison.Secondary) -> JSONValue {
    .object([
      ("metric", .string(row.metric)), ("a", .optional(row.a)), ("b", .optional(row.b)),
      ("difference", ReportJSON.estimate(row.difference)), ("p_value", .optional(row.pValue)),
      ("p_adjusted", .optional(row.adjustedPValue)), ("descriptive", .bool(row.isDescriptive)),
    ])
  }
}
