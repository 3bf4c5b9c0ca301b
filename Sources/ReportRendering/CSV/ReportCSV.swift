// The report as tidy CSV: one figure a row, for data frames and spreadsheets. docs/csv.md has the figures.

import PermissionAnalysis
import PermissionEvents

/// The report for spreadsheets and data frames: one figure a line, under the name that `ReportRow.figures` has for it.
package enum ReportCSV {
  // New columns come last, so readers that use column positions keep working.
  private static let columns = [
    "week", "permission", "by", "figure", "value", "low", "high", "n", "complete", "by_property", "time_zone",
    "other",
  ]

  package static func render(_ report: Report, threads: Int = 1) -> [UInt8] {
    collected { write(report, threads: threads, to: $0) }
  }

  /// - Parameter part: one section that has a table of its own; with other parts it has everything.
  package static func write(
    _ report: Report, threads: Int, part: ReportPart, to sink: ([UInt8]) throws -> Void
  ) rethrows {
    switch part {
    case .sections([.values]): try writeValues(report, to: sink)
    case .sections([.timing]): try writeTiming(report, to: sink)
    default: try write(report, threads: threads, to: sink)
    }
  }

  package static func write(_ report: Report, threads: Int, to sink: ([UInt8]) throws -> Void) rethrows {
    // The second of two properties has columns of its own, which other reports do not have.
    var csv = CSVWriter(columns + (report.properties.count > 1 ? ["by_2", "by_2_property"] : []))
    let whole = Subject(report)
    csv.row("as_of_ms", FigureValue(report.asOf.map(Double.init)), whole)
    csv.rows(Report.figures, of: report, whole)
    try csv.flush(from: 0, to: sink)
    try RowPieces.forEach(report.rows, threads: threads) { maker, range in
      var csv = CSVWriter()
      csv.reserveCapacity(range.count * 1 << 14)
      for number in range {
        let row = maker[number]
        let place = Subject(
          report, week: row.week, permission: row.permission, by: row.by, isComplete: row.isComplete)
        csv.rows(ReportRow.figures, of: row, place)
      }
      return csv.bytes
    } _: {
      try sink($0)
    }
    for (unit, counts) in report.calls.notable {
      let platform = unit.platform.isEmpty ? nil : String(bounded: unit.platform)
      let place = Subject(
        report, permission: String(bounded: unit.permission),
        by: [PropertyValue(property: .platform, value: platform)])
      csv.row("at_once.answered", FigureValue(Double(counts.answered)), place)
      csv.row("at_once.at_once", FigureValue(Double(counts.atOnce), n: Int(counts.answered)), place)
      csv.row("at_once.applied", FigureValue(report.isApplied(unit, counts) ? 1 : 0), place)
    }
    for row in report.reach {
      csv.rows(ReachRow.figures, of: row, Subject(report, permission: row.permission), "reach.")
      try csv.flush(to: sink)
    }
    let kinds = EventKind.listed(report.activity.lazy.map(\.counts))
    for row in report.activity {
      let place = Subject(
        report, week: row.week, permission: row.permission, isComplete: report.isComplete(row.week))
      for (kind, count) in zip(kinds, row.counts) { csv.row("activity." + kind, FigureValue(Double(count)), place) }
      try csv.flush(to: sink)
    }
    for row in report.timing {
      csv.rows(TimingFigures.figures, of: row, Subject(report, permission: row.permission), "timing.")
      try csv.flush(to: sink)
    }
    try csv.flush(from: 0, to: sink)
  }

  /// What figures are about: the cells before the figure, and those after its numbers.
  fileprivate struct Subject {
    let before, after: [UInt8]

    init(
      _ report: Report, week: CalendarWeek? = nil, permission: String? = nil, by: [PropertyValue] = [],
      isComplete: Bool? = nil
    ) {
      func value(_ by: PropertyValue?) -> String { by?.isOther == true ? "other" : by?.value ?? "" }
      var cells = CSVWriter()
      cells.text(week?.text)
      cells.name(permission)
      cells.name(value(by.first))
      before = cells.bytes
      cells = CSVWriter()
      cells.flag(isComplete)
      cells.text(by.first?.property.name)
      cells.text(report.timeZone)
      cells.flag(by.isEmpty ? nil : by.isOther)
      if report.properties.count > 1 {
        let second = by.dropFirst().first
        cells.name(value(second))
        cells.text(second?.property.name)
      }
      after = cells.bytes
    }
  }

  // MARK: - The values of a property, a value a line in the order of the ranking

  /// Every value has its line; no value, and numbers that are not known, are empty.
  private static func writeValues(_ report: Report, to sink: ([UInt8]) throws -> Void) rethrows {
    let isOfTwo = report.properties.count > 1
    var csv = CSVWriter(
      [
        "permission", "property", "value", "base", "granted", "rate", "low", "high", "lost_grants", "best",
        "chi_square", "df", "p_value", "time_zone",
      ] + (isOfTwo ? ["property_2", "value_2"] : []))
    for ranking in report.rankings {
      let test = ranking.test.result
      for number in 0..<ranking.count {
        let value = ranking[number]
        csv.name(ranking.permission)
        csv.name(value.by.first?.property.name)
        csv.name(value.by.first?.value)
        csv.number(value.base)
        csv.number(value.granted)
        csv.estimate(value.rate)
        csv.number(value.lostGrants)
        csv.flag(value.isBest)
        csv.number(test?.statistic)
        csv.number(test?.degreesOfFreedom)
        csv.number(test?.pValue)
        csv.text(report.timeZone)
        for second in isOfTwo ? value.by.dropFirst() : [] {
          csv.name(second.property.name)
          csv.name(second.value)
        }
        csv.endRow()
        try csv.flush(to: sink)
      }
    }
    try csv.flush(from: 0, to: sink)
  }

  // MARK: - How early people were asked, a class a line

  /// Every class has its line; numbers that are not known are empty.
  private static func writeTiming(_ report: Report, to sink: ([UInt8]) throws -> Void) rethrows {
    let scales: [(name: String, scale: TimingScale)] = [
      ("by_install", .install), ("by_active_days", .activeDays), ("by_feature_used", .featureUsed),
    ]
    var csv = CSVWriter([
      "permission", "classification", "class", "base", "granted", "rate", "low", "high", "trend_p", "time_zone",
    ])
    for figures in report.timing {
      for (name, scale) in scales {
        let groups = figures.groups(scale)
        for (number, of) in scale.classes.enumerated() {
          let group = groups?[number]
          csv.name(figures.permission)
          csv.text(name)
          csv.text("\(of)")
          csv.number(group?.base)
          csv.number(group?.granted)
          csv.estimate(group?.rate)
          csv.number(figures.trendPValue(scale))
          csv.text(report.timeZone)
          csv.endRow()
        }
      }
      try csv.flush(to: sink)
    }
    try csv.flush(from: 0, to: sink)
  }
}

extension CSVWriter {
  fileprivate mutating func rows<Row>(
    _ tree: FigureTree<Row>, of row: Row, _ place: ReportCSV.Subject, _ prefix: String = ""
  ) {
    let prefix = Array(prefix.utf8)
    tree.forEachNumber(of: row) { number, value in
      encoded(place.before)
      encoded(prefix, tree.names[number])
      self.value(value)
      encoded(place.after)
      endRow()
    }
  }

  fileprivate mutating func row(_ name: String, _ value: FigureValue, _ place: ReportCSV.Subject) {
    encoded(place.before)
    text(name)
    self.value(value)
    encoded(place.after)
    endRow()
  }
}
