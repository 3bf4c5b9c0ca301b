// A user of the onboarding: visits before it, the questions one after the other, a later sitting, and some life after that.
//
// Everything that the truth counts is settled by the plan and by the outcomes of the questions. Hours, seconds and what comes after the last
// question are free, within bounds that no class and no window of the report can notice.

import PermissionEvents

extension UserSimulation {
  mutating func beOnboarded(joins day: Int, into block: EventBlock) {
    let plan = OnboardingPlan(&random)
    let (askDay, laterDay) = (plan.askDay(joining: day), plan.laterDay(joining: day))
    for before in plan.daysBefore { visit(plan, on: day + before, into: block) }
    if plan.wait == .hours { visit(plan, on: askDay, at: timeOfDay() / 2, into: block) }
    guard askDay < options.days else { return }
    let outcomes = beAskedFirst(plan, on: askDay, into: block)
    for between in 0..<plan.daysBetween { visit(plan, on: askDay + 1 + between, into: block) }
    guard laterDay < options.days else { return }
    if random.chance(OnboardingPlan.comesLater) { beAskedLater(plan, outcomes, on: laterDay, into: block) }
    liveOn(plan, after: laterDay, into: block)
  }

  // MARK: Visits

  /// The app comes to the front; the first time it has just been installed.
  private mutating func open(_ plan: OnboardingPlan, on day: Int, at time: Milliseconds, into block: EventBlock) {
    today = day
    appVersion = UInt8(OnboardingRelease.version(on: day, of: options.days, group: plan.group))
    clock = (options.firstDay + Int64(day)) * millisecondsPerDay + time
    if serial == 0, !plan.isOld { add(.appInstalled, into: block) }
    add(.appActive, into: block)
  }

  /// Milliseconds into the UTC day: a sitting of an hour that begins then, and its response windows, end on the day.
  private mutating func timeOfSitting() -> Milliseconds { timeOfDay() * 20 / 23 }

  /// A visit without a question.
  /// - Parameter time: in the first half of the day, if the question comes hours later.
  private mutating func visit(
    _ plan: OnboardingPlan, on day: Int, at time: Milliseconds? = nil, into block: EventBlock
  ) {
    guard day < options.days else { return }
    let first = block.count
    open(plan, on: day, at: time ?? timeOfSitting(), into: block)
    use(plan.habit.features, into: block)
    send(from: first, block)
  }

  private mutating func use(_ features: Int, into block: EventBlock) {
    for _ in 0..<features {
      pause(seconds: 12, cap: 60)
      let count = AppVocabulary.features.count
      add(.featureUsed, feature: UInt8(min(random.below(count), random.below(count))), into: block)
    }
  }

  mutating func wait(seconds range: ClosedRange<Double>) {
    clock += Milliseconds(1000 * (range.lowerBound + (range.upperBound - range.lowerBound) * random.uniform()))
  }

  // MARK: Questions

  /// The onboarding.
  /// - Returns: the outcomes of the questions that the user came to.
  private mutating func beAskedFirst(_ plan: OnboardingPlan, on day: Int, into block: EventBlock) -> [AskOutcome] {
    let first = block.count
    switch plan.wait {
    case .atOnce, .days, .overAWeek:
      open(plan, on: day, at: timeOfSitting(), into: block)
      wait(seconds: 5...40)
    case .minutes:
      open(plan, on: day, at: timeOfSitting(), into: block)
      let start = clock
      use(plan.habit.features, into: block)
      clock = start
      wait(seconds: 240...840)
    case .hours:
      // The visit before ended some minutes after it began.
      let sinceMidnight = clock - (options.firstDay + Int64(day)) * millisecondsPerDay
      let later = 7_200_000 + Milliseconds(21_600_000 * random.uniform())
      open(plan, on: day, at: sinceMidnight + later, into: block)
      wait(seconds: 5...40)
    }
    var outcomes: [AskOutcome] = []
    var asking = OnboardingAsking(
      permission: 0, screen: plan.screen, version: Int(appVersion), willingness: plan.willingness(isLater: false))
    for permission in plan.order {
      asking.permission = permission
      asking.before = outcomes.last
      asking.position = outcomes.count
      outcomes.append(ask(asking, into: block))
      guard outcomes.count < plan.order.count, goOn(outcomes.last, into: block) else { break }
    }
    wait(seconds: 5...20)
    use(plan.habit.features, into: block)
    send(from: first, block)
    return outcomes
  }

  /// Days later: the question that the onboarding did not reach, and the one for the camera. A user who answered "Not
  /// now" may be asked again, which is not a new exposure.
  private mutating func beAskedLater(
    _ plan: OnboardingPlan, _ outcomes: [AskOutcome], on day: Int, into block: EventBlock
  ) {
    let first = block.count
    open(plan, on: day, at: timeOfSitting(), into: block)
    wait(seconds: 5...40)
    var asking = OnboardingAsking(
      permission: 0, screen: .profile, version: Int(appVersion), willingness: plan.willingness(isLater: true))
    var stays = true
    if outcomes.count < plan.order.count, random.chance(OnboardingPlan.askedLater) {
      asking.permission = plan.order[outcomes.count]
      asking.before = ask(asking, into: block)
      asking.position = 1
      stays = goOn(asking.before, into: block)
    }
    if random.chance(OnboardingPlan.askedCamera), stays {
      asking.permission = OnboardingPermission.camera
      asking.screen = .scanner
      _ = ask(asking, into: block)
      wait(seconds: 60...120)
    }
    for (permission, outcome) in zip(plan.order, outcomes) where outcome == .skipped && random.chance(0.3) {
      screen = UInt8(OnboardingScreen.profile.rawValue)
      add(.promptShown, permission, into: block)
      wait(seconds: 1...6)
      answer(permission, isGranted: random.chance(0.4), into: block)
      wait(seconds: 60...120)
    }
    send(from: first, block)
  }

  // MARK: Afterwards

  /// Two weeks more, with a look at the permissions now and then and a rare change of mind. No truth counts what happens here.
  private mutating func liveOn(_ plan: OnboardingPlan, after day: Int, into block: EventBlock) {
    for day in day + 1..<max(day + 1, min(options.days, day + 15))
    where random.chance(0.08 + 0.08 * Double(plan.habit.rawValue)) {
      let first = block.count
      open(plan, on: day, at: timeOfSitting(), into: block)
      use(min(1, plan.habit.features), into: block)
      if random.chance(0.15) {
        let permission = random.below(states.count)
        clock += 900
        if states[permission].status == .denied, random.chance(0.2) {
          add(.reEnabled, permission, status: .authorized, into: block)
          states[permission].status = .authorized
        } else {
          add(.statusChecked, permission, status: states[permission].status, into: block)
        }
      }
      send(from: first, block)
    }
  }
}
