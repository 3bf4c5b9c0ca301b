// Keys of tables of sums. A key is declared once: the line of a part names it, writes it, and reads it from what anybody may have written.

import Folding
import PermissionEvents

/// The key of a row: names, weeks, words, each of which is a part.
package protocol SumKey: Hashable, Sendable {
  init()

  /// Hands over each of the parts, in their order.
  mutating func visit(_ parts: inout KeyParts)
}

extension SumKey {
  /// What the parts are, as in a file.
  static var names: [String] {
    var (key, parts) = (Self(), KeyParts(.names))
    key.visit(&parts)
    return parts.names
  }

  var parts: SumTable.Key {
    var (key, parts) = (self, KeyParts(.writing))
    key.visit(&parts)
    return parts.parts
  }

  /// - Parameter parts: as many as there are names.
  /// - Returns: nil if they are no key that this version knows.
  init?(_ parts: SumTable.Key) {
    var parts = KeyParts(.reading, parts)
    self.init()
    visit(&parts)
    if !parts.areKnown { return nil }
  }
}

package struct KeyParts {
  enum Way {
    case names, writing, reading
  }

  private let way: Way
  fileprivate private(set) var names: [String] = []
  fileprivate private(set) var parts: SumTable.Key
  private var next = 0
  fileprivate var areKnown = true

  fileprivate init(_ way: Way, _ parts: SumTable.Key = []) { (self.way, self.parts) = (way, parts) }

  /// - Parameter read: nil for what this version does not know.
  @inline(__always)
  mutating func part<Value>(
    _ name: String, _ value: inout Value, _ write: (Value) -> [UInt8]?, _ read: ([UInt8]?) -> Value?
  ) {
    switch way {
    case .names: names.append(name)
    case .writing: parts.append(write(value))
    case .reading:
      if let read = read(parts[next]) { value = read } else { areKnown = false }
      next += 1
    }
  }

  mutating func name(_ name: String, _ value: inout [UInt8]) { part(name, &value, { $0 }, \.name) }

  /// None is empty, and absent in a file.
  mutating func nameOrNone(_ name: String, _ value: inout [UInt8]) { part(name, &value, \.orAbsent, \.nameOrNone) }

  /// By the index of the ISO week.
  mutating func week(_ name: String, _ value: inout Int64) { part(name, &value, { SumKeys.week($0) }, \.week) }

  mutating func day(_ name: String, _ value: inout DayNumber) { part(name, &value, { CivilDate($0).bytes }, \.day) }

  /// A word by its place among all.
  mutating func word(_ name: String, _ value: inout Int, of words: [[UInt8]]) {
    part(name, &value, { words[$0] }, { part in words.firstIndex { $0 == part } })
  }

  /// One of two words.
  mutating func word(_ name: String, _ value: inout Bool, no: String, yes: String) {
    part(name, &value, { Array(($0 ? yes : no).utf8) }) { part in
      part == Array(yes.utf8) ? true : part == Array(no.utf8) ? false : nil
    }
  }
}

enum SumKeys {
  /// More journeys than there will be: figures made of counts up to this do not overflow.
  static let mostUsers: Int64 = 1 << 40

  /// An ISO week as it is written, like `2026-W14`.
  static func week(_ index: Int64) -> [UInt8] { ISOWeek(index: index).bytes }

  /// Words that are parts of keys.
  static func words(_ words: [String]) -> [[UInt8]] { words.map { Array($0.utf8) } }
}

extension [UInt8]? {
  /// A name, neither empty nor longer than those of a log.
  var name: [UInt8]? { flatMap { $0.isEmpty || $0.count > StringField.maximumLength ? nil : $0 } }
  var nameOrNone: [UInt8]? { self == nil ? [] : name }
  var week: Int64? { flatMap { ISOWeek(parsing: $0)?.index } }
  var day: DayNumber? { flatMap { CivilDate(parsing: $0)?.dayNumber } }
}

extension [UInt8] {
  var orAbsent: [UInt8]? { isEmpty ? nil : self }
}

/// A permission alone.
extension [UInt8]: SumKey {
  package mutating func visit(_ parts: inout KeyParts) { parts.name("permission", &self) }
}
