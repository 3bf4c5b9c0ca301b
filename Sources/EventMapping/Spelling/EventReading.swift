// Reads what an event means from its name and a few properties, as apps usually spell them. Rather unread than reversed:
// what may mean two things is left alone, and shown first among what was not understood.

import PermissionEvents

package struct EventReading: Sendable {
  let name: NormalName
  let properties: TellingProperties
  let reading: NameReading
  let said: PropertyReading
  /// The permission by its name in the taxonomy, or as it is if `permission` holds an unknown one.
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

  /// The permission's event that the feature of a `feature_used` is named for; nil if it is none.
  private static func permissionEvent(_ name: NormalName, _ feature: [UInt8]?) -> NormalName? {
    guard kind(named: name) == .featureUsed, let feature = feature.map({ NormalName($0) }) else { return nil }
    if let kind = kind(named: feature) { return kind.needsPermission ? feature : nil }
    return looksLikePermission(feature) ? feature : nil
  }

  /// The name of an answer may say its status too. A status that does not fit the answer is none of it.
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

  /// `!granted` and `granted?` are no kind.
  static func kind(named name: NormalName) -> EventKind? {
    if name.isDoubtful { return nil }
    return EventKind.names.firstIndex(of: name.text).flatMap { EventKind(rawValue: UInt8(truncatingIfNeeded: $0)) }
  }

  /// True if properties decide what an event of this name means.
  static func concerns(_ name: NormalName) -> Bool {
    isScreen(name) || isButton(name) || looksLikePermission(name) || kind(named: name) != nil
  }

  /// True for a name that speaks of a permission, whether it is understood or not.
  package static func looksLikePermission(_ name: NormalName) -> Bool { NameReading(name).looksLikePermission }

  /// "Keep Only While Using" refuses the location at all times, and leaves the one in use as it was.
  private var keptLess: String? {
    said.keepsLess && permission != Array("location_always".utf8) ? "it keeps what there is of another permission" : nil
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

  static let shownAndAnswered = "its name says shown, a property says an answer"

  /// A look at the state: it has a status.
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

  /// True if a key that may be about something else says the contrary.
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

  /// What was read, unless a property says the contrary: then nobody knows. The web's `denied` with the status `default`
  /// is a prompt that was closed.
  private func checked(_ meaning: EventMeaning) -> EventMeaning {
    guard case .event(let kind) = meaning else { return meaning }
    let contrary = EventMeaning.unknown("a property says the contrary")
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

/// What an event means.
package enum EventMeaning: Equatable, Sendable {
  case event(EventKind)
  /// It is understood, and there is no kind for it: the reason.
  case nothing(String)
  /// Nobody knows for sure; the reason, if there is a particular one.
  case unknown(String?)
}
