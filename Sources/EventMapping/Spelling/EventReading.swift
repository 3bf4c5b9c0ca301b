// Reads what an event means from its name and a few properties, as apps usually spell them. It prefers no reading to a
// wrong one: an ambiguous event is not read, and is shown first among those that were not understood.

import PermissionEvents

package struct EventReading: Sendable {
  let name: NormalName
  let properties: TellingProperties
  let reading: NameReading
  let said: PropertyReading
  /// The permission by its name in the taxonomy, or unchanged if `permission` has an unknown one.
  package let permission: [UInt8]?
  package private(set) var status: AuthorizationStatus?
  package internal(set) var meaning: EventMeaning = .unknown(nil)

  package init(name: NormalName, properties: TellingProperties) {
    let name = Self.permissionEvent(name, properties.feature) ?? name
    self.name = name
    self.properties = properties
    reading = NameReading(name)
    let subject = SubjectReading(name: name, reading: reading, properties: properties)
    permission = subject.permission
    said = PropertyReading(
      properties, answer: subject.answer, permission: permission, isOwnScreen: reading.screen == .own)
    status = said.status
    if let problem = subject.problem ?? keptLess {
      meaning = .unknown(problem)
      return
    }
    meaning = onSystemScreen(checked(read()))
    takeStatusOfName()
  }

  /// The event of a permission that the feature of a `feature_used` is named after; nil if it is not named after one.
  private static func permissionEvent(_ name: NormalName, _ feature: [UInt8]?) -> NormalName? {
    guard kind(named: name) == .featureUsed, let feature = feature.map({ NormalName($0) }) else { return nil }
    if let kind = kind(named: feature) { return kind.needsPermission ? feature : nil }
    return looksLikePermission(feature) ? feature : nil
  }

  /// The name of an answer may also have its status. A status that does not fit the answer is ignored.
  private mutating func takeStatusOfName() {
    guard case .event(let kind) = meaning, Self.isAnswer(kind), let stated = reading.status else { return }
    guard status == nil || status == .authorized else { return }
    let isGrant = kind == .granted || kind == .reEnabled
    if isGrant == StatusWords.granting.contains(stated) { status = stated }
  }

  static func isAnswer(_ kind: EventKind) -> Bool {
    kind == .granted || kind == .reEnabled || kind == .denied || kind == .revoked
  }

  static func isScreen(_ name: NormalName) -> Bool { Lexicon.screenEvents.contains(name.text) }
  static func isButton(_ name: NormalName) -> Bool { Lexicon.buttonEvents.contains(name.text) }

  /// `!granted` and `granted?` are not kinds.
  static func kind(named name: NormalName) -> EventKind? {
    if name.isDoubtful { return nil }
    return EventKind.names.firstIndex(of: name.text).flatMap { EventKind(rawValue: UInt8(truncatingIfNeeded: $0)) }
  }

  /// Whether properties decide what an event of this name means.
  static func concerns(_ name: NormalName) -> Bool {
    isScreen(name) || isButton(name) || looksLikePermission(name) || kind(named: name) != nil
  }

  /// Whether a name is about a permission, understood or not.
  package static func looksLikePermission(_ name: NormalName) -> Bool { NameReading(name).looksLikePermission }

  /// "Keep Only While Using" refuses the location at all times, and leaves the one in use as it was.
  private var keptLess: String? {
    said.keepsLess && permission != Array("location_always".utf8) ? "it keeps another permission as it was" : nil
  }

  private func read() -> EventMeaning {
    // An event that is named as a kind is of that kind, if it says of which permission.
    if let kind = Self.kind(named: name), !kind.needsPermission || permission != nil { return named(kind) }
    if Self.isScreen(name) || Self.isButton(name) { return genericScreen() }
    guard reading.looksLikePermission else { return .unknown(nil) }
    if let turn = reading.turn { return .unknown(turn) }
    if reading.isEarlier { return look() }
    return byWords()
  }

  /// An event that is named as a kind; what its properties say must not contradict it.
  private func named(_ kind: EventKind) -> EventMeaning {
    if !kind.needsPermission { return .event(kind) }
    if Self.isAnswer(kind) || kind == .skipped, let problem = said.problem { return .unknown(problem) }
    if kind == .promptShown, said.outcome != nil { return .unknown(Self.shownAndAnswered) }
    return .event(corrected(kind))
  }

  static let shownAndAnswered = "its name says shown, but a property has an answer"

  /// A status check: it has a status.
  func look() -> EventMeaning {
    guard said.problem == nil, let status = said.status, status != .none else { return .unknown(said.problem) }
    return .event(.statusChecked)
  }

  /// An answer or a prompt of which a property says that the screen was the app's own is neither.
  private func onSystemScreen(_ meaning: EventMeaning) -> EventMeaning {
    guard case .event(let kind) = meaning, !Self.isScreen(name), !Self.isButton(name) else { return meaning }
    guard kind == .granted || kind == .denied || kind == .promptShown else { return meaning }
    let scenes =
      [properties.screen, properties.source, properties.permissionHint].compactMap { $0 } + properties.scenes
    let isOwn = scenes.contains { scene in
      Lexicon.shared.lexemes(of: NormalName(scene)).contains { $0.traits.contains(.own) }
    }
    return isOwn ? .unknown("a property says that the screen is the app's own") : meaning
  }

  /// An answer that was given in the Settings app is a return or a revocation.
  func corrected(_ kind: EventKind) -> EventKind {
    guard let source = properties.source, Lexicon.settingsSource.contains(NormalName(source).text) else { return kind }
    return kind == .granted ? .reEnabled : kind == .denied ? .revoked : kind
  }

  /// Whether a key that may be about something else contradicts it.
  private func hinted(_ kind: EventKind) -> Bool {
    switch kind {
    case .granted, .reEnabled: return !said.hints.isDisjoint(with: [.no, .skip, .revoked])
    case .denied, .revoked, .skipped: return !said.hints.isDisjoint(with: [.yes, .reEnabled])
    case .statusChecked:
      guard let status else { return false }
      return !said.hints.isDisjoint(
        with: StatusWords.granting.contains(status) ? [.no, .revoked] : [.yes, .reEnabled])
    default: return false
    }
  }

  /// The meaning, unless a property contradicts the event: then it is unknown. The web's `denied` with the status `default`
  /// is a prompt that was closed.
  private func checked(_ meaning: EventMeaning) -> EventMeaning {
    guard case .event(let kind) = meaning else { return meaning }
    let contrary = EventMeaning.unknown("a property contradicts the event")
    if hinted(kind) { return contrary }
    if kind == .skipped {
      if said.outcome == .yes || said.excluded.contains(.skip) { return contrary }
      return status.map { StatusWords.granting.contains($0) } == true ? contrary : meaning
    }
    guard Self.isAnswer(kind) else { return meaning }
    let isGrant = kind == .granted || kind == .reEnabled
    if let status {
      if kind == .denied, status == .notDetermined { return .event(.skipped) }
      if isGrant != StatusWords.granting.contains(status) { return contrary }
    }
    if let problem = said.problem { return .unknown(problem) }
    if !isGrant, said.excluded.contains(.no) { return contrary }
    guard let outcome = said.outcome else { return meaning }
    let saysYes = outcome == .yes || outcome == .reEnabled
    if isGrant { return saysYes ? meaning : contrary }
    return saysYes || outcome == .skip && status != .notDetermined ? contrary : meaning
  }
}

package enum EventMeaning: Equatable, Sendable {
  case event(EventKind)
  /// It is understood, but no kind exists for it; with the reason.
  case nothing(String)
  /// The meaning is uncertain; with the reason, if there is a particular one.
  case unknown(String?)
}

// MARK: What the words of a name and of its properties mean together

extension EventReading {
  /// The outcome of the app's own screen. To continue from it is not an answer: the system's prompt follows.
  static let goesOn = EventMeaning.nothing("a tap on the explanation; the system's prompt follows")

  func byWords() -> EventMeaning {
    switch reading.screen {
    case .settingsPrompt: return settingsPrompt()
    case .settings where reading.isMarked || reading.traits.contains(.system): return settings()
    case .own: return ownScreen()
    default: break
    }
    guard reading.isMarked || reading.screen == .prompt && reading.isKnown && reading.isPromptOfPermission else {
      return bare()
    }
    return answerOrPrompt()
  }

  private func settingsPrompt() -> EventMeaning {
    if [.skip, .no, .yes].contains(reading.outcomes) { return .nothing("a button of the settings prompt") }
    if reading.traits.contains(.tapped) { return .unknown(nil) }
    return reading.outcomes.isEmpty && reading.traits.contains(.shown) ? .event(.settingsPromptShown) : .unknown(nil)
  }

  private func settings() -> EventMeaning {
    reading.outcomes.isEmpty && reading.isKnown ? .event(.settingsOpened) : .unknown(nil)
  }

  /// The app's own screen: a no there is "not now", a yes is no answer yet.
  func ownScreen() -> EventMeaning {
    if reading.traits.contains(.system) { return .unknown("it names both the app's screen and the system's") }
    if let problem = said.problem { return .unknown(problem) }
    var outcomes = reading.outcomes
    if let outcome = said.outcome { outcomes.formUnion(outcome) }
    if outcomes.contains(.reEnabled) || outcomes.contains(.revoked) { return .unknown(nil) }
    if !reading.outcomes.isEmpty && reading.traits.contains(.shown) {
      return .unknown("a screen about an earlier answer?")
    }
    let declines = !outcomes.isDisjoint(with: [.skip, .no])
    if declines && outcomes.contains(.yes) { return .unknown("it says both yes and no") }
    // A page may know the system's answer. The system has no "later".
    if reading.mayBeSystem, !reading.traits.contains(.tapped), !reading.outcomes.isDisjoint(with: [.yes, .no]) {
      return .unknown("the app's screen or the system's?")
    }
    if declines { return .event(.skipped) }
    if outcomes.contains(.yes) { return Self.goesOn }
    let acts = reading.traits.union(said.act ?? [])
    if acts.contains(.shown) { return .event(.explanationShown) }
    if acts.contains(.tapped) && !acts.contains(.asked) { return Self.goesOn }
    return .unknown(nil)
  }

  private func answerOrPrompt() -> EventMeaning {
    let outcomes = reading.outcomes
    let isTap = reading.traits.contains(.tapped)
    if !outcomes.isEmpty {
      // An app receives the answer of the system's prompt, never a tap. Only the app's own screens have "later".
      if outcomes != .skip, reading.isButton || isTap {
        return .unknown("a button of the app's screen or of the system's?")
      }
      if reading.asksForStatus { return .unknown("was it asked for, or granted?") }
      if reading.isStateful { return .unknown("an answer, or a status check?") }
      if reading.traits.contains(.shown) { return .unknown("a screen about an earlier answer?") }
      guard let kind = Self.kind(of: outcomes) else { return .unknown("it says both yes and no") }
      return .event(corrected(kind))
    }
    if let problem = said.problem { return .unknown(problem) }
    if let outcome = said.outcome {
      if reading.traits.contains(.shown) { return .unknown(Self.shownAndAnswered) }
      if isPlainQuestion { return .unknown("the app's question or the system's?") }
      guard said.excluded.isDisjoint(with: outcome), let kind = Self.kind(of: outcome) else { return .unknown(nil) }
      return .event(corrected(kind))
    }
    if reading.traits.contains(.shown), let status, status != .notDetermined, reading.screen == .prompt {
      return .unknown(Self.shownAndAnswered)
    }
    if let act = said.act, !reading.traits.contains(.shown) { return byAct(act) }
    if isTap { return .unknown(nil) }
    if let status, !reading.traits.contains(.shown) {
      guard reading.traits.contains(.asked), reading.traits.isDisjoint(with: [.prompt, .answer]) else {
        return byStatus(status)
      }
      return status == .notDetermined ? .event(.promptShown) : .unknown("was it asked, or answered?")
    }
    if !said.excluded.isEmpty { return .unknown(nil) }
    let isAsked = reading.traits.contains(.asked) || reading.traits.contains(.shown)
    return isAsked && !reading.traits.contains(.answer) && !reading.hasDetail ? .event(.promptShown) : .unknown(nil)
  }

  /// "Ask" with a plain yes or no: the system's prompt has no such buttons.
  private var isPlainQuestion: Bool {
    let words = reading.lexemes.map(\.text)
    guard words.contains(where: { $0 == "ask" || $0 == "asks" }), !reading.traits.contains(.system) else {
      return false
    }
    return properties.results.contains { ["yes", "no"].contains(NormalName($0).text) }
  }

  private func byAct(_ act: Traits) -> EventMeaning {
    if act.contains(.settingsPrompt) || act.contains(.settings) && act.contains(.shown) {
      return .event(.settingsPromptShown)
    }
    if act.contains(.settingsOpened) { return .event(.settingsOpened) }
    if act.contains(.own) { return act.contains(.shown) ? .event(.explanationShown) : .unknown(nil) }
    return act.isDisjoint(with: [.shown, .asked]) ? .unknown(nil) : .event(.promptShown)
  }

  /// A status without an outcome is a look, unless the name speaks of an answer.
  private func byStatus(_ status: AuthorizationStatus) -> EventMeaning {
    let isAnswer =
      reading.traits.contains(.prompt) || reading.traits.contains(.answer)
    guard isAnswer else { return .event(.statusChecked) }
    switch status {
    case .denied, .restricted: return .event(corrected(.denied))
    case .notDetermined, .none: return .event(.skipped)
    default: return .event(corrected(.granted))
    }
  }

  static func kind(of outcomes: Traits) -> EventKind? {
    switch outcomes {
    case .yes: .granted
    case .no: .denied
    case .skip: .skipped
    case .revoked: .revoked
    case .reEnabled: .reEnabled
    default: nil
    }
  }

  /// `notification_enabled`: a permission and an outcome, without a word like permission or prompt. Any other word makes
  /// something else of it (`order_notification_allowed`). `camera_enabled` is a switch of many apps, so of most
  /// permissions only the plainest words are taken.
  private func bare() -> EventMeaning {
    guard case .one(let permission) = reading.permission, reading.isBare, let kind = Self.kind(of: reading.outcomes)
    else {
      return .unknown(nil)
    }
    let isPlain = reading.traits.contains(.plain)
    let isNoSwitch = permission == "notifications" || permission == "tracking"
    guard isPlain || isNoSwitch && reading.traits.contains(.switched) else { return .unknown(nil) }
    return .event(corrected(kind))
  }

  /// A screen or button event of the whole app, that says by a property which screen it was.
  func genericScreen() -> EventMeaning {
    guard let screen = properties.screen.map({ NormalName($0) }), !screen.isEmpty else { return .unknown(nil) }
    let words = NameReading(screen)
    guard words.looksLikePermission else { return .unknown(nil) }
    if words.turn != nil || words.isEarlier { return .unknown("which screen is meant?") }
    if Self.isButton(name), !words.outcomes.isEmpty { return .unknown("a screen about an earlier answer?") }
    if case .one(let named) = words.permission, let permission, !SubjectReading.agree(named, permission) {
      return .unknown("its screen and its property name different permissions")
    }
    let isOwn = words.traits.isDisjoint(with: [.prompt, .system])
    if words.screen == .settingsPrompt || words.traits.contains(.settings) {
      return Self.isScreen(name) ? .event(.settingsPromptShown) : settingsButton()
    }
    let isExplanation = isOwn || words.screen == .own
    if Self.isScreen(name) {
      // A decline together with a view of the app's own screen is "not now".
      if isExplanation, let outcome = said.outcome { return explained(outcome) }
      if let problem = said.problem { return .unknown(problem) }
      if !words.outcomes.isEmpty || said.outcome != nil { return .unknown("a screen about an earlier answer?") }
      if !isExplanation, let status, status != .notDetermined { return .unknown(Self.shownAndAnswered) }
      return .event(isExplanation ? .explanationShown : .promptShown)
    }
    guard let button = properties.button.map({ AnswerReading($0) }) else {
      guard isExplanation, let outcome = said.outcome, said.problem == nil else { return .unknown(said.problem) }
      return explained(outcome)
    }
    if isExplanation {
      switch button.said {
      case .outcome(let outcome): return explained(outcome)
      case .nothing: return Self.goesOn
      default: return .unknown("a button that is not understood")
      }
    }
    if !words.isMarked, !words.isPromptOfPermission { return .unknown("what does that screen ask for?") }
    guard case .outcome(let outcome) = button.said, let kind = Self.kind(of: outcome) else { return .unknown(nil) }
    return .event(kind)
  }

  private func explained(_ outcome: Traits) -> EventMeaning {
    if said.problem != nil { return .unknown(said.problem) }
    switch outcome {
    case .yes: return Self.goesOn
    case .no, .skip: return .event(.skipped)
    default: return .unknown(nil)
    }
  }

  private func settingsButton() -> EventMeaning {
    guard let button = properties.button else { return .unknown(nil) }
    let lexemes = Lexicon.shared.lexemes(of: NormalName(button))
    if lexemes.contains(where: { !$0.traits.isDisjoint(with: [.negator, .doubt]) }) { return .unknown(nil) }
    let goes = lexemes.contains { !$0.traits.isDisjoint(with: [.settings, .settingsOpened]) }
    return goes ? .event(.settingsOpened) : .nothing("a button of the settings prompt")
  }
}
