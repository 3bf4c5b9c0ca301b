// The figures of a report, ready to be rendered. Each group of a row's figures has a file of its own.

import PermissionEvents

/// A weekly report.
public struct Report: Sendable {
  /// The moment that it looks from; nil for an empty log.
  public let asOf: Milliseconds?
  public let timeZone: String
  package let windows: AnalysisWindows?
  /// How long after the exposure an answer counts.
  public let responseWindow: Milliseconds
  /// How long journeys are followed.
  public let followUp: Milliseconds
  /// The interval of t0 that was asked for, in UTC milliseconds since 1970; nil is unbounded.
  public let from: Milliseconds?
  public let to: Milliseconds?
  /// Events up to `asOf`, and their users.
  public let events, users: Int
  /// Journeys with an answer and no screen.
  public let unexposed: Int
  /// The property of the exposure that the rows are split by.
  public let property: StringField?
  /// By permission, by property value, all weeks first, then week by week.
  public package(set) var rows: [ReportRow]
  public let reach: [ReachRow]
  public let activity: [ActivityRow]
  /// The zone named by `timeZone`, for moments that are shown; UTC for an empty log.
  public internal(set) var zone = ZoneTable.utc

  /// How long after a Settings prompt an enabling is put beside it.
  public var settingsWindow: Milliseconds { windows?.settings ?? 7 * millisecondsPerDay }

  /// The figures of the whole report, in the order of the JSON.
  public static let figures = FigureTree<Report>([
    .number("response_window_ms", "how long an answer counts", .milliseconds) { Double($0.responseWindow) },
    .number("follow_up_days", "how long journeys are followed", .days) { days($0.followUp) },
    .number("settings_window_days", "how long after a Settings prompt an enabling counts for it", .days) {
      days($0.settingsWindow)
    },
    .count("events", "up to as_of", .events) { $0.events },
    .count("users", "with any event up to as_of", .users) { $0.users },
    .count("unexposed", "an answer and no screen") { $0.unexposed },
  ])

  private static func days(_ duration: Milliseconds) -> Double { Double(duration) / Double(millisecondsPerDay) }
}
