// Reads a YAML document by libyaml.

import CYAML

enum YAMLDocument {
  /// Values that a document may come to when its aliases are followed: a few lines of aliases to aliases would fill
  /// any memory.
  private static let maximumNodes = 100_000
  private static let maximumDepth = 32

  /// Refuses a text that is nested deep before it is loaded: libyaml takes time by the square of the depth for that.
  private static func checkDepth(_ bytes: UnsafeBufferPointer<UInt8>, _ name: String) throws(MappingError) {
    let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
    let event = UnsafeMutablePointer<yaml_event_t>.allocate(capacity: 1)
    defer {
      parser.deallocate()
      event.deallocate()
    }
    guard yaml_parser_initialize(parser) == 1 else { throw MappingError("\(name): there is not enough memory") }
    defer { yaml_parser_delete(parser) }
    yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
    var depth = 0
    while true {
      guard yaml_parser_parse(parser, event) == 1 else { throw problem(parser.pointee, name) }
      defer { yaml_event_delete(event) }
      switch event.pointee.type {
      case YAML_SEQUENCE_START_EVENT, YAML_MAPPING_START_EVENT: depth += 1
      case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: depth -= 1
      case YAML_DOCUMENT_END_EVENT, YAML_STREAM_END_EVENT: return
      default: break
      }
      if depth > maximumDepth {
        throw tooDeep(name, line: Int(clamping: event.pointee.start_mark.line) + 1)
      }
    }
  }

  private static func tooDeep(_ name: String, line: Int) -> MappingError {
    MappingError(name, line: line, "it is nested too deep or too large; write it without aliases")
  }

  /// The root of the first document in a text.
  /// - Parameter name: the file, for messages.
  static func parse(_ bytes: [UInt8], name: String) throws(MappingError) -> YAMLNode {
    let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
    let document = UnsafeMutablePointer<yaml_document_t>.allocate(capacity: 1)
    defer {
      parser.deallocate()
      document.deallocate()
    }
    guard yaml_parser_initialize(parser) == 1 else { throw MappingError("\(name): there is not enough memory") }
    defer { yaml_parser_delete(parser) }
    let result = bytes.withUnsafeBufferPointer { buffer in
      // libyaml keeps the address until the document is loaded, here.
      yaml_parser_set_input_string(parser, buffer.baseAddress, buffer.count)
      return Result { () throws(MappingError) -> YAMLNode in
        try checkDepth(buffer, name)
        guard yaml_parser_load(parser, document) == 1 else { throw problem(parser.pointee, name) }
        defer { yaml_document_delete(document) }
        guard let root = yaml_document_get_root_node(document) else {
          throw MappingError("\(name): it is empty", .showPreset)
        }
        var left = maximumNodes
        return try node(root, document, name, depth: 0, &left)
      }
    }
    return try result.get()
  }

  private static func problem(_ parser: yaml_parser_t, _ name: String) -> MappingError {
    let text = parser.problem.map { String(cString: $0) } ?? "it cannot be read"
    return MappingError(
      name, line: Int(clamping: parser.problem_mark.line) + 1, "it is not valid YAML (\(text)); mend the line")
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

// MARK: A YAML document as a tree of texts, lists and maps that know their lines. All scalars are text: `true`, `0` and `A` are what they look like, so that a variant named `on` stays one.

/// A value of a YAML document.
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
  /// True for a text without quotes, where `null` and nothing are the absence of a value.
  var isPlain: Bool

  /// Nothing, `~` or `null`, without quotes.
  var isNull: Bool {
    if isPlain, case .text(let text) = content { return text.isEmpty || text == "~" || text == "null" }
    return false
  }

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
