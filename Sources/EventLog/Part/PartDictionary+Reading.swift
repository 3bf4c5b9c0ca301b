// Lists of values and of their combinations in a footer, as all versions have them. They may come from a damaged or a
// hostile file.

import PermissionEvents

extension StringField {
  /// Fields whose combinations are contexts, and those whose combinations are attributes, in the order of format 1.
  static let contextFields = allCases.filter { $0.stream == .contexts }
  static let attributeFields = allCases.filter { $0.stream == .attributes }
}

extension PartDictionary {
  /// The values of a field; the first is the absent one.
  static func values(_ r: inout ByteReader) -> [[UInt8]]? {
    guard let count = r.count(), count >= 1, count <= PartFormat.maximumEntries else { return nil }
    var list: [[UInt8]] = []
    list.reserveCapacity(count)
    for _ in 0..<count {
      guard let value = r.text(maximum: StringField.maximumLength) else { return nil }
      list.append(value)
    }
    return list[0].isEmpty ? list : nil
  }

  /// Contexts and attributes; nil if there are too many of anything, or a code has no value.
  /// - Parameters:
  ///   - values: by field.
  ///   - contextFields: whose codes a context has, in that order; those of attributes likewise.
  static func tuples(
    _ r: inout ByteReader, _ values: [[[UInt8]]], _ contextFields: [StringField], _ attributeFields: [StringField]
  ) -> (contexts: [Context], attributes: [AttributeTuple])? {
    guard values.reduce(0, { $0 + $1.count }) <= PartFormat.maximumEntries else { return nil }
    // By field; the codes of absent fields stay 0.
    var codes = [UInt32](repeating: 0, count: StringField.allCases.count)
    func read(_ fields: [StringField], _ r: inout ByteReader) -> Bool {
      for field in fields {
        guard let code = r.varint(), code < values[field.rawValue].count else { return false }
        codes[field.rawValue] = UInt32(code)
      }
      return true
    }
    func code(_ field: StringField) -> UInt32 { codes[field.rawValue] }
    guard let contextCount = count(&r, of: contextFields) else { return nil }
    var contexts: [Context] = []
    contexts.reserveCapacity(contextCount)
    for _ in 0..<contextCount {
      guard read(contextFields, &r) else { return nil }
      contexts.append(
        Context(
          permission: code(.permission), variant: code(.variant), experiment: code(.experiment), surface: code(.surface)
        ))
    }
    guard let attributeCount = count(&r, of: attributeFields) else { return nil }
    var attributes: [AttributeTuple] = []
    attributes.reserveCapacity(attributeCount)
    for _ in 0..<attributeCount {
      guard read(attributeFields, &r) else { return nil }
      attributes.append(
        AttributeTuple(
          appVersion: code(.appVersion), osVersion: code(.osVersion), platform: code(.platform), locale: code(.locale),
          country: code(.country)))
    }
    return (contexts, attributes)
  }

  /// The number of tuples of some fields; there is the empty one at least.
  private static func count(_ r: inout ByteReader, of fields: [StringField]) -> Int? {
    guard let count = r.count(unit: fields.count), count >= 1, count <= PartFormat.maximumEntries else { return nil }
    return count
  }
}
