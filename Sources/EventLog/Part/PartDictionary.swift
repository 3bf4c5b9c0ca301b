// The dictionary of a part: kinds, string values, and the combinations of values that occur.

import PermissionEvents

/// The meaning of the codes of a part's rows. Code 0 is the absent value and the empty tuple.
struct PartDictionary: Sendable {
  /// The context of an event, without its feature and status, which have their own columns.
  struct StoredContext: FieldTuple {
    var permission: UInt32 = 0
    var variant: UInt32 = 0
    var experiment: UInt32 = 0
    var surface: UInt32 = 0
  }

  /// By the code that rows have.
  var kinds: [PartKind]
  /// By field (`StringField.rawValue`) and code.
  var values: [[[UInt8]]]
  /// By code of a permission: true if it is from the taxonomy of the program that wrote it, not a custom name.
  var isOfTaxonomy: [Bool]
  var contexts: [StoredContext]
  var attributes: [AttributeTuple]
  /// Fields that this program does not know.
  var columns: [PartColumn] = []

  func value(_ field: StringField, _ code: UInt32) -> [UInt8] { values[field.rawValue][Int(code)] }

  func value(_ field: StringField, of event: StoredEvent) -> [UInt8] {
    switch field.stream {
    case .contexts: value(field, contexts[Int(event.context)][field])
    case .attributes: value(field, attributes[Int(event.attributes)][field])
    default: value(field, event.feature)
    }
  }

  /// The numbers of values of all fields, of contexts, of attributes, and of values of unknown columns.
  var entryCounts: [Int] {
    [
      values.reduce(0) { $0 + $1.count }, contexts.count, attributes.count,
      columns.reduce(0) { $0 + $1.values.count },
    ]
  }

  /// An upper bound of the bytes that it takes.
  var weight: Int {
    (values + columns.map(\.values)).reduce(0) { $0 + $1.reduce(0) { $0 + $1.count + 16 } } + contexts.count * 16
      + attributes.count * 20
  }
}

extension PartDictionary.StoredContext {
  static let fields: [StringField] = [.permission, .variant, .experiment, .surface]

  init(_ code: (StringField) -> UInt32) {
    self.init(
      permission: code(.permission), variant: code(.variant), experiment: code(.experiment), surface: code(.surface))
  }

  subscript(_ field: StringField) -> UInt32 {
    switch field {
    case .permission: permission
    case .variant: variant
    case .experiment: experiment
    case .surface: surface
    case .feature, .appVersion, .osVersion, .platform, .locale, .country: 0
    }
  }
}

extension StringField {
  private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { (Array($0.name.utf8), $0) })

  static func named(_ name: [UInt8]) -> StringField? { byName[name] }

  /// The stream with the field's codes, or with those of its combination.
  var stream: BlockStream {
    switch self {
    case .permission, .variant, .experiment, .surface: .contexts
    case .feature: .features
    case .appVersion, .osVersion, .platform, .locale, .country: .attributes
    }
  }
}

/// A field of events that this program does not know, with a stream of its own: one code a row. It is kept by its name,
/// so that merges and exports preserve it.
struct PartColumn: Hashable, Sendable {
  var name: [UInt8]
  var stream: UInt8
  /// By code; code 0 is the absent value.
  var values: [[UInt8]]

  /// Streams below are those of `BlockStream`.
  static let firstStream: UInt8 = 16
  /// Most such columns of a part, and of a log that is merged.
  static let maximumCount = 64
}

/// Names of kinds and fields: they become keys and headings of exports, so that nothing has to be escaped.
enum VocabularyName {
  static let maximumLength = 64
  /// Keys of an exported event that are not string fields.
  private static let reserved = ["event_id", "user_id", "timestamp", "event", "status"].map { Array($0.utf8) }

  /// Small letters, digits and underscores, a letter first.
  static func isValid(_ name: [UInt8]) -> Bool {
    guard let first = name.first, first >= 97, first <= 122, name.count <= maximumLength else { return false }
    return name.allSatisfy { $0 >= 97 && $0 <= 122 || $0 >= 48 && $0 <= 57 || $0 == 0x5F }
  }

  static func isValidColumn(_ name: [UInt8]) -> Bool { isValid(name) && !reserved.contains(name) }
}

// MARK: The dictionary in a footer
// The bytes may come from a damaged or hostile file. Format 1, which will always be read, has all fields in the
// first release's order, and permissions that begin with its taxonomy. Format 2 has kinds, fields and permissions by
// name, each with the facts that a program needs to keep it without knowing it.

extension PartDictionary {
  /// Writes kinds, fields with their values, classes of permissions, contexts and attributes.
  func encode(into w: inout ByteWriter) {
    w.varint(UInt64(kinds.count))
    for kind in kinds {
      w.text(kind.name)
      w.u8(kind.eventClass)
    }
    let known = StringField.allCases.map {
      PartColumn(name: Array($0.name.utf8), stream: $0.stream.rawValue, values: values[$0.rawValue])
    }
    w.varint(UInt64(known.count + columns.count))
    for column in known + columns {
      w.text(column.name)
      w.u8(column.stream)
      w.varint(UInt64(column.values.count))
      for value in column.values { w.text(value) }
    }
    for isOfTaxonomy in isOfTaxonomy { w.u8(isOfTaxonomy ? 1 : 0) }
    Self.encode(contexts, into: &w)
    Self.encode(attributes, into: &w)
  }

  static func encode<Tuple: FieldTuple>(_ tuples: [Tuple], into w: inout ByteWriter) {
    w.varint(UInt64(tuples.count))
    for tuple in tuples { for field in Tuple.fields { w.varint(UInt64(tuple[field])) } }
  }

  /// Reads the dictionary of a version; nil if there are too many of anything, a code has no value, or a name is wrong.
  init?(_ r: inout ByteReader, _ version: PartVersion) {
    switch version {
    case .v1: self.init(version1: &r)
    case .v2, .v3: self.init(version2: &r)
    }
  }

  /// Permissions of the first release's taxonomy: codes 1 to 25 of every part of format 1.
  private static let firstTaxonomy = PermissionCode.taxonomy.prefix(25).map { Array($0.utf8) }

  private init?(version1 r: inout ByteReader) {
    guard r.count() == StringField.allCases.count else { return nil }
    var values: [[[UInt8]]] = []
    for _ in StringField.allCases {
      guard let list = Self.values(&r) else { return nil }
      values.append(list)
    }
    guard let (contexts, attributes) = Self.tuples(&r, values, of: StringField.allCases) else { return nil }
    let permissions = values[StringField.permission.rawValue]
    let taxonomy = Self.firstTaxonomy
    guard permissions.count > taxonomy.count, Array(permissions[1...taxonomy.count]) == taxonomy else { return nil }
    self.init(
      kinds: PartKind.version1, values: values,
      isOfTaxonomy: permissions.indices.map { $0 > 0 && $0 <= taxonomy.count }, contexts: contexts,
      attributes: attributes)
  }

  private init?(version2 r: inout ByteReader) {
    guard let kinds = Self.kinds(&r), let fields = Self.fields(&r) else { return nil }
    var values = [[[UInt8]]](repeating: [[]], count: StringField.allCases.count)
    for (field, list) in fields.known { values[field.rawValue] = list }
    let known = fields.known.map(\.field)
    var isOfTaxonomy = [false]
    if known.contains(.permission) {
      guard let classes = Self.classes(&r, of: values[StringField.permission.rawValue]) else { return nil }
      isOfTaxonomy = classes
    }
    guard let (contexts, attributes) = Self.tuples(&r, values, of: known) else { return nil }
    self.init(
      kinds: kinds, values: values, isOfTaxonomy: isOfTaxonomy, contexts: contexts, attributes: attributes,
      columns: fields.columns)
  }

  /// Each name occurs once, and a kind that this program knows has its class.
  private static func kinds(_ r: inout ByteReader) -> [PartKind]? {
    guard let count = r.count(unit: 2), count >= 1, count <= PartKind.maximumCount else { return nil }
    var kinds: [PartKind] = []
    var names: Set<[UInt8]> = []
    for _ in 0..<count {
      guard let name = r.text(maximum: VocabularyName.maximumLength), let eventClass = r.u8() else { return nil }
      let kind = PartKind(name: name, eventClass: eventClass)
      guard name.isEmpty || VocabularyName.isValid(name) && names.insert(name).inserted,
        kind.known.map({ $0.eventClass.rawValue == eventClass }) ?? true
      else { return nil }
      kinds.append(kind)
    }
    return kinds
  }

  /// A field that this program knows is in its own stream; any other has a stream for itself.
  private static func fields(
    _ r: inout ByteReader
  ) -> (known: [(field: StringField, values: [[UInt8]])], columns: [PartColumn])? {
    let most = StringField.allCases.count + PartColumn.maximumCount
    guard let count = r.count(unit: 3), count <= most else { return nil }
    var known: [(field: StringField, values: [[UInt8]])] = []
    var columns: [PartColumn] = []
    var names: Set<[UInt8]> = []
    var streams: Set<UInt8> = []
    for _ in 0..<count {
      guard let name = r.text(maximum: VocabularyName.maximumLength), let stream = r.u8(),
        let values = values(&r), VocabularyName.isValidColumn(name), names.insert(name).inserted
      else { return nil }
      if let field = StringField.named(name) {
        guard stream == field.stream.rawValue else { return nil }
        known.append((field, values))
      } else {
        guard stream >= PartColumn.firstStream, streams.insert(stream).inserted,
          columns.count < PartColumn.maximumCount
        else { return nil }
        columns.append(PartColumn(name: name, stream: stream, values: values))
      }
    }
    let entries = columns.reduce(0) { $0 + $1.values.count }
    return entries <= PartFormat.maximumEntries ? (known, columns) : nil
  }

  /// The values of a field; the first is the absent one.
  private static func values(_ r: inout ByteReader) -> [[UInt8]]? {
    guard let count = r.count(), count >= 1, count <= PartFormat.maximumEntries,
      r.spend(count * MemoryLayout<[UInt8]>.stride)
    else { return nil }
    var list: [[UInt8]] = []
    list.reserveCapacity(count)
    for _ in 0..<count {
      // Names that are no text would make an export that is no JSON.
      guard let value = r.text(maximum: StringField.maximumLength), Self.isText(value) else { return nil }
      list.append(value)
    }
    return list[0].isEmpty ? list : nil
  }

  private static func isText(_ value: [UInt8]) -> Bool {
    value.allSatisfy { $0 < 0x80 } || String(validating: value, as: UTF8.self) != nil
  }

  /// A byte for each permission: 1 if it is from the taxonomy, 0 if it is custom. The absent one is neither.
  private static func classes(_ r: inout ByteReader, of permissions: [[UInt8]]) -> [Bool]? {
    var classes: [Bool] = []
    classes.reserveCapacity(permissions.count)
    for permission in permissions {
      // A permission that lost its name is of no taxonomy.
      guard let byte = r.u8(), byte <= (permission.isEmpty ? 0 : 1) else { return nil }
      classes.append(byte == 1)
    }
    return classes
  }

  /// Contexts and attributes.
  /// - Parameters:
  ///   - values: by field.
  ///   - known: the fields with codes in the tuples, in their order.
  private static func tuples(
    _ r: inout ByteReader, _ values: [[[UInt8]]], of known: [StringField]
  ) -> (contexts: [StoredContext], attributes: [AttributeTuple])? {
    guard values.reduce(0, { $0 + $1.count }) <= PartFormat.maximumEntries,
      let contexts: [StoredContext] = tuples(&r, values, of: known),
      let attributes: [AttributeTuple] = tuples(&r, values, of: known)
    else { return nil }
    return (contexts, attributes)
  }

  /// Tuples of one kind; there is the empty one at least. The codes of absent fields stay 0.
  private static func tuples<Tuple: FieldTuple>(
    _ r: inout ByteReader, _ values: [[[UInt8]]], of known: [StringField]
  ) -> [Tuple]? {
    let fields = known.filter(Tuple.fields.contains)
    guard let count = r.count(unit: fields.count), count >= 1, count <= PartFormat.maximumEntries,
      r.spend(count * MemoryLayout<Tuple>.stride)
    else { return nil }
    var codes = [UInt32](repeating: 0, count: values.count)
    var tuples: [Tuple] = []
    tuples.reserveCapacity(count)
    for _ in 0..<count {
      for field in fields {
        guard let code = r.varint(), code < values[field.rawValue].count else { return nil }
        codes[field.rawValue] = UInt32(code)
      }
      tuples.append(Tuple { codes[$0.rawValue] })
    }
    return tuples
  }
}

// MARK: Collects the dictionary of a part that is being written

/// For each code of one part's dictionary the code in another.
struct PartRecoding: Sendable {
  /// Of a column that the program does not know.
  struct Column: Sendable {
    /// In the other dictionary.
    var number: Int
    var codes: [UInt32]
  }

  var contexts: [UInt32]
  var attributes: [UInt32]
  var features: [UInt32]
  /// By the part's column; nil if the other dictionary has no such column.
  var columns: [Column?] = []
}

/// Collects the dictionary of a part that is being written from the dictionaries of its sources.
/// Used by one thread, before any block is encoded.
struct PartDictionaryBuilder {
  private let kinds: [PartKind]
  /// The codes of permissions of the taxonomy.
  private let taxonomy: ClosedRange<Int>
  /// Names and values of columns that the program does not know.
  private var columns: [(name: [UInt8], values: CodeTable<[UInt8]>)]
  /// By field.
  private var fields: [CodeTable<[UInt8]>]
  private var contexts = CodeTable<PartDictionary.StoredContext>([.init()])
  private var attributes = CodeTable<AttributeTuple>([.init()])

  /// Kinds and permissions have the program's codes; unknown ones follow.
  /// - Parameter vocabulary: of all sources together.
  init(_ vocabulary: LogVocabulary = LogVocabulary()) {
    kinds = vocabulary.allKinds
    let permissions = PermissionCode.taxonomy.map { Array($0.utf8) } + vocabulary.permissions
    taxonomy = 1...permissions.count
    fields = StringField.allCases.map { CodeTable([[]] + ($0 == .permission ? permissions : [])) }
    columns = vocabulary.columns.map { ($0, CodeTable([[]])) }
  }

  var dictionary: PartDictionary {
    PartDictionary(
      kinds: kinds, values: fields.map(\.values),
      isOfTaxonomy: fields[StringField.permission.rawValue].values.indices.map(taxonomy.contains),
      contexts: contexts.values, attributes: attributes.values,
      columns: columns.enumerated().map { number, column in
        PartColumn(
          name: column.name, stream: PartColumn.firstStream + UInt8(truncatingIfNeeded: number),
          values: column.values.values)
      })
  }

  mutating func code(_ field: StringField, _ value: [UInt8]) -> UInt32 { fields[field.rawValue].code(value) }
  mutating func code(_ context: PartDictionary.StoredContext) -> UInt32 { contexts.code(context) }
  mutating func code(_ tuple: AttributeTuple) -> UInt32 { attributes.code(tuple) }

  /// Codes here of all values of a dictionary, by field and code there; new ones are added.
  mutating func codes(ofValues values: [[[UInt8]]]) -> [[UInt32]] {
    StringField.allCases.map { field in values[field.rawValue].map { code(field, $0) } }
  }

  /// The codes here for the codes of a part's dictionary; new entries are added.
  mutating func adopt(_ source: PartDictionary) -> PartRecoding {
    let values = codes(ofValues: source.values)
    return PartRecoding(
      contexts: source.contexts.map { old in code(PartDictionary.StoredContext { values[$0.rawValue][Int(old[$0])] }) },
      attributes: source.attributes.map { old in code(AttributeTuple { values[$0.rawValue][Int(old[$0])] }) },
      features: values[StringField.feature.rawValue], columns: source.columns.map { codes(of: $0) })
  }

  /// Codes here for the codes of a part's dictionary, without its columns. Missing entries get a code that no event has.
  func find(_ source: PartDictionary) -> PartRecoding {
    let values = zip(source.values, fields).map { values, table in values.map { table.find($0) ?? .max } }
    return PartRecoding(
      contexts: source.contexts.map { old in
        contexts.find(PartDictionary.StoredContext { values[$0.rawValue][Int(old[$0])] }) ?? .max
      },
      attributes: source.attributes.map { old in
        attributes.find(AttributeTuple { values[$0.rawValue][Int(old[$0])] }) ?? .max
      },
      features: values[StringField.feature.rawValue])
  }

  /// Codes here of the values of a source's column, and the column's number here.
  private mutating func codes(of column: PartColumn) -> PartRecoding.Column? {
    guard let number = columns.firstIndex(where: { $0.name == column.name }) else { return nil }
    return PartRecoding.Column(number: number, codes: column.values.map { columns[number].values.code($0) })
  }
}
