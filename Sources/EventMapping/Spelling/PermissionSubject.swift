// Which permission an event is about: a property that names one first, then its own name, then the screen's.

import PermissionEvents

struct PermissionSubject {
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
        problem = "its name and its property speak of two permissions"
      }
      return
    }
    if let hint = properties.permissionHint {
      switch PermissionWords.found(value: hint) {
      case .one(let found):
        permission = Array(found.utf8)
        return
      case .several:
        problem = "it names several permissions"
        return
      case .none: break
      }
    }
    var found = reading.permission
    if found == .none, UsualSpelling.isScreen(name) || UsualSpelling.isButton(name), let screen = properties.screen {
      found = NameReading(NormalName(screen)).permission
    }
    switch found {
    case .one(let found): permission = Array(found.utf8)
    case .several: problem = "it names several permissions"
    case .none: break
    }
  }

  private static let channels: Set<String> = [
    "email", "e_mail", "emails", "sms", "whatsapp", "in_app", "inapp",
  ]

  /// `type: email`: what follows is no answer to the system.
  private static func isChannel(_ hint: [UInt8]) -> Bool {
    !channels.isDisjoint(with: Lexicon.shared.lexemes(of: NormalName(hint)).map(\.text))
  }

  /// True if a property may narrow down what the name says: `location` and `location_always`.
  static func agree(_ named: String, _ stated: [UInt8]) -> Bool {
    let text = String(decoding: stated, as: UTF8.self)
    guard PermissionCode.taxonomy.contains(text) else { return true }
    return named.split(separator: "_").first == text.split(separator: "_").first
  }

  /// False if the value is an answer: then the permission is to be found elsewhere.
  private mutating func take(_ value: [UInt8]) -> Bool {
    if value == TellingProperties.unreadable {
      problem = "its permission is a list or a long text"
      return true
    }
    switch PermissionWords.found(value: value) {
    case .one(let found): permission = Array(found.utf8)
    case .several: problem = "it names several permissions"
    case .none:
      let hasPermission = Lexicon.shared.lexemes(of: NormalName(value)).contains { $0.permission != nil }
      if case .outcome = AnswerReading(value).said, !hasPermission {
        answer = value
        return false
      }
      permission = value
    }
    return true
  }
}
