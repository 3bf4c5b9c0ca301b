// What a request says besides its body: its path, its query, the key in its head.

import Foundation
import HTTPTypes
import HummingbirdCore

/// The head of a request, taken apart.
struct RequestParts {
  /// A longer text is no key, and does not belong into the head of a record.
  static let longestKey = 256

  /// Without a slash at its end.
  let path: String
  let query: [Substring: String]
  /// The key of `Authorization`, Basic or Bearer, or of the query; nil if only the body can have it.
  let key: String?
  /// The token of `Authorization: Bearer`.
  let bearer: String?
  let isForwarded: Bool
  /// False if a browser says that a page of another site made it send this.
  let isOfThisSite: Bool
  /// Whether it came straight from this machine, and not from a page of another site that a browser here shows: neither through a link, nor
  /// because that site's name leads here.
  let isLocal: Bool

  init(_ request: Request) {
    var path = request.uri.path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    self.path = path
    var query: [Substring: String] = [:]
    for pair in (request.uri.query ?? "").split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      query[parts[0]] = parts.count > 1 ? String(parts[1]).removingPercentEncoding ?? "" : ""
    }
    self.query = query
    let authorization = request.headers[.authorization]
    bearer = authorization.flatMap { Self.value($0, of: "bearer ") }
    let basic = authorization.flatMap { Self.value($0, of: "basic ") }.flatMap { Data(base64Encoded: $0) }
      .map { String(decoding: $0, as: UTF8.self).prefix { $0 != ":" } }.map(String.init)
    let named = bearer ?? basic ?? query["writeKey"] ?? query["key"] ?? query["api_key"] ?? query["token"]
    key = named.flatMap { $0.utf8.count <= Self.longestKey ? $0 : nil }
    isForwarded = request.headers.contains {
      $0.name.canonicalName.hasPrefix("x-forwarded-")
        || ["forwarded", "via", "x-real-ip"].contains($0.name.canonicalName)
    }
    isOfThisSite = request.headers[.fetchSite].map { ["same-origin", "none"].contains($0) } ?? true
    isLocal =
      !isForwarded && Self.isLoopback(request.head.authority ?? "")
      && isOfThisSite
  }

  /// Whether a field `Host` names this machine: `localhost`, `127.0.0.1` or `[::1]`, with a port or without.
  static func isLoopback(_ host: String) -> Bool {
    host.lowercased().wholeMatch(of: /(localhost|127\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}|\[::1\])(:[0-9]{1,5})?/) != nil
  }

  private static func value(_ field: String, of scheme: String) -> String? {
    guard field.lowercased().hasPrefix(scheme) else { return nil }
    return field.dropFirst(scheme.count).trimmingCharacters(in: .whitespaces)
  }
}

extension HTTPField.Name {
  /// Where a browser's request comes from.
  static let fetchSite = named("Sec-Fetch-Site")
  static let accelBuffering = named("X-Accel-Buffering")
  static let refresh = named("Refresh")
  static let referrerPolicy = named("Referrer-Policy")
  static let resourcePolicy = named("Cross-Origin-Resource-Policy")

  private static func named(_ name: String) -> HTTPField.Name {
    guard let field = HTTPField.Name(name) else { preconditionFailure("\(name) is no field's name") }
    return field
  }
}
