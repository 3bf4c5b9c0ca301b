// A small log written by hand: events in the order of ingestion, times in words.

import Foundation
import ReportOracle

let second = 1000
let minute = 60 * second
let hour = 60 * minute
let day = 24 * hour
/// 2026-03-02T00:00:00Z, the Monday that 2026-W10 begins with.
let monday = 20_514 * day

struct Log {
  var events: [OracleEvent] = []

  /// Adds an event `after` milliseconds from that Monday.
  mutating func add(
    _ user: String, _ after: Int, _ kind: String, _ permission: String? = "camera", status: String? = nil,
    id: String? = nil, variant: String? = nil
  ) {
    events.append(
      OracleEvent(
        userID: user, eventID: id ?? "e\(events.count)", timestamp: monday + after, event: kind,
        permission: permission, status: status, variant: variant))
  }

  /// The report as of `asOf` milliseconds from that Monday.
  func report(_ asOf: Int? = nil, _ change: (inout OracleOptions) -> Void = { _ in }) -> OracleJSON {
    var options = OracleOptions(asOf: asOf.map { monday + $0 })
    change(&options)
    return oracleReport(events, options)
  }

  /// The first row: all weeks of the first permission.
  func firstRow(_ asOf: Int? = nil, _ change: (inout OracleOptions) -> Void = { _ in }) -> OracleJSON {
    report(asOf, change)["rows"]?[0] ?? .null
  }
}

extension OracleJSON {
  /// The number at a path such as `steps.prompt.shown` or `retention.0.day`; nil if there is none.
  func at(_ path: String) -> Double? { node(path)?.number }

  func node(_ path: String) -> OracleJSON? {
    path.split(separator: ".").reduce(self as OracleJSON?) { value, key in
      Int(key).map { value?[$0] } ?? value?[String(key)]
    }
  }

  /// The numbers of an object's keys, in order.
  func numbers(_ path: String, _ keys: String) -> [Double?] {
    keys.split(separator: " ").map { at(path.isEmpty ? String($0) : "\(path).\($0)") }
  }

  var keys: [String] {
    guard case .object(let members) = self else { return [] }
    return members.map(\.key)
  }

  var elements: [OracleJSON] {
    guard case .array(let elements) = self else { return [] }
    return elements
  }
}

func isClose(_ left: Double?, _ right: Double, within tolerance: Double = 1e-9) -> Bool {
  left.map { abs($0 - right) <= tolerance * max(1, abs(right)) } ?? false
}
