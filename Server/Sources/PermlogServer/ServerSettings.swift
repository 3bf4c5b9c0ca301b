// The settings of a server: a JSON file that an operator writes once.

import Foundation
import HTTPTypes
import Permlog

/// What a server is told.
///
/// For example:
///
/// ```json
/// {
///   "state": "/var/lib/permlog",
///   "listen": "127.0.0.1:8087",
///   "admin_token_file": "/etc/permlog/admin-token",
///   "keys": [
///     {"key": "wk_7f3a", "log": "/var/lib/permlog/app.permlog"},
///     {"key": "wk_91bc", "log": "/var/lib/permlog/other.permlog", "mapping": "/etc/permlog/other.yaml"}
///   ]
/// }
/// ```
public struct ServerSettings: Codable, Sendable {
  /// A key that apps send, and the log that its events belong to.
  public struct Key: Codable, Sendable {
    public var key: String
    /// The log's directory.
    public var log: String
    /// A mapping for the events, beside the presets.
    public var mapping: String?
    /// IANA name of the zone of times without a zone.
    public var inputTimeZone: String?
    /// `device` or `account`: who a user is.
    public var identity: String?
    /// Permissions outside the taxonomy are kept under their own names.
    public var customPermissions: Bool?
    /// A file with the key under which the log's user ids are hashed.
    public var hashUsers: String?
    /// A file with the key of the list of erased users, if it is kept outside the log.
    public var erasureKey: String?

    public init(key: String, log: String) { (self.key, self.log) = (key, log) }
  }

  /// The directory for bodies that are not in a log yet, and for the quarantine.
  public var state: String
  /// `127.0.0.1:8087`; not used if systemd hands a socket over.
  public var listen: String?
  /// A file, readable by its owner alone, with the token of administrative requests.
  public var adminTokenFile: String?
  /// A file, readable by its owner alone, with the token of those who may read the pages.
  public var readTokenFile: String?
  /// A field of a request's head with which a proxy names the person it let in: who has it may read the pages.
  public var userHeader: String?
  /// Pages and answers have no group of fewer users.
  public var smallGroups: Int?
  public var keys: [Key]
  /// Any key is accepted for the only log. Allowed on loopback alone.
  public var acceptsAnyKey: Bool?

  /// Bytes of the largest body that is taken.
  public var bodyLimit: Int?
  /// Bytes of bodies that wait to be read.
  public var spoolLimit: Int?
  /// Bytes of the quarantine.
  public var quarantineLimit: Int?
  /// Bytes of bodies in memory.
  public var memoryLimit: Int?
  /// Connections at once.
  public var connectionLimit: Int?
  /// Seconds between two commits.
  public var commitInterval: Double?
  /// Seconds after which a connection without requests, or with a request that does not end, is closed.
  public var idleTimeout: Double?

  public init(state: String, keys: [Key]) { (self.state, self.keys) = (state, keys) }

  public var maximumBody: Int { bodyLimit ?? 20 << 20 }
  var maximumSpool: Int { spoolLimit ?? 1 << 30 }
  var maximumQuarantine: Int { quarantineLimit ?? 256 << 20 }
  var maximumMemory: Int { memoryLimit ?? 64 << 20 }
  var maximumConnections: Int { connectionLimit ?? 10_000 }
  var secondsBetweenCommits: Double { commitInterval ?? 0.5 }
  var secondsOfIdleness: Double { idleTimeout ?? 60 }

  /// Reads a file of settings.
  /// - Throws: `SettingsError` with what is wrong and where.
  public init(contentsOf path: String) throws {
    guard let bytes = FileManager.default.contents(atPath: path) else {
      throw SettingsError("\(path): it cannot be read. Name a file of settings that this user may read.")
    }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let names = try Self.names(in: bytes, path)
    do { self = try decoder.decode(ServerSettings.self, from: bytes) } catch let error as DecodingError {
      throw SettingsError("\(path): \(Self.text(error))")
    }
    let unknown = names.subtracting(Self.known)
    guard unknown.isEmpty else {
      throw SettingsError(
        "\(path): there is no setting \(unknown.sorted().joined(separator: ", ")). docs/server.md lists them.")
    }
    try check(path)
  }

  private static let known: Set<String> = [
    "state", "listen", "admin_token_file", "read_token_file", "user_header", "small_groups", "keys", "accepts_any_key",
    "body_limit", "spool_limit", "quarantine_limit",
    "memory_limit", "connection_limit", "commit_interval", "idle_timeout", "key", "log", "mapping", "input_time_zone",
    "identity", "custom_permissions", "hash_users", "erasure_key",
  ]

  /// The names of all members, so that a misspelt one is not passed over.
  private static func names(in bytes: Data, _ path: String) throws -> Set<String> {
    let tree: Any
    do { tree = try JSONSerialization.jsonObject(with: bytes) } catch {
      throw SettingsError("\(path): it is not JSON: \((error as NSError).localizedDescription)")
    }
    guard let object = tree as? [String: Any] else { throw SettingsError("\(path): it must be a JSON object") }
    let keys = (object["keys"] as? [Any] ?? []).compactMap { $0 as? [String: Any] }
    return Set(object.keys).union(keys.flatMap(\.keys))
  }

  private static func text(_ error: DecodingError) -> String {
    func place(_ path: [any CodingKey]) -> String {
      path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
    }
    switch error {
    case .keyNotFound(let key, let context): return "\(place(context.codingPath + [key])) is missing"
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      return "\(place(context.codingPath)): \(context.debugDescription)"
    @unknown default: return "\(error)"
    }
  }

  /// Checks what the types cannot say.
  public func check(_ path: String = "settings") throws {
    func fail(_ text: String) -> SettingsError { SettingsError("\(path): \(text)") }
    if keys.isEmpty { throw fail("keys is empty; give at least one key and its log") }
    for identity in keys.compactMap(\.identity) where ReadingOptions.Identity(rawValue: identity) == nil {
      throw fail("identity is device or account, not \(identity)")
    }
    for key in keys where key.key.isEmpty || key.log.isEmpty { throw fail("a key and its log must not be empty") }
    let names = keys.map(\.key)
    if Set(names).count < names.count { throw fail("a key is listed twice; each has one log") }
    // One log has one writer, and so one naming of its users.
    for (log, same) in Dictionary(grouping: keys, by: { EventStreams.place($0.log) })
    where Set(same.map { [$0.hashUsers, $0.erasureKey] }).count > 1 {
      throw fail("the keys of \(log) differ in hash_users or erasure_key; a log has one of each")
    }
    if acceptsAnyKey == true, Set(keys.map { EventStreams.place($0.log) }).count > 1 {
      throw fail("accepts_any_key needs one log alone")
    }
    let limits = [bodyLimit, spoolLimit, quarantineLimit, memoryLimit, connectionLimit].compactMap(\.self)
    if limits.contains(where: { $0 < 1 })
      || [commitInterval, idleTimeout].compactMap(\.self).contains(where: { !($0 > 0) })
    {
      throw fail("limits and times must be greater than 0")
    }
    if maximumMemory < maximumBody { throw fail("memory_limit must be at least body_limit (\(maximumBody) bytes)") }
    if let smallGroups, !Report.sizesOfLargeGroups.contains(smallGroups) {
      throw fail("small_groups is a number of users from 2 to 1000000, not \(smallGroups)")
    }
    if let userHeader {
      guard HTTPField.Name(userHeader) != nil else {
        throw fail("user_header is the name of a field, not \(userHeader)")
      }
    }
    _ = try address()
    if let reasonForLoopback, try !address().isLoopback {
      throw fail(
        "\(reasonForLoopback) the server listens on loopback only (127.0.0.1 or ::1), not on \(listen ?? "")")
    }
  }

  /// Why nobody else may reach the port; nil if others may.
  var reasonForLoopback: String? {
    if adminTokenFile == nil || acceptsAnyKey == true { return "without admin_token_file, or with accepts_any_key," }
    // Whoever reaches the port could name himself.
    return userHeader == nil ? nil : "with user_header"
  }

  /// Where to listen.
  public struct Address: Sendable, Hashable {
    public var host: String
    public var port: Int
    public var isLoopback: Bool {
      // A name may begin with these digits too.
      host == "::1" || host == "localhost"
        || host.hasPrefix("127.") && host.utf8.allSatisfy { $0 == 0x2E || (0x30...0x39).contains($0) }
    }
  }

  public func address() throws -> Address {
    let text = listen ?? "127.0.0.1:8087"
    guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
      (0...65535).contains(port)
    else { throw SettingsError("listen: \(text) is not HOST:PORT, like 127.0.0.1:8087") }
    let host = text[..<colon].trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    return Address(host: host.isEmpty ? "0.0.0.0" : host, port: port)
  }
}

/// Settings that cannot be used.
public struct SettingsError: Error, CustomStringConvertible {
  public var description: String
  init(_ description: String) { self.description = description }
}

/// A token that lets in whoever gives it.
struct SecretToken: Sendable {
  private let token: [UInt8]

  /// - Throws: if others may read the file, or it is too short to be a secret.
  init(contentsOf path: String) throws {
    guard let bytes = FileManager.default.contents(atPath: path),
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    else { throw SettingsError("\(path): it cannot be read. Make it: head -c 32 /dev/urandom | base64 > \(path)") }
    guard mode & 0o077 == 0 else { throw SettingsError("\(path): others may read it. Run: chmod 600 \(path)") }
    token = Array(bytes).filter { !JSONWalk.isSpace($0) }
    guard token.count >= 16 else { throw SettingsError("\(path): a token has at least 16 characters") }
  }

  /// Takes the same time whatever the first difference is.
  func matches(_ given: String) -> Bool {
    let given = Array(given.utf8)
    var difference = UInt8(given.count == token.count ? 0 : 1)
    for (i, byte) in token.enumerated() { difference |= byte ^ (i < given.count ? given[i] : 0) }
    return difference == 0
  }
}
