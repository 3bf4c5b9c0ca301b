// Everything that can be read of a part, by every way of reading; shared by the tests and the fuzzer.

import LogTestSupport
import PermissionEvents

@testable import EventLog

extension HandmadePart {
  enum Outcome: Equatable {
    case read
    /// Damage was found, which is right.
    case refused
    /// A promise was broken: the sentence says which.
    case broken(String)
  }

  /// Verifies, opens and reads the part in every way. Throws what is no `LogError`.
  func readEverything() throws -> Outcome {
    let files = MemoryFileSystem()
    let description = try write(to: files)
    return try Self.readEverything(description, in: files)
  }

  /// The same of a part that is in a file system already.
  static func readEverything(_ description: PartDescription, in files: MemoryFileSystem) throws -> Outcome {
    let log = LogDirectory(path: directory, files: files)
    var manifest = Manifest()
    manifest.nextPart = description.id + 1
    manifest.parts = [description]
    files[directory + "/manifest"] = manifest.encode()
    let found = try log.verify()
    do {
      let snapshot = try LogSnapshot(log)
      _ = snapshot.information
      _ = snapshot.timeRange
      _ = try snapshot.export()
      for property in StringField.allCases {
        let scan = try HistoryScan(snapshot, selection: HistorySelection(variants: true, property: property))
        try scan.run(threads: 1, { Nobody() }, done: { _ in })
      }
    } catch let error as LogError {
      // Whole, and more unknown kinds than can be carried.
      if error.code == .limit, found.damage.isEmpty { return .refused }
      guard error.code == .damaged else { return .broken("another error than damage: \(error)") }
      guard !found.damage.isEmpty else { return .broken("a reader finds what verify does not: \(error)") }
      let salvage = try Salvage(log)
      do {
        try salvage.forEachEvent { _ in }
      } catch {
        return .broken("what verify calls whole cannot be exported: \(error)")
      }
      return .refused
    }
    return found.damage.isEmpty ? .read : .refused
  }

  private final class Nobody: HistoryConsumer {
    func consume(_ batch: HistoryBatch) {}
  }
}
