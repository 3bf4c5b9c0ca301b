// The values at any places of JSON objects, by simdjson, for the records of vendors; and members that no place leads to, of which
// the caller says what they are when they are first met.

import Buffers
import CSimdJSON

/// Finds the values at places in objects: each place has a node in a tree of keys, and a slot for its value. Owned by one
/// thread.
struct JSONExtractor: ~Copyable {
  private let extractor: OpaquePointer
  static let root: Int32 = 0
  /// Said of a member in place of a node: nothing is wanted of it; nothing, unless it turns out to be an object.
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

  /// Puts the value at a place, its keys from the root, into a slot. Several places may share one.
  /// - Returns: the node of the place's first key.
  @discardableResult
  func want(_ keys: [String], slot: Int) -> Int32 {
    csj_extractor_want(extractor, node(keys), slot)
    return node(Array(keys.prefix(1)))
  }

  /// The node of a place, made if there is none.
  func node(_ keys: [String]) -> Int32 {
    var node = Self.root
    for key in keys where node >= 0 {
      let bytes = Array(key.utf8)
      node = bytes.withUnsafeBufferPointer { csj_extractor_child(extractor, node, $0.baseAddress, $0.count) }
    }
    return node
  }

  // MARK: Members that no place leads to

  /// Looks at the members below a node that no place leads to, too.
  func open(_ node: Int32) { csj_extractor_open(extractor, node) }

  /// Two different values for a slot make it an object, which nobody reads; in other slots the first stays.
  func hold(_ slot: Int) { csj_extractor_hold(extractor, slot) }

  /// A node for members to be learned; -1 if there is no memory.
  func add(slot: Int?) -> Int32 {
    let node = csj_extractor_add(extractor)
    if let slot { csj_extractor_want(extractor, node, slot) }
    return node
  }

  /// The line's members of which nobody has said yet what they lead to; some may be left out.
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

  /// How many values of the line were kept.
  var kept: Int { csj_extractor_kept(extractor) }

  /// True if the line has news.
  var hasNews: Bool {
    var isCut = false
    return csj_extractor_news(extractor, &isCut) > 0
  }

  /// Says what a member leads to; false if there is no room.
  func learn(_ node: Int32, _ key: [UInt8], target: Int32) -> Bool {
    key.withUnsafeBufferPointer { csj_extractor_learn(extractor, node, $0.baseAddress, $0.count, target) }
  }

  /// Forgets what was learned, and the nodes from one on.
  func forget(from node: Int32) { csj_extractor_forget(extractor, Int(node)) }

  /// Begins a line: the values of the first slots are absent, and no others may be wanted of it.
  func begin(slots: Int) { csj_extractor_begin(extractor, slots) }

  /// Reads an object whose members belong below a node.
  func read(_ text: PaddedBytes, at node: Int32 = root) -> csj_result {
    csj_extractor_read(extractor, node, text.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), text.count)
  }

  /// The line's value in a slot; valid until the next line.
  subscript(_ slot: Int) -> FieldValue {
    csj_extractor_values(extractor).map { FieldValue($0[slot]) } ?? .absent
  }

  /// True if something is at the place of a slot, a null within an object too.
  func has(_ slot: Int) -> Bool {
    csj_extractor_values(extractor).map { UInt32($0[slot].type) != CSJ_ABSENT.rawValue } ?? false
  }

  /// Puts the line's values into the first slots if there are none yet.
  func fill(_ values: borrowing Buffer<FieldValue>, slots: Int) {
    guard let found = csj_extractor_values(extractor) else { return }
    for slot in 0..<slots where UInt32(found[slot].type) != CSJ_ABSENT.rawValue && values[slot].kind == .absent {
      values[slot] = FieldValue(found[slot])
    }
  }
}
