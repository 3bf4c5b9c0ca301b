// Filters on the command line: conditions on exposures, and two properties crossed.

import Foundation
import Testing

@Suite struct FilterTests {
  /// Users 0 to 11, half of them in Germany, on versions 3.9 and 3.10 and without one. Those of Germany grant.
  private func log(_ workspace: Workspace) throws -> String {
    var lines = ""
    for user in 0..<12 {
      let country = user % 2 == 0 ? "DE" : "US"
      let version = [#","app_version":"3.9""#, #","app_version":"3.10""#, ""][user % 3]
      let answer = user % 2 == 0 ? "granted" : "denied"
      for (event, second) in [("prompt_shown", 0), (answer, 3)] {
        lines +=
          #"{"user_id":"u\#(user)","timestamp":"2026-03-02T10:00:0\#(second)Z","event":"\#(event)","permission":"camera","#
          + #""variant":"\#(user < 6 ? "A" : "B")","country":"\#(country)"\#(version)}"# + "\n"
      }
    }
    lines += #"{"user_id":"v","timestamp":"2026-03-02T10:00:00Z","event":"granted","permission":"camera"}"# + "\n"
    let path = workspace.path("log")
    let result = try Tool.run(["ingest", try workspace.write("events.ndjson", lines), "--log", path])
    #expect(result.status == 0, "\(result.errors)")
    return path
  }

  private struct Report: Decodable {
    var `where`: [String]
    var by_values: Int?
    var unexposed, users, events: Int
    var rows: [Row]
  }

  private struct Row: Decodable {
    var week: String?
    var by: [Value]?
    var exposed, granted: Int
  }

  private struct Value: Decodable {
    var property: String
    var value: String?
    var other: Bool?
  }

  private func report(_ log: String, _ arguments: [String]) throws -> Report {
    let result = try Tool.run(["report", "--log", log, "--format", "json", "--as-of", "2026-03-20"] + arguments)
    #expect(result.status == 0, "\(result.errors)")
    return try JSONDecoder().decode(Report.self, from: result.output)
  }

  private func oneLine(_ text: String) -> String {
    text.replacing("\u{A0}", with: " ").split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  @Test func conditionsChooseJourneysByTheirExposure() throws {
    let workspace = try Workspace()
    let log = try log(workspace)
    for (conditions, exposed, granted) in [
      (["country=DE"], 6, 6), (["country!=DE"], 6, 0), (["country=DE,US"], 12, 6), (["country="], 0, 0),
      (["app_version>=3.10"], 4, 2), (["app_version<3.10"], 4, 2), (["app_version="], 4, 2),
      (["app_version!="], 8, 4), (["country=DE", "app_version>3.9"], 2, 2), (["variant=A", "country=US"], 3, 0),
    ] {
      let found = try report(log, conditions.flatMap { ["--where", $0] })
      let all = found.rows.filter { $0.week == nil }
      #expect(all.map(\.exposed) == (exposed == 0 ? [] : [exposed]), "\(conditions)")
      #expect(all.map(\.granted) == (exposed == 0 ? [] : [granted]), "\(conditions)")
      // What needs no exposure is that of the whole log.
      #expect(found.users == 13 && found.events == 25 && found.unexposed == 1 && found.where == conditions)
    }
    #expect(try report(log, []).where.isEmpty)
    #expect(try report(log, ["--where", "country = US , DE"]).where == ["country=DE,US"])
  }

  @Test func headersSayTheConditions() throws {
    let workspace = try Workspace()
    let log = try log(workspace)
    let filter = ["--where", "country=DE", "--where", "app_version>=3.9"]
    let words = "country=DE and app_version>=3.9"
    let rest = "events, users, unexposed, reach and activity are of the whole log"
    for form in [[], ["--full"], ["--format", "markdown"]] {
      let text = oneLine(try Tool.run(["report", "--log", log] + filter + form).text)
      #expect(text.contains(words), "\(text)")
      #expect(text.contains(rest), "\(text)")
    }
    let page = try Tool.run(["report", "--log", log, "--format", "html"] + filter).text
    #expect(page.contains("country=DE and app_version&gt;=3.9") && oneLine(page).contains(rest))
    let none = oneLine(try Tool.run(["report", "--log", log, "--where", "country="]).text)
    #expect(none.contains("that meets the conditions. Leave out some of the --where conditions."), "\(none)")
    let comparison = try Tool.run(["compare", "A", "B", "--log", log, "--where", "country=US"])
    #expect(oneLine(comparison.text).contains("exposures where country=US, as of"), "\(comparison.text)")
    let json = try Tool.run(["compare", "A", "B", "--log", log, "--where", "country=US", "--format", "json"]).text
    #expect(json.contains("\"country=US\""), "\(json)")
  }

  @Test func aConditionThatCannotBeReadSaysWhy() throws {
    let workspace = try Workspace()
    let log = try log(workspace)
    for command in [["report"], ["compare", "A", "B"]] {
      for (condition, words) in [
        // What is left when the shell took `>` and what follows it.
        ("app_version", "--where: app_version has no operator (= != >= > <= <). In a shell a condition needs quotes"),
        ("permission=camera", "--where: permission is not a property of the exposure"),
        ("colour=red", "--where: colour is not a property of the exposure"),
        ("country>DE", "--where: country is compared only with = or !="),
        ("app_version>=new", "--where: app_version needs one version like 3.2, not new"),
        ("country=FR", "--where: the log has no country FR. It has: DE, US."),
        ("country!=FR", "--where: the log has no country FR."),
      ] {
        let result = try Tool.run(command + ["--log", log, "--where", condition])
        #expect(result.status == 64 && result.errors.contains(words), "\(condition): \(result.errors)")
      }
    }
  }

  @Test func valuesThatTheLogDoesNotHaveAreRefusedEverywhere() throws {
    let workspace = try Workspace()
    let log = try log(workspace)
    for command in [["flow"], ["export", "--journeys"]] {
      let result = try Tool.run(command + ["--log", log, "--where", "country=FR"])
      #expect(
        result.status == 64 && result.errors.contains("--where: the log has no country FR. It has: DE, US."),
        "\(command): \(result.errors)")
      #expect(try Tool.run(command + ["--log", log, "--where", "country=DE,"]).status == 0)
    }
  }

  /// Who writes a name by hand writes another apostrophe, other capitals, or a letter too many.
  @Test func aNameInAnotherSpellingIsSuggested() throws {
    let workspace = try Workspace()
    let log = workspace.path("log")
    let names = ["Don\u{2019}t miss out", "b", "Weekend Offer", "Weekend Offers"]
    let lines = names.enumerated().map { number, name in
      #"{"user_id":"u\#(number)","timestamp":"2026-03-02T10:00:00Z","event":"prompt_shown","permission":"contacts","#
        + #""variant":"\#(name)"}"# + "\n"
    }
    let file = try workspace.write("events.ndjson", lines.joined())
    #expect(try Tool.run(["ingest", file, "--log", log]).status == 0)
    for (message, meant) in [
      ("Don't miss out", names[0]), ("dont miss out", names[0]), ("Don\u{2019}t miss oot", names[0]), ("B", "b"),
      ("weekend-offer", names[2]), ("weekend_offers", names[3]),
      // As near to one as to the other.
      ("Weekend Offerz", nil), ("c", nil),
    ] {
      let result = try Tool.run(["compare", message, "b", "--log", log])
      #expect(result.status == 64, "\(message)")
      let sentence = "the log has no message \(message). It has: \(names.sorted().joined(separator: ", "))."
      #expect(result.errors == "permlog: \(sentence)" + (meant.map { " Did you mean \($0)?" } ?? "") + "\n")
    }
    let permission = try Tool.run(["report", "--permission", "address book", "--log", log])
    #expect(permission.errors.hasSuffix("It has: contacts. Did you mean contacts?\n"), "\(permission.errors)")
    let country = try Tool.run(["report", "--where", "country=DE", "--log", log])
    #expect(country.errors.hasSuffix("the log has no country DE: no event in it has the field country\n"))
  }

  @Test func aConditionOnWhatIsComparedIsRefused() throws {
    let workspace = try Workspace()
    let log = try log(workspace)
    let result = try Tool.run(["compare", "A", "B", "--log", log, "--where", "variant=A,B"])
    #expect(
      result.status == 64 && result.errors.contains("--where: the messages are compared"), "\(result.errors)")
  }

  @Test func anEmptyLogHasNothingUnderConditionsToo() throws {
    let workspace = try Workspace()
    let log = workspace.path("log")
    _ = try Tool.run(["ingest", try workspace.write("none.ndjson", "\n"), "--log", log])
    let result = try Tool.run(["report", "--log", log, "--where", "country=DE", "--format", "json"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(try JSONDecoder().decode(Report.self, from: result.output).where == ["country=DE"])
  }

  @Test func twoPropertiesAreCrossed() throws {
    let workspace = try Workspace()
    let log = try log(workspace)
    let crossed = try report(log, ["--by", "country", "--by", "app_version"])
    let all = crossed.rows.filter { $0.week == nil }
    #expect(crossed.by_values == 6 && all.allSatisfy { $0.by?.map(\.property) == ["country", "app_version"] })
    #expect(
      all.map { $0.by?.map { $0.value ?? "-" } ?? [] } == [
        ["DE", "-"], ["DE", "3.10"], ["DE", "3.9"], ["US", "-"], ["US", "3.10"], ["US", "3.9"],
      ])
    #expect(all.allSatisfy { $0.exposed == 2 })
    let limited = try report(log, ["--by", "country", "--by", "app_version", "--by-limit", "2"])
    let last = try #require(limited.rows.last)
    #expect(last.by?.map(\.other) == [true, true] && last.by?.map(\.value) == [nil, nil] && last.exposed == 8)

    let csv = try Tool.run(
      ["report", "--log", log, "--format", "csv", "--by", "country", "--by", "app_version", "--by-limit", "2"]
    ).text
    let lines = csv.split(separator: "\r\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    #expect(lines[0].suffix(3) == ["other", "by_2", "by_2_property"])
    let values = Set(lines.dropFirst().filter { $0[9] == "country" }.map { [$0[2], $0[12], $0[13]] })
    #expect(values == [["DE", "", "app_version"], ["DE", "3.10", "app_version"], ["other", "other", "app_version"]])
    #expect(lines.allSatisfy { $0.count == 14 })

    for form in [["--full"], ["--format", "markdown"], ["--format", "html"]] {
      let arguments = ["report", "--log", log, "--by", "country", "--by", "app_version"] + form
      let text = oneLine(try Tool.run(arguments).text)
      #expect(text.contains("Permissions report by country and app_version"), "\(form)")
      #expect(text.replacing("\\_", with: "_").contains("country DE, app_version 3.10"), "\(text)")
    }
    let screen = oneLine(try Tool.run(["report", "--log", log, "--by", "country", "--by", "app_version"]).text)
    #expect(screen.contains("camera by country and app_version") && screen.contains("country DE, app_version 3.9"))
  }

  @Test func moreThanTwoPropertiesAndTheSameTwiceAreRefused() throws {
    for (arguments, words) in [
      (
        ["--by", "country", "--by", "country"],
        "--by: a report can be split by at most 2 properties of the exposure, each once"
      ),
      (
        ["--by", "country", "--by", "locale", "--by", "platform"], "--by: a report can be split by at most 2 properties"
      ),
      (["--by-limit", "3"], "--by-limit goes with --by"),
    ] {
      let result = try Tool.run(["report", "--log", "nowhere"] + arguments)
      #expect(result.status == 64 && result.errors.contains(words), "\(result.errors)")
    }
  }
}
