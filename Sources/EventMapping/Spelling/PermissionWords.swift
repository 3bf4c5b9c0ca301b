// Which permission a name or the value of a property speaks of: one that is certain, or none.

import PermissionEvents

package enum PermissionWords {
  /// What was found.
  package enum Found: Equatable, Sendable {
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
  package static func found(value: some Collection<UInt8>) -> Found {
    if let exact = PermissionCode.taxonomy.first(where: { $0.utf8.elementsEqual(value) }) { return .one(exact) }
    let name = NormalName(value)
    if let exact = exact(name.text) { return .one(exact) }
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

  private static func exact(_ text: String) -> String? {
    PermissionCode.taxonomy.contains(text) ? text : Lexicon.asValue[text]
  }

  /// One permission of several names for it: the wider of two for the location.
  static func join(_ named: [String]) -> Found {
    var names = Set(named)
    if names == ["location_when_in_use", "location_always"] { names = ["location_always"] }
    guard let only = names.first else { return .none }
    return names.count == 1 ? .one(only) : .several
  }
}
