// Names beside a column that says the permission, as canonical rows have it: they need not say it themselves
// (`opened settings`, `system dialog shown`, `allowed`), and what they say of it must agree.

import PermissionEvents

extension EventReading {
  /// The reading of a canonical row's event.
  /// - Parameters:
  ///   - name: the event's name.
  ///   - properties: of which `permission` is the column's value.
  package init(canonical name: NormalName, _ properties: TellingProperties) {
    self.init(name: name, properties: properties)
    if let kind = Self.kind(named: name) {
      // Another spelling of a kind is that kind, unless the other columns say the contrary.
      if case .event = meaning { meaning = .event(kind) }
      return
    }
    guard let column = permission, properties.permission != nil else { return }
    if let problem = Self.disagreement(reading.permission, column) {
      meaning = .unknown(problem)
    } else if meaning == .unknown(nil), reading.turn == nil, isShort(column) {
      meaning =
        EventReading(name: NormalName(column + Array(" permission ".utf8) + name.bytes), properties: properties)
        .meaning
    }
  }

  /// Why a name and a column do not speak of one permission; nil if they do. The column may narrow down what the name says.
  static func disagreement(_ named: PermissionWords.Found, _ column: [UInt8]) -> String? {
    switch named {
    case .none: nil
    case .several: "it names several permissions"
    case .one(let named): agrees(named, column) ? nil : "its name and its column speak of two permissions"
    }
  }

  private static let narrower = [
    "location_when_in_use": "location_always", "photo_library": "photo_library_add",
    "calendars": "calendars_write_only",
  ]

  private static func agrees(_ named: String, _ column: [UInt8]) -> Bool {
    column.elementsEqual(named.utf8) || narrower[named].map { column.elementsEqual($0.utf8) } ?? false
  }

  /// What the words of a short name may say. Nothing that turns, calls or doubts, no tap and no page of the app.
  private static let telling: Traits = [
    .yes, .no, .skip, .revoked, .reEnabled, .prompt, .weakPrompt, .system, .shown, .asked, .answer, .settingsPrompt,
    .settingsOpened, .inSettings, .filler, .marker, .overlay, .settings,
  ]
  private static let unclear: Traits = [
    .negator, .doubt, .earlier, .call, .boolean, .determiner, .tapped, .number,
  ]

  /// True if every word is known and tells of an answer or a screen, so that the name means what it would mean behind the
  /// permission.
  private func isShort(_ column: [UInt8]) -> Bool {
    if Self.isScreen(name) || Self.isButton(name) { return false }
    let isKnown = reading.lexemes.allSatisfy { lexeme in
      if let permission = lexeme.permission { return Self.agrees(permission, column) }
      return !lexeme.traits.isDisjoint(with: Self.telling) && lexeme.traits.isDisjoint(with: Self.unclear)
    }
    // Shown alone: the explanation or the prompt?
    let tells: Traits = [
      .yes, .no, .skip, .revoked, .reEnabled, .prompt, .weakPrompt, .system, .overlay, .settingsPrompt, .settingsOpened,
    ]
    return isKnown && !reading.traits.isDisjoint(with: tells)
  }
}
