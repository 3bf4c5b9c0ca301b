// From the sums of a report to its figures: rows in their order, trends, reach and activity.

import Folding
import PermissionEvents
import Statistics

extension Report {
  /// The report of a log without events.
  package static func empty(timeZone: String, responseWindow: Milliseconds, followUp: Milliseconds) -> Report {
    Report(
      asOf: nil, timeZone: timeZone, windows: nil, responseWindow: responseWindow, followUp: followUp, from: nil,
      to: nil, events: 0, users: 0, unexposed: 0, property: nil, rows: [], reach: [], activity: [])
  }

  /// - Parameters:
  ///   - sums: of all users.
  ///   - threads: that work on the rows.
  ///   - isForCharts: whether rows get what only charts need: times as distributions, and whole curves.
  package init(
    _ sums: ReportSums, _ question: ReportQuestion, threads: Int, isForCharts: Bool = false
  ) throws(SumsError) {
    let rows = try RowBuilder(sums.groups, question, isForCharts: isForCharts).rows(threads: threads)
    self.init(
      asOf: question.windows.asOf, timeZone: question.zone.name, windows: question.windows,
      responseWindow: question.windows.response, followUp: question.windows.followUp, from: question.from,
      to: question.to, events: Int(sums.events), users: Int(sums.users), unexposed: Int(sums.unexposed),
      property: question.property, rows: rows, reach: Self.reach(sums), activity: Self.activity(sums),
      zone: question.zone)
  }

  private static func reach(_ sums: ReportSums) -> [ReachRow] {
    let active = Int(sums.activeUsers)
    return sums.reach.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { permission, states in
      let counts = states.map { Int($0) }
      return ReachRow(
        permission: String(decoding: permission, as: UTF8.self), activeUsers: active,
        neverAsked: active - counts.reduce(0, +), on: counts[0], partial: counts[1], off: counts[2],
        restricted: counts[3], undecided: counts[4])
    }
  }

  /// By permission, none first, then by week.
  private static func activity(_ sums: ReportSums) -> [ActivityRow] {
    sums.activity.sorted { a, b in
      let (left, right) = (a.key.permission ?? [], b.key.permission ?? [])
      return left == right ? a.key.week < b.key.week : left.lexicographicallyPrecedes(right)
    }.map { key, counts in
      ActivityRow(
        permission: key.permission.map { String(decoding: $0, as: UTF8.self) }, week: ISOWeek(index: key.week),
        counts: counts.map { Int($0) })
    }
  }
}
