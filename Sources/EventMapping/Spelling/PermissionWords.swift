// The permission in a name or in the value of a property, if it is certain.

import PermissionEvents

package enum PermissionWords {
  package enum Meaning: Hashable, Sendable {
    case one(String)
    case none
    /// Two in one name: whichever was taken, the other would be counted wrongly.
    case several
  }

  /// The permission that the value of a property means; nil if it is not known, or more than one.
  package static func permission(value: some Collection<UInt8>) -> String? {
    if case .one(let name) = found(value: value) { return name }
    return nil
  }

  /// The same, with the difference between none and several. Every word of the value must be known.
  package static func found(value: some Collection<UInt8>) -> Meaning {
    if let exact = PermissionCode.taxonomy.first(where: { $0.utf8.elementsEqual(value) }) { return .one(exact) }
    let name = NormalName(value)
    let text = name.text
    if let exact = PermissionCode.taxonomy.contains(text) ? text : Lexicon.asValue[text] { return .one(exact) }
    let lexemes = Lexicon.shared.lexemes(of: name)
    var rest: [String] = []
    var named = lexemes.compactMap(\.permission)
    let isLocation = named.contains("location_when_in_use") || named.contains("location_always")
    for lexeme in lexemes where lexeme.permission == nil {
      if isLocation, lexeme.status == .always {
        named.append("location_always")
      } else if isLocation, lexeme.status == .whenInUse || lexeme.status == .fullAccess {
        continue
      } else if lexeme.status == .fullAccess, named == ["calendars"] || named == ["reminders"] {
        continue
      } else if !Lexicon.aroundValues.contains(lexeme.text), !lexeme.traits.contains(.number) {
        rest.append(lexeme.text)
      }
    }
    if named.isEmpty, let only = rest.first, rest.count == 1, let known = Lexicon.asValue[only] { return .one(known) }
    let joined = join(named)
    return rest.isEmpty ? joined : joined == .several ? .several : .none
  }

  /// One permission of several names for it: the wider of two for the location.
  static func join(_ named: [String]) -> Meaning {
    var names = Set(named)
    if names == ["location_when_in_use", "location_always"] { names = ["location_always"] }
    guard let only = names.first else { return .none }
    return names.count == 1 ? .one(only) : .several
  }
}

/// Which permission an event is about: a property that names one first, then its own name, then the screen's.
struct SubjectReading {
  private(set) var permission: [UInt8]?
  /// The value of `permission`, if it is an answer and no permission, as the web's API has it.
  private(set) var answer: [UInt8]?
  private(set) var problem: String?

  init(name: NormalName, reading: NameReading, properties: TellingProperties) {
    if let hint = properties.permissionHint, Self.isChannel(hint) {
      problem = "it is about another channel"
      return
    }
    if let value = properties.permission, take(value) {
      if case .one(let named) = reading.permission, let permission, !Self.agree(named, permission) {
        problem = "its name and its property name different permissions"
      }
      return
    }
    if let hint = properties.permissionHint, take(PermissionWords.found(value: hint)) { return }
    var found = reading.permission
    if found == .none, EventReading.isScreen(name) || EventReading.isButton(name), let screen = properties.screen {
      found = NameReading(NormalName(screen)).permission
    }
    _ = take(found)
  }

  /// False if nothing was found.
  private mutating func take(_ found: PermissionWords.Meaning) -> Bool {
    switch found {
    case .one(let found): permission = Array(found.utf8)
    case .several: problem = "it names several permissions"
    case .none: return false
    }
    return true
  }

  private static let channels: Set<String> = [
    "email", "e_mail", "emails", "sms", "whatsapp", "in_app", "inapp",
  ]

  /// `type: email`: then it is not an answer to the system.
  private static func isChannel(_ hint: [UInt8]) -> Bool {
    !channels.isDisjoint(with: Lexicon.shared.lexemes(of: NormalName(hint)).map(\.text))
  }

  /// Whether a property may narrow down what the name says: `location` and `location_always`.
  static func agree(_ named: String, _ stated: [UInt8]) -> Bool {
    let text = String(bounded: stated)
    guard PermissionCode.taxonomy.contains(text) else { return true }
    return named.split(separator: "_").first == text.split(separator: "_").first
  }

  /// False if the value is an answer: then the permission is to be found elsewhere.
  private mutating func take(_ value: [UInt8]) -> Bool {
    if value == TellingProperties.unreadable {
      problem = "its permission is a list or a long text"
      return true
    }
    if take(PermissionWords.found(value: value)) { return true }
    let hasPermission = Lexicon.shared.lexemes(of: NormalName(value)).contains { $0.permission != nil }
    if case .outcome = AnswerReading(value).said, !hasPermission {
      answer = value
      return false
    }
    permission = value
    return true
  }
}
