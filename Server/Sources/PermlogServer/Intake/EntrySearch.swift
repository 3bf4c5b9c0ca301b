// Whether a body that is kept names a user, in whatever form it was sent.

import Foundation
import Permlog

enum EntrySearch {
  /// Whether a body names a user as a value or a key of JSON, with a prefix too (`$device:`). A body that cannot be unpacked is taken to
  /// name everybody; pieces that are no JSON name whoever occurs in them.
  static func names(_ body: [UInt8], _ user: String) -> Bool {
    guard let plain = try? PackedBytes.unpacked(body, limit: Intake.unpackedLimit) else { return true }
    let text = BodyEvents.withoutForm(plain)
    if let found = inJSON(text, user) { return found }
    // Several documents, or torn ones: each event by itself, and the rest as text.
    let events = BodyEvents(text, Endpoint(.batch), received: "")
    let pieces = events.lines.split(separator: 0x0A).map(Array.init) + events.broken.map(\.bytes)
    return pieces.contains { inJSON($0, user) ?? inText($0, user) } || inText(text, user)
  }

  /// - Returns: nil if it is no JSON.
  private static func inJSON(_ bytes: [UInt8], _ user: String) -> Bool? {
    guard let tree = try? JSONSerialization.jsonObject(with: Data(bytes), options: [.fragmentsAllowed]) else {
      return nil
    }
    return holds(tree, user)
  }

  private static func holds(_ value: Any, _ user: String) -> Bool {
    switch value {
    case let text as String: text == user || text.hasSuffix(":" + user)
    case let number as NSNumber: number.stringValue == user
    case let list as [Any]: list.contains { holds($0, user) }
    case let object as [String: Any]: object.contains { $0.key == user || holds($0.value, user) }
    default: false
    }
  }

  private static func inText(_ bytes: [UInt8], _ user: String) -> Bool {
    String(decoding: bytes, as: UTF8.self).contains(user) || unescaped(bytes).contains(user)
  }

  /// The text with JSON's escapes undone, as far as they are whole.
  private static func unescaped(_ bytes: [UInt8]) -> String {
    var units: [UInt16] = []
    let text = Array(String(decoding: bytes, as: UTF8.self).utf16)
    var i = 0
    while i < text.count {
      if text[i] == 0x5C, i + 1 < text.count {
        if text[i + 1] == 0x75, i + 5 < text.count,
          let unit = UInt16(String(decoding: text[i + 2...i + 5], as: UTF16.self), radix: 16)
        {
          units.append(unit)
          i += 6
        } else {
          units.append(text[i + 1])
          i += 2
        }
      } else {
        units.append(text[i])
        i += 1
      }
    }
    return String(decoding: units, as: UTF16.self)
  }
}
