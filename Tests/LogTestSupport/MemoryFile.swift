// A file in memory: its bytes, those that are on disk, and what was done to it in between.

/// A file. Owned by a `MemoryFileSystem`, which lets one thread at a time in.
final class MemoryFile {
  enum Change {
    case write([UInt8], Int)
    case truncate(Int)
  }

  private(set) var bytes: [UInt8]
  private(set) var durable: [UInt8]
  /// Since the file was last synchronised, in order.
  private var changes: [Change] = []
  /// The descriptor that has its lock.
  var holder: Int32?

  /// The unit that a disk writes whole.
  private static let sectorLength = 512

  /// A file that is on disk.
  init(_ bytes: [UInt8] = []) {
    self.bytes = bytes
    durable = bytes
  }

  /// The file as a process finds it when the one that had it open is gone.
  func copy() -> MemoryFile {
    let copy = MemoryFile(bytes)
    copy.durable = durable
    copy.changes = changes
    return copy
  }

  func perform(_ change: Change) {
    changes.append(change)
    Self.apply(change, to: &bytes)
  }

  func synchronize() {
    durable = bytes
    changes = []
  }

  private static func apply(_ change: Change, to bytes: inout [UInt8]) {
    switch change {
    case .write(let new, let offset):
      let end = offset + new.count
      if bytes.count < end { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
      bytes.replaceSubrange(offset..<end, with: new)
    case .truncate(let size):
      bytes = Array(bytes.prefix(size)) + [UInt8](repeating: 0, count: max(0, size - bytes.count))
    }
  }

  /// What a loss of power may leave: each change is kept or lost, whatever became of the ones before it, and a write
  /// may be torn between sectors. The length can be on disk before the data is.
  func afterCrash(_ random: inout SeededGenerator) -> [UInt8] {
    var left = durable
    for change in changes {
      switch (change, Int.random(in: 0..<3, using: &random)) {
      case (_, 0): break
      case (.write(let new, let offset), 1):
        for sector in offset / Self.sectorLength...(offset + new.count) / Self.sectorLength where random.oneIn(2) {
          let start = max(offset, sector * Self.sectorLength)
          let end = min(offset + new.count, (sector + 1) * Self.sectorLength)
          if start < end { Self.apply(.write(Array(new[start - offset..<end - offset]), start), to: &left) }
        }
      default: Self.apply(change, to: &left)
      }
    }
    if !changes.isEmpty, random.oneIn(4) { Self.apply(.truncate(bytes.count), to: &left) }
    return left
  }
}

/// What was done to a name in a directory.
enum NameChange {
  case create(String, MemoryFile)
  case rename(String, String, MemoryFile)
  case remove(String)

  /// A name in the directory that it changes.
  var name: String {
    switch self {
    case .create(let name, _), .rename(_, let name, _), .remove(let name): name
    }
  }
}
