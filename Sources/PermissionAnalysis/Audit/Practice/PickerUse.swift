// Who needs no permission: users of the system's picker, beside those who gave access.

import Folding
import PermissionEvents

/// Users of a permission that a picker can stand in for.
package struct PickerUse: Sendable, Hashable {
  package var permission: [UInt8]
  /// Users who used the picker or were found on; of them those who used it, and those who only used it.
  package var users, picked, onlyPicked: Int64
  /// Users who saw the system's prompt or answered it.
  package var asked: Int64
}

package struct PickerFold: Fold, ~Copyable {
  package static var selection: HistorySelection {
    var selection = HistorySelection()
    selection.allKinds = true
    return selection
  }

  private let contexts: HistoryContexts
  private let permissions: [UInt32]
  private let end: Milliseconds

  /// - Parameter end: the latest time that counts.
  package init(_ contexts: HistoryContexts, upTo end: Milliseconds) {
    (self.contexts, self.end) = (contexts, end)
    permissions = contexts.contexts.map(\.permission)
  }

  package mutating func fold(_ user: borrowing UserHistory, into sums: inout PickerSums) {
    // A user has few permissions, and most have no picker.
    var found: [(permission: UInt32, has: Uses)] = []
    for i in 0..<user.eventCount {
      let code = user.unsafeCodes[i]
      let has = Uses(of: code)
      let permission = permissions[Int(code >> HistoryBatch.contextShift)]
      guard !has.isEmpty, permission != 0, user.unsafeTimes[i] <= end else { continue }
      if let known = found.firstIndex(where: { $0.permission == permission }) {
        found[known].has.formUnion(has)
      } else {
        found.append((permission, has))
      }
    }
    for (permission, has) in found {
      sums.add(
        PickerUse(
          permission: contexts.permissions[Int(permission)], users: has.isDisjoint(with: [.picker, .access]) ? 0 : 1,
          picked: has.contains(.picker) ? 1 : 0, onlyPicked: has.contains(.picker) && !has.contains(.access) ? 1 : 0,
          asked: has.contains(.ask) ? 1 : 0))
    }
  }

  /// What a user did with a permission.
  private struct Uses: OptionSet {
    let rawValue: UInt8
    static let picker = Self(rawValue: 1)
    static let access = Self(rawValue: 2)
    static let ask = Self(rawValue: 4)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(of code: UInt32) {
      switch EventKind(rawValue: UInt8(truncatingIfNeeded: code & 15)) {
      case .pickerUsed: self = .picker
      case .granted: self = [.access, .ask]
      case .promptShown, .denied: self = .ask
      case .reEnabled: self = .access
      case .statusChecked: self = CheckedStatus.isOn(code) ? .access : []
      default: self = []
      }
    }
  }
}

/// They are never written to a file.
package struct PickerSums: FoldSums {
  package static let name = "pickers 1"
  package static var layout: SumsLayout<Self> { [] }
  private var counts: [[UInt8]: PickerUse] = [:]

  package init() {}

  mutating func add(_ use: PickerUse) {
    guard let sum = counts[use.permission] else { return counts[use.permission] = use }
    counts[use.permission] = PickerUse(
      permission: use.permission, users: sum.users + use.users, picked: sum.picked + use.picked,
      onlyPicked: sum.onlyPicked + use.onlyPicked, asked: sum.asked + use.asked)
  }

  package mutating func add(_ other: PickerSums) {
    for use in other.counts.values { add(use) }
  }

  /// By the permission's name.
  package var rows: [PickerUse] {
    counts.values.sorted { $0.permission.lexicographicallyPrecedes($1.permission) }
  }
}

extension AuditReport {
  /// - Parameter uses: nil if they were not looked at.
  static func candidates(_ uses: [PickerUse]?, _ question: AuditQuestion) -> [AuditFinding] {
    // Nothing to save where nobody is asked.
    let asked = (uses ?? []).filter { $0.asked > 0 && $0.picked > 0 }
    guard !asked.isEmpty else { return [AuditFinding(.mostOnlyPick, leftOut: .nothingToSee)] }
    return asked.map { use in
      AuditFinding(
        .mostOnlyPick, permission: String(bounded: use.permission), users: use.onlyPicked, of: use.users,
        leftOut: AuditSums.leftOut(.mostOnlyPick, use.onlyPicked, use.users, question))
    }
  }
}
