// All that a log means to its users: its events, who is kept out, and from when on events are kept.

import Foundation
import LogTestSupport
import PermissionEvents

@testable import EventLog

struct LogState: Equatable {
  var events: [TestEvent] = []
  var erased: Set<[UInt8]> = []
  /// Erased users, whoever they are.
  var erasedCount = 0
  var expiredBefore: Milliseconds?
  var isKeyOutside = false
  var excluded: Set<[UInt8]> = []
  var numbers: Set<LogModel.Number> = []

  init() {}

  init(_ model: LogModel) {
    events = model.export
    erased = model.erased
    erasedCount = model.erased.count
    expiredBefore = model.expiredBefore
    isKeyOutside = model.isKeyOutside
    excluded = model.excluded
    numbers = model.numbers
  }

  /// Reads a log; nil if there is none. Of the erased only those of `users` are known.
  init?(_ log: LogDirectory, users: Set<[UInt8]>) throws {
    let snapshot: LogSnapshot
    do {
      snapshot = try LogSnapshot(log)
    } catch let error as LogError where error.code == .notFound {
      return nil
    }
    events = try snapshot.export()
    var list = try log.readErasures(snapshot.manifest)
    isKeyOutside = list?.keyPlace == .outside
    if isKeyOutside { try list?.unlock(try log.keyOutside(), log: log.path) }
    erased = try users.filter { try list?.contains($0) ?? false }
    erasedCount = Int(snapshot.manifest.erasures?.users ?? 0)
    expiredBefore = snapshot.manifest.expiredBefore
    excluded = Set(try log.readExclusions(snapshot.manifest).ids)
    try NumbersMerge(snapshot.numbers).forEachRun { run in
      for number in run.first..<run.end {
        numbers.insert(
          LogModel.Number(counter: run.counter, number: number, user: run.user, quarter: Milliseconds(run.quarter)))
      }
    }
  }
}

/// The files of a directory that have anything of some users, or from before some time.
struct ResidueSearch {
  private let users: Set<[UInt8]>
  private let words: [[UInt8]]
  private let before: Milliseconds

  /// Finds what a step should have removed.
  /// - Parameter secret: bytes that it should have taken out of the log.
  init(_ step: LogStep, secret: [UInt8]? = nil) {
    var users: [[UInt8]] = []
    switch step {
    case .erase(let named), .eraseWithKey(let named), .rename(let named): users = named
    default: break
    }
    if case .expire(let time) = step { before = time } else { before = .min }
    self.users = Set(users)
    // The id as it is, and a UUID's low word as blocks hold it. Short ids are in other bytes by chance.
    words =
      (secret.map { [$0] } ?? [])
      + users.filter { $0.count >= 8 }.flatMap { id -> [[UInt8]] in
        guard let packed = id.withUnsafeBytes({ IdentifierText.packUUID($0) }) else { return [id] }
        return [id, withUnsafeBytes(of: packed.low.littleEndian) { Array($0) }]
      }
  }

  /// Decodes every part, whether the manifest names it or not, and looks through the bytes of every file.
  func matches(_ contents: MemoryFileSystem.Contents) -> [String] {
    guard !words.isEmpty || !users.isEmpty || before > .min else { return [] }
    return contents.files.keys.filter { $0.hasPrefix("/log/") }.sorted().filter { path in
      let bytes = contents.files[path] ?? []
      return words.contains { Self.contains(bytes, $0) } || holds(path, contents)
    }
  }

  private func holds(_ path: String, _ contents: MemoryFileSystem.Contents) -> Bool {
    if let id = NumbersDescription.id(name: String(path.dropFirst("/log/".count))) {
      let log = LogDirectory(path: "/log", files: MemoryFileSystem(contents))
      let hashes = Set(users.map { $0.withUnsafeBytes(UserHash.of) })
      var isFound = false
      // One that is not whole has been looked through as bytes.
      try? NumbersMerge([log.readNumbers(id: id, expected: nil)]).forEachRun { run in
        let isOld = Milliseconds(run.quarter + 1) * NumberRun.millisecondsPerQuarter <= before
        if isOld || hashes.contains(run.user) { isFound = true }
      }
      return isFound
    }
    guard let id = PartDescription.id(name: String(path.dropFirst("/log/".count))) else { return false }
    let files = MemoryFileSystem(contents)
    // A part that is not whole has been looked through as bytes.
    guard let part = try? PartReader(id: id, expected: nil, in: LogDirectory(path: "/log", files: files)),
      let cursor = try? PartCursor(part, range: 0...UInt64.max, kinds: part.kindCodes)
    else { return false }
    if part.footer.minimumTime < before { return true }
    while !cursor.isAtEnd {
      if users.contains(cursor.userID.bytes) { return true }
      guard (try? cursor.advance()) != nil else { return false }
    }
    return false
  }

  private static func contains(_ bytes: [UInt8], _ word: [UInt8]) -> Bool {
    Data(bytes).range(of: Data(word)) != nil
  }
}
