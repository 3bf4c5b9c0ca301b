// The permissions manager: each story of an app, and the events that tell it.

import Foundation
import Testing

@testable import PermissionRecorder

@Suite struct AskingTests {
  @Test func aPersonIsAskedAndAnswers() async {
    let app = TestApp()
    let recorder = app.launched()
    let variant = recorder.variant("copy_v1", ["A", "B"])
    let after = await recorder.ask(.camera, variant: variant, surface: "scan") {
      app.times.pass(3)
      return true
    } request: {
      app.times.pass(2)
      app.system[.camera] = .authorized
    }
    #expect(after == .authorized)
    #expect(app.story == ["assigned", "explanation_shown", "prompt_shown", "granted(authorized)"])
    let events = app.disk.events
    #expect(events.allSatisfy { $0.variant == variant?.name && $0.experiment == "copy_v1" })
    let times = events.compactMap { Event.date($0.timestamp) }
    #expect(times.map { $0.timeIntervalSince(times[0]) } == [0, 0, 3, 5])
    // A second time the system would show nothing.
    await recorder.ask(
      .camera,
      explain: {
        Issue.record("explained"); return true
      }
    ) { Issue.record("asked") }
    #expect(app.story.count == 4)
  }

  @Test func notNowAsksNobody() async {
    let app = TestApp()
    await app.launched().ask(.camera, explain: { false }) { Issue.record("asked") }
    #expect(app.story == ["explanation_shown", "skipped"])
  }

  @Test func aCallThatShowsNothingIsNoAnswer() async {
    let app = TestApp()
    await app.launched().ask(.camera) {}
    #expect(app.story == ["prompt_shown", "skipped(not_determined)"])
    app.system[.notifications] = .restricted
    await app.launched().ask(.notifications) { Issue.record("asked") }
    #expect(app.story.last == "status_checked(restricted)")
  }

  @Test func whatAParentDecidesIsNotARefusal() async {
    let app = TestApp()
    await app.launched().ask(.camera) { app.system[.camera] = .restricted }
    #expect(app.story == ["prompt_shown", "denied(restricted)"])
  }

  @Test func aStatusThatNobodyReadsIsNotRecorded() async {
    var app = TestApp()
    let problems = Problems()
    app.configuration.onProblem = { problems.add($0) }
    var isAsked = false
    #expect(await app.launched().ask(.contacts) { isAsked = true } == nil)
    #expect(isAsked && app.story.isEmpty && problems.all.contains { $0.contains("contacts") })
  }

  @Test func changesInSettingsAreFoundOnce() async {
    let app = TestApp(permissions: [.camera])
    await app.launched().ask(.camera) { app.system[.camera] = .denied }
    app.times.pass(3600)
    let recorder = app.launched()
    recorder.settingsPromptShown(.camera)
    await recorder.openSettings(.camera) {
      #expect(app.disk.withoutPower.events.last?.event == .settingsOpened)
      app.system[.camera] = .authorized
    }
    // iOS ends the app.
    await app.launched().check()
    await app.launched().check()
    app.system[.camera] = .denied
    await app.launched().check()
    app.system[.camera] = .notDetermined
    await app.launched().check()
    #expect(
      app.story == [
        "prompt_shown", "denied(denied)", "settings_prompt_shown", "settings_opened", "re_enabled(authorized)",
        "revoked(denied)", "status_checked(not_determined)",
      ])
  }

  @Test func theFirstLookIsNoAnswer() async {
    var app = TestApp(permissions: [.camera])
    app.system[.camera] = .authorized
    await app.launched().check()
    await app.launched().check()
    // An update looks again.
    app.configuration.appVersion = "2.0"
    await app.launched().check()
    await app.launched().check()
    #expect(app.story == ["status_checked(authorized)", "status_checked(authorized)"])
    #expect(app.disk.events.map(\.app_version) == ["1.0", "2.0"])
  }

  @Test func theAnswerOfADialogThatOutlivedTheAppIsALook() async throws {
    let app = TestApp(permissions: [.camera])
    let first = app.launched()
    await first.check()
    await withCheckedContinuation { done in
      Task {
        await first.ask(.camera) {
          done.resume()
          try await Task.sleep(for: .seconds(600))
        }
      }
    }
    // The app was killed while the dialog was up, and the answer is seen at the next launch.
    app.system[.camera] = .authorized
    await app.launched().check()
    await app.launched().check()
    #expect(app.story == ["status_checked(not_determined)", "prompt_shown", "status_checked(authorized)"])
  }

  @Test func aDialogsClosingIsNotALook() async {
    let app = TestApp(permissions: [.camera])
    let recorder = app.launched()
    await recorder.ask(.camera) {
      app.system[.camera] = .authorized
      await recorder.becameActive()
    }
    #expect(app.story == ["prompt_shown", "granted(authorized)"])
  }

  @Test func aDenialWhileTheDialogIsUpIsNoReturn() async {
    let app = TestApp(permissions: [.tracking])
    await app.launched().ask(.tracking) { app.system[.tracking] = .denied }
    app.times.pass(5)
    app.system[.tracking] = .authorized
    await app.launched().becameActive()
    #expect(app.story == ["prompt_shown", "denied(denied)", "app_active", "status_checked(authorized)"])
  }

  @Test func twoCallersAskOnce() async {
    let app = TestApp()
    let recorder = app.launched()
    await recorder.ask(.camera) {
      #expect(await recorder.ask(.camera, request: { Issue.record("asked twice") }) == .notDetermined)
      app.system[.camera] = .limited
    }
    #expect(app.story == ["prompt_shown", "granted(limited)"])
  }

  @Test(arguments: [10, -10] as [Double]) func aClockThatIsSetTurnsNothingRound(_ years: Double) async {
    let app = TestApp(permissions: [.camera])
    let recorder = app.launched()
    await recorder.ask(.camera) {
      app.times.pass(2)
      app.times.wall += years * 365 * 86_400
      app.system[.camera] = .authorized
    }
    let times = app.disk.events.compactMap { Event.date($0.timestamp) }
    #expect(times.count == 2 && times[1].timeIntervalSince(times[0]) == 2)
    // From the next look on the time is the clock's.
    await recorder.check()
    recorder.record(.appActive)
    #expect(app.disk.events.last.flatMap { Event.date($0.timestamp) } == app.times.wall)
  }

  @Test func longTextsAreCutWhereTheLogWouldRefuseThem() {
    let app = TestApp()
    let recorder = app.launched()
    recorder.record(.featureUsed, feature: String(repeating: "ß", count: 300))
    recorder.record(.featureUsed, feature: "")
    recorder.record(.featureUsed, feature: "\u{0}\"\\\n👩‍👩‍👧‍👦")
    #expect(app.disk.events.map(\.feature) == [String(repeating: "ß", count: 128), nil, "\u{0}\"\\\n👩‍👩‍👧‍👦"])
  }
}

final class Problems: @unchecked Sendable {
  private let lock = NSLock()
  private var texts: [String] = []
  func add(_ text: String) { lock.withLock { texts.append(text) } }
  var all: [String] { lock.withLock { texts } }
}
