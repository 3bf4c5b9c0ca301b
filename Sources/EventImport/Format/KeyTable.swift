// Finds the field of a JSON key from its bytes, without hashing or comparing strings: it is mostly the key that followed
// the one before it in an earlier line, and one comparison of 16 bytes decides. If it is another, its first two
// letters choose the only field it can be.

import Buffers
import CVectorBytes

/// The fields by the bytes `"key":`. One a thread.
struct KeyTable: ~Copyable {
  struct Candidate {
    var low: UInt64 = 0
    var high: UInt64 = 0
    // The default asks for a byte that no key begins with.
    var lowMask = UInt64.max
    var highMask: UInt64 = 0
    /// Bytes of `"key":`.
    var count = 0
    var field = 0
  }

  private static let slotBits: UInt64 = 5
  private let candidates = Buffer(repeating: Candidate(), count: 1 << Int(slotBits))
  /// The keys of string values: `"key":"`, then `"key": "`, by field.
  private let keys = Buffer(repeating: cvb_key(), count: 2 * ImportField.count)
  /// By the field before, `ImportField.count` at a line's beginning: the key that is expected.
  private let expected: Buffer<UnsafePointer<cvb_key>>

  init() {
    expected = Buffer(repeating: UnsafePointer(keys.unsafeAddress), count: ImportField.count + 1)
    for (field, name) in ImportField.names.enumerated() {
      let quoted = PaddedBuffer(Array("\"\(name)\":".utf8))
      let (count, words) = (quoted.count, quoted.bytes.words)
      candidates[Self.slot(words.low)] = Candidate(
        low: words.low, high: words.high, lowMask: Self.ones(count), highMask: Self.ones(count - 8), count: count,
        field: field)
      for (spacing, text) in ["\"\(name)\":\"", "\"\(name)\": \""].enumerated() {
        var key = cvb_key()
        key.field = UInt64(field)
        key.count = UInt32(text.utf8.count)
        key.bits = 1 << key.count - 1
        withUnsafeMutableBytes(of: &key.text) { $0.copyBytes(from: text.utf8) }
        keys[2 * field + spacing] = key
      }
    }
  }

  /// Ones in the first bytes of a word.
  private static func ones(_ count: Int) -> UInt64 {
    count >= 8 ? .max : PaddedBytes.ones(max(0, count))
  }

  /// The key of a string value that is expected after a field.
  @inline(__always)
  func expected(after field: Int) -> UnsafePointer<cvb_key> { expected.unsafeAddress[field] }

  /// Learns the key of a string value, with a blank after its colon or without.
  @inline(__always)
  func expect(_ field: Int, hasBlank: Bool, after before: Int) {
    expected[before] = UnsafePointer(keys.unsafeAddress + (2 &* field &+ (hasBlank ? 1 : 0)))
  }

  /// The slot of a key by its first two letters and its sixth, which tells `event` from `event_id`. The factor was
  /// found by trial: it gives each field a slot of its own.
  @inline(__always)
  private static func slot(_ word: UInt64) -> Int {
    let letters = UInt64(littleEndian: word) & 0x00FF_0000_00FF_FF00
    return Int(truncatingIfNeeded: (letters &* 0xA87C_203C_9274_09F9) >> (64 - slotBits))
  }

  /// The field whose key, quoted and with its colon, is at `text`; nil if it is none in plain letters. 16 bytes
  /// must be readable.
  @inline(__always)
  func field(_ text: UnsafeRawPointer) -> (field: Int, count: Int)? {
    let low = text.loadUnaligned(as: UInt64.self)
    let high = text.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    let candidate = candidates.unsafeAddress + Self.slot(low)
    let lowDifference = (low ^ candidate.pointee.low) & candidate.pointee.lowMask
    let highDifference = (high ^ candidate.pointee.high) & candidate.pointee.highMask
    guard lowDifference | highDifference == 0 else { return nil }
    return (candidate.pointee.field, candidate.pointee.count)
  }
}
