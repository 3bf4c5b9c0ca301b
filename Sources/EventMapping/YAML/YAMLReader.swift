// Takes a map of a YAML document apart, key by key, and complains of keys that nobody asked for: a misspelt key that is
// passed over would change what a mapping does without a word.

/// The keys of one map, each to be taken once.
struct YAMLReader {
  let name: String
  let line: Int
  private var entries: [(key: String, value: YAMLNode, line: Int)] = []
  private var known: [String] = []

  /// - Parameter what: the part of the mapping, for messages.
  init(_ node: YAMLNode, name: String, what: String) throws(MappingError) {
    self.name = name
    line = node.line
    guard case .map(let pairs) = node.content else {
      throw MappingError(name, line: node.line, "\(what) is \(node.kind), not a map of keys and values")
    }
    var seen: Set<String> = []
    for (key, value) in pairs {
      guard case .text(let text) = key.content else {
        throw MappingError(name, line: key.line, "a key of \(what) is \(key.kind), not a text")
      }
      guard seen.insert(text).inserted else {
        throw MappingError(name, line: key.line, "\(text) appears twice in \(what); keep one of them")
      }
      entries.append((text, value, key.line))
    }
  }

  /// The value of a key; nil if it is not there or null.
  mutating func take(_ key: String) -> YAMLNode? {
    known.append(key)
    guard let index = entries.firstIndex(where: { $0.key == key }) else { return nil }
    let value = entries.remove(at: index).value
    return value.isNull ? nil : value
  }

  /// Ends the map: no key may be left.
  func finish(_ what: String) throws(MappingError) {
    guard let first = entries.first else { return }
    throw MappingError(
      name, line: first.line, "\(what) has no key \(first.key); it knows \(known.joined(separator: ", "))")
  }

  func text(_ node: YAMLNode, _ what: String) throws(MappingError) -> String {
    guard let text = node.text else {
      throw MappingError(name, line: node.line, "\(what) is \(node.kind), not a text")
    }
    return text
  }

  mutating func text(_ key: String) throws(MappingError) -> String? {
    guard let node = take(key) else { return nil }
    return try text(node, key)
  }

  /// A text, or a list of them.
  func texts(_ node: YAMLNode, _ what: String) throws(MappingError) -> [String] {
    guard case .list(let list) = node.content else { return [try text(node, what)] }
    var result: [String] = []
    for item in list { result.append(try text(item, what)) }
    return result
  }

  mutating func texts(_ key: String) throws(MappingError) -> [String] {
    guard let node = take(key) else { return [] }
    return try texts(node, key)
  }

  /// The same as places.
  func places(_ node: YAMLNode, _ what: String) throws(MappingError) -> [PropertyReference] {
    try texts(node, what).map { PropertyReference($0) }
  }

  mutating func places(_ key: String) throws(MappingError) -> [PropertyReference] {
    try texts(key).map { PropertyReference($0) }
  }

  /// One of the names of an enumeration.
  mutating func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ key: String
  ) throws(MappingError) -> Value? {
    guard let node = take(key) else { return nil }
    let text = try text(node, key)
    guard let value = Value(rawValue: text) else {
      let known = Value.allCases.map(\.rawValue).joined(separator: ", ")
      throw MappingError(name, line: node.line, "\(key) cannot be \(text); take one of \(known)")
    }
    return value
  }

  /// The pairs of a map whose keys may be anything.
  func pairs(_ node: YAMLNode, _ what: String, of kind: String) throws(MappingError) -> [(
    key: YAMLNode, value: YAMLNode
  )] {
    guard case .map(let pairs) = node.content else {
      throw MappingError(name, line: node.line, "\(what) is \(node.kind), not a map\(kind)")
    }
    return pairs
  }

  /// Values of a file, in their normal form, with what they mean.
  func table(_ node: YAMLNode, _ what: String) throws(MappingError) -> [NormalName: String] {
    var result: [NormalName: String] = [:]
    for (key, value) in try pairs(node, what, of: "") {
      result[NormalName(try text(key, "a value").utf8)] = try text(value, "a value")
    }
    return result
  }

  /// The items of a list.
  func list(_ node: YAMLNode, _ what: String) throws(MappingError) -> [YAMLNode] {
    guard case .list(let list) = node.content else {
      throw MappingError(name, line: node.line, "\(what) is \(node.kind), not a list")
    }
    return list
  }

  /// `true` or `false`.
  mutating func flag(_ key: String) throws(MappingError) -> Bool? {
    guard let node = take(key) else { return nil }
    switch try text(node, key) {
    case "true", "yes": return true
    case "false", "no": return false
    default: throw MappingError(name, line: node.line, "\(key) is neither true nor false")
    }
  }
}
