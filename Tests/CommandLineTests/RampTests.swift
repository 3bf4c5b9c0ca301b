// A test that begins with a tenth of its users, or begins again: what the tool makes of it from a log and from sums.

import Foundation
import Testing

@Suite struct RampTests {
  private typealias Group = Experiment.Group

  /// A week of nine to one, then even; fewer grant after the launch, and there is no difference.
  private func ramp() throws -> Experiment {
    try Experiment([
      Group("A", 900, granted: 540, from: 0, days: 7), Group("B", 100, granted: 60, from: 0, days: 7),
      Group("A", 700, granted: 210, from: 7, days: 14), Group("B", 700, granted: 210, from: 7, days: 14),
    ])
  }

  /// The day of the change: experiments begin on 2026-02-02.
  private static let change = "2026-02-09"
  private static let split = "90:10; from \(change) 50:50"

  @Test func anUndeclaredChangeNamesItsDayAndTheOptionThatComparesRight() throws {
    let experiment = try ramp()
    let text = try experiment.run(["A", "B"], []).text.split { $0.isWhitespace }.joined(separator: " ")
    #expect(text.contains("INVALID") && text.contains("The division changed: 90:10 and 50:50 from \(Self.change)."))
    #expect(text.contains("(--split '\(Self.split)')"), "\(text)")
    let declared = try experiment.compare(["A", "B"], ["--split", Self.split])
    #expect(declared["decision"] as? String == "stop_out_of_reach" && declared["decided_on"] is NSNull)
    #expect(declared.at("sample_ratio", "expected") as? [Double] == [1600, 800])
    #expect(declared.at("monitoring", "adjusted_by") as? [String] == ["period"])
    // Whoever looks at all users sees A win.
    #expect((declared.at("difference", "high") as? Double ?? 1) < 0)
    #expect(declared["estimate_relative"] is NSNull)
  }

  @Test func ofThreeMessagesAChangeIsAGroundToo() throws {
    let experiment = try Experiment([
      Group("A", 800, granted: 480, from: 0, days: 7), Group("B", 100, granted: 60, from: 0, days: 7),
      Group("C", 100, granted: 60, from: 0, days: 7), Group("A", 500, granted: 150, from: 7, days: 14),
      Group("B", 500, granted: 150, from: 7, days: 14), Group("C", 500, granted: 150, from: 7, days: 14),
    ])
    let comparison = try experiment.compare(["A", "B", "C"])
    #expect(comparison["decision"] as? String == "invalid")
    #expect((comparison["reasons"] as? [String])?.contains { $0.contains("80:10:10 and ") } == true)
  }

  /// It used to say that a period with a day did not say from when.
  @Test(arguments: ["90:10; from 2026-02-10", "90:10;", "90:10; 2026-02-10 50:50", "90:10; from 2026-02-30 50:50"])
  func aPeriodNeedsADayAndShares(_ split: String) throws {
    let result = try Tool.run(["compare", "A", "B", "--split", split])
    #expect(result.status == 64 && result.output.isEmpty)
    #expect(
      result.errors.contains("after each `;` there must be a day and the shares from it on, like '90:10; from "),
      "\(result.errors)")
  }

  @Test func onlyDailyLooksCompareWithinPeriods() throws {
    let experiment = try ramp()
    for options in [["--rule", "always-valid"], ["--looks", "4", "--planned-n", "4000"]] {
      let result = try experiment.run(["A", "B"], ["--split", Self.split] + options)
      #expect(result.status == 64 && result.errors.contains("--split"), "\(result.errors)")
    }
    let guarded = try experiment.compare(["A", "B"], ["--split", Self.split, "--guardrail", "deny_rate:1"])
    #expect(guarded.at("guardrails", 0, "state") as? String == "undecided", "all users together mix the periods")
  }

  @Test func sumsOfARampTakeItsSharesWhenTheyAreRead() throws {
    let experiment = try ramp()
    let log = try experiment.log()
    let place = experiment.workspace
    let words = ["compare", "A", "B", "--permission", "camera", "--as-of", "2026-03-01"]
    let question = place.path("ramp.question")
    let saved = try Tool.run(words + ["--split", Self.split, "--save-question", question])
    #expect(saved.status == 0, "\(saved.errors)")
    let made = try Tool.run(["sums", "make", "--question", question, "--log", log, "--output", place.path("ramp.sums")])
    #expect(made.status == 0, "\(made.errors)")
    let read = ["compare", "--from-sums", place.path("ramp.sums"), "--format", "json"]
    let without = try Tool.run(read)
    #expect(without.status == 64 && without.errors.contains("give its shares"), "\(without.errors)")
    let other = try Tool.run(read + ["--split", "90:10; from 2026-02-10 50:50"])
    #expect(other.status == 64 && other.errors.contains(Self.change), "\(other.errors)")
    let whole = try Tool.run(words + ["--split", Self.split, "--format", "json", "--log", log])
    #expect(try Tool.run(read + ["--split", Self.split]).output == whole.output && whole.status == 0)
  }

  @Test func whoSawAMessageBeforeIsLeftOutAndCounted() throws {
    let experiment = try ramp()
    let later = try experiment.compare(["A", "B"], ["--from", Self.change])
    #expect(later["exposed_before"] as? Int == 1000 && later["from"] as? String == Self.change)
    #expect(later.at("a", "exposed") as? Int == 700 && later.at("b", "exposed") as? Int == 700)
    #expect((later["cautions"] as? [String])?.contains { $0.hasPrefix("1000 users had seen a message before") } == true)
    let none = try experiment.run(["A", "B"], ["--to", "2020-01-01"])
    #expect(none.text.contains("No users were shown A between these dates."), "\(none.text)")
    let reversed = try experiment.run(["A", "B"], ["--from", Self.change, "--to", Self.change])
    #expect(reversed.status == 64)
  }
}
