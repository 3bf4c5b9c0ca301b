// The sentences of reasons and cautions that the made-up experiments of the command line's tests do not come to, and the
// words that a program gives for its own options.

import Foundation
import PermissionAnalysis
import PermissionEvents
import Testing

@testable import ReportRendering

@Suite struct ReasonTests {
  @Test func refusalsAreSentencesWithTheirNumbers() {
    #expect(
      Comparison.AlwaysValidRefusal.fewUsers(variant: "B", have: 1, need: 100).sentence("message")
        == "B has 1 user; an always-valid statement needs 100 for each message.")
    #expect(
      Comparison.AlwaysValidRefusal.fewNonEvents(variant: "A", have: 3, need: 10).sentence("message")
        == "A has 3 non-events; an always-valid statement needs 10 for each message.")
    #expect(Comparison.NoveltyRefusal.nobody.sentence("value") == "One value has no users yet.")
    #expect(
      ExperimentPlan.PlanRefusal.noSuchRate(effect: 0.6, baseline: 0.5).sentence
        == "No rate is 60.00 points above or below 50.0 %.")
  }

  @Test func aPlanThatFindsNothingSaysWhy() {
    var question = PlanQuestion()
    question.effect = 0.6
    #expect(
      ExperimentPlan(question, PlanBaseline(rate: 0.5, exposuresPerDay: nil)).refused
        == .noSuchRate(effect: 0.6, baseline: 0.5))
    question.effect = nil
    question.days = 3
    #expect(ExperimentPlan(question, PlanBaseline(rate: 0.5, exposuresPerDay: nil)).refused == .unknownTraffic)
  }

  @Test func aPlanIsToldInTheCallersWords() {
    var question = PlanQuestion()
    question.effect = 0.02
    let plan = ExperimentPlan(question, PlanBaseline(rate: 0.5, exposuresPerDay: 100))
    func text(_ style: TextStyle) -> String {
      String(decoding: PlanDocument.render(plan, permission: nil, style), as: UTF8.self)
    }
    #expect(!text(TextStyle()).contains("--") && text(TextStyle()).contains("planned users"))
    let named = TextStyle { remedy in
      if case .compareAsPlanned(_, let looks?) = remedy { "looks=\(looks)" } else { remedy.advice }
    }
    #expect(text(named).contains("looks=5 for the"))
  }

  /// A number is asked for only where it would help, and a reason is the true one.
  @Test(
    arguments: [
      (PlanBaseline(rate: 0.4, exposuresPerDay: 100), 3, nil, nil, "it is for two messages"),
      (PlanBaseline(rate: 0.4, exposuresPerDay: 100), 3, nil, 0.03, "it is for two messages"),
      (PlanBaseline(rate: 0.4, exposuresPerDay: 100), 2, [70, 30], nil, "it is for an even split"),
      (PlanBaseline(rate: 0.4, exposuresPerDay: nil), 2, [5, 5], 0.03, "the exposures a day are unknown"),
      (PlanBaseline(rate: 0.0, exposuresPerDay: 100), 2, nil, 0.03, "all users do the same at a rate of 0.0 %"),
      (PlanBaseline(rate: 0.4, exposuresPerDay: 100), 2, nil, nil, nil),
    ] as [(PlanBaseline, Int, [Double]?, Double?, String?)])
  func testAndRollSaysWhyItHasNoAnswer(
    _ baseline: PlanBaseline, _ variants: Int, _ split: [Double]?, _ deviation: Double?, _ why: String?
  ) {
    var question = PlanQuestion()
    question.effect = 0.05
    (question.variants, question.split, question.effectDeviation) = (variants, split, deviation)
    let page = PlanDocument.render(ExperimentPlan(question, baseline), permission: nil, TextStyle(width: 200))
    let text = String(decoding: page, as: UTF8.self).replacing("\u{A0}", with: " ")
    #expect(text.contains(why.map { "Test & Roll: no answer, because \($0)." } ?? "Test & Roll needs to know"))
  }

  /// Sentences of the libraries, as they are in the sources; `var(--ink)` is a style sheet's.
  @Test func noSentenceNamesAnOption() throws {
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Sources")
    for module in ["ReportRendering", "PermissionAnalysis"] {
      let folder = sources.appendingPathComponent(module)
      let files = try #require(FileManager.default.enumerator(atPath: folder.path))
      for case let path as String in files where path.hasSuffix(".swift") {
        let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
        for line in text.split(separator: "\n") where !line.contains("//") {
          let isNamed = try #/"[^"]*(^|[^(])--[a-z]/#.firstMatch(in: line) != nil || line.contains("permlog ")
          #expect(!isNamed || path.hasSuffix("PageStyle.swift"), "\(path): \(line)")
        }
      }
    }
  }

  @Test func noWordOfTheLibraryNamesAnOption() {
    let remedies: [Remedy] = [
      .exampleIngest, .widenInterval, .widenConditions, .listKinds, .lookFromLater, .readJSON, .readCSV,
      .seeMore(sections: []),
      .plannedUsers,
      .compareAsPlanned(users: 10, looks: 2),
    ]
    #expect(remedies.allSatisfy { !$0.advice.contains("--") && !$0.advice.contains("permlog") })
  }
}
