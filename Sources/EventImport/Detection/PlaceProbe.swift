// Looks whether lines have certain places: by these a vendor's export is recognised.

import CSimdJSON
import EventMapping

/// The places by which several mappings recognise their files, looked for in the first lines of one.
final class PlaceProbe {
  private let extractor: OpaquePointer
  /// Alternatives by mapping: slots that must all have a value.
  private var wanted: [(target: Int, slots: [Int])] = []
  private var slots: [[String]: Int] = [:]
  private static let maximumSlots = 256

  init?() {
    guard let extractor = csj_extractor_new(Self.maximumSlots, ImportLimit.head) else { return nil }
    self.extractor = extractor
  }

  deinit { csj_extractor_free(extractor) }

  /// Looks for lists of places, all of one list, on behalf of a target.
  func add(_ alternatives: [[PropertyReference]], target: Int) {
    for places in alternatives where !places.isEmpty {
      wanted.append((target, places.map { slot($0) }))
    }
  }

  private func slot(_ place: PropertyReference) -> Int {
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
    csj_extractor_begin(extractor)
    let padded = line + [UInt8](repeating: 0, count: Chunk.padding)
    return padded.withUnsafeBufferPointer { bytes in
      let result = csj_extractor_read(extractor, 0, bytes.baseAddress, line.count)
      guard UInt32(result.status) == CSJ_OK.rawValue || UInt32(result.status) == CSJ_DUPLICATE.rawValue,
        let values = csj_extractor_values(extractor)
      else { return nil }
      return wanted.first { $0.slots.allSatisfy { UInt32(values[$0].type) != CSJ_ABSENT.rawValue } }?.target
    }
  }
}
