// The server as a whole: its parts, in the order in which they begin and end.

import Foundation
import Logging
import NIOCore
import Permlog
import ServiceLifecycle
import Synchronization
import UnixSignals

/// A server of one machine: takes events from apps, and puts them into logs.
public struct PermlogServer: Sendable {
  private let settings: ServerSettings
  private let settingsFile: String?
  private let logger: Logger
  public let metrics = ServerMetrics()
  private let spool: Spool
  private let quarantine: Quarantine
  private let intake: Intake
  private let admin: SecretToken?
  private let dashboard: Dashboard
  /// Held for as long as the process lives: two servers of one directory would read each other's bodies.
  private let lock: DirectoryLock
  private let running = Running()

  private final class Running: Sendable {
    let group = Mutex<ServiceGroup?>(nil)
  }

  /// Opens the directory of the server. What an earlier run left is read first.
  /// - Parameter settingsFile: read again on SIGHUP and before a requeueing; nil if the settings stay.
  public init(_ settings: ServerSettings, settingsFile: String? = nil, logger: Logger) throws {
    (self.settings, self.settingsFile, self.logger) = (settings, settingsFile, logger)
    try settings.check()
    admin = try settings.adminTokenFile.map { try SecretToken(contentsOf: $0) }
    let streams = try EventStreams(settings)
    try Disk.makeDirectory(settings.state)
    lock = try Self.lock(settings.state)
    spool = try Spool(settings.state + "/spool", limit: settings.maximumSpool, metrics: metrics)
    quarantine = try Quarantine(settings.state + "/quarantine", limit: settings.maximumQuarantine, metrics: metrics)
    let feed = LiveFeed(metrics: metrics)
    intake = Intake(
      spool: spool, quarantine: quarantine, streams: streams,
      interval: .milliseconds(Int64(settings.secondsBetweenCommits * 1000)), feed: feed, metrics: metrics,
      logger: logger)
    dashboard = Dashboard(
      settings: settings, door: try Door(settings, admin: admin), desk: AnswerDesk(metrics: metrics), feed: feed,
      intake: intake, quarantine: quarantine, metrics: metrics, logger: logger)
  }

  private static func lock(_ directory: String) throws -> DirectoryLock {
    do { return try DirectoryLock(directory) } catch {
      guard error.number == EWOULDBLOCK else { throw error }
      throw SettingsError("\(directory): another permlog-server uses this directory")
    }
  }

  /// Serves until SIGTERM or ctrl-C, or until the task's group shuts down. What was taken is in the logs then, or waits on the disk.
  /// - Parameter onReady: told the address once the port is open.
  public func run(
    stoppingOnSignals: Bool = true, onReady: @escaping @Sendable (String) async -> Void = { _ in }
  ) async throws {
    let requests = Requests(
      settings: settings, spool: spool, intake: intake, quarantine: quarantine,
      erasures: ErasureRequests { [intake] in _ = try await intake.erase($0) }, metrics: metrics, admin: admin,
      memory: MemoryGate(limit: settings.maximumMemory, metrics), dashboard: dashboard, logger: logger,
      reload: { try await reload() })
    let listener = Listener(
      settings: settings, metrics: metrics, logger: logger,
      onReady: { address in
        Notification.send("READY=1")
        await onReady(address.map { "\($0.ipAddress ?? ""):\($0.port ?? 0)" } ?? "")
      },
      onDrain: {
        dashboard.feed.end()
        await intake.answerWaiters()
      },
      respond: { try await requests.respond($0, $1) })
    var configuration = ServiceGroupConfiguration(
      // They end in the opposite order: first the port, then the reader.
      services: [
        .init(service: Reading(spool: spool, intake: intake)), .init(service: Reloading(reload: reloadQuietly)),
        .init(service: listener),
      ],
      gracefulShutdownSignals: stoppingOnSignals ? [.sigterm, .sigint] : [], logger: logger)
    configuration.maximumGracefulShutdownDuration = .seconds(90)
    let group = ServiceGroup(configuration: configuration)
    running.group.withLock { $0 = group }
    try await group.run()
  }

  /// Ends `run` as SIGTERM does: no new connection, the requests that came are answered, what was taken is read.
  public func stop() async { await running.group.withLock { $0 }?.triggerGracefulShutdown() }

  /// Reads the quarantine again without a port, and ends.
  public func requeue() async throws -> (before: Int, after: Int) {
    let counts = try await intake.requeue(try EventStreams(settings, reusing: intake.current))
    await intake.finish()
    return counts
  }

  private func reload() async throws -> EventStreams {
    let new = try settingsFile.map { try ServerSettings(contentsOf: $0) } ?? settings
    return try EventStreams(new, reusing: await intake.current)
  }

  @Sendable private func reloadQuietly() async {
    do {
      await intake.use(try await reload())
      logger.notice("the settings were read again")
    } catch {
      logger.error("the settings stay as they were", metadata: ["reason": "\(error)"])
    }
  }
}

/// The reader of the spool as a service.
private struct Reading: Service {
  let spool: Spool
  let intake: Intake

  func run() async throws {
    await withGracefulShutdownHandler {
      await intake.run()
      await spool.drain()
      await intake.finish()
    } onGracefulShutdown: {
      Notification.send("STOPPING=1")
      Task { await intake.stop() }
    }
  }
}

/// SIGHUP reads the settings again: their keys and mappings. Ports, directories and limits need a new start.
private struct Reloading: Service {
  let reload: @Sendable () async -> Void

  func run() async throws {
    await cancelWhenGracefulShutdown {
      for await _ in await UnixSignalsSequence(trapping: .sighup) { await reload() }
    }
  }
}

/// Tells systemd about the server's state (sd_notify(3)); nothing without systemd.
private enum Notification {
  static func send(_ text: String) {
    guard let path = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"], !path.isEmpty else { return }
    #if canImport(Glibc)
      let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    #else
      let descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
    #endif
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var name = Array(path.utf8)
    // `@` is an address without a file.
    if name[0] == 0x40 { name[0] = 0 }
    guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let length = socklen_t(MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path) + name.count)
    _ = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        text.withCString { sendto(descriptor, $0, strlen($0), 0, address, length) }
      }
    }
  }
}
