// Finds the field of a JSON key from its bytes, without hashing or comparing strings: it is mostly the key that followed
// the one before it in an earlier line, and one comparison of 16 bytes decides. Where it is another, its first two
// letters choose the only field it can be.

import CVectorBytes

/// The fields by the bytes `"key":`. One a thread.
struct KeyTable {
  struct Entry {
    var low: UInt64
    var high: UInt64
    var lowMask: UInt64
    var highMask: UInt64
    /// Bytes of `"key":`.
    var count: Int
    var field: Int
  }

  private static let slotBits: UInt64 = 5
  private let entries = UnsafeMutablePointer<Entry>.allocate(capacity: 1 << Int(slotBits))
  /// The keys of string values: `"key":"`, then `"key": "`, by field.
  private let keys = UnsafeMutablePointer<cvb_key>.allocate(capacity: 2 * ImportField.count)
  /// By the field before, `ImportField.count` at a line's beginning: the key that is expected.
  private let expected = UnsafeMutablePointer<UnsafePointer<cvb_key>>.allocate(capacity: ImportField.count + 1)

  init() {
    expected.initialize(repeating: UnsafePointer(keys), count: ImportField.count + 1)
    // An empty slot asks for a byte that no key begins with.
    entries.initialize(
      repeating: Entry(low: 0, high: 0, lowMask: .max, highMask: 0, count: 0, field: 0), count: 1 << Int(Self.slotBits))
    for (field, name) in ImportField.names.enumerated() {
      var bytes = Array("\"\(name)\":".utf8)
      let count = bytes.count
      bytes += [UInt8](repeating: 0, count: 24)
      bytes.withUnsafeBytes { memory in
        let low = memory.loadUnaligned(as: UInt64.self)
        let high = memory.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        entries[Self.slot(low)] = Entry(
          low: low & Self.ones(count), high: high & Self.ones(count - 8), lowMask: Self.ones(count),
          highMask: Self.ones(count - 8),
          count: count, field: field)
      }
      for (form, text) in ["\"\(name)\":\"", "\"\(name)\": \""].enumerated() {
        var key = cvb_key()
        key.field = UInt64(field)
        key.count = UInt32(text.utf8.count)
        key.bits = 1 << key.count - 1
        withUnsafeMutableBytes(of: &key.text) { $0.copyBytes(from: text.utf8) }
        (keys + 2 * field + form).initialize(to: key)
      }
    }
  }

  /// Ones in the first bytes of a word.
  private static func ones(_ count: Int) -> UInt64 {
    count >= 8 ? .max : count <= 0 ? 0 : CodeCache.mask(count)
  }

  func deallocate() {
    entries.deallocate()
    keys.deallocate()
    expected.deallocate()
  }

  /// The key of a string value that is expected behind a field.
  @inline(__always)
  func expected(after field: Int) -> UnsafePointer<cvb_key> { expected[field] }

  /// Learns the key of a string value, with a blank behind its colon or without.
  @inline(__always)
  func expect(_ field: Int, hasBlank: Bool, after before: Int) {
    expected[before] = UnsafePointer(keys + (2 &* field &+ (hasBlank ? 1 : 0)))
  }

  /// The slot of a key by its first two letters and its sixth, which tells `event` from `event_id`. The factor was
  /// found by trial: it gives each field a slot of its own.
  @inline(__always)
  static func slot(_ word: UInt64) -> Int {
    let letters = UInt64(littleEndian: word) & 0x00FF_0000_00FF_FF00
    return Int(truncatingIfNeeded: (letters &* 0xA87C_203C_9274_09F9) >> (64 - slotBits))
  }

  /// The field whose key, quoted and with its colon, stands at `text`; nil where it is none in plain letters. 16 bytes
  /// must be readable.
  @inline(__always)
  func field(_ text: UnsafeRawPointer) -> (field: Int, count: Int)? {
    let low = text.loadUnaligned(as: UInt64.self)
    let high = text.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    let entry = entries + Self.slot(low)
    let lowDifference = (low ^ entry.pointee.low) & entry.pointee.lowMask
    let highDifference = (high ^ entry.pointee.high) & entry.pointee.highMask
    guard lowDifference | highDifference == 0 else { return nil }
    return (entry.pointee.field, entry.pointee.count)
  }
}
