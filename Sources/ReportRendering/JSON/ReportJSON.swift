// The report as JSON, schema permlog.report/3: every key always there, in this order.

import PermissionAnalysis
import PermissionEvents

/// The report for programs: rates are shares of 1, times milliseconds, null is unknown.
package enum ReportJSON {
  static let schema = "permlog.report/3"

  /// - Parameter threads: that write rows.
  package static func render(_ report: Report, threads: Int) -> [UInt8] {
    var out: [UInt8] = []
    write(report, threads: threads) { out += $0 }
    return out
  }

  /// - Parameters:
  ///   - threads: that write rows.
  ///   - sink: takes one piece after the other.
  package static func write(_ report: Report, threads: Int, to sink: ([UInt8]) throws -> Void) rethrows {
    var json = JSONWriter()
    try json.object { json in
      json.member("schema", schema)
      json.member("as_of", report.asOf.map { Timestamp.text($0) })
      json.member("time_zone", report.timeZone)
      json.member("from", report.from.map { Timestamp.text($0) })
      json.member("to", report.to.map { Timestamp.text($0) })
      json.member("log_start", report.logStart.map { Timestamp.text($0) })
      json.member("where", report.conditions.map(\.description))
      json.figures(Report.figures.nodes, of: report)
      json.member("at_once", CallsJSON.units(report))
      try json.array("rows") { json in
        try RowPieces.forEach(report.rows, threads: threads, make: rows) { rows in
          for row in rows { json.element(encoded: row) }
          try sink(json.take())
        }
      }
      json.member("reach", report.reach)
      try json.array("activity") { try activity(report, &$0, to: sink) }
      try json.array("timing") { json in
        for row in report.timing {
          json.element(row)
          if json.count > 1 << 18 { try sink(json.take()) }
        }
      }
      try json.array("by_ranking") { json in
        // Of one property: a combination of two is no value in this form.
        for ranking in report.rankings where ranking.properties.count == 1 {
          try json.element { try write(ranking, &$0, to: sink) }
        }
      }
    }
    json.endLine()
    try sink(json.take())
  }

  /// Some rows as they are written inside the report.
  private static func rows(_ maker: ReportRows.Maker, _ range: Range<Int>) -> [[UInt8]] {
    var json = JSONWriter(indent: 4)
    return range.map { number in
      maker[number].write(to: &json)
      return json.take()
    }
  }

  private static func activity(
    _ report: Report, _ json: inout JSONWriter, to sink: ([UInt8]) throws -> Void
  ) rethrows {
    let kinds = EventKind.listed(report.activity.lazy.map(\.counts))
    for row in report.activity {
      json.element { json in
        json.member("permission", row.permission)
        json.member("week", row.week.text)
        json.object("counts") { json in
          for (kind, count) in zip(kinds, row.counts) { json.member(named: kind, count) }
        }
      }
      if json.count > 1 << 18 { try sink(json.take()) }
    }
  }
}

/// How fast prompts were answered: units of the permissions of which some answer came at once.
enum CallsJSON {
  static func units(_ report: Report) -> [JSONMembers] {
    report.calls.notable.map { unit, counts in
      [
        "permission": String(decoding: unit.permission, as: UTF8.self),
        "platform": unit.platform.isEmpty ? nil : String(decoding: unit.platform, as: UTF8.self),
        "answered": Int(counts.answered), "at_once": Int(counts.atOnce),
        "applied": report.isApplied(unit, counts),
      ]
    }
  }
}

extension ReportJSON {
  /// Values may be many: each is made when it is written.
  private static func write(
    _ ranking: ValueRanking, _ json: inout JSONWriter, to sink: ([UInt8]) throws -> Void
  ) rethrows {
    json.member("permission", ranking.permission)
    json.member("property", ranking.properties.first?.name)
    json.member("best", ranking.best)
    try json.array("values") { json in
      for number in 0..<ranking.count {
        let value = ranking[number]
        json.element { json in
          json.member("value", value.by.first?.value)
          json.member("base", value.base)
          json.member("granted", ranking.isKnown ? value.granted : nil)
          json.member("rate", value.rate)
          json.member("lost_grants", value.lostGrants)
        }
        if json.count > 1 << 18 { try sink(json.take()) }
      }
    }
    guard let test = ranking.test.result else { return json.member("test", Int?.none) }
    json.object("test") { json in
      json.member("statistic", test.statistic)
      json.member("df", test.degreesOfFreedom)
      json.member("p_value", test.pValue)
    }
  }
}

extension ReachRow: JSONWritable {
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.member("permission", permission)
      json.figures(Self.figures.nodes, of: self)
    }
  }
}

extension TimingFigures: JSONWritable {
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.member("permission", permission)
      json.figures(Self.figures.nodes, of: self)
    }
  }
}

extension ReportRow: JSONWritable {
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.member("permission", permission)
      json.member("week", week?.text)
      json.member("complete", isComplete)
      // One value is itself, of two there is a list.
      if by.count > 1 { json.member("by", by) } else { json.member("by", by.first) }
      json.member("no_evidence", noEvidence.map(\.rawValue))
      json.figures(Self.figures.nodes, of: self)
    }
  }
}

extension PropertyValue: JSONObject {
  var members: JSONMembers {
    isOther ? ["property": property.name, "value": value, "other": true] : ["property": property.name, "value": value]
  }
}

/// Null if it is unknown, which its parts tell.
extension Estimate: JSONWritable {
  package func write(to json: inout JSONWriter) {
    guard value.isFinite else { return Double?.none.write(to: &json) }
    json.object { json in
      json.member("value", value)
      json.member("low", low)
      json.member("high", high)
    }
  }
}
