// Bytes of lines, collected and handed on in pieces of about a mebibyte.

import Buffers
import PermissionEvents

/// A buffer that lines are appended to. `reserve` makes room for one line; the appending itself checks nothing.
struct LineBuffer: ~Copyable {
  private let memory = Buffer<UInt8>(capacity: LineBuffer.pieceLength + LineBuffer.longestLine)
  private var end: UnsafeMutablePointer<UInt8>
  /// Two hexadecimal digits for each byte, in lower case, then in upper case.
  private let digits = Buffer<(UInt8, UInt8)>(repeating: (0, 0), count: 512)
  private let sink: (UnsafeRawBufferPointer) throws -> Void

  /// No line is as long: the widest format's is under 3 KiB.
  private static let longestLine = 1 << 13
  private static let pieceLength = 1 << 20

  init(sink: @escaping (UnsafeRawBufferPointer) throws -> Void) {
    self.sink = sink
    end = memory.unsafeAddress
    for (offset, letter) in [(0, UInt8(87)), (256, UInt8(55))] {
      for byte in 0..<256 {
        let (high, low) = (UInt8(byte >> 4), UInt8(byte & 15))
        digits[offset + byte] = (high < 10 ? 48 + high : letter + high, low < 10 ? 48 + low : letter + low)
      }
    }
  }

  /// Room for a line; hands on what is there if there is little left.
  @inline(__always)
  mutating func reserve() throws {
    if end >= memory.unsafeAddress + Self.pieceLength { try flush() }
  }

  mutating func flush() throws {
    let piece = UnsafeRawBufferPointer(start: memory.unsafeAddress, count: end - memory.unsafeAddress)
    end = memory.unsafeAddress
    if piece.count > 0 { try sink(piece) }
  }

  /// Copies 16 bytes at once: both sides have as many after their end.
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
  mutating func bytes(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return }
      end.update(from: base, count: bytes.count)
      end += bytes.count
    }
  }

  @inline(__always)
  mutating func byte(_ byte: UInt8) {
    end.pointee = byte
    end += 1
  }

  /// The low `count` bytes of a word as hexadecimal digits, the highest first.
  @inline(__always)
  mutating func hexadecimal(_ word: UInt64, bytes count: Int, uppercase: Bool = false) {
    let table = digits.unsafeAddress + (uppercase ? 256 : 0)
    var shift = UInt64(count * 8)
    while shift > 0 {
      shift -= 8
      let pair = table[Int(truncatingIfNeeded: word >> shift & 0xFF)]
      end[0] = pair.0
      end[1] = pair.1
      end += 2
    }
  }

  /// A UUID's 36 characters.
  mutating func uuid(_ id: (high: UInt64, low: UInt64), uppercase: Bool = false) {
    hexadecimal(id.high >> 32, bytes: 4, uppercase: uppercase)
    byte(0x2D)
    hexadecimal(id.high >> 16, bytes: 2, uppercase: uppercase)
    byte(0x2D)
    hexadecimal(id.high, bytes: 2, uppercase: uppercase)
    byte(0x2D)
    hexadecimal(id.low >> 48, bytes: 2, uppercase: uppercase)
    byte(0x2D)
    hexadecimal(id.low, bytes: 6, uppercase: uppercase)
  }

  /// The decimal digits of a number that is not negative.
  mutating func decimal(_ number: Int64) {
    var rest = UInt64(max(0, number))
    var length = 1
    var bound: UInt64 = 10
    while length < 19, rest >= bound {
      length += 1
      bound = bound &* 10
    }
    var place = length
    while place > 0 {
      place -= 1
      end[place] = 48 + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    end += length
  }

  /// Two digits of a number below 100.
  @inline(__always)
  private mutating func twoDigits(_ number: Int64) {
    end[0] = 48 + UInt8(truncatingIfNeeded: number / 10)
    end[1] = 48 + UInt8(truncatingIfNeeded: number % 10)
    end += 2
  }

  /// `YYYY-MM-DD`, a mark, `HH:MM:SS.mmm`.
  mutating func time(_ time: Milliseconds, _ dates: DateTexts, mark: UInt8) {
    let day = floorDivide(time, millisecondsPerDay)
    bytes(dates[day])
    byte(mark)
    var rest = time - day * millisecondsPerDay
    twoDigits(rest / 3_600_000)
    rest %= 3_600_000
    byte(UInt8(ascii: ":"))
    twoDigits(rest / 60_000)
    rest %= 60_000
    byte(UInt8(ascii: ":"))
    twoDigits(rest / 1000)
    rest %= 1000
    byte(UInt8(ascii: "."))
    byte(48 + UInt8(truncatingIfNeeded: rest / 100))
    twoDigits(rest % 100)
  }
}

/// The dates of the days of an export, and of some before and after it, as `YYYY-MM-DD`.
struct DateTexts {
  private let first: DayNumber
  private let texts: [[UInt8]]

  /// Days that a wrong clock or a late arrival can lie outside of the export.
  private static let margin: Int64 = 64

  init(_ options: SimulationOptions) {
    first = options.firstDay - Self.margin
    texts = (0..<Int64(options.days) + 2 * Self.margin).map { [first] in Array(CivilDate(first + $0).text.utf8) }
  }

  subscript(_ day: DayNumber) -> [UInt8] {
    texts[max(0, min(texts.count - 1, Int(day - first)))]
  }
}
