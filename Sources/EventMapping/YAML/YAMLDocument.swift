// Reads a YAML document by libyaml.

import CYAML

enum YAMLDocument {
  /// The most values of a document with its aliases resolved: a few lines of aliases to aliases would fill any memory.
  private static let maximumNodes = 100_000
  private static let maximumDepth = 32
  /// The most bytes of a text. Keys of records have up to 256, and a path a few of them.
  private static let longestText = 1 << 10

  /// libyaml's parser, which must not move. It keeps the address of the text.
  private struct Parser: ~Copyable {
    let state = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)

    init(_ bytes: UnsafeBufferPointer<UInt8>, _ name: String) throws(MappingError) {
      state.initialize(to: yaml_parser_t())
      guard yaml_parser_initialize(state) == 1 else { throw MappingError("\(name): there is not enough memory") }
      yaml_parser_set_input_string(state, bytes.baseAddress, bytes.count)
    }

    deinit {
      yaml_parser_delete(state)
      state.deallocate()
    }

    func problem(_ name: String) -> MappingError {
      let text = state.pointee.problem.map { String(cString: $0) } ?? "it cannot be read"
      return MappingError(
        name, line: Int(clamping: state.pointee.problem_mark.line) + 1,
        "it is not valid YAML (\(text)); correct the line")
    }
  }

  /// Refuses a text that is nested deep before it is loaded: libyaml takes time by the square of the depth for that.
  private static func checkDepth(_ bytes: UnsafeBufferPointer<UInt8>, _ name: String) throws(MappingError) {
    let parser = try Parser(bytes, name)
    var depth = 0
    while true {
      var event = yaml_event_t()
      guard yaml_parser_parse(parser.state, &event) == 1 else { throw parser.problem(name) }
      defer { yaml_event_delete(&event) }
      switch event.type {
      case YAML_SEQUENCE_START_EVENT, YAML_MAPPING_START_EVENT: depth += 1
      case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: depth -= 1
      case YAML_DOCUMENT_END_EVENT, YAML_STREAM_END_EVENT: return
      default: break
      }
      if depth > maximumDepth { throw tooDeep(name, line: Int(clamping: event.start_mark.line) + 1) }
    }
  }

  private static func tooDeep(_ name: String, line: Int) -> MappingError {
    MappingError(name, line: line, "it is nested too deep or too large; write it without aliases")
  }

  /// The root of the first document in a text.
  /// - Parameter name: the file, for messages.
  static func parse(_ bytes: [UInt8], name: String) throws(MappingError) -> YAMLNode {
    try bytes.withUnsafeBufferPointer { buffer throws(MappingError) in
      try checkDepth(buffer, name)
      let parser = try Parser(buffer, name)
      var document = yaml_document_t()
      guard yaml_parser_load(parser.state, &document) == 1 else { throw parser.problem(name) }
      defer { yaml_document_delete(&document) }
      guard let root = yaml_document_get_root_node(&document) else {
        throw MappingError("\(name): it is empty", .showPreset)
      }
      var left = maximumNodes
      return try node(root, &document, name, depth: 0, &left)
    }
  }

  private static func node(
    _ node: UnsafeMutablePointer<yaml_node_t>, _ document: UnsafeMutablePointer<yaml_document_t>, _ name: String,
    depth: Int, _ left: inout Int
  ) throws(MappingError) -> YAMLNode {
    let line = Int(clamping: node.pointee.start_mark.line) + 1
    left -= 1
    guard left > 0, depth < maximumDepth else { throw tooDeep(name, line: line) }
    func child(_ index: Int32, _ left: inout Int) throws(MappingError) -> YAMLNode {
      guard let found = yaml_document_get_node(document, index) else {
        throw MappingError(name, line: line, "it cannot be read")
      }
      return try self.node(found, document, name, depth: depth + 1, &left)
    }
    let data = node.pointee.data
    switch node.pointee.type {
    case YAML_SCALAR_NODE:
      // A long text under many aliases is as many texts here.
      left -= min(maximumNodes, data.scalar.length / 64)
      guard data.scalar.length <= longestText else {
        throw MappingError(name, line: line, "a text has more than \(longestText) bytes, too many for a name or a path")
      }
      let bytes = UnsafeBufferPointer(start: data.scalar.value, count: data.scalar.length)
      return YAMLNode(
        content: .text(String(bounded: bytes)), line: line,
        isPlain: data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
    case YAML_SEQUENCE_NODE:
      var list: [YAMLNode] = []
      var item = data.sequence.items.start
      while let current = item, current != data.sequence.items.top {
        list.append(try child(current.pointee, &left))
        item = current + 1
      }
      return YAMLNode(content: .list(list), line: line, isPlain: false)
    case YAML_MAPPING_NODE:
      var pairs: [(key: YAMLNode, value: YAMLNode)] = []
      var pair = data.mapping.pairs.start
      while let current = pair, current != data.mapping.pairs.top {
        let key = try child(current.pointee.key, &left)
        pairs.append((key: key, value: try child(current.pointee.value, &left)))
        pair = current + 1
      }
      return YAMLNode(content: .map(pairs), line: line, isPlain: false)
    default: return YAMLNode(content: .text(""), line: line, isPlain: true)
    }
  }
}

/// A value of a YAML document. All scalars are text: `true`, `0` and `A` stay texts, so that a variant may be named `on`.
struct YAMLNode {
  enum Content {
    case text(String)
    case list([YAMLNode])
    /// In the order of the file.
    case map([(key: YAMLNode, value: YAMLNode)])
  }

  var content: Content
  /// Line in the file, from 1.
  var line: Int
  /// Whether it is a text without quotes. Then `null` and the empty text mean no value.
  var isPlain: Bool

  /// Nothing, `~` or `null`, without quotes.
  var isNull: Bool {
    if isPlain, case .text(let text) = content { return text.isEmpty || text == "~" || text == "null" }
    return false
  }

  var isList: Bool { if case .list = content { true } else { false } }
  var isEmptyList: Bool { if case .list(let list) = content { list.isEmpty } else { false } }

  /// The items of a list; of anything else itself.
  var items: [YAMLNode] { if case .list(let list) = content { list } else { [self] } }

  var text: String? {
    if case .text(let text) = content, !isNull { return text }
    return nil
  }

  var kind: String {
    switch content {
    case .text: isNull ? "nothing" : "a text"
    case .list: "a list"
    case .map: "a map"
    }
  }
}

// MARK: Reads a map of a YAML document key by key, and refuses unknown keys: a misspelt key that is ignored would
// silently change the effect of a mapping.

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

  /// The line of a key that was not taken and has an empty list.
  func line(ofEmptyList key: String) -> Int? { entries.first { $0.key == key && $0.value.isEmptyList }?.line }

  /// Ends the map: no key may be left.
  func finish(_ what: String) throws(MappingError) {
    guard let first = entries.first else { return }
    throw MappingError(
      name, line: first.line, "\(what) has no key \(first.key); its keys are \(known.joined(separator: ", "))")
  }

  func text(_ node: YAMLNode, _ what: String) throws(MappingError) -> String {
    guard let text = node.text else { throw MappingError(name, line: node.line, "\(what) is \(node.kind), not a text") }
    return text
  }

  mutating func text(_ key: String) throws(MappingError) -> String? {
    guard let node = take(key) else { return nil }
    return try text(node, key)
  }

  /// A text, or a list of them.
  func texts(_ node: YAMLNode, _ what: String) throws(MappingError) -> [String] {
    guard case .list(let list) = node.content else { return [try text(node, what)] }
    return try list.map { item throws(MappingError) in try text(item, what) }
  }

  mutating func texts(_ key: String) throws(MappingError) -> [String] {
    guard let node = take(key) else { return [] }
    return try texts(node, key)
  }

  func places(_ node: YAMLNode, _ what: String) throws(MappingError) -> [PropertyReference] {
    try texts(node, what).map { PropertyReference($0) }
  }

  mutating func places(_ key: String) throws(MappingError) -> [PropertyReference] {
    try texts(key).map { PropertyReference($0) }
  }

  /// One of the names of an enumeration.
  mutating func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ key: String, or others: [String: Value] = [:]
  ) throws(MappingError) -> Value? {
    guard let node = take(key) else { return nil }
    let text = try text(node, key)
    guard let value = Value(rawValue: text) ?? others[text] else {
      let known = (Value.allCases.map(\.rawValue) + others.keys.sorted()).joined(separator: ", ")
      throw MappingError(name, line: node.line, "\(key) cannot be \(text); use one of \(known)")
    }
    return value
  }

  /// The pairs of a map with any keys.
  func pairs(_ node: YAMLNode, _ what: String, of kind: String) throws(MappingError) -> [(
    key: YAMLNode, value: YAMLNode
  )] {
    guard case .map(let pairs) = node.content else {
      throw MappingError(name, line: node.line, "\(what) is \(node.kind), not a map\(kind)")
    }
    return pairs
  }

  /// Values of a file, in their normal form, with their meaning.
  func table(_ node: YAMLNode, _ what: String) throws(MappingError) -> [NormalName: String] {
    var result: [NormalName: String] = [:]
    for (key, value) in try pairs(node, what, of: "") {
      result[NormalName(try text(key, "a value").utf8)] = try text(value, "a value")
    }
    return result
  }

  func list(_ node: YAMLNode, _ what: String) throws(MappingError) -> [YAMLNode] {
    guard case .list(let list) = node.content else {
      throw MappingError(name, line: node.line, "\(what) is \(node.kind), not a list")
    }
    return list
  }

  mutating func flag(_ key: String) throws(MappingError) -> Bool? {
    guard let node = take(key) else { return nil }
    switch try text(node, key) {
    case "true", "yes": return true
    case "false", "no": return false
    default: throw MappingError(name, line: node.line, "\(key) is neither true nor false")
    }
  }
}
