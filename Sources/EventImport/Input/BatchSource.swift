// Batches with a list of events in them, as some vendors write them: each event becomes a line, with what the batch says of all.

import Buffers

/// Writes a line `{"batch": {…}, "record": …}` for each element of the list in each line's object. `batch` is the object without that list.
/// A line without such a list stays as it is: whoever reads it says what it lacks.
final class BatchSource: ByteSource {
  /// Longer lines stay as they are.
  private static let maximumLine = 16 << 20
  /// What batches may say of their events, together with the events' number: a line is no more than this when it is written out.
  private static let maximumOut = 1 << 30

  private let source: any ByteSource
  private let key: [UInt8]
  /// Objects go over several lines: one ends where its brackets do.
  private let areDocuments: Bool
  private var walk = EnvelopeWalk()
  private let input = PaddedBuffer(capacity: 1 << 16)
  private var available = 0
  private var taken = 0
  private var atEnd = false
  /// The rest of a line that is too long follows as it is.
  private var isPassing = false
  private var line: [UInt8] = []
  /// What the current line comes to, as far as it was not given out.
  private var batch: Batch?
  private var nextElement = 0
  private var waiting: [UInt8] = []
  private var waitingTaken = 0

  init(_ source: any ByteSource, each key: String, areDocuments: Bool = false) {
    self.source = source
    self.key = Array(key.utf8)
    self.areDocuments = areDocuments
  }

  var storedBytes: Int { source.storedBytes }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    while waitingTaken == waiting.count {
      waiting.removeAll(keepingCapacity: true)
      waitingTaken = 0
      if let batch, nextElement < batch.elements.count {
        let element = batch.elements[nextElement]
        nextElement += 1
        waiting += batch.begin
        waiting += line[element]
        waiting += Array("}\n".utf8)
      } else {
        batch = nil
        guard try nextLine() else { return 0 }
      }
    }
    let count = min(buffer.count, waiting.count - waitingTaken)
    buffer.copyBytes(from: waiting[waitingTaken..<waitingTaken + count])
    waitingTaken += count
    return count
  }

  /// Reads a line, and finds out what it comes to. False at the end.
  private func nextLine() throws(ImportError) -> Bool {
    line.removeAll(keepingCapacity: true)
    while true {
      if taken == available {
        taken = 0
        available = atEnd ? 0 : try source.read(into: input.room)
        atEnd = available == 0
        if atEnd {
          // A last line without an end stays one, so that it is noticed if it was cut off.
          if !line.isEmpty { use(line: line, hasEnd: false) }
          return !line.isEmpty
        }
      }
      let rest = UnsafeRawBufferPointer(rebasing: input.room[taken..<available])
      let end = ByteSearch.firstNewline(rest, 0..<rest.count)
      let piece = rest[..<(end ?? rest.count)]
      taken += piece.count + (end == nil ? 0 : 1)
      if areDocuments, !isPassing {
        for byte in piece { walk.step(byte) }
        if end != nil, !walk.isOutside, line.count + piece.count < Self.maximumLine {
          // In a string JSON has no line end, and whoever reads it has to notice.
          line += piece
          line.append(walk.isInString ? 0x0D : 0x20)
          continue
        }
        if end != nil { walk = EnvelopeWalk() }
      }
      if isPassing || line.count + piece.count > Self.maximumLine {
        waiting += line
        waiting += piece
        line.removeAll(keepingCapacity: true)
        isPassing = end == nil
        if end != nil { waiting.append(ByteSearch.newline) }
        return true
      }
      line += piece
      guard end != nil else { continue }
      use(line: line, hasEnd: true)
      return true
    }
  }

  private func use(line: [UInt8], hasEnd: Bool) {
    nextElement = 0
    if let found = Batch(line, key: key), found.elements.count <= Self.maximumOut / max(1, found.begin.count) {
      batch = found
    } else {
      waiting = line
      if hasEnd { waiting.append(ByteSearch.newline) }
    }
  }
}

/// An object with a list in it.
private struct Batch {
  /// The line of an element up to the element.
  let begin: [UInt8]
  /// Where they are in the object's text.
  let elements: [Range<Int>]

  /// - Returns: nil if the text is not an object with exactly one list of that key.
  init?(_ text: [UInt8], key: [UInt8]) {
    var reader = JSONSkimmer(text)
    guard reader.take(0x7B) else { return nil }
    var others: [UInt8] = []
    var elements: [Range<Int>]?
    if !reader.take(0x7D) {
      repeat {
        guard let name = reader.value(), text[name.lowerBound] == 0x22, reader.take(0x3A) else { return nil }
        if text[name].dropFirst().dropLast().elementsEqual(key) {
          guard elements == nil, let list = reader.list() else { return nil }
          elements = list
        } else {
          guard let value = reader.value() else { return nil }
          others += (others.isEmpty ? [] : [0x2C]) + text[name] + [0x3A] + text[value]
        }
      } while reader.take(0x2C)
      guard reader.take(0x7D) else { return nil }
    }
    guard reader.isAtEnd, let elements else { return nil }
    begin = Array(#"{"batch":{"#.utf8) + others + Array(#"},"record":"#.utf8)
    self.elements = elements
  }
}

/// Finds the ends of values; whether they are JSON inside is for those who read them.
private struct JSONSkimmer {
  private let text: [UInt8]
  private var next = 0

  init(_ text: [UInt8]) { self.text = text }

  private mutating func passBlanks() {
    while next < text.count, ByteSearch.isSpace(text[next]) { next += 1 }
  }

  var isAtEnd: Bool {
    var rest = self
    rest.passBlanks()
    return rest.next == text.count
  }

  /// Takes a byte after blanks, if it is this one.
  mutating func take(_ byte: UInt8) -> Bool {
    passBlanks()
    guard next < text.count, text[next] == byte else { return false }
    next += 1
    return true
  }

  /// The range of the value that begins here.
  mutating func value() -> Range<Int>? {
    passBlanks()
    let start = next
    var depth = 0
    while next < text.count {
      switch text[next] {
      case 0x22:
        guard passString() else { return nil }
        if depth == 0 { return start..<next }
        continue
      case 0x7B, 0x5B: depth += 1
      case 0x7D, 0x5D:
        if depth == 0 { return start < next ? start..<next : nil }
        depth -= 1
        if depth == 0 {
          next += 1
          return start..<next
        }
      case 0x2C, 0x20, 0x09, 0x0D, 0x3A: if depth == 0 { return start < next ? start..<next : nil }
      default: break
      }
      next += 1
    }
    return nil
  }

  private mutating func passString() -> Bool {
    next += 1
    while next < text.count {
      if text[next] == 0x5C {
        next += 2
      } else {
        next += 1
        if text[next - 1] == 0x22 { return true }
      }
    }
    return false
  }

  /// The elements of a list.
  mutating func list() -> [Range<Int>]? {
    guard take(0x5B) else { return nil }
    var elements: [Range<Int>] = []
    if take(0x5D) { return elements }
    repeat {
      guard let element = value() else { return nil }
      elements.append(element)
    } while take(0x2C)
    return take(0x5D) ? elements : nil
  }
}
