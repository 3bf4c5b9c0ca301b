// The `record` section of a mapping.

extension RecordDescription {
  init(_ node: YAMLNode, name: String) throws(MappingError) {
    var reader = try YAMLReader(node, name: name, what: "record")
    form = try reader.choice("form") ?? .json
    columns = try reader.texts("columns")
    if let node = reader.take("minimum_columns") {
      guard let count = Int(try reader.text(node, "minimum_columns")), (1...columns.count + 1).contains(count) else {
        throw MappingError(name, line: node.line, "minimum_columns is not a number from 1 to that of the columns")
      }
      minimumColumns = count
    }
    recognise = try Self.lists(&reader, "recognise")
    unless = try reader.places("unless")
    companions = try Self.lists(&reader, "companions")
    if let node = reader.take("event") {
      for item in node.items { event.append(try Self.eventName(item, reader)) }
    }
    user = try Self.identities(&reader, "user")
    account = try Self.identities(&reader, "account")
    if let node = reader.take("time") { try readTime(node, name) }
    if let node = reader.take("id") { id = try Self.eventID(node, reader) }
    if let node = reader.take("former_id") { formerID = try Self.eventID(node, reader) }
    if let node = reader.take("link") {
      for item in node.items { links.append(try Link(item, name: name)) }
    }
    session = try reader.places("session")
    properties = try reader.places("properties")
    try reader.finish("record")
    for (what, isMissing) in [("event", event.isEmpty), ("user", user.isEmpty), ("time", time.isEmpty)] where isMissing
    {
      throw MappingError(name, line: node.line, "record has no \(what); say where it is, like \(what): /\(what)")
    }
    if form == .tsv, columns.isEmpty {
      throw MappingError(name, line: node.line, "record has no columns; a file without a header needs their names")
    }
  }

  /// A list of lists of places; a list of places alone is one such list.
  private static func lists(_ reader: inout YAMLReader, _ key: String) throws(MappingError) -> [[PropertyReference]] {
    guard let node = reader.take(key) else { return [] }
    let items = try reader.list(node, key)
    guard items.contains(where: \.isList) else { return [try reader.places(node, key)] }
    var result: [[PropertyReference]] = []
    for item in items { result.append(try reader.places(item, key)) }
    return result
  }

  private static func eventName(_ node: YAMLNode, _ outer: YAMLReader) throws(MappingError) -> EventName<
    PropertyReference
  > {
    if let text = node.text { return .from(PropertyReference(text)) }
    var reader = try YAMLReader(node, name: outer.name, what: "event")
    let joined = try reader.places("join")
    let constant = try reader.text("name")
    try reader.finish("event")
    if let constant { return .constant(constant) }
    guard !joined.isEmpty else {
      throw MappingError(outer.name, line: node.line, "event has neither join nor name")
    }
    return .joined(joined)
  }

  private static func identities(_ reader: inout YAMLReader, _ key: String) throws(MappingError) -> [Identity] {
    guard let node = reader.take(key) else { return [] }
    var result: [Identity] = []
    for item in node.items {
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
    if node.text != nil || node.isList {
      for item in node.items {
        guard let text = item.text else {
          throw MappingError(name, line: item.line, "time is \(item.kind), not a text")
        }
        time.append(PropertyReference(text))
      }
      return
    }
    var reader = try YAMLReader(node, name: name, what: "time")
    time = try reader.places("from")
    unit = try reader.choice("unit") ?? .auto
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

  private static func eventID(_ node: YAMLNode, _ outer: YAMLReader) throws(MappingError) -> EventID<PropertyReference>
  {
    if node.text != nil || node.isList { return .plain(try outer.places(node, "id"), within: nil) }
    var reader = try YAMLReader(node, name: outer.name, what: "id")
    let from = try reader.places("from")
    let within = try reader.text("within").map { PropertyReference($0) }
    let parts: [KeyPart<PropertyReference>] = try reader.texts("derived_from").map { text in
      text == "time" ? .time : text == "time_in_seconds" ? .timeInSeconds : .value([PropertyReference(text)])
    }
    let needs = try reader.text("needs").map { PropertyReference($0) }
    try reader.finish("id")
    if !parts.isEmpty { return .derived(parts, needs: needs) }
    guard !from.isEmpty else { throw MappingError(outer.name, line: node.line, "id has neither from nor derived_from") }
    return .plain(from, within: within)
  }
}

extension RecordDescription.Link {
  init(_ node: YAMLNode, name: String) throws(MappingError) {
    var reader = try YAMLReader(node, name: name, what: "link")
    events = try reader.texts("event")
    from = try reader.places("from")
    with = try reader.places("with")
    unless = try reader.places("unless")
    try reader.finish("link")
    for (what, isMissing) in [("event", events.isEmpty), ("from", from.isEmpty), ("with", with.isEmpty)] where isMissing
    {
      throw MappingError(
        name, line: node.line, "link has no \(what); write it like {event: login, from: /user_id, with: /anonymous_id}")
    }
  }
}
