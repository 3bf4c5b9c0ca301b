// The records of a JSON document as lines: of an array, or of a page or batch around one. Bytes between the records are
// left out, so that the parsers see only lines, for documents of any size.

import Buffers

/// Writes each element of the arrays of records on its own line: the line on which it begins in the file, because empty
/// lines replace the other line ends. Records that share a line of the file go to the next lines.
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
  /// The number of line ends read from the file, and written.
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

  /// The output for one byte of the document; at most one byte.
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
      if ByteSearch.isSpace(byte) { return isOpen ? Self.inLine(byte, isInString: walk.isInString) : nil }
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

  /// A byte within a line: line ends between values become spaces. In a string JSON forbids them (RFC 8259, section 7),
  /// and the parser must notice it without seeing two lines: so they become a carriage return.
  private static func inLine(_ byte: UInt8, isInString: Bool) -> UInt8 {
    if byte != ByteSearch.newline, byte != 0x0D { return byte }
    return isInString ? 0x0D : 0x20
  }

  /// Takes a byte between documents; commas there do no harm.
  private func takeStray(_ byte: UInt8) -> UInt8? {
    if byte == ByteSearch.newline {
      endStray()
    } else if !stray.isEmpty || !(ByteSearch.isBlank(byte) || byte == 0x2C), stray.count < Self.maximumOther {
      stray.append(byte)
    }
    return nil
  }

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
      throw .damaged(name, "the JSON document", cause: "it ends inside its array of records")
    }
    return 0
  }
}

// MARK: Distinguishes a page, a batch or an answer of an interface from a line: an object with an array of records as a member

/// Goes through JSON text byte by byte and knows whether it is inside of an array of records.
struct EnvelopeWalk {
  static let keys: [[UInt8]] = ["batch", "records", "events", "results", "data", "rows", "items"].map { Array($0.utf8) }

  /// The member with the records of the object that begins here, as far as visible; nil if it has no such member.
  static func member(_ bytes: ArraySlice<UInt8>) -> String? {
    var walk = EnvelopeWalk()
    for byte in bytes {
      walk.step(byte)
      if walk.isInside { return String(bounded: walk.key) }
      if walk.endedDocument { return nil }
    }
    return nil
  }

  /// Whether a text is one or more whole objects or lists.
  static func isWhole(_ bytes: some Sequence<UInt8>) -> Bool {
    var walk = EnvelopeWalk()
    for byte in bytes { walk.step(byte) }
    return walk.isOutside
  }

  private enum State {
    case outside
    /// In an object that may have an array of records.
    case object
    /// In the array, at this depth.
    case records
  }

  private var state = State.outside
  /// The number of open brackets in the document; records are one level above the array.
  private var depth = 0
  private var arrayDepth = 0
  private(set) var isInString = false
  private var isEscaped = false
  /// The last string at the object's first level, and whether a colon followed it.
  private var key: [UInt8] = []
  private var isKeyComplete = false
  private(set) var endedDocument = false
  private(set) var endedArray = false

  var isInside: Bool { state == .records }
  var isOutside: Bool { state == .outside }
  /// The number of open brackets within the current record.
  var recordDepth: Int { depth - arrayDepth }

  /// Whether bytes of the current record that do not matter here may be skipped without `step`.
  var mayPassOver: Bool { state == .records && !isEscaped }

  /// Bytes that `step` has to see, by whether a string is open. A comma may end a record, a line end may not stay.
  @inline(__always)
  static func isTelling(_ byte: UInt8, inString: Bool) -> Bool {
    if inString { return byte == 0x22 || byte == 0x5C || byte < 0x20 }
    switch byte {
    case 0x22, 0x2C, 0x5B, 0x5D, 0x7B, 0x7D: return true
    default: return byte < 0x20
    }
  }

  private static let maximumKey = 16

  mutating func step(_ byte: UInt8) {
    endedDocument = false
    endedArray = false
    if isInString {
      if isEscaped {
        isEscaped = false
      } else if byte == 0x5C {
        isEscaped = true
      } else if byte == 0x22 {
        isInString = false
      }
      if isInString, state == .object, depth == 1, key.count < Self.maximumKey { key.append(byte) }
      return
    }
    switch byte {
    case 0x22:
      isInString = true
      if state == .object, depth == 1 {
        key.removeAll(keepingCapacity: true)
        isKeyComplete = false
      }
    case 0x3A: isKeyComplete = true
    case 0x7B, 0x5B:
      if state == .outside {
        state = byte == 0x7B ? .object : .records
        arrayDepth = 1
      } else if state == .object, depth == 1, byte == 0x5B, isKeyComplete, Self.keys.contains(key) {
        state = .records
        arrayDepth = 2
      }
      isKeyComplete = false
      depth &+= 1
    case 0x7D, 0x5D:
      if depth > 0 { depth &-= 1 }
      if state == .records, depth < arrayDepth {
        state = depth == 0 ? .outside : .object
        endedArray = true
      }
      if depth == 0 {
        if state == .object { state = .outside }
        endedDocument = true
      }
    default: break
    }
  }
}
