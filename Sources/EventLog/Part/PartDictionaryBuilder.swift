// Collects the dictionary of a part that is being written.

import PermissionEvents

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

  /// Kinds and permissions have the program's codes; what it does not know comes after those.
  /// - Parameter vocabulary: of all sources together.
  init(_ vocabulary: LogVocabulary = LogVocabulary()) {
    kinds = PartKind.program + vocabulary.kinds
    let permissions = PermissionCode.taxonomy.map { Array($0.utf8) } + vocabulary.permissions
    taxonomy = 1...permissions.count
    fields = StringField.allCases.map { CodeTable([[]] + ($0 == .permission ? permissions : [])) }
    columns = vocabulary.columns.map { ($0, CodeTable([[]])) }
  }

  /// What has been collected so far.
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

  /// Codes here for the codes of a part's dictionary; what is new is added.
  mutating func adopt(_ source: PartDictionary) -> PartRecoding {
    let values = codes(ofValues: source.values)
    return PartRecoding(
      contexts: source.contexts.map { old in code(PartDictionary.StoredContext { values[$0.rawValue][Int(old[$0])] }) },
      attributes: source.attributes.map { old in code(AttributeTuple { values[$0.rawValue][Int(old[$0])] }) },
      features: values[StringField.feature.rawValue], columns: source.columns.map { codes(of: $0) })
  }

  /// Codes here for the codes of a part's dictionary, without its columns; what is not here has a code that no event has.
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
