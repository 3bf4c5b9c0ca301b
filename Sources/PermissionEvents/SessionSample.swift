// Which ids of users the events of one session had. A phone whose id changes within a session is two users in every figure.

/// Sessions of an import with the ids of their users. Beyond a number of sessions it keeps those with the least hashes: the same ones
/// whatever the order of the events and the number of threads.
public struct SessionSample: Sendable {
  /// Most sessions that are kept.
  package static let mostSessions = 1 << 16
  /// Most ids of one session that are kept: the bytewise least.
  package static let mostIDs = 8

  private var sessions: [UInt64: [[UInt8]]] = [:]
  /// Sessions from this hash on are left out.
  private var bound = UInt64.max
  /// The session and the user of the last event: mostly the next event's too.
  private var last: (session: UInt64, user: UInt64)?

  public init() {}

  /// Sessions that were looked at.
  public var count: Int { sessions.count }

  /// For each session with several ids, these in bytewise order. The sessions are in no order.
  public var changed: [[[UInt8]]] { sessions.values.filter { $0.count > 1 } }

  /// Notes the user of one event.
  /// - Parameters:
  ///   - session: hash of the session's id.
  ///   - user: hash of the user's id.
  ///   - id: gives the id, if it has to be known.
  @inline(__always)
  public mutating func note(session: UInt64, user: UInt64, id: () -> [UInt8]) {
    if session >= bound { return }
    if let last, last == (session, user) { return }
    last = (session, user)
    insert(id(), into: session)
  }

  public static func += (a: inout Self, b: Self) {
    a.bound = min(a.bound, b.bound)
    a.sessions = a.sessions.filter { $0.key < a.bound }
    a.last = nil
    for (session, ids) in b.sessions { for id in ids { a.insert(id, into: session) } }
  }

  private mutating func insert(_ id: [UInt8], into session: UInt64) {
    guard session < bound else { return }
    var ids = sessions[session] ?? []
    guard !ids.contains(id) else { return }
    ids.append(id)
    if ids.count > 1 { ids.sort { $0.lexicographicallyPrecedes($1) } }
    sessions[session] = Array(ids.prefix(Self.mostIDs))
    while sessions.count > Self.mostSessions {
      bound /= 2
      sessions = sessions.filter { $0.key < bound }
    }
  }
}
