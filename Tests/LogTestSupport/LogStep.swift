// A command that writes, as data: done to a log, and to the model of one.

import EventLog
import Foundation
import PermissionEvents

/// One thing that a writer can be asked to do.
package enum LogStep: Sendable {
  /// Rounds of events, committed as one.
  case ingest([[TestEvent]])
  case erase([[UInt8]])
  /// With the key of the list outside the log, if this is the first.
  case eraseWithKey([[UInt8]])
  /// The key out of the log, if there is one in it.
  case moveKey
  case readmit([[UInt8]])
  case expire(before: Milliseconds)
  case readmitExpired
  case compact
  /// All of these users, and ids of events that are UUIDs, get other names.
  case rename([[UInt8]])
  /// Takes the newest ingest back, if that can be.
  case undo
  /// Leaves users out of answers, and takes that back.
  case exclude([[UInt8]])
  case include([[UInt8]])

  /// What is told to the user.
  package enum Outcome: Equatable, Sendable {
    case ingested(IngestCounts)
    /// Without the number of parts, which a model does not have.
    case removed(ErasureCounts)
    case readmitted(Int)
    case readmittedExpired(Milliseconds?)
    case movedKey
    case compacted
    case renamed(RekeyCounts)
    case undone(Bool)
    case listed(Int)

    fileprivate static func removed(withoutParts counts: ErasureCounts) -> Outcome {
      var counts = counts
      counts.parts = 0
      // The clock is the machine's.
      for id in counts.people.keys { counts.people[id]?.earlier?.time = 0 }
      return .removed(counts)
    }
  }
}

extension LogModel {
  package mutating func perform(_ step: LogStep) -> LogStep.Outcome {
    switch step {
    case .ingest(let rounds):
      let before = counts
      ingest(rounds.flatMap { $0 })
      return .ingested(counts - before)
    case .erase(let users): return .removed(erase(users))
    case .eraseWithKey(let users): return .removed(erase(users, withKey: true))
    case .moveKey:
      moveKey()
      return .movedKey
    case .readmit(let users): return .readmitted(readmit(users))
    case .expire(let time): return .removed(expire(before: time))
    case .readmitExpired: return .readmittedExpired(readmitExpired())
    case .compact:
      compact()
      return .compacted
    case .rename: return .renamed(rename())
    case .undo: return .undone(undo())
    case .exclude(let users): return .listed(exclude(users))
    case .include(let users): return .listed(include(users))
    }
  }
}

extension LogDirectory {
  /// Opens the log for writing, does the step, and closes it. Each commit is two hours after the one before.
  /// - Parameter onDone: called when the step has returned, before the log is closed.
  @discardableResult
  package func perform(
    _ step: LogStep, threads: Int = 1, memory: Int = 0, batch: Int = 5, onDone: () -> Void = {}
  ) throws -> LogStep.Outcome {
    var isIngest = false
    if case .ingest = step { isIngest = true }
    let generation = (try? readManifest().generation) ?? 0
    let writer = try EventLogWriter(
      self, threads: threads, memory: memory, mayCreate: isIngest,
      clock: { 1_700_000_000_000 + Milliseconds(generation) * 7_200_000 })
    defer { writer.close() }
    let outcome: LogStep.Outcome
    let place = writer.erasureKeyPlace
    switch step {
    case .ingest, .erase, .eraseWithKey, .readmit: try writer.unlock(place == .outside ? try keyOutside() : nil)
    default: break
    }
    switch step {
    case .ingest(let rounds):
      for round in rounds { try writer.write(round, batch: batch, threads: threads) }
      let time = 1_700_000_000_000 + Milliseconds(generation)
      let record = IngestRecord(
        time: time, files: 1, names: ["export.ndjson"], new: writer.counts.new, duplicates: writer.counts.duplicates,
        measures: ["lines": rounds.reduce(0) { $0 + $1.count }])
      let file = IngestedFile(
        path: FilePath("/exports/\(generation)"), stamp: FileStamp(size: 1, modified: 2), checksum: 3, reading: 4)
      try writer.commit((record, [file]))
      outcome = .ingested(writer.counts)
    case .erase(let users): outcome = .removed(withoutParts: try writer.erase(users))
    case .eraseWithKey(let users):
      let key = place == nil ? try keyOutside() : nil
      // As its owner would, of a file that a loss of power left.
      if place == nil, key == nil, try has(keyPath) { try files.remove(keyPath) }
      let newKey = key.map { NewErasureKey.outside($0, path: keyPath) } ?? .made(path: keyPath)
      outcome = .removed(withoutParts: try writer.erase(users, newKey: newKey))
    case .moveKey:
      if place != nil { try writer.moveErasureKey(to: keyPath) }
      outcome = .movedKey
    case .readmit(let users): outcome = .readmitted(try writer.readmit(users))
    case .expire(let time): outcome = .removed(withoutParts: try writer.expire(before: time))
    case .readmitExpired: outcome = .readmittedExpired(try writer.readmitExpired())
    case .compact:
      try writer.compact()
      outcome = .compacted
    case .rename:
      outcome = .renamed(
        try writer.rename(NewIDs(user: TestEvent.renamed(user:), event: TestEvent.renamed(event:))))
    case .undo: outcome = .undone(try writer.undo() != nil)
    case .exclude(let users): outcome = .listed(try writer.exclude(users))
    case .include(let users): outcome = .listed(try writer.include(users))
    }
    onDone()
    return outcome
  }
}

extension LogDirectory {
  /// The file of a key outside the log.
  package var keyPath: String { path + "-key" }

  private func has(_ path: String) throws -> Bool {
    do {
      try files.close(try files.open(path, .read))
      return true
    } catch let error as FileError where error.errorNumber == ENOENT {
      return false
    }
  }

  /// The key outside the log; nil if there is none, or a file that holds none.
  package func keyOutside() throws -> ErasureKey? {
    guard try has(keyPath) else { return nil }
    let descriptor = try files.open(keyPath, .read)
    defer { try? files.close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 32)
    let count = try bytes.withUnsafeMutableBytes { try files.read(descriptor, into: $0, at: 0, path: keyPath) }
    return ErasureKey(Array(bytes.prefix(count)))
  }
}

extension IngestCounts {
  fileprivate static func - (a: IngestCounts, b: IngestCounts) -> IngestCounts {
    var difference = a
    difference.new -= b.new
    difference.duplicates -= b.duplicates
    difference.conflicts -= b.conflicts
    difference.erased -= b.erased
    difference.expired -= b.expired
    return difference
  }
}
