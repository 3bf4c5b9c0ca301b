// Reads every byte of a log and checks it: checksums, and the consistency of their content.

import PermissionEvents

/// The result of `verify`.
public struct Verification: Sendable {
  public var parts = 0
  public var blocks = 0
  public var events = 0
  public var bytes = 0
  /// False if the manifest is damaged, so that the live parts and the missing ones are unknown.
  public var hasManifest = true
  /// One sentence for each damaged piece.
  public var damage: [String] = []
  /// Notes that are not damage: files of an interrupted writer, foreign files.
  public var notes: [String] = []
  /// Events in damaged parts and blocks, as far as footers and manifest show.
  public var lostEvents = 0
  /// Parts that can be opened, with the damaged blocks of each.
  var readable: [(part: PartReader, damagedBlocks: Set<Int>)] = []

  fileprivate mutating func lose(_ finding: String, events: UInt64) {
    damage.append(finding)
    let (sum, isTooMany) = lostEvents.addingReportingOverflow(Int(clamping: events))
    lostEvents = isTooMany ? .max : sum
  }
}

extension LogDirectory {
  /// Checks all files of the log; throws only if there is no log, or the machine fails.
  package func verify() throws -> Verification {
    // A writer may commit meanwhile and remove files; then its state is the one to check. Each check starts over, so
    // that the result is about one state.
    for _ in 0..<10 {
      let (found, manifest) = try verifyOnce()
      if found.damage.isEmpty || (try? readManifest()) == manifest { return found }
    }
    return try verifyOnce().found
  }

  private func verifyOnce() throws -> (found: Verification, manifest: Manifest?) {
    guard isOpen else { return try opened().verifyOnce() }
    var result = Verification()
    var manifest: Manifest?
    do {
      manifest = try readManifest()
    } catch let error as LogError where error.code == .damaged {
      result.damage.append(error.finding)
      result.hasManifest = false
    }
    if let manifest {
      result.bytes += manifest.encode().count
      for description in manifest.parts { try verify(description.id, description, &result) }
      if let erasures = manifest.erasures { try verifyErasures(erasures.id, erasures, &result) }
      if let links = manifest.links { try verifyLinks(links.id, links, &result) }
      if let history = manifest.history { try verifyHistory(history.id, history, &result) }
      if let exclusions = manifest.exclusions { try verifyExclusions(exclusions.id, exclusions, &result) }
      for numbers in manifest.numbers { try verifyNumbers(numbers.id, numbers, &result) }
      try verifyPrevious(manifest, &result)
    } else {
      // The live files are unknown, so each file is checked by itself.
      let names = try files.list(path).sorted()
      for id in names.compactMap({ PartDescription.id(name: $0) }) { try verify(id, nil, &result) }
      for id in names.compactMap({ ErasureDescription.id(name: $0) }) { try verifyErasures(id, nil, &result) }
      for id in names.compactMap({ LinksDescription.id(name: $0) }) { try verifyLinks(id, nil, &result) }
      for id in names.compactMap({ HistoryDescription.id(name: $0) }) { try verifyHistory(id, nil, &result) }
      for id in names.compactMap({ ExclusionDescription.id(name: $0) }) { try verifyExclusions(id, nil, &result) }
      for id in names.compactMap({ NumbersDescription.id(name: $0) }) { try verifyNumbers(id, nil, &result) }
    }
    try verifyLock(&result)
    try listOthers(manifest, &result)
    if let manifest, !manifest.users.isEmpty, !manifest.eventIDs.areKeyed, !manifest.parts.isEmpty {
      result.notes.append(
        "\(path): users are hashed, but event ids are as the apps wrote them and may contain user ids.")
    }
    return (result, manifest)
  }

  private func verify(_ id: UInt64, _ description: PartDescription?, _ result: inout Verification) throws {
    let name = file(PartDescription.name(id))
    do {
      let part = try PartReader(id: id, expected: description, in: self)
      let block = try BlockDecoder(part: part)
      result.parts += 1
      result.bytes += Int(part.description.length)
      var damagedBlocks: Set<Int> = []
      for (i, entry) in part.footer.blocks.enumerated() {
        let finding = try Self.finding(name) {
          try block.open(i)
          try block.verify()
        }
        if let finding {
          result.lose(finding, events: UInt64(entry.rows))
          damagedBlocks.insert(i)
        } else {
          result.blocks += 1
          result.events += block.rows
        }
      }
      result.readable.append((part, damagedBlocks))
    } catch {
      guard let finding = Self.finding(error, name) else { throw error }
      result.lose(finding, events: description?.rows ?? 0)
    }
  }

  private func verifyErasures(_ id: UInt64, _ expected: ErasureDescription?, _ result: inout Verification) throws {
    let name = file(ErasureDescription.name(id))
    let finding = try Self.finding(name) {
      result.bytes += try readErasures(id: id, expected: expected).fileLength
    }
    if let finding { result.damage.append(finding) }
  }

  /// Rows that newer parts have are in the blocks, but are not events of the log.
  private func verifyLinks(_ id: UInt64, _ expected: LinksDescription?, _ result: inout Verification) throws {
    let name = file(LinksDescription.name(id))
    let finding = try Self.finding(name) {
      let hidden = try readLinks(id: id, expected: expected).hidden
      result.bytes += try OpenFile(name, .read, files).size()
      if expected != nil { result.events -= hidden.counts.values.reduce(0) { $0 + Int(clamping: $1.rows) } }
    }
    if let finding { result.damage.append(finding) }
  }

  private func verifyHistory(_ id: UInt64, _ expected: HistoryDescription?, _ result: inout Verification) throws {
    try verify(HistoryDescription.name(id), &result) { _ = try readHistory(id: id, expected: expected) }
  }

  private func verifyExclusions(_ id: UInt64, _ expected: ExclusionDescription?, _ result: inout Verification) throws {
    try verify(ExclusionDescription.name(id), &result) { _ = try readExclusions(id: id, expected: expected) }
  }

  private func verifyNumbers(_ id: UInt64, _ expected: NumbersDescription?, _ result: inout Verification) throws {
    try verify(NumbersDescription.name(id), &result) {
      try NumbersMerge([readNumbers(id: id, expected: expected)]).forEachRun { _ in }
    }
  }

  private func verify(_ name: String, _ result: inout Verification, _ read: () throws -> Void) throws {
    let name = file(name)
    let finding = try Self.finding(name) {
      try read()
      result.bytes += try OpenFile(name, .read, files).size()
    }
    if let finding { result.damage.append(finding) }
  }

  /// The files of the log before its newest ingest. Their events are not the log's, so none is lost with them.
  private func verifyPrevious(_ manifest: Manifest, _ result: inout Verification) throws {
    var found = Verification()
    for description in manifest.previousParts { try verify(description.id, description, &found) }
    if let links = manifest.previous?.state.links, links != manifest.links {
      try verifyLinks(links.id, links, &found)
    }
    for numbers in manifest.previous?.state.numbers ?? [] where !manifest.numbers.contains(numbers) {
      try verifyNumbers(numbers.id, numbers, &found)
    }
    result.bytes += found.bytes
    result.damage += found.damage
  }

  private static func finding(_ name: String, _ body: () throws -> Void) throws -> String? {
    do {
      try body()
      return nil
    } catch {
      guard let finding = finding(error, name) else { throw error }
      return finding
    }
  }

  /// The finding about a piece of the log; nil if the machine failed, not the piece.
  private static func finding(_ error: any Error, _ name: String) -> String? {
    switch error {
    case let error as LogError where error.code == .damaged: error.finding
    case let error as FileError where error.isMissingFile: "\(name): the manifest lists it, but it is missing"
    case let error as FileError where error.isOfTheFile: "\(name): it cannot be read (\(error.reason))"
    default: nil
    }
  }

  /// The lock is empty, or says who holds it or held it when it was killed. Zeros are a text that a loss of power kept
  /// from the disk.
  private func verifyLock(_ result: inout Verification) throws {
    func isGood() throws -> Bool {
      let bytes = try contents(Self.lockName, maximum: 1 << 12)
      return bytes.allSatisfy { $0 == 0 } || LockText.holder(bytes) != nil
    }
    guard try files.list(path).contains(Self.lockName) else { return }
    let name = file(Self.lockName)
    let finding = try Self.finding(name) {
      // A writer that has just begun may have written it between two of our calls.
      let isWhole = try (0..<3).contains { _ in try isGood() }
      guard !isWhole else { return }
      throw LogError.damaged(
        name, "offset 0", "no writer leaves such a lock; if the next writer refuses it, move it away")
    }
    if let finding { result.damage.append(finding) }
  }

  private func listOthers(_ manifest: Manifest?, _ result: inout Verification) throws {
    let names = try files.list(path).sorted()
    if let manifest {
      for name in try leftovers(manifest).sorted() {
        result.notes.append(
          "\(file(name)): of a process that is running or was interrupted; the next writer removes leftovers.")
      }
    }
    for name in names where !Self.isOurs(name) {
      result.notes.append("\(file(name)): not a file of the log; permlog does not read it.")
    }
  }
}

// MARK: Rescue of the readable events of a damaged log

/// The undamaged events of a log, and the damage.
package struct Salvage: Sendable {
  package let found: Verification
  private let snapshot: LogSnapshot
  /// Lists of erased users: without a manifest, parts that held their events may still be there.
  private let erasures: [ErasureList]
  /// The number of users who are kept out of the damaged log, but would not be kept out of a log made of the saved events.
  package let erasedUsers: Int

  /// Reads everything once to find the undamaged events. If the manifest is damaged or missing, all parts in the
  /// directory are used, so an event may come twice.
  /// - Parameter key: of the list of erased users, if it is kept elsewhere and the manifest is damaged.
  package init(_ path: LogDirectory, key: ErasureKey? = nil) throws {
    let directory = try path.opened()
    found = try directory.verify()
    let parts = found.readable.map { PartReader($0.part, skipping: $0.damagedBlocks) }
    let manifest = found.hasManifest ? try directory.readManifest() : Manifest()
    let hidden = try Self.hidden(directory, found.hasManifest ? manifest : nil)
    for part in parts { part.hidden = hidden }
    snapshot = LogSnapshot(directory, manifest, parts)
    var ids = manifest.erasures.map { [$0.id] } ?? []
    if !found.hasManifest {
      ids = try directory.files.list(directory.path).compactMap { ErasureDescription.id(name: $0) }
    }
    let lists = ids.compactMap { try? directory.readErasures(id: $0, expected: nil) }
    erasedUsers = lists.reduce(0) { max($0, $1.count) }
    // Parts that a manifest names have no users of its list, so the list is not needed.
    erasures = found.hasManifest ? [] : try lists.map { try $0.unlockedIfOutside(key, directory.path) }
  }

  /// The users with rows in newer parts; without a manifest from the newest readable links.
  private static func hidden(_ directory: LogDirectory, _ manifest: Manifest?) throws -> HiddenUsers {
    if let manifest { return (try? directory.readLinksHead(manifest))?.hidden ?? .none }
    let ids = try directory.files.list(directory.path).compactMap { LinksDescription.id(name: $0) }
    for id in ids.sorted(by: >) {
      if let found = try? directory.readLinks(id: id, expected: nil) { return found.hidden }
    }
    return .none
  }

  /// The vocabulary of the readable parts that this program does not know.
  package var unknown: UnknownVocabulary { snapshot.unknown }

  /// Calls `body` for every event that is whole, in the order of the log.
  package func forEachEvent(_ body: (ExportedEvent) throws -> Void) throws {
    var user: [UInt8] = []
    var isErased = false
    try snapshot.forEachEvent { event in
      if event.userID != user {
        user = event.userID
        isErased = try erasures.contains { try $0.contains(user) }
      }
      if !isErased { try body(event) }
    }
  }
}
