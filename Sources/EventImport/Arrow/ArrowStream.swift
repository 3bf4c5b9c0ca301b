// An Arrow stream (Apache Arrow's IPC streaming format): a schema, then dictionaries and batches of rows, then the end marker.
// Read one message after another, by one thread at a time.
//
// In memory are one description (at most 16 MiB, and its decoded form), the bodies of the batches with chunks that are
// being read (at most 1 GiB each, and little more than the bytes that have arrived), and the texts of the dictionaries
// of wanted columns, as long as the stream or a batch needs them.

final class ArrowStream {
  /// How a stream begins, and every message in it.
  static let mark: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
  /// A message's description, and its body, in bytes.
  private static let maximumDescription = 16 << 20
  private static let maximumBody: Int64 = 1 << 30

  private let source: any ByteSource
  private let name: String
  private var isOldest = false
  private(set) var schema = ArrowSchema(fields: [])
  /// The columns that are read, and the others, with where each begins in the lists of a batch.
  private var columns: [(field: ArrowField, start: ArrowShape)] = []
  private var ignored: [(field: ArrowField, start: ArrowShape)] = []
  /// The dictionaries of those columns, and whether their texts have offsets of 64 bits.
  private var dictionaries: [Int64: ArrowDictionary] = [:]
  private var wantedDictionaries: [Int64: Bool] = [:]
  private var messages = 0

  /// Reads the schema.
  /// - Parameter source: begins with the stream's first byte.
  init(_ source: any ByteSource, name: String) throws(ImportError) {
    self.source = source
    self.name = name
    guard let message = try message() else { throw .damagedArrow(name, "it has no schema") }
    schema = try sound { () throws(ArrowDamage) -> ArrowSchema in
      guard message.type == 1, message.bodyLength == 0 else { throw ArrowDamage("it does not begin with a schema") }
      return try ArrowSchema(message.header, isOldest: isOldest)
    }
    let isReadable = try sound { () throws(ArrowDamage) -> Bool in try ArrowSchema.isLittleEndian(message.header) }
    guard isReadable else { throw .bigEndianArrow(name) }
  }

  var storedBytes: Int { source.storedBytes }

  /// Selects the columns to read, by their index in the schema, in order.
  func select(_ wanted: [Int]) {
    var start = ArrowShape(nodes: 0, buffers: 0)
    let places = Set(wanted)
    for (index, field) in schema.fields.enumerated() {
      if places.contains(index) {
        columns.append((field, start))
        if let dictionary = field.dictionary { wantedDictionaries[dictionary.id] = dictionary.isLarge }
      } else if field.type != .null {
        ignored.append((field, start))
      }
      start = start + field.shape
    }
  }

  /// The next batch that has rows; nil after the end marker, which must be present and the last of all.
  func next() throws(ImportError) -> ArrowBatch? {
    while let message = try message() {
      switch message.type {
      case 2: try readDictionary(message)
      case 3:
        let body = try body(message)
        let batch = try sound { () throws(ArrowDamage) -> ArrowBatch? in try self.batch(message.header, body) }
        guard let batch else { throw .compressedArrow(name) }
        if batch.rows > 0 { return batch }
      default: throw .damagedArrow(name, "message \(messages) is neither a dictionary nor a batch of rows")
      }
    }
    var byte: UInt8 = 0
    let more = try withUnsafeMutableBytes(of: &byte) { memory throws(ImportError) in try source.read(into: memory) }
    guard more == 0 else { throw .continuedArrow(name) }
    return nil
  }

  // MARK: Messages

  private struct Message {
    let type: UInt8
    let header: FlatTable
    let bodyLength: Int64
  }

  /// The next message without its body; nil at the end mark.
  private func message() throws(ImportError) -> Message? {
    let start = try read(8)
    guard start.count == 8 else {
      throw start.isEmpty ? .endlessArrow(name) : .damagedArrow(name, "it ends within a message")
    }
    guard start.starts(with: Self.mark) else {
      throw .damagedArrow(name, "message \(messages + 1) does not begin with the marker of a message")
    }
    let length = start[4...].reversed().reduce(0) { $0 << 8 | Int($1) }
    if length == 0 { return nil }
    messages += 1
    guard length <= Self.maximumDescription else { throw .largeArrowMessage(name) }
    let bytes = try read(length)
    guard bytes.count == length else { throw .damagedArrow(name, "it ends within a message") }
    let (version, message) = try sound { () throws(ArrowDamage) -> (Int16, Message?) in
      let table = try FlatBuffer(bytes: bytes).root()
      let version = try table.number(0, else: 0 as Int16)
      // Enumerated from V1, which is 0.
      guard version == 3 || version == 4 else { return (version, nil) }
      guard let header = try table.table(2) else { throw ArrowDamage("message \(messages) has no content") }
      let bodyLength = try table.number(3, else: 0 as Int64)
      guard bodyLength >= 0 else { throw ArrowDamage("message \(messages) has a negative length") }
      return (version, Message(type: try table.number(1, else: 0), header: header, bodyLength: bodyLength))
    }
    guard let message else { throw .otherArrowVersion(name, Int(version) + 1) }
    guard message.bodyLength <= Self.maximumBody else { throw .largeArrowBatch(name) }
    isOldest = version == 3
    return message
  }

  /// Bytes in memory that grows as they come; fewer only at the end.
  private func read(_ count: Int) throws(ImportError) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let wanted = min(count - bytes.count, max(1 << 16, bytes.count))
      let more = try [UInt8](unsafeUninitializedCapacity: wanted) { memory, filled throws(ImportError) in
        filled = try source.fill(UnsafeMutableRawBufferPointer(memory))
      }
      bytes += more
      if more.count < wanted { break }
    }
    return bytes
  }

  private func body(_ message: Message) throws(ImportError) -> ArrowBody {
    let (body, isShort) = try ArrowBody.read(Int(message.bodyLength), from: source)
    if let body { return body }
    throw isShort ? .damagedArrow(name, "it ends within a message") : .outOfMemory(name)
  }

  // MARK: Content

  private func readDictionary(_ message: Message) throws(ImportError) {
    let body = try body(message)
    let isRead = try sound { () throws(ArrowDamage) -> Bool in
      let id = try message.header.number(0, else: 0 as Int64)
      guard let isLarge = wantedDictionaries[id] else { return true }
      guard let data = try message.header.table(1) else { throw ArrowDamage("a dictionary has no texts") }
      guard let lists = try ArrowLists(data, body) else { return false }
      // The column points into the body, which nothing else keeps.
      let texts = try withExtendedLifetime(body) { () throws(ArrowDamage) -> ArrowTexts in
        let column = try lists.column(.text(isLarge: isLarge), ArrowShape(nodes: 0, buffers: 0), nil)
        return try ArrowTexts(column, isLarge: isLarge)
      }
      if try message.header.flag(2), let known = dictionaries[id] {
        if texts.count > 0 { dictionaries[id] = known.appending(texts) }
      } else {
        dictionaries[id] = ArrowDictionary(texts)
      }
      return true
    }
    guard isRead else { throw .compressedArrow(name) }
  }

  /// The batch's columns; nil if its body is compressed.
  private func batch(_ table: FlatTable, _ body: ArrowBody) throws(ArrowDamage) -> ArrowBatch? {
    guard let lists = try ArrowLists(table, body) else { return nil }
    var made: [ArrowColumn] = []
    var used: [ArrowDictionary] = []
    for (field, start) in columns {
      let dictionary = field.dictionary.flatMap { dictionaries[$0.id] }
      if let dictionary { used.append(dictionary) }
      made.append(try lists.column(field.type, start, dictionary, holdsJSON: field.holdsJSON))
    }
    let batch = ArrowBatch(body: body, rows: lists.rows, columns: made, dictionaries: used)
    for (field, start) in ignored { batch.ignore(try lists.validity(field, start)) }
    return batch
  }

  private func sound<Value>(_ body: () throws(ArrowDamage) -> Value) throws(ImportError) -> Value {
    do throws(ArrowDamage) { return try body() } catch { throw .damagedArrow(name, error.cause) }
  }
}

// MARK: The columns of an Arrow stream, as its first message describes them

struct ArrowField: Sendable {
  let name: String
  /// The name as in a heading of CSV: without spaces at its ends.
  let trimmedName: String
  /// The `ImportField` that the name means; nil if none.
  let canonical: Int?
  let type: ArrowType
  let typeName: String
  /// If it is a dictionary's: the number of the dictionary, and whether its texts have offsets of 64 bits.
  let dictionary: (id: Int64, isLarge: Bool)?
  let shape: ArrowShape
  /// A batch says which of its values are there, in the first buffer.
  let hasValidity: Bool
  /// Texts that hold JSON: `permlog.json` in the column's metadata is `true`, as the Python package sets it for nested columns.
  let holdsJSON: Bool
}

struct ArrowSchema: Sendable {
  let fields: [ArrowField]

  /// Columns that may be nested in one another, and columns altogether: a small description may name one many times.
  private static let maximumDepth = 64
  static let maximumFields = 100_000
  static let maximumName = 1 << 16
  /// Longer names are not canonical in any spelling.
  private static let maximumCanonicalName = 256

  init(fields: [ArrowField]) { self.fields = fields }

  init(_ table: FlatTable, isOldest: Bool) throws(ArrowDamage) {
    var fields: [ArrowField] = []
    var left = ArrowBudget(columns: Self.maximumFields, description: table)
    if let vector = try table.vector(1, of: 4) {
      for index in 0..<vector.count {
        fields.append(try Self.field(vector.table(index), depth: 0, isOldest: isOldest, &left))
      }
    }
    self.fields = fields
  }

  /// Whether the bytes of numbers are in the order that is read here.
  static func isLittleEndian(_ table: FlatTable) throws(ArrowDamage) -> Bool {
    try table.number(0, else: 0 as Int16) == 0
  }

  private static func field(
    _ table: FlatTable, depth: Int, isOldest: Bool, _ left: inout ArrowBudget
  ) throws(ArrowDamage) -> ArrowField {
    left.columns -= 1
    guard left.columns >= 0 else { throw ArrowDamage("it has more than \(maximumFields) columns") }
    guard depth < maximumDepth else { throw ArrowDamage("its columns are nested more than \(maximumDepth) deep") }
    let reading = try ArrowTypeReading(number: table.number(2, else: 0), table.table(3), isOldest: isOldest)
    var shape = ArrowShape(buffers: reading.buffers, views: reading.hasViews ? 1 : 0)
    if let children = try table.vector(5, of: 4) {
      for index in 0..<children.count {
        shape = shape + (try field(children.table(index), depth: depth + 1, isOldest: isOldest, &left)).shape
      }
    }
    // Columns inside other columns are not selected by their names.
    let name = depth > 0 ? "" : try table.text(0, "the name of a column", maximum: maximumName, &left) ?? ""
    let trimmed = depth > 0 ? [] : CSVDialect.trimmed(name.utf8)
    let trimmedName = trimmed.count == name.utf8.count ? name : String(bounded: trimmed)
    let canonical = trimmed.count > maximumCanonicalName ? nil : CSVHeader.field(trimmed)
    let own = reading.type.isRead ? Self.name(reading.type) : reading.otherName
    guard let encoding = try table.table(4) else {
      let holdsJSON = if case .text = reading.type { try holdsJSON(table, &left) } else { false }
      return ArrowField(
        name: name, trimmedName: trimmedName, canonical: canonical, type: reading.type, typeName: own, dictionary: nil,
        shape: shape, hasValidity: reading.hasValidity, holdsJSON: holdsJSON)
    }
    // A batch has the indices; the values come in messages of their own. Without a type, indices have 32 bits.
    let index =
      try encoding.table(1).map { table throws(ArrowDamage) in try ArrowTypeReading.integer(table) }
      ?? ArrowInteger(bytes: 4, isSigned: true)
    var isLarge: Bool?
    if case .text(let large) = reading.type { isLarge = large }
    let typeName = "dictionary of \(own)"
    return ArrowField(
      name: name, trimmedName: trimmedName, canonical: canonical, type: isLarge == nil ? .other : .dictionary(index),
      typeName: typeName, dictionary: (try encoding.number(0, else: 0 as Int64), isLarge ?? false), shape: ArrowShape(),
      hasValidity: true, holdsJSON: false)
  }

  private static func holdsJSON(_ field: FlatTable, _ left: inout ArrowBudget) throws(ArrowDamage) -> Bool {
    guard let pairs = try field.vector(6, of: 4) else { return false }
    left.pairs -= pairs.count
    guard left.pairs >= 0 else { throw .repeating }
    for index in 0..<pairs.count {
      let pair = try pairs.table(index)
      if try pair.isText(0, "permlog.json") { return try pair.isText(1, "true") }
    }
    return false
  }

  private static func name(_ type: ArrowType) -> String {
    switch type {
    case .null: "null"
    case .boolean: "bool"
    case .integer(let integer), .dictionary(let integer): "\(integer.isSigned ? "" : "u")int\(integer.bytes * 8)"
    case .float: "float"
    case .double: "double"
    case .text: "string"
    case .timestamp: "timestamp"
    case .date: "date"
    case .other: "other"
    }
  }
}
