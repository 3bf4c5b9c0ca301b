// From the journal to a server.

import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends a request of HTTP. The one of Foundation is used if none is handed in.
protocol Transport: Sendable {
  /// - Returns: an answer, whatever it says. It throws if there is none.
  func post(_ body: [UInt8], to url: URL, headers: [String: String]) async throws -> TransportAnswer
}

struct TransportAnswer: Sendable {
  var status: Int
  var retryAfter: String?
  var body: [UInt8] = []

  /// Only a server of permlog gives a receipt. A network that wants a login first says 200, too.
  var hasReceipt: Bool {
    guard (200...299).contains(status) else { return false }
    let object = (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any]
    return object?["receipt"] is String
  }
}

struct URLSessionTransport: Transport {
  func post(_ body: [UInt8], to url: URL, headers: [String: String]) async throws -> TransportAnswer {
    var request = URLRequest(url: url, timeoutInterval: 60)
    request.httpMethod = "POST"
    var body = Data(body)
    if let packed = Gzip.packed(body) {
      body = packed
      request.setValue("gzip", forHTTPHeaderField: "Content-Encoding")
    }
    request.httpBody = body
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    let (data, response) = try await URLSession.shared.data(for: request)
    guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
    return TransportAnswer(
      status: response.statusCode, retryAfter: response.value(forHTTPHeaderField: "Retry-After"), body: Array(data))
  }
}

/// When to send, and when to wait.
final class Outbox: @unchecked Sendable {
  // Unchecked: all that changes is touched with `lock` held.
  let transport: any Transport
  private let clock: Clock
  private let lock = NSLock()
  private var isSending = false
  private var failures = 0
  private var notBefore: Duration = .zero
  /// Signals that came while a request was under way: that the network is back, that somebody else wanted to send.
  private var (isReachable, wasRefused, isCancelled) = (false, false, false)
  private var isAwake = false
  private var waiters: [Int: AsyncStream<Void>.Continuation] = [:]
  private var lastWaiter = 0
  private var request: Task<TransportAnswer, any Error>?

  static let (shortest, longest) = (5.0, 6.0 * 3600)

  init(_ transport: any Transport, _ clock: Clock) { (self.transport, self.clock) = (transport, clock) }

  func wake() {
    let all = lock.withLock {
      defer { waiters = [:] }
      isAwake = true
      return waiters.values.map { $0 }
    }
    for waiter in all { waiter.finish() }
  }

  /// Until something may be to send, or the task is cancelled.
  func waitForWake() async {
    // A stream of its own for each wait: one that was cancelled has ended for good.
    let (stream, waiter) = AsyncStream<Void>.makeStream()
    let number = lock.withLock {
      lastWaiter += 1
      if isAwake { waiter.finish() } else { waiters[lastWaiter] = waiter }
      return lastWaiter
    }
    for await _ in stream {}
    lock.withLock { waiters[number] = nil }
  }

  func begin() -> Bool {
    lock.withLock {
      // Only what was signalled since the request under way began: else two that run would wake each other for ever.
      wasRefused = isSending && (wasRefused || isAwake)
      isAwake = false
      guard !isSending, clock.elapsed >= notBefore else { return false }
      (isSending, isReachable, isCancelled) = (true, false, false)
      return true
    }
  }

  /// - Parameter wait: seconds that the server asked for, if it failed.
  func end(isDelivered: Bool, wait: Double? = nil) {
    let isAgain = lock.withLock {
      defer { (isSending, isReachable, wasRefused) = (false, false, false) }
      failures = isDelivered || isReachable ? 0 : failures + 1
      let step = min(Self.longest, Self.shortest * pow(2, Double(min(failures, 20) - 1)))
      // Spread, so that all phones do not come at the same moment after an outage.
      let seconds = failures == 0 ? 0 : max(step * Double.random(in: 0.5...1), min(wait ?? 0, 86_400))
      notBefore = clock.elapsed + .seconds(seconds)
      return !isDelivered || wasRefused
    }
    // `run` looks again, and finds the pause.
    if isAgain { wake() }
  }

  /// Sends a request that `cancel` ends.
  func post(_ body: [UInt8], to url: URL, headers: [String: String]) async -> TransportAnswer? {
    let task = Task { [transport] in try await transport.post(body, to: url, headers: headers) }
    let isLate = lock.withLock {
      request = task
      return isCancelled
    }
    if isLate { task.cancel() }
    defer { lock.withLock { request = nil } }
    return await withTaskCancellationHandler {
      try? await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Ends the request under way, also one that is about to begin.
  func cancel() {
    lock.withLock {
      isCancelled = isSending
      return request
    }?.cancel()
  }

  /// The time until the next try.
  var pause: Duration { lock.withLock { max(.zero, notBefore - clock.elapsed) } }

  func forgetFailures() {
    lock.withLock { if isSending { isReachable = true } else { (failures, notBefore) = (0, .zero) } }
  }
}

/// How a call of `send` ended.
public enum SendResult: Sendable, Equatable {
  /// The server has all that was recorded before the call.
  case done
  /// Nothing may be sent: consent is pending or denied.
  case withheld
  /// Another call sends, or the next try is not due yet.
  case waiting
  /// No answer, or none that says that the events are safe: they stay.
  case failed
}

extension PermissionRecorder {
  private static let batchBytes = 262_144

  /// Sends what waits. Nothing goes from the phone's disk but what a server gave a receipt for.
  /// In the background, call it within a background task of the app's.
  @discardableResult
  public func send() async -> SendResult {
    guard outbox.begin() else { return .waiting }
    var (isDelivered, wait, maximum) = (false, nil as Double?, Self.batchBytes)
    defer { outbox.end(isDelivered: isDelivered, wait: wait) }
    func post(_ path: String, _ body: [UInt8], _ type: String) async -> TransportAnswer? {
      let headers = ["Authorization": "Bearer \(configuration.key)", "Content-Type": type]
      let answer = await outbox.post(body, to: configuration.endpoint.appendingPathComponent(path), headers: headers)
      wait = answer?.retryAfter.flatMap { Double($0) }
      return answer
    }
    // A disk that fails is tried again later, like a server.
    while true {
      if Task.isCancelled { return .failed }
      guard let erasures = change({ $0.state.erasures }) else { return .failed }
      for install in erasures {
        let body = Array("{\"user_id\":\"\(install)\"}".utf8)
        guard await post("v1/erasures", body, "application/json")?.hasReceipt == true,
          change({ try $0.erased(install) }) != nil
        else { return .failed }
      }
      guard let next = change({ try $0.nextBatch(maximum) }) else { return .failed }
      guard let batch = next else { break }
      let answer = await post("v1/events", batch.body, "application/x-ndjson")
      let isSafe = answer?.hasReceipt == true
      let isDone = change { try $0.finish(batch, isSafe: isSafe) } != nil
      if answer?.status == 413, batch.segments.count > 1 {
        maximum = 1
      } else if !isSafe || !isDone {
        return .failed
      }
    }
    isDelivered = true
    return consent == .granted ? .done : .withheld
  }

  /// Sends for as long as the task runs: soon after events, and again after failures, later each time and at most 6 hours later.
  public func run() async {
    while !Task.isCancelled {
      await send()
      let pause = outbox.pause
      if pause > .zero {
        await withTaskGroup { group in
          group.addTask { try? await Task.sleep(for: pause) }
          group.addTask { [outbox] in await outbox.waitForWake() }
          await group.next()
          group.cancelAll()
        }
      } else {
        await outbox.waitForWake()
      }
    }
  }

  /// Call it when the network is back: the next try is made at once.
  public func networkIsReachable() {
    outbox.forgetFailures()
    outbox.wake()
  }
}

/// The form of gzip (RFC 1952) around what Foundation packs.
enum Gzip {
  /// - Returns: nil where Foundation has no compression.
  static func packed(_ data: Data) -> Data? {
    #if canImport(Darwin) || RECORDER_STUBS
      guard let deflated = try? (data as NSData).compressed(using: .zlib) as Data else { return nil }
      return framed(deflated, of: data)
    #else
      return nil
    #endif
  }

  static func framed(_ deflated: Data, of data: Data) -> Data {
    var framed = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]) + deflated
    for number in [checksum(data), UInt32(truncatingIfNeeded: data.count)] {
      withUnsafeBytes(of: number.littleEndian) { framed.append(contentsOf: $0) }
    }
    return framed
  }

  private static func checksum(_ data: Data) -> UInt32 {
    ~data.reduce(~0 as UInt32) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }
  }
}
