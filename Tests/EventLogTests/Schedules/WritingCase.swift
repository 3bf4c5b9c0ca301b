// Every command that writes, on a log that gives it something to do.

import LogTestSupport
import PermissionEvents
import Testing
import Threads

@testable import EventLog

/// A prepared log and one step on it.
struct WritingCase: Sendable, CustomTestStringConvertible {
  let name: String
  /// The log before; no files if there is none.
  let start: MemoryFileSystem.Contents
  let step: LogStep
  /// What the log may be when the step did not come to its end; nil if there is none.
  let before: [LogState?]
  let after: LogState
  /// All users that come up.
  private let users: Set<[UInt8]>
  /// What was found out about contents of the directory: most faults leave the same ones.
  private let known = KnownContents()

  var testDescription: String { name }

  /// - Parameters:
  ///   - leftover: events of an ingest that was killed before its commit; its files are there.
  ///   - users: all that come up.
  init(
    _ name: String, _ preparation: [LogStep], leftover: [TestEvent] = [], then step: LogStep, users: [[UInt8]]
  ) throws {
    let files = MemoryFileSystem()
    var model = LogModel()
    for step in preparation {
      try LogDirectory(path: "/log", files: files).perform(step)
      _ = model.perform(step)
    }
    self.name = name
    self.step = step
    self.users = Set(users)
    var start = files.contents
    if !leftover.isEmpty {
      let writer = try EventLogWriter(LogDirectory(path: "/log", files: files), threads: 1)
      try writer.write(leftover)
      start = files.contents
      writer.close()
      start.files["/log/manifest.new"] = start.files["/log/manifest"]?.dropLast(20)
      start.files["/log/spill-events"] = leftover.flatMap(\.user)
    }
    self.start = start
    before = preparation.isEmpty ? [nil, LogState()] : [LogState(model)]
    _ = model.perform(step)
    after = LogState(model)
  }

  func state(_ files: any FileSystem) throws -> LogState? {
    try LogState(LogDirectory(path: "/log", files: files), users: users)
  }

  /// What a directory is to the users of the log; computed once of the same contents.
  func state(_ contents: MemoryFileSystem.Contents) throws -> LogState? {
    if let state = known.states.withLock({ $0[contents] }) { return state }
    let state = try state(MemoryFileSystem(contents))
    known.states.withLock { $0[contents] = .some(state) }
    return state
  }

  /// What is wrong with the directory, and with it when the step is done on it once more; found out once of the same contents.
  func problems(_ contents: MemoryFileSystem.Contents) throws -> [String] {
    if let problems = known.problems.withLock({ $0[contents] }) { return problems }
    let files = MemoryFileSystem(contents)
    let log = LogDirectory(path: "/log", files: files)
    var problems: [String] = []
    if try state(contents) != nil, try !log.verify().damage.isEmpty { problems.append("damage") }
    try log.perform(step)
    if try state(files.contents) != after { problems.append("done once more, it is not the log after") }
    if Set(try files.list("/log")) != (try expectedNames(files)) { problems.append("stray files") }
    if !search.matches(files.contents).isEmpty {
      problems.append("done once more, what was removed is still in a file")
    }
    known.problems.withLock { $0[contents] = problems }
    return problems
  }

  var search: ResidueSearch { ResidueSearch(step, secret: secret) }

  /// The key that is in the log before a step that moves it out.
  private var secret: [UInt8]? {
    guard case .moveKey = step else { return nil }
    let log = LogDirectory(path: "/log", files: MemoryFileSystem(start))
    guard let manifest = try? log.readManifest(), var list = try? log.readErasures(manifest) else { return nil }
    return (try? list.moveKeyOut())?.bytes
  }

  /// The names that a directory has with nothing left over.
  func expectedNames(_ files: any FileSystem) throws -> Set<String> {
    Set(try LogDirectory(path: "/log", files: files).readManifest().fileNames + ["lock", "manifest"])
  }
}

private final class KnownContents: Sendable {
  let states = Mutex<[MemoryFileSystem.Contents: LogState?]>([:])
  let problems = Mutex<[MemoryFileSystem.Contents: [String]]>([:])
}

extension WritingCase {
  /// All commands, and the ways that they can go.
  static let all: [WritingCase] = {
    do {
      return try make()
    } catch {
      Issue.record("the logs cannot be prepared: \(error)")
      return []
    }
  }()

  private static func make() throws -> [WritingCase] {
    var random = RandomEvents(seed: 61, users: 4)
    let parts = (0..<3).map { _ in random.events(8) }
    // A user with a part of its own, and one in all parts.
    let alone = Array("the user of one part alone".utf8)
    let common = try #require(parts[0].first { $0.user.count == 36 }).user
    let own = random.events(4).map { event in
      var event = event
      event.user = alone
      return event
    }
    let three = (parts.dropLast() + [own]).map { LogStep.ingest([$0]) }
    let ghost = Array("a user without any events".utf8)
    let users = parts.flatMap { $0.map(\.user) } + [alone, ghost]
    let time = random.times.lowerBound + 250
    let late = random.times.upperBound + 1
    func make(
      _ name: String, _ preparation: [LogStep], leftover: [TestEvent] = [], then step: LogStep
    ) throws -> WritingCase {
      try WritingCase(name, preparation, leftover: leftover, then: step, users: users)
    }
    return [
      try make("first ingest", [], then: .ingest([parts[0]])),
      try make(
        "ingest that spills and merges", parts.map { .ingest([$0]) },
        then: .ingest([random.events(8), random.events(8) + parts[0].prefix(3)])),
      try make(
        "ingest of erased users and old events",
        [.ingest([parts[0]]), .erase([common]), .expire(before: time)], then: .ingest([parts[0] + parts[1]])),
      try make("ingest of nothing new", [.ingest([parts[0]])], then: .ingest([parts[0]])),
      try make("erase of two users in three parts", three, then: .erase([common, alone])),
      try make("erase of one more user", three + [.erase([ghost])], then: .erase([common])),
      try make("erase of a user without events", [.ingest([parts[0]])], then: .erase([ghost])),
      try make(
        "erase behind a killed ingest", [.ingest([parts[0]])], leftover: parts[1] + own, then: .erase([common, alone])),
      try make("erase of all users", [.ingest([parts[0]])], then: .erase(parts[0].map(\.user))),
      try make("readmit of one of two", three + [.erase([common, alone])], then: .readmit([common])),
      try make("readmit of all", three + [.erase([common])], then: .readmit([common])),
      try make("expire of three parts", parts.map { .ingest([$0]) }, then: .expire(before: time)),
      try make("expire of everything", [.ingest([parts[0]])], then: .expire(before: late)),
      try make("expire of no event", [.ingest([parts[0]])], then: .expire(before: 1)),
      try make("readmit of old events", [.ingest([parts[0]]), .expire(before: time)], then: .readmitExpired),
      try make("first erase with a key outside", three, then: .eraseWithKey([common])),
      try make("erase of one more with a key outside", three + [.eraseWithKey([ghost])], then: .eraseWithKey([common])),
      try make(
        "ingest of erased users with a key outside", [.ingest([parts[0]]), .eraseWithKey([common])],
        then: .ingest([parts[0] + parts[1]])),
      try make("the key out of the log", three + [.erase([common])], then: .moveKey),
      try make("compact", three + [.erase([ghost])], then: .compact),
      try make(
        "compact after which nothing can be taken back", parts.map { .ingest([$0]) } + [.ingest([own])], then: .compact),
      try make("other names in three parts", three + [.erase([ghost])], then: .rename(users)),
      try make("other names behind a killed ingest", [.ingest([parts[0]])], leftover: own, then: .rename(users)),
      try make("ingest after other names", three + [.rename(users)], then: .ingest([parts[1] + own])),
      try make("undo of an ingest that merged", parts.map { .ingest([$0]) } + [.ingest([own])], then: .undo),
      try make("undo of the first ingest", [.ingest([parts[0]])], then: .undo),
      try make("undo of nothing", three + [.erase([common])], then: .undo),
      try make("ingest after an undo", three + [.undo], then: .ingest([parts[1] + own])),
      try make("erase of a user whom an undo would bring back", three + [.ingest([own])], then: .erase([common])),
      try make("first list of users who are left out", three, then: .exclude([common, ghost])),
      try make("one user back into answers", three + [.exclude([common, ghost])], then: .include([common])),
      try make("no user left out any more", three + [.exclude([ghost])], then: .include([ghost])),
      try make("erase of a user who is left out", three + [.exclude([common, ghost])], then: .erase([common])),
      try make("other names of users who are left out", three + [.exclude([common])], then: .rename(users)),
      try make("undo with users who are left out", three + [.exclude([common])], then: .undo),
    ]
  }
}
