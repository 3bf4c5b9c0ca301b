// Gives a number, its slot, to every place in a record that a mapping looks at. A parser fills the slots, a program reads
// them; neither knows the other.

/// The places that are wanted of a record.
package struct ValuePlaces: Sendable {
  /// Keys from the root to a slot. Several ways may lead to one slot: the spellings of a name.
  package private(set) var paths: [(keys: [String], slot: Int)] = []
  /// The places by slot, for messages.
  package private(set) var names: [String] = []
  private var slots: [[String]: Int] = [:]
  /// Objects in which properties are looked for.
  let containers: [[String]]
  /// Properties by the letters of their names: their slots by container, and the one for a value that is found elsewhere.
  private(set) var listed: [String: (inside: [Int], beside: Int?)] = [:]
  /// Places of several keys, by these in one normal name: a flattened table has them under such a one.
  private(set) var flattened: [String: [String]] = [:]
  /// The same of places of one key.
  private(set) var single: [String: [String]] = [:]

  /// - Parameter containers: objects in which properties are looked for.
  init(containers: [PropertyReference]) {
    self.containers = containers.isEmpty ? [[]] : containers.map(\.keys)
    for keys in self.containers { flatten(keys) }
  }

  private mutating func flatten(_ keys: [String]) {
    for count in keys.indices.dropFirst().map({ $0 + 1 }) {
      let name = Self.normal(keys.prefix(count))
      if flattened[name] == nil { flattened[name] = Array(keys.prefix(count)) }
    }
  }

  package var count: Int { names.count }

  /// The slots where a value may be found, in order of preference.
  mutating func slots(of reference: PropertyReference) -> [Int] {
    switch reference {
    case .pointer(let keys):
      flatten(keys)
      if keys.count == 1, single[Self.normal(keys)] == nil { single[Self.normal(keys)] = keys }
      return [slot(keys, name: reference.text, variants: [keys])]
    case .name(let name):
      return containers.map { container in
        slot(
          container + [name], name: name,
          variants: PropertySpelling.variants(of: name).map { container + [$0] })
      }
    }
  }

  mutating func slots(of references: [PropertyReference]) -> [Int] { references.flatMap { slots(of: $0) } }

  /// The same, and after them the slots for values of these properties that are in none of the objects but elsewhere in the record:
  /// beside, or under a name that says both.
  mutating func slotsAnywhere(of references: [PropertyReference]) -> [Int] {
    var result = slots(of: references)
    for case .name(let name) in references {
      let letters = NormalName(name).letters
      if letters.isEmpty { continue }
      if listed[letters] == nil {
        var beside: Int?
        if !containers.contains([]) {
          beside = names.count
          names.append(name)
        }
        listed[letters] = (slots(of: .name(name)), beside)
      }
      if let beside = listed[letters]?.beside, !result.contains(beside) { result.append(beside) }
    }
    return result
  }

  /// Several keys as one name.
  static func normal(_ keys: some Sequence<String>) -> String {
    keys.map { NormalName($0).text }.filter { !$0.isEmpty }.joined(separator: "_")
  }

  private mutating func slot(_ key: [String], name: String, variants: [[String]]) -> Int {
    // A pointer to a place that is also a property's first spelling shares its slot.
    if let known = slots[key] {
      for variant in variants where slots[variant] == nil { add(variant, known) }
      return known
    }
    let slot = names.count
    names.append(name)
    for variant in variants where slots[variant] == nil { add(variant, slot) }
    return slot
  }

  private mutating func add(_ keys: [String], _ slot: Int) {
    slots[keys] = slot
    paths.append((keys, slot))
  }
}

/// The spellings in which a property named `message_variant` turns up.
enum PropertySpelling {
  /// All usual spellings of a name, itself first. A name that is not in lower case with underscores is meant as it is.
  static func variants(of name: String) -> [String] {
    let isPlain = name.utf8.allSatisfy { ($0 >= 97 && $0 <= 122) || ($0 >= 48 && $0 <= 57) || $0 == 0x5F }
    guard isPlain, !name.isEmpty else { return [name] }
    let words = name.split(separator: "_").map(String.init)
    guard let first = words.first else { return [name] }
    func capital(_ word: String) -> String { word.prefix(1).uppercased() + word.dropFirst() }
    let capitals = words.map(capital)
    var result = [
      name, first + capitals.dropFirst().joined(), capitals.joined(), capitals.joined(separator: " "),
      words.joined(separator: " "), capital(words.joined(separator: " ")), words.joined(separator: "-"),
      name.uppercased(), words.joined(), capitals.joined(separator: "_"),
    ]
    var seen = Set<String>()
    result.removeAll { !seen.insert($0).inserted }
    return result
  }
}
