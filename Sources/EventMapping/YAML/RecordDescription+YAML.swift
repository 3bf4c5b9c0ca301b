// The `record` section of a mapping.

extension RecordDescription {
  init(_ node: YAMLNode, name: String) throws(MappingError) {
    var reader = try YAMLReader(node, name: name, what: "record")
    form = try Self.choice(&reader, "form") ?? .json
    columns = try reader.texts("columns")
    if let node = reader.take("minimum_columns") {
      guard let count = Int(try reader.text(node, "minimum_columns")), (1...columns.count + 1).contains(count) else {
        throw MappingError(name, line: node.line, "minimum_columns is not a number from 1 to that of the columns")
      }
      minimumColumns = count
    }
    recognise = try Self.places(&reader, "recognise")
    unless = try reader.texts("unless").map { PropertyReference($0) }
    companions = try Self.places(&reader, "companions")
    if let node = reader.take("event") { event = try Self.eventNames(node, reader) }
    user = try Self.identities(&reader, "user")
    account = try Self.identities(&reader, "account")
    if let node = reader.take("time") { try readTime(node, name) }
    if let node = reader.take("id") { id = try Self.eventID(node, reader) }
    properties = try reader.texts("properties").map { PropertyReference($0) }
    try reader.finish("record")
    for (what, isMissing) in [("event", event.isEmpty), ("user", user.isEmpty), ("time", time.isEmpty)] where isMissing
    {
      throw MappingError(name, line: node.line, "record has no \(what); say where it stands, like \(what): /\(what)")
    }
    if form == .tsv, columns.isEmpty {
      throw MappingError(name, line: node.line, "record has no columns; a file without a header needs their names")
    }
  }

  private static func choice<Value: RawRepresentable & CaseIterable>(
    _ reader: inout YAMLReader, _ key: String
  ) throws(MappingError) -> Value? where Value.RawValue == String {
    guard let node = reader.take(key) else { return nil }
    let text = try reader.text(node, key)
    guard let value = Value(rawValue: text) else {
      let known = Value.allCases.map(\.rawValue).joined(separator: ", ")
      throw MappingError(reader.name, line: node.line, "\(key) cannot be \(text); take one of \(known)")
    }
    return value
  }

  /// A list of lists of places; a list of places alone is one such list.
  private static func places(
    _ reader: inout YAMLReader, _ key: String
  ) throws(MappingError) -> [[PropertyReference]] {
    guard let node = reader.take(key) else { return [] }
    let items = try reader.list(node, key)
    let isNested = items.contains { if case .list = $0.content { true } else { false } }
    guard isNested else { return [try reader.texts(node, key).map { PropertyReference($0) }] }
    var result: [[PropertyReference]] = []
    for item in items { result.append(try reader.texts(item, key).map { PropertyReference($0) }) }
    return result
  }

  private static func eventNames(_ node: YAMLNode, _ reader: YAMLReader) throws(MappingError) -> [EventName] {
    if let text = node.text { return [.from(PropertyReference(text))] }
    guard case .list(let items) = node.content else { return [try eventName(node, reader)] }
    var result: [EventName] = []
    for item in items {
      if let text = item.text {
        result.append(.from(PropertyReference(text)))
      } else {
        result.append(try eventName(item, reader))
      }
    }
    return result
  }

  private static func eventName(_ node: YAMLNode, _ outer: YAMLReader) throws(MappingError) -> EventName {
    var reader = try YAMLReader(node, name: outer.name, what: "event")
    let joined = try reader.texts("join").map { PropertyReference($0) }
    let constant = try reader.text("name")
    try reader.finish("event")
    if let constant { return .constant(constant) }
    guard !joined.isEmpty else {
      throw MappingError(outer.name, line: node.line, "event has neither join nor name")
    }
    return .joined(joined)
  }

  private static func identities(
    _ reader: inout YAMLReader, _ key: String
  ) throws(MappingError) -> [Identity] {
    guard let node = reader.take(key) else { return [] }
    let items: [YAMLNode]
    if case .list(let list) = node.content { items = list } else { items = [node] }
    var result: [Identity] = []
    for item in items {
      if let text = item.text {
        result.append(Identity(from: PropertyReference(text)))
        continue
      }
      var inner = try YAMLReader(item, name: reader.name, what: key)
      guard let from = try inner.text("from") else {
        throw MappingError(reader.name, line: item.line, "\(key) has no from")
      }
      result.append(Identity(from: PropertyReference(from), without: try inner.text("without")))
      try inner.finish(key)
    }
    return result
  }

  private mutating func readTime(_ node: YAMLNode, _ name: String) throws(MappingError) {
    if let text = node.text {
      time = [PropertyReference(text)]
      return
    }
    if case .list(let items) = node.content {
      for item in items {
        guard let text = item.text else {
          throw MappingError(name, line: item.line, "time is \(item.kind), not a text")
        }
        time.append(PropertyReference(text))
      }
      return
    }
    var reader = try YAMLReader(node, name: name, what: "time")
    time = try reader.texts("from").map { PropertyReference($0) }
    unit = try Self.choice(&reader, "unit") ?? .auto
    timeFormat = try reader.text("format")
    if let timeFormat, !timeFormat.contains("%") {
      throw MappingError(
        name, line: node.line, "format \(timeFormat) has no %; write it as strptime does, like %d/%m/%Y %H:%M")
    }
    switch try reader.text("zone") {
    case nil: zone = .unsaid
    case "UTC": zone = .utc
    case "project": zone = .project
    case .some(let text): zone = .named(text)
    }
    try reader.finish("time")
  }

  private static func eventID(_ node: YAMLNode, _ outer: YAMLReader) throws(MappingError) -> EventID {
    if let text = node.text { return .plain([PropertyReference(text)], within: nil) }
    if case .list = node.content {
      return .plain(try outer.texts(node, "id").map { PropertyReference($0) }, within: nil)
    }
    var reader = try YAMLReader(node, name: outer.name, what: "id")
    let from = try reader.texts("from").map { PropertyReference($0) }
    let within = try reader.text("within").map { PropertyReference($0) }
    let parts = try reader.texts("derived_from").map { text in
      text == "time" ? KeyPart.time : text == "time_in_seconds" ? .timeInSeconds : .value(PropertyReference(text))
    }
    let needs = try reader.text("needs").map { PropertyReference($0) }
    try reader.finish("id")
    if !parts.isEmpty { return .derived(parts, needs: needs) }
    guard !from.isEmpty else { throw MappingError(outer.name, line: node.line, "id has neither from nor derived_from") }
    return .plain(from, within: within)
  }
}
