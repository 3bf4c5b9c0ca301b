// What a reader of the recorder found: each was wrong once.

import Foundation
import Testing

@testable import PermissionRecorder

@Suite struct ReviewedTests {
  /// A stream that was cancelled once has ended for good: `run` span from then on.
  @Test func itRestsAfterFailuresAndASecondRun() async throws {
    let app = TestApp()
    app.server.fault = { $0 == 1 ? .refused : .none }
    let recorder = PermissionRecorder(app.configuration, transport: app.server, clock: Clock()) { [disk = app.disk] in
      disk
    }
    for count in 1...2 {
      let running = Task { await recorder.run() }
      recorder.record(.granted, .camera, status: .authorized)
      for _ in 0..<800 where app.server.events.count < count { try await Task.sleep(for: .milliseconds(10)) }
      try await Task.sleep(for: .milliseconds(100))
      let before = app.disk.contents.generation
      try await Task.sleep(for: .milliseconds(300))
      // Spinning raised it a million times a second.
      #expect(app.disk.contents.generation - before < 100 && app.server.events.count == count)
      running.cancel()
      await running.value
    }
  }

  /// Two scenes of an app that both send: they woke each other for ever.
  @Test func twoThatRunRest() async throws {
    let app = TestApp()
    let recorder = app.launched()
    let running = [Task { await recorder.run() }, Task { await recorder.run() }]
    for count in 1...3 {
      recorder.record(.granted, .camera, status: .authorized)
      for _ in 0..<800 where app.server.events.count < count { try await Task.sleep(for: .milliseconds(10)) }
    }
    try await Task.sleep(for: .milliseconds(100))
    let before = app.disk.contents.generation
    try await Task.sleep(for: .milliseconds(300))
    #expect(app.disk.contents.generation - before < 100 && app.server.events.count == 3)
    for one in running {
      one.cancel()
      await one.value
    }
  }

  @Test func whoAgreesAfterADenialThatTheDiskRefusedIsSomebodyElse() async {
    let app = TestApp()
    let recorder = app.launched()
    recorder.record(.appActive)
    let install = recorder.install
    #expect(await recorder.send() == .done)
    recorder.record(.appActive)
    app.disk.before = { call, _ in
      if call != .names && call != .read { throw DiskError(operation: "write", number: EROFS) }
    }
    recorder.consent = .denied
    recorder.consent = .granted
    app.disk.before = nil
    app.times.pass(90_000)
    #expect(await recorder.send() == .done && recorder.install != install && app.server.events.isEmpty)
    #expect(app.server.erasedInstalls == [install] && recorder.consent == .granted)
  }

  /// A status that nobody recorded yet: the permission in use was allowed under another name.
  @Test func moreIsAskedForOnceAlsoWithoutAnAnswerBefore() async {
    let app = TestApp(permissions: [.locationAlways])
    await app.launched().check()
    app.system[.locationAlways] = .whenInUse
    var asked = 0
    for _ in 0..<3 { await app.launched().ask(.locationAlways) { asked += 1 } }
    #expect(asked == 1)
    #expect(
      app.story == [
        "status_checked(not_determined)", "status_checked(when_in_use)", "prompt_shown", "denied",
      ])
  }

  @Test func aReceiptNeedsNoRoomAlsoAfterALoss() async {
    let app = TestApp()
    let recorder = app.launched()
    for _ in 0..<50 { recorder.record(.appActive) }
    app.server.fault = { _ in
      app.disk.before = { call, _ in if call == .append { throw DiskError(operation: "write", number: ENOSPC) } }
      _ = recorder.record(.featureUsed)
      return .none
    }
    #expect(await recorder.send() == .done && app.disk.lines.isEmpty)
    app.disk.before = nil
    recorder.record(.appActive)
    #expect(app.losses == ["feature_used disk": 1])
  }

  /// The journal fills while a request is under way: its events are not dropped and told as lost, since the server has them.
  @Test func theBoundSparesWhatIsUnderWay() async {
    let app = TestApp(byteLimit: 70_000)
    let recorder = app.launched()
    for _ in 0..<240 { recorder.record(.appActive) }
    app.server.fault = { number in
      if number == 1 { for _ in 0..<400 { recorder.record(.appActive) } }
      return .none
    }
    #expect(await recorder.send() == .done)
    let lost = app.server.events.compactMap(\.loss).reduce(0) { $0 + $1.count }
    #expect(lost > 0 && app.server.events.count { $0.event == .appActive } + lost == 640)
  }

  @Test func aCancelledTaskEndsItsRequest() async {
    let app = TestApp()
    let server = SlowServer()
    let recorder = PermissionRecorder(app.configuration, transport: server, clock: app.times.clock) {
      [disk = app.disk] in disk
    }
    recorder.record(.appActive)
    let sending = Task { await recorder.send() }
    for await _ in server.started.stream {}
    sending.cancel()
    #expect(await sending.value == .failed && recorder.waiting.events == 1)
  }

  private struct SlowServer: Transport {
    let started = AsyncStream<Void>.makeStream()
    func post(_ body: [UInt8], to url: URL, headers: [String: String]) async throws -> TransportAnswer {
      started.continuation.finish()
      try await Task.sleep(for: .seconds(600))
      return TransportAnswer(status: 200)
    }
  }

  /// Bytes that rot between their reading and their sending are not deleted by the receipt for the rest.
  @Test func whatTheDiskSpoiledIsCountedBeforeItIsSent() async {
    var app = TestApp()
    let recorder = app.launched()
    for number in 0..<20 { recorder.record(.featureUsed, feature: "\(number)") }
    _ = recorder.waiting
    app.disk.spoil("00000001.log", at: 3000)
    #expect(await recorder.send() == .failed && app.server.events.isEmpty)
    app.times.pass(90_000)
    #expect(await recorder.send() == .done)
    let lost = app.server.events.compactMap(\.loss).reduce(0) { $0 + $1.count }
    #expect(lost > 0 && app.server.events.count { $0.event == .featureUsed } + lost == 20)
    app.configuration.readers = [:]
  }

  @Test func aDenialThatTheDiskRefusesIsNotForgotten() async {
    let app = TestApp()
    let recorder = app.launched()
    recorder.record(.appActive, nil)
    app.disk.before = { call, _ in
      if call != .names && call != .read { throw DiskError(operation: "write", number: EROFS) }
    }
    recorder.consent = .denied
    #expect(recorder.consent == .denied && !recorder.record(.appActive))
    #expect(await recorder.send() == .failed && app.server.requestCount == 0)
    app.disk.before = nil
    app.times.pass(90_000)
    #expect(await recorder.send() == .withheld && app.server.requestCount == 0)
    #expect(app.disk.lines.isEmpty && app.launched().consent == .denied)
  }

  /// On a full disk what is erased makes the room that the decision needs.
  @Test func aFullDiskErasesAllTheSame() {
    let app = TestApp()
    app.launched().record(.appActive)
    app.disk.before = { call, _ in
      if call == .append,
        app.disk.contents.files.values.contains(where: {
          $0.count > 100 && $0[8...].starts(with: Array(#"{"app_v"#.utf8))
        })
      {
        throw DiskError(operation: "write", number: ENOSPC)
      }
    }
    app.launched().consent = .denied
    #expect(app.launched().consent == .denied && app.disk.lines.isEmpty)
  }

  @Test func aLargeStateIsReadAgain() async {
    let app = TestApp()
    let recorder = app.launched()
    for number in 0..<400 { _ = recorder.variant("an experiment with a long name, of number \(number)", ["A", "B"]) }
    #expect(await recorder.send() == .done)
    let again = app.launched()
    #expect(again.install == recorder.install && again.consent == .granted)
    again.consent = .denied
    #expect(await again.send() == .withheld && app.server.erasedInstalls.count == 1 && app.server.events.isEmpty)
  }

  @Test func longAndEmptyTextsAreTheSameAtEachLaunch() async {
    var app = TestApp(permissions: [.camera])
    app.configuration.appVersion = ""
    let name = String(repeating: "x", count: 400)
    for _ in 0..<3 {
      #expect(app.launched().variant(name, ["A", name])?.experiment.count == 256)
      await app.launched().check()
    }
    #expect(app.story == ["assigned", "status_checked(not_determined)"])
  }

  /// Two processes send the same file; the second answer comes when another file could have its name.
  @Test func aLateReceiptDeletesNothingElse() throws {
    let app = TestApp()
    let now: @Sendable () -> Date = { app.times.wall }
    var a = Journal(app.disk, limit: 1 << 20, consent: .granted, now: now)
    var b = Journal(app.disk, limit: 1 << 20, consent: .granted, now: now)
    try a.exclusively { try $0.append(Event(event: .appActive)) }
    let first = try #require(try a.exclusively { try $0.nextBatch(1 << 18) })
    let same = try #require(try b.exclusively { try $0.nextBatch(1 << 18) })
    try b.exclusively { try $0.finish(same, isSafe: true) }
    try b.exclusively { try $0.append(Event(event: .appActive)) }
    _ = try b.exclusively { try $0.nextBatch(1 << 18) }
    try a.exclusively { try $0.finish(first, isSafe: true) }
    #expect(app.disk.events.count == 1)
  }

  @Test func whoeverIsToldMayCallTheRecorder() async {
    var app = TestApp()
    let box = Box()
    app.configuration.onProblem = { _ in _ = box.recorder?.waiting }
    let recorder = app.launched()
    box.recorder = recorder
    app.disk.before = { call, _ in if call == .append { throw DiskError(operation: "write", number: ENOSPC) } }
    #expect(!recorder.record(.appActive))
  }

  private final class Box: @unchecked Sendable { var recorder: PermissionRecorder? }

  @Test func weightsThatAreNoShares() {
    for weights in [[.nan, 1], [.infinity, 0], [1e300, 1e300], [-1, 0.5], [0, 0]] as [[Double]] {
      let ends = Variant.ends(["A", "B"], weights)
      #expect(ends.count == 2 && ends[0] <= ends[1] && (0...10_000).contains(ends[1]), "\(weights)")
    }
    #expect(Variant.ends([], nil).isEmpty && TestApp().launched().variant("copy", []) == nil)
  }

  @Test func aPermissionThatIsDecidedDuringTheExplanationIsNotAsked() async {
    let app = TestApp()
    let status = await app.launched().ask(.camera) {
      app.system[.camera] = .denied
      return true
    } request: {
      Issue.record("asked")
    }
    #expect(status == .denied && app.story == ["explanation_shown", "status_checked(denied)"])
  }

  @Test func moreIsAskedForOnce() async {
    let app = TestApp(permissions: [.locationAlways])
    let recorder = app.launched()
    await recorder.ask(.locationAlways) { app.system[.locationAlways] = .whenInUse }
    var asked = 0
    for _ in 0..<2 { await app.launched().ask(.locationAlways) { asked += 1 } }
    #expect(asked == 1)
    #expect(app.story == ["prompt_shown", "granted(when_in_use)", "prompt_shown", "denied"])
  }

  /// A look that takes long brings an old status after a newer one.
  @Test func looksThatOverlap() async {
    var app = TestApp(permissions: [.camera])
    app.system[.camera] = .denied
    await app.launched().check()
    let (started, ended) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
    let calls = Problems()
    app.configuration.readers[.camera] = { [system = app.system] in
      let status = system[.camera]
      calls.add("")
      if calls.all.count == 1 {
        started.continuation.finish()
        for await _ in ended.stream {}
      }
      return status
    }
    let recorder = app.launched()
    async let slow: Void = recorder.check()
    for await _ in started.stream {}
    app.system[.camera] = .authorized
    await recorder.check()
    ended.continuation.finish()
    await slow
    await recorder.check()
    #expect(app.story == ["status_checked(denied)", "re_enabled(authorized)"])
  }

  @Test func anEventThatCannotBeSynchronisedIsNotLost() async {
    let app = TestApp()
    let recorder = app.launched()
    recorder.record(.appActive)
    app.disk.before = { call, _ in
      if call == .synchronise || call == .synchroniseNames { throw DiskError(operation: "sync", number: EIO) }
    }
    for _ in 0..<4 { #expect(recorder.record(.granted, .camera, status: .authorized)) }
    app.disk.before = { call, _ in
      if call == .append || call == .synchroniseNames { throw DiskError(operation: "write", number: EIO) }
    }
    for _ in 0..<3 { #expect(!recorder.record(.denied, .camera, status: .denied)) }
    app.disk.before = { call, _ in if call == .synchroniseNames { throw DiskError(operation: "sync", number: EIO) } }
    for _ in 0..<3 { recorder.record(.appActive) }
    app.disk.before = nil
    #expect(await recorder.send() == .done)
    let losses = app.server.events.compactMap(\.loss).map { "\($0.count) \($0.key)" }
    let missing = 4 - app.server.events.count { $0.event == .appActive }
    #expect(losses.sorted() == (missing > 0 ? ["\(missing) app_active disk"] : []) + ["3 denied disk"])
    #expect(app.server.events.count { $0.event == .granted } == 4)
  }

  @Test func aDenialDuringARequestIsFollowedByAnErasure() async {
    let app = TestApp()
    let recorder = app.launched()
    recorder.record(.appActive)
    app.server.fault = { number in
      if number == 1 { recorder.consent = .denied }
      return .none
    }
    #expect(await recorder.send() == .withheld)
    #expect(app.server.erasedInstalls.count == 1 && app.server.events.isEmpty && recorder.install == nil)
  }

  @Test func aNetworkThatComesBackDuringARequestCounts() async {
    let app = TestApp()
    let recorder = app.launched()
    recorder.record(.appActive)
    for _ in 0..<9 {
      app.server.fault = { _ in .refused }
      #expect(await recorder.send() == .failed)
      app.times.pass(90_000)
    }
    app.server.fault = { _ in
      recorder.networkIsReachable()
      return .refused
    }
    #expect(await recorder.send() == .failed && recorder.outbox.pause == .zero)
  }

  @Test func otherFilesAreLeftAlone() async {
    var app = TestApp()
    for name in ["5.log", "ffffffff.log", "notes.new", "00000001.txt", "0000000g.log"] {
      try? app.disk.append([1], to: name)
    }
    #expect(app.launched().record(.appActive))
    #expect(!app.launched().record(.lost, surface: "100 app_active full"))
    #expect(await app.launched().send() == .done && app.server.events.count == 1)
    #expect(app.disk.contents.files.count == 6)
    app.configuration.readers = [:]
  }

  /// Receipts free the room that they are for.
  @Test func aReceiptNeedsNoRoom() async {
    let app = TestApp()
    let recorder = app.launched()
    for _ in 0..<50 { recorder.record(.appActive) }
    app.server.fault = { _ in .refused }
    _ = await recorder.send()
    app.times.pass(90_000)
    app.server.fault = { _ in .none }
    app.disk.before = { call, _ in if call == .append { throw DiskError(operation: "write", number: ENOSPC) } }
    #expect(await recorder.send() == .done && app.disk.lines.isEmpty)
  }
}
