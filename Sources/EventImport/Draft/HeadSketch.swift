// What can be seen in the head of a file without knowing its form: how its records lie, and which values stand at which
// places. The message about an unknown form and `mapping draft` say what it found.

/// The records at the beginning of a file.
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
  /// Places with values, in the order in which they turn up.
  private(set) var places: [SketchPlace] = []
  /// Paths of all members, objects too.
  var paths: Set<[String]> = []
  /// The form that it has, by the places of its records; nil where it is none that is known.
  var knownForm: String?
  private var index: [[String]: Int] = [:]

  /// It has a name and a time, as an event has and a list of files has not.
  var mayBeRecord: Bool {
    let names = ["event", "event_type", "event_name", "name", "action"]
    let times = ["timestamp", "time", "event_time", "event_timestamp", "ts", "occurred_at", "created_at"]
    return names.contains { paths.contains([$0]) } && times.contains { paths.contains([$0]) }
  }

  static let maximumRecords = 200
  private static let maximumPlaces = 400

  /// - Parameters:
  ///   - head: the first bytes of the file, as text.
  ///   - isCut: more follows.
  package init(_ head: [UInt8], isCut: Bool) {
    let start = head.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let content = head[start...]
    switch content.first(where: { !ByteSearch.isBlank($0) && $0 != ByteSearch.newline }) {
    case 0x7B: readObjects(content)
    case 0x5B where Self.isList(content): readObjects(content)
    default: readTable(content, isCut: isCut)
    }
  }

  /// True where a bracket begins a list of JSON, and not a line of a log or a section of settings.
  static func isList(_ content: ArraySlice<UInt8>) -> Bool {
    var reader = JSONTreeReader(content)
    reader.skipBlanks()
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
      var place = SketchPlace(path: path)
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
}
