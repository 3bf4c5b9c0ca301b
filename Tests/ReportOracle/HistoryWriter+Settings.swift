// Writes journeys of users who are denied and see Settings prompts, for comparisons of their messages.

private let second = 1000
private let minute = 60 * second
private let hour = 60 * minute
private let window = 30 * minute
private let settings = 7 * millisecondsPerDay

extension HistoryWriter {
  /// A denial with Settings prompts after it and now and then before it, of one message or several; Settings opened and the permission found
  /// on at the edges of the windows.
  mutating func writeDenied(_ user: String) {
    let permission = random.once(in: 6) ? "camera" : "notifications"
    let t0 = anyMoment()
    add(user, t0, random.pick(["explanation_shown", "prompt_shown", "prompt_shown"], or: "prompt_shown"), permission)
    let t1 = t0 + random.pick([0, 4 * second, 4 * second, minute, window - 1, window, window + 1], or: minute)
    switch Int.random(in: 0..<8, using: &random) {
    case 0: add(user, t1, "status_checked", permission, status: "denied")
    case 1: add(user, t1, "denied", permission, status: "restricted")
    default: add(user, t1, "denied", permission, status: random.pick([nil, "denied"], or: nil))
    }
    if random.once(in: 8) { add(user, t0 - gap(), "settings_prompt_shown", permission) }
    var ts = t1 + random.pick([0, 1, second, hour, hour, 2 * millisecondsPerDay, gap()], or: hour)
    let first = ts
    for _ in 0..<random.pick([1, 1, 1, 2, 3], or: 1) {
      add(user, ts, "settings_prompt_shown", permission)
      if random.once(in: 2) {
        let later = random.pick([-1, 0, 1, 5 * second, 5 * second, window - 1, window, window + 1], or: 0)
        add(user, ts + later, "settings_opened", random.once(in: 8) ? "camera" : permission)
      }
      ts += random.pick([0, 1, hour, gap()], or: hour)
    }
    if random.once(in: 2) {
      let later = [-1, 0, 1, hour, hour, settings - 1, settings, settings + 1, gap()]
      let kind = random.pick(["re_enabled", "granted", "status_checked", "status_checked"], or: "re_enabled")
      add(
        user, first + random.pick(later, or: hour), kind, permission,
        status: kind == "status_checked" ? random.pick(["authorized", "denied", "provisional"], or: "denied") : nil)
    }
    writeEngagement(user, first)
  }
}
