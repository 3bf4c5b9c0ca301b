// A mapping from its YAML text. Every key is known or refused, every message has its line.

import PermissionEvents

extension Mapping {
  /// - Parameters:
  ///   - text: the file's bytes.
  ///   - name: the file, for messages and as the mapping's name.
  /// - Throws: if it is not YAML, or says something that a mapping cannot say.
  package init(yaml text: [UInt8], name: String) throws(MappingError) {
    guard text.count <= 256 << 10 else {
      throw MappingError(
        "\(name): it is larger than 256 KiB, the limit for a mapping")
    }
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
    sticky = try reader.texts("experiments").map { StickyProperty(experiment: $0) }
    if let node = reader.take("states") { sticky += try Self.states(node, reader) }
    rules = try Self.rules("rules", &reader)
    usualSpellings = try reader.flag("usual_spellings") ?? true
    otherwise = try Self.rules("otherwise", &reader)
    try reader.finish("a mapping")
    try checkUnstored(name)
    if let base {
      guard let preset = try Presets.mapping(base) else {
        throw MappingError(
          "\(name): extends: there is no preset \(base); use one of \(Presets.names.joined(separator: ", "))")
      }
      self = extending(preset)
      // Whatever a preset is built on in turn: the same event has the same id.
      scope = preset.scope
    }
    guard record != nil else {
      throw MappingError(
        "\(name): it has neither extends: nor record:; add extends: amplitude (or another preset), or a record: "
          + "section")
    }
  }

  init(name: String) {
    self.name = name
    scope = Presets.names.contains(name) ? name : "mapping"
  }

  /// `states: {notifications: push_enabled}`.
  private static func states(_ node: YAMLNode, _ reader: YAMLReader) throws(MappingError) -> [StickyProperty] {
    var known: Set<String> = []
    return try reader.pairs(node, "states", of: " of permissions and properties").map {
      key, value throws(MappingError) in
      let (permission, property) = (
        try reader.text(key, "a permission"), try reader.text(value, "a property of states")
      )
      guard (1...StickyProperty.longestState).contains(property.utf8.count) else {
        throw MappingError(
          reader.name, line: value.line, "a property of states has 1 to \(StickyProperty.longestState) bytes")
      }
      let name = PermissionWords.permission(value: permission.utf8) ?? permission
      guard known.insert(name).inserted else {
        throw MappingError(reader.name, line: key.line, "\(name) has one state: name one property for it")
      }
      return StickyProperty(state: property, permission: name)
    }
  }

  private mutating func readFields(_ node: YAMLNode, _ name: String) throws(MappingError) {
    var reader = try YAMLReader(node, name: name, what: "fields")
    for field in StringField.allCases {
      guard let node = reader.take(field.name) else { continue }
      guard node.isEmptyList else {
        fields[field] = try places(of: field.name, node, reader)
        continue
      }
      guard field != .permission else {
        throw MappingError(
          name, line: node.line,
          "permission cannot be an empty list: without a permission, permission events cannot be stored. Leave the line out"
        )
      }
      unstored.insert(field)
    }
    for field in TellingField.allCases {
      guard let node = reader.take(field.rawValue) else { continue }
      guard !node.isEmptyList else {
        throw MappingError(
          name, line: node.line,
          "\(field.rawValue) cannot be an empty list: it is read to understand events and is not stored itself. Leave the line out"
        )
      }
      telling[field] = try places(of: field.rawValue, node, reader)
    }
    for (key, what) in Self.required {
      guard let line = reader.line(ofEmptyList: key) else { continue }
      throw MappingError(
        name, line: line,
        "\(key) cannot be an empty list: no event can be stored without \(what). The section record says where that is")
    }
    try reader.finish("fields")
  }

  /// What each event needs, as somebody may call it.
  private static let required = [
    ("user", "its user"), ("user_id", "its user"), ("account", "its user"), ("time", "its time"),
    ("timestamp", "its time"), ("event", "its name"), ("event_name", "its name"), ("name", "its name"),
  ]

  /// Throws if the file itself sets a field that it does not store.
  private func checkUnstored(_ file: String) throws(MappingError) {
    for rule in rules + otherwise {
      guard let field = StringField.allCases.first(where: { unstored.contains($0) && rule.fields[$0] != nil }) else {
        continue
      }
      throw MappingError(
        file, line: rule.line,
        "the rule sets \(field.name), but fields has \(field.name): [], so it is not stored. Remove one of the two")
    }
    if let experiment = sticky.first(where: \.isExperiment), let field = unstoredOfAssignments {
      throw MappingError(
        "\(file): experiments has \(experiment.name), but fields has \(field.name): [], so no assignment can be stored. Remove one of the two"
      )
    }
  }

  /// The paths of a field, with their own table, if any: `{from: gate, values: {cam: camera}}`.
  private mutating func places(
    of field: String, _ node: YAMLNode, _ outer: YAMLReader
  ) throws(MappingError) -> [PropertyReference] {
    guard case .map = node.content else { return try outer.places(node, field) }
    var reader = try YAMLReader(node, name: outer.name, what: field)
    let places = try reader.places("from")
    guard !places.isEmpty else { throw MappingError(outer.name, line: node.line, "\(field) has no key from") }
    if let values = reader.take("values") { try add(values, to: field, places, reader) }
    try reader.finish(field)
    return places
  }

  /// Tables for all paths of fields: `values: {status: {on: authorized}}`.
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
    try checkTranslation(table, of: field)
    translations[field, default: []].append(table)
  }

  private static func rules(_ key: String, _ reader: inout YAMLReader) throws(MappingError) -> [MappingRule] {
    guard let node = reader.take(key) else { return [] }
    let name = reader.name
    var left = PatternSet.mostBytes
    return try reader.list(node, key).map { node throws(MappingError) in
      let rule = try MappingRule(node, name: name)
      for pattern in rule.patterns { left -= pattern.pattern.count }
      guard left >= 0 else {
        throw MappingError(
          name, line: node.line,
          "the patterns of \(key) have more than \(PatternSet.mostBytes >> 10) KiB; write names without a star as event"
        )
      }
      return rule
    }
  }
}

extension MappingRule {
  init(_ node: YAMLNode, name: String) throws(MappingError) {
    var reader = try YAMLReader(node, name: name, what: "a rule")
    let events = try reader.texts("event")
    let patterns = try reader.texts("pattern").map { Glob(name: $0) }
    guard !events.isEmpty || !patterns.isEmpty else {
      throw MappingError(name, line: node.line, "the rule has neither event nor pattern, so it matches nothing")
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
        "there is no kind \(kindName); use one of \(EventKind.names.joined(separator: ", ")), or ignore")
    }
    self.init(events: events, patterns: patterns, conditions: conditions, result: result, line: node.line)
    if let node = reader.take("permission") { permission = try ValueSource(node, name: name, what: "permission") }
    if let node = reader.take("status") {
      let source = try ValueSource(node, name: name, what: "status")
      for text in source.values.values + [source.otherwise].compactMap({ $0 }) {
        guard AuthorizationStatus.names.dropFirst().contains(text) else {
          let known = AuthorizationStatus.names.dropFirst().joined(separator: ", ")
          throw MappingError(name, line: node.line, "there is no status \(text); use one of \(known)")
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
    if let node = reader.take("values") { values = try reader.table(node, "values") }
    otherwise = try reader.text("default")
    try reader.finish(what)
    guard !from.isEmpty || otherwise != nil else {
      throw MappingError(name, line: node.line, "\(what) has neither from nor default, so it has no value")
    }
  }
}

// MARK: The `record` section of a mapping

extension RecordDescription {
  init(_ node: YAMLNode, name: String) throws(MappingError) {
    var reader = try YAMLReader(node, name: name, what: "record")
    // A table is read from CSV, from sheets and from Arrow streams: `table` is the plainer word for it.
    form = try reader.choice("form", or: ["table": .csv]) ?? .json
    columns = try reader.texts("columns")
    if let node = reader.take("minimum_columns") {
      guard let count = Int(try reader.text(node, "minimum_columns")), (1...columns.count + 1).contains(count) else {
        throw MappingError(name, line: node.line, "minimum_columns is not between 1 and the number of columns")
      }
      minimumColumns = count
    }
    recognise = try Self.lists(&reader, "recognise")
    unless = try reader.places("unless")
    companions = try Self.lists(&reader, "companions")
    if let node = reader.take("each") {
      guard form == .json, case .pointer(let keys) = PropertyReference(try reader.text(node, "each")), keys.count == 1
      else {
        throw MappingError(
          name, line: node.line, "each is the path of a list in a JSON object's first level, like /events")
      }
      each = keys[0]
    }
    if let node = reader.take("event") {
      for item in node.items { event.append(try Self.eventName(item, reader)) }
    }
    user = try Self.identities(&reader, "user")
    account = try Self.identities(&reader, "account")
    if let node = reader.take("time") { try readTime(node, name) }
    if let node = reader.take("id") { id = try Self.eventID(node, reader) }
    if let node = reader.take("former_id") { formerID = try Self.eventID(node, reader) }
    if let node = reader.take("number") { number = try RowNumber(node, name: name) }
    if let node = reader.take("link") {
      for item in node.items { links.append(try Link(item, name: name)) }
    }
    session = try reader.places("session")
    ignored = try reader.places("ignore")
    properties = try reader.places("properties")
    // Each is tried with all spellings of all fields.
    guard properties.count <= 16 else {
      throw MappingError(name, line: node.line, "properties has \(properties.count) paths, but 16 are the most")
    }
    try reader.finish("record")
    let missing = [("event", event.isEmpty), ("user", user.isEmpty), ("time", time.isEmpty && !isTimeGiven)]
    for (what, isMissing) in missing where isMissing {
      throw MappingError(
        name, line: node.line,
        "record has no \(what); write its column or path, like \(what): /\(what)")
    }
    if form == .tsv, columns.isEmpty {
      throw MappingError(name, line: node.line, "record has no columns; a file without a header needs their names")
    }
  }

  /// A list of lists of paths; a plain list of paths is one such list.
  private static func lists(_ reader: inout YAMLReader, _ key: String) throws(MappingError) -> [[PropertyReference]] {
    guard let node = reader.take(key) else { return [] }
    let items = try reader.list(node, key)
    guard items.contains(where: \.isList) else { return [try reader.places(node, key)] }
    return try items.map { item throws(MappingError) in try reader.places(item, key) }
  }

  private static func eventName(_ node: YAMLNode, _ outer: YAMLReader) throws(MappingError) -> EventName<
    PropertyReference
  > {
    if let text = node.text { return .from(PropertyReference(text)) }
    var reader = try YAMLReader(node, name: outer.name, what: "event")
    let joined = try reader.places("join")
    let constant = try reader.text("name")
    let isGiven = try reader.flag("given") ?? false
    try reader.finish("event")
    if let constant { return .constant(constant) }
    if isGiven { return .given }
    guard !joined.isEmpty else { throw MappingError(outer.name, line: node.line, "event has neither join nor name") }
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
        throw MappingError(reader.name, line: item.line, "\(key) has no key from")
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
    isTimeGiven = try reader.flag("given") ?? false
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
    case "local": zone = .local
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

extension RecordDescription.RowNumber {
  init(_ node: YAMLNode, name: String) throws(MappingError) {
    var reader = try YAMLReader(node, name: name, what: "number")
    from = try reader.places("from")
    within = try reader.places("within")
    try reader.finish("number")
    for (what, isMissing) in [("from", from.isEmpty), ("within", within.isEmpty)] where isMissing {
      throw MappingError(
        name, line: node.line, "number has no \(what); write it like {from: /event_number, within: /device_id}")
    }
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
