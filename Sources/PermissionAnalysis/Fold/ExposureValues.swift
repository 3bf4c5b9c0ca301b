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
  /// A part of what an event carries, with codes of its own.
  private struct Source: ~Copyable {
    /// By code 1 if all conditions on this part hold; empty without any.
    var meets = Buffer<UInt8>()
    /// By code the code of the combination of this part's wanted properties; empty without any.
    var combinations = Buffer<UInt32>()
    /// By combination its values, in the order of the wanted properties that this part has.
    var values: [[[UInt8]]] = [[]]
    var isEmpty: Bool { meets.count == 0 && combinations.count == 0 }

    /// - Parameter value: of a field, by code.
    init(
      _ count: Int, _ fields: [StringField], _ conditions: [ExposureCondition], _ value: (StringField, Int) -> [UInt8]
    ) {
      guard !fields.isEmpty || !conditions.isEmpty else { return }
      var codes = CodeTable<[[UInt8]]>([fields.map { _ in [] }])
      for code in 0..<count {
        if !conditions.isEmpty { meets.append(conditions.allSatisfy { $0.holds(value($0.field, code)) } ? 1 : 0) }
        if !fields.isEmpty { combinations.append(codes.code(fields.map { value($0, code) })) }
      }
      values = codes.values
    }

    @inline(__always) func holds(_ code: Int) -> Bool { meets.count == 0 || meets[code] != 0 }
    @inline(__always) func combination(_ code: Int) -> UInt32 { combinations.count == 0 ? 0 : combinations[code] }
  }

  private let context, attributes, feature: Source
  private let fields: [StringField]
  let isUnconditional: Bool
  /// Combinations of the three sources' combinations, by code; 0 is no value of any.
  private var codes = CodeTable<SIMD3<UInt32>>([.zero])

  private static let ofContexts: [StringField] = [.variant, .experiment, .surface]

  /// - Parameters:
  ///   - fields: the wanted properties.
  ///   - selection: with which the walk was begun; it has all fields of both.
  init(
    _ fields: [StringField], where conditions: [ExposureCondition], _ selection: HistorySelection,
    _ contexts: HistoryContexts
  ) {
    self.fields = fields
    isUnconditional = conditions.isEmpty
    func ofContexts(_ field: StringField) -> Bool { Self.ofContexts.contains(field) }
    func ofAttributes(_ field: StringField) -> Bool { AttributeTuple.fields.contains(field) }
    context = Source(
      contexts.contexts.count, fields.filter(ofContexts), conditions.filter { ofContexts($0.field) }
    ) { field, code in
      let context = contexts.contexts[code]
      return switch field {
      case .variant: contexts.variants[Int(context.variant)]
      case .experiment: contexts.experiments[Int(context.experiment)]
      default: contexts.surfaces[Int(context.surface)]
      }
    }
    attributes = Source(
      contexts.attributes.count, fields.filter(ofAttributes), conditions.filter { ofAttributes($0.field) }
    ) { field, code in
      guard let place = selection.attributes.firstIndex(of: field) else { return [] }
      return contexts.attributeValues[place][Int(contexts.attributes[code][place])]
    }
    feature = Source(
      contexts.properties.count, fields.filter { $0 == .feature }, conditions.filter { $0.field == .feature }
    ) { _, code in contexts.properties[code] }
  }

  /// True if all conditions hold for an event of a permission, by its number among the user's.
  @inline(__always)
  func meetsConditions(_ user: borrowing UserHistory, _ event: Int) -> Bool {
    isUnconditional || allHold(user, event)
  }

  @inline(never)
  private func allHold(_ user: borrowing UserHistory, _ event: Int) -> Bool {
    context.holds(user.context(event)) && (attributes.isEmpty || attributes.holds(user.attributes(event)))
      && (feature.isEmpty || feature.holds(user.property(event)))
  }

  /// The code of an event's values of the wanted properties; 0 if it has none of them.
  mutating func code(_ user: borrowing UserHistory, _ event: Int) -> UInt32 {
    guard !fields.isEmpty else { return 0 }
    return codes.code(
      SIMD3(
        context.combination(user.context(event)),
        attributes.combinations.count == 0 ? 0 : attributes.combination(user.attributes(event)),
        feature.combinations.count == 0 ? 0 : feature.combination(user.property(event))))
  }

  /// By code the values of the wanted properties, in their order; empty ones are none.
  var values: [[[UInt8]]] {
    codes.values.map { code in
      var context = context.values[Int(code.x)][...]
      var attributes = attributes.values[Int(code.y)][...]
      var feature = feature.values[Int(code.z)][...]
      return fields.map { field in
        let value =
          Self.ofContexts.contains(field)
          ? context.popFirst() : field == .feature ? feature.popFirst() : attributes.popFirst()
        return value ?? []
      }
    }
  }
}
