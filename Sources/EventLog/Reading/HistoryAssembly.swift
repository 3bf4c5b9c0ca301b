// A batch of histories assembled from several parts.

import Buffers
import PermissionEvents

/// The selected values of the events of permissions in the block at which a part is.
final class SelectedValues {
  // Unchecked: one thread owns them, and an access lasts no longer than a call.
  @exclusivity(unchecked) var properties = Buffer<UInt32>()
  @exclusivity(unchecked) var attributes = Buffer<UInt32>()
  /// Of each row, before the events of permissions are selected.
  @exclusivity(unchecked) var rows = Buffer<UInt32>()
  /// Of the block that they were loaded for; -1 for none.
  var openings = -1
}

/// The rows of a user in one part: ranges in its block's lanes.
struct UserSlice {
  let times: UnsafePointer<Int64>
  let codes: UnsafePointer<UInt32>
  let engagement: UnsafePointer<UInt64>
  let properties: UnsafePointer<UInt32>
  let attributes: UnsafePointer<UInt32>
  let engagementAttributes: UnsafePointer<UInt32>
  var permissions: Range<Int>
  var engagements: Range<Int>

  /// - Parameter allAttributes: true if both lanes have attributes.
  @inline(__always)
  init(_ cursor: PartCursor, _ values: SelectedValues, allAttributes: Bool) {
    let block = cursor.block
    times = UnsafePointer(block.permissionTimes.unsafeAddress)
    codes = UnsafePointer(block.permissionCodes.unsafeAddress)
    engagement = UnsafePointer(block.engagement.unsafeAddress)
    properties = UnsafePointer(values.properties.unsafeAddress)
    attributes = UnsafePointer(
      allAttributes ? block.permissionAttributes.unsafeAddress : values.attributes.unsafeAddress)
    engagementAttributes = UnsafePointer(block.engagementAttributes.unsafeAddress)
    permissions = Int(block.firstPermissions[cursor.user])..<Int(block.firstPermissions[cursor.user + 1])
    engagements = Int(block.firstEngagements[cursor.user])..<Int(block.firstEngagements[cursor.user + 1])
  }

  /// Time and kind of an event of a permission: all of the log's order but the event id.
  @inline(__always) func key(_ event: Int) -> UInt64 {
    UInt64(bitPattern: times[event]) << 4 | UInt64(codes[event] & 15)
  }
}

/// Collects users' histories until there are enough to hand over. Owned by one thread.
final class HistoryAssembly {
  // Unchecked, as `SelectedValues`.
  @exclusivity(unchecked) private var permissionCounts = Buffer<UInt32>(capacity: 8192)
  @exclusivity(unchecked) private var engagementCounts = Buffer<UInt32>(capacity: 8192)
  @exclusivity(unchecked) private var times = Buffer<Int64>(capacity: 32_768)
  @exclusivity(unchecked) private var codes = Buffer<UInt32>(capacity: 32_768)
  @exclusivity(unchecked) private var engagement = Buffer<UInt64>(capacity: 32_768)
  @exclusivity(unchecked) private var properties = Buffer<UInt32>(capacity: 32_768)
  @exclusivity(unchecked) private var attributes = Buffer<UInt32>(capacity: 32_768)
  @exclusivity(unchecked) private var engagementAttributes = Buffer<UInt32>()
  private let selection: HistorySelection
  private let withProperties: Bool
  private let withAttributes: Bool
  private let withAll: Bool
  private var ids: [[UInt8]] = []

  init(_ selection: HistorySelection) {
    self.selection = selection
    withProperties = selection.property != nil
    withAttributes = !selection.attributes.isEmpty
    withAll = selection.handsOverAllAttributes
  }

  var isFull: Bool { times.count + engagement.count >= 16_384 }

  func appendID(_ id: [UInt8]) { ids.append(id) }

  /// Appends the history of a user who is in only one part.
  @inline(__always)
  func append(_ slice: UserSlice) {
    beginUser(slice.permissions.count, slice.engagements.count)
    appendPermissions(slice, slice.permissions)
    appendEngagement(slice, slice.engagements)
  }

  /// Appends a user's history.
  /// - Parameter isIDBefore: whether an event of one slice has an id before that of one of another in a lane.
  func append(
    _ slices: inout [UserSlice], isIDBefore: (Int, Int, Int, Int, UserMerge.Lane) throws -> Bool
  ) throws {
    beginUser(slices.reduce(0) { $0 + $1.permissions.count }, slices.reduce(0) { $0 + $1.engagements.count })
    try slices.withUnsafeMutableBufferPointer { slices in
      // A result for events of one time and kind holds for all of them. Computed for each, the work would be quadratic.
      var alike: (key: UInt64, areAlike: Bool)?
      try Self.merge(
        slices.count, rest: { slices[$0].permissions }, key: { slices[$0].key($1) },
        isTieBefore: { a, b in
          let (eventA, eventB) = (slices[a].permissions.lowerBound, slices[b].permissions.lowerBound)
          let key = slices[a].key(eventA)
          // Neither is next if a third slice has an earlier one, which may have more of this key after it.
          if slices.contains(where: { $0.permissions.first.map($0.key) ?? .max < key }) { return false }
          let areAlike =
            alike.flatMap { $0.key == key ? $0.areAlike : nil } ?? areNextAlike(slices, as: slices[a], eventA)
          alike = (key, areAlike)
          return try !areAlike && isIDBefore(a, eventA, b, eventB, .permissions)
        },
        take: { i, taken in
          appendPermissions(slices[i], taken)
          slices[i].permissions.removeFirst(taken.count)
        })
      var alikeEngagement: (key: UInt64, areAlike: Bool)?
      try Self.merge(
        slices.count, rest: { slices[$0].engagements }, key: { slices[$0].engagement[$1] },
        isTieBefore: { a, b in
          // Only the attributes can distinguish events of one time and kind.
          guard withAll else { return false }
          let (eventA, eventB) = (slices[a].engagements.lowerBound, slices[b].engagements.lowerBound)
          let key = slices[a].engagement[eventA]
          if slices.contains(where: { slice in slice.engagements.first.map { slice.engagement[$0] } ?? .max < key }) {
            return false
          }
          let areAlike =
            alikeEngagement.flatMap { $0.key == key ? $0.areAlike : nil }
            ?? Self.isNextEngagementAlike(slices, key, slices[a].engagementAttributes[eventA])
          alikeEngagement = (key, areAlike)
          return try !areAlike && isIDBefore(a, eventA, b, eventB, .engagement)
        },
        take: { i, taken in
          appendEngagement(slices[i], taken)
          slices[i].engagements.removeFirst(taken.count)
        })
    }
  }

  private func beginUser(_ permissions: Int, _ engagements: Int) {
    permissionCounts.append(UInt32(truncatingIfNeeded: permissions))
    engagementCounts.append(UInt32(truncatingIfNeeded: engagements))
  }

  @inline(__always)
  private func appendPermissions(_ slice: UserSlice, _ range: Range<Int>) {
    times.append(from: slice.times + range.lowerBound, count: range.count)
    codes.append(from: slice.codes + range.lowerBound, count: range.count)
    if withProperties { properties.append(from: slice.properties + range.lowerBound, count: range.count) }
    if withAttributes { attributes.append(from: slice.attributes + range.lowerBound, count: range.count) }
  }

  @inline(__always)
  private func appendEngagement(_ slice: UserSlice, _ range: Range<Int>) {
    engagement.append(from: slice.engagement + range.lowerBound, count: range.count)
    if withAll { engagementAttributes.append(from: slice.engagementAttributes + range.lowerBound, count: range.count) }
  }

  /// Merges sorted lists. Parts are mostly of different times, so that what comes next from one list is mostly all that
  /// comes before the next event of any other: found by its last event, and taken at once.
  /// - Parameters:
  ///   - rest: the remaining events of a list.
  ///   - key: of a list's event.
  ///   - isTieBefore: whether the next event of a list comes before that of another, which has the same key.
  @inline(__always)
  private static func merge(
    _ count: Int, rest: (Int) -> Range<Int>, key: (Int, Int) -> UInt64, isTieBefore: (Int, Int) throws -> Bool,
    take: (Int, Range<Int>) -> Void
  ) rethrows {
    while true {
      var best = -1
      var bestKey = UInt64.max
      var nextKey = UInt64.max
      for i in 0..<count where !rest(i).isEmpty {
        let ownKey = key(i, rest(i).lowerBound)
        if try best < 0 || ownKey < bestKey || (ownKey == bestKey && isTieBefore(i, best)) {
          nextKey = min(nextKey, bestKey)
          best = i
          bestKey = ownKey
        } else {
          nextKey = min(nextKey, ownKey)
        }
      }
      guard best >= 0 else { return }
      let all = rest(best)
      let isWhole = key(best, all.upperBound - 1) < nextKey
      take(best, isWhole ? all : all.lowerBound..<all.lowerBound + 1)
    }
  }

  /// Whether the next events of all slices, with the time and kind of one, are indistinguishable: then their order does
  /// not matter, and their ids are not read.
  private func areNextAlike(
    _ slices: UnsafeMutableBufferPointer<UserSlice>, as slice: UserSlice, _ event: Int
  ) -> Bool {
    let (key, code) = (slice.key(event), slice.codes[event])
    let property = withProperties ? slice.properties[event] : 0
    let attribute = withAttributes ? slice.attributes[event] : 0
    // All parts use the codes of the scan.
    return slices.allSatisfy { other in
      other.permissions.prefix { other.key($0) == key }.allSatisfy {
        other.codes[$0] == code && (!withProperties || other.properties[$0] == property)
          && (!withAttributes || other.attributes[$0] == attribute)
      }
    }
  }

  /// The same of engagement, of which only attributes can differ.
  private static func isNextEngagementAlike(
    _ slices: UnsafeMutableBufferPointer<UserSlice>, _ key: UInt64, _ code: UInt32
  ) -> Bool {
    slices.allSatisfy { slice in
      slice.engagements.prefix { slice.engagement[$0] == key }.allSatisfy { slice.engagementAttributes[$0] == code }
    }
  }

  /// Hands over the collected histories, if any, and clears them.
  func flush(into consume: (HistoryBatch) -> Void) {
    guard permissionCounts.count > 0 else { return }
    consume(
      HistoryBatch(
        userCount: permissionCounts.count, permissionCounts: permissionCounts.unsafeAddress,
        engagementCounts: engagementCounts.unsafeAddress, times: times.unsafeAddress, codes: codes.unsafeAddress,
        engagement: engagement.unsafeAddress,
        properties: withProperties ? UnsafePointer(properties.unsafeAddress) : nil,
        attributes: withAttributes ? AttributeColumn(values: attributes.unsafeAddress) : nil,
        engagementAttributes: withAll ? UnsafePointer(engagementAttributes.unsafeAddress) : nil,
        userIDs: selection.userIDs ? UserIDColumn { [ids] in ids[$0] } : nil))
    ids.removeAll(keepingCapacity: true)
    permissionCounts.removeAll()
    engagementCounts.removeAll()
    times.removeAll()
    codes.removeAll()
    engagement.removeAll()
    properties.removeAll()
    attributes.removeAll()
    engagementAttributes.removeAll()
  }
}

// MARK: The parts of a log have dictionaries of their own
// A projection translates one part's codes to codes that all parts share, and keeps only the requested ones.

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
    // If only permissions are requested, a context is its permission, and code and index are the same.
    var contexts = CodeTable<HistoryContexts.Context>([.init(permission: 0, variant: 0, experiment: 0)])
    // Attributes that were not requested are absent.
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
      let areStates = dictionary.values[StringField.surface.rawValue].map { StateSurface.isState($0) }
      let projected = dictionary.contexts.map { c -> UInt32 in
        let permission = permissions[Int(c.permission)]
        guard permission != dropped else { return dropped }
        var context = HistoryContexts.Context(
          permission: permission, variant: selection.variants ? variants[Int(c.variant)] : 0,
          experiment: selection.variants ? experiments[Int(c.experiment)] : 0,
          surface: selection.surfaces ? surfaces[Int(c.surface)] : 0)
        context.isState = areStates[Int(c.surface)]
        return contexts.code(context)
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
