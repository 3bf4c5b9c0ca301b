// Looks whether lines have certain places: by these a vendor's export is recognised.

import CSimdJSON
import EventMapping

/// The places by which several mappings recognise their files, looked for in the first lines of one.
final class PlaceProbe {
  private let extractor: OpaquePointer
  /// Alternatives by mapping: slots that must all have a value.
  private var wanted: [(target: Int, slots: [Int])] = []
  /// Slots that must have none, by target.
  private var unwanted: [Int: [Int]] = [:]
  private var slots: [[String]: Int] = [:]
  private static let maximumSlots = 256

  /// - Parameter capacity: bytes of the longest line.
  init?(capacity: Int) {
    guard let extractor = csj_extractor_new(Self.maximumSlots, max(capacity, 1)) else { return nil }
    self.extractor = extractor
  }

  deinit { csj_extractor_free(extractor) }

  /// Looks for lists of places, all of one list, on behalf of a target.
  func add(_ alternatives: [[PropertyReference]], target: Int) {
    for places in alternatives where !places.isEmpty {
      wanted.append((target, places.map { slot($0) }))
    }
  }

  /// A line that has one of these places is none of the target's.
  func exclude(_ places: [PropertyReference], target: Int) {
    unwanted[target, default: []] += places.map { slot($0) }
  }

  func slot(_ place: PropertyReference) -> Int {
    let keys: [String] =
      switch place {
      case .name(let name): [name]
      case .pointer(let keys): keys
      }
    if let known = slots[keys] { return known }
    let slot = min(slots.count, Self.maximumSlots - 1)
    slots[keys] = slot
    var node: Int32 = 0
    for key in keys {
      let bytes = Array(key.utf8)
      node = bytes.withUnsafeBufferPointer { csj_extractor_child(extractor, node, $0.baseAddress, $0.count) }
    }
    csj_extractor_want(extractor, node, slot)
    return slot
  }

  /// The first target that a line has all places of; nil where there is none or the line is no JSON object.
  func target(_ line: [UInt8]) -> Int? {
    read(line) { values in
      func has(_ slot: Int) -> Bool { UInt32(values[slot].type) != CSJ_ABSENT.rawValue }
      return wanted.first { target, slots in
        slots.allSatisfy(has) && !(unwanted[target] ?? []).contains(where: has)
      }?.target
    }
  }

  /// True where a line is a JSON object.
  func isObject(_ line: [UInt8]) -> Bool { read(line) { _ in true } ?? false }

  /// The text at a place; nil where there is none.
  func text(_ line: [UInt8], _ slot: Int) -> [UInt8]? {
    read(line) { values in
      guard UInt32(values[slot].type) == CSJ_STRING.rawValue else { return nil }
      return Array(UnsafeBufferPointer(start: values[slot].bytes, count: values[slot].count))
    }
  }

  /// True where a list stands at a place.
  func isList(_ line: [UInt8], _ slot: Int) -> Bool {
    read(line) { UInt32($0[slot].type) == CSJ_ARRAY.rawValue ? true : nil } ?? false
  }

  private func read<Value>(_ line: [UInt8], _ body: (UnsafePointer<csj_value>) -> Value?) -> Value? {
    csj_extractor_begin(extractor)
    let padded = line + [UInt8](repeating: 0, count: Chunk.padding)
    return padded.withUnsafeBufferPointer { bytes in
      let result = csj_extractor_read(extractor, 0, bytes.baseAddress, line.count)
      guard UInt32(result.status) == CSJ_OK.rawValue || UInt32(result.status) == CSJ_DUPLICATE.rawValue,
        let values = csj_extractor_values(extractor)
      else { return nil }
      return body(values)
    }
  }
}
