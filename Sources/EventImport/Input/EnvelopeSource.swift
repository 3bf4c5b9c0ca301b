// The records of a JSON document as lines: of an array, or of a page or batch around one. What is between the records
// is left out, so that the parsers know nothing but lines, whatever the size of the document.

import Buffers

/// Gives each element of the arrays of records on a line of its own: the one on which it begins in the file, as blank lines
/// stand for the other line ends. Records that share a line of the file are given on the next ones.
final class EnvelopeSource: ByteSource {
  /// Bytes of an object without records, or of text outside of documents, that are given as a line: one more than a line
  /// may have, so that it is refused with a reason.
  private static let maximumOther = ImportLimit.line + 1

  private let source: any ByteSource
  private let name: String
  private let input = PaddedBuffer(capacity: 1 << 16)
  @exclusivity(unchecked) private var available = 0
  @exclusivity(unchecked) private var taken = 0
  @exclusivity(unchecked) private var walk = EnvelopeWalk()
  /// A record has begun and its line has not ended.
  @exclusivity(unchecked) private var isOpen = false
  /// An object around records that has not shown any.
  private var other: [UInt8] = []
  private var hadRecords = false
  /// Text outside of documents.
  private var stray: [UInt8] = []
  private var waiting: [UInt8] = []
  private var waitingTaken = 0
  /// Line ends of the file that were taken, and those that were given.
  @exclusivity(unchecked) private var lineEnds = 0
  @exclusivity(unchecked) private var givenLineEnds = 0

  init(_ source: any ByteSource, name: String) {
    self.source = source
    self.name = name
  }

  var storedBytes: Int { source.storedBytes }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    guard let base = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
    var count = 0
    while count < buffer.count {
      if waitingTaken < waiting.count {
        base[count] = waiting[waitingTaken]
        count += 1
        waitingTaken += 1
        if waitingTaken == waiting.count { givenLineEnds += 1 }
        continue
      }
      if givenLineEnds < lineEnds, !isOpen {
        base[count] = ByteSearch.newline
        count += 1
        givenLineEnds += 1
        continue
      }
      if taken == available {
        if count > 0 { return count }
        taken = 0
        available = try source.read(into: input.room)
        if available == 0 {
          endStray()
          if waitingTaken < waiting.count { continue }
          return try end()
        }
      }
      if isOpen, walk.mayPassOver {
        let copied = copyPlain(to: base + count, room: buffer.count - count)
        if copied > 0 {
          count += copied
          continue
        }
      }
      let byte = input.room[taken]
      taken += 1
      if let out = step(byte) {
        base[count] = out
        count += 1
      }
    }
    return count
  }

  /// Copies bytes that mean nothing here, as far as they go.
  private func copyPlain(to target: UnsafeMutablePointer<UInt8>, room: Int) -> Int {
    guard let bytes = input.room.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
    let end = min(available, taken + room)
    let inString = walk.isInString
    let first = taken
    while taken < end, !EnvelopeWalk.isTelling(bytes[taken], inString: inString) { taken += 1 }
    target.update(from: bytes + first, count: taken - first)
    return taken - first
  }

  /// What one byte of the document gives; at most one byte.
  private func step(_ byte: UInt8) -> UInt8? {
    if byte == ByteSearch.newline { lineEnds += 1 }
    let wasInside = walk.isInside
    let wasOutside = walk.isOutside
    walk.step(byte)
    if wasOutside, !walk.endedDocument {
      if walk.isOutside { return takeStray(byte) }
      endStray()
    }
    if wasInside, walk.isInside {
      // A comma between records ends a line.
      if byte == 0x2C, walk.recordDepth == 0, !walk.isInString { return endLine() }
      if ByteSearch.isSpace(byte) {
        return isOpen ? Self.inLine(byte, isInString: walk.isInString) : nil
      }
      isOpen = true
      return byte
    }
    if walk.endedArray {
      if walk.endedDocument { hadRecords = false }
      return endLine()
    }
    if walk.isInside {
      hadRecords = true
      other = []
      return nil
    }
    if !walk.isOutside || walk.endedDocument, !hadRecords, other.count < Self.maximumOther {
      other.append(Self.inLine(byte, isInString: walk.isInString))
    }
    if walk.endedDocument {
      if !hadRecords, !other.isEmpty {
        waiting = other + [ByteSearch.newline]
        waitingTaken = 0
      }
      other = []
      hadRecords = false
    }
    return nil
  }

  /// A byte within a line: line ends between values are blanks. In a string they are what JSON forbids (RFC 8259, section 7), and
  /// the parser, who would see two lines, has to see that: a carriage return tells it.
  private static func inLine(_ byte: UInt8, isInString: Bool) -> UInt8 {
    if byte != ByteSearch.newline, byte != 0x0D { return byte }
    return isInString ? 0x0D : 0x20
  }

  /// Takes a byte between documents; commas there are no harm.
  private func takeStray(_ byte: UInt8) -> UInt8? {
    if byte == ByteSearch.newline {
      endStray()
    } else if !stray.isEmpty || !(ByteSearch.isBlank(byte) || byte == 0x2C), stray.count < Self.maximumOther {
      stray.append(byte)
    }
    return nil
  }

  /// Gives the text outside of documents as a line of its own.
  private func endStray() {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = stray.starts(with: mark) ? stray.dropFirst(mark.count) : stray[...]
    stray = []
    if text.isEmpty { return }
    waiting = text + [ByteSearch.newline]
    waitingTaken = 0
  }

  private func endLine() -> UInt8? {
    guard isOpen else { return nil }
    isOpen = false
    givenLineEnds += 1
    return ByteSearch.newline
  }

  private func end() throws(ImportError) -> Int {
    guard walk.isOutside else {
      throw .damaged(name, "the JSON document", cause: "it ends inside of its array of records")
    }
    return 0
  }
}
