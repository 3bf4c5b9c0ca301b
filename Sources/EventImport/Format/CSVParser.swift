// Chunks of CSV to events.

import Buffers
import CVectorBytes
import PermissionEvents

/// Parses chunks of records. Owned by one thread.
final class CSVParser {
  private let assembler: EventAssembler
  private let record = CSVRecord()
  private let values = Buffer(repeating: FieldValue.absent, count: ImportField.count)
  private let names: CanonicalNames
  @exclusivity(unchecked) private var common: CommonRecord
  /// False sends every record along the general path; both give the same result.
  private let usesCommonRecord: Bool

  init(_ assembler: EventAssembler, names: CanonicalNames, usesCommonRecord: Bool) {
    self.assembler = assembler
    self.names = names
    self.usesCommonRecord = usesCommonRecord
    common = CommonRecord(assembler)
  }

  func parse(_ chunk: Chunk, header: CSVHeader, into result: inout ChunkResult) {
    var walk = CSVWalk(chunk, header.shape, record)
    defer { common.finishAttributes() }
    loop: while true {
      if usesCommonRecord {
        walk.takeLines { text, position in common.parse(text, from: &position, header, into: &result) }
      }
      let found = walk.next(into: &result)
      if found == .end { break }
      switch header.repetition(walk.record.cells) {
      case .none: break
      case .same: continue
      case .other:
        result.failure = .secondHeading(chunk.source.name, line: walk.fileLine)
        break loop
      }
      if found == .otherCount {
        walk.rejectCount(into: &result)
        continue
      }
      let ignored = readValues(walk.record.cells, header)
      do throws(Rejection) {
        let isStored = try assembler.append(values, form: .text) { () throws(Rejection) in
          try names.read(values, line: walk.line, into: &result, .json, columns: header.columns) {
            (extractor: RecordExtractor) throws(Rejection) in
            _ = try extractor.readCells(walk.record.cells)
          }
        }
        if isStored {
          result.accept(ignoredFields: ignored, isRespelled: assembler.isRespelled)
        } else {
          result.passOver()
        }
      } catch {
        names.note(error, line: walk.line, into: &result)
        result.reject(error, line: walk.line, text: walk.text)
      }
    }
    result.lineEnds = walk.lineEnds + chunk.linesAfter
  }

  /// Puts the record's cells into `values`.
  /// - Returns: the number of cells that are not empty and no fields.
  private func readValues(_ cells: [PaddedBytes], _ header: CSVHeader) -> Int {
    values.unsafeAddress.update(repeating: .absent, count: ImportField.count)
    var ignored = 0
    for (cell, field) in zip(cells, header.fields) {
      if field >= 0 {
        values[field] = FieldValue(kind: .string, text: cell)
      } else if !cell.isEmpty {
        ignored += 1
      }
    }
    return ignored
  }
}

// MARK: The fast path of CSV: a record of one line, without quotes, with ids in ASCII and a time as RFC 3339 has it. Anything
// else, and every record that breaks a rule, is left to the general path. So this path may refuse any record, but accepted
// events must equal those of the general path.

/// Parses records in the common form. Owned by one thread and one sink.
struct CommonRecord: ~Copyable {
  private let assembler: EventAssembler
  private var packer: CommonEvent
  private var dates = TimestampReader()

  init(_ assembler: EventAssembler) {
    self.assembler = assembler
    packer = CommonEvent(assembler)
  }

  /// Appends the events of records as long as they are in the common form and keep the rules.
  /// - Parameters:
  ///   - text: lines, with a line feed after the last one in any case.
  ///   - position: where the first one begins; afterwards the first that was not taken, or the end.
  /// - Returns: the number of events, each of a line.
  mutating func parse(
    _ text: PaddedBytes, from position: inout Int, _ header: CSVHeader, into result: inout ChunkResult
  ) -> Int {
    guard let memory = text.bytes.baseAddress else { return 0 }
    let end = memory + text.count
    var cursor = memory + position
    var (count, ignored) = (0, 0)
    header.fields.withUnsafeBufferPointer { fields in
      while cursor < end, let next = parse(cursor, before: end, fields, header.shape, &ignored) {
        cursor = next
        count += 1
      }
    }
    position = cursor - memory
    result.counts.lines += count
    result.counts.events += count
    result.counts.ignoredFields += ignored
    return count
  }

  /// Appends the event of the record that begins at `line`.
  /// - Returns: the first byte after its line feed, which is before `end`; nil if the record is not in the common form or
  ///   breaks a rule, and then nothing was appended.
  @inline(__always)
  private mutating func parse(
    _ line: UnsafeRawPointer, before end: UnsafeRawPointer, _ fields: UnsafeBufferPointer<Int>, _ shape: CSVShape,
    _ ignored: inout Int
  ) -> UnsafeRawPointer? {
    let codes = assembler.codes.unsafeAddress
    codes.update(repeating: 0, count: ImportField.codeCount)
    codes[ImportField.event] = .max
    var cursor = line
    var (column, unread) = (0, 0)
    var seen: UInt32 = 0
    var user = CommonEvent.ReadID()
    var event = CommonEvent.ReadID()
    var time: Milliseconds = .min
    while true {
      let start = cursor
      var step = cvb_cell_end(cursor, shape.delimiter)
      while step == 16 {
        cursor += 16
        step = cvb_cell_end(cursor, shape.delimiter)
      }
      cursor += Int(truncatingIfNeeded: step)
      let cell = PaddedBytes(unsafePadded: start, count: cursor - start)
      guard column < fields.count else { return nil }
      let field = fields[column]
      column &+= 1
      if cell.isEmpty {
      } else if field < 0 {
        unread &+= 1
      } else if field < ImportField.codeCount {
        guard let code = assembler.plainCode(field, cell) else { return nil }
        codes[field] = UInt64(code)
        assembler.spans[field] = cell.bytes
        seen |= 1 &<< UInt32(truncatingIfNeeded: field)
      } else if field == ImportField.timestamp {
        guard let value = dates.common(whole: cell) else { return nil }
        time = value
      } else if field == ImportField.userID {
        guard cell.count <= ImportField.maximumUserID, user.read(cell) else { return nil }
      } else {
        guard event.read(cell) else { return nil }
      }
      let stop = cursor.load(as: UInt8.self)
      cursor += 1
      if stop == shape.delimiter { continue }
      if stop == 0x0A { break }
      guard stop == 0x0D, cursor.load(as: UInt8.self) == 0x0A else { return nil }
      cursor += 1
      break
    }
    guard cursor <= end, cursor - line <= ImportLimit.line, column >= shape.columns, packer.times.contains(time),
      let kind = packer.kind(), packer.append(user, event, time, kind, seen)
    else { return nil }
    ignored &+= unread
    return cursor
  }

  /// Sets the attributes of the last event, which wait for the next one.
  mutating func finishAttributes() { packer.finishAttributes() }
}

/// Goes over the records of a chunk, for the canonical form and for mappings. Lines that are not records are rejected
/// here one by one. Owned by one thread, for one chunk.
struct CSVWalk {
  enum RecordResult {
    case record
    /// A line with another number of cells than the heading: `rejectCount` unless it is something else.
    case otherCount
    case end
  }

  private let chunk: PaddedBytes
  private let shape: CSVShape
  private let tail: CSVRecord.Tail
  /// The file ends in the chunk, without a line end.
  private let endsOpen: Bool
  /// Line ends of the file before the chunk.
  private let base: Int
  private var position: Int
  /// Line ends of the chunk so far, those before its content too.
  private(set) var lineEnds: Int
  /// The line of the file that opened a quote, as long as no record was found after it.
  private var quoteLine: Int?
  /// The results before the first line whose quote no other quote closes, as long as no record was found after it, and its text.
  private var unclosed: (before: ChunkResult.Mark, line: Int, text: UnsafeRawBufferPointer)?
  let record: CSVRecord
  /// The record that was found, without its line end, and the number of line ends in the chunk before it.
  private(set) var text = UnsafeRawBufferPointer(start: nil, count: 0)
  private(set) var line = 0

  init(_ chunk: Chunk, _ shape: CSVShape, _ record: CSVRecord) {
    self.chunk = chunk.text
    self.shape = shape
    tail = chunk.endsOverlong ? .cut : .whole
    endsOpen = chunk.endsOpen
    base = chunk.lineEndsBefore
    position = chunk.start
    lineEnds = chunk.linesBefore
    quoteLine = chunk.quoteLine
    self.record = record
  }

  var fileLine: Int { base + line + 1 }

  /// Goes on after lines that were records.
  /// - Parameter body: moves the position on, and returns the number of lines.
  @inline(__always)
  mutating func takeLines(_ body: (PaddedBytes, inout Int) -> Int) {
    let lines = body(chunk, &position)
    if lines == 0 { return }
    lineEnds += lines
    quoteLine = nil
    unclosed = nil
  }

  mutating func next(into result: inout ChunkResult) -> RecordResult {
    while position < chunk.count {
      let reading = record.read(chunk, from: position, shape, tail)
      line = lineEnds
      text = chunk[position..<CSVRecord.textEnd(chunk.bytes, position, record.end)].bytes
      lineEnds += record.lines + (record.end < chunk.count ? 1 : 0)
      position = record.end + 1
      switch reading {
      case .cells:
        quoteLine = nil
        unclosed = nil
        return .record
      case .otherCount: return .otherCount
      case .blank: continue
      case .fault(let fault): rejectQuote(.invalidCSV(fault), into: &result)
      case .openQuote:
        if endsOpen, unclosed == nil, record.isUnclosed { unclosed = (result.mark, line, text) }
        rejectQuote(.openQuote(columns: shape.columns), into: &result)
      case .tooLong, .undecided: reject(.tooLongLine, into: &result)
      }
    }
    // The file ends inside quotes: their lines are one record, which is cut off.
    if let (before, line, text) = unclosed {
      result.restore(before)
      result.cut(.quotes, line: line, text: text)
      unclosed = nil
    }
    return .end
  }

  func rejectCount(into result: inout ChunkResult) {
    let (found, expected) = (record.cells.count, shape.columns)
    if endsOpen, position > chunk.count, found < expected, unclosed == nil {
      return result.cut(.cells(found: found, expected: expected), line: line, text: text)
    }
    reject(.cellCount(found: found, expected: expected), into: &result)
  }

  /// Rejects a line with a fault of its quotes. After an odd number of quotes the next lines may be text of a cell, so
  /// rejections there name this line.
  private mutating func rejectQuote(_ reason: Rejection, into result: inout ChunkResult) {
    reject(reason, into: &result)
    if quoteLine == nil, !ByteSearch.count(ByteSearch.quote, text, 0..<text.count).isMultiple(of: 2) {
      quoteLine = fileLine
    }
  }

  private func reject(_ reason: Rejection, into result: inout ChunkResult) {
    result.reject(quoteLine.map { .afterQuote(line: $0, reason) } ?? reason, line: line, text: text)
  }
}

// MARK: Splits CSV records (RFC 4180, with any delimiter). Only this code decides where a record ends and whether it is
// one, so that cutting a file into chunks and parsing them agree.

/// Reads the record that begins at a physical line, and keeps its cells. Owned by one thread.
final class CSVRecord {
  enum Fault: Error, Equatable {
    /// A quote is inside a cell that does not begin with one.
    case strayQuote
    case textAfterQuote
  }

  enum Tail {
    /// Nothing, or a line that begins.
    case whole
    /// The rest of a line that is too long.
    case cut
    case more
  }

  enum Reading: Equatable {
    /// A record with the heading's columns, perhaps over several lines.
    case cells
    case otherCount
    case blank
    case fault(Fault)
    /// A line that opens a quote, but no record with the heading's columns begins there.
    case openQuote
    case tooLong
    case undecided
  }

  /// Cells of the last record; valid until the next one.
  @exclusivity(unchecked) private(set) var cells: [PaddedBytes] = []
  /// The index of the line end after the record, or the text's end.
  @exclusivity(unchecked) private(set) var end = 0
  @exclusivity(unchecked) private(set) var lines = 0
  /// Of an `openQuote`: no quote up to the end of the text closes it.
  @exclusivity(unchecked) private(set) var isUnclosed = false
  /// Text of cells with doubled quotes replaced by single ones; made if a file has such cells. A record has at most
  /// `ImportLimit.line` bytes, and so have its cells together.
  @exclusivity(unchecked) private var unescaped = PaddedBuffer(capacity: 0)

  /// Reads what begins at an index, which is the beginning of a physical line.
  func read(_ text: PaddedBytes, from start: Int, _ shape: CSVShape, _ tail: Tail) -> Reading {
    cells.removeAll(keepingCapacity: true)
    lines = 0
    let bytes = text.bytes
    let newline = ByteSearch.firstNewline(bytes, start..<text.count)
    let end = newline ?? text.count
    self.end = end
    if end - start > ImportLimit.line { return .tooLong }
    if newline == nil, tail != .whole { return tail == .cut ? .tooLong : .undecided }
    let stop = Self.textEnd(bytes, start, end)
    if shape.isBlank(bytes, start..<stop) { return .blank }
    if ByteSearch.first(ByteSearch.quote, bytes, start..<stop) != nil { return readQuoted(text, start, shape, tail) }
    var from = start
    for i in start..<stop where bytes[i] == shape.delimiter {
      cells.append(text[from..<i])
      from = i + 1
    }
    cells.append(text[from..<stop])
    return shape.fits(cells) ? .cells : .otherCount
  }

  /// The end of a line's text, the carriage returns of its line end left out.
  @inline(__always)
  static func textEnd(_ bytes: UnsafeRawBufferPointer, _ from: Int, _ end: Int) -> Int {
    var stop = end
    while stop > from, bytes[stop - 1] == 0x0D { stop -= 1 }
    return stop
  }

  // MARK: Records with quotes

  /// Reads a record whose first line has a quote. A quoted cell may span several lines, but only if the result is a
  /// record with the heading's columns. Otherwise the quote belongs to its own line, and only that line is lost.
  private func readQuoted(_ text: PaddedBytes, _ start: Int, _ shape: CSVShape, _ tail: Tail) -> Reading {
    let bytes = text.bytes
    let firstEnd = end
    // One byte more than a record may have, for its line end.
    let limit = min(text.count, start + ImportLimit.line + 1)
    var lineEnd = firstEnd
    var stop = Self.textEnd(bytes, start, lineEnd)
    var i = start
    isUnclosed = false
    unescaped.removeAll()
    // A file that was put after another one brings its mark along.
    if i + 3 <= stop, bytes[i] == 0xEF, bytes[i + 1] == 0xBB, bytes[i + 2] == 0xBF { i += 3 }

    func ended(_ reading: Reading) -> Reading {
      end = firstEnd
      lines = 0
      return reading
    }
    while true {
      guard i < stop, bytes[i] == ByteSearch.quote else {
        let from = i
        while i < stop, bytes[i] != shape.delimiter {
          if bytes[i] == ByteSearch.quote { return ended(lines == 0 ? .fault(.strayQuote) : .openQuote) }
          i += 1
        }
        cells.append(text[from..<i])
        if i == stop { break }
        i += 1
        continue
      }
      let from = i + 1
      var isDoubled = false
      var search = from
      while true {
        guard let quote = ByteSearch.first(ByteSearch.quote, bytes, search..<limit) else {
          let mayGoOn = limit == text.count && limit - start <= ImportLimit.line
          isUnclosed = mayGoOn
          return ended(tail == .more && mayGoOn ? .undecided : .openQuote)
        }
        i = quote + 1
        guard i < limit, bytes[i] == ByteSearch.quote else { break }
        isDoubled = true
        search = i + 1
      }
      let cell = from..<(i - 1)
      if i > lineEnd {
        lines += ByteSearch.count(ByteSearch.newline, bytes, lineEnd..<i)
        if lines > CSVShape.maximumLines { return ended(.openQuote) }
        if let newline = ByteSearch.firstNewline(bytes, i..<limit) {
          lineEnd = newline
        } else if limit == text.count, tail != .cut, limit - start <= ImportLimit.line {
          if tail == .more { return ended(.undecided) }
          lineEnd = limit
        } else {
          return ended(.openQuote)
        }
        stop = max(i, Self.textEnd(bytes, i, lineEnd))
      }
      guard i == stop || bytes[i] == shape.delimiter else {
        return ended(lines == 0 ? .fault(.textAfterQuote) : .openQuote)
      }
      cells.append(isDoubled ? unescape(text[cell]) : text[cell])
      if i == stop { break }
      i += 1
    }
    end = lineEnd
    if shape.fits(cells) { return .cells }
    return lines == 0 ? .otherCount : ended(.openQuote)
  }

  private func unescape(_ cell: PaddedBytes) -> PaddedBytes {
    if unescaped.capacity == 0 { unescaped = PaddedBuffer(capacity: ImportLimit.line) }
    let first = unescaped.count
    var rest = cell.bytes[...]
    while let quote = rest.firstIndex(of: ByteSearch.quote) {
      unescaped.append(rest[...quote])
      rest = rest[(quote + 1)...].dropFirst()
    }
    unescaped.append(rest)
    return unescaped[first..<unescaped.count]
  }
}
