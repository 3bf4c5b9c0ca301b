// The recorder as an app meets it.

import Foundation

/// Records what people answer when an app asks for permissions, and sends it to a permlog-server. What a call has recorded is on the disk when
/// it returns, and goes when a server has it.
///
/// ```swift
/// let recorder = PermissionRecorder(
///   .init(endpoint: URL(string: "https://events.example.com")!, key: "KEY", appVersion: "3.1", readers: [.camera: readCamera]))
/// Task { await recorder.run() }                           // sends, for as long as the app lives
/// await recorder.becameActive()                           // at launch, and whenever the app becomes active
/// let status = await recorder.ask(.camera) { await AVCaptureDevice.requestAccess(for: .video) }
/// ```
///
/// It may be called from any thread or actor, and by an app and its extensions at the same time if they share the directory.
public final class PermissionRecorder: @unchecked Sendable {
  // Unchecked: all that changes is touched with `lock` held.

  public struct Configuration: Sendable {
    /// Where events wait; nil for a directory of the app's own. An app that shares it with extensions names one of its group's container.
    public var directory: String?
    /// The server's address: events go to `/v1/events` below it.
    public var endpoint: URL
    public var key: String
    public var consent: Consent
    /// A consent that is pending for longer erases what was recorded.
    public var pendingDays = 30.0
    /// Bytes that may wait, so that weeks without a network have room: an event takes about 300. At least 64 KiB, so that there is
    /// always room to tell of losses.
    public var byteLimit = 1 << 20
    public var appVersion: String?
    public var osVersion: String?
    public var platform: String?
    public var locale: String?
    /// How the status of each permission is looked up, for `ask` and `check`; nil for one that is not known, of which nothing is recorded.
    public var readers: [Permission: @Sendable () async -> PermissionStatus?]
    /// Told what a developer should know: a status that nobody can read, a disk that failed. Never a user's id.
    public var onProblem: @Sendable (String) -> Void = { _ in }

    public init(
      endpoint: URL, key: String, consent: Consent = .granted, directory: String? = nil, appVersion: String? = nil,
      readers: [Permission: @Sendable () async -> PermissionStatus?] = [:]
    ) {
      (self.endpoint, self.key, self.consent, self.directory) = (endpoint, key, consent, directory)
      (self.appVersion, self.readers) = (appVersion, readers)
      let version = ProcessInfo.processInfo.operatingSystemVersion
      osVersion = "\(version.majorVersion).\(version.minorVersion)"
      locale = Locale.current.identifier
      #if os(iOS)
        platform = "ios"
      #elseif os(macOS)
        platform = "macos"
      #elseif os(watchOS)
        platform = "watchos"
      #elseif os(visionOS)
        platform = "visionos"
      #endif
    }
  }

  let configuration: Configuration
  let outbox: Outbox
  private let clock: Clock
  private let openDisk: @Sendable () throws -> any Disk
  private let lock = NSLock()
  private var journal: Journal?
  private var isTelling = false
  /// What the user agreed to, until the disk has it.
  private var wanted: Consent?
  /// A denial that the disk does not have yet, whatever the user agreed to later.
  private var isDenied = false
  /// Events that the disk refused, until it takes an event that says so.
  private var refused: [EventKind: Int] = [:]
  /// Permissions whose dialog or explanation is up, and how often anybody was asked.
  private var asking: Set<Permission> = []
  private var asks = 0
  /// How many statuses were looked up, and by permission the number of the one that was compared last.
  private var (reads, compared) = (0, [Permission: Int]())

  public convenience init(_ configuration: Configuration) {
    var configuration = configuration
    configuration.byteLimit = max(configuration.byteLimit, 65_536)
    let directory = configuration.directory ?? Self.ownDirectory
    self.init(configuration, transport: URLSessionTransport(), clock: Clock()) { try Directory(directory) }
  }

  init(
    _ configuration: Configuration, transport: any Transport, clock: Clock,
    openDisk: @escaping @Sendable () throws -> any Disk
  ) {
    var configuration = configuration
    for path: WritableKeyPath<Configuration, String?> in [\.appVersion, \.osVersion, \.platform, \.locale] {
      configuration[keyPath: path] = Event.bounded(configuration[keyPath: path])
    }
    (self.configuration, self.clock, self.openDisk) = (configuration, clock, openDisk)
    outbox = Outbox(transport, clock)
  }

  private static var ownDirectory: String {
    let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
    return (support ?? FileManager.default.temporaryDirectory).appendingPathComponent("PermissionRecorder").path
  }

  // MARK: Recording

  /// Records an event. `ask`, `check` and `openSettings` record theirs themselves.
  ///
  /// - Parameter feature: with `.featureUsed`, which one.
  /// - Returns: whether it is on the disk; false also if the user denied consent. What is not is counted, and told to the server later.
  @discardableResult
  public func record(
    _ kind: EventKind, _ permission: Permission? = nil, status: PermissionStatus? = nil, variant: Variant? = nil,
    surface: String? = nil, feature: String? = nil
  ) -> Bool {
    // Losses are counted by the recorder alone.
    guard kind != .lost else { return false }
    defer { if kind.isSynchronised { outbox.wake() } }
    return change(recording: kind) { journal in
      guard journal.state.install != nil else { return false }
      try journal.append(event(kind, permission, status, variant, surface: surface, feature: feature))
      return true
    } ?? false
  }

  func event(
    _ kind: EventKind, _ permission: Permission? = nil, _ status: PermissionStatus? = nil, _ variant: Variant? = nil,
    surface: String? = nil, feature: String? = nil
  ) -> Event {
    Event(
      timestamp: Event.timestamp(clock.now), event: kind, permission: permission, status: status,
      variant: variant?.name, experiment: variant?.experiment, surface: surface, feature: feature,
      app_version: configuration.appVersion,
      os_version: configuration.osVersion, platform: configuration.platform, locale: configuration.locale)
  }

  /// Changes the journal, alone among all threads and processes.
  /// - Parameter kind: of the event that is lost if the disk fails.
  /// - Returns: nil if it did.
  func change<Value>(recording kind: EventKind? = nil, _ body: (inout Journal) throws -> Value) -> Value? {
    let (value, problem) = lock.withLock { () -> (Value?, String?) in
      do {
        var current =
          try journal
          ?? Journal(
            openDisk(), limit: configuration.byteLimit, consent: configuration.consent, now: { [clock] in clock.now })
        defer { journal = current }
        let value = try current.exclusively { journal in
          // What the user decided comes before everything else.
          if isDenied { try journal.set(.denied) }
          isDenied = false
          if let consent = wanted { try journal.set(consent) }
          wanted = nil
          if let since = journal.state.pendingSince,
            abs(clock.now.timeIntervalSince1970 - since) > configuration.pendingDays * 86_400
          {
            try journal.erase(.pending)
          }
          // Losses that cannot be saved wait: the change may make room.
          let losses = Dictionary(
            uniqueKeysWithValues: refused.map { (LossReason.disk.key($0.key.rawValue), $0.value) })
          if losses.isEmpty || journal.state.install == nil || (try? journal.lose(losses)) != nil { refused = [:] }
          return try body(&journal)
        }
        return (value, current.problem)
      } catch {
        if let kind, !isDenied { refused[kind, default: 0] += 1 }
        return (nil, "the disk refused a change: \(error)")
      }
    }
    // Without the lock, since the closure may call the recorder. If that call meets the same problem, the closure is not called again.
    if let problem, beginTelling() {
      configuration.onProblem(problem)
      lock.withLock { isTelling = false }
    }
    return value
  }

  private func beginTelling() -> Bool {
    lock.withLock {
      defer { isTelling = true }
      return !isTelling
    }
  }

  /// The numbers of what waits: of events, of bytes.
  public var waiting: (events: Int, bytes: Int) {
    change { journal in (journal.segments.reduce(0) { $0 + $1.counts.reduce(0, +) }, journal.bytes) } ?? (0, 0)
  }

  /// The install's id, which is the user's in the log; nil if consent is denied.
  public var install: String? { change { $0.state.install } ?? nil }

  /// What the user agreed to. Denied erases all that was recorded here, and asks the server to erase what it has.
  public var consent: Consent {
    get { lock.withLock { wanted } ?? change { $0.state.consent } ?? .pending }
    set {
      lock.withLock { (wanted, isDenied) = (newValue, isDenied || newValue == .denied) }
      if newValue == .denied { outbox.cancel() }
      // If the disk refuses it, each later call tries it first, and does nothing else before.
      _ = change { _ in }
      outbox.wake()
    }
  }

  /// Call it before the app goes to the background: a loss of power takes nothing any more.
  public func synchronise() { _ = change { try $0.synchronise() } }

  // MARK: Who is being asked

  func begin(_ permission: Permission) -> Bool {
    lock.withLock {
      asks += 1
      return asking.insert(permission).inserted
    }
  }
  func end(_ permission: Permission) { _ = lock.withLock { asking.remove(permission) } }
  var isAsking: Bool { lock.withLock { !asking.isEmpty } }

  /// A number for the look-up of a status; nil while this permission is being asked for.
  func beginReading(_ permission: Permission) -> (asks: Int, number: Int)? {
    lock.withLock {
      reads += 1
      return asking.contains(permission) ? nil : (asks, reads)
    }
  }

  /// Whether a status that was looked up is still the newest: nobody was asked since, and none that was looked up later was compared. Call it
  /// within `change`.
  func isNewest(_ permission: Permission, _ reading: (asks: Int, number: Int)) -> Bool {
    guard asks == reading.asks, compared[permission] ?? 0 < reading.number else { return false }
    compared[permission] = reading.number
    return true
  }

  func setClock() { if !isAsking { clock.set() } }
}

/// The time of day, which never steps while the app runs: a clock that is set between a prompt and its answer does not turn them round.
final class Clock: @unchecked Sendable {
  private let wall: @Sendable () -> Date
  private let uptime: @Sendable () -> Duration
  private let lock = NSLock()
  private var anchor: (wall: Date, uptime: Duration)

  init(
    wall: @escaping @Sendable () -> Date = { Date() },
    uptime: @escaping @Sendable () -> Duration = { [start = ContinuousClock.now] in ContinuousClock.now - start }
  ) {
    (self.wall, self.uptime) = (wall, uptime)
    anchor = (wall(), uptime())
  }

  /// Seconds that pass also while the phone sleeps.
  var elapsed: Duration { uptime() }

  var now: Date { lock.withLock { anchor.wall + (uptime() - anchor.uptime) / .seconds(1) } }

  /// Takes over the time of day.
  func set() { lock.withLock { anchor = (wall(), uptime()) } }
}
