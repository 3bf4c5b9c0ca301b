// A user and a permission on one visit: asked for the first time or again, led to Settings, turned off.

import PermissionEvents

extension UserSimulation {
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

  /// The message that this user sees on a permission's explanation.
  private func message(_ permission: Int) -> SimulatedEvent.Message {
    guard models[permission].experiment != nil else { return .none }
    return user.messages >> UInt64(permission) & 1 == 1 ? .b : .a
  }

  /// The first asking: the app's explanation and the system's prompt, or the prompt alone.
  private mutating func ask(_ permission: Int, into block: EventBlock) {
    let model = models[permission]
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
  ///   - isLast: a denial is not followed up.
  private mutating func prompt(
    _ permission: Int, message: SimulatedEvent.Message, behaviour: SimulatedEvent.Message? = nil, isLast: Bool = false,
    into block: EventBlock
  ) {
    let model = models[permission]
    add(.promptShown, permission, message: message, into: block)
    if random.chance(model.lost) { return leave(permission) }
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

  /// The alert that leads to Settings, shown once. Whoever does not turn the permission on then never does.
  private mutating func promptForSettings(_ permission: Int, into block: EventBlock) {
    let model = models[permission]
    pause(seconds: 3, cap: 10)
    add(.settingsPromptShown, permission, into: block)
    close(permission, .denied)
    guard random.chance(model.settingsOpened) else { return }
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

/// What a user has come to with one permission.
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
  /// What the app finds when it looks.
  var status = AuthorizationStatus.notDetermined
  /// Day of the last answer (or drop-off).
  var day = 0

  /// Nothing changes on the day exactly four weeks later. The follow-up of the report's figures ends on it, and with this
  /// rule it is plain what lies inside: the truth needs no assumption about the hour of the visits.
  func canChange(on today: Int) -> Bool { today > day && today != day + Self.followUpDays }

  static let followUpDays = 28
}
