// Rescue of what can still be read of a damaged log.

/// The events of a log that are whole, and what is not.
package struct Salvage: Sendable {
  package let found: Verification
  private let snapshot: LogSnapshot
  /// Lists of erased users: without a manifest, parts that held their events may still be there.
  private let erasures: [ErasureList]
  /// Users who are kept out of the damaged log, and will not be out of one that is made of what is saved.
  package let erasedUsers: Int

  /// Reads everything once to know what is whole. If the manifest is damaged or missing, all parts in the directory
  /// are taken, so that an event may come twice.
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
    // Parts that a manifest names have nobody of its list, so that it need not be asked.
    erasures = found.hasManifest ? [] : try lists.map { try $0.unlockedIfOutside(key, directory.path) }
  }

  /// Whose rows newer parts have: without a manifest as the newest links tell that can be read.
  private static func hidden(_ directory: LogDirectory, _ manifest: Manifest?) throws -> HiddenUsers {
    if let manifest { return (try? directory.readLinksHead(manifest))?.hidden ?? .none }
    let ids = try directory.files.list(directory.path).compactMap { LinksDescription.id(name: $0) }
    for id in ids.sorted(by: >) {
      if let found = try? directory.readLinks(id: id, expected: nil) { return found.hidden }
    }
    return .none
  }

  /// What this program does not know of the parts that can be read.
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
