// Logs of programs with another vocabulary: opened, exported unchanged, merged, erased from, and left out of histories as
// far as this program does not know what they say.

import Foundation
import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

@Suite struct ForeignVocabularyTests {
  private static let start: Milliseconds = 1_700_000_000_000

  /// Events of a few users; times repeat, so that the order of kinds and ids decides.
  private func events(_ writer: ForeignWriter, _ count: Int, seed: UInt64, users: Int = 6) -> [ForeignEvent] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { n in
      var values: [String: String] = [:]
      let kind = writer.kinds.randomElement(using: &generator)?.name ?? "granted"
      let needsPermission = EventKind.allCases.contains { $0.name == kind && $0.needsPermission }
      if needsPermission || generator.oneIn(4) {
        values["permission"] = (writer.taxonomy + ["our_own"]).randomElement(using: &generator)
      }
      if generator.oneIn(2) { values["variant"] = ["A", "B"].randomElement(using: &generator) }
      if generator.oneIn(3) { values["surface"] = "onboarding" }
      if generator.oneIn(3) { values["feature"] = "scan" }
      if generator.oneIn(3) { values["app_version"] = ["1.0", "2.0"].randomElement(using: &generator) }
      for column in writer.columns where generator.oneIn(2) {
        values[column] = column + "-\(Int.random(in: 0..<5, using: &generator))"
      }
      return ForeignEvent(
        user: "u\(Int.random(in: 0..<users, using: &generator))", id: "e\(seed)-\(n)",
        time: Self.start + .random(in: 0..<20, using: &generator), kind: kind,
        status: generator.oneIn(2) ? .authorized : .none, values: values)
    }
  }

  /// The lines of an export: the program's order, unknown kinds last and by name.
  private func lines(_ events: [ForeignEvent]) -> [String] {
    let unknown = Set(events.map(\.kind)).subtracting(EventKind.names).sorted()
    let kinds = EventKind.names + unknown
    func key(_ event: ForeignEvent) -> (UInt64, String, Milliseconds, Int, String) {
      let hash = Array(event.user.utf8).withUnsafeBytes(UserHash.of)
      return (hash, event.user, event.time, kinds.firstIndex(of: event.kind) ?? 0, event.id)
    }
    return events.sorted { key($0) < key($1) }.map(\.line)
  }

  /// What histories have of the events: those whose kind and permission are known.
  private func histories(_ events: [ForeignEvent], unknownPermissions: Set<String>) -> Set<String> {
    var found: Set<String> = []
    for event in events {
      guard let kind = EventKind.allCases.first(where: { $0.name == event.kind }) else { continue }
      if kind.isEngagement {
        found.insert("\(event.user.utf8.count) \(event.time) \(kind.rawValue)")
      } else if kind == .lost || kind == .pickerUsed {
        continue
      } else if kind == .appInstalled {
        found.insert("install \(event.time)")
      } else if kind == .assigned {
        // One that names a permission gives no variant.
        let permission = event.values["permission"]
        guard !unknownPermissions.contains(permission ?? "") else { continue }
        found.insert("\(event.time) \(kind.rawValue)  " + (permission == nil ? event.values["variant"] ?? "" : ""))
      } else if !unknownPermissions.contains(event.values["permission"] ?? "") {
        let values = [event.values["permission"] ?? "", event.values["variant"] ?? ""]
        found.insert("\(event.time) \(kind.rawValue) " + values.joined(separator: " "))
      }
    }
    return found
  }

  private func scanned(_ log: LogDirectory, property: StringField? = nil) throws -> Set<String> {
    var found: Set<String> = []
    for history in try UserHistory.scan(log, HistorySelection(variants: true, property: property), threads: 1) {
      for (before, row) in zip(history.rows, history.rows.dropFirst()) {
        #expect((before.time, before.kind) <= (row.time, row.kind), "in the order of time and kind")
      }
      for row in history.rows {
        func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
        if row.kind == EventKind.appInstalled.rawValue {
          #expect(row.permission.isEmpty && row.variant.isEmpty)
          found.insert("install \(row.time)")
        } else {
          found.insert("\(row.time) \(row.kind) \(text(row.permission)) \(text(row.variant))")
        }
      }
      for event in history.engagement { found.insert("2 \(event.time) \(event.kind)") }
    }
    return found
  }

  /// Everything that is promised of such a log.
  private func expectUnknownKept(_ writer: ForeignWriter, _ parts: [[ForeignEvent]], unknown: UnknownVocabulary) throws
  {
    let all = parts.flatMap { $0 }
    let log = try writer.log(parts)
    #expect(try LogSnapshot(log).unknown == unknown)
    #expect(try LogSnapshot(log).information.unknown == unknown)
    let verified = try log.verify()
    #expect(verified.damage.isEmpty && verified.events == all.count)
    #expect(try log.exportLines() == lines(all))
    let known = histories(all, unknownPermissions: Set(unknown.permissions))
    for property in [nil] + StringField.allCases { #expect(try scanned(log, property: property) == known) }

    // Merged, and merged again with what this program writes.
    let more = TestEvent(user: "u1", id: "ours", time: Self.start + 3, kind: .granted, values: [.permission: "camera"])
    try log.ingest([more])
    let ours = ForeignEvent(
      user: "u1", id: "ours", time: Self.start + 3, kind: "granted", values: ["permission": "camera"])
    let expected = lines(all + [ours])
    #expect(try log.exportLines() == expected)
    let compacting = try EventLogWriter(log, threads: 2)
    try compacting.compact()
    compacting.close()
    #expect(try LogSnapshot(log).parts.count == 1)
    #expect(try log.exportLines() == expected)
    #expect(try LogSnapshot(log).unknown == unknown)
    let merged = histories(all + [ours], unknownPermissions: Set(unknown.permissions))
    #expect(try scanned(log) == merged)

    // Erased and expired.
    let erasing = try EventLogWriter(log, threads: 1)
    let counts = try erasing.erase([Array("u2".utf8)])
    #expect(counts.events == all.filter { $0.user == "u2" }.count)
    _ = try erasing.expire(before: Self.start + 5)
    erasing.close()
    let remaining = (all + [ours]).filter { $0.user != "u2" && $0.time >= Self.start + 5 }
    #expect(try log.exportLines() == lines(remaining))
    #expect(try log.verify().damage.isEmpty)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func aLaterVersion(seed: UInt64) throws {
    let writer = ForeignWriter.later
    let parts = (0..<3).map { events(writer, 60, seed: seed * 10 + $0) }
    let unknown = UnknownVocabulary(kinds: ["paywall_shown"], permissions: ["smell"], columns: ["tier"])
    try expectUnknownKept(writer, parts, unknown: unknown)
    #expect(unknown.note?.contains("kinds of event (paywall_shown) and permissions (smell) and columns (tier)") == true)
  }

  /// The log that the tests of the tool open. With PERMLOG_WRITE_FIXTURES in the environment it is made anew.
  @Test func theStoredLogOfALaterVersion() throws {
    var writer = ForeignWriter.later
    // It was made when the taxonomy had 25 names.
    writer.taxonomy = PermissionCode.taxonomy.prefix(25) + ["smell"]
    let parts = (0..<3).map { events(writer, 24, seed: 80 + $0) }
    let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "../../CommandLineTests/Fixtures/log-from-the-future/log"
    ).standardizedFileURL
    if ProcessInfo.processInfo.environment["PERMLOG_WRITE_FIXTURES"] != nil {
      let made = try writer.log(parts)
      let files = try #require(made.files as? MemoryFileSystem)
      try FileManager.default.createDirectory(at: fixture, withIntermediateDirectories: true)
      for name in try files.list(made.path) {
        try Data(files[made.file(name)] ?? []).write(to: fixture.appendingPathComponent(name))
      }
    }
    let stored = LogDirectory(path: fixture.path)
    #expect(try stored.exportLines() == lines(parts.flatMap { $0 }))
    let unknown = UnknownVocabulary(kinds: ["paywall_shown"], permissions: ["smell"], columns: ["tier"])
    #expect(try LogSnapshot(stored).unknown == unknown)
    #expect(try scanned(stored) == histories(parts.flatMap { $0 }, unknownPermissions: ["smell"]))
  }

  /// A kind of a later version, of each class; columns in an order that is not that of their names.
  @Test(arguments: [("zz_used", 1), ("app_closed", 2)] as [(String, UInt8)])
  func severalUnknownThings(kind: String, ofClass: UInt8) throws {
    var writer = ForeignWriter.later
    writer.kinds[15] = (kind, ofClass)
    writer.columns = ["tier", "channel"]
    let parts = (0..<2).map { events(writer, 80, seed: 70 + $0) }
    try expectUnknownKept(
      writer, parts,
      unknown: UnknownVocabulary(
        kinds: [kind], permissions: ["smell"], columns: ["channel", "tier"]))
  }

  /// An older version has a kind and a permission less; what it keeps as a name of somebody's own is of the taxonomy now.
  @Test func anOlderVersion() throws {
    var writer = ForeignWriter()
    writer.kinds.removeLast()
    writer.taxonomy.removeLast()
    var all = events(writer, 60, seed: 31)
    all.append(
      ForeignEvent(user: "u1", id: "own", time: Self.start, kind: "granted", values: ["permission": "mail"]))
    try expectUnknownKept(writer, [all], unknown: UnknownVocabulary())
    let snapshot = try LogSnapshot(try writer.log([all]))
    let scan = try HistoryScan(snapshot, selection: HistorySelection())
    #expect(scan.contexts.contexts.contains { $0.permission == PermissionCode.mail.rawValue })
    #expect(scan.contexts.permissions.count { $0 == Array("mail".utf8) } == 1)
  }

  /// Nothing but order differs: the program's kinds under other codes.
  @Test func codesInAnotherOrder() throws {
    var writer = ForeignWriter()
    writer.kinds.reverse()
    writer.taxonomy.reverse()
    try expectUnknownKept(writer, (0..<2).map { events(writer, 80, seed: 40 + $0) }, unknown: UnknownVocabulary())
  }

  /// A name that one part has of a taxonomy and another as somebody's own is unknown in both: merging changes no figure.
  @Test func aPermissionIsUnknownInTheWholeLog() throws {
    func event(_ id: String) -> ForeignEvent {
      ForeignEvent(user: "u1", id: id, time: Self.start, kind: "granted", values: ["permission": "smell"])
    }
    let log = try ForeignWriter().log([[event("custom")]])
    #expect(try scanned(log).count == 1)
    try ForeignWriter.later.add([event("of the taxonomy")], to: log)
    #expect(try scanned(log).isEmpty)
    let writer = try EventLogWriter(log, threads: 1)
    try writer.compact()
    writer.close()
    #expect(try scanned(log).isEmpty)
    #expect(try log.exportLines().count == 2)
  }

  @Test func moreKindsThanCanBeCarriedAreLeftAsTheyAre() throws {
    var writer = ForeignWriter.later
    let first = events(writer, 60, seed: 51)
    let log = try writer.log([first])
    writer.kinds[15] = ("app_opened", 1)
    let second = events(writer, 60, seed: 52)
    try writer.add(second, to: log)
    let error = #expect(throws: LogError.self) { try log.exportLines() }
    #expect(error?.code == .limit && error?.message.contains("app_opened, paywall_shown") == true)
    #expect(try scanned(log) == histories(first + second, unknownPermissions: ["smell"]))
    for n in 0..<6 { try log.ingest([TestEvent(user: "new", id: "\(n)", time: Self.start)]) }
    let compacting = try EventLogWriter(log, threads: 1)
    try compacting.compact()
    compacting.close()
    #expect(try LogSnapshot(log).parts.count == 8 && log.verify().damage.isEmpty)
    // Nothing has to be carried over: each part is written by itself.
    let erasing = try EventLogWriter(log, threads: 1)
    #expect(try erasing.erase([Array("u2".utf8)]).parts == 2)
    erasing.close()
    #expect(try log.verify().damage.isEmpty)
  }

  @Test func whatTheLastEventHadIsGone() throws {
    let writer = ForeignWriter.later
    let event = ForeignEvent(
      user: "u1", id: "a", time: Self.start, kind: "paywall_shown", values: ["permission": "smell", "tier": "gold"])
    let other = ForeignEvent(user: "u2", id: "b", time: Self.start, kind: "app_active")
    let log = try writer.log([[event, other]])
    let erasing = try EventLogWriter(log, threads: 1)
    _ = try erasing.erase([Array("u1".utf8)])
    erasing.close()
    #expect(try LogSnapshot(log).unknown.isEmpty)
    let dictionary = try #require(try LogSnapshot(log).parts.first).footer.dictionary
    #expect(dictionary.columns.isEmpty && dictionary.kinds == PartKind.version1)
    #expect(!dictionary.values[0].contains(Array("smell".utf8)))
  }

  /// An event of this program that a part of another has already, under another code of its kind.
  @Test func copiesAreFoundUnderOtherCodes() throws {
    var writer = ForeignWriter.later
    writer.kinds.reverse()
    let event = ForeignEvent(
      user: "u1", id: "a", time: Self.start, kind: "granted", values: ["permission": "camera", "tier": "gold"])
    let log = try writer.log([[event]])
    let same = TestEvent(user: "u1", id: "a", time: Self.start, kind: .granted, values: [.permission: "camera"])
    var counts = try log.ingest([same])
    #expect(counts.new == 0 && counts.duplicates == 1 && counts.conflicts == 0)
    var differing = same
    differing.kind = .denied
    counts = try log.ingest([differing])
    #expect(counts.duplicates == 1 && counts.conflicts == 1)
  }

  @Test func everyTurnedBitIsNoticed() throws {
    let writer = ForeignWriter.later
    let log = try writer.log([events(writer, 12, seed: 61, users: 2)])
    let files = try #require(log.files as? MemoryFileSystem)
    let path = log.file(try #require(try LogSnapshot(log).parts.first).name)
    let whole = try #require(files[path])
    let lines = try log.exportLines()
    for place in whole.indices {
      var turned = whole
      turned[place] ^= 1 << UInt8(place % 8)
      files[path] = turned
      #expect(try !log.verify().damage.isEmpty, "byte \(place)")
    }
    files[path] = whole
    #expect(try log.exportLines() == lines)
  }
}
