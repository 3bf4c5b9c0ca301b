// The parts of a log have dictionaries of their own. A projection translates one part's codes to codes
// that all parts share, and keeps only what was asked for.

import Buffers
import PermissionEvents

/// The translation of one part's codes.
struct HistoryProjection: Sendable {
  /// By the part's context code the index in `HistoryContexts.contexts`.
  var contexts: [UInt32]
  /// By the part's code (of contexts, attributes or features) the code of the selected property.
  var property: [UInt32]
  /// By the part's attribute code the code of the combination of the selected attributes; empty if none were selected.
  var attributes: [UInt32]

  /// The context of a permission that the program does not know: its events are left out.
  static let dropped: UInt32 = 0xFF_FFFF

  static func make(
    _ dictionaries: [PartDictionary], selection: HistorySelection
  ) throws -> (HistoryContexts, [HistoryProjection]) {
    var builder = PartDictionaryBuilder()
    let unknown = Set(LogVocabulary(dictionaries).permissions)
    // With nothing but permissions asked for, a context is its permission, and code and index are the same.
    var contexts = CodeTable<HistoryContexts.Context>([.init(permission: 0, variant: 0, experiment: 0)])
    // Attributes that were not asked for are absent.
    var combinations = CodeTable<AttributeTuple>([.init()])
    let projections = dictionaries.map { dictionary -> HistoryProjection in
      // By the part's code of a field the shared one.
      func codes(_ field: StringField) -> [UInt32] {
        dictionary.values[field.rawValue].map {
          field == .permission && unknown.contains($0) ? dropped : builder.code(field, $0)
        }
      }
      let (permissions, variants, experiments) = (codes(.permission), codes(.variant), codes(.experiment))
      let surfaces = selection.surfaces ? codes(.surface) : []
      let projected = dictionary.contexts.map { c -> UInt32 in
        let permission = permissions[Int(c.permission)]
        guard permission != dropped else { return dropped }
        return contexts.code(
          .init(
            permission: permission, variant: selection.variants ? variants[Int(c.variant)] : 0,
            experiment: selection.variants ? experiments[Int(c.experiment)] : 0,
            surface: selection.surfaces ? surfaces[Int(c.surface)] : 0))
      }
      var property: [UInt32] = []
      if let field = selection.property {
        let values = codes(field).map { $0 == dropped ? 0 : $0 }
        property =
          switch field.stream {
          case .contexts: dictionary.contexts.map { values[Int($0[field])] }
          case .attributes: dictionary.attributes.map { values[Int($0[field])] }
          default: values
          }
      }
      let selected = StringField.allCases.map { selection.attributes.contains($0) ? codes($0) : [] }
      let attributes = (selection.attributes.isEmpty ? [] : dictionary.attributes).map { tuple in
        combinations.code(
          AttributeTuple {
            let codes = selected[$0.rawValue]
            return codes.isEmpty ? 0 : codes[Int(tuple[$0])]
          })
      }
      return HistoryProjection(contexts: projected, property: property, attributes: attributes)
    }
    guard contexts.values.count < 1 << 24 else {
      throw LogError(
        .limit, "the log has more than 16 million combinations of permission, variant, experiment and surface")
    }
    let values = builder.dictionary.values
    let shared = HistoryContexts(
      contexts: contexts.values, permissions: values[StringField.permission.rawValue],
      variants: values[StringField.variant.rawValue], experiments: values[StringField.experiment.rawValue],
      properties: selection.property.map { values[$0.rawValue] } ?? [[]],
      attributes: combinations.values.map { tuple in selection.attributes.map { tuple[$0] } },
      attributeValues: selection.attributes.map { values[$0.rawValue] }, surfaces: values[StringField.surface.rawValue])
    return (shared, projections)
  }

  /// The selected property of each event of a permission in a block.
  func load(_ field: StringField, of block: BlockDecoder, into values: SelectedValues) throws {
    if field.stream == .contexts {
      try block.loadContextProperty(property, into: &values.rows)
    } else {
      try block.load(.details)
      values.rows.resizeDiscarding(to: block.rows)
      for row in 0..<block.rows {
        values.rows[row] = property[Int(field == .feature ? block.features[row] : block.attributes[row])]
      }
    }
    block.selectPermissions(values.rows, into: &values.properties)
  }
}
