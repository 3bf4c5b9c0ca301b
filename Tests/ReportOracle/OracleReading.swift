// How questions read a log: calls that return at once are looks at the status, and answers of permissions without screens stand alone.

/// The prompts of one permission and platform that have an answer, of the whole log up to as_of.
struct OracleCallUnit {
  let permission: String
  /// Of the prompt; nil is a value.
  let platform: String?
  /// Milliseconds from the prompt to its answer; below 0 if the answer was written first.
  let times: [Int]
  /// Prompts whose time, and that of the answer, are whole seconds.
  let wholeSeconds: Int
  let limit: Int

  var answered: Int { times.count }
  var atOnce: Int { times.filter { abs($0) < limit }.count }

  /// "Fewer than 1 in 100 answered prompts took 250 ms or more (prompt and answer are logged together)."
  var isLoggedTogether: Bool { times.filter { abs($0) >= limit }.count * 100 < answered }

  /// "Or where both times are whole seconds in 99 of 100."
  var isApplied: Bool { !isLoggedTogether && wholeSeconds * 100 < answered * 99 }
}

/// The judgement of a log, and the events as it has them read.
struct OracleReading {
  /// Ordered by permission, then platform, none first.
  let units: [OracleCallUnit]
  /// Permissions "of which the log, up to as_of, stores no screen event at all".
  private let withoutScreens: Set<Bytes>
  private let terms: Terms

  /// - Parameter seen: stored events up to as_of, in order.
  init(_ seen: [OracleEvent], _ terms: Terms) {
    self.terms = terms
    let ofPermissions = seen.filter(\.isOfPermission)
    let withScreens = Set(ofPermissions.filter(\.isScreen).map { Bytes($0.permission ?? "") })
    withoutScreens = Set(ofPermissions.map { Bytes($0.permission ?? "") }).subtracting(withScreens)
    var times: [[Bytes]: [Int]] = [:]
    var wholeSeconds: [[Bytes]: Int] = [:]
    for own in journeysOfUsers(ofPermissions) {
      for (prompt, answer) in answersOfPrompts(own, terms) {
        let unit = [Bytes(own[prompt].permission ?? ""), Bytes(own[prompt].property("platform") ?? "")]
        times[unit, default: []].append(own[answer].timestamp - own[prompt].timestamp)
        let areWhole = [prompt, answer].allSatisfy { own[$0].timestamp % 1000 == 0 }
        wholeSeconds[unit, default: 0] += areWhole ? 1 : 0
      }
    }
    let keys = times.keys.sorted { $0.lexicographicallyPrecedes($1) }
    units = keys.map { key in
      OracleCallUnit(
        permission: key[0].text, platform: key[1].utf8.isEmpty ? nil : key[1].text, times: times[key] ?? [],
        wholeSeconds: wholeSeconds[key] ?? 0, limit: terms.atOnce)
    }
  }

  func isAnsweredAlone(_ permission: String) -> Bool { withoutScreens.contains(Bytes(permission)) }

  func isLoggedTogether(_ permission: String) -> Bool {
    units.contains { Bytes($0.permission) == Bytes(permission) && $0.isLoggedTogether }
  }

  /// `at_once` of a report: all units of the permissions of which some answer came at once.
  var json: OracleJSON {
    let shown = units.filter { unit in
      units.contains { Bytes($0.permission) == Bytes(unit.permission) && $0.atOnce > 0 }
    }
    return .array(
      shown.map { unit in
        [
          "permission": .string(unit.permission), "platform": .text(unit.platform), "answered": .int(unit.answered),
          "at_once": .int(unit.atOnce), "applied": .bool(unit.isApplied),
        ]
      })
  }

  private func isApplied(_ prompt: OracleEvent) -> Bool {
    units.contains {
      Bytes($0.permission) == Bytes(prompt.permission ?? "")
        && $0.platform.map(Bytes.init) == prompt.property("platform").map(Bytes.init) && $0.isApplied
    }
  }

  /// The events as questions read them. Those of each user and permission are in the journey's order, which is not always that of
  /// their times and kinds; engagement and installs come first.
  func read(_ seen: [OracleEvent]) -> [OracleEvent] {
    seen.filter { !$0.isOfPermission } + journeysOfUsers(seen.filter(\.isOfPermission)).flatMap(readJourney)
  }

  private func readJourney(_ own: [OracleEvent]) -> [OracleEvent] {
    var result = own
    // By prompt the answer that is read right after it.
    var moved: [Int: Int] = [:]
    for (prompt, answer) in answersOfPrompts(own, terms) {
      guard abs(own[answer].timestamp - own[prompt].timestamp) < terms.atOnce else { continue }
      if isApplied(own[prompt]) {
        // "Both events are then read as one `status_checked` at the answer's time, with its status, else `authorized` or `denied`."
        (result[prompt].event, result[prompt].status) = (OracleEvent.unseenPrompt, nil)
        result[answer].event = "status_checked"
        if (result[answer].status ?? "").isEmpty {
          result[answer].status = own[answer].event == "granted" ? "authorized" : "denied"
        }
      } else if answer < prompt {
        moved[prompt] = answer
      }
    }
    return result.indices.flatMap { place -> [OracleEvent] in
      if moved.values.contains(place) { return [] }
      guard let answer = moved[place] else { return [result[place]] }
      // "An answer before its prompt is read at the prompt's time."
      var later = result[answer]
      later.timestamp = result[place].timestamp
      return [result[place], later]
    }
  }
}

/// Events of each user and permission, each in the order in which they are given.
private func journeysOfUsers(_ events: [OracleEvent]) -> [[OracleEvent]] {
  Array(Dictionary(grouping: events) { [Bytes($0.userID), Bytes($0.permission ?? "")] }.values)
}

/// "The *answer of a prompt*", by their places among the events of a journey.
private func answersOfPrompts(_ own: [OracleEvent], _ terms: Terms) -> [(prompt: Int, answer: Int)] {
  let prompts = own.indices.filter { own[$0].event == "prompt_shown" }
  var found: [(prompt: Int, answer: Int)] = []
  // "The first `granted`, `denied`, or `skipped` of status `not_determined` after a `prompt_shown`, within W, with no other screen
  // event between."
  for prompt in prompts {
    let untilScreen = own.indices.filter { $0 > prompt }.prefix { !own[$0].isScreen }
    guard let answer = untilScreen.first(where: { own[$0].isReturned }),
      own[answer].timestamp <= own[prompt].timestamp + terms.responseWindow
    else { continue }
    found.append((prompt, answer))
  }
  // "If there is none, one less than 250 ms before it that answers no other prompt": the nearest (a reading).
  for prompt in prompts where !found.contains(where: { $0.prompt == prompt }) {
    let answer = own.indices.last { place in
      place < prompt && own[place].isReturned && own[prompt].timestamp - own[place].timestamp < terms.atOnce
        && !found.contains { $0.answer == place }
    }
    if let answer { found.append((prompt, answer)) }
  }
  return found
}

extension OracleEvent {
  /// A prompt that returned at once: nobody saw it. No log has this kind.
  static let unseenPrompt = "unseen_prompt"

  /// What a request for a permission returns.
  var isReturned: Bool {
    event == "granted" || event == "denied" || event == "skipped" && status == "not_determined"
  }

  /// "A `skipped` (not of status `not_determined`)": somebody said "Not now".
  var isRefusal: Bool { event == "skipped" && status != "not_determined" }
}
