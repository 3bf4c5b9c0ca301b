// One rule of a mapping: for which events it is, and what they become.

import PermissionEvents

/// Where a field's value comes from.
package struct ValueSource: Sendable {
  package var from: [PropertyReference] = []
  /// Translations, by the normal form of what is there; empty if the value is kept as it is.
  package var values: [NormalName: String] = [:]
  /// The value if nothing was found.
  package var otherwise: String?
}

package struct MappingRule: Sendable {
  /// What an event becomes.
  package enum Result: Equatable, Sendable {
    case event(EventKind)
    case ignored
  }

  /// Names as they are in the export.
  package var events: [String] = []
  /// Globs for the normal form of the name.
  package var patterns: [Glob] = []
  /// Values that properties must have, in normal form; an empty list asks only that the property is there.
  package var conditions: [(property: PropertyReference, values: [NormalName])] = []
  package var result: Result
  package var permission: ValueSource?
  package var status: ValueSource?
  /// By `StringField`, permission left out.
  package var fields: [StringField: ValueSource] = [:]
  package var line: Int

  /// True if the rule names the event itself.
  func names(_ name: [UInt8]) -> Bool { events.contains { $0.utf8.elementsEqual(name) } }
}

/// A pattern of `*` (any number of characters) and `?` (any one).
package struct Glob: Sendable {
  let pattern: [UInt8]

  init(_ text: String) { pattern = Array(text.utf8) }

  /// A pattern for names in normal form, whose letters are small and whose words are joined by underscores.
  init(name text: String) {
    pattern = text.utf8.map { byte in
      switch byte {
      case 0x41...0x5A: byte | 0x20
      case 0x20, 0x2D, 0x2E: 0x5F
      default: byte
      }
    }
  }

  /// Linear in the text for each star: the last star alone is gone back to.
  func matches(_ text: some Collection<UInt8>) -> Bool {
    let text = Array(text)
    var p = 0
    var t = 0
    var star: (pattern: Int, text: Int)?
    while t < text.count {
      if p < pattern.count, pattern[p] == 0x2A {
        star = (p, t)
        p += 1
      } else if p < pattern.count, pattern[p] == 0x3F || pattern[p] == text[t] {
        p += 1
        t += 1
      } else if let last = star {
        star = (last.pattern, last.text + 1)
        p = last.pattern + 1
        t = last.text + 1
      } else {
        return false
      }
    }
    return pattern[p...].allSatisfy { $0 == 0x2A }
  }
}
