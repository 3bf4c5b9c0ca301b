// Binary property lists: `bplist00`, objects, a table of their offsets, and a trailer of 32 bytes with the offset of
// the table. CFBinaryPList.c of swift-corelibs-foundation describes the format. Every value of a file is checked.

import PermissionEvents

struct BinaryPropertyListReader {
  private let bytes: [UInt8]
  private let offsetSize: Int
  private let referenceSize: Int
  private let objectCount: Int
  private let top: Int
  private let table: Int
  /// The number of objects that may still be visited. A shared object is visited each time, and a small file can share
  /// objects endlessly.
  private var visitsLeft = 100_000
  /// The same for bytes of texts: one long text can be shared by very many indices.
  private var bytesLeft = 16 << 20
  private var texts: [Int: PropertyList] = [:]

  private static let longestKey = 4_096
  private static let damage = PropertyListError("it is a damaged binary property list")

  init(_ bytes: [UInt8]) throws(PropertyListError) {
    guard bytes.starts(with: "bplist0".utf8) else {
      throw PropertyListError("it is a binary property list of an unknown version")
    }
    guard bytes.count >= 8 + 32 else { throw Self.damage }
    let trailer = bytes.count - 32
    func number(_ position: Int) -> Int? {
      var value: UInt64 = 0
      for byte in bytes[position..<position + 8] { value = value << 8 | UInt64(byte) }
      return Int(exactly: value)
    }
    let sizes = (Int(bytes[trailer + 6]), Int(bytes[trailer + 7]))
    guard let count = number(trailer + 8), let top = number(trailer + 16), let table = number(trailer + 24),
      (1...8).contains(sizes.0), (1...8).contains(sizes.1), table >= 8, table <= trailer,
      count <= (trailer - table) / sizes.0, top < count
    else { throw Self.damage }
    self.bytes = bytes
    (offsetSize, referenceSize) = sizes
    (objectCount, self.top, self.table) = (count, top, table)
  }

  mutating func document() throws(PropertyListError) -> PropertyList { try object(top, depth: 0) }

  /// A number of several bytes, the highest first; nil if it is not all before the table.
  private func integer(at position: Int, size: Int, end: Int) -> Int? {
    guard position >= 0, size <= 8, position <= end, size <= end - position else { return nil }
    var value: UInt64 = 0
    for byte in bytes[position..<position + size] { value = value << 8 | UInt64(byte) }
    return Int(exactly: value)
  }

  private mutating func object(_ index: Int, depth: Int) throws(PropertyListError) -> PropertyList {
    guard depth < PropertyList.mostDepth else { throw PropertyListError(PropertyListError.isTooDeep) }
    visitsLeft -= 1
    guard visitsLeft >= 0 else { throw PropertyListError("it holds more than 100,000 values") }
    if let known = texts[index] {
      try take(known.text?.utf8.count ?? 0)
      return known
    }
    guard index < objectCount,
      let position = integer(at: table + index * offsetSize, size: offsetSize, end: bytes.count - 32),
      position >= 8, position < table
    else { throw Self.damage }
    let marker = bytes[position]
    switch marker >> 4 {
    case 0x0:
      switch marker {
      case 0x08: return .boolean(false)
      case 0x09: return .boolean(true)
      case 0x00: return .other
      default: throw Self.damage
      }
    case 0x1:
      guard marker & 0xF <= 4 else { throw Self.damage }
      let size = 1 << Int(marker & 0xF)
      guard size <= table - position - 1 else { throw Self.damage }
      return integer(at: position + 1, size: size, end: table).map { .number(String($0)) } ?? .other
    case 0x2, 0x3, 0x4, 0x8: return .other
    case 0x5, 0x6, 0x7:
      let text = try text(marker, position)
      texts[index] = text
      return text
    case 0xA, 0xB, 0xC:
      let (start, count) = try extent(position, unit: referenceSize)
      var items: [PropertyList] = []
      for item in 0..<count { items.append(try object(try reference(start, item), depth: depth + 1)) }
      return .list(items)
    case 0xD:
      let (start, count) = try extent(position, unit: 2 * referenceSize)
      var pairs: [String: PropertyList] = [:]
      var indices: [String: Int] = [:]
      for item in 0..<count {
        // One long text can be the key of very many pairs.
        guard case .text(let key) = try object(try reference(start, item), depth: depth + 1),
          key.utf8.count <= Self.longestKey
        else { throw Self.damage }
        let value = try reference(start, count + item)
        if let other = indices[key] {
          // Values are not compared: two references to one object have one value, and no writer writes two.
          guard other == value else { throw PropertyListError(PropertyListError.isTwice(key)) }
          continue
        }
        indices[key] = value
        pairs[key] = try object(value, depth: depth + 1)
      }
      return .dictionary(pairs)
    default: throw Self.damage
    }
  }

  /// Counts bytes of a text before they are handed out.
  private mutating func take(_ count: Int) throws(PropertyListError) {
    guard count <= bytesLeft else { throw PropertyListError("it holds more than 16 MiB of texts") }
    bytesLeft -= count
  }

  private func reference(_ start: Int, _ item: Int) throws(PropertyListError) -> Int {
    guard let index = integer(at: start + item * referenceSize, size: referenceSize, end: table) else {
      throw Self.damage
    }
    return index
  }

  /// Where an object's content begins, and how many units it has, all of them before the table.
  private func extent(_ position: Int, unit: Int) throws(PropertyListError) -> (start: Int, count: Int) {
    var start = position + 1
    var count = Int(bytes[position] & 0xF)
    if count == 0xF {
      // A number of its own follows.
      guard start < table, bytes[start] >> 4 == 1, bytes[start] & 0xF <= 3 else { throw Self.damage }
      let size = 1 << Int(bytes[start] & 0xF)
      guard let value = integer(at: start + 1, size: size, end: table) else { throw Self.damage }
      (start, count) = (start + 1 + size, value)
    }
    guard count <= (table - start) / unit else { throw Self.damage }
    return (start, count)
  }

  private mutating func text(_ marker: UInt8, _ position: Int) throws(PropertyListError) -> PropertyList {
    let isWide = marker >> 4 == 6
    let (start, count) = try extent(position, unit: isWide ? 2 : 1)
    try take(isWide ? 2 * count : count)
    let text: String?
    if isWide {
      let units = (0..<count).map { UInt16(bytes[start + 2 * $0]) << 8 | UInt16(bytes[start + 2 * $0 + 1]) }
      text = String(validating: units, as: UTF16.self)?.bounded
    } else {
      let content = bytes[start..<start + count]
      // 5 is ASCII, 7 UTF-8.
      text =
        marker >> 4 == 5 && content.contains { $0 >= 0x80 } ? nil : String(validating: content, as: UTF8.self)?.bounded
    }
    guard let text else { throw Self.damage }
    return .text(text)
  }
}
