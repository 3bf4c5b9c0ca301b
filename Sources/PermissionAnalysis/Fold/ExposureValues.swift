// What a walk knows of exposures: whether they meet the question's conditions, and their values of some properties.

import Buffers
import Folding
import PermissionEvents

extension HistorySelection {
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
  private enum Origin { case nowhere, context, attributes, feature, several }

  private let context, attributes, feature: ExposureSource
  private let fields: [StringField]
  private let place: Origin
  /// Nil if no condition is of an experiment that users were given variants of.
  private let given: GivenExperiments?
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
    given = GivenExperiments(conditions, contexts)
    place =
      switch fields.count {
      case 0: .nowhere
      case context.fields.count: .context
      case attributes.fields.count: .attributes
      case feature.fields.count: .feature
      default: .several
      }
  }

  /// Whether all conditions hold for an event of a permission, by its number among the user's.
  @inline(__always)
  func meetsConditions(_ user: borrowing UserHistory, _ event: Int) -> Bool { isUnconditional || allHold(user, event) }

  @inline(never)
  private func allHold(_ user: borrowing UserHistory, _ event: Int) -> Bool {
    (context.holds(user.context(event)) || given?.holds(user, event) == true)
      && (attributes.isUnconditional || attributes.holds(user.attributes(event)))
      && (feature.isUnconditional || feature.holds(user.property(event)))
  }

  /// The code of an event's values of the wanted properties; 0 without any.
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

  /// By code the values of the wanted properties, in their order; missing values are empty.
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
      place == .context
      ? context.values(field) : place == .attributes ? attributes.values(field) : feature.values(field)
    return values.contains { $0.contains(0) } ? values.map { ValueName.of([$0]) } : values
  }

  private func values(_ code: SIMD3<UInt32>) -> [[UInt8]] {
    fields.map { field in
      if Self.ofContexts.contains(field) { return context.value(field, Int(code.x)) }
      return field == .feature ? feature.value(field, Int(code.z)) : attributes.value(field, Int(code.y))
    }
  }
}

/// `experiment=push_copy` also holds for users who had been given a variant of it by the exposure, whatever the screen carries.
private struct GivenExperiments {
  /// By context whether it gives a variant of the experiments, and whether that meets the conditions on variants.
  private let gives, meets: [Bool]
  /// By context whether a screen with it meets the conditions on surfaces.
  private let meetsSurface: [Bool]
  private let experiments: [UInt32]

  init?(_ conditions: [ExposureCondition], _ contexts: HistoryContexts) {
    let wanted = conditions.filter { $0.field == .experiment && $0.comparison == .isOneOf && $0.values != [[]] }
    guard !wanted.isEmpty else { return nil }
    func holds(_ field: StringField, _ value: [UInt8]) -> Bool {
      conditions.allSatisfy { $0.field != field || $0.holds(value) }
    }
    gives = contexts.contexts.map { context in
      context.permission == 0 && context.variant != 0
        && holds(.experiment, contexts.experiments[Int(context.experiment)])
    }
    guard gives.contains(true) else { return nil }
    meets = contexts.contexts.map { holds(.variant, contexts.variants[Int($0.variant)]) }
    meetsSurface = contexts.contexts.map { holds(.surface, contexts.surfaces[Int($0.surface)]) }
    experiments = contexts.contexts.map(\.experiment)
  }

  func holds(_ user: borrowing UserHistory, _ event: Int) -> Bool {
    guard meetsSurface[user.context(event)] else { return false }
    let exposure = user.time(event)
    // The first variant of each experiment is the user's.
    var seen: [UInt32] = []
    for i in 0..<user.eventCount where user.unsafeCodes[i] & 15 == UInt32(KindCode.assigned) {
      let context = user.context(i)
      guard user.time(i) <= exposure, gives[context], !seen.contains(experiments[context]) else { continue }
      if meets[context] { return true }
      seen.append(experiments[context])
    }
    return false
  }
}

// MARK: One of the three things that an event carries codes of: its context, its attributes, its feature

struct ExposureSource: ~Copyable {
  /// The wanted properties that this source has.
  let fields: [StringField]
  /// By code 1 if all conditions on this source hold; empty without any.
  private var meets = Buffer<UInt8>()
  /// By code that of the combination of the wanted properties' values; empty without any.
  private var combinations = Buffer<UInt32>()
  /// By wanted property its values by code.
  private let valuesOfFields: [[[UInt8]]]
  /// By combination the codes of its values. The combinations of a single property are its values, so none are kept.
  private var tuples: [[UInt32]] = []

  /// - Parameters:
  ///   - count: of codes.
  ///   - values: of a property, by their own code.
  ///   - code: of a property's value.
  init(
    _ count: Int, _ fields: [StringField], _ conditions: [ExposureCondition], values: (StringField) -> [[UInt8]],
    code: (StringField, Int) -> UInt32
  ) {
    self.fields = fields
    valuesOfFields = fields.map(values)
    if !conditions.isEmpty { meets.extend(to: count, repeating: 1) }
    for condition in conditions {
      // Each value once: many codes have the same.
      let holds = values(condition.field).map { condition.holds($0) }
      for place in 0..<count where !holds[Int(code(condition.field, place))] { meets[place] = 0 }
    }
    if let field = fields.first, fields.count == 1 {
      for place in 0..<count { combinations.append(code(field, place)) }
    } else if !fields.isEmpty {
      var table = CodeTable<[UInt32]>([fields.map { _ in 0 }])
      for place in 0..<count { combinations.append(table.code(fields.map { code($0, place) })) }
      tuples = table.values
    }
  }

  var isUnconditional: Bool { meets.count == 0 }

  @inline(__always) func holds(_ code: Int) -> Bool { meets.count == 0 || meets[code] != 0 }

  @inline(__always) func combination(_ code: Int) -> UInt32 { combinations.count == 0 ? 0 : combinations[code] }

  var count: Int { fields.count == 1 ? valuesOfFields[0].count : tuples.count }

  func values(_ field: StringField) -> [[UInt8]] { fields.firstIndex(of: field).map { valuesOfFields[$0] } ?? [[]] }

  /// The value of a wanted property in a combination; empty if it is missing.
  func value(_ field: StringField, _ combination: Int) -> [UInt8] {
    guard let place = fields.firstIndex(of: field) else { return [] }
    return valuesOfFields[place][fields.count == 1 ? combination : Int(tuples[combination][place])]
  }
}

/// Days of a zone: remembers the span of constant offset of the last moment, so most look-ups need no search.
struct DayCursor {
  private var start: Milliseconds = 0, end: Milliseconds = 0, offset: Milliseconds = 0

  /// A constant of this module, so the compiler divides by it with a multiplication.
  fileprivate static let millisecondsPerDay: Int64 = 86_400_000

  /// The calendar day of a moment, which is after 1970 in every zone. The zone must always be the same. It is not
  /// kept here, so a copy of the cursor is cheap.
  @inline(__always)
  mutating func day(of time: Milliseconds, in zone: borrowing ZoneTable) -> DayNumber {
    if time < start || time >= end { (start, end, offset) = zone.span(at: time) }
    return Self.day(ofLocal: time &+ offset)
  }

  /// Calls `body` with stretches of ascending moments, by number, that have one offset from UTC, and that offset.
  @inline(__always)
  mutating func forEachOffset(
    of count: Int, in zone: borrowing ZoneTable, time: (Int) -> Milliseconds,
    _ body: (_ moments: Range<Int>, _ offset: Milliseconds) -> Void
  ) {
    var first = 0
    while first < count {
      let moment = time(first)
      if moment < start || moment >= end { (start, end, offset) = zone.span(at: moment) }
      var next = count
      if time(count - 1) >= end {
        next = first + 1
        while time(next) < end { next += 1 }
      }
      body(first..<next, offset)
      first = next
    }
  }

  /// The day of a moment by local time, which is after 1970.
  @inline(__always)
  static func day(ofLocal time: Milliseconds) -> DayNumber {
    DayNumber(truncatingIfNeeded: UInt64(truncatingIfNeeded: time) / UInt64(Self.millisecondsPerDay))
  }
}

/// The indices of weeks, for tight loops: days and moments are after 1970.
struct WeekNumbers {
  private let days: Int64
  private let index: Int64

  init(_ start: WeekStart) { (days, index) = CalendarWeek.terms(from: start) }

  @inline(__always)
  func week(of day: DayNumber) -> Int64 {
    Int64(truncatingIfNeeded: UInt64(truncatingIfNeeded: day &+ days) / 7) &+ index
  }

  /// Of a moment by local time.
  @inline(__always)
  func week(ofLocal time: Milliseconds) -> Int64 {
    let sinceStart = UInt64(truncatingIfNeeded: time &+ days &* DayCursor.millisecondsPerDay)
    return Int64(truncatingIfNeeded: sinceStart / UInt64(7 * DayCursor.millisecondsPerDay)) &+ index
  }
}

extension HistoryContexts {
  /// By number of a context the code of its permission.
  func permissionsOfContexts() -> Buffer<UInt32> {
    var codes = Buffer<UInt32>(capacity: contexts.count)
    for context in contexts { codes.append(context.permission) }
    return codes
  }

  /// By code of a permission the index of its name among all, bytewise.
  func permissionRanks() -> Buffer<UInt32> {
    let ranks = Buffer<UInt32>(repeating: 0, count: permissions.count)
    let order = permissions.indices.sorted { permissions[$0].lexicographicallyPrecedes(permissions[$1]) }
    for (rank, code) in order.enumerated() { ranks[code] = UInt32(truncatingIfNeeded: rank) }
    return ranks
  }

  /// The code of a permission's name; `UInt32.max` if no event has it.
  func permissionCode(_ name: String) -> UInt32 { Self.code(name, permissions) }

  func experimentCode(_ name: String) -> UInt32 { Self.code(name, experiments) }

  /// The code of a name among some names; `UInt32.max` if it is not among them.
  static func code(_ name: String, _ names: [[UInt8]]) -> UInt32 {
    names.firstIndex(of: Array(name.utf8)).map { UInt32(truncatingIfNeeded: $0) } ?? .max
  }
}
