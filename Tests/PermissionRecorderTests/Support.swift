// A disk in memory, a network and a clock that do what a test wants.

import Foundation

@testable import PermissionRecorder

/// A disk in memory that can fail at any call, and tells what a kill or a loss of power would leave at any moment.
final class MemoryDisk: Disk, @unchecked Sendable {
  struct Contents {
    /// What a process sees.
    var files: [String: [UInt8]] = [:]
    /// What a loss of power leaves for sure: bytes, and which files there are.
    var durable: [String: [UInt8]] = [:]
    var generation: UInt64 = 0
  }

  enum Call: String, CaseIterable {
    case names, read, append, cut, synchronise, synchroniseNames, rename, remove, raise
  }

  private let mutex = NSRecursiveLock()
  private(set) var contents = Contents()
  private var inode: [String: Int] = [:]
  private var synchronised: [Int: [UInt8]] = [:]
  private var nextInode = 0
  private(set) var calls = 0
  /// Called before each call; what it throws is what the call does. For `append`, how many bytes are written before it fails.
  var before: ((Call, Int) throws -> Void)?
  var shortWrite: ((Int) -> Int)?
  /// Called after each change, and with half an append.
  var after: ((MemoryDisk) -> Void)?

  init(_ contents: Contents = Contents()) {
    self.contents = contents
    for (name, bytes) in contents.files {
      inode[name] = nextInode
      synchronised[nextInode] = bytes
      nextInode += 1
    }
  }

  private func step(_ call: Call) throws {
    calls += 1
    try before?(call, calls)
  }

  /// What another process finds after this one was killed.
  var killed: MemoryDisk { MemoryDisk(contents) }
  /// What is there after a loss of power that took all that it could.
  var withoutPower: MemoryDisk {
    MemoryDisk(Contents(files: contents.durable, durable: contents.durable, generation: contents.generation))
  }
  /// What is there after a loss of power that took the end of each file that was not synchronised, in the middle of a byte's sector.
  var tornByPower: MemoryDisk {
    var files = contents.durable
    for (name, bytes) in contents.files where inode[name] != nil {
      let safe = synchronised[inode[name] ?? -1]?.count ?? 0
      guard bytes.count > safe else { continue }
      files[name] =
        Array(bytes[..<(safe + (bytes.count - safe) / 2)]) + [UInt8](repeating: 0, count: (bytes.count - safe) / 4)
    }
    return MemoryDisk(Contents(files: files, durable: files, generation: contents.generation))
  }

  func names() throws -> [String] {
    try mutex.withLock {
      try step(.names)
      return Array(contents.files.keys)
    }
  }

  func read(_ name: String) throws -> [UInt8] {
    try mutex.withLock {
      try step(.read)
      guard let bytes = contents.files[name] else { throw DiskError(operation: "read", number: ENOENT) }
      return bytes
    }
  }

  func append(_ bytes: [UInt8], to name: String) throws {
    try mutex.withLock {
      if contents.files[name] == nil {
        contents.files[name] = []
        inode[name] = nextInode
        nextInode += 1
      }
      let count = shortWrite?(bytes.count) ?? bytes.count / 2
      do { try step(.append) } catch {
        contents.files[name]? += bytes[..<min(count, bytes.count)]
        after?(self)
        throw error
      }
      contents.files[name]? += bytes[..<count]
      after?(self)
      contents.files[name]? += bytes[count...]
      after?(self)
    }
  }

  func cut(_ name: String, to length: Int) throws {
    try mutex.withLock {
      try step(.cut)
      contents.files[name] = contents.files[name].map { Array($0.prefix(length)) }
      after?(self)
    }
  }

  func synchronise(_ name: String) throws {
    try mutex.withLock {
      try step(.synchronise)
      synchronised[inode[name] ?? -1] = contents.files[name]
      if contents.durable[name] != nil { contents.durable[name] = contents.files[name] }
      after?(self)
    }
  }

  func synchroniseNames() throws {
    try mutex.withLock {
      try step(.synchroniseNames)
      contents.durable = [:]
      for name in contents.files.keys { contents.durable[name] = synchronised[inode[name] ?? -1] ?? [] }
      after?(self)
    }
  }

  func rename(_ name: String, to other: String) throws {
    try mutex.withLock {
      try step(.rename)
      contents.files[other] = contents.files.removeValue(forKey: name)
      inode[other] = inode.removeValue(forKey: name)
      after?(self)
    }
  }

  func remove(_ name: String) throws {
    try mutex.withLock {
      try step(.remove)
      contents.files[name] = nil
      inode[name] = nil
      after?(self)
    }
  }

  /// A byte that is another one from now on, whatever is read.
  func spoil(_ name: String, at place: Int) { mutex.withLock { contents.files[name]?[place] ^= 255 } }

  func lock() throws -> UInt64 {
    mutex.lock()
    return contents.generation
  }

  func raise(_ generation: UInt64) throws {
    try step(.raise)
    contents.generation = generation
  }

  func unlock() { mutex.unlock() }

  // MARK: What is in it

  /// The lines of all records, the oldest file first.
  var lines: [[UInt8]] {
    contents.files.filter { $0.key.hasSuffix(".log") || $0.key.hasSuffix(".sent") }.sorted { $0.key < $1.key }
      .flatMap { Record.contents(of: $0.value).lines.map { Array($0) } }
  }

  var events: [Event] { lines.compactMap { try? JSONDecoder().decode(Event.self, from: Data($0)) } }
}

/// A server behind a network: keeps the first of each event, as permlog does.
final class FakeServer: Transport, @unchecked Sendable {
  enum Fault: CaseIterable { case none, refused, lostAnswer, unavailable, portal, gone, tooLarge, wrongKey }

  private let lock = NSLock()
  private var byID: [String: Event] = [:]
  private var erased: [String] = []
  private var copies = 0
  private var headers: [[String: String]] = []
  /// What the next request meets.
  var fault: @Sendable (Int) -> Fault = { _ in .none }
  private var requests = 0

  var events: [Event] { lock.withLock { byID.values.sorted { $0.event_id < $1.event_id } } }
  var erasedInstalls: [String] { lock.withLock { erased } }
  var requestCount: Int { lock.withLock { requests } }
  var lastHeaders: [String: String] { lock.withLock { headers.last ?? [:] } }
  /// Ids that came with other contents than before.
  private(set) var conflicts: [String] = []

  func post(_ body: [UInt8], to url: URL, headers: [String: String]) async throws -> TransportAnswer {
    try take(body, url, headers)
  }

  private func take(_ body: [UInt8], _ url: URL, _ headers: [String: String]) throws -> TransportAnswer {
    try lock.withLock {
      requests += 1
      self.headers.append(headers)
      let fault = fault(requests)
      switch fault {
      case .refused: throw URLError(.cannotConnectToHost)
      case .unavailable: return TransportAnswer(status: 503, retryAfter: "3600")
      case .portal: return TransportAnswer(status: 200, body: Array("<html>Welcome to Hotel Wi-Fi</html>".utf8))
      case .gone: return TransportAnswer(status: 410)
      case .wrongKey: return TransportAnswer(status: 401)
      case .tooLarge: return TransportAnswer(status: 413)
      case .none, .lostAnswer: break
      }
      if url.path.hasSuffix("/v1/erasures") {
        let object = try JSONSerialization.jsonObject(with: Data(body)) as? [String: String]
        let user = object?["user_id"] ?? ""
        erased.append(user)
        byID = byID.filter { $0.value.user_id != user }
      } else {
        for line in body.split(separator: UInt8(ascii: "\n")) {
          let event = try JSONDecoder().decode(Event.self, from: Data(line))
          if let other = byID[event.event_id] {
            copies += 1
            if other != event { conflicts.append(event.event_id) }
          } else {
            byID[event.event_id] = event
          }
        }
      }
      if fault == .lostAnswer { throw URLError(.networkConnectionLost) }
      return TransportAnswer(status: 200, body: Array(#"{"receipt":"1"}"#.utf8))
    }
  }
}

/// A clock that a test sets.
final class Times: @unchecked Sendable {
  private let lock = NSLock()
  private var wallTime = Date(timeIntervalSince1970: 1_790_000_000)
  private var up = Duration.zero

  var wall: Date {
    get { lock.withLock { wallTime } }
    set { lock.withLock { wallTime = newValue } }
  }
  var uptime: Duration { lock.withLock { up } }
  func pass(_ seconds: Double) { lock.withLock { (wallTime, up) = (wallTime + seconds, up + .seconds(seconds)) } }
  var clock: Clock { Clock(wall: { self.wall }, uptime: { self.uptime }) }
}

/// The system's answers.
final class FakeSystem: @unchecked Sendable {
  private let lock = NSLock()
  private var all: [Permission: PermissionStatus] = [:]
  subscript(_ permission: Permission) -> PermissionStatus {
    get { lock.withLock { all[permission] ?? .notDetermined } }
    set { lock.withLock { all[permission] = newValue } }
  }
}

/// An app with a recorder, which may end and begin again.
struct TestApp {
  var disk = MemoryDisk()
  var server = FakeServer()
  let times = Times()
  let system = FakeSystem()
  var configuration: PermissionRecorder.Configuration

  init(permissions: [Permission] = [.camera, .notifications], byteLimit: Int = 1 << 20) {
    configuration = .init(endpoint: endpoint, key: "KEY", appVersion: "1.0")
    configuration.byteLimit = byteLimit
    for permission in permissions { configuration.readers[permission] = { [system] in system[permission] } }
  }

  /// A launch: what was in memory is gone.
  func launched() -> PermissionRecorder {
    PermissionRecorder(configuration, transport: server, clock: times.clock) { [disk] in disk }
  }

  /// What the journal says is lost, and has told nobody yet.
  var losses: JournalState.Losses {
    let bytes = disk.contents.files[Journal.stateName] ?? []
    let line = Record.contents(of: bytes).lines.first.map { Data($0) } ?? Data()
    return (try? JSONDecoder().decode(JournalState.self, from: line))?.losses ?? [:]
  }

  /// Kinds of the journal's events, with statuses.
  var story: [String] { disk.events.map(told) }
}

func told(_ event: Event) -> String {
  event.event.rawValue + (event.status.map { "(\($0.rawValue))" } ?? "")
}

let endpoint = URL(string: "https://events.example.com") ?? URL(fileURLWithPath: "/")

/// A sequence of random numbers that a seed repeats (SplitMix64).
struct Seeded: RandomNumberGenerator {
  var state: UInt64
  init(_ seed: Int) { state = UInt64(truncatingIfNeeded: seed) }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// All seeds, or every fourth as other tests of this package do.
func seeds(_ range: Range<Int>) -> [Int] {
  ProcessInfo.processInfo.environment["PERMLOG_SEEDS"] == "all" ? Array(range) : range.filter { $0 % 4 == 0 }
}
