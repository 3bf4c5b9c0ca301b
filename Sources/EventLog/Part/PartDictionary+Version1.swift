// The dictionary in a footer of format 1, which is read for ever: all fields in the first release's order, and permissions
// that begin with its taxonomy.

import PermissionEvents

extension PartDictionary {
  /// Permissions of the first release's taxonomy: codes 1 to 25 of every part of format 1.
  private static let firstTaxonomy = PermissionCode.taxonomy.prefix(25).map { Array($0.utf8) }

  init?(version1 r: inout ByteReader) {
    guard let fields = r.count(), fields == StringField.allCases.count else { return nil }
    var values: [[[UInt8]]] = []
    for _ in 0..<fields {
      guard let list = Self.values(&r) else { return nil }
      values.append(list)
    }
    guard let (contexts, attributes) = Self.tuples(&r, values, StringField.contextFields, StringField.attributeFields)
    else { return nil }
    let permissions = values[StringField.permission.rawValue]
    let taxonomy = Self.firstTaxonomy
    guard permissions.count > taxonomy.count, Array(permissions[1...taxonomy.count]) == taxonomy else { return nil }
    self.init(
      kinds: PartKind.version1, values: values,
      isOfTaxonomy: permissions.indices.map { $0 > 0 && $0 <= taxonomy.count }, contexts: contexts,
      attributes: attributes)
  }
}
