// Rows of a canonical table to events: the usual ones by `ArrowFastRows`, all others by the rules for values of lines.

import Buffers
import PermissionEvents

/// Parses chunks of rows. Owned by one thread and one sink.
final class ArrowParser {
  private let assembler: EventAssembler
  @exclusivity(unchecked) private var fast: ArrowFastRows
  /// False sends every row along the general path; both give the same result.
  private let usesFastRows: Bool
  private let values = Buffer(repeating: FieldValue.absent, count: ImportField.count)
  private let spelling = ArrowSpelling(columns: ImportField.count)
  private let names: CanonicalNames
  private var text = ArrowRowText()

  init(_ assembler: EventAssembler, names: CanonicalNames, usesFastRows: Bool) {
    self.assembler = assembler
    self.names = names
    self.usesFastRows = usesFastRows
    fast = ArrowFastRows(assembler)
  }

  func parse(_ rows: ArrowRows, _ table: ArrowTable, into result: inout ChunkResult) {
    result.lineEnds = rows.range.count
    do throws(ArrowDamage) { try rows.checkBounds() } catch {
      result.failure = .damagedArrow(result.source?.name ?? "", error.cause)
      return
    }
    do throws(ImportError) {
      try table.checkFit(rows, file: result.source?.name ?? "", hasInputZone: assembler.options.inputZone != nil)
    } catch {
      result.failure = error
      return
    }
    var first = rows.range.lowerBound
    while first < rows.range.upperBound {
      let block = first..<min(first + ArrowFastRows.block, rows.range.upperBound)
      first = block.upperBound
      if usesFastRows { fast.begin(block, rows.batch, table) }
      for row in block {
        if usesFastRows, fast.append(row) {
          result.accept(ignoredFields: table.ignored(row, rows.batch))
        } else {
          append(row, rows, table, into: &result)
        }
      }
    }
    fast.finish()
  }

  private func append(_ row: Int, _ rows: ArrowRows, _ table: ArrowTable, into result: inout ChunkResult) {
    values.unsafeAddress.update(repeating: .absent, count: ImportField.count)
    let columns = rows.batch.columns
    let line = row - rows.range.lowerBound
    for index in columns.indices where table.fields[index] >= 0 {
      values[table.fields[index]] = spelling.value(columns[index], row, at: table.fields[index])
    }
    do throws(Rejection) {
      let isStored = try assembler.append(values, form: .text) { () throws(Rejection) in
        try names.read(values, line: line, into: &result, .arrow(table), columns: table.columns) {
          (extractor: RecordExtractor) throws(Rejection) in
          _ = try extractor.readRow(rows.batch, row)
        }
      }
      guard isStored else { return result.passOver() }
      result.accept(ignoredFields: table.ignored(row, rows.batch), isRespelled: assembler.isRespelled)
    } catch {
      names.note(error, line: line, into: &result)
      let own = table.fields.indices.filter { table.fields[$0] >= 0 }
      text.make(own.map { table.names[$0] }) { values[table.fields[own[$0]]] }
      text.bytes.withUnsafeBytes { result.reject(error, line: line, text: $0) }
    }
  }
}

/// A row as a line of JSON, for refused rows.
struct ArrowRowText {
  private(set) var bytes: [UInt8] = []

  /// - Parameters:
  ///   - names: of the columns.
  ///   - value: of a column.
  mutating func make(_ names: [String], _ value: (Int) -> FieldValue) {
    bytes.removeAll(keepingCapacity: true)
    bytes.append(0x7B)
    for (index, name) in names.enumerated() where bytes.count <= ImportLimit.rejectedText {
      if index > 0 { bytes.append(0x2C) }
      append(name.utf8.prefix(ImportLimit.rejectedText))
      bytes.append(0x3A)
      let value = value(index)
      switch value.kind {
      case .absent: bytes.append(contentsOf: "null".utf8)
      case .boolean: bytes.append(contentsOf: value.bytes)
      // JSON cannot express NaN and infinities.
      case .number where !value.isNoNumber: bytes.append(contentsOf: value.bytes)
      case .number, .string, .object, .array: append(value.bytes.prefix(ImportLimit.rejectedText))
      }
    }
    bytes.append(0x7D)
  }

  private mutating func append(_ text: some Sequence<UInt8>) {
    bytes.append(0x22)
    for byte in text {
      switch byte {
      case 0x22, 0x5C: bytes += [0x5C, byte]
      case 0x0A: bytes += [0x5C, 0x6E]
      case 0..<0x20:
        bytes += "\\u00".utf8
        for digit in [byte >> 4, byte & 15] { bytes.append(digit < 10 ? 48 + digit : 87 + digit) }
      default: bytes.append(byte)
      }
    }
    bytes.append(0x22)
  }
}

// MARK: Values that are not texts, written as in lines of JSON, so that the rules for numbers and times in texts also
// hold for them.

/// Writes the values of rows as text, with memory for each column. Owned by one thread. A text is valid until the same
/// column of another row is written.
struct ArrowSpelling: ~Copyable {
  private static let room = 64
  private let memory: PaddedBuffer
  private let columns: Int
  /// A time before it is kept: one array for the times of all rows.
  private let spelled = SpelledTime()

  private final class SpelledTime {
    @exclusivity(unchecked) var bytes: [UInt8] = []

    func write(_ time: Milliseconds) {
      bytes.removeAll(keepingCapacity: true)
      Timestamp.write(time, into: &bytes)
    }
  }

  /// - Parameter columns: that are spelled at once.
  init(columns: Int) {
    self.columns = columns
    memory = PaddedBuffer(capacity: columns * Self.room)
  }

  private static let words = PaddedBuffer("truefalse".utf8)

  /// The value of a row that was checked.
  /// - Parameter index: of the column, below the number of columns.
  func value(_ column: ArrowColumn, _ row: Int, at index: Int) -> FieldValue {
    guard column.isValid(row) else { return .absent }
    switch column.type {
    case .null, .other: return .absent
    case .text(let isLarge):
      let text = column.text(row, isLarge: isLarge)
      return FieldValue(kind: column.holdsJSON ? Self.kind(ofJSON: text) : .string, text: text)
    case .dictionary(let type): return FieldValue(kind: .string, text: column.text(row, type))
    case .boolean: return FieldValue(kind: .boolean, text: column.boolean(row) ? Self.words[0..<4] : Self.words[4..<9])
    case .integer(let type): return FieldValue(kind: .number, text: digits(column, row, type, at: index))
    case .double: return number(column.double(row), exactBits: Double.significandBitCount + 1, at: index)
    case .float: return number(column.float(row), exactBits: Float.significandBitCount + 1, at: index)
    case .timestamp(let perSecond, let hasZone):
      return time(column.ticks(row), perSecond: perSecond, hasZone: hasZone, at: index)
    case .date(let isDays):
      if isDays { return date(Int64(column.days(row)) * millisecondsPerDay, at: index) }
      let time = column.ticks(row)
      let isDay = time % millisecondsPerDay == 0
      return isDay ? date(time, at: index) : self.time(time, perSecond: 1000, hasZone: false, at: index)
    }
  }

  func digits(_ column: ArrowColumn, _ row: Int, _ type: ArrowInteger, at index: Int) -> PaddedBytes {
    if !type.isSigned { return digits(column.unsigned(row, type), isNegative: false, at: index) }
    let number = column.signed(row, type)
    return digits(number.magnitude, isNegative: number < 0, at: index)
  }

  private func digits(_ magnitude: UInt64, isNegative: Bool, at index: Int) -> PaddedBytes {
    // Written from the last digit on, to the end of the column's room.
    let end = (index + 1) * Self.room
    var start = end
    var rest = magnitude
    repeat {
      start -= 1
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      memory.room[start] = 48 + UInt8(truncatingIfNeeded: digit)
      rest = quotient
    } while rest > 0
    if isNegative {
      start -= 1
      memory.room[start] = 0x2D
    }
    return memory[start..<end]
  }

  /// The kind of a text in a column of JSON: an object, a list, or a text as in other columns.
  private static func kind(ofJSON text: PaddedBytes) -> FieldValue.Kind {
    switch text.bytes.first {
    case 0x7B: .object
    case 0x5B: .array
    default: .string
    }
  }

  /// The digits of a whole number that was certainly not rounded, otherwise the shortest notation. NaN, infinities, and
  /// a whole `float` that may be several numbers rounded to one (many users, or a time within minutes) become a number
  /// that no field takes.
  /// - Parameter exactBits: of whole numbers, with which each one has a value of its own.
  private func number<Number: BinaryFloatingPoint & LosslessStringConvertible>(
    _ number: Number, exactBits: Int, at index: Int
  ) -> FieldValue {
    if let whole = Int64(exactly: number), whole.magnitude < 1 << UInt64(exactBits) {
      return FieldValue(kind: .number, text: digits(whole.magnitude, isNegative: whole < 0, at: index))
    }
    let text: String
    if number.isNaN {
      text = "NaN"
    } else if number.isInfinite {
      text = number < 0 ? "-Infinity" : "Infinity"
    } else {
      let isRounded = exactBits < 53 && number.magnitude >= Number(1 << exactBits)
      text = number.description + (isRounded ? " (rounded, a float of 32 bits)" : "")
    }
    return FieldValue(kind: .number, text: keep(text, at: index))
  }

  private func keep(_ text: String, at index: Int) -> PaddedBytes { keep(text.utf8, at: index) }

  private func keep(_ text: some Collection<UInt8>, at index: Int) -> PaddedBytes {
    let start = index * Self.room
    var end = start
    for byte in text.prefix(Self.room) {
      memory.room[end] = byte
      end += 1
    }
    return memory[start..<end]
  }

  // MARK: Times

  /// The first moment of the year 1, and of the year 10000.
  private static let spelledTimes: Range<Milliseconds> = -62_135_596_800_000..<253_402_300_800_000

  /// The milliseconds of a number of ticks, cut; nil if they are outside the years 1 to 9999.
  @inline(__always)
  static func milliseconds(_ ticks: Int64, perSecond: Int64) -> Milliseconds? {
    let time: Milliseconds
    if perSecond == 1000 {
      time = ticks
    } else if perSecond == 1 {
      let (product, overflow) = ticks.multipliedReportingOverflow(by: 1000)
      if overflow { return nil }
      time = product
    } else {
      time = floorDivide(ticks, perSecond / 1000)
    }
    return spelledTimes.contains(time) ? time : nil
  }

  private func time(_ ticks: Int64, perSecond: Int64, hasZone: Bool, at index: Int) -> FieldValue {
    guard let time = Self.milliseconds(ticks, perSecond: perSecond) else {
      // Not as digits: they would be read as an epoch with a unit that depends on its size.
      let unit = [1: "s", 1000: "ms", 1_000_000: "us"][perSecond] ?? "ns"
      return FieldValue(kind: .string, text: keep("\(ticks) \(unit) since 1970", at: index))
    }
    spelled.write(time)
    // Without its zone it is a wall clock's.
    let text = keep(spelled.bytes.prefix(spelled.bytes.count - (hasZone ? 0 : 1)), at: index)
    return FieldValue(kind: .string, isInstant: hasZone, text: text)
  }

  private func date(_ time: Milliseconds, at index: Int) -> FieldValue {
    guard Self.spelledTimes.contains(time) else {
      return FieldValue(kind: .string, text: keep("\(time) ms since 1970", at: index))
    }
    spelled.write(time)
    return FieldValue(kind: .string, text: keep(spelled.bytes.prefix(10), at: index))
  }
}
