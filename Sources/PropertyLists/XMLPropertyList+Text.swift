// The text of an element: CDATA sections, comments and references resolved.

import PermissionEvents

extension XMLPropertyListReader {
  /// The text up to the end of an element.
  mutating func content(_ name: String) throws(PropertyListError) -> String {
    var text: [UInt8] = []
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "&"): text += try reference()
      case UInt8(ascii: "<"):
        if isNext("<![CDATA[") {
          position += 9
          let start = position
          try skip(past: "]]>", "a CDATA section does not end")
          text += bytes[start..<position - 3]
        } else if isNext("<!--") {
          position += 4
          try skip(past: "-->", "a comment does not end")
        } else {
          try endTag(name)
          return String(bounded: text)
        }
      case let byte:
        text.append(byte)
        position += 1
      }
    }
    throw failure("it ends early")
  }

  /// `&amp;`, `&#38;`, `&#x26;`.
  private mutating func reference() throws(PropertyListError) -> [UInt8] {
    let end = bytes[position...].prefix(12).firstIndex(of: UInt8(ascii: ";"))
    guard let end else { throw failure("an & does not begin a reference; write &amp;") }
    let name = String(bounded: bytes[position + 1..<end])
    let known = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
    if let text = known[name] {
      position = end + 1
      return Array(text.utf8)
    }
    guard name.hasPrefix("#") else { throw failure("&\(name); is not a reference of a property list") }
    let isHex = name.hasPrefix("#x") || name.hasPrefix("#X")
    let digits = name.dropFirst(isHex ? 2 : 1)
    guard let code = UInt32(digits, radix: isHex ? 16 : 10), code != 0, let scalar = Unicode.Scalar(code) else {
      throw failure("&\(name); is not a character")
    }
    position = end + 1
    return Array(String(Character(scalar)).utf8)
  }
}
