// The checks, looks, segments and days of a comparison as JSON.

import PermissionAnalysis
import PermissionEvents

enum ComparisonChecksJSON {
  private static func tally(_ tally: Comparison.Tally) -> JSONValue {
    .object([
      ("exposed", .integer(tally.exposed)), ("trials", .integer(tally.trials)),
      ("successes", .integer(tally.successes)), ("rate", .optional(tally.rate)),
    ])
  }

  private static func day(_ day: DayNumber) -> JSONValue { .string(CivilDate(day).text) }

  static func dayRatio(_ day: Comparison.DayRatio) -> JSONValue {
    .object([
      ("day", Self.day(day.day)), ("observed", .array(day.observed.map { .integer($0) })),
      ("p_value", .optional(day.pValue)), ("p_adjusted", .optional(day.adjustedPValue)),
    ])
  }

  static func looks(_ looks: Comparison.Looks) -> JSONValue {
    .object([
      ("declared", .integer(looks.declared)), ("planned_n", .integer(looks.plannedUsers)),
      ("next_at", .optional(looks.nextAt)), ("overrun", .bool(looks.isOverrun)),
      ("deciding", .optional(looks.deciding?.number)), ("refused", .optional(looks.refused?.sentence)),
      ("reached", .array(looks.reached.map(look))),
    ])
  }

  private static func look(_ look: Comparison.Look) -> JSONValue {
    .object([
      ("look", .integer(look.number)), ("day", day(look.day)), ("users", .integer(look.users)),
      ("fraction", .number(look.fraction)), ("bound", .optional(look.bound)), ("z", .number(look.z)),
      ("difference", .number(look.difference)), ("low", .optional(look.low)), ("high", .optional(look.high)),
      ("crossed", .bool(look.isCrossed)),
    ])
  }

  static func guardrail(_ guardrail: Comparison.Guardrail) -> JSONValue {
    .object([
      ("metric", .string(guardrail.metric.rawValue)), ("margin", .number(guardrail.margin)),
      ("state", .string(guardrail.state.rawValue)), ("a", tally(guardrail.a)), ("b", tally(guardrail.b)),
      ("difference", ReportJSON.estimate(guardrail.difference)), ("p_value", .optional(guardrail.pValue)),
      ("low", .optional(guardrail.low)), ("high", .optional(guardrail.high)),
      ("method", .optional(guardrail.method?.rawValue)),
    ])
  }

  static func check(_ check: Comparison.PropertyCheck) -> JSONValue {
    .object([
      ("property", .string(check.property)), ("strata", .integer(check.allStrata)),
      ("strata_used", .integer(check.usedStrata)), ("post_stratified", ReportJSON.estimate(check.postStratified)),
      ("mantel_haenszel", .optional(check.mantelHaenszel)), ("cmh_p_value", .optional(check.associationPValue)),
      ("heterogeneity", heterogeneity(check.heterogeneity)), ("reversed", .bool(check.isReversed)),
      ("flagged", .bool(check.isFlagged)),
      (
        "sample_ratio",
        .object([
          ("p_adjusted", .optional(check.sampleRatioPValue)), ("value", .optional(check.sampleRatioValue ?? nil)),
          ("mismatch", .bool(check.isRatioMismatched)),
        ])
      ),
    ])
  }

  private static func heterogeneity(_ test: Comparison.Heterogeneity?) -> JSONValue {
    guard let test else { return .null }
    return .object([
      ("q", .optional(test.q)), ("degrees_of_freedom", .integer(test.degreesOfFreedom)),
      ("p_value", .optional(test.pValue)), ("p_adjusted", .optional(test.adjustedPValue)),
      ("differ", .bool(test.areDifferent)),
    ])
  }

  static func novelty(_ novelty: Comparison.Novelty) -> JSONValue {
    .object([
      ("days", .integer(novelty.days)), ("slope_per_day", .optional(novelty.slope)),
      ("p_value", .optional(novelty.pValue)), ("first_half", ReportJSON.estimate(novelty.firstHalf)),
      ("second_half", ReportJSON.estimate(novelty.secondHalf)), ("fading", .bool(novelty.isFading)),
      ("refused", .optional(novelty.refused?.sentence)),
    ])
  }

  static func segments(_ segments: Comparison.Segments) -> JSONValue {
    .object([
      ("property", .string(segments.property)), ("heterogeneity", heterogeneity(segments.heterogeneity)),
      (
        "segments",
        .array(
          segments.segments.map { segment in
            .object([
              ("value", .optional(segment.value)), ("a", tally(segment.a)), ("b", tally(segment.b)),
              ("difference", ReportJSON.estimate(segment.difference)), ("p_value", .optional(segment.pValue)),
              ("p_adjusted", .optional(segment.adjustedPValue)),
              ("sample_ratio_p_value", .optional(segment.sampleRatioPValue)),
            ])
          })
      ),
    ])
  }

  static func point(_ point: Comparison.SeriesPoint) -> JSONValue {
    .object([
      ("day", day(point.day)), ("a", tally(point.a)), ("b", tally(point.b)),
      ("difference", .optional(point.difference)), ("low", .optional(point.interval?.low)),
      ("high", .optional(point.interval?.high)),
    ])
  }
}
