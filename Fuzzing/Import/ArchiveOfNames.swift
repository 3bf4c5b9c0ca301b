// Archives whose members have the names that libFuzzer makes: it would not find the checksums around them. The first byte says
// how often the rest is repeated, so that short inputs give long names.

import Foundation

enum ArchiveOfNames {
  /// Names that were slow or odd: combining marks that take turns, names that are not UTF-8, hidden and absolute ones.
  static let seeds: [[UInt8]] =
    [
      "\u{301}\u{316}", "\u{F73}", "e\u{301}.ndjson", "../../a.csv", "/etc/a.json", ".hidden/a.json", "__MACOSX/a.json",
      "a\u{202E}b",
    ].map { [255] + Array($0.utf8) } + [[1, 0xFF, 0xFE], [255, 0xC3], [3, 0x0A, 0x1B]]

  /// A tar of two members, by pax headers or by GNU's long names.
  static func bytes(_ input: [UInt8]) -> [UInt8] {
    guard let repeats = input.first else { return [] }
    let unit = input.dropFirst().filter { $0 != 0 }
    let name = Array(repeatElement(unit, count: 1 + Int(repeats) * 16).joined())
    let content = Array("{\"event_id\":\"e\"}\n".utf8)
    var bytes: [UInt8] = []
    for number in 0..<2 {
      let full = name + Array("\(number).ndjson".utf8)
      if repeats.isMultiple(of: 2) {
        bytes += member("././@LongLink", "L", full + [0])
      } else {
        bytes += member("pax", "x", record("path", full))
      }
      bytes += member("short", "0", content)
    }
    return bytes + [UInt8](repeating: 0, count: 1024)
  }

  /// A record of a pax header: its length counts its own digits.
  private static func record(_ key: String, _ value: [UInt8]) -> [UInt8] {
    let rest = Array(" \(key)=".utf8) + value + [0x0A]
    var length = rest.count + 1
    while String(length).utf8.count + rest.count != length { length = String(length).utf8.count + rest.count }
    return Array(String(length).utf8) + rest
  }

  /// A header and its content (POSIX.1-2017, pax, "ustar Interchange Format").
  private static func member(_ name: String, _ type: Character, _ content: [UInt8]) -> [UInt8] {
    var header = [UInt8](repeating: 0, count: 512)
    func put(_ text: String, at offset: Int) {
      header.replaceSubrange(offset..<offset + text.utf8.count, with: text.utf8)
    }
    func octal(_ number: Int, _ digits: Int) -> String {
      let text = String(number, radix: 8)
      return String(repeating: "0", count: digits - text.utf8.count) + text
    }
    put(name, at: 0)
    put(octal(0o644, 7), at: 100)
    put(octal(content.count, 11), at: 124)
    put("        ", at: 148)
    put(String(type), at: 156)
    put("ustar\u{0}00", at: 257)
    put(octal(header.reduce(0) { $0 + Int($1) }, 6) + "\u{0} ", at: 148)
    return header + content + [UInt8](repeating: 0, count: (512 - content.count % 512) % 512)
  }
}
