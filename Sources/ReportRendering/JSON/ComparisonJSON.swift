// The comparison as JSON, schema permlog.compare/1: every key always there, in this order. Of several messages the first
// pair is the object itself, and the others stand in `others`.

import PermissionAnalysis
import PermissionEvents

/// The comparison for programs.
public enum ComparisonJSON {
  public static let schema = "permlog.compare/1"

  /// - Parameter isExplained: with the method, formula and source of each figure.
  /// - Parameter hints: how the program that shows it calls what the explanation names.
  public static func render(
    _ set: ComparisonSet, isExplained: Bool = false, hints: HintWords = Hint.neutral
  ) -> [UInt8] {
    guard let first = set.pairs.first else { return JSONValue.null.encode() }
    let explanation: JSONValue =
      isExplained ? .array(ComparisonExplanation.entries(set, hints).map(explain)) : .null
    let best: JSONValue = set.probabilityBest.map { .array($0.map { .number($0) }) } ?? .null
    let others = set.pairs.dropFirst().map { JSONValue.object(members($0)) }
    let all: [(String, JSONValue)] = [
      ("probability_best", best), ("others", .array(others)), ("explain", explanation),
    ]
    return JSONValue.object([("schema", .string(schema))] + members(first) + all).encode()
  }

  /// The keys of one pair: those of the first version, then those added since.
  private static func members(_ c: Comparison) -> [(String, JSONValue)] { first(c) + added(c) }

  private static func first(_ c: Comparison) -> [(String, JSONValue)] {
    [
      ("permission", .string(c.permission)), ("experiment", .optional(c.experiment)),
      ("metric", .string(c.metric.rawValue)), ("a", arm(c.a)), ("b", arm(c.b)),
      ("difference", ReportJSON.estimate(c.difference)), ("ratio", ReportJSON.estimate(c.ratio)),
      ("p_value", .optional(c.test?.pValue)), ("test", .optional(c.test?.method.rawValue)),
      ("always_valid", alwaysValid(c)), ("always_valid_refused", .optional(c.alwaysValidRefused?.sentence)),
      ("bayes", c.bayes.map(bayes) ?? .null), ("sample_ratio", sampleRatio(c.sampleRatio)),
      ("contaminated", contamination(c.contamination)), ("needed", needed(c.needed)),
      ("secondary", .array(c.secondary.map(secondary))), ("decision", .string(c.decision.rawValue)),
      ("reasons", .array(c.reasonSentences.map { .string($0) })),
    ]
  }

  private static func added(_ c: Comparison) -> [(String, JSONValue)] {
    let exact: JSONValue =
      c.exactSequence.map { .object([("low", .optional($0.low)), ("high", .optional($0.high))]) } ?? .null
    let cautions = [RowNames.caution(c.permission)].compactMap { $0 } + c.cautionSentences
    return [
      ("as_of", .string(Timestamp.text(c.windows.asOf))), ("time_zone", .string(c.timeZone)),
      ("cautions", .array(cautions.map { .string($0) })), ("confidence", .number(c.confidence)),
      ("log10_p_value", .optional(c.test?.log10PValue)), ("p_adjusted", .optional(c.adjustedPValue)),
      ("exact_sequence", exact),
      ("looks", c.looks.map(ComparisonChecksJSON.looks) ?? .null),
      ("guardrails", .array(c.guardrails.map(ComparisonChecksJSON.guardrail))),
      ("strata", .array(c.strata.map(ComparisonChecksJSON.check))),
      ("novelty", ComparisonChecksJSON.novelty(c.novelty)), ("observations", .array(c.observations.map(secondary))),
      ("segments", c.segments.map(ComparisonChecksJSON.segments) ?? .null),
      ("series", .array(c.series.map(ComparisonChecksJSON.point))),
    ]
  }

  private static func explain(_ entry: ComparisonExplanation.Entry) -> JSONValue {
    .object([
      ("figure", .string(entry.figure)), ("value", .string(entry.value)), ("method", .string(entry.method)),
      ("formula", .string(entry.formula)), ("source", .string(entry.source)), ("limits", .string(entry.limits)),
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
      ("planned_n", .integer(c.plannedUsers)), ("log10_p_value", .optional(sequence.log10PValue)),
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
      ("p_value_after_policy", .optional(ratio.countedPValue)),
      ("days", .array(ratio.days.map(ComparisonChecksJSON.dayRatio))),
    ])
  }

  private static func contamination(_ contamination: Comparison.Contamination) -> JSONValue {
    .object([
      ("users", .integer(contamination.users)), ("share", .optional(contamination.share)),
      ("policy", .string(contamination.policy.rawValue)),
      ("difference_excluding", ReportJSON.estimate(contamination.differenceExcluding)),
      ("difference_first", ReportJSON.estimate(contamination.differenceFirst)),
      ("users_by_first", .array(contamination.usersByFirst.map { .integer($0) })),
      ("exposed_by_first", .array(contamination.exposedByFirst.map { .integer($0) })),
      ("asymmetry_p_value", .optional(contamination.asymmetryPValue)),
    ])
  }

  private static func needed(_ needed: Comparison.Needed) -> JSONValue {
    .object([
      ("minimum_effect", .number(needed.minimumEffect)), ("per_variant", .optional(needed.perVariant)),
      ("days", .optional(needed.days)), ("per_variant_always_valid", .optional(needed.perVariantAlwaysValid)),
      ("days_always_valid", .optional(needed.daysAlwaysValid)), ("power", .optional(needed.power)),
      ("detectable_up", .optional(needed.detectableUp)), ("detectable_down", .optional(needed.detectableDown)),
    ])
  }

  private static func secondary(_ row: Comparison.Secondary) -> JSONValue {
    .object([
      ("metric", .string(row.measure.name)), ("a", .optional(row.a)), ("b", .optional(row.b)),
      ("difference", ReportJSON.estimate(row.difference)), ("p_value", .optional(row.pValue)),
      ("p_adjusted", .optional(row.adjustedPValue)), ("descriptive", .bool(row.isDescriptive)),
      ("log10_p_value", .optional(row.log10PValue)), ("test", .optional(row.test)),
      ("p_b_greater", .optional(row.probabilityBGreater)),
    ])
  }
}
