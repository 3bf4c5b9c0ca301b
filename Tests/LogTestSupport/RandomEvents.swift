// Random events that meet the store's corners: every form of id, times that repeat, values that are absent.

import PermissionEvents

/// Draws users and events.
package struct RandomEvents {
  package var generator: SeededGenerator
  private let users: [String]
  package var times: ClosedRange<Milliseconds> = 1_700_000_000_000...1_700_000_000_500

  package init(seed: UInt64, users count: Int) {
    var generator = SeededGenerator(seed: seed)
    users = (0..<count).map { Self.identifier($0, &generator) }
    self.generator = generator
  }

  /// An id in one of the forms: UUIDs in both cases and of several versions, digits, other texts.
  package static func identifier(_ n: Int, _ generator: inout SeededGenerator) -> String {
    switch Int.random(in: 0..<8, using: &generator) {
    case 0, 1: uuid(version: 4, &generator)
    case 2: uuid(version: 7, &generator)
    case 3: uuid(version: nil, &generator)
    case 4: uuid(version: 4, &generator).uppercased()
    case 5: "\(n)"
    case 6: "user-\(n)-é"
    default: String(repeating: "x", count: Int.random(in: 1...120, using: &generator)) + "\(n)"
    }
  }

  /// A UUID in lower case, with the usual variant if it has a version.
  package static func uuid(version: Int?, _ generator: inout SeededGenerator) -> String {
    var high = generator.next()
    var low = generator.next()
    if let version {
      high = high & 0xFFFF_FFFF_FFFF_0FFF | UInt64(version) << 12
      low = low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    }
    var text: [UInt8] = []
    IdentifierText.writeUUID(form: .lowercaseUUID, high: high, low: low, into: &text)
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func value(_ names: [String]) -> String? {
    generator.oneIn(3) ? nil : names.randomElement(using: &generator)
  }

  /// Ids of assignments are never those of other kinds, so tests of copies make their own. Losses and pickers are in no history.
  private static let kinds = EventKind.allCases.filter { ![.assigned, .lost, .pickerUsed].contains($0) }

  /// An event of one of the users, with an id that no other has.
  package mutating func event(_ n: Int) -> TestEvent {
    var id = Self.identifier(n, &generator)
    // No user's id is in it: a search for the one that was erased would find it in another's event.
    if id.utf8.count != 36 {
      id = String(id.replacing("user", with: "event").replacing("x", with: "y").prefix(60)) + "#\(n)"
    }
    // Some have the numbers of a few installs, which users share.
    if id.utf8.count == 36, let number = id.wholeMatch(of: /.{14}7.{4}([0-3]).{4}-(.{5}).*/) {
      id = "0000000a-0000-8000-8\(number.1)00-0000000\(number.2)"
    }
    var values: [StringField: String] = [:]
    values[.permission] = value(["camera", "mail", "location_always", "our_own", "another of ours"])
    values[.variant] = value(["A", "B"])
    values[.experiment] = value(["first", "second"])
    values[.surface] = value(["onboarding", "settings"])
    values[.feature] = value(["scan", "share", "übersicht"])
    values[.appVersion] = value(["1.0", "1.1", "2.0"])
    values[.osVersion] = value(["17.4", "18.0"])
    values[.platform] = value(["ios"])
    values[.locale] = value(["de_DE", "en_US"])
    values[.country] = value(["DE", "US", "FR"])
    return TestEvent(
      user: users.randomElement(using: &generator) ?? "u", id: id, time: .random(in: times, using: &generator),
      kind: Self.kinds.randomElement(using: &generator) ?? .granted,
      status: generator.oneIn(2) ? .none : AuthorizationStatus.allCases.randomElement(using: &generator) ?? .none,
      values: values)
  }

  package mutating func events(_ count: Int) -> [TestEvent] { (0..<count).map { event($0) } }
}
