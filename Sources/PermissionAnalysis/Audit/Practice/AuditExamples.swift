// Ids of a few users of each finding: the first in the log's order, whatever the order in which they come.

import Folding
import PermissionEvents

/// A user by the log's order: the hash of the id, then the id.
struct ExampleUser: Sendable, Hashable, Comparable {
  let hash: UInt64
  let id: [UInt8]

  init(_ id: [UInt8]) {
    self.id = id
    hash = id.withUnsafeBytes { UserHash.of($0) }
  }

  static func < (a: Self, b: Self) -> Bool {
    a.hash != b.hash ? a.hash < b.hash : a.id.lexicographicallyPrecedes(b.id)
  }
}

/// A finding under the code of its permission; 0 for none.
struct ExampleCode: Hashable, Sendable {
  var check: AuditCheck
  var permission: UInt32
}

/// A finding under the name of its permission; nil for none.
struct ExampleName: Hashable, Sendable {
  var check: AuditCheck
  var permission: [UInt8]?
}

/// The first users of each key.
struct AuditExamples<Key: Hashable & Sendable>: Sendable {
  /// Most users of a key; 0 if none are wanted.
  private(set) var limit: Int
  /// In order.
  private(set) var users: [Key: [ExampleUser]] = [:]
  /// Bytes that they take, about.
  private(set) var size = 0

  init(limit: Int) { self.limit = limit }

  mutating func add(_ user: ExampleUser, of key: Key) {
    guard limit > 0 else { return }
    if let last = users[key]?.last, users[key]?.count == limit, last < user { return }
    // Taken out, so that it is not copied.
    var list = users.removeValue(forKey: key) ?? []
    defer { users[key] = list }
    let place = list.firstIndex { user <= $0 } ?? list.count
    if place < list.count, list[place] == user { return }
    list.insert(user, at: place)
    size += Self.size(user)
    if list.count > limit, let last = list.popLast() { size -= Self.size(last) }
  }

  /// Adds users under the keys that their own become. A list that is full stays so: what is not in it is not in that of all.
  mutating func add<Other>(_ other: AuditExamples<Other>, key: (Other) -> Key) {
    limit = max(limit, other.limit)
    for (theirs, list) in other.users { for user in list { add(user, of: key(theirs)) } }
  }

  private static func size(_ user: ExampleUser) -> Int { 160 + user.id.count }
}
