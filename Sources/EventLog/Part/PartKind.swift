// What a part calls the kinds of its events. A row has a code of four bits, and the footer has its name and class.

import PermissionEvents

/// A kind of event in a part.
struct PartKind: Hashable, Sendable {
  /// Empty for a code that no row has.
  var name: [UInt8]
  /// A raw value of `EventKind.Class`, or one of a later version.
  var eventClass: UInt8

  /// Most kinds of a part: a row has four bits for its kind.
  static let maximumCount = 16

  init(name: [UInt8], eventClass: UInt8) {
    self.name = name
    self.eventClass = eventClass
  }

  init(_ kind: EventKind) { self.init(name: Array(kind.name.utf8), eventClass: kind.eventClass.rawValue) }

  /// Engagement is one class for the coding of contexts, all else the other.
  var isEngagement: Bool { eventClass == EventKind.Class.engagement.rawValue }

  /// The kind that the program calls so.
  var known: EventKind? { EventKind.named(name) }

  /// The program's kinds, by code.
  static let program = EventKind.allCases.map { PartKind($0) }
  /// Those of format 1.
  static let version1 = Array(program.prefix(EventKind.firstRelease))
}

extension EventKind {
  private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { (Array($0.name.utf8), $0) })

  static func named(_ name: [UInt8]) -> EventKind? { byName[name] }
}
