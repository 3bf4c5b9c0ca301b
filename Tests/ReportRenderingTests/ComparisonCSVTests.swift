// A comparison as CSV: every number that JSON has too, one a row, and names that are no formulas.

import Foundation
import PermissionAnalysis
import PermissionEvents
import Testing

@testable import ReportRendering

@Suite struct ComparisonCSVTests {
  private func rows(_ set: ComparisonSet) throws -> [[String: String]] {
    let records = try CSVReader.records(ComparisonCSV.render(set))
    let columns = try #require(records.first)
    #expect(Set(columns).count == columns.count)
    return records.dropFirst().map { record in
      #expect(record.count == columns.count, "\(record)")
      return Dictionary(uniqueKeysWithValues: zip(columns, record))
    }
  }

  @Test func numbersAreThoseOfTheComparison() throws {
    for set in [SampleComparisons.won, SampleComparisons.running, SampleComparisons.noDifference] {
      let pair = set.pairs[0]
      let rows = try rows(set)
      func row(_ figure: String, _ message: String = "B") -> [String: String]? {
        let found = rows.filter { $0["figure"] == figure && $0["message"] == message && $0["day"] == "" }
        #expect(found.count == 1, "\(figure): \(found)")
        return found.first
      }
      #expect(row("rate", "A")?["value"].flatMap(Double.init) == pair.a.rate?.value)
      #expect(row("rate", "A")?["control"] == "" && row("rate")?["control"] == "A")
      #expect(row("difference")?["low"].flatMap(Double.init) == pair.difference?.low)
      #expect(row("difference")?["decision"] == pair.decision.rawValue)
      #expect(row("difference")?["n"] == "\(pair.a.trials + pair.b.trials)")
      #expect(row("rule_interval.at_decision")?["value"].flatMap(Double.init) == pair.monitoring.atDecision?.value)
      #expect(row("p_value")?["value"].flatMap(Double.init) == pair.test?.pValue)
      let days = rows.filter { $0["figure"] == "series.difference" }
      #expect(days.map { $0["day"] } == pair.series.map { CivilDate($0.day).text })
      #expect(days.map { $0["value"].flatMap(Double.init) } == pair.series.map(\.difference))
    }
  }

  @Test func whatIsUnknownIsEmpty() throws {
    let rows = try rows(SampleComparisons.tooEarly)
    let unknown = rows.filter { $0["figure"] == "secondary.granted_by_day_28.difference" }
    #expect(unknown.count == 1 && unknown[0]["value"] == "" && unknown[0]["low"] == "")
    #expect(!rows.contains { ["nan", "inf", "null"].contains($0["value"]?.lowercased() ?? "") })
  }

  @Test func namesAreNoFormulas() throws {
    let hostile = SampleComparisons.compare(
      SampleComparisons.users(perDay: 10, grants: [40, 55], days: 10), asOfDay: 10, names: ["=1+1", "a,\"b\"\r\n"])
    let messages = Set(try rows(hostile).compactMap { $0["message"] })
    #expect(messages.contains("'=1+1") && messages.contains { $0.hasPrefix("a,\"b\"") })
  }
}
