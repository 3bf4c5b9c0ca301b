// A writer of binary property lists, plain and short: what the reader reads is made by other hands than its own.

import Foundation

/// Objects one after another, each once for each place that it has.
struct BinaryWriter {
  private var objects: [[UInt8]] = []
  private let referenceSize: Int

  /// The bytes of a property list of what Foundation calls one: texts, numbers, booleans, dates, data, lists, dictionaries.
  static func bytes(_ value: Any, referenceSize: Int = 2) -> [UInt8] {
    var writer = BinaryWriter(referenceSize: referenceSize)
    let top = writer.add(value)
    return file(writer.objects, top: top, referenceSize: referenceSize)
  }

  private init(referenceSize: Int) { self.referenceSize = referenceSize }

  /// A file of objects as they are, right or wrong.
  static func file(
    _ objects: [[UInt8]], top: Int = 0, count: UInt64? = nil, referenceSize: Int = 1, offsetSize: Int = 4,
    table: UInt64? = nil
  ) -> [UInt8] {
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in objects {
      offsets += number(UInt64(bytes.count), offsetSize)
      bytes += object
    }
    let place = UInt64(bytes.count)
    bytes += offsets + [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
    return bytes + number(count ?? UInt64(objects.count), 8) + number(UInt64(top), 8) + number(table ?? place, 8)
  }

  static func number(_ value: UInt64, _ size: Int) -> [UInt8] {
    (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
  }

  private static func head(_ kind: UInt8, _ count: Int) -> [UInt8] {
    count < 15 ? [kind << 4 | UInt8(count)] : [kind << 4 | 0xF, 0x11] + number(UInt64(count), 2)
  }

  private mutating func add(_ value: Any) -> Int {
    let index = objects.count
    objects.append([])
    switch value {
    case let text as String:
      let units = Array(text.utf16)
      objects[index] =
        text.utf8.allSatisfy { $0 < 0x80 }
        ? Self.head(5, units.count) + text.utf8
        : Self.head(6, units.count) + units.flatMap { Self.number(UInt64($0), 2) }
    case let flag as Bool: objects[index] = [flag ? 9 : 8]
    case let integer as Int: objects[index] = [0x13] + Self.number(UInt64(bitPattern: Int64(integer)), 8)
    case let date as Date: objects[index] = [0x33] + Self.number(date.timeIntervalSinceReferenceDate.bitPattern, 8)
    case let data as Data: objects[index] = Self.head(4, data.count) + data
    case let list as [Any]:
      let items = list.map { add($0) }
      objects[index] = Self.head(0xA, items.count) + items.flatMap { Self.number(UInt64($0), referenceSize) }
    case let pairs as [String: Any]:
      let ordered = pairs.sorted { $0.key < $1.key }
      let keys = ordered.map { add($0.key) }
      let values = ordered.map { add($0.value) }
      objects[index] = Self.head(0xD, keys.count) + (keys + values).flatMap { Self.number(UInt64($0), referenceSize) }
    default: objects[index] = [0]
    }
    return index
  }
}
