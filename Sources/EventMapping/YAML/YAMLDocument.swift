// Reads a YAML document by libyaml.

import CYAML

enum YAMLDocument {
  /// Values that a document may come to when its aliases are followed: a few lines of aliases to aliases would fill
  /// any memory.
  private static let maximumNodes = 100_000
  private static let maximumDepth = 32

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
        name, line: Int(clamping: state.pointee.problem_mark.line) + 1, "it is not valid YAML (\(text)); mend the line")
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
    let result = bytes.withUnsafeBufferPointer { buffer in
      Result { () throws(MappingError) -> YAMLNode in
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
    return try result.get()
  }

  private static func node(
    _ node: UnsafeMutablePointer<yaml_node_t>, _ document: UnsafeMutablePointer<yaml_document_t>, _ name: String,
    depth: Int, _ left: inout Int
  ) throws(MappingError) -> YAMLNode {
    let line = Int(clamping: node.pointee.start_mark.line) + 1
    left -= 1
    guard left > 0, depth < maximumDepth else {
      throw tooDeep(name, line: line)
    }
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
      let bytes = UnsafeBufferPointer(start: data.scalar.value, count: data.scalar.length)
      return YAMLNode(
        content: .text(String(decoding: bytes, as: UTF8.self)), line: line,
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
    default:
      return YAMLNode(content: .text(""), line: line, isPlain: true)
    }
  }
}

/// A value of a YAML document. All scalars are text: `true`, `0` and `A` are what they look like, so that a variant named
/// `on` stays one.
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
  /// True for a text without quotes, for which `null` and nothing are the absence of a value.
  var isPlain: Bool

  /// Nothing, `~` or `null`, without quotes.
  var isNull: Bool {
    if isPlain, case .text(let text) = content { return text.isEmpty || text == "~" || text == "null" }
    return false
  }

  var isList: Bool { if case .list = content { true } else { false } }

  /// The items of a list; of anything else itself.
  var items: [YAMLNode] { if case .list(let list) = content { list } else { [self] } }

  var text: String? {
    if case .text(let text) = content, !isNull { return text }
    return nil
  }

  /// The name of what it is, for messages.
  var kind: String {
    switch content {
    case .text: isNull ? "nothing" : "a text"
    case .list: "a list"
    case .map: "a map"
    }
  }
}
