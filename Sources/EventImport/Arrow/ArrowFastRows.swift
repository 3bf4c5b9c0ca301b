// The fast path of Arrow: columns of texts and dictionaries become columns of codes first, a block of rows at a time;
// then each row is assembled from its codes. Unusual values are left to the general path.

import Buffers
import PermissionEvents

/// Reads blocks of rows. Owned by one thread and one sink.
struct ArrowFastRows: ~Copyable {
  /// The number of rows with codes that fit into a processor's first cache.
  static let block = 512

  private let assembler: EventAssembler
  private var packer: CommonEvent
  /// Codes by field and row of the block.
  private let codes = Buffer<UInt32>(repeating: 0, count: ImportField.codeCount * block)
  /// Not 0 for rows of the block with a value for the general path.
  private let isOdd = Buffer<UInt8>(repeating: 0, count: block)
  private let known: [ArrowKnownCodes]
  /// Fields of the batch with codes, and the index of each column.
  private var coded: [(field: Int, position: Int)] = []
  private var batch: ArrowBatch?
  private var first = 0
  private var user: ArrowColumn?
  private var event: ArrowColumn?
  private var time: ArrowColumn?
  private var dates = TimestampReader()
  private let spelling = ArrowSpelling(columns: 2)

  init(_ assembler: EventAssembler) {
    self.assembler = assembler
    packer = CommonEvent(assembler)
    known = (0..<ImportField.codeCount).map { ArrowKnownCodes(field: $0, assembler) }
  }

  // MARK: A column at a time

  /// Reads the codes of some rows, at most `block` of them.
  mutating func begin(_ rows: Range<Int>, _ batch: ArrowBatch, _ table: ArrowTable) {
    if self.batch !== batch { begin(batch, table) }
    first = rows.lowerBound
    isOdd.unsafeAddress.update(repeating: 0, count: rows.count)
    for (field, position) in coded { read(batch.columns[position], rows, field) }
  }

  private mutating func begin(_ batch: ArrowBatch, _ table: ArrowTable) {
    self.batch = batch
    (user, event, time) = (nil, nil, nil)
    coded.removeAll(keepingCapacity: true)
    for (position, field) in table.fields.enumerated() {
      switch field {
      case ArrowTable.noField: continue
      case ImportField.userID: user = batch.columns[position]
      case ImportField.eventID: event = batch.columns[position]
      case ImportField.timestamp: time = batch.columns[position]
      default: coded.append((field, position))
      }
    }
    for field in 0..<ImportField.codeCount { assembler.codes[field] = EventAssembler.absentCode(field) }
  }

  private func read(_ column: ArrowColumn, _ rows: Range<Int>, _ field: Int) {
    let target = codes.unsafeAddress + field * Self.block
    let absent = UInt32(truncatingIfNeeded: EventAssembler.absentCode(field))
    switch column.type {
    case .text(let isLarge) where !column.holdsJSON:
      for (i, row) in rows.enumerated() {
        target[i] = absent
        guard column.isValid(row) else { continue }
        let text = column.text(row, isLarge: isLarge)
        if text.isEmpty { continue }
        if let code = assembler.plainCode(field, text) { target[i] = code } else { isOdd[i] = 1 }
      }
    case .dictionary(let type):
      guard let dictionary = column.dictionary, dictionary.count > 0 else { fallthrough }
      let codes = known[field].codes(of: dictionary)
      for (i, row) in rows.enumerated() {
        target[i] = absent
        guard column.isValid(row) else { continue }
        let index = column.index(row, type)
        var code = codes[index]
        if code == ArrowKnownCodes.unasked { code = known[field].learn(index, else: absent) }
        if code == ArrowKnownCodes.odd { isOdd[i] = 1 } else { target[i] = code }
      }
    default:
      for (i, row) in rows.enumerated() {
        target[i] = absent
        if column.isValid(row) { isOdd[i] = 1 }
      }
    }
  }

  // MARK: A row at a time

  /// Appends the event of a row of the block; false if it is for the general path.
  @inline(__always)
  mutating func append(_ row: Int) -> Bool {
    let i = row &- first
    guard isOdd[i] == 0 else { return false }
    let words = assembler.codes.unsafeAddress
    for (field, _) in coded {
      let code = codes[field &* Self.block &+ i]
      words[field] = field == ImportField.event && code == .max ? .max : UInt64(code)
    }
    var userID = CommonEvent.ReadID()
    var eventID = CommonEvent.ReadID()
    guard let kind = packer.kind(), let user, Self.read(user, row, spelling, 0, into: &userID),
      userID.text.count <= ImportField.maximumUserID
    else { return false }
    guard let moment = moment(row), packer.times.contains(moment) else { return false }
    if let event, event.isValid(row), !Self.read(event, row, spelling, 1, into: &eventID) { return false }
    let seen = eventID.text.isEmpty ? spans(row) : 0
    return packer.append(userID, eventID, moment, kind, seen)
  }

  /// Sets the attributes of the last event, which wait for the next one, and lets the batch go.
  mutating func finish() {
    packer.finishAttributes()
    batch = nil
    (user, event, time) = (nil, nil, nil)
  }

  /// Reads an id; false if it is neither a text of ASCII nor a whole number.
  @inline(__always)
  private static func read(
    _ column: ArrowColumn, _ row: Int, _ spelling: borrowing ArrowSpelling, _ position: Int,
    into value: inout CommonEvent.ReadID
  ) -> Bool {
    guard column.isValid(row) else { return false }
    let text: PaddedBytes
    switch column.type {
    case .text(let isLarge) where !column.holdsJSON: text = column.text(row, isLarge: isLarge)
    case .dictionary(let type): text = column.text(row, type)
    case .integer(let type): text = spelling.digits(column, row, type, at: position)
    default: return false
    }
    return value.read(text)
  }

  /// The time of a row; nil if it is for the general path.
  @inline(__always)
  private mutating func moment(_ row: Int) -> Milliseconds? {
    guard let time, time.isValid(row) else { return nil }
    switch time.type {
    case .timestamp(let perSecond, let hasZone):
      guard let read = ArrowSpelling.milliseconds(time.ticks(row), perSecond: perSecond) else { return nil }
      return hasZone ? read : assembler.times.moment(ofWallClock: read)
    case .text(let isLarge) where !time.holdsJSON: return dates.common(whole: time.text(row, isLarge: isLarge))
    case .dictionary(let type): return dates.common(whole: time.text(row, type))
    case .integer(let type):
      let number = type.isSigned ? time.signed(row, type) : Int64(clamping: time.unsigned(row, type))
      return number < 0 ? nil : RecordTime.epochBySize(number, thousandths: 0)
    default: return nil
    }
  }

  /// Keeps the texts of a row's fields, of which an id is made.
  /// - Returns: a bit for each of them.
  @inline(never)
  private func spans(_ row: Int) -> UInt32 {
    guard let batch else { return 0 }
    var seen: UInt32 = 0
    for (field, position) in coded where field < ImportField.stringCount {
      let column = batch.columns[position]
      guard column.isValid(row) else { continue }
      switch column.type {
      case .text(let isLarge): assembler.spans[field] = column.text(row, isLarge: isLarge).bytes
      case .dictionary(let type): assembler.spans[field] = column.text(row, type).bytes
      default: continue
      }
      seen |= 1 << UInt32(field)
    }
    return seen
  }
}

/// A thread's memory of what the texts of a column's dictionary mean, so that each is looked up once.
final class ArrowKnownCodes {
  /// The text has not been needed yet.
  static let unasked = UInt32.max
  /// The text is for the general path.
  static let odd = UInt32.max - 1

  private let field: Int
  private let assembler: EventAssembler
  private var dictionary: ArrowDictionary?
  private var known = Buffer<UInt32>()

  init(field: Int, _ assembler: EventAssembler) {
    self.field = field
    self.assembler = assembler
  }

  /// Codes by index; valid until another dictionary is requested.
  func codes(of dictionary: ArrowDictionary) -> UnsafePointer<UInt32> {
    if self.dictionary !== dictionary {
      // Known codes of a dictionary stay when it becomes longer.
      if self.dictionary?.beginning !== dictionary.beginning { known.removeAll() }
      self.dictionary = dictionary
      known.extend(to: dictionary.count, repeating: Self.unasked)
    }
    return UnsafePointer(known.unsafeAddress)
  }

  /// The code of a text that was not requested before.
  func learn(_ index: Int, else absent: UInt32) -> UInt32 {
    guard let text = dictionary?.text(index), !text.isEmpty else { return absent }
    let code = assembler.plainCode(field, text) ?? Self.odd
    known[index] = code
    return code
  }
}

extension PaddedBytes {
  /// Whether no byte is above 0x7F. 16 bytes at once: bytes after the end are readable, but ignored.
  @inline(__always)
  var isASCII: Bool {
    guard let start = bytes.baseAddress else { return true }
    let high: UInt64 = 0x8080_8080_8080_8080
    var position = 0
    var seen: UInt64 = 0
    while position + 8 <= count {
      seen |= start.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      position += 8
    }
    if position < count {
      seen |= start.loadUnaligned(fromByteOffset: position, as: UInt64.self) & PaddedBytes.ones(count &- position)
    }
    return seen & high == 0
  }
}
