// What users did before they were asked: installs, and use of the app.

extension HistoryWriter {
  /// Installs and use around the edges of the classes that a screen's time is in.
  mutating func writePast(_ user: String, _ t0: Int) {
    for _ in 0..<random.pick([0, 0, 1, 1, 2, 3], or: 1) {
      let edges = [0, 60_000, 3_600_000, millisecondsPerDay, 7 * millisecondsPerDay, 20 * millisecondsPerDay]
      // Also in the millisecond of the screen, and after it.
      let before = random.pick(edges, or: 0) + random.pick([-1, 0, 0, 1, 17], or: 0)
      add(user, t0 - before, "app_installed", random.once(in: 3) ? "camera" : nil)
    }
    if random.once(in: 2) { writeUse(user, t0) }
    // More events than a word has bits: some users' histories are long.
    if random.once(in: 15) {
      for _ in 0..<70 {
        let moment = t0 + Int.random(in: -30 * millisecondsPerDay...5 * millisecondsPerDay, using: &random)
        add(
          user, moment, random.pick(["settings_prompt_shown", "status_checked", "app_installed"], or: ""),
          "notifications")
      }
    }
  }

  /// Uses at the ends of the 28 days, and on some of the days before.
  private mutating func writeUse(_ user: String, _ t0: Int) {
    guard let calendar = calendars.randomElement(using: &random) else { return }
    let ends = [28 * millisecondsPerDay + 1, 28 * millisecondsPerDay, 28 * millisecondsPerDay - 1, 1, 0, -1]
    for end in ends where random.once(in: 3) { add(user, t0 - end, "feature_used", nil) }
    for _ in 0..<random.pick([0, 1, 2, 4, 9, 12], or: 1) {
      let day = calendar.day(of: t0) - Int.random(in: 0...29, using: &random)
      let (first, next) = (calendar.firstMoment(ofDay: day), calendar.firstMoment(ofDay: day + 1))
      let moment = random.pick([first, next - 1, Int.random(in: first..<next, using: &random)], or: first)
      add(user, moment, random.pick(["feature_used", "feature_used", "app_active"], or: "app_active"), nil)
    }
  }
}
