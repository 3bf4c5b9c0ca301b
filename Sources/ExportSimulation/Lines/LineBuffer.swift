// Bytes of lines, collected and handed on in pieces of about a mebibyte.

import PermissionEvents

/// A buffer that lines are appended to. `reserve` makes room for one line; the appending itself checks nothing.
struct LineBuffer {
  private let start: UnsafeMutablePointer<UInt8>
  private var end: UnsafeMutablePointer<UInt8>
  private let limit: UnsafeMutablePointer<UInt8>
  /// Two hexadecimal digits for each byte, in lower case, then in upper case.
  private let digits: UnsafeMutablePointer<(UInt8, UInt8)>
  private let sink: (UnsafeRawBufferPointer) throws -> Void

  /// No line is as long: the widest format's is under 3 KiB.
  private static let longestLine = 1 << 13
  private static let pieceLength = 1 << 20

  init(sink: @escaping (UnsafeRawBufferPointer) throws -> Void) {
    self.sink = sink
    start = .allocate(capacity: Self.pieceLength + Self.longestLine)
    end = start
    limit = start + Self.pieceLength
    digits = .allocate(capacity: 512)
    for (offset, letter) in [(0, UInt8(87)), (256, UInt8(55))] {
      for byte in 0..<256 {
        let (high, low) = (UInt8(byte >> 4), UInt8(byte & 15))
        digits[offset + byte] = (high < 10 ? 48 + high : letter + high, low < 10 ? 48 + low : letter + low)
      }
    }
  }

  func deallocate() {
    start.deallocate()
    digits.deallocate()
  }

  /// Room for a line; hands on what is there where there is little left.
  @inline(__always)
  mutating func reserve() throws {
    if end >= limit { try flush() }
  }

  mutating func flush() throws {
    let piece = UnsafeRawBufferPointer(start: start, count: end - start)
    end = start
    if piece.count > 0 { try sink(piece) }
  }

  @inline(__always)
  mutating func text(_ text: StaticString) {
    end.update(from: text.utf8Start, count: text.utf8CodeUnitCount)
    end += text.utf8CodeUnitCount
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
    let table = digits + (uppercase ? 256 : 0)
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
  @inline(__always)
  mutating func uuid(_ high: UInt64, _ low: UInt64, uppercase: Bool = false) {
    hexadecimal(high >> 32, bytes: 4, uppercase: uppercase)
    byte(0x2D)
    hexadecimal(high >> 16, bytes: 2, uppercase: uppercase)
    byte(0x2D)
    hexadecimal(high, bytes: 2, uppercase: uppercase)
    byte(0x2D)
    hexadecimal(low >> 48, bytes: 2, uppercase: uppercase)
    byte(0x2D)
    hexadecimal(low, bytes: 6, uppercase: uppercase)
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
  mutating func twoDigits(_ number: Int64) {
    end[0] = 48 + UInt8(truncatingIfNeeded: number / 10)
    end[1] = 48 + UInt8(truncatingIfNeeded: number % 10)
    end += 2
  }
}
