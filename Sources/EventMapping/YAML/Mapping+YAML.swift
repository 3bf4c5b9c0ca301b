// A mapping from its YAML text. Every key is known or refused, every message has its line.

import PermissionEvents

extension Mapping {
  /// - Parameters:
  ///   - text: the file's bytes.
  ///   - name: the file, for messages and as the mapping's name.
  /// - Throws: if it is not YAML, or says something that a mapping cannot say.
  package init(yaml text: [UInt8], name: String) throws(MappingError) {
    guard text.count <= 256 << 10 else { throw MappingError("\(name): it is larger than 256 KiB, which no mapping is") }
    var reader = try YAMLReader(try YAMLDocument.parse(text, name: name), name: name, what: "a mapping")
    self.init(name: name)
    if let own = try reader.text("name") {
      self.name = own
      scope = own
    }
    base = try reader.text("extends")
    scope = base ?? scope
    if let node = reader.take("record") { record = try RecordDescription(node, name: name) }
    if let node = reader.take("fields") { try readFields(node, name) }
    if let node = reader.take("values") { try readValues(node, name) }
    rules = try Self.rules("rules", &reader)
    usualSpellings = try reader.flag("usual_spellings") ?? true
    otherwise = try Self.rules("otherwise", &reader)
    try reader.finish("a mapping")
    if let base {
      guard let preset = try Presets.mapping(base) else {
        throw MappingError(
          "\(name): extends: there is no preset \(base); take one of \(Presets.names.joined(separator: ", "))")
      }
      self = extending(preset)
    }
    guard record != nil else {
      throw MappingError(
        "\(name): it says neither what it extends nor what a record looks like; add extends: amplitude (or another"
          + " preset), or a record: section")
    }
  }

  init(name: String) {
    self.name = name
    scope = Presets.names.contains(name) ? name : "mapping"
  }

  private mutating func readFields(_ node: YAMLNode, _ name: String) throws(MappingError) {
    var reader = try YAMLReader(node, name: name, what: "fields")
    for field in StringField.allCases {
      let list = try places(of: field.name, &reader)
      if !list.isEmpty { fields[field] = list }
    }
    for field in TellingField.allCases {
      let list = try places(of: field.rawValue, &reader)
      if !list.isEmpty { telling[field] = list }
    }
    try reader.finish("fields")
  }

  /// The places of a field, with a table of their own if there is one: `{from: gate, values: {cam: camera}}`.
  private mutating func places(of field: String, _ outer: inout YAMLReader) throws(MappingError) -> [PropertyReference]
  {
    guard let node = outer.take(field) else { return [] }
    guard case .map = node.content else { return try outer.places(node, field) }
    var reader = try YAMLReader(node, name: outer.name, what: field)
    let places = try reader.places("from")
    guard !places.isEmpty else { throw MappingError(outer.name, line: node.line, "\(field) has no from") }
    if let values = reader.take("values") { try add(values, to: field, places, reader) }
    try reader.finish(field)
    return places
  }

  /// Tables for all places of fields: `values: {status: {on: authorized}}`.
  private mutating func readValues(_ node: YAMLNode, _ name: String) throws(MappingError) {
    var reader = try YAMLReader(node, name: name, what: "values")
    for field in StringField.names + TellingField.allCases.map(\.rawValue) {
      if let table = reader.take(field) { try add(table, to: field, [], reader) }
    }
    try reader.finish("values")
  }

  private mutating func add(
    _ node: YAMLNode, to field: String, _ places: [PropertyReference], _ reader: YAMLReader
  ) throws(MappingError) {
    let table = Translation(places: places, values: try reader.table(node, "values of \(field)"), line: node.line)
    try check(table, of: field)
    translations[field, default: []].append(table)
  }

  private static func rules(_ key: String, _ reader: inout YAMLReader) throws(MappingError) -> [MappingRule] {
    guard let node = reader.take(key) else { return [] }
    var result: [MappingRule] = []
    for item in try reader.list(node, key) { result.append(try MappingRule(item, name: reader.name)) }
    return result
  }
}

extension MappingRule {
  init(_ node: YAMLNode, name: String) throws(MappingError) {
    var reader = try YAMLReader(node, name: name, what: "a rule")
    let events = try reader.texts("event")
    let patterns = try reader.texts("pattern").map { Glob(name: $0) }
    guard !events.isEmpty || !patterns.isEmpty else {
      throw MappingError(name, line: node.line, "the rule has neither event nor pattern, so it is for nothing")
    }
    var conditions: [(property: PropertyReference, values: [NormalName])] = []
    if let node = reader.take("where") {
      for (key, value) in try reader.pairs(node, "where", of: " of properties and values") {
        let values = try reader.texts(value, "a value of where")
        conditions.append(
          (PropertyReference(try reader.text(key, "a property")), values == ["*"] ? [] : values.map { NormalName($0) }))
      }
    }
    guard let kind = reader.take("kind") else {
      throw MappingError(name, line: node.line, "the rule has no kind; write what the event becomes, or kind: ignore")
    }
    let kindName = try reader.text(kind, "kind")
    let result: Result
    if kindName == "ignore" {
      result = .ignored
    } else if let index = EventKind.names.firstIndex(of: kindName),
      let kind = EventKind(rawValue: UInt8(truncatingIfNeeded: index))
    {
      result = .event(kind)
    } else {
      throw MappingError(
        name, line: kind.line,
        "there is no kind \(kindName); take one of \(EventKind.names.joined(separator: ", ")), or ignore")
    }
    self.init(events: events, patterns: patterns, conditions: conditions, result: result, line: node.line)
    if let node = reader.take("permission") { permission = try ValueSource(node, name: name, what: "permission") }
    if let node = reader.take("status") {
      let source = try ValueSource(node, name: name, what: "status")
      for text in source.values.values + [source.otherwise].compactMap({ $0 }) {
        guard AuthorizationStatus.names.dropFirst().contains(text) else {
          let known = AuthorizationStatus.names.dropFirst().joined(separator: ", ")
          throw MappingError(name, line: node.line, "there is no status \(text); take one of \(known)")
        }
      }
      status = source
    }
    for field in StringField.allCases where field != .permission {
      if let node = reader.take(field.name) { fields[field] = try ValueSource(node, name: name, what: field.name) }
    }
    try reader.finish("a rule")
  }
}

extension ValueSource {
  /// A text is the value itself; a map says where to look.
  init(_ node: YAMLNode, name: String, what: String) throws(MappingError) {
    if let text = node.text {
      otherwise = text
      return
    }
    var reader = try YAMLReader(node, name: name, what: what)
    from = try reader.places("from")
    if let node = reader.take("values") {
      values = try reader.table(node, "values")
    }
    otherwise = try reader.text("default")
    try reader.finish(what)
    guard !from.isEmpty || otherwise != nil else {
      throw MappingError(name, line: node.line, "\(what) has neither from nor default, so it has no value")
    }
  }
}
