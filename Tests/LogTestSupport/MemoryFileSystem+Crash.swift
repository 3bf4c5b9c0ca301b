// What the end of a process, or a loss of power, leaves of the files.

import EventLog

extension MemoryFileSystem {
  /// What a loss of power keeps of what was not synchronised.
  package enum CrashState: Hashable, Sendable {
    /// Nothing.
    case nothing
    /// Names as they are, over data that is not there.
    case namesWithoutData
    /// Everything.
    case everything
    /// Of the names only what was renamed, over data that is not there.
    case renamesAlone
    /// Of the names only that some are gone.
    case removalsAlone
    /// Of names, data and lengths a part that the seed decides.
    case random(UInt64)

    package static let extremes: [CrashState] = [
      .nothing, .namesWithoutData, .everything, .renamesAlone, .removalsAlone,
    ]
  }

  /// Everything that can be read, to compare and to tell apart.
  package struct Contents: Hashable, Sendable {
    package var files: [String: [UInt8]]
    package var directories: Set<String>
  }

  package var contents: Contents {
    mutex.withLock { Contents(files: names.mapValues(\.bytes), directories: directories) }
  }

  package convenience init(_ contents: Contents) {
    self.init()
    names = contents.files.mapValues { MemoryFile($0) }
    durableNames = names
    directories = contents.directories
    durableDirectories = directories
  }

  /// The files as they are now, all on a disk of their own.
  package func copy() -> MemoryFileSystem { MemoryFileSystem(contents) }

  /// The files as the next process finds them when this one is killed; what was not synchronised is still not.
  package func afterKill() -> MemoryFileSystem {
    mutex.withLock {
      var copies: [ObjectIdentifier: MemoryFile] = [:]
      func copy(_ file: MemoryFile) -> MemoryFile {
        let copy = copies[ObjectIdentifier(file)] ?? file.copy()
        copies[ObjectIdentifier(file)] = copy
        return copy
      }
      let other = MemoryFileSystem()
      other.names = names.mapValues(copy)
      other.durableNames = durableNames.mapValues(copy)
      other.changes = changes.map { change in
        switch change {
        case .create(let name, let file): .create(name, copy(file))
        case .rename(let from, let to, let file): .rename(from, to, copy(file))
        case .remove: change
        }
      }
      other.directories = directories
      other.durableDirectories = durableDirectories
      return other
    }
  }

  /// The files after a loss of power.
  package func afterCrash(_ state: CrashState) -> Contents {
    mutex.withLock {
      var random = SeededGenerator(seed: 0)
      if case .random(let seed) = state { random = SeededGenerator(seed: seed) }
      func keeps(_ change: NameChange) -> Bool {
        switch (state, change) {
        case (.nothing, _): false
        case (.renamesAlone, .rename), (.removalsAlone, .remove): true
        case (.renamesAlone, _), (.removalsAlone, _): false
        case (.random, _): random.oneIn(2)
        default: true
        }
      }
      // What is drawn for is sorted, so that a seed means one state.
      var kept = durableNames
      for change in changes where keeps(change) {
        switch change {
        case .create(let name, let file): kept[name] = file
        case .rename(let from, let to, let file):
          // The new name replaces the old file at once; some file systems drop the old name later.
          if case .random = state, random.oneIn(4) {} else { kept[from] = nil }
          kept[to] = file
        case .remove(let name): kept[name] = nil
        }
      }
      let lost = directories.subtracting(durableDirectories).sorted().filter { _ in
        switch state {
        case .nothing, .renamesAlone, .removalsAlone: true
        case .namesWithoutData, .everything: false
        case .random: random.oneIn(2)
        }
      }
      kept = kept.filter { name, _ in !lost.contains(Self.directory(of: name)) }
      var files: [String: [UInt8]] = [:]
      for (name, file) in kept.sorted(by: { $0.key < $1.key }) {
        switch state {
        case .everything: files[name] = file.bytes
        case .random: files[name] = file.afterCrash(&random)
        default: files[name] = file.durable
        }
      }
      return Contents(files: files, directories: directories.subtracting(lost))
    }
  }
}
