// A log in a directory of its own, filled with readable events.

import Foundation

@testable import EventLog
@testable import PermissionEvents

/// An event as a test writes it.
struct TestEvent: Hashable {
  var user: String
  var id: String
  var time: Int64
  var kind: EventKind = .promptShown
  var permission = "camera"
  var status: AuthorizationStatus = .none
  var variant = ""
  var feature = ""
  var appVersion = ""

  /// The log's order of one user's events.
  static func precedes(_ a: TestEvent, _ b: TestEvent) -> Bool {
    if a.time != b.time { return a.time < b.time }
    if a.kind != b.kind { return a.kind.rawValue < b.kind.rawValue }
    return a.id.utf8.lexicographicallyPrecedes(b.id.utf8)
  }
}

final class TestLog {
  let directory: LogDirectory
  let path: String

  init(files: any FileSystem = SystemFileSystem()) throws {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("permlog-log-\(UUID().uuidString)").path
    directory = LogDirectory(path: path, files: files)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Ingests events: each inner list is a run of its own, all are committed at once.
  @discardableResult
  func ingest(_ runs: [TestEvent]..., threads: Int = 1, memory: Int = 96 << 20) throws -> IngestCounts {
    try Self.ingest(runs, into: directory, threads: threads, memory: memory)
  }

  static func ingest(
    _ runs: [[TestEvent]], into directory: LogDirectory, threads: Int = 1, memory: Int = 96 << 20
  ) throws -> IngestCounts {
    let writer = try EventLogWriter(directory, threads: threads, memory: memory)
    defer { writer.close() }
    for events in runs {
      let run = writer.beginRun()
      for (chunk, piece) in stride(from: 0, to: events.count, by: 1000).enumerated() {
        try append(Array(events[piece..<min(piece + 1000, events.count)]), chunk: UInt64(chunk), to: run)
      }
      try writer.finish(run)
    }
    try writer.commit()
    return writer.counts
  }

  private static func append(_ events: [TestEvent], chunk: UInt64, to run: IngestRun) throws {
    let batch = EventBatch()
    batch.chunk = chunk
    func code(_ field: StringField, _ text: String) -> UInt32 {
      Array(text.utf8).withUnsafeBytes { run.dictionary.code(field, $0) }
    }
    for event in events {
      let user = Array(event.user.utf8)
      user.withUnsafeBytes { user in
        Array(event.id.utf8).withUnsafeBytes { id in
          let context = ContextTuple(
            permission: event.kind.isEngagement ? 0 : code(.permission, event.permission),
            variant: code(.variant, event.variant), feature: code(.feature, event.feature), status: event.status)
          let attributes = AttributeTuple(appVersion: code(.appVersion, event.appVersion))
          batch.append(
            userHash: UserHash.of(user), user: batch.identifier(user), event: batch.identifier(id), time: event.time,
            kind: event.kind, context: run.dictionary.code(context), attributes: run.dictionary.code(attributes))
        }
      }
    }
    try run.append(batch)
  }

  /// All events in the log's order.
  func events() throws -> [TestEvent] { try Self.events(LogSnapshot(directory)) }

  static func events(_ snapshot: LogSnapshot) throws -> [TestEvent] {
    var events: [TestEvent] = []
    func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
    try snapshot.forEachEvent { event in
      events.append(
        TestEvent(
          user: text(event.userID), id: text(event.eventID), time: event.time, kind: event.kind,
          permission: text(event.values[StringField.permission.rawValue]), status: event.status,
          variant: text(event.values[StringField.variant.rawValue]),
          feature: text(event.values[StringField.feature.rawValue]),
          appVersion: text(event.values[StringField.appVersion.rawValue])))
    }
    return events
  }

  func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
}

/// What a log must hold, kept plainly: the first event with an id wins, in the order of user hash, user, time, kind, id.
struct LogModel {
  private var first: [String: TestEvent] = [:]
  private var order: [String] = []

  mutating func add(_ events: [TestEvent]) {
    for event in events {
      let key = event.user + "\u{0}" + event.id
      if first[key] == nil {
        first[key] = event
        order.append(key)
      }
    }
  }

  var events: [TestEvent] {
    let hashes = Dictionary(
      uniqueKeysWithValues: Set(first.values.map(\.user)).map { user in
        (user, Array(user.utf8).withUnsafeBytes { UserHash.of($0) })
      })
    return first.values.sorted { a, b in
      if a.user != b.user {
        let (hashA, hashB) = (hashes[a.user] ?? 0, hashes[b.user] ?? 0)
        return hashA != hashB ? hashA < hashB : a.user.utf8.lexicographicallyPrecedes(b.user.utf8)
      }
      return TestEvent.precedes(a, b)
    }
  }
}

/// Random numbers that can be had again.
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return UserHash.mix(state)
  }

  /// Events of a few users in every form of id, with ties, copies and copies that differ.
  mutating func events(_ count: Int, users: Int, ids: Int) -> [TestEvent] {
    func uuid(_ n: UInt64, upper: Bool) -> String {
      var out: [UInt8] = []
      IdentifierText.writeUUID(
        form: upper ? .uppercaseUUID : .lowercaseUUID, high: UserHash.mix(n) & ~0xF000 | 0x4000,
        low: UserHash.mix(n &+ 99) & ~(3 << 62) | 2 << 62, into: &out)
      return String(decoding: out, as: UTF8.self)
    }
    func identifier(_ n: UInt64) -> String {
      switch n % 5 {
      case 0, 1: uuid(n, upper: false)
      case 2: uuid(n, upper: true)
      case 3: "id-\(n)"
      default: "日本-\(n)"
      }
    }
    return (0..<count).map { _ in
      let kind = EventKind.allCases.randomElement(using: &self) ?? .granted
      return TestEvent(
        user: identifier(UInt64.random(in: 0..<UInt64(users), using: &self)),
        id: identifier(UInt64.random(in: 0..<UInt64(ids), using: &self) &+ 1_000_000),
        time: 1_770_000_000_000 + Int64.random(in: 0..<50, using: &self)
          * Int64.random(in: 0..<90_000_000, using: &self),
        kind: kind,
        permission: kind.isEngagement
          ? "" : ["camera", "siri", "location_always", "my_own"].randomElement(using: &self) ?? "siri",
        status: AuthorizationStatus.allCases.randomElement(using: &self) ?? .none,
        variant: ["", "A", "B"].randomElement(using: &self) ?? "",
        feature: ["", "x", "y"].randomElement(using: &self) ?? "",
        appVersion: ["", "1.0", "1.1"].randomElement(using: &self) ?? "")
    }
  }
}
