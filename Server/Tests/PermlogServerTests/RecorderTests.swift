// Apps with a recorder, a network that breaks, and the server: what people did is what the log has, or the log says what is missing.

import Foundation
import Permlog
import Synchronization
import Testing

@testable import PermissionRecorder
@testable import PermlogServer

@Suite struct RecorderTests {
  /// Each seed is a phone, a person and a network of its own; all share a server.
  @Test func theLogHasWhatPeopleDid() async throws {
    let all = ProcessInfo.processInfo.environment["PERMLOG_SEEDS"] == "all"
    let seeds = (0..<1000).filter { all || $0 % 4 == 0 }
    let directory = try TemporaryDirectory()
    let lives = try await withServer(in: directory) { server in
      let lives = try await withThrowingTaskGroup(of: Life.self) { group in
        var lives: [Life] = []
        for (number, seed) in seeds.enumerated() {
          // So many phones at a time.
          if number >= 16, let life = try await group.next() { lives.append(life) }
          group.addTask {
            let life = try Life(seed, server, directory.path + "/phone-\(seed)")
            try await life.live()
            return life
          }
        }
        for try await life in group { lives.append(life) }
        return lives
      }
      try await server.settle()
      let lines = try events(of: server.log)
      let byUser = Dictionary(grouping: lines) { $0["user_id"] as? String ?? "" }
      var (missing, lost) = (0, 0)
      for life in lives {
        let (own, wanted) = (byUser[life.install] ?? [], life.truth.withLock { $0 })
        let found = own.filter { $0["event"] as? String != "lost" }.map(Self.told)
        let losses = own.compactMap { line in
          (line["event"] as? String) == "lost"
            ? LostEvents(surface: Array((line["surface"] as? String ?? "").utf8)) : nil
        }
        // What is in the log happened, each of it once.
        #expect(Counted(found).subtracting(Counted(wanted)).isEmpty, "seed \(life.seed)")
        for (kind, count) in Counted(
          Counted(wanted).subtracting(Counted(found)).map { String($0.prefix { $0 != " " }) }
        ).counts {
          let told = losses.filter { $0.kind == kind }.reduce(0) { $0 + $1.count }
          #expect(told >= count, "seed \(life.seed): \(count) \(kind) are missing, \(told) are told")
          (missing, lost) = (missing + count, lost + told)
        }
        if life.hasRoom { #expect(losses.isEmpty && found.count == wanted.count, "seed \(life.seed)") }
      }
      // Some phones had too little room, so that losses are tried, too.
      #expect(missing > 0 && lines.count > seeds.count * 30)
      #expect(server.server.metrics.value(.quarantineEntries) == 0)
      return lives
    }
    #expect(lives.count == seeds.count)
  }

  @Test func anErasureTravels() async throws {
    let directory = try TemporaryDirectory()
    try await withServer(in: directory) { server in
      let life = try Life(0, server, directory.path + "/phone")
      life.isMended.withLock { $0 = true }
      let recorder = life.launched()
      for _ in 0..<5 { recorder.record(.appActive) }
      let install = recorder.install ?? ""
      #expect(await recorder.send() == .done)
      try await server.settle()
      #expect(try events(of: server.log).count == 5)
      recorder.record(.appActive)
      recorder.consent = .denied
      #expect(await recorder.send() == .withheld)
      #expect(try events(of: server.log).isEmpty)
      // A request that was on its way comes too late.
      let late = #"{"user_id":"\#(install)","timestamp":"2026-11-20T10:00:00Z","event":"app_active"}"#
      _ = try await server.post("/v1/events?wait=1&key=wk", late)
      #expect(try events(of: server.log).isEmpty)
    }
  }

  @Test func onlyInstallsAreErasedByPhones() async throws {
    let directory = try TemporaryDirectory()
    try await withServer(in: directory) { server in
      _ = try await server.post("/v1/events?wait=1&key=wk", event("1", user: "jo@example.com"))
      let key = ["Authorization: Bearer wk"]
      for body in ["", "{}", #"{"user_id":"jo@example.com"}"#, #"{"user_id":5}"#, "[1]"] {
        #expect(try await server.post("/v1/erasures", body, headers: key).status == 400, "\(body)")
      }
      let install = #"{"user_id":"7f3a1c90-52be-4d1b-9c06-e4a8d7b2f615"}"#
      #expect(try await server.post("/v1/erasures", install, headers: ["Authorization: Bearer other"]).status == 401)
      #expect(try await server.post("/v1/erasures", install).status == 401)
      // Many at the same time are made together.
      let erasures = await withTaskGroup(of: Int.self) { group in
        for _ in 0..<40 {
          group.addTask {
            (try? await server.post("/v1/erasures", #"{"user_id":"\#(UUID())"}"#, headers: key).status) ?? 0
          }
        }
        return await group.reduce(into: [Int]()) { $0.append($1) }
      }
      #expect(erasures == [Int](repeating: 200, count: 40))
      #expect(try events(of: server.log).count == 1 && server.server.metrics.count(.erasedInstalls) == 40)
    }
  }

  fileprivate static func told(_ line: [String: Any]) -> String {
    ["event", "permission", "status", "variant", "feature", "timestamp"].compactMap { line[$0] as? String }.joined(
      separator: " ")
  }
}

/// The log's events.
private func events(of log: PermissionLog) throws -> [[String: Any]] {
  var bytes: [UInt8] = []
  do { try log.export { bytes += $0 } } catch {
    guard error.code == .notFound else { throw error }
    return []
  }
  return bytes.split(separator: UInt8(ascii: "\n")).compactMap {
    (try? JSONSerialization.jsonObject(with: Data($0))) as? [String: Any]
  }
}

/// How many there are of each.
private struct Counted {
  var counts: [String: Int]
  init(_ all: [String]) { counts = Dictionary(all.map { ($0, 1) }, uniquingKeysWith: +) }
  func subtracting(_ other: Counted) -> [String] {
    counts.flatMap { [String](repeating: $0.key, count: max(0, $0.value - (other.counts[$0.key] ?? 0))) }
  }
}

/// A phone, a person with an app, and what really happened.
private final class Life: Transport, @unchecked Sendable {
  // Unchecked: one task lives it; the transport's own state is behind locks.
  let seed: Int
  let hasRoom: Bool
  let truth = Mutex<[String]>([])
  let isMended = Mutex(false)
  private let server: RunningServer
  private let directory: String
  private let random: Mutex<Numbers>
  private let network: Mutex<Numbers>
  private let milliseconds = Mutex(0)
  private let statuses = Mutex<[Permission: PermissionStatus]>([:])
  private var version = 1
  private(set) var install = ""
  private let start = Date(timeIntervalSince1970: 1_764_000_000)

  init(_ seed: Int, _ server: RunningServer, _ directory: String) throws {
    (self.seed, self.server, self.directory) = (seed, server, directory)
    hasRoom = seed % 12 != 0
    random = Mutex(Numbers(seed))
    network = Mutex(Numbers(seed + 1_000_000))
  }

  private func oneIn(_ number: Int) -> Bool { random.withLock { Int.random(in: 0..<number, using: &$0) == 0 } }
  private func pass(_ most: Double) {
    let time = random.withLock { Int.random(in: 1...Int(most * 1000), using: &$0) }
    milliseconds.withLock { $0 += time }
  }
  private var now: Date { start + Double(milliseconds.withLock { $0 }) / 1000 }

  private func happened(_ words: String...) {
    let passed = milliseconds.withLock { $0 }
    let second = (start + Double(passed / 1000)).formatted(Date.ISO8601FormatStyle()).dropLast()
    let time = "\(second).\(String(passed % 1000 + 1000).dropFirst())Z"
    truth.withLock { $0.append((words + [time]).joined(separator: " ")) }
  }

  func launched() -> PermissionRecorder {
    var configuration = PermissionRecorder.Configuration(
      endpoint: URL(fileURLWithPath: "/"), key: "wk", appVersion: "\(version)")
    if !hasRoom { configuration.byteLimit = 20_000 }
    for permission in [Permission.camera, .notifications] {
      configuration.readers[permission] = { self.statuses.withLock { $0[permission] ?? .notDetermined } }
    }
    let clock = Clock(
      wall: { self.now }, uptime: { .milliseconds(self.milliseconds.withLock { $0 }) })
    return PermissionRecorder(configuration, transport: self, clock: clock) { try Directory(self.directory) }
  }

  func live() async throws {
    var recorder = launched()
    install = recorder.install ?? ""
    let variant = recorder.variant("copy", ["A", "B"])
    happened("assigned", variant?.name ?? "none")
    // By permission what the app has seen, and with which version.
    var seen: [Permission: (status: PermissionStatus, version: Int)] = [:]
    func look() async {
      await recorder.check()
      for permission in [Permission.camera, .notifications] {
        let status = statuses.withLock { $0[permission] ?? .notDetermined }
        if let before = seen[permission] {
          if before.status == status {
            if before.version != version { happened("status_checked", permission.rawValue, status.rawValue) }
          } else if before.status == .denied, status == .authorized {
            happened("re_enabled", permission.rawValue, status.rawValue)
          } else if before.status == .authorized, status == .denied {
            happened("revoked", permission.rawValue, status.rawValue)
          } else {
            happened("status_checked", permission.rawValue, status.rawValue)
          }
        } else {
          happened("status_checked", permission.rawValue, status.rawValue)
        }
        seen[permission] = (status, version)
      }
    }
    await look()
    for step in 0..<(hasRoom ? 40 : 120) {
      // So long that a changed status is not taken for the end of a dialog.
      milliseconds.withLock { $0 += 61_000 }
      pass(7200)
      let permission: Permission = oneIn(2) ? .camera : .notifications
      switch random.withLock({ Int.random(in: 0..<10, using: &$0) }) {
      case 0:
        // Launched again, maybe updated; what was in memory is gone.
        if oneIn(3) { version += 1 }
        recorder = launched()
        await look()
      case 1, 2:
        await ask(recorder, permission, variant, &seen)
      case 3:
        recorder.settingsPromptShown(permission)
        happened("settings_prompt_shown", permission.rawValue)
        pass(20)
        happened("settings_opened", permission.rawValue)
        await recorder.openSettings(permission) {
          statuses.withLock { all in
            guard let status = all[permission], status != .notDetermined else { return }
            all[permission] = status == .denied ? .authorized : .denied
          }
        }
        // iOS ends the app.
        pass(60)
        recorder = launched()
        await look()
      case 4, 5:
        await recorder.send()
      case 6:
        recorder.record(.appActive)
        happened("app_active")
      default:
        recorder.record(.featureUsed, feature: "f\(step)")
        happened("feature_used", "f\(step)")
      }
    }
    isMended.withLock { $0 = true }
    for _ in 0..<20 {
      milliseconds.withLock { $0 += 90_000_000 }
      if await recorder.send() == .done { break }
    }
    #expect(recorder.waiting == (0, 0), "seed \(seed)")
  }

  private func ask(
    _ recorder: PermissionRecorder, _ permission: Permission, _ variant: Variant?,
    _ seen: inout [Permission: (status: PermissionStatus, version: Int)]
  ) async {
    let name = variant?.name ?? ""
    let before = statuses.withLock { $0[permission] ?? .notDetermined }
    let (goesOn, answer) = (!oneIn(4), oneIn(8) ? PermissionStatus.notDetermined : oneIn(2) ? .authorized : .denied)
    if before != .notDetermined {
      if let known = seen[permission], known.status != before || known.version != version { return }
    } else {
      happened("explanation_shown", permission.rawValue, name)
    }
    await recorder.ask(permission, variant: variant) {
      pass(30)
      happened(goesOn ? "prompt_shown" : "skipped", permission.rawValue, name)
      return goesOn
    } request: {
      pass(30)
      statuses.withLock { $0[permission] = answer }
      let kind = answer == .notDetermined ? "skipped" : answer == .authorized ? "granted" : "denied"
      happened(kind, permission.rawValue, answer.rawValue, name)
      seen[permission] = (answer, version)
    }
  }

  // MARK: The network

  func post(_ body: [UInt8], to url: URL, headers: [String: String]) async throws -> TransportAnswer {
    // A phone with too little room is offline nearly all the time.
    let drawn = network.withLock { Int.random(in: 0..<(hasRoom ? 12 : 9), using: &$0) }
    let fault = isMended.withLock { $0 } ? 99 : hasRoom ? drawn : drawn < 8 ? 0 : 4
    let (path, own) = (url.path, headers.map { "\($0.key): \($0.value)" })
    switch fault {
    case 0: throw URLError(.cannotConnectToHost)
    case 1: return TransportAnswer(status: 503, retryAfter: "30")
    case 2: return TransportAnswer(status: 200, body: Array("<html>Log in to the Wi-Fi</html>".utf8))
    case 3:
      _ = try await server.request("POST", path, body, headers: own, half: true)
      throw URLError(.networkConnectionLost)
    case 4, 5:
      _ = try await server.request("POST", path, body, headers: own)
      throw URLError(.networkConnectionLost)
    case 6:
      // A proxy that repeats.
      _ = try await server.request("POST", path, body, headers: own)
    default: break
    }
    let answer = try await server.request("POST", path, body, headers: own)
    return TransportAnswer(status: answer.status, body: Array(answer.body.utf8))
  }
}

/// Numbers that a seed repeats (SplitMix64).
private struct Numbers: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: Int) { state = UInt64(truncatingIfNeeded: seed) &* 0x9E37_79B9_7F4A_7C15 }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
