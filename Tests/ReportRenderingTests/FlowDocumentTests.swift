// Flows for people: one screen of text, pages that stand alone and are harmless whatever an export says, CSV with the JSON's
// numbers.

import Folding
import Foundation
import PermissionAnalysis
import PermissionEvents
import Testing

@testable import ReportRendering

extension SampleHistories {
  /// - Parameter names: of permissions, by code from 1 on.
  func flow(
    asOf: Milliseconds, names: [[UInt8]]? = nil, _ change: (inout FlowQuestion) -> Void = { _ in }
  ) throws -> FlowReport {
    let usual = (PermissionCode.taxonomy + [Self.longName, Self.wideName]).map { Array($0.utf8) }
    let permissions = [[]] + (names ?? usual)
    let contexts = HistoryContexts(
      contexts: permissions.indices.map { .init(permission: UInt32($0), variant: 0, experiment: 0) },
      permissions: permissions, variants: [[]], experiments: [[]], properties: [[]],
      times: 1_760_000_000_000...1_800_000_000_000)
    var question = FlowQuestion(windows: AnalysisWindows(asOf: asOf))
    change(&question)
    var fold = FlowFold(question, contexts: contexts)
    var sums = FlowSums()
    forEachBatch { fold.fold(batch: $0, into: &sums) }
    fold.finish(into: &sums)
    return try FlowReport(sums, question)
  }

  /// Users who are asked for up to `most` of all permissions, a minute apart.
  static func onboarding(users: Int, permissions: Int, most: Int, seed: UInt64 = 7) -> SampleHistories {
    var histories = SampleHistories()
    var numbers = SampleNumbers(seed: seed)
    for user in 0..<users {
      var time = monday + Milliseconds(user) * 3_600_000
      var events: [Event] = []
      let first = numbers.below(Int64(permissions))
      for step in 0..<Int(1 + numbers.below(Int64(most))) {
        let permission = UInt32(1 + (Int(first) + step) % permissions)
        events.append(Event(time: time, kind: .promptShown, permission: permission))
        if numbers.isTrue(percent: 90) {
          events.append(
            Event(time: time + 5000, kind: numbers.isTrue(percent: 55) ? .granted : .denied, permission: permission))
        }
        time += 60_000
      }
      histories.users.append(events)
    }
    return histories
  }
}

@Suite struct FlowDocumentTests {
  private static let end = SampleHistories.monday + 70 * millisecondsPerDay

  /// Flows of every shape.
  private static func reports() throws -> [(name: String, report: FlowReport)] {
    let app = SampleHistories.app()
    let steps = ["notifications", "photo_library", "health_read"]
    // Foundation takes a mark at the start of a string away when it reads JSON.
    let hostile = HostileText.values.filter { !$0.isEmpty && $0.count <= 256 && !$0.starts(with: [0xEF, 0xBB, 0xBF]) }
    let long = (0..<12).map { Array((String(repeating: "x", count: 240) + "\($0)").utf8) }
    var pending = SampleHistories()
    pending.users = [[.init(time: SampleHistories.monday, kind: .promptShown, permission: 2)]]
    let many = SampleHistories.onboarding(users: 900, permissions: 12, most: 11)
    return [
      ("app", try app.flow(asOf: SampleHistories.sampleEnd)),
      ("app with steps", try app.flow(asOf: SampleHistories.sampleEnd) { $0.steps = steps }),
      ("three steps", try SampleHistories.onboarding(users: 600, permissions: 3, most: 3).flow(asOf: end)),
      ("many", try many.flow(asOf: end)),
      ("eight steps", try many.flow(asOf: end) { $0.steps = Array(PermissionCode.taxonomy.prefix(8)) }),
      (
        "hostile",
        try SampleHistories.onboarding(users: 500, permissions: hostile.count, most: 3).flow(asOf: end, names: hostile)
      ),
      (
        "long names",
        try many.flow(asOf: end, names: long) { $0.steps = long.prefix(8).map { String(decoding: $0, as: UTF8.self) } }
      ),
      ("pending", try pending.flow(asOf: SampleHistories.monday + 1000)),
      ("none", try app.flow(asOf: 1_760_000_000_000)),
      ("empty", try FlowReport(FlowSums(), FlowQuestion(windows: AnalysisWindows(asOf: 0)), isOfEmptyLog: true)),
    ]
  }

  private func lines(_ bytes: [UInt8]) -> [String] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      .map(String.init)
  }

  @Test func aScreenIsAScreenWhateverTheLogHolds() throws {
    for (name, report) in try Self.reports() {
      for width in [60, 80, 120] {
        for isASCII in [false, true] {
          let style = TextStyle(width: width, isASCII: isASCII)
          let lines = lines(FlowDocument.render(report, .text, style, isFull: false))
          #expect(!lines.isEmpty)
          // Names of 240 letters take lines of their own.
          if width >= 80, name != "long names" {
            #expect(lines.count <= FlowDocument.screenHeight, "\(name): \(lines.count)")
          }
          for line in lines { #expect(DisplayWidth.of(line) <= width, "\(name): \(line)") }
          if isASCII { #expect(lines.joined().utf8.allSatisfy { $0 < 0x80 }, "\(name)") }
          for line in self.lines(FlowDocument.render(report, .text, style)) {
            #expect(DisplayWidth.of(line) <= width, "\(name): \(line)")
          }
        }
      }
    }
  }

  @Test func textIsAsItWas() throws {
    let reports = try Self.reports()
    for (name, file) in [("app with steps", "flow.txt"), ("three steps", "flow-three-steps.txt")] {
      let report = try #require(reports.first { $0.name == name }?.report)
      try Snapshots.check(FlowDocument.render(report, .text, TextStyle(), isFull: false), file)
      try Snapshots.check(FlowDocument.render(report, .text), "full-" + file)
    }
    try Snapshots.check(FlowDocument.render(reports[1].report, .markdown), "flow.md")
  }

  @Test func pagesAreWellFormedAndStandAlone() throws {
    for (name, report) in try Self.reports() {
      let page = try PageTree(FlowDocument.render(report, .html))
      #expect(page.scripts.isEmpty, "\(name)")
      #expect(page.addresses.allSatisfy { $0.hasPrefix("#") || $0 == "data:," }, "\(name): \(page.addresses)")
      #expect(page.attributes.allSatisfy { !$0.lowercased().hasPrefix("on") }, "\(name)")
      #expect(page.elements.isSubset(of: PageTree.known), "\(name): \(page.elements.subtracting(PageTree.known))")
      #expect(Set(page.ids).count == page.ids.count, "\(name)")
      for id in page.references { #expect(page.ids.contains(id), "\(name): \(id)") }
      #expect(page.figuresWithoutTable == 0, "\(name)")
      for drawing in page.drawings { #expect(!drawing.title.isEmpty && drawing.description.count > 20, "\(name)") }
      #expect(page.headings.first == 1)
      for (a, b) in zip(page.headings, page.headings.dropFirst()) { #expect(b <= a + 1, "\(name)") }
      for value in page.coordinates { #expect(value.allSatisfy { "0123456789.- MCLZ".contains($0) }, "\(value)") }
    }
  }

  /// Every flow is in one bar of each column that it reaches, and in a band between two of them.
  @Test func barsAndBandsHoldTheirFlows() throws {
    for (name, report) in try Self.reports() {
      let entry = report.all
      let chart = FlowChart(entry)
      #expect(chart.bars.filter { $0.step == 0 }.reduce(0) { $0 + $1.flows } == entry.settled, "\(name)")
      for (i, bar) in chart.bars.enumerated() {
        let reached = chart.bands.filter { $0.to == i }.reduce(0) { $0 + $1.flows }
        let left = chart.bands.filter { $0.from == i }.reduce(0) { $0 + $1.flows }
        if bar.step > 0 { #expect(reached == bar.flows, "\(name): \(bar)") }
        // The last column has none, as the steps after it are not drawn.
        if bar.step < FlowChart.mostSteps - 1 { #expect(left + bar.ended == bar.flows, "\(name): \(bar)") }
        let nodes = entry.tree.filter { $0.prefix.count == bar.step + 1 && $0.prefix.last == bar.permission }
        if bar.permission != nil { #expect(nodes.reduce(0) { $0 + $1.flows } == bar.flows, "\(name): \(bar)") }
      }
      for band in chart.bands {
        #expect(chart.bars[band.from].step + 1 == chart.bars[band.to].step && band.flows > 0, "\(name)")
      }
      for step in Set(chart.bars.map(\.step)) {
        let column = chart.bars.filter { $0.step == step }
        #expect(column.count <= FlowChart.mostBars + 1, "\(name)")
        #expect(column.count == Set(column.map(\.permission)).count, "\(name)")
      }
    }
  }

  @Test func everyPermissionOfTheTaxonomyHasATitle() {
    let titles = PermissionCode.taxonomy.map(PermissionTitle.of)
    #expect(zip(PermissionCode.taxonomy, titles).allSatisfy { $0 != $1 } && Set(titles).count == titles.count)
    #expect(PermissionTitle.of("custom_name") == "custom_name")
  }

  @Test func treesAreShownByTheirFlows() throws {
    let tree = try SampleHistories.onboarding(users: 900, permissions: 12, most: 11).flow(asOf: Self.end).all.tree
    let lines = FlowLines(tree, most: 20)
    #expect(lines.shown.count == 20 && lines.leftOut == tree.count - 20)
    for (place, node) in lines.shown.enumerated() where node.prefix.count > 1 {
      // What comes before it is above it.
      #expect(lines.shown[..<place].contains { $0.prefix == node.prefix.dropLast() })
    }
    let least = lines.shown.map(\.flows).min() ?? 0
    #expect(tree.filter { $0.flows > least }.count <= 20)
  }

  @Test func everyNumberOfTheJSONIsInTheCSV() throws {
    for (name, report) in try Self.reports() {
      var fromCSV: [String: Double] = [:]
      for record in try CSVReader.records(FlowCSV.render(report)).dropFirst() {
        #expect(record.count == 12)
        let cell = record[0...6].joined(separator: "|")
        #expect(fromCSV[cell] == nil, "\(name): \(cell) twice")
        fromCSV[cell] = Double(record[7]) ?? .nan
      }
      let json = try #require(
        try JSONSerialization.jsonObject(with: Data(FlowJSON.render(report))) as? [String: Any])
      func expectCell(_ cell: String, _ value: Any?) {
        let number = (value as? NSNumber)?.doubleValue
        #expect(number != nil && fromCSV[cell] == number, "\(name): \(cell)")
      }
      for entry in json["flow"] as? [[String: Any]] ?? [] {
        let place = "\(entry["week"] as? String ?? "")|\(entry["which"] as? String ?? "")"
        for figure in ["flows", "pending", "settled", "users", "more"] {
          expectCell("flows|\(place)||||\(figure)", entry[figure])
        }
        for node in entry["tree"] as? [[String: Any]] ?? [] {
          let prefix = CSVText.harmless((node["prefix"] as? [String] ?? []).joined(separator: " > "))
          for figure in ["flows", "ended", "more", "went_on"] {
            expectCell("tree|\(place)|\(prefix)|||\(figure)", node[figure])
          }
          for group in ["outcomes", "ended_by_outcome"] {
            for (outcome, count) in node[group] as? [String: Any] ?? [:] {
              expectCell("tree|\(place)|\(prefix)|||\(group).\(outcome)", count)
            }
          }
        }
        for (table, key) in [("by_position", "position"), ("by_outcome_before", "before")] {
          for row in entry[table] as? [[String: Any]] ?? [] {
            let names = "\(CSVText.harmless(row["permission"] as? String ?? ""))|\(row[key] as? String ?? "")"
            expectCell("\(table)|\(place)||\(names)|granted", row["granted"])
          }
        }
      }
    }
  }

  @Test func aDenialBeforeIsSetAgainstAGrant() throws {
    let sentences = FlowSentences(
      try SampleHistories.onboarding(users: 600, permissions: 3, most: 3).flow(asOf: Self.end), .codes)
    #expect(sentences.orders.count == 3)
    #expect(sentences.orders.allSatisfy { $0.contains("asked right after a denial") && $0.contains("points (") })
    #expect(FlowSentences.observation.contains("Observations"))
  }
}
