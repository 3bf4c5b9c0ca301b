// The parts of a log that this program does not know: kinds, permissions of a later taxonomy, columns. They are kept
// and exported, but left out of the figures.

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
    let names = lists.filter { !$0.1.isEmpty }.map { $0.0 + " (" + LongNames.list($0.1) + ")" }
    return "the log has " + names.joined(separator: " and ")
      + " that this permlog does not know. They are kept and exported, but left out of the figures. A newer permlog "
      + "knows them."
  }
}

extension LogSnapshot {
  /// The parts of the log that this program does not know. Their events are kept and exported, but left out of histories.
  package var unknown: UnknownVocabulary {
    func texts(_ names: [[UInt8]]) -> [String] { names.map { String(bounded: $0) } }
    let vocabulary = LogVocabulary(parts)
    return UnknownVocabulary(
      kinds: texts(vocabulary.kinds.map(\.name)), permissions: texts(vocabulary.permissions),
      columns: texts(vocabulary.columns))
  }
}

/// The unknown names of several parts, together; each list by name.
struct LogVocabulary: Sendable {
  private(set) var kinds: [PartKind] = []
  /// The program's kinds that have codes: all, but for its last one where no part has it and an unknown kind needs the code.
  private(set) var program = PartKind.program
  /// Permissions from another program's taxonomy that this program's does not have.
  private(set) var permissions: [[UInt8]] = []
  private(set) var columns: [[UInt8]] = []

  init() {}

  init(_ parts: [PartReader]) { self.init(parts.map(\.footer.dictionary)) }

  init(_ dictionaries: [PartDictionary]) {
    var kinds: [[UInt8]: UInt8] = [:]
    for kind in dictionaries.flatMap(\.kinds) where kind.known == nil && !kind.name.isEmpty {
      // The same for any order of the parts.
      kinds[kind.name] = max(kinds[kind.name] ?? 0, kind.eventClass)
    }
    if let last = program.last, !kinds.isEmpty,
      !dictionaries.contains(where: { $0.kinds.contains { $0.name == last.name } })
    {
      program.removeLast()
    }
    func sorted(_ names: [[UInt8]]) -> [[UInt8]] { Set(names).sorted { $0.lexicographicallyPrecedes($1) } }
    self.kinds = sorted(Array(kinds.keys)).map { PartKind(name: $0, eventClass: kinds[$0] ?? 0) }
    permissions = sorted(dictionaries.flatMap(Self.unknownPermissions))
    columns = sorted(dictionaries.flatMap { $0.columns.map(\.name) })
  }

  /// The codes that all of these parts share, for those of one of them.
  func codes(of dictionary: PartDictionary) -> KindCodes { KindCodes(dictionary.kinds, self) }

  /// Known and unknown ones, by the codes that parts share.
  var allKinds: [PartKind] { program + kinds }

  /// The most unknown kinds that can be carried.
  private var roomForUnknown: Int { PartKind.maximumCount - program.count }

  /// Whether all kinds and columns fit into one part.
  var fitsOnePart: Bool { kinds.count <= roomForUnknown && columns.count <= PartColumn.maximumCount }

  /// Throws if there are more unknown kinds or columns than can be carried.
  func requireRoom(_ directory: LogDirectory) throws {
    guard !fitsOnePart else { return }
    let names = LongNames.list((kinds.map(\.name) + columns).map { String(bounded: $0) })
    throw LogError(
      .limit,
      "\(directory.path): this permlog does not know \(names); it can carry at most \(roomForUnknown) "
        + "kinds and \(PartColumn.maximumCount) columns that it does not know. Use a newer permlog.")
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

// MARK: Which entries of a dictionary the rows of a part use. Unused entries are not written, so that a value leaves
// the log with its last event

struct DictionaryUsage: Sendable {
  private var contexts: [Bool]
  private var attributes: [Bool]
  private var features: [Bool]
  /// By column and code.
  private var columns: [[Bool]]
  /// A bit for each kind after those of the first release.
  private var laterKinds: UInt32 = 0
  private var lastStatus: UInt8 = 0

  /// The first that has all of it.
  var version: PartVersion { lastStatus < AuthorizationStatus.firstRelease ? .v2 : .v3 }

  init(_ dictionary: PartDictionary) {
    contexts = Array(repeating: false, count: dictionary.contexts.count)
    attributes = Array(repeating: false, count: dictionary.attributes.count)
    features = Array(repeating: false, count: dictionary.values[StringField.feature.rawValue].count)
    columns = dictionary.columns.map { Array(repeating: false, count: $0.values.count) }
  }

  /// Marks what the rows of a block use. Code 0 is the absent value, which is always there.
  mutating func mark(_ block: borrowing BlockEncoder) {
    for i in 0..<block.contexts.count { contexts[Int(block.contexts[i])] = true }
    for i in 0..<block.attributes.count { attributes[Int(block.attributes[i])] = true }
    for i in 0..<block.features.count { features[Int(block.features[i])] = true }
    for i in 0..<block.columnCodes.count { columns[i % columns.count][Int(block.columnCodes[i])] = true }
    for i in 0..<block.statuses.count { lastStatus = max(lastStatus, block.statuses[i]) }
    // Most blocks have no later kind, which is checked in one vectorised pass over their bytes.
    let kinds = block.kinds.unsafeAddress
    var last: UInt8 = 0
    for row in 0..<block.rows { last = max(last, kinds[row] & 15) }
    guard last >= EventKind.firstRelease else { return }
    for row in 0..<block.rows { laterKinds |= 1 << UInt32(kinds[row] & 15) }
  }

  /// The dictionary with the same codes, empty for unused ones.
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

// MARK: A tally of ingests as a section of a part's footer: varints in a fixed order
// Counters are only appended.

extension IngestTally {
  /// The number of its section.
  static let section: UInt64 = 1
  /// The number of counters in a section without those of lines and sessions: a section has these, or all known ones.
  private static let before = 4

  var encoded: [UInt8] {
    var w = ByteWriter()
    for count in counters + later { w.varint(UInt64(bitPattern: count)) }
    return w.bytes
  }

  /// Nil if the bytes are not a tally: too few counters or too many, one too large, or some that contradict each other.
  init?(encoded bytes: [UInt8]) {
    let counters: [Int64]? = bytes.withUnsafeBytes { buffer in
      var r = ByteReader(buffer)
      var counters: [Int64] = []
      let most = Self.counterNames.count + Self.mostLater
      while r.remaining > 0 {
        guard counters.count < most, let count = r.varint(), count <= UInt64(Self.limit) else { return nil }
        counters.append(Int64(count))
      }
      return counters
    }
    let known = Self.counterNames.count
    guard let counters, counters.count == Self.before || counters.count >= known else { return nil }
    self.init(counters: Array(counters.prefix(known)))
    later = Array(counters.dropFirst(known))
  }
}
