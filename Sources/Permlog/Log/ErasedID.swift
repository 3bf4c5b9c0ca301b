// What became of each id that was to be erased, and under which other spellings the log has ids that it was not asked for
// exactly.

import EventImport
import EventLog
import PermissionEvents

/// What became of one id that was to be erased.
public struct ErasedID: Sendable, Equatable {
  public enum Outcome: String, Sendable, CaseIterable {
    /// The user had events, and they are gone.
    case erased
    /// An earlier request removed the user's events.
    case erasedBefore = "erased_before"
    /// An earlier request named the id; whether it had events was not recorded (before version 0.4.0).
    case keptOutBefore = "kept_out_before"
    /// The log has no such id, but one that differs from it only in case, blanks, or the form of a UUID. It stays.
    case otherSpelling = "other_spelling"
    /// The log has no such id. It is kept out of later ingests.
    case notFound = "not_found"

    /// Whether the log has nothing of the person that the id names, as far as the log can tell.
    public var isFulfilled: Bool { self == .erased || self == .erasedBefore || self == .keptOutBefore }
  }

  /// As it was given.
  public var id: [UInt8]
  public var outcome: Outcome
  /// Events of the person that were removed: of the id and of those that are linked with it. Can be 0 for `erased`: then the log had
  /// only numbers of rows that are not stored.
  public var events = 0
  /// Other ids of the same person, which are erased too.
  public var linked = 0
  /// When an earlier request named the id; nil if none did, or if the time was not recorded.
  public var requestedBefore: Milliseconds?
  /// Ids of the log that differ from the id, or from one of its installs, only in case, blanks, or the form of a UUID, and that
  /// stay. If nothing was found, also ids of erased users. At most 20.
  public var spellings: [[UInt8]] = []
  /// Such ids that were erased, too.
  public var alsoErased: [[UInt8]] = []
  /// Installs of the account, and how many of them had events.
  public var installs = 0
  public var installsFound = 0
  /// All ids under which the log may have had the person, for a receipt.
  package var allIDs: [[UInt8]] = []
}

/// Ids that are to be erased, and the ids under which a log may know them.
struct SoughtIDs {
  static let mostSpellings = 20

  private let key: UserKey?
  /// Installs of accounts.
  private let links: [[UInt8]: [[UInt8]]]
  /// Each once, in the order in which they were given.
  let given: [[UInt8]]
  /// By given id: ids that the log can have for it.
  private var stored: [[UInt8]: [[UInt8]]] = [:]
  /// By given pseudonyms those that later keys would make of them.
  private var renewed: [[UInt8]: [[UInt8]]] = [:]
  /// By ids that the log had before it was rekeyed those of now.
  private var former: [[UInt8]: [UInt8]] = [:]
  /// By given id: other spellings that are to be erased, too.
  private var alsoErased: [[UInt8]: [[UInt8]]] = [:]

  /// - Parameter links: ids of installs by the id of their account.
  init(_ users: [[UInt8]], _ key: UserKey?, links: [[UInt8]: [[UInt8]]] = [:]) {
    (self.key, self.links) = (key, links)
    var seen: Set<[UInt8]> = []
    given = users.filter { seen.insert($0).inserted }
    for id in given { stored[id] = ([id] + (links[id] ?? [])).flatMap { Self.stored($0, key) } }
    guard let key, key.count > 1 else { return }
    for id in Self.exact(given + links.values.joined()) where !IdentifierText.isPseudonym(id) {
      var all = key.pseudonyms(of: id)
      let last = all.removeLast()
      for id in all { former[id] = last }
    }
    for id in Self.exact(given + links.values.joined()) where IdentifierText.isPseudonym(id) {
      renewed[id] = Array(key.pseudonyms(of: id).dropFirst())
    }
  }

  /// Of a log that was rekeyed, forgets ids under former keys, except those under which a user was erased then; such a user needs no
  /// other id, if the log does not have it.
  /// - Parameter known: those of some ids that the log has.
  mutating func dropUnusedIDs(
    isErased: ([UInt8]) throws -> Bool, known: ([[UInt8]]) throws -> Set<[UInt8]>
  ) rethrows {
    guard !former.isEmpty || !renewed.isEmpty else { return }
    let later = Set(renewed.values.joined()).subtracting(renewed.keys)
    let there = try known(Array(later) + former.values)
    // It is not known how many keys made a given pseudonym; ids that the log does not have are not those of a person.
    let nobody = try later.filter { try !there.contains($0) && !isErased($0) }
    for (id, all) in stored {
      let erased = try all.filter { try former[$0] != nil && isErased($0) }
      let replaced = Set(erased.compactMap { former[$0] })
      stored[id] = try all.filter { id in
        if nobody.contains(id) { return false }
        if former[id] != nil { return erased.contains(id) }
        return try !replaced.contains(id) || there.contains(id) || isErased(id)
      }
    }
  }

  /// The ids under which the log may know the users.
  var ids: [[UInt8]] {
    var seen: Set<[UInt8]> = []
    return given.flatMap { stored[$0, default: []] }.filter { seen.insert($0).inserted }
  }

  /// An account of the links that is spelled as a given id but for case and blanks, so that its installs would stay.
  var misspelledAccount: (given: [UInt8], account: [UInt8])? {
    let byForm = Dictionary(links.keys.map { (IdentifierSpelling.normal($0), $0) }) { first, _ in first }
    for id in given where links[id] == nil {
      if let account = byForm[IdentifierSpelling.normal(id)] { return (id, account) }
    }
    return nil
  }

  /// The ids that were given or found for one person each.
  var persons: [[[UInt8]]] { stored.values.filter { $0.count > 1 } }

  private static func stored(_ id: [UInt8], _ key: UserKey?) -> [[UInt8]] {
    exact([id]).flatMap { stored(exactly: $0, key) }
  }

  /// An ingest cuts spaces at the ends of ids, unless it was asked to keep them or was an older version.
  private static func exact(_ ids: [[UInt8]]) -> [[UInt8]] {
    ids.flatMap { id -> [[UInt8]] in
      let trimmed = id.withUnsafeBytes { Array(IdentifierText.trimmed($0)) }
      return trimmed == id || trimmed.isEmpty ? [id] : [id, trimmed]
    }
  }

  /// Exports of a log with pseudonyms have the pseudonyms themselves. An id that is a pseudonym is not hashed as if it were none.
  private static func stored(exactly id: [UInt8], _ key: UserKey?) -> [[UInt8]] { key?.pseudonyms(of: id) ?? [id] }

  /// The ids under which the log may know one of them.
  func ids(of id: [UInt8]) -> [[UInt8]] { stored[id, default: []] }

  /// Of each given id the one that an ingest would give it now.
  var lastIDs: [[UInt8]] { given.compactMap { stored[$0, default: []].last } }

  /// Finds the ids of a log for which something holds.
  typealias Search = (([UInt8]) throws -> Bool) throws -> [[UInt8]]

  /// Adds the other spellings that a log has of the ids.
  mutating func addOtherSpellings(_ search: Search) throws {
    for (id, spellings) in try otherSpellings(of: given, search) {
      alsoErased[id] = spellings
      stored[id, default: []] += spellings
    }
  }

  /// The ids of a log that differ from given ones in their spelling alone.
  func otherSpellings(of ids: [[UInt8]], _ search: Search) throws -> [[UInt8]: [[UInt8]]] {
    // A keyed hash shows nothing of a spelling: the likely ones are tried.
    var byForm: [[UInt8]: [[UInt8]]] = [:]
    for asked in ids {
      for id in [asked] + (links[asked] ?? []) {
        if let key {
          for other in IdentifierSpelling.likely(of: id) where other != id {
            for stored in Self.stored(exactly: other, key) { byForm[stored, default: []].append(asked) }
          }
        } else {
          byForm[IdentifierSpelling.normal(id), default: []].append(asked)
        }
      }
    }
    func form(_ id: [UInt8]) -> [UInt8] { key == nil ? IdentifierSpelling.normal(id) : id }
    var found: [[UInt8]: [[UInt8]]] = [:]
    for id in try search({ byForm[form($0)] != nil }) {
      for asked in byForm[form(id)] ?? [] where !stored[asked, default: []].contains(id) {
        found[asked, default: []].append(id)
      }
    }
    return found
  }

  /// What became of each given id.
  /// - Parameters:
  ///   - people: by the ids of `ids`.
  ///   - record: what the list of erased users has of an id of the log.
  func requests(
    _ people: [[UInt8]: ErasedPerson], search: Search, record: ([UInt8]) throws -> ErasureRecord?
  ) throws -> [ErasedID] {
    var requests = given.map { id -> ErasedID in
      let found = stored[id, default: []].compactMap { people[$0] }
      var request = ErasedID(id: id, outcome: .notFound, alsoErased: alsoErased[id] ?? [])
      let installs = (links[id] ?? []).map { Self.stored($0, key) }
      request.installs = installs.count
      request.installsFound = installs.count { $0.contains { people[$0]?.events ?? 0 > 0 } }
      var seen: Set<[UInt8]> = []
      request.allIDs = ([id] + stored[id, default: []] + found.flatMap(\.linked)).filter { seen.insert($0).inserted }
      // Two of the ids may be linked: they are one person, whose events count once.
      var counted: Set<[UInt8]> = []
      for each in stored[id, default: []] where !counted.contains(each) {
        guard let person = people[each] else { continue }
        request.events += person.events
        counted.formUnion([each] + person.linked)
      }
      request.linked = found.filter { $0.events > 0 }.map(\.linked.count).max() ?? 0
      let earlier = found.compactMap(\.earlier).max { ($0.wasFound == true ? 1 : 0) < ($1.wasFound == true ? 1 : 0) }
      request.requestedBefore = earlier.flatMap { $0.time == 0 ? nil : $0.time }
      if request.events > 0 || found.contains(where: \.hasNumbers) {
        request.outcome = .erased
      } else if let earlier {
        request.outcome = earlier.wasFound.map { $0 ? .erasedBefore : .notFound } ?? .keptOutBefore
      }
      return request
    }
    let others = try otherSpellings(of: given, search)
    for i in requests.indices {
      let isOpen = requests[i].outcome == .notFound || requests[i].outcome == .keptOutBefore
      let spellings = (others[requests[i].id] ?? []).filter { !requests[i].alsoErased.contains($0) }
      requests[i].spellings = Array(spellings.prefix(Self.mostSpellings))
      if isOpen, !spellings.isEmpty {
        requests[i].outcome = .otherSpelling
      } else if requests[i].outcome == .notFound {
        // Somebody may have been erased by the right spelling. It is for the reader to say if that is the same person.
        for other in IdentifierSpelling.likely(of: requests[i].id) where other != requests[i].id {
          guard try Self.stored(exactly: other, key).contains(where: { try record($0)?.wasFound == true }) else {
            continue
          }
          requests[i].spellings.append(other)
        }
      }
    }
    return requests
  }
}

/// Spellings of one id.
enum IdentifierSpelling {
  /// What all spellings of an id have in common: small letters, no blanks, and the digits of a UUID alone.
  static func normal(_ id: [UInt8]) -> [UInt8] {
    let text = lowercased(id).filter { $0 != 0x20 && $0 != 0x09 }
    let digits = text.filter { $0 != 0x2D && $0 != 0x7B && $0 != 0x7D }
    return areOfUUID(digits) ? digits : text
  }

  private static func areOfUUID(_ digits: [UInt8]) -> Bool {
    digits.count == 32 && digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  /// The spellings in which an app may have written an id.
  static func likely(of id: [UInt8]) -> [[UInt8]] {
    let plain = normal(id)
    let trimmed = id.withUnsafeBytes { Array(IdentifierText.trimmed($0)) }
    var all = [trimmed, lowercased(trimmed), uppercased(trimmed), plain, uppercased(plain)]
    if areOfUUID(plain) {
      var uuid: [UInt8] = []
      for (i, digit) in plain.enumerated() {
        if [8, 12, 16, 20].contains(i) { uuid.append(0x2D) }
        uuid.append(digit)
      }
      all += [uuid, uppercased(uuid)]
    }
    var seen: Set<[UInt8]> = []
    return all.filter { !$0.isEmpty && seen.insert($0).inserted }
  }

  private static func lowercased(_ id: [UInt8]) -> [UInt8] {
    changed(id, { $0.lowercased() }) { (0x41...0x5A).contains($0) ? $0 + 32 : $0 }
  }

  private static func uppercased(_ id: [UInt8]) -> [UInt8] {
    changed(id, { $0.uppercased() }) { (0x61...0x7A).contains($0) ? $0 - 32 : $0 }
  }

  private static func changed(
    _ id: [UInt8], _ text: (String) -> String, _ byte: (UInt8) -> UInt8
  ) -> [UInt8] {
    guard id.contains(where: { $0 >= 0x80 }), let string = String(boundedExactly: id) else { return id.map(byte) }
    return Array(text(string).utf8)
  }
}
