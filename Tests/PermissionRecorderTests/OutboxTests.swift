// Sending: which answers delete, how long it waits, and what consent means.

import Foundation
import Testing

@testable import PermissionRecorder

@Suite struct OutboxTests {
  @Test(arguments: FakeServer.Fault.allCases.filter { $0 != .none }) func onlyAReceiptDeletes(_ fault: FakeServer.Fault)
    async
  {
    let app = TestApp()
    let recorder = app.launched()
    for _ in 0..<500 { recorder.record(.granted, .camera, status: .authorized) }
    app.server.fault = { _ in fault }
    #expect(await recorder.send() == .failed)
    #expect(recorder.waiting.events == 500)
    // Not again before it is due, not even for another launch's sake more than once.
    let requests = app.server.requestCount
    #expect(await recorder.send() == .waiting && app.server.requestCount == requests)
    app.server.fault = { _ in .none }
    app.times.pass(86_400)
    #expect(await recorder.send() == .done)
    #expect(recorder.waiting == (0, 0) && app.server.events.count == 500 && app.server.conflicts.isEmpty)
    #expect(app.server.lastHeaders["Authorization"] == "Bearer KEY")
  }

  @Test func waitsGrowToSixHours() async {
    let app = TestApp()
    app.server.fault = { _ in .refused }
    let recorder = app.launched()
    recorder.record(.appActive)
    for failure in 0..<20 {
      #expect(await recorder.send() == .failed)
      let (pause, step) = (recorder.outbox.pause / .seconds(1), min(6 * 3600, 5 * pow(2, Double(failure))))
      #expect(pause >= step / 2 && pause <= step, "failure \(failure): \(pause) s")
      app.times.pass(pause + 0.001)
    }
    // A network that comes back, or a longer wait that the server asks for.
    recorder.networkIsReachable()
    app.server.fault = { _ in .unavailable }
    #expect(await recorder.send() == .failed && recorder.outbox.pause / .seconds(1) >= 3599)
  }

  @Test func aServerThatTakesLessGetsLess() async {
    let app = TestApp()
    let recorder = app.launched()
    for _ in 0..<1000 { recorder.record(.granted, .camera, status: .authorized) }
    app.server.fault = { $0 == 1 ? .tooLarge : .none }
    #expect(await recorder.send() == .done)
    #expect(app.server.events.count == 1000 && app.server.requestCount > 4)
  }

  @Test func itRunsByItself() async throws {
    let app = TestApp()
    let recorder = app.launched()
    let running = Task { await recorder.run() }
    for count in 1...3 {
      recorder.record(.granted, .camera, status: .authorized)
      for _ in 0..<500 where app.server.events.count < count { try await Task.sleep(for: .milliseconds(10)) }
      #expect(app.server.events.count == count)
    }
    running.cancel()
    await running.value
  }

  @Test func gzipsFrameIsRight() throws {
    // A block that is stored as it is (RFC 1951, 3.2.4).
    let data = Data("{\"event\":\"granted\"}\n".utf8)
    let length = UInt16(data.count)
    var stored = Data([1])
    for number in [length, ~length] { withUnsafeBytes(of: number.littleEndian) { stored.append(contentsOf: $0) } }
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).gz")
    defer { try? FileManager.default.removeItem(at: file) }
    try Gzip.framed(stored + data, of: data).write(to: file)
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "gzip -dc < '\(file.path)'"]
    process.standardOutput = pipe
    try process.run()
    #expect(pipe.fileHandleForReading.readDataToEndOfFile() == data)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  // MARK: Consent

  @Test func pendingConsentSendsNothing() async {
    var app = TestApp()
    app.configuration.consent = .pending
    let recorder = app.launched()
    #expect(recorder.record(.appActive))
    #expect(await recorder.send() == .withheld && app.server.requestCount == 0)
    recorder.consent = .granted
    #expect(await app.launched().send() == .done && app.server.events.count == 1)
  }

  @Test func pendingConsentRunsOut() async {
    var app = TestApp()
    app.configuration.consent = .pending
    let first = app.launched()
    first.record(.appActive)
    let install = first.install ?? ""
    app.times.pass(31 * 86_400)
    let recorder = app.launched()
    recorder.record(.featureUsed)
    #expect(app.story == ["feature_used"] && !app.holds(install))
    #expect(recorder.install != nil && app.server.requestCount == 0)
  }

  @Test(arguments: [false, true]) func deniedConsentErases(_ wasSent: Bool) async {
    let app = TestApp()
    let recorder = app.launched()
    recorder.record(.granted, .camera, status: .authorized, feature: "secret-feature")
    let install = recorder.install ?? ""
    if wasSent {
      #expect(await recorder.send() == .done)
      recorder.record(.appActive, feature: "secret-feature")
    }
    recorder.consent = .denied
    #expect(!app.holds("secret-feature") && app.holds(install) == wasSent)
    #expect(!app.launched().record(.appActive) && app.disk.lines.isEmpty)
    #expect(app.launched().variant("copy", ["A", "B"]) == nil)
    await app.launched().check()
    app.server.fault = { $0 == 2 ? .unavailable : .none }
    // The request is repeated until it has a receipt; then nothing here knows the install.
    for _ in 0..<2 {
      await app.launched().send()
      app.times.pass(90_000)
    }
    #expect(!app.holds(install) && app.disk.lines.isEmpty)
    #expect(app.server.erasedInstalls == (wasSent ? [install] : []) && app.server.events.isEmpty)
    #expect(app.server.requestCount == (wasSent ? 3 : 0))
    // A person who agrees later is somebody else.
    let later = app.launched()
    later.consent = .granted
    #expect(
      later.record(.appActive) && later.install != install && app.disk.events[0].event_id.hasSuffix("-000000000001"))
  }

  /// Erasing ends in the middle, at every call of the disk.
  @Test func anErasureIsFinishedByTheNextLaunch() async {
    let app = TestApp()
    let recorder = app.launched()
    for number in 0..<400 { recorder.record(.featureUsed, feature: "secret-\(number)") }
    var left: [MemoryDisk] = []
    app.disk.after = { left.append($0.killed) }
    recorder.consent = .denied
    #expect(left.count > 4)
    for disk in left {
      var other = app
      other.disk = disk
      let isDenied = other.launched().consent == .denied
      // Before the decision was on the disk everything is there, and after it nothing.
      #expect(isDenied ? !other.holds("secret") : disk.events.count == 400)
    }
    #expect(
      !app.holds("secret")
        && left.contains { disk in
          var other = app
          other.disk = disk
          return other.launched().consent == .denied
        })
  }
}

extension TestApp {
  /// Whether a text is anywhere in the directory, also in what a loss of power would leave.
  func holds(_ text: String) -> Bool {
    disk.contents.files.values.contains { $0.firstRange(of: Array(text.utf8)) != nil }
  }
}
