// A request from its first byte to its answer.

import Foundation
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import Permlog
import Synchronization

/// Answers requests.
struct Requests: Sendable {
  let settings: ServerSettings
  let spool: Spool
  let intake: Intake
  let quarantine: Quarantine
  let erasures: ErasureRequests
  let metrics: ServerMetrics
  let admin: SecretToken?
  let memory: MemoryGate
  let dashboard: Dashboard
  let logger: Logger
  /// Reads the settings again.
  let reload: @Sendable () async throws -> EventStreams

  func respond(_ request: Request, _ channel: any Channel) async throws -> Response {
    let parts = RequestParts(request)
    let page = await dashboard.respond(parts, request) {
      guard case .body(let body) = await collect(request, channel, limit: 4096) else { return nil }
      memory.release(body)
      return body.bytes
    }
    if let page { return page }
    if request.method == .get || request.method == .head { return await get(parts, request) }
    if parts.path.hasPrefix("/v1/users/") || parts.path == "/v1/requeue" { return await administer(parts, request) }
    guard request.method == .post || request.method == .put else {
      return Answers.problem(.methodNotAllowed, "POST events; docs/server.md has the paths")
    }
    if parts.path == "/v1/erasures" { return await eraseInstall(parts, request, channel) }
    if let endpoint = Endpoint.at(parts.path) { return try await take(endpoint, parts, request, channel) }
    if let answer = Answers.ignored(parts.path) {
      guard case .body(let body) = await collect(request, channel) else { throw CancellationError() }
      memory.release(body)
      return answer
    }
    return Answers.problem(.notFound, "nothing is here; docs/server.md has the paths")
  }

  // MARK: Events

  private func take(
    _ endpoint: Endpoint, _ parts: RequestParts, _ request: Request, _ channel: any Channel
  ) async throws -> Response {
    if endpoint.form == .canonical, await intake.current.stream(of: parts.key) == nil {
      metrics.add(.unauthorised, 1)
      return Answers.problem(.unauthorized, "the key is unknown: give one of the settings as Authorization: Bearer KEY")
    }
    let body: MemoryGate.Body
    switch await collect(request, channel) {
    case .body(let collected): body = collected
    case .tooLarge: return tooLarge(endpoint)
    case .overloaded:
      metrics.add(.refused, 1)
      return Answers.comeAgain(5, "too much waits; send it again")
    case .broken: throw CancellationError()
    }
    let isAwaited = endpoint.form == .canonical && (parts.query["wait"] ?? "0") != "0"
    do {
      let id = try await spool.append(
        body.bytes, endpoint, key: parts.key, received: Intake.now, isAwaited: isAwaited)
      memory.release(body)
      metrics.add(.accepted, 1)
      metrics.add(.acceptedBytes, body.bytes.count)
      return isAwaited ? await outcome(id) : Answers.accepted(endpoint, parts, id: id, body: body.bytes)
    } catch {
      memory.release(body)
      metrics.add(.refused, 1)
      switch error {
      case .overloaded: return Answers.comeAgain(30, "too much waits to be read; send it again")
      case .disk(let failure):
        logger.error("a body was not taken", metadata: ["reason": "\(failure)"])
        return Answers.comeAgain(
          60, failure.isFull ? "the disk is full; send it again later" : "the disk failed; send it again later")
      case .draining: return Answers.comeAgain(10, "the server is about to start again; send it again")
      }
    }
  }

  /// Only libraries that divide a batch are told that it is too large; another one would delete it.
  private func tooLarge(_ endpoint: Endpoint) -> Response {
    metrics.add(.refused, 1)
    let text = "the body has more than \(settings.maximumBody) bytes"
    switch endpoint.form {
    case .canonical, .posthog, .amplitude, .batch: return Answers.problem(.contentTooLarge, text + "; divide it")
    case .segment, .mixpanel: return Answers.comeAgain(3600, text)
    }
  }

  private enum Collected {
    case body(MemoryGate.Body)
    case tooLarge, overloaded, broken
  }

  /// - Parameter limit: bytes that are taken at most; nil for as many as the settings allow.
  private func collect(_ request: Request, _ channel: any Channel, limit: Int? = nil) async -> Collected {
    let most = limit ?? settings.maximumBody
    // A client that sends a byte a minute holds a connection no longer than one that sends nothing.
    let deadline = channel.eventLoop.scheduleTask(in: .milliseconds(Int64(settings.secondsOfIdleness * 1000))) {
      channel.close(promise: nil)
    }
    defer { deadline.cancel() }
    let announced = request.headers[.contentLength].flatMap { Int($0) }
    if let announced, announced > most { return .tooLarge }
    var body = MemoryGate.Body()
    do {
      for try await buffer in request.body {
        guard body.bytes.count + buffer.readableBytes <= most else {
          memory.release(body)
          return .tooLarge
        }
        guard memory.extend(&body, to: body.bytes.count + buffer.readableBytes) else {
          memory.release(body)
          return .overloaded
        }
        body.bytes.append(contentsOf: buffer.readableBytesView)
      }
    } catch {
      memory.release(body)
      return .broken
    }
    // A connection that broke in the middle of a body ends it too.
    if let announced, announced != body.bytes.count {
      memory.release(body)
      return .broken
    }
    return .body(body)
  }

  /// For a program that wants to know what became of its events.
  private func outcome(_ id: UInt64) async -> Response {
    guard let outcome = await intake.outcome(of: id) else { return Answers.json(["receipt": String(id)], .accepted) }
    var answer: [String: Any] = [
      "receipt": String(id), "lines": outcome.lines, "rejected": outcome.rejectedCount,
      "reasons": outcome.rejected.map { ["line": $0.line, "reason": $0.reason] as [String: Any] },
      "not_mapped": outcome.notMapped,
    ]
    if let problem = outcome.problem { answer["problem"] = problem }
    if let commit = outcome.commit {
      answer["commit"] =
        ["new": commit.new, "copies": commit.duplicates, "fingerprint": commit.fingerprint] as [String: Any]
    }
    return Answers.json(answer)
  }

  /// A phone asks for the erasure of its install. Whoever knows the id of an install is the install: it is random, and only UUIDs are
  /// taken, so that nobody erases a person by a name or an address with a key that is in every copy of an app.
  private func eraseInstall(_ parts: RequestParts, _ request: Request, _ channel: any Channel) async -> Response {
    guard await intake.current.stream(of: parts.key) != nil else {
      metrics.add(.unauthorised, 1)
      return Answers.problem(.unauthorized, "the key is unknown: give one of the settings as Authorization: Bearer KEY")
    }
    guard case .body(let body) = await collect(request, channel) else {
      return Answers.comeAgain(60, "too much waits; send it again")
    }
    memory.release(body)
    let object = (try? JSONSerialization.jsonObject(with: Data(body.bytes.prefix(4096)))) as? [String: Any]
    guard let user = object?["user_id"] as? String, UUID(uuidString: user) != nil else {
      return Answers.problem(.badRequest, #"this needs {"user_id":"…"} with the UUID of an install"#)
    }
    do {
      guard try await erasures.erase(user) else {
        return Answers.comeAgain(60, "too many erasures wait; send it again")
      }
      metrics.add(.erasedInstalls, 1)
      return Answers.json(["receipt": "erased"])
    } catch {
      logger.error("an erasure failed", metadata: ["kind": "\(type(of: error))"])
      return Answers.comeAgain(600, "it cannot be done now; send it again")
    }
  }

  // MARK: Questions about the server

  private func get(_ parts: RequestParts, _ request: Request) async -> Response {
    switch parts.path {
    case "/healthz": return Answers.json(#"{"status":"ok"}"#)
    case "/readyz":
      let failure = await intake.failure
      return Answers.json(["status": failure == nil ? "ok" : "bodies wait", "reason": failure ?? ""])
    case "/metrics":
      guard isAdmin(parts) else { return forbidden }
      let text = ByteBuffer(string: metrics.text)
      return Response(
        status: .ok, headers: [.contentType: "text/plain; version=0.0.4"], body: ResponseBody(byteBuffer: text))
    case "/v1/quarantine":
      guard isAdmin(parts) else { return forbidden }
      guard let entries = try? await quarantine.summary() else {
        return Answers.problem(.internalServerError, "the quarantine cannot be read; it is not known what waits")
      }
      return Answers.json([
        "entries": entries.reduce(0) { $0 + $1.count },
        "reasons": entries.prefix(200).map {
          ["reason": $0.reason, "detail": $0.detail, "count": $0.count] as [String: Any]
        },
      ])
    default:
      return Answers.settings(parts.path, parts) ?? Answers.ignored(parts.path)
        ?? Answers.problem(.notFound, "nothing is here; docs/server.md has the paths")
    }
  }

  // MARK: Administration

  private func isAdmin(_ parts: RequestParts) -> Bool {
    // Without a token the server listens on loopback alone; what a proxy passes on is not from there.
    guard let admin else { return parts.isLocal }
    if let bearer = parts.bearer, admin.matches(bearer) { return true }
    metrics.add(.unauthorised, 1)
    return false
  }

  private var forbidden: Response {
    Answers.problem(.unauthorized, "this needs the admin token: Authorization: Bearer TOKEN")
  }

  private func administer(_ parts: RequestParts, _ request: Request) async -> Response {
    guard isAdmin(parts) else { return forbidden }
    do {
      if parts.path == "/v1/requeue" {
        guard request.method == .post else { return Answers.problem(.methodNotAllowed, "POST it") }
        let counts = try await intake.requeue(try await reload())
        return Answers.json(["entries_before": counts.before, "entries_after": counts.after])
      }
      guard request.method == .delete else { return Answers.problem(.methodNotAllowed, "DELETE the user") }
      guard let user = parts.path.dropFirst("/v1/users/".count).removingPercentEncoding, !user.isEmpty else {
        return Answers.problem(.badRequest, "the path needs the user's id, percent-encoded")
      }
      let erased = try await intake.erase([user])
      logger.notice("a user was erased", metadata: ["events": "\(erased.events.reduce(0) { $0 + $1.events })"])
      return Answers.json([
        "logs": erased.events.map { ["log": $0.log, "events": $0.events] as [String: Any] },
        "quarantine_entries": erased.quarantined,
      ])
    } catch {
      // The reason may name the user.
      logger.error("an administrative request failed", metadata: ["kind": "\(type(of: error))"])
      return Answers.problem(.internalServerError, "\(error)")
    }
  }
}

/// Bounds the memory of bodies that are not on the disk yet.
final class MemoryGate: Sendable {
  struct Body {
    var bytes: [UInt8] = []
    fileprivate var reserved = 0
  }

  private let used = Mutex(0)
  private let limit: Int
  private let metrics: ServerMetrics

  init(limit: Int, _ metrics: ServerMetrics) { (self.limit, self.metrics) = (limit, metrics) }

  /// Room for a body that grows; what is only announced has none, so that nobody keeps others out with a promise.
  /// - Returns: false if there is none.
  func extend(_ body: inout Body, to size: Int) -> Bool {
    let more = size - body.reserved
    guard more > 0 else { return true }
    let fits = used.withLock { used in
      guard used + more <= limit else { return false }
      used += more
      metrics.set(.waitingBytes, used)
      return true
    }
    if fits { body.reserved = size }
    return fits
  }

  func release(_ body: Body) {
    used.withLock { used in
      used -= body.reserved
      metrics.set(.waitingBytes, used)
    }
  }
}
