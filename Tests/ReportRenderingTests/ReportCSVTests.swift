// The CSV holds the numbers of the JSON, each under the path of its keys, and nothing that a spreadsheet calculates.

import Foundation
import PermissionAnalysis
import PermissionEvents
import Testing

@testable import ReportRendering

@Suite struct ReportCSVTests {
  private let app = SampleHistories.app()
  private let end = SampleHistories.sampleEnd

  fileprivate struct Cell: Hashable {
    var week: String
    var permission: String
    var by: String
    var figure: String
  }

  private struct Number: Equatable {
    var value: Double?
    var low: Double?
    var high: Double?

    /// Foundation reads the last digits of a JSON number wrong at times.
    static func == (a: Number, b: Number) -> Bool {
      zip([a.value, a.low, a.high], [b.value, b.low, b.high]).allSatisfy { a, b in
        guard let a, let b else { return a == nil && b == nil }
        return abs(a - b) <= 1e-14 * abs(a)
      }
    }
  }

  // MARK: Against the JSON

  @Test func everyNumberOfTheJSONIsThere() throws {
    for property in [nil, StringField.variant] {
      let report = app.report(asOf: end) {
        $0.properties = property.map { [$0] } ?? []
        if property != nil { $0.permission = PermissionCode.taxonomy[2] }
      }
      let fromCSV = try numbers(ReportCSV.render(report))
      let json = try #require(
        try JSONSerialization.jsonObject(with: Data(ReportJSON.render(report, threads: 2))) as? [String: Any])
      let fromJSON = numbers(json)
      #expect(fromCSV.count == fromJSON.count)
      for (cell, number) in fromJSON { #expect(fromCSV[cell] == number, "\(cell)") }
    }
  }

  private func numbers(_ csv: [UInt8]) throws -> [Cell: Number] {
    var numbers: [Cell: Number] = [:]
    for record in try CSVReader.records(csv).dropFirst() {
      let cell = Cell(week: record[0], permission: record[1], by: record[2], figure: record[3])
      // When the report looks from is a moment in the JSON.
      guard cell.figure != "as_of_ms" else { continue }
      #expect(numbers[cell] == nil, "\(cell) twice")
      numbers[cell] = Number(value: Double(record[4]), low: Double(record[5]), high: Double(record[6]))
    }
    return numbers
  }

  private func numbers(_ json: [String: Any]) -> [Cell: Number] {
    var numbers: [Cell: Number] = [:]
    flatten(
      json.filter {
        ![
          "rows", "reach", "activity", "timing", "from", "to", "log_start", "where", "expired_before",
          "unusual_ingests", "completeness",
        ].contains($0.key)
      }, "",
      Cell(),
      &numbers)
    for row in json["rows"] as? [[String: Any]] ?? [] {
      let by = (row["by"] as? [String: Any])?["value"] as? String
      let cell = Cell(week: row["week"] as? String ?? "", permission: row["permission"] as? String ?? "", by: by ?? "")
      let others = ["week", "permission", "by", "complete", "no_evidence"]
      flatten(row.filter { !others.contains($0.key) }, "", cell, &numbers)
    }
    for row in json["reach"] as? [[String: Any]] ?? [] {
      flatten(row.filter { $0.key != "permission" }, "reach", Cell(permission: row["permission"] as? String), &numbers)
    }
    for row in json["timing"] as? [[String: Any]] ?? [] {
      let cell = Cell(permission: row["permission"] as? String)
      for (name, known) in row where name != "permission" {
        guard let known = known as? [String: Any] else { continue }
        flatten(known["trend_p"] ?? NSNull(), "timing.\(name).trend_p", cell, &numbers)
        for item in known["classes"] as? [[String: Any]] ?? [] {
          let path = "timing.\(name).\(item["class"] as? String ?? "")"
          flatten(item.filter { $0.key != "class" }, path, cell, &numbers)
        }
      }
    }
    for row in json["activity"] as? [[String: Any]] ?? [] {
      let cell = Cell(week: row["week"] as? String, permission: row["permission"] as? String)
      flatten(row["counts"] ?? [:], "activity", cell, &numbers)
    }
    return numbers
  }

  private func flatten(_ value: Any, _ path: String, _ cell: Cell, _ numbers: inout [Cell: Number]) {
    func key(_ name: String) -> String { path.isEmpty ? name : path + "." + name }
    func put(_ number: Number) {
      var cell = cell
      cell.figure = path
      numbers[cell] = number
    }
    switch value {
    case let object as [String: Any] where Set(object.keys) == ["value", "low", "high"]:
      put(Number(value: object["value"] as? Double, low: object["low"] as? Double, high: object["high"] as? Double))
    case let object as [String: Any]:
      for (name, member) in object { flatten(member, key(name), cell, &numbers) }
    case let list as [[String: Any]]:
      for item in list {
        guard let day = item["day"] as? Int else { continue }
        if path.hasSuffix("kaplan_meier") {
          let number = item.filter { $0.key != "day" && $0.key != "at_risk" }
          flatten(number, key("day_\(day)"), cell, &numbers)
        } else {
          flatten(item.filter { $0.key != "day" }, key("day_\(day)"), cell, &numbers)
        }
      }
    case is NSNull:
      // No trend and no usual range have no figures; every other unknown has its row, or those of its parts.
      guard !["trend", "usual", "usual.outside"].contains(path) else { return }
      let parts = ReportRow.figures.numbers.map(\.name).filter { $0.hasPrefix(path + ".") }
      guard !parts.isEmpty else { return put(Number()) }
      for part in parts {
        var cell = cell
        cell.figure = part
        numbers[cell] = Number()
      }
    case is String: break
    case let number as Double: put(Number(value: number))
    default: Issue.record("\(path): \(value)")
    }
  }

  // MARK: Form

  @Test func columnsAndLineEndsAreFixed() throws {
    let csv = ReportCSV.render(app.report(asOf: end))
    let records = try CSVReader.records(csv)
    let columns = [
      "week", "permission", "by", "figure", "value", "low", "high", "n", "complete", "by_property", "time_zone",
      "other",
    ]
    #expect(records[0] == columns)
    #expect(records.allSatisfy { $0.count == columns.count })
    #expect(Set(records.dropFirst().map { $0[8] }) == ["", "true", "false"])
    #expect(
      records.dropFirst().allSatisfy {
        ($0[8].isEmpty) == ($0[0].isEmpty) && $0[9].isEmpty && $0[10] == "UTC" && $0[11].isEmpty
      })
    #expect(records.count > 1000)
  }

  @Test func theUnknownIsEmptyAndNeverNull() throws {
    var histories = SampleHistories()
    histories.users = [[.init(time: SampleHistories.monday, kind: .promptShown, permission: 2)]]
    let records = try CSVReader.records(ReportCSV.render(histories.report(asOf: SampleHistories.monday + 1000)))
    let rate = try #require(records.first { $0[3] == "grant_rate" })
    #expect(rate == ["", "camera", "", "grant_rate", "", "", "", "0", "", "", "UTC", ""])
  }

  @Test func nIsTheDenominator() throws {
    let report = app.report(asOf: end)
    for row in report.rows {
      let figures = Dictionary(
        uniqueKeysWithValues: ReportRow.figures.numbers.compactMap { number in
          number.value(row).map { (number.name, $0) }
        })
      for (rate, count) in [("grant_rate", "granted"), ("skip_rate", "skipped"), ("deny_rate", "denied")] {
        guard let rate = figures[rate], let n = rate.n, let count = figures[count]?.value else { continue }
        #expect(n == row.grants.base && (rate.value.map { abs($0 * Double(n) - count) < 1e-9 } ?? (n == 0)))
      }
      for (name, figure) in figures where name.hasSuffix(".rate") {
        #expect(figure.n == figures[name.dropLast(4) + "eligible"]?.value.map { Int($0) }, "\(name)")
      }
    }
  }

  // MARK: Text from outside

  @Test func spreadsheetsCalculateNothing() throws {
    let report = HostileText.report()
    for record in try CSVReader.records(ReportCSV.render(report)) {
      for cell in record.prefix(3) {
        #expect(!["=", "+", "-", "@", "\t", "\r"].contains { cell.hasPrefix($0) }, "\(cell)")
        #expect(cell.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }, "\(cell)")
      }
    }
    #expect(CSVText.harmless("=1+1") == "'=1+1")
    #expect(CSVText.harmless("'=1+1") == "''=1+1")
    #expect(CSVText.harmless("A=1") == "A=1")
  }
}

extension ReportCSVTests.Cell {
  fileprivate init(week: String? = nil, permission: String? = nil, by: String = "") {
    self.init(week: week ?? "", permission: permission ?? "", by: by, figure: "")
  }
}
