// Values that are not in their closed list: in a usual spelling (`Granted`, `photoLibrary`, `Not Determined`) they are read
// and counted; anything farther from the list is refused, with what was probably meant.

import EventMapping
import PermissionEvents

/// A thread's memory of the spellings that it has met. Owned by one thread.
final class Respelling {
  /// A value of a closed list under another spelling.
  struct Meant {
    let code: UInt32
    /// A permission as it is kept; it outlives every line, because an event's id may be made of it.
    let text: OwnedText
  }

  private static let maximumEntries = 1000
  private var known: [FieldAndValue: Meant?] = [:]

  /// The value that is meant, in another case, with blanks or in camelCase, or in other words that a vendor's exports have for it;
  /// nil if that is not known.
  func find(_ field: Int, _ value: UnsafeRawBufferPointer) -> Meant? {
    guard value.count <= 64 else { return nil }
    let key = FieldAndValue(field: field, value: Array(value))
    if let known = known[key] { return known }
    if known.count >= Self.maximumEntries { known.removeAll() }
    let found = Self.meant(field, value)
    known[key] = found
    return found
  }

  private static let permissions = PermissionCode.taxonomy.map { OwnedText(Array($0.utf8)) }
  private static let none = OwnedText([])

  private static func meant(_ field: Int, _ value: UnsafeRawBufferPointer) -> Meant? {
    let name = NormalName(value)
    // `!granted`, `granted?`
    if name.isDoubtful { return nil }
    let text = name.text
    switch field {
    case ImportField.event:
      return EventKind.names.firstIndex(of: text).map { Meant(code: UInt32($0), text: none) }
    case ImportField.status:
      guard !text.isEmpty else { return nil }
      let listed = AuthorizationStatus.names.firstIndex(of: text).map { UInt32($0) }
      return (listed ?? StatusWords.status(value).map { UInt32($0.rawValue) }).map { Meant(code: $0, text: none) }
    case StringField.permission.rawValue:
      // Codes of the taxonomy are the same in every dictionary, and 0 is none.
      let listed = PermissionCode.taxonomy.firstIndex(of: text)
      let place =
        listed ?? PermissionWords.permission(value: value).flatMap { PermissionCode.taxonomy.firstIndex(of: $0) }
      return place.map { Meant(code: UInt32($0 + 1), text: permissions[$0]) }
    default: return nil
    }
  }
}

/// What was probably meant by values that were refused: one wrong word is mostly in every line of a file. Asked in the order
/// of the input, so that the same files give the same sentences.
struct Suggestions {
  /// Values that are looked at in an import: to find what was meant takes longer than to read a line.
  private static let maximumEntries = 1000
  private static let longest = 64
  private var known: [FieldAndValue: String] = [:]

  /// `; did you mean granted?`, or nothing.
  mutating func text(_ unlisted: FieldAndValue) -> String {
    guard unlisted.value.count <= Self.longest else { return "" }
    if let text = known[unlisted] { return text }
    if known.count >= Self.maximumEntries { return "" }
    let found =
      switch unlisted.field {
      case ImportField.event: Suggestion.kind(unlisted.value)
      case ImportField.status: Suggestion.status(unlisted.value)
      default: Suggestion.permission(unlisted.value)
      }
    let text = found.map { "; did you mean \($0)?" } ?? ""
    known[unlisted] = text
    return text
  }
}
