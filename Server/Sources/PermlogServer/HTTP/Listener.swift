// The port: its own, or one that systemd holds, so that a restart refuses nobody.

import Foundation
import HummingbirdCore
import Logging
import NIOCore
import NIOExtras
import NIOPosix
import ServiceLifecycle
import Synchronization

/// Accepts connections until it is told to end; then it finishes the requests that it has.
struct Listener: Service {
  let settings: ServerSettings
  let metrics: ServerMetrics
  let logger: Logger
  /// Told the address once the port is open.
  let onReady: @Sendable (SocketAddress?) async -> Void
  /// Called when the listener is told to end.
  let onDrain: @Sendable () async -> Void
  let respond: @Sendable (Request, any Channel) async throws -> Response

  /// The first socket that systemd hands over (sd_listen_fds(3)); nil if it handed none to this process.
  static func handedSocket(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> CInt? {
    guard environment["LISTEN_PID"].flatMap({ Int32($0) }) == getpid(),
      let count = environment["LISTEN_FDS"].flatMap({ Int($0) }), count > 0
    else { return nil }
    return 3
  }

  private static let smallAnswer = 64 << 10
  /// Header fields of a request: no library of an app needs a hundredth of it.
  private static let headerLimit = 32 << 10

  func run() async throws {
    let channel = HTTP1Channel(
      responder: { request, writer, channel in
        let watch = WriteWatch(channel, .milliseconds(Int64(settings.secondsOfIdleness * 1000)))
        defer { watch.end() }
        var response: Response
        do {
          response = try await WriteWatch.$current.withValue(watch) { try await respond(request, channel) }
        } catch is CancellationError { throw CancellationError() }
        if request.method == .head { response = response.createHeadResponse() }
        // A small one is in the system's hands at once, unless the reader did not take those before it.
        if response.body.contentLength ?? .max > Self.smallAnswer || !channel.isWritable { watch.restart() }
        try await writer.write(response: response.head, body: response.body)
      },
      configuration: HTTP1Channel.Configuration(
        idleTimeout: .milliseconds(Int64(settings.secondsOfIdleness * 1000)),
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: 16 << 10, maxHeaderListSize: Self.headerLimit, maxHeaderFieldCount: 100)))
    let group = MultiThreadedEventLoopGroup.singleton
    let quiescing = ServerQuiescingHelper(group: group)
    let (metrics, logger, most) = (metrics, logger, settings.maximumConnections)
    let bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 4096)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelOption(.socketOption(.init(rawValue: TCP_NODELAY)), value: 1)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(quiescing.makeServerChannelHandler(channel: channel))
        }
      }
    let initialize: @Sendable (any Channel) -> EventLoopFuture<HTTP1Channel.Value> = { child in
      metrics.change(.connections, by: 1)
      child.closeFuture.whenComplete { _ in metrics.change(.connections, by: -1) }
      // Past the limit a connection is closed at once: an app comes again, and the server keeps its memory.
      if metrics.value(.connections) > Double(most) { child.close(promise: nil) }
      return channel.setup(channel: child, logger: logger)
    }
    let server: NIOAsyncChannel<HTTP1Channel.Value, Never>
    if let socket = Self.handedSocket() {
      server = try await bootstrap.bind(socket, childChannelInitializer: initialize)
    } else {
      let address = try settings.address()
      server = try await bootstrap.bind(host: address.host, port: address.port, childChannelInitializer: initialize)
    }
    // A socket of systemd's is not in the settings, so that its address is checked here.
    let address = server.channel.localAddress
    if let host = address?.ipAddress, !ServerSettings.Address(host: host, port: 0).isLoopback,
      let why = settings.reasonForLoopback
    {
      try await server.channel.close()
      throw SettingsError("\(why) the server listens on loopback only (127.0.0.1 or ::1), not on \(host)")
    }
    await onReady(address)
    try await withGracefulShutdownHandler {
      try await withThrowingDiscardingTaskGroup { tasks in
        try await server.executeThenClose { connections in
          for try await connection in connections {
            tasks.addTask { await channel.handle(value: connection, logger: logger) }
          }
        }
      }
    } onGracefulShutdown: {
      let promise = server.channel.eventLoop.makePromise(of: Void.self)
      quiescing.initiateShutdown(promise: promise)
      Task { await onDrain() }
    }
  }
}

/// Closes a connection whose reader takes nothing of an answer for too long: it would hold the answer, and the server's end.
final class WriteWatch: Sendable {
  /// That of the request that is being answered.
  @TaskLocal static var current: WriteWatch?

  private let channel: any Channel
  private let patience: TimeAmount
  private let deadline: Mutex<Scheduled<Void>?>

  init(_ channel: any Channel, _ patience: TimeAmount) {
    (self.channel, self.patience) = (channel, patience)
    deadline = Mutex(nil)
  }

  /// Begins, or begins again because something was taken.
  func restart() {
    let channel = channel
    let next = channel.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
    deadline.withLock { deadline in
      deadline?.cancel()
      deadline = next
    }
  }

  func end() { deadline.withLock { $0?.cancel() } }
}
