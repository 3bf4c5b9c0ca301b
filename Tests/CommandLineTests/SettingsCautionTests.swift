// What is said of Settings messages where a log is not as a comparison needs it: other answers than a denial, another test, no message.

import Foundation
import Testing

@Suite struct SettingsCautionTests {
  /// An event of a user, as many hours after the first, with the message and the experiment that it carries.
  private struct Step {
    var hours: Double
    var event: String
    var variant = "", experiment = ""

    init(_ hours: Double, _ event: String, _ variant: String = "", of experiment: String = "") {
      (self.hours, self.event, self.variant, self.experiment) = (hours, event, variant, experiment)
    }
  }

  private static let start = 1_767_225_600_000 + 9 * 3_600_000
  private static let minute = 1.0 / 60

  /// A log in which each user of a message does the same; each third turns the permission on a day after the last step.
  private static func log(
    _ steps: (String) -> [Step], users: Int = 40
  ) throws -> (workspace: Workspace, path: String) {
    var lines: [String] = []
    func line(_ user: Int, _ hours: Double, _ event: String, _ more: String = "") {
      let time = start + user % 10 * 86_400_000 + Int(hours * 3_600_000)
      lines.append(
        #"{"event_id":"e\#(lines.count)","user_id":"u\#(user)","timestamp":\#(time),"event":"\#(event)","permission":"camera"\#(more)}"#
      )
    }
    for user in 0..<users {
      let steps = steps(user / 10 % 2 == 0 ? "A" : "B")
      for step in steps {
        let variant = step.variant.isEmpty ? "" : #","variant":"\#(step.variant)""#
        let experiment = step.experiment.isEmpty ? "" : #","experiment":"\#(step.experiment)""#
        line(user, step.hours, step.event, variant + experiment)
      }
      let status = user % 3 == 0 ? "authorized" : "denied"
      line(user, (steps.last?.hours ?? 0) + 24, "status_checked", #","status":"\#(status)""#)
    }
    line(users, 24 * 60, "status_checked", #","status":"denied""#)
    let workspace = try Workspace()
    let path = workspace.path("log")
    let text = lines.joined(separator: "\n") + "\n"
    let result = try Tool.run(["ingest", "-", "--quiet", "--log", path], input: Data(text.utf8))
    #expect(result.status == 0, "\(result.errors)")
    return (workspace, path)
  }

  private static let command = ["compare", "A", "B", "--screen", "settings"]

  private static func json(_ path: String, _ command: [String] = command) throws -> [String: Any] {
    let result = try Tool.run(command + ["--format", "json", "--log", path])
    #expect(result.status == 0, "\(result.errors)")
    return try #require(JSONSerialization.jsonObject(with: result.output) as? [String: Any])
  }

  private static func cautions(_ path: String, _ command: [String] = command) throws -> [String] {
    try json(path, command)["cautions"] as? [String] ?? []
  }

  /// Asked, denied within a minute, and the alert a day later.
  private static func denied(_ variant: String) -> [Step] {
    [Step(0, "prompt_shown"), Step(minute, "denied"), Step(24, "settings_prompt_shown", variant, of: "alerts")]
  }

  @Test("users with another first answer than a denial are left out for that reason")
  func firstAnswers() throws {
    func alert(_ hours: Double, _ variant: String) -> Step {
      Step(hours, "settings_prompt_shown", variant, of: "alerts")
    }
    let ways: [(name: String, steps: (String) -> [Step])] = [
      (
        "not now",
        {
          [
            Step(0, "explanation_shown"), Step(Self.minute, "skipped"), Step(72, "prompt_shown"),
            Step(72 + Self.minute, "denied"), alert(96, $0),
          ]
        }
      ),
      ("late", { [Step(0, "prompt_shown"), Step(31 * Self.minute, "denied"), alert(24, $0)] }),
      (
        "revoked",
        { [Step(0, "prompt_shown"), Step(Self.minute, "granted"), Step(24, "revoked"), alert(48, $0)] }
      ),
      ("no screen", { [Step(0, "status_checked"), alert(48, $0)] }),
    ]
    for (name, steps) in ways {
      let (workspace, path) = try Self.log(steps)
      defer { withExtendedLifetime(workspace) {} }
      let found = try Self.json(path)
      let cautions = found["cautions"] as? [String] ?? []
      #expect(
        cautions.contains {
          $0.hasPrefix("20 users of A and 20 of B saw a Settings prompt without a denial as first answer")
            && $0.contains("another (skipped, granted, restricted), too late, or not in the log")
        }, "\(name): \(cautions)")
      let reasons = found["reasons"] as? [String] ?? []
      #expect(
        reasons.contains { $0.contains("No users with a denial as first answer were shown A") },
        "\(name): \(reasons)")
    }
  }

  @Test("a message on a screen before the denial is of this test only if its experiment is")
  func screensBefore() throws {
    func steps(_ screen: Step, _ alert: String) -> (String) -> [Step] {
      { variant in
        [
          screen.event == "prompt_shown" ? nil : screen,
          Step(1.0 / 3600, "prompt_shown", screen.event == "prompt_shown" ? screen.variant : "", of: screen.experiment),
          Step(Self.minute, "denied"), Step(24, "settings_prompt_shown", variant, of: alert),
        ].compactMap(\.self)
      }
    }
    let ofTest = "40 of 40 users saw a message of this test on a screen before they denied"
    let ofName = "40 of 40 users saw a message of the same name on a screen before they denied"
    let named = Self.command + ["--experiment", "alerts"]
    for (screen, alert, command, expected) in [
      ("copy", "alerts", Self.command, ""), ("copy", "alerts", named, ""), ("alerts", "alerts", Self.command, ofTest),
      ("alerts", "alerts", named, ofTest), ("", "", Self.command, ofName), ("", "alerts", named, ""),
    ] {
      let (workspace, path) = try Self.log(steps(Step(0, "prompt_shown", "A", of: screen), alert))
      defer { withExtendedLifetime(workspace) {} }
      let cautions = try Self.cautions(path, command).filter { $0.contains("before they denied") }
      #expect(
        expected.isEmpty ? cautions.isEmpty : cautions.count == 1 && cautions[0].hasPrefix(expected),
        "\(screen), \(alert): \(cautions)")
    }
    // The explanation has no message, and the prompt after it has.
    let (workspace, path) = try Self.log { variant in
      [
        Step(0, "explanation_shown"), Step(Self.minute, "prompt_shown", "B", of: "alerts"),
        Step(2 * Self.minute, "denied"), Step(24, "settings_prompt_shown", variant, of: "alerts"),
      ]
    }
    defer { withExtendedLifetime(workspace) {} }
    let cautions = try Self.cautions(path)
    #expect(cautions.contains { $0.hasPrefix(ofTest) }, "\(cautions)")
  }

  @Test("users with a first Settings prompt without a message are left out, and said to be")
  func withoutMessage() throws {
    // Another part of the app shows an alert of its own, which is of no experiment.
    func log(_ experiment: String) throws -> (workspace: Workspace, path: String) {
      try Self.log { variant in
        let first = variant == "A" ? [Step(12, "settings_prompt_shown", "", of: experiment)] : []
        return [Step(0, "prompt_shown"), Step(Self.minute, "denied")] + first
          + [Step(24, "settings_prompt_shown", variant, of: "alerts")]
      }
    }
    let text = "20 users saw a Settings prompt without a message first, and a message later: not counted."
    let (workspace, path) = try log("")
    defer { withExtendedLifetime(workspace) {} }
    let cautions = try Self.cautions(path)
    #expect(cautions.contains { $0.hasPrefix(text) && $0.contains("choose that of the messages") }, "\(cautions)")
    let named = Self.command + ["--experiment", "alerts"]
    let chosen = try Self.json(path, named)
    #expect(chosen.at("a", "exposed") as? Int == 20)
    #expect(!(chosen["cautions"] as? [String] ?? []).contains { $0.contains("without a message first") })
    let (second, ofTest) = try log("alerts")
    defer { withExtendedLifetime(second) {} }
    #expect(try Self.cautions(ofTest, named).contains(text))
    // A prompt without a message after it takes away nothing.
    let (third, plain) = try Self.log { variant in
      Self.denied(variant) + [Step(36, "settings_prompt_shown")]
    }
    defer { withExtendedLifetime(third) {} }
    #expect(try !Self.cautions(plain).contains { $0.contains("without a message first") })
  }

  @Test("messages that only the other screen shows are refused with it")
  func otherScreen() throws {
    let (workspace, path) = try Self.log(Self.denied)
    defer { withExtendedLifetime(workspace) {} }
    for more in [[], ["--experiment", "alerts"], ["--permission", "camera"]] {
      let refused = try Tool.run(["compare", "A", "B", "--log", path] + more)
      #expect(
        refused.status == 64 && refused.errors.contains("no screen of camera carries the messages A, B")
          && refused.errors.contains("only Settings prompts do")
          && refused.errors.contains("compare Settings messages (--screen settings)"), "\(refused.errors)")
    }
    // Prompts show x and y, and alerts A and B.
    let (second, both) = try Self.log { variant in
      [
        Step(0, "prompt_shown", variant == "A" ? "x" : "y", of: "copy"), Step(Self.minute, "denied"),
        Step(24, "settings_prompt_shown", variant, of: "alerts"),
      ]
    }
    defer { withExtendedLifetime(second) {} }
    let refused = try Tool.run(["compare", "x", "y", "--screen", "settings", "--log", both])
    #expect(
      refused.status == 64 && refused.errors.contains("no Settings prompt of camera carries the messages x, y")
        && refused.errors.contains("only screens do"), "\(refused.errors)")
    #expect(try Tool.run(["compare", "x", "y", "--log", both]).status == 0)
    #expect(try Tool.run(Self.command + ["--log", both]).status == 0)
    // A message on no screen at all is missing, as before.
    let (third, checks) = try Self.log { variant in
      [Step(0, "prompt_shown"), Step(Self.minute, "denied"), Step(2, "status_checked", variant)]
    }
    defer { withExtendedLifetime(third) {} }
    #expect(try Self.json(checks, ["compare", "A", "B"])["decision"] as? String == "invalid")
  }

  @Test("a log without a denial as first answer is described as it is")
  func nothingToCompare() throws {
    let (workspace, path) = try Self.log { variant in
      [
        Step(0, "explanation_shown"), Step(Self.minute, "skipped"), Step(72, "prompt_shown"),
        Step(72 + Self.minute, "denied"), Step(96, "settings_prompt_shown", variant, of: "alerts"),
      ]
    }
    defer { withExtendedLifetime(workspace) {} }
    let list = try Tool.run(["experiments", "--log", path])
    #expect(
      list.text.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(
        "No screen, and no Settings prompt after a denial as first answer, names an experiment"), "\(list.text)")
    let planned = try Tool.run(
      ["plan", "A", "B", "--screen", "settings", "--permission", "camera", "--effect", "3", "--log", path])
    #expect(
      planned.status != 0 && !planned.errors.contains("yet")
        && planned.errors.contains("no user of camera with a Settings prompt after a denial as first answer"),
      "\(planned.errors)")
  }

  @Test("the first look is not before the first users have an outcome")
  func earliest() throws {
    let (workspace, path) = try Self.log(Self.denied)
    defer { withExtendedLifetime(workspace) {} }
    // The first alerts are of 2026-01-02.
    let early = try Self.json(path, Self.command + ["--as-of", "2026-01-04"])
    let reasons = early["reasons"] as? [String] ?? []
    #expect(reasons.contains { $0.contains("The earliest is the end of 2026-01-09") }, "\(reasons)")
  }

  @Test("values of a property are not said to be messages, or users to have been asked")
  func values() throws {
    let (workspace, path) = try Self.log { variant in
      // The experiment takes the part of a property here.
      Self.denied(variant).map { Step($0.hours, $0.event, "", of: $0.variant.isEmpty ? "" : "test-\(variant)") }
    }
    defer { withExtendedLifetime(workspace) {} }
    let result = try Tool.run(
      ["compare", "test-A", "test-B", "--property", "experiment", "--screen", "settings", "--log", path])
    let text = result.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(result.status == 0 && text.contains("Settings prompts, enabled within 7 days"), "\(result.errors)\(text)")
    #expect(!text.contains("Settings values") && !text.contains("been asked"), "\(text)")
    #expect(text.contains("seen the Settings prompt in"), "\(text)")
  }
}
