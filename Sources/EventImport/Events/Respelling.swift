// Values of the closed lists in a usual spelling: `Granted`, `photoLibrary`, `Not Determined`. They are read and counted;
// anything farther from the list is refused, with what was probably meant.

import EventMapping
import PermissionEvents

/// A thread's memory of the spellings that it has met. Owned by one thread.
final class Respelling {
  /// A value of a closed list under another spelling.
  final class Entry {
    let code: UInt32
    /// The value as it is kept.
    let text: StayingText

    init(code: UInt32, text: StayingText) {
      self.code = code
      self.text = text
    }
  }

  private struct Key: Hashable {
    var field: Int
    var value: [UInt8]
  }

  private static let maximumEntries = 1000
  private var entries: [Key: Entry?] = [:]

  /// The value that is meant; nil if it is none of the list in another case, with blanks or in camelCase.
  func find(_ field: Int, _ value: UnsafeRawBufferPointer) -> Entry? {
    guard value.count <= 64 else { return nil }
    let key = Key(field: field, value: Array(value))
    if let known = entries[key] { return known }
    if entries.count >= Self.maximumEntries { entries.removeAll() }
    let found = Self.entry(field, NormalName(value).text)
    entries[key] = found
    return found
  }

  /// Texts that outlive every line: an event's id may be made of them after its spelling was forgotten here.
  private static let permissions = PermissionCode.taxonomy.map { StayingText(Array($0.utf8)) }
  private static let none = StayingText([])

  private static func entry(_ field: Int, _ text: String) -> Entry? {
    switch field {
    case ImportField.event:
      return EventKind.names.firstIndex(of: text).map { Entry(code: UInt32($0), text: none) }
    case ImportField.status:
      guard !text.isEmpty else { return nil }
      return AuthorizationStatus.names.firstIndex(of: text).map { Entry(code: UInt32($0), text: none) }
    case StringField.permission.rawValue:
      // Codes of the taxonomy are the same in every dictionary, and 0 is none.
      return PermissionCode.taxonomy.firstIndex(of: text).map { Entry(code: UInt32($0 + 1), text: permissions[$0]) }
    default: return nil
    }
  }
}
