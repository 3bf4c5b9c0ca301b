// The report as JSON, schema permlog.report/1: every key always there, in this order.

import PermissionAnalysis
import PermissionEvents

package struct ReportJSON: ReportRenderer {
  package static let schema = "permlog.report/1"

  private let threads: Int

  /// - Parameter threads: that write rows.
  package init(threads: Int) { self.threads = threads }

  package func render(_ report: Report) -> [UInt8] {
    let rows = rows(report.rows)
    let length = rows.reduce(0) { $0 + $1.count + 8 } + report.activity.count * 512 + 1 << 14
    return Self.value(report, rows: rows.map { .encoded($0) }).encode(capacity: length)
  }

  /// The rows as they are written inside the report, made by several threads.
  private func rows(_ rows: [ReportRow]) -> [[UInt8]] {
    let results = Mutex([[UInt8]](repeating: [], count: rows.count))
    let tasks = Workers.Tasks(count: rows.count)
    WorkerThreads.run(min(threads, rows.count)) {
      while let task = tasks.claim() {
        let row = JSONWriter.object(indent: 4) { $0.members(of: rows[task]) }
        results.withLock { $0[task] = row }
      }
    }
    return results.withLock { $0 }
  }

  private static func value(_ report: Report, rows: [JSONValue]) -> JSONValue {
    .object([
      ("schema", .string(schema)), ("as_of", .optional(report.asOf.map { Timestamp.text($0) })),
      ("time_zone", .string(report.timeZone)), ("response_window_ms", .integer(Int(report.responseWindow))),
      ("follow_up_days", days(report.followUp)), ("settings_window_days", days(report.settingsWindow)),
      ("events", .integer(report.events)), ("users", .integer(report.users)),
      ("unexposed", .integer(report.unexposed)), ("rows", .array(rows)),
      ("reach", .array(report.reach.map(reach))), ("activity", .array(activity(report))),
    ])
  }

  private static func days(_ duration: Milliseconds) -> JSONValue {
    .number(Double(duration) / Double(millisecondsPerDay))
  }

  static func estimate(_ estimate: Estimate?) -> JSONValue {
    guard let estimate, estimate.value.isFinite else { return .null }
    return .object([
      ("value", .number(estimate.value)), ("low", .optional(estimate.low)), ("high", .optional(estimate.high)),
    ])
  }

  private static func reach(_ row: ReachRow) -> JSONValue {
    .object([
      ("permission", .string(row.permission)), ("active_users", .integer(row.activeUsers)),
      ("never_asked", .integer(row.neverAsked)), ("on", .integer(row.on)), ("partial", .integer(row.partial)),
      ("off", .integer(row.off)), ("restricted", .integer(row.restricted)), ("undecided", .integer(row.undecided)),
    ])
  }

  private static func activity(_ report: Report) -> [JSONValue] {
    let kinds = EventKind.listed(report.activity.lazy.map(\.counts))
    return report.activity.map { row in
      .object([
        ("permission", .optional(row.permission)), ("week", .string(row.week.text)),
        ("counts", .object(zip(kinds, row.counts).map { ($0, .integer($1)) })),
      ])
    }
  }
}
