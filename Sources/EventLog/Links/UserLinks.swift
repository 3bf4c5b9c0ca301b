// Which ids are one user. Links arrive in any order and at any time; what they connect is one group, whose name is the bytewise least of its
// ids. The log stores all events of a group under that name.

import PermissionEvents

/// Groups of linked ids. Memory: about 100 bytes an id.
package struct UserLinks: Sendable {
  /// The most ids of one user. More are not an install but a shared or broken id.
  package static let mostIDsOfUser = 50
  static let mostIDs = 1 << 22

  struct ID: Sendable, Equatable {
    var hash: UInt64
    /// Low word of a UUID; 0 for text.
    var low: UInt64
    var form: UInt8
    var bytes: [UInt8]

    init(_ bytes: [UInt8]) {
      self.bytes = bytes
      if let id = bytes.withUnsafeBytes({ IdentifierText.packUUID($0) }) {
        (hash, low, form) = (UserHash.uuid(high: id.high, low: id.low), id.low, id.form.rawValue)
      } else {
        (hash, low, form) = (bytes.withUnsafeBytes { UserHash.text($0) }, 0, IdentifierForm.text.rawValue)
      }
    }

    /// The order of the log: by hash, then bytewise.
    static func isBefore(_ a: Self, _ b: Self) -> Bool {
      a.hash != b.hash ? a.hash < b.hash : a.bytes.lexicographicallyPrecedes(b.bytes)
    }
  }

  enum Outcome {
    /// It joined two users, or an id to one.
    case joined
    case known
    /// The user would have too many ids.
    case refused
  }

  private var ids: [ID] = []
  /// By id: the number of its group.
  private var groupOfID: [Int32] = []
  /// Members of each group, the least first; empty for a group that became part of another.
  private var groups: [[Int32]] = []
  /// Numbers of ids plus 1 by hash, open addressing; a power of two, at least half of it empty.
  private var slots: [Int32] = []
  private let hash = IdentifierHash()
  /// Groups that are not empty, and their ids.
  package private(set) var userCount = 0
  package private(set) var idCount = 0

  init() {}

  package var isEmpty: Bool { idCount == 0 }

  /// Joins two ids.
  /// - Throws: `limit` if there are too many ids.
  mutating func insert(_ link: UserLink) throws -> Outcome {
    let (a, b) = (find(link.first), find(link.second))
    if let a, let b, groupOfID[a] == groupOfID[b] { return .known }
    func count(_ id: Int?) -> Int { id.map { groups[Int(groupOfID[$0])].count } ?? 1 }
    guard count(a) + count(b) <= Self.mostIDsOfUser else { return .refused }
    let (first, second) = (try a ?? add(link.first), try b ?? add(link.second))
    let (target, source) = (Int(groupOfID[first]), Int(groupOfID[second]))
    for id in groups[source] { groupOfID[Int(id)] = Int32(truncatingIfNeeded: target) }
    groups[target] += groups[source]
    groups[source] = []
    groups[target].sort { ids[Int($0)].bytes.lexicographicallyPrecedes(ids[Int($1)].bytes) }
    userCount -= 1
    return .joined
  }

  /// The ids that are one user with this one, the least first; nil if it is not linked.
  package func members(of id: [UInt8]) -> [[UInt8]]? {
    find(id).map { groups[Int(groupOfID[$0])].map { ids[Int($0)].bytes } }
  }

  func ids(ofGroupOf id: [UInt8]) -> [ID] { find(id).map { groups[Int(groupOfID[$0])].map { ids[Int($0)] } } ?? [] }

  /// Forgets all links of the users that have these ids.
  mutating func remove(_ gone: [[UInt8]]) {
    let gone = Set(gone.compactMap { find($0) }.map { groupOfID[$0] })
    guard !gone.isEmpty else { return }
    let kept = groups.indices.filter { !groups[$0].isEmpty && !gone.contains(Int32(truncatingIfNeeded: $0)) }
      .map { groups[$0].map { ids[Int($0)].bytes } }
    self = UserLinks()
    for group in kept { addGroup(group) }
  }

  /// All groups, each with its least id first, in the order in which they were made.
  var orderedGroups: [[[UInt8]]] { groups.filter { !$0.isEmpty }.map { $0.map { ids[Int($0)].bytes } } }

  /// Adds a group of ids that are in no other group.
  mutating func addGroup(_ members: [[UInt8]]) {
    let group = Int32(truncatingIfNeeded: groups.count)
    groups.append([])
    for member in members {
      let number = enter(ID(member))
      groupOfID[number] = group
      groups[Int(group)].append(Int32(truncatingIfNeeded: number))
    }
    userCount += 1
    idCount += members.count
  }

  private mutating func add(_ bytes: [UInt8]) throws -> Int {
    guard ids.count < Self.mostIDs else {
      throw LogError(.limit, "more than \(Self.mostIDs) ids of users are linked", .leaveLinksOut)
    }
    addGroup([bytes])
    return ids.count - 1
  }

  // MARK: The table

  /// The name that events of an id get, if it is another than theirs.
  @inline(__always)
  func name(hash: UInt64, form: UInt8, low: UInt64, text: UnsafeRawBufferPointer) -> ID? {
    guard !slots.isEmpty else { return nil }
    var slot = first(form: form, hash: hash, low: low, text: text)
    while slots[slot] != 0 {
      let number = Int(slots[slot]) - 1
      let isSame =
        ids[number].hash == hash && ids[number].form == form
        && (form != 0 ? ids[number].low == low : text.elementsEqual(ids[number].bytes))
      if isSame {
        let least = Int(groups[Int(groupOfID[number])][0])
        return least == number ? nil : ids[least]
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  /// Where the search for an id begins. Its hash in the log is known to everybody, so that it is not enough.
  @inline(__always)
  private func first(form: UInt8, hash: UInt64, low: UInt64, text: UnsafeRawBufferPointer) -> Int {
    Int(truncatingIfNeeded: form == 0 ? self.hash(text) : self.hash(high: hash, low: low)) & (slots.count - 1)
  }

  private func first(_ id: ID) -> Int {
    id.bytes.withUnsafeBytes { first(form: id.form, hash: id.hash, low: id.low, text: $0) }
  }

  private func find(_ bytes: [UInt8]) -> Int? {
    guard !slots.isEmpty else { return nil }
    let id = ID(bytes)
    var slot = first(id)
    while slots[slot] != 0 {
      let number = Int(slots[slot]) - 1
      if ids[number] == id { return number }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  /// Enters an id that is not there.
  /// - Returns: its number.
  private mutating func enter(_ id: ID) -> Int {
    ids.append(id)
    groupOfID.append(0)
    if 2 * ids.count >= slots.count {
      slots = [Int32](repeating: 0, count: max(16, slots.count * 2))
      for number in ids.indices { place(number) }
    } else {
      place(ids.count - 1)
    }
    return ids.count - 1
  }

  private mutating func place(_ number: Int) {
    var slot = first(ids[number])
    while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
    slots[slot] = Int32(truncatingIfNeeded: number + 1)
  }
}

// MARK: Sessions within which the user's id changed, as long as no link says that the ids are one user

/// Ids that came in one session, and in how many sessions they did.
struct SplitSessions: Sendable, Equatable {
  /// The most groups of ids that a log keeps; later ingests ignore sessions.
  static let mostGroups = 1 << 15

  /// By ids in bytewise order, at least two.
  private(set) var sessions: [[[UInt8]]: UInt64] = [:]

  var isEmpty: Bool { sessions.isEmpty }

  var count: Int64 { sessions.values.reduce(0) { min($0 + Int64(clamping: $1), IngestTally.limit) } }

  mutating func add(_ ids: [[UInt8]], sessions count: UInt64) {
    sessions[ids] = min((sessions[ids] ?? 0) + count, UInt64(IngestTally.limit))
  }

  static func += (a: inout Self, b: Self) { for (ids, count) in b.sessions { a.add(ids, sessions: count) } }

  /// The sessions of the sample with ids of different users; nil if there are too many to keep.
  func among(_ sample: SessionSample, _ links: UserLinks) -> SplitSessions? {
    var found = SplitSessions()
    for ids in sample.changed where !links.areOneUser(ids) { found.add(ids, sessions: 1) }
    return sessions.count + found.sessions.count <= Self.mostGroups ? found : nil
  }

  /// Leaves out sessions of ids that are one user by now.
  /// - Returns: whether there were any.
  mutating func removeJoined(_ links: UserLinks) -> Bool { keep { !links.areOneUser($0) } }

  /// Leaves out sessions in which an id of these came.
  /// - Returns: whether there were any.
  mutating func remove(_ gone: [[UInt8]]) -> Bool {
    let gone = Set(gone)
    return keep { $0.allSatisfy { !gone.contains($0) } }
  }

  /// The same sessions of users with other ids.
  func renamed(_ name: ([UInt8]) -> [UInt8]) -> SplitSessions {
    var renamed = SplitSessions()
    for (ids, count) in sessions {
      renamed.add(ids.map(name).sorted { $0.lexicographicallyPrecedes($1) }, sessions: count)
    }
    return renamed
  }

  private mutating func keep(_ isKept: ([[UInt8]]) -> Bool) -> Bool {
    let before = sessions.count
    sessions = sessions.filter { isKept($0.key) }
    return sessions.count != before
  }

  /// In the order in which they are stored.
  var ordered: [(ids: [[UInt8]], sessions: UInt64)] {
    sessions.sorted { a, b in
      a.key.lexicographicallyPrecedes(b.key) { $0.lexicographicallyPrecedes($1) }
    }.map { (ids: $0.key, sessions: $0.value) }
  }
}

extension UserLinks {
  func areOneUser(_ ids: [[UInt8]]) -> Bool {
    guard let first = ids.first, let members = members(of: first) else { return ids.count < 2 }
    return ids.allSatisfy(members.contains)
  }
}

// MARK: Users of older parts whose events a newer part has When ids are joined, their events are written once more
// under the user's name; the old rows stay in their parts until those are merged, but readers skip them.

/// Users that are hidden in the parts before some part.
final class HiddenUsers: Sendable {
  struct HiddenUser: Sendable, Equatable {
    var id: UserLinks.ID
    /// The part that has the user's events: rows of parts with a lower id are hidden.
    var part: UInt64
  }

  struct Count: Sendable, Equatable {
    var rows: UInt64 = 0
    var users: UInt64 = 0
  }

  static let none = HiddenUsers([], counts: [:])

  /// In the log's order of users; of two entries of one user the one of the later part counts.
  let entries: [HiddenUser]
  /// By part.
  let counts: [UInt64: Count]

  init(_ entries: [HiddenUser], counts: [UInt64: Count]) {
    var sorted = entries.sorted { $0.id == $1.id ? $0.part > $1.part : UserLinks.ID.isBefore($0.id, $1.id) }
    var kept = 0
    for i in sorted.indices where i == 0 || sorted[i].id != sorted[kept - 1].id {
      sorted[kept] = sorted[i]
      kept += 1
    }
    sorted.removeLast(sorted.count - kept)
    self.entries = sorted
    self.counts = counts
  }

  /// With more users hidden.
  /// - Parameter more: rows and users by part, beside those that were hidden before.
  func adding(_ added: [HiddenUser], counts more: [UInt64: Count]) -> HiddenUsers {
    let counts = counts.merging(more) { Count(rows: $0.rows + $1.rows, users: $0.users + $1.users) }
    return HiddenUsers(entries + added, counts: counts)
  }

  /// Without users that no part of the log has any more.
  func kept(in parts: [UInt64]) -> HiddenUsers {
    let live = counts.filter { parts.contains($0.key) && $0.value.users > 0 }
    guard let oldest = live.keys.min() else { return .none }
    let left = entries.filter { $0.part > oldest }
    return left.count == entries.count && live.count == counts.count ? self : HiddenUsers(left, counts: live)
  }

  /// The first entry of a user that is not before a hash.
  func first(from hash: UInt64) -> Int { entries.firstPlace { $0.id.hash >= hash } }

  func hides(_ user: IdentifierView, hash: UInt64, in part: UInt64) -> Bool {
    let start = first(from: hash)
    guard start < entries.count, entries[start].id.hash == hash else { return false }
    // Many ids can be made up with one hash.
    let bytes = user.bytes
    let place = entries.firstPlace {
      $0.id.hash > hash || $0.id.hash == hash && !$0.id.bytes.lexicographicallyPrecedes(bytes)
    }
    return place < entries.count && entries[place].id.bytes == bytes && entries[place].part > part
  }

  func concerns(_ part: UInt64, _ range: ClosedRange<UInt64>) -> Bool {
    guard counts[part] != nil else { return false }
    let ofRange = entries[first(from: range.lowerBound)...].lazy.prefix { $0.id.hash <= range.upperBound }
    return ofRange.contains { $0.part > part }
  }
}
