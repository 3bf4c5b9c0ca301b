// The values at any paths of JSON objects, by simdjson, for the records of vendors. The caller decides about members
// without a path when they first appear.

import Buffers
import CSimdJSON
import CVectorBytes

/// Finds the values at paths in objects: each path has a node in a tree of keys, and a slot for its value. Owned by one
/// thread.
struct JSONExtractor: ~Copyable {
  private let extractor: OpaquePointer
  static let root: Int32 = 0
  /// Decisions about a member without a node: it is unwanted; it is unwanted unless it is an object.
  static let unwanted: Int32 = -1
  static let ifObject: Int32 = -2

  /// - Parameters:
  ///   - slots: values of a line at most.
  ///   - capacity: bytes of the longest line.
  /// - Returns: nil if there is not enough memory.
  init?(slots: Int, capacity: Int) {
    guard let extractor = csj_extractor_new(max(1, slots), max(1, capacity)) else { return nil }
    self.extractor = extractor
  }

  deinit { csj_extractor_free(extractor) }

  /// Puts the value at a path, given by its keys from the root, into a slot. Several paths may share a slot.
  /// - Returns: the node of the path's first key.
  @discardableResult
  func want(_ keys: [String], slot: Int) -> Int32 {
    csj_extractor_want(extractor, node(keys), slot)
    return node(Array(keys.prefix(1)))
  }

  /// The node of a path, made if it does not exist.
  func node(_ keys: [String]) -> Int32 {
    var node = Self.root
    for key in keys where node >= 0 {
      let bytes = Array(key.utf8)
      node = bytes.withUnsafeBufferPointer { csj_extractor_child(extractor, node, $0.baseAddress, $0.count) }
    }
    return node
  }

  // MARK: Members without a path

  /// Also reads the members without a path below a node.
  func open(_ node: Int32) { csj_extractor_open(extractor, node) }

  /// Two different values for a slot make it an object, which is never read; in other slots the first stays.
  func hold(_ slot: Int) { csj_extractor_hold(extractor, slot) }

  /// A node for members to be learned; -1 if there is no memory.
  func add(slot: Int?) -> Int32 {
    let node = csj_extractor_add(extractor)
    if let slot { csj_extractor_want(extractor, node, slot) }
    return node
  }

  /// The line's members without a decision yet; some may be left out.
  var news: (members: [(node: Int32, key: [UInt8], isObject: Bool)], isCut: Bool) {
    var isCut = false
    let count = csj_extractor_news(extractor, &isCut)
    if count == 0 { return ([], false) }
    let members = (0..<count).map { index in
      let member = csj_extractor_member(extractor, index)
      return (member.node, Array(UnsafeBufferPointer(start: member.key, count: member.length)), member.is_object)
    }
    return (members, isCut)
  }

  /// The number of kept values of the line.
  var kept: Int { csj_extractor_kept(extractor) }

  var hasNews: Bool {
    var isCut = false
    return csj_extractor_news(extractor, &isCut) > 0
  }

  /// Sets what a member leads to; false if the table is full.
  func learn(_ node: Int32, _ key: [UInt8], target: Int32) -> Bool {
    key.withUnsafeBufferPointer { csj_extractor_learn(extractor, node, $0.baseAddress, $0.count, target) }
  }

  /// Removes the learned members, and the nodes from a given one.
  func forget(from node: Int32) { csj_extractor_forget(extractor, Int(node)) }

  /// Begins a line: the values of the first slots are absent, and no other slots may be used.
  func begin(slots: Int) { csj_extractor_begin(extractor, slots) }

  /// Reads an object with members below a node.
  func read(_ text: PaddedBytes, at node: Int32 = root) -> csj_result {
    csj_extractor_read(extractor, node, text.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), text.count)
  }

  /// The line's value in a slot; valid until the next line.
  subscript(_ slot: Int) -> FieldValue { csj_extractor_values(extractor).map { FieldValue($0[slot]) } ?? .absent }

  /// Whether a value is at the path of a slot, including a null within an object.
  func has(_ slot: Int) -> Bool {
    csj_extractor_values(extractor).map { UInt32($0[slot].type) != CSJ_ABSENT.rawValue } ?? false
  }

  /// Puts the line's values into those of the first slots that are empty.
  func fill(_ values: borrowing Buffer<FieldValue>, slots: Int) {
    guard let found = csj_extractor_values(extractor) else { return }
    for slot in 0..<slots where UInt32(found[slot].type) != CSJ_ABSENT.rawValue && values[slot].kind == .absent {
      values[slot] = FieldValue(found[slot])
    }
  }
}

// MARK: Small JSON files of our own, read whole: simdjson says whether every byte of the text is JSON, the reader of trees then
// has nothing left to forgive.

extension JSONTree {
  /// Longest text that is read so: it is in memory several times over.
  package static let longestDocument = 64 << 20

  /// The object that a whole text is; nil if it is anything but one object of valid JSON, at most 32 levels deep.
  package init?(document text: [UInt8]) {
    guard !text.isEmpty, text.count <= Self.longestDocument, Self.isObject(text) else { return nil }
    var reader = JSONTreeReader(text[...])
    guard let tree = reader.value(), !reader.isCut, !reader.isBroken, tree.isObject else { return nil }
    self = tree
  }

  private static func isObject(_ text: [UInt8]) -> Bool {
    guard let parser = csj_parser_new(nil, 0, text.count) else { return false }
    defer { csj_parser_free(parser) }
    let padded = text + [UInt8](repeating: 0x20, count: PaddedBytes.padding)
    var none = csj_value()
    return padded.withUnsafeBufferPointer { csj_parse(parser, $0.baseAddress, text.count, &none) }.status
      == CSJ_OK.status
  }
}

extension csj_status {
  fileprivate var status: Int32 { Int32(rawValue) }
}

// MARK: Finds the field of a JSON key from its bytes, without hashing or comparing strings: it is mostly the key that followed
// the one before it in an earlier line, and one comparison of 16 bytes decides. If it is another, its first two
// letters choose the only field it can be.

/// The fields by the bytes `"key":`. One a thread.
struct KeyTable: ~Copyable {
  struct Candidate {
    var low: UInt64 = 0
    var high: UInt64 = 0
    // The default is a byte that no key begins with.
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
  private static func ones(_ count: Int) -> UInt64 { count >= 8 ? .max : PaddedBytes.ones(max(0, count)) }

  /// The key of a string value that is expected after a field.
  @inline(__always)
  func expected(after field: Int) -> UnsafePointer<cvb_key> { expected.unsafeAddress[field] }

  /// Learns the key of a string value, with or without a space after its colon.
  @inline(__always)
  func expect(_ field: Int, hasBlank: Bool, after before: Int) {
    expected[before] = UnsafePointer(keys.unsafeAddress + (2 &* field &+ (hasBlank ? 1 : 0)))
  }

  /// The slot of a key by its first two letters and its sixth, which distinguishes `event` from `event_id`. The factor was
  /// found by trial: it gives each field a slot of its own.
  @inline(__always)
  private static func slot(_ word: UInt64) -> Int {
    let letters = UInt64(littleEndian: word) & 0x00FF_0000_00FF_FF00
    return Int(truncatingIfNeeded: (letters &* 0xA87C_203C_9274_09F9) >> (64 - slotBits))
  }

  /// The field with its key, quoted and with its colon, at `text`; nil if the key is not a field in plain letters. 16 bytes
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
