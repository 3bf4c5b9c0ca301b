// A memory of what was probably meant: one wrong word is mostly in every line of a file. Asked in the order of the input, so
// that the same files give the same sentences.

import EventMapping
import PermissionEvents

/// Suggestions by field and value.
struct Suggestions {
  private struct Key: Hashable {
    var field: Int
    var value: [UInt8]
  }

  /// Values that are looked at in an import: to find what was meant takes longer than to read a line.
  private static let maximumEntries = 1000
  private static let longest = 64
  private var known: [Key: String] = [:]

  /// `; did you mean granted?`, or nothing.
  mutating func text(_ field: Int, _ value: [UInt8]) -> String {
    guard value.count <= Self.longest else { return "" }
    let key = Key(field: field, value: value)
    if let text = known[key] { return text }
    if known.count >= Self.maximumEntries { return "" }
    let found: String? =
      switch field {
      case ImportField.event: Suggestion.kind(value)
      case ImportField.status: Suggestion.status(value)
      default: Suggestion.permission(value)
      }
    let text = found.map { "; did you mean \($0)?" } ?? ""
    known[key] = text
    return text
  }
}
