// States that rows carry again and again (`StateSurface`): a property is set at a launch and is late until the next one. And
// a `false`, which is stored without a status, says off, or that nobody has asked yet. So a state is read by what is known before it.

import PermissionEvents

/// Reads the states in users' histories: leaves out those that tell nothing or are late, and says which mean off.
struct StateReader {
  fileprivate struct Known {
    var permission: UInt32
    /// Whether the permission is on, by the last event that counts; nil before the first.
    var isOn: Bool?
    /// When an event that is no state said so.
    var answered = Milliseconds.min
    /// The status of the last state, also if it did not count; nil before the first.
    var status: UInt32?
  }

  /// By context: it is that of states.
  private let isState: [Bool]
  private let permissions: [UInt32]
  let hasStates: Bool
  private var known: [Known] = []

  /// An event of nobody's permission and experiment, which no question looks at.
  fileprivate static let nothing = UInt32(KindCode.assigned)
  /// A property that is late for longer is right.
  static let longestDelay = 7 * millisecondsPerDay

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

  /// Reads the states of a user, in the order of the events.
  mutating func read(_ times: UnsafePointer<Milliseconds>, _ codes: UnsafeMutablePointer<UInt32>, _ count: Int) {
    known.removeAll(keepingCapacity: true)
    for i in 0..<count {
      let code = codes[i]
      let permission = permissions[Int(code >> HistoryBatch.contextShift)]
      guard permission != 0, KindSet.telling.contains(code) else { continue }
      let number = index(permission)
      if isState(code) {
        codes[i] = known[number].read(code, times[i])
      } else if let isOn = Self.isOn(code) {
        (known[number].isOn, known[number].answered) = (isOn, times[i])
      }
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

extension StateReader.Known {
  /// A state as it is read.
  fileprivate mutating func read(_ code: UInt32, _ time: Milliseconds) -> UInt32 {
    let status = code >> HistoryBatch.statusShift & 15
    // A changed property is up to date. The same value again, or the first one, may be older than the answer.
    let isChange = self.status.map { $0 != status } ?? false
    self.status = status
    let isLate = !isChange && answered != .min && time - answered < StateReader.longestDelay
    let isOff = status == 0 || CheckedStatus.isOff(code)
    if CheckedStatus.isOn(code) {
      if isOn == false, isLate { return StateReader.nothing }
      isOn = true
    } else if isOff {
      if isOn == true, isLate { return StateReader.nothing }
      // Without a yes or no before it, `false` is no state.
      if status == 0, isOn == nil { return StateReader.nothing }
      isOn = false
      let denied = UInt32(AuthorizationStatus.denied.rawValue)
      if status == 0 { return code | denied << HistoryBatch.statusShift }
    } else if isOn != nil {
      // Not determined, after an answer.
      return StateReader.nothing
    }
    return code
  }
}
