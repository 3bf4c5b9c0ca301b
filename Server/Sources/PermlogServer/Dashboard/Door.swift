// Who may read the pages: whoever has the read token, or whom a proxy names, or, on a machine for trying things, whoever sits at it.

import Foundation
import HTTPTypes
import HummingbirdCore
import Synchronization

/// Lets readers in.
final class Door: Sendable {
  enum Verdict: Equatable {
    case open
    /// A person may give the token.
    case token
    /// Nobody is let in, and why.
    case closed(String)
  }

  private static let cookie = "permlog_session"
  private static let sessionSeconds = 12 * 3600.0
  private static let mostSessions = 10_000

  private let read: SecretToken?
  private let admin: SecretToken?
  private let userHeader: HTTPField.Name?
  /// When each session ends. They are in memory alone: after a restart people give the token again.
  private let sessions = Mutex<[String: Date]>([:])

  init(_ settings: ServerSettings, admin: SecretToken?) throws {
    self.admin = admin
    read = try settings.readTokenFile.map { try SecretToken(contentsOf: $0) }
    userHeader = settings.userHeader.flatMap { HTTPField.Name($0) }
  }

  /// Whether people give a token, and so can leave.
  var hasSessions: Bool { read != nil }

  func verdict(_ parts: RequestParts, _ request: Request) -> Verdict {
    if let userHeader, let user = request.headers[userHeader], !user.isEmpty { return .open }
    if let read {
      if let bearer = parts.bearer, read.matches(bearer) || admin?.matches(bearer) == true { return .open }
      return isSession(Self.cookies(request)) ? .open : .token
    }
    if userHeader != nil { return .closed("the proxy names nobody, and there is no read_token_file") }
    guard admin == nil else {
      return .closed(
        "the settings have no read_token_file, which the pages need; docs/dashboard.md says how to make one")
    }
    // Without any token the server listens on loopback alone, and is for whoever sits at this machine.
    return parts.isLocal ? .open : .closed("without read_token_file only this machine is let in")
  }

  // MARK: Sessions

  /// The value of `Set-Cookie` for a new session; nil if the token is wrong.
  func enter(_ token: String, isSecure: Bool) -> String? {
    guard let read, read.matches(token) || admin?.matches(token) == true else { return nil }
    var generator = SystemRandomNumberGenerator()
    let id = (0..<4).map { _ in String(format: "%016llx", generator.next() as UInt64) }.joined()
    let now = Date()
    sessions.withLock { sessions in
      sessions = sessions.filter { $0.value > now }
      if sessions.count >= Self.mostSessions, let oldest = sessions.min(by: { $0.value < $1.value })?.key {
        sessions[oldest] = nil
      }
      sessions[id] = now.addingTimeInterval(Self.sessionSeconds)
    }
    return Self.field(id, seconds: Int(Self.sessionSeconds), isSecure)
  }

  /// The value of `Set-Cookie` that ends a session.
  func leave(_ request: Request) -> String {
    for id in Self.cookies(request) { sessions.withLock { $0[id] = nil } }
    return Self.field("", seconds: 0, false)
  }

  private func isSession(_ ids: [String]) -> Bool {
    let now = Date()
    return sessions.withLock { sessions in ids.contains { sessions[$0].map { $0 > now } ?? false } }
  }

  private static func field(_ id: String, seconds: Int, _ isSecure: Bool) -> String {
    "\(cookie)=\(id); Max-Age=\(seconds); Path=/; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
  }

  private static func cookies(_ request: Request) -> [String] {
    request.headers[values: .cookie].flatMap { $0.split(separator: ";") }.compactMap { pair in
      let parts = pair.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, parts[0].trimmingCharacters(in: .whitespaces) == cookie else { return nil }
      return String(parts[1])
    }
  }
}
