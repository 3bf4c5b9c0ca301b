// A server of a test, and a client that speaks HTTP byte by byte, so that it can break off anywhere.

import Foundation
import Logging
import Permlog
import Synchronization
import Testing

@testable import PermlogServer

/// Runs a server on a port of its own for as long as `body` takes.
func withServer<Value: Sendable>(
  in directory: TemporaryDirectory, _ change: (inout ServerSettings) -> Void = { _ in },
  _ body: @escaping @Sendable (RunningServer) async throws -> Value
) async throws -> Value {
  var settings = ServerSettings(
    state: directory.path + "/state", keys: [.init(key: "wk", log: directory.path + "/log")])
  settings.listen = "127.0.0.1:0"
  settings.commitInterval = 0.02
  change(&settings)
  let server = try PermlogServer(settings, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  let (ports, port) = AsyncStream.makeStream(of: Int.self)
  return try await withThrowingTaskGroup(of: Value?.self) { group in
    group.addTask {
      try await server.run(stoppingOnSignals: false) { address in
        port.yield(Int(address.split(separator: ":").last ?? "") ?? 0)
      }
      return nil
    }
    var first = ports.makeAsyncIterator()
    let number = await first.next() ?? 0
    let running = RunningServer(port: number, server: server, log: try PermissionLog(settings.keys[0].log))
    do {
      let value = try await body(running)
      await server.stop()
      try await group.waitForAll()
      return value
    } catch {
      await server.stop()
      throw error
    }
  }
}

struct RunningServer: Sendable {
  let port: Int
  let server: PermlogServer
  let log: PermissionLog

  struct Answer: Sendable {
    var status = 0
    var head = ""
    var body = ""
    var json: [String: Any] { (try? JSONSerialization.jsonObject(with: Data(body.utf8))) as? [String: Any] ?? [:] }
  }

  /// Sends bytes and reads the answer, on a thread of its own.
  /// - Parameter arrived: called with all that has arrived, whenever more has.
  func send(_ bytes: [UInt8], half: Bool = false, arrived: (@Sendable ([UInt8]) -> Void)? = nil) async throws -> Answer
  {
    try await withCheckedThrowingContinuation { done in
      Thread.detachNewThread {
        do { done.resume(returning: try Self.exchange(bytes, port: port, half: half, arrived)) } catch {
          done.resume(throwing: error)
        }
      }
    }
  }

  private static func exchange(
    _ bytes: [UInt8], port: Int, half: Bool, _ arrived: (@Sendable ([UInt8]) -> Void)?
  ) throws -> Answer {
    let descriptor = try connection(to: port)
    defer { close(descriptor) }
    var patience = timeval(tv_sec: 90, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var sent = 0
    let end = half ? bytes.count / 2 : bytes.count
    while sent < end {
      let count = bytes[sent..<end].withUnsafeBytes {
        Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { break }
      sent += count
    }
    if half { return Answer() }
    var read: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count <= 0 { break }
      read += buffer[..<count]
      arrived?(read)
      if isWhole(read) { break }
    }
    // What is without a length ends with the connection.
    let text = String(decoding: read, as: UTF8.self)
    let parts = text.components(separatedBy: "\r\n\r\n")
    return Answer(
      status: Int(text.split(separator: " ").dropFirst().first ?? "") ?? 0, head: parts[0],
      body: parts.dropFirst().joined(separator: "\r\n\r\n"))
  }

  private static func isWhole(_ read: [UInt8]) -> Bool {
    let text = String(decoding: read, as: UTF8.self)
    guard let end = text.range(of: "\r\n\r\n"),
      let length = text.lowercased().range(of: "content-length: ").flatMap({
        Int(text[$0.upperBound...].prefix { $0.isNumber })
      })
    else { return false }
    return text[end.upperBound...].utf8.count >= length
  }

  func request(
    _ method: String, _ path: String, _ body: [UInt8] = [], headers: [String] = [], half: Bool = false,
    arrived: (@Sendable ([UInt8]) -> Void)? = nil
  ) async throws -> Answer {
    let host = headers.contains { $0.hasPrefix("Host:") } ? [] : ["Host: 127.0.0.1:\(port)"]
    let head = (["\(method) \(path) HTTP/1.1", "Content-Length: \(body.count)"] + host + headers).joined(
      separator: "\r\n")
    return try await send(Array((head + "\r\n\r\n").utf8) + body, half: half, arrived: arrived)
  }

  func get(_ path: String, headers: [String] = []) async throws -> Answer {
    try await request("GET", path, headers: headers)
  }

  func post(_ path: String, _ body: String, headers: [String] = []) async throws -> Answer {
    try await request("POST", path, Array(body.utf8), headers: headers)
  }

  /// Waits until all that was answered is in the log.
  func settle() async throws {
    for _ in 0..<24_000 {
      if server.metrics.value(.spoolBytes) == 0 { return }
      try await Task.sleep(for: .milliseconds(5))
    }
    Issue.record("bodies stayed in the spool")
  }

  /// The ids of the log's events.
  func eventIDs() throws -> [String] {
    var bytes: [UInt8] = []
    do { try log.export { bytes += $0 } } catch {
      guard error.code == .notFound else { throw error }
      return []
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
      ((try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any])?["event_id"] as? String
    }
  }
}

/// A canonical event as a line.
func event(_ id: String, user: String = "u", _ kind: String = "granted") -> String {
  #"{"event_id":"\#(id)","user_id":"\#(user)","timestamp":"2026-11-20T10:00:00Z","event":"\#(kind)","permission":"camera"}"#
}

/// A client that sends and never reads.
final class SilentReader: Sendable {
  private let descriptor: Int32

  init(port: Int, sending bytes: [UInt8]) throws {
    // The smallest room for what is not read that the system gives.
    descriptor = try connection(to: port, room: 1)
    _ = bytes.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
  }

  func close() { Foundation.close(descriptor) }
}

/// A connection to a port of this machine.
/// - Parameter room: bytes that the system keeps until they are read; nil for as many as it likes.
private func connection(to port: Int, room: Int32? = nil) throws -> Int32 {
  #if canImport(Glibc)
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  #else
    let descriptor = socket(AF_INET, SOCK_STREAM, 0)
  #endif
  if var room { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &room, socklen_t(MemoryLayout<Int32>.size)) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = in_port_t(port).bigEndian
  address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
  let connected = withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
  guard connected == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
  return descriptor
}
