// What the words of an event's name would mean if nothing in it were doubtful: for a draft of a rule, which a person reads.

import PermissionEvents

package struct NameGuess: Sendable {
  /// Nil if the words name none, or several.
  package let kind: EventKind?
  package let permission: String?
  /// Why the name is not read without a rule; nil if it is not known.
  package let doubt: String?

  package init(_ name: some Collection<UInt8>) {
    let reading = NameReading(NormalName(name))
    doubt = reading.turn
    if case .one(let name) = reading.permission { permission = name } else { permission = nil }
    kind = Self.kind(reading)
  }

  private static func kind(_ reading: NameReading) -> EventKind? {
    // Beside a word that negates, every outcome may be its opposite.
    guard !reading.traits.contains(.negator) else { return nil }
    let answers: [(Traits, EventKind)] = [
      (.yes, .granted), (.no, .denied), (.skip, .skipped), (.revoked, .revoked), (.reEnabled, .reEnabled),
    ]
    let said = answers.filter { reading.outcomes.contains($0.0) }
    if let only = said.first { return said.count == 1 ? only.1 : nil }
    switch reading.screen {
    case .own: return .explanationShown
    case .prompt: return .promptShown
    case .settingsPrompt: return .settingsPromptShown
    case .settings: return .settingsOpened
    case nil: return nil
    }
  }
}
