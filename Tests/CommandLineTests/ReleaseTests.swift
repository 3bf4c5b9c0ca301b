// What a release changed: values of a property that nobody was assigned to. A made-up log for each decision, and what is
// never said of one.

import Foundation
import Testing

@Suite struct ReleaseTests {
  /// Users whose first screen was with a version.
  private static func group(_ version: String, _ users: Int, granted: Int, from: Int = 0, days: Int = 14)
    -> Experiment.Group
  {
    var group = Experiment.Group("A", users, granted: granted, from: from, days: days)
    group.appVersion = version
    return group
  }

  private static let property = ["--property", "app_version"]

  /// The comparison as JSON, and whatever words it has in the other forms.
  private func compare(
    _ groups: [Experiment.Group], _ values: [String] = ["3.1", "3.2"], _ options: [String] = []
  ) throws -> (json: [String: Any], words: String) {
    let log = try Experiment(groups)
    let options = Self.property + options
    var words = ""
    for form in ["text", "markdown", "html", "csv"] {
      let result = try log.run(values, options + ["--format", form, "--explain"].prefix(form == "csv" ? 2 : 3))
      #expect(result.status == 0, "\(form): \(result.errors)")
      words += result.text + "\n"
    }
    return (try log.compare(values, options), words)
  }

  /// No winner, no advice, nothing of an experiment.
  private func expectNoVerdict(_ words: String, _ json: [String: Any]) {
    let said =
      words + ((json["reasons"] as? [String] ?? []) + (json["cautions"] as? [String] ?? [])).joined(separator: "\n")
    for word in [
      "WON", "a winner", "KEEP RUNNING", "INVALID", "REVIEW", "TOO EARLY", "sample ratio", "saw several",
      "multiple exposures", "HARMED",
      "the test seems", "higher is better", "; expected loss", "who saw", "was shown", "you may stop", "bolder",
      "both messages",
      "smaller message", "a message", "P(best)", "better",
    ] {
      #expect(!said.contains(word), "\(word)")
    }
    #expect(words.contains("No users were assigned at random"))
    #expect(words.contains("A real test assigns messages at random"))
    #expect((json["cautions"] as? [String])?.first?.hasPrefix("No users were assigned at random") == true)
    #expect(json["sample_ratio"] is NSNull && json["contaminated"] is NSNull && json["probability_best"] is NSNull)
    #expect(json["property"] as? String == "app_version" && json["guardrails"] as? [Any] != nil)
    #expect((json["reasons"] as? [String])?.isEmpty == false)
  }

  @Test func aDifferenceStaysWithItsDayAndHasNoWinner() throws {
    let groups = [Self.group("3.1", 700, granted: 250), Self.group("3.2", 700, granted: 420)]
    let (json, words) = try compare(groups)
    #expect(json["decision"] as? String == "differs")
    let day = try #require(json["decided_on"] as? String)
    #expect(json.at("a", "variant") as? String == "3.1" && json.at("b", "variant") as? String == "3.2")
    #expect(words.contains("DIFFERS, found on \(day) (day"))
    #expect(words.contains("the grant rate was higher with app_version 3.2 than with 3.1."))
    #expect(
      words.contains(
        "users with app_version 3.2 may differ from users with 3.1, and may have been asked in other weeks"))
    expectNoVerdict(words, json)
    // The other way round it is lower, on the same day.
    let (turned, other) = try compare(groups, ["3.2", "3.1"])
    #expect(turned["decided_on"] as? String == day && other.contains("was lower with app_version 3.1 than with 3.2"))
    // Of a metric whose less is good too, nothing is said of good.
    let (denied, deny) = try compare(groups, ["3.1", "3.2"], ["--metric", "deny_rate"])
    #expect(denied["decision"] as? String == "differs" && deny.contains("the deny rate was"))
    expectNoVerdict(deny, denied)
  }

  @Test func noDifferenceIsFoundWithItsDay() throws {
    let groups = [Self.group("3.1", 900, granted: 450), Self.group("3.2", 900, granted: 450)]
    let (json, words) = try compare(groups, ["3.1", "3.2"], ["--minimum-effect", "15"])
    #expect(json["decision"] as? String == "no_difference" && json["decided_on"] is String)
    #expect(
      words.contains("NO DIFFERENCE FOUND that matters, by ")
        && words.contains("within ± 15.00 points of that with 3.1"))
    expectNoVerdict(words, json)
  }

  @Test func everythingElseIsNotClear() throws {
    let few = [Self.group("3.1", 60, granted: 30), Self.group("3.2", 60, granted: 33)]
    let early = [Self.group("3.1", 900, granted: 200, days: 3), Self.group("3.2", 900, granted: 700, days: 3)]
    for (groups, said) in [(few, "still includes 0"), (early, "Exposures cover 3 days so far")] {
      let (json, words) = try compare(groups)
      #expect(json["decision"] as? String == "not_clear" && json["decided_on"] is NSNull)
      #expect(
        words.contains("NOT CLEAR YET")
          && words.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(said))
      expectNoVerdict(words, json)
    }
  }

  /// The log has the value, and nobody has it yet at the moment that is looked from.
  @Test func aValueThatNobodyHasIsNotClear() throws {
    let groups = [Self.group("3.1", 300, granted: 100), Self.group("3.2", 300, granted: 200, from: 40)]
    let asOf = Date(timeIntervalSince1970: Double(Experiment.start / 1000 + 20 * 86_400))
    let (json, words) = try compare(groups, ["3.1", "3.2"], ["--as-of", "\(asOf.formatted(.iso8601))"])
    #expect(json["decision"] as? String == "not_clear")
    #expect((json["reasons"] as? [String]) == ["No user's first screen of camera was with app_version 3.2."])
    expectNoVerdict(words, json)
  }

  @Test func severalValuesHaveOneLine() throws {
    let groups = [
      Self.group("3.1", 700, granted: 250), Self.group("3.2", 700, granted: 420), Self.group("3.3", 60, granted: 24),
    ]
    let (json, words) = try compare(groups, ["3.1", "3.2", "3.3"])
    #expect(words.contains("By app_version: 3.2 DIFFERS from 3.1; NOT CLEAR YET for 3.3."))
    #expect(json.at("overall", "winners") as? [String] == [])
    // Once on the page and once in Markdown; in text the line is broken.
    #expect(words.components(separatedBy: "the users of one app_version may differ").count == 3)
    expectNoVerdict(words.replacing("the users of one app_version may differ", with: ""), json)
  }

  /// A difference within Simpson's paradox is still said to be one, with what speaks against it.
  @Test func whatSpeaksAgainstADifferenceIsSaidBesideIt() throws {
    let groups = [
      Self.group("3.1", 900, granted: 720).on(platform: "ios"),
      Self.group("3.1", 100, granted: 30).on(platform: "ipados"),
      Self.group("3.2", 100, granted: 90).on(platform: "ios"),
      Self.group("3.2", 900, granted: 360).on(platform: "ipados"),
    ]
    let (json, words) = try compare(groups)
    #expect(json["decision"] as? String == "differs")
    #expect((json["reasons"] as? [String])?.contains { $0.hasPrefix("Simpson's paradox by platform") } == true)
    expectNoVerdict(words, json)
  }

  @Test func aFirstScreenWithAnotherValueIsInNoArm() throws {
    var updated = Self.group("3.0", 50, granted: 10)
    updated.appVersion = "3.0"
    let (json, _) = try compare([Self.group("3.1", 70, granted: 30), Self.group("3.2", 80, granted: 30), updated])
    #expect(json.at("a", "exposed") as? Int == 70 && json.at("b", "exposed") as? Int == 80)
  }

  @Test func whatNeedsAssignmentIsRefused() throws {
    let log = try Experiment([Self.group("3.1", 60, granted: 30), Self.group("3.2", 60, granted: 33)])
    for (options, why) in [
      (["--split", "50:50"], "--split: users were not assigned to values of app_version"),
      (["--contaminated", "exclude"], "--contaminated: users may have several values"),
      (
        ["--guardrail", "deny_rate:1"],
        "--guardrail: a guardrail is for choosing a winner, but a comparison by app_version names none"
      ),
      (["--by", "app_version"], "is compared"),
      (["--adjust", "platform,app_version"], "is compared"),
      (["--where", "app_version>=3.1"], "--where: app_version is compared"),
    ] {
      let result = try log.run(["3.1", "3.2"], Self.property + options)
      #expect(result.status == 64 && result.errors.contains(why), "\(options): \(result.errors)")
    }
    let workspace = try Workspace()
    let plan = workspace.path("plan.json")
    let saving = [
      "plan", "3.1", "3.2", "--effect", "5", "--permission", "camera", "--log", try log.log(), "--save", plan,
    ]
    let saved = try Tool.run(saving)
    #expect(saved.status == 0, "\(saved.errors)")
    let planned = try log.run([], Self.property + ["--plan", plan])
    #expect(planned.status == 64 && planned.errors.contains("assigned at random"), "\(planned.errors)")
    let unknown = try log.run(["3.1", "9.9"], Self.property)
    #expect(unknown.status == 64 && unknown.errors.contains("the log has no app_version 9.9. It has: 3.1, 3.2."))
    #expect(try log.run(["3.1", "3.1"], Self.property).status == 64)
    let empty = try log.run(["", "3.1"], Self.property)
    #expect(empty.status == 64 && empty.errors.contains("the argument after compare is empty"), "\(empty.errors)")
    // The message is one of the properties, and compared as ever.
    #expect(try log.run(["A", "B"], ["--property", "variant", "--split", "50:50"]).status == 0)
  }

  /// Adjusted within another property, and within the values of one that has a column of its own.
  @Test func otherPropertiesAreAdjustedForAndComparedWithin() throws {
    let groups = [Self.group("3.1", 400, granted: 150), Self.group("3.2", 400, granted: 260)]
    let (json, _) = try compare(groups, ["3.1", "3.2"], ["--adjust", "platform", "--by", "platform"])
    #expect(json.at("monitoring", "adjusted_by") as? [String] == ["platform"])
    #expect(json["decision"] as? String == "differs" && json.at("segments", "property") as? String == "platform")
    #expect((json["strata"] as? [[String: Any]])?.map { $0["property"] as? String } == ["platform", "os_version"])
    #expect((json["strata"] as? [[String: Any]])?.allSatisfy { $0["sample_ratio"] is NSNull } == true)
  }
}
