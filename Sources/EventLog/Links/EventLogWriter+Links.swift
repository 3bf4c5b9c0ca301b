// What an ingest does with links: it joins ids, finds the events to write under other ids, and erases who is linked with an erased user.

import PermissionEvents

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
      guard let members = links.members(of: id), try members.contains(where: { try list.contains($0) }) else {
        continue
      }
      gone += members
      counts.erasedByLink += try list.insert(members)
    }
    guard !gone.isEmpty else { return }
    links.remove(gone)
    _ = split.remove(gone)
    erasedByLink += gone
    erasures = list
  }

  /// Hides the rows of users whose events a part is to have.
  func hide(_ moved: EventJoining.Moved, before part: UInt64) {
    guard !moved.entries.isEmpty else { return }
    hidden = hidden.adding(moved.entries.map { .init(id: $0, part: part) }, counts: moved.counts)
    for part in parts + uncommitted.map(\.reader) { part.hidden = hidden }
  }

  /// Parts without events that gave way to another reading and without users that were erased by a link.
  /// - Parameters:
  ///   - ledger: knows the events that gave way.
  ///   - obsolete: gets the parts that were written anew.
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

  /// The users without events: ids that have none and are linked with none that has.
  func absent(among ids: Set<[UInt8]>) -> Set<[UInt8]> {
    isEmpty ? ids : ids.filter { members(of: $0)?.allSatisfy(ids.contains) ?? true }
  }
}
