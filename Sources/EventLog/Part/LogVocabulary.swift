// What the parts of a log have that this program does not know: kinds, permissions of a later taxonomy, columns. It is
// kept and exported, and left out of the figures.

import PermissionEvents

/// The unknown names of several parts, together.
struct LogVocabulary: Sendable {
  /// By name.
  private(set) var kinds: [PartKind] = []
  /// Permissions that are of some program's taxonomy, and not of this one's; by name.
  private(set) var permissions: [[UInt8]] = []
  /// By name.
  private(set) var columns: [[UInt8]] = []

  init() {}

  init(_ dictionaries: [PartDictionary]) {
    var kinds: [[UInt8]: UInt8] = [:]
    var permissions: Set<[UInt8]> = []
    var columns: Set<[UInt8]> = []
    for dictionary in dictionaries {
      for kind in dictionary.kinds where kind.known == nil && !kind.name.isEmpty {
        // The same in whatever order the parts come.
        kinds[kind.name] = max(kinds[kind.name] ?? 0, kind.eventClass)
      }
      permissions.formUnion(dictionary.unknownPermissions)
      columns.formUnion(dictionary.columns.map(\.name))
    }
    self.kinds = kinds.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { PartKind(name: $0, eventClass: $1) }
    self.permissions = permissions.sorted { $0.lexicographicallyPrecedes($1) }
    self.columns = columns.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// The codes that all of these parts share, for those of one of them.
  func codes(of dictionary: PartDictionary) -> KindCodes { KindCodes(dictionary.kinds, unknown: kinds.map(\.name)) }

  /// True if all kinds and columns fit into one part.
  var fitsOnePart: Bool { kinds.count <= KindCodes.roomForUnknown && columns.count <= PartColumn.maximumCount }

  /// Throws if there are more unknown kinds or columns than can be carried.
  func requireRoom(_ directory: LogDirectory) throws {
    guard !fitsOnePart else { return }
    let names = (kinds.map(\.name) + columns).map { String(decoding: $0, as: UTF8.self) }.joined(separator: ", ")
    throw LogError(
      .limit,
      "\(directory.path): this permlog does not know \(names), and can carry \(KindCodes.roomForUnknown) kinds and "
        + "\(PartColumn.maximumCount) columns that it does not know. Use a newer permlog.")
  }
}

extension PartDictionary {
  /// Permissions in use that another program's taxonomy has and this one's has not.
  fileprivate var unknownPermissions: Set<[UInt8]> {
    let names = values[StringField.permission.rawValue]
    let unknown = names.indices.filter { isOfTaxonomy[$0] && !PermissionCode.isInTaxonomy(names[$0]) }
    guard !unknown.isEmpty else { return [] }
    let used = Set(contexts.map(\.permission))
    return Set(unknown.filter { used.contains(UInt32($0)) }.map { names[$0] })
  }
}

extension PermissionCode {
  private static let names = Set(taxonomy.map { Array($0.utf8) })

  static func isInTaxonomy(_ name: [UInt8]) -> Bool { names.contains(name) }
}
