// The values of JSON that hold no others.

extension JSONTreeReader {
  /// A string; nil where it does not end.
  mutating func string() -> String? {
    position += 1
    var text: [UInt8] = []
    while !hasEnded {
      let byte = bytes[position]
      position += 1
      if byte == ByteSearch.quote { return String(decoding: text, as: UTF8.self) }
      guard byte == 0x5C else {
        text.append(byte)
        continue
      }
      guard !hasEnded else { break }
      let code = bytes[position]
      position += 1
      switch code {
      case 0x6E: text.append(0x0A)
      case 0x74: text.append(0x09)
      case 0x72: text.append(0x0D)
      case 0x62: text.append(0x08)
      case 0x66: text.append(0x0C)
      case 0x75: text += unicode()
      default: text.append(code)
      }
    }
    isCut = true
    return nil
  }

  /// What follows `\u`, with its second half where it is one of a pair.
  private mutating func unicode() -> [UInt8] {
    guard let first = hex() else { return [] }
    if let scalar = Unicode.Scalar(first) { return Array(String(scalar).utf8) }
    guard first < 0xDC00, position + 1 < bytes.endIndex, bytes[position] == 0x5C, bytes[position + 1] == 0x75 else {
      return Array("\u{FFFD}".utf8)
    }
    position += 2
    guard let second = hex(), (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + ((first & 0x3FF) << 10) + (second & 0x3FF))
    else { return Array("\u{FFFD}".utf8) }
    return Array(String(scalar).utf8)
  }

  private mutating func hex() -> UInt32? {
    guard bytes.endIndex - position >= 4 else { return nil }
    let digits = String(decoding: bytes[position..<position + 4], as: UTF8.self)
    guard let value = UInt32(digits, radix: 16) else { return nil }
    position += 4
    return value
  }

  /// A number, `true`, `false` or `null`.
  mutating func word() -> JSONTree? {
    let start = position
    while !hasEnded {
      let byte = bytes[position]
      guard byte | 0x20 >= 97 && byte | 0x20 <= 122 || byte >= 48 && byte <= 57 || [0x2B, 0x2D, 0x2E].contains(byte)
      else {
        break
      }
      position += 1
    }
    switch String(decoding: bytes[start..<position], as: UTF8.self) {
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    case "null": return .null
    case let text where text.utf8.first.map { $0 == 0x2D || $0 >= 48 && $0 <= 57 } ?? false: return .number(text)
    default:
      if hasEnded { isCut = true } else { isBroken = true }
      return nil
    }
  }
}
