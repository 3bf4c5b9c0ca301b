// Looks whether lines have certain places: by these a vendor's export is recognised.

import Buffers
import EventMapping

/// The places by which several mappings recognise their files, looked for in the first lines of one.
final class PlaceProbe {
  private let extractor: JSONExtractor
  /// Alternatives by mapping: slots that must all have a value.
  private var wanted: [(target: Int, slots: [Int])] = []
  /// Slots that must have none, by target.
  private var unwanted: [Int: [Int]] = [:]
  private var slots: [[String]: Int] = [:]
  private static let maximumSlots = 256

  /// - Parameter capacity: bytes of the longest line.
  init?(capacity: Int) {
    guard let extractor = JSONExtractor(slots: Self.maximumSlots, capacity: capacity) else { return nil }
    self.extractor = extractor
  }

  /// Looks for lists of places, all of one list, on behalf of a target.
  func add(_ alternatives: [[PropertyReference]], target: Int) {
    for places in alternatives where !places.isEmpty { wanted.append((target, places.map { slot($0) })) }
  }

  /// A line that has one of these places is none of the target's.
  func exclude(_ places: [PropertyReference], target: Int) {
    unwanted[target, default: []] += places.map { slot($0) }
  }

  func slot(_ place: PropertyReference) -> Int {
    if let known = slots[place.keys] { return known }
    let slot = min(slots.count, Self.maximumSlots - 1)
    slots[place.keys] = slot
    extractor.want(place.keys, slot: slot)
    // A flattened record has it at its root.
    if place.keys.count > 1 {
      for sign in [".", "_"] { extractor.want([place.keys.joined(separator: sign)], slot: slot) }
    }
    return slot
  }

  /// The first target that a line has all places of; nil if there is none or the line is no JSON object.
  func target(_ line: [UInt8]) -> Int? {
    read(line) {
      func has(_ slot: Int) -> Bool { extractor.has(slot) }
      return wanted.first { target, slots in
        slots.allSatisfy(has) && !(unwanted[target] ?? []).contains(where: has)
      }?.target
    }
  }

  /// True if a line is a JSON object.
  func isObject(_ line: [UInt8]) -> Bool { read(line) { true } ?? false }

  /// The text at a place; nil if there is none.
  func text(_ line: [UInt8], _ slot: Int) -> [UInt8]? {
    read(line) { extractor[slot].kind == .string ? Array(extractor[slot].bytes) : nil }
  }

  /// True if a list is at a place.
  func isList(_ line: [UInt8], _ slot: Int) -> Bool { read(line) { extractor[slot].kind == .array } ?? false }

  private func read<Value>(_ line: [UInt8], _ body: () -> Value?) -> Value? {
    extractor.begin(slots: Self.maximumSlots)
    let text = PaddedBuffer(line)
    let result = extractor.read(text.bytes)
    return result.reason == nil || result.isDuplicate ? body() : nil
  }
}
