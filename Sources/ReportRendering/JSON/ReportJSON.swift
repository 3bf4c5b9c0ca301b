// The report as JSON, schema permlog.report/1: every key always there, in this order.

import Threads
import PermissionAnalysis
import PermissionEvents

/// The report for programs: rates are shares of 1, times milliseconds, null is unknown.
public struct ReportJSON: ReportRenderer {
  public static let schema = "permlog.report/1"

  private let threads: Int

  /// - Parameter threads: that write rows.
  public init(threads: Int) { self.threads = threads }

  public func render(_ report: Report) -> [UInt8] {
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
    let head: [(String, JSONValue)] = [
      ("schema", .string(schema)), ("as_of", .optional(report.asOf.map { Timestamp.text($0) })),
      ("time_zone", .string(report.timeZone)),
    ]
    let rows: [(String, JSONValue)] = [
      ("rows", .array(rows)), ("reach", .array(report.reach.map(reach))),
      ("activity", .array(activity(report))),
    ]
    return .object(head + numbers(Report.figures, of: report) + rows)
  }

  /// Plain numbers under their names.
  private static func numbers<Row>(_ tree: FigureTree<Row>, of row: Row) -> [(String, JSONValue)] {
    tree.numbers.map { ($0.name, .optional($0.value(row)?.value)) }
  }

  static func estimate(_ estimate: Estimate?) -> JSONValue {
    guard let estimate, estimate.value.isFinite else { return .null }
    return .object([
      ("value", .number(estimate.value)), ("low", .optional(estimate.low)), ("high", .optional(estimate.high)),
    ])
  }

  private static func reach(_ row: ReachRow) -> JSONValue {
    .object([("permission", .string(row.permission))] + numbers(ReachRow.figures, of: row))
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
