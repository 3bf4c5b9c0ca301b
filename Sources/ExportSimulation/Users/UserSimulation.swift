// One user's life in the app, from the install to the end of the export: the days on which the app is opened, and the
// events of these days. Users are independent of one another: each has separate random numbers, keyed by the seed and
// the number.

import PermissionEvents

struct UserSimulation {
  let options: SimulationOptions
  let models = PermissionModel.all
  let levels = EngagementLevel.all
  let answerTimes = LogNormalTable(sigma: 0.6)
  let screenTimes = LogNormalTable(sigma: 0.7)
  let pauses = LogNormalTable(sigma: 0.8)
  let releases: Int

  // Of the user at hand.
  var random: RandomSource
  var user: SimulatedUser
  var states: [PermissionState] = []
  var slot: UInt32 = 0
  var serial: UInt32 = 0
  var assigning: AssignmentState
  var joined = 0
  var today = 0
  /// Number of the app's version on the day's visits.
  var appVersion: UInt8 = 0
  /// Number of the surface at which the app asks, if it is not the permission's own.
  var screen: UInt8?
  /// The time of the next event; moves on with everything that happens.
  var clock: Milliseconds = 0

  init(_ options: SimulationOptions) {
    self.options = options
    releases = options.population.appVersions(days: options.days).count
    random = RandomSource(seed: options.seed, stream: 0)
    user = SimulatedUser(&random)
    assigning = AssignmentState(user, mayBeLate: false)
  }

  /// Appends all events of a user who installs the app on a day.
  /// - Parameter slot: the user's slot in the block.
  mutating func simulate(number: Int, slot: UInt32, joins day: Int, into block: EventBlock) -> SimulatedUser {
    random = RandomSource(seed: options.seed, stream: UInt64(number) &+ 1)
    user = SimulatedUser(&random)
    states.removeAll(keepingCapacity: true)
    for _ in options.population.permissions { states.append(PermissionState()) }
    let hasDecided = options.decided(number..<number + 1) > 0
    if hasDecided { decideBefore() }
    assigning = AssignmentState(user, mayBeLate: options.assignments && !hasDecided)
    self.slot = slot
    serial = 0
    joined = day
    switch options.population {
    case .everyday: live(from: day, into: block)
    case .onboarding: beOnboarded(joins: day, into: block)
    }
    return user
  }

  /// Opens the app on the day of the install, and on other days as long as the user stays.
  private mutating func live(from day: Int, into block: EventBlock) {
    let level = levels[user.level]
    visit(on: day, into: block)
    var day = day + 1
    while day < options.days, random.chance(level.staying) {
      if random.chance(level.visiting[weekdayIndex(options.firstDay + Int64(day))]) { visit(on: day, into: block) }
      day += 1
    }
  }

  /// A visit: the app comes to the front, permissions are asked for or looked at, features are used. The events are
  /// sent afterwards.
  private mutating func visit(on day: Int, into block: EventBlock) {
    today = day
    appVersion = user.appVersion(on: day, joined: joined, releases: releases)
    clock = (options.firstDay + Int64(day)) * millisecondsPerDay + timeOfDay()
    let first = block.count
    add(.appActive, into: block)
    assignAtLaunch(into: block)
    for permission in models.indices { meet(permission, into: block) }
    let usingMore = levels[user.level].usingMore
    var features = 0
    while features < EngagementLevel.mostFeatures, random.chance(usingMore) {
      pause(seconds: 12, cap: 60)
      // The lower of two draws: some features are used far more than others.
      let count = AppVocabulary.features.count
      add(.featureUsed, feature: UInt8(min(random.below(count), random.below(count))), into: block)
      features += 1
    }
    if random.chance(0.06) {
      let permission = random.below(models.count)
      clock += 900
      add(.statusChecked, permission, status: states[permission].status, into: block)
    }
    assignAtEnd(into: block)
    send(from: first, block)
  }

  /// Milliseconds into the UTC day: mostly in the afternoon and evening of the user's country, and never in the last
  /// hour before midnight UTC. So a visit, and the response windows that begin in it, end on the day on which they
  /// began.
  mutating func timeOfDay() -> Milliseconds {
    let local = 7 + 17 * (random.uniform() + random.uniform() + random.uniform()) / 3
    let hour = local - Double(AppVocabulary.countries[user.country].hours)
    let ofDay = hour >= 24 ? hour - 24 : hour < 0 ? hour + 24 : hour
    return 1 + Milliseconds(ofDay * (23.0 / 24) * 3_600_000)
  }

  /// Lets time pass: log-normal seconds, at most `cap`.
  mutating func pause(seconds: Double, cap: Double) {
    clock += 300 + Milliseconds(1000 * min(cap, pauses.draw(median: seconds, &random)))
  }

  /// An event at the clock's time. Times of one user's events all differ.
  @inline(__always)
  mutating func add(
    _ kind: EventKind, _ permission: Int? = nil, status: AuthorizationStatus = .none,
    message: SimulatedEvent.Message = .none, feature: UInt8 = SimulatedEvent.absent, into block: EventBlock
  ) {
    let permission = permission.map { UInt8(truncatingIfNeeded: $0) } ?? SimulatedEvent.absent
    block.append(
      SimulatedEvent(
        time: clock, user: slot, serial: serial, kind: kind, status: status, permission: permission,
        message: options.assignments && kind != .assigned ? .none : message,
        surface: SimulatedEvent.hasSurface(kind) ? screen ?? permission : SimulatedEvent.absent, feature: feature,
        appVersion: appVersion, osVersion: user.osVersion(on: today)))
    serial += 1
    clock += 1
  }

  // MARK: A user and a permission on one visit: asked for the first time or again, led to Settings, turned off

  /// What happens with a permission on this visit. At most one thing does.
  mutating func meet(_ permission: Int, into block: EventBlock) {
    let state = states[permission]
    switch state.phase {
    case .decidedBefore:
      if today == joined || random.chance(0.3) { call(permission, into: block) }
    case .unasked:
      let model = models[permission]
      if random.chance(today == joined ? model.askedFirstDay : model.askedLater) { ask(permission, into: block) }
    case .open where state.canChange(on: today):
      if random.chance(models[permission].askedAgain) { askAgain(permission, into: block) }
    case .denied where state.canChange(on: today):
      let draw = random.uniform()
      let model = models[permission]
      if draw < model.settingsPrompt {
        promptForSettings(permission, into: block)
      } else if draw < model.settingsPrompt + model.enabledAlone {
        clock += 700
        turnOn(permission, kind: .reEnabled, message: .none, into: block)
      }
    case .granted where state.canChange(on: today), .grantedPartly where state.canChange(on: today):
      let draw = random.uniform()
      let model = models[permission]
      if draw < model.revoked {
        clock += 700
        add(.revoked, permission, status: .denied, into: block)
        close(permission, .denied)
      } else if state.phase == .grantedPartly, draw < model.revoked + model.upgraded {
        clock += 700
        add(.statusChecked, permission, status: model.fullStatus, into: block)
        close(permission, model.fullStatus)
      }
    default: break
    }
  }

  /// The user had decided before the export begins: the system never asks again.
  mutating func decideBefore() {
    for permission in models.indices {
      guard let granted = models[permission].decidedGranted else { continue }
      states[permission].phase = .decidedBefore
      states[permission].status = random.chance(granted) ? models[permission].fullStatus : .denied
    }
  }

  /// The app asks without a look at the status: the call returns the old answer within 5 to 60 ms.
  private mutating func call(_ permission: Int, into block: EventBlock) {
    let (message, status) = (message(permission), states[permission].status)
    add(.promptShown, permission, message: message, into: block)
    clock += 4 + Milliseconds(random.below(56))
    add(status == .denied ? .denied : .granted, permission, status: status, message: message, into: block)
  }

  /// The message that this user sees on a permission's explanation. Without a variant, the app shows its default.
  private func message(_ permission: Int) -> SimulatedEvent.Message {
    states[permission].isAskedUnassigned ? .a : variant(permission)
  }

  /// The user's variant of the permission's experiment.
  func variant(_ permission: Int) -> SimulatedEvent.Message {
    guard models[permission].experiment != nil else { return .none }
    return user.messages >> UInt64(permission) & 1 == 1 ? .b : .a
  }

  /// The user's message on the Settings prompt, drawn apart from everything else that the user does.
  private func settingsMessage(_ permission: Int) -> SimulatedEvent.Message {
    guard options.settingsMessages else { return .none }
    var draws = RandomSource(seed: user.key, stream: 2)
    return draws.next() >> UInt64(permission) & 1 == 1 ? .b : .a
  }

  /// The first asking: the app's explanation and the system's prompt, or the prompt alone.
  private mutating func ask(_ permission: Int, into block: EventBlock) {
    let model = models[permission]
    states[permission].isAskedUnassigned = model.experiment != nil && assigning.isLate && today == joined
    pause(seconds: 4, cap: 10)
    guard random.chance(model.explained) else { return prompt(permission, message: .none, into: block) }
    states[permission].isExplained = true
    let message = message(permission)
    add(.explanationShown, permission, message: message, into: block)
    if random.chance(model.abandoned) { return leave(permission) }
    // Two in a hundred put the phone down.
    let isSlow = random.chance(0.02)
    let seconds = isSlow ? 20 + 80 * random.uniform() : min(60, screenTimes.draw(median: 4.5, &random))
    clock += 200 + Milliseconds(1000 * seconds)
    if random.chance(model.skip(levels[user.level], isB: message == .b)) {
      add(.skipped, permission, message: message, into: block)
      return leave(permission)
    }
    prompt(permission, message: message, into: block)
  }

  /// The prompt on a later visit. One in a hundred is shown the other message's name by mistake.
  private mutating func askAgain(_ permission: Int, into block: EventBlock) {
    var message = states[permission].isExplained ? message(permission) : .none
    let behaviour = message
    if message != .none, random.chance(0.01) { message = message == .a ? .b : .a }
    pause(seconds: 4, cap: 10)
    prompt(permission, message: message, behaviour: behaviour, isLast: true, into: block)
  }

  /// The system's prompt and its answer.
  /// - Parameters:
  ///   - behaviour: the message that decides how the user answers, if it is another.
  ///   - isLast: a denial is not followed up, nor a drop-off of a user who was asked without a variant.
  private mutating func prompt(
    _ permission: Int, message: SimulatedEvent.Message, behaviour: SimulatedEvent.Message? = nil, isLast: Bool = false,
    into block: EventBlock
  ) {
    let model = models[permission]
    add(.promptShown, permission, message: message, into: block)
    if random.chance(model.lost) {
      let isOver = isLast && states[permission].isAskedUnassigned
      return isOver ? close(permission, .notDetermined) : leave(permission)
    }
    clock += 150 + Milliseconds(1000 * min(30, answerTimes.draw(median: 2.2, &random)))
    if random.chance(model.restricted) {
      add(.denied, permission, status: .restricted, message: message, into: block)
      close(permission, .restricted)
    } else if random.chance(model.grant(levels[user.level], isB: (behaviour ?? message) == .b)) {
      turnOn(permission, kind: .granted, message: message, into: block)
    } else {
      add(.denied, permission, status: .denied, message: message, into: block)
      states[permission].phase = isLast ? .closed : .denied
      states[permission].status = .denied
      states[permission].day = today
    }
  }

  /// The alert that leads to Settings, shown once. A user who does not turn the permission on then never does.
  private mutating func promptForSettings(_ permission: Int, into block: EventBlock) {
    let model = models[permission]
    pause(seconds: 3, cap: 10)
    let message = settingsMessage(permission)
    add(.settingsPromptShown, permission, message: message, into: block)
    close(permission, .denied)
    guard random.chance(model.settingsOpened(isB: message == .b)) else { return }
    clock += 150 + Milliseconds(1000 * min(30, answerTimes.draw(median: 3, &random)))
    add(.settingsOpened, permission, into: block)
    guard random.chance(model.settingsEnabled) else { return }
    clock += 1000 + Milliseconds(1000 * min(60, screenTimes.draw(median: 14, &random)))
    turnOn(permission, kind: .reEnabled, message: .none, into: block)
  }

  private mutating func turnOn(
    _ permission: Int, kind: EventKind, message: SimulatedEvent.Message, into block: EventBlock
  ) {
    let model = models[permission]
    let isPartial = model.partial > 0 && random.chance(model.partial)
    let status = isPartial ? model.partialStatus : model.fullStatus
    add(kind, permission, status: status, message: message, into: block)
    states[permission].phase = isPartial ? .grantedPartly : .granted
    states[permission].status = status
    states[permission].day = today
  }

  /// A skip or a drop-off: the prompt may come (again).
  private mutating func leave(_ permission: Int) {
    // A second drop-off does not begin a new follow-up: figures count from the first.
    if states[permission].phase == .unasked { states[permission].day = today }
    states[permission].phase = .open
  }

  private mutating func close(_ permission: Int, _ status: AuthorizationStatus) {
    states[permission].phase = .closed
    states[permission].status = status
  }

  // MARK: Sending

  /// Sends the events from `first` on: after half a minute as a rule, after hours if there was no network, after days if the
  /// phone lay in a drawer; and now and then twice.
  mutating func send(from first: Int, _ block: EventBlock) {
    let batch = first..<block.count
    let draw = random.uniform()
    let lag: Double
    if draw < 0.003 {
      lag = 86_400_000 * (3 + 17 * random.uniform())
    } else if draw < 0.053 {
      lag = 3_600_000 * (1 + 71 * random.uniform())
    } else {
      lag = random.exponential(mean: 30_000)
    }
    let received = clock + 240 + Milliseconds(lag)
    block.receive(from: first, at: received)
    guard random.chance(0.012) else { return }
    let later = received + 5000 + Milliseconds(random.exponential(mean: 300_000))
    // One in twenty copies differs: it is stamped with the system's version of the moment at which it was sent.
    let count = AppVocabulary.osVersions.count
    let isStamped = random.chance(0.05)
    let other = UInt8((Int(user.osVersion(on: today)) + 1) % count)
    block.resend(batch, at: later, osVersion: isStamped ? other : nil)
  }
}

/// The state of a user with one permission.
struct PermissionState {
  enum Phase: UInt8 {
    case unasked
    /// Before the export begins.
    case decidedBefore
    /// Skipped, or dropped off: the prompt may come (again).
    case open
    /// Denied: a Settings prompt may come, or the user turns it on alone.
    case denied
    case granted, grantedPartly
    /// Nothing more happens.
    case closed
  }

  var phase = Phase.unasked
  /// The journey began with the app's explanation, so that its screens carry the message.
  var isExplained = false
  /// The first asking came before the user's variant. Such a user is asked at most once more, so that the truth of the
  /// later asking is that of a single question.
  var isAskedUnassigned = false
  /// The status that the app finds when it looks.
  var status = AuthorizationStatus.notDetermined
  /// Day of the last answer (or drop-off).
  var day = 0

  /// Nothing changes on the day exactly four weeks later. The follow-up of the report's figures ends on that day, so
  /// the truth needs no assumption about the hour of the visits.
  func canChange(on today: Int) -> Bool { today > day && today != day + Self.followUpDays }

  static let followUpDays = 28
}

// MARK: One question of the onboarding: its screens, its answer, and whether the user stays for the next

extension UserSimulation {
  /// Whether the user goes on to the next question; the clock is then at the time of that question. It is at least a
  /// minute after the previous question, so only the first question of a flow is in its first minute.
  mutating func goOn(_ outcome: AskOutcome?, into block: EventBlock) -> Bool {
    guard let outcome, random.chance(outcome.goingOn) else { return false }
    if outcome == .droppedOff {
      wait(seconds: 180...600)
      add(.appActive, into: block)
    }
    wait(seconds: 60...120)
    return true
  }

  /// A question and its answer, within 20 seconds.
  mutating func ask(_ asking: OnboardingAsking, into block: EventBlock) -> AskOutcome {
    let permission = asking.permission
    let outcome = asking.shares.draw(&random)
    screen = UInt8(asking.screen.rawValue)
    states[permission].status = .notDetermined
    if OnboardingPermission.all[permission].isExplained {
      add(.explanationShown, permission, into: block)
      if outcome == .droppedOff, random.chance(0.6) { return outcome }
      wait(seconds: 2...12)
      if outcome == .skipped {
        add(.skipped, permission, into: block)
        return outcome
      }
    }
    add(.promptShown, permission, into: block)
    if outcome == .droppedOff { return outcome }
    wait(seconds: 1...6)
    if outcome == .restricted {
      add(.denied, permission, status: .restricted, into: block)
      states[permission].status = .restricted
    } else {
      answer(permission, isGranted: outcome == .granted, into: block)
    }
    return outcome
  }

  mutating func answer(_ permission: Int, isGranted: Bool, into block: EventBlock) {
    let status = isGranted ? AuthorizationStatus.authorized : .denied
    add(isGranted ? .granted : .denied, permission, status: status, into: block)
    states[permission].status = status
  }
}
