// The report as JSON, schema permlog.report/3: every key always there, in this order.

import PermissionAnalysis
import PermissionEvents

/// The report for programs: rates are shares of 1, times milliseconds, null is unknown.
package enum ReportJSON {
  package static func render(_ report: Report, threads: Int) -> [UInt8] {
    collected { write(report, threads: threads, to: $0) }
  }

  package static func write(_ report: Report, threads: Int, to sink: ([UInt8]) throws -> Void) rethrows {
    var json = JSONWriter()
    try json.object { json in
      func text(_ time: Milliseconds?) -> String? { time.map { Timestamp.text($0) } }
      json.members([
        "schema": "permlog.report/3", "as_of": text(report.asOf), "time_zone": report.timeZone,
        "week_start": report.zone.weekStart.rawValue,
        "from": text(report.from), "to": text(report.to), "log_start": text(report.logStart),
        "where": report.conditions.map(\.description), "expired_before": text(report.expiredBefore),
        "unusual_ingests": report.unusual.map { one in
          ["time": text(one.time), "measure": one.measure, "sentence": one.sentence] as JSONMembers
        },
      ])
      json.figures(Report.figures.nodes, of: report)
      json.member("at_once", units(report))
      json.member("completeness", report.completeness.map(completeness))
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

  private static func completeness(_ all: Completeness) -> JSONMembers {
    func row(_ key: StaticString, _ name: String?, _ events: NumberedEvents) -> JSONMembers {
      KeyValuePairs(
        dictionaryLiteral: (key, name), ("numbered", Int(events.numbered)), ("arrived", Int(events.arrived)),
        ("arrived_share", events.share))
    }
    return [
      "counters": Int(all.counters), "left_out": Int(all.leftOut), "numbered": Int(all.all.numbered),
      "arrived": Int(all.all.arrived), "arrived_share": all.all.share,
      "by_week": all.byWeek.map { row("week", $0.week.text, $0.events) },
      "by_version": all.byVersion.map { row("app_version", $0.version, $0.events) },
      "by_platform": all.byPlatform.map { row("platform", $0.platform, $0.events) },
    ]
  }

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

  /// How fast prompts were answered: units of the permissions of which some answer came at once.
  private static func units(_ report: Report) -> [JSONMembers] {
    report.calls.notable.map { unit, counts in
      [
        "permission": String(bounded: unit.permission),
        "platform": unit.platform.isEmpty ? nil : String(bounded: unit.platform),
        "answered": Int(counts.answered), "at_once": Int(counts.atOnce),
        "applied": report.isApplied(unit, counts),
      ]
    }
  }

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
    let test = ranking.test.result.map { test -> JSONMembers in
      ["statistic": test.statistic, "df": test.degreesOfFreedom, "p_value": test.pValue]
    }
    json.member("test", test)
  }
}

/// What a report has once for each permission.
protocol PermissionFigures: JSONWritable {
  var permission: String { get }
  static var figures: FigureTree<Self> { get }
}

extension ReachRow: PermissionFigures {}
extension TimingFigures: PermissionFigures {}

extension PermissionFigures {
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
      if by.count > 1 { json.member("by", by.map(\.members)) } else { json.member("by", by.first?.members) }
      json.member("no_evidence", noEvidence.map(\.rawValue))
      json.figures(Self.figures.nodes, of: self)
    }
  }
}

extension PropertyValue {
  fileprivate var members: JSONMembers {
    isOther ? ["property": property.name, "value": value, "other": true] : ["property": property.name, "value": value]
  }
}

/// Null if it is unknown, that is, if its value is not finite.
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

// MARK: A tree of figures as members of an object: every key always there, in the tree's order

protocol FigureObject: JSONWritable {
  static var figures: [FigureNode<Self>] { get }
}

extension FigureObject {
  package func write(to json: inout JSONWriter) { json.object { $0.figures(Self.figures, of: self) } }
}

// A report has hundreds of rows with hundreds of numbers each.
extension JSONWriter: FigureWalk {
  mutating func figures<Row>(_ nodes: [FigureNode<Row>], of row: Row) {
    for node in nodes {
      switch node {
      case .figure(let figure): self.figure(figure, row)
      case .group(let name, let nodes): object(name) { $0.figures(nodes, of: row) }
      case .optional(let name, let isThere, let nodes), .knowable(let name, let isThere, let nodes):
        if isThere(row) { object(name) { $0.figures(nodes, of: row) } } else { member(name, Int?.none) }
      case .days(let name, let days):
        array(name) { json in
          for (day, nodes) in days {
            json.element { json in
              json.member("day", day)
              json.figures(nodes, of: row)
            }
          }
        }
      case .classes(let name, let classes):
        array(name) { json in
          for (name, nodes) in classes {
            json.element { json in
              json.member("class", "\(name)")
              json.figures(nodes, of: row)
            }
          }
        }
      case .part(let name, let part):
        if part.isList {
          array(name) { part.send(&$0, to: row) }
        } else {
          begin(name)
          part.send(&self, to: row)
        }
      case .inJSON(let nodes): figures(nodes, of: row)
      case .inTables: break
      }
    }
  }

  package mutating func visit<Part>(
    _ part: Part, _ nodes: [FigureNode<Part>], isElement: Bool, place: [FigureSubject]
  ) {
    if isElement { self.place() }
    object { $0.figures(nodes, of: part) }
  }

  package mutating func miss<Part>(_ nodes: [FigureNode<Part>], isKnowable: Bool) { Int?.none.write(to: &self) }

  @inline(__always)
  private mutating func figure<Row>(_ figure: Figure<Row>, _ row: Row) {
    switch figure.value {
    case .count(let count): member(figure.name, count(row))
    case .number(let number): member(figure.name, number(row))
    case .estimate(let estimate): member(figure.name, estimate(row))
    case .text(let text): member(figure.name, text(row))
    case .flag(let flag): member(figure.name, flag(row))
    case .texts(let texts): member(figure.name, texts(row))
    case .counts(let counts): member(figure.name, counts(row))
    case .numbers(let numbers): member(figure.name, numbers(row))
    case .bounds: break
    case .share(let count, let share):
      let share = share(row)
      object(figure.name) { json in
        json.member("eligible", share.eligible)
        json.member(count, share.count)
        json.member("rate", share.rate)
      }
    case .times(let times):
      guard let times = times(row) else { return member(figure.name, Int?.none) }
      object(figure.name) { json in
        json.member("count", times.count)
        json.member("mean", times.mean)
        json.member("p50", times.p50)
        json.member("p90", times.p90)
        json.member("p99", times.p99)
      }
    case .curve(_, let points):
      let points = points(row)
      array(figure.name) { json in
        for point in points {
          json.element { json in
            json.member("day", point.day)
            json.member("at_risk", point.atRisk)
            json.member("value", point.value)
            json.member("low", point.low)
            json.member("high", point.high)
          }
        }
      }
    }
  }
}
