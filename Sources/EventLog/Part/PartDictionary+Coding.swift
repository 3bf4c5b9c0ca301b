// The dictionary in a footer. What is read may come from a damaged or a hostile file.
//
// Format 1, which will always be read, has all fields in the first release's order, and permissions that begin with its
// taxonomy. Format 2 has kinds, fields and permissions by name, each with what a program that does not know it must know to
// keep it.

import PermissionEvents

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
    case .v2: self.init(version2: &r)
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

  /// Names are there once, and a kind that this program knows has its class.
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
      guard let value = r.text(maximum: StringField.maximumLength) else { return nil }
      list.append(value)
    }
    return list[0].isEmpty ? list : nil
  }

  /// A byte for each permission: 1 if it is of the taxonomy, 0 if it is somebody's own. The absent one is neither.
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
  ///   - known: the fields whose codes the tuples have, in their order.
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
