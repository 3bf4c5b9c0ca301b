// The list of experiments in every form, as people see it.

import Folding
import Foundation
import PermissionAnalysis
import PermissionEvents
import Testing

@testable import ReportRendering

/// A made-up log of several experiments, their names as odd as an export may bring them.
enum SampleExperiments {
  static let start = SampleHistories.monday
  static let asOf = start + 28 * millisecondsPerDay + millisecondsPerDay / 2
  static let permissions = [""] + PermissionCode.taxonomy
  static let hostile =
    "<script>alert(1)</script> \u{202E}evil\u{1B}[2J a name that goes on and on, longer than any line"

  /// By context: the place of its permission, its experiment and its variant.
  private static let contexts: [(permission: UInt32, experiment: Int, variant: Int)] = [
    (0, 0, 0), (1, 1, 1), (1, 1, 2), (2, 2, 3), (2, 2, 4), (2, 2, 5), (3, 3, 1),
  ]
  private static let experiments = ["", "notification_copy", hostile, "one_message"]
  private static let variants = ["", "A", "B", "\"><svg onload=alert(1)>", "control", "日本語"]

  private static func all(_ variants: [String]) -> HistoryContexts {
    HistoryContexts(
      contexts: contexts.map {
        .init(permission: $0.permission, variant: UInt32($0.variant), experiment: UInt32($0.experiment))
      },
      permissions: permissions.map { Array($0.utf8) }, variants: variants.map { Array($0.utf8) },
      experiments: experiments.map { Array($0.utf8) }, properties: [[]], attributes: [[0, 0, 0]],
      attributeValues: [[[]], [[]], [[]]], times: start...start + 400 * millisecondsPerDay)
  }

  private static let histories: SampleHistories = {
    var histories = SampleComparisons.users(perDay: 30, grants: [40, 55], days: 28)
    func add(_ more: SampleHistories, from context: UInt32) {
      histories.users += more.users.map { events in
        events.map { event in
          var event = event
          event.permission += context
          return event
        }
      }
    }
    add(SampleComparisons.users(perDay: 6, grants: [50, 45, 50], days: 12, seed: 11), from: 2)
    add(SampleComparisons.users(perDay: 2, grants: [50], days: 3, from: 24, seed: 13), from: 5)
    return histories
  }()

  private static func fold<F: Fold & ~Copyable>(
    _ variants: [String] = variants, _ make: (HistoryContexts) -> F
  ) -> F.Sums {
    var fold = make(all(variants))
    var sums = F.Sums()
    histories.forEachBatch { fold.fold(batch: $0, into: &sums) }
    fold.finish(into: &sums)
    return sums
  }

  static let list: ExperimentList = {
    let sums = fold { ExperimentFold(AnalysisWindows(asOf: asOf), zone: .utc, permission: nil, contexts: $0) }
    var experiments = sums.summaries(asOfDay: ZoneTable.utc.day(of: asOf))
    for place in experiments.indices where experiments[place].notCompared == nil {
      let found = experiments[place]
      let question = ComparisonQuestion(
        windows: AnalysisWindows(asOf: asOf), zone: .utc, permission: found.permission,
        variants: found.messages.map(\.variant), experiment: found.experiment)
      experiments[place].comparison = try? ComparisonSet(
        fold { ComparisonFold(question, contexts: $0) }, question)
    }
    return list(experiments, asOf: asOf)
  }()

  /// The same experiments with other names of messages, without comparisons.
  static func list(variants: [String]) -> ExperimentList {
    let sums = fold(variants) { ExperimentFold(AnalysisWindows(asOf: asOf), zone: .utc, permission: nil, contexts: $0) }
    return list(sums.summaries(asOfDay: ZoneTable.utc.day(of: asOf)), asOf: asOf)
  }

  static func list(_ experiments: [ExperimentSummary], asOf: Milliseconds?) -> ExperimentList {
    ExperimentList(
      asOf: asOf, zone: .utc, responseWindow: 1_800_000, followUp: 28 * millisecondsPerDay, permission: nil,
      experiments: experiments)
  }
}

@Suite struct ExperimentsDocumentTests {
  private static let list = SampleExperiments.list

  @Test func theSampleHasWhatItIsFor() {
    #expect(Self.list.experiments.map(\.messages.count) == [2, 1, 3])
    #expect(Self.list.experiments.map { $0.comparison?.pairs.count } == [1, nil, 2])
    #expect(Self.list.experiments[2].control == "control")
  }

  @Test func text() throws {
    for (style, name) in [
      (TextStyle(width: 80), "experiments-80.txt"), (TextStyle(width: 80, isASCII: true), "experiments-80-ascii.txt"),
    ] {
      let bytes = ExperimentsDocument.render(Self.list, .text, style)
      try Snapshots.check(bytes, name)
      for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
        #expect(DisplayWidth.of(String(line)) <= 80, "\(line)")
      }
    }
  }

  @Test func whatHasEndedIsNotToKeepRunning() throws {
    let text = String(decoding: ExperimentsDocument.render(Self.list, .text, TextStyle(width: 80)), as: UTF8.self)
    let ended = try #require(text.components(separatedBy: "── ").first { $0.contains("ended       exposures") })
    #expect(ended.contains("ENDED without a decision:") && !ended.contains("KEEP RUNNING"))
  }

  @Test func html() throws {
    let bytes = ExperimentsDocument.render(Self.list, .html)
    try Snapshots.check(bytes, "experiments.html")
    let page = try PageTree(bytes)
    #expect(page.scripts.isEmpty && page.figuresWithoutTable == 0 && page.drawings.count == 3)
    #expect(Set(page.ids).count == page.ids.count && page.references.allSatisfy(page.ids.contains))
    #expect(page.headings.first == 1)
    for (a, b) in zip(page.headings, page.headings.dropFirst()) { #expect(b <= a + 1) }
    #expect(page.elements.isSubset(of: PageTree.known), "\(page.elements.subtracting(PageTree.known))")
    #expect(page.drawings.allSatisfy { !$0.title.isEmpty && !$0.description.isEmpty })
  }

  @Test("A message named LOOK A is no alarm")
  func aNameIsNoAlarm() throws {
    let list = SampleExperiments.list(variants: ["", "LOOK A", "ZZ", "LOOK X", "control", "LOOK"])
    #expect(list.experiments.map(\.control) == ["LOOK A", "LOOK A", "control"])
    let html = String(decoding: ExperimentsDocument.render(list, .html), as: UTF8.self)
    #expect(html.contains("<dd>LOOK A (the control)") && !html.contains(">LOOK</strong>"))
  }

  @Test func json() throws { try Snapshots.check(ExperimentsJSON.render(Self.list), "experiments.json") }

  @Test func anEmptyLogHasAPageToo() throws {
    for list in [SampleExperiments.list([], asOf: nil), SampleExperiments.list([], asOf: SampleExperiments.asOf)] {
      let page = try PageTree(ExperimentsDocument.render(list, .html))
      let text = String(decoding: ExperimentsDocument.render(list, .text), as: UTF8.self)
      let words =
        list.asOf == nil
        ? "The log is empty" : "No screen, and no Settings prompt after a denial as first answer"
      #expect(page.text.contains(words) && text.contains(words))
      let object = try JSONSerialization.jsonObject(with: Data(ExperimentsJSON.render(list))) as? [String: Any]
      #expect(object?.count == 9 && (object?["experiments"] as? [Any])?.isEmpty == true)
    }
  }
}
