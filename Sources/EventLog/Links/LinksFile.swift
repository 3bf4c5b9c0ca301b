// The links of a log, in a file of its own that is immutable, like a part: a new link writes a new one, and the manifest says which is live.
//
// file   := magic 8, version 2, zeros 2, ids 4, id 8, length of head 8, head, checksum of head 8, groups, split, checksum of all before 8
// head   := sessions varint, users varint, (part 8, id) × users, parts varint, (part 8, rows varint, users varint) × parts
// groups := groups varint, (ids 1, id × ids) × groups
// split  := groups varint, (sessions varint, ids 1, id × ids) × groups
// id     := length varint, bytes
//
// Readers of the log need the hidden users and the number of sessions with changed ids, but not the linked users. So
// these come first, under their own checksum.

import PermissionEvents

/// The description of the file in a manifest.
package struct LinksDescription: NumberedFile, Sendable, Hashable {
  static let word = "links"

  package var id: UInt64
  /// The last eight bytes of the file.
  package var checksum: UInt64
  package var ids: UInt32

  package var name: String { Self.name(id) }
}

/// The whole file: which ids are one user, which users have hidden rows in older parts, and which ids came in one
/// session without a link.
struct LinksContent: Sendable {
  var links = UserLinks()
  var hidden = HiddenUsers.none
  var split = SplitSessions()
}

struct LinksHead: Sendable {
  var hidden = HiddenUsers.none
  /// Sessions within which the user's id changed.
  var splitSessions: Int64 = 0
}

enum LinksFile {
  private static let magic: UInt64 = 0x314C_474F_4C4D_5250  // "PRMLOGL1"
  private static let version: UInt16 = 1
  /// Bytes before the head.
  private static let prefixLength = 8 + 2 + 2 + 4 + 8 + 8
  static let maximumLength = 1 << 31
  private static let longestID = 256

  static func encode(_ content: LinksContent, id: UInt64) -> (bytes: [UInt8], description: LinksDescription) {
    let (links, hidden) = (content.links, content.hidden)
    var inner = ByteWriter()
    inner.varint(UInt64(content.split.count))
    inner.varint(UInt64(hidden.entries.count))
    for entry in hidden.entries {
      inner.u64(entry.part)
      inner.text(entry.id.bytes)
    }
    inner.varint(UInt64(hidden.counts.count))
    for (part, count) in hidden.counts.sorted(by: { $0.key < $1.key }) {
      inner.u64(part)
      inner.varint(count.rows)
      inner.varint(count.users)
    }
    let ids = UInt32(truncatingIfNeeded: links.idCount)
    var w = ByteWriter()
    w.u64(magic)
    w.u16(version)
    w.u16(0)
    w.u32(ids)
    w.u64(id)
    w.u64(UInt64(inner.bytes.count))
    w.bytes += inner.bytes
    w.u64(Checksum.of(inner.bytes, seed: id))
    let groups = links.orderedGroups
    w.varint(UInt64(groups.count))
    for group in groups {
      w.u8(UInt8(truncatingIfNeeded: group.count))
      for id in group { w.text(id) }
    }
    let split = content.split.ordered
    w.varint(UInt64(split.count))
    for (ids, sessions) in split {
      w.varint(sessions)
      w.u8(UInt8(truncatingIfNeeded: ids.count))
      for id in ids { w.text(id) }
    }
    let checksum = Checksum.of(w.bytes, seed: id)
    w.u64(checksum)
    return (w.bytes, LinksDescription(id: id, checksum: checksum, ids: ids))
  }

  /// The head.
  /// - Parameter file: the checksum at its end is not checked.
  static func head(_ file: OpenFile, _ description: LinksDescription, _ budget: MemoryBudget) throws -> LinksHead {
    let length = try headLength(file, description)
    let bytes = try reading(file, length + 8, at: prefixLength, budget)
    return try bytes.withUnsafeBytes { buffer in
      let inner = UnsafeRawBufferPointer(rebasing: buffer.prefix(length))
      var (r, tail) = (ByteReader(inner), ByteReader(.init(rebasing: buffer.suffix(8))))
      guard buffer.count == length + 8, Checksum.of(inner, seed: description.id) == tail.u64(),
        let head = head(&r), r.remaining == 0
      else { throw damaged(file, "its checksum does not match") }
      return head
    }
  }

  /// All of the file.
  /// - Parameter expected: its description in the manifest; nil without a manifest.
  static func read(
    _ file: OpenFile, id: UInt64, expected: LinksDescription?, _ budget: MemoryBudget
  ) throws -> LinksContent {
    let description = expected ?? LinksDescription(id: id, checksum: 0, ids: 0)
    let length = try headLength(file, description)
    let bytes = try reading(file, try file.size(), at: 0, budget)
    return try bytes.withUnsafeBytes { buffer in
      var tail = ByteReader(.init(rebasing: buffer.suffix(8)))
      let checksum = Checksum.of(.init(rebasing: buffer.dropLast(8)), seed: id)
      guard checksum == tail.u64(), expected?.checksum ?? checksum == checksum else {
        throw damaged(file, "its checksum does not match")
      }
      var r = ByteReader(.init(rebasing: buffer.dropLast(8)))
      r.position = prefixLength
      let start = r.position
      guard let head = head(&r), r.position == start + length, r.u64() != nil, let links = groups(&r),
        let split = split(&r), r.remaining == 0
      else { throw damaged(file, "it is not as permlog writes it") }
      let content = LinksContent(links: links, hidden: head.hidden, split: split)
      guard encode(content, id: id).bytes.elementsEqual(buffer),
        expected?.ids ?? 0 == 0 || links.idCount == Int(description.ids)
      else { throw damaged(file, "it is not as permlog writes it") }
      return content
    }
  }

  private static func damaged(_ file: OpenFile, _ what: String) -> LogError {
    .damaged(file.path, "links of ids", what)
  }

  /// The length of the head; the first bytes are checked.
  private static func headLength(_ file: OpenFile, _ description: LinksDescription) throws -> Int {
    let size = try file.size()
    let start = try file.read(prefixLength, at: 0)
    let header = start.withUnsafeBytes { buffer -> (magic: UInt64, version: UInt16, id: UInt64, length: UInt64)? in
      var r = ByteReader(buffer)
      guard let magic = r.u64(), let version = r.u16(), r.u16() != nil, r.u32() != nil, let id = r.u64(),
        let length = r.u64()
      else { return nil }
      return (magic, version, id, length)
    }
    guard let header, header.magic == magic, header.id == description.id else {
      throw damaged(file, "it is not the links of a log")
    }
    guard header.version <= version else { throw LogError.newerFormat(file.path, header.version, newest: version) }
    guard size <= maximumLength, header.length <= UInt64(max(0, size - prefixLength - 16)) else {
      throw damaged(file, "it has \(size) bytes, which is not its length")
    }
    return Int(header.length)
  }

  /// The bytes of a file, in requested memory: the decoded content takes at most four times as much.
  private static func reading(_ file: OpenFile, _ count: Int, at offset: Int, _ budget: MemoryBudget) throws -> [UInt8]
  {
    let share = MemoryShare(budget, mayTakeReserve: true)
    guard share.raise(to: 5 * count) else {
      throw LogError.tooMuchMemory(file.path, "links of ids", budget, remedy: nil)
    }
    return try file.read(count, at: offset)
  }

  private static func head(_ r: inout ByteReader) -> LinksHead? {
    guard let sessions = r.varint(), sessions <= UInt64(IngestTally.limit), let count = r.count(unit: 10) else {
      return nil
    }
    var entries: [HiddenUsers.HiddenUser] = []
    entries.reserveCapacity(count)
    for _ in 0..<count {
      guard let part = r.u64(), let id = r.text(maximum: longestID), !id.isEmpty else { return nil }
      entries.append(.init(id: UserLinks.ID(id), part: part))
    }
    guard let parts = r.count(unit: 10) else { return nil }
    var counts: [UInt64: HiddenUsers.Count] = [:]
    for _ in 0..<parts {
      guard let part = r.u64(), let rows = r.varint(), let users = r.varint(), rows < 1 << 48, users < 1 << 48 else {
        return nil
      }
      counts[part] = .init(rows: rows, users: users)
    }
    return LinksHead(hidden: HiddenUsers(entries, counts: counts), splitSessions: Int64(sessions))
  }

  /// Ids in bytewise order.
  private static func ids(_ r: inout ByteReader, atMost most: Int) -> [[UInt8]]? {
    guard let count = r.u8(), (2...most).contains(Int(count)) else { return nil }
    var ids: [[UInt8]] = []
    for _ in 0..<count {
      guard let id = r.text(maximum: longestID), !id.isEmpty,
        ids.last.map({ $0.lexicographicallyPrecedes(id) }) ?? true
      else { return nil }
      ids.append(id)
    }
    return ids
  }

  private static func split(_ r: inout ByteReader) -> SplitSessions? {
    guard let count = r.count(unit: 6), count <= SplitSessions.mostGroups else { return nil }
    var split = SplitSessions()
    for _ in 0..<count {
      guard let sessions = r.varint(), (1...UInt64(IngestTally.limit)).contains(sessions),
        let ids = ids(&r, atMost: SessionSample.mostIDs)
      else { return nil }
      split.add(ids, sessions: sessions)
    }
    return split
  }

  private static func groups(_ r: inout ByteReader) -> UserLinks? {
    guard let count = r.count(unit: 5) else { return nil }
    var links = UserLinks()
    for _ in 0..<count {
      guard let group = ids(&r, atMost: UserLinks.mostIDsOfUser),
        group.allSatisfy({ links.members(of: $0) == nil }), links.idCount + group.count <= UserLinks.mostIDs
      else { return nil }
      links.addGroup(group)
    }
    return links
  }
}

// MARK: The use of links in an ingest: it joins ids, finds the events to write under other ids, and erases users who
// are linked with an erased user

extension EventLogWriter {
  /// Takes up the links of a round, and collects the events that it writes under other ids than they have.
  /// - Returns: nil if no ids are linked.
  func join(_ round: IngestRound) throws -> (events: JoinedEvents, moved: EventJoining.Moved)? {
    try round.close()
    var grown: [[UInt8]] = []
    for link in round.links {
      switch try links.insert(link) {
      case .joined:
        counts.links += 1
        hasOtherLinks = true
        grown.append(link.first)
      case .known: break
      case .refused: counts.refusedLinks += 1
      }
    }
    guard !links.isEmpty else { return nil }
    if !grown.isEmpty, split.removeJoined(links) { hasOtherLinks = true }
    try eraseLinked(grown)
    let names = Set(grown.compactMap { links.members(of: $0)?.first })
    let joining = EventJoining(
      directory: directory, round: round, links: links, parts: parts + uncommitted.map(\.reader),
      firstOfIngest: parts.count, ledger: ledger, threads: threads)
    return try joining.collect(names.sorted { $0.lexicographicallyPrecedes($1) })
  }

  /// Erases all ids of users of whom one id is erased: they are one person.
  /// - Parameter grown: an id of each group that has become larger.
  private func eraseLinked(_ grown: [[UInt8]]) throws {
    guard var list = erasures else { return }
    var gone: [[UInt8]] = []
    for id in grown {
      guard let members = links.members(of: id),
        var request = try members.lazy.compactMap({ try list.record(of: $0) }).first
      else { continue }
      gone += members
      // Whether the other ids had events is not counted.
      (request.events, request.wasFound) = (0, request.wasFound == true ? true : nil)
      counts.erasedByLink += try list.insert(members.map { (id: $0, record: request) })
    }
    guard !gone.isEmpty else { return }
    // These links are not kept.
    let erased = Set(gone)
    counts.links -= grown.count { erased.contains($0) }
    links.remove(gone)
    _ = split.remove(gone)
    erasedByLink += gone
    erasures = list
  }

  /// Hides the rows of users whose events move to another part.
  func hide(_ moved: EventJoining.Moved, before part: UInt64) {
    guard !moved.entries.isEmpty else { return }
    hidden = hidden.adding(moved.entries.map { .init(id: $0, part: part) }, counts: moved.counts)
    for part in parts + uncommitted.map(\.reader) { part.hidden = hidden }
  }

  /// Parts without events that were replaced by another reading, and without users that were erased by a link.
  /// - Parameters:
  ///   - ledger: knows the events that were replaced.
  ///   - obsolete: receives the parts that were rewritten.
  func withoutWhatGoes(
    _ parts: [PartReader], _ ledger: CopyLedger?, _ obsolete: inout [PartReader]
  ) throws -> [PartReader] {
    let removal = erasedByLink.isEmpty ? nil : Removal(users: erasedByLink)
    var kept: [PartReader] = []
    for part in parts {
      let replaced = ledger.map { $0.replaced(part: part.id) } ?? 0
      let hides = dropsHidden && hidden.counts[part.id] != nil
      guard try replaced > 0 || hides || removal?.concerns(part) == true else {
        kept.append(part)
        continue
      }
      let new = try rewrite([part], without: removal, replaced: replaced > 0 ? ledger : nil, tally: part.footer.tally)
        .part
      kept += [new].compactMap { $0 }
      obsolete.append(part)
    }
    return kept
  }
}

extension UserLinks {
  /// The ids that are one user with one of these, themselves among them, each once.
  package func closure(of ids: [[UInt8]]) -> [[UInt8]] {
    var seen: Set<[UInt8]> = []
    return ids.flatMap { members(of: $0) ?? [$0] }.filter { seen.insert($0).inserted }
  }

  /// What becomes of ids that are to be erased.
  /// - Parameters:
  ///   - removed: the number of removed events by the id under which they were stored.
  ///   - list: as it was before.
  func people(
    _ named: [[UInt8]], removed: [[UInt8]: Int], numbered: Set<[UInt8]>, _ list: ErasureList
  ) throws -> [[UInt8]: ErasedPerson] {
    var people: [[UInt8]: ErasedPerson] = [:]
    for id in named where people[id] == nil {
      let all = members(of: id) ?? [id]
      var person = ErasedPerson()
      for each in all {
        person.events += removed[each] ?? 0
        person.hasNumbers = person.hasNumbers || numbered.contains(each)
        guard let record = try list.record(of: each) else { continue }
        // Of several, the one that says most.
        if person.earlier?.wasFound != true || record.wasFound == true { person.earlier = record }
      }
      person.linked = all.filter { $0 != id }
      people[id] = person
    }
    return people
  }

  /// What the list of erased users has of ids from now on.
  /// - Parameter persons: ids that were named for one person each, though the log does not link them.
  func records(
    _ ids: [[UInt8]], removed: [[UInt8]: Int], numbered: Set<[UInt8]> = [], persons: [[[UInt8]]], at time: Milliseconds
  ) -> [(id: [UInt8], record: ErasureRecord)] {
    func isFound(_ id: [UInt8]) -> Bool {
      (members(of: id) ?? [id]).contains { removed[$0] ?? 0 > 0 || numbered.contains($0) }
    }
    let found = Set(persons.filter { $0.contains(where: isFound) }.joined())
    return ids.map { id in
      let wasFound = found.contains(id) || isFound(id)
      return (id, ErasureRecord(time: time, events: removed[id] ?? 0, wasFound: wasFound))
    }
  }

  /// The users without events: ids without events, and without links to an id with events.
  func absent(among ids: Set<[UInt8]>) -> Set<[UInt8]> {
    isEmpty ? ids : ids.filter { members(of: $0)?.allSatisfy(ids.contains) ?? true }
  }
}
