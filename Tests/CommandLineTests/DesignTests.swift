// Declared looks, several messages, huge differences, plans: what is asked for before an experiment, and what comes out.

import Foundation
import Testing

@Suite struct DesignTests {
  private typealias Group = Experiment.Group

  @Test func looksAreEndsOfDaysAndDoNotMoveWithTheReader() throws {
    let experiment = try Experiment([Group("A", 700, granted: 350), Group("B", 700, granted: 430)])
    let options = ["--looks", "4", "--planned-n", "1400"]
    let now = try experiment.compare(["A", "B"], options)
    let looks = try #require(now.at("monitoring", "looks") as? [[String: Any]])
    func users(_ look: [String: Any]) -> Int {
      (look.at("a", "trials") as? Int ?? 0) + (look.at("b", "trials") as? Int ?? 0)
    }
    // 100 users a day, the last two of whom are known on the next: no look before the seventh day is over, then those at
    // 700, 1050 and 1400.
    #expect(looks.map { $0["day_number"] as? Int } == [7, 8, 11, 15])
    #expect(looks.map(users) == [698, 798, 1098, 1400])
    #expect(looks.last?["time"] as? Double == 1)
    let bounds = looks.compactMap { $0["bound"] as? Double }
    #expect(zip(bounds, bounds.dropFirst()).allSatisfy { $0 > $1 })
    // Read after nine days only the looks of those days are there, the same ones.
    let asOf = ISO8601DateFormatter().string(
      from: Date(timeIntervalSince1970: Double(Experiment.start + 9 * Experiment.day + 3_600_000) / 1000))
    let earlier = try experiment.compare(["A", "B"], options + ["--as-of", asOf])
    let before = try #require(earlier.at("monitoring", "looks") as? [[String: Any]])
    #expect(before.count == 2 && NSArray(array: before) == NSArray(array: Array(looks.prefix(2))))
    #expect(earlier.at("monitoring", "declared", "next_at") as? Int == 1050)
  }

  @Test func theFirstLookThatCrossesDecides() throws {
    // A great difference in the first half, none in the second: a plan that stopped at the second look has a winner.
    let experiment = try Experiment([
      Group("A", 700, granted: 250, days: 7), Group("B", 700, granted: 450, days: 7),
      Group("A", 700, granted: 350, from: 7, days: 7), Group("B", 700, granted: 352, from: 7, days: 7),
    ])
    let comparison = try experiment.compare(["A", "B"], ["--looks", "4", "--planned-n", "2800"])
    let looks = try #require(comparison.at("monitoring", "looks") as? [[String: Any]])
    let first = try #require(looks.first { $0["crossed"] as? Bool == true })
    #expect(looks.count > 2 && (first.at("difference", "low") as? Double ?? -1) > 0)
    #expect(first["day"] as? String == comparison["decided_on"] as? String)
    #expect(first["day_number"] as? Int == comparison["decided_day"] as? Int)
    #expect(
      comparison.at("rule_interval", "at_decision", "low") as? Double == first.at("difference", "low") as? Double)
    #expect(
      comparison.at("rule_interval", "now", "low") as? Double == looks.last?.at("difference", "low") as? Double)
  }

  @Test func beforeTheFirstLookNothingIsDecided() throws {
    let experiment = try Experiment([Group("A", 300, granted: 100), Group("B", 300, granted: 250)])
    let comparison = try experiment.compare(["A", "B"], ["--looks", "2", "--planned-n", "9000"])
    // Its last user came long ago.
    #expect(comparison["decision"] as? String == "stop_out_of_reach")
    #expect((comparison["reasons"] as? [String])?.contains { $0.contains("4500") } == true)
    #expect(try experiment.compare()["decision"] as? String == "b_wins")
  }

  @Test func severalMessagesAreEachComparedWithTheFirst() throws {
    let experiment = try Experiment([
      Group("A", 900, granted: 400), Group("B", 900, granted: 410), Group("C", 900, granted: 600),
    ])
    let comparison = try experiment.compare(["A", "B", "C"])
    #expect(comparison.at("b", "variant") as? String == "B")
    #expect(comparison["decision"] as? String == "stop_out_of_reach")
    #expect(comparison["outlook"] as? String == "out_of_reach")
    #expect(comparison.at("others", 0, "a", "variant") as? String == "A")
    #expect(comparison.at("others", 0, "b", "variant") as? String == "C")
    #expect(comparison.at("others", 0, "decision") as? String == "b_wins")
    #expect(comparison["confidence"] as? Double == 0.975)
    #expect(comparison.at("sample_ratio", "observed") as? [Int] == [900, 900, 900])
    // Holm over two: the smaller p-value is doubled, the larger one stays.
    let p = try #require(comparison["p_value"] as? Double)
    let other = try #require(comparison.at("others", 0, "p_value") as? Double)
    #expect(comparison["p_adjusted"] as? Double == p && other < p)
    let adjusted = try #require(comparison.at("others", 0, "p_adjusted") as? Double)
    #expect(abs(adjusted - 2 * other) <= 1e-12 * other)
    let best = try #require(comparison["probability_best"] as? [Double])
    #expect(best.count == 3 && abs(best.reduce(0, +) - 1) < 1e-9 && best[2] > 0.999)
    // The interval is wider than that of the pair alone.
    let alone = try experiment.compare(["A", "B"])
    let (low, narrow) = (comparison.at("difference", "low") as? Double, alone.at("difference", "low") as? Double)
    #expect(try #require(low) < #require(narrow))
    let text = try experiment.run(["A", "B", "C"], ["--full"]).text
    #expect(text.contains("C against A: C WON on 2026-02-08 (day 7): take C.") && text.contains("P(best)"))
  }

  @Test func ofThreeMessagesAnAssumedSplitIsNoGroundForInvalid() throws {
    let experiment = try Experiment([
      Group("A", 900, granted: 400), Group("B", 900, granted: 410), Group("C", 200, granted: 90),
    ])
    let assumed = try experiment.compare(["A", "B", "C"])
    for decision in [assumed.at("decision"), assumed.at("others", 0, "decision")] {
      #expect(decision as? String == "stop_out_of_reach")
    }
    #expect(assumed.at("sample_ratio", "split_declared") as? Bool == false)
    #expect(assumed.at("sample_ratio", "sequential", "alarm") as? Bool == true)
    let cautions = try #require(assumed["cautions"] as? [String])
    let misfits = cautions.filter { $0.contains("assumed even split") }
    #expect(misfits.count == 1, "once, and not again by property: \(cautions)")
    #expect(misfits[0].hasSuffix("Declare the split of the test (--split) to have it checked."), "\(misfits[0])")
    let text = try experiment.run(["A", "B", "C"], ["--full"]).text.split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
    #expect(!text.contains("INVALID:") && !text.contains("as planned") && text.contains("by an assumed even split"))

    let even = try experiment.compare(["A", "B", "C"], ["--split", "1:1:1"])
    #expect(even["decision"] as? String == "invalid" && even.at("sample_ratio", "split_declared") as? Bool == true)
    #expect((even["reasons"] as? [String])?.first?.contains("not divided as planned") == true)
    let declared = try experiment.compare(["A", "B", "C"], ["--split", "9:9:2"])
    #expect(declared["decision"] as? String == "stop_out_of_reach")
    #expect((declared["cautions"] as? [String])?.contains { $0.contains("split") || $0.contains("divided") } == false)
    // Of two messages an assumed split is a ground: few tests of two are uneven.
    let two = try experiment.compare(["A", "C"])
    #expect(two["decision"] as? String == "invalid" && two.at("sample_ratio", "split_declared") as? Bool == false)
  }

  @Test func aPValueBelowTheSmallestDoubleHasItsLogarithm() throws {
    let experiment = try Experiment([Group("A", 4000, granted: 40), Group("B", 4000, granted: 3960)])
    let comparison = try experiment.compare()
    #expect(comparison["p_value"] as? Double == 0)
    let log = try #require(comparison["log10_p_value"] as? Double)
    // z is 87.7: log10 of erfc(87.7/√2).
    #expect(log < -1600 && log > -1800)
    #expect(try experiment.run(["A", "B"], ["--full"]).text.contains("1e-1"))
  }

  @Test func theSeriesEndsWithTheIntervalsOfNow() throws {
    let experiment = try Experiment([Group("A", 700, granted: 350), Group("B", 700, granted: 430)])
    let comparison = try experiment.compare()
    let series = try #require(comparison["series"] as? [[String: Any]])
    // The last users of a day answer, or do not, until after midnight.
    #expect(series.count == 15)
    #expect(series.last?["low"] as? Double == comparison.at("always_valid", "low") as? Double)
    #expect(series.last?["rule_high"] as? Double == comparison.at("rule_interval", "now", "high") as? Double)
    #expect(series.first?["low"] is NSNull && series.first?["rule_low"] is NSNull)
    #expect(series.first.map { ($0["b"] as? [String: Any])?.keys.sorted() } == ["rate", "successes", "trials"])
    let users = series.reduce(0) { $0 + (($1["b"] as? [String: Any])?["trials"] as? Int ?? 0) }
    #expect(users == 700)
  }

  @Test func plansAnswerBothWays() throws {
    let experiment = try Experiment([Group("A", 700, granted: 350), Group("B", 700, granted: 350)])
    let log = try experiment.log()
    let asOf = ISO8601DateFormatter().string(
      from: Date(timeIntervalSince1970: Double(Experiment.start + 14 * Experiment.day + 3_600_000) / 1000))
    func plan(_ options: [String]) throws -> [String: Any] {
      let result = try Tool.run(["plan", "--format", "json"] + options)
      #expect(result.status == 0, "\(result.errors)")
      return try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
    }
    let forward = try plan(["--permission", "camera", "--log", log, "--effect", "4", "--as-of", asOf])
    #expect(forward["baseline"] as? Double == 0.5)
    #expect(abs((forward["exposures_per_day"] as? Double ?? 0) - 1400.0 / 15) < 1e-9)
    // R's power.prop.test(p1 = .5, p2 = .54, power = .8): n = 2447.9 a group.
    #expect(forward.at("designs", 0, "per_variant") as? Int == 2448)
    #expect(forward.at("designs", 0, "days") as? Int == 53)
    let always = try #require(forward.at("designs", 2, "per_variant") as? Int)
    #expect(always > 4600 && always < 4750)
    // What that many users find is what was asked for.
    let back = try plan(["--baseline", "50", "--users", "\(always)"])
    #expect(abs((back.at("designs", 2, "detectable_up") as? Double ?? 0) - 0.04) < 1e-4)
    #expect(back.at("designs", 2, "days") is NSNull)
    let days = try plan(["--permission", "camera", "--log", log, "--days", "30", "--as-of", asOf])
    #expect(days.at("designs", 0, "per_variant") as? Int == 1400)
    #expect(try Tool.run(["plan", "--permission", "camera", "--log", log]).text.contains("always valid"))
  }

  @Test(arguments: [
    (["plan", "--baseline", "99.9", "--effect", "40", "--metric", "deny_rate"], 0, ""),
    (["plan", "--baseline", "50", "--effect", "80"], 64, "No rate is"),
    (["plan", "--baseline", "101"], 64, "--baseline"),
    (["plan", "--baseline", "50", "--days", "3"], 64, "exposures a day"),
    (["plan", "--baseline", "50", "--days", "3", "--users", "3"], 64, "--users cannot be combined with --days"),
    (["plan", "--baseline", "50", "--variants", "1"], 64, "--variants"),
    (["plan", "--baseline", "50", "--power", "100"], 64, "--power"),
    (["plan", "--baseline", "nan"], 64, "--baseline"),
    (["compare", "A", "B", "C", "--split", "50:50"], 64, "50:50:50"), (["compare", "A", "B", "A"], 64, "different"),
    (["compare", "A"], 64, "B"), (["compare", "A", "B", "--looks", "0"], 64, "--looks"),
    (["compare", "A", "B", "--looks", "51"], 64, "--looks"),
    (["compare", "A", "B", "--guardrail", "grant_rate"], 64, "guardrail"),
    (["compare", "A", "B", "--guardrail", "grant_rate:0"], 64, "guardrail"),
    (["compare", "A", "B", "--guardrail", "fun:1"], 64, "guardrail"),
    (["compare", "A", "B", "--by", "variant"], 64, "--by: the messages are compared"),
    (["compare", "A", "B", "--by", "shoe"], 64, "shoe"),
  ])
  func impossibleWishesAreRefused(_ arguments: [String], _ status: Int32, _ words: String) throws {
    let result = try Tool.run(arguments)
    #expect(result.status == status, "\(arguments): \(result.errors)")
    #expect(words.isEmpty || result.errors.contains(words), "\(arguments): \(result.errors)")
  }
}
