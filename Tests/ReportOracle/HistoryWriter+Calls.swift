// Requests that return at once, answers without screens, and logs that lack what tells of them.

private let second = 1000
private let minute = 60 * second
private let window = 30 * minute

/// What is unusual about a log's calls.
struct HistoryCalls {
  /// Permissions of which prompts and answers are logged together.
  var together: Set<String> = []
  /// Permissions of which all times are whole seconds; nil is all events.
  var seconds: [String?] = []
  var withoutScreens: Set<String> = []
  var withoutExplanations: Set<String> = []
  var withoutAnswers: Set<String> = []
  /// Whether users have requests that return at once, and on which platforms.
  var isCalled = false
  var platforms: [String?] = []

  static let permissions = ["notifications", "location_always", "calendars_write_only", "camera", "photo_library"]

  /// A third of the logs has nothing of it.
  init(_ random: inout SplitMix64) {
    if random.once(in: 3) { return }
    func some(_ times: Int) -> Set<String> {
      random.once(in: times) ? Set(Self.permissions.filter { _ in random.once(in: 2) }) : []
    }
    isCalled = !random.once(in: 5)
    platforms = random.pick([["ios"], ["ios", nil], ["ios", "android"], ["ios", "android", nil, nil]], or: [])
    together = some(4)
    if random.once(in: 6) { seconds = random.once(in: 2) ? [nil] : ["notifications"] }
    withoutScreens = some(5)
    withoutExplanations = some(5)
    withoutAnswers = some(6)
  }
}

extension HistoryWriter {
  /// A user's requests: prompts that are answered at once, later than that and earlier, the same call at each launch, a look at the status
  /// after a prompt that has no answer, a "Not now" alone, and a request that returns that nothing is determined.
  mutating func writeCalls(_ user: String, _ calls: HistoryCalls) {
    guard calls.isCalled, !random.once(in: 3) else { return }
    let permission = random.pick(HistoryCalls.permissions + ["notifications", "notifications"], or: "notifications")
    var moment = anyMoment()
    if random.once(in: 4) {
      add(user, moment, "explanation_shown", permission)
      moment += random.pick([0, 1, 700, window - 1, window, window + 1], or: 0)
    }
    let result = random.pick(["granted", "denied", "denied", "skipped"], or: "denied")
    for _ in 0..<random.pick([1, 1, 2, 3, 6], or: 1) {
      switch Int.random(in: 0..<9, using: &random) {
      case 0:
        add(user, moment, "prompt_shown", permission)
        let waits = [249, 250, 251, 4000, window - 1, window, window + 1]
        add(user, moment + random.pick(waits, or: 250), "status_checked", permission)
        if random.once(in: 3) { add(user, moment + random.pick([251, 5000], or: 5000), "status_checked", permission) }
      case 1: add(user, moment, "skipped", permission)
      case 2: add(user, moment, result, permission)
      case 3:
        // Two prompts that one answer could be of.
        add(user, moment, "prompt_shown", permission)
        add(user, moment + random.pick([0, 1, 100, 249, 250], or: 1), "prompt_shown", permission)
        add(user, moment + random.pick([-1, 0, 1, 60, 100, 300], or: 1), result, permission)
        if random.once(in: 2) { add(user, moment + random.pick([-2, 0, 2, 250], or: 1), "granted", permission) }
      default:
        add(user, moment, "prompt_shown", permission)
        let waits = [0, 1, 3, 20, 248, 249, 250, 251, 300, 2000, -1, -2, -3, -60, -248, -249, -250, -251]
        let answer = random.once(in: 4) ? random.pick(["granted", "denied", "skipped"], or: result) : result
        let status = answer == "skipped" && !random.once(in: 3) ? "not_determined" : nil
        add(user, moment + random.pick(waits, or: 0), answer, permission, status: status)
        if random.once(in: 3) { add(user, moment + random.pick([250, 3000], or: 250), "status_checked", permission) }
      }
      moment += random.pick([0, 1, 249, 5000, window, millisecondsPerDay, 3 * millisecondsPerDay], or: 0)
    }
  }
}

extension HistoryCalls {
  /// The events of a log as an app writes them that logs in an unusual way.
  func unusual(_ events: [OracleEvent], _ random: inout SplitMix64) -> [OracleEvent] {
    var events = events.filter { event in
      let name = event.permission ?? ""
      if event.isScreen, withoutScreens.contains(name) { return false }
      if event.event == "explanation_shown", withoutExplanations.contains(name) { return false }
      return !["granted", "re_enabled", "denied"].contains(event.event) || !withoutAnswers.contains(name)
    }
    if !platforms.isEmpty {
      for place in events.indices { events[place].platform = random.pick(platforms, or: nil) }
    }
    if !together.isEmpty {
      let order = events.indices.sorted { isEarlier(events[$0], events[$1]) }
      for (number, place) in order.enumerated() where together.contains(events[place].permission ?? "") {
        guard events[place].event == "prompt_shown" else { continue }
        let answer = order[(number + 1)...].first {
          events[$0].userID == events[place].userID && events[$0].permission == events[place].permission
            && events[$0].isReturned
        }
        if let answer {
          events[answer].timestamp = events[place].timestamp + random.pick([0, 1, 2, 3, -1, -2, -3], or: 0)
        }
      }
    }
    for permission in seconds {
      for place in events.indices where permission == nil || events[place].permission == permission {
        events[place].timestamp -= events[place].timestamp % 1000
      }
    }
    return events
  }

  /// Events with answers and looks at the status around their prompts.
  func withCalls(_ events: [OracleEvent], _ random: inout SplitMix64) -> [OracleEvent] {
    guard isCalled else { return events }
    var result = events
    for prompt in events where prompt.event == "prompt_shown" && random.once(in: 3) {
      var call = prompt
      call.eventID += "-call"
      if random.once(in: 4) {
        call.event = "status_checked"
        call.status = random.pick(["authorized", "denied", "limited", "restricted", "not_determined", nil], or: nil)
        call.timestamp += random.pick([249, 250, 251, 3000, window, window + 1], or: 250)
      } else {
        call.event = random.pick(["granted", "denied", "denied", "skipped"], or: "denied")
        call.status = random.pick([nil, nil, "not_determined"], or: nil)
        call.timestamp += random.pick([0, 1, 20, 249, 250, 900, -1, -2, -249, -250], or: 0)
      }
      result.append(call)
    }
    return result
  }
}
