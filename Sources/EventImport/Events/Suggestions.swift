// A memory of what was probably meant: one wrong word is mostly in every line of a file.

import EventMapping
import PermissionEvents

/// Suggestions by field and value; safe to use from several threads.
final class Suggestions: Sendable {
  static let shared = Suggestions()

  private struct Key: Hashable {
    var field: Int
    var value: [UInt8]
  }

  private static let maximumEntries = 1000
  private static let longest = 64
  private let known = Mutex<[Key: String]>([:])

  /// `; did you mean granted?`, or nothing.
  func text(_ field: Int, _ value: UnsafeRawBufferPointer) -> String {
    guard value.count <= Self.longest else { return "" }
    let key = Key(field: field, value: Array(value))
    if let text = known.withLock({ $0[key] }) { return text }
    let found: String? =
      switch field {
      case ImportField.event: Suggestion.kind(key.value)
      case ImportField.status: Suggestion.status(key.value)
      default: Suggestion.permission(key.value)
      }
    let text = found.map { "; did you mean \($0)?" } ?? ""
    known.withLock { known in
      if known.count >= Self.maximumEntries { known.removeAll() }
      known[key] = text
    }
    return text
  }
}
