// Permissions under the codes of one walk.

import Buffers
import PermissionEvents

extension HistoryContexts {
  /// By number of a context the code of its permission.
  func permissionsOfContexts() -> Buffer<UInt32> {
    var codes = Buffer<UInt32>(capacity: contexts.count)
    for context in contexts { codes.append(context.permission) }
    return codes
  }

  /// By code of a permission the place of its name among all, bytewise.
  func permissionRanks() -> Buffer<UInt32> {
    let ranks = Buffer<UInt32>(repeating: 0, count: permissions.count)
    let order = permissions.indices.sorted { permissions[$0].lexicographicallyPrecedes(permissions[$1]) }
    for (rank, code) in order.enumerated() { ranks[code] = UInt32(truncatingIfNeeded: rank) }
    return ranks
  }

  /// The code of a permission's name; `UInt32.max` if no event has it.
  func permissionCode(_ name: String) -> UInt32 { Self.code(name, permissions) }

  /// The code of one of some names; `UInt32.max` if it is none of them.
  static func code(_ name: String, _ names: [[UInt8]]) -> UInt32 {
    names.firstIndex(of: Array(name.utf8)).map { UInt32(truncatingIfNeeded: $0) } ?? .max
  }
}
