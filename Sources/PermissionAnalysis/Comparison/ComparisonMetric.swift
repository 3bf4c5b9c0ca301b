// What two messages are compared by.

/// A metric of a comparison: a share of the journeys of one arm. Raw values are the names in JSON.
public enum ComparisonMetric: String, CaseIterable, Sendable {
  case grantRate = "grant_rate"
  case grantedByDay28 = "granted_by_day_28"
  case denyRate = "deny_rate"
  case skipRate = "skip_rate"
  case dropOffRate = "drop_off_rate"
  case promptGrantRate = "prompt_grant_rate"
  case retentionDay7 = "retention_day_7"

  /// True if more is better.
  public var isGoodWhenHigh: Bool {
    switch self {
    case .grantRate, .grantedByDay28, .promptGrantRate, .retentionDay7: true
    case .denyRate, .skipRate, .dropOffRate: false
    }
  }

  /// True for a share of those who got that far, which the message itself has chosen.
  public var isDescriptive: Bool { self == .promptGrantRate }
}
