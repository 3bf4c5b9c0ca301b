// The facts about the head of a file of unknown format: the layout of its records, and the values at each path. The
// message about an unknown format and `mapping draft` use them.

import PermissionEvents

package struct HeadSketch {
  enum Form: Equatable {
    /// Objects, one after another, or in a list at these keys; no key for a document that is a list.
    case objects(list: [String]?)
    /// Cells under the names of a heading, with this between them.
    case table(separator: UInt8)
    /// Neither.
    case text
  }

  var form = Form.text
  /// Whole or nearly whole records seen.
  var records = 0
  /// Paths with values, in the order of appearance.
  private(set) var places: [SketchPath] = []
  /// Paths of all members, objects too.
  var paths: Set<[String]> = []
  /// The known format with these paths; nil if no known format has them.
  var knownForm: NearestForm?
  /// If it is neither JSON nor a table: whether it is a log for people to read.
  private(set) var logText: LogText?
  /// The examined text, up to the last whole line; empty if it was not read from a file.
  var wholeLines: [UInt8] = []
  private var index: [[String]: Int] = [:]

  /// It has a name and a time, as an event has and a list of files has not.
  var mayBeRecord: Bool {
    let names = ["event", "event_type", "event_name", "name", "action"]
    let times = ["timestamp", "time", "event_time", "event_timestamp", "ts", "occurred_at", "created_at"]
    return names.contains { paths.contains([$0]) } && times.contains { paths.contains([$0]) }
  }

  /// The keys of the list of its records, if permlog does not look there.
  var foreignList: [String]? {
    guard case .objects(let keys?) = form, let first = keys.first else { return nil }
    return keys.count > 1 || !EnvelopeWalk.keys.contains(Array(first.utf8)) ? keys : nil
  }

  static let maximumRecords = 200
  private static let maximumPlaces = 400

  /// - Parameters:
  ///   - head: the first bytes of the file, as text.
  ///   - isCut: more follows.
  package init(_ head: [UInt8], isCut: Bool) {
    let content = head[FileHead.start(head)...]
    switch content.first(where: { !ByteSearch.isSpace($0) }) {
    case 0x7B: readObjects(content)
    case 0x5B where Self.isList(content): readObjects(content)
    default: readTable(content, isCut: isCut)
    }
    if form == .text { logText = LogText(content) }
  }

  /// Whether a bracket begins a list of JSON, not a line of a log or a section of settings.
  static func isList(_ content: ArraySlice<UInt8>) -> Bool {
    var reader = JSONTreeReader(content)
    _ = reader.peek()
    reader.skipByte()
    guard let next = reader.peek(), next != 0x7B, next != 0x5D else { return true }
    guard reader.value() != nil || reader.isCut, !reader.isBroken else { return false }
    guard let after = reader.peek() else { return true }
    return after == 0x2C || after == 0x5D
  }

  mutating func note(_ value: JSONTree, _ path: [String]) {
    if let known = index[path] {
      places[known].add(value)
    } else if places.count < Self.maximumPlaces {
      index[path] = places.count
      var place = SketchPath(path: path)
      place.add(value)
      places.append(place)
    }
  }

  private mutating func readTable(_ content: ArraySlice<UInt8>, isCut: Bool) {
    guard let table = TableSketch(content, isCut: isCut) else { return }
    form = .table(separator: table.separator)
    for name in table.heading { note(.null, [name]) }
    paths = Set(table.heading.map { [$0] })
    records = table.rows.count
    for row in table.rows {
      for (name, cell) in zip(table.heading, row) where !cell.isEmpty { add(.text(cell), [name]) }
    }
  }

  // MARK: Objects, one after another or in a list

  private static let maximumDepth = 4
  private static let maximumItems = 50
  private static let types: Set<String> = [
    "string", "long", "int", "double", "boolean", "string_value", "int_value", "float_value", "double_value",
  ]

  mutating func readObjects(_ content: ArraySlice<UInt8>) {
    var values: [JSONTree] = []
    var reader = JSONTreeReader(content)
    while values.count < Self.maximumRecords, let next = reader.peek() {
      if next == 0x2C {
        reader.skipByte()
        continue
      }
      if let value = reader.value() { values.append(value) }
      if reader.isBroken { reader.skipLine() }
    }
    let objects = values.filter(\.isObject)
    if case .list(let items)? = values.first {
      form = .objects(list: [])
      add(items)
    } else if let keys = Self.listOfRecords(objects) {
      form = .objects(list: keys)
      for object in objects {
        if case .list(let items)? = keys.reduce(object, { $0?[$1] }) { add(items) }
      }
    } else {
      form = .objects(list: nil)
      add(objects)
    }
  }

  /// The keys of the list that holds the records of a document. Of several objects it is one only under a key that is
  /// known for it: an order has a list of items, and is a record all the same.
  private static func listOfRecords(_ objects: [JSONTree]) -> [String]? {
    guard case .object(let members)? = objects.first else { return nil }
    func isRecords(_ value: JSONTree) -> Bool {
      if case .list(let items) = value { items.first?.isObject ?? false } else { false }
    }
    func isKnown(_ key: String) -> Bool { EnvelopeWalk.keys.contains(Array(key.utf8)) }
    if let known = members.first(where: { isKnown($0.key) && isRecords($0.value) }),
      objects.count == 1 || known.key != "items"
    {
      return [known.key]
    }
    guard objects.count == 1 else { return nil }
    if let first = members.first(where: { isRecords($0.value) }) { return [first.key] }
    for member in members {
      if case .object(let inner) = member.value, let found = inner.first(where: { isRecords($0.value) }) {
        return [member.key, found.key]
      }
    }
    return nil
  }

  private mutating func add(_ items: [JSONTree]) {
    for case .object(let members) in items where records < Self.maximumRecords {
      records += 1
      for member in members { add(member.value, [member.key]) }
    }
  }

  mutating func add(_ value: JSONTree, _ path: [String]) {
    paths.insert(path)
    switch value {
    case .object(let members):
      // Avro and BigQuery write a value with its type around it.
      if members.count == 1, let only = members.first, Self.types.contains(only.key) { return note(only.value, path) }
      if members.isEmpty || path.count >= Self.maximumDepth { return }
      for member in members { add(member.value, path + [member.key]) }
    case .text(let text) where text.utf8.first == 0x7B:
      var reader = JSONTreeReader(Array(text.utf8)[...])
      if let inner = reader.value(), !reader.isBroken, !reader.isCut { add(inner, path) } else { note(value, path) }
    case .list(let items):
      // BigQuery writes parameters as a list of keys and values.
      for case .object(let members) in items.prefix(Self.maximumItems) {
        let item = JSONTree.object(members)
        guard path.count < Self.maximumDepth, let value = item["value"], case .text(let key)? = item["key"] else {
          continue
        }
        add(value, path + [key])
      }
    default: note(value, path)
    }
  }

  // MARK: The head of a file for a draft: unpacked, of an archive the first member that may hold events

  /// - Parameter input: a file, packed or not, or `-`.
  /// - Throws: if it cannot be read, or its head is neither JSON nor a table.
  package init(path input: FilePath) throws(ImportError) {
    let path = input.shown
    let file = try InputFile(InputPath(path: input, size: nil))
    let head = try Self.text(FileSource(file), file: file.size == nil ? nil : file, name: path, layers: 3)
    if head.starts(with: ArrowStream.mark) { throw .arrowToDraft(path) }
    if let content = ForeignContent(head) { throw .foreignContent(path, content) }
    self.init(head, isCut: FileHead.isCut(head))
    let end = FileHead.isCut(head) ? head.lastIndex(of: ByteSearch.newline).map { $0 + 1 } : nil
    wholeLines = Array(head.prefix(end ?? head.count))
    if let formats = try? RecordFormats(), let programs = try? formats.vendors(),
      let nearest = NearestForm(to: self, programs: programs), nearest.missing.isEmpty
    {
      knownForm = nearest
    }
    guard form != .text else { throw .nothingToDraft(path, logText) }
  }

  private static func text(
    _ source: any ByteSource, file: InputFile?, name: String, layers: Int
  ) throws(ImportError) -> [UInt8] {
    let head = try source.readHead()
    let packing = Packing(head: head)
    let resumed = ResumedSource(head: head, rest: source)
    if packing == .none, head.starts(with: AvroSource.mark) { return try AvroSource(resumed, name: name).readHead() }
    if packing == .none, layers > 0, !head.isEmpty, BrotliSource.isNamed(name) {
      let unpacked = try BrotliSource(resumed, name: name)
      return try text(unpacked, file: nil, name: String(name.dropLast(3)), layers: layers - 1)
    }
    if packing == .none || layers == 0 { return try plain(head, resumed, name) }
    if packing == .gzip { return try text(GzipSource(resumed, name: name), file: nil, name: name, layers: layers - 1) }
    let archive =
      packing == .zip
      ? try ArchiveReader(zip: resumed, file: file, name: name)
      : try ArchiveReader(resumed, name: name, packing: packing)
    switch archive.content {
    case .workbook(let part):
      guard let file = archive.file else { break }
      return try SheetSource.first(of: Workbook(file, part: part, name: name)).readHead()
    case .spreadsheet(let what): throw .workbook(name, "is \(what), which is not read")
    case .members: break
    }
    while try archive.nextMember() {
      let head = try text(archive, file: nil, name: archive.member, layers: layers - 1)
      if !packing.isArchive { return head }
      let sketch = HeadSketch(head, isCut: FileHead.isCut(head))
      if !head.isEmpty, !UnrelatedFile.isOne(name: archive.member, head: head, sketch: sketch) { return head }
    }
    return []
  }

  /// The head in UTF-8 with line feeds.
  private static func plain(_ head: [UInt8], _ whole: any ByteSource, _ name: String) throws(ImportError) -> [UInt8] {
    var head = head
    var source = whole
    if let encoding = TextEncoding(head: head) {
      let decoded = try EncodedSource(whole, encoding: encoding, name: name)
      head = try decoded.readHead()
      source = ResumedSource(head: head, rest: decoded)
    }
    return LineEndSource.isNeeded(head) ? try LineEndSource(source).readHead() : head
  }
}

// MARK: A table in the head of a file, with a separator found by counting. This is not the reader of tables: it only
// has to be right about the content of a message or a draft.

struct TableSketch {
  let separator: UInt8
  let heading: [String]
  let rows: [[String]]

  private static let maximumLines = 200

  /// Nil if the lines do not have equally many cells, or only one each.
  init?(_ content: ArraySlice<UInt8>, isCut: Bool) {
    var lines = Self.lines(content)
    if isCut, lines.count > 1 { lines.removeLast() }
    // Spreadsheets may name the separator in a line of its own.
    if lines.first?.starts(with: "sep=".utf8) == true { lines.removeFirst() }
    guard let first = lines.first else { return nil }
    // The one that gives most cells among those by which most lines have as many as the heading.
    var best: (separator: UInt8, columns: Int)?
    for separator in CSVShape.delimiters {
      let columns = Self.cells(first, separator).count
      guard columns > best?.columns ?? 1 else { continue }
      let alike = lines.count { Self.cells($0, separator).count == columns }
      if alike * 5 >= lines.count * 4 { best = (separator, columns) }
    }
    guard let separator = best?.separator else { return nil }
    self.separator = separator
    heading = Self.cells(first, separator)
    guard heading.allSatisfy(Self.isName) else { return nil }
    rows = lines.dropFirst().map { Self.cells($0, separator) }
  }

  /// A heading is not a sentence.
  private static func isName(_ cell: String) -> Bool {
    cell.utf8.count <= 80 && cell.split(separator: " ").count <= 4 && cell.utf8.last != 0x2E
  }

  /// The first lines that are not empty; a line break in quotes does not end a line.
  private static func lines(_ content: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var isQuoted = false
    return content.split { byte in
      if byte == ByteSearch.quote { isQuoted.toggle() }
      return byte == ByteSearch.newline && !isQuoted
    }
    .lazy.filter { $0.contains { !ByteSearch.isBlank($0) } }.prefix(maximumLines)
    .map { $0.last == 0x0D ? $0.dropLast() : $0 }
  }

  private static func cells(_ line: ArraySlice<UInt8>, _ separator: UInt8) -> [String] {
    var result: [String] = []
    var cell: [UInt8] = []
    var isQuoted = false
    var last: UInt8?
    for byte in line {
      if byte == ByteSearch.quote {
        // Two quotes inside of quotes are one.
        if !isQuoted, last == ByteSearch.quote, !cell.isEmpty { cell.append(byte) }
        isQuoted.toggle()
      } else if byte == separator, !isQuoted {
        result.append(String(bounded: cell))
        cell = []
      } else {
        cell.append(byte)
      }
      last = byte
    }
    return result + [String(bounded: cell)]
  }
}
