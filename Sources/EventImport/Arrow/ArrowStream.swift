// An Arrow stream (Apache Arrow's IPC streaming format): a schema, then dictionaries and batches of rows, then the end mark.
// Read one message after another, by one thread at a time.
//
// In memory are one description (at most 16 MiB, and what is made of it), the bodies of the batches whose chunks are being read
// (at most 1 GiB each, and little more than what has come), and the texts of the dictionaries of columns that are read, as long
// as the stream or a batch needs them.

/// A stream's messages.
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

  /// Chooses the columns whose values are read, by their place in the schema, in order.
  func select(_ wanted: [Int]) {
    var start = ArrowShape(nodes: 0, buffers: 0)
    let places = Set(wanted)
    for (place, field) in schema.fields.enumerated() {
      if places.contains(place) {
        columns.append((field, start))
        if let dictionary = field.dictionary { wantedDictionaries[dictionary.id] = dictionary.isLarge }
      } else if field.type != .null {
        ignored.append((field, start))
      }
      start = start + field.shape
    }
  }

  /// The next batch that has rows; nil after the end mark, which must be there and the last of all.
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
      throw .damagedArrow(name, "message \(messages + 1) does not begin with the mark of one")
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
      let had = bytes.count
      bytes += [UInt8](repeating: 0, count: min(count - had, max(1 << 16, had)))
      let wanted = bytes.count - had
      // No closure that throws an error of one type is taken by an array's memory.
      var result = Result<Int, ImportError>.success(0)
      bytes.withUnsafeMutableBytes { memory in
        do throws(ImportError) {
          result = .success(try source.fill(UnsafeMutableRawBufferPointer(rebasing: memory[had...])))
        } catch {
          result = .failure(error)
        }
      }
      let filled = try result.get()
      if filled < wanted {
        bytes.removeLast(wanted - filled)
        break
      }
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
