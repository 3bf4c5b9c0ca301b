// One made experiment of known truth, in the form of each vendor.

import Foundation
import Testing

enum MadeExperiment {
  typealias Random = LinkedIDTests.Random

  enum Kind {
    case assigned(experiment: String, variant: String, isTester: Bool)
    case prompt, granted, denied
  }

  struct Event {
    var user: Int
    /// Milliseconds since the first day.
    var time: Int
    var kind: Kind
  }

  /// What happens, and what the prompts would carry if the app wrote it on them.
  struct Made {
    var events: [Event] = []
    /// By user the message; nil for users who are not exposed.
    var messages: [Int: String] = [:]
    var assigned = [0, 0]
    var askedBefore = 0
  }

  static let start = 1_767_225_600_000
  static let day = 86_400_000
  static let names = ["control", "short"]

  /// - Parameter users: of them a tenth is never asked, a tenth was asked before the variant came.
  static func made(users: Int, seed: UInt64) -> Made {
    var random = Random(seed: seed)
    var made = Made()
    for user in 0..<users {
      let time = random.below(28 * day)
      let arm = random.below(2)
      made.assigned[arm] += 1
      func assign(_ time: Int, _ experiment: String, _ variant: String, isTester: Bool = false) {
        made.events.append(
          Event(
            user: user, time: time, kind: .assigned(experiment: experiment, variant: variant, isTester: isTester)))
      }
      assign(time, "push_copy", names[arm])
      // The tool logs it again at each launch, and other flags beside it.
      for _ in 0..<random.below(3) { assign(time + random.below(6 * 3_600_000), "push_copy", names[arm]) }
      assign(time + 5, "checkout_colour", ["red", "blue", "true"][random.below(3)])
      if user % 50 == 0 { assign(max(0, time - 60_000), "push_copy", names[1 - arm], isTester: true) }
      let asks = random.below(10)
      guard asks != 0 else { continue }
      let isBefore = asks == 1 && time > 600_000
      let shown = isBefore ? time - 300_000 : time + 1000 + random.below(3_600_000)
      made.events.append(Event(user: user, time: shown, kind: .prompt))
      let isGranted = random.below(100) < (arm == 0 ? 40 : 60)
      let answer = shown + 1000 + random.below(20_000)
      made.events.append(Event(user: user, time: answer, kind: isGranted ? .granted : .denied))
      if isBefore { made.askedBefore += 1 } else { made.messages[user] = names[arm] }
    }
    return made
  }

  // MARK: The forms

  typealias Form = @Sendable (_ event: Event, _ number: Int) -> [String: Any]

  static func stamp(_ time: Int) -> String {
    // A Date would round the milliseconds.
    let seconds = Date(timeIntervalSince1970: Double((start + time) / 1000)).ISO8601Format().dropLast()
    return "\(seconds).\(String(1000 + (start + time) % 1000).dropFirst())Z"
  }

  static func name(_ kind: Kind, assigned: String) -> String {
    switch kind {
    case .assigned: assigned
    case .prompt: "Push Permission Prompt Shown"
    case .granted: "Push Permission Granted"
    case .denied: "Push Permission Denied"
    }
  }

  /// - Parameters:
  ///   - tester: a property that is true for testers; without one their rows are left out.
  static func properties(
    _ event: Event, _ experiment: String, _ variant: String, tester: String? = nil
  ) -> [String: Any] {
    guard case .assigned(let name, let value, let isTester) = event.kind else { return [:] }
    var properties: [String: Any] = [experiment: name, variant: value == "true" ? true : value]
    if let tester { properties[tester] = isTester }
    return properties
  }

  static func amplitude(_ name: String, _ experiment: String, _ variant: String) -> Form {
    { event, number in
      [
        "event_type": Self.name(event.kind, assigned: name), "device_id": "u\(event.user)",
        "event_time": Self.stamp(event.time), "$insert_id": "i\(number)",
        "event_properties": properties(event, experiment, variant),
      ]
    }
  }

  static func segment(_ name: String, _ experiment: String, _ variant: String) -> Form {
    { event, number in
      [
        "type": "track", "event": Self.name(event.kind, assigned: name), "anonymousId": "u\(event.user)",
        "messageId": "m\(number)", "timestamp": Self.stamp(event.time),
        "properties": properties(event, experiment, variant),
      ]
    }
  }

  static let forms: [(name: String, form: Form)] = [
    ("segment", segment("Experiment Viewed", "experiment_name", "variation_name")),
    ("growthbook through segment", segment("experiment_viewed", "experimentId", "variationId")),
    ("amplitude, as sent", amplitude("$exposure", "flag_key", "variant")),
    ("amplitude, exported", amplitude("[Experiment] Exposure", "[Experiment] Flag Key", "[Experiment] Variant")),
    ("statsig in amplitude", amplitude("statsig::experiment_exposure", "statsig::config", "statsig::group")),
    (
      "amplitude, flattened",
      { event, number in
        var row: [String: Any] = [
          "event_type": name(event.kind, assigned: "$exposure"), "device_id": "u\(event.user)",
          "event_time": stamp(event.time), "$insert_id": "i\(number)",
        ]
        for (key, value) in properties(event, "flag_key", "variant") { row["event_properties." + key] = value }
        return row
      }
    ),
    (
      "amplitude, exported and flattened",
      { event, number in
        var row: [String: Any] = [
          "event_type": name(event.kind, assigned: "[Experiment] Exposure"), "device_id": "u\(event.user)",
          "event_time": stamp(event.time), "$insert_id": "i\(number)",
        ]
        for (key, value) in properties(event, "[Experiment] Flag Key", "[Experiment] Variant") {
          row["event_properties." + key] = value
        }
        return row
      }
    ),
    (
      "posthog",
      { event, number in
        [
          "event": name(event.kind, assigned: "$feature_flag_called"), "distinct_id": "u\(event.user)",
          "timestamp": stamp(event.time), "uuid": UUID().uuidString.lowercased(),
          "properties": properties(event, "$feature_flag", "$feature_flag_response"),
        ]
      }
    ),
    (
      "mixpanel",
      { event, number in
        var properties = properties(event, "Experiment name", "Variant name", tester: "$is_qa_tester")
        properties["time"] = (start + event.time) / 1000
        properties["distinct_id"] = "u\(event.user)"
        properties["$insert_id"] = "i\(number)"
        return ["event": name(event.kind, assigned: "$experiment_started"), "properties": properties]
      }
    ),
    (
      "ga4",
      { event, _ in
        var parameters: [[String: Any]] = []
        if case .assigned(let experiment, let variant, _) = event.kind {
          parameters = [["key": "exp_variant_string", "value": ["string_value": "\(experiment)-\(variant)"]]]
        }
        return [
          "event_name": name(event.kind, assigned: "experience_impression"), "user_pseudo_id": "u\(event.user)",
          "event_timestamp": (start + event.time) * 1000, "event_params": parameters,
        ]
      }
    ),
    (
      "canonical",
      { event, number in
        var row: [String: Any] = [
          "event_id": "e\(number)", "user_id": "u\(event.user)", "timestamp": start + event.time,
        ]
        switch event.kind {
        case .assigned(let experiment, let variant, _):
          (row["event"], row["experiment"], row["variant"]) = ("assigned", experiment, variant)
        case .prompt: row["event"] = "prompt_shown"
        case .granted: row["event"] = "granted"
        case .denied: row["event"] = "denied"
        }
        if row["event"] as? String != "assigned" { row["permission"] = "notifications" }
        return row
      }
    ),
  ]

  static func lines(_ made: Made, _ form: Form, hasTesters: Bool) throws -> Data {
    var data = Data()
    for (number, event) in made.events.enumerated() {
      if case .assigned(_, _, true) = event.kind, !hasTesters { continue }
      var event = event
      // Mixpanel has whole seconds.
      if hasTesters { event.time = event.time / 1000 * 1000 }
      data.append(try JSONSerialization.data(withJSONObject: form(event, number)))
      data.append(0x0A)
    }
    return data
  }

  static func answer(_ data: Data, _ command: [String]) throws -> [String: Any] {
    let workspace = try Workspace()
    let path = workspace.path("log")
    let ingest = try Tool.run(["ingest", "-", "--quiet", "--log", path], input: data)
    #expect(ingest.status == 0, "\(ingest.errors)")
    let result = try Tool.run(command + ["--as-of", "2026-02-10", "--format", "json", "--log", path])
    #expect(result.status == 0, "\(result.errors)")
    return try #require(JSONSerialization.jsonObject(with: result.output) as? [String: Any])
  }

  static let compare = ["compare", "control", "short", "--experiment", "push_copy"]

  /// The figures that do not depend on who wrote the variant.
  static func figures(_ answer: [String: Any]) throws -> Data {
    let keys = [
      "a", "b", "difference", "ratio", "p_value", "decision", "decided_on", "rule_interval", "monitoring", "bayes",
      "secondary", "series", "permission",
    ]
    return try JSONSerialization.data(withJSONObject: answer.filter { keys.contains($0.key) }, options: .sortedKeys)
  }

  static let sample = made(users: 1500, seed: 11)

  /// The same experiment with the message on each prompt.
  static func onPrompts(hasTesters: Bool) throws -> [String: Any] {
    var events: [String] = []
    for (number, event) in sample.events.enumerated() {
      guard let message = sample.messages[event.user] else { continue }
      let time = start + (hasTesters ? event.time / 1000 * 1000 : event.time)
      let kind: String
      switch event.kind {
      case .assigned: continue
      case .prompt: kind = #"prompt_shown","experiment":"push_copy","variant":"\#(message)"#
      case .granted: kind = "granted"
      case .denied: kind = "denied"
      }
      events.append(
        #"{"event_id":"e\#(number)","user_id":"u\#(event.user)","timestamp":\#(time),"permission":"notifications","event":"\#(kind)"}"#
      )
    }
    return try answer(Data((events.joined(separator: "\n") + "\n").utf8), compare)
  }
}
