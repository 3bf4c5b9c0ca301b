// Numbers as zip writes them.

/// Numbers in little-endian bytes; 0 where there are none, -1 for what no file can be as large as.
struct LittleEndian {
  let bytes: [UInt8]

  func has(_ place: Int, _ count: Int) -> Bool { place >= 0 && place <= bytes.count && count <= bytes.count - place }

  func begins(_ signature: Int, at place: Int) -> Bool { has(place, 4) && self[place, 4] == signature }

  subscript(_ place: Int, _ count: Int) -> Int {
    guard has(place, count) else { return 0 }
    var value: UInt64 = 0
    for byte in bytes[place..<place + count].reversed() { value = value << 8 | UInt64(byte) }
    return Int(exactly: value) ?? -1
  }
}
