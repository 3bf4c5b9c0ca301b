// Which entries of a dictionary the rows of a part use: what no row uses is not written, so that a value
// leaves the log with the last event that has it.

import PermissionEvents

struct DictionaryUsage: Sendable {
  private var contexts: [Bool]
  private var attributes: [Bool]
  private var features: [Bool]
  /// By column and code.
  private var columns: [[Bool]]
  /// A bit for each kind after those of the first release.
  private var laterKinds: UInt32 = 0

  init(_ dictionary: PartDictionary) {
    contexts = Array(repeating: false, count: dictionary.contexts.count)
    attributes = Array(repeating: false, count: dictionary.attributes.count)
    features = Array(repeating: false, count: dictionary.values[StringField.feature.rawValue].count)
    columns = dictionary.columns.map { Array(repeating: false, count: $0.values.count) }
  }

  /// Marks what the rows of a block use. Code 0 is the absent value, which is always there.
  mutating func mark(_ block: BlockEncoder) {
    for i in 0..<block.contexts.count { contexts[Int(block.contexts[i])] = true }
    for i in 0..<block.attributes.count { attributes[Int(block.attributes[i])] = true }
    for i in 0..<block.features.count { features[Int(block.features[i])] = true }
    for i in 0..<block.columnCodes.count { columns[i % columns.count][Int(block.columnCodes[i])] = true }
    // Most blocks have no later kind, which takes no more than a pass over their bytes in vectors.
    let kinds = block.kinds.unsafeAddress
    var last: UInt8 = 0
    for row in 0..<block.rows { last = max(last, kinds[row] & 15) }
    guard last >= EventKind.firstRelease else { return }
    for row in 0..<block.rows { laterKinds |= 1 << UInt32(kinds[row] & 15) }
  }

  /// The dictionary with the same codes, and nothing for those that are not used.
  func pruned(_ dictionary: PartDictionary) -> PartDictionary {
    var result = dictionary
    result.kinds = pruned(dictionary.kinds)
    result.columns = zip(dictionary.columns, columns).compactMap { Self.pruned($0, used: $1) }
    for i in contexts.indices where !contexts[i] { result.contexts[i] = .init() }
    for i in attributes.indices where !attributes[i] { result.attributes[i] = .init() }
    var used: [Set<UInt32>] = StringField.allCases.map { _ in [0] }
    Self.mark(result.contexts, in: &used)
    Self.mark(result.attributes, in: &used)
    for i in features.indices where features[i] { used[StringField.feature.rawValue].insert(UInt32(i)) }
    for field in StringField.allCases {
      for i in result.values[field.rawValue].indices where !used[field.rawValue].contains(UInt32(i)) {
        result.values[field.rawValue][i] = []
        if field == .permission { result.isOfTaxonomy[i] = false }
      }
    }
    return result
  }

  private static func mark<Tuple: FieldTuple>(_ tuples: [Tuple], in used: inout [Set<UInt32>]) {
    for tuple in tuples { for field in Tuple.fields { used[field.rawValue].insert(tuple[field]) } }
  }

  /// Kinds up to the last that is used, and at least those of the first release; an unknown one has a name only if it is
  /// used.
  private func pruned(_ kinds: [PartKind]) -> [PartKind] {
    let used = kinds.prefix(max(EventKind.firstRelease, 32 - laterKinds.leadingZeroBitCount))
    return used.enumerated().map { code, kind in
      let isNamed = kind.known != nil || code < EventKind.firstRelease || laterKinds >> UInt32(code) & 1 == 1
      return isNamed ? kind : PartKind(name: [], eventClass: 0)
    }
  }

  /// Nil if no row has a value.
  private static func pruned(_ column: PartColumn, used: [Bool]) -> PartColumn? {
    guard used.dropFirst().contains(true) else { return nil }
    var column = column
    for code in column.values.indices where code > 0 && !used[code] { column.values[code] = [] }
    return column
  }
}
