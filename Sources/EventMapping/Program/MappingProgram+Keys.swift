// The meaning of a member of a record without a path in the mapping, by its keys in any spelling. Such members are a
// table's flattened columns (`event_properties.is_granted`, `properties_result`), and values that an app puts beside
// its properties or in its own objects.

import PermissionEvents

package enum KeyMeaning: Equatable, Sendable {
  /// Nothing; members of it may say something.
  case nothing
  /// The same, and it is of a kind that holds what an app says of its events.
  case properties
  /// Neither it nor anything in it speaks of the event: it says how things were before.
  case closed
  /// It is the value that the mapping reads at the path of these keys.
  case place([String])
  /// It is the property of this slot.
  case slot(Int)
  case telling(TellingKey)
}

extension MappingProgram {
  /// Keys to a member of an object in an object in … at most.
  private static let maximumDepth = 8
  private static let longestName = 200

  /// - Parameter keys: from the root to a member without a path in the mapping.
  package func meaning(of keys: [String]) -> KeyMeaning {
    if places.isIgnored(keys) { return .closed }
    let parts = keys.flatMap { $0.split(separator: ".") }.map { NormalName(String($0)).text }.filter { !$0.isEmpty }
    guard let last = parts.last, parts.count <= Self.maximumDepth else { return .closed }
    let name = parts.joined(separator: "_")
    guard name.utf8.count <= Self.longestName else { return .closed }
    if let place = place(name, keys) { return .place(place) }
    // PostHog's properties of a person, however they are flattened.
    if keys.contains(where: { $0.contains("$set") }) { return .closed }
    if parts.dropLast().contains(where: Self.isState) || Self.isStatePrefix(name) { return .closed }
    let (rest, container) = property(name)
    guard let rest else { return .properties }
    if Self.isStatePrefix(rest) { return .closed }
    if let slot = slot(rest, keys, container) { return .slot(slot) }
    if Self.isState(last) { return .closed }
    let holder = container.map { places.containers[$0] } ?? []
    let shown = keys.starts(with: holder) && keys.count > holder.count ? keys.dropFirst(holder.count) : keys[...]
    let key = TellingKey(NormalName(rest), name: shown.joined(separator: "."))
    return key.map { .telling($0) } ?? .nothing
  }

  /// The slot that a column has for assignments and states, even if the mapping names the column for another field.
  package func stickySlot(column: String) -> Int? {
    let name = column.split(separator: ".").map { NormalName(String($0)).text }.filter { !$0.isEmpty }
      .joined(separator: "_")
    guard !Self.isStatePrefix(name) else { return nil }
    // The mapping's own name for the column may have its objects in front.
    var rest = name[...]
    while true {
      if let slot = slot(String(rest), [column], nil), stickySlots.contains(slot) { return slot }
      guard let holder = Lexicon.propertyObjects.filter({ rest.hasPrefix($0 + "_") }).max(by: { $0.count < $1.count })
      else { return nil }
      rest = rest.dropFirst(holder.utf8.count + 1)
    }
  }

  /// The columns of a table that hold a part of an address: `state` beside `city` is no state of a permission, unless the mapping names it.
  package func columnsOfAddresses(_ columns: [String]) -> Set<String> {
    let named = columns.map { ($0, NormalName($0).text) }
    guard named.contains(where: { Lexicon.addresses.contains($0.1) }) else { return [] }
    let said = Set(mapping.named.compactMap { $0.keys.last.map { NormalName($0).text } })
    return Set(named.filter { $0.1 == "state" && !said.contains($0.1) }.map(\.0))
  }

  /// Whether the value of such a column is an answer all the same: `denied`, and not `ON` or `OK`, which are parts of countries.
  package static func isAnswer(ofAddress value: some Collection<UInt8>) -> Bool {
    guard value.count > 2, case .outcome = AnswerReading(value).said else { return false }
    return true
  }

  package func wants(column: String) -> Bool {
    if firstKeys.contains(column) { return true }
    switch meaning(of: [column]) {
    case .nothing, .closed: return false
    case .properties, .place, .slot, .telling: return true
    }
  }

  /// False for an object of the record that says how things were before.
  package func looksInto(_ keys: [String]) -> Bool {
    !keys.flatMap { $0.split(separator: ".") }.map { NormalName(String($0)).text }.contains(where: Self.isState)
  }

  /// Slots of values about an answer: if two differ, we cannot tell which is right.
  package var heldSlots: Set<Int> { Set([.status, .result, .flag].flatMap { telling[$0] ?? [] }) }

  private static func isState(_ part: String) -> Bool {
    Lexicon.stateObjects.contains(part) || Lexicon.stateObjectsAlone.contains(part)
  }

  /// `user_properties_push_enabled`, `context_traits_push_enabled`.
  private static func isStatePrefix(_ name: String) -> Bool {
    Lexicon.stateObjects.contains { state in
      name.hasPrefix(state + "_") && (state.contains("_") || ["traits", "context", "contexts"].contains(state))
    }
  }

  /// The property's name without the names of its objects, and the mapping's own object that it was in; nil if no name is left.
  private func property(_ name: String) -> (rest: String?, container: Int?) {
    var rest = name[...]
    var found: Int?
    for (index, container) in containerNames where found == nil {
      if rest == container { return (nil, index) }
      if rest.hasPrefix(container + "_") {
        rest = rest.dropFirst(container.utf8.count + 1)
        found = index
      }
    }
    while places.listed[Self.letters(rest)] == nil {
      let holder = Lexicon.propertyObjects.filter { rest == $0 || rest.hasPrefix($0 + "_") }.max { $0.count < $1.count }
      guard let holder else { break }
      if rest == holder { return (nil, found) }
      rest = rest.dropFirst(holder.utf8.count + 1)
    }
    return (String(Self.untyped(rest) ?? rest), found)
  }

  /// BigQuery's parameters and Avro's unions, flattened with the type of the value: the name without the type; nil if
  /// it has no type.
  private static func untyped(_ name: Substring) -> Substring? {
    let type = ["_string", "_int", "_long", "_float", "_double", "_boolean", "_bool"].flatMap { [$0 + "_value", $0] }
      .first { name.hasSuffix($0) }
    return type.map { name.dropLast($0.utf8.count) }
  }

  /// The path of the mapping for a flattened name.
  private func place(_ name: String, _ keys: [String]) -> [String]? {
    if let place = places.flattened[name] { return place == keys ? nil : place }
    guard let name = Self.untyped(name[...]) else { return nil }
    let place = places.flattened[String(name)] ?? places.single[String(name)]
    return place == keys ? nil : place
  }

  private static func letters(_ name: Substring) -> String { name.filter { $0 != "_" } }

  private func slot(_ name: String, _ keys: [String], _ container: Int?) -> Int? {
    guard let known = places.listed[Self.letters(name[...])] else { return nil }
    if let container, container < known.inside.count { return known.inside[container] }
    return known.beside ?? known.inside.first
  }
}

// MARK: Columns that are properties by their name: `properties.granted`, `event_properties_result`, `context_app_version`. Flattened
// records and tables of warehouses have them.

package enum PropertyPrefix {
  /// Objects of properties with a name that may be before a point. Objects of a user have states, not answers.
  private static let any: Set<String> = [
    "properties", "props", "eventproperties", "eventprops", "eventparams", "eventparameters", "params", "parameters",
    "attributes", "attrs", "context", "data", "payload", "details", "metadata", "extra", "custom", "message",
  ]
  /// The objects that may also be before an underscore or a space; others would be part of a name there: `data_source`.
  private static let joined: Set<String> = [
    "properties", "props", "eventproperties", "eventprops", "eventparams", "params", "context",
  ]

  /// The name of the property alone; nil if the column's name has no object before it.
  package static func ownName(_ column: String) -> String? {
    let bytes = Array(column.utf8)
    var squashed: [UInt8] = []
    var own: Int?
    for (index, byte) in bytes.enumerated() {
      switch byte {
      case 0x2E, 0x2F, 0x3A, 0x5F, 0x20:
        let name = String(bounded: squashed)
        let isObject = byte == 0x5F || byte == 0x20 ? joined.contains(name) : any.contains(name)
        if isObject, index + 1 < bytes.count { own = index + 1 }
      case 0x41...0x5A: squashed.append(byte | 0x20)
      case 0x2D: break
      default: squashed.append(byte)
      }
    }
    return own.map { String(bounded: bytes[$0...]) }
  }
}
