// What two messages are compared by.

/// A metric of a comparison: a share of the journeys of one arm.
public enum ComparisonMetric: String, CaseIterable, Sendable {
  case grantRate = "grant_rate"
  case grantedByDay28 = "granted_by_day_28"
  case denyRate = "deny_rate"
  case skipRate = "skip_rate"
  case dropOffRate = "drop_off_rate"
  case promptGrantRate = "prompt_grant_rate"
  case retentionDay7 = "retention_day_7"

  /// True where more is better.
  package var isGoodWhenHigh: Bool {
    switch self {
    case .grantRate, .grantedByDay28, .promptGrantRate, .retentionDay7: true
    case .denyRate, .skipRate, .dropOffRate: false
    }
  }

  /// True for a share of those who got that far, which the message itself has chosen.
  package var isDescriptive: Bool { self == .promptGrantRate }

  /// In a sentence, with its article.
  var noun: String {
    switch self {
    case .grantedByDay28: "the share granted by day 28"
    case .retentionDay7: "retention on day 7"
    default: "the " + title
    }
  }

  /// For people.
  package var title: String {
    switch self {
    case .grantRate: "grant rate"
    case .grantedByDay28: "granted by day 28"
    case .denyRate: "deny rate"
    case .skipRate: "skip rate"
    case .dropOffRate: "drop-off rate"
    case .promptGrantRate: "prompt grant rate"
    case .retentionDay7: "retention on day 7"
    }
  }
}
