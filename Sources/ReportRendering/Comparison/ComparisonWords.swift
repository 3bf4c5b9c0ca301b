// Numbers, verdicts and metrics of a comparison in words.

import PermissionAnalysis
import PermissionEvents

enum ComparisonWords {
  private static let space = "\u{A0}"

  /// A variant's name as a column's title, cut in the middle if it is long.
  static func title(_ arm: Comparison.Arm, _ style: TextStyle, columns: Int = 14) -> String {
    DisplayWidth.cutMiddle(style.legible(arm.variant), to: columns, mark: style.legible("…"))
  }

  /// `+12.19`, percentage points of a share of 1.
  static func points(_ value: Double?) -> String { value.map { NumberText.signed($0 * 100, 2) } ?? "–" }

  /// `+7.00 to +17.31`.
  static func range(_ low: Double?, _ high: Double?) -> String {
    guard low != nil || high != nil else { return "no interval" }
    let end = high.map { points($0) } ?? "no upper limit"
    return points(low) + space + "to" + space + end
  }

  static func range(_ estimate: Estimate?) -> String { range(estimate?.low, estimate?.high) }

  /// `0.3862`, `4.4e-6`; below the smallest double by its logarithm, `1e-1357`.
  static func pValue(_ p: Double?, log10: Double? = nil) -> String {
    guard let p else { return "–" }
    if p >= 0.00095 { return fixed(p, p >= 0.095 ? 2 : p >= 0.0095 ? 3 : 4) }
    guard p > 0 else {
      guard let log10, log10.isFinite else { return "<" + space + "1e-300" }
      return "1e\(fixed(log10.rounded(.up), 0))"
    }
    return scientific(p, from: 0.95)
  }

  /// What is compared with what, and by what.
  static func title(_ set: ComparisonSet) -> String {
    guard let first = set.pairs.first else { return "" }
    let others = set.pairs.map(\.b.variant).joined(separator: ", ")
    return "\(first.permission): \(first.full(others)) against \(first.a.variant), \(first.metricTitle)"
  }

  /// Which experiment the numbers are from, whose exposures they are of, and as of when.
  static func place(_ c: Comparison) -> String {
    (c.experiment.map { "experiment \($0), " } ?? "")
      + (c.conditions.isEmpty ? "" : "exposures where \(c.conditions.words), ")
      + "as of \(NumberText.moment(c.windows.asOf, c.zone)), \(c.timeZone)"
  }

  /// Said if the newest event is old: the answer is then of a time gone by.
  static func age(_ age: DataAge?) -> String {
    guard let age, age.isOld, let days = age.days else { return "" }
    return "; the newest event is \(NumberText.counted(days, "day")) old"
  }

  /// `12 345 more users for each message`, and how long they take.
  static func needed(_ users: Int?, _ days: Int?, forEach noun: String) -> String {
    guard let users else { return "unknown" }
    if users == 0 { return "enough users" }
    return NumberText.counted(users, "more" + space + "user") + " for each \(noun)"
      + (days.map { $0 <= longestDays ? " (about \(duration($0)))" : " (more than a year at this pace)" } ?? "")
  }

  /// Nobody waits longer for the end of a test.
  private static let longestDays = 365

  /// `12 days`, `6 weeks`, `5 months`, the longer the rounder.
  static func duration(_ days: Int) -> String {
    if days <= 14 { return "\(days) day\(days == 1 ? "" : "s")" }
    if days <= 63 { return "\((days + 3) / 7) weeks" }
    return fixed(Double(days) / 30.44, 0) + " months"
  }
}

extension ComparisonMetric {
  /// For people.
  /// - Parameter followUp: how long journeys are followed.
  func title(_ followUp: Milliseconds) -> String {
    switch self {
    case .grantRate: "grant rate"
    case .grantedByDay28: "granted " + ComparisonWords.end(followUp)
    case .denyRate: "deny rate"
    case .skipRate: "skip rate"
    case .dropOffRate: "drop-off rate"
    case .promptGrantRate: "prompt grant rate"
    case .retentionDay7: "retention on day 7"
    }
  }

  /// In a sentence, with its article.
  func noun(_ followUp: Milliseconds) -> String {
    switch self {
    case .grantedByDay28: "the share " + title(followUp)
    case .retentionDay7: title(followUp)
    default: "the " + title(followUp)
    }
  }
}

extension ComparisonWords {
  /// The end of a follow-up: `by day 28`, `within 36 h`.
  static func end(_ followUp: Milliseconds) -> String {
    followUp % millisecondsPerDay == 0
      ? "by day \(followUp / millisecondsPerDay)" : "within " + NumberText.window(followUp)
  }
}

extension Comparison {
  var metricTitle: String { title(metric) }
  func title(_ metric: ComparisonMetric) -> String { metric.title(windows.followUp) }
  func noun(_ metric: ComparisonMetric) -> String { metric.noun(windows.followUp) }

  func title(_ measure: Secondary.Measure) -> String {
    switch measure {
    case .metric(let metric): title(metric)
    case .timeToAnswer: "time to answer"
    // Within 28 days, as is said above the table.
    case .enabledAfterDenial: "enabled after a denial"
    case .enabledAfterSkip: "enabled after a skip"
    case .enabledAfterNoAnswer: "enabled after no answer"
    }
  }
}
