// What the metrics of a comparison are called.

import PermissionAnalysis

extension ComparisonMetric {
  /// For people.
  var title: String {
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

  /// In a sentence, with its article.
  var noun: String {
    switch self {
    case .grantedByDay28: "the share granted by day 28"
    case .retentionDay7: "retention on day 7"
    default: "the " + title
    }
  }
}

extension Comparison.Secondary.Measure {
  /// For people.
  var title: String {
    switch self {
    case .metric(let metric): metric.title
    case .timeToAnswer: "time to answer, median"
    case .enabledAfterDenial: "enabled by day 28 after a denial"
    case .enabledAfterSkip: "enabled by day 28 after a skip"
    case .enabledAfterNoAnswer: "enabled by day 28 after no answer"
    }
  }
}
