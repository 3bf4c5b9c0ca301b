// The parts of a log have dictionaries of their own. A projection translates one part's codes to codes
// that all parts share, and keeps only what was asked for.

import PermissionEvents

/// The translation of one part's codes.
struct HistoryProjection: Sendable {
  /// By the part's context code the index in `HistoryContexts.contexts`.
  var contexts: [UInt32]
  /// By the part's code (of contexts, attributes or features) the code of the selected property.
  var property: [UInt32]
  /// By the part's attribute code the code of the combination of the selected attributes.
  var attributes: [UInt32]

  /// Stands for a context of a permission that the program does not know: its events are left out.
  static let dropped: UInt32 = 0xFF_FFFF

  static func make(
    _ dictionaries: [PartDictionary], selection: HistorySelection
  ) throws -> (HistoryContexts, [HistoryProjection]) {
    var builder = PartDictionaryBuilder()
    let unknown = Set(LogVocabulary(dictionaries).permissions)
    // With nothing but permissions asked for, a context is its permission, and code and index are the same.
    var contexts: [HistoryContexts.Context] = []
    var indices: [HistoryContexts.Context: UInt32] = [:]
    func index(_ context: HistoryContexts.Context) -> UInt32 {
      if let index = indices[context] { return index }
      indices[context] = UInt32(truncatingIfNeeded: contexts.count)
      contexts.append(context)
      return UInt32(truncatingIfNeeded: contexts.count - 1)
    }
    _ = index(.init(permission: 0, variant: 0, experiment: 0))
    var combinations = AttributeCombinations(selection.attributes)
    let projections = dictionaries.map { dictionary -> HistoryProjection in
      func codes(_ field: StringField) -> [UInt32] {
        dictionary.values[field.rawValue].map {
          field == .permission && unknown.contains($0) ? dropped : builder.code(field, $0)
        }
      }
      let permissions = codes(.permission)
      let variants = codes(.variant)
      let experiments = codes(.experiment)
      let projected = dictionary.contexts.map { c -> UInt32 in
        let permission = permissions[Int(c.permission)]
        guard permission != dropped else { return dropped }
        return index(
          .init(
            permission: permission, variant: selection.variants ? variants[Int(c.variant)] : 0,
            experiment: selection.variants ? experiments[Int(c.experiment)] : 0))
      }
      var property: [UInt32] = []
      if let field = selection.property {
        let values = codes(field)
        property =
          switch field {
          case .permission:
            dictionary.contexts.map { values[Int($0.permission)] == dropped ? 0 : values[Int($0.permission)] }
          case .variant: dictionary.contexts.map { values[Int($0.variant)] }
          case .experiment: dictionary.contexts.map { values[Int($0.experiment)] }
          case .surface: dictionary.contexts.map { values[Int($0.surface)] }
          case .feature: values
          case .appVersion, .osVersion, .platform, .locale, .country:
            dictionary.attributes.map { values[Int($0.code(of: field))] }
          }
      }
      let attributes = combinations.codes(dictionary, values: codes)
      return HistoryProjection(contexts: projected, property: property, attributes: attributes)
    }
    guard contexts.count < 1 << 24 else {
      throw LogError(.limit, "the log has more than 16 million combinations of permission, variant and experiment")
    }
    let values = builder.dictionary.values
    let shared = HistoryContexts(
      contexts: contexts, permissions: values[StringField.permission.rawValue],
      variants: values[StringField.variant.rawValue], experiments: values[StringField.experiment.rawValue],
      properties: selection.property.map { values[$0.rawValue] } ?? [[]], attributes: combinations.all,
      attributeValues: selection.attributes.map { values[$0.rawValue] })
    return (shared, projections)
  }

  /// The selected property of each event of a permission in a block.
  func load(_ field: StringField, of block: DecodedBlock, into columns: HistoryAssembly.Columns) throws {
    let out = columns.rows
    out.reserve(block.rows)
    switch field {
    case .permission, .variant, .experiment, .surface:
      try block.loadContextProperty(property, into: out)
    case .feature:
      try block.load(.details)
      for row in 0..<block.rows { out.pointer[row] = property[Int(block.features.pointer[row])] }
    case .appVersion, .osVersion, .platform, .locale, .country:
      try block.load(.details)
      for row in 0..<block.rows { out.pointer[row] = property[Int(block.attributes.pointer[row])] }
    }
    block.selectPermissions(out, into: columns.properties)
  }
}
