// A user's journeys through the permissions, planned when the user joins and handed out as events with their times. An
// answer carries a status only if that says more than its kind: limited, provisional, restricted.

struct JourneyPlanner {
  let habits = PermissionHabits.all
  private static let second = 1_000.0
  private static let minute = 60_000.0
  private static let day = Double(Event.millisecondsPerDay)

  /// Calls `emit` with every permission event of `user`, who joins at `joinTime` (ms) and leaves after `end` (ms).
  func plan(
    user: UInt32, keenness: Double, joinTime: Int64, end: Int64, random: inout RandomSource, emit: (Event) -> Void
  ) {
    for permission in habits.indices where random.chance(habits[permission].reach) {
      let habit = habits[permission]
      let wait = habit.meanDaysToAsk > 0 ? random.exponential(mean: habit.meanDaysToAsk) * Self.day : 20 * Self.second
      var journey = Journey(
        user: user, permission: UInt8(permission), surface: surface(of: permission, random: &random),
        variant: permission == 0 ? UInt8(user & 1) : Event.absent, time: Double(joinTime) + wait, end: Double(end))
      ask(habit, keenness: keenness, journey: &journey, random: &random, emit: emit)
    }
  }

  /// State of the journey: every step moves `time` on, and nothing is emitted once the user has left.
  private struct Journey {
    let user: UInt32
    let permission: UInt8
    let surface: UInt8
    let variant: UInt8
    var time: Double
    let end: Double

    func emit(_ kind: Kind, status: Status = .none, onScreen: Bool = true, _ emit: (Event) -> Void) {
      guard time < end else { return }
      emit(
        Event(
          time: Int64(time), serial: 0, user: user, kind: kind, status: status, permission: permission,
          variant: onScreen ? variant : Event.absent, surface: onScreen ? surface : Event.absent))
    }
  }

  private func surface(of permission: Int, random: inout RandomSource) -> UInt8 {
    if permission == 0 || permission == habits.count - 1 { return random.chance(0.8) ? 0 : 1 }
    return UInt8(random.below(Vocabulary.surfaces.count))
  }

  private func ask(
    _ habit: PermissionHabits, keenness: Double, journey: inout Journey, random: inout RandomSource,
    emit: (Event) -> Void
  ) {
    if random.chance(habit.explained) {
      journey.emit(.explanationShown, emit)
      journey.time += Self.second * random.logNormal(median: 4.5, sigma: 0.7)
      if random.chance(0.02) { journey.time += Self.minute * random.uniform() * 5 }
      if random.chance(0.05) { return }
      if random.chance(habit.skip) {
        journey.emit(.skipped, emit)
        comeBack(after: habit.enabledAfterSkip, habit, journey: &journey, random: &random, emit: emit)
        return
      }
    }
    journey.emit(.promptShown, emit)
    journey.time += Self.second * random.logNormal(median: 2.2, sigma: 0.6)
    if random.chance(0.015) { return }
    let effect = journey.variant == 1 ? PermissionHabits.secondVariantEffect : 1
    let chance = min(0.98, habit.grant * effect * (0.88 + 0.48 * keenness))
    if random.chance(habit.restricted) {
      journey.emit(.denied, status: .restricted, emit)
    } else if random.chance(chance) {
      let status = random.chance(habit.partial) ? habit.partialStatus : .authorized
      journey.emit(.granted, status: status == .authorized ? .none : status, emit)
      granted(habit, status: status, journey: &journey, random: &random, emit: emit)
    } else {
      journey.emit(.denied, emit)
      denied(habit, journey: &journey, random: &random, emit: emit)
    }
  }

  /// A second asking within 30 days of a skip, which is granted.
  private func comeBack(
    after probability: Double, _ habit: PermissionHabits, journey: inout Journey, random: inout RandomSource,
    emit: (Event) -> Void
  ) {
    guard random.chance(probability) else { return }
    journey.time += Self.day * random.uniform() * 30
    journey.emit(.promptShown, emit)
    journey.time += Self.second * random.logNormal(median: 2.2, sigma: 0.6)
    journey.emit(.granted, emit)
    granted(habit, status: .authorized, journey: &journey, random: &random, emit: emit)
  }

  private func granted(
    _ habit: PermissionHabits, status: Status, journey: inout Journey, random: inout RandomSource, emit: (Event) -> Void
  ) {
    if random.chance(0.35) {
      journey.time += Self.day * (1 + random.exponential(mean: 12))
      let upgraded = status != .authorized && random.chance(0.15)
      journey.emit(.statusChecked, status: upgraded ? .authorized : status, onScreen: false, emit)
    }
    if random.chance(habit.revoked) {
      journey.time += Self.day * random.exponential(mean: 25)
      journey.emit(.revoked, status: .denied, onScreen: false, emit)
    }
  }

  /// What follows a denial: perhaps an alert that leads to Settings, perhaps a change there, perhaps one by itself.
  private func denied(
    _ habit: PermissionHabits, journey: inout Journey, random: inout RandomSource, emit: (Event) -> Void
  ) {
    if random.chance(0.4) {
      journey.time += Self.day * random.exponential(mean: 6)
      journey.emit(.settingsPromptShown, emit)
      guard random.chance(habit.settingsOpened) else { return }
      journey.time += Self.second * random.logNormal(median: 4, sigma: 0.6)
      journey.emit(.settingsOpened, emit)
      guard random.chance(habit.settingsEnabled) else { return }
      journey.time += Self.second * random.logNormal(median: 20, sigma: 0.6)
      journey.emit(.reEnabled, status: .authorized, onScreen: false, emit)
    } else if random.chance(habit.enabledAfterDenial) {
      journey.time += Self.day * random.uniform() * 30
      journey.emit(.reEnabled, status: .authorized, onScreen: false, emit)
    } else if random.chance(0.3) {
      journey.time += Self.day * (1 + random.exponential(mean: 10))
      journey.emit(.statusChecked, status: .denied, onScreen: false, emit)
    }
  }
}
