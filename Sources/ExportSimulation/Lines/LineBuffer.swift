// Bytes of lines, collected and handed on in pieces of about a mebibyte.

import Buffers
import PermissionEvents

/// A buffer for lines. `reserve` makes room for one line; appending itself checks nothing.
struct LineBuffer: ~Copyable {
  private let memory = Buffer<UInt8>(capacity: LineBuffer.pieceLength + LineBuffer.longestLine)
  private var end: UnsafeMutablePointer<UInt8>
  /// Two hexadecimal digits for each byte, in lower case, then in upper case.
  private let digits = Buffer<UInt16>(repeating: 0, count: 512)
  private let sink: (UnsafeRawBufferPointer) throws -> Void

  /// No line is as long: the widest format's is under 3 KiB.
  private static let longestLine = 1 << 13
  private static let pieceLength = 1 << 20

  init(sink: @escaping (UnsafeRawBufferPointer) throws -> Void) {
    self.sink = sink
    end = memory.unsafeAddress
    for (offset, letter) in [(0, UInt16(87)), (256, UInt16(55))] {
      for byte in 0..<256 {
        let (high, low) = (UInt16(byte >> 4), UInt16(byte & 15))
        digits[offset + byte] = UInt16(
          bigEndian: (high < 10 ? 48 + high : letter + high) << 8 | (low < 10 ? 48 + low : letter + low))
      }
    }
  }

  /// Makes room for a line: if there is little left, hands on the buffer's content.
  @inline(__always)
  mutating func reserve() throws {
    if end >= memory.unsafeAddress + Self.pieceLength { try flush() }
  }

  mutating func flush() throws {
    let piece = UnsafeRawBufferPointer(start: memory.unsafeAddress, count: end - memory.unsafeAddress)
    end = memory.unsafeAddress
    if piece.count > 0 { try sink(piece) }
  }

  /// Copies 16 bytes at once: both sides have at least 16 bytes after their end.
  @inline(__always)
  mutating func text(_ text: PaddedBytes) {
    guard let start = text.bytes.baseAddress else { return }
    var copied = 0
    while copied < text.count {
      let piece = (start + copied).loadUnaligned(as: SIMD16<UInt8>.self)
      UnsafeMutableRawPointer(end + copied).storeBytes(of: piece, as: SIMD16<UInt8>.self)
      copied += 16
    }
    end += text.count
  }

  @inline(__always)
  mutating func byte(_ byte: UInt8) {
    end.pointee = byte
    end += 1
  }

  /// The low `count` bytes of a word as hexadecimal digits, the highest first.
  @inline(__always)
  mutating func hexadecimal(_ word: UInt64, bytes count: Int, uppercase: Bool = false) {
    write(word, bytes: count, at: 0, uppercase: uppercase)
    end += 2 * count
  }

  mutating func uuid(_ id: (high: UInt64, low: UInt64), uppercase: Bool = false) {
    write(id.high >> 32, bytes: 4, at: 0, uppercase: uppercase)
    write(id.high >> 16, bytes: 2, at: 9, uppercase: uppercase)
    write(id.high, bytes: 2, at: 14, uppercase: uppercase)
    write(id.low >> 48, bytes: 2, at: 19, uppercase: uppercase)
    write(id.low, bytes: 6, at: 24, uppercase: uppercase)
    (end[8], end[13], end[18], end[23]) = (0x2D, 0x2D, 0x2D, 0x2D)
    end += 36
  }

  /// Writes hexadecimal digits this many bytes after the end. The end does not move.
  @inline(__always)
  private func write(_ word: UInt64, bytes count: Int, at offset: Int, uppercase: Bool) {
    let table = digits.unsafeAddress + (uppercase ? 256 : 0)
    let start = UnsafeMutableRawPointer(end + offset)
    for i in 0..<count {
      let byte = Int(truncatingIfNeeded: word &>> UInt64(truncatingIfNeeded: 8 &* (count &- 1 &- i)) & 0xFF)
      start.storeBytes(of: table[byte], toByteOffset: 2 &* i, as: UInt16.self)
    }
  }

  // What not every line has is not inlined: the compiler would divide before it knows whether it has to.

  /// The decimal digits of a number that is not negative.
  @inline(never)
  mutating func decimal(_ number: Int64) {
    var rest = UInt64(max(0, number))
    var length = 1
    var bound: UInt64 = 10
    while length < 19, rest >= bound {
      length += 1
      bound = bound &* 10
    }
    var index = length
    while index > 0 {
      index -= 1
      end[index] = 48 + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    end += length
  }

  /// `YYYYMMDD`.
  @inline(never)
  mutating func date(_ time: Milliseconds, _ dates: borrowing DateTexts) {
    for byte in dates[floorDivide(time, millisecondsPerDay)].bytes where byte != UInt8(ascii: "-") { self.byte(byte) }
  }

  /// `YYYY-MM-DD`, a mark, `HH:MM:SS.mmm`.
  mutating func time(_ time: Milliseconds, _ dates: borrowing DateTexts, mark: UInt8) {
    let day = floorDivide(time, millisecondsPerDay)
    text(dates[day])
    let start = end
    let rest = UInt32(truncatingIfNeeded: time - day * millisecondsPerDay)
    /// Writes the byte `mark`, then a number's last digits.
    func digits(_ number: UInt32, count: Int, after mark: UInt8, at offset: Int) {
      start[offset] = mark
      var rest = number
      for i in 0..<count {
        start[offset + count - i] = 48 + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      }
    }
    digits(rest / 3_600_000, count: 2, after: mark, at: 0)
    digits(rest / 60_000 % 60, count: 2, after: UInt8(ascii: ":"), at: 3)
    digits(rest / 1000 % 60, count: 2, after: UInt8(ascii: ":"), at: 6)
    digits(rest % 1000, count: 3, after: UInt8(ascii: "."), at: 9)
    end += 13
  }
}

/// The dates of the days of an export, and of some before and after it, as `YYYY-MM-DD`.
struct DateTexts: ~Copyable {
  private let first: DayNumber
  private let texts: LineTexts

  /// The number of days by which a wrong clock or a late arrival can be outside the export.
  private static let margin: Int64 = 64

  init(_ options: SimulationOptions) {
    let first = options.firstDay - Self.margin
    self.first = first
    texts = LineTexts((0..<Int64(options.days) + 2 * Self.margin).map { CivilDate(first + $0).text })
  }

  @inline(__always)
  subscript(_ day: DayNumber) -> PaddedBytes { texts[max(0, min(texts.count - 1, Int(day - first)))] }
}

/// Texts by number, as `LineBuffer.text` wants them.
struct LineTexts: ~Copyable {
  private let memory: PaddedBuffer
  private let texts: Buffer<PaddedBytes>

  init(_ strings: [String]) {
    var memory = PaddedBuffer(capacity: strings.reduce(0) { $0 + $1.utf8.count })
    var texts = Buffer<PaddedBytes>(capacity: strings.count)
    for string in strings {
      let start = memory.count
      memory.append(string.utf8)
      texts.append(memory[start..<memory.count])
    }
    self.memory = memory
    self.texts = texts
  }

  var count: Int { texts.count }

  @inline(__always)
  subscript(_ number: Int) -> PaddedBytes { texts[number] }
}
