// What a walk knows of exposures: whether they meet the question's conditions, and their values of some properties.

import Buffers
import Folding
import PermissionEvents

extension HistorySelection {
  /// Adds what is needed to look up properties of exposures.
  package mutating func add(_ fields: [StringField]) {
    for field in fields {
      switch field {
      case .permission: break
      case .variant, .experiment: variants = true
      case .surface: surfaces = true
      // In a column of its own; there is one such column.
      case .feature: property = .feature
      case .appVersion, .osVersion, .platform, .locale, .country:
        if !attributes.contains(field) { attributes.append(field) }
      }
    }
  }
}

/// Looks up single exposures, under the codes of one walk. Owned by one thread.
struct ExposureValues: ~Copyable {
  /// Where the wanted properties are.
  private enum Place { case nowhere, context, attributes, feature, several }

  private let context, attributes, feature: ExposureSource
  private let fields: [StringField]
  private let place: Place
  let isUnconditional: Bool
  /// Combinations of the three sources' combinations, by code; 0 is no value of any. For properties of several sources alone.
  private var codes = CodeTable<SIMD3<UInt32>>([.zero])

  private static let ofContexts: [StringField] = [.variant, .experiment, .surface]

  /// - Parameters:
  ///   - fields: the wanted properties, each once.
  ///   - selection: with which the walk was begun; it has all fields of both.
  init(
    _ fields: [StringField], where conditions: [ExposureCondition], _ selection: HistorySelection,
    _ contexts: HistoryContexts
  ) {
    self.fields = fields
    isUnconditional = conditions.isEmpty
    func source(
      _ count: Int, _ isOf: (StringField) -> Bool, _ values: (StringField) -> [[UInt8]],
      _ code: (StringField, Int) -> UInt32
    ) -> ExposureSource {
      ExposureSource(count, fields.filter(isOf), conditions.filter { isOf($0.field) }, values: values, code: code)
    }
    context = source(contexts.contexts.count, { Self.ofContexts.contains($0) }) { field in
      switch field {
      case .variant: contexts.variants
      case .experiment: contexts.experiments
      default: contexts.surfaces
      }
    } _: { field, code in
      let context = contexts.contexts[code]
      return switch field {
      case .variant: context.variant
      case .experiment: context.experiment
      default: context.surface
      }
    }
    attributes = source(contexts.attributes.count, { AttributeTuple.fields.contains($0) }) { field in
      selection.attributes.firstIndex(of: field).map { contexts.attributeValues[$0] } ?? [[]]
    } _: { field, code in
      selection.attributes.firstIndex(of: field).map { contexts.attributes[code][$0] } ?? 0
    }
    feature = source(contexts.properties.count, { $0 == .feature }) { _ in
      contexts.properties
    } _: { _, code in
      UInt32(truncatingIfNeeded: code)
    }
    place =
      switch fields.count {
      case 0: .nowhere
      case context.fields.count: .context
      case attributes.fields.count: .attributes
      case feature.fields.count: .feature
      default: .several
      }
  }

  /// True if all conditions hold for an event of a permission, by its number among the user's.
  @inline(__always)
  func meetsConditions(_ user: borrowing UserHistory, _ event: Int) -> Bool {
    isUnconditional || allHold(user, event)
  }

  @inline(never)
  private func allHold(_ user: borrowing UserHistory, _ event: Int) -> Bool {
    context.holds(user.context(event))
      && (attributes.isUnconditional || attributes.holds(user.attributes(event)))
      && (feature.isUnconditional || feature.holds(user.property(event)))
  }

  /// The code of an event's values of the wanted properties; 0 if it has none of them.
  mutating func code(_ user: borrowing UserHistory, _ event: Int) -> UInt32 {
    switch place {
    case .nowhere: 0
    case .context: context.combination(user.context(event))
    case .attributes: attributes.combination(user.attributes(event))
    case .feature: feature.combination(user.property(event))
    case .several:
      codes.code(
        SIMD3(
          context.combination(user.context(event)),
          attributes.fields.isEmpty ? 0 : attributes.combination(user.attributes(event)),
          feature.fields.isEmpty ? 0 : feature.combination(user.property(event))))
    }
  }

  /// By code the values of the wanted properties, in their order; empty ones are none.
  var values: [[[UInt8]]] {
    switch place {
    case .nowhere: [[]]
    case .context: (0..<context.count).map { values(SIMD3(UInt32($0), 0, 0)) }
    case .attributes: (0..<attributes.count).map { values(SIMD3(0, UInt32($0), 0)) }
    case .feature: (0..<feature.count).map { values(SIMD3(0, 0, UInt32($0))) }
    case .several: codes.values.map { values($0) }
    }
  }

  /// By code the values of one or two wanted properties as one name.
  var names: [[UInt8]] {
    // There may be very many values of a single property: as they are.
    guard fields.count == 1, let field = fields.first else { return values.map { ValueName.of($0) } }
    let values =
      switch place {
      case .context: context.values(field)
      case .attributes: attributes.values(field)
      default: feature.values(field)
      }
    return values.contains { $0.contains(0) } ? values.map { ValueName.of([$0]) } : values
  }

  private func values(_ code: SIMD3<UInt32>) -> [[UInt8]] {
    fields.map { field in
      if Self.ofContexts.contains(field) { return context.value(field, Int(code.x)) }
      return field == .feature ? feature.value(field, Int(code.z)) : attributes.value(field, Int(code.y))
    }
  }
}
