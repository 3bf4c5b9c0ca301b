// The app's logic with the recorder, as an app's own tests would have it: a system that a test plays, and no server.

import Foundation
import PermissionRecorder
import Synchronization
import Testing

@testable import PermissionApp

@MainActor @Suite struct ScanFlowTests {
  private final class System: Sendable {
    let camera = Mutex(PermissionStatus.notDetermined)
    let asked = Mutex(0)
  }

  private let system = System()
  private let recorder: PermissionRecorder
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("app-\(UUID())")

  init() {
    let system = system
    recorder = PermissionRecorder(
      .init(
        endpoint: URL(fileURLWithPath: "/"), key: "KEY", directory: folder.path,
        readers: [.camera: { system.camera.withLock { $0 } }]))
  }

  private func flow(answering answer: PermissionStatus) -> ScanFlow {
    ScanFlow(recorder) { [system] in
      system.asked.withLock { $0 += 1 }
      system.camera.withLock { $0 = answer }
    }
  }

  private func scanning(_ flow: ScanFlow, goesOn: Bool) async {
    let scan = Task { await flow.scan() }
    while flow.step == .start { await Task.yield() }
    guard case .explanation(let words) = flow.step else { return #expect(Bool(false), "\(flow.step)") }
    #expect(["reason", "promise"].contains(words))
    flow.explanationAnswered(goesOn)
    await scan.value
  }

  @Test func whoGoesOnAndAllowsScans() async throws {
    let flow = flow(answering: .authorized)
    await scanning(flow, goesOn: true)
    #expect(flow.step == .camera)
    // The assignment, the explanation, the dialog, the answer.
    #expect(recorder.waiting.events == 4)
    await flow.scan()
    #expect(flow.step == .camera && recorder.waiting.events == 4)
    try FileManager.default.removeItem(at: folder)
  }

  @Test func notNowIsNotAsked() async throws {
    let flow = flow(answering: .authorized)
    await scanning(flow, goesOn: false)
    #expect(flow.step == .typing && system.asked.withLock { $0 } == 0)
    try FileManager.default.removeItem(at: folder)
  }

  @Test func whoDeniesIsLedToSettingsAndBack() async throws {
    let flow = flow(answering: .denied)
    await scanning(flow, goesOn: true)
    #expect(flow.step == .off)
    await flow.openSettings { [system] in system.camera.withLock { $0 = .authorized } }
    await recorder.becameActive()
    flow.becameActive(.authorized)
    #expect(flow.step == .camera)
    // Assignment, explanation, dialog, denial, alert, Settings, use of the app, the way back.
    #expect(recorder.waiting.events == 8)
    try FileManager.default.removeItem(at: folder)
  }
}
