// Members of records that no place of a mapping leads to, and what their keys mean: asked once for each, and remembered. Those
// that may tell of an answer get a slot of their own, beside those of the mapping's places.

import EventMapping

/// What a thread has learned of the members of one mapping's records. Owned by one thread.
final class FoundMembers {
  /// Slots for members that tell of an answer, the last of them for records that have more.
  static let room = 129
  /// Reading a record again each time that it has something new is not done without end.
  private static let maximumRounds = 24

  private let program: MappingProgram
  private let first: Int
  private let held: Set<Int>
  /// The keys of the members by slot, after the mapping's own.
  @exclusivity(unchecked) private(set) var keys: [TellingKey] = []
  /// The keys from the root to the nodes.
  private var paths: [Int32: [String]] = [:]
  /// What stays if the rest is forgotten: the columns of a table.
  private var settled = (nodes: Int32(0), keys: 0)
  /// Whether the record has more members than are told apart.
  @exclusivity(unchecked) private(set) var isOverfull = false
  /// Changes when slots get another meaning.
  @exclusivity(unchecked) private(set) var generation = 0
  private var rounds = 0
  private var hasForgotten = false

  init(_ program: MappingProgram, _ extractor: borrowing JSONExtractor) {
    self.program = program
    first = program.places.count
    held = program.heldSlots
    for slot in held { extractor.hold(slot) }
    open([], extractor)
    for (keys, _) in program.places.paths {
      for count in keys.indices.map({ $0 + 1 }) { open(Array(keys.prefix(count)), extractor) }
    }
  }

  private func open(_ keys: [String], _ extractor: borrowing JSONExtractor) {
    let node = extractor.node(keys)
    guard node >= 0, paths[node] == nil else { return }
    paths[node] = keys
    if keys.isEmpty || program.looksInto(keys) { extractor.open(node) }
  }

  /// The slot of a record that has more members than are told apart.
  var overfull: Int { first + Self.room - 1 }

  /// True for a slot in which two values that differ are none.
  func holds(_ slot: Int) -> Bool { slot >= first || held.contains(slot) }

  /// The slots of the members that tell of an answer.
  var slots: Range<Int> { first..<first + keys.count }

  func key(_ slot: Int) -> TellingKey { slot == overfull ? .tooMany : keys[slot - first] }

  // MARK: Columns

  /// What a column of a table leads to.
  func column(_ name: String, _ extractor: borrowing JSONExtractor) -> (slot: Int?, node: Int32?) {
    switch program.meaning(of: [name]) {
    case .nothing, .closed: return (nil, nil)
    case .place(let keys):
      let node = extractor.node(keys)
      let slot = program.places.paths.first { $0.keys == keys }?.slot
      return (slot, slot == nil ? node : nil)
    case .properties: return (nil, node([name], slot: nil, extractor))
    case .slot(let slot): return (slot, node([name], slot: nil, extractor))
    case .telling(let key):
      let slot = self.slot(key, extractor)
      return (slot, node([name], slot: nil, extractor))
    }
  }

  /// What there is now stays.
  func settle(_ extractor: borrowing JSONExtractor) {
    settled = ((paths.keys.max() ?? 0) + 1, keys.count)
  }

  private func node(_ keys: [String], slot: Int?, _ extractor: borrowing JSONExtractor) -> Int32? {
    let node = extractor.add(slot: slot)
    guard node >= 0 else { return nil }
    paths[node] = keys
    return node
  }

  /// The slot of a key; nil if there is none left.
  private func slot(_ key: TellingKey, _ extractor: borrowing JSONExtractor) -> Int? {
    if keys.count == Self.room - 1 { return nil }
    keys.append(key)
    extractor.hold(first + keys.count - 1)
    return first + keys.count - 1
  }

  // MARK: Members of objects

  /// Learns what the record that was just read has that is new.
  /// - Returns: whether the record is to be read again.
  func learn(_ extractor: borrowing JSONExtractor) -> Bool {
    let (members, isCut) = extractor.news
    if members.isEmpty { return false }
    rounds += 1
    if rounds > Self.maximumRounds || isCut {
      isOverfull = true
      return false
    }
    var isRead = false
    for (node, key, isObject) in members {
      guard let target = target(node, key, isObject, extractor), extractor.learn(node, key, target: target) else {
        // No room: all that is not of this record is forgotten, once.
        if hasForgotten {
          isOverfull = true
          return false
        }
        hasForgotten = true
        forget(extractor)
        return true
      }
      if target >= 0 { isRead = true }
    }
    return isRead
  }

  /// Ends a record that had news.
  func endRecord() {
    rounds = 0
    hasForgotten = false
  }

  /// Begins a record.
  func begin() { isOverfull = false }

  private func forget(_ extractor: borrowing JSONExtractor) {
    extractor.forget(from: settled.nodes)
    paths = paths.filter { $0.key < settled.nodes }
    keys.removeLast(keys.count - settled.keys)
    generation += 1
  }

  /// The node that a member leads to, or -1 or -2 as the extractor has it; nil if there is no room.
  private func target(
    _ parent: Int32, _ key: [UInt8], _ isObject: Bool, _ extractor: borrowing JSONExtractor
  ) -> Int32? {
    guard let above = paths[parent] else { return JSONExtractor.unwanted }
    let path = above + [String(decoding: key, as: UTF8.self)]
    switch program.meaning(of: path) {
    case .closed: return JSONExtractor.unwanted
    case .nothing where !isObject, .properties where !isObject: return JSONExtractor.ifObject
    case .nothing, .properties: return node(path, slot: nil, extractor)
    case .place(let keys): return extractor.node(keys)
    case .slot(let slot): return node(path, slot: slot, extractor)
    case .telling(let key):
      guard let slot = slot(key, extractor) else { return nil }
      return node(path, slot: slot, extractor)
    }
  }
}
