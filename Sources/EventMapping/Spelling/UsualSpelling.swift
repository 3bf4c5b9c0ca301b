// Reads what an event means from its name and a few properties, as apps usually spell them. What may mean two things
// is left alone: it is counted and shown first among what was not understood.

import PermissionEvents

/// The properties that an event's meaning depends on, as texts; nil where absent.
package struct TellingProperties: Hashable, Sendable {
  /// What the event is about: `permission`, `permission_type`.
  package var permission: [UInt8]?
  /// The same under names that may mean something else: `type`, `resource`.
  package var permissionHint: [UInt8]?
  package var status: [UInt8]?
  package var result: [UInt8]?
  package var source: [UInt8]?
  package var screen: [UInt8]?
  package var button: [UInt8]?

  package init() {}
}

/// What an event means.
package enum UsualMeaning: Equatable, Sendable {
  case event(EventKind)
  /// It is understood, and there is no kind for it: the reason.
  case nothing(String)
  case unknown
}

package struct UsualSpelling: Sendable {
  let name: NormalName
  let properties: TellingProperties
  /// The permission by its name in the taxonomy, or as it stands where `permission` holds an unknown one.
  package let permission: [UInt8]?
  package private(set) var status: AuthorizationStatus?
  package private(set) var meaning: UsualMeaning = .unknown

  package init(name: NormalName, properties: TellingProperties) {
    self.name = name
    self.properties = properties
    let screen = Self.isScreen(name) || Self.isButton(name) ? properties.screen.map { NormalName($0) } : nil
    permission =
      properties.permission.map { value in PermissionWords.permission(value: value).map { Array($0.utf8) } ?? value }
      ?? properties.permissionHint.flatMap { PermissionWords.permission(value: $0).map { Array($0.utf8) } }
      ?? (PermissionWords.permission(in: name) ?? screen.flatMap { PermissionWords.permission(in: $0) }).map {
        Array($0.utf8)
      }
    let stated = properties.status.flatMap { StatusWords.status($0) }
    let result = properties.result.flatMap { StatusWords.status($0) }
    status = stated ?? result.flatMap { StatusWords.telling.contains($0) ? $0 : nil }
    meaning = checked(read())
    takeStatusOfName()
  }

  /// The name of an answer may say its status too. A status that does not fit the answer is none of it.
  private mutating func takeStatusOfName() {
    guard status == nil, case .event(let kind) = meaning, Self.isAnswer(kind) else { return }
    let permission = NormalName(permission ?? [])
    guard let said = StatusWords.status(in: name, of: permission) else { return }
    let isGrant = kind == .granted || kind == .reEnabled
    if isGrant == StatusWords.granting.contains(said) { status = said }
  }

  private static func isAnswer(_ kind: EventKind) -> Bool {
    kind == .granted || kind == .reEnabled || kind == .denied || kind == .revoked
  }

  static func isScreen(_ name: NormalName) -> Bool { UsualWords.screenEvents.contains(name.text) }
  static func isButton(_ name: NormalName) -> Bool { UsualWords.buttonEvents.contains(name.text) }

  private static func kind(named name: NormalName) -> EventKind? {
    EventKind.names.firstIndex(of: name.text).flatMap { EventKind(rawValue: UInt8(truncatingIfNeeded: $0)) }
  }

  /// True where the properties have a say in what an event of this name means.
  static func concerns(_ name: NormalName) -> Bool {
    isScreen(name) || isButton(name) || looksLikePermission(name) || kind(named: name) != nil
  }

  /// True for a name that speaks of a permission, whether it is understood or not.
  package static func looksLikePermission(_ name: NormalName) -> Bool {
    if name.hasAny(UsualWords.permission) { return true }
    guard PermissionWords.permission(in: name) != nil else { return name.hasAny(UsualWords.explanation) }
    return name.hasAny(UsualWords.explanation) || name.hasAny(UsualWords.prompt) || name.hasAny(UsualWords.granted)
      || name.hasAny(UsualWords.denied) || name.hasAny(UsualWords.revoked) || name.hasAny(UsualWords.reEnabled)
  }

  private func read() -> UsualMeaning {
    // An event that is named as a kind is of that kind, where it says of which permission.
    if let kind = Self.kind(named: name), kind.isEngagement || permission != nil { return .event(corrected(kind)) }
    if Self.isScreen(name) || Self.isButton(name) { return genericScreen() }
    guard Self.looksLikePermission(name) else { return .unknown }
    let plain = kind(of: name)
    if case .event(let kind) = plain { return .event(corrected(kind)) }
    if case .nothing = plain { return plain }
    // The name leaves it open: a result property says it.
    if let result = properties.result, !result.isEmpty {
      let value = NormalName(result)
      let said =
        UsualWords.yes.contains(value.text)
        ? NormalName("granted") : UsualWords.no.contains(value.text) ? NormalName("denied") : value
      // A value that says nothing by itself must not make a prompt of `permission_request`.
      if case .event = kind(of: NormalName("permission") + said) {
        switch kind(of: name + said) {
        case .event(let kind): return .event(corrected(kind))
        case .nothing(let reason): return .nothing(reason)
        case .unknown: break
        }
      }
    }
    guard let status = properties.status.flatMap({ StatusWords.status($0) }) else { return .unknown }
    guard name.hasAny(UsualWords.prompt) || name.hasAny(UsualWords.answer) else { return .event(.statusChecked) }
    switch status {
    case .denied, .restricted: return .event(corrected(.denied))
    case .notDetermined, .none: return .event(.skipped)
    default: return .event(corrected(.granted))
    }
  }

  /// An answer that was given in the Settings app is a return or a revocation.
  private func corrected(_ kind: EventKind) -> EventKind {
    guard let source = properties.source, UsualWords.settingsSource.contains(NormalName(source).text) else {
      return kind
    }
    return kind == .granted ? .reEnabled : kind == .denied ? .revoked : kind
  }

  /// What was read, unless a property says the contrary: then nobody knows. The web's `denied` with the status `default`
  /// is a prompt that was closed.
  private func checked(_ meaning: UsualMeaning) -> UsualMeaning {
    guard case .event(let kind) = meaning, Self.isAnswer(kind) else { return meaning }
    let isGrant = kind == .granted || kind == .reEnabled
    if let status {
      if kind == .denied, status == .notDetermined { return .event(.skipped) }
      if isGrant ? !StatusWords.granting.contains(status) : StatusWords.granting.contains(status) { return .unknown }
    }
    guard let result = properties.result.map({ NormalName($0) }) else { return meaning }
    let saysNo = UsualWords.no.contains(result.text) || result.hasAny(UsualWords.denied)
    let saysYes = !saysNo && (UsualWords.yes.contains(result.text) || result.hasAny(UsualWords.granted))
    return (isGrant ? saysNo : saysYes) ? .unknown : meaning
  }

  /// A screen or button event of the whole app, that says by a property which screen it was.
  private func genericScreen() -> UsualMeaning {
    guard let screen = properties.screen.map({ NormalName($0) }), !screen.isEmpty else { return .unknown }
    let isOwn = !screen.hasAny(UsualWords.prompt) && !screen.hasAny(UsualWords.system)
    guard
      screen.hasAny(UsualWords.permission) || screen.hasAny(UsualWords.explanation) || Self.looksLikePermission(screen)
    else { return .unknown }
    if Self.isScreen(name) {
      if screen.hasAny(UsualWords.settingsScreen) { return .event(.settingsPromptShown) }
      if screen.hasAny(UsualWords.explanation) { return .event(.explanationShown) }
      if screen.hasAny(UsualWords.answeredBefore) { return .unknown }
      return .event(isOwn ? .explanationShown : .promptShown)
    }
    guard let button = properties.button.map({ NormalName($0) }), !button.isEmpty else { return .unknown }
    if screen.hasAny(UsualWords.settingsScreen) {
      return button.hasAny(UsualWords.settings) ? .event(.settingsOpened) : .nothing("a button of the settings prompt")
    }
    if isOwn || screen.hasAny(UsualWords.explanation) { return explanation(NormalName("primer") + button) }
    return kind(of: screen + button)
  }
}
