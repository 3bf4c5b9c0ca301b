// What a log has that this program does not know: kinds, permissions of a later taxonomy, columns. It is kept and exported,
// and left out of the figures.

import PermissionEvents

/// Names of kinds, permissions and columns that a later version, or another one, has put into a log.
public struct UnknownVocabulary: Sendable, Equatable {
  /// Each in bytewise order.
  public var kinds: [String]
  public var permissions: [String]
  public var columns: [String]

  public init(kinds: [String] = [], permissions: [String] = [], columns: [String] = []) {
    self.kinds = kinds
    self.permissions = permissions
    self.columns = columns
  }

  public var isEmpty: Bool { kinds.isEmpty && permissions.isEmpty && columns.isEmpty }

  /// A sentence for readers of figures; nil if everything is known.
  public var note: String? {
    guard !isEmpty else { return nil }
    let lists = [("kinds of event", kinds), ("permissions", permissions), ("columns", columns)]
    let names = lists.filter { !$0.1.isEmpty }.map { $0.0 + " (" + $0.1.joined(separator: ", ") + ")" }
    return "the log has " + names.joined(separator: " and ")
      + " that this permlog does not know; they are kept and exported, and left out of the figures. A newer permlog "
      + "knows them."
  }
}

extension LogSnapshot {
  /// What this program does not know of the log; its events are kept and exported, and left out of histories.
  package var unknown: UnknownVocabulary {
    func texts(_ names: [[UInt8]]) -> [String] { names.map { String(decoding: $0, as: UTF8.self) } }
    let vocabulary = LogVocabulary(parts)
    return UnknownVocabulary(
      kinds: texts(vocabulary.kinds.map(\.name)), permissions: texts(vocabulary.permissions),
      columns: texts(vocabulary.columns))
  }
}

/// The unknown names of several parts, together; each list by name.
struct LogVocabulary: Sendable {
  private(set) var kinds: [PartKind] = []
  /// Permissions that are of some program's taxonomy, and not of this one's.
  private(set) var permissions: [[UInt8]] = []
  private(set) var columns: [[UInt8]] = []

  init() {}

  init(_ parts: [PartReader]) { self.init(parts.map(\.footer.dictionary)) }

  init(_ dictionaries: [PartDictionary]) {
    var kinds: [[UInt8]: UInt8] = [:]
    for kind in dictionaries.flatMap(\.kinds) where kind.known == nil && !kind.name.isEmpty {
      // The same in whatever order the parts come.
      kinds[kind.name] = max(kinds[kind.name] ?? 0, kind.eventClass)
    }
    func sorted(_ names: [[UInt8]]) -> [[UInt8]] { Set(names).sorted { $0.lexicographicallyPrecedes($1) } }
    self.kinds = sorted(Array(kinds.keys)).map { PartKind(name: $0, eventClass: kinds[$0] ?? 0) }
    permissions = sorted(dictionaries.flatMap(Self.unknownPermissions))
    columns = sorted(dictionaries.flatMap { $0.columns.map(\.name) })
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

  private static let knownPermissions = Set(PermissionCode.taxonomy.map { Array($0.utf8) })

  /// Permissions in use that another program's taxonomy has and this one's has not.
  private static func unknownPermissions(_ dictionary: PartDictionary) -> [[UInt8]] {
    let names = dictionary.values[StringField.permission.rawValue]
    let unknown = names.indices.filter { dictionary.isOfTaxonomy[$0] && !knownPermissions.contains(names[$0]) }
    guard !unknown.isEmpty else { return [] }
    let used = Set(dictionary.contexts.map(\.permission))
    return unknown.filter { used.contains(UInt32($0)) }.map { names[$0] }
  }
}
