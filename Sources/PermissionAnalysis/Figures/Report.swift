// The figures of a report, ready to be rendered. Names are those of the JSON. Rates are shares of 1,
// times are milliseconds; nil is unknown and is never shown as 0.

import PermissionEvents
import Statistics

/// A weekly report.
public struct Report: Sendable {
  /// Nil for an empty log.
  package var asOf: Milliseconds?
  package var timeZone: String
  package var windows: AnalysisWindows?
  package var responseWindow: Milliseconds
  package var followUp: Milliseconds
  /// The interval of t0 that was asked for; nil is unbounded.
  package var from: Milliseconds?
  package var to: Milliseconds?
  package var events: Int
  package var users: Int
  package var unexposed: Int
  package var property: StringField?
  /// By permission, by property value, all weeks first, then week by week.
  package var rows: [ReportRow]
  package var reach: [ReachRow]
  package var activity: [ActivityRow]
  /// The zone named by `timeZone`, for moments that are shown; UTC for an empty log.
  package var zone = ZoneTable.utc

  /// How long after a Settings prompt an enabling is put beside it.
  package var settingsWindow: Milliseconds { windows?.settings ?? 7 * millisecondsPerDay }
}

/// The value of the property that a row is about.
package struct PropertyValue: Sendable, Hashable {
  package var property: StringField
  /// Nil where the exposure has none.
  package var value: String?
}

/// The figures of one permission in one week, or in all weeks.
package struct ReportRow: Sendable {
  package var permission: String
  package var week: ISOWeek?
  /// True where the week is over at as_of; nil for all weeks.
  package var isComplete: Bool?
  package var by: PropertyValue?

  package var exposed = 0
  package var pending = 0
  package var restricted = 0
  package var base = 0
  package var granted = 0
  package var partial = 0
  package var denied = 0
  package var skipped = 0
  package var droppedOff = 0
  package var grantRate: Estimate?
  package var denyRate: Estimate?
  package var skipRate: Estimate?
  package var dropOffRate: Estimate?
  package var promptGrantRate: Estimate?
  package var grantedByFollowUp: Share
  package var explanationStep: ExplanationStep
  package var promptStep: PromptStep
  package var explained: (base: Int, granted: Int)
  package var cold: (base: Int, granted: Int)
  package var explainedAgainstCold: Estimate?
  package var timeToAnswer: TimeSummary
  package var explanationTime: TimeSummary
  package var promptTime: TimeSummary
  package var timeByOutcome: [TimeSummary]
  /// Of times to answer, by answer (granted, denied, skipped); empty where they were not asked for.
  package var timeDistributions: [TimeDistribution] = []
  package var revoked: Share
  package var upgraded: Share
  /// After a denial, a skip, a drop-off.
  package var enabledLater: [EnabledLater]
  package var settings: SettingsEffect
  package var engagement: Engagement
  package var retention: [Retention]
  package var trend: Trend?
}

/// So many of so many, and the rate.
package struct Share: Sendable {
  package var eligible: Int
  package var count: Int
  package var rate: Estimate?

  init(_ eligible: Int, _ count: Int) {
    self.eligible = eligible
    self.count = count
    rate = Estimate.rate(count, eligible)
  }
}

package struct ExplanationStep: Sendable {
  package var shown, continued, skipped, answered, dropped: Int
}

package struct PromptStep: Sendable {
  package var shown, granted, denied, skipped, dropped: Int
}

/// Times in milliseconds; mean exact, quantiles to within 0.1 %.
package struct TimeSummary: Sendable {
  package var count: Int
  package var mean: Double?
  package var p50: Double?
  package var p90: Double?
  package var p99: Double?
}

/// Journeys that ended without a grant, and how many were enabled later.
package struct EnabledLater: Sendable {
  package struct Point: Sendable {
    package var day: Int
    package var atRisk: Int
    package var value: Double?
    package var low: Double?
    package var high: Double?
  }
  package var share: Share
  /// By the days that are reported: 1, 7, 28.
  package var kaplanMeier: [Point]
  /// The same by day 1, 2, … 28, where it was asked for; else empty.
  package var curve: [Point]
}

package struct SettingsEffect: Sendable {
  package struct Side: Sendable {
    package var personDays: Double
    package var enabled: Int
    package var per100PersonDays: Double?
  }
  package var shown, opened, eligible, enabled: Int
  package var exposed: Side
  package var unexposed: Side
  package var rateRatio: Estimate?
}

package struct Engagement: Sendable {
  package struct Side: Sendable {
    package var users: Int
    package var meanActiveDays: Double?
    package var meanFeatureEvents: Double?
  }
  package var eligible: Int
  package var granted: Side
  package var notGranted: Side
  package var activeDaysDifference: Estimate?
  package var featureEventsDifference: Estimate?
  package var activeDaysCorrelation: Estimate?
  package var featureEventsCorrelation: Estimate?
}

package struct Retention: Sendable {
  package var day: Int
  /// By `Outcome` of the base: granted, denied, skipped, dropped off.
  package var outcomes: [Share]
  package var difference: Estimate?
}

package struct Trend: Sendable {
  package var previousWeek: ISOWeek
  package var change: Estimate?
  package var pValue: Double?
  package var adjustedPValue: Double?
}

package struct ReachRow: Sendable {
  package var permission: String
  package var activeUsers, neverAsked, on, partial, off, restricted, undecided: Int
}

package struct ActivityRow: Sendable {
  /// Nil for engagement.
  package var permission: String?
  package var week: ISOWeek
  /// By `EventKind`.
  package var counts: [Int]
}
