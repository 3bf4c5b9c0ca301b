// The dictionary in a footer of format 2: kinds, fields and permissions by name, each with what a program that does not know
// it must know to keep it.

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
    w.varint(UInt64(contexts.count))
    for c in contexts {
      for code in [c.permission, c.variant, c.experiment, c.surface] { w.varint(UInt64(code)) }
    }
    w.varint(UInt64(attributes.count))
    for a in attributes {
      for code in [a.appVersion, a.osVersion, a.platform, a.locale, a.country] { w.varint(UInt64(code)) }
    }
  }

  init?(version2 r: inout ByteReader) {
    guard let kinds = Self.kinds(&r), let fields = Self.fields(&r) else { return nil }
    var values = [[[UInt8]]](repeating: [[]], count: StringField.allCases.count)
    for (field, list) in fields.known { values[field.rawValue] = list }
    var isOfTaxonomy = [false]
    if fields.known.contains(where: { $0.field == .permission }) {
      guard let classes = Self.classes(&r, of: values[StringField.permission.rawValue]) else { return nil }
      isOfTaxonomy = classes
    }
    func known(_ stream: BlockStream) -> [StringField] { fields.known.map(\.field).filter { $0.stream == stream } }
    guard let (contexts, attributes) = Self.tuples(&r, values, known(.contexts), known(.attributes)) else { return nil }
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

  /// A byte for each permission: 1 if it is of the taxonomy, 0 if it is somebody's own. The absent one is neither.
  private static func classes(_ r: inout ByteReader, of permissions: [[UInt8]]) -> [Bool]? {
    var classes: [Bool] = []
    classes.reserveCapacity(permissions.count)
    for permission in permissions {
      // What has no name any more is of no taxonomy.
      guard let byte = r.u8(), byte <= (permission.isEmpty ? 0 : 1) else { return nil }
      classes.append(byte == 1)
    }
    return classes
  }
}
