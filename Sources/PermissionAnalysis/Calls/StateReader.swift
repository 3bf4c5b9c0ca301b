// States that rows carry again and again (`StateSurface`): a property is set at a launch and lags behind what happens until
// the next one. So only its changes tell something, and its first value if no answer says otherwise.

import PermissionEvents

/// Takes states that tell nothing out of users' histories.
struct StateReader {
  private struct Known {
    var permission: UInt32
    /// Of the last state; nil before the first.
    var status: UInt32?
    /// Whether the last event that says so by itself says that the permission is on; nil before the first.
    var isOn: Bool?
  }

  /// By context: it is that of states.
  private let isState: [Bool]
  private let permissions: [UInt32]
  let hasStates: Bool
  private var known: [Known] = []

  /// An event of nobody's permission and experiment, which no question looks at.
  private static let nothing = UInt32(KindCode.assigned)

  init(_ contexts: HistoryContexts) {
    isState = contexts.contexts.map(\.isState)
    permissions = contexts.contexts.map(\.permission)
    hasStates = isState.contains(true)
  }

  @inline(__always)
  private func isState(_ code: UInt32) -> Bool {
    code & 15 == UInt32(KindCode.statusChecked) && isState[Int(code >> HistoryBatch.contextShift)]
  }

  /// Whether there is a state among a user's events.
  func hasStates(_ codes: UnsafePointer<UInt32>, _ count: Int) -> Bool { (0..<count).contains { isState(codes[$0]) } }

  /// Replaces the states of a user that tell nothing, in the order of the events.
  mutating func read(_ codes: UnsafeMutablePointer<UInt32>, _ count: Int) {
    known.removeAll(keepingCapacity: true)
    for i in 0..<count {
      let code = codes[i]
      let permission = permissions[Int(code >> HistoryBatch.contextShift)]
      guard permission != 0, KindSet.telling.contains(code) else { continue }
      let number = index(permission)
      guard isState(code) else {
        if let isOn = Self.isOn(code) { known[number].isOn = isOn }
        continue
      }
      let status = code >> HistoryBatch.statusShift & 15
      let isNews =
        if let last = known[number].status {
          last != status
        } else {
          known[number].isOn.map { $0 == Self.isOn(code) } ?? true
        }
      known[number].status = status
      if !isNews { codes[i] = Self.nothing }
    }
  }

  private mutating func index(_ permission: UInt32) -> Int {
    if let known = known.firstIndex(where: { $0.permission == permission }) { return known }
    known.append(Known(permission: permission))
    return known.count - 1
  }

  /// What an event says by itself; nil if it says neither.
  private static func isOn(_ code: UInt32) -> Bool? {
    switch UInt8(truncatingIfNeeded: code & 15) {
    case KindCode.granted, KindCode.reEnabled: true
    case KindCode.denied, KindCode.revoked: false
    default: CheckedStatus.isOn(code) ? true : CheckedStatus.isOff(code) ? false : nil
    }
  }
}
