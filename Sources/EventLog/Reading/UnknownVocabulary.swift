// What a log has that this program does not know, for people.

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

  /// A sentence for whoever reads figures; nil if everything is known.
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
    let vocabulary = LogVocabulary(parts.map(\.footer.dictionary))
    return UnknownVocabulary(
      kinds: texts(vocabulary.kinds.map(\.name)), permissions: texts(vocabulary.permissions),
      columns: texts(vocabulary.columns))
  }
}
