// The values of an Avro block as JSON.

import PermissionEvents

/// Reads values of a schema from the bytes of a block.
struct AvroReader {
  private let bytes: [UInt8]
  private let kinds: [AvroSchema.Kind]
  private(set) var next: Int
  /// Values that may still be read: those that take no byte could be there without end.
  private(set) var budget: Int

  private static let maximumDepth = 256
  /// A longer line is refused by whoever reads it: of such a record this much is given.
  private static let longest = 2 << 20

  init(_ bytes: [UInt8], from start: Int, _ schema: AvroSchema, budget: Int) {
    (self.bytes, kinds, next, self.budget) = (bytes, schema.kinds, start, budget)
  }

  /// Appends the next value.
  /// - Returns: false if the bytes are none of this kind.
  mutating func value(_ kind: Int, into out: inout [UInt8], depth: Int) -> Bool {
    budget -= 1
    guard budget >= 0, depth < Self.maximumDepth else { return false }
    if out.count > Self.longest { out.removeLast(out.count - Self.longest) }
    switch kinds[kind] {
    case .null: out += Self.null
    case .boolean:
      guard next < bytes.count, bytes[next] < 2 else { return false }
      out += bytes[next] == 1 ? Self.yes : Self.no
      next += 1
    case .int, .long:
      guard let number = long() else { return false }
      out += String(number).utf8
    case .float:
      guard let bits = integer(UInt32.self) else { return false }
      append(Float(bitPattern: bits), to: &out)
    case .double:
      guard let bits = integer(UInt64.self) else { return false }
      append(Double(bitPattern: bits), to: &out)
    case .string:
      guard let text = text() else { return false }
      AvroText.append(text.prefix(Self.longest), to: &out)
    case .bytes:
      guard let bytes = text() else { return false }
      appendBytes(bytes, to: &out)
    case .fixed(let count):
      guard count <= bytes.count - next else { return false }
      appendBytes(bytes[next..<next + count], to: &out)
      next += count
    case .decimal(let scale, let size):
      let digits: ArraySlice<UInt8>
      if let size {
        guard size <= bytes.count - next else { return false }
        digits = bytes[next..<next + size]
        next += size
      } else {
        guard let found = text() else { return false }
        digits = found
      }
      AvroText.append(decimal: digits, scale: scale, to: &out)
    case .date:
      guard let day = long() else { return false }
      let date = (-800_000...3_000_000).contains(day) ? CivilDate(DayNumber(day)).text : nil
      AvroText.append((date ?? String(day)).utf8, to: &out)
    case .localTime(let second):
      guard let ticks = long() else { return false }
      AvroText.append(localTime: ticks, second, to: &out)
    case .enumeration(let symbols):
      guard let number = long(), symbols.indices.contains(Int(clamping: number)) else { return false }
      out += symbols[Int(number)]
    case .union(let branches):
      guard let number = long(), branches.indices.contains(Int(clamping: number)) else { return false }
      return value(branches[Int(number)], into: &out, depth: depth + 1)
    case .array(let item):
      return items(0x5B, 0x5D, into: &out) { reader, out in reader.value(item, into: &out, depth: depth + 1) }
    case .map(let item):
      return items(0x7B, 0x7D, into: &out) { reader, out in
        guard let key = reader.text() else { return false }
        AvroText.append(key.prefix(Self.longest), to: &out)
        out.append(0x3A)
        return reader.value(item, into: &out, depth: depth + 1)
      }
    case .record(let fields):
      out.append(0x7B)
      for (number, field) in fields.enumerated() {
        if number > 0 { out.append(0x2C) }
        out += field.name
        // Names are in no byte of the block.
        budget -= field.name.count >> 6
        guard value(field.kind, into: &out, depth: depth + 1) else { return false }
      }
      out.append(0x7D)
    }
    return true
  }

  private static let null = Array("null".utf8), yes = Array("true".utf8), no = Array("false".utf8)

  /// An array or a map: blocks of items, each with their number, up to one without any.
  private mutating func items(
    _ open: UInt8, _ close: UInt8, into out: inout [UInt8], _ item: (inout AvroReader, inout [UInt8]) -> Bool
  ) -> Bool {
    out.append(open)
    var isFirst = true
    while true {
      guard var count = long() else { return false }
      if count == 0 { break }
      if count < 0 {
        // The number of bytes follows, for those who pass over it.
        guard count > .min, long() != nil else { return false }
        count = -count
      }
      while count > 0 {
        if !isFirst { out.append(0x2C) }
        isFirst = false
        guard item(&self, &out) else { return false }
        count -= 1
      }
    }
    out.append(close)
    return true
  }

  private mutating func long() -> Int64? {
    var (value, shift) = (UInt64(0), UInt64(0))
    while next < bytes.count, shift < 64 {
      let byte = bytes[next]
      next += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1) }
      shift += 7
    }
    return nil
  }

  private mutating func text() -> ArraySlice<UInt8>? {
    guard let count = long(), count >= 0, count <= Int64(bytes.count - next) else { return nil }
    defer { next += Int(count) }
    return bytes[next..<next + Int(count)]
  }

  private mutating func integer<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
    let size = MemoryLayout<Number>.size
    guard size <= bytes.count - next else { return nil }
    defer { next += size }
    return (0..<size).reduce(0) { $0 | Number(bytes[next + $1]) << (8 * $1) }
  }

  /// JSON has no infinities and no NaN: they become null.
  private func append(_ number: some BinaryFloatingPoint & CustomStringConvertible, to out: inout [UInt8]) {
    guard number.isFinite else { return out += Self.null }
    out += number.description.utf8
  }

  private func appendBytes(_ all: ArraySlice<UInt8>, to out: inout [UInt8]) {
    let bytes = all.prefix(Self.longest)
    if String(validating: bytes, as: UTF8.self) != nil {
      AvroText.append(bytes, to: &out)
    } else {
      AvroText.append(binary: bytes, to: &out)
    }
  }
}
