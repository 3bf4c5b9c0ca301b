// The closed lists of names: kinds, statuses and the taxonomy of permissions.

import PermissionEvents

/// A closed list of names. Looked up on a cache's miss only, so plainly.
enum Vocabulary {
  static let kinds: [[UInt8]] = EventKind.names.map { Array($0.utf8) }
  static let statuses: [[UInt8]] = AuthorizationStatus.names.map { Array($0.utf8) }
  static let permissions: [[UInt8]] = PermissionCode.taxonomy.map { Array($0.utf8) }

  static func index(of name: UnsafeRawBufferPointer, in list: [[UInt8]]) -> Int? {
    list.firstIndex { $0.elementsEqual(name) }
  }
}
