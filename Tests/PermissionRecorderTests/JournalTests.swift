// The journal: what is left when a process, the power or the disk ends at any moment.

import Foundation
import Testing

@testable import PermissionRecorder

@Suite struct JournalTests {
  @Test func theChecksumIsThatOfTheStandard() {
    // RFC 3720, B.4.
    #expect(CRC32C.of(Array("123456789".utf8)) == 0xE306_9283)
    #expect(CRC32C.of([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
  }

  @Test func idsHaveTheNumberOfTheirEvent() {
    let id = JournalState.eventID("7f3a1c90-52be-4d1b-9c06-e4a8d7b2f615", 300)
    #expect(id.count == 36 && id.hasSuffix("-00000000012c"))
    let digits = Array(id)
    #expect(digits[14] == "8" && digits[19] == "8" && UUID(uuidString: id) != nil)
    #expect(JournalState.number(ofEventID: id.utf8) == 300)
    #expect(JournalState.eventID("other", 300).prefix(23) != id.prefix(23))
  }

  /// What an app does in its life, of so many events.
  private struct Life {
    let app: TestApp
    let seed: Int
    let events: Int
    var isOnline = true
    var deniesAt: Int?

    /// - Parameters:
    ///   - began: told the number of a call before it is made.
    ///   - returned: told whether the call's event is on the disk.
    func live(began: (Int) -> Void, returned: (Int, EventKind, Bool) -> Void) async {
      var random = Seeded(seed)
      let kinds: [EventKind] = [
        .appActive, .featureUsed, .statusChecked, .promptShown, .granted, .denied, .settingsOpened, .skipped,
      ]
      var recorder = app.launched()
      for number in 0..<events {
        let kind = kinds.randomElement(using: &random) ?? .appActive
        let needs = kind.worth != .engagement
        began(number)
        let isRecorded = recorder.record(
          kind, needs ? .camera : nil, status: kind == .granted ? .authorized : nil, feature: "\(number)")
        returned(number, kind, isRecorded)
        app.times.pass(Double.random(in: 0...600, using: &random))
        switch UInt8.random(in: 0..<100, using: &random) {
        case 0..<3: recorder = app.launched()
        case 3..<8 where isOnline: await recorder.send()
        case 8 where isOnline: await recorder.check()
        case 9: recorder.synchronise()
        default: break
        }
        if number == deniesAt { recorder.consent = .denied }
      }
    }
  }

  /// The state of a life between two calls of the disk, and what must be true of it.
  private final class Witness: @unchecked Sendable {
    /// Numbers of events whose calls returned, and of those that a loss of power may not take.
    var safe: Set<String> = []
    var durable: Set<String> = []
    var unsynchronised: [String] = []
    var moments = 0
    var failures: [String] = []

    func mustHold(_ condition: Bool, _ text: @autoclosure () -> String) {
      if !condition, failures.count < 5 { failures.append("after call \(moments): \(text())") }
    }
  }

  /// Ends the process at every call of the disk, in three ways, opens what is left, and counts.
  @Test(arguments: [(0, 1 << 20, true), (1, 24_000, false), (2, 60_000, true)]) func everyMomentMayBeTheLast(
    _ seed: Int, _ limit: Int, _ isOnline: Bool
  ) async {
    let app = TestApp(permissions: [.camera], byteLimit: limit)
    let events = ProcessInfo.processInfo.environment["PERMLOG_SEEDS"] == "all" ? 2000 : 500
    let witness = Witness()
    var ways = 0
    app.disk.after = { disk in
      witness.moments += 1
      ways += 1
      let (kind, left) = [
        ("a kill", disk.killed), ("a loss of power", disk.withoutPower), ("a torn end", disk.tornByPower),
      ][ways % 3]
      let sent = app.server.events
      var next = Journal(left, limit: limit, consent: .granted, now: { app.times.wall })
      do {
        try next.exclusively { try $0.append(Event(event: .appActive, feature: "afterwards")) }
      } catch { witness.mustHold(false, "\(kind): \(error)") }
      let (there, new) = (left.events, left.events.last { $0.feature == "afterwards" })
      witness.mustHold(new != nil, "\(kind): nothing can be recorded")
      witness.mustHold(
        Set(there.map(\.event_id)).count == there.count && !sent.contains { $0.event_id == new?.event_id },
        "\(kind): an event's number is used again")
      witness.mustHold(Set(there.map(\.user_id)).union(sent.map(\.user_id)).count == 1, "\(kind): another install")
      let known = Set((there + sent).compactMap { $0.event == .lost ? nil : $0.feature })
      let missing = (ways % 3 == 0 ? witness.safe : witness.durable).subtracting(known)
      // A loss that was sent and then told again is one.
      let told =
        Dictionary((there + sent).map { ($0.event_id, $0) }, uniquingKeysWith: { first, _ in first }).values
        .compactMap(\.loss).reduce(0) { $0 + $1.count } + next.state.losses.values.reduce(0, +)
      witness.mustHold(missing.count <= told, "\(kind): \(missing.count) events are missing, \(told) are told")
      if !isOnline, kind == "a kill" {
        // One more if the last one went before its call returned.
        witness.mustHold((0...1).contains(told - missing.count), "\(told) are told, \(missing.count) missing")
      }
      if limit == 1 << 20 { witness.mustHold(told == 0, "\(kind): \(told) losses are told that are none") }
    }
    let life = Life(app: app, seed: seed, events: events, isOnline: isOnline)
    await life.live { _ in
    } returned: { number, kind, isRecorded in
      witness.mustHold(isRecorded, "not recorded: \(number)")
      witness.safe.insert("\(number)")
      witness.unsynchronised.append("\(number)")
      if kind.isSynchronised {
        witness.durable.formUnion(witness.unsynchronised)
        witness.unsynchronised = []
      }
    }
    #expect(witness.moments > events)
    #expect(witness.failures.isEmpty, "seed \(seed)")
    #expect(app.server.conflicts.isEmpty)
  }

  /// Every call of the disk fails once: with a full disk, a broken one, after half a write.
  @Test func everyCallMayFail() async {
    // The number of calls of a life without a fault.
    func life(_ fault: Int?, _ number: Int32) async -> (app: TestApp, recorded: [String], calls: Int) {
      let app = TestApp(permissions: [.camera], byteLimit: 24_000)
      let disk = app.disk
      disk.before = { _, call in if call == fault { throw DiskError(operation: "do it", number: number) } }
      disk.shortWrite = { $0 - 1 }
      var recorded: [String] = []
      await Life(app: app, seed: 5, events: 120).live { _ in
      } returned: { number, _, isRecorded in
        if isRecorded { recorded.append("\(number)") }
      }
      disk.before = nil
      app.times.pass(86_400)
      _ = await app.launched().send()
      return (app, recorded, disk.calls)
    }
    let calls = await life(nil, 0).calls
    #expect(calls > 400)
    var random = Seeded(7)
    for call in 1...calls where ProcessInfo.processInfo.environment["PERMLOG_SEEDS"] == "all" || call % 4 == 0 {
      let (app, recorded, _) = await life(call, Bool.random(using: &random) ? ENOSPC : EIO)
      let known = app.server.events
      let missing = Set(recorded).subtracting(known.compactMap(\.feature))
      let told = known.compactMap(\.loss).reduce(0) { $0 + $1.count }
      #expect(app.disk.events.isEmpty && missing.count <= told, "call \(call): \(missing.sorted()), \(told) told")
      // The one event that was refused is told, too; a failed synchronisation loses none.
      #expect(recorded.count >= 119 && told <= missing.count + 1, "call \(call): \(recorded.count), \(told)")
      #expect(app.server.conflicts.isEmpty, "call \(call)")
    }
  }

  @Test func aFullDiskIsToldWhenThereIsRoomAgain() async {
    let app = TestApp()
    let recorder = app.launched()
    recorder.record(.appActive)
    app.disk.before = { call, _ in if call == .append { throw DiskError(operation: "write", number: ENOSPC) } }
    app.disk.shortWrite = { $0 / 3 }
    for _ in 0..<3 { #expect(!recorder.record(.granted, .camera, status: .authorized)) }
    #expect(!recorder.record(.appActive))
    app.disk.before = nil
    #expect(recorder.record(.appActive))
    #expect(app.losses == ["app_active disk": 1, "granted disk": 3])
    #expect(app.disk.events.count { $0.event == .appActive } == 2)
  }

  @Test func theCheapestGoFirst() async {
    let app = TestApp(byteLimit: 100_000)
    let recorder = app.launched()
    var counts: [EventKind: Int] = [:]
    let kinds: [EventKind] = [.granted, .appActive, .statusChecked, .promptShown, .appActive, .appActive, .appActive]
    for number in 0..<1000 {
      let kind = kinds[number % kinds.count]
      #expect(recorder.record(kind, kind == .appActive ? nil : .camera, status: kind == .granted ? .authorized : nil))
      counts[kind, default: 0] += 1
      #expect(recorder.waiting.bytes <= 100_000)
    }
    let events = app.disk.events
    let losses = app.losses
    for (kind, count) in counts {
      let (there, lost) = (events.count { $0.event == kind }, losses["\(kind.rawValue) full"] ?? 0)
      #expect(there + lost == count, "\(kind): \(there) there, \(lost) lost of \(count)")
    }
    #expect(events.contains { $0.event == .granted } && losses["granted full"] == nil)
    #expect(losses["app_active full"] != nil)
    // It goes on for a year: losses add up instead of filling the journal.
    for _ in 0..<20_000 { recorder.record(.denied, .camera, status: .denied) }
    #expect(recorder.waiting.bytes <= 100_000)
    #expect((app.losses["denied full"] ?? 0) + app.disk.events.count { $0.event == .denied } == 20_000)
    // All of it is told with the first events that can be sent.
    let told = app.losses
    #expect(await app.launched().send() == .done)
    let sent = Dictionary(app.server.events.compactMap(\.loss).map { ($0.key, $0.count) }, uniquingKeysWith: +)
    #expect(sent == told && app.losses.isEmpty)
  }

  @Test func damageIsCounted() async throws {
    var app = TestApp()
    let recorder = app.launched()
    for number in 0..<500 { recorder.record(.featureUsed, feature: "\(number)") }
    var random = Seeded(3)
    for _ in 0..<200 {
      var contents = app.disk.contents
      let names = contents.files.keys.filter { $0.hasSuffix(".log") }.sorted()
      let name = names.randomElement(using: &random) ?? ""
      var bytes = contents.files[name] ?? []
      let place = Int.random(in: bytes.indices, using: &random)
      switch UInt8.random(in: 0..<3, using: &random) {
      case 0: bytes[place] ^= UInt8.random(in: 1...255, using: &random)
      case 1: bytes.replaceSubrange(place..<min(bytes.count, place + 700), with: [UInt8](repeating: 0, count: 512))
      default: bytes.removeSubrange(place..<min(bytes.count, place + 512))
      }
      contents.files[name] = bytes
      var other = app
      other.disk = MemoryDisk(contents)
      other.launched().record(.featureUsed, feature: "afterwards")
      let (there, told) = (other.disk.events, other.losses.values.reduce(0, +))
      let missing = 500 - there.count { $0.event == .featureUsed } + 1
      // At the very end nobody can tell an event that was damaged from one that was never written, and at the beginning one that was sent.
      if name == names.last ? place < bytes.count - 1500 : name != names.first || place > 800 {
        #expect(missing == told, "\(name) \(place): \(missing), \(told)")
      }
      #expect(Set(there.map(\.event_id)).count == there.count && missing <= 4)
    }
    // A state that cannot be read: nothing is sent until the app says again what the user agreed to.
    var contents = app.disk.contents
    contents.files["state"] = [1, 2, 3]
    app.disk = MemoryDisk(contents)
    let again = app.launched()
    #expect(await again.send() == .withheld && again.install == recorder.install)
    again.consent = .granted
    #expect(await again.send() == .done && app.server.events.count == 500)
  }

  @Test func twoProcessesShareADirectory() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("recorder-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let app = TestApp(byteLimit: 1 << 22)
    let (times, server) = (app.times, app.server)
    let recorders = (0..<4).map { _ in
      PermissionRecorder(app.configuration, transport: server, clock: times.clock) { try Directory(folder) }
    }
    await withTaskGroup { group in
      for (index, recorder) in recorders.enumerated() {
        group.addTask {
          for number in 0..<250 {
            #expect(recorder.record(.featureUsed, feature: "\(index)-\(number)"))
            if number % 50 == index { await recorder.send() }
          }
        }
      }
    }
    for recorder in recorders { await recorder.send() }
    #expect(server.events.count == 1000 && Set(server.events.compactMap(\.feature)).count == 1000)
    #expect(Set(server.events.map(\.user_id)).count == 1 && server.conflicts.isEmpty)
    #expect(recorders[0].waiting == (0, 0))
  }

  /// Events that nobody synchronised are sent, and the power fails: their numbers are not used for others.
  @Test func whatWasSentOutlastsALossOfPower() async {
    var app = TestApp()
    for number in 0..<5 { app.launched().record(.featureUsed, feature: "\(number)") }
    app.server.fault = { _ in .lostAnswer }
    // A launch that records nothing sends what an earlier one left.
    #expect(await app.launched().send() == .failed && app.server.events.count == 5)
    app.disk = app.disk.withoutPower
    for number in 5..<9 { app.launched().record(.featureUsed, feature: "\(number)") }
    app.server.fault = { _ in .none }
    #expect(await app.launched().send() == .done)
    #expect(app.server.events.count == 9 && app.server.conflicts.isEmpty)
  }

  /// Years of launches without a network: files stay few, and the losses are exact.
  @Test func manyLaunchesWithoutANetwork() async {
    let app = TestApp(byteLimit: 70_000)
    app.server.fault = { _ in .refused }
    var count = 0
    for _ in 0..<400 {
      let recorder = app.launched()
      for _ in 0..<9 { count += recorder.record(.appActive) ? 1 : 0 }
      await recorder.send()
      #expect(app.disk.contents.files.count < 12)
    }
    #expect(count == 3600 && app.losses.values.reduce(0, +) + app.disk.events.count == count)
  }

  /// Real processes would show the same: the lock is the file system's.
  @Test func theFileSystemKeepsWhatTheDiskInMemoryKeeps() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("recorder-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let app = TestApp(permissions: [.camera])
    func launched() -> PermissionRecorder {
      PermissionRecorder(app.configuration, transport: app.server, clock: app.times.clock) { try Directory(folder) }
    }
    await launched().ask(.camera) { app.system[.camera] = .authorized }
    await launched().check()
    for number in 0..<300 { launched().record(.featureUsed, feature: "\(number)") }
    // An event that a kill cut off.
    let file = folder + "/00000001.log"
    let handle = try #require(FileHandle(forWritingAtPath: file))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data([40, 0, 0, 0, 1, 2]))
    launched().record(.featureUsed, feature: "last")
    #expect(await launched().send() == .done)
    #expect(app.server.events.map(told).prefix(2) == ["prompt_shown", "granted(authorized)"])
    #expect(app.server.events.count == 303)
    #expect(try Set(FileManager.default.contentsOfDirectory(atPath: folder)) == ["lock", "state"])
  }
}
